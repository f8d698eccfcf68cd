"""Pipelines, and what the validation of a configuration answers.

Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md.
"""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.ci import ci_access, detailed_statuses, pipelines
from fakeplat.domain.ci.linting import LintResult
from fakeplat.entities.ci.statuses import DetailedStatusView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.ci import Pipeline
from fakeplat.policy.context import ReadContext


class PipelineBasic(Entity[Pipeline]):
    """A pipeline in a list, or as part of another record."""

    ctx: ReadContext

    id = attr()
    iid = attr(since="14.6")
    project_id = attr(since="13.11")
    sha = attr()
    ref = attr()
    status = attr()
    source = attr(since="14.1")
    created_at = attr()
    updated_at = attr()

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}{detailed_statuses.pipeline_path(self.ctx.world, self.record)}"


class PipelineInList(PipelineBasic):
    """A pipeline in the list of a project."""

    name = attr(since="16.3")


class PipelineView(PipelineBasic):
    """A pipeline that was created or changed, or that is part of a merge request."""

    before_sha = attr()
    tag = attr()
    yaml_errors = attr()

    @computed
    def user(self) -> UserBasic | None:
        id_ = self.record.user_id
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return user

    started_at = attr()
    finished_at = attr()
    committed_at = attr()
    duration = attr()

    @computed_if(since="<=14.2")
    def queued_duration(self) -> float | None:
        """The seconds from the creation to the start."""
        return pipelines.measure_wait(self.ctx, self.record)

    @computed
    def coverage(self) -> str | None:
        # The platform sends this number as text.
        coverage = pipelines.find_coverage(self.ctx.world, self.record)
        return None if coverage is None else f"{coverage:.2f}"

    @computed
    def detailed_status(self) -> DetailedStatusView:
        status = detailed_statuses.of_pipeline(self.ctx.world, self.record)
        view: DetailedStatusView = self.ctx.render(DetailedStatusView, status)
        return view

    @computed_if(since="<=18.9")
    def archived(self) -> bool:
        return ci_access.is_pipeline_archived(self.ctx, self.record)


class NamedPipelineView(PipelineView):
    """A single pipeline."""

    name = attr(since="16.3")


class LintResultView(Entity[LintResult]):
    """The result of a validation in a project."""

    cached_by_id = False

    @computed
    def valid(self) -> bool:
        return self.record.valid

    errors = attr()
    warnings = attr()
    merged_yaml = attr()
    includes = attr(since="<=17.11")
    jobs = attr(since="<=14.6", when=lambda view: view.record.jobs is not None)
