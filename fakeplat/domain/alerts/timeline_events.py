"""What happened during incidents, as users tell it. Source: docs/platform/alerts.md ('Timelines of incidents')."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict
from fakeplat.domain.notes import system_notes
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.alerts import TimelineEvent, TimelineEventTag
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

PREDEFINED: Final = (
    "Start time",
    "End time",
    "Impact detected",
    "Response initiated",
    "Impact mitigated",
    "Cause identified",
)
"""Tags that a project gets when they are first used."""
NOT_ALLOWED: Final = "You have insufficient permissions to manage timeline events for this incident"
_TEXT: Final = "timeline_text"
_MAX_TEXT: Final = 280
_MAX_PROMOTED: Final = 10_000
_CHANGED: Final = {
    (True, True): "the event time/date and text on ",
    (True, False): "the event time/date on ",
    (False, True): "the text on ",
}


def list_events(world: World, incident: Issue) -> Sequence[TimelineEvent]:
    """Return the events of an incident in the order in which they happened."""
    return sorted(world.timeline_events.where("incident", incident.id), key=lambda each: (each.occurred_at, each.id))


def create(
    ctx: WriteContext,
    incident: Issue,
    note: str,
    occurred_at: str,
    *,
    tags: Sequence[str] = (),
    promoted_from: Note | None = None,
) -> TimelineEvent:
    """Add an event to an incident as the caller, or refuse with 400 or 409."""
    _check_text(note, _MAX_TEXT if promoted_from is None else _MAX_PROMOTED)
    tag_ids = _get_tag_ids(ctx, ctx.world.projects[incident.project_id], tags)
    table, now, author = ctx.world.timeline_events, ctx.now_iso, ctx.signed_in_user
    source_id = None if promoted_from is None else promoted_from.id
    added = table.add(
        TimelineEvent(
            table.next_id(),
            incident.id,
            author.id,
            note,
            occurred_at,
            now,
            now,
            promoted_from_note_id=source_id,
            tag_ids=tag_ids,
        )
    )
    system_notes.write(ctx, ("issue", incident.id), author, "added an incident timeline event")
    return added


def update(
    ctx: WriteContext,
    event: TimelineEvent,
    *,
    note: str | None = None,
    occurred_at: str | None = None,
    tags: Sequence[str] | None = None,
) -> TimelineEvent:
    """Change an event as the caller, or refuse with 400 or 409."""
    if not event.editable:
        raise Conflict(NOT_ALLOWED)
    incident, user = ctx.world.issues[event.incident_id], ctx.signed_in_user
    changes: dict[str, Any] = {"updated_by_id": user.id, "updated_at": ctx.now_iso}
    if tags is not None:
        changes["tag_ids"] = _get_tag_ids(ctx, ctx.world.projects[incident.project_id], tags)
    changes["note"] = event.note if note is None else note
    changes["occurred_at"] = event.occurred_at if occurred_at is None else occurred_at
    _check_text(changes["note"], _MAX_TEXT)
    changed = ctx.world.timeline_events.change(event, **changes)
    text = _CHANGED.get((changed.occurred_at != event.occurred_at, changed.note != event.note))
    if text is not None:
        system_notes.write(ctx, ("issue", incident.id), user, f"edited {text}incident timeline event")
    return changed


def delete(ctx: WriteContext, event: TimelineEvent) -> None:
    """Delete an event as the caller."""
    purge(ctx, event)
    body = "deleted an incident timeline event"
    system_notes.write(ctx, ("issue", event.incident_id), ctx.signed_in_user, body)


def _check_text(note: str, maximum: int) -> None:
    errors = ValidationErrors()
    errors.when(not note.strip(), _TEXT, BLANK)
    too_long(errors, _TEXT, note, maximum)
    errors.refuse()


def _get_tag_ids(ctx: WriteContext, project: Project, names: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of tags, of which those that every project may use are created; 409 for unknown ones."""
    known = {name.lower(): name for name in PREDEFINED}
    table = ctx.world.timeline_event_tags
    unknown = [
        name for name in names if not table.find("name", (project.id, name.lower())) and name.lower() not in known
    ]
    if unknown:
        listed = ", ".join(f'"{name.lower()}"' for name in unknown)
        raise Conflict(f"Following tags don't exist: [{listed}]")
    tags = (get_or_create_tag(ctx, project, known.get(name.lower(), name)) for name in names)
    return tuple(dict.fromkeys(tag.id for tag in tags))


def get_or_create_tag(ctx: WriteContext, project: Project, name: str) -> TimelineEventTag:
    """Return the tag of a project with a name, which is created if it is missing."""
    table = ctx.world.timeline_event_tags
    found = table.find("name", (project.id, name.lower()))
    return found or table.add(TimelineEventTag(table.next_id(), project.id, name, ctx.now_iso))


def create_tag(ctx: WriteContext, project: Project, name: str) -> TimelineEventTag:
    """Create a tag of a project, or refuse with 400."""
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    errors.when(not name or "," in name, "name", "is invalid")
    errors.when(ctx.world.timeline_event_tags.find("name", (project.id, name.lower())), "name", TAKEN)
    too_long(errors, "name", name)
    errors.refuse()
    return get_or_create_tag(ctx, project, name)
