"""Quick actions for reviews. Source: docs/platform/merge-requests.md ('Reviewers')."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    MERGE_WHEN_CHECKS_PASS,
    REQUEST_CHANGES_QUICK_ACTION,
    REVIEWER_QUICK_ACTIONS,
    REVIEWS_ARE_REQUESTED_AGAIN,
    REVIEWS_HAVE_VERDICTS,
    UNAPPROVE_QUICK_ACTION,
)
from tests.api.merge_requests import OPEN, get_json
from tests.api.pipelines import create_pipelines
from tests.api.quick_actions import post_note, run_commands
from tests.api.test_reviewers import id_of, list_notes, names_of, set_reviewers
from tests.by_release import by_release

premium = pytest.mark.fakeplat(version="latest", tier="premium")
free = pytest.mark.fakeplat(version="latest")


def run(fake: Fakeplat, text: str, by: str = "mia") -> str:
    """Run commands; return their summary."""
    return run_commands(fake, text, by, OPEN)[1]


def get_reviewers(fake: Fakeplat) -> list[str]:
    return names_of(get_json(fake)["reviewers"])


def get_states(fake: Fakeplat) -> dict[str, str]:
    rows = get_json(fake, f"{OPEN}/reviewers")
    return {row["user"]["username"]: row["state"] for row in rows}


def is_text(fake: Fakeplat, text: str, by: str = "mia") -> bool:
    """Return whether a command is an ordinary text, because the release lacks it."""
    status, note = post_note(fake, by, OPEN, text)
    return status == 201 and note["body"] == text


@premium
def test_assigning_and_removing_reviewers(fakeplat: Fakeplat) -> None:
    """Reviewers are added one after the other, and removed by name or all at once."""
    summaries = [run(fakeplat, "/assign_reviewer @dev"), run(fakeplat, "/reviewer @rep me")]
    added = get_reviewers(fakeplat)
    summaries += [run(fakeplat, "/unassign_reviewer @dev"), run(fakeplat, "/remove_reviewer")]

    assert [
        "Assigned @dev as reviewer.",
        "Assigned @mia and @rep as reviewers.",
        "Removed reviewer @dev.",
        "Removed reviewers @mia and @rep.",
    ] == summaries
    assert ({"dev", "rep", "mia"}, []) == ({*added}, get_reviewers(fakeplat))


@free
def test_one_reviewer_on_the_free_tier(fakeplat: Fakeplat) -> None:
    """The free tier replaces the reviewer; the changes name the id."""
    run(fakeplat, "/assign_reviewer @dev")
    changes, summary = run_commands(fakeplat, "/assign_reviewer @rep @dev", "mia", OPEN)

    assert ({"reviewer_ids": [id_of(fakeplat, "rep")]}, "Assigned @rep as reviewer.") == (changes, summary)
    assert ["rep"] == get_reviewers(fakeplat)


@premium
def test_requesting_a_review(fakeplat: Fakeplat) -> None:
    """A request for a review adds reviewers; who is one already is asked again and loses their approval."""
    set_reviewers(fakeplat, "mia", by="ada")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    summary = run(fakeplat, "/request_review @mia @rep", "ada")

    assert "Requested a review from @mia and @rep." == summary
    assert {"mia": "unreviewed", "rep": "unreviewed"} == get_states(fakeplat)
    assert [] == get_json(fakeplat, f"{OPEN}/approvals")["approved_by"]
    assert {"requested review from @mia and removed approval", "requested review from @rep"} <= {*list_notes(fakeplat)}
    assert "review_requested" in [row["action_name"] for row in fakeplat.as_user("mia").get("todos").json()]
    assert any("requested a new review on" in mail.body for mail in fakeplat.mails if mail.to == "mia@example.test")


@pytest.mark.fakeplat(tier="premium")
@by_release(
    REVIEWS_ARE_REQUESTED_AGAIN,
    "expected",
    {"16.5": "Assigned @rep as reviewer.", "18.0": "Requested a review from @rep."},
)
def test_requesting_a_review_in_earlier_releases(fakeplat: Fakeplat, expected: str) -> None:
    """In earlier releases a request for a review assigns a reviewer."""
    assert expected == run(fakeplat, "/request_review @rep")


@by_release(REVIEWER_QUICK_ACTIONS, "expected", {"13.6": True, "13.7": False})
def test_reviewers_before_there_were_any(fakeplat: Fakeplat, expected: bool) -> None:
    """Before 13.7 the commands are ordinary text."""
    assert expected is is_text(fakeplat, "/assign_reviewer @rep")


@free
@pytest.mark.parametrize("command", ["/assign_reviewer @nobody", "/request_review @nobody"])
def test_nobody_to_review(fakeplat: Fakeplat, command: str) -> None:
    """A command without a user who can review says so and changes nothing."""
    assert "because no user was specified." in run(fakeplat, command)
    assert [] == get_reviewers(fakeplat)


@free
def test_who_may_assign_reviewers(fakeplat: Fakeplat) -> None:
    """A reporter cannot assign reviewers."""
    status, _ = post_note(fakeplat, "rep", OPEN, "/assign_reviewer @dev")
    assert (400, []) == (status, get_reviewers(fakeplat))


@by_release(UNAPPROVE_QUICK_ACTION, "expected", {"14.2": True, "14.3": False})
def test_unapproving_begins(fakeplat: Fakeplat, expected: bool) -> None:
    """The command `/unapprove` exists since 14.3."""
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    assert expected is is_text(fakeplat, "/unapprove")


@free
def test_approving_and_unapproving(fakeplat: Fakeplat) -> None:
    """An approval is given and revoked by commands."""
    summaries = [run(fakeplat, "/approve"), run(fakeplat, "/unapprove")]

    assert ["Approved the current merge request.", "Unapproved the current merge request."] == summaries
    assert ["unapproved this merge request", "approved this merge request"] == list_notes(fakeplat)[:2]
    assert 400 == post_note(fakeplat, "mia", OPEN, "/unapprove")[0]


@by_release(REQUEST_CHANGES_QUICK_ACTION, "expected", {"16.8": True, "16.9": False})
def test_requesting_changes_begins(fakeplat: Fakeplat, expected: bool) -> None:
    """The command `/request_changes` exists since 16.9."""
    set_reviewers(fakeplat, "mia", by="ada")
    assert expected is is_text(fakeplat, "/request_changes")


@free
def test_requesting_changes(fakeplat: Fakeplat) -> None:
    """A reviewer who requests changes takes their approval back; nobody else can request any."""
    set_reviewers(fakeplat, "mia", by="ada")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    summary = run(fakeplat, "/request_changes")

    assert "Changes requested to the current merge request." == summary
    assert {"mia": "requested_changes"} == get_states(fakeplat)
    assert ["unapproved this merge request", "requested changes"] == list_notes(fakeplat)[:2]
    assert 400 == post_note(fakeplat, "ada", OPEN, "/request_changes")[0]


@by_release(
    REVIEWS_HAVE_VERDICTS,
    "expected",
    {
        "16.11": "Submitted the current review.",
        "18.0": "Submitted the current review. Approved the current merge request.",
    },
)
def test_submitting_a_review_with_an_approval(fakeplat: Fakeplat, expected: str) -> None:
    """In later releases a submitted review may approve."""
    assert expected == run(fakeplat, "/submit_review approve")


@free
def test_submitting_a_review_with_a_request_for_changes(fakeplat: Fakeplat) -> None:
    """A submitted review may request changes."""
    set_reviewers(fakeplat, "mia", by="ada")
    run(fakeplat, "/submit_review requested_changes")

    assert {"mia": "requested_changes"} == get_states(fakeplat)


MERGE_LATER = "Scheduled to merge this merge request (Merge {})."


@by_release(
    MERGE_WHEN_CHECKS_PASS,
    "expected",
    {"17.6": MERGE_LATER.format("when pipeline succeeds"), "17.7": MERGE_LATER.format("when checks pass")},
)
def test_merging_later(fakeplat: Fakeplat, expected: str) -> None:
    """`/merge` tells what it waits for."""
    create_pipelines(fakeplat, {"status": "running"})
    assert expected == run(fakeplat, "/merge")


@free
def test_a_description_assigns_reviewers(fakeplat: Fakeplat) -> None:
    """The commands work in the description of a new merge request, too."""
    body = {"title": "T", "source_branch": "readme", "target_branch": "feature", "description": "/reviewer @rep"}
    created = fakeplat.as_user("dev").post("projects/acme%2Fsite/merge_requests", json=body)

    assert (201, ["rep"]) == (created.status, names_of(created.json()["reviewers"]))
