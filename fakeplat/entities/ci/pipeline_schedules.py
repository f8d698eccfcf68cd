"""Views of pipeline schedules. Source: docs/platform/pipelines-jobs.md."""

from typing import Any, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.core.store.table import Record, Table
from fakeplat.domain.ci import pipeline_schedules
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.ci.variables import PipelineVariableView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.ci import PipelineSchedule
from fakeplat.policy.behaviours import SCHEDULE_INPUTS_ARE_HIDDEN, SCHEDULE_VARIABLES_ARE_HIDDEN
from fakeplat.policy.context import ReadContext

R = TypeVar("R", bound=Record)


class PipelineScheduleBasic(Entity[PipelineSchedule]):
    """A pipeline schedule in a list."""

    ctx: ReadContext

    id = attr()
    description = attr()
    ref = attr()
    cron = attr()
    cron_timezone = attr()
    next_run_at = attr()
    active = attr()
    created_at = attr()
    updated_at = attr()

    @computed
    def owner(self) -> UserBasic | None:
        owner: UserBasic | None = self._render(UserBasic, self.ctx.world.users, self.record.owner_id)
        return owner

    @computed_if(since="18.1", when=lambda view: view.can_read_inputs)
    def inputs(self) -> list[dict[str, Any]]:
        return [{"name": name, "value": value} for name, value in self.record.inputs.items()]

    @property
    def can_read_inputs(self) -> bool:
        """Whether the caller may read the inputs."""
        return pipeline_schedules.can_read_inputs(self.ctx, self.record)

    def _render(self, view: type[Entity[R]], table: Table[R], id_: int | None) -> Any:
        return self.ctx.render(view, None if id_ is None else table.get(id_))


class PipelineScheduleView(PipelineScheduleBasic):
    """A single pipeline schedule, with its newest pipeline and its variables."""

    @computed
    def last_pipeline(self) -> PipelineBasic | None:
        pipelines, id_ = self.ctx.world.pipelines, self.record.last_pipeline_id
        pipeline: PipelineBasic | None = self._render(PipelineBasic, pipelines, id_)
        return pipeline

    @computed_if(when=lambda view: view.can_read_variables)
    def variables(self) -> list[PipelineVariableView]:
        return [self.ctx.render(PipelineVariableView, variable) for variable in self.record.variables]

    @property
    def can_read_variables(self) -> bool:
        """Whether the caller may read the variables."""
        return pipeline_schedules.can_read_variables(self.ctx, self.record)


class ChangedPipelineSchedule(PipelineScheduleView):
    """A pipeline schedule as the answer to its change: where values are not for all, it shows them to nobody."""

    @property
    def can_read_inputs(self) -> bool:
        """Whether everybody may read the inputs."""
        return not self.ctx.profile.has(SCHEDULE_INPUTS_ARE_HIDDEN)

    @property
    def can_read_variables(self) -> bool:
        """Whether everybody may read the variables."""
        return not self.ctx.profile.has(SCHEDULE_VARIABLES_ARE_HIDDEN)
