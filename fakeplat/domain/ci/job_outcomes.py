"""Outcomes of played jobs: which one a job gets by the patterns of its project, ref and name.

Source: docs/contract.md ('Alerts, SCIM, pipelines').
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from attrs import fields

from fakeplat.core.schema.records import fields as record_fields
from fakeplat.core.schema.shapes import DURATION, SECONDS, TEXT, MapOf, Object, Union
from fakeplat.core.timestamps import parse_duration
from fakeplat.domain.ci import jobs
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.model.ci import Job, JobOutcome, PlayedResult
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

DEFAULT: Final = JobOutcome(id=0)
DECLARATION: Final = Object(
    record_fields(JobOutcome, without=("id",), after=Union(SECONDS, DURATION), artifacts=MapOf(TEXT), job=TEXT),
    descriptions={
        "project": "A pattern of full paths, such as acme/*. Default: every project.",
        "ref": "A pattern of branches and tags. Default: all.",
        "job": "A pattern of names of jobs, such as test:*. Default: all.",
        "outcome": "How the job ends, or that it does not.",
        "after": "The time from being queued to the end, such as 30s, or in seconds. Default: 1s.",
        "attempts": "The outcome of each try, instead of outcome; the last one holds for all further tries.",
        "log": "The complete log.",
        "artifacts": "Files in the job's archive of artifacts: paths and contents.",
        "coverage": "In percent.",
        "exit_code": "The exit code of a script that fails. Default: 1.",
    },
)
"""The declaration of an outcome in scenarios, options and control requests."""


def get_outcome(world: World, job: Job) -> JobOutcome:
    """Return the outcome of a job: the last one whose patterns match, by default success after one second."""
    if not len(world.job_outcomes):
        return DEFAULT
    path = namespaces.project_path(world, world.projects[job.project_id])
    return next((outcome for outcome in world.job_outcomes.all().in_reverse() if _matches(outcome, path, job)), DEFAULT)


def result_of(world: World, outcome: JobOutcome, job: Job) -> PlayedResult:
    """Return the result of this try of a job."""
    if not outcome.attempts:
        return outcome.outcome
    return outcome.attempts[min(jobs.count_retries(world, job), len(outcome.attempts) - 1)]


def waits_for_user(world: World, job: Job) -> bool:
    """Return whether a job is to wait for a user, although its configuration does not say so."""
    outcome = get_outcome(world, job)
    return job.kind == "build" and result_of(world, outcome, job) == "manual"


def replace_outcomes(ctx: WriteContext, outcomes: Iterable[Mapping[str, Any]]) -> Sequence[JobOutcome]:
    """Replace all outcomes. Jobs that are running already finish when they were to."""
    purge(ctx, *ctx.world.job_outcomes.all())
    return add_outcomes(ctx, outcomes)


def add_outcomes(ctx: WriteContext, outcomes: Iterable[Mapping[str, Any]]) -> Sequence[JobOutcome]:
    """Add outcomes, which come before the present ones."""
    table = ctx.world.job_outcomes
    return [table.add(JobOutcome(id=table.next_id(), **_with_duration(outcome))) for outcome in outcomes]


def as_declaration(outcome: JobOutcome) -> dict[str, Any]:
    """Return the declaration that creates an outcome, without default values."""
    changed = {
        column.name: value
        for column in fields(JobOutcome)
        if (value := getattr(outcome, column.name)) != getattr(DEFAULT, column.name) and column.name != "id"
    }
    return changed | ({"after": f"{outcome.after}ms"} if "after" in changed else {})


def _with_duration(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {**outcome, **({"after": parse_duration(outcome["after"])} if "after" in outcome else {})}


def _matches(outcome: JobOutcome, project_path: str, job: Job) -> bool:
    patterns = ((outcome.project, project_path), (outcome.ref, job.ref), (outcome.job, job.name))
    return all(fnmatchcase(text, pattern) for pattern, text in patterns)
