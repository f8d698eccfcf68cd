"""What moves an unfinished record on: the scheduled tasks to run when a client polls for it under the auto clock.

Source: docs/contract.md ('Clocks').
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.core.store.table import Record
from fakeplat.domain.ci import pipelines
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.deployments import Deployment
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World


def next_step_time(world: World, records: Iterable[Record]) -> int | None:
    """Return the time (ms) of the next step of any of the records; None if no step is scheduled."""
    steps = chain.from_iterable(_list_steps(world, record) for record in records)
    return min((task.at for task in steps), default=None)


def stall_reason(_world: World, record: object) -> str:
    """Return why nothing will move an unfinished pipeline or job on; empty for a record that is finished."""
    if not isinstance(record, Pipeline | Job) or record.is_completed:
        return ""
    kind = "pipeline" if isinstance(record, Pipeline) else "job"
    return f"nothing is scheduled that would change the {record.status} {kind} {record.id}; the clock moved by 1 s"


def _list_steps(world: World, record: Record) -> Iterator[ScheduledTask]:
    list_subjects = _SUBJECTS.get(type(record))
    subjects = [_subject(world, record)] if list_subjects is None else list_subjects(world, record)
    for subject in subjects:
        yield from (task for task in world.scheduled_tasks.where("subject", subject) if task.in_progress)


def _subject(world: World, record: Record) -> Subject:
    return world.table_name(record), record.id


def _job_subjects(world: World, job: Job) -> Iterator[Subject]:
    if job.is_completed:
        return
    if job.downstream_pipeline_id is not None:
        yield from _pipeline_subjects(world, world.pipelines[job.downstream_pipeline_id])
    own = "jobs", job.id
    if any(task.in_progress for task in world.scheduled_tasks.where("subject", own)):
        yield own
    # A job that waits for others moves on with its pipeline.
    elif job.status in ("created", "waiting_for_resource"):
        yield from _pipeline_subjects(world, world.pipelines[job.pipeline_id])


def _pipeline_subjects(world: World, pipeline: Pipeline) -> Iterator[Subject]:
    if pipeline.is_completed:
        return
    for job in world.jobs.where("latest", pipeline.id):
        if not job.is_completed:
            yield "jobs", job.id
            if job.downstream_pipeline_id is not None:
                yield from _pipeline_subjects(world, world.pipelines[job.downstream_pipeline_id])


def _merge_request_subjects(world: World, merge_request: MergeRequest) -> Iterator[Subject]:
    yield "merge_requests", merge_request.id
    head = pipelines.head_pipeline(world, merge_request) if merge_request.merge_when_pipeline_succeeds else None
    if head is not None:
        yield from _pipeline_subjects(world, head)


def _deployment_subjects(world: World, deployment: Deployment) -> Iterator[Subject]:
    job = world.jobs.get(deployment.job_id) if deployment.job_id is not None else None
    if job is not None:
        yield from _job_subjects(world, job)


_SUBJECTS: Final[Mapping[type, Callable[[World, Any], Iterable[Subject]]]] = {
    Deployment: _deployment_subjects,
    Job: _job_subjects,
    Pipeline: _pipeline_subjects,
    MergeRequest: _merge_request_subjects,
}
"""The subjects of the tasks that move a record on, where it is not only the record itself."""
