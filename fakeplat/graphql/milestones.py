"""Milestones of projects and groups. Source: docs/platform/milestones.md."""

from collections.abc import Collection, Sequence
from typing import Any

from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.planning import milestones
from fakeplat.entities.labels import MilestoneView
from fakeplat.graphql.groups import GROUP
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.labels import Milestone
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

Place = Project | Group
_LAST = "9999-12-31"

Enumeration(
    "MilestoneStateEnum",
    "Whether work on a milestone goes on.",
    {"active": ("active", "Goes on."), "closed": ("closed", "Is over.")},
)

MILESTONE = Type("Milestone", "A milestone.", gid="Milestone")
MILESTONE.attributes(
    {
        "iid: ID!": "Its number within the project or group.",
        "title: String!": "Its name.",
        "description: String": "What is to be reached.",
        "state: MilestoneStateEnum!": "Whether work on it goes on.",
        "dueDate: Time": "When it is to be reached.",
        "startDate: Time": "When work on it begins.",
        "createdAt: Time!": "When it was made.",
        "updatedAt: Time!": "When it was last changed.",
    }
)


@MILESTONE.field("expired: Boolean!")
def expired(ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether its time is over."""
    return milestone.due_date is not None and ctx.has_passed_date(milestone.due_date)


@MILESTONE.field("webPath: String!")
def web_path(ctx: ReadContext, milestone: Milestone) -> str:
    """The path of its page."""
    return str(MilestoneView(milestone, ctx).web_url()).removeprefix(ctx.origin)


@MILESTONE.field("projectMilestone: Boolean!")
def project_milestone(ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether it is a project's."""
    del ctx
    return milestone.source[0] == "project"


@MILESTONE.field("groupMilestone: Boolean!")
def group_milestone(ctx: ReadContext, milestone: Milestone) -> bool:
    """Whether it is a group's."""
    del ctx
    return milestone.source[0] == "group"


@PROJECT.field(
    "milestones(ids: [ID!], state: MilestoneStateEnum, title: String, searchTitle: String, "
    "includeAncestors: Boolean): MilestoneConnection"
)
def milestones_of_project(
    ctx: ReadContext, project: Project, include_ancestors: bool | None = None, **wanted: Any
) -> Sequence[Milestone]:
    """Its milestones."""
    return _listed(ctx, milestones.list_available(ctx.world, project, parents=bool(include_ancestors)), **wanted)


@GROUP.field(
    "milestones(ids: [ID!], state: MilestoneStateEnum, title: String, searchTitle: String, "
    "includeAncestors: Boolean): MilestoneConnection"
)
def milestones_of_group(
    ctx: ReadContext, group: Group, include_ancestors: bool | None = None, **wanted: Any
) -> Sequence[Milestone]:
    """Its milestones."""
    return _listed(ctx, milestones.list_available(ctx.world, group, parents=bool(include_ancestors)), **wanted)


def _listed(
    ctx: ReadContext,
    found: Sequence[Milestone],
    ids: Sequence[str] | None = None,
    state: str | None = None,
    title: str | None = None,
    search_title: str | None = None,
) -> Sequence[Milestone]:
    """The ones that are due first come first."""
    numbers = None if ids is None else [_number(ctx, text) for text in ids]
    chosen = [one for one in found if _fits(one, numbers, state, title, (search_title or "").lower())]
    return sorted(chosen, key=lambda one: (one.due_date or _LAST, -one.id))


def _number(ctx: ReadContext, text: str) -> int:
    number = number_of(text)
    return id_of(ctx, text, "Milestone") if number is None else number


def _fits(
    milestone: Milestone, numbers: Collection[int] | None, state: str | None, title: str | None, wanted: str
) -> bool:
    return (
        (numbers is None or milestone.id in numbers)
        and state in (None, milestone.state)
        and title in (None, milestone.title)
        and wanted in milestone.title.lower()
    )
