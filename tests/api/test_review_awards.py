"""Emoji on merge requests and on what is said of them.

Source: docs/platform/award-emoji.md, docs/decisions/rulings.md (1).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.notes import say
from tests.api.planning_records import MISSING, made, shown
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, UNAUTHORIZED, Outcome, invalid, names, no, outcome, refusal
from tests.api.review_company import DOCS, MR, PUBLIC, REVIEW_TOWN, SITE, on_line, put

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_TOWN)

AWARDS = f"{MR}/award_emoji"


def test_an_emoji_is_given_and_taken_back(fakeplat: Fakeplat) -> None:
    """201, 200, 204; a thumb counts as a vote, under its other name too."""
    award = made(fakeplat, AWARDS, "rep", name="+1")

    assert {"id", "name", "user", "created_at", "updated_at", "awardable_id", "awardable_type"} == set(award)
    assert ("thumbsup", "rep", shown(fakeplat, MR)["id"], "MergeRequest") == (
        award["name"],
        award["user"]["username"],
        award["awardable_id"],
        award["awardable_type"],
    )
    made(fakeplat, AWARDS, "dev", name="thumbsdown")
    assert (1, 1) == (shown(fakeplat, MR)["upvotes"], shown(fakeplat, MR)["downvotes"])
    assert ["thumbsup", "thumbsdown"] == names(shown(fakeplat, AWARDS), "name")
    assert award == shown(fakeplat, f"{AWARDS}/{award['id']}")
    assert STALE == refusal(fakeplat, "rep", "DELETE", f"{AWARDS}/{award['id']}", headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user("rep").delete(f"{AWARDS}/{award['id']}"))
    assert (0, 1) == (shown(fakeplat, MR)["upvotes"], shown(fakeplat, MR)["downvotes"])


@pytest.mark.parametrize("start", [lambda fake: say(fake, "x", "dev", MR), lambda fake: on_line(fake)["notes"][0]])
def test_notes_take_emoji(fakeplat: Fakeplat, start: Any) -> None:
    """Of all types; they go with their note."""
    target = f"{MR}/notes/{(note := start(fakeplat))['id']}"
    award = made(fakeplat, f"{target}/award_emoji", "rep", name="tada")

    assert ("Note", note["id"]) == (award["awardable_type"], award["awardable_id"])
    assert [award] == shown(fakeplat, f"{target}/award_emoji", "dev")
    assert award == shown(fakeplat, f"{target}/award_emoji/{award['id']}", "dev")
    assert [] == shown(fakeplat, AWARDS)
    fakeplat.as_user("ada").delete(target)
    assert 0 == len(fakeplat.bench.platform.view.awards.all())


def test_reactions_find_merge_requests(fakeplat: Fakeplat) -> None:
    """my_reaction_emoji: a name, None, Any; they follow what is given."""
    listed = f"{SITE}/merge_requests?my_reaction_emoji="
    assert [[], [1], []] == [names(shown(fakeplat, listed + word, "rep"), "iid") for word in ("tada", "None", "Any")]
    made(fakeplat, AWARDS, "rep", name="tada")
    assert [[1], [], [1]] == [names(shown(fakeplat, listed + word, "rep"), "iid") for word in ("tada", "None", "Any")]


TAKEN: Outcome = no("Award Emoji Name has already been taken")
UNKNOWN: Outcome = no("Award Emoji Name is not included in the list")


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "GET", f"{PUBLIC}/award_emoji", None, UNAUTHORIZED),
        (None, "GET", f"{PUBLIC}/award_emoji/1", None, UNAUTHORIZED),
        (None, "GET", f"{PUBLIC}/notes/1/award_emoji", None, UNAUTHORIZED),
        (None, "POST", f"{PUBLIC}/award_emoji", {"name": "tada"}, UNAUTHORIZED),
        ("eve", "GET", AWARDS, None, no("Project")),
        ("gus", "GET", AWARDS, None, no("Award Emoji")),
        ("gus", "POST", AWARDS, {"name": "tada"}, no("Award Emoji")),
        ("gus", "GET", f"{SITE}/merge_requests/99/award_emoji", None, MISSING),
        ("ada", "GET", f"{SITE}/merge_requests/99/award_emoji", None, MISSING),
        ("ada", "GET", f"{DOCS}/merge_requests/x/award_emoji", None, invalid("merge_request_iid is invalid")),
        ("ada", "GET", f"{AWARDS}/1", None, MISSING),
        ("ada", "GET", f"{MR}/notes/1/award_emoji", None, MISSING),
        ("ada", "POST", AWARDS, {}, invalid("name is missing")),
        ("ada", "POST", AWARDS, {"name": "no such"}, UNKNOWN),
        ("rep", "POST", AWARDS, {"name": "tada"}, TAKEN),
        ("rep", "POST", f"{MR}/notes/{{note}}/award_emoji", {"name": "tada"}, TAKEN),
        ("rep", "POST", f"{MR}/notes/{{system}}/award_emoji", {"name": "tada"}, no("Award Emoji")),
        ("ada", "DELETE", f"{AWARDS}/{{award}}", None, UNAUTHORIZED),
        ("ada", "DELETE", f"{MR}/notes/{{note}}/award_emoji/{{noted}}", None, UNAUTHORIZED),
        ("ada", "DELETE", f"{AWARDS}/{{noted}}", None, MISSING),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """401 for nobody and for others' emoji, 404 for what is not there or not allowed; nothing changes."""
    note = say(fakeplat, "Well.", "dev", MR)["id"]
    put(fakeplat, MR, "dev", title="Another")
    known = {
        "note": note,
        "system": next(one["id"] for one in shown(fakeplat, f"{MR}/notes") if one["system"]),
        "award": made(fakeplat, AWARDS, "rep", name="tada")["id"],
        "noted": made(fakeplat, f"{MR}/notes/{note}/award_emoji", "rep", name="tada")["id"],
    }
    assert expected == refusal(fakeplat, who, method, path.format(**known), json=body)


def test_who_may_not_say_anything_gives_no_emoji(fakeplat: Fakeplat) -> None:
    """404 in an archived project and, for those who are no members, where the discussion is locked."""
    put(fakeplat, PUBLIC, "dev", discussion_locked=True)
    assert no("Award Emoji") == refusal(fakeplat, "eve", "POST", f"{PUBLIC}/award_emoji", json={"name": "tada"})
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert no("Award Emoji") == refusal(fakeplat, "dev", "POST", AWARDS, json={"name": "tada"})
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{MR}/notes", json={"body": "x"})
