"""Discussions of merge requests, and resolving them. Source: docs/platform/notes-discussions.md."""

import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.notes import NOTE, create_note
from tests.api.planning_records import MISSING, create_record, get_json
from tests.api.quick_actions import NOTHING_DONE
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
from tests.api.review_company import (
    DOCS,
    MR,
    PUBLIC,
    REVIEW_COMPANY,
    SITE,
    create_discussion,
    create_line_discussion,
    list_system_notes,
    reply,
    resolve_discussion,
    update_record,
)
from tests.signals import SentSignals

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=REVIEW_COMPANY)]

BLANK: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
NOT_RESOLVABLE: Outcome = (400, {"message": "400 Bad request - Note is not resolvable"})
NOT_REPLYABLE: Outcome = (400, {"message": "400 Bad request - Discussion can not be replied to."})
NOT_ALLOWED: Outcome = (405, {"message": "405 Method Not Allowed"})
SETTLED = {"resolved", "resolved_by", "resolved_at"}


def list_resolved(fake: Fakeplat, discussion: dict[str, Any]) -> list[bool | None]:
    """Return for each note whether it is resolved; None where the field is missing."""
    discussion_view = get_json(fake, f"{MR}/discussions/{discussion['id']}")
    return [note.get("resolved") for note in discussion_view["notes"]]


def is_blocked(fake: Fakeplat) -> bool:
    """Return whether unresolved discussions block a merge request."""
    return not get_json(fake, MR)["blocking_discussions_resolved"]


# starting and going on


@pytest.mark.fakeplat(releases="<15.0")
def test_a_new_discussion(fakeplat: Fakeplat) -> None:
    """A new discussion has an id of 40 hex digits and can be resolved."""
    discussion = create_discussion(fakeplat)
    (note,) = discussion["notes"]

    assert {"id", "individual_note", "notes"} == set(discussion)
    assert re.fullmatch("[0-9a-f]{40}", discussion["id"])
    assert (False, NOTE | SETTLED) == (discussion["individual_note"], set(note))
    assert ("DiscussionNote", "MergeRequest", 1, True, False) == tuple(
        note[name] for name in ("type", "noteable_type", "noteable_iid", "resolvable", "resolved")
    )
    assert discussion == get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")
    assert note == get_json(fakeplat, f"{MR}/discussions/{discussion['id']}/notes/{note['id']}", "rep")
    assert note == get_json(fakeplat, f"{MR}/notes/{note['id']}", "rep")
    assert [discussion] == get_json(fakeplat, f"{MR}/discussions", "rep")


def test_the_list_has_all_discussions(fakeplat: Fakeplat) -> None:
    """Single notes, threads and what the platform noted, in the order of their first notes, in pages."""
    create_note(fakeplat, "alone", "rep", MR)
    first = create_discussion(fakeplat)
    update_record(fakeplat, MR, "dev", title="Another")
    reply(fakeplat, first, "late")
    rows = get_json(fakeplat, f"{MR}/discussions", "rep")
    page = fakeplat.as_user("rep").get(f"{MR}/discussions?per_page=2&page=2")

    assert [(True, False, 1), (False, False, 2), (True, True, 1)] == [
        (row["individual_note"], row["notes"][0]["system"], len(row["notes"])) for row in rows
    ]
    assert (rows[2:], "3") == (page.json(), page.headers["X-Total"])


def test_a_single_note_becomes_a_thread_that_waits(fakeplat: Fakeplat) -> None:
    """A reply turns an individual note into a resolvable thread."""
    note = create_note(fakeplat, "alone", "rep", MR)
    (discussion,) = get_json(fakeplat, f"{MR}/discussions", "rep")
    assert (False, True, [None]) == (
        note["resolvable"],
        discussion["individual_note"],
        list_resolved(fakeplat, discussion),
    )
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", f"{MR}/discussions/{discussion['id']}", json={"resolved": True})
    target = f"{MR}/discussions/{discussion['id']}/notes/{note['id']}"
    assert NOT_RESOLVABLE == refusal(fakeplat, "dev", "PUT", target, json={"resolved": True})
    assert not is_blocked(fakeplat)
    reply(fakeplat, discussion, "no more")

    assert [False, False] == list_resolved(fakeplat, discussion)
    assert is_blocked(fakeplat)


