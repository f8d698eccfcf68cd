"""The course of the jobs of one generated pipeline: which succeed, fail, are retried or canceled, and when."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, Literal

from attrs import evolve, fields

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import HOUR, SECOND, to_iso
from fakeplat.domain.ci import job_logs, statuses
from fakeplat.model.ci import Outcome
from fakeplat.scenario.generating.rows import Row
from fakeplat.scenario.generating.seeded_random import SeededRandom

Course = Literal["success", "failed", "retried", "canceled"]
Ending = Literal["success", "failed", "canceled", "skipped"]

JOBS: Final = (
    PlannedJob(name="compile", stage="build", stage_index=0, options={"script": ["make"]}),
    PlannedJob(name="unit", stage="test", stage_index=1, options={"script": ["make test"]}),
    PlannedJob(name="lint", stage="test", stage_index=1, options={"script": ["make lint"]}, allow_failure=True),
    PlannedJob(name="integration", stage="test", stage_index=1, options={"script": ["make integration"]}),
)
RELEASE_JOBS: Final = (
    *JOBS,
    PlannedJob(name="package", stage="package", stage_index=2, options={"script": ["make package"]}),
)
"""The jobs of the default branch and of tags."""
_FIELDS: Final = {
    job.name: {field.name: getattr(job, field.name) for field in fields(PlannedJob)} for job in RELEASE_JOBS
}
_MAY_FAIL: Final = ("unit", "integration", "compile")
_COVERED: Final = "unit"
_LONGEST_QUEUE: Final = 20 * SECOND
_SHORTEST_RUN: Final = 20 * SECOND
_LONGEST_RUN: Final = 600 * SECOND
_LONGEST_WAIT_FOR_RETRY: Final = HOUR
_stage_index: Final = attrgetter("stage_index")


@frozen
class Try:
    """One try of a job, with its times (ms)."""

    job: PlannedJob
    status: Ending
    created: int
    queued: int | None = None
    started: int | None = None
    finished: int | None = None
    retried: bool = False
    coverage: float | None = None

    @property
    def outcome(self) -> Outcome:
        """How the try counts for its pipeline."""
        return "warning" if self.job.allow_failure and self.status == "failed" else self.status

    def row(self) -> Row:
        """Return the fields of the job."""
        return {
            **_FIELDS[self.job.name],
            "status": self.status,
            "retried": self.retried,
            "created_at": to_iso(self.created),
            "updated_at": to_iso(self.finished or self.created),
            "queued_at": _optional_iso(self.queued),
            "started_at": _optional_iso(self.started),
            "finished_at": _optional_iso(self.finished),
            "failure_reason": "script_failure" if self.status == "failed" else None,
            "coverage": self.coverage,
            "log": _log(self.job.name, self.status) if self.started is not None else "",
        }


def status_of(tries: Sequence[Try]) -> str:
    """Return the status of a pipeline with these jobs."""
    return statuses.combine(each.outcome for each in tries if not each.retried)


def play(random: SeededRandom, jobs: Sequence[PlannedJob], created: int, now: int) -> list[Try]:
    """Return the tries of the jobs of a pipeline, in the order in which they were created; nothing is after now."""
    tries = _Play(random, created).tries(jobs)
    return [_until(each, now) for each in sorted(tries, key=attrgetter("created"))]


def _until(played: Try, now: int) -> Try:
    if (played.finished or played.created) <= now:
        return played
    queued, started, finished = (
        None if time is None else min(time, now) for time in (played.queued, played.started, played.finished)
    )
    return evolve(played, created=min(played.created, now), queued=queued, started=started, finished=finished)


class _Play:
    """What happens to the jobs of one pipeline, stage by stage."""

    def __init__(self, random: SeededRandom, created: int) -> None:
        self._random = random
        self._created = self._time = created
        number = random.below(100)
        self._course: Course = (
            "success" if number < 78 else "failed" if number < 90 else "retried" if number < 96 else "canceled"
        )
        self._troubled = random.pick(_MAY_FAIL)
        self._halted: Ending | None = None

    def tries(self, jobs: Sequence[PlannedJob]) -> Iterator[Try]:
        for _, stage in groupby(jobs, key=_stage_index):
            stage_jobs = list(stage)
            if self._halted is not None:
                yield from (self._left_over(job, self._halted) for job in stage_jobs)
                continue
            played = list(self._play_stage(stage_jobs))
            self._time = max(each.finished or 0 for each in played)
            yield from played

    def _left_over(self, job: PlannedJob, status: Ending) -> Try:
        return Try(job, status, self._created, finished=self._time if status == "canceled" else None)

    def _play_stage(self, jobs: Sequence[PlannedJob]) -> Iterator[Try]:
        is_troubled = any(job.name == self._troubled for job in jobs)
        if self._course == "canceled" and is_troubled:
            yield from self._cancel_stage(jobs)
            return
        for job in jobs:
            if job.name != self._troubled or self._course in ("success", "canceled"):
                yield self._run(job, self._ending_of(job), self._created, self._time)
            else:
                yield from self._fail(job)

    def _ending_of(self, job: PlannedJob) -> Ending:
        return "failed" if job.allow_failure and self._random.hits(10) else "success"

    def _fail(self, job: PlannedJob) -> Iterator[Try]:
        failed = self._run(job, "failed", self._created, self._time)
        if self._course == "failed":
            self._halted = "skipped"
            yield failed
            return
        again = (failed.finished or 0) + self._random.below(_LONGEST_WAIT_FOR_RETRY)
        yield evolve(failed, retried=True)
        yield self._run(job, "success", again, again)

    def _run(self, job: PlannedJob, status: Ending, created: int, queued: int) -> Try:
        started = queued + self._random.below(_LONGEST_QUEUE)
        finished = started + _SHORTEST_RUN + self._random.below(_LONGEST_RUN - _SHORTEST_RUN)
        is_covered = job.name == _COVERED and status == "success"
        coverage = 60 + self._random.below(390) / 10 if is_covered else None
        return Try(job, status, created, queued, started, finished, coverage=coverage)

    def _cancel_stage(self, jobs: Sequence[PlannedJob]) -> Iterator[Try]:
        # No job can finish so early that the cancellation would come too late for it.
        canceled = self._time + self._random.below(_SHORTEST_RUN)
        self._halted = "canceled"
        for job in jobs:
            started = self._time + self._random.below(_LONGEST_QUEUE)
            yield Try(job, "canceled", self._created, self._time, started if started <= canceled else None, canceled)


@cache
def _log(name: str, status: Ending) -> str:
    job = next(job for job in RELEASE_JOBS if job.name == name)
    return job_logs.played(job, status) if status != "skipped" else ""


def _optional_iso(time: int | None) -> str | None:
    return None if time is None else to_iso(time)


def configuration(main: str) -> str:
    """Return the configuration of which these are the jobs."""
    return "".join(["stages: [build, test, package]\n", *(_declare(job, main) for job in RELEASE_JOBS)])


def _declare(job: PlannedJob, main: str) -> str:
    keys: dict[str, Any] = {"stage": job.stage, "script": f"[{job.options['script'][0]}]"}
    if job.allow_failure:
        keys["allow_failure"] = "true"
    if job not in JOBS:
        keys["only"] = f"[{main}, tags]"
    return f"\n{job.name}:\n" + "".join(f"  {name}: {value}\n" for name, value in keys.items())
