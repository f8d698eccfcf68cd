"""Runner controllers, their tokens and their scopes. Source: docs/platform/runners.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, Conflict, NotFound, RecordNotFound, Unprocessable
from fakeplat.core.timestamps import HOUR, from_iso
from fakeplat.domain.ci import runners
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.ci import (
    Runner,
    RunnerController,
    RunnerControllerScope,
    RunnerControllerState,
    RunnerControllerToken,
)
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

TOKEN_PREFIX: Final = "glrct-"
_TOKEN_BYTES: Final = 10
_LONGEST_DESCRIPTION: Final = 1024
_CONNECTED_FOR: Final = HOUR


def get_controller(world: World, id_: int) -> RunnerController:
    """Return the runner controller with an id, or refuse with 404."""
    controller = world.runner_controllers.get(id_)
    if controller is None:
        raise NotFound(reason=f"there is no runner controller {id_}")
    return controller


def is_connected(ctx: ReadContext, controller: RunnerController) -> bool:
    """Return whether a token of a controller was used within the last hour."""
    used = (token.last_used_at for token in list_tokens(ctx.world, controller))
    return any(at is not None and ctx.now() - from_iso(at) < _CONNECTED_FOR for at in used)


class ControllerFields(TypedDict, total=False):
    """Fields of a runner controller."""

    description: str | None
    state: RunnerControllerState


class NewController(ControllerFields, total=False):
    """The fields of a new runner controller."""

    created_at: str
    updated_at: str


def create(ctx: WriteContext, **fields: Unpack[NewController]) -> RunnerController:
    """Create a runner controller."""
    table, now = ctx.world.runner_controllers, ctx.now_iso
    values: NewController = {"created_at": now, "updated_at": now, **fields}
    controller = RunnerController(id=table.next_id(), **values)
    _check_description(controller.description)
    return table.add(controller)


def update(ctx: WriteContext, controller: RunnerController, **fields: Unpack[ControllerFields]) -> RunnerController:
    """Change the description or the state of a runner controller."""
    changed = evolve(controller, **fields)
    _check_description(changed.description)
    if changed == controller:
        return controller
    return ctx.world.runner_controllers.replace(controller, evolve(changed, updated_at=ctx.now_iso))


def _check_description(description: str | None) -> None:
    errors = ValidationErrors()
    too_long(errors, "description", description, _LONGEST_DESCRIPTION)
    if errors:
        raise BadRequest(f"400 Bad request - {' and '.join(errors.full_messages())}")


# Tokens


def list_tokens(world: World, controller: RunnerController) -> Sequence[RunnerControllerToken]:
    """Return the tokens of a runner controller that are not revoked."""
    tokens = world.runner_controller_tokens.where("runner_controller", controller.id)
    return [token for token in tokens if not token.revoked]


def get_token(world: World, controller: RunnerController, id_: int) -> RunnerControllerToken:
    """Return the token of a runner controller with an id, or refuse with 404; revoked ones are not found."""
    token = world.runner_controller_tokens.get(id_)
    if token is None or token.revoked or token.runner_controller_id != controller.id:
        raise NotFound(reason=f"runner controller {controller.id} has no active token {id_}")
    return token


def create_token(
    ctx: WriteContext, controller: RunnerController, description: str | None = None
) -> RunnerControllerToken:
    """Create a token with which a runner controller authenticates."""
    _check_description(description)
    table, now = ctx.world.runner_controller_tokens, ctx.now_iso
    secret = f"{TOKEN_PREFIX}{ctx.random_hex('runner controller token', _TOKEN_BYTES)}"
    return table.add(RunnerControllerToken(table.next_id(), controller.id, secret, now, now, description))


def revoke_token(ctx: WriteContext, token: RunnerControllerToken) -> RunnerControllerToken:
    """Revoke a token."""
    return ctx.world.runner_controller_tokens.change(token, revoked=True, updated_at=ctx.now_iso)


def rotate_token(
    ctx: WriteContext, controller: RunnerController, token: RunnerControllerToken
) -> RunnerControllerToken:
    """Revoke a token and create one with the same description in its place."""
    revoke_token(ctx, token)
    return create_token(ctx, controller, token.description)


# Scopes


def list_scopes(world: World, controller: RunnerController) -> Sequence[RunnerControllerScope]:
    """Return the scopes of a runner controller."""
    return world.runner_controller_scopes.where("runner_controller", controller.id)


def find_instance_scope(world: World, controller: RunnerController) -> RunnerControllerScope | None:
    """Return the scope of a runner controller that covers all runners, or None."""
    return world.runner_controller_scopes.find("pair", (controller.id, None))


def add_instance_scope(ctx: WriteContext, controller: RunnerController) -> RunnerControllerScope:
    """Let a runner controller decide about the jobs of all runners; 409 if it has a scope already."""
    if find_instance_scope(ctx.world, controller) is not None:
        raise Conflict("Instance-level scope already exists for this runner controller")
    return _add_scope(ctx, controller, None)


def add_runner_scope(ctx: WriteContext, controller: RunnerController, runner_id: int) -> RunnerControllerScope:
    """Let a runner controller decide about the jobs of a runner of the instance."""
    runner = _get_runner(ctx.world, runner_id)
    if runner.runner_type != "instance_type":
        raise Unprocessable("Only instance-type runners can be scoped", reason=f"runner {runner.id} is of a part")
    if find_instance_scope(ctx.world, controller) is not None:
        text = "Runner controller already has instance-level scope. Remove it before adding runner scopes."
        raise Conflict(text)
    if ctx.world.runner_controller_scopes.find("pair", (controller.id, runner.id)) is not None:
        raise Conflict("Runner scope already exists for this runner controller")
    return _add_scope(ctx, controller, runner.id)


def remove_scope(ctx: WriteContext, controller: RunnerController, runner_id: int | None) -> None:
    """Remove the scope of a runner, or with None that of all runners, if there is one."""
    if runner_id is not None:
        _get_runner(ctx.world, runner_id)
    scope = ctx.world.runner_controller_scopes.find("pair", (controller.id, runner_id))
    if scope is not None:
        purge(ctx, scope)


def _get_runner(world: World, id_: int) -> Runner:
    try:
        return runners.get_runner(world, id_)
    except RecordNotFound as refusal:
        raise NotFound(reason=refusal.why) from None


def _add_scope(ctx: WriteContext, controller: RunnerController, runner_id: int | None) -> RunnerControllerScope:
    table, now = ctx.world.runner_controller_scopes, ctx.now_iso
    return table.add(RunnerControllerScope(table.next_id(), controller.id, now, now, runner_id))
