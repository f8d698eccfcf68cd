"""What merge requests, their versions and approvals show.

Source: docs/platform/specification.md ('Merge request'), docs/platform/merge-requests.md ('Basic entity order').
"""

from functools import cached_property
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, constant, shown, shown_when
from fakeplat.domain.merge_requests import diff_versions, merge_checks, merge_requests
from fakeplat.domain.notes import resolving, subscriptions
from fakeplat.domain.notes.markdown import html
from fakeplat.domain.projects import pipelines
from fakeplat.domain.repository import protection
from fakeplat.entities.commits import CommitBasic
from fakeplat.entities.diffs import DiffView
from fakeplat.entities.pipelines import PipelineBasic, PipelineView
from fakeplat.entities.planned import FROM_PROJECT, Planned
from fakeplat.entities.users import UserBasic
from fakeplat.model.merge_requests import DiffRefs, DiffVersion, MergeRequest
from fakeplat.model.pipelines import Pipeline
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, feature_open

Text = str | None
HTML: Final = "render_html"
DIVERGED: Final = "include_diverged_commits_count"
REBASING: Final = "include_rebase_in_progress"
RAW: Final = "access_raw_diffs"
FIRST: Final = "include_first_contribution"


def _paid(view: Entity[Any]) -> bool:
    return has(view.cx.world, "premium", view.cx.world.projects[view.record.project_id])


def _of_fork(view: Entity[MergeRequest]) -> bool:
    return view.record.source_project_id not in (None, view.record.project_id)


def _has_builds(view: Entity[MergeRequest]) -> bool:
    """Whether pipelines are open to the viewer; also where the project's settings hide single ones."""
    return feature_open(view.cx, view.cx.world.projects[view.record.project_id], "builds")


def _reads_pipelines(view: Entity[MergeRequest]) -> bool:
    return can(view.cx, May.READ_PIPELINE, view.cx.world.projects[view.record.project_id])


class MergeRequestSimple(Entity[MergeRequest], Planned):
    """A merge request as the simple view shows it."""

    cx: Context

    id = attr(int)
    iid = attr(int)
    project_id = attr(int)
    title = attr(str)
    description = attr(Text)
    state = attr(str)
    created_at = attr(str)
    updated_at = attr(str)

    @shown
    def web_url(self) -> str:
        return f"{self.cx.origin}/{self._path}/-/merge_requests/{self.record.iid}"


class MergeRequestBasic(MergeRequestSimple):
    """A merge request in a list. Options: label details, rendered texts, from where it is seen."""

    @shown
    def merged_by(self) -> UserBasic | None:
        return self._user(self.record.merged_by_id)

    merged_at = attr(Text)

    closed_by = Planned.closed_by
    closed_at = attr(Text)

    @shown_when(lambda view: HTML in view.options)
    def title_html(self) -> str:
        return html(self.record.title).removeprefix("<p>").removesuffix("</p>")

    @shown_when(lambda view: HTML in view.options)
    def description_html(self) -> str:
        return html(self.record.description or "")

    target_branch = attr(str)
    source_branch = attr(str)

    user_notes_count = Planned.user_notes_count
    upvotes = Planned.upvotes
    downvotes = Planned.downvotes
    author = Planned.author
    assignees = Planned.assignees
    assignee = Planned.assignee
    source_project_id = attr(int | None)
    target_project_id = attr(int, "project_id")

    labels = Planned.labels
    work_in_progress = attr(bool)

    milestone = Planned.milestone
    merge_when_pipeline_succeeds = attr(bool)

    @shown
    def merge_status(self) -> str:
        return merge_checks.shown(self.record.merge_status)

    @shown
    def sha(self) -> Text:
        return diff_versions.head(self.cx.world, self.record)

    @shown
    def merge_commit_sha(self) -> Text:
        return diff_versions.merge_commit(self.cx.world, self.record)

    squash_commit_sha = attr(Text)
    discussion_locked = attr(bool | None)
    should_remove_source_branch = attr(bool | None)
    force_remove_source_branch = attr(bool | None)
    allow_collaboration = attr(bool, when=_of_fork)
    allow_maintainer_to_push = attr(bool, "allow_collaboration", when=_of_fork)

    @shown
    def reference(self) -> str:
        return self._relative(within_group=False)

    @shown
    def references(self) -> dict[str, str]:
        return {"short": f"!{self.record.iid}", "relative": self._relative(within_group=True), "full": self._full()}

    time_stats = Planned.time_stats
    squash = attr(bool)

    task_completion_status = Planned.task_completion_status

    @shown
    def has_conflicts(self) -> bool:
        return self.record.merge_status == "cannot_be_merged"

    @shown
    def blocking_discussions_resolved(self) -> bool:
        return resolving.all_resolved(self.cx.world, self.record)

    approvals_before_merge = attr(int | None, when=_paid)

    def _full(self) -> str:
        return f"{self._path}!{self.record.iid}"

    def _relative(self, *, within_group: bool) -> str:
        if FROM_PROJECT in self.options:
            return f"!{self.record.iid}"
        short = f"!{self.record.iid}"
        return (self._within_group(short) if within_group else None) or self._full()


