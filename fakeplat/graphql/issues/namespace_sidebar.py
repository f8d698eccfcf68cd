"""Numbers that the sidebar of groups and projects shows. Source: docs/platform/graphql.md ('Namespaces')."""

from typing import Final

from fakeplat.graphql.issues.epics import epics_of
from fakeplat.graphql.issues.issue_lists import issues_of_group, issues_of_project
from fakeplat.graphql.merge_requests.merge_request_lists import merge_requests_of_group, open_merge_requests_count
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "17.6"
SIDEBAR: Final = Type("NamespaceSidebar", "Numbers that the sidebar of a namespace shows.", since=_SINCE)


@NAMESPACE.field("sidebar: NamespaceSidebar", since=_SINCE)
@GROUP.field("sidebar: NamespaceSidebar", since=_SINCE)
def sidebar(_ctx: ReadContext, namespace: Routable) -> Routable:
    """Numbers that the sidebar shows."""
    return namespace


@SIDEBAR.field("openIssuesCount: Int")
def count_issues(ctx: ReadContext, namespace: Routable) -> int | None:
    """Number of open issues; confidential ones only for those who administer issues."""
    if not isinstance(namespace, Group | Project):
        return None
    confidential = None if can(ctx, Ability.ADMIN_ISSUE, namespace) else False
    if isinstance(namespace, Project):
        return len(issues_of_project(ctx, namespace, state="opened", confidential=confidential))
    return len(
        issues_of_group(
            ctx, namespace, include_subgroups=True, include_archived=False, state="opened", confidential=confidential
        )
    )


@SIDEBAR.field("openMergeRequestsCount: Int")
def count_merge_requests(ctx: ReadContext, namespace: Routable) -> int | None:
    """Number of open merge requests."""
    if isinstance(namespace, Project):
        return open_merge_requests_count(ctx, namespace)
    if not isinstance(namespace, Group):
        return None
    return len(merge_requests_of_group(ctx, namespace, include_subgroups=True, include_archived=False, state="opened"))


@SIDEBAR.field("openEpicsCount: Int", since="<=18.5")
def count_epics(ctx: ReadContext, namespace: Routable) -> int | None:
    """Number of open epics; null for projects and users."""
    return len(epics_of(ctx, namespace, state="opened")) if isinstance(namespace, Group) else None
