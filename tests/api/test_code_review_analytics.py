"""How long open merge requests have been reviewed. Source: docs/platform/analytics.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, names, refusal, resource_not_found

SITE = "projects/acme%2Fsite"
pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(tier="premium")]


def reviews(fake: Fakeplat, query: str = "", username: str = "rep") -> list[dict[str, Any]]:
    """The rows that a user sees."""
    site = fake.as_user(username).get(SITE).json()["id"]
    rows: list[dict[str, Any]] = fake.as_user(username).get(f"analytics/code_review?project_id={site}{query}").json()
    return rows


def merge_request(fake: Fakeplat, title: str, **more: Any) -> str:
    """The path of a new merge request of dev, whose branch adds a file of two lines."""
    dev = fake.as_user("dev")
    file = {"branch": title, "start_branch": "master", "content": "a\nb\n", "commit_message": "Add"}
    dev.post(f"{SITE}/repository/files/{title}.txt", json=file)
    body = {"source_branch": title, "target_branch": "master", "title": title, **more}
    return f"{SITE}/merge_requests/{dev.post(f'{SITE}/merge_requests', json=body).json()['iid']}"


def test_a_review_begins_with_the_first_comment_of_somebody_else(fakeplat: Fakeplat) -> None:
    """The author's own comments and the platform's notes are no review, and the hours since its start are full ones."""
    path = merge_request(fakeplat, "one")
    fakeplat.as_user("dev").post(f"{path}/notes", json={"body": "Please review"})
    fakeplat.as_user("mia").put(path, json={"labels": "bug"})
    before = reviews(fakeplat, "&label_name[]=bug")[0]
    fakeplat.as_user("mia").post(f"{path}/notes", json={"body": "Why?"})
    fakeplat.clock.advance("179m")
    after = reviews(fakeplat, "&label_name[]=bug")[0]

    assert (None, 1) == (before["review_time"], before["notes_count"])
    assert (2, 2) == (after["review_time"], after["notes_count"])


def test_a_review_shows_the_size_of_the_changes_and_the_approvals(fakeplat: Fakeplat) -> None:
    """Beside the simple view there are the milestone, the author, the approvers, and the counted lines and commits."""
    path = merge_request(fakeplat, "one")
    fakeplat.as_user("mia").post(f"{path}/approve")
    row = next(each for each in reviews(fakeplat) if each["title"] == "one")

    assert {"additions": 2, "deletions": 0, "commits_count": 1, "total": 2} == row["diff_stats"]
    assert (["mia"], "dev", None, 0) == (
        names(row["approved_by"], "username"),
        row["author"]["username"],
        row["milestone"],
        row["review_time"],
    )
    keys = "id iid project_id title description state created_at updated_at web_url milestone author approved_by"
    assert [*keys.split(), "notes_count", "review_time", "diff_stats"] == list(row)


def test_the_longest_review_comes_first(fakeplat: Fakeplat) -> None:
    """Merge requests are in the order of the starts of their reviews; those without a review come last."""
    first, second = merge_request(fakeplat, "one"), merge_request(fakeplat, "two")
    merge_request(fakeplat, "three")
    fakeplat.as_user("mia").post(f"{second}/notes", json={"body": "Why?"})
    fakeplat.clock.advance("1h")
    fakeplat.as_user("mia").post(f"{first}/approve")
    fakeplat.as_user("dev").put(f"{SITE}/merge_requests/1", json={"state_event": "close"})

    assert ["two", "one", "three"] == [
        title for title in names(reviews(fakeplat), "title") if title in ("one", "two", "three")
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("&label_name[]=bug", ["one", "two"]),
        ("&label_name[]=bug&label_name[]=docs", ["two"]),
        ("&label_name[]=bug&not[label_name][]=docs", ["one"]),
        ("&milestone_title=v1.1", ["two"]),
        ("&label_name[]=bug&not[milestone_title]=v1.1", ["one"]),
    ],
)
def test_reviews_are_filtered(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Labels and a milestone narrow the list, and ``not`` excludes them."""
    milestones = fakeplat.as_user("dev").get(f"{SITE}/milestones").json()
    milestone = next(row["id"] for row in milestones if row["title"] == "v1.1")
    merge_request(fakeplat, "one", labels="bug")
    merge_request(fakeplat, "two", labels="bug,docs", milestone_id=milestone)
    rows = [title for title in names(reviews(fakeplat, query), "title") if title in ("one", "two")]

    assert expected == rows


def test_who_cannot_read_merge_requests_sees_no_reviews(fakeplat: Fakeplat) -> None:
    """Guests of a private project get 403, strangers 404; the project has to be named."""
    site = fakeplat.as_user("ada").get(SITE).json()["id"]
    path = f"analytics/code_review?project_id={site}"

    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", path)
    assert resource_not_found("Project") == refusal(fakeplat, None, "GET", path)
    assert (400, {"error": "project_id is missing"}) == refusal(fakeplat, "rep", "GET", "analytics/code_review")


@pytest.mark.fakeplat(tier="free")
def test_lower_tiers_have_no_code_review_analytics(fakeplat: Fakeplat) -> None:
    """Without the feature the ability is missing: 403."""
    site = fakeplat.as_user("ada").get(SITE).json()["id"]

    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"analytics/code_review?project_id={site}")


def test_a_comment_on_a_commit_begins_the_review(fakeplat: Fakeplat) -> None:
    """Comments on the commits of a merge request count as those on itself, but not among its notes."""
    path = merge_request(fakeplat, "one")
    sha = fakeplat.as_user("mia").get(path).json()["sha"]
    fakeplat.as_user("mia").post(f"{SITE}/repository/commits/{sha}/comments", json={"note": "Why?"})
    row = next(each for each in reviews(fakeplat) if each["title"] == "one")

    assert (0, 0) == (row["review_time"], row["notes_count"])
