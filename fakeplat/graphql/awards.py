"""Emoji that people give to things. Source: docs/platform/award-emoji.md."""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.notes import awards, emoji, noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.domain.validation import TAKEN
from fakeplat.graphql.errors import MutationFailed
from fakeplat.graphql.lookups import demand_awardable
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]

NOT_AWARDABLE: Final = "Cannot award emoji to this resource"
NOT_GIVEN: Final = "User has not awarded emoji of type {} on the awardable"
_TAKES: Final = '''
"""What it is given to."""
awardableId: AwardableID!
"""The emoji's name."""
name: String!
'''
_GIVES: Final = '"""The emoji, unless it was taken back."""\nawardEmoji: AwardEmoji'

AWARD = Type("AwardEmoji", "An emoji that somebody gave to something.")
AWARD.attributes({"name: String!": "The emoji's name."})


@AWARD.field("user: User!")
def user(ctx: ReadContext, award: Award) -> User:
    """Who gave it."""
    return ctx.world.users[award.user_id]


@AWARD.field("emoji: String!")
def sign(ctx: ReadContext, award: Award) -> str:
    """The emoji itself."""
    del ctx
    return _sign(award.name)


@AWARD.field("unicode: String!")
def unicode(ctx: ReadContext, award: Award) -> str:
    """Its code points in hexadecimal digits."""
    del ctx
    return "-".join(f"{ord(part):x}" for part in _sign(award.name))


@AWARD.field("description: String!")
def description(ctx: ReadContext, award: Award) -> str:
    """What it shows."""
    del ctx
    return unicodedata.name(_sign(award.name)[:1], award.name).lower()


def _sign(name: str) -> str:
    """The emoji with a name; one that is in no list stands for itself."""
    from rich.emoji import Emoji, NoEmoji  # costs too much for a start that awards nothing

    try:
        return str(Emoji(name))
    except NoEmoji:
        return f":{name}:"


class _Wanted(NamedTuple):
    """Which emoji is meant, on what."""

    record: Any
    note: Note | None
    name: str

    @property
    def subject(self) -> tuple[str, int]:
        """Under what it is kept."""
        return (NOTE, self.note.id) if self.note else noteables.subject_of(self.record)


def _wanted(ctx: WriteContext, awardable_id: str, name: str, **shown: Any) -> _Wanted:
    """What is meant, if the caller may give it."""
    record, note = demand_awardable(ctx, awardable_id)
    ruling = noteables.can_comment(ctx, record, Ability.AWARD_EMOJI)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)
    if note is not None and note.system:
        raise GraphQLError(NOT_AWARDABLE)
    known = emoji.canonical_name(name)
    if known is None:
        raise MutationFailed([f"Name {awards.NOT_AMONG}"], shown)
    return _Wanted(record, note, known)


def _own(ctx: WriteContext, wanted: _Wanted) -> Award | None:
    return ctx.world.awards.find("own", (wanted.subject, ctx.signed_in_user.id, wanted.name))


@mutation("addAwardEmoji", takes=_TAKES, gives=_GIVES)
@mutation("awardEmojiAdd", takes=_TAKES, gives=_GIVES)
def add(ctx: WriteContext, awardable_id: str, name: str) -> Payload:
    """Give an emoji to something."""
    wanted = _wanted(ctx, awardable_id, name)
    if _own(ctx, wanted) is not None:
        raise MutationFailed([f"Name {TAKEN}"], {})
    return {"award_emoji": awards.add_award(ctx, wanted.record, wanted.note, wanted.name)}


@mutation("removeAwardEmoji", takes=_TAKES, gives=_GIVES)
@mutation("awardEmojiRemove", takes=_TAKES, gives=_GIVES)
def remove(ctx: WriteContext, awardable_id: str, name: str) -> Payload:
    """Take an emoji back."""
    wanted = _wanted(ctx, awardable_id, name)
    found = _own(ctx, wanted)
    if found is None:
        raise MutationFailed([NOT_GIVEN.format(name)], {})
    awards.delete_award(ctx, found)
    return {}


_TOGGLES: Final = f'{_GIVES}\n"""Whether it is given now."""\ntoggledOn: Boolean!'


@mutation("toggleAwardEmoji", takes=_TAKES, gives=_TOGGLES)
@mutation("awardEmojiToggle", takes=_TAKES, gives=_TOGGLES)
def toggle(ctx: WriteContext, awardable_id: str, name: str) -> Payload:
    """Give an emoji to something, or take it back."""
    wanted = _wanted(ctx, awardable_id, name, toggled_on=False)
    found = _own(ctx, wanted)
    if found is not None:
        awards.delete_award(ctx, found)
        return {"toggled_on": False}
    return {"toggled_on": True, "award_emoji": awards.add_award(ctx, wanted.record, wanted.note, wanted.name)}
