"""Logs of spent time. Source: docs/platform/issues.md ('Time logs')."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, TypedDict, TypeVar, Unpack

from graphql import GraphQLError

from fakeplat.domain import time_tracking
from fakeplat.domain.issuables.timelogs import list_logs
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.people import namespaces, users
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.issues.issuables import BOTH as ISSUABLES
from fakeplat.graphql.lookups import require_noteable
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type, mutation, with_lower_names
from fakeplat.model.issues import Issue, Timelog
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.behaviours import GROUP_TIMELOGS_ARE_PAID
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

F = TypeVar("F", bound=Callable[..., Any])
Payload = Mapping[str, Any]

_ALL: Final = "<=14.3"
_DELETED: Final = "<=15.0"
_CREATED: Final = "<=15.3"
_MAX_DAYS: Final = 60
_END_OF_DAY: Final = "T23:59:59.999Z"
_START_OF_DAY: Final = "T00:00:00.000Z"
_DATE: Final = len("2020-11-20")
# Time logs without a time are last in either direction; timestamps are compared as text.
_NEVER: Final = "9999"

Scalar("TimelogID", "The global ID of a time log.", since=_DELETED)
Scalar("IssuableID", "The global ID of an issue or a merge request.", since=_CREATED)
Enumeration(
    "TimelogSort",
    "The order of time logs.",
    with_lower_names(
        {
            f"{name}_{direction}": (
                (column, direction == "DESC"),
                f"By {words}, {'descending' if direction == 'DESC' else 'ascending'}.",
            )
            for name, column, words in (
                ("SPENT_AT", "spent_at", "the time when it was spent"),
                ("TIME_SPENT", "time_spent", "the spent time"),
                ("CREATED", "created_at", "creation"),
                ("UPDATED", "updated_at", "the last update"),
            )
            for direction in ("ASC", "DESC")
        }
    ),
    since="<=15.8",
)
TIMELOG = Type("Timelog", "A log of spent time.")
WORK_ITEM_TIMELOG = Type("WorkItemTimelog", "A log of the time spent on a work item.", since="<=18.5")
PERMISSIONS = Type("TimelogPermissions", "What the caller may do with a time log.", since=_DELETED)


def _field(signature: str, *, since: str = "") -> Callable[[F], F]:
    """Declare a field of both types of time logs."""

    def declare(function: F) -> F:
        WORK_ITEM_TIMELOG.field(signature)(function)
        return TIMELOG.field(signature, since=since)(function)

    return declare


@_field("id: ID!", since=_DELETED)
def timelog_id(ctx: ReadContext, log: Timelog) -> str:
    """The global ID."""
    return global_id(ctx, "Timelog", log.id)


@TIMELOG.field("date: Time!", until="<=13.7")
def date(_ctx: ReadContext, log: Timelog) -> str:
    """When the time was spent."""
    return log.spent_at or log.created_at


@_field("spentAt: Time", since="<=13.7")
def spent_at(_ctx: ReadContext, log: Timelog) -> str:
    """When the time was spent."""
    return log.spent_at or log.created_at


@_field("timeSpent: Int!")
def time_spent(_ctx: ReadContext, log: Timelog) -> int:
    """The spent time in seconds; negative if it was subtracted."""
    return log.time_spent


@_field("summary: String", since=_ALL)
def summary(_ctx: ReadContext, log: Timelog) -> str | None:
    """How the time was spent."""
    return log.summary


@_field("user: User!")
def user(ctx: ReadContext, log: Timelog) -> User:
    """The user who logged the time."""
    return ctx.world.users[log.user_id]


@_field("note: Note", since="<=13.6")
def note(ctx: ReadContext, log: Timelog) -> Note | None:
    """The note with the quick action that logged the time."""
    found = ctx.world.notes.get(log.note_id) if log.note_id is not None else None
    return found if found is not None and note_access.is_visible(ctx, found) else None


@TIMELOG.field("issue: Issue")
def issue(ctx: ReadContext, log: Timelog) -> Issue | None:
    """The issue on which the time was spent."""
    record = _record_of(ctx, log)
    return record if isinstance(record, Issue) else None


@TIMELOG.field("mergeRequest: MergeRequest", since="<=14.0")
def merge_request(ctx: ReadContext, log: Timelog) -> MergeRequest | None:
    """The merge request on which the time was spent."""
    record = _record_of(ctx, log)
    return record if isinstance(record, MergeRequest) else None


@TIMELOG.field("project: Project!", since="<=16.2")
def project_of(ctx: ReadContext, log: Timelog) -> Project:
    """The project of the issue or merge request."""
    return ctx.world.projects[_record_of(ctx, log).project_id]


@_field("userPermissions: TimelogPermissions!", since=_DELETED)
def user_permissions(_ctx: ReadContext, log: Timelog) -> Timelog:
    """What the caller may do with the time log."""
    return log


@PERMISSIONS.field("adminTimelog: Boolean!")
def may_delete(ctx: ReadContext, log: Timelog) -> bool:
    """Whether the caller may delete the time log: its author, and maintainers."""
    if ctx.viewer is not None and ctx.viewer.id == log.user_id:
        return True
    return can(ctx, Ability.ADMIN_TIMELOG, project_of(ctx, log))


def _record_of(ctx: ReadContext, log: Timelog) -> Issue | MergeRequest:
    kind, id_ = log.subject
    return ctx.world.issues[id_] if kind == noteables.ISSUE.kind else ctx.world.merge_requests[id_]


# Lists


class TimelogFilters(TypedDict, total=False):
    """The arguments of lists."""

    start_date: str | None
    end_date: str | None
    start_time: str | None
    end_time: str | None
    project_id: str | None
    group_id: str | None
    username: str | None
    sort: tuple[str, bool] | None


_TIMES: Final = "startDate: Time, endDate: Time, startTime: Time, endTime: Time"
_SORT: Final = 'sort: TimelogSort = SPENT_AT_ASC @lifetime(since: "<=15.8")'
_FILTERS: Final = f"{_TIMES}, projectId: ProjectID, groupId: GroupID, username: String, {_SORT}"
_GROUP_FILTERS: Final = (
    f'{_TIMES}, projectId: ProjectID @lifetime(since: "{_ALL}"), groupId: GroupID @lifetime(since: "{_ALL}"), '
    f'username: String @lifetime(since: "{_ALL}"), {_SORT}'
)


def _declare_of_issuables() -> None:
    for type_ in ISSUABLES:
        type_.field("timelogs: TimelogConnection!", since="<=14.0")(timelogs_of_record)


def timelogs_of_record(ctx: ReadContext, record: Issue | MergeRequest) -> Sequence[Timelog]:
    """The logs of the time spent, oldest first."""
    return list_logs(ctx.world, record)


_declare_of_issuables()


@PROJECT.field(f"timelogs({_FILTERS}): TimelogConnection", since=_ALL)
def timelogs_of_project(ctx: ReadContext, project: Project, **filters: Unpack[TimelogFilters]) -> Sequence[Timelog]:
    """The logs of the time spent on issues and merge requests of the project."""
    return _select(ctx, (log for log in ctx.world.timelogs if project_of(ctx, log).id == project.id), filters)


@GROUP.field(f"timelogs({_GROUP_FILTERS}): TimelogConnection!")
def timelogs_of_group(ctx: ReadContext, group: Group, **filters: Unpack[TimelogFilters]) -> Sequence[Timelog]:
    """The logs of the time spent on issues and merge requests of the group's projects."""
    if ctx.profile.has(GROUP_TIMELOGS_ARE_PAID):
        if not has_feature(ctx.world, "premium", group) or not can(ctx, Ability.READ_GROUP_TIMELOGS, group):
            return ()
        _check_period(filters)
    return _select(ctx, _list_in_group(ctx, group), filters)


