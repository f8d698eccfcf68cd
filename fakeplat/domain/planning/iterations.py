"""Iterations of groups: GraphQL creates them, or their cadence does. Source: docs/platform/iterations.md."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import Any, Final, Required, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration, IterationCadence
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors_of

KIND: Final = "iteration"
UPCOMING: Final = 1
STARTED: Final = 2
CLOSED: Final = 3
"""The states, with the platform's numbers."""
_STATES: Final = {
    "opened": (UPCOMING, STARTED),
    "upcoming": (UPCOMING,),
    "started": (STARTED,),
    "current": (STARTED,),
    "closed": (CLOSED,),
    "all": (UPCOMING, STARTED, CLOSED),
}


_SEPARATE: Final = "Dates cannot overlap with other existing Iterations within this {}"


class NewIteration(TypedDict, total=False):
    """The fields of a new iteration."""

    title: str | None
    start_date: Required[str]
    due_date: Required[str]
    iid: int | None
    description: str | None
    cadence_id: int | None
    created_at: str
    updated_at: str


class IterationChanges(TypedDict, total=False):
    """The changes of an iteration."""

    title: str | None
    start_date: str
    due_date: str
    description: str | None


@frozen
class IterationFilter:
    """Which iterations to list."""

    state: str = "all"
    search: str = ""
    include_ancestors: bool = True
    include_descendants: bool = False
    in_title: bool = True
    in_cadence_title: bool = False
    updated_after: str | None = None
    updated_before: str | None = None
    cadence_ids: Collection[int] | None = None

    def admits(self, ctx: ReadContext, iteration: Iteration) -> bool:
        """Return whether an iteration passes the filter."""
        return (
            (not self.search or self._finds(ctx, iteration))
            and (self.cadence_ids is None or iteration.cadence_id in self.cadence_ids)
            and state_of(ctx, iteration) in _STATES[self.state]
            and (self.updated_after is None or iteration.updated_at >= self.updated_after)
            and (self.updated_before is None or iteration.updated_at <= self.updated_before)
        )

    def _finds(self, ctx: ReadContext, iteration: Iteration) -> bool:
        text, cadence = self.search.lower(), find_cadence(ctx.world, iteration)
        in_title = self.in_title and text in (iteration.title or "").lower()
        return in_title or (self.in_cadence_title and cadence is not None and text in cadence.title.lower())


def list_iterations(ctx: ReadContext, container: Routable, criteria: IterationFilter) -> Sequence[Iteration]:
    """Return the iterations of a project's groups, or of a group and those above it, by their end."""
    groups = ancestors_of(ctx.world, container)
    searched = list(groups) if criteria.include_ancestors else [next(groups)]
    if criteria.include_descendants and isinstance(container, Group):
        searched += list_descendants(ctx.world, container)
    matching = [
        iteration
        for group in searched
        for iteration in ctx.world.iterations.where("group", group.id)
        if criteria.admits(ctx, iteration)
    ]
    # Iterations without a title come last, as nulls do in the platform's database.
    return sorted(matching, key=lambda one: (one.due_date, one.title is None, one.title or "", one.id))


def list_available(world: World, container: Routable) -> Iterator[Iteration]:
    """Yield the iterations of a project's groups, or of a group and those above, those of the nearest first."""
    for group in ancestors_of(world, container):
        yield from world.iterations.where("group", group.id)


def state_of(ctx: ReadContext, iteration: Iteration) -> int:
    """Return the state of an iteration on the world's date."""
    if ctx.today > iteration.due_date:
        return CLOSED
    return UPCOMING if ctx.today < iteration.start_date else STARTED


def find_cadence(world: World, iteration: Iteration) -> IterationCadence | None:
    """Return the cadence of an iteration, if it has one."""
    return world.iteration_cadences.get(iteration.cadence_id) if iteration.cadence_id is not None else None


def list_by_date(world: World, cadence: IterationCadence) -> list[Iteration]:
    """Return the iterations of a cadence by their dates."""
    return sorted(world.iterations.where("cadence", cadence.id), key=lambda one: (one.start_date, one.id))


def sequence_of(world: World, iteration: Iteration) -> int | None:
    """Return the place of an iteration in its cadence, from 1 on."""
    cadence = find_cadence(world, iteration)
    if cadence is None:
        return None
    return [one.id for one in list_by_date(world, cadence)].index(iteration.id) + 1


