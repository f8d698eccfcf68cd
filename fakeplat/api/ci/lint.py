"""Validation of CI configurations. Source: docs/platform/pipelines-jobs.md."""

from typing import Annotated, Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import linting
from fakeplat.domain.ci.linting import LintOptions, LintResult
from fakeplat.entities.ci.pipelines import LintResultView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

area: Final = Area("CI lint", login=Login.NEVER)


class LintContent(Params):
    """A configuration."""

    content: str
    include_merged_yaml: bool = False


@area.operation("POST", "ci/lint", params=LintContent, status=200, reads=True, until="16.0")
def lint_ci_config(ctx: ReadContext, p: LintContent) -> dict[str, Any]:
    """Validate a CI configuration without a project."""
    result = linting.lint_content(ctx, p.content)
    # This operation tells the first error only.
    answer = {
        "status": "valid" if result.valid else "invalid",
        "errors": list(result.errors[:1]),
        "warnings": list(result.warnings),
    }
    return {**answer, "merged_yaml": result.merged_yaml} if p.include_merged_yaml else answer


class Lint(Params):
    """How to validate: also simulate the creation of a pipeline, or not, and whether to list the jobs."""

    dry_run: bool = False
    include_jobs: Annotated[bool, Lifetime(since="<=14.6")] = False
    ref: Annotated[str | None, Lifetime(since="<=14.6")] = None


class LintProject(Lint):
    """The same, with the commit whose configuration is validated, and the ref of the simulated pipeline."""

    sha: Annotated[str | None, Lifetime(since="16.5")] = None
    content_ref: Annotated[str | None, Lifetime(since="16.10")] = None
    dry_run_ref: Annotated[str | None, Lifetime(since="16.10")] = None

    rules = (mutually_exclusive("sha", "content_ref"), mutually_exclusive("ref", "dry_run_ref"))


def _count_validation(ctx: ReadContext) -> None:
    """Count a validation by a user; 429 above the limit of the settings, which is none at first."""
    limit = ctx.world.settings.ci_lint_limit_per_user
    if ctx.viewer is not None and limit:
        ctx.count_action("ci_lint", ctx.viewer.id, limit)


@area.operation(
    "GET",
    "ci/lint",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=LintProject,
    view=LintResultView,
    refusals=(404,),
)
def lint_project_ci_config(ctx: ReadContext, project: Project, p: LintProject) -> LintResult:
    """Validate the CI configuration of a project."""
    _count_validation(ctx)
    options = LintOptions(
        dry_run=p.dry_run, with_jobs=p.include_jobs, ref=p.dry_run_ref or p.ref, content_ref=p.content_ref or p.sha
    )
    return linting.lint_committed(ctx, project, options)


class LintProjectContent(Lint):
    """A configuration for a project."""

    content: str


@area.operation(
    "POST",
    "ci/lint",
    scope=PROJECT,
    ability=Ability.CREATE_PIPELINE,
    params=LintProjectContent,
    view=LintResultView,
    status=200,
    reads=True,
    refusals=(404,),
    since="13.6",
)
def lint_project_ci_content(ctx: ReadContext, project: Project, p: LintProjectContent) -> LintResult:
    """Validate a CI configuration as that of a project."""
    _count_validation(ctx)
    options = LintOptions(dry_run=p.dry_run, with_jobs=p.include_jobs, ref=p.ref)
    return linting.lint_in_project(ctx, project, p.content, options)
