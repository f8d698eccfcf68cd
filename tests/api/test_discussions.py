"""Discussions on issues. Source: docs/platform/notes-discussions.md."""

import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.notes import NOTE, ONE, TWO, create_note
from tests.api.planning_records import MISSING, create_record, get_json, issue
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

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

BLANK: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
NOT_RESOLVABLE: Outcome = (400, {"message": "400 Bad request - Note is not resolvable"})
NOT_REPLYABLE: Outcome = (400, {"message": "400 Bad request - Discussion can not be replied to."})


def start_discussion(fake: Fakeplat, body: str = "Why?", by: str = "dev") -> dict[str, Any]:
    return create_record(fake, f"{ONE}/discussions", by, body=body)


@pytest.mark.fakeplat(releases="<15.0")
def test_a_new_discussion(fakeplat: Fakeplat) -> None:
    """A new discussion has an id of 40 hex digits and cannot be resolved on issues."""
    issue(fakeplat)
    discussion = start_discussion(fakeplat)
    (note,) = discussion["notes"]

    assert {"id", "individual_note", "notes"} == set(discussion)
    assert re.fullmatch("[0-9a-f]{40}", discussion["id"])
    assert (False, NOTE) == (discussion["individual_note"], set(note))
    assert ("DiscussionNote", "Why?", False) == (note["type"], note["body"], note["resolvable"])
    assert discussion == get_json(fakeplat, f"{ONE}/discussions/{discussion['id']}", "gus")
    assert note == get_json(fakeplat, f"{ONE}/discussions/{discussion['id']}/notes/{note['id']}", "gus")
    assert note == get_json(fakeplat, f"{ONE}/notes/{note['id']}", "gus")


def test_a_reply_joins_its_discussion(fakeplat: Fakeplat) -> None:
    """A reply joins its discussion, also in cached lists."""
    issue(fakeplat)
    thread = start_discussion(fakeplat)["id"]
    assert 1 == len(get_json(fakeplat, f"{ONE}/discussions")[0]["notes"])
    reply = create_record(fakeplat, f"{ONE}/discussions/{thread}/notes", "gus", body="Because.")
    (discussion,) = get_json(fakeplat, f"{ONE}/discussions")

    assert "DiscussionNote" == reply["type"]
    assert ["Why?", "Because."] == names(discussion["notes"], "body")
    assert 2 == get_json(fakeplat, ONE)["user_notes_count"]


def test_a_reply_makes_a_thread_of_a_single_note(fakeplat: Fakeplat) -> None:
    """individual_note says which is which."""
    issue(fakeplat)
    create_note(fakeplat, "alone")
    (discussion,) = get_json(fakeplat, f"{ONE}/discussions")
    assert (True, None) == (discussion["individual_note"], discussion["notes"][0]["type"])
    create_record(fakeplat, f"{ONE}/discussions/{discussion['id']}/notes", body="no more")
    (after,) = get_json(fakeplat, f"{ONE}/discussions")

    assert (discussion["id"], False) == (after["id"], after["individual_note"])
    assert ["DiscussionNote", "DiscussionNote"] == names(after["notes"], "type")


def test_the_platform_is_not_replied_to(fakeplat: Fakeplat) -> None:
    """A reply to a system note answers 400."""
    issue(fakeplat)
    fakeplat.as_user("ada").put(ONE, json={"confidential": True})
    (discussion,) = get_json(fakeplat, f"{ONE}/discussions")

    assert (True, True) == (discussion["individual_note"], discussion["notes"][0]["system"])
    target = f"{ONE}/discussions/{discussion['id']}/notes"
    assert NOT_REPLYABLE == refusal(fakeplat, "ada", "POST", target, json={"body": "x"})


def test_the_list_follows_the_first_notes_and_has_pages(fakeplat: Fakeplat) -> None:
    """Discussions are listed in pages by the age of their first note."""
    issue(fakeplat)
    first = start_discussion(fakeplat, "first")["id"]
    create_note(fakeplat, "second")
    start_discussion(fakeplat, "third")
    create_record(fakeplat, f"{ONE}/discussions/{first}/notes", body="late")
    reply = fakeplat.as_user("ada").get(f"{ONE}/discussions?per_page=2")

    assert ("3", ["first", "second"]) == (
        reply.headers["X-Total"],
        [row["notes"][0]["body"] for row in reply.json()],
    )


