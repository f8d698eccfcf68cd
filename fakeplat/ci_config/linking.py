"""Checks of what jobs say about each other: stages, dependencies, needs, and environments."""

from collections.abc import Iterator, Mapping, Sequence

from fakeplat.ci_config.jobs import JobDefinition
from fakeplat.core.store.frozen import frozen


def find_error(jobs: Sequence[JobDefinition], stages: Sequence[str]) -> str | None:
    """Return the first mistake, in the order of the jobs."""
    links = _Links({job.name: job for job in jobs}, stages)
    return next((error for job in jobs for error in links.list_errors(job)), None)


@frozen
class _Links:
    _jobs: Mapping[str, JobDefinition]
    _stages: Sequence[str]

    def list_errors(self, job: JobDefinition) -> Iterator[str]:
        """Return the mistakes of a job, without its name."""
        for problem in self._list_problems(job):
            yield f"{job.name} job: {problem}"

    def _list_problems(self, job: JobDefinition) -> Iterator[str]:
        if job.stage not in self._stages:
            yield f"chosen stage does not exist; available stages are {', '.join(self._stages)}"
            return
        for dependency in job.dependencies or ():
            yield from self._list_order_problems(job, dependency, "dependency")
        for need in job.needs or ():
            yield from self._list_order_problems(job, need.name, "need")
        for include in job.trigger.includes if job.trigger else ():
            if include.job:
                yield from self._list_order_problems(job, include.job, "dependency")
        if job.environment is not None and job.environment.on_stop is not None:
            yield from self._list_stop_problems(job.environment.name, job.environment.on_stop)

    def _list_order_problems(self, job: JobDefinition, name: str, word: str) -> Iterator[str]:
        named = self._jobs.get(name)
        if named is None:
            yield f"undefined {word}: {name}"
        elif named.stage not in self._stages or self._stages.index(named.stage) >= self._stages.index(job.stage):
            yield f"{word} {name} is not defined in prior stages"

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
