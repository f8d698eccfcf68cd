"""Planners, from 17.7 on: Guests who plan issues and epics. Source: docs/platform/project-members.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import PLANNERS, PLANNERS_READ_CODE
from tests.api.company import COMPANY
from tests.api.requests import FORBIDDEN, invalid, outcome, person, refusal
from tests.api.review_company import MR, REVIEW_COMPANY
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
GROUPS = [{**COMPANY["groups"][0], "members": {**COMPANY["groups"][0]["members"], "gus": "planner"}}]
PLANNING: dict[str, Any] = {**COMPANY, "groups": GROUPS}
REVIEWED: dict[str, Any] = {
    **REVIEW_COMPANY,
    "groups": [{**REVIEW_COMPANY["groups"][0], "members": GROUPS[0]["members"]}],
}
pytestmark = pytest.mark.fakeplat(scenario=PLANNING, version="18.9", tier="premium")


@by_release(PLANNERS, "expected", {"17.6": 400, "17.7": 201})
@pytest.mark.fakeplat(scenario=COMPANY)
def test_planners_are_members(fakeplat: Fakeplat, expected: int) -> None:
    """The level 15 of members begins with 17.7."""
    member = {"user_id": person(fakeplat, "eve"), "access_level": 15}
    for container in ("groups/acme", SITE):
        assert expected == fakeplat.as_user("ada").post(f"{container}/members", json=member).status
        fakeplat.as_user("ada").delete(f"{container}/members/{member['user_id']}")


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", f"{SITE}/milestones", {"title": "Plan"}, 201),
        ("POST", "groups/acme/milestones", {"title": "Plan"}, 201),
        ("POST", f"{SITE}/labels", {"name": "plan", "color": "#ff0000"}, 201),
        ("POST", "groups/acme/labels", {"name": "plan", "color": "#ff0000"}, 201),
        ("POST", f"{SITE}/boards", {"name": "Plan"}, 201),
        ("POST", f"{SITE}/wikis", {"title": "Plan", "content": "x"}, 201),
        ("POST", "groups/acme/epics", {"title": "Plan"}, 201),
    ],
)
def test_planners_plan(fakeplat: Fakeplat, method: str, path: str, body: dict[str, str], expected: int) -> None:
    """Planners manage labels, milestones, boards, wikis and epics."""
    assert expected == fakeplat.as_user("gus").request(method, path, json=body).status


def test_planners_manage_issues(fakeplat: Fakeplat) -> None:
    """Planners see confidential issues, change, comment internally, log time on and delete the issues of others."""
    fakeplat.as_user("dev").post(f"{SITE}/issues", json={"title": "Secret", "confidential": True})
    gus, issue = fakeplat.as_user("gus"), f"{SITE}/issues/1"

    assert ["Secret"] == [row["title"] for row in gus.get(f"{SITE}/issues").json()]
    assert ["plan"] == gus.put(issue, json={"labels": "plan"}).json()["labels"]
    assert gus.post(f"{issue}/notes", json={"body": "Hm", "internal": True}).json()["internal"]
    assert 201 == gus.post(f"{issue}/add_spent_time", json={"duration": "1h"}).status
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", issue)
    assert 204 == gus.delete(issue).status


@pytest.mark.fakeplat(scenario=REVIEWED, default_branch="master")
def test_planners_read_merge_requests(fakeplat: Fakeplat) -> None:
    """Planners read merge requests, and do not change them."""
    assert 200 == fakeplat.as_user("gus").get(MR).status
    assert FORBIDDEN == refusal(fakeplat, "gus", "PUT", MR, json={"title": "x"})


@by_release(PLANNERS_READ_CODE, "expected", {"18.9": 403, "19.3": 200})
@pytest.mark.fakeplat(scenario=REVIEWED, default_branch="master")
def test_planners_read_code(fakeplat: Fakeplat, expected: int) -> None:
    """Planners read the repository in releases of 19."""
    assert expected == fakeplat.as_user("gus").get(f"{SITE}/repository/tree").status


@pytest.mark.parametrize("path", ["environments", "hooks", "variables"])
def test_planners_do_not_develop(fakeplat: Fakeplat, path: str) -> None:
    """Planners have no rights of Reporters beyond planning."""
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{SITE}/{path}")


@by_release(PLANNERS, "expected", {"17.6": invalid("min_access_level does not have a valid value"), "17.7": (200, [])})
@pytest.mark.fakeplat(scenario=COMPANY)
def test_lists_by_level_know_planners(fakeplat: Fakeplat, expected: object) -> None:
    """Lists of projects are filtered by the level Planner from 17.7 on."""
    assert expected == outcome(fakeplat.as_user("gus").get("projects?min_access_level=15"))
