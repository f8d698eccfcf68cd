"""What happened during incidents. Source: docs/platform/alerts.md ('Timelines of incidents')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.alerts import timeline_events
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import noteables
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.issues.issuables import ISSUE, web_url
from fakeplat.graphql.lookups import WORK_ITEM, require_note, require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.alerts import TimelineEvent, TimelineEventTag
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=14.9"
_PROMOTED: Final = "<=14.10"
_TAGS: Final = "<=15.8"
_KIND: Final = "IncidentManagement::TimelineEvent"
_ID: Final = "IncidentManagementTimelineEventID"
_WHICH: Final = f'"""The global ID of the event."""\nid: {_ID}!\n'
_GIVES: Final = '"""The event."""\ntimelineEvent: TimelineEventType'
_NAMES: Final = f'"""Names of tags."""\ntimelineEventTagNames: [String!] @lifetime(since: "{_TAGS}")'
EVENT = Type("TimelineEventType", "Something that happened during an incident.", since=_SINCE)
EVENT.attributes(
    {
        "note: String": "What happened, in Markdown.",
        "editable: Boolean!": "Whether users can change it.",
        "action: String!": "The name of its icon.",
        "occurredAt: Time!": "Timestamp at which it happened.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
TAG = Type("TimelineEventTagType", "A word for events of incidents.", since=_TAGS)
TAG.attributes({"name: String!": "The name."})
declare_id(TAG, "IncidentManagement::TimelineEventTag", "The global ID of the tag.")
declare_id(EVENT, _KIND, "The global ID of the event.")


@EVENT.field("author: User")
def author(ctx: ReadContext, event: TimelineEvent) -> User | None:
    """The user who told of it."""
    return ctx.world.users.get(event.author_id)


@EVENT.field("updatedByUser: User")
def updated_by_user(ctx: ReadContext, event: TimelineEvent) -> User | None:
    """The user who changed it."""
    return ctx.world.users.get(event.updated_by_id or 0)


@EVENT.field("incident: Issue!")
def incident_of(ctx: ReadContext, event: TimelineEvent) -> Issue:
    """The incident."""
    return ctx.world.issues[event.incident_id]


@EVENT.field("noteHtml: String")
def note_html(ctx: ReadContext, event: TimelineEvent) -> str:
    """What happened, rendered as HTML."""
    return markup.render_html(ctx, event.note, ctx.world.projects[incident_of(ctx, event).project_id])


@EVENT.field("promotedFromNote: Note")
def promoted_from_note(ctx: ReadContext, event: TimelineEvent) -> Note | None:
    """The comment that tells of it."""
    return ctx.world.notes.get(event.promoted_from_note_id or 0)


@EVENT.field("timelineEventTags: TimelineEventTagTypeConnection", since=_TAGS)
def tags_of(ctx: ReadContext, event: TimelineEvent) -> Sequence[TimelineEventTag]:
    """The tags."""
    return [ctx.world.timeline_event_tags[id_] for id_ in event.tag_ids]


@PROJECT.field("incidentManagementTimelineEvents(incidentId: IssueID!): TimelineEventTypeConnection", since=_SINCE)
def events_of(ctx: ReadContext, project: Project, incident_id: str) -> Sequence[TimelineEvent]:
    """The events of an incident, in the order in which they happened."""
    found = _find_visible(ctx, incident_id)
    if found is None or found.project_id != project.id:
        return ()
    return timeline_events.list_events(ctx.world, found)


@PROJECT.field(
    f"incidentManagementTimelineEvent(incidentId: IssueID!, id: {_ID}!): TimelineEventType", since=_SINCE, single=True
)
def event_of(ctx: ReadContext, project: Project, incident_id: str, id: str) -> TimelineEvent | None:
    """An event of an incident."""
    wanted = parse_id(ctx, id, _KIND)
    return next((each for each in events_of(ctx, project, incident_id) if each.id == wanted), None)


@PROJECT.field("incidentManagementTimelineEventTags: [TimelineEventTagType!]", since=_TAGS)
def tags_of_project(ctx: ReadContext, project: Project) -> Sequence[TimelineEventTag]:
    """The tags for events of the project's incidents, for all who see the project."""
    return ctx.world.timeline_event_tags.where("project", project.id)


