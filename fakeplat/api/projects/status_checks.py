"""External status checks and rules that protect packages."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.release import Lifetime, Required
from fakeplat.domain.merge_requests import merging
from fakeplat.domain.notes import noteables
from fakeplat.domain.projects import status_checks
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.status_checks import (
    CheckOfMergeRequest,
    ExternalStatusCheckView,
    PackageProtectionRuleView,
    StatusCheckResponseView,
    StatusCheckView,
)
from fakeplat.model.merge_requests import ExternalStatusCheck, MergeRequest, StatusCheckResponse
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import CHECKS_HIDE_URLS, RESPONSES_NEED_STATUS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Projects", login=Login.ALWAYS)
_PATH: Final = "external_status_checks"


@area.operation(
    "GET",
    _PATH,
    scope=PROJECT,
    params=Paged,
    view=ExternalStatusCheckView,
    many=True,
    tier="ultimate",
    since="14.1",
    refusals=(401,),
)
def list_external_status_checks(ctx: ReadContext, project: Project) -> Sequence[ExternalStatusCheck]:
    """List the external status checks of a project."""
    status_checks.authorize(ctx, project)
    return status_checks.list_checks(ctx.world, project)


class CreateStatusCheck(Params):
    """A new external status check."""

    name: str
    external_url: str
    shared_secret: str | None = None
    protected_branch_ids: CommaList[int] | None = None


@area.operation(
    "POST",
    _PATH,
    scope=PROJECT,
    params=CreateStatusCheck,
    view=ExternalStatusCheckView,
    tier="ultimate",
    since="14.1",
    refusals=(401, 422),
)
def create_external_status_check(ctx: WriteContext, project: Project, p: CreateStatusCheck) -> ExternalStatusCheck:
    """Create an external status check in a project."""
    status_checks.authorize(ctx, project)
    branch_ids = tuple(p.protected_branch_ids or ())
    return status_checks.create(
        ctx, project, p.name, p.external_url, protected_branch_ids=branch_ids, shared_secret=p.shared_secret
    )


class UpdateStatusCheck(Params):
    """Changes of an external status check."""

    name: str | None = None
    external_url: str | None = None
    shared_secret: str | None = None
    protected_branch_ids: CommaList[int] | None = None


@area.operation(
    "PUT",
    f"{_PATH}/:check_id",
    name="update_external_status_check",
    scope=PROJECT,
    params=UpdateStatusCheck,
    view=ExternalStatusCheckView,
    tier="ultimate",
    since="14.1",
    refusals=(401, 404, 422),
)
def update_external_status_check(
    ctx: WriteContext, project: Project, check_id: int, p: UpdateStatusCheck
) -> ExternalStatusCheck:
    """Update an external status check of a project."""
    status_checks.authorize(ctx, project)
    check = status_checks.get_check(ctx.world, project, check_id)
    changes = {name: value for name, value in p.given().items() if value is not None}
    return status_checks.update(ctx, project, check, **changes)


@area.operation(
    "DELETE",
    f"{_PATH}/:check_id",
    name="delete_external_status_check",
    scope=PROJECT,
    tier="ultimate",
    since="14.1",
    refusals=(401, 404),
)
def delete_external_status_check(ctx: WriteContext, project: Project, check_id: int) -> None:
    """Delete an external status check of a project."""
    status_checks.authorize(ctx, project)
    purge(ctx, status_checks.get_check(ctx.world, project, check_id))


@area.operation(
    "GET",
    "status_checks",
    name="list_merge_request_status_checks",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=Paged,
    view=StatusCheckView,
    many=True,
    tier="ultimate",
    since="14.1",
    refusals=(403,),
)
def list_merge_request_status_checks(
    ctx: ReadContext, project: Project, merge_request: MergeRequest
) -> Sequence[CheckOfMergeRequest]:
    """List the external status checks of a merge request, and what they said of its head."""
    ability = Ability.READ_MERGE_REQUESTS if ctx.profile.has(CHECKS_HIDE_URLS) else Ability.UPDATE_MERGE_REQUEST
    authorize(ctx, ability, project)
    checks = status_checks.list_applicable(ctx.world, merge_request)
    return [CheckOfMergeRequest(check, merge_request) for check in checks]


class RespondToStatusCheck(Params):
    """What a service says of the head of a merge request."""

    external_status_check_id: int
    sha: str
    status: Annotated[
        Literal["passed", "failed", "pending"],
        Lifetime(since="15.0", values=("failed",)),
        Lifetime(since="16.5", values=("pending",)),
        Required(since=RESPONSES_NEED_STATUS.since),
    ] = "passed"


@area.operation(
    "POST",
    "status_check_responses",
    name="create_merge_request_status_check_response",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=RespondToStatusCheck,
    view=StatusCheckResponseView,
    tier="ultimate",
    since="14.1",
    refusals=(400, 403, 404, 409),
)
def respond_to_status_check(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: RespondToStatusCheck
) -> StatusCheckResponse:
    """Set what an external service says of the head of a merge request."""
    noteables.authorize_update(ctx, merge_request)
    check = status_checks.get_check(ctx.world, project, p.external_status_check_id)
    merging.check_head(ctx.world, merge_request, p.sha)
    return status_checks.respond(ctx, merge_request, check, p.sha, p.status)


@area.operation(
    "POST",
    "status_checks/:external_status_check_id/retry",
    name="retry_merge_request_status_check",
    scope=MERGE_REQUEST_WITH_ACCESS,
    tier="ultimate",
    status=202,
    since="15.7",
    refusals=(403, 404, 422),
)
def retry_status_check(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, external_status_check_id: int
) -> dict[str, str]:
    """Retry a failed external status check of a merge request."""
    noteables.authorize_update(ctx, merge_request)
    status_checks.retry(ctx, merge_request, status_checks.get_check(ctx.world, project, external_status_check_id))
    return {"message": "202 Accepted"}


@area.operation(
    "GET",
    "packages/protection/rules",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    view=PackageProtectionRuleView,
    many=True,
    paging=None,
    since="17.6",
)
def list_package_protection_rules(ctx: ReadContext, project: Project) -> Sequence[PackageProtectionRule]:
    """List the rules that protect the packages of a project."""
    return ctx.world.package_protection_rules.where("project", project.id)
