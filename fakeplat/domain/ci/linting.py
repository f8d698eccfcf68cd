"""Validation of CI configurations, without or with the simulation of a pipeline.

Source: docs/platform/pipelines-jobs.md.
"""

from functools import partial
from typing import Final

from fakeplat.ci_config.configuration import Configuration, load
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import ci_files, pipeline_creation
from fakeplat.domain.ci.pipeline_creation import PipelineRefused, PipelineRequest
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import LINT_NEEDS_REPOSITORY, TEXTS_ARE_LINTED_WITHOUT_COMMIT
from fakeplat.policy.context import ReadContext

_MOST_WARNINGS: Final = 25


@frozen
class LintResult:
    """What a configuration is after validation."""

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    merged_yaml: str | None = None

    @property
    def valid(self) -> bool:
        """Whether there are no errors."""
        return not self.errors


def lint_content(ctx: ReadContext, content: str) -> LintResult:
    """Validate a text without a project, so it cannot include local files."""
    return _to_result(load(content, ci_files.fetcher(ctx, None, ""), ctx.profile))


def lint_committed(ctx: ReadContext, project: Project, *, dry_run: bool) -> LintResult:
    """Validate the configuration at the head of the default branch; 404 without a commit."""
    commit = commits.find_commit(ctx.world, project, "HEAD")
    if commit is None:
        missing = "Repository" if ctx.profile.has(LINT_NEEDS_REPOSITORY) else "Commit"
        raise NotFound(missing, reason=partial(commits.no_commit_reason, ctx.world, project, "HEAD"))
    text = ci_files.read_file(ctx.world, project, commit.commit.sha, ci_files.ci_path(project))
    return _lint(ctx, commit, text or "", dry_run=dry_run)


def lint_in_project(ctx: ReadContext, project: Project, content: str, *, dry_run: bool) -> LintResult:
    """Validate a text as the configuration at the head of the default branch; early releases need a commit."""
    if ctx.profile.has(TEXTS_ARE_LINTED_WITHOUT_COMMIT) and commits.find_commit(ctx.world, project, "HEAD") is None:
        return _lint_without_commit(ctx, project, content, dry_run=dry_run)
    return _lint(ctx, commits.get_commit(ctx.world, project, "HEAD"), content, dry_run=dry_run)


def _lint_without_commit(ctx: ReadContext, project: Project, text: str, *, dry_run: bool) -> LintResult:
    """Validate a text for an empty repository, which has no branch to simulate a push to, and no files to include."""
    if dry_run:
        return LintResult(errors=(pipeline_creation.NO_REFERENCE,))
    return _to_result(load(text, ci_files.fetcher(ctx, project, ""), ctx.profile))


def _lint(ctx: ReadContext, commit: ProjectCommit, text: str, *, dry_run: bool) -> LintResult:
    if dry_run and not can(ctx, Ability.CREATE_PIPELINE, commit.project):
        return LintResult(errors=(pipeline_creation.NOT_PERMITTED,))
    request = _request_push(ctx, commit, text)
    configuration = pipeline_creation.read_configuration(ctx, request, text)
    errors = _simulate(ctx, request) if dry_run and configuration.is_valid else ()
    return _to_result(configuration, errors)


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


def _simulate(ctx: ReadContext, request: PipelineRequest) -> tuple[str, ...]:
    """Return why no pipeline would be created."""
    try:
        pipeline_creation.plan_jobs(ctx, request)
    except PipelineRefused as refused:
        return refused.texts
    return ()


def _to_result(configuration: Configuration, errors: tuple[str, ...] = ()) -> LintResult:
    warnings = (*configuration.warnings, *configuration.list_inert_warnings())[:_MOST_WARNINGS]
    return LintResult(configuration.errors + errors, warnings, configuration.merged_yaml)
