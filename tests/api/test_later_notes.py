"""Threads of issues and other things about notes in later releases. Source: docs/platform/notes-discussions.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    COMMANDS_ARE_ALWAYS_REPORTED,
    INTERNAL_NOTES_ARE_FOR_REPORTERS,
    ISSUE_THREADS_ARE_RESOLVABLE,
    LINE_COMMENTS_NAME_A_COMMIT,
    MERGE_REQUESTS_HAVE_INTERNAL_NOTES,
    NOTES_STAY_AS_VISIBLE_AS_THEY_ARE,
    UNSAVED_NOTE,
)
from tests.api.company import COMPANY
from tests.api.notes import ONE
from tests.api.planning_records import DOCS, SITE, create_record, get_json, issue
from tests.api.requests import FORBIDDEN, NO_ROUTE, Outcome, invalid, outcome, refusal, resource_not_found
from tests.api.review_company import MR, REVIEW_COMPANY, position
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version=ISSUE_THREADS_ARE_RESOLVABLE.since)
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFcykDaUT7x4oXyUCfgqJhfAXRbhtsLl4fi4142zrPCI"


def start_thread(fake: Fakeplat, by: str = "gus") -> dict[str, Any]:
    """Start a thread on the first issue, which is Ada's."""
    issue(fake)
    return create_record(fake, f"{ONE}/discussions", by, body="Why?")


def test_threads_of_issues_are_resolved(fakeplat: Fakeplat) -> None:
    """The threads of issues are resolved and reopened with all their notes."""
    thread = start_thread(fakeplat)
    path = f"{ONE}/discussions/{thread['id']}"
    create_record(fakeplat, f"{path}/notes", "gus", body="Please")
    resolved = fakeplat.as_user("dev").put(path, json={"resolved": True}).json()["notes"]

    assert (True, False) == (thread["notes"][0]["resolvable"], thread["notes"][0]["resolved"])
    assert [(True, "dev"), (True, "dev")] == [(note["resolved"], note["resolved_by"]["username"]) for note in resolved]
    reopened = fakeplat.as_user("ada").put(path, json={"resolved": False}).json()["notes"]
    assert [False, False] == [note["resolved"] for note in reopened]
    assert ["Please", "Why?"] == [note["body"] for note in get_json(fakeplat, f"{ONE}/notes") if not note["system"]]


def test_one_note_of_an_issue_is_resolved(fakeplat: Fakeplat) -> None:
    """The author of a note resolves it."""
    thread = start_thread(fakeplat)
    note = f"{ONE}/discussions/{thread['id']}/notes/{thread['notes'][0]['id']}"

    assert FORBIDDEN == refusal(fakeplat, "rep", "PUT", note, json={"resolved": True})
    assert fakeplat.as_user("gus").put(note, json={"resolved": True}).json()["resolved"]


@pytest.mark.parametrize(
    ("by", "path", "body", "expected"),
    [
        ("rep", "{thread}", {"resolved": True}, FORBIDDEN),
        ("dev", "{thread}", {}, invalid("resolved is missing")),
        ("dev", "0" * 40, {"resolved": True}, resource_not_found("Discussion")),
        ("dev", "{alone}", {"resolved": True}, FORBIDDEN),
    ],
    ids=["reporter", "nothing", "unknown", "individual note"],
)
def test_refused_resolutions(fakeplat: Fakeplat, by: str, path: str, body: Any, expected: Outcome) -> None:
    """Reporters do not resolve the threads of others, and individual notes are not resolved."""
    thread = start_thread(fakeplat)["id"]
    create_record(fakeplat, f"{ONE}/notes", body="Alone")
    alone = next(row["id"] for row in get_json(fakeplat, f"{ONE}/discussions") if row["individual_note"])
    target = f"{ONE}/discussions/{path.format(thread=thread, alone=alone)}"

    assert expected == refusal(fakeplat, by, "PUT", target, json=body)


