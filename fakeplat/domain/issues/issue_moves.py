"""Moving issues to other projects. Source: docs/platform/issues.md ('Write ops'), docs/platform/issues.md."""

from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain import signals
from fakeplat.domain.issues import issue_access, issue_links, issues
from fakeplat.domain.notes.system_notes import DISCUSSION
from fakeplat.domain.planning import labels, milestones, resource_events
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

Subject = tuple[str, int]
_NO_RIGHT: Final = "Cannot move issue due to insufficient permissions!"
_KEPT: Final = (
    "title",
    "description",
    "author_id",
    "created_at",
    "kind",
    "confidential",
    "discussion_locked",
    "due_date",
    "time_estimate",
)


def move(ctx: WriteContext, project: Project, issue: Issue, target: Project) -> Issue:
    """Make the issue anew in another project and close it here; gives the new one.

    Notes, awards, links, history and the labels and milestone that have the same title there go along.
    """
    _check(ctx, project, issue, target)
    (made,) = issues.create_many(ctx, target, [_fields(ctx, issue, target)])
    _copy(ctx, issue, made)
    closed = issues.close(ctx, issue)
    moved = ctx.world.issues.change(closed, moved_to_id=made.id, updated_at=ctx.now_iso)
    signals.issue_moved.send(ctx, moved, made)
    ctx.emit("issue_moved", moved)
    return made


def _check(ctx: WriteContext, project: Project, issue: Issue, target: Project) -> None:
    for place in (project, target):
        ruling = decide(ctx, Ability.ADMIN_ISSUE, place)
        if not ruling.allowed:
            raise BadRequest(_NO_RIGHT, reason=ruling.why)
    if issues.moved_to(ctx.world, issue) is not None:
        raise BadRequest(_NO_RIGHT, reason=f"issue {issue.iid} was moved already")
    if project.id == target.id:
        raise BadRequest("Cannot move issue to project it originates from!")


def _fields(ctx: WriteContext, issue: Issue, target: Project) -> dict[str, Any]:
    """What the new issue has of the old one."""
    world = ctx.world
    titles = [world.labels[id_].title for id_ in issue.label_ids]
    found = [label.id for title in titles if (label := labels.find_by_title(world, target, title))]
    fields = {name: getattr(issue, name) for name in _KEPT}
    if has_feature(world, "premium", target):
        fields["weight"] = issue.weight
    return fields | {
        "updated_at": ctx.now_iso,
        "assignee_ids": tuple(
            id_ for id_ in issue.assignee_ids if issue_access.is_assignable(ctx, target, world.users[id_])
        ),
        "label_ids": tuple(found),
        "milestone_id": _milestone(ctx, issue, target),
    }


def _milestone(ctx: WriteContext, issue: Issue, target: Project) -> int | None:
    if issue.milestone_id is None:
        return None
    title = ctx.world.milestones[issue.milestone_id].title
    return next((one.id for one in milestones.list_available(ctx.world, target) if one.title == title), None)


def _copy(ctx: WriteContext, old: Issue, new: Issue) -> None:
    source, target = ("issue", old.id), ("issue", new.id)
    _copy_awards(ctx, source, target)
    _copy_notes(ctx, source, target)
    resource_events.copy_events(ctx, source, target)
    issue_links.move_links(ctx, old, new)


def _copy_awards(ctx: WriteContext, source: Subject, target: Subject) -> None:
    table = ctx.world.awards
    for award in list(table.where("subject", source)):
        table.add(evolve(award, id=table.next_id(), subject=target))


def _copy_notes(ctx: WriteContext, source: Subject, target: Subject) -> None:
    """Threads stay threads, under names of their own."""
    table, threads = ctx.world.notes, dict[str, str]()
    for note in list(table.where("subject", source)):
        thread = threads.get(note.discussion_id) or ctx.random_hex(DISCUSSION, 20)
        threads[note.discussion_id] = thread
        copied = table.add(evolve(note, id=table.next_id(), subject=target, discussion_id=thread))
        _copy_awards(ctx, ("note", note.id), ("note", copied.id))
