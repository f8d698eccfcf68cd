"""Views of merge requests and their diff versions.

Source: docs/platform/merge-requests.md ('Basic entity order').
"""

from typing import Final

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.ci import pipelines
from fakeplat.domain.deployments import deployed_merge_requests
from fakeplat.domain.markup import markup
from fakeplat.domain.merge_requests import merge_checks, merge_commits, merge_requests
from fakeplat.domain.merge_requests.detailed_merge_status import DetailedMergeStatus, get_status
from fakeplat.domain.notes import resolution, subscriptions
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.entities.ci.pipelines import PipelineBasic, PipelineView
from fakeplat.entities.issues.issuables import FROM_PROJECT, Issuable, IssuableSimple
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.repository.commits import UNIFIED, CommitBasic, DiffView
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import DiffRefs, DiffVersion, MergeRequest, Reviewer
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, is_feature_open
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

RENDER_HTML: Final = "render_html"
DIVERGED: Final = "include_diverged_commits_count"
REBASING: Final = "include_rebase_in_progress"
RAW_DIFFS: Final = "access_raw_diffs"
FIRST_CONTRIBUTION: Final = "include_first_contribution"


def _paid(view: Issuable[MergeRequest]) -> bool:
    return has_feature(view.ctx.world, "premium", view.project)


def _is_from_fork(view: Entity[MergeRequest]) -> bool:
    # A deleted source project (None) does not count as a fork.
    return view.record.source_project_id not in (None, view.record.project_id)


# The older pipeline fields only depend on the feature, ``head_pipeline`` on the permission to read pipelines.
def _has_builds(view: Issuable[MergeRequest]) -> bool:
    """Whether CI is enabled for the viewer, even if the project's settings hide its pipelines."""
    return is_feature_open(view.ctx, view.project, "builds")


def _can_read_pipelines(view: Issuable[MergeRequest]) -> bool:
    return can(view.ctx, Ability.READ_PIPELINE, view.project)


class MergeRequestSimple(IssuableSimple[MergeRequest]):
    """A merge request in the simple view."""

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}/{self._path}/-/merge_requests/{self.record.iid}"


