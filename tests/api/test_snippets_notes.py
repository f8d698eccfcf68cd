"""Notes, discussions and emoji on the snippets of projects.

Source: docs/platform/notes-discussions.md, docs/platform/award-emoji.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.notes import NOTE, create_note, list_bodies
from tests.api.planning_records import DOCS, MISSING, SITE, create_record, get_json, issue
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.api.snippets import create_personal_snippet, create_project_snippet

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]
GONE = resource_not_found("Snippet")
NOT_REPLYABLE: Outcome = (400, {"message": "400 Bad request - Discussion can not be replied to."})
BLANK: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})


@pytest.fixture
def snippet(fakeplat: Fakeplat) -> str:
    """A developer's snippet in acme/site."""
    return create_project_snippet(fakeplat, SITE, visibility="internal")


@pytest.fixture
def open_one(fakeplat: Fakeplat) -> str:
    """A developer's public snippet in acme/docs."""
    return create_project_snippet(fakeplat, DOCS, visibility="public")


def snippet_id(snippet: str) -> int:
    return int(snippet.rpartition("/")[2])


def create_thread(fake: Fakeplat, snippet: str, body: str = "Why?", by: str = "gus") -> dict[str, Any]:
    return create_record(fake, f"{snippet}/discussions", by, body=body)


# notes


@pytest.mark.fakeplat(releases="<15.0")
def test_a_new_note(fakeplat: Fakeplat, snippet: str) -> None:
    """A note of a snippet answers 201 with all fields and no iid."""
    note = create_note(fakeplat, "Well.", "gus", snippet)

    assert NOTE == set(note)
    assert {
        "type": None,
        "body": "Well.",
        "attachment": None,
        "system": False,
        "noteable_id": snippet_id(snippet),
        "noteable_type": "Snippet",
        "resolvable": False,
        "confidential": False,
        "noteable_iid": None,
        "commands_changes": {},
    }.items() <= note.items()
    assert "gus" == note["author"]["username"]
    assert note == get_json(fakeplat, f"{snippet}/notes/{note['id']}", "rep")


def test_notes_are_listed_changed_and_deleted(fakeplat: Fakeplat, snippet: str) -> None:
    """The newest first unless asked otherwise; what is said moves the snippet."""
    before = get_json(fakeplat, snippet)["updated_at"]
    first, _ = create_note(fakeplat, "one", "gus", snippet), create_note(fakeplat, "two", "dev", snippet)
    assert before < get_json(fakeplat, snippet)["updated_at"]
    changed = fakeplat.as_user("gus").put(f"{snippet}/notes/{first['id']}", json={"body": "first"})

    assert (200, "first") == (changed.status, changed.json()["body"])
    assert ["two", "first"] == names(get_json(fakeplat, f"{snippet}/notes"), "body")
    assert ["first", "two"] == list_bodies(fakeplat, snippet)
    assert STALE == refusal(fakeplat, "gus", "DELETE", f"{snippet}/notes/{first['id']}", headers=LONG_AGO)
    assert 204 == fakeplat.as_user("gus").delete(f"{snippet}/notes/{first['id']}").status
    assert ["two"] == list_bodies(fakeplat, snippet)


def test_quick_actions_are_words_here(fakeplat: Fakeplat, snippet: str) -> None:
    """Quick actions in notes of snippets are plain text."""
    assert "/close\nreally" == create_note(fakeplat, "/close\nreally", "dev", snippet)["body"]


def test_notes_create_no_todos(fakeplat: Fakeplat, snippet: str) -> None:
    """Notes on snippets create no to-dos."""
    create_note(fakeplat, "@dev look", "gus", snippet)
    assert [] == get_json(fakeplat, "todos", "dev")


def test_notes_are_events(fakeplat: Fakeplat, snippet: str) -> None:
    """Told to who sees the snippet, with its title."""
    create_note(fakeplat, "Well.", "gus", snippet)
    (event,) = get_json(fakeplat, f"{SITE}/events")

    assert ("commented on", "Note", "One", "Well.", "gus") == (
        event["action_name"],
        event["target_type"],
        event["target_title"],
        event["note"]["body"],
        event["author_username"],
    )
    fakeplat.as_user("ada").put(SITE, json={"snippets_access_level": "disabled"})
    assert [] == get_json(fakeplat, f"{SITE}/events")


