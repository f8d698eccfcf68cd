"""Jobs with ``parallel``: the instances of each, and the names of instances where others name the job."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import evolve

from fakeplat.ci_config.building import list_combinations, merge_variables, name_instance
from fakeplat.ci_config.jobs import InstancesNeed, JobDefinition, Need, Rule, Variables

if TYPE_CHECKING:
    from fakeplat.ci_config.keywords import MatrixVariables, ParallelKeywords


_EXPRESSION: Final = re.compile(r"\$\[\[\s*matrix\.(?P<name>[a-zA-Z0-9_-]+)\s*\]\]")


class MatrixError(ValueError):
    """A need names a variable that the matrix of its job does not have. The message is the platform's."""


def expand_parallel(jobs: "Iterable[tuple[JobDefinition, ParallelKeywords | int | None]]") -> tuple[JobDefinition, ...]:
    """Return all jobs with their instances in place of those with ``parallel``."""
    instances = {job.name: list(_list_instances(job, parallel)) for job, parallel in jobs}
    names = {name: [instance.name for instance in expanded] for name, expanded in instances.items()}
    return tuple(_rename(instance, names) for expanded in instances.values() for instance in expanded)


def _list_instances(job: JobDefinition, parallel: "ParallelKeywords | int | None") -> Iterator[JobDefinition]:
    if isinstance(parallel, Mapping):
        yield from _list_matrix_instances(job, parallel["matrix"])
    elif parallel:
        total = int(parallel)
        for number in range(1, total + 1):
            yield evolve(job, name=f"{job.name} {number}/{total}", parallel=(number, total))
    else:
        yield job


def _list_matrix_instances(job: JobDefinition, matrix: "Sequence[MatrixVariables]") -> Iterator[JobDefinition]:
    combinations = list_combinations(matrix)
    for number, combination in enumerate(combinations, 1):
        yield evolve(
            job,
            name=job.name + name_instance(combination),
            parallel=(number, len(combinations)),
            needs=None if job.needs is None else tuple(_fill_in(need, job.name, combination) for need in job.needs),
            variables=merge_variables(job.variables, combination),
            own_variables=merge_variables(job.own_variables, combination),
        )


def _fill_in(need: Need, job_name: str, combination: Variables) -> Need:
    """Return a need of instances with the values of the matrix of the job that needs them."""
    if not isinstance(need, InstancesNeed):
        return need
    values = dict(combination)

    def get_value(match: re.Match[str]) -> str:
        if match["name"] not in values:
            raise MatrixError(f"{job_name} job: '{match['name']}' does not exist in matrix configuration")
        return values[match["name"]]

    return evolve(need, instances=tuple(_EXPRESSION.sub(get_value, end) for end in need.instances))


def _rename(job: JobDefinition, names: Mapping[str, Sequence[str]]) -> JobDefinition:
    dependencies, needs = job.dependencies, job.needs
    return evolve(
        job,
        dependencies=None if dependencies is None else tuple(_expand_names(dependencies, names)),
        needs=None if needs is None else tuple(_expand_needs(needs, names)),
        rules=None if job.rules is None else tuple(_expand_rule(rule, names) for rule in job.rules),
    )


def _expand_rule(rule: Rule, names: Mapping[str, Sequence[str]]) -> Rule:
    return rule if rule.needs is None else evolve(rule, needs=tuple(_expand_needs(rule.needs, names)))


def _expand_names(dependencies: Iterable[str], names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for dependency in dependencies:
        yield from names.get(dependency, [dependency])


def _expand_needs(needs: Iterable[Need], names: Mapping[str, Sequence[str]]) -> Iterator[Need]:
    for need in needs:
        if isinstance(need, InstancesNeed):
            yield from (Need(need.name + end, need.artifacts, need.optional) for end in need.instances)
        else:
            yield from (evolve(need, name=name) for name in names.get(need.name, [need.name]))
