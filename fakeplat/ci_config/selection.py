"""The jobs of a pipeline: what the rules of the workflow and the conditions of each job select for a ref."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast

from attrs import asdict, evolve, fields

from fakeplat.ci_config.behaviours import FILTERED, NEEDS_WITHIN_STAGES, NO_JOBS, TAGS_WITH_VARIABLES
from fakeplat.ci_config.building import merge_variables
from fakeplat.ci_config.conditions import (
    LateVariables,
    PipelineRef,
    RefFacts,
    RuleError,
    find_rule,
    satisfies_all,
    satisfies_any,
)
from fakeplat.ci_config.configuration import Configuration
from fakeplat.ci_config.interpolation import expand, expand_known
from fakeplat.ci_config.jobs import ALLOWED_EXIT_CODES, AutoCancel, JobDefinition, PlannedJob, Rule, Variables, When
from fakeplat.ci_config.merging import EDGE_STAGES
from fakeplat.core.store.frozen import frozen

MOST_NEEDS: Final = 50
_LONGEST_NAME: Final = 255
_COPIED: Final = tuple(field.name for field in fields(PlannedJob) if field.name != "stage_index")


@frozen
class Selection:
    """The jobs of a pipeline, ordered by stage and within a stage as in the file.

    ``refusal`` says why no pipeline is created. ``errors`` are mistakes of a pipeline that is created and fails.
    ``stages`` are those that have jobs. ``name`` is that of the pipeline, and ``auto_cancel`` says when its jobs are
    canceled. ``warnings`` are those of the configuration, ``inert`` are about what has no effect.
    """

    jobs: tuple[PlannedJob, ...] = ()
    stages: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    refusal: str | None = None
    name: str | None = None
    auto_cancel: AutoCancel = AutoCancel()
    warnings: tuple[str, ...] = ()
    inert: tuple[str, ...] = ()


def select_jobs(configuration: Configuration, facts: RefFacts, *, most_needs: int = MOST_NEEDS) -> Selection:
    """Return the jobs that a valid configuration has for a ref."""
    try:
        return _select(configuration, facts, most_needs)
    except RuleError as error:
        return Selection(errors=(str(error),))


def select_jobs_of_ref(configuration: Configuration, ref: PipelineRef, collect: Callable[[], RefFacts]) -> Selection:
    """Return the jobs that a valid configuration has for a ref, whose facts are collected if conditions need them."""
    if not configuration.is_decided_by_ref:
        return select_jobs(configuration, collect())
    # The refs of merge requests differ, and no condition is about them.
    return _select_by_ref(configuration, evolve(ref, ref="") if ref.is_merge_request else ref)


@lru_cache(256)
def _select_by_ref(configuration: Configuration, ref: PipelineRef) -> Selection:
    # Many pipelines of a test are for the same ref, or for merge requests.
    return select_jobs(configuration, RefFacts(**asdict(ref, recurse=False)))


def _select(configuration: Configuration, facts: RefFacts, most_needs: int) -> Selection:
    variables = LateVariables(lambda: {**facts.predefined, **dict(configuration.variables), **facts.variables})
    rule = find_rule(configuration.workflow_rules or (), facts, variables)
    if configuration.workflow_rules is not None and (rule is None or rule.when == "never"):
        return Selection(refusal=facts.profile.choose(FILTERED))
    workflow_variables = () if rule is None else rule.variables
    names = LateVariables(lambda: {**variables, **dict(workflow_variables), **facts.variables})
    planned = list(_plan_jobs(configuration, facts, workflow_variables))
    planned.sort(key=lambda job: job.stage_index)
    stages = tuple(dict.fromkeys(job.stage for job in planned))
    errors = tuple(_list_errors(planned, most_needs, is_within_stages=facts.profile.has(NEEDS_WITHIN_STAGES)))
    # Jobs before and after the others are not enough.
    is_created = bool(errors and not stages) or any(stage not in EDGE_STAGES for stage in stages)
    return Selection(
        jobs=tuple(planned),
        stages=stages,
        errors=errors,
        refusal=None if is_created else facts.profile.choose(NO_JOBS),
        name=_expand_name(configuration.name, names),
        auto_cancel=_choose_auto_cancel(configuration.auto_cancel, rule),
        warnings=configuration.warnings,
        inert=tuple(configuration.list_inert_warnings()),
    )


def _choose_auto_cancel(general: AutoCancel, rule: Rule | None) -> AutoCancel:
    """Return what the rule of the workflow says, else what the workflow says."""
    own = AutoCancel() if rule is None else rule.auto_cancel
    return AutoCancel(own.on_new_commit or general.on_new_commit, own.on_job_failure or general.on_job_failure)


def _expand_name(name: str | None, variables: Mapping[str, str]) -> str | None:
    return expand(name, variables).strip()[:_LONGEST_NAME] or None if name else None


def _plan_jobs(configuration: Configuration, facts: RefFacts, workflow_variables: Variables) -> Iterator[PlannedJob]:
    for job in configuration.jobs:
        definition = _add_variables(job, workflow_variables) if workflow_variables else job
        try:
            planned = _plan_job(definition, configuration.stages.index(job.stage), facts)
        except RuleError as error:
            raise RuleError(f"Failed to parse rule for {job.name}: {error}") from None
        if planned is not None:
            yield planned


def _add_variables(job: JobDefinition, variables: Variables) -> JobDefinition:
    """Return a job with variables that replace those of the root, as far as it inherits them."""
    names = job.inherited_variables
    inherited = tuple(pair for pair in variables if names is None or pair[0] in names)
    return evolve(job, variables=merge_variables(job.variables, inherited, job.own_variables))


def _plan_job(job: JobDefinition, stage_index: int, facts: RefFacts) -> PlannedJob | None:
    variables = LateVariables(
        lambda: {**facts.predefined, **predefined_variables(job), **dict(job.variables), **facts.variables}
    )
    if facts.profile.has(TAGS_WITH_VARIABLES) and any("$" in tag for tag in job.tags):
        job = evolve(job, tags=tuple(expand_known(tag, variables) for tag in job.tags))
    if job.rules is not None:
        rule = find_rule(job.rules, facts, variables)
        return None if rule is None or rule.when == "never" else _apply_rule(_to_planned(job, stage_index), rule)
    if job.only is not None and not satisfies_all(job.only, facts, variables):
        return None
    if job.excluded is not None and satisfies_any(job.excluded, facts, variables):
        return None
    return _to_planned(job, stage_index)


def predefined_variables(job: JobDefinition) -> dict[str, str]:
    """Return the predefined variables that are known about a job before it exists."""
    number, total = job.parallel or (None, 1)
    index = {} if number is None else {"CI_NODE_INDEX": str(number)}
    return {"CI_JOB_NAME": job.name, "CI_JOB_STAGE": job.stage, **index, "CI_NODE_TOTAL": str(total)}


def _to_planned(job: JobDefinition, stage_index: int) -> PlannedJob:
    values: dict[str, Any] = {name: getattr(job, name) for name in _COPIED}
    return PlannedJob(**values, stage_index=stage_index)


def _apply_rule(job: PlannedJob, rule: Rule) -> PlannedJob:
    if rule.allow_failure is not None and ALLOWED_EXIT_CODES in job.options:
        options = {name: value for name, value in job.options.items() if name != ALLOWED_EXIT_CODES}
        job = evolve(job, options=options)
    return evolve(
        job,
        when=cast(When, rule.when or job.when),
        start_in=rule.start_in,
        allow_failure=job.allow_failure if rule.allow_failure is None else rule.allow_failure,
        variables=merge_variables(job.variables, rule.variables),
        needs=job.needs if rule.needs is None else rule.needs,
        interruptible=job.interruptible if rule.interruptible is None else rule.interruptible,
    )


def _list_errors(jobs: Sequence[PlannedJob], most_needs: int, *, is_within_stages: bool) -> Iterator[str]:
    first_stages: dict[str, int] = {}
    for job in jobs:
        first_stages.setdefault(job.name, job.stage_index)
    for job in jobs:
        if job.needs is not None and len(job.needs) > most_needs:
            yield (
                f"{job.name}: one job can only need {most_needs} others, but you have listed {len(job.needs)}. "
                "See needs keyword documentation for more details"
            )
            continue
        for need in job.needs or ():
            last_stage = job.stage_index if is_within_stages else job.stage_index - 1
            if not need.optional and first_stages.get(need.name, job.stage_index + 1) > last_stage:
                yield f"'{job.name}' job needs '{need.name}' job, but it was not added to the pipeline"
