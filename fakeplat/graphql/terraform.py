"""States of Terraform. Source: docs/platform/terraform-states.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from fakeplat.domain.deployments import terraform_states
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.ci import Job
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.terraform import TerraformState, TerraformStateVersion
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.behaviours import LOCKED_TERRAFORM_STATES_STAY
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=13.6"
_LOCKED: Final = "You cannot remove the State file because it's locked. Unlock the State file first before removing it."

Scalar("TerraformStateID", "The global ID of a record of the type TerraformState.", since=_SINCE)
STATE = Type("TerraformState", "A state of Terraform.", gid="Terraform::State", has_count=True, since=_SINCE)
STATE.attributes(
    {
        "name: String!": "The name.",
        "lockedAt: Time": "Timestamp at which the state was locked.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
VERSION = Type("TerraformStateVersion", "A version of a state.", gid="Terraform::StateVersion", since=_SINCE)
VERSION.attributes({"createdAt: Time!": "Timestamp of creation.", "updatedAt: Time!": "Timestamp of the last update."})
VERSION.attributes({"serial: Int": "The serial of the version."}, since="<=13.7")


@STATE.field("lockedByUser: User")
def locked_by_user(ctx: ReadContext, state: TerraformState) -> User | None:
    """The user who holds the lock."""
    return ctx.world.users.get(state.locked_by_id or 0)


@STATE.field("latestVersion: TerraformStateVersion")
def latest_version(ctx: ReadContext, state: TerraformState) -> TerraformStateVersion | None:
    """The latest version."""
    return terraform_states.find_latest_version(ctx.world, state)


@STATE.field("deletedAt: Time", since="<=15.3")
def deleted_at(_ctx: ReadContext, _state: TerraformState) -> str | None:
    """Timestamp of deletion."""
    # A state is deleted with the request, so there is none that is only marked.
    return None


@VERSION.field("createdByUser: User")
def created_by_user(ctx: ReadContext, version: TerraformStateVersion) -> User | None:
    """The user who created the version."""
    return ctx.world.users.get(version.creator_id or 0)


@VERSION.field("job: CiJob")
def job_of(ctx: ReadContext, version: TerraformStateVersion) -> Job | None:
    """The job that created the version."""
    job = ctx.world.jobs.get(version.job_id or 0)
    is_shown = job is not None and can(ctx, Ability.READ_COMMIT_STATUS, ctx.world.projects[job.project_id])
    return job if is_shown else None


@VERSION.field("downloadPath: String", since="<=13.7")
def download_path(ctx: ReadContext, version: TerraformStateVersion) -> str:
    """The path of the file."""
    state = ctx.world.terraform_states[version.state_id]
    name = quote(state.name, safe="")
    return f"/api/v4/projects/{state.project_id}/terraform/state/{name}/versions/{version.serial}"


@PROJECT.field("terraformStates: TerraformStateConnection", since=_SINCE)
def states_of(ctx: ReadContext, project: Project) -> Sequence[TerraformState]:
    """The states of Terraform of the project, by name."""
    return terraform_states.list_states(ctx.world, project) if can(ctx, Ability.READ_TERRAFORM_STATE, project) else ()


@PROJECT.field("terraformState(name: String!): TerraformState", since="<=13.9")
def state_of(ctx: ReadContext, project: Project, name: str) -> TerraformState | None:
    """The state of Terraform of the project with a name."""
    is_shown = can(ctx, Ability.READ_TERRAFORM_STATE, project)
    return terraform_states.find_state(ctx.world, project, name) if is_shown else None


# Changes

_WHICH: Final = '''
"""The global ID of the state."""
id: TerraformStateID!
'''


def _get_state(ctx: ReadContext, text: str) -> TerraformState:
    """Return the state with a global id that the caller may change, or refuse."""
    state = ctx.world.terraform_states.get(parse_id(ctx, text, "Terraform::State"))
    project = ctx.world.projects[state.project_id] if state is not None else None
    if state is None or project is None or not can_see(ctx, project):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    authorize(ctx, Ability.ADMIN_TERRAFORM_STATE, project)
    return state


@mutation("terraformStateDelete", input_fields=_WHICH, payload_fields="", since=_SINCE)
def terraform_state_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a state with its versions."""
    state = _get_state(ctx, id)
    if state.lock_id is not None and ctx.profile.has(LOCKED_TERRAFORM_STATES_STAY):
        return {"errors": [_LOCKED]}
    purge(ctx, state)
    return {}


@mutation("terraformStateLock", input_fields=_WHICH, payload_fields="", since=_SINCE)
def terraform_state_lock(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Lock a state."""
    state = _get_state(ctx, id)
    if state.lock_id is not None:
        return {"errors": ["state is already locked"]}
    terraform_states.lock(ctx, state, ctx.random_hex("terraform_lock"))
    return {}


@mutation("terraformStateUnlock", input_fields=_WHICH, payload_fields="", since=_SINCE)
def terraform_state_unlock(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Unlock a state, whoever holds the lock."""
    terraform_states.unlock(ctx, _get_state(ctx, id))
    return {}
