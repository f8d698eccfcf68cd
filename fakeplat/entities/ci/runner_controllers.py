"""Views of runner controllers. Source: docs/platform/runners.md."""

from fakeplat.core.operations.entity import Entity, attr, computed_if
from fakeplat.domain.ci import runner_controllers
from fakeplat.model.ci import RunnerController, RunnerControllerScope, RunnerControllerToken
from fakeplat.policy.context import ReadContext


class RunnerControllerView(Entity[RunnerController]):
    """A runner controller in a list."""

    id = attr()
    description = attr()
    state = attr()
    created_at = attr()
    updated_at = attr()


class RunnerControllerDetails(RunnerControllerView):
    """A single runner controller."""

    ctx: ReadContext

    @computed_if(since="18.10")
    def connected(self) -> bool:
        return runner_controllers.is_connected(self.ctx, self.record)


class RunnerControllerTokenView(Entity[RunnerControllerToken]):
    """A token of a runner controller."""

    id = attr()
    runner_controller_id = attr()
    description = attr()
    last_used_at = attr(since="18.10")
    created_at = attr()
    updated_at = attr()


class NewRunnerControllerToken(RunnerControllerTokenView):
    """A token of a runner controller that was just created, with its secret."""

    token = attr()


class InstanceScopeView(Entity[RunnerControllerScope]):
    """The scope of a runner controller that covers all runners."""

    created_at = attr()
    updated_at = attr()


class RunnerScopeView(Entity[RunnerControllerScope]):
    """The scope of a runner controller that covers one runner."""

    runner_id = attr()
    created_at = attr()
    updated_at = attr()
