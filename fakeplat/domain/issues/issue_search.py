"""Filtering and ordering issues. Source: docs/platform/issues.md, docs/decisions/rulings.md (6, 8).

The result of a filter is a bitset: an integer with one bit per issue id. Conditions without an index are tested on each
of the issues that the other filters left.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial, reduce
from operator import attrgetter, or_
from typing import Any, Final, Literal, Protocol, get_args

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.store.bitsets import bits_between, bits_of, iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.query import Order, Query
from fakeplat.core.store.sorted_sequence import SortedSequence
from fakeplat.core.store.table import Table
from fakeplat.domain.people.namespaces import list_projects_within
from fakeplat.domain.planning import iterations, labels
from fakeplat.model.issues import HEALTH_STATUSES, Issue, Kind, Severity
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, Level
from fakeplat.model.planning import Iteration, Milestone
from fakeplat.model.projects import Project
from fakeplat.model.world import ISSUE_ORDERS, World
from fakeplat.policy.authorization import can_see, is_feature_open, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_NONE_KEYWORDS: Final = ("none", "no label", "no+label")
_ANY_KEYWORD: Final = "any"
# Accepts words and quoted phrases: login "dark mode".
_SEARCH_WORD: Final = re.compile(r'"([^"]+)"|(\S+)')
# Shorter words have no trigram, so the platform compares them with the whole value.
_MIN_SUBSTRING_LENGTH: Final = 3
_SEARCHABLE_COLUMNS: Final = ("title", "description")
_SPECIAL_KINDS: Final = tuple(kind for kind in get_args(Kind) if kind != "issue")
_LAST_DATE: Final = "9999-12-31"
RecordTest = Callable[[Any], bool]
Issuable = Issue | MergeRequest
OrderValue = Callable[[Issuable], int | str | tuple[str, int] | None]
"""A function that computes the value by which issues are sorted; those without a value are left out."""
ListGroup = int | Literal["all"]
"""The key of the sorted indexes: a project's id, or ``all``."""


class TimeRanges(Protocol):
    """The times within which records were created and updated."""

    created_after: str | None
    created_before: str | None
    updated_after: str | None
    updated_before: str | None


