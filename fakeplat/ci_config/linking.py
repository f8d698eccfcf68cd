"""Checks of what jobs say about each other: stages, dependencies, needs, and environments."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

from fakeplat.ci_config.behaviours import (
    CIRCLES_ARE_NAMED,
    DUPLICATE_NEEDS,
    MISSING_OPTIONAL_NEEDS,
    NEEDS_WITHIN_STAGES,
    STAGES_ARE_NAMED,
)
from fakeplat.ci_config.documents import inspect
from fakeplat.ci_config.jobs import JobDefinition, Need
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen

_CIRCULAR: Final = "The pipeline has circular dependencies"
_LONGEST_NEED: Final = 255


def find_error(jobs: Sequence[JobDefinition], stages: Sequence[str], profile: Profile) -> str | None:
    """Return the first mistake, in the order of the jobs; needs in a circle last."""
    links = _Links({job.name: job for job in jobs}, stages, profile)
    mistake = next((error for job in jobs for error in links.list_errors(job)), None)
    if mistake is None and profile.has(NEEDS_WITHIN_STAGES):
        needed = {job.name: [need.name for need in job.needs or ()] for job in jobs}
        circle = _explain_circle(needed) if _has_circle(needed) else None
        return f"{_CIRCULAR}: {circle}" if circle and profile.has(CIRCLES_ARE_NAMED) else circle and _CIRCULAR
    return mistake


def _has_circle(needed: Mapping[str, Sequence[str]]) -> bool:
    try:
        TopologicalSorter(needed).prepare()
    except CycleError:
        return True
    return False


def _explain_circle(needed: Mapping[str, Sequence[str]]) -> str:
    """Return the words of Ruby's TSort about the first job that needs itself."""
    for name in needed:
        reached = _list_reached(name, needed)
        itself = next((each for each in reached if each in needed.get(each, ())), None)
        if itself is not None:
            return f"self-dependency: {itself}"
        circle = [each for each in reached if each == name or name in _list_reached(each, needed)]
        if len(circle) > 1:
            return f"topological sort failed: {inspect(circle)}"
    return ""


def _list_reached(name: str, needed: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a job and all that it needs, each before those that it needs itself."""
    reached: dict[str, None] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in reached:
            reached[current] = None
            waiting.extend(reversed(needed.get(current, ())))
    return list(reached)


@frozen
class _Links:
    _jobs: Mapping[str, JobDefinition]
    _stages: Sequence[str]
    _profile: Profile

    def list_errors(self, job: JobDefinition) -> Iterator[str]:
        """Return the mistakes of a job."""
        return (f"{job.name} {problem}" for problem in self._list_problems(job))

    def _list_problems(self, job: JobDefinition) -> Iterator[str]:
        if job.stage not in self._stages:
            name = f" {job.stage}" if self._profile.has(STAGES_ARE_NAMED) else ""
            yield f"job: chosen stage{name} does not exist; available stages are {', '.join(self._stages)}"
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

    def _list_need_problems(self, job: JobDefinition, needs: Sequence[Need]) -> Iterator[str]:
        for need in needs:
            may_be_missing = need.optional and self._profile.has(MISSING_OPTIONAL_NEEDS)
            if need.name in self._jobs or not may_be_missing:
                yield from self._list_order_problems(job, need.name, "need")
        if self._profile.has(DUPLICATE_NEEDS):
            repeated = [name for name, count in Counter(need.name for need in needs).items() if count > 1]
            if repeated:
                yield f"has the following needs duplicated: {', '.join(repeated)}."

    def _list_order_problems(self, job: JobDefinition, name: str, word: str) -> Iterator[str]:
        named = self._jobs.get(name)
        within_stages = self._profile.has(NEEDS_WITHIN_STAGES)
        if named is None:
            yield f"job: undefined {word}: {name}"
        elif word == "need" and len(name) > _LONGEST_NEED and self._profile.has(DUPLICATE_NEEDS):
            yield f"job: need `{name}` name is too long (maximum is {_LONGEST_NEED} characters)"
        elif named.stage not in self._stages or self._is_too_late(named, job, within_stages=within_stages):
            yield f"job: {word} {name} is not defined in {'current or prior' if within_stages else 'prior'} stages"

    def _is_too_late(self, named: JobDefinition, job: JobDefinition, *, within_stages: bool) -> bool:
        of_named, of_job = self._stages.index(named.stage), self._stages.index(job.stage)
        return of_named > of_job if within_stages else of_named >= of_job

    def _list_stop_problems(self, environment: str, name: str) -> Iterator[str]:
        stopping = self._jobs.get(name)
        if stopping is None:
            yield f"job: on_stop job {name} is not defined"
        elif stopping.environment is None:
            yield f"job: on_stop job {name} does not have environment defined"
        elif stopping.environment.name != environment:
            yield f"job: on_stop job {name} have different environment name"
        elif stopping.environment.action != "stop":
            yield f"job: on_stop job {name} needs to have action stop defined"
