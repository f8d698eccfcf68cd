"""Validation of CI configurations. Source: docs/platform/pipelines-jobs.md."""

from typing import Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import linting
from fakeplat.domain.ci.linting import LintResult
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


class LintProject(Params):
    """How to validate: also simulate the creation of a pipeline, or not."""

    dry_run: bool = False


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
    return linting.lint_committed(ctx, project, dry_run=p.dry_run)


class LintProjectContent(LintProject):
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
    return linting.lint_in_project(ctx, project, p.content, dry_run=p.dry_run)