def test_the_platform_is_not_replied_to(fakeplat: Fakeplat) -> None:
    """A reply to a system note answers 400."""
    update_record(fakeplat, MR, "dev", title="Another")
    (discussion,) = get_json(fakeplat, f"{MR}/discussions", "rep")
    target = f"{MR}/discussions/{discussion['id']}/notes"
    assert NOT_REPLYABLE == refusal(fakeplat, "dev", "POST", target, json={"body": "x"})


@pytest.mark.fakeplat(releases="<17.11")
def test_only_commands_leave_no_discussion(fakeplat: Fakeplat) -> None:
    """A discussion of commands alone answers 400 after executing them."""
    answer = fakeplat.as_user("dev").post(f"{MR}/discussions", json={"body": "/title Better"})
    assert NOTHING_DONE == outcome(answer)
    assert "Better" == get_json(fakeplat, MR)["title"]
    assert [] == [row for row in get_json(fakeplat, f"{MR}/discussions") if not row["notes"][0]["system"]]


# settling


@pytest.mark.fakeplat(clock="virtual")
def test_a_discussion_is_resolved_with_all_its_notes(fakeplat: Fakeplat) -> None:
    """Resolving a discussion resolves all notes and shows who did it."""
    discussion = create_discussion(fakeplat)
    reply(fakeplat, discussion, "Because.")
    assert is_blocked(fakeplat)
    settled = resolve_discussion(fakeplat, discussion)

    assert [(True, "dev"), (True, "dev")] == [
        (note["resolved"], note["resolved_by"]["username"]) for note in settled["notes"]
    ]
    assert {"2020-11-20T09:00:00.002Z"} == {note["resolved_at"] for note in settled["notes"]}
    assert settled == get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")
    assert not is_blocked(fakeplat)
    opened = resolve_discussion(fakeplat, discussion, resolved=False)
    assert [(False, None, None)] * 2 == [
        tuple(note[name] for name in ("resolved", "resolved_by", "resolved_at")) for note in opened["notes"]
    ]
    assert is_blocked(fakeplat)


def test_a_single_note_is_resolved(fakeplat: Fakeplat) -> None:
    """A discussion is resolved once all of its notes are."""
    discussion = create_discussion(fakeplat)
    second = reply(fakeplat, discussion, "Because.")
    target = f"{MR}/discussions/{discussion['id']}/notes"
    note = update_record(fakeplat, f"{target}/{second['id']}", "dev", resolved=True)

    assert (second["id"], True, "dev") == (note["id"], note["resolved"], note["resolved_by"]["username"])
    assert [False, True] == list_resolved(fakeplat, discussion)
    assert is_blocked(fakeplat)
    update_record(fakeplat, f"{target}/{discussion['notes'][0]['id']}", "dev", resolved=True)
    assert not is_blocked(fakeplat)
    assert not update_record(fakeplat, f"{target}/{second['id']}", "dev", resolved=False)["resolved"]
    assert is_blocked(fakeplat)


@pytest.mark.parametrize(
    ("who", "whole", "own"),
    [("gus", 404, 404), ("rep", 403, 200), ("dev", 200, 200), ("mia", 200, 200), ("ada", 200, 200), ("root", 200, 200)],
)
def test_roles_that_resolve(fakeplat: Fakeplat, who: str, whole: int, own: int) -> None:
    """Developers resolve discussions, and authors their own notes."""
    discussion = create_discussion(fakeplat, by="rep")
    target = f"{MR}/discussions/{discussion['id']}"
    assert whole == fakeplat.as_user(who).put(target, json={"resolved": True}).status
    assert (
        own
        == fakeplat.as_user(who).put(f"{target}/notes/{discussion['notes'][0]['id']}", json={"resolved": True}).status
    )
    other = reply(fakeplat, discussion, "By another", "mia")["id"]
    status = fakeplat.as_user(who).put(f"{target}/notes/{other}", json={"resolved": False}).status
    assert whole == status


