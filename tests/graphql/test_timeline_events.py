"""Timelines of incidents. Source: docs/platform/alerts.md ('Timelines of incidents')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    WORLD,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=WORLD)
FIELDS = """timelineEvent { id note action editable occurredAt author { username } updatedByUser { username }
    timelineEventTags { nodes { name } } promotedFromNote { body } }"""
CREATE = write_mutation("timelineEventCreate", FIELDS)
UPDATE = write_mutation("timelineEventUpdate", FIELDS)
DESTROY = write_mutation("timelineEventDestroy", "timelineEvent { id }")
PROMOTE = write_mutation("timelineEventPromoteFromNote", FIELDS)
ISSUES = "projects/acme%2Fsite/issues"


@pytest.fixture
def incident(fakeplat: Fakeplat) -> dict[str, Any]:
    """An incident of the site."""
    fields = {"title": "Site is down", "issue_type": "incident"}
    row: dict[str, Any] = fakeplat.as_user("dev").post(ISSUES, json=fields).json()
    return {**row, "gid": f"gid://gitlab/Issue/{row['id']}"}


def describe(incident: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"incidentId": incident["gid"], "note": "It *began*", "occurredAt": "2020-11-20T08:00:00Z", **changes}


def create_event(fake: Fakeplat, incident: dict[str, Any], **changes: Any) -> dict[str, Any]:
    payload = query_data(fake, "dev", CREATE, input=describe(incident, **changes))["timelineEventCreate"]
    assert [] == payload["errors"]
    event: dict[str, Any] = payload["timelineEvent"]
    return event


def list_system_notes(fake: Fakeplat, incident: dict[str, Any]) -> list[str]:
    rows = fake.as_user("dev").get(f"{ISSUES}/{incident['iid']}/notes", params={"sort": "asc"}).json()
    return [row["body"] for row in rows if row["system"]]


def list_events(fake: Fakeplat, incident: dict[str, Any], by: str = "gus") -> list[str]:
    arguments = f'incidentId: "{incident["gid"]}"'
    query = f"incidentManagementTimelineEvents({arguments}) {{ nodes {{ noteHtml }} }}"
    nodes = query_project(fake, by, query)["incidentManagementTimelineEvents"]["nodes"]
    return [node["noteHtml"] for node in nodes]


def test_a_developer_tells_what_happened(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """A Developer adds events, which are listed as they happened; predefined tags are created."""
    create_event(fakeplat, incident, note="It ended", occurredAt="2020-11-20T08:30:00Z")
    event = create_event(fakeplat, incident, timelineEventTagNames=["start time"])

    assert {
        "id": event["id"],
        "note": "It *began*",
        "action": "comment",
        "editable": True,
        "occurredAt": "2020-11-20T08:00:00Z",
        "author": {"username": "dev"},
        "updatedByUser": None,
        "timelineEventTags": {"nodes": [{"name": "Start time"}]},
        "promotedFromNote": None,
    } == event
    assert event["id"].startswith("gid://gitlab/IncidentManagement::TimelineEvent/")
    began, ended = list_events(fakeplat, incident)
    assert ("<em>began</em>" in began, "It ended" in ended) == (True, True)
    assert ["added an incident timeline event"] * 2 == list_system_notes(fakeplat, incident)


def test_an_event_is_changed_and_deleted(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """A change and a deletion of an event are told by system notes."""
    event = create_event(fakeplat, incident)
    changes = {"id": event["id"], "note": "It began", "timelineEventTagNames": ["Impact detected"]}
    changed = query_data(fakeplat, "mia", UPDATE, input=changes)["timelineEventUpdate"]["timelineEvent"]

    assert ("It began", {"username": "mia"}) == (changed["note"], changed["updatedByUser"])
    assert [{"name": "Impact detected"}] == changed["timelineEventTags"]["nodes"]
    query_data(fakeplat, "dev", UPDATE, input={"id": event["id"], "occurredAt": "2020-11-20T07:00:00Z"})
    gone = query_data(fakeplat, "dev", DESTROY, input={"id": event["id"]})["timelineEventDestroy"]
    assert {"timelineEvent": {"id": event["id"]}, "errors": []} == gone
    assert [] == list_events(fakeplat, incident)
    assert [
        "added an incident timeline event",
        "edited the text on incident timeline event",
        "edited the event time/date on incident timeline event",
        "deleted an incident timeline event",
    ] == list_system_notes(fakeplat, incident)


@pytest.mark.parametrize("by", [None, "rep", "eve"])
def test_others_tell_nothing(fakeplat: Fakeplat, incident: dict[str, Any], by: str | None) -> None:
    """Below Developer nobody adds, changes or deletes events."""
    event = create_event(fakeplat, incident)

    for text, given in (
        (CREATE, describe(incident)),
        (UPDATE, {"id": event["id"], "note": "x"}),
        (DESTROY, {"id": event["id"]}),
    ):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, text, input=given))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"note": ""}, "Timeline text can't be blank"),
        ({"note": "a" * 281}, "Timeline text is too long (maximum is 280 characters)"),
        ({"timelineEventTagNames": ["Lunch"]}, 'Following tags don\'t exist: ["lunch"]'),
    ],
)
def test_an_invalid_event_is_refused(
    fakeplat: Fakeplat, incident: dict[str, Any], changes: dict[str, Any], error: str
) -> None:
    """An event has a text of at most 280 characters, and tags that the project has."""
    payload = query_refused(fakeplat, "dev", CREATE, input=describe(incident, **changes))["data"]

    assert {"timelineEvent": None, "errors": [error]} == payload["timelineEventCreate"]


def test_a_comment_becomes_an_event(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """A comment on an incident becomes an event of its time; one on another issue does not."""
    path = f"{ISSUES}/{incident['iid']}/notes"
    note = fakeplat.as_user("gus").post(path, json={"body": "I see it"}).json()
    given = {"noteId": f"gid://gitlab/Note/{note['id']}"}
    event = query_data(fakeplat, "dev", PROMOTE, input=given)["timelineEventPromoteFromNote"]["timelineEvent"]

    assert event["note"].startswith("@gus [commented](http")
    assert event["note"].endswith(f"#note_{note['id']}): 'I see it'")
    assert {"body": "I see it"} == event["promotedFromNote"]
    other = fakeplat.as_user("gus").post(f"{ISSUES}/1/notes", json={"body": "Hm"}).json()
    refused = query_refused(fakeplat, "dev", PROMOTE, input={"noteId": f"gid://gitlab/Note/{other['id']}"})
    assert [NOT_AVAILABLE] == list_messages(refused)


def test_maintainers_create_tags(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """A Maintainer creates tags, which have names of their own, without commas."""
    text = write_mutation("timelineEventTagCreate", "timelineEventTag { name }")
    given = {"projectPath": "acme/site", "name": "Lunch"}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", text, input=given))
    created = query_data(fakeplat, "mia", text, input=given)["timelineEventTagCreate"]
    assert {"timelineEventTag": {"name": "Lunch"}, "errors": []} == created
    for name, error in (("lunch", "Name has already been taken"), ("a,b", "Name is invalid")):
        again = query_refused(fakeplat, "mia", text, input={**given, "name": name})["data"]["timelineEventTagCreate"]
        assert {"timelineEventTag": None, "errors": [error]} == again
    assert [{"name": "Lunch"}] == create_event(fakeplat, incident, timelineEventTagNames=["lunch"])[
        "timelineEventTags"
    ]["nodes"]
    project = query_project(fakeplat, "dev", "incidentManagementTimelineEventTags { name }")
    assert [{"name": "Lunch"}] == project["incidentManagementTimelineEventTags"]
