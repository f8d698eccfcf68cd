"""What releases of projects have in later releases of the platform. Source: docs/platform/releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    RELEASE_HTML_IS_OPTIONAL,
    RELEASES_LINK_TO_STATES,
    RELEASES_LINK_TO_THEMSELVES,
    UNKNOWN_RELEASES_ARE_NOT_FOUND,
)
from tests.api.merge_requests import SITE
from tests.api.requests import FORBIDDEN, Outcome, invalid, names, refusal
from tests.by_release import by_release

RELEASES = f"{SITE}/releases"
NOT_FOUND = (404, {"message": "404 Not Found"})
pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", clock="virtual")


def create(fake: Fakeplat, tag_name: str = "v9", **fields: Any) -> Any:
    """Create a release."""
    body = {"tag_name": tag_name, "ref": "master", "description": "*Text*", **fields}
    reply = fake.as_user("dev").post(RELEASES, json=body)
    assert 201 == reply.status, reply
    return reply.json()


PAGE = "/acme/site/-/releases/v9"


def search(page: str, state: str) -> str:
    """Return the path of the issues or merge requests of a release in a state."""
    return f"/acme/site/-/{page}?release_tag=v9&scope=all&state={state}"


OWN_LINKS = {"self": PAGE, "edit_url": f"{PAGE}/edit"}
EARLY_LINKS = {"merge_requests_url": search("merge_requests", "opened"), "issues_url": search("issues", "opened")}
LATER_LINKS = {
    "opened_issues_url": search("issues", "opened"),
    "closed_issues_url": search("issues", "closed"),
    "opened_merge_requests_url": search("merge_requests", "opened"),
    "merged_merge_requests_url": search("merge_requests", "merged"),
    "closed_merge_requests_url": search("merge_requests", "closed"),
}


@by_release(RELEASES_LINK_TO_THEMSELVES, "expected", {"13.5": EARLY_LINKS, "13.6": {}})
def test_releases_link_to_themselves(fakeplat: Fakeplat, expected: dict[str, str]) -> None:
    """From 13.6 on, a release links to its own page and form only."""
    links = {name: url.removeprefix(fakeplat.url) for name, url in create(fakeplat)["_links"].items()}
    assert {**OWN_LINKS, **expected} == links


@by_release(RELEASES_LINK_TO_STATES, "expected", {"17.10": {}, "17.11": LATER_LINKS})
def test_releases_link_to_issues_in_each_state(fakeplat: Fakeplat, expected: dict[str, str]) -> None:
    """Later releases of the platform link to the issues and merge requests of a release in each state."""
    links = {name: url.removeprefix(fakeplat.url) for name, url in create(fakeplat)["_links"].items()}
    assert {**OWN_LINKS, **expected} == links


@by_release(UNKNOWN_RELEASES_ARE_NOT_FOUND, "expected", {"17.10": FORBIDDEN, "17.11": NOT_FOUND})
def test_an_unknown_release_is_not_found(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Who may read the code learns that a release does not exist; guests are refused, as are changes."""
    assert expected == refusal(fakeplat, "rep", "GET", f"{RELEASES}/none")
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{RELEASES}/none")
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", f"{RELEASES}/none", json={"name": "x"})
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{RELEASES}/none")


def follow(fake: Fakeplat, path: str, by: str = "rep") -> tuple[int, Any]:
    """Return the status of a redirect, and where it leads."""
    reply = fake.as_user(by).get(f"{RELEASES}/{path}")
    return reply.status, reply.headers.get("Location")


def test_the_newest_release_has_a_permanent_address(fakeplat: Fakeplat) -> None:
    """The permanent address leads to the newest release, with what follows it and other parameters."""
    for tag, time in (("new/1", "2030-01-01T00:00:00Z"), ("old", "2010-01-01T00:00:00Z")):
        create(fakeplat, tag, released_at=time)
    project = fakeplat.as_user("rep").get(SITE).json()["id"]
    latest = f"/api/v4/projects/{project}/releases/new%2F1"

    assert (302, latest) == follow(fakeplat, "permalink/latest")
    assert (302, f"{latest}/downloads/bin/tool") == follow(fakeplat, "permalink/latest/downloads/bin/tool")
    query = "order_by=released_at&include_html_description=true"
    assert (302, f"{latest}?include_html_description=true") == follow(fakeplat, f"permalink/latest?{query}")
    elsewhere = f"{RELEASES}/permalink/latest/downloads/%2E%2E/%2E%2E/tool"
    assert invalid("suffix_path should be a valid file path") == refusal(fakeplat, "rep", "GET", elsewhere)
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{RELEASES}/permalink/latest")
    for row in fakeplat.as_user("mia").get(RELEASES).json():
        fakeplat.as_user("mia").delete(f"{RELEASES}/{row['tag_name'].replace('/', '%2F')}")
    assert NOT_FOUND == refusal(fakeplat, "rep", "GET", f"{RELEASES}/permalink/latest")