def test_notes_are_found_by_search(fakeplat: Fakeplat, snippet: str) -> None:
    """A project search finds notes on its snippets."""
    create_note(fakeplat, "a needle", "gus", snippet)
    assert ["a needle"] == names(get_json(fakeplat, f"{SITE}/search?scope=notes&search=needle"), "body")


def test_mentions_are_noted_on_the_issue(fakeplat: Fakeplat) -> None:
    """An issue mentioned in a snippet has a note for those who see the snippet."""
    issue(fakeplat, DOCS)
    hidden = create_project_snippet(fakeplat, DOCS, visibility="private")
    create_note(fakeplat, "like #1", "dev", hidden)

    assert [f"mentioned in snippet ${snippet_id(hidden)}"] == list_bodies(fakeplat, f"{DOCS}/issues/1", "gus")
    assert [] == list_bodies(fakeplat, f"{DOCS}/issues/1", "eve")


def test_notes_and_emoji_are_deleted_with_the_snippet(fakeplat: Fakeplat, snippet: str) -> None:
    """Deleting a snippet deletes its notes and emoji."""
    issue(fakeplat)
    note = create_note(fakeplat, "see #1", "gus", snippet)
    create_record(fakeplat, f"{snippet}/award_emoji", "gus", name="tada")
    create_record(fakeplat, f"{snippet}/notes/{note['id']}/award_emoji", "gus", name="tada")
    assert 204 == fakeplat.as_user("dev").delete(snippet).status

    world = fakeplat.bench.platform.view
    assert [] == list(world.awards.all())
    assert ["mentioned in snippet"] == [row.body.partition(" $")[0] for row in world.notes.all()]
    assert [] == list_bodies(fakeplat, f"{SITE}/issues/1")
    assert [] == [event for event in get_json(fakeplat, f"{SITE}/events") if event["target_type"] == "Note"]


# discussions


def test_a_discussion_goes_on(fakeplat: Fakeplat, snippet: str) -> None:
    """A discussion of a snippet takes replies and changes and is not resolvable."""
    begun = create_thread(fakeplat, snippet)
    reply = create_record(fakeplat, f"{snippet}/discussions/{begun['id']}/notes", "dev", body="So.")
    at = f"{snippet}/discussions/{begun['id']}/notes/{reply['id']}"
    changed = fakeplat.as_user("dev").put(at, json={"body": "Because."})
    discussion = get_json(fakeplat, f"{snippet}/discussions/{begun['id']}")

    assert {"id", "individual_note", "notes"} == set(begun)
    assert (40, False) == (len(begun["id"]), begun["individual_note"])
    assert [("DiscussionNote", "Why?", False), ("DiscussionNote", "Because.", False)] == [
        (note_view["type"], note_view["body"], note_view["resolvable"]) for note_view in discussion["notes"]
    ]
    assert (200, get_json(fakeplat, at)) == outcome(changed)
    assert [discussion] == get_json(fakeplat, f"{snippet}/discussions")
    refused = refusal(fakeplat, "dev", "PUT", at, json={"resolved": True})
    assert (400, {"message": "400 Bad request - Note is not resolvable"}) == refused
    assert 204 == fakeplat.as_user("dev").delete(at).status
    assert 1 == len(get_json(fakeplat, f"{snippet}/discussions/{begun['id']}")["notes"])


def test_a_note_of_its_own_is_not_replied_to(fakeplat: Fakeplat, snippet: str) -> None:
    """An individual note of a snippet takes no replies."""
    create_note(fakeplat, "alone", "gus", snippet)
    (alone,) = get_json(fakeplat, f"{snippet}/discussions")

    assert alone["individual_note"]
    target = f"{snippet}/discussions/{alone['id']}/notes"
    assert NOT_REPLYABLE == refusal(fakeplat, "dev", "POST", target, json={"body": "x"})


# emoji


def test_emoji_are_given_and_taken_back(fakeplat: Fakeplat, open_one: str) -> None:
    """Emoji of snippets and their notes are visible to whoever sees the snippet."""
    note = create_note(fakeplat, "x", "eve", open_one)
    for target, kind, id_ in (
        (open_one, "Snippet", snippet_id(open_one)),
        (f"{open_one}/notes/{note['id']}", "Note", note["id"]),
    ):
        award = create_record(fakeplat, f"{target}/award_emoji", "eve", name="+1")
        assert ("thumbsup", kind, id_) == (award["name"], award["awardable_type"], award["awardable_id"])
        assert [award] == get_json(fakeplat, f"{target}/award_emoji", None)
        assert award == get_json(fakeplat, f"{target}/award_emoji/{award['id']}", None)
        again = refusal(fakeplat, "eve", "POST", f"{target}/award_emoji", json={"name": "thumbsup"})
        assert resource_not_found("Award Emoji Name has already been taken") == again
        assert UNAUTHORIZED == refusal(fakeplat, "mia", "DELETE", f"{target}/award_emoji/{award['id']}")
        assert 204 == fakeplat.as_user("eve").delete(f"{target}/award_emoji/{award['id']}").status
        assert [] == get_json(fakeplat, f"{target}/award_emoji", None)


