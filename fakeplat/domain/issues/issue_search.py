"""Choosing and ordering issues. Source: docs/platform/issues.md, docs/decisions/rulings.md (6, 8).

A choice is a number with a bit per issue. Conditions that no index answers look at the issues chosen so far, one
by one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import reduce
from operator import attrgetter, or_
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.store.bitsets import bits_between, bits_of, iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.query import Order, Query
from fakeplat.core.store.sorted_sequence import SortedSequence
from fakeplat.core.store.table import Table
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.domain.planning import labels as label_verbs
from fakeplat.model.issues import Issue
from fakeplat.model.labels import Milestone
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import ISSUE_ORDERS, World
from fakeplat.policy.authorization import can_see, feature_open, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_NONE: Final = ("none", "no label", "no+label")
_ANY: Final = "any"
_QUOTED: Final = re.compile(r'"([^"]+)"|(\S+)')
_SHORTEST: Final = 3
_COLUMNS: Final = ("title", "description")
_LATE: Final = "9999-12-31"
Test = Callable[[Any], bool]


@frozen
class IssueFilter:
    """Chooses issues for a caller. ``group``: the key under which the places' issues are kept sorted."""

    ctx: ReadContext
    group: Any

    @property
    def world(self) -> World:
        """The records."""
        return self.ctx.world

    @property
    def table(self) -> Table[Any]:
        """What is chosen from."""
        return self.world.issues

    @property
    def kind(self) -> str:
        """What awards call it."""
        return "issue"

    def bits(self, *key: Any) -> int:
        """The issues with a fact."""
        return self.table.bits("facts", key if len(key) > 1 else key[0])

    def visible(self, sight: "VisibleProjects") -> int:
        """The issues that the caller sees."""
        chosen = self._within(sight.open) if sight.closed is None else self.bits("all") & ~self._within(sight.closed)
        if not sight.guarded:
            return chosen
        secret = self._within(sight.guarded) & self.bits("confidential", True)
        user = self.ctx.viewer
        mine = self.bits("author", user.id) | self.bits("assignee", user.id) if user else 0
        return chosen & ~secret | secret & mine

    def _within(self, projects: Iterable[int]) -> int:
        each = [self.bits("project", id_) for id_ in projects]
        return reduce(or_, each) if each else 0

    def labelled(self, titles: Sequence[str]) -> int:
        """The issues that have all labels with these titles; ``None`` and ``Any`` are words."""
        words = [title.lower() for title in titles]
        if any(word in _NONE for word in words):
            return self.bits("label", None)
        if _ANY in words:
            return self.bits("all") & ~self.bits("label", None)
        chosen = self.bits("all")
        for title in titles:
            chosen &= self.any_label(title)
        return chosen

    def any_label(self, title: str) -> int:
        """The issues that have a label with a title, whosever it is."""
        chosen = 0
        for id_ in self.world.labels.ids("title", title):
            chosen |= self.bits("label", id_)
        return chosen

    def in_milestone(self, title: str) -> int:
        """The issues in milestones with a title; ``None``, ``Any``, ``#upcoming`` and ``#started`` are words."""
        word = title.lower()
        if word in ("none", "no milestone"):
            return self.bits("milestone", None)
        if word in ("any", "any milestone"):
            return self.bits("all") & ~self.bits("milestone", None)
        chosen = 0
        for milestone in self._milestones(word, title):
            chosen |= self.bits("milestone", milestone.id)
        return chosen

    def _milestones(self, word: str, title: str) -> Iterator[Milestone]:
        if word == "#started":
            today = self.ctx.today
            yield from (m for m in self._active() if m.start_date and m.start_date <= today and _not_over(m, today))
        elif word == "#upcoming":
            yield from self._upcoming()
        else:
            yield from self.world.milestones.where("title", title)

    def _active(self) -> Iterator[Milestone]:
        return (milestone for milestone in self.world.milestones.all() if milestone.state == "active")

    def _upcoming(self) -> Iterator[Milestone]:
        """Of each project and group the active milestone that is due next."""
        today, nearest = self.ctx.today, dict[tuple[str, int], Milestone]()
        for milestone in self._active():
            if milestone.due_date and milestone.due_date > today:
                best = nearest.get(milestone.source)
                if best is None or milestone.due_date < (best.due_date or _LATE):
                    nearest[milestone.source] = milestone
        return iter(nearest.values())

    def assigned(self, wanted: int | str) -> int:
        """The issues of an assignee (id), of none (0, ``None``), of any."""
        if wanted in (0, "None"):
            return self.bits("assignee", None)
        if wanted == "Any":
            return self.bits("all") & ~self.bits("assignee", None)
        return self.bits("assignee", wanted)

    def by_users(self, fact: str, names: Iterable[str]) -> int:
        """The issues that have all of these users in a role."""
        chosen = self.bits("all")
        for name in names:
            user = self.world.users.find("username", name.lower())
            chosen &= self.bits(fact, user.id) if user else 0
        return chosen

    def weighing(self, wanted: int | str) -> int:
        """The issues with a weight, none, or any."""
        if wanted == "None":
            return self.bits("weight", None)
        if wanted == "Any":
            return self.bits("all") & ~self.bits("weight", None)
        return self.bits("weight", wanted)

    def between(self, column: str, least: str | None, most: str | None) -> int:
        """The issues whose time (or date) lies between two, both included."""
        pairs = self.table.sorted(column, self.group)
        start = 0 if least is None else pairs.before((least, 0))
        end = len(pairs) if most is None else pairs.before((most, _BEYOND))
        return bits_between(pairs, start, end)

    def timed(self, chosen: int, p: Any) -> int:
        """Of those chosen so far the ones made and changed within the times that a list's parameters say."""
        for column, least, most in (
            ("created_at", p.created_after, p.created_before),
            ("updated_at", p.updated_after, p.updated_before),
        ):
            if least is not None or most is not None:
                chosen &= self.between(column, least, most)
        return chosen

    def _all_of_group(self) -> int:
        return self.bits("all") if self.group == "all" else self.bits("project", self.group)

    def due(self, when: str) -> int:
        """The issues that are due: ``0`` (never), overdue, week, month, next_month_and_previous_two_weeks."""
        today = date.fromisoformat(self.ctx.today)
        if when == "0":
            dated = self.between("due_date", None, None)
            return self._all_of_group() & ~dated
        if when == "overdue":
            return self.between("due_date", None, (today - timedelta(1)).isoformat())
        first, last = _span(when, today)
        return self.between("due_date", first.isoformat(), last.isoformat())

    def numbered(self, iids: Iterable[int], project: int | None, within: int) -> int:
        """The issues with these iids: of a project at once, else among those chosen so far."""
        if project is not None:
            found = (self.table.find("iid", (project, iid)) for iid in iids)
            return bits_of([issue.id for issue in found if issue]) if iids else 0
        wanted = set(iids)
        return self.passing(within, lambda issue: issue.iid in wanted)

    def passing(self, chosen: int, test: Test) -> int:
        """Of those chosen so far the ones that pass a test."""
        record = self.table.fetch()
        return bits_of([id_ for id_ in iterate_bits(chosen) if test(record(id_))])

    def found(self, chosen: int, text: str, where: Sequence[str]) -> int:
        """Of those chosen so far the ones in which a text is found; remembered until an issue changes."""
        key = ("search", self.kind, text, tuple(where), chosen)
        return self.ctx.memoize(key, lambda: self.passing(chosen, search_test(text, where)))

    def reacted(self, emoji: str) -> int:
        """The issues that the caller reacted to: with an emoji, with none, with any."""
        user = self.ctx.viewer
        if user is None:
            return self.bits("all")
        own = [award for award in self.world.awards.where("user", user.id) if award.subject[0] == self.kind]
        word = emoji.lower()
        named = own if word in ("none", "any") else [award for award in own if award.name == emoji]
        chosen = bits_of([award.subject[1] for award in named])
        return self.bits("all") & ~chosen if word == "none" else chosen


