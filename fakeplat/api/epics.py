"""Epics of groups, their issues and their notes.

The platform addresses epics by their number in the group, but the notes of epics by the epic's id.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from fakeplat.api.epic_scopes import ADMINISTERED, BY_ID, FILLABLE, FOR_TODO, READABLE, epic_scope
from fakeplat.api.notes.note_responses import commands_only_response, created_response
from fakeplat.api.notes.notes import ListNotes, collect_note_fields, order_notes
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import FilteredPages, Paged
from fakeplat.core.params.params import CommaList, Day, Moment, Named, Params, at_least_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.epics import epic_access, epic_issues, epics
from fakeplat.domain.epics.epics import EpicFilter
from fakeplat.domain.notes import note_access, notes, todos
from fakeplat.entities.epics import FROM_GROUP, SUBSCRIBED, EpicIssueLinkView, EpicIssueView, EpicView
from fakeplat.entities.issues.issuables import LABEL_DETAILS
from fakeplat.entities.notes.notes import NoteView
from fakeplat.entities.notes.todos import TodoView
from fakeplat.model.epics import Epic, EpicIssue
from fakeplat.model.notes import Note, Todo
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Epics", login=Login.WRITES, dashed="epics")


class NegatedEpicFilters(Params):
    """Filters that exclude epics (``not``)."""

    author_id: int | None = None
    author_username: str | None = None
    labels: CommaList[str] | None = None

    rules = (mutually_exclusive("author_id", "author_username"),)


class ListEpics(Paged):
    """Filters and order of a list of epics."""

    order_by: Annotated[Literal["created_at", "updated_at", "title"], Lifetime(since="<=16.0", values=("title",))] = (
        "created_at"
    )
    sort: Literal["asc", "desc"] = "desc"
    search: str | None = None
    state: Literal["opened", "closed", "all"] = "all"
    author_id: int | None = None
    labels: CommaList[str] | None = None
    with_labels_details: bool = False
    created_after: Moment | None = None
    created_before: Moment | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    include_ancestor_groups: bool = False
    include_descendant_groups: bool = True
    confidential: Annotated[bool | None, Lifetime(since="13.9")] = None
    author_username: Annotated[str | None, Lifetime(since="<=16.0")] = None
    my_reaction_emoji: str | None = None
    not_: Annotated[NegatedEpicFilters | None, Named("not"), Lifetime(since="<=16.0")] = None

    rules = (mutually_exclusive("author_id", "author_username"),)


def _list_options(ctx: ReadContext, p: ListEpics, _epic: Epic | None) -> tuple[str, ...]:
    details = (LABEL_DETAILS,) if p.with_labels_details else ()
    return (*details, f"{FROM_GROUP}{ctx.container.id}")


def _single_options(_ctx: ReadContext, _p: object, epic: Epic) -> tuple[str, ...]:
    return SUBSCRIBED, f"{FROM_GROUP}{epic.group_id}"


def written_options(_ctx: ReadContext, _p: object, epic: Epic) -> tuple[str, ...]:
    """Return the options with which a changed epic is shown: as seen from its own group."""
    return (f"{FROM_GROUP}{epic.group_id}",)


@area.operation(
    "GET",
    "epics",
    scope=GROUP,
    ability=Ability.READ_EPIC,
    params=ListEpics,
    view=EpicView,
    many=True,
    options=_list_options,
    tier="premium",
)
def list_epics(ctx: ReadContext, group: Group, p: ListEpics) -> Sequence[Epic]:
    """List the epics of a group and of the groups below it."""
    fields = {name: value for name, value in p.given().items() if name in _FILTERS and value is not None}
    excluded = EpicFilter(**_collect_criteria(p.not_.given())) if p.not_ is not None and p.not_.given() else None
    return epics.list_epics(ctx, group, EpicFilter(**_collect_criteria(fields)), excluded)


def _collect_criteria(params: Mapping[str, Any]) -> dict[str, Any]:
    return {**params, "labels": tuple(params.get("labels") or ())}


_FILTERS: Final = frozenset(ListEpics.__annotations__) - {"with_labels_details", "not_"}


@area.operation("GET", "", scope=READABLE, view=EpicView, options=_single_options, tier="premium", refusals=(403,))
def get_epic(_ctx: ReadContext, _group: Group, epic: Epic) -> Epic:
    """Get an epic."""
    return epic


class EpicAttributes(Params):
    """The attributes of an epic that can be set at creation and later."""

    description: str | None = None
    confidential: bool = False
    start_date: Day | None = None
    start_date_fixed: Day | None = None
    start_date_is_fixed: bool = False
    end_date: Day | None = None
    due_date_fixed: Day | None = None
    due_date_is_fixed: bool = False
    labels: CommaList[str] | None = None
    color: Annotated[str | None, Lifetime(since="<=18.9")] = None


class CreateEpic(EpicAttributes):
    """A new epic."""

    title: str
    created_at: Moment | None = None
    parent_id: int | None = None


_EVERY_CHANGE_IS_NAMED: Final = Lifetime(since="<=18.9")


class UpdateEpic(EpicAttributes):
    """Changes of an epic."""

    title: str | None = None
    updated_at: Moment | None = None
    parent_id: Annotated[int | None, Lifetime(since="<=18.9")] = None
    add_labels: CommaList[str] | None = None
    remove_labels: CommaList[str] | None = None
    state_event: Literal["reopen", "close"] | None = None

    rules = (
        at_least_one_of(
            "title",
            "description",
            "start_date_fixed",
            "start_date_is_fixed",
            "due_date_fixed",
            "due_date_is_fixed",
            "labels",
            "add_labels",
            "remove_labels",
            "state_event",
            "confidential",
            lifetime=Lifetime(until=_EVERY_CHANGE_IS_NAMED.since),
        ).unless_any_sent("start_date", "end_date", "parent_id", "color"),
        at_least_one_of(
            "add_labels",
            "color",
            "confidential",
            "description",
            "due_date_fixed",
            "due_date_is_fixed",
            "labels",
            "parent_id",
            "remove_labels",
            "start_date_fixed",
            "start_date_is_fixed",
            "state_event",
            "title",
            "start_date",
            "end_date",
            lifetime=_EVERY_CHANGE_IS_NAMED,
        ),
    )


_OLDER_NAMES: Final = {"start_date": "start_date_fixed", "end_date": "due_date_fixed"}


def _collect_fields(ctx: ReadContext, group: Group, p: Params) -> dict[str, Any]:
    """Return the parameters as fields: older names replaced, times only from those who may set them."""
    given = p.given()
    fields = {_OLDER_NAMES.get(name, name): value for name, value in given.items()}
    for name in ("created_at", "updated_at"):
        if name in fields and (fields[name] is None or not epics.can_set_times(ctx, group)):
            del fields[name]
    if fields.get("color") is None:
        fields.pop("color", None)
    return fields


@area.operation(
    "POST",
    "epics",
    scope=GROUP,
    ability=Ability.ADMIN_EPIC,
    params=CreateEpic,
    view=EpicView,
    options=written_options,
    tier="premium",
    refusals=(400, 429),
)
def create_epic(ctx: WriteContext, group: Group, p: CreateEpic) -> Epic:
    """Create an epic."""
    return epics.create(ctx, group, ctx.signed_in_user, **_collect_fields(ctx, group, p))


@area.operation(
    "PUT",
    "",
    scope=ADMINISTERED,
    params=UpdateEpic,
    view=EpicView,
    options=written_options,
    tier="premium",
    refusals=(400, 403),
)
def update_epic(ctx: WriteContext, group: Group, epic: Epic, p: UpdateEpic) -> Epic:
    """Update an epic."""
    return epics.update(ctx, epic, **_collect_fields(ctx, group, p))


@area.operation("DELETE", "", scope=epic_scope(Ability.DESTROY_EPIC), tier="premium", refusals=(403,))
def delete_epic(ctx: WriteContext, _group: Group, epic: Epic) -> None:
    """Delete an epic and the epics below it."""
    epics.delete(ctx, epic)


@area.operation(
    "GET",
    "issues",
    scope=READABLE,
    params=Paged,
    view=EpicIssueView,
    many=True,
    login=Login.ALWAYS,
    tier="premium",
    refusals=(403,),
)
def list_epic_issues(ctx: ReadContext, _group: Group, epic: Epic) -> Sequence[EpicIssue]:
    """List the issues of an epic."""
    return epic_issues.list_visible_links(ctx, epic)


@area.operation(
    "POST",
    "issues/:issue_iid",
    scope=FILLABLE,
    view=EpicIssueLinkView,
    tier="premium",
    refusals=(403, 404, 409),
)
def add_epic_issue(ctx: WriteContext, _group: Group, epic: Epic, issue_iid: int) -> EpicIssue:
    """Add an issue, named by its id, to an epic. It leaves the epic that it was in."""
    return epic_issues.assign(ctx, epic, issue_iid)


class Reorder(Params):
    """The ids of the links or epics between which to move another one."""

    move_before_id: int | None = None
    move_after_id: int | None = None


@area.operation(
    "PUT",
    "issues/:epic_issue_id",
    scope=FILLABLE,
    params=Reorder,
    view=EpicIssueView,
    many=True,
    paging=None,
    tier="premium",
    refusals=(403, 404),
)
def reorder_epic_issue(
    ctx: WriteContext, _group: Group, epic: Epic, epic_issue_id: int, p: Reorder
) -> Sequence[EpicIssue]:
    """Reorder an issue of an epic: behind the one with move_before_id, before the one with move_after_id."""
    epic_issues.reorder(ctx, epic_issues.get_link(ctx.world, epic, epic_issue_id), p.move_before_id, p.move_after_id)
    return epic_issues.list_visible_links(ctx, epic)


@area.operation(
    "DELETE",
    "issues/:epic_issue_id",
    scope=FILLABLE,
    view=EpicIssueLinkView,
    status=200,
    tier="premium",
    refusals=(403, 404),
)
def delete_epic_issue(ctx: WriteContext, _group: Group, epic: Epic, epic_issue_id: int) -> EpicIssue:
    """Remove an issue from an epic."""
    return epic_issues.unassign(ctx, epic_issues.get_link(ctx.world, epic, epic_issue_id))


@area.operation(
    "GET", "notes", scope=BY_ID, params=ListNotes, view=NoteView, many=True, login=Login.ALWAYS, tier="premium"
)
def list_epic_notes(ctx: ReadContext, _group: Group, epic: Epic, p: ListNotes) -> Sequence[Note]:
    """List the notes of an epic, named by its id."""
    subject = (epic_access.KIND, epic.id)
    return FilteredPages(
        order_notes(ctx.world.notes.where("subject", subject), p), partial(note_access.is_visible, ctx)
    )


@area.operation("POST", "todo", scope=FOR_TODO, view=TodoView, tier="premium", refusals=(304, 403, 404))
def create_epic_todo(ctx: WriteContext, _group: Group, epic: Epic) -> Todo:
    """Create a to-do for an epic."""
    return todos.mark_for_later(ctx, epic)


class CreateEpicNote(Params):
    """A new note."""

    body: str
    confidential: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    internal: Annotated[bool | None, Lifetime(since="15.3")] = None
    created_at: Moment | None = None
    merge_request_diff_head_sha: Annotated[str | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "POST",
    "notes",
    scope=BY_ID,
    params=CreateEpicNote,
    view=NoteView,
    also=(202,),
    tier="premium",
    refusals=(400, 403),
)
def create_epic_note(ctx: WriteContext, _group: Group, epic: Epic, p: CreateEpicNote) -> Any:
    """Create a note on an epic, named by its id, and execute its quick actions."""
    note_result = notes.add_note(ctx, epic, p.body, **collect_note_fields(ctx, epic, p))
    return (
        created_response(ctx, note_result) if note_result.note is not None else commands_only_response(ctx, note_result)
    )
