"""Checks of what jobs say about each other: stages, dependencies, needs, and environments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

from fakeplat.ci_config.behaviours import MISSING_OPTIONAL_NEEDS, NEEDS_WITHIN_STAGES, STAGES_ARE_NAMED
from fakeplat.ci_config.jobs import JobDefinition, Need
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen

_CIRCULAR: Final = "The pipeline has circular dependencies"


def find_error(jobs: Sequence[JobDefinition], stages: Sequence[str], profile: Profile) -> str | None:
    """Return the first mistake, in the order of the jobs; needs in a circle last."""
    links = _Links({job.name: job for job in jobs}, stages, profile)
    mistake = next((error for job in jobs for error in links.list_errors(job)), None)
    if mistake is None and profile.has(NEEDS_WITHIN_STAGES) and _has_circle(jobs):
        return _CIRCULAR
    return mistake


def _has_circle(jobs: Sequence[JobDefinition]) -> bool:
    sorter = TopologicalSorter({job.name: [need.name for need in job.needs or ()] for job in jobs})
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False


@frozen
class _Links:
    _jobs: Mapping[str, JobDefinition]
    _stages: Sequence[str]
    _profile: Profile

    def list_errors(self, job: JobDefinition) -> Iterator[str]:
        """Return the mistakes of a job, without its name."""
        for problem in self._list_problems(job):
            yield f"{job.name} job: {problem}"

    def _list_problems(self, job: JobDefinition) -> Iterator[str]:
        if job.stage not in self._stages:
            name = f" {job.stage}" if self._profile.has(STAGES_ARE_NAMED) else ""
            yield f"chosen stage{name} does not exist; available stages are {', '.join(self._stages)}"
            return
        for dependency in job.dependencies or ():
            yield from self._list_order_problems(job, dependency, "dependency")
        yield from self._list_need_problems(job, job.needs or ())
        for rule in job.rules or ():
            yield from self._list_need_problems(job, rule.needs or ())
        for include in job.trigger.includes if job.trigger else ():
            if include.job:
                yield from self._list_order_problems(job, include.job, "dependency")
        if job.environment is not None and job.environment.on_stop is not None:
            yield from self._list_stop_problems(job.environment.name, job.environment.on_stop)

    def _list_need_problems(self, job: JobDefinition, needs: Iterable[Need]) -> Iterator[str]:
        for need in needs:
            may_be_missing = need.optional and self._profile.has(MISSING_OPTIONAL_NEEDS)
            if need.name in self._jobs or not may_be_missing:
                yield from self._list_order_problems(job, need.name, "need")

    def _list_order_problems(self, job: JobDefinition, name: str, word: str) -> Iterator[str]:
        named = self._jobs.get(name)
        within_stages = self._profile.has(NEEDS_WITHIN_STAGES)
        if named is None:
            yield f"undefined {word}: {name}"
        elif named.stage not in self._stages or self._is_too_late(named, job, within_stages=within_stages):
            yield f"{word} {name} is not defined in {'current or prior' if within_stages else 'prior'} stages"

    def _is_too_late(self, named: JobDefinition, job: JobDefinition, *, within_stages: bool) -> bool:
        of_named, of_job = self._stages.index(named.stage), self._stages.index(job.stage)
        return of_named > of_job if within_stages else of_named >= of_job

    def _list_stop_problems(self, environment: str, name: str) -> Iterator[str]:
        stopping = self._jobs.get(name)
        if stopping is None:
            yield f"on_stop job {name} is not defined"
        elif stopping.environment is None:
            yield f"on_stop job {name} does not have environment defined"
        elif stopping.environment.name != environment:
            yield f"on_stop job {name} have different environment name"
        elif stopping.environment.action != "stop":
            yield f"on_stop job {name} needs to have action stop defined"
