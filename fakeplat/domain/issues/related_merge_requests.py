"""Merge requests related to issues: those that the issue or its notes reference.

Source: docs/platform/issues.md ('related_merge_requests').
"""

from fakeplat.domain.notes import notes, references
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import ReadContext


def list_related_merge_requests(ctx: ReadContext, issue: Issue) -> list[MergeRequest]:
    """Return the merge requests that the description and notes of an issue reference, without duplicates.

    System notes count too, which is how merge requests that mention the issue are found.
    """
    project = ctx.world.projects[issue.project_id]
    texts = [issue.description, *(note.body for note in notes.list_visible_notes(ctx, issue))]
    related: dict[int, MergeRequest] = {}
    for text in texts:
        related |= references.find_merge_requests(ctx, project, text)
    return list(related.values())