def _find_visible(ctx: ReadContext, text: str) -> Issue | None:
    record = ctx.world.issues.get(parse_id(ctx, text, ISSUE.name, WORK_ITEM))
    return record if record is not None and noteables.is_visible(ctx, record) else None


def _authorize(ctx: ReadContext, incident: Issue | None, text: str) -> Issue:
    if incident is None or not noteables.is_visible(ctx, incident):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    if not can(ctx, Ability.ADMIN_TIMELINE_EVENT, ctx.world.projects[incident.project_id]):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} is no Developer of the project of {text}")
    return incident


def _get_event(ctx: WriteContext, text: str) -> TimelineEvent:
    event = ctx.world.timeline_events.get(parse_id(ctx, text, _KIND))
    _authorize(ctx, None if event is None else incident_of(ctx, event), text)
    return ctx.world.timeline_events[parse_id(ctx, text, _KIND)]


@mutation(
    "timelineEventCreate",
    input_fields=f'''
"""The global ID of the incident."""
incidentId: IssueID!
"""What happened, in Markdown."""
note: String!
"""Timestamp at which it happened."""
occurredAt: Time!
{_NAMES}
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def timeline_event_create(
    ctx: WriteContext,
    incident_id: str,
    note: str,
    occurred_at: str,
    timeline_event_tag_names: list[str] | None = None,
) -> Mapping[str, Any]:
    """Tell what happened during an incident."""
    found = _authorize(ctx, _find_visible(ctx, incident_id), incident_id)
    with collect_errors():
        event = timeline_events.create(ctx, found, note, occurred_at, tags=timeline_event_tag_names or ())
        return {"timeline_event": event}


@mutation(
    "timelineEventUpdate",
    input_fields=f'''{_WHICH}
"""What happened, in Markdown."""
note: String
"""Timestamp at which it happened."""
occurredAt: Time
{_NAMES}
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def timeline_event_update(
    ctx: WriteContext,
    id: str,  # the argument's name on the wire
    note: str | None = None,
    occurred_at: str | None = None,
    timeline_event_tag_names: list[str] | None = None,
) -> Mapping[str, Any]:
    """Change an event of an incident."""
    event = _get_event(ctx, id)
    with collect_errors():
        changed = timeline_events.update(ctx, event, note=note, occurred_at=occurred_at, tags=timeline_event_tag_names)
        return {"timeline_event": changed}


@mutation("timelineEventDestroy", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def timeline_event_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete an event of an incident."""
    event = _get_event(ctx, id)
    timeline_events.delete(ctx, event)
    return {"timeline_event": event}


@mutation(
    "timelineEventPromoteFromNote",
    input_fields='"""The global ID of a comment on the incident."""\nnoteId: NoteID!',
    payload_fields=_GIVES,
    since=_PROMOTED,
)
def timeline_event_promote(ctx: WriteContext, note_id: str) -> Mapping[str, Any]:
    """Make a comment on an incident an event."""
    record, note = require_note(ctx, note_id)
    if not isinstance(record, Issue) or record.kind != "incident":
        raise ResourceNotAvailable(lambda: f"{note_id} is no comment on an incident")
    found = _authorize(ctx, record, note_id)
    writer = ctx.world.users[note.author_id].username
    text = f"@{writer} [commented]({web_url(ctx, record)}#note_{note.id}): '{note.body}'"
    with collect_errors():
        return {"timeline_event": timeline_events.create(ctx, found, text, note.created_at, promoted_from=note)}


@mutation(
    "timelineEventTagCreate",
    input_fields='"""The full path of the project."""\nprojectPath: ID!\n"""The name."""\nname: String!',
    payload_fields='"""The tag."""\ntimelineEventTag: TimelineEventTagType',
    since=_TAGS,
)
def timeline_event_tag_create(ctx: WriteContext, project_path: str, name: str) -> Mapping[str, Any]:
    """Create a tag for events of incidents."""
    project = require_project(ctx, project_path)
    if not can(ctx, Ability.ADMIN_TIMELINE_EVENT_TAG, project):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} is no Maintainer of {project_path}")
    with collect_errors():
        return {"timeline_event_tag": timeline_events.create_tag(ctx, project, name)}
