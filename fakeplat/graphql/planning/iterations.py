"""Iterations of groups. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.domain.markup import markup
from fakeplat.domain.planning import iteration_cadences, iterations
from fakeplat.domain.planning.iterations import CLOSED, STARTED, IterationFilter
from fakeplat.entities import urls
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id, parse_number_or_id
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration, IterationCadence
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

Scalar("IterationID", "The global ID of an iteration.")
_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "upcoming": ("upcoming", "It has not begun."),
    "current": ("current", "It has begun."),
    "opened": ("opened", "It is not over."),
    "closed": ("closed", "It is over."),
    "all": ("all", "In any state."),
}
Enumeration("IterationState", "The state of an iteration.", _STATES)
Enumeration(
    "IterationSearchableField",
    "Where to search for a text.",
    {"TITLE": ("title", "In the title."), "CADENCE_TITLE": ("cadence_title", "In the title of the cadence.")},
    since="<=15.8",
)
ITERATION = Type("Iteration", "An iteration of a group.", gid="Iteration", implements=("TimeboxReportInterface",))
ITERATION.attributes(
    {
        "title: String": "The title; iterations of an automatic cadence have none.",
        "description: String": "The description.",
        "startDate: Time": "The first day.",
        "dueDate: Time": "The last day.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
CADENCE_KIND: Final = "Iterations::Cadence"
"""The kind of cadences in global ids."""
Scalar("IterationsCadenceID", "The global ID of a cadence of iterations.", since="<=14.1")
CADENCE = Type("IterationCadence", "A sequence of iterations.", gid=CADENCE_KIND, since="<=14.1")
CADENCE.attributes(
    {
        "title: String!": "The title.",
        "startDate: Time": "The day from which on it plans its iterations.",
        "durationInWeeks: Int": "The duration of its iterations in weeks.",
        "iterationsInAdvance: Int": "How many iterations are planned ahead.",
        "automatic: Boolean": "Whether it plans its iterations itself.",
        "active: Boolean": "Whether it is active.",
    }
)
CADENCE.attributes(
    {
        "description: String": "The description.",
        "rollOver: Boolean!": "Whether open issues move to the next iteration.",
    },
    since="14.2",
)


@ITERATION.field("iid: ID!")
def iid(_ctx: ReadContext, iteration: Iteration) -> str:
    """The number within the group."""
    return str(iteration.iid)


@ITERATION.field("state: IterationState!")
def state(ctx: ReadContext, iteration: Iteration) -> str:
    """The state, which follows from the date."""
    number = iterations.state_of(ctx, iteration)
    return "closed" if number == CLOSED else "current" if number == STARTED else "upcoming"


@ITERATION.field("descriptionHtml: String")
def description_html(ctx: ReadContext, iteration: Iteration) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, iteration.description)


@ITERATION.field("webUrl: String!")
def web_url(ctx: ReadContext, iteration: Iteration) -> str:
    """The URL of the page."""
    return f"{urls.namespace_url(ctx, ctx.world.namespaces[iteration.group_id])}/-/iterations/{iteration.id}"


@ITERATION.field("webPath: String!")
def web_path(ctx: ReadContext, iteration: Iteration) -> str:
    """The path of the page."""
    return web_url(ctx, iteration).removeprefix(ctx.origin)


@ITERATION.field("iterationCadence: IterationCadence", since="<=14.1")
def cadence(ctx: ReadContext, iteration: Iteration) -> IterationCadence | None:
    """The sequence that the iteration belongs to."""
    return iterations.find_cadence(ctx.world, iteration)


@ITERATION.field("sequence: Int!", since="15.0")
def sequence(ctx: ReadContext, iteration: Iteration) -> int:
    """The place in the cadence, by date."""
    return iterations.sequence_of(ctx.world, iteration) or 1


_FILTERS: Final = """state: IterationState, title: String, id: ID, iid: ID, includeAncestors: Boolean = true,
    iterationCadenceIds: [IterationsCadenceID!] @lifetime(since: "14.1"),
    search: String @lifetime(since: "<=15.8"), in: [IterationSearchableField!] @lifetime(since: "<=15.8")"""


IterationArguments = TypedDict(
    "IterationArguments",
    {
        "state": str | None,
        "title": str | None,
        "id": str | None,
        "iid": str | None,
        "include_ancestors": bool | None,
        "iteration_cadence_ids": list[str] | None,
        "search": str | None,
        "in": list[str] | None,
    },
    total=False,
)


@GROUP.field(f"iterations({_FILTERS}): IterationConnection")
@PROJECT.field(f"iterations({_FILTERS}): IterationConnection")
def iterations_of(
    ctx: ReadContext, container: Container, **filters: Unpack[IterationArguments]
) -> Sequence[Iteration] | None:
    """The iterations of the group, and of those above it unless they are not wanted; only on paid tiers."""
    if not has_feature(ctx.world, "premium", container) or not can(ctx, Ability.READ_ITERATION, container):
        return None
    cadence_ids = filters.get("iteration_cadence_ids")
    criteria = IterationFilter(
        state=filters.get("state") or "all",
        search=filters.get("search") or filters.get("title") or "",
        include_ancestors=filters.get("include_ancestors") is not False,
        in_title="title" in (filters.get("in") or ["title"]),
        in_cadence_title="cadence_title" in (filters.get("in") or ()),
        cadence_ids=None if cadence_ids is None else [parse_id(ctx, text, CADENCE_KIND) for text in cadence_ids],
    )
    wanted = filters.get("id")
    number = parse_number_or_id(ctx, wanted, "Iteration") if wanted is not None else None
    found = iterations.list_iterations(ctx, container, criteria)
    return [
        iteration
        for iteration in found
        if number in (None, iteration.id) and filters.get("iid") in (None, str(iteration.iid))
    ]


@QUERY.field("iteration(id: IterationID!): Iteration")
def find_iteration(ctx: ReadContext, id: str) -> Iteration | None:
    """The iteration with a global ID."""
    iteration = ctx.world.iterations.get(parse_id(ctx, id, "Iteration"))
    group = ctx.world.namespaces[iteration.group_id] if iteration is not None else None
    readable = isinstance(group, Group) and can(ctx, Ability.READ_ITERATION, group)
    return iteration if readable else None


@ISSUE.field("iteration: Iteration")
def iteration_of(ctx: ReadContext, issue: Issue) -> Iteration | None:
    """The iteration, only on paid tiers."""
    if issue.iteration_id is None or not has_feature(ctx.world, "premium", issue):
        return None
    return ctx.world.iterations.get(issue.iteration_id)


class CadenceArguments(TypedDict, total=False):
    """The arguments of lists of cadences, but for the global id."""

    title: str | None
    duration_in_weeks: int | None
    automatic: bool | None
    active: bool | None
    include_ancestor_groups: bool | None


_CADENCE_FILTERS: Final = """id: IterationsCadenceID, title: String, durationInWeeks: Int, automatic: Boolean,
    active: Boolean, includeAncestorGroups: Boolean"""


@GROUP.field(f"iterationCadences({_CADENCE_FILTERS}): IterationCadenceConnection", since="14.1")
@PROJECT.field(f"iterationCadences({_CADENCE_FILTERS}): IterationCadenceConnection", since="14.1")
def cadences_of(
    ctx: ReadContext, container: Container, id: str | None = None, **filters: Unpack[CadenceArguments]
) -> Sequence[IterationCadence]:
    """The cadences of the group, by title; only on paid tiers."""
    group = ctx.world.namespaces[container.namespace_id] if isinstance(container, Project) else container
    if not isinstance(group, Group) or not has_feature(ctx.world, "premium", group):
        raise ResourceNotAvailable(f"{container.name} has no group with cadences")
    id_ = None if id is None else parse_id(ctx, id, CADENCE_KIND)
    return iteration_cadences.list_cadences(ctx.world, group, id=id_, **filters)
