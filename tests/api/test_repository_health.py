"""Reports about repositories. Source: lib/api/repositories.rb and doc/api/repositories.md of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import HEALTH_HAS_MORE_PARTS, HEALTH_IS_FOR_WHO_PUSHES
from tests.api.requests import FORBIDDEN, Outcome, outcome, refusal
from tests.by_release import by_release

PATH = "projects/acme%2Fsite/repository/health"
NEW = f"{PATH}?generate=true"
MISSING: Outcome = (404, {"message": "404 Not Found"})
SCENARIO: dict[str, Any] = {
    "instance": {"version": "latest"},
    "features": [{"name": "project_repositories_health", "enabled": True}],
    "users": [{"username": "ada"}, {"username": "dev"}, {"username": "rep"}],
    "groups": [
        {
            "full_path": "acme",
            "visibility": "private",
            "members": {"ada": "maintainer", "dev": "developer", "rep": "reporter"},
            "projects": [
                {"path": "site", "repository": {"commits": [{"message": "First", "files": {"a.txt": "abc"}}]}},
                {"path": "empty"},
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)


def test_a_report_is_written_when_asked_for(fakeplat: Fakeplat) -> None:
    """Without a report there is nothing to show; a report stays what it is until the next one."""
    ada = fakeplat.as_user("ada")
    assert MISSING == refusal(fakeplat, "ada", "GET", PATH)
    report = ada.get(NEW).json()

    assert 3 == report["objects"]["loose_objects_count"]
    assert report["size"] == report["objects"]["size"] > 0
    assert {"loose_count": 1, "packed_size": 0, "reference_backend": "REFERENCE_BACKEND_FILES"} == report["references"]
    branch = ada.get("projects/acme%2Fsite").json()["default_branch"]
    ada.post("projects/acme%2Fsite/repository/branches", json={"branch": "b", "ref": branch})
    assert report == ada.get(PATH).json()
    assert 2 == ada.get(NEW).json()["references"]["loose_count"]
    assert MISSING == refusal(fakeplat, "ada", "GET", NEW.replace("site", "empty"))


@pytest.mark.fakeplat(version="18.11")
def test_reports_are_for_maintainers(fakeplat: Fakeplat) -> None:
    """Developers are refused and write no report; others do not see the project."""
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", NEW)
    assert (404, {"message": "404 Project Not Found"}) == refusal(fakeplat, None, "GET", NEW)
    assert MISSING == refusal(fakeplat, "ada", "GET", PATH)


@by_release(HEALTH_IS_FOR_WHO_PUSHES, "expected", {"19.2": FORBIDDEN, "19.3": (200, True)})
def test_who_gets_a_report(fakeplat: Fakeplat, expected: Outcome) -> None:
    """In the newest releases reports are for those who may push, not for Maintainers alone."""
    reply = fakeplat.as_user("dev").get(NEW)
    assert expected == (reply.status, reply.json() if reply.status == 403 else reply.json()["size"] > 0)
    assert FORBIDDEN == refusal(fakeplat, "rep", "GET", NEW)
    assert (404, {"message": "404 Project Not Found"}) == refusal(fakeplat, None, "GET", NEW)


@by_release(HEALTH_IS_FOR_WHO_PUSHES, "status", {"19.2": 404, "19.3": 200})
@pytest.mark.parametrize("by", ["ada", "dev", "root"])
def test_reports_need_their_feature(fakeplat: Fakeplat, by: str, status: int) -> None:
    """The feature is off by default, and nobody gets a report then; the newest releases need none."""
    fakeplat.as_user("root").delete("features/project_repositories_health")
    reply = fakeplat.as_user(by).get(NEW)
    assert status == reply.status
    assert status == 200 or MISSING == outcome(reply)


@by_release(HEALTH_HAS_MORE_PARTS, "number", {"18.0": (4, 4), "18.1": (11, 11)})
def test_reports_have_more_parts_later(fakeplat: Fakeplat, number: tuple[int, int]) -> None:
    """From 18.1 on a report has counts of objects, and further parts."""
    report = fakeplat.as_user("ada").get(NEW).json()
    assert number == (len(report), len(report["objects"]))
