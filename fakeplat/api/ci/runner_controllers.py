"""Runner controllers, their tokens and their scopes. Source: docs/platform/runners.md."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import runner_controllers
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.runner_controllers import (
    InstanceScopeView,
    NewRunnerControllerToken,
    RunnerControllerDetails,
    RunnerControllerTokenView,
    RunnerControllerView,
    RunnerScopeView,
)
from fakeplat.model.ci import (
    RunnerController,
    RunnerControllerScope,
    RunnerControllerState,
    RunnerControllerToken,
)
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import CONTROLLERS_OF_SINGLE_RUNNERS
from fakeplat.policy.context import ReadContext, WriteContext

# Administrators only, whom the platform checks for before everything else.
area: Final = Area("Runners", login=Login.ALWAYS, located_first=True)
ADMIN: Final = Ability.ADMIN_RUNNER_CONTROLLERS


@area.operation(
    "GET",
    "runner_controllers",
    ability=ADMIN,
    params=Paged,
    view=RunnerControllerView,
    many=True,
    tier="ultimate",
    since="18.9",
)
def list_runner_controllers(ctx: ReadContext) -> Sequence[RunnerController]:
    """List the runner controllers."""
    return ctx.world.runner_controllers.all()


@area.operation(
    "GET",
    "runner_controllers/:id",
    ability=ADMIN,
    view=RunnerControllerDetails,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def get_runner_controller(ctx: ReadContext, id: int) -> RunnerController:
    """Get a runner controller."""
    return runner_controllers.get_controller(ctx.world, id)


class CreateRunnerController(Params):
    """A new runner controller."""

    description: str | None = None
    state: RunnerControllerState = "disabled"


@area.operation(
    "POST",
    "runner_controllers",
    ability=ADMIN,
    params=CreateRunnerController,
    view=RunnerControllerView,
    refusals=(400,),
    tier="ultimate",
    since="18.9",
)
def create_runner_controller(ctx: WriteContext, p: CreateRunnerController) -> RunnerController:
    """Register a runner controller."""
    return runner_controllers.create(ctx, **p.given())


class UpdateRunnerController(Params):
    """Changes of a runner controller."""

    description: str | None = None
    state: RunnerControllerState = "disabled"


@area.operation(
    "PUT",
    "runner_controllers/:id",
    ability=ADMIN,
    params=UpdateRunnerController,
    view=RunnerControllerView,
    refusals=(400, 404),
    tier="ultimate",
    since="18.9",
)
def update_runner_controller(ctx: WriteContext, id: int, p: UpdateRunnerController) -> RunnerController:
    """Update a runner controller."""
    controller = runner_controllers.get_controller(ctx.world, id)
    return runner_controllers.update(ctx, controller, **p.given())


@area.operation("DELETE", "runner_controllers/:id", ability=ADMIN, refusals=(404, 412), tier="ultimate", since="18.9")
def delete_runner_controller(ctx: WriteContext, id: int) -> None:
    """Delete a runner controller with its tokens and scopes."""
    controller = runner_controllers.get_controller(ctx.world, id)
    ctx.check_unmodified_since(controller.updated_at)
    purge(ctx, controller)


@area.operation(
    "GET",
    "runner_controllers/:runner_controller_id/tokens",
    ability=ADMIN,
    params=Paged,
    view=RunnerControllerTokenView,
    many=True,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def list_runner_controller_tokens(ctx: ReadContext, runner_controller_id: int) -> Sequence[RunnerControllerToken]:
    """List the tokens of a runner controller that are not revoked."""
    controller = runner_controllers.get_controller(ctx.world, runner_controller_id)
    return runner_controllers.list_tokens(ctx.world, controller)


@area.operation(
    "GET",
    "runner_controllers/:runner_controller_id/tokens/:id",
    ability=ADMIN,
    view=RunnerControllerTokenView,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def get_runner_controller_token(ctx: ReadContext, runner_controller_id: int, id: int) -> RunnerControllerToken:
    """Get a token of a runner controller."""
    controller = runner_controllers.get_controller(ctx.world, runner_controller_id)
    return runner_controllers.get_token(ctx.world, controller, id)


class CreateRunnerControllerToken(Params):
    """A new token of a runner controller."""

    description: str | None = None


@area.operation(
    "POST",
    "runner_controllers/:runner_controller_id/tokens",
    ability=ADMIN,
    params=CreateRunnerControllerToken,
    view=NewRunnerControllerToken,
    refusals=(400, 404),
    tier="ultimate",
    since="18.9",
)
def create_runner_controller_token(
    ctx: WriteContext, runner_controller_id: int, p: CreateRunnerControllerToken
) -> RunnerControllerToken:
    """Create a token of a runner controller. Only this response shows its secret."""
    controller = runner_controllers.get_controller(ctx.world, runner_controller_id)
    return runner_controllers.create_token(ctx, controller, p.description)


@area.operation(
    "DELETE",
    "runner_controllers/:runner_controller_id/tokens/:id",
    ability=ADMIN,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def delete_runner_controller_token(ctx: WriteContext, runner_controller_id: int, id: int) -> None:
    """Revoke a token of a runner controller."""
    controller = runner_controllers.get_controller(ctx.world, runner_controller_id)
    runner_controllers.revoke_token(ctx, runner_controllers.get_token(ctx.world, controller, id))


@area.operation(
    "POST",
    "runner_controllers/:runner_controller_id/tokens/:id/rotate",
    ability=ADMIN,
    view=NewRunnerControllerToken,
    status=200,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def rotate_runner_controller_token(ctx: WriteContext, runner_controller_id: int, id: int) -> RunnerControllerToken:
    """Replace a token of a runner controller. Only this response shows the new secret."""
    controller = runner_controllers.get_controller(ctx.world, runner_controller_id)
    token = runner_controllers.get_token(ctx.world, controller, id)
    return runner_controllers.rotate_token(ctx, controller, token)


@area.operation(
    "GET",
    "runner_controllers/:id/scopes",
    ability=ADMIN,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def list_runner_controller_scopes(ctx: ReadContext, id: int) -> dict[str, Any]:
    """List the runners whose jobs a runner controller decides about: all of the instance, or single ones."""
    scopes = runner_controllers.list_scopes(ctx.world, runner_controllers.get_controller(ctx.world, id))
    of_instance = [ctx.render(InstanceScopeView, row) for row in scopes if row.runner_id is None]
    of_runners = [ctx.render(RunnerScopeView, row) for row in scopes if row.runner_id is not None]
    if not ctx.profile.has(CONTROLLERS_OF_SINGLE_RUNNERS):
        return {"instance_level_scopings": of_instance}
    return {"instance_level_scopings": of_instance, "runner_level_scopings": of_runners}


@area.operation(
    "POST",
    "runner_controllers/:id/scopes/instance",
    ability=ADMIN,
    view=InstanceScopeView,
    refusals=(404, 409),
    tier="ultimate",
    since="18.9",
)
def create_runner_controller_instance_scope(ctx: WriteContext, id: int) -> RunnerControllerScope:
    """Add all runners to those whose jobs a runner controller decides about."""
    return runner_controllers.add_instance_scope(ctx, runner_controllers.get_controller(ctx.world, id))


@area.operation(
    "DELETE",
    "runner_controllers/:id/scopes/instance",
    ability=ADMIN,
    refusals=(404,),
    tier="ultimate",
    since="18.9",
)
def delete_runner_controller_instance_scope(ctx: WriteContext, id: int) -> None:
    """Remove the scope of a runner controller that covers all runners."""
    runner_controllers.remove_scope(ctx, runner_controllers.get_controller(ctx.world, id), None)


@area.operation(
    "POST",
    "runner_controllers/:id/scopes/runners/:runner_id",
    ability=ADMIN,
    view=RunnerScopeView,
    refusals=(404, 409, 422),
    tier="ultimate",
    since="18.10",
)
def create_runner_controller_runner_scope(ctx: WriteContext, id: int, runner_id: int) -> RunnerControllerScope:
    """Add a runner of the instance to those whose jobs a runner controller decides about."""
    return runner_controllers.add_runner_scope(ctx, runner_controllers.get_controller(ctx.world, id), runner_id)


@area.operation(
    "DELETE",
    "runner_controllers/:id/scopes/runners/:runner_id",
    ability=ADMIN,
    refusals=(404,),
    tier="ultimate",
    since="18.10",
)
def delete_runner_controller_runner_scope(ctx: WriteContext, id: int, runner_id: int) -> None:
    """Remove a runner from those whose jobs a runner controller decides about."""
    runner_controllers.remove_scope(ctx, runner_controllers.get_controller(ctx.world, id), runner_id)
