"""Pipeline schedules: pipelines that are created at the times of a cron expression."""

from fakeplat.core.store.frozen import frozen
from fakeplat.model.pipelines import PipelineVariable


@frozen
class PipelineSchedule:
    """A pipeline schedule of a project. ``last_pipeline_id`` is the newest pipeline that it created."""

    id: int
    project_id: int
    description: str
    ref: str
    cron: str
    created_at: str
    updated_at: str
    cron_timezone: str = "UTC"
    active: bool = True
    next_run_at: str | None = None
    owner_id: int | None = None
    variables: tuple[PipelineVariable, ...] = ()
    last_pipeline_id: int | None = None
