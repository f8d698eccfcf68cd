"""External status checks of projects. No service is ever notified."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import RecordNotFound, Unauthorized, Unprocessable
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, check_url, too_long
from fakeplat.model.merge_requests import ExternalStatusCheck, MergeRequest, ResponseStatus, StatusCheckResponse
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.behaviours import SECRETS_OF_CHECKS_ARE_BOUNDED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

NOT_FAILED: Final = "External status check must be failed"


def authorize(ctx: ReadContext, project: Project) -> None:
    """Raise 401, as the platform does here, unless the caller administers a project."""
    decision = decide(ctx, Ability.ADMIN_PROJECT, project)
    if not decision.allowed:
        raise Unauthorized(reason=decision.why)


def list_checks(world: World, project: Project) -> Sequence[ExternalStatusCheck]:
    """Return the status checks of a project."""
    return world.external_status_checks.where("project", project.id)


class StatusCheckFields(TypedDict, total=False):
    """Further fields of a new status check."""

    protected_branch_ids: Sequence[int]
    shared_secret: str | None


def create(
    ctx: WriteContext, project: Project, name: str, external_url: str, **fields: Unpack[StatusCheckFields]
) -> ExternalStatusCheck:
    """Create a status check; 422 for an invalid one. Protected branches of other projects are left out."""
    table = ctx.world.external_status_checks
    secret = fields.get("shared_secret")
    _validate(ctx.world, project, name, external_url, secret)
    branch_ids = _own_branches(ctx.world, project, fields.get("protected_branch_ids", ()))
    return table.add(ExternalStatusCheck(table.next_id(), project.id, name, external_url, branch_ids, bool(secret)))


def _validate(
    world: World, project: Project, name: str, external_url: str, secret: str | None, own_id: int = 0
) -> None:
    errors = ValidationErrors()
    others = [check for check in list_checks(world, project) if check.id != own_id]
    errors.when(not name.strip(), "name", BLANK)
    errors.when(any(check.name == name for check in others), "name", TAKEN)
    errors.when(any(check.external_url == external_url for check in others), "external_url", TAKEN)
    check_url(errors, "external_url", external_url)
    if world.profile.has(SECRETS_OF_CHECKS_ARE_BOUNDED):
        too_long(errors, "shared_secret", secret)
    if errors:
        raise Unprocessable(errors.full_messages())


def _own_branches(world: World, project: Project, ids: Iterable[int]) -> tuple[int, ...]:
    own = set(world.protected_branches.ids("project", project.id))
    return tuple(id_ for id_ in ids if id_ in own)


def get_check(world: World, project: Project, id_: int) -> ExternalStatusCheck:
    """Return a status check of a project; 404 for one of another project."""
    check = world.external_status_checks.get(id_)
    if check is None or check.project_id != project.id:
        raise RecordNotFound(reason=f"the project has no status check {id_}")
    return check


class StatusCheckChanges(StatusCheckFields, total=False):
    """Changes of a status check."""

    name: str
    external_url: str


def update(
    ctx: WriteContext, project: Project, check: ExternalStatusCheck, **changes: Unpack[StatusCheckChanges]
) -> ExternalStatusCheck:
    """Change a status check; 422 for an invalid one."""
    name, url = changes.get("name", check.name), changes.get("external_url", check.external_url)
    fields: dict[str, Any] = {**changes}
    secret = fields.pop("shared_secret", None)
    _validate(ctx.world, project, name, url, secret, check.id)
    if "shared_secret" in changes:
        fields["hmac"] = bool(secret)
    if "protected_branch_ids" in changes:
        fields["protected_branch_ids"] = _own_branches(ctx.world, project, changes["protected_branch_ids"])
    return ctx.world.external_status_checks.change(check, **fields)


# Responses


def list_applicable(world: World, merge_request: MergeRequest) -> list[ExternalStatusCheck]:
    """Return the status checks for the target branch of a merge request."""
    project = world.projects[merge_request.project_id]
    rules = {rule.id for rule in protection.list_branch_rules(world, project, merge_request.target_branch)}
    return [
        check
        for check in list_checks(world, project)
        if not check.protected_branch_ids or not rules.isdisjoint(check.protected_branch_ids)
    ]


def read_status(world: World, merge_request: MergeRequest, check: ExternalStatusCheck) -> ResponseStatus:
    """Return what a service said last of the head of a merge request; pending if it said nothing."""
    sha = diff_versions.head_sha(world, merge_request)
    answers = world.status_check_responses.where("merge_request", merge_request.id)
    said = [each.status for each in answers if (each.external_status_check_id, each.sha) == (check.id, sha)]
    return said[-1] if said else "pending"


def are_missing(world: World, merge_request: MergeRequest) -> bool:
    """Return whether the project requires status checks to pass, and one has not."""
    project = world.projects[merge_request.project_id]
    if not project.only_allow_merge_if_all_status_checks_passed or not has_feature(world, "ultimate", project):
        return False
    checks = list_applicable(world, merge_request)
    return any(read_status(world, merge_request, check) != "passed" for check in checks)


def respond(
    ctx: WriteContext, merge_request: MergeRequest, check: ExternalStatusCheck, sha: str, status: ResponseStatus
) -> StatusCheckResponse:
    """Store what a service says of a commit of a merge request."""
    table = ctx.world.status_check_responses
    answer = StatusCheckResponse(table.next_id(), merge_request.id, check.id, sha, status, ctx.now_iso)
    return table.add(answer)


def retry(ctx: WriteContext, merge_request: MergeRequest, check: ExternalStatusCheck) -> None:
    """Let a failed status check begin again; 422 for another one."""
    if read_status(ctx.world, merge_request, check) != "failed":
        raise Unprocessable(NOT_FAILED)
    respond(ctx, merge_request, check, diff_versions.head_sha(ctx.world, merge_request) or "", "pending")
