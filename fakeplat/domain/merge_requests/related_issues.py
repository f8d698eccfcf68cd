"""Issues related to merge requests: those that their texts, commits or comments mention.

Source: docs/platform/merge-requests.md ('related_issues').
"""

from fakeplat.domain.integrations import issue_trackers
from fakeplat.domain.integrations.issue_trackers import ExternalIssue
from fakeplat.domain.notes import noteables, notes, references
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import ReadContext


def list_related_issues(ctx: ReadContext, merge_request: MergeRequest) -> list[Issue | ExternalIssue]:
    """Return the issues that the caller can see, each once; those of an external tracker come last."""
    project = ctx.world.projects[merge_request.project_id]
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    commits = diff_versions.list_commits(ctx.world, merge_request, refs)
    comments = [note for note in notes.list_visible_notes(ctx, merge_request) if not note.system]
    texts = [
        merge_request.title,
        merge_request.description,
        *(entry.commit.message for entry in reversed(commits)),
        *(note.body for note in comments),
    ]
    related: dict[int, Issue] = {}
    for text in texts:
        related |= references.find_issues(ctx, project, text)
    visible = [issue for issue in related.values() if noteables.is_visible(ctx, issue)]
    return [*visible, *issue_trackers.list_closed_by(ctx, merge_request)]
