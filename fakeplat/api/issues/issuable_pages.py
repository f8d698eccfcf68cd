"""HTML pages of issues, milestones, epics and the like, at their `web_url`. Source: docs/contract.md ('URLs')."""

from fakeplat.api.pages import area, page_not_found, render_html_page
from fakeplat.api.repository import downloads
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.epics import epic_access
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.epics import EpicView
from fakeplat.entities.issues.issues import IssueBasic
from fakeplat.entities.merge_requests.merge_requests import MergeRequestSimple
from fakeplat.entities.planning.labels import IterationView, MilestoneView
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature


@area.operation("GET", "*project/-/issues/:iid", ours=True)
def get_issue_page(ctx: ReadContext, project: str, iid: str) -> RawBody:
    """Show the page of an issue."""
    container = namespaces.find_project_by_path(ctx.world, project)
    # `parse_number` returns None for other text; no issue is stored under it, so nothing is found.
    issue = None if container is None else ctx.world.issues.find("iid", (container.id, parse_number(iid)))
    if issue is None or not noteables.is_visible(ctx, issue):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no issue {iid} in {project}")
    api_url = urls.api_url(ctx, f"projects/{issue.project_id}/issues/{issue.iid}")
    return render_html_page("Issue", IssueBasic(issue, ctx).values(), api_url)


@area.operation("GET", "*project/-/milestones/:iid", ours=True)
def get_project_milestone_page(ctx: ReadContext, project: str, iid: str) -> RawBody:
    """Show the page of a project's milestone."""
    return _render_milestone_page(ctx, namespaces.find_project_by_path(ctx.world, project), project, iid)


@area.operation("GET", "groups/*group/-/milestones/:iid", ours=True)
def get_group_milestone_page(ctx: ReadContext, group: str, iid: str) -> RawBody:
    """Show the page of a group's milestone."""
    namespace = namespaces.find_by_path(ctx.world, group)
    # A user's namespace can have the path as well, but it has no milestones.
    return _render_milestone_page(ctx, namespace if isinstance(namespace, Group) else None, group, iid)


def _render_milestone_page(ctx: ReadContext, container: Project | Group | None, path: str, iid: str) -> RawBody:
    kind = "project" if isinstance(container, Project) else "group"
    milestone = None
    if container is not None and can_see(ctx, container) and can(ctx, Ability.READ_MILESTONE, container):
        milestone = ctx.world.milestones.find("iid", ((kind, container.id), parse_number(iid)))
    if milestone is None or container is None:
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no milestone {iid} in {path}")
    api_url = urls.api_url(ctx, f"{kind}s/{container.id}/milestones/{milestone.id}")
    return render_html_page("Milestone", MilestoneView(milestone, ctx).values(), api_url)


@area.operation("GET", "groups/*group/-/epics/:iid", ours=True)
def get_epic_page(ctx: ReadContext, group: str, iid: str) -> RawBody:
    """Show the page of an epic."""
    namespace = namespaces.find_by_path(ctx.world, group)
    is_group = isinstance(namespace, Group) and has_feature(ctx.world, "premium", namespace)
    epic = ctx.world.epics.find("iid", (namespace.id, parse_number(iid))) if namespace and is_group else None
    if epic is None or not epic_access.is_visible(ctx, epic):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no epic {iid} in {group}")
    api_url = urls.api_url(ctx, f"groups/{epic.group_id}/epics/{epic.iid}")
    return render_html_page("Epic", EpicView(epic, ctx).values(), api_url)


@area.operation("GET", "groups/*group/-/iterations/:id", ours=True)
def get_iteration_page(ctx: ReadContext, group: str, id: str) -> RawBody:  # the name in the path
    """Show the page of an iteration."""
    namespace = namespaces.find_by_path(ctx.world, group)
    iteration = ctx.world.iterations.get(parse_number(id) or 0)
    if (
        iteration is None
        or not isinstance(namespace, Group)
        or iteration.group_id != namespace.id
        or not has_feature(ctx.world, "premium", namespace)
        or not (can_see(ctx, namespace) and can(ctx, Ability.READ_ITERATION, namespace))
    ):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no iteration {id} in {group}")
    api_url = urls.api_url(ctx, f"groups/{namespace.id}/iterations")
    return render_html_page("Iteration", IterationView(iteration, ctx).values(), api_url)


@area.operation("GET", "*project/-/merge_requests/:iid", also=(302,), ours=True)
def get_merge_request_page(ctx: ReadContext, project: str, iid: str) -> RawBody:
    """Show the page of a merge request, or its change with ``.patch`` or ``.diff`` behind the number."""
    number, suffix = downloads.split_change_suffix(iid)
    if suffix:
        return downloads.download_merge_request_change(ctx, project, number, suffix)
    container = namespaces.find_project_by_path(ctx.world, project)
    merge_request = (
        ctx.world.merge_requests.find("iid", (container.id, parse_number(iid))) if container is not None else None
    )
    if merge_request is None or not noteables.is_visible(ctx, merge_request):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no merge request {iid} in {project}")
    api_url = urls.api_url(ctx, f"projects/{merge_request.project_id}/merge_requests/{merge_request.iid}")
    return render_html_page("MergeRequest", MergeRequestSimple(merge_request, ctx).values(), api_url)
