"""The records that events refer to: one declaration for each kind, and who sees the events.

Source: docs/platform/hooks-and-events.md ('Events').
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.epics import epic_access
from fakeplat.domain.issues import issue_access
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.domain.people import members
from fakeplat.domain.planning import milestones
from fakeplat.domain.wikis import page_events
from fakeplat.model.activity import Event
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.planning import Milestone
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

# Responses use other words than the stored actions, which are the values of the filter ``action``.
_ACTION_NAMES: Final = {"created": "opened", "commented": "commented on", "merged": "accepted"}
_PUSH_NAMES: Final = {"created": "pushed new", "removed": "deleted", "pushed": "pushed to"}


def name_action(event: Event) -> str:
    """Return the words for an event's action in responses and feeds."""
    if event.push is not None:
        return _PUSH_NAMES[event.push.action]
    # Without a target the project itself was created; anything else is "opened".
    if event.action == "created" and event.kind is None:
        return "created"
    return event.action if event.kind == page_events.KIND else _ACTION_NAMES.get(event.action, event.action)


@frozen
class Target:
    """A kind of record that events refer to, with functions that read what events show of it.

    ``wire`` returns the name of the kind in responses, which may depend on the record; None is a deleted record.
    """

    table: str
    wire: Callable[[Any], str]
    seen: Callable[[ReadContext, Any], bool]
    iid: Callable[[Any], int | None] = lambda record: int(record.iid)
    title: Callable[[World, Any], str | None] = lambda _, record: str(record.title)


def is_visible(ctx: ReadContext, event: Event) -> bool:
    """Return whether the caller may see an event: its project or group and its target."""
    world = ctx.world
    container = world.projects.get(event.project_id) if event.project_id else world.namespaces.get(event.group_id or 0)
    if container is None or not can_see(ctx, container):
        return False
    # A push has no target record. It shows commit titles, which need permission to read the code.
    if event.push is not None:
        return can(ctx, Ability.DOWNLOAD_CODE, container)
    target = target_of(world, event)
    return target is None or TARGETS[str(event.kind)].seen(ctx, target)


def target_of(world: World, event: Event) -> Any:
    """Return the record that an event refers to, or None if there is none or it was deleted."""
    if event.kind is None or event.target_id is None:
        return None
    return getattr(world, TARGETS[event.kind].table).get(event.target_id)


def _sees_issue(ctx: ReadContext, issue: Issue) -> bool:
    project = ctx.world.projects[issue.project_id]
    return can(ctx, Ability.READ_ISSUES, project) and issue_access.is_visible(ctx, issue, project)


def _sees_merge_request(ctx: ReadContext, merge_request: MergeRequest) -> bool:
    return can(ctx, Ability.READ_MERGE_REQUESTS, ctx.world.projects[merge_request.project_id])


def _sees_milestone(ctx: ReadContext, milestone: Milestone) -> bool:
    return can(ctx, Ability.READ_MILESTONE, members.container_of(ctx.world, milestone.source))


def _sees_note(ctx: ReadContext, note: Note) -> bool:
    record = noteables.find_record(ctx.world, note.subject)
    return record is not None and noteables.is_visible(ctx, record) and note_access.is_visible(ctx, note)


def _sees_wiki_page(ctx: ReadContext, meta: WikiPageMeta) -> bool:
    return can(ctx, Ability.READ_WIKI, members.container_of(ctx.world, meta.source))


def _title_of_noteable(world: World, note: Note) -> str | None:
    record = noteables.find_record(world, note.subject)
    return noteables.noteable_of(record).title(record) if record is not None else None


TARGETS: Final[Mapping[str, Target]] = {
    "issue": Target("issues", wire=lambda _: "Issue", seen=_sees_issue),
    merge_requests.KIND: Target("merge_requests", wire=lambda _: "MergeRequest", seen=_sees_merge_request),
    milestones.KIND: Target("milestones", wire=lambda _: "Milestone", seen=_sees_milestone),
    epic_access.KIND: Target("epics", wire=lambda _: "Epic", seen=epic_access.is_visible),
    NOTE: Target(
        "notes",
        wire=lambda note: note.type or "Note",
        seen=_sees_note,
        iid=lambda note: int(note.id),
        title=_title_of_noteable,
    ),
    page_events.KIND: Target(
        "wiki_page_metas", wire=lambda _: "WikiPage::Meta", seen=_sees_wiki_page, iid=lambda _: None
    ),
}
"""The declarations by kind."""