@frozen
class IssueFilter:
    """Filters issues for a caller."""

    ctx: ReadContext
    group: ListGroup

    @property
    def world(self) -> World:
        """The world of the request."""
        return self.ctx.world

    @property
    def table(self) -> Table[Any]:
        """The table of issues."""
        return self.world.issues

    @property
    def kind(self) -> str:
        """The noteable kind of award emoji."""
        return "issue"

    def bits(self, *key: Hashable) -> int:
        """Return the issues with a key in the ``facts`` index."""
        return self.table.bits("facts", key if len(key) > 1 else key[0])

    def visible(self, projects: "VisibleProjects") -> int:
        """Return the issues that the caller can see."""
        if projects.closed is None:
            visible = self._in_projects(projects.open)
        else:
            visible = self.bits("all") & ~self._in_projects(projects.closed)
        if not projects.guarded:
            return visible
        confidential = self._in_projects(projects.guarded) & self.bits("confidential", True)
        user = self.ctx.viewer
        involved = self.bits("author", user.id) | self.bits("assignee", user.id) if user else 0
        # & binds more strongly than |: all that is not confidential, and what is but involves the caller.
        return visible & ~confidential | confidential & involved

    def _in_projects(self, project_ids: Iterable[int]) -> int:
        by_project = [self.bits("project", id_) for id_ in project_ids]
        return reduce(or_, by_project) if by_project else 0

    def with_labels(self, titles: Sequence[str]) -> int:
        """Return the issues that have labels with all of the titles; ``None`` and ``Any`` are special."""
        keywords = [title.lower() for title in titles]
        # Such a word anywhere in the list takes precedence over the titles beside it.
        if any(keyword in _NONE_KEYWORDS for keyword in keywords):
            return self.bits("label", None)
        if _ANY_KEYWORD in keywords:
            # ~ alone would also set the bits of ids that do not exist.
            return self.bits("all") & ~self.bits("label", None)
        labelled = self.bits("all")
        for title in titles:
            labelled &= self.any_label(title)
        return labelled

    def any_label(self, title: str) -> int:
        """Return the issues that have a label with a title, of whichever project or group."""
        labelled = 0
        for id_ in self.world.labels.ids("title", title):
            labelled |= self.bits("label", id_)
        return labelled

    def in_milestone(self, title: str) -> int:
        """Return the issues in milestones with a title; ``None``, ``Any``, ``#upcoming``, ``#started`` are special."""
        keyword = title.lower()
        if keyword in ("none", "no milestone"):
            return self.bits("milestone", None)
        if keyword in ("any", "any milestone"):
            return self.bits("all") & ~self.bits("milestone", None)
        in_milestones = 0
        for milestone in self._find_milestones(keyword, title):
            in_milestones |= self.bits("milestone", milestone.id)
        return in_milestones

    def _find_milestones(self, keyword: str, title: str) -> Iterator[Milestone]:
        if keyword == "#started":
            today = self.ctx.today
            for milestone in self._list_active_milestones():
                if milestone.start_date and milestone.start_date <= today and not _has_ended(milestone, today):
                    yield milestone
        elif keyword == "#upcoming":
            yield from self._list_upcoming_milestones()
        else:
            yield from self.world.milestones.where("title", title)

    def _list_active_milestones(self) -> Iterator[Milestone]:
        return (milestone for milestone in self.world.milestones.all() if milestone.state == "active")

    def _list_upcoming_milestones(self) -> Iterator[Milestone]:
        """Return the active milestone that is due next in each project and group."""
        today, nearest = self.ctx.today, dict[tuple[str, int], Milestone]()
        for milestone in self._list_active_milestones():
            if milestone.due_date and milestone.due_date > today:
                current = nearest.get(milestone.source)
                if current is None or milestone.due_date < (current.due_date or _LAST_DATE):
                    nearest[milestone.source] = milestone
        return iter(nearest.values())

    def assigned(self, assignee: int | str) -> int:
        """Return the issues with an assignee (id), without one (0, ``None``), or with any (``Any``)."""
        if assignee in (0, "None"):
            return self.bits("assignee", None)
        if assignee == "Any":
            return self.bits("all") & ~self.bits("assignee", None)
        return self.bits("assignee", assignee)

    def by_users(self, fact: str, names: Iterable[str]) -> int:
        """Return the issues that have all of the users in a role, the name of a fact."""
        matching = self.bits("all")
        for name in names:
            user = self.world.users.find("username", name.lower())
            # An unknown username matches nothing, whereas ignoring it would match everything.
            matching &= self.bits(fact, user.id) if user else 0
        return matching

    def with_weight(self, weight: int | str) -> int:
        """Return the issues with a weight, without one (``None``), or with any (``Any``)."""
        if weight == "None":
            return self.bits("weight", None)
        if weight == "Any":
            return self.bits("all") & ~self.bits("weight", None)
        return self.bits("weight", weight)

    def of_kind(self, kind: str) -> int:
        """Return the issues of a type; the index has no key for ordinary ones, which are most."""
        if kind != "issue":
            return self.bits("kind", kind)
        return self.bits("all") & ~reduce(or_, (self.bits("kind", other) for other in _SPECIAL_KINDS))

    def with_health(self, status: str) -> int:
        """Return the issues with a health status, without one (``None``), or with any (``Any``)."""
        if status not in ("None", "Any"):
            return self.bits("health_status", status)
        with_any = reduce(or_, (self.bits("health_status", each) for each in HEALTH_STATUSES))
        return with_any if status == "Any" else self.bits("all") & ~with_any

    def in_iteration(self, iteration: int | str) -> int:
        """Return the issues in an iteration (id), in none, in any, or in a current one (words)."""
        if isinstance(iteration, int):
            return self.bits("iteration", iteration)
        every = self.world.iterations.all()
        chosen = self._in_iterations(filter(self._is_current, every) if iteration == "Current" else every)
        return self.bits("all") & ~chosen if iteration == "None" else chosen

    def in_iteration_titled(self, title: str) -> int:
        """Return the issues in iterations with a title."""
        return self._in_iterations(each for each in self.world.iterations.all() if each.title == title)

    def _is_current(self, iteration: Iteration) -> bool:
        return iterations.state_of(self.ctx, iteration) == iterations.STARTED

    def _in_iterations(self, chosen: Iterable[Iteration]) -> int:
        return reduce(or_, (self.bits("iteration", iteration.id) for iteration in chosen), 0)

    def in_epic(self, epic: int | str) -> int:
        """Return the issues in an epic (id), in none (``None``), or in any (``Any``)."""
        links = self.world.epic_issues
        chosen = links.all() if epic in ("None", "Any") else links.where("epic", epic)
        in_epics = bits_of([link.issue_id for link in chosen])
        return self.bits("all") & ~in_epics if epic == "None" else in_epics

    def between(self, column: str, earliest: str | None, latest: str | None) -> int:
        """Return the issues whose timestamp or date is within a range that includes both ends."""
        pairs = self.table.sorted(column, self.group)
        # An id above all others includes the issues at exactly the latest value.
        start = 0 if earliest is None else pairs.before((earliest, 0))
        end = len(pairs) if latest is None else pairs.before((latest, _BEYOND_ALL_IDS))
        return bits_between(pairs, start, end)

    def in_time_range(self, chosen: int, p: TimeRanges) -> int:
        """Narrow a selection to the issues created and updated within the times in a list's parameters."""
        for column, earliest, latest in (
            ("created_at", p.created_after, p.created_before),
            ("updated_at", p.updated_after, p.updated_before),
        ):
            if earliest is not None or latest is not None:
                chosen &= self.between(column, earliest, latest)
        return chosen

    def _all_of_group(self) -> int:
        return self.bits("all") if self.group == "all" else self.bits("project", self.group)

    def due_in(self, when: str) -> int:
        """Return the issues that are due.

        ``when`` is ``0`` (never), any, today, tomorrow, overdue, week, month or next_month_and_previous_two_weeks.
        """
        today = date.fromisoformat(self.ctx.today)
        if when in ("0", "any"):
            # A sorted index has only the issues with a value, so an open range selects all that have a date.
            dated = self.between("due_date", None, None)
            return dated if when == "any" else self._all_of_group() & ~dated
        if when == "overdue":
            return self.between("due_date", None, (today - timedelta(1)).isoformat())
        first, last = _due_range(when, today)
        return self.between("due_date", first.isoformat(), last.isoformat())

    def with_iids(self, iids: Iterable[int], project: int | None, within: int) -> int:
        """Return the issues with the iids: by the index of a project, otherwise by testing the selection ``within``."""
        if project is not None:
            issues = (self.table.find("iid", (project, iid)) for iid in iids)
            return bits_of([issue.id for issue in issues if issue]) if iids else 0
        iid_set = set(iids)
        return self.passing(within, lambda issue: issue.iid in iid_set)

    def passing(self, chosen: int, test: RecordTest) -> int:
        """Narrow a selection to the issues that pass a test."""
        # Reading through fetch notes one dependency on the table instead of one for each record.
        records = map(self.table.fetch(), iterate_bits(chosen))
        return bits_of([record.id for record in records if test(record)])

    def containing_text(self, chosen: int, text: str, columns: Sequence[str]) -> int:
        """Narrow a selection to the issues that contain a text; memoized until an issue changes."""
        key = ("search", self.kind, text, tuple(columns), chosen)
        return self.ctx.memoize(key, lambda: self.passing(chosen, search_test(text, columns)))

    def with_reaction(self, emoji: str) -> int:
        """Return the issues that the caller awarded an emoji: this one, none (``None``) or any (``Any``)."""
        user = self.ctx.viewer
        if user is None:
            return self.bits("all")
        awards = [award for award in self.world.awards.where("user", user.id) if award.subject[0] == self.kind]
        keyword = emoji.lower()
        if keyword not in ("none", "any"):
            awards = [award for award in awards if award.name == emoji]
        awarded = bits_of([award.subject[1] for award in awards])
        return self.bits("all") & ~awarded if keyword == "none" else awarded

    def with_subscription(self, subscribed: bool) -> int:
        """Return the issues to which the caller has explicitly subscribed, or unsubscribed."""
        user = self.ctx.viewer
        own = self.world.subscriptions.where("user", user.id) if user else ()
        return bits_of(
            [each.subject[1] for each in own if each.subject[0] == self.kind and each.subscribed == subscribed]
        )