def test_the_author_of_the_merge_request_may_resolve(fakeplat: Fakeplat) -> None:
    """The author of a merge request resolves threads in any role."""
    discussion = create_discussion(fakeplat, by="ada", target=PUBLIC)
    target = f"{PUBLIC}/discussions/{discussion['id']}"
    for who in ("ext", "gus", "rep"):
        assert FORBIDDEN == refusal(fakeplat, who, "PUT", target, json={"resolved": True})
    assert update_record(fakeplat, target, "eve", resolved=True)["notes"][0]["resolved"]


def test_only_members_resolve_when_locked(fakeplat: Fakeplat) -> None:
    """Only members resolve threads of a locked merge request."""
    discussion = create_discussion(fakeplat, by="eve", target=PUBLIC)
    path = f"{PUBLIC}/discussions/{discussion['id']}"
    update_record(fakeplat, PUBLIC, discussion_locked=True)
    for target in (path, f"{path}/notes/{discussion['notes'][0]['id']}"):
        assert FORBIDDEN == refusal(fakeplat, "eve", "PUT", target, json={"resolved": True})
    update_record(fakeplat, path, resolved=True)


def test_a_reply_to_a_resolved_thread_is_resolved(fakeplat: Fakeplat) -> None:
    """A reply to a resolved thread is resolved by its author."""
    discussion = create_discussion(fakeplat)
    resolve_discussion(fakeplat, discussion)
    note = reply(fakeplat, discussion, "Thanks.", "rep")

    assert (True, "rep") == (note["resolved"], note["resolved_by"]["username"])
    assert not is_blocked(fakeplat)


def test_resolving_twice_changes_nothing(fakeplat: Fakeplat) -> None:
    """Resolving a discussion again keeps who did it first."""
    discussion = create_discussion(fakeplat)
    first = resolve_discussion(fakeplat, discussion)
    assert first == resolve_discussion(fakeplat, discussion, "mia")
    assert ["resolved all threads"] == list_system_notes(fakeplat)


def test_a_note_tells_that_all_threads_are_resolved(fakeplat: Fakeplat) -> None:
    """Resolving the last thread creates one system note."""
    first, two = create_discussion(fakeplat), create_line_discussion(fakeplat)
    resolve_discussion(fakeplat, first)
    assert [] == list_system_notes(fakeplat)
    resolve_discussion(fakeplat, two)
    assert ["resolved all threads"] == list_system_notes(fakeplat)


