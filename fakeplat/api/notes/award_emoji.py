"""Award emoji. Source: docs/platform/award-emoji.md."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar, Unpack

from fakeplat.api.notes.noteables import AWARDABLE_SCOPES, AWARDABLE_SCOPES_WITH_LOGIN, note_scopes_on
from fakeplat.core.operations.operation import Area, Login, Method, OperationOptions
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.core.params.params import Params
from fakeplat.domain.notes import awards, noteables
from fakeplat.domain.notes.noteables import Awardable, Subject
from fakeplat.domain.notes.notes import NOTE
from fakeplat.entities.notes.awards import AwardView
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import AWARDS_NEED_NO_LOGIN
from fakeplat.policy.context import ReadContext, WriteContext

F = TypeVar("F", bound=Callable[..., Any])


def _ask_writers(world: World) -> Login:
    return Login.NEVER if world.profile.has(AWARDS_NEED_NO_LOGIN) else Login.WRITES


def _ask_everybody(world: World) -> Login:
    return Login.NEVER if world.profile.has(AWARDS_NEED_NO_LOGIN) else Login.ALWAYS


area: Final = Area("Award emoji", login=_ask_writers)
login_area: Final = Area("Award emoji", login=_ask_everybody)
# Earlier releases require a login to read the emoji of merge requests, but not those of issues and snippets.
_ON_NOTEABLES: Final = ((area, AWARDABLE_SCOPES), (login_area, AWARDABLE_SCOPES_WITH_LOGIN))
_ON_NOTES: Final = ((area, note_scopes_on(AWARDABLE_SCOPES)), (login_area, note_scopes_on(AWARDABLE_SCOPES_WITH_LOGIN)))


def _declare_award_operation(
    area_scopes: Iterable[tuple[Area, tuple[Scope, ...]]],
    method: Method,
    path: str,
    name: str,
    **options: Unpack[OperationOptions],
) -> Callable[[F], F]:
    """Declare an operation for each scope, in the area that has the scope's login requirement."""

    def register(function: F) -> F:
        for scope_area, scope in area_scopes:
            scope_area.operation(method, path, name=name, scope=scope, **options)(function)
        return function

    return register


class CreateAward(Params):
    """The emoji's name."""

    name: str


@_declare_award_operation(
    _ON_NOTEABLES, "GET", "award_emoji", "list_{scope}_award_emoji", params=Paged, view=AwardView, many=True
)
def list_award_emoji(ctx: ReadContext, _container: Routable, record: Awardable) -> Sequence[Award]:
    """List awarded emoji."""
    return awards.list_awards(ctx, noteables.subject_of(record))


@_declare_award_operation(
    _ON_NOTES, "GET", "award_emoji", "list_{scope}_award_emoji", params=Paged, view=AwardView, many=True
)
def list_note_award_emoji(ctx: ReadContext, _container: Routable, _record: Awardable, note: Note) -> Sequence[Award]:
    """List the emoji awarded to a note."""
    return awards.list_awards(ctx, (NOTE, note.id))


@_declare_award_operation(
    _ON_NOTEABLES, "GET", "award_emoji/:award_id", "get_{scope}_award_emoji", view=AwardView, refusals=(404,)
)
def get_award_emoji(ctx: ReadContext, _container: Routable, record: Awardable, award_id: int) -> Award:
    """Get an awarded emoji."""
    return awards.get_award(ctx, noteables.subject_of(record), award_id)


@_declare_award_operation(
    _ON_NOTES, "GET", "award_emoji/:award_id", "get_{scope}_award_emoji", view=AwardView, refusals=(404,)
)
def get_note_award_emoji(
    ctx: ReadContext, _container: Routable, _record: Awardable, note: Note, award_id: int
) -> Award:
    """Get an emoji awarded to a note."""
    return awards.get_award(ctx, (NOTE, note.id), award_id)


@_declare_award_operation(
    _ON_NOTEABLES,
    "POST",
    "award_emoji",
    "create_{scope}_award_emoji",
    params=CreateAward,
    view=AwardView,
    refusals=(404,),
)
def create_award_emoji(ctx: WriteContext, _container: Routable, record: Awardable, p: CreateAward) -> Award:
    """Award an emoji."""
    # None: the emoji is awarded to the record itself, not to one of its notes.
    return awards.add_award(ctx, record, None, p.name)


@_declare_award_operation(
    _ON_NOTES,
    "POST",
    "award_emoji",
    "create_{scope}_award_emoji",
    params=CreateAward,
    view=AwardView,
    refusals=(404,),
)
def create_note_award_emoji(
    ctx: WriteContext, _container: Routable, record: Awardable, note: Note, p: CreateAward
) -> Award:
    """Award an emoji to a note."""
    return awards.add_award(ctx, record, note, p.name)


@_declare_award_operation(
    _ON_NOTEABLES, "DELETE", "award_emoji/:award_id", "delete_{scope}_award_emoji", refusals=(401, 404, 412)
)
def delete_award_emoji(ctx: WriteContext, _container: Routable, record: Awardable, award_id: int) -> None:
    """Delete an awarded emoji."""
    _delete(ctx, noteables.subject_of(record), award_id)


@_declare_award_operation(
    _ON_NOTES, "DELETE", "award_emoji/:award_id", "delete_{scope}_award_emoji", refusals=(401, 404, 412)
)
def delete_note_award_emoji(
    ctx: WriteContext, _container: Routable, _record: Awardable, note: Note, award_id: int
) -> None:
    """Delete an emoji awarded to a note."""
    _delete(ctx, (NOTE, note.id), award_id)


def _delete(ctx: WriteContext, subject: Subject, award_id: int) -> None:
    award = awards.get_award(ctx, subject, award_id)
    # A foreign award is 401 even if `If-Unmodified-Since` does not match, so ownership is checked first.
    awards.require_own_award(ctx, award)
    ctx.check_unmodified_since(award.updated_at)
    awards.delete_award(ctx, award)
