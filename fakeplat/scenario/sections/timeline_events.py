"""Events of incidents, under ``timeline_events`` of an issue, and their tags, those of a project."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, ListOf
from fakeplat.domain.alerts import timeline_events
from fakeplat.model.alerts import TimelineEvent, TimelineEventTag
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, EntryData

_OWN: Final = ("note", "occurred_at", "action", "editable", "created_at", "updated_at")


def _create(entry: Entry) -> TimelineEvent:
    incident: Issue = entry.owner
    project = entry.world.projects[incident.project_id]
    tags = [timeline_events.get_or_create_tag(entry.ctx, project, name) for name in entry.values.get("tags", ())]
    times = dict.fromkeys(("created_at", "updated_at"), entry.created_at)
    table = entry.world.timeline_events
    return table.add(
        TimelineEvent(
            id=table.next_id(),
            incident_id=incident.id,
            author_id=entry.user("author").id,
            tag_ids=tuple(tag.id for tag in tags),
            **{**times, **entry.select(_OWN)},
        )
    )


def _list_events(world: World, incident: Issue) -> Sequence[TimelineEvent]:
    return world.timeline_events.where("incident", incident.id)


def _list_tags(world: World, event: TimelineEvent) -> EntryData:
    return {"tags": [world.timeline_event_tags[id_].name for id_ in event.tag_ids]}


TAGS: Final = derive_section("timeline_event_tags", TimelineEventTag, within=("project",), required=("name",))
EVENTS: Final = derive_section(
    "timeline_events",
    TimelineEvent,
    within=("issue",),
    rank=ALERTS,
    keys={
        "author": TEXT,
        "note": TEXT,
        "occurred_at": DATE_TIME,
        "action": TEXT,
        "editable": BOOLEAN,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    further_keys={"tags": ListOf(TEXT)},
    references={"author": "author_id"},
    required=("author", "note", "occurred_at"),
    create=_create,
    rows=_list_events,
    parts=_list_tags,
)