def test_resolving_a_thread_changes_its_notes(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """Each note of a resolved thread says who resolved it; one that is unresolved again says nobody."""
    discussion = create_discussion(fakeplat)
    reply(fakeplat, discussion, "Because.")
    with fakeplat.changes() as resolved:
        resolve_discussion(fakeplat, discussion)
    with fakeplat.changes() as unresolved:
        resolve_discussion(fakeplat, discussion, resolved=False)

    keys = ["acme/site: 1: Because.", "acme/site: 1: Why?"]
    at = "2020-11-20T09:00:00.002Z"
    by_dev = {"resolved_at": (None, at), "resolved_by": (None, "dev")}
    by_nobody = {"resolved_at": (at, None), "resolved_by": ("dev", None)}
    assert {"notes": dict.fromkeys(keys, by_dev)} == resolved.changed
    assert {"notes": dict.fromkeys(keys, by_nobody)} == unresolved.changed
    assert 1 == len(sent_signals.list_records("merge_request_threads_resolved"))


def test_deleting_the_last_note_deletes_the_discussion(fakeplat: Fakeplat) -> None:
    """Deleting the last note deletes its discussion, whose id remains until then."""
    discussion = create_discussion(fakeplat)
    second = reply(fakeplat, discussion, "Because.")
    target = f"{MR}/discussions/{discussion['id']}"
    assert 204 == fakeplat.as_user("rep").delete(f"{target}/notes/{discussion['notes'][0]['id']}").status
    assert [second["id"]] == names(get_json(fakeplat, target)["notes"], "id")
    assert is_blocked(fakeplat)
    assert 204 == fakeplat.as_user("dev").delete(f"{target}/notes/{second['id']}").status
    assert resource_not_found("Discussion") == refusal(fakeplat, "ada", "GET", target)
    assert not is_blocked(fakeplat)


# merging


def test_unresolved_discussions_prevent_merging(fakeplat: Fakeplat) -> None:
    """Merging answers 405 until required discussions are resolved."""
    discussion = create_line_discussion(fakeplat)
    update_record(fakeplat, SITE, "ada", only_allow_merge_if_all_discussions_are_resolved=True)
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{MR}/merge")
    resolve_discussion(fakeplat, discussion)
    resolve_discussion(fakeplat, discussion, resolved=False)
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{MR}/merge")
    resolve_discussion(fakeplat, discussion)
    assert "merged" == update_record(fakeplat, f"{MR}/merge", "mia")["state"]


def test_unresolved_discussions_matter_only_if_required(fakeplat: Fakeplat) -> None:
    """The field says it anyway."""
    create_line_discussion(fakeplat)
    assert is_blocked(fakeplat)
    assert "merged" == update_record(fakeplat, f"{MR}/merge", "mia")["state"]


# refusals

THREAD = f"{MR}/discussions/{{thread}}"
FIRST = f"{THREAD}/notes/{{note}}"


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "GET", f"{PUBLIC}/discussions", None, UNAUTHORIZED),
        (None, "POST", f"{PUBLIC}/discussions", {"body": "x"}, UNAUTHORIZED),
        (None, "PUT", THREAD, {}, UNAUTHORIZED),
        ("eve", "GET", f"{MR}/discussions", None, resource_not_found("Project")),
        ("gus", "GET", f"{MR}/discussions", None, MISSING),
        ("gus", "GET", f"{SITE}/merge_requests/99/discussions", None, MISSING),
        ("ada", "GET", f"{SITE}/merge_requests/99/discussions", None, MISSING),
        ("ada", "GET", f"{SITE}/merge_requests/x/discussions", None, invalid("merge_request_iid is invalid")),
        ("ada", "GET", f"{MR}/discussions/{'0' * 40}", None, resource_not_found("Discussion")),
        ("ada", "GET", f"{PUBLIC}/discussions/{{thread}}", None, resource_not_found("Discussion")),
        ("ada", "PUT", f"{MR}/discussions/{'0' * 40}", {"resolved": True}, resource_not_found("Discussion")),
        ("ada", "POST", f"{MR}/discussions/nothing/notes", {"body": "x"}, resource_not_found("Discussion")),
        ("ada", "POST", f"{MR}/discussions", {}, invalid("body is missing")),
        ("ada", "POST", f"{MR}/discussions", {"body": " "}, BLANK),
        ("ada", "POST", f"{THREAD}/notes", {}, invalid("body is missing")),
        ("ada", "POST", f"{THREAD}/notes", {"body": ""}, BLANK),
        ("ada", "GET", f"{THREAD}/notes/1", None, MISSING),
        ("ada", "PUT", THREAD, {}, invalid("resolved is missing")),
        ("ada", "PUT", THREAD, {"resolved": "perhaps"}, invalid("resolved is invalid")),
        ("ada", "PUT", FIRST, {}, invalid("body, resolved are missing, exactly one parameter must be provided")),
        ("ada", "PUT", FIRST, {"body": "x", "resolved": True}, invalid("body, resolved are mutually exclusive")),
        ("ada", "PUT", FIRST, {"resolved": "perhaps"}, invalid("resolved is invalid")),
        ("ada", "PUT", FIRST, {"body": ""}, invalid("body is empty")),
        ("dev", "PUT", FIRST, {"body": "x"}, FORBIDDEN),
        ("dev", "DELETE", FIRST, None, FORBIDDEN),
        ("gus", "PUT", THREAD, {"resolved": True}, MISSING),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """Refused requests for discussions of merge requests change nothing."""
    discussion = create_discussion(fakeplat)
    target = path.format(thread=discussion["id"], note=discussion["notes"][0]["id"])
    assert expected == refusal(fakeplat, who, method, target, json=body)


