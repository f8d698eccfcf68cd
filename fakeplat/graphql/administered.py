"""Lists of groups and projects for the pages of administrators. Source: docs/platform/graphql.md ('Namespaces')."""

from collections.abc import Sequence
from typing import Any, Final, Unpack

from fakeplat.graphql import project_lists
from fakeplat.graphql.people import group_lists
from fakeplat.graphql.people.group_lists import GroupFilters
from fakeplat.graphql.project_lists import ProjectFilters
from fakeplat.graphql.schema_builder import QUERY, Field, Interface
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_SINCE: Final = "18.4"


def _count(_ctx: ReadContext, rows: Sequence[Any]) -> int:
    return len(rows)


_TOTALS: Final = (Field("count: Int!", "Total number of rows.", _count),)
_NAME: Final = {
    "avatarUrl: String": "The URL of the avatar.",
    "id: ID": "The global ID.",
    "name: String": "The name.",
    "webUrl: String": "The URL of the page.",
}
Interface(
    "GroupInterface",
    "A group, or what of it is shown without its contents.",
    {
        **_NAME,
        "fullName: String": "The full name, with the names of all ancestors.",
        "fullPath: ID!": "The full path, with the paths of all ancestors.",
        "userPermissions: GroupPermissions": "What the caller may do.",
    },
    since=_SINCE,
    type_of=lambda _group: "Group",
    totals=_TOTALS,
)
Interface(
    "ProjectInterface",
    "A project, or what of it is shown without its contents.",
    {
        **_NAME,
        "description: String": "The description.",
        "fullPath: ID": "The full path, with the paths of all ancestors.",
        "nameWithNamespace: String": "The full name, with the names of all ancestors.",
        "userPermissions: ProjectPermissions": "What the caller may do.",
    },
    since=_SINCE,
    type_of=lambda _project: "Project",
    totals=_TOTALS,
)


@QUERY.field(
    f'adminGroups({group_lists.FILTERS}, sort: String = "name_asc", allAvailable: Boolean = true)'
    ": GroupInterfaceConnection",
    since=_SINCE,
)
def admin_groups(ctx: ReadContext, **filters: Unpack[GroupFilters]) -> Sequence[Group]:
    """The groups visible to the caller, which for an administrator are all."""
    return group_lists.groups(ctx, **filters)


@QUERY.field(f"adminProjects({project_lists.FILTERS}): ProjectInterfaceConnection", since=_SINCE)
def admin_projects(ctx: ReadContext, sort: str | None = None, **filters: Unpack[ProjectFilters]) -> Sequence[Project]:
    """The projects visible to the caller, which for an administrator are all."""
    return project_lists.projects(ctx, sort, **filters)