@by_release(ISSUE_THREADS_ARE_RESOLVABLE, "expected", {"16.3": (False, 404), "16.4": (True, 200)})
def test_the_release_that_resolves_threads_of_issues(fakeplat: Fakeplat, expected: tuple[bool, int]) -> None:
    """Before 16.4 the threads of issues cannot be resolved."""
    thread = start_thread(fakeplat)
    reply = fakeplat.as_user("dev").put(f"{ONE}/discussions/{thread['id']}", json={"resolved": True})

    assert expected == (thread["notes"][0]["resolvable"], reply.status)
    assert expected[0] == ("resolved" in thread["notes"][0])


@pytest.mark.fakeplat(version="18.9")
def test_graphql_knows_resolved_threads_of_issues(fakeplat: Fakeplat) -> None:
    """GraphQL shows and resolves the threads of issues as the REST API does."""
    thread = start_thread(fakeplat)
    fakeplat.as_user("dev").put(f"{ONE}/discussions/{thread['id']}", json={"resolved": True})
    query = '{project(fullPath: "acme/site") {issue(iid: "1") {discussions {nodes {resolvable resolved}}}}}'
    answer = fakeplat.as_user("dev").post("/api/graphql", json={"query": query}).json()

    expected = [{"resolvable": True, "resolved": True}]
    assert expected == answer["data"]["project"]["issue"]["discussions"]["nodes"]


@pytest.mark.fakeplat(scenario=REVIEW_COMPANY, version="18.9", default_branch="master")
def test_notes_show_their_suggestions(fakeplat: Fakeplat) -> None:
    """Notes on lines of merge requests show their suggestions, others have no such field."""
    body = {"body": "```suggestion\nTEN\n```", "position": position(fakeplat)}
    (note,) = create_record(fakeplat, f"{MR}/discussions", "mia", **body)["notes"]
    other = create_record(fakeplat, f"{MR}/notes", "mia", body="Plain")
    (suggestion,) = note["suggestions"]

    assert ("TEN\n", False, True) == (suggestion["to_content"], suggestion["applied"], suggestion["appliable"])
    assert "suggestions" not in other


@pytest.mark.fakeplat(version="17.4", web_commits_public_key=KEY)
def test_the_key_of_web_commits(fakeplat: Fakeplat) -> None:
    """Everybody reads the public key with which the instance signs commits of the web editor."""
    assert (200, {"public_key": KEY}) == outcome(fakeplat.as_user(None).get("web_commits/public_key"))


@pytest.mark.fakeplat(version="17.4")
def test_an_instance_that_signs_no_web_commits(fakeplat: Fakeplat) -> None:
    """An instance without a signing key has no public key."""
    expected = (404, {"message": "Public key not found."})

    assert expected == refusal(fakeplat, "ada", "GET", "web_commits/public_key")


@pytest.mark.fakeplat(version="17.3")
def test_the_key_of_web_commits_before(fakeplat: Fakeplat) -> None:
    """Before 17.4 there is no such route."""
    assert NO_ROUTE == refusal(fakeplat, "ada", "GET", "web_commits/public_key")


@by_release(COMMANDS_ARE_ALWAYS_REPORTED, "is_reported", {"17.10": False, "17.11": True})
def test_texts_of_quick_actions_are_answered_alike(fakeplat: Fakeplat, is_reported: bool) -> None:
    """Later releases answer quick actions in threads and in changed notes as those in new notes."""
    thread = start_thread(fakeplat, "dev")
    path, note = f"{ONE}/discussions/{thread['id']}", thread["notes"][0]["id"]
    dev, text = fakeplat.as_user("dev"), {"body": "/spend 1h"}
    replies = [
        dev.post(f"{ONE}/discussions", json=text),
        dev.post(f"{path}/notes", json=text),
        dev.put(f"{path}/notes/{note}", json=text),
    ]

    if is_reported:
        assert [(202, ["Added 1h spent time."])] * 3 == [(reply.status, reply.json()["summary"]) for reply in replies]
        assert 3600 == replies[0].json()["commands_changes"]["spend_time"]["duration"]
    else:
        blank = '{:note=>["can\'t be blank"]}'
        texts = [f"Note {blank}", f"Note {blank}", f"Failed to save note {blank}"]
        assert [(400, {"message": f"400 Bad request - {text}"}) for text in texts] == list(map(outcome, replies))
    assert 3 * 3600 == get_json(fakeplat, ONE)["time_stats"]["total_time_spent"]
    assert resource_not_found("Discussion") == refusal(fakeplat, "dev", "GET", path)