class MergeRequestBasic(MergeRequestSimple):
    """A merge request in a list. Options: label details, rendered HTML, and the scope of the list."""

    imported = constant(False, bool, since="17.2")
    imported_from = constant("none", str, since="17.2")

    @computed
    def merged_by(self) -> UserBasic | None:
        return self._user(self.record.merged_by_id)

    @computed_if(since="14.7")
    def merge_user(self) -> UserBasic | None:
        return self._user(self.record.merged_by_id or self.record.merge_user_id)

    merged_at = attr()

    closed_by = Issuable.closed_by
    closed_at = attr()

    @computed_if(when=lambda view: RENDER_HTML in view.options)
    def title_html(self) -> str:
        return markup.render_line(self.ctx, self.record.title, self.project)

    @computed_if(when=lambda view: RENDER_HTML in view.options)
    def description_html(self) -> str:
        return markup.render_html(self.ctx, self.record.description, self.project)

    target_branch = attr()
    source_branch = attr()

    user_notes_count = Issuable.user_notes_count
    upvotes = Issuable.upvotes
    downvotes = Issuable.downvotes
    author = Issuable.author
    assignees = Issuable.assignees
    assignee = Issuable.assignee

    @computed_if(since="13.7")
    def reviewers(self) -> list[UserBasic]:
        return [self.ctx.render(UserBasic, self.ctx.world.users[id_]) for id_ in self.record.reviewer_ids]

    source_project_id = attr()
    target_project_id = attr("project_id")

    labels = Issuable.labels
    draft = attr("work_in_progress", since="14.0")
    work_in_progress = attr()

    milestone = Issuable.milestone
    merge_when_pipeline_succeeds = attr()

    @computed
    def merge_status(self) -> str:
        return merge_checks.public_status(self.record.merge_status)

    @computed_if(since="15.6")
    def detailed_merge_status(self) -> DetailedMergeStatus:
        return get_status(self.ctx, self.record)

    merge_after = attr(since="17.5")

    @computed
    def sha(self) -> str | None:
        return self._refs.head if self._refs else None

    @computed
    def merge_commit_sha(self) -> str | None:
        return diff_versions.merge_commit_sha(self.ctx.world, self.record)

    squash_commit_sha = attr()
    discussion_locked = attr()
    should_remove_source_branch = attr()
    force_remove_source_branch = attr()
    # Pipelines, diffs and mails are made with the merge request, so preparing it takes no time.
    prepared_at = attr("created_at", since="16.1")
    allow_collaboration = attr(when=_is_from_fork)
    # The older name of the same attribute, which clients still read.
    allow_maintainer_to_push = attr("allow_collaboration", when=_is_from_fork)

    @computed
    def reference(self) -> str:
        return self._relative_reference(within_group=False)

    @computed
    def references(self) -> dict[str, str]:
        return {
            "short": f"!{self.record.iid}",
            "relative": self._relative_reference(within_group=True),
            "full": self._full_reference(),
        }

    time_stats = Issuable.time_stats
    squash = attr()

    @computed_if(since="<=17.11")
    def squash_on_merge(self) -> bool:
        return merge_commits.is_squashed(self.ctx.world, self.record)

    task_completion_status = Issuable.task_completion_status

    @computed
    def has_conflicts(self) -> bool:
        # A status that was not checked yet counts as free of conflicts.
        return self.record.merge_status == "cannot_be_merged"

    @computed
    def blocking_discussions_resolved(self) -> bool:
        return resolution.all_resolved(self.ctx.world, self.record)

    approvals_before_merge = attr(when=_paid)

    @cached_property
    def _refs(self) -> DiffRefs | None:
        return diff_versions.latest_refs(self.ctx.world, self.record)

    def _full_reference(self) -> str:
        return f"{self._path}!{self.record.iid}"

    def _relative_reference(self, *, within_group: bool) -> str:
        # ``reference`` is the older field, which knows no relation to a group.
        if FROM_PROJECT in self.options:
            return f"!{self.record.iid}"
        short = f"!{self.record.iid}"
        return (self._within_group(short) if within_group else None) or self._full_reference()


class MergeRequestFull(MergeRequestBasic):
    """A merge request with fields computed from its branches and pipelines."""

    @computed
    def changes_count(self) -> str | None:
        count = diff_versions.count_files(self.ctx.world, self.record, self._refs)
        # Text, because the platform's count can be inexact: ``1000+``.
        return str(count) if count else None

    @computed_if(when=_has_builds)
    def latest_build_started_at(self) -> str | None:
        return self._started_pipeline.started_at if self._started_pipeline else None

    @computed_if(when=_has_builds)
    def latest_build_finished_at(self) -> str | None:
        # The platform takes the end of successful pipelines only.
        return (
            self._started_pipeline.finished_at
            if self._started_pipeline and self._started_pipeline.status == "success"
            else None
        )

    @computed_if(when=_has_builds)
    def first_deployed_to_production_at(self) -> str | None:
        return deployed_merge_requests.find_production_time(self.ctx.world, self.record)

    @computed_if(when=_has_builds)
    def pipeline(self) -> PipelineBasic | None:
        pipeline: PipelineBasic | None = self.ctx.render(PipelineBasic, self._started_pipeline)
        return pipeline

    @computed_if(when=_can_read_pipelines)
    def head_pipeline(self) -> PipelineView | None:
        pipeline: PipelineView | None = self.ctx.render(
            PipelineView, pipelines.head_pipeline(self.ctx.world, self.record)
        )
        return pipeline

    @computed
    def diff_refs(self) -> dict[str, str] | None:
        refs = self._refs
        return {"base_sha": refs.base, "head_sha": refs.head, "start_sha": refs.start} if refs else None

    merge_error = attr()

    @computed
    def user(self) -> dict[str, bool]:
        project = self.project
        return {"can_merge": protection.can_merge(self.ctx, project, self.record.target_branch)}

    @computed_if(when=lambda view: DIVERGED in view.options)
    def diverged_commits_count(self) -> int:
        return diff_versions.count_diverged_commits(self.ctx.world, self.record)

    rebase_in_progress = attr(when=lambda view: REBASING in view.options)

    @computed_if(when=lambda view: FIRST_CONTRIBUTION in view.options)
    def first_contribution(self) -> bool:
        return merge_requests.is_first_contribution(self.ctx.world, self.record)

    @cached_property
    def _started_pipeline(self) -> Pipeline | None:
        return pipelines.latest_started(self.ctx.world, self.record)


