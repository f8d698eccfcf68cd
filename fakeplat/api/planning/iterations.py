"""Iterations of groups and projects."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Moment, Named
from fakeplat.core.release import Lifetime
from fakeplat.domain.planning import iterations
from fakeplat.domain.planning.iterations import IterationFilter
from fakeplat.entities.planning.labels import IterationView
from fakeplat.model.planning import Iteration
from fakeplat.model.projects import Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

area: Final = Area("Iterations", login=Login.NEVER)


class ListIterations(Paged):
    """Filters of a list of iterations."""

    state: Annotated[
        Literal["opened", "upcoming", "started", "current", "closed", "all"],
        Lifetime(since="14.1", values=("current",)),
    ] = "all"
    search: str | None = None
    include_ancestors: bool = True
    include_descendants: Annotated[bool, Lifetime(since="16.7")] = False
    in_: Annotated[CommaList[Literal["title", "cadence_title"]] | None, Named("in"), Lifetime(since="16.2")] = None
    updated_after: Annotated[Moment | None, Lifetime(since="15.10")] = None
    updated_before: Annotated[Moment | None, Lifetime(since="15.10")] = None


@area.operation(
    "GET",
    "iterations",
    name="list_{scope}_iterations",
    scope=(PROJECT, GROUP),
    ability=Ability.READ_ITERATION,
    params=ListIterations,
    view=IterationView,
    many=True,
    tier="premium",
)
def list_iterations(ctx: ReadContext, container: Routable, p: ListIterations) -> Sequence[Iteration]:
    """List the iterations of a project or group, and of the groups above it."""
    criteria = IterationFilter(
        p.state,
        p.search or "",
        p.include_ancestors,
        p.include_descendants,
        p.in_ is None or "title" in p.in_,
        p.in_ is not None and "cadence_title" in p.in_,
        p.updated_after,
        p.updated_before,
    )
    return iterations.list_iterations(ctx, container, criteria)
