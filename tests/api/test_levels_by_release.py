"""What the levels of members may do in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DEVELOPERS_DELETE_RELEASES,
    DEVELOPERS_READ_CLUSTERS,
    GUESTS_LINK_ISSUES,
    GUESTS_SET_METADATA,
    MAINTAINERS_REMOVE_PAGES,
    REPORTERS_MANAGE_MILESTONES,
    REPORTERS_READ_FREEZES,
)
from tests.api.requests import FORBIDDEN, outcome, refusal
from tests.api.review_company import REVIEW_COMPANY, SITE
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY, default_branch="master")
RELEASE = f"{SITE}/releases/v1"


def release(fake: Fakeplat, by: str = "mia") -> int:
    """Create a release with its tag; return the status."""
    return fake.as_user(by).post(f"{SITE}/releases", json={"tag_name": "v1", "ref": "master"}).status


@by_release(REPORTERS_MANAGE_MILESTONES, "expected", {"14.10": 403, "15.0": 201})
@pytest.mark.parametrize("container", [SITE, "groups/acme"])
def test_reporters_manage_milestones(fakeplat: Fakeplat, expected: int, container: str) -> None:
    """Milestones are managed by Developers up to 14.10, and by Reporters from 15.0 on."""
    assert expected == fakeplat.as_user("rep").post(f"{container}/milestones", json={"title": "Plan"}).status
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", f"{container}/milestones", json={"title": "Guest"})


@by_release(REPORTERS_READ_FREEZES, "expected", {"17.10": 403, "17.11": 200})
def test_reporters_read_freeze_periods(fakeplat: Fakeplat, expected: int) -> None:
    """Reporters read freeze periods in 17.11 at the latest; only Maintainers create them."""
    assert expected == fakeplat.as_user("rep").get(f"{SITE}/freeze_periods").status
    assert FORBIDDEN == refusal(
        fakeplat, "dev", "POST", f"{SITE}/freeze_periods", json={"freeze_start": "0 1 * * *", "freeze_end": "0 2 * * *"}
    )


@by_release(DEVELOPERS_READ_CLUSTERS, "expected", {"15.9": 403, "15.10": 200})
@pytest.mark.parametrize("container", [SITE, "groups/acme"])
def test_developers_read_clusters(fakeplat: Fakeplat, expected: int, container: str) -> None:
    """Developers read clusters in 15.10 at the latest."""
    fakeplat.as_user("root").post("features/certificate_based_clusters", json={"value": True})
    assert expected == fakeplat.as_user("dev").get(f"{container}/clusters").status
    assert FORBIDDEN == refusal(fakeplat, "rep", "GET", f"{container}/clusters")


@by_release(DEVELOPERS_DELETE_RELEASES, "expected", {"14.0": 403, "14.1": 200})
def test_developers_delete_releases(fakeplat: Fakeplat, expected: int) -> None:
    """Developers delete releases from 14.1 on."""
    release(fakeplat)
    assert expected == fakeplat.as_user("dev").delete(RELEASE).status


DENIED = (403, {"message": "Access Denied"})


@by_release(DEVELOPERS_DELETE_RELEASES, "expected", {"14.0": 201, "14.1": 403})
def test_releases_of_protected_tags(fakeplat: Fakeplat, expected: int) -> None:
    """Those who may not create a protected tag create no release of it, although the tag exists, from 14.1 on."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{SITE}/repository/tags", json={"tag_name": "v1", "ref": "master"})
    mia.post(f"{SITE}/protected_tags", json={"name": "v*", "create_access_level": 40})

    answer = fakeplat.as_user("dev").post(f"{SITE}/releases", json={"tag_name": "v1"})
    assert expected == answer.status
    assert answer.status == 201 or outcome(answer) == DENIED


@pytest.mark.fakeplat(version="18.9")
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", RELEASE, {"name": "x"}),
        ("DELETE", RELEASE, None),
        ("POST", f"{RELEASE}/assets/links", {"name": "x", "url": "https://example.test/x"}),
    ],
)
def test_releases_of_protected_tags_are_not_changed(fakeplat: Fakeplat, method: str, path: str, body: Any) -> None:
    """Those who may not create a protected tag neither change nor delete its release, nor add links."""
    release(fakeplat)
    fakeplat.as_user("mia").post(f"{SITE}/protected_tags", json={"name": "v*", "create_access_level": 40})

    assert FORBIDDEN == refusal(fakeplat, "dev", method, path, json=body)
    assert 403 != fakeplat.as_user("mia").request(method, path, json=body).status


@by_release(GUESTS_SET_METADATA, "expected", {"13.11": [], "13.12": ["bug"]})
def test_guests_set_metadata(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Guests label the issues that they create in 13.12 at the latest, and do not change the labels later."""
    fakeplat.as_user("mia").post(f"{SITE}/labels", json={"name": "bug", "color": "#ff0000"})
    gus = fakeplat.as_user("gus")

    assert expected == gus.post(f"{SITE}/issues", json={"title": "New", "labels": "bug"}).json()["labels"]
    gus.put(f"{SITE}/issues/1", json={"labels": ""})
    assert expected == gus.get(f"{SITE}/issues/1").json()["labels"]


@pytest.mark.fakeplat(version="18.9")
def test_strangers_set_no_metadata(fakeplat: Fakeplat) -> None:
    """Those who are not members do not label the issues that they create in a public project."""
    docs = "projects/acme%2Fdocs"
    fakeplat.as_user("mia").post(f"{docs}/labels", json={"name": "bug", "color": "#ff0000"})

    assert [] == fakeplat.as_user("eve").post(f"{docs}/issues", json={"title": "New", "labels": "bug"}).json()["labels"]


@by_release(GUESTS_LINK_ISSUES, "expected", {"16.11": 403, "17.0": 201})
def test_guests_link_issues(fakeplat: Fakeplat, expected: int) -> None:
    """Issues are linked by Reporters up to 16.11, and by Guests from 17.0 on."""
    for title in ("One", "Two"):
        fakeplat.as_user("dev").post(f"{SITE}/issues", json={"title": title})
    link = {"target_project_id": fakeplat.world.project("acme/site").id, "target_issue_iid": 2}

    assert expected == fakeplat.as_user("gus").post(f"{SITE}/issues/1/links", json=link).status


@by_release(MAINTAINERS_REMOVE_PAGES, "expected", {"17.8": 403, "17.9": 204})
def test_maintainers_remove_pages(fakeplat: Fakeplat, expected: int) -> None:
    """The pages of a project are removed by administrators up to 17.8, and by Maintainers from 17.9 on."""
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{SITE}/pages")
    assert expected == fakeplat.as_user("mia").delete(f"{SITE}/pages").status
