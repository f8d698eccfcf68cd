"""States of Terraform, whose HTTP backend calls these operations. Source: docs/platform/terraform-states.md."""

from typing import Annotated, Final

import orjson

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import ContentTooLarge
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Check, Params
from fakeplat.domain.deployments import terraform_states
from fakeplat.domain.purging import purge
from fakeplat.model.projects import Project
from fakeplat.model.terraform import TerraformState
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import LOCKED_TERRAFORM_STATES_STAY
from fakeplat.policy.context import ReadContext, WriteContext

# Who may read is checked before the parameters, who may write after them.
area: Final = Area("Terraform state", login=Login.ALWAYS, located_first=True, token_passwords=True)
# The body is the state itself.
files: Final = Area("Terraform state", login=Login.ALWAYS, located_first=True, token_passwords=True, raw_body=True)
STATE: Final = "terraform/state/:name"
_BINARY: Final = "application/octet-stream"
_NO_CONTENT: Final = RawBody(b"", "", status=204)
_DONE: Final = RawBody(b'""', JSON)
_MAX_LENGTH: Final = 255
LockId = Annotated[
    str, Check(lambda text: None if len(text) <= _MAX_LENGTH else f"must be less than {_MAX_LENGTH} characters")
]


class HeldLock(Params):
    """The lock that the client holds."""

    ID: LockId | None = None


@files.operation(
    "GET",
    STATE,
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    params=HeldLock,
    also=(204,),
    refusals=(404,),
)
def get_terraform_state(ctx: ReadContext, project: Project, name: str) -> RawBody:
    """Download the latest version of a Terraform state; 204 if it has none."""
    version = terraform_states.find_latest_version(ctx.world, terraform_states.get_state(ctx.world, project, name))
    return RawBody(version.content, _BINARY) if version is not None else _NO_CONTENT


@files.operation(
    "POST",
    STATE,
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    params=HeldLock,
    status=200,
    also=(204,),
    refusals=(403, 409, 413, 422),
)
def create_terraform_state(ctx: WriteContext, project: Project, name: str, p: HeldLock) -> RawBody:
    """Upload a version of a Terraform state, which is created if necessary."""
    authorize(ctx, Ability.ADMIN_TERRAFORM_STATE, project)
    content = ctx.request.body if ctx.request is not None else b""
    if not content:
        return _NO_CONTENT
    _check_size(ctx, content)
    serial = terraform_states.read_serial(content)
    state = terraform_states.get_or_create(ctx, project, name)
    terraform_states.check_lock(state, p.ID)
    job_id = ctx.token.job_id if ctx.token is not None else None
    terraform_states.add_version(ctx, state, serial=serial, content=content, job_id=job_id)
    return _DONE


def _check_size(ctx: ReadContext, content: bytes) -> None:
    limit = ctx.world.settings.max_terraform_state_size_bytes
    if 0 < limit < len(content):
        raise ContentTooLarge(reason=f"the state has {len(content)} bytes; max_terraform_state_size_bytes is {limit}")


@files.operation(
    "DELETE",
    STATE,
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    params=HeldLock,
    status=200,
    refusals=(403, 404, 409),
)
def delete_terraform_state(ctx: WriteContext, project: Project, name: str, p: HeldLock) -> RawBody:
    """Delete a Terraform state with its versions. Later releases keep a locked one, without a word."""
    authorize(ctx, Ability.ADMIN_TERRAFORM_STATE, project)
    if ctx.profile.has(LOCKED_TERRAFORM_STATES_STAY):
        state = terraform_states.get_state(ctx.world, project, name)
        if state.lock_id is None:
            purge(ctx, state)
        return _DONE
    found = terraform_states.find_state(ctx.world, project, name)
    if found is not None:
        terraform_states.check_lock(found, p.ID)
        purge(ctx, found)
    return _DONE


class LockState(Params):
    """A lock, as Terraform describes it."""

    ID: LockId
    Operation: str
    Info: str
    Who: str
    Version: str
    Created: str
    Path: str


@area.operation(
    "POST",
    f"{STATE}/lock",
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    params=LockState,
    status=200,
    also=(409,),
    refusals=(400, 403),
)
def lock_terraform_state(ctx: WriteContext, project: Project, name: str, p: LockState) -> RawBody:
    """Lock a Terraform state, which is created if necessary; 409 with the lock that it has."""
    authorize(ctx, Ability.ADMIN_TERRAFORM_STATE, project)
    state = terraform_states.get_or_create(ctx, project, name)
    is_free = state.lock_id is None
    if is_free:
        state = terraform_states.lock(ctx, state, p.ID)
    return RawBody(_describe_lock(ctx, state, p), _BINARY, status=200 if is_free else 409)


def _describe_lock(ctx: ReadContext, state: TerraformState, p: LockState) -> bytes:
    holder = ctx.world.users.get(state.locked_by_id or 0)
    sent = {name: getattr(p, name) for name in ("Operation", "Info", "Version", "Path")}
    held = {"ID": state.lock_id, "Who": holder.username if holder else None, "Created": state.locked_at}
    return orjson.dumps({**sent, **held})


@area.operation(
    "DELETE",
    f"{STATE}/lock",
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    params=HeldLock,
    status=200,
    also=(409,),
    refusals=(403,),
)
def unlock_terraform_state(ctx: WriteContext, project: Project, name: str, p: HeldLock) -> RawBody:
    """Remove the lock of a Terraform state; without the id of the lock by force."""
    authorize(ctx, Ability.ADMIN_TERRAFORM_STATE, project)
    state = terraform_states.get_or_create(ctx, project, name)
    if p.ID is not None and (state.lock_id or "") != p.ID:
        return RawBody(b"409", JSON, status=409)
    terraform_states.unlock(ctx, state)
    return RawBody(b"200", JSON)


@area.operation(
    "GET",
    f"{STATE}/versions/:serial",
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    refusals=(404,),
)
def get_terraform_state_version(ctx: ReadContext, project: Project, name: str, serial: int) -> RawBody:
    """Download a version of a Terraform state."""
    state = terraform_states.get_state(ctx.world, project, name)
    return RawBody(terraform_states.get_version(ctx.world, state, serial).content, _BINARY)


@area.operation(
    "DELETE",
    f"{STATE}/versions/:serial",
    scope=PROJECT,
    ability=Ability.READ_TERRAFORM_STATE,
    job_token=True,
    refusals=(403, 404),
    since="13.6",
)
def delete_terraform_state_version(ctx: WriteContext, project: Project, name: str, serial: int) -> None:
    """Delete a version of a Terraform state."""
    authorize(ctx, Ability.ADMIN_TERRAFORM_STATE, project)
    state = terraform_states.get_state(ctx.world, project, name)
    purge(ctx, terraform_states.get_version(ctx.world, state, serial))