# who may, and what is wrong

VIEWERS = (None, "ext", "eve", "gus", "dev", "mia", "root")
WORDS: dict[str, Outcome] = {
    "Proj": resource_not_found("Project"),
    "Snip": GONE,
    "Emoj": resource_not_found("Award Emoji"),
    "404": MISSING,
    "403": FORBIDDEN,
    "401": UNAUTHORIZED,
}
READS = [
    # path, on a private snippet of a public project, on a public one, on one of a private project
    ("notes", "401 Snip Snip 200 200 200 200", "401 200 200 200 200 200 200", "401 Proj Proj 200 200 200 200"),
    ("notes/{note}", "401 Snip Snip 200 200 200 200", "401 200 200 200 200 200 200", "401 Proj Proj 200 200 200 200"),
    ("discussions", "401 Snip Snip 200 200 200 200", "401 200 200 200 200 200 200", "401 Proj Proj 200 200 200 200"),
    (
        "discussions/{thread}",
        "401 Snip Snip 200 200 200 200",
        "401 200 200 200 200 200 200",
        "401 Proj Proj 200 200 200 200",
    ),
    (
        "discussions/{thread}/notes/{note}",
        "401 Snip Snip 200 200 200 200",
        "401 200 200 200 200 200 200",
        "401 Proj Proj 200 200 200 200",
    ),
    ("award_emoji", "Emoj Emoj Emoj 200 200 200 200", "200 200 200 200 200 200 200", "Proj Proj Proj 200 200 200 200"),
    (
        "notes/{note}/award_emoji",
        "Emoj Emoj Emoj 200 200 200 200",
        "200 200 200 200 200 200 200",
        "Proj Proj Proj 200 200 200 200",
    ),
]


@pytest.mark.parametrize(("path", "private", "public", "inside"), READS)
def test_roles_that_read_notes(fakeplat: Fakeplat, path: str, private: str, public: str, inside: str) -> None:
    """Notes on a snippet are read by signed-in users who see it, emoji by all."""
    for project_path, visibility, answers in (
        (DOCS, "private", private),
        (DOCS, "public", public),
        (SITE, "public", inside),
    ):
        snippet = create_project_snippet(fakeplat, project_path, visibility=visibility)
        begun = create_thread(fakeplat, snippet)
        target = f"{snippet}/{path.format(thread=begun['id'], note=begun['notes'][0]['id'])}"
        for viewer, word in zip(VIEWERS, answers.split(), strict=True):
            expected = WORDS.get(word)
            reply = fakeplat.as_user(viewer).get(target)
            assert expected == outcome(reply) if expected else 200 == reply.status, (target, viewer, reply)


WRITES: list[tuple[str, str, Any, str]] = [
    # what, where, with which body, on a developer's public snippet in a public project of which a guest said something
    ("POST", "notes", {"body": "x"}, "401 201 201 201 201 201 201"),
    ("PUT", "notes/{note}", {"body": "x"}, "401 403 403 200 403 200 200"),
    ("DELETE", "notes/{note}", None, "401 403 403 204 403 204 204"),
    ("POST", "discussions", {"body": "x"}, "401 201 201 201 201 201 201"),
    ("POST", "discussions/{thread}/notes", {"body": "x"}, "401 201 201 201 201 201 201"),
    ("PUT", "discussions/{thread}/notes/{note}", {"body": "x"}, "401 403 403 200 403 200 200"),
    ("DELETE", "discussions/{thread}/notes/{note}", None, "401 403 403 204 403 204 204"),
    ("POST", "award_emoji", {"name": "tada"}, "401 201 201 201 201 201 201"),
    ("DELETE", "award_emoji/{award}", None, "401 401 401 204 401 401 204"),
    ("POST", "notes/{note}/award_emoji", {"name": "tada"}, "401 201 201 201 201 201 201"),
    ("DELETE", "notes/{note}/award_emoji/{given}", None, "401 401 401 204 401 401 204"),
]


