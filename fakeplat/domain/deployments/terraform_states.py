"""States of Terraform: versions and locks. Source: docs/platform/terraform-states.md."""

import json
from collections.abc import Sequence
from typing import Any, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import Conflict, NotFound, RecordNotFound, Unprocessable
from fakeplat.model.projects import Project
from fakeplat.model.terraform import TerraformState, TerraformStateVersion
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe


def list_states(world: World, project: Project) -> Sequence[TerraformState]:
    """Return the states of a project, by name."""
    return sorted(world.terraform_states.where("project", project.id), key=lambda state: state.name)


def find_state(world: World, project: Project, name: str) -> TerraformState | None:
    """Return the state of a project with a name."""
    return world.terraform_states.find("name", (project.id, name))


def get_state(world: World, project: Project, name: str) -> TerraformState:
    """Return the state of a project with a name, or refuse with 404."""
    state = find_state(world, project, name)
    if state is None:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no Terraform state {name!r}")
    return state


def list_versions(world: World, state: TerraformState) -> Sequence[TerraformStateVersion]:
    """Return the versions of a state, the latest last."""
    return sorted(world.terraform_state_versions.where("state", state.id), key=lambda version: version.serial)


def find_latest_version(world: World, state: TerraformState) -> TerraformStateVersion | None:
    """Return the version of a state with the highest serial."""
    return next(reversed(list_versions(world, state)), None)


def get_version(world: World, state: TerraformState, serial: int) -> TerraformStateVersion:
    """Return the version of a state with a serial, or refuse with 404."""
    version = world.terraform_state_versions.find("serial", (state.id, serial))
    if version is None:
        raise NotFound(reason=f"the Terraform state {state.name!r} has no version {serial}")
    return version


class StateFields(TypedDict, total=False):
    """Further fields of a new state."""

    created_at: str
    updated_at: str
    lock_id: str | None
    locked_by_id: int | None
    locked_at: str | None


def create(ctx: WriteContext, project: Project, name: str, **fields: Unpack[StateFields]) -> TerraformState:
    """Create a state without a version."""
    table, now = ctx.world.terraform_states, ctx.now_iso
    values: dict[str, Any] = {"created_at": now, "updated_at": fields.get("created_at", now), **fields}
    return table.add(TerraformState(table.next_id(), project.id, name, **values))


def get_or_create(ctx: WriteContext, project: Project, name: str) -> TerraformState:
    """Return the state of a project with a name, creating it if necessary."""
    return find_state(ctx.world, project, name) or create(ctx, project, name)


def check_lock(state: TerraformState, lock_id: str | None) -> None:
    """Refuse with 409 unless a client sent the id of the state's lock, or none for a state without one."""
    if (state.lock_id or "") != (lock_id or ""):
        held = f"is locked with {state.lock_id!r}" if state.lock_id else "is not locked"
        raise Conflict(reason=f"the Terraform state {state.name!r} {held}; the request has {lock_id!r}")


def read_serial(content: bytes) -> int:
    """Return the serial of a state file, or refuse with 422."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise Unprocessable("invalid JSON", reason="the body is no JSON") from None
    serial = document.get("serial") if isinstance(document, dict) else None
    if not isinstance(serial, int) or isinstance(serial, bool):
        raise Unprocessable("No serial in payload", reason="the body has no integer 'serial'")
    return serial


class VersionFields(TypedDict, total=False):
    """The fields of a new version."""

    serial: Required[int]
    content: Required[bytes]
    created_at: str
    updated_at: str
    creator_id: int | None
    job_id: int | None


def add_version(ctx: WriteContext, state: TerraformState, **fields: Unpack[VersionFields]) -> TerraformStateVersion:
    """Add a version to a state; 422 if the state has its serial already. Its creator is who holds the lock."""
    table, now, serial = ctx.world.terraform_state_versions, ctx.now_iso, fields["serial"]
    if table.find("serial", (state.id, serial)) is not None:
        raise Unprocessable(_explain_duplicate(state, serial), reason="the state has a version with this serial")
    ctx.world.terraform_states.change(state, updated_at=fields.get("created_at", now))
    times = {"created_at": now, "updated_at": fields.get("created_at", now)}
    values: dict[str, Any] = {**times, "creator_id": state.locked_by_id, **fields}
    return table.add(TerraformStateVersion(id=table.next_id(), state_id=state.id, **values))


def _explain_duplicate(state: TerraformState, serial: int) -> str:
    # The platform answers with the error of its database.
    index = "index_terraform_state_versions_on_state_id_and_version"
    return (
        f'PG::UniqueViolation: ERROR:  duplicate key value violates unique constraint "{index}"\n'
        f"DETAIL:  Key (terraform_state_id, version)=({state.id}, {serial}) already exists.\n"
    )


def lock(ctx: WriteContext, state: TerraformState, lock_id: str) -> TerraformState:
    """Lock a state that is not locked."""
    return _change(ctx, state, lock_id=lock_id, locked_by_id=ctx.signed_in_user.id, locked_at=ctx.now_iso)


def unlock(ctx: WriteContext, state: TerraformState) -> TerraformState:
    """Remove the lock of a state, if it has one."""
    return _change(ctx, state, lock_id=None, locked_by_id=None, locked_at=None)


def _change(ctx: WriteContext, state: TerraformState, **fields: Unpack[StateFields]) -> TerraformState:
    return ctx.world.terraform_states.change(state, updated_at=ctx.now_iso, **fields)