@by_release(COMMANDS_ARE_ALWAYS_REPORTED, "is_reported", {"17.10": False, "17.11": True})
@pytest.mark.parametrize("path", ["notes", "discussions"])
def test_commands_that_fail_are_named(fakeplat: Fakeplat, path: str, is_reported: bool) -> None:
    """Later releases tell that quick actions failed; a blank text is refused as before."""
    issue(fakeplat)
    blank = 'Note {:note=>["can\'t be blank"]}'
    for body, text in (("/spend soon", "Failed to apply commands." if is_reported else blank), ("", blank)):
        expected = 400, {"message": f"400 Bad request - {text}"}
        assert expected == refusal(fakeplat, "dev", "POST", f"{ONE}/{path}", json={"body": body})


@by_release(NOTES_STAY_AS_VISIBLE_AS_THEY_ARE, "expected", {"14.9": 200, "14.10": 400})
def test_notes_cannot_become_internal(fakeplat: Fakeplat, expected: int) -> None:
    """A note stays as visible as it is from 14.10 on; what changes nothing is accepted."""
    issue(fakeplat)
    note = create_record(fakeplat, f"{ONE}/notes", "dev", body="Hi")["id"]
    status = fakeplat.as_user("dev").put(f"{ONE}/notes/{note}", json={"confidential": True}).status
    assert (expected, expected == 200) == (status, get_json(fakeplat, f"{ONE}/notes/{note}")["confidential"])
    assert 200 == fakeplat.as_user("dev").put(f"{ONE}/notes/{note}", json={"confidential": expected == 200}).status


@by_release(UNSAVED_NOTE, "text", {"17.10": "Failed to save note", "17.11": "Note"})
def test_the_refusal_to_make_a_note_internal(fakeplat: Fakeplat, text: str) -> None:
    """The refusal names the attribute; later releases begin it like other refusals of notes."""
    issue(fakeplat)
    note = create_record(fakeplat, f"{ONE}/notes", "dev", body="Hi")["id"]
    message = f'400 Bad request - {text} {{:confidential=>["can not be changed for existing notes"]}}'
    expected = 400, {"message": message}
    assert expected == refusal(fakeplat, "dev", "PUT", f"{ONE}/notes/{note}", json={"confidential": True})


# Internal notes


@by_release(
    INTERNAL_NOTES_ARE_FOR_REPORTERS,
    "expected",
    {"15.5": {"rep": True, "gus": True, "eve": True}, "15.6": {"rep": True, "gus": False, "eve": False}},
)
def test_reporters_write_internal_notes(fakeplat: Fakeplat, expected: dict[str, bool]) -> None:
    """The notes of others are not internal, whatever they ask for."""
    issue(fakeplat, DOCS, "eve")
    notes = {by: create_record(fakeplat, f"{DOCS}/issues/1/notes", by, body="x", internal=True) for by in expected}
    assert expected == {by: note["internal"] for by, note in notes.items()}


@by_release(INTERNAL_NOTES_ARE_FOR_REPORTERS, "readers", {"15.5": ["rep", "eve"], "15.6": ["rep"]})
def test_reporters_read_internal_notes(fakeplat: Fakeplat, readers: list[str]) -> None:
    """The author of an issue reads its internal notes in earlier releases only."""
    issue(fakeplat, DOCS, "eve")
    path = f"{DOCS}/issues/1/notes"
    note = create_record(fakeplat, path, "ada", body="between us", internal=True)["id"]
    assert readers == [by for by in ("rep", "gus", "eve") if get_json(fakeplat, path, by)]
    assert readers == [by for by in ("rep", "gus", "eve") if fakeplat.as_user(by).get(f"{path}/{note}").status == 200]


