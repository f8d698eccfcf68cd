"""Effects of quick actions on issues."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.customer_relations import issue_contacts
from fakeplat.domain.epics import epic_issues
from fakeplat.domain.issues import issue_links, issue_moves, issues, work_statuses, zoom_meetings
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.notes.noteables import ISSUE
from fakeplat.domain.people.path_names import slugify
from fakeplat.domain.quick_actions import noteable_effects
from fakeplat.domain.quick_actions.quick_actions import EFFECTS, CommandEffects
from fakeplat.domain.repository import branches
from fakeplat.domain.settings import default_branch
from fakeplat.model.issues import Issue
from fakeplat.policy.context import WriteContext

_FIELDS: Final = ("confidential", "due_date", "weight", "iteration_id", "severity")


def _change_state(ctx: WriteContext, issue: Issue, event: str) -> None:
    issues.close(ctx, issue) if event == "close" else issues.reopen(ctx, issue)


def _mark_duplicate(ctx: WriteContext, issue: Issue, canonical_id: int) -> None:
    world, canonical = ctx.world, ctx.world.issues[canonical_id]
    issue_project, canonical_project = (world.projects[record.project_id] for record in (issue, canonical))
    notes = (
        (issue, f"marked this issue as a duplicate of {noteables.format_reference(world, canonical, issue_project)}"),
        (
            canonical,
            f"marked {noteables.format_reference(world, issue, canonical_project)} as a duplicate of this issue",
        ),
    )
    for marked, body in notes:
        other = canonical if marked is issue else issue
        system_notes.write(ctx, (ISSUE.kind, marked.id), ctx.signed_in_user, body, source=(ISSUE.kind, other.id))
    work_statuses.mark_duplicate(ctx, issues.mark_duplicate(ctx, issue, canonical))


def _move(ctx: WriteContext, issue: Issue, project_id: int) -> None:
    issue_moves.move(ctx, ctx.world.projects[issue.project_id], issue, ctx.world.projects[project_id])


def _clone(ctx: WriteContext, issue: Issue, params: Mapping[str, Any]) -> None:
    issue_moves.clone(ctx, issue, ctx.world.projects[params["project_id"]], with_notes=params["with_notes"])


def _link_issues(ctx: WriteContext, issue: Issue, ids: Iterable[int]) -> None:
    """Link the issue to others, skipping those that the caller may not link."""
    for id_ in ids:
        with suppress(Refusal):
            issue_links.create(ctx, issue, ctx.world.issues[id_])


def _create_merge_request(ctx: WriteContext, issue: Issue, params: Mapping[str, str | None]) -> None:
    project = ctx.world.projects[issue.project_id]
    branch, target = (
        params["branch_name"] or _default_branch_name(issue),
        project.default_branch or default_branch(ctx.world),
    )
    branches.create(ctx, project, branch, target)
    # The project is read again, because creating the branch changed it.
    merge_request = merge_requests.create(
        ctx,
        ctx.world.projects[project.id],
        ctx.signed_in_user,
        title=f'Draft: Resolve "{issue.title}"',
        description=f"Closes #{issue.iid}",
        source_branch=branch,
        target_branch=target,
        assignee_ids=[ctx.signed_in_user.id],
        label_ids=issue.label_ids,
        milestone_id=issue.milestone_id,
    )
    body = (
        f"created merge request {noteables.format_reference(ctx.world, merge_request, project)} to address this issue"
    )
    source = noteables.subject_of(merge_request)
    system_notes.write(ctx, (ISSUE.kind, issue.id), ctx.signed_in_user, body, source=source)


def _default_branch_name(issue: Issue) -> str:
    """Return the platform's default name of a branch for an issue."""
    return f"{issue.iid}-{'confidential-issue' if issue.confidential else slugify(issue.title)}"


# Handlers run in this order: the move comes last, because it closes the issue.
EFFECTS[ISSUE.kind] = CommandEffects(
    set_fields=lambda ctx, issue, fields: issues.update_fields(ctx, issue, **fields),
    fields=(*noteable_effects.COMMON_FIELDS, *_FIELDS),
    creation_fields=noteable_effects.COMMON_CREATION_FIELDS,
    handlers={
        **noteable_effects.COMMON_EFFECTS,
        "state_event": _change_state,
        "canonical_issue_id": _mark_duplicate,
        "relate": _link_issues,
        "epic": epic_issues.change_epic,
        "zoom_meeting": zoom_meetings.set_meeting,
        "add_contacts": issue_contacts.add_by_addresses,
        "remove_contacts": issue_contacts.remove_by_addresses,
        "create_merge_request": _create_merge_request,
        "clone": _clone,
        "target_project": _move,
    },
)