_BEYOND: Final = float("inf")


def _not_over(milestone: Milestone, today: str) -> bool:
    return milestone.due_date is None or milestone.due_date >= today


def _span(when: str, today: date) -> tuple[date, date]:
    if when == "week":
        monday = today - timedelta(today.weekday())
        return monday, monday + timedelta(6)
    this_month = today.replace(day=1)
    next_month = (this_month + timedelta(32)).replace(day=1)
    if when == "month":
        return this_month, next_month - timedelta(1)
    return today - timedelta(14), (next_month + timedelta(32)).replace(day=1) - timedelta(1)


def search_columns(text: str | None) -> Sequence[str]:
    """The columns that a search looks at: those that are named (``title,description``), or both."""
    named = [column.strip() for column in (text or "").split(",")]
    return [column for column in _COLUMNS if column in named] or _COLUMNS


def check_assignees(ctx: ReadContext, names: Sequence[str]) -> None:
    """Refuse to look for several assignees where that is not paid for: 400."""
    if len(names) > 1 and not has_feature(ctx.world, "premium", ctx.container):
        raise InvalidParams(f"assignee_username allows one value, but found {len(names)}: {', '.join(names)}")


def search_test(text: str, where: Sequence[str]) -> Test:
    """Whether all words of a text stand in some columns of a record; a short word must be the whole of one."""
    words = [(quoted or plain).lower() for quoted, plain in _QUOTED.findall(text)]
    tests = [_long_word(word, where) if len(word) >= _SHORTEST else _short_word(word, where) for word in words]
    return tests[0] if len(tests) == 1 else lambda issue: all(test(issue) for test in tests)


def _long_word(word: str, where: Sequence[str]) -> Test:
    return reduce(_either, [_in_column(word, attrgetter(column)) for column in where])


def _in_column(word: str, column: Callable[[Any], str | None]) -> Test:
    return lambda record: word in (column(record) or "").lower()


def _either(one: Test, other: Test) -> Test:
    return lambda record: one(record) or other(record)


def _short_word(word: str, where: Sequence[str]) -> Test:
    return lambda issue: any(word == (getattr(issue, column) or "").lower() for column in where)