def test_assets_have_direct_addresses(fakeplat: Fakeplat) -> None:
    """A link with a direct path is downloaded by a redirect; the former name of the path is still accepted."""
    links = [{"name": "a", "url": "https://x.test/a", "direct_asset_path": "/bin/a"}]
    (link,) = create(fakeplat, assets={"links": links})["assets"]["links"]
    assert link["direct_asset_url"].endswith("/-/releases/v9/downloads/bin/a")
    assert (302, "https://x.test/a") == follow(fakeplat, "v9/downloads/bin/a")
    body = {"name": "b", "url": "https://x.test/b", "filepath": "/one", "direct_asset_path": "/two"}
    added = fakeplat.as_user("dev").post(f"{RELEASES}/v9/assets/links", json=body).json()
    changed = {"name": "c", "direct_asset_path": "/three"}
    path = f"{RELEASES}/v9/assets/links/{added['id']}"

    assert (302, "https://x.test/b") == follow(fakeplat, "v9/downloads/two")
    assert 200 == fakeplat.as_user("dev").put(path, json=changed).status
    assert (302, "https://x.test/b") == follow(fakeplat, "v9/downloads/three")
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "rep", "GET", f"{RELEASES}/v9/downloads/two")
    assert NOT_FOUND == refusal(fakeplat, "rep", "GET", f"{RELEASES}/nope/downloads/two")


def test_milestones_by_id(fakeplat: Fakeplat) -> None:
    """Milestones of a release are named by title or id, but not both."""
    milestone = fakeplat.as_user("dev").post(f"{SITE}/milestones", json={"title": "M"}).json()
    release = create(fakeplat, milestone_ids=[milestone["id"]])

    assert ["M"] == names(release["milestones"], "title")
    cleared = fakeplat.as_user("dev").put(f"{RELEASES}/v9", json={"milestone_ids": []}).json()
    assert "milestones" not in cleared
    again = fakeplat.as_user("dev").put(f"{RELEASES}/v9", json={"milestone_ids": str(milestone["id"])}).json()
    assert ["M"] == names(again["milestones"], "title")
    both = {"milestones": "M", "milestone_ids": [milestone["id"]]}
    text = "milestones, milestone_ids Cannot specify milestones and milestone_ids at the same time"
    assert invalid(text) == refusal(fakeplat, "dev", "PUT", f"{RELEASES}/v9", json=both)
    unknown = (400, {"message": "Milestone id(s) not found: 1, 2"})
    assert unknown == refusal(fakeplat, "dev", "PUT", f"{RELEASES}/v9", json={"milestone_ids": [1, 2]})


def test_a_new_tag_has_a_message(fakeplat: Fakeplat) -> None:
    """The tag that a release creates is annotated if it has a message."""
    create(fakeplat, tag_message="About it")

    assert "About it" == fakeplat.as_user("rep").get(f"{SITE}/repository/tags/v9").json()["message"]


def test_releases_by_the_time_of_their_change(fakeplat: Fakeplat) -> None:
    """Releases are filtered by the time of their last change."""
    create(fakeplat)
    fakeplat.clock.advance("1d")
    create(fakeplat, "v10")
    now = fakeplat.as_user("rep").get(f"{RELEASES}/v10").json()["created_at"]

    assert ["v10"] == names(fakeplat.as_user("rep").get(f"{RELEASES}?updated_after={now}").json(), "tag_name")
    assert {"v9"} <= set(names(fakeplat.as_user("rep").get(f"{RELEASES}?updated_before={now}").json(), "tag_name"))


@by_release(RELEASE_HTML_IS_OPTIONAL, "expected", {"13.11": True, "13.12": False})
def test_descriptions_are_rendered_on_demand(fakeplat: Fakeplat, expected: bool) -> None:
    """The rendered description is shown on demand, and always in earlier releases."""
    created = create(fakeplat)
    path = f"{RELEASES}/v9"

    assert expected == ("description_html" in created)
    assert expected == ("description_html" in fakeplat.as_user("rep").get(path).json())
    assert expected == ("description_html" in fakeplat.as_user("rep").get(RELEASES).json()[0])
    assert "<em>" in fakeplat.as_user("rep").get(f"{path}?include_html_description=true").json()["description_html"]