@pytest.mark.fakeplat(releases="<15.6")
def test_replies_to_a_confidential_note_are_confidential(fakeplat: Fakeplat) -> None:
    """Guests see none of it."""
    issue(fakeplat)
    thread = create_record(fakeplat, f"{ONE}/discussions", body="between us", confidential=True)["id"]
    assert create_record(fakeplat, f"{ONE}/discussions/{thread}/notes", body="indeed")["confidential"]
    assert resource_not_found("Discussion") == refusal(fakeplat, "gus", "GET", f"{ONE}/discussions/{thread}")
    public = start_discussion(fakeplat)["id"]
    create_record(fakeplat, f"{ONE}/discussions/{public}/notes", body="by the way", confidential=True)
    assert ["Why?"] == names(get_json(fakeplat, f"{ONE}/discussions/{public}", "gus")["notes"], "body")
    create_record(fakeplat, f"{ONE}/discussions/{thread}/notes", body="still", confidential=True)


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "GET", f"{ONE}/discussions", None, UNAUTHORIZED),
        (None, "POST", f"{ONE}/discussions", {"body": "x"}, UNAUTHORIZED),
        ("eve", "GET", f"{ONE}/discussions", None, resource_not_found("Project")),
        ("ada", "GET", f"{TWO}9/discussions", None, MISSING),
        ("ada", "GET", f"{ONE}/discussions/{'0' * 40}", None, resource_not_found("Discussion")),
        ("ada", "GET", f"{TWO}/discussions/{{thread}}", None, resource_not_found("Discussion")),
        ("ada", "POST", f"{ONE}/discussions/nothing/notes", {"body": "x"}, resource_not_found("Discussion")),
        ("ada", "POST", f"{ONE}/discussions", {}, invalid("body is missing")),
        ("ada", "POST", f"{ONE}/discussions", {"body": " "}, BLANK),
        ("ada", "POST", f"{ONE}/discussions/{{thread}}/notes", {}, invalid("body is missing")),
        ("ada", "POST", f"{ONE}/discussions/{{thread}}/notes", {"body": ""}, BLANK),
        ("ada", "GET", f"{ONE}/discussions/{{thread}}/notes/1", None, MISSING),
        (
            "ada",
            "PUT",
            f"{ONE}/discussions/{{thread}}/notes/{{note}}",
            {},
            invalid("body, resolved are missing, exactly one parameter must be provided"),
        ),
        (
            "ada",
            "PUT",
            f"{ONE}/discussions/{{thread}}/notes/{{note}}",
            {"body": "x", "resolved": True},
            invalid("body, resolved are mutually exclusive"),
        ),
        ("ada", "PUT", f"{ONE}/discussions/{{thread}}/notes/{{note}}", {"body": ""}, invalid("body is empty")),
        pytest.param(
            "ada",
            "PUT",
            f"{ONE}/discussions/{{thread}}/notes/{{note}}",
            {"resolved": True},
            NOT_RESOLVABLE,
            marks=pytest.mark.fakeplat(releases="<16.4"),
        ),
        ("gus", "PUT", f"{ONE}/discussions/{{thread}}/notes/{{note}}", {"body": "x"}, FORBIDDEN),
        ("gus", "PUT", f"{ONE}/discussions/{{thread}}/notes/{{note}}", {"resolved": True}, FORBIDDEN),
        ("rep", "PUT", f"{ONE}/discussions/{{thread}}/notes/{{note}}", {"resolved": True}, FORBIDDEN),
        pytest.param(
            "dev",
            "PUT",
            f"{ONE}/discussions/{{thread}}/notes/{{note}}",
            {"resolved": True},
            NOT_RESOLVABLE,
            marks=pytest.mark.fakeplat(releases="<16.4"),
        ),
        ("gus", "DELETE", f"{ONE}/discussions/{{thread}}/notes/{{note}}", None, FORBIDDEN),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """Refused requests for discussions of issues change nothing."""
    issue(fakeplat)
    issue(fakeplat)
    discussion = start_discussion(fakeplat)
    target = path.format(thread=discussion["id"], note=discussion["notes"][0]["id"])
    assert expected == refusal(fakeplat, who, method, target, json=body)


def test_notes_are_found_whatever_their_discussion(fakeplat: Fakeplat) -> None:
    """A note in a path below another discussion of the same issue is found; below another issue it is not."""
    issue(fakeplat)
    issue(fakeplat)
    note = start_discussion(fakeplat)["notes"][0]
    for discussion in (start_discussion(fakeplat)["id"], "0" * 40):
        assert note == get_json(fakeplat, f"{ONE}/discussions/{discussion}/notes/{note['id']}")
    assert MISSING == refusal(fakeplat, "ada", "PUT", f"{TWO}/discussions/x/notes/{note['id']}", json={"body": "x"})
    path = f"{ONE}/discussions/{'0' * 40}/notes/{note['id']}"
    assert "Changed" == fakeplat.as_user("ada").put(path, json={"body": "Changed"}).json()["body"]
    assert 204 == fakeplat.as_user("ada").delete(path).status
    assert MISSING == refusal(fakeplat, "ada", "DELETE", path)


@pytest.mark.parametrize("by", ["dev", "mia"])
def test_authors_and_maintainers_change_and_remove(fakeplat: Fakeplat, by: str) -> None:
    """Authors and Maintainers change and delete notes; an empty discussion disappears."""
    issue(fakeplat)
    discussion = start_discussion(fakeplat)
    target = f"{ONE}/discussions/{discussion['id']}/notes/{discussion['notes'][0]['id']}"

    assert STALE == refusal(fakeplat, by, "DELETE", target, headers=LONG_AGO)
    assert (200, "Better.") == (
        (reply := fakeplat.as_user(by).put(target, json={"body": "Better."})).status,
        reply.json()["body"],
    )
    assert (204, None) == outcome(fakeplat.as_user(by).delete(target))
    assert resource_not_found("Discussion") == refusal(fakeplat, by, "GET", f"{ONE}/discussions/{discussion['id']}")
    assert [] == get_json(fakeplat, f"{ONE}/discussions")