class MergeRequestView(MergeRequestFull):
    """A single merge request."""

    @computed
    def subscribed(self) -> bool:
        return subscriptions.is_notified(self.ctx.world, self.record, self.ctx.viewer)


class MergeRequestChanges(MergeRequestView):
    """A merge request with its diffs."""

    @computed
    def changes(self) -> list[DiffView]:
        raw = RAW_DIFFS in self.options
        diffs = diff_versions.list_diffs(self.ctx.world, self.record, self._refs, raw=raw)
        options = (UNIFIED,) if UNIFIED in self.options else ()
        return [self.ctx.render(DiffView, diff, *options) for diff in diffs]

    @computed
    def overflow(self) -> bool:
        refs = self._refs
        world = self.ctx.world
        raw = RAW_DIFFS in self.options
        # Lists of diffs are truncated at the platform's limits; the count of files is not.
        listed = len(diff_versions.list_diffs(world, self.record, refs, raw=raw))
        return listed < diff_versions.count_files(world, self.record, refs)


class ReviewerView(Entity[Reviewer]):
    """A reviewer, and how far they are."""

    ctx: ReadContext
    cached_by_id = False

    @computed
    def user(self) -> UserBasic:
        user: UserBasic = self.ctx.render(UserBasic, self.ctx.world.users[self.record.user_id])
        return user

    state = attr()
    created_at = attr()


class DiffVersionView(Entity[DiffVersion]):
    """A diff version of a merge request."""

    ctx: ReadContext

    id = attr()

    @computed
    def head_commit_sha(self) -> str | None:
        return self._refs.head if self._refs else None

    @computed
    def base_commit_sha(self) -> str | None:
        return self._refs.base if self._refs else None

    @computed
    def start_commit_sha(self) -> str | None:
        return self._refs.start if self._refs else None

    created_at = attr()
    merge_request_id = attr()

    @computed
    def state(self) -> str:
        return "collected" if self._count else "empty"

    @computed
    def real_size(self) -> str:
        return str(self._count)

    @computed_if(since="<=16.0")
    def patch_id_sha(self) -> str | None:
        return diff_versions.identify_patch(self.ctx.world, self._merge_request, self._refs)

    @cached_property
    def _refs(self) -> DiffRefs | None:
        return diff_versions.refs_of(self.ctx.world, self.record)

    @property
    def _count(self) -> int:
        return diff_versions.count_files(self.ctx.world, self._merge_request, self._refs)

    @property
    def _merge_request(self) -> MergeRequest:
        return self.ctx.world.merge_requests[self.record.merge_request_id]


class DiffVersionDetail(DiffVersionView):
    """A single diff version, with its commits and diffs."""

    @computed
    def commits(self) -> list[CommitBasic]:
        commits = diff_versions.list_commits(self.ctx.world, self._merge_request, self._refs)
        return [self.ctx.render(CommitBasic, commit) for commit in commits]

    @computed
    def diffs(self) -> list[DiffView]:
        diffs = diff_versions.list_diffs(self.ctx.world, self._merge_request, self._refs)
        return [self.ctx.render(DiffView, diff, *self.options) for diff in diffs]
