"""The pages of issues and milestones, at their `web_url`. Source: docs/contract.md ('URLs')."""

from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.store.ids import number_of
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.issues import IssueBasic
from fakeplat.entities.labels import MilestoneView
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller, can, sees


@area.operation("GET", "*project/-/issues/:iid", ours=True)
def get_issue_page(cx: Context, project: str, iid: str) -> Raw:
    """Show the page of an issue."""
    container = namespaces.project_at(cx.world, project)
    issue = None if container is None else cx.world.issues.find("iid", (container.id, number_of(iid)))
    if issue is None or not noteables.visible(cx, issue):
        raise RouteNotFound(reason=f"{caller(cx)} sees no issue {iid} in {project}")
    api = urls.api(cx, f"projects/{issue.project_id}/issues/{issue.iid}")
    return html_page("Issue", IssueBasic(issue, cx).values(), api)


@area.operation("GET", "*project/-/milestones/:iid", ours=True)
def get_project_milestone_page(cx: Context, project: str, iid: str) -> Raw:
    """Show the page of a project's milestone."""
    return _milestone_page(cx, namespaces.project_at(cx.world, project), project, iid)


@area.operation("GET", "groups/*group/-/milestones/:iid", ours=True)
def get_group_milestone_page(cx: Context, group: str, iid: str) -> Raw:
    """Show the page of a group's milestone."""
    found = namespaces.at_path(cx.world, group)
    return _milestone_page(cx, found if isinstance(found, Group) else None, group, iid)


def _milestone_page(cx: Context, container: Project | Group | None, path: str, iid: str) -> Raw:
    kind = "project" if isinstance(container, Project) else "group"
    milestone = None
    if container is not None and sees(cx, container) and can(cx, May.READ_MILESTONE, container):
        milestone = cx.world.milestones.find("iid", ((kind, container.id), number_of(iid)))
    if milestone is None or container is None:
        raise RouteNotFound(reason=f"{caller(cx)} sees no milestone {iid} in {path}")
    api = urls.api(cx, f"{kind}s/{container.id}/milestones/{milestone.id}")
    return html_page("Milestone", MilestoneView(milestone, cx).values(), api)
