"""Validation of CI configurations, without or with the simulation of a pipeline.

Source: docs/platform/pipelines-jobs.md.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from attrs import asdict, define, evolve

from fakeplat.ci_config.configuration import Configuration, load
from fakeplat.ci_config.inputs import list_specs
from fakeplat.ci_config.jobs import JobDefinition, Need, PlannedJob, Policy
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import ci_files, ci_includes, pipeline_creation
from fakeplat.domain.ci.pipeline_creation import PipelineRefused, PipelineRequest
from fakeplat.domain.repository import commits, protection
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import (
    LINT_KEEPS_PROTECTED_VARIABLES,
    LINT_NEEDS_REPOSITORY,
    TEXTS_ARE_LINTED_WITHOUT_COMMIT,
)
from fakeplat.policy.context import ReadContext

_MOST_WARNINGS: Final = 25


Json = Mapping[str, Any]


@frozen(kw_only=True)
class LintOptions:
    """How a configuration is validated.

    ``dry_run``: the creation of a pipeline for ``ref`` is simulated. ``content_ref`` is the commit whose configuration
    is read. ``with_jobs``: the result lists the jobs.
    """

    dry_run: bool = False
    with_jobs: bool = False
    ref: str | None = None
    content_ref: str | None = None


@frozen
class LintResult:
    """What a configuration is after validation, with the files that it includes, and its jobs if they are wanted."""

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    merged_yaml: str | None = None
    includes: tuple[Json, ...] | None = None
    jobs: tuple[Json, ...] | None = None

    @property
    def valid(self) -> bool:
        """Whether there are no errors."""
        return not self.errors


def lint_content(ctx: ReadContext, content: str) -> LintResult:
    """Validate a text without a project, so it cannot include local files."""
    return _to_result(load(content, ci_files.fetcher(ctx, None, ""), ctx.profile), _Jobs(LintOptions()))


def lint_committed(ctx: ReadContext, project: Project, options: LintOptions) -> LintResult:
    """Validate the configuration of a commit, by default at the head of the default branch; 404 without a commit."""
    if commits.find_commit(ctx.world, project, "HEAD") is None:
        missing = "Repository" if ctx.profile.has(LINT_NEEDS_REPOSITORY) else "Commit"
        raise NotFound(missing, reason=partial(commits.no_commit_reason, ctx.world, project, "HEAD"))
    commit = commits.get_commit(ctx.world, project, options.content_ref or "HEAD")
    text = ci_files.read_file(ctx.world, project, commit.commit.sha, ci_files.ci_path(project))
    return _lint(ctx, commit, text or "", options)


def lint_in_project(ctx: ReadContext, project: Project, content: str, options: LintOptions) -> LintResult:
    """Validate a text as the configuration of a commit, by default the head; early releases need one."""
    if ctx.profile.has(TEXTS_ARE_LINTED_WITHOUT_COMMIT) and commits.find_commit(ctx.world, project, "HEAD") is None:
        return _lint_without_commit(ctx, project, content, options)
    return _lint(ctx, commits.get_commit(ctx.world, project, options.content_ref or "HEAD"), content, options)


def list_root_variables(ctx: ReadContext, project: Project, ref: str) -> list[tuple[str, Json]] | None:
    """Return the variables of the configuration at a ref with their descriptions; None without a valid one."""
    commit = commits.find_commit(ctx.world, project, ref)
    path = ci_files.ci_path(project)
    text = ci_files.read_file(ctx.world, project, commit.commit.sha, path) if commit is not None else None
    if commit is None or text is None:
        return None
    configuration = pipeline_creation.read_configuration(ctx, _request_push(ctx, commit, text), text)
    return list(configuration.list_described_variables()) if configuration.is_valid else None


def list_inputs(ctx: ReadContext, project: Project, ref: str) -> list[tuple[str, Json]]:
    """Return the inputs that the configuration at a ref declares, with what it says of them."""
    text = ci_files.read_file_at(ctx.world, project, ref, ci_files.ci_path(project))
    return [] if text is None else list(list_specs(text, ctx.profile).items())


def _lint_without_commit(ctx: ReadContext, project: Project, text: str, options: LintOptions) -> LintResult:
    """Validate a text for an empty repository, which has no branch to simulate a push to, and no files to include."""
    if options.dry_run:
        return _refuse((pipeline_creation.NO_REFERENCE,), options)
    return _to_result(load(text, ci_files.fetcher(ctx, project, ""), ctx.profile), _Jobs(options))


def _lint(ctx: ReadContext, commit: ProjectCommit, text: str, options: LintOptions) -> LintResult:
    if options.dry_run and not can(ctx, Ability.CREATE_PIPELINE, commit.project):
        return _refuse((pipeline_creation.NOT_PERMITTED,), options)
    request = _request_push(ctx, commit, text)
    shown = request if options.dry_run else _hide_protected_ref(ctx, request)
    configuration = pipeline_creation.read_configuration(ctx, shown, text)
    listed = _Jobs(options)
    errors = _simulate(ctx, request, options.ref, listed) if options.dry_run and configuration.is_valid else ()
    result = _to_result(configuration, listed, errors)
    described = ci_includes.describe_all(ctx, commit, configuration.includes)
    return evolve(result, includes=None if result.merged_yaml is None else described)


def _refuse(errors: tuple[str, ...], options: LintOptions) -> LintResult:
    return LintResult(errors=errors, jobs=() if options.with_jobs else None)


@define
class _Jobs:
    """The jobs that a result lists: those of the simulated pipeline, else those of the configuration."""

    _options: LintOptions
    _planned: tuple[Json, ...] | None = None

    def plan(self, jobs: Iterable[PlannedJob]) -> None:
        """Take the jobs of a simulated pipeline."""
        self._planned = tuple(_describe_job(job) for job in jobs)

    def choose(self, configuration: Configuration) -> tuple[Json, ...] | None:
        """Return the jobs of a result, None if they are not wanted."""
        if not self._options.with_jobs:
            return None
        if self._options.dry_run:
            return self._planned or ()
        ordered = sorted(configuration.jobs, key=lambda job: configuration.stages.index(job.stage))
        return tuple(_describe_definition(job) for job in ordered)


def _describe_job(job: PlannedJob) -> Json:
    return {
        "name": job.name,
        "stage": job.stage,
        **{key: list(job.options.get(key) or ()) for key in ("before_script", "script", "after_script")},
        "tag_list": list(job.tags),
        "environment": job.environment.name if job.environment else None,
        "when": job.when,
        "allow_failure": job.allow_failure,
    }


def _describe_definition(job: JobDefinition) -> Json:
    described = dict(_describe_job(job))
    last = {name: described.pop(name) for name in ("environment", "when", "allow_failure")}
    needs = None if job.needs is None else [_describe_need(need) for need in job.needs]
    return {
        **described,
        "only": _describe_policy(job.only),
        "except": _describe_policy(job.excluded),
        **last,
        "needs": needs,
    }


def _describe_need(need: Need) -> Json:
    return {"name": need.name, "artifacts": need.artifacts, "optional": need.optional}


def _describe_policy(policy: Policy | None) -> Json | None:
    if policy is None:
        return None
    values = asdict(policy, recurse=False)
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value is not None
    }


def _request_push(ctx: ReadContext, commit: ProjectCommit, text: str) -> PipelineRequest:
    """Return the request for a pipeline of a push of a commit to the default branch."""
    user = ctx.viewer
    return PipelineRequest(
        project=commit.project,
        ref=commit.project.default_branch or "",
        sha=commit.commit.sha,
        source="push",
        user_id=user.id if user else None,
        configuration=text,
    )


def _hide_protected_ref(ctx: ReadContext, request: PipelineRequest) -> PipelineRequest:
    """Return a request without its branch for who may not change it, so that no protected variable is told."""
    if not ctx.profile.has(LINT_KEEPS_PROTECTED_VARIABLES):
        return request
    may_change = protection.can_update_ref(ctx, request.project, request.ref)
    return request if may_change else evolve(request, ref="")


def _simulate(ctx: ReadContext, request: PipelineRequest, ref: str | None, listed: _Jobs) -> tuple[str, ...]:
    """Return why no pipeline would be created for a ref."""
    try:
        if ref is not None:
            pipeline_creation.check_permission(ctx, request.project, ref)
            request = evolve(request, **pipeline_creation.resolve_ref(ctx, request.project, ref))
        selection = pipeline_creation.plan_jobs(ctx, request)
        listed.plan(selection.jobs if selection else ())
    except PipelineRefused as refused:
        return refused.texts
    return ()


def _to_result(configuration: Configuration, listed: _Jobs, errors: tuple[str, ...] = ()) -> LintResult:
    warnings = (*configuration.warnings, *configuration.list_inert_warnings())[:_MOST_WARNINGS]
    jobs = listed.choose(configuration)
    return LintResult(configuration.errors + errors, warnings, configuration.merged_yaml, jobs=jobs)