@USER.field(f"timelogs({_FILTERS}): TimelogConnection", since=_ALL)
def timelogs_of_user(ctx: ReadContext, user: User, **filters: Unpack[TimelogFilters]) -> Sequence[Timelog]:
    """The logs of the time that the user spent."""
    return _select(ctx, ctx.world.timelogs.where("user", user.id), filters)


@QUERY.field(f"timelogs({_FILTERS}): TimelogConnection", since=_ALL)
def all_timelogs(ctx: ReadContext, **filters: Unpack[TimelogFilters]) -> Sequence[Timelog]:
    """The logs of spent time; at least one argument is needed."""
    if all(value is None for name, value in filters.items() if name != "sort"):
        raise GraphQLError("Provide at least one argument")
    return _select(ctx, ctx.world.timelogs, filters)


def _list_in_group(ctx: ReadContext, group: Group) -> list[Timelog]:
    within = {group.id, *(descendant.id for descendant in namespaces.list_descendants(ctx.world, group))}
    return [log for log in ctx.world.timelogs if project_of(ctx, log).namespace_id in within]


def _check_period(filters: TimelogFilters) -> None:
    """Refuse a list without a period, or with one of more than 60 days, as the first releases do."""
    given = [filters.get(name) is not None for name in ("start_time", "end_time", "start_date", "end_date")]
    starts, ends = given[0] + given[2], given[1] + given[3]
    if not starts and not ends:
        raise GraphQLError("Start and End arguments must be present")
    if sum(given) == 1:
        raise GraphQLError("Both Start and End arguments must be present")
    if sum(given) > len(("start", "end")):
        raise GraphQLError("Only Time or Date arguments must be present")
    if starts != 1:
        raise GraphQLError("Both Start and End arguments must be present")
    start, end = _period_of(filters)
    if start is None or end is None or end < start:
        raise GraphQLError("Start argument must be before End argument")
    if (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() > _MAX_DAYS * 86_400:
        raise GraphQLError("The time range period cannot contain more than 60 days")


def _period_of(filters: TimelogFilters) -> tuple[str | None, str | None]:
    """Return the first and the last time that are wanted."""
    start, end = filters.get("start_time"), filters.get("end_time")
    first_day, last_day = filters.get("start_date"), filters.get("end_date")
    if first_day is not None:
        start = f"{first_day[:_DATE]}{_START_OF_DAY}"
    if last_day is not None:
        end = f"{last_day[:_DATE]}{_END_OF_DAY}"
    return start, end


def _select(ctx: ReadContext, logs: Iterable[Timelog], filters: TimelogFilters) -> list[Timelog]:
    """Return the time logs that match the arguments and that the caller may see."""
    for name in ("start", "end"):
        if filters.get(f"{name}_time") is not None and filters.get(f"{name}_date") is not None:
            article = "an" if name == "end" else "a"
            raise GraphQLError(f"Provide either {article} {name} date or time, but not both")
    start, end = _period_of(filters)
    if start is not None and end is not None and end < start:
        raise GraphQLError("Start argument must be before End argument")
    tests = list(_list_tests(ctx, filters, start, end))
    column, descending = filters.get("sort") or ("spent_at", False)
    found = [
        log for log in logs if all(passes(log) for passes in tests) and noteables.is_visible(ctx, _record_of(ctx, log))
    ]
    if column != "spent_at":
        return sorted(found, key=attrgetter(column), reverse=descending)
    timed = [log for log in found if log.spent_at is not None]
    return [
        *sorted(timed, key=lambda log: log.spent_at or _NEVER, reverse=descending),
        *(log for log in found if log.spent_at is None),
    ]


def _list_tests(
    ctx: ReadContext, filters: TimelogFilters, start: str | None, end: str | None
) -> Iterable[Callable[[Timelog], bool]]:
    if start is not None:
        yield lambda log: log.spent_at is not None and log.spent_at >= start
    if end is not None:
        yield lambda log: log.spent_at is not None and log.spent_at <= end
    if (username := filters.get("username")) is not None:
        user = users.find_by_username(ctx.world, username)
        yield lambda log: user is not None and log.user_id == user.id
    if (text := filters.get("project_id")) is not None:
        project_id = parse_id(ctx, text, "Project")
        yield lambda log: project_of(ctx, log).id == project_id
    if (text := filters.get("group_id")) is not None:
        group = ctx.world.namespaces.get(parse_id(ctx, text, "Group"))
        ids = {log.id for log in _list_in_group(ctx, group)} if isinstance(group, Group) else set[int]()
        yield lambda log: log.id in ids


# Changes

_GIVES: Final = '"""The time log."""\ntimelog: Timelog'


@mutation(
    "timelogCreate",
    input_fields='''
"""The spent time, such as 1h 30m."""
timeSpent: String!
"""When it was spent; without it now."""
spentAt: Time
"""How it was spent."""
summary: String!
"""The global ID of an issue or merge request."""
issuableId: IssuableID!
''',
    payload_fields=_GIVES,
    since=_CREATED,
)
def create(ctx: WriteContext, time_spent: str, summary: str, issuable_id: str, spent_at: str | None = None) -> Payload:
    """Log spent time."""
    seconds = time_tracking.parse_seconds(time_spent)
    if seconds is None:
        raise MutationFailed([time_tracking.MISFORMATTED], {"timelog": None})
    record = require_noteable(ctx, issuable_id, "Issuable")
    if not isinstance(record, Issue | MergeRequest) or not can(
        ctx, Ability.CREATE_TIMELOG, ctx.world.projects[record.project_id]
    ):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not log time on {issuable_id}")
    with collect_errors(timelog=None):
        return {"timelog": time_tracking.create_log(ctx, record, seconds, spent_at or ctx.now_iso, summary)}


@mutation(
    "timelogDelete",
    input_fields='"""The global ID of the time log."""\nid: TimelogID!',
    payload_fields=_GIVES,
    since=_DELETED,
)
def delete(ctx: WriteContext, id: str) -> Payload:
    """Delete a time log."""
    log = ctx.world.timelogs.get(parse_id(ctx, id, "Timelog"))
    record = _record_of(ctx, log) if log is not None else None
    if log is None or record is None or not noteables.is_visible(ctx, record) or not may_delete(ctx, log):
        raise ResourceNotAvailable(lambda: f"{id} does not exist or {caller_name(ctx)} may not delete it")
    time_tracking.delete_log(ctx, log, record)
    return {"timelog": log}
