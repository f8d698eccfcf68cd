"""Iterations of groups, which come from scenarios: the API only lists them."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration
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


class NewIteration(TypedDict, total=False):
    """The fields of a new iteration."""

    title: Required[str]
    start_date: Required[str]
    due_date: Required[str]
    iid: int | None
    description: str | None
    created_at: str
    updated_at: str


@frozen
class IterationFilter:
    """Which iterations to list."""

    state: str = "all"
    search: str = ""
    include_ancestors: bool = True
    include_descendants: bool = False
    in_title: bool = True
    updated_after: str | None = None
    updated_before: str | None = None

    def admits(self, ctx: ReadContext, iteration: Iteration) -> bool:
        """Return whether an iteration passes the filter; without cadences no text is found in their titles."""
        text = self.search.lower()
        return (
            (not text or (self.in_title and text in iteration.title.lower()))
            and state_of(ctx, iteration) in _STATES[self.state]
            and (self.updated_after is None or iteration.updated_at >= self.updated_after)
            and (self.updated_before is None or iteration.updated_at <= self.updated_before)
        )


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
    return sorted(matching, key=lambda iteration: (iteration.due_date, iteration.title, iteration.id))


def list_available(world: World, container: Routable) -> Iterator[Iteration]:
    """Yield the iterations of a project's groups, or of a group and those above, those of the nearest first."""
    for group in ancestors_of(world, container):
        yield from world.iterations.where("group", group.id)


def state_of(ctx: ReadContext, iteration: Iteration) -> int:
    """Return the state of an iteration on the world's date."""
    if ctx.today > iteration.due_date:
        return CLOSED
    return UPCOMING if ctx.today < iteration.start_date else STARTED


def create(ctx: WriteContext, group: Group, **fields: Unpack[NewIteration]) -> Iteration:
    """Create an iteration."""
    table, now = ctx.world.iterations, ctx.now_iso
    iid = fields.get("iid") or ctx.world.get_counter(KIND, group.id) + 1
    ctx.world.raise_counter(max(iid, ctx.world.get_counter(KIND, group.id)), KIND, group.id)
    values: dict[str, Any] = {"created_at": now, "updated_at": fields.get("created_at", now), **fields, "iid": iid}
    return table.add(Iteration(id=table.next_id(), group_id=group.id, **values))
