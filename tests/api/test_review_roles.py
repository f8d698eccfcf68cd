"""Rights on discussions and awards of merge requests and commits, by hand from the specification and the facts."""

from typing import Any

import pytest

from tests.api.test_role_matrix import CODE_READ, ROLES, SITE, fill_in

READ = "401 404 404 404 200 200 200 200 200"
MADE = "401 404 404 404 201 201 201 201 201"
CHANGED = "401 404 404 404 403 403 200 200 200"
REMOVED = "401 404 404 404 403 403 204 204 204"
SETTLED = "401 404 404 404 403 200 200 200 200"
OWN = "401 404 404 404 401 401 401 401 204"
POSITION = {
    "base_sha": "{base}",
    "start_sha": "{base}",
    "head_sha": "{head}",
    "position_type": "text",
    "new_path": "{path}",
    "new_line": "{line}",
}
MR, COMMIT = "/merge_requests/1", "/repository/commits/feature"
NOT_SETTLED = "401 404 404 404 403 400 400 400 400"

TABLE = [
    ("list_merge_request_notes", "GET", f"{MR}/notes", None, READ),
    ("create_merge_request_note", "POST", f"{MR}/notes", {"body": "x"}, MADE),
    ("get_merge_request_note", "GET", f"{MR}/notes/{{note}}", None, READ),
    ("update_merge_request_note", "PUT", f"{MR}/notes/{{note}}", {"body": "x"}, CHANGED),
    ("delete_merge_request_note", "DELETE", f"{MR}/notes/{{note}}", None, REMOVED),
    ("list_merge_request_discussions", "GET", f"{MR}/discussions", None, READ),
    ("create_merge_request_discussion", "POST", f"{MR}/discussions", {"body": "x"}, MADE),
    ("create_merge_request_discussion (line)", "POST", f"{MR}/discussions", {"body": "x", "position": POSITION}, MADE),
    ("get_merge_request_discussion", "GET", f"{MR}/discussions/{{thread}}", None, READ),
    ("resolve_merge_request_discussion", "PUT", f"{MR}/discussions/{{thread}}", {"resolved": True}, SETTLED),
    ("create_merge_request_discussion_note", "POST", f"{MR}/discussions/{{thread}}/notes", {"body": "x"}, MADE),
    ("get_merge_request_discussion_note", "GET", f"{MR}/discussions/{{thread}}/notes/{{note}}", None, READ),
    (
        "update_merge_request_discussion_note",
        "PUT",
        f"{MR}/discussions/{{thread}}/notes/{{note}}",
        {"body": "x"},
        CHANGED,
    ),
    (
        "update_merge_request_discussion_note (resolved)",
        "PUT",
        f"{MR}/discussions/{{thread}}/notes/{{note}}",
        {"resolved": True},
        SETTLED,
    ),
    ("delete_merge_request_discussion_note", "DELETE", f"{MR}/discussions/{{thread}}/notes/{{note}}", None, REMOVED),
    ("list_merge_request_award_emoji", "GET", f"{MR}/award_emoji", None, READ),
    ("get_merge_request_award_emoji", "GET", f"{MR}/award_emoji/{{award}}", None, READ),
    ("create_merge_request_award_emoji", "POST", f"{MR}/award_emoji", {"name": "heart"}, MADE),
    ("delete_merge_request_award_emoji", "DELETE", f"{MR}/award_emoji/{{award}}", None, OWN),
    ("list_merge_request_note_award_emoji", "GET", f"{MR}/notes/{{note}}/award_emoji", None, READ),
    ("get_merge_request_note_award_emoji", "GET", f"{MR}/notes/{{note}}/award_emoji/{{noted}}", None, READ),
    ("create_merge_request_note_award_emoji", "POST", f"{MR}/notes/{{note}}/award_emoji", {"name": "heart"}, MADE),
    ("delete_merge_request_note_award_emoji", "DELETE", f"{MR}/notes/{{note}}/award_emoji/{{noted}}", None, OWN),
    ("list_commit_comments", "GET", f"{COMMIT}/comments", None, CODE_READ),
    ("list_commit_discussions", "GET", f"{COMMIT}/discussions", None, READ),
    ("create_commit_discussion", "POST", f"{COMMIT}/discussions", {"body": "x"}, MADE),
    ("get_commit_discussion", "GET", f"{COMMIT}/discussions/{{talk}}", None, READ),
    ("create_commit_discussion_note", "POST", f"{COMMIT}/discussions/{{talk}}/notes", {"body": "x"}, MADE),
    ("get_commit_discussion_note", "GET", f"{COMMIT}/discussions/{{talk}}/notes/{{words}}", None, READ),
    ("update_commit_discussion_note", "PUT", f"{COMMIT}/discussions/{{talk}}/notes/{{words}}", {"body": "x"}, CHANGED),
    (
        "update_commit_discussion_note (resolved)",
        "PUT",
        f"{COMMIT}/discussions/{{talk}}/notes/{{words}}",
        {"resolved": True},
        NOT_SETTLED,
    ),
    ("delete_commit_discussion_note", "DELETE", f"{COMMIT}/discussions/{{talk}}/notes/{{words}}", None, REMOVED),
]


@pytest.fixture
def known(fakeplat: Any) -> dict[str, Any]:
    """Create records about the first merge request and a commit as the administrator."""
    root = fakeplat.as_user("root")
    path = f"{SITE}{MR}"
    thread = root.post(f"{path}/discussions", json={"body": "x"}).json()
    note = thread["notes"][0]["id"]
    talk = root.post(f"{SITE}{COMMIT}/discussions", json={"body": "x"}).json()
    changes = root.get(f"{path}/changes").json()
    change = next(row for row in changes["changes"] if row["new_file"] or "+" in row["diff"])
    return {
        "thread": thread["id"],
        "note": note,
        "award": root.post(f"{path}/award_emoji", json={"name": "tada"}).json()["id"],
        "noted": root.post(f"{path}/notes/{note}/award_emoji", json={"name": "tada"}).json()["id"],
        "talk": talk["id"],
        "words": talk["notes"][0]["id"],
        "base": changes["diff_refs"]["base_sha"],
        "head": changes["diff_refs"]["head_sha"],
        "path": change["new_path"],
        "line": first_added(change["diff"]),
    }


def first_added(diff: str) -> int:
    """The number of the first line that a difference adds."""
    heading, *lines = diff.splitlines()
    number = int(heading.split("+")[1].split(",")[0].split(" ")[0])
    for line in lines:
        if line.startswith("+"):
            return number
        number += not line.startswith("-")
    pytest.fail("it adds nothing")


@pytest.mark.parametrize(("name", "method", "path", "body", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_each_role_gets_what_the_facts_say(
    fakeplat: Any, known: dict[str, Any], name: str, method: str, path: str, body: Any, expected: str
) -> None:
    """Each role gets the documented answer of each review operation."""
    del name
    fakeplat.snapshot()
    differences = []
    for role in ROLES:
        reply = fakeplat.as_user(role).request(method, fill_in(SITE + path, known), json=fill_in(body, known))
        differences.append(str(int(reply.status)))
        fakeplat.restore()
    assert expected == " ".join(differences)