def format_period(iteration: Iteration) -> str:
    """Return the dates of an iteration as text: ``Nov 16, 2020 - Nov 29, 2020``."""
    return " - ".join(map(_format_date, (iteration.start_date, iteration.due_date)))


def _format_date(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day:%b} {day.day}, {day.year}"


def name_of(world: World, iteration: Iteration) -> str:
    """Return the title of an iteration, or the title of its cadence with the dates."""
    cadence = find_cadence(world, iteration)
    period = format_period(iteration)
    return iteration.title or (period if cadence is None else f"{cadence.title} {period}")


def find_available(world: World, container: Routable, name: str) -> Iteration | None:
    """Return the iteration with a name that is available in a project or group; those of the nearest group first."""
    return next((one for one in list_available(world, container) if name_of(world, one) == name), None)


def create(ctx: WriteContext, group: Group, **fields: Unpack[NewIteration]) -> Iteration:
    """Create an iteration, without checks."""
    table, now = ctx.world.iterations, ctx.now_iso
    iid = fields.get("iid") or ctx.world.get_counter(KIND, group.id) + 1
    ctx.world.raise_counter(max(iid, ctx.world.get_counter(KIND, group.id)), KIND, group.id)
    times = {"created_at": now, "updated_at": fields.get("created_at", now)}
    values: dict[str, Any] = {"title": None, **times, **fields, "iid": iid}
    return table.add(Iteration(id=table.next_id(), group_id=group.id, **values))


def create_valid(ctx: WriteContext, group: Group, **fields: Unpack[NewIteration]) -> Iteration:
    """Create an iteration whose dates and title do not meet those of others in its cadence."""
    # The record to check needs dates; empty ones are among the errors.
    values: dict[str, Any] = {"title": None, "start_date": "", "due_date": "", **fields}
    new = Iteration(id=0, iid=0, group_id=group.id, created_at="", updated_at="", **values)
    _list_errors(ctx, new).refuse()
    return create(ctx, group, **{**values, "title": new.title or None})


def update(ctx: WriteContext, iteration: Iteration, **changes: Unpack[IterationChanges]) -> Iteration:
    """Change an iteration."""
    if "title" in changes:
        changes["title"] = changes["title"] or None
    changed = evolve(iteration, **changes)
    _list_errors(ctx, changed).refuse()
    if changed == iteration:
        return iteration
    return ctx.world.iterations.replace(iteration, evolve(changed, updated_at=ctx.now_iso))


def _list_errors(ctx: ReadContext, iteration: Iteration) -> ValidationErrors:
    errors, cadence = ValidationErrors(), find_cadence(ctx.world, iteration)
    start, due = iteration.start_date, iteration.due_date
    errors.when(start and due and start > due, "due_date", "must be greater than start date")
    errors.when(not start, "start_date", BLANK)
    errors.when(not due, "due_date", BLANK)
    siblings = ctx.world.iterations.where("group" if cadence is None else "cadence", _scope_of(iteration))
    others = [one for one in siblings if one.id != iteration.id]
    is_met = start and due and any(one.start_date <= due and one.due_date >= start for one in others)
    errors.when(is_met, "base", _SEPARATE.format("group" if cadence is None else "iterations cadence"))
    is_taken = iteration.title and any(one.title == iteration.title for one in others)
    errors.when(is_taken, "title", "already being used for another iteration within this cadence.")
    return errors


def _scope_of(iteration: Iteration) -> int:
    return iteration.group_id if iteration.cadence_id is None else iteration.cadence_id


def delete(ctx: WriteContext, iteration: Iteration) -> None:
    """Delete an iteration; refused for one to come, or the current one, that others of its cadence follow."""
    cadence = find_cadence(ctx.world, iteration)
    is_followed = cadence is not None and any(
        one.start_date > iteration.due_date for one in list_by_date(ctx.world, cadence)
    )
    errors = ValidationErrors()
    errors.when(
        state_of(ctx, iteration) != CLOSED and is_followed,
        "base",
        "upcoming/current iterations can't be deleted unless they are the last one in the cadence",
    )
    errors.refuse()
    purge(ctx, iteration)
