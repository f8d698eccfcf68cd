"""Award emoji on issues, merge requests and notes. Source: docs/platform/award-emoji.md."""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.store.references import Subject
from fakeplat.domain import emoji
from fakeplat.domain.notes import awards, noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.domain.validation import TAKEN
from fakeplat.graphql.errors import MutationFailed
from fakeplat.graphql.lookups import require_awardable
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]

NOT_AWARDABLE: Final = "Cannot award emoji to this resource"
NOT_AWARDED: Final = "User has not awarded emoji of type {} on the awardable"
_TAKES: Final = '''
"""The awardable."""
awardableId: AwardableID!
"""The name of the emoji."""
name: String!
'''
_GIVES: Final = '"""The award emoji; null if it was removed."""\nawardEmoji: AwardEmoji'

AWARD = Type("AwardEmoji", "An emoji awarded by a user.", connection_since="<=13.10")
AWARD.attributes({"name: String!": "The name of the emoji."})


@AWARD.field("user: User!")
def user(ctx: ReadContext, award: Award) -> User:
    """The user who awarded the emoji."""
    return ctx.world.users[award.user_id]


@AWARD.field("emoji: String!")
def emoji_text(_ctx: ReadContext, award: Award) -> str:
    """The emoji as text."""
    return _to_emoji(award.name)


@AWARD.field("unicode: String!")
def unicode(_ctx: ReadContext, award: Award) -> str:
    """The code points of the emoji in hexadecimal notation."""
    return "-".join(f"{ord(part):x}" for part in _to_emoji(award.name))


@AWARD.field("description: String!")
def description(_ctx: ReadContext, award: Award) -> str:
    """The description of the emoji."""
    # An emoji of several code points is described by its first one.
    return unicodedata.name(_to_emoji(award.name)[:1], award.name).lower()


def _to_emoji(name: str) -> str:
    """Return the emoji with a name; an unknown one as ``:name:``."""
    return emoji.find_character(name) or f":{name}:"


class _Target(NamedTuple):
    """An emoji and the record that it is awarded on."""

    record: Any
    note: Note | None
    name: str

    @property
    def subject(self) -> Subject:
        """The kind and id under which the award is stored."""
        return (NOTE, self.note.id) if self.note else noteables.subject_of(self.record)


def _get_target(ctx: WriteContext, awardable_id: str, name: str, **fields: object) -> _Target:
    """Return the target of a mutation, if the caller may award emoji on it."""
    record, note = require_awardable(ctx, awardable_id)
    decision = noteables.can_comment(ctx, record, Ability.AWARD_EMOJI)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    if note is not None and note.system:
        raise GraphQLError(NOT_AWARDABLE)
    emoji_name = awards.find_emoji_name(ctx.world, record, name)
    if emoji_name is None:
        raise MutationFailed(awards.describe_unknown_name(ctx, name), fields)
    return _Target(record, note, emoji_name)


def _find_own_award(ctx: WriteContext, target: _Target) -> Award | None:
    return ctx.world.awards.find("own", (target.subject, ctx.signed_in_user.id, target.name))


# Each mutation has two names: the deprecated one (``addAwardEmoji``), which ended, and the current one.


@mutation("addAwardEmoji", input_fields=_TAKES, payload_fields=_GIVES, until="14.0")
@mutation("awardEmojiAdd", input_fields=_TAKES, payload_fields=_GIVES)
def add(ctx: WriteContext, awardable_id: str, name: str) -> Payload:
    """Award an emoji."""
    target = _get_target(ctx, awardable_id, name)
    if _find_own_award(ctx, target) is not None:
        raise MutationFailed([f"Name {TAKEN}"], {})
    return {"award_emoji": awards.add_award(ctx, target.record, target.note, target.name)}


@mutation("removeAwardEmoji", input_fields=_TAKES, payload_fields=_GIVES, until="14.0")
@mutation("awardEmojiRemove", input_fields=_TAKES, payload_fields=_GIVES)
def remove(ctx: WriteContext, awardable_id: str, name: str) -> Payload:
    """Remove an awarded emoji."""
    target = _get_target(ctx, awardable_id, name)
    award = _find_own_award(ctx, target)
    if award is None:
        raise MutationFailed([NOT_AWARDED.format(name)], {})
    awards.delete_award(ctx, award)
    return {}


_TOGGLES: Final = f'{_GIVES}\n"""Whether the emoji is awarded now."""\ntoggledOn: Boolean!'


@mutation("toggleAwardEmoji", input_fields=_TAKES, payload_fields=_TOGGLES, until="14.0")
@mutation("awardEmojiToggle", input_fields=_TAKES, payload_fields=_TOGGLES)
def toggle(ctx: WriteContext, awardable_id: str, name: str) -> Payload:
    """Award an emoji, or remove it if the user has awarded it."""
    # ``toggledOn`` must not be null, so a payload that has only errors needs it too.
    target = _get_target(ctx, awardable_id, name, toggled_on=False)
    award = _find_own_award(ctx, target)
    if award is not None:
        awards.delete_award(ctx, award)
        return {"toggled_on": False}
    return {"toggled_on": True, "award_emoji": awards.add_award(ctx, target.record, target.note, target.name)}