class MergeRequestFull(MergeRequestBasic):
    """A merge request with what its branches say."""

    @shown
    def changes_count(self) -> Text:
        count = diff_versions.file_count(self.cx.world, self.record, self._refs)
        return str(count) if count else None

    @shown_when(_has_builds)
    def latest_build_started_at(self) -> Text:
        return self._begun.started_at if self._begun else None

    @shown_when(_has_builds)
    def latest_build_finished_at(self) -> Text:
        return self._begun.finished_at if self._begun and self._begun.status == "success" else None

    first_deployed_to_production_at = constant(None, Text, when=_has_builds)

    @shown_when(_has_builds)
    def pipeline(self) -> PipelineBasic | None:
        found: PipelineBasic | None = self.cx.show(PipelineBasic, self._begun)
        return found

    @shown_when(_reads_pipelines)
    def head_pipeline(self) -> PipelineView | None:
        found: PipelineView | None = self.cx.show(PipelineView, pipelines.head_of(self.cx.world, self.record))
        return found

    @shown
    def diff_refs(self) -> dict[str, str] | None:
        refs = self._refs
        return {"base_sha": refs.base, "head_sha": refs.head, "start_sha": refs.start} if refs else None

    merge_error = attr(Text)

    @shown
    def user(self) -> dict[str, bool]:
        project = self._project
        return {"can_merge": protection.may_merge(self.cx, project, self.record.target_branch)}

    @shown_when(lambda view: DIVERGED in view.options)
    def diverged_commits_count(self) -> int:
        return diff_versions.diverged(self.cx.world, self.record)

    rebase_in_progress = attr(bool, when=lambda view: REBASING in view.options)

    @shown_when(lambda view: FIRST in view.options)
    def first_contribution(self) -> bool:
        return merge_requests.is_first_contribution(self.cx.world, self.record)

    @property
    def _refs(self) -> DiffRefs | None:
        return diff_versions.refs(self.cx.world, self.record)

    @cached_property
    def _begun(self) -> Pipeline | None:
        return pipelines.begun_of(self.cx.world, self.record)


class MergeRequestView(MergeRequestFull):
    """A single merge request."""

    @shown
    def subscribed(self) -> bool:
        return subscriptions.hears_of(self.cx.world, self.record, self.cx.user)


class MergeRequestChanges(MergeRequestView):
    """A merge request with how its files differ."""

    @shown
    def changes(self) -> list[DiffView]:
        raw = RAW in self.options
        found = diff_versions.differences(self.cx.world, self.record, self._refs, raw=raw)
        return [self.cx.show(DiffView, one) for one in found]

    @shown
    def overflow(self) -> bool:
        refs = self._refs
        world = self.cx.world
        raw = RAW in self.options
        shown_ = len(diff_versions.differences(world, self.record, refs, raw=raw))
        return shown_ < diff_versions.file_count(world, self.record, refs)


class DiffVersionView(Entity[DiffVersion]):
    """A version of a merge request's difference."""

    cx: Context

    id = attr(int)

    @shown
    def head_commit_sha(self) -> Text:
        return self._refs.head if self._refs else None

    @shown
    def base_commit_sha(self) -> Text:
        return self._refs.base if self._refs else None

    @shown
    def start_commit_sha(self) -> Text:
        return self._refs.start if self._refs else None

    created_at = attr(str)
    merge_request_id = attr(int)

    @shown
    def state(self) -> str:
        return "collected" if self._count else "empty"

    @shown
    def real_size(self) -> str:
        return str(self._count)

    @property
    def _refs(self) -> DiffRefs | None:
        return diff_versions.refs_of(self.cx.world, self.record)

    @property
    def _count(self) -> int:
        return diff_versions.file_count(self.cx.world, self._merge_request, self._refs)

    @property
    def _merge_request(self) -> MergeRequest:
        return self.cx.world.merge_requests[self.record.merge_request_id]


class DiffVersionDetail(DiffVersionView):
    """A single version, with its commits and differences."""

    @shown
    def commits(self) -> list[CommitBasic]:
        found = diff_versions.commits(self.cx.world, self._merge_request, self._refs)
        return [self.cx.show(CommitBasic, commit) for commit in found]

    @shown
    def diffs(self) -> list[DiffView]:
        found = diff_versions.differences(self.cx.world, self._merge_request, self._refs)
        return [self.cx.show(DiffView, one) for one in found]
