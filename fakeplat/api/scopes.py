"""Scopes of operations, and functions that find the records in their paths."""

from functools import partial
from typing import Final
from urllib.parse import unquote

from fakeplat.api import missing
from fakeplat.core.operations.errors import MethodNotAllowed, MovedPermanently, NotFound, RecordNotFound
from fakeplat.core.operations.operation import PREFIX
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain import redirects
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.issues.issue_access import is_visible as sees_issue
from fakeplat.domain.people import namespaces, users
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import (
    authorize,
    caller_name,
    can_see,
    decide,
    explain_closed_feature,
    explain_hidden,
    is_feature_open,
)
from fakeplat.policy.behaviours import HIDDEN_MERGE_REQUESTS_ARE_FORBIDDEN, MOVED_PROJECTS_ARE_REDIRECTED
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe


def get_project(ctx: ReadContext, reference: str) -> Project:
    """Return the project with an id or a full path that the caller sees, or 404.

    At a path that the project once had, requests are led to its id, where the release does so.
    """
    project, is_moved = namespaces.find_project(ctx.world, reference), False
    if project is None:
        project, is_moved = _find_moved_project(ctx, reference), True
    if project is None:
        raise NotFound("Project", reason=missing.project(ctx, reference))
    if not can_see(ctx, project):
        # The reason is computed only if somebody reads it; the response must not show that the project exists.
        raise NotFound("Project", reason=partial(explain_hidden, ctx, project))
    job_token_scope.authorize_job(ctx, project)
    if is_moved:
        _lead_to_project(ctx, project, reference)
    return project


def _find_moved_project(ctx: ReadContext, reference: str) -> Project | None:
    """Return the project that once had a full path, for requests to the REST API."""
    is_rest = ctx.request is not None and ctx.request.path.startswith(PREFIX)
    knows_old_paths = is_rest and ctx.profile.has(MOVED_PROJECTS_ARE_REDIRECTED)
    return redirects.find_project(ctx.world, reference) if knows_old_paths else None


def _lead_to_project(ctx: ReadContext, project: Project, reference: str) -> None:
    """Refuse a request whose path names a project by a former path: 301 to its id for GET, 405 for other methods."""
    request = ctx.request
    if request is None:
        return
    head, *segments = request.path.removeprefix(PREFIX).strip("/").split("/")
    # In other places, such as parameters, a former path names the project as its present one does.
    if head != "projects" or not segments or unquote(segments[0]) != reference:
        return
    why = f"the path of project {project.id} is now {namespaces.project_path(ctx.world, project)}"
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed("Non GET methods are not allowed for moved projects", reason=why)
    path = "/".join((PREFIX.strip("/"), head, str(project.id), *segments[1:]))
    query = f"?{request.query}" if request.query else ""
    raise MovedPermanently(f"{ctx.origin}/{path}{query}", reason=why)


def get_project_with_repository(ctx: ReadContext, reference: str) -> Project:
    """Return the project as `get_project` does, or 404 if its repository is closed to the caller."""
    project = get_project(ctx, reference)
    if not is_feature_open(ctx, project, "repository"):
        raise NotFound("Repository", reason=partial(explain_closed_feature, ctx, project, "repository"))
    return project


def get_group(ctx: ReadContext, reference: str) -> Group:
    """Return the group with an id or full path that the caller sees, or 404."""
    group = namespaces.find_group(ctx.world, reference)
    if group is None:
        raise NotFound("Group", reason=missing.group(ctx, reference))
    if not can_see(ctx, group):
        raise NotFound("Group", reason=partial(explain_hidden, ctx, group))
    return group


def get_user(ctx: ReadContext, reference: str) -> User:
    """Return the user with an id, or 404."""
    user = ctx.world.users.get(parse_number(reference) or 0)
    if user is None:
        raise NotFound("User", reason=missing.user(ctx, reference))
    return user


def get_user_by_id_or_username(ctx: ReadContext, reference: str) -> User:
    """Return the user with an id or username, or 404."""
    user = users.find_by_reference(ctx.world, reference)
    if user is None:
        raise NotFound("User", reason=missing.user(ctx, reference))
    return user


