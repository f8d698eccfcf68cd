"""Texts that users keep for comments. Source: docs/platform/users.md ('Saved replies')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.people import saved_replies
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.people import SavedReply, User
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.0"
_ONE: Final = "<=16.2"
_KIND: Final = "Users::SavedReply"
TEXTS: Final = '"""The name."""\nname: String!\n"""The text."""\ncontent: String!'
_WHICH: Final = '"""The global ID of the text."""\nid: UsersSavedReplyID!'
_GIVES: Final = '"""The text."""\nsavedReply: SavedReply'
Scalar("UsersSavedReplyID", "The global ID of a record of the type Users::SavedReply.", since=_SINCE)
REPLY = Type("SavedReply", "A text that a user keeps for comments.", since=_SINCE, has_count=True)
CONTENT: Final = {"name: String!": "The name.", "content: String!": "The text."}
REPLY.attributes(CONTENT)


@REPLY.field("id: UsersSavedReplyID!")
def id_of(ctx: ReadContext, reply: SavedReply) -> str:
    """The global ID of the text."""
    return global_id(ctx, _KIND, reply.id)


@USER.field("savedReplies: SavedReplyConnection", since=_SINCE)
def replies_of(ctx: ReadContext, user: User) -> Sequence[SavedReply] | None:
    """The texts that the caller keeps for comments; null for other users."""
    if ctx.viewer is None or ctx.viewer.id != user.id:
        return None
    return saved_replies.list_replies(ctx.world, [("user", user.id)])


@USER.field("savedReply(id: UsersSavedReplyID!): SavedReply", since=_ONE)
def reply_of(ctx: ReadContext, user: User, id: str) -> SavedReply | None:  # the argument's name on the wire
    """A text that the caller keeps for comments; null for other users."""
    found = ctx.world.saved_replies.get(parse_id(ctx, id, _KIND))
    is_own = found is not None and found.subject == ("user", user.id)
    return found if is_own and ctx.viewer == user else None


def _get_own(ctx: WriteContext, text: str) -> SavedReply:
    found = ctx.world.saved_replies.get(parse_id(ctx, text, _KIND))
    if found is None or ctx.viewer is None or found.subject != ("user", ctx.viewer.id):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} keeps no text {text}")
    return found


@mutation("savedReplyCreate", input_fields=TEXTS, payload_fields=_GIVES, since=_SINCE)
def saved_reply_create(ctx: WriteContext, name: str, content: str) -> Mapping[str, Any]:
    """Keep a text for comments."""
    with collect_errors():
        return {"saved_reply": saved_replies.create(ctx, ("user", ctx.signed_in_user.id), name, content)}


@mutation("savedReplyUpdate", input_fields=f"{_WHICH}\n{TEXTS}", payload_fields=_GIVES, since=_SINCE)
def saved_reply_update(ctx: WriteContext, id: str, name: str, content: str) -> Mapping[str, Any]:
    """Change a text that the caller keeps."""
    reply = _get_own(ctx, id)
    with collect_errors():
        return {"saved_reply": saved_replies.update(ctx, reply, name, content)}


@mutation("savedReplyDestroy", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def saved_reply_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a text that the caller keeps."""
    reply = _get_own(ctx, id)
    purge(ctx, reply)
    return {"saved_reply": reply}