@pytest.mark.parametrize("by", ["rep", "mia"])
def test_authors_and_maintainers_change_and_remove(fakeplat: Fakeplat, by: str) -> None:
    """Authors and Maintainers change and delete notes unless they changed since."""
    discussion = create_discussion(fakeplat)
    target = f"{MR}/discussions/{discussion['id']}/notes/{discussion['notes'][0]['id']}"
    assert "Better." == update_record(fakeplat, target, by, body="Better.")["body"]
    assert STALE == refusal(fakeplat, by, "DELETE", target, headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user(by).delete(target))


def test_an_archived_project_is_read_only(fakeplat: Fakeplat) -> None:
    """Discussions of an archived project are read-only even for their authors."""
    discussion = create_discussion(fakeplat, by="dev")
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    target = f"{MR}/discussions/{discussion['id']}"
    note = f"{target}/notes/{discussion['notes'][0]['id']}"
    for method, path, body in (
        ("POST", f"{MR}/discussions", {"body": "x"}),
        ("POST", f"{MR}/notes", {"body": "x"}),
        ("POST", f"{target}/notes", {"body": "x"}),
        ("PUT", target, {"resolved": True}),
        ("PUT", note, {"resolved": True}),
        ("PUT", note, {"body": "x"}),
        ("DELETE", note, None),
    ):
        assert FORBIDDEN == refusal(fakeplat, "dev", method, path, json=body)
    assert discussion == get_json(fakeplat, target, "dev")


def test_administrators_resolve_as_other_users(fakeplat: Fakeplat) -> None:
    """With sudo a thread is resolved as, and with the rights of, the other user."""
    discussion = create_discussion(fakeplat, by="mia")
    target = f"{MR}/discussions/{discussion['id']}"
    assert FORBIDDEN == refusal(fakeplat, "root", "PUT", target, json={"resolved": True}, headers={"Sudo": "rep"})
    settled = fakeplat.as_user("root").put(target, json={"resolved": True}, headers={"Sudo": "dev"}).json()
    assert "dev" == settled["notes"][0]["resolved_by"]["username"]


@pytest.mark.parametrize(
    "target",
    [PUBLIC, f"{DOCS}/snippets/{{snippet}}", f"{DOCS}/repository/commits/feature"],
    ids=["mr", "snippet", "commit"],
)
def test_a_private_repository_closes_discussions(fakeplat: Fakeplat, target: str) -> None:
    """Discussions answer 404 to those who may not read merge requests."""
    snippet = create_record(
        fakeplat, f"{DOCS}/snippets", "dev", title="S", visibility="public", file_name="a", content="x"
    )
    path = f"{target.format(snippet=snippet['id'])}/discussions"
    discussion = create_record(fakeplat, path, "dev", body="Why?")["id"]
    assert 200 == fakeplat.as_user("rep").get(f"{path}/{discussion}").status
    closed = ("merge_requests", "builds", "repository", "snippets")
    update_record(fakeplat, DOCS, "ada", **{f"{feature}_access_level": "private" for feature in closed})
    for method, where in (("POST", path), ("GET", f"{path}/{discussion}")):
        assert 404 == refusal(fakeplat, "ext", method, where, json={"body": "hi!"})[0]


def test_a_locked_discussion_is_for_members(fakeplat: Fakeplat) -> None:
    """Only members comment on a locked merge request."""
    discussion = create_record(fakeplat, f"{PUBLIC}/discussions", "eve", body="Hello")
    update_record(fakeplat, PUBLIC, "dev", discussion_locked=True)
    target = f"{PUBLIC}/discussions/{discussion['id']}"
    for method, path, body in (
        ("POST", f"{PUBLIC}/discussions", {"body": "x"}),
        ("POST", f"{target}/notes", {"body": "x"}),
        ("PUT", f"{target}/notes/{discussion['notes'][0]['id']}", {"body": "x"}),
    ):
        assert FORBIDDEN == refusal(fakeplat, "eve", method, path, json=body)
    assert 201 == fakeplat.as_user("gus").post(f"{target}/notes", json={"body": "x"}).status
