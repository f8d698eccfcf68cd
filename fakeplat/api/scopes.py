"""The places that operations live under, and how the records in their paths are found."""

from functools import partial
from typing import Final

from fakeplat.api import missing
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.scope import NOWHERE, Segment
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.issues.issue_access import is_visible as sees_issue
from fakeplat.domain.people import namespaces
from fakeplat.domain.people import users as people
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import (
    authorize,
    caller_name,
    can_see,
    decide,
    explain_closed_feature,
    explain_hidden,
    feature_open,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe


def find_project(ctx: ReadContext, reference: str) -> Project:
    """The project with an id or a full path that the caller sees, or 404."""
    number = number_of(reference)
    found = namespaces.find_project_by_path(ctx.world, reference) if number is None else ctx.world.projects.get(number)
    if found is None:
        raise NotFound("Project", reason=missing.project(ctx, reference))
    if not can_see(ctx, found):
        raise NotFound("Project", reason=partial(explain_hidden, ctx, found))
    return found


def find_project_with_repository(ctx: ReadContext, reference: str) -> Project:
    """The same, where its repository is open to the caller too."""
    project = find_project(ctx, reference)
    if not feature_open(ctx, project, "repository"):
        raise NotFound("Repository", reason=partial(explain_closed_feature, ctx, project, "repository"))
    return project


def find_group(ctx: ReadContext, reference: str) -> Group:
    """The group with an id or a full path that the caller sees, or 404."""
    found = namespaces.find_group(ctx.world, reference)
    if found is None:
        raise NotFound("Group", reason=missing.group(ctx, reference))
    if not can_see(ctx, found):
        raise NotFound("Group", reason=partial(explain_hidden, ctx, found))
    return found


def find_user(ctx: ReadContext, reference: str) -> User:
    """The user with an id, or 404."""
    found = ctx.world.users.get(number_of(reference) or 0)
    if found is None:
        raise NotFound("User", reason=missing.user(ctx, reference))
    return found


def find_user_by_any(ctx: ReadContext, reference: str) -> User:
    """The user with an id or a name, or 404."""
    found = people.find_by_reference(ctx.world, reference)
    if found is None:
        raise NotFound("User", reason=missing.user(ctx, reference))
    return found


def find_any_issue(ctx: ReadContext, project: Project, iid: int) -> Issue:
    """Return a project's issue, whether or not the caller sees it; or 404."""
    found = ctx.world.issues.find("iid", (project.id, iid))
    if found is None:
        raise RecordNotFound(reason=missing.issue(ctx, project, iid))
    return found


def find_issue(ctx: ReadContext, project: Project, iid: int) -> Issue:
    """A project's issue that the caller sees, or 404."""
    found = find_any_issue(ctx, project, iid)
    ruling = decide(ctx, Ability.READ_ISSUES, project)
    if not ruling.allowed:
        raise RecordNotFound(reason=ruling.why)
    if not sees_issue(ctx, found, project):
        raise RecordNotFound(reason=partial(_confidential, ctx, found, project))
    return found


def find_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """A project's merge request, or 404; to who may read none of them they are all the same."""
    ruling = decide(ctx, Ability.READ_MERGE_REQUESTS, project)
    if not ruling.allowed:
        raise NotFound("Merge Request", reason=ruling.why)
    found = ctx.world.merge_requests.find("iid", (project.id, iid))
    if found is None:
        raise RecordNotFound(reason=missing.merge_request(ctx, project, iid))
    return found


def find_merge_request_with_access(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """The same, where who may not read what is there is refused with 403."""
    found = ctx.world.merge_requests.find("iid", (project.id, iid))
    if found is None:
        raise RecordNotFound(reason=missing.merge_request(ctx, project, iid))
    authorize(ctx, Ability.READ_MERGE_REQUESTS, project)
    return found


def find_visible_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """The same, where what the caller may not read is not found under the record's own text."""
    try:
        return find_merge_request(ctx, project, iid)
    except NotFound as refusal:
        raise RecordNotFound(reason=refusal.why) from None


def _confidential(ctx: ReadContext, issue: Issue, project: Project) -> str:
    who = f"{caller_name(ctx)} is neither its author nor assigned nor Reporter (20)"
    return (
        f"issue {issue.iid} of {describe(ctx.world, project)} is confidential and hidden from {caller_name(ctx)}: {who}"
    )


PROJECT: Final = NOWHERE / Segment("projects/:id", locate=find_project, word="project")
PROJECT_WITH_REPOSITORY: Final = NOWHERE / Segment("projects/:id", locate=find_project_with_repository, word="project")
MERGE_REQUEST: Final = PROJECT / Segment(
    "merge_requests/:merge_request_iid", kind="integer", locate=find_merge_request, word="merge_request"
)
MERGE_REQUEST_WITH_ACCESS: Final = PROJECT / Segment(
    "merge_requests/:merge_request_iid", kind="integer", locate=find_merge_request_with_access, word="merge_request"
)
VISIBLE_MERGE_REQUEST: Final = PROJECT / Segment(
    "merge_requests/:merge_request_iid", kind="integer", locate=find_visible_merge_request, word="merge_request"
)
GROUP: Final = NOWHERE / Segment("groups/:id", locate=find_group, word="group")
USER: Final = NOWHERE / Segment("users/:id", kind="digits", locate=find_user, word="user")
USER_BY_ANY: Final = NOWHERE / Segment("users/:user_id", locate=find_user_by_any, word="user")
