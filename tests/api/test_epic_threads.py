"""Discussions, award emoji and label events of epics.

Source: docs/platform/notes-discussions.md, docs/platform/award-emoji.md, docs/platform/issues.md ('Resource events').
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MISSING_EPICS_ARE_NOT_FOUND_FOR_TODOS, NOTES_OF_EPICS_NAME_THE_WORK_ITEM
from fakeplat.scenario.export import export_world
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, names, outcome, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z")
EPICS = "groups/acme/epics"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
UNKNOWN = "0" * 40


def create_epic(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("rep").post(EPICS, json={"title": "Fly", **fields})
    assert 201 == reply.status
    return dict(reply.json())


def by_id(fake: Fakeplat, **fields: Any) -> str:
    """Return the path of a new epic with its id: discussions and events are addressed so."""
    return f"{EPICS}/{create_epic(fake, **fields)['id']}"


def start_discussion(fake: Fakeplat, path: str, by: str = "gus") -> dict[str, Any]:
    reply = fake.as_user(by).post(f"{path}/discussions", json={"body": "Why?"})
    assert 201 == reply.status, reply
    return dict(reply.json())


def list_bodies(fake: Fakeplat, path: str) -> list[str]:
    return names(fake.as_user("gus").get(path).json(), "body")


# Discussions


def test_a_discussion_of_an_epic_is_started_and_read(fakeplat: Fakeplat) -> None:
    """Members of the group start threads on epics, which are named by their id; replies join them."""
    path = by_id(fakeplat)
    discussion = start_discussion(fakeplat, path)
    thread = f"{path}/discussions/{discussion['id']}"
    (note,) = discussion["notes"]
    assert [False, "DiscussionNote", "Epic"] == [discussion["individual_note"], note["type"], note["noteable_type"]]

    assert 201 == fakeplat.as_user("rep").post(f"{thread}/notes", json={"body": "Because."}).status
    assert ["Why?", "Because."] == names(fakeplat.as_user("gus").get(thread).json()["notes"], "body")
    (listed,) = fakeplat.as_user("gus").get(f"{path}/discussions").json()
    assert ["Why?", "Because."] == names(listed["notes"], "body")
    assert ["Why?", "Because."] == list_bodies(fakeplat, f"{thread}/notes")
    assert ["Why?", "Because."] == sorted(list_bodies(fakeplat, f"{path}/notes"), reverse=True)


def test_a_note_of_an_epics_discussion_is_changed_by_its_author(fakeplat: Fakeplat) -> None:
    """A note of an epic's discussion is changed by its author and the group's Maintainers."""
    path = by_id(fakeplat)
    discussion = start_discussion(fakeplat, path)
    note = f"{path}/discussions/{discussion['id']}/notes/{discussion['notes'][0]['id']}"
    assert "Why?" == fakeplat.as_user("rep").get(note).json()["body"]

    assert FORBIDDEN == refusal(fakeplat, "rep", "PUT", note, json={"body": "No"})
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", note)
    assert (200, "How?") == (
        (changed := fakeplat.as_user("gus").put(note, json={"body": "How?"})).status,
        changed.json()["body"],
    )
    assert 204 == fakeplat.as_user("mia").delete(note).status
    assert NOT_FOUND == outcome(fakeplat.as_user("gus").get(note))


def test_discussions_of_epics_cannot_be_resolved(fakeplat: Fakeplat) -> None:
    """Resolving is for merge requests, so there is no such method."""
    path = by_id(fakeplat)
    thread = f"{path}/discussions/{start_discussion(fakeplat, path)['id']}"

    assert 405 == refusal(fakeplat, "ada", "PUT", thread, json={"resolved": True})[0]


@pytest.mark.parametrize(
    ("tail", "noun"), [("", "Discussion"), ("/notes", "Notes")], ids=["the discussion", "its notes"]
)
def test_an_unknown_discussion_is_not_found(fakeplat: Fakeplat, tail: str, noun: str) -> None:
    """The text names what was asked for."""
    path = f"{by_id(fakeplat)}/discussions/{UNKNOWN}{tail}"
    assert resource_not_found(noun) == refusal(fakeplat, "gus", "GET", path)


def test_discussions_need_the_epic(fakeplat: Fakeplat) -> None:
    """Discussions of hidden or foreign epics are not found, and anonymous callers get a 401."""
    path = by_id(fakeplat, confidential=True)
    for tail in ("discussions", "resource_label_events"):
        assert UNAUTHORIZED == refusal(fakeplat, None, "GET", f"{path}/{tail}")
        assert NOT_FOUND == refusal(fakeplat, "gus", "GET", f"{path}/{tail}")
        assert NOT_FOUND == refusal(fakeplat, "rep", "GET", f"{EPICS}/1/{tail}")
        assert 200 == fakeplat.as_user("rep").get(f"{path}/{tail}").status


@pytest.mark.parametrize(
    ("noteable", "words"),
    [
        ("issues/1", "issues"),
        ("merge_requests/1", "merge requests"),
        ("snippets/{snippet}", "snippets"),
        ("repository/commits/{sha}", "commits"),
    ],
)
def test_the_notes_of_a_discussion_are_listed(fakeplat: Fakeplat, noteable: str, words: str) -> None:
    """Every kind of record with discussions lists the notes of one of them."""
    site = "projects/acme%2Fsite"
    fields = {"title": "x", "file_name": "x", "content": "x", "visibility": "private"}
    snippet = fakeplat.as_user("dev").post(f"{site}/snippets", json=fields).json()["id"]
    sha = fakeplat.as_user("dev").get(f"{site}/repository/commits/master").json()["id"]
    path = f"{site}/{noteable.format(snippet=snippet, sha=sha)}/discussions"
    discussion = fakeplat.as_user("dev").post(path, json={"body": words}).json()
    fakeplat.as_user("dev").post(f"{path}/{discussion['id']}/notes", json={"body": "Yes"})

    assert [words, "Yes"] == names(fakeplat.as_user("dev").get(f"{path}/{discussion['id']}/notes").json(), "body")
    assert resource_not_found("Notes") == refusal(fakeplat, "dev", "GET", f"{path}/{UNKNOWN}/notes")


# Award emoji


def test_emoji_are_awarded_to_epics(fakeplat: Fakeplat) -> None:
    """An epic is named by its number; guests award, and the epic counts the votes."""
    epic = create_epic(fakeplat)
    path = f"{EPICS}/{epic['iid']}/award_emoji"
    award = fakeplat.as_user("gus").post(path, json={"name": "+1"}).json()

    assert ["thumbsup", "gus", epic["id"], "Epic"] == [
        award["name"],
        award["user"]["username"],
        award["awardable_id"],
        award["awardable_type"],
    ]
    assert [award] == fakeplat.as_user("rep").get(path).json()
    assert award == fakeplat.as_user("rep").get(f"{path}/{award['id']}").json()
    assert 1 == fakeplat.as_user("rep").get(f"{EPICS}/1").json()["upvotes"]
    assert UNAUTHORIZED == refusal(fakeplat, "rep", "DELETE", f"{path}/{award['id']}")
    assert 204 == fakeplat.as_user("gus").delete(f"{path}/{award['id']}").status
    assert 0 == fakeplat.as_user("rep").get(f"{EPICS}/1").json()["upvotes"]


def test_emoji_are_awarded_to_notes_of_epics(fakeplat: Fakeplat) -> None:
    """The notes of an epic take emoji, too; here the epic is named by its number."""
    epic = create_epic(fakeplat)
    note = fakeplat.as_user("rep").post(f"{EPICS}/{epic['id']}/notes", json={"body": "Yes"}).json()
    path = f"{EPICS}/{epic['iid']}/notes/{note['id']}/award_emoji"
    award = fakeplat.as_user("gus").post(path, json={"name": "tada"}).json()

    assert [note["id"], "Note"] == [award["awardable_id"], award["awardable_type"]]
    assert [award] == fakeplat.as_user("rep").get(path).json()
    assert award == fakeplat.as_user("rep").get(f"{path}/{award['id']}").json()
    assert 204 == fakeplat.as_user("gus").delete(f"{path}/{award['id']}").status


def test_refused_emoji_of_epics(fakeplat: Fakeplat) -> None:
    """Wrong and repeated names are 404 with the reason; a hidden epic hides its emoji, a missing one is not found."""
    create_epic(fakeplat, confidential=True)
    path = f"{EPICS}/1/award_emoji"
    fakeplat.as_user("rep").post(path, json={"name": "tada"})

    taken = resource_not_found("Award Emoji Name has already been taken")
    assert taken == refusal(fakeplat, "rep", "POST", path, json={"name": "tada"})
    unknown = resource_not_found("Award Emoji Name is not included in the list")
    assert unknown == refusal(fakeplat, "rep", "POST", path, json={"name": "no-such-emoji"})
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json={"name": "tada"})
    for method in ("GET", "POST"):
        assert resource_not_found("Award Emoji") == refusal(fakeplat, "gus", method, path, json={"name": "tada"})
        assert NOT_FOUND == refusal(fakeplat, "rep", method, f"{EPICS}/9/award_emoji", json={"name": "tada"})


# Label events


def test_changes_of_an_epics_labels_are_recorded(fakeplat: Fakeplat) -> None:
    """Each label of an epic that is added or removed creates one event."""
    epic = create_epic(fakeplat, labels="urgent")
    for labels in ({"add_labels": "slow"}, {"remove_labels": "urgent"}):
        assert 200 == fakeplat.as_user("dev").put(f"{EPICS}/1", json=labels).status
    path = f"{EPICS}/{epic['id']}/resource_label_events"
    events = fakeplat.as_user("gus").get(path).json()

    seen = [(event["user"]["username"], event["label"]["name"], event["action"]) for event in events]
    assert [("rep", "urgent", "add"), ("dev", "slow", "add"), ("dev", "urgent", "remove")] == seen
    assert {("Epic", epic["id"])} == {(event["resource_type"], event["resource_id"]) for event in events}
    assert events[0] == fakeplat.as_user("gus").get(f"{path}/{events[0]['id']}").json()
    assert NOT_FOUND == refusal(fakeplat, "gus", "GET", f"{path}/1")


@pytest.mark.fakeplat(tier="free")
@pytest.mark.parametrize("tail", ["1/award_emoji", "1/discussions", "1/resource_label_events"])
def test_epics_are_paid(fakeplat: Fakeplat, tail: str) -> None:
    """Below premium discussions and events of epics are not found."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "GET", f"{EPICS}/{tail}")