@frozen
class VisibleProjects:
    """The projects (ids) whose issues somebody sees. ``guarded``: only those of their own among the confidential ones.

    Where somebody sees most projects of the world, ``closed`` are the others.
    """

    open: tuple[int, ...]
    guarded: tuple[int, ...]
    closed: tuple[int, ...] | None = None


def visible_projects(
    ctx: ReadContext, projects: Callable[[], Iterable[Project]], container: object, *, archived: bool
) -> VisibleProjects:
    """What the caller sees of issues in the projects that ``place`` names; without ``archived`` in living ones only."""
    return memoized_projects(ctx, ("issues", container), projects, _sight, archived=archived)


def scope_key(ctx: ReadContext) -> object:
    """What names the projects of the request's place."""
    return (type(ctx.container), ctx.container.id) if ctx.container else None


def memoized_projects(
    ctx: ReadContext,
    what: object,
    projects: Callable[[], Iterable[Project]],
    look: Callable[[ReadContext, Sequence[Project]], VisibleProjects],
    *,
    archived: bool,
) -> VisibleProjects:
    """A sight of some projects, remembered under ``what`` until projects or memberships change."""
    key = ("sight", what, archived)
    return ctx.memoize(key, lambda: look(ctx, [p for p in projects() if archived or not p.archived]))


def visible_in_group(world: World, group: Group) -> list[Project]:
    """The projects of a group and the groups below it."""
    groups = [group, *list_descendants(world, group)]
    return [project for container in groups for project in world.projects.where("namespace", container.id)]


def _sight(ctx: ReadContext, projects: Sequence[Project]) -> VisibleProjects:
    seen = [project for project in projects if can_see(ctx, project) and feature_open(ctx, project, "issues")]
    guarded = [project.id for project in seen if level_on(ctx, project) < Level.REPORTER]
    return make_visible_projects(ctx, [project.id for project in seen], guarded)


def make_visible_projects(ctx: ReadContext, opened: Sequence[int], guarded: Sequence[int] = ()) -> VisibleProjects:
    """The sight of some projects (ids), told by those that are closed where these are fewer."""
    every = ctx.world.projects.every_id()
    if len(every) > 2 * len(opened):
        return VisibleProjects(tuple(opened), tuple(guarded))
    known = {*opened}
    return VisibleProjects(tuple(opened), tuple(guarded), tuple(id_ for id_ in every if id_ not in known))


def order_issues(ctx: ReadContext, chosen: int, group: Any, order_by: str, sort: str) -> Query[Issue]:
    """The chosen issues in an order of the platform."""
    issues = ctx.world.issues
    descending = sort == "desc"
    if order_by in ISSUE_ORDERS:
        pairs = issues.sorted(order_by, group)
        return Query(issues, chosen, Order(pairs, lambda issue: getattr(issue, order_by), descending=descending))
    value = _DERIVED[order_by](ctx.world, descending)
    key = ("order", order_by, group, descending)
    made = ctx.memoize(key, lambda: _pairs(ctx.world, group, value))
    return Query(issues, chosen, Order(made, value, descending=descending))


def _pairs(world: World, group: Any, value: Callable[[Issue], Any]) -> "SortedSequence[tuple[Any, int]]":
    """All issues of a group sorted by a value that is worked out."""
    issue = world.issues.fetch()
    everything = world.issues.bits("facts", "all" if group == "all" else ("project", group))
    return SortedSequence.of(
        sorted((found, id_) for id_ in iterate_bits(everything) if (found := value(issue(id_))) is not None)
    )


def count_upvotes(world: World, issue: Issue) -> int:
    """How many thumbs are up."""
    return sum(award.name == "thumbsup" for award in world.awards.where("subject", ("issue", issue.id)))


def _popularity(world: World, descending: bool) -> Callable[[Issue], Any]:
    del descending
    return lambda issue: count_upvotes(world, issue)


def _due_of(world: World, issue: Issue) -> str | None:
    milestone = world.milestones.get(issue.milestone_id) if issue.milestone_id is not None else None
    return milestone.due_date if milestone else None


def _milestone_due(world: World, descending: bool) -> Callable[[Issue], Any]:
    del descending
    return lambda issue: _due_of(world, issue)


def _label_priority(world: World, descending: bool) -> Callable[[Issue], Any]:
    del descending
    return lambda issue: _highest(world, issue)


def _highest(world: World, issue: Issue) -> int | None:
    return label_verbs.highest_priority(world, issue.project_id, issue.label_ids)


def _priority(world: World, descending: bool) -> Callable[[Issue], Any]:
    """By the milestone's due date, then by the labels' priority; what is missing comes last in both directions."""
    no_date, no_priority = ("", -1) if descending else (_LATE, 1 << 30)

    def value(issue: Issue) -> tuple[str, int]:
        highest = _highest(world, issue)
        return _due_of(world, issue) or no_date, no_priority if highest is None else highest

    return value


_DERIVED: Final = {
    "popularity": _popularity,
    "milestone_due": _milestone_due,
    "label_priority": _label_priority,
    "priority": _priority,
}
