"""Merge requests that issues have to do with: those that name them, and those that they name.

Source: docs/platform/issues.md ('related_merge_requests').
"""

from fakeplat.domain.notes import notes, references
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import ReadContext


def list_related_merge_requests(ctx: ReadContext, issue: Issue) -> list[MergeRequest]:
    """The merge requests that the description and notes of an issue name, the platform's own notes too; each once."""
    project = ctx.world.projects[issue.project_id]
    said = [issue.description, *(note.body for note in notes.list_visible_notes(ctx, issue))]
    found = (one for text in said for one in references.find_merge_requests(ctx, project, text).values())
    return list({one.id: one for one in found}.values())
