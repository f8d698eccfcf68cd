"""External status checks of projects. No service is ever notified."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from fakeplat.core.operations.errors import Unauthorized, Unprocessable
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, check_url
from fakeplat.model.merge_requests import ExternalStatusCheck
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import ReadContext, WriteContext


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
    hmac: bool


def create(
    ctx: WriteContext, project: Project, name: str, external_url: str, **fields: Unpack[StatusCheckFields]
) -> ExternalStatusCheck:
    """Create a status check; 422 for an invalid one. Protected branches of other projects are left out."""
    table = ctx.world.external_status_checks
    errors = ValidationErrors()
    others = table.where("project", project.id)
    errors.when(not name.strip(), "name", BLANK)
    errors.when(any(check.name == name for check in others), "name", TAKEN)
    errors.when(any(check.external_url == external_url for check in others), "external_url", TAKEN)
    check_url(errors, "external_url", external_url)
    if errors:
        raise Unprocessable(errors.full_messages())
    own = set(ctx.world.protected_branches.ids("project", project.id))
    branch_ids = tuple(id_ for id_ in fields.get("protected_branch_ids", ()) if id_ in own)
    check = ExternalStatusCheck(table.next_id(), project.id, name, external_url, branch_ids, fields.get("hmac", False))
    return table.add(check)
