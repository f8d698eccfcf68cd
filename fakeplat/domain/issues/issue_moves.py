"""Moving and cloning issues. Source: docs/platform/issues.md ('Write ops'), docs/platform/issues.md."""

from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.references import Subject
from fakeplat.domain import signals
from fakeplat.domain.customer_relations import issue_contacts
from fakeplat.domain.issuables import creation_limit, resource_events
from fakeplat.domain.issues import issue_access, issue_history, issue_links, issues
from fakeplat.domain.notes.system_notes import DISCUSSION
from fakeplat.domain.planning import custom_fields, labels, milestones
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

_FORBIDDEN: Final = "Cannot {} issue due to insufficient permissions!"
_COPIED_FIELDS: Final = (
    "title",
    "description",
    "author_id",
    "created_at",
    "kind",
    "confidential",
    "discussion_locked",
    "due_date",
    "start_date",
    "severity",
    "time_estimate",
)


def move(ctx: WriteContext, project: Project, issue: Issue, target: Project) -> Issue:
    """Copy an issue to another project, close the original, and return the copy.

    Notes, awards, links and resource events are copied or transferred; labels and the milestone are kept if the target
    has ones with the same title.
    """
    _check_permission(ctx, issue, target, "move")
    if project.id == target.id:
        raise BadRequest("Cannot move issue to project it originates from!")
    creation_limit.count_copy(ctx, target)
    copy = issues.insert(ctx, target, **_copy_fields(ctx, issue, target))
    _copy_related(ctx, issue, copy)
    # Closed after copying, so that the events of closing belong to the original only.
    closed = issues.close(ctx, issue)
    moved = ctx.world.issues.change(closed, moved_to_id=copy.id, updated_at=ctx.now_iso)
    signals.issue_moved.send(ctx, moved, copy)
    return copy


def clone(ctx: WriteContext, issue: Issue, target: Project, *, with_notes: bool = False) -> Issue:
    """Copy an issue to a project, which may be its own, in the name of the caller; return the copy.

    The copy is open and has no awards, and only if ``with_notes`` the notes and resource events of the original.
    """
    _check_permission(ctx, issue, target, "clone")
    creation_limit.count_copy(ctx, target)
    user, now = ctx.signed_in_user, ctx.now_iso
    fields = {**_copy_fields(ctx, issue, target), "author_id": user.id, "created_at": now}
    copy = issues.insert(ctx, target, **fields)
    issue_history.record_created(ctx, copy, user)
    custom_fields.copy_values(ctx, issue, copy)
    if with_notes:
        source, new_subject = ("issue", issue.id), ("issue", copy.id)
        copy_notes(ctx, source, new_subject)
        resource_events.copy_events(ctx, source, new_subject)
    signals.issue_cloned.send(ctx, issue, copy)
    return copy


def _check_permission(ctx: WriteContext, issue: Issue, target: Project, verb: str) -> None:
    for container in (ctx.world.projects[issue.project_id], target):
        decision = decide(ctx, Ability.ADMIN_ISSUE, container)
        if not decision.allowed:
            raise BadRequest(_FORBIDDEN.format(verb), reason=decision.why)
    # This is None again once the copy was deleted, and the issue can be moved once more.
    if issues.moved_to(ctx.world, issue) is not None:
        raise BadRequest(_FORBIDDEN.format(verb), reason=f"issue {issue.iid} has already been moved")


def _copy_fields(ctx: WriteContext, issue: Issue, target: Project) -> dict[str, Any]:
    """Return the fields of the copy."""
    world = ctx.world
    titles = [world.labels[id_].title for id_ in issue.label_ids]
    label_ids = [label.id for title in titles if (label := labels.find_by_title(world, target, title))]
    fields = {name: getattr(issue, name) for name in _COPIED_FIELDS}
    if has_feature(world, "premium", target):
        fields["weight"] = issue.weight
    return fields | {
        "updated_at": ctx.now_iso,
        "assignee_ids": tuple(
            id_ for id_ in issue.assignee_ids if issue_access.is_assignable(ctx, target, world.users[id_])
        ),
        "label_ids": tuple(label_ids),
        "milestone_id": _find_target_milestone(ctx, issue, target),
    }


def _find_target_milestone(ctx: WriteContext, issue: Issue, target: Project) -> int | None:
    if issue.milestone_id is None:
        return None
    title = ctx.world.milestones[issue.milestone_id].title
    available = milestones.list_available(ctx.world, target)
    return next((milestone.id for milestone in available if milestone.title == title), None)


def _copy_related(ctx: WriteContext, old: Issue, new: Issue) -> None:
    source, target = ("issue", old.id), ("issue", new.id)
    _copy_awards(ctx, source, target)
    copy_notes(ctx, source, target)
    resource_events.copy_events(ctx, source, target)
    issue_links.move_links(ctx, old, new)
    custom_fields.copy_values(ctx, old, new)
    issue_contacts.copy(ctx, old, new)


def _copy_awards(ctx: WriteContext, source: Subject, target: Subject) -> None:
    table = ctx.world.awards
    for award in list(table.where("subject", source)):
        table.add(evolve(award, id=table.next_id(), subject=target))


def copy_notes(ctx: WriteContext, source: Subject, target: Subject) -> None:
    """Copy notes with their awards; threads are preserved, but get new discussion ids."""
    table, new_ids = ctx.world.notes, dict[str, str]()
    for note in list(table.where("subject", source)):
        discussion_id = new_ids.get(note.discussion_id) or ctx.random_hex(DISCUSSION, 20)
        new_ids[note.discussion_id] = discussion_id
        copied = table.add(evolve(note, id=table.next_id(), subject=target, discussion_id=discussion_id))
        _copy_awards(ctx, ("note", note.id), ("note", copied.id))