def test_threads_and_events_of_epics_are_exported(fakeplat: Fakeplat) -> None:
    """A scenario declares discussions, emoji and label events of epics; the export has them."""
    epic = {
        "title": "Fly",
        "author": "rep",
        "discussions": [{"notes": [{"author": "gus", "body": "Why?"}, {"author": "rep", "body": "Because."}]}],
        "award_emoji": [{"name": "tada", "user": "gus"}],
        "resource_label_events": [{"user": "rep", "label": "urgent", "action": "add"}],
    }
    fakeplat.load({"groups": [{"path": "acme", "labels": [{"name": "urgent", "color": "#ff0000"}], "epics": [epic]}]})
    group = next(row for row in export_world(fakeplat.bench.platform)["groups"] if row["full_path"] == "acme")
    (exported_epic,) = group["epics"]

    assert ["Why?", "Because."] == [note["body"] for note in exported_epic["notes"]]
    assert 1 == len({note["discussion"] for note in exported_epic["notes"]})
    assert [("tada", "gus")] == [(award["name"], award["user"]) for award in exported_epic["award_emoji"]]
    (event,) = exported_epic["resource_label_events"]
    assert ("rep", "urgent", "add") == (event["user"], event["label"], event["action"])


# Later releases


@by_release(NOTES_OF_EPICS_NAME_THE_WORK_ITEM, "has_id", {"18.11": False, "19.3": True})
def test_notes_and_events_of_epics_name_the_work_item(fakeplat: Fakeplat, has_id: bool) -> None:
    """Notes and events of epics also name the work item of the epic; those of issues name none."""
    epic = create_epic(fakeplat)
    path, rep = f"{EPICS}/{epic['id']}", fakeplat.as_user("rep")
    note = rep.post(f"{path}/notes", json={"body": "Why?"}).json()
    rep.put(f"{EPICS}/{epic['iid']}", json={"add_labels": "urgent", "state_event": "close"})
    events = [rep.get(f"{path}/resource_{kind}_events").json()[0] for kind in ("label", "state")]
    comment = rep.post("projects/acme%2Fsite/issues/1/notes", json={"body": "Why?"}).json()

    expected = epic["work_item_id"] if has_id else None
    assert [expected] * 3 == [
        note.get("noteable_work_item_id"),
        *(event.get("resource_work_item_id") for event in events),
    ]
    assert "noteable_work_item_id" not in comment


@by_release(MISSING_EPICS_ARE_NOT_FOUND_FOR_TODOS, "expected", {"18.11": FORBIDDEN, "19.3": NOT_FOUND})
def test_there_are_no_todos_for_missing_and_hidden_epics(fakeplat: Fakeplat, expected: Outcome) -> None:
    """A to-do for a missing epic, or a confidential one of others, is refused; later releases do not find the epic."""
    hidden = create_epic(fakeplat, confidential=True)["iid"]
    assert [expected] * 2 == [
        refusal(fakeplat, by, "POST", f"{EPICS}/{iid}/todo") for by, iid in (("rep", 99), ("eve", hidden))
    ]
