"""Award emoji on merge requests and their notes.

Source: docs/platform/award-emoji.md, docs/decisions/rulings.md (1).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.notes import create_note
from tests.api.planning_records import MISSING, create_record, get_json
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
from tests.api.review_company import DOCS, MR, PUBLIC, REVIEW_COMPANY, SITE, create_line_discussion, update_record

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY)

AWARDS = f"{MR}/award_emoji"


def test_an_emoji_is_given_and_taken_back(fakeplat: Fakeplat) -> None:
    """An emoji is awarded, counted as a vote and deleted."""
    award = create_record(fakeplat, AWARDS, "rep", name="+1")

    assert {"id", "name", "user", "created_at", "updated_at", "awardable_id", "awardable_type"} == set(award)
    assert ("thumbsup", "rep", get_json(fakeplat, MR)["id"], "MergeRequest") == (
        award["name"],
        award["user"]["username"],
        award["awardable_id"],
        award["awardable_type"],
    )
    create_record(fakeplat, AWARDS, "dev", name="thumbsdown")
    assert (1, 1) == (get_json(fakeplat, MR)["upvotes"], get_json(fakeplat, MR)["downvotes"])
    assert ["thumbsup", "thumbsdown"] == names(get_json(fakeplat, AWARDS), "name")
    assert award == get_json(fakeplat, f"{AWARDS}/{award['id']}")
    assert STALE == refusal(fakeplat, "rep", "DELETE", f"{AWARDS}/{award['id']}", headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user("rep").delete(f"{AWARDS}/{award['id']}"))
    assert (0, 1) == (get_json(fakeplat, MR)["upvotes"], get_json(fakeplat, MR)["downvotes"])


@pytest.mark.parametrize(
    "start", [lambda fake: create_note(fake, "x", "dev", MR), lambda fake: create_line_discussion(fake)["notes"][0]]
)
def test_notes_take_emoji(fakeplat: Fakeplat, start: Any) -> None:
    """Notes of all types take awards, which are deleted with them."""
    target = f"{MR}/notes/{(note := start(fakeplat))['id']}"
    award = create_record(fakeplat, f"{target}/award_emoji", "rep", name="tada")

    assert ("Note", note["id"]) == (award["awardable_type"], award["awardable_id"])
    assert [award] == get_json(fakeplat, f"{target}/award_emoji", "dev")
    assert award == get_json(fakeplat, f"{target}/award_emoji/{award['id']}", "dev")
    assert [] == get_json(fakeplat, AWARDS)
    fakeplat.as_user("ada").delete(target)
    assert 0 == len(fakeplat.bench.platform.view.awards.all())


def test_reactions_find_merge_requests(fakeplat: Fakeplat) -> None:
    """`my_reaction_emoji` filters merge requests by name, None or Any."""
    listed = f"{SITE}/merge_requests?my_reaction_emoji="
    assert [[], [1], []] == [names(get_json(fakeplat, listed + word, "rep"), "iid") for word in ("tada", "None", "Any")]
    create_record(fakeplat, AWARDS, "rep", name="tada")
    assert [[1], [], [1]] == [
        names(get_json(fakeplat, listed + word, "rep"), "iid") for word in ("tada", "None", "Any")
    ]


TAKEN: Outcome = resource_not_found("Award Emoji Name has already been taken")
UNKNOWN: Outcome = resource_not_found("Award Emoji Name is not included in the list")


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "GET", f"{PUBLIC}/award_emoji", None, UNAUTHORIZED),
        (None, "GET", f"{PUBLIC}/award_emoji/1", None, UNAUTHORIZED),
        (None, "GET", f"{PUBLIC}/notes/1/award_emoji", None, UNAUTHORIZED),
        (None, "POST", f"{PUBLIC}/award_emoji", {"name": "tada"}, UNAUTHORIZED),
        ("eve", "GET", AWARDS, None, resource_not_found("Project")),
        ("gus", "GET", AWARDS, None, resource_not_found("Award Emoji")),
        ("gus", "POST", AWARDS, {"name": "tada"}, resource_not_found("Award Emoji")),
        ("gus", "GET", f"{SITE}/merge_requests/99/award_emoji", None, MISSING),
        ("ada", "GET", f"{SITE}/merge_requests/99/award_emoji", None, MISSING),
        ("ada", "GET", f"{DOCS}/merge_requests/x/award_emoji", None, invalid("merge_request_iid is invalid")),
        ("ada", "GET", f"{AWARDS}/1", None, MISSING),
        ("ada", "GET", f"{MR}/notes/1/award_emoji", None, MISSING),
        ("ada", "POST", AWARDS, {}, invalid("name is missing")),
        ("ada", "POST", AWARDS, {"name": "no such"}, UNKNOWN),
        ("rep", "POST", AWARDS, {"name": "tada"}, TAKEN),
        ("rep", "POST", f"{MR}/notes/{{note}}/award_emoji", {"name": "tada"}, TAKEN),
        ("rep", "POST", f"{MR}/notes/{{system}}/award_emoji", {"name": "tada"}, resource_not_found("Award Emoji")),
        ("ada", "DELETE", f"{AWARDS}/{{award}}", None, UNAUTHORIZED),
        ("ada", "DELETE", f"{MR}/notes/{{note}}/award_emoji/{{noted}}", None, UNAUTHORIZED),
        ("ada", "DELETE", f"{AWARDS}/{{noted}}", None, MISSING),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """Refused awards on merge requests change nothing."""
    note = create_note(fakeplat, "Well.", "dev", MR)["id"]
    update_record(fakeplat, MR, "dev", title="Another")
    known = {
        "note": note,
        "system": next(note_row["id"] for note_row in get_json(fakeplat, f"{MR}/notes") if note_row["system"]),
        "award": create_record(fakeplat, AWARDS, "rep", name="tada")["id"],
        "noted": create_record(fakeplat, f"{MR}/notes/{note}/award_emoji", "rep", name="tada")["id"],
    }
    assert expected == refusal(fakeplat, who, method, path.format(**known), json=body)


def test_those_who_cannot_comment_award_nothing(fakeplat: Fakeplat) -> None:
    """Those who may not comment award no emoji."""
    update_record(fakeplat, PUBLIC, "dev", discussion_locked=True)
    assert resource_not_found("Award Emoji") == refusal(
        fakeplat, "eve", "POST", f"{PUBLIC}/award_emoji", json={"name": "tada"}
    )
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert resource_not_found("Award Emoji") == refusal(fakeplat, "dev", "POST", AWARDS, json={"name": "tada"})
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{MR}/notes", json={"body": "x"})
