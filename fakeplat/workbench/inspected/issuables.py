"""What belongs to issues, merge requests, epics, snippets, alerts and notes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World
from fakeplat.workbench.inspected.declaration import Part, Parts, rows

if TYPE_CHECKING:
    from fakeplat.domain.repository.commits import ProjectCommit
    from fakeplat.domain.repository.diffs import DiffOfFile


def _notes_and_awards(kind: str) -> Parts:
    return {
        "notes": Part(rows("notes", "subject", kind), "notes.notes.NoteView"),
        "award_emoji": Part(rows("awards", "subject", kind), "notes.awards.AwardView"),
    }


def _resource_events(kind: str) -> Parts:
    return {
        "resource_label_events": Part(rows("label_events", "subject", kind), "planning.resource_events.LabelEventView"),
        "resource_milestone_events": Part(
            rows("milestone_events", "subject", kind), "planning.resource_events.MilestoneEventView"
        ),
        "resource_state_events": Part(rows("state_events", "subject", kind), "planning.resource_events.StateEventView"),
    }


def _commits_of(world: World, merge_request: MergeRequest) -> "Sequence[ProjectCommit]":
    from fakeplat.domain.reviews import diff_versions

    return diff_versions.list_commits(world, merge_request, diff_versions.latest_refs(world, merge_request))


def _diffs_of(world: World, merge_request: MergeRequest) -> "Sequence[DiffOfFile]":
    from fakeplat.domain.reviews import diff_versions

    return diff_versions.list_diffs(world, merge_request, diff_versions.latest_refs(world, merge_request), raw=True)


def _issues_of(world: World, epic: Epic) -> Sequence[Issue]:
    return [world.issues[link.issue_id] for link in world.epic_issues.where("epic", epic.id)]


ISSUE_PARTS: Final[Parts] = {
    **_notes_and_awards("issue"),
    "links": Part(rows("issue_links", "issue"), "issues.issue_links.IssueLinkView"),
    "metric_images": Part(rows("metric_images", "subject", "issue"), "alerts.MetricImageView"),
    **_resource_events("issue"),
    "resource_iteration_events": Part(
        rows("iteration_events", "subject", "issue"), "planning.resource_events.IterationEventView"
    ),
    "resource_weight_events": Part(
        rows("weight_events", "subject", "issue"), "planning.resource_events.WeightEventView"
    ),
}
MERGE_REQUEST_PARTS: Final[Parts] = {
    **_notes_and_awards("merge_request"),
    "commits": Part(_commits_of, "repository.commits.CommitBasic"),
    "changes": Part(_diffs_of, "repository.commits.DiffView"),
    "versions": Part("reviews.diff_versions.list_versions", "merge_requests.merge_requests.DiffVersionView"),
    "pipelines": Part(rows("pipelines", "merge_request"), "ci.pipelines.NamedPipelineView"),
    "approved_by": Part("merge_requests.approvals.list_approvals", "merge_requests.approvals.ApprovalView"),
    "approval_rules": Part(
        rows("approval_rules", "subject", "merge_request"), "merge_requests.approval_rules.MergeRequestApprovalRuleView"
    ),
    "draft_notes": Part(rows("draft_notes", "merge_request"), "notes.notes.DraftNoteView"),
    "blocks": Part("merge_requests.blocks.list_blocks", "merge_requests.blocks.MergeRequestBlockView"),
    **_resource_events("merge_request"),
}
EPIC_PARTS: Final[Parts] = {
    **_notes_and_awards("epic"),
    "issues": Part(_issues_of, "issues.issues.IssueView"),
    "epics": Part(rows("epics", "parent"), "epics.EpicView"),
    "related_epics": Part(rows("related_epic_links", "epic"), "epic_relations.RelatedEpicLinkView"),
    "resource_state_events": _resource_events("epic")["resource_state_events"],
    "resource_label_events": _resource_events("epic")["resource_label_events"],
}
SNIPPET_PARTS: Final[Parts] = _notes_and_awards("snippet")
ALERT_PARTS: Final[Parts] = {
    "notes": Part(rows("notes", "subject", ALERT), "alerts.SystemNoteView"),
    "metric_images": Part(rows("metric_images", "subject", ALERT), "alerts.MetricImageView"),
}
NOTE_PARTS: Final[Parts] = {
    "award_emoji": Part(rows("awards", "subject", "note"), "notes.awards.AwardView"),
    "suggestions": Part("merge_requests.suggestions.list_suggestions", "notes.notes.SuggestionView"),
}