def get_visible_user(ctx: ReadContext, reference: str) -> User:
    """Return the user with an id or username whose profile the caller sees, or 404."""
    user = get_user_by_id_or_username(ctx, reference)
    decision = decide(ctx, Ability.READ_USER, user)
    if not decision.allowed:
        raise NotFound("User", reason=decision.why)
    return user


def get_any_issue(ctx: ReadContext, project: Project, iid: int) -> Issue:
    """Return a project's issue, whether or not the caller sees it; or 404."""
    issue = ctx.world.issues.find("iid", (project.id, iid))
    if issue is None:
        raise RecordNotFound(reason=missing.issue(ctx, project, iid))
    return issue


def get_issue(ctx: ReadContext, project: Project, iid: int) -> Issue:
    """Return a project's issue that the caller sees, or 404."""
    issue = get_any_issue(ctx, project, iid)
    # Missing, forbidden and confidential issues have the same response; only the reasons differ.
    ruling = decide(ctx, Ability.READ_ISSUES, project)
    if not ruling.allowed:
        raise RecordNotFound(reason=ruling.why)
    if not sees_issue(ctx, issue, project):
        raise RecordNotFound(reason=partial(_explain_confidential, ctx, issue, project))
    return issue


def get_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """Return a project's merge request, or 404; callers without read access get 404 for every iid."""
    # Decided before the lookup: callers without access cannot find out which iids exist.
    ruling = decide(ctx, Ability.READ_MERGE_REQUESTS, project)
    if not ruling.allowed:
        raise NotFound("Merge Request", reason=ruling.why)
    merge_request = ctx.world.merge_requests.find("iid", (project.id, iid))
    if merge_request is None:
        raise RecordNotFound(reason=missing.merge_request(ctx, project, iid))
    return merge_request


def get_merge_request_with_access(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """Return a project's merge request, or 404; 403 if it exists and the caller has no read access."""
    merge_request = ctx.world.merge_requests.find("iid", (project.id, iid))
    if merge_request is None:
        raise RecordNotFound(reason=missing.merge_request(ctx, project, iid))
    authorize(ctx, Ability.READ_MERGE_REQUESTS, project)
    return merge_request


def get_merge_request_by_release(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """Return a project's merge request, or 404; later 403 if it exists and the caller has no read access."""
    if ctx.profile.has(HIDDEN_MERGE_REQUESTS_ARE_FORBIDDEN):
        return get_merge_request_with_access(ctx, project, iid)
    return get_merge_request(ctx, project, iid)


def get_visible_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """Return a project's merge request, or 404 with the text of a missing record, for hidden ones too."""
    try:
        return get_merge_request(ctx, project, iid)
    except NotFound as refusal:
        raise RecordNotFound(reason=refusal.why) from None


def _explain_confidential(ctx: ReadContext, issue: Issue, project: Project) -> str:
    caller = caller_name(ctx)
    cause = f"{caller} is neither its author nor assigned nor Reporter (20)"
    return f"issue {issue.iid} of {describe(ctx.world, project)} is confidential and hidden from {caller}: {cause}"


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=get_project, word="project")
PROJECT_WITH_REPOSITORY: Final = NO_SCOPE / Segment("projects/:id", locate=get_project_with_repository, word="project")
MERGE_REQUEST: Final = PROJECT / Segment(
    "merge_requests/:merge_request_iid", kind="integer", locate=get_merge_request_by_release, word="merge_request"
)
MERGE_REQUEST_WITH_ACCESS: Final = PROJECT / Segment(
    "merge_requests/:merge_request_iid", kind="integer", locate=get_merge_request_with_access, word="merge_request"
)
VISIBLE_MERGE_REQUEST: Final = PROJECT / Segment(
    "merge_requests/:merge_request_iid", kind="integer", locate=get_visible_merge_request, word="merge_request"
)
GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=get_group, word="group")
# Other text than digits matches no route: ``/users/jane`` is a 404 with the key ``error``.
USER: Final = NO_SCOPE / Segment("users/:id", kind="digits", locate=get_user, word="user")
USER_BY_ID_OR_USERNAME: Final = NO_SCOPE / Segment("users/:user_id", locate=get_user_by_id_or_username, word="user")
VISIBLE_USER: Final = NO_SCOPE / Segment("users/:user_id", locate=get_visible_user, word="user")