_BEYOND_ALL_IDS: Final = float("inf")


def _has_ended(milestone: Milestone, today: str) -> bool:
    return milestone.due_date is not None and milestone.due_date < today


def _due_range(when: str, today: date) -> tuple[date, date]:
    if when in ("today", "tomorrow"):
        day = today + timedelta(when == "tomorrow")
        return day, day
    if when == "week":
        monday = today - timedelta(today.weekday())
        return monday, monday + timedelta(6)
    this_month = today.replace(day=1)
    # 32 days after the first of a month are always in the next month.
    next_month = (this_month + timedelta(32)).replace(day=1)
    if when == "month":
        return this_month, next_month - timedelta(1)
    return today - timedelta(14), (next_month + timedelta(32)).replace(day=1) - timedelta(1)


def search_columns(text: str | None) -> Sequence[str]:
    """Return the columns to search: those in a comma-separated list (``title,description``), otherwise both."""
    names = [column.strip() for column in (text or "").split(",")]
    return [column for column in _SEARCHABLE_COLUMNS if column in names] or _SEARCHABLE_COLUMNS


def check_assignees(ctx: ReadContext, names: Sequence[str]) -> None:
    """Refuse a filter with several assignees on the free tier, with 400."""
    if len(names) > 1 and not has_feature(ctx.world, "premium", ctx.container):
        raise InvalidParams(f"assignee_username allows one value, but found {len(names)}: {', '.join(names)}")


