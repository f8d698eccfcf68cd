"""Iterations of groups. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.domain.markup import markup
from fakeplat.domain.planning import iterations
from fakeplat.domain.planning.iterations import CLOSED, STARTED, IterationFilter
from fakeplat.entities import urls
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration
from fakeplat.model.projects import Container
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
ITERATION = Type("Iteration", "An iteration of a group.", gid="Iteration")
ITERATION.attributes(
    {
        "title: String": "The title.",
        "description: String": "The description.",
        "startDate: Time": "The first day.",
        "dueDate: Time": "The last day.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
CADENCE = Type("IterationCadence", "A sequence of iterations.", since="<=14.1")
CADENCE.attributes({"id: ID!": "The global ID.", "title: String!": "The title."})


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
def cadence(_ctx: ReadContext, _iteration: Iteration) -> None:
    """The sequence that the iteration belongs to; iterations stand alone here."""


_FILTERS: Final = """state: IterationState, title: String, id: ID, iid: ID, includeAncestors: Boolean = true,
    search: String @lifetime(since: "<=15.8"), in: [IterationSearchableField!] @lifetime(since: "<=15.8")"""


IterationArguments = TypedDict(
    "IterationArguments",
    {
        "state": str | None,
        "title": str | None,
        "id": str | None,
        "iid": str | None,
        "include_ancestors": bool | None,
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
    criteria = IterationFilter(
        state=filters.get("state") or "all",
        search=filters.get("search") or filters.get("title") or "",
        include_ancestors=filters.get("include_ancestors") is not False,
        in_title="title" in (filters.get("in") or ["title"]),
    )
    wanted = filters.get("id")
    number = _parse_id(ctx, wanted) if wanted is not None else None
    found = iterations.list_iterations(ctx, container, criteria)
    return [
        iteration
        for iteration in found
        if number in (None, iteration.id) and filters.get("iid") in (None, str(iteration.iid))
    ]


def _parse_id(ctx: ReadContext, text: str) -> int:
    return int(text) if text.isdecimal() else parse_id(ctx, text, "Iteration")


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
