"""Outcomes of played jobs: which one a job gets by the patterns of its project, ref and name."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from fakeplat.domain.ci import jobs
from fakeplat.domain.people import namespaces
from fakeplat.model.jobs import Job, JobOutcome, PlayedResult
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

DEFAULT: Final = JobOutcome(id=0)


def find_outcome(world: World, job: Job) -> JobOutcome:
    """Return the outcome of a job: the last one whose patterns match, by default success after one second."""
    outcomes = world.job_outcomes.all()
    if not outcomes:
        return DEFAULT
    path = namespaces.project_path(world, world.projects[job.project_id])
    return next((outcome for outcome in outcomes.in_reverse() if _matches(outcome, path, job)), DEFAULT)


def result_of(world: World, outcome: JobOutcome, job: Job) -> PlayedResult:
    """Return the result of this try of a job."""
    if not outcome.attempts:
        return outcome.outcome
    return outcome.attempts[min(jobs.count_retries(world, job), len(outcome.attempts) - 1)]


def waits_for_user(world: World, job: Job) -> bool:
    """Return whether a job is to wait for a user, although its configuration does not say so."""
    outcome = find_outcome(world, job)
    return job.kind == "build" and result_of(world, outcome, job) == "manual"


def replace_outcomes(ctx: WriteContext, outcomes: Iterable[Mapping[str, Any]]) -> Sequence[JobOutcome]:
    """Replace all outcomes. Jobs that are running already finish when they were to."""
    table = ctx.world.job_outcomes
    for outcome in list(table.all()):
        table.remove(outcome)
    return add_outcomes(ctx, outcomes)


def add_outcomes(ctx: WriteContext, outcomes: Iterable[Mapping[str, Any]]) -> Sequence[JobOutcome]:
    """Add outcomes, which come before the present ones."""
    table = ctx.world.job_outcomes
    return [table.add(JobOutcome(id=table.next_id(), **outcome)) for outcome in outcomes]


def _matches(outcome: JobOutcome, project_path: str, job: Job) -> bool:
    patterns = ((outcome.project, project_path), (outcome.ref, job.ref), (outcome.job, job.name))
    return all(fnmatchcase(text, pattern) for pattern, text in patterns)
