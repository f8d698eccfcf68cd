"""Emoji that users add to groups. Source: docs/platform/award-emoji.md ('Custom emoji')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.groups import custom_emoji
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.issues import CustomEmoji
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "13.6"
_LATER: Final = "<=18.5"
_GIVES: Final = '"""The emoji."""\ncustomEmoji: CustomEmoji'
Scalar("CustomEmojiID", "The global ID of a record of the type CustomEmoji.", since=_SINCE)
EMOJI = Type("CustomEmoji", "An emoji that a user added to a group.", gid="CustomEmoji", since=_SINCE)
EMOJI.attributes({"name: String!": "The name.", "url: String!": "The address of the image."})
EMOJI.attributes({"createdAt: Time!": "Timestamp of creation."}, since=_LATER)


@EMOJI.field("external: Boolean!")
def is_external(_ctx: ReadContext, _emoji: CustomEmoji) -> bool:
    """Whether the image is at an address outside, as each one is."""
    return True


@GROUP.field(
    f'customEmoji(includeAncestorGroups: Boolean = false @lifetime(since: "{_LATER}")): CustomEmojiConnection',
    since=_SINCE,
)
def emoji_of(ctx: ReadContext, group: Group, include_ancestor_groups: bool | None = False) -> Sequence[CustomEmoji]:
    """The emoji that users added to the group, by name."""
    return custom_emoji.list_emoji(ctx.world, group, ancestors=bool(include_ancestor_groups))


@mutation(
    "createCustomEmoji",
    input_fields='''
"""The full path of the group."""
groupPath: ID!
"""The name."""
name: String!
"""The address of the image."""
url: String!
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def create_custom_emoji(ctx: WriteContext, group_path: str, name: str, url: str) -> Mapping[str, Any]:
    """Add an emoji to a group."""
    group = find_namespace(ctx, group_path)
    if not isinstance(group, Group) or not can_see(ctx, group) or not can(ctx, Ability.CREATE_CUSTOM_EMOJI, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} adds no emoji to {group_path}: it takes a Developer")
    with collect_errors():
        return {"custom_emoji": custom_emoji.create(ctx, group, name, url)}


@mutation(
    "destroyCustomEmoji",
    input_fields='"""The global ID of the emoji."""\nid: CustomEmojiID!',
    payload_fields=_GIVES,
    since=_LATER,
)
def destroy_custom_emoji(ctx: WriteContext, id: str) -> Mapping[str, Any]:  # the argument's name on the wire
    """Delete an emoji, which only who added it may do."""
    found = ctx.world.custom_emoji.get(parse_id(ctx, id, "CustomEmoji"))
    if found is None or not _may_delete(ctx, found):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} did not add {id}, or is no Developer of its group")
    purge(ctx, found)
    return {"custom_emoji": found}


def _may_delete(ctx: ReadContext, emoji: CustomEmoji) -> bool:
    group = ctx.world.namespaces[emoji.group_id]
    is_creator = ctx.viewer is not None and ctx.viewer.id == emoji.creator_id
    return is_creator and can(ctx, Ability.CREATE_CUSTOM_EMOJI, group)
