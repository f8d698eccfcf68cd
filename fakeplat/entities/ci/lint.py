"""Views of validated CI configurations. Source: docs/platform/pipelines-jobs.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.ci.linting import LintResult


class LintResultView(Entity[LintResult]):
    """The result of a validation in a project."""

    cached_by_id = False

    @computed
    def valid(self) -> bool:
        return self.record.valid

    errors = attr()
    warnings = attr()
    merged_yaml = attr()