def create_discussion_path(fake: Fakeplat, snippet: str, path: str) -> str:
    """The path with a guest's discussion, note and emoji of it."""
    begun = create_thread(fake, snippet)
    note = begun["notes"][0]["id"]
    award = create_record(fake, f"{snippet}/award_emoji", "gus", name="heart")["id"]
    given = create_record(fake, f"{snippet}/notes/{note}/award_emoji", "gus", name="heart")["id"]
    return f"{snippet}/{path.format(thread=begun['id'], note=note, award=award, given=given)}"


@pytest.mark.parametrize(("method", "path", "body", "answers"), WRITES)
@pytest.mark.fakeplat(releases="<17.11")
def test_roles_that_write_notes(fakeplat: Fakeplat, method: str, path: str, body: Any, answers: str) -> None:
    """Those who see a snippet write notes; authors and Maintainers change them."""
    for viewer, word in zip(VIEWERS, answers.split(), strict=True):
        target = create_discussion_path(fakeplat, create_project_snippet(fakeplat, DOCS, visibility="public"), path)
        if word in WORDS:
            assert WORDS[word] == refusal(fakeplat, viewer, method, target, json=body), viewer
        else:
            assert int(word) == fakeplat.as_user(viewer).request(method, target, json=body).status, viewer


@pytest.mark.parametrize(("method", "path", "body", "answers"), WRITES)
def test_closed_and_archived(fakeplat: Fakeplat, method: str, path: str, body: Any, answers: str) -> None:
    """Disabled snippets are not found, and archived projects take no notes or emoji on them."""
    del answers
    target = create_discussion_path(fakeplat, create_project_snippet(fakeplat, SITE), path)
    fakeplat.as_user("ada").put(SITE, json={"snippets_access_level": "disabled"})
    closed = resource_not_found("Award Emoji") if "award" in path else GONE
    assert closed == refusal(fakeplat, "gus", method, target, json=body)
    fakeplat.as_user("ada").put(SITE, json={"snippets_access_level": "enabled"})
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    if (method, "award" in path) != ("DELETE", True):
        expected = resource_not_found("Award Emoji") if "award" in path else FORBIDDEN
        assert expected == refusal(fakeplat, "gus", method, target, json=body)


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "{gone}/notes", None, GONE),
        ("POST", "{gone}/notes", {"body": "x"}, GONE),
        ("GET", "{gone}/discussions", None, GONE),
        ("GET", "{gone}/award_emoji", None, MISSING),
        ("POST", "{gone}/award_emoji", {"name": "tada"}, MISSING),
        ("GET", "{mine}/notes", None, GONE),
        ("GET", "{mine}/award_emoji", None, MISSING),
        ("GET", "{one}/notes/1", None, MISSING),
        ("PUT", "{one}/notes/1", {"body": "x"}, MISSING),
        ("DELETE", "{one}/notes/1", None, MISSING),
        ("GET", "{one}/discussions/nothing", None, resource_not_found("Discussion")),
        ("POST", "{one}/discussions/nothing/notes", {"body": "x"}, resource_not_found("Discussion")),
        ("GET", "{one}/award_emoji/1", None, MISSING),
        ("GET", "{one}/notes/1/award_emoji", None, MISSING),
        ("POST", "{one}/notes", {}, invalid("body is missing")),
        ("POST", "{one}/notes", {"body": " "}, BLANK),
        ("POST", "{one}/discussions", {}, invalid("body is missing")),
        ("POST", "{one}/discussions", {"body": ""}, BLANK),
        ("POST", "{one}/award_emoji", {}, invalid("name is missing")),
        pytest.param(
            "POST",
            "{one}/award_emoji",
            {"name": "no such"},
            resource_not_found("Award Emoji Name is not included in the list"),
            marks=pytest.mark.fakeplat(releases="<16.2"),
        ),
        ("GET", SITE + "/snippets/x/notes", None, invalid("snippet_id is invalid")),
        ("GET", "{one}/notes/x", None, invalid("note_id is invalid")),
    ],
)
def test_unknown_and_invalid_notes_are_refused(
    fakeplat: Fakeplat, snippet: str, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """Unknown and invalid notes of snippets are refused with the platform's texts."""
    mine = f"{SITE}/{create_personal_snippet(fakeplat)}"
    target = path.format(one=snippet, mine=mine, gone=f"{SITE}/snippets/999999")
    assert expected == refusal(fakeplat, "dev", method, target, json=body)