def search_test(text: str, columns: Sequence[str]) -> RecordTest:
    """Return a test whether the columns of a record contain all words; a short word must equal a whole column."""
    words = [(quoted or plain).lower() for quoted, plain in _SEARCH_WORD.findall(text)]
    # These run for each record of a search: chained lambdas are faster than generators over the words and columns.
    return reduce(_both_of, [_word_test(word, columns) for word in words]) if words else lambda record: True


def _word_test(word: str, columns: Sequence[str]) -> RecordTest:
    test_column = _column_contains if len(word) >= _MIN_SUBSTRING_LENGTH else _column_equals
    return reduce(_any_of, [test_column(word, attrgetter(column)) for column in columns])


def _column_contains(word: str, read_column: Callable[[object], str | None]) -> RecordTest:
    return lambda record: word in (read_column(record) or "").lower()


def _column_equals(word: str, read_column: Callable[[object], str | None]) -> RecordTest:
    return lambda record: word == (read_column(record) or "").lower()


def _any_of(first: RecordTest, second: RecordTest) -> RecordTest:
    return lambda record: first(record) or second(record)


def _both_of(first: RecordTest, second: RecordTest) -> RecordTest:
    return lambda record: first(record) and second(record)


@frozen
class VisibleProjects:
    """The ids of projects whose issues a caller can see.

    In ``guarded`` ones, confidential issues are visible only to their author and assignees. If the caller can see most
    projects of the world, ``closed`` holds the others, which makes a smaller set to combine.
    """

    open: tuple[int, ...]
    guarded: tuple[int, ...]
    closed: tuple[int, ...] | None = None


def visible_projects(
    ctx: ReadContext, projects: Callable[[], Iterable[Project]], container: object, *, archived: bool
) -> VisibleProjects:
    """Return in which of the projects the caller sees issues; ``container`` identifies the set of projects."""
    return memoized_projects(ctx, ("issues", container), projects, _get_visible_projects, archived=archived)


def scope_key(ctx: ReadContext) -> object:
    """Return the key of the request's project or group; None without one."""
    return (type(ctx.container), ctx.container.id) if ctx.container else None


def memoized_projects(
    ctx: ReadContext,
    what: object,
    projects: Callable[[], Iterable[Project]],
    look: Callable[[ReadContext, Sequence[Project]], VisibleProjects],
    *,
    archived: bool,
) -> VisibleProjects:
    """Return the visible ones of some projects, memoized under ``what`` until projects or memberships change."""
    key = ("sight", what, archived)
    return ctx.memoize(key, lambda: look(ctx, [project for project in projects() if archived or not project.archived]))


def visible_in_group(world: World, group: Group, *, subgroups: bool = True) -> list[Project]:
    """Return the projects of a group and, unless ``subgroups`` is False, of its descendants."""
    return [*(list_projects_within(world, group) if subgroups else world.projects.where("namespace", group.id))]


def _get_visible_projects(ctx: ReadContext, projects: Sequence[Project]) -> VisibleProjects:
    visible = [project for project in projects if can_see(ctx, project) and is_feature_open(ctx, project, "issues")]
    guarded = [project.id for project in visible if level_on(ctx, project) < Level.PLANNER]
    return make_visible_projects(ctx, [project.id for project in visible], guarded)


def make_visible_projects(ctx: ReadContext, opened: Sequence[int], guarded: Sequence[int] = ()) -> VisibleProjects:
    """Return the visible projects (ids), with the complement if that is smaller."""
    all_ids = ctx.world.projects.all_ids()
    if len(all_ids) > 2 * len(opened):
        return VisibleProjects(tuple(opened), tuple(guarded))
    open_ids = {*opened}
    return VisibleProjects(tuple(opened), tuple(guarded), tuple(id_ for id_ in all_ids if id_ not in open_ids))