@by_release(MERGE_REQUESTS_HAVE_INTERNAL_NOTES, "is_internal", {"16.8": False, "16.9": True})
@pytest.mark.fakeplat(scenario=REVIEW_COMPANY, default_branch="master")
def test_notes_of_merge_requests_are_internal(fakeplat: Fakeplat, is_internal: bool) -> None:
    """Merge requests have internal notes from 16.9 on; snippets and commits have none."""
    assert is_internal == create_record(fakeplat, f"{MR}/notes", "rep", body="x", internal=True)["internal"]
    snippet = create_record(fakeplat, f"{SITE}/snippets", "dev", title="x", file_name="x", content="x")["id"]
    assert not create_record(fakeplat, f"{SITE}/snippets/{snippet}/notes", "dev", body="x", internal=True)["internal"]


@by_release(INTERNAL_NOTES_ARE_FOR_REPORTERS, "is_internal", {"15.5": True, "15.6": False})
def test_threads_are_not_internal(fakeplat: Fakeplat, is_internal: bool) -> None:
    """Threads and replies have no such parameter; a reply to an internal note is internal."""
    issue(fakeplat)
    thread = create_record(fakeplat, f"{ONE}/discussions", "dev", body="Why?", internal=True)
    assert is_internal == thread["notes"][0]["internal"]
    reply = create_record(fakeplat, f"{ONE}/discussions/{thread['id']}/notes", "dev", body="So.", internal=True)
    assert is_internal == reply["internal"]
    note = create_record(fakeplat, f"{ONE}/notes", "dev", body="between us", internal=True)["id"]
    hidden = next(row["id"] for row in get_json(fakeplat, f"{ONE}/discussions") if row["notes"][0]["id"] == note)
    assert create_record(fakeplat, f"{ONE}/discussions/{hidden}/notes", "dev", body="indeed")["internal"]


@by_release(LINE_COMMENTS_NAME_A_COMMIT, "has_commit", {"14.2": False, "14.3": True})
@pytest.mark.fakeplat(scenario=REVIEW_COMPANY, default_branch="master")
def test_comments_on_lines_have_a_commit(fakeplat: Fakeplat, has_commit: bool) -> None:
    """Comments on lines of a merge request name the commit they are about, which is none; other notes have no field."""
    line = create_record(fakeplat, f"{MR}/discussions", "rep", body="Why?", position=position(fakeplat))["notes"][0]
    note = create_record(fakeplat, f"{MR}/notes", "rep", body="Why?")
    assert [has_commit, False] == ["commit_id" in row for row in (line, note)]
    assert line.get("commit_id") is None


@by_release(LINE_COMMENTS_NAME_A_COMMIT, "has_commit", {"14.2": False, "14.3": True})
@pytest.mark.fakeplat(scenario=REVIEW_COMPANY, default_branch="master")
def test_a_thread_names_the_commit_that_has_the_line(fakeplat: Fakeplat, has_commit: bool) -> None:
    """A thread on a line may name a commit, and its replies name it, too; threads without a line have none."""
    sha = get_json(fakeplat, MR)["sha"]
    sent = {"body": "Why?", "commit_id": sha}
    thread = create_record(fakeplat, f"{MR}/discussions", "rep", **sent, position=position(fakeplat))
    reply = create_record(fakeplat, f"{MR}/discussions/{thread['id']}/notes", "rep", body="So.")
    plain = create_record(fakeplat, f"{MR}/discussions", "rep", **sent)
    expected = [sha if has_commit else None, sha if has_commit else None, None]
    assert expected == [row.get("commit_id") for row in (thread["notes"][0], reply, plain["notes"][0])]


@pytest.mark.fakeplat(scenario=REVIEW_COMPANY, default_branch="master", version="latest")
def test_a_published_draft_names_its_commit(fakeplat: Fakeplat) -> None:
    """A draft on a line becomes a comment on its commit, which exported scenarios keep."""
    sha = get_json(fakeplat, MR)["sha"]
    drafts = f"{MR}/draft_notes"
    draft = create_record(fakeplat, drafts, "rep", note="Why?", commit_id=sha, position=position(fakeplat))
    assert 204 == fakeplat.as_user("rep").put(f"{drafts}/{draft['id']}/publish").status
    assert sha == get_json(fakeplat, f"{MR}/notes")[0]["commit_id"]
