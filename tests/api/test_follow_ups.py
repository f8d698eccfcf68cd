"""Issues that continue the threads of a merge request. Source: docs/platform/issues.md."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names

SITE = "projects/acme%2Fsite"
MERGE_REQUEST = f"{SITE}/merge_requests/1"


def create_thread(fake: Fakeplat, body: str, *replies: str) -> dict[str, Any]:
    """A thread of the merge request, begun by dev and gone on with by mia."""
    begun = fake.as_user("dev").post(f"{MERGE_REQUEST}/discussions", json={"body": body}).json()
    for text in replies:
        path = f"{MERGE_REQUEST}/discussions/{begun['id']}/notes"
        assert 201 == fake.as_user("mia").post(path, json={"body": text}).status
    return dict(begun)


def create_follow_up(fake: Fakeplat, by: str = "mia", **given: Any) -> dict[str, Any]:
    """An issue that is made for the merge request."""
    body = {"title": "Later", "merge_request_to_resolve_discussions_of": 1, **given}
    reply = fake.as_user(by).post(f"{SITE}/issues", json=body)
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def list_threads(fake: Fakeplat) -> dict[str, list[tuple[str, bool | None]]]:
    """Return the notes of each thread, and whether they are resolved."""
    discussions = fake.as_user("mia").get(f"{MERGE_REQUEST}/discussions").json()
    return {
        discussion["id"]: [(note["body"], note.get("resolved")) for note in discussion["notes"]]
        for discussion in discussions
        if not discussion["individual_note"]
    }


def test_an_issue_resolves_the_threads_that_it_continues(fakeplat: Fakeplat) -> None:
    """An issue for a merge request resolves its threads with a note and lists them as tasks."""
    first, two = create_thread(fakeplat, "Too slow\nby far", "Yes"), create_thread(fakeplat, "A typo")
    new_issue = create_follow_up(fakeplat)

    message = f"created #{new_issue['iid']} to continue this discussion"
    assert {
        first["id"]: [("Too slow\nby far", True), ("Yes", True), (message, None)],
        two["id"]: [("A typo", True), (message, None)],
    } == list_threads(fakeplat)
    page, ids = "/acme/site/-/merge_requests/1", [thread["notes"][0]["id"] for thread in (first, two)]
    assert new_issue["description"] == "\n\n".join(
        (
            "The following discussions from !1 should be addressed:",
            f"- [ ] @dev started a [discussion]({page}#note_{ids[0]}): (+1 comment)",
            "    > Too slow\n    > by far",
            f"- [ ] @dev started a [discussion]({page}#note_{ids[1]}):",
            "    > A typo",
        )
    )
    assert "0 of 2 tasks completed" == new_issue["task_status"]


def test_a_single_thread_can_be_chosen(fakeplat: Fakeplat) -> None:
    """``discussion_to_resolve`` names it; the others stay open. What the issue is said to say counts."""
    first, two = create_thread(fakeplat, "First"), create_thread(fakeplat, "Second")
    new_issue = create_follow_up(fakeplat, discussion_to_resolve=two["id"], description="Mine")

    assert "Mine" == new_issue["description"]
    assert [("First", False)] == list_threads(fakeplat)[first["id"]]
    assert ("Second", True) == list_threads(fakeplat)[two["id"]][0]


def test_without_open_threads_nothing_is_settled(fakeplat: Fakeplat) -> None:
    """The issue then points at the conversation."""
    assert (
        "There are no unresolved discussions. Review the conversation in !1"
        == create_follow_up(fakeplat)["description"]
    )


def test_reporters_create_the_issue_without_resolving(fakeplat: Fakeplat) -> None:
    """A Reporter leaves the threads open."""
    thread = create_thread(fakeplat, "First")
    new_issue = create_follow_up(fakeplat, by="rep")

    assert "Later" == new_issue["title"]
    assert [("First", False)] == list_threads(fakeplat)[thread["id"]]


def test_a_merge_request_that_is_not_there_is_passed_over(fakeplat: Fakeplat) -> None:
    """An unknown merge request, or a thread without one, is ignored."""
    thread = create_thread(fakeplat, "First")
    for given in (
        {"merge_request_to_resolve_discussions_of": 999},
        {"merge_request_to_resolve_discussions_of": None, "discussion_to_resolve": thread["id"]},
    ):
        assert create_follow_up(fakeplat, **given)["description"] is None

    assert [("First", False)] == list_threads(fakeplat)[thread["id"]]


def test_a_guest_of_a_private_project_learns_nothing_of_its_merge_requests(fakeplat: Fakeplat) -> None:
    """An issue of a Guest says nothing about hidden merge requests."""
    create_thread(fakeplat, "Secret")

    assert create_follow_up(fakeplat, by="gus")["description"] is None


def test_the_note_of_a_follow_up_is_the_platforms(fakeplat: Fakeplat) -> None:
    """The note of a follow-up is a system note by the issue's author."""
    create_thread(fakeplat, "First")
    create_follow_up(fakeplat)
    notes = fakeplat.as_user("mia").get(f"{MERGE_REQUEST}/notes?sort=asc").json()
    system = [note for note in notes if note["system"]]

    assert "created #6 to continue this discussion" in names(system, "body")
    assert "resolved all threads" in names(system, "body")
    assert {"mia"} == {note["author"]["username"] for note in system}