def order_issues(ctx: ReadContext, chosen: int, group: ListGroup, order_by: str, sort: str) -> Query[Issue]:
    """Return the filtered issues in one of the platform's orders."""
    issues = ctx.world.issues
    descending = sort == "desc"
    if order_by in ISSUE_ORDERS:
        pairs = issues.sorted(order_by, group)
        return Query(issues, chosen, Order(pairs, lambda issue: getattr(issue, order_by), descending=descending))
    value = DERIVED_ORDERS[order_by](ctx.world, descending)
    key = ("order", order_by, group, descending)
    # Derived values have no index: sort the whole group once, not the selection of each request.
    pairs = ctx.memoize(key, lambda: _sort_by_value(ctx.world, group, value))
    return Query(issues, chosen, Order(pairs, value, descending=descending))


def _sort_by_value(world: World, group: ListGroup, value: OrderValue) -> "SortedSequence[tuple[Any, int]]":
    """Return all issues of a group sorted by a computed value; issues without the value are left out."""
    fetch = world.issues.fetch()
    ids = iterate_bits(world.issues.bits("facts", "all" if group == "all" else ("project", group)))
    return SortedSequence.from_sorted(sorted((key, id_) for id_ in ids if (key := value(fetch(id_))) is not None))


def count_upvotes(world: World, issuable: Issuable) -> int:
    """Return the number of ``thumbsup`` awards of an issue or merge request."""
    kind = "issue" if isinstance(issuable, Issue) else "merge_request"
    return sum(award.name == "thumbsup" for award in world.awards.where("subject", (kind, issuable.id)))


def _order_by_popularity(world: World, _descending: bool) -> OrderValue:
    return lambda issue: count_upvotes(world, issue)


def _order_by_closing(_world: World, _descending: bool) -> OrderValue:
    return lambda issue: issue.closed_at


def _order_by_severity(_world: World, _descending: bool) -> OrderValue:
    ranks = get_args(Severity)
    return lambda issue: ranks.index(issue.severity) if isinstance(issue, Issue) else None


def _order_by_escalation(world: World, _descending: bool) -> OrderValue:
    from fakeplat.domain.alerts import incident_statuses

    return partial(incident_statuses.find_rank, world)


def _order_by_sla(_world: World, _descending: bool) -> OrderValue:
    return lambda issue: issue.sla_due_at if isinstance(issue, Issue) else None


def _order_by_health(_world: World, _descending: bool) -> OrderValue:
    def value(issue: Issuable) -> int | None:
        health = issue.health_status if isinstance(issue, Issue) else None
        return HEALTH_STATUSES.index(health) if health else None

    return value


def _order_by_blocking(world: World, _descending: bool) -> OrderValue:
    blocking = Counter(link.source_id for link in world.issue_links.all() if link.link_type == "blocks")
    return lambda issue: blocking[issue.id]


def _order_by_title(_world: World, _descending: bool) -> OrderValue:
    return lambda issue: issue.title


def _milestone_due_date(world: World, issue: Issuable) -> str | None:
    milestone = world.milestones.get(issue.milestone_id) if issue.milestone_id is not None else None
    return milestone.due_date if milestone else None


def _order_by_milestone_due(world: World, _descending: bool) -> OrderValue:
    return lambda issue: _milestone_due_date(world, issue)


def _order_by_label_priority(world: World, _descending: bool) -> OrderValue:
    return lambda issue: _highest_label_priority(world, issue)


def _highest_label_priority(world: World, issue: Issuable) -> int | None:
    return labels.highest_priority(world, issue.project_id, issue.label_ids)


def _order_by_priority(world: World, descending: bool) -> OrderValue:
    """Order by the milestone's due date, then by the labels' priority; missing values come last in both directions."""
    # No real date or priority reaches these values.
    no_date, no_priority = ("", -1) if descending else (_LAST_DATE, 1 << 30)

    def value(issue: Issuable) -> tuple[str, int]:
        highest = _highest_label_priority(world, issue)
        return _milestone_due_date(world, issue) or no_date, no_priority if highest is None else highest

    return value


DERIVED_ORDERS: Final = {
    "title": _order_by_title,
    "popularity": _order_by_popularity,
    "closed_at": _order_by_closing,
    "severity": _order_by_severity,
    "escalation_status": _order_by_escalation,
    "sla_due_at": _order_by_sla,
    "health_status": _order_by_health,
    "blocking_issues": _order_by_blocking,
    "milestone_due": _order_by_milestone_due,
    "label_priority": _order_by_label_priority,
    "priority": _order_by_priority,
}
