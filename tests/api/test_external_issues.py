"""Issues of external trackers in merge requests, and references to them.

Source: docs/platform/integrations.md ('External issue trackers').
"""

from typing import Any

import pytest

from fakeplat.domain.integrations import issue_trackers
from fakeplat.harness.fake import Fakeplat
from tests.api.requests import outcome

SITE = "projects/acme%2Fsite"
CLOSING = f"{SITE}/merge_requests/1/closes_issues"
TRACKER = {
    "project_url": "https://bugs.test",
    "issues_url": "https://bugs.test/:id",
    "new_issue_url": "https://bugs.test/new",
}
JIRA = {"url": "https://jira.test/", "username": "ci", "password": "secret"}


def set_description(fakeplat: Fakeplat, text: str) -> None:
    assert 200 == fakeplat.as_user("dev").put(f"{SITE}/merge_requests/1", json={"description": text}).status


def build_external_issues(*keys: str) -> list[dict[str, Any]]:
    return [{"title": f"External Issue {key}", "id": key} for key in keys]


def test_closing_words_name_external_issues(fakeplat: Fakeplat) -> None:
    """With a tracker, closing patterns list external issues after the project's own."""
    set_description(fakeplat, "Closes #2\n\nFixes ABC-7, XYZ-1 and ABC-7. See DEF-3.")
    mia = fakeplat.as_user("mia")
    (own,) = mia.get(CLOSING).json()
    assert 2 == own["iid"]
    assert 200 == mia.put(f"{SITE}/services/jira", json=JIRA).status
    assert (200, [own, *build_external_issues("ABC-7", "XYZ-1")]) == outcome(mia.get(CLOSING))
    mia.delete(f"{SITE}/services/jira")
    assert [own] == mia.get(CLOSING).json()


def test_short_references_are_external_where_the_project_has_no_issues(fakeplat: Fakeplat) -> None:
    """Otherwise they are the project's own."""
    mia = fakeplat.as_user("mia")
    mia.put(f"{SITE}/services/custom-issue-tracker", json=TRACKER)
    set_description(fakeplat, "Closes #2 and BUG-4")
    assert build_external_issues("BUG-4") == mia.get(CLOSING).json()[1:]
    assert 200 == mia.put(SITE, json={"issues_enabled": False}).status
    assert build_external_issues("#2", "BUG-4") == [row for row in mia.get(CLOSING).json() if "iid" not in row]


@pytest.mark.parametrize(
    ("slug", "text", "expected"),
    [
        ("jira", "ABC-7, abc-8, A-9, (AB_2-10) and `XYZ-1`", ["ABC-7", "AB_2-10"]),
        ("redmine", "A-9 and #12 and abc-1", ["A-9"]),
        ("youtrack", "abc-8 and A-9", ["abc-8", "A-9"]),
        ("ewm", "defect 12, bug 3, task12 and story 4", ["defect 12", "bug 3"]),
        ("bugzilla", "BUG-1, BUG-1", ["BUG-1"]),
    ],
)
def test_references_of_trackers(slug: str, text: str, expected: list[str]) -> None:
    """Each kind of tracker recognizes its own references, but not in code."""
    assert expected == issue_trackers.find_keys(slug, text)


def test_the_first_active_tracker_counts(fakeplat: Fakeplat) -> None:
    """Of several trackers the first active one is used."""
    mia = fakeplat.as_user("mia")
    for slug in ("redmine", "bugzilla"):
        mia.put(f"{SITE}/services/{slug}", json=TRACKER)
    project = fakeplat.world.world.projects[5001]
    for expected in ("redmine", "bugzilla"):
        tracker = issue_trackers.find_tracker(fakeplat.world.world, project)
        assert expected == getattr(tracker, "slug", None)
        mia.delete(f"{SITE}/services/{expected}")
    assert issue_trackers.find_tracker(fakeplat.world.world, project) is None
