"""Links of releases, their permanent addresses, evidence, and releases of tags. Source: docs/platform/releases.md."""

import hashlib
import json
import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import NOT_FOUND, get_json
from tests.api.pipelines import load_project
from tests.api.requests import (
    FORBIDDEN,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.api.test_releases import LINK, RELEASES, SITE, build_outcome, create_release, get_release

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", tick=0)

LINKS = f"{RELEASES}/v1.0/assets/links"
TAGS = f"{SITE}/repository/tags"
RELEASE_PAGES = "http://localhost/acme/site/-/releases"
PAGE = f"{RELEASE_PAGES}/v1.0"
FORMAT, TAKEN, BLANK = "is in an invalid format", "has already been taken", "can't be blank"


def create_link(fake: Fakeplat, **fields: Any) -> Outcome:
    return outcome(fake.as_user("dev").post(LINKS, json={**LINK, **fields}))


def test_links_are_added_and_read(fakeplat: Fakeplat) -> None:
    """Release links are added with 201 and listed newest first."""
    create_release(fakeplat)
    status, link = create_link(fakeplat)
    assert (201, {"id", "name", "url", "direct_asset_url", "external", "link_type"}) == (status, set(link))
    assert link == get_json(fakeplat, f"{LINKS}/{link['id']}")
    assert (201, "other") == (
        create_link(fakeplat, name="b", url="ftp://x.test/b", filepath=None, link_type=None)[0],
        "other",
    )
    reply = fakeplat.as_user("dev").get(LINKS)
    assert (["b", "Binary"], "2") == (names(reply.json(), "name"), reply.headers["X-Total"])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": ""}, {"name": [BLANK]}),
        ({"url": ""}, {"url": [BLANK, "must be a valid URL"]}),
        ({"url": "x.test/a"}, {"url": ["is blocked: Only allowed schemes are http, https, ftp"]}),
        ({"url": "javascript:alert(1)"}, {"url": ["is blocked: Only allowed schemes are http, https, ftp"]}),
        ({"filepath": "a"}, {"filepath": [FORMAT]}),
        ({"filepath": "//a"}, {"filepath": [FORMAT]}),
        ({"filepath": "/a//b"}, {"filepath": [FORMAT]}),
        ({"filepath": "/a/"}, {"filepath": [FORMAT]}),
        ({"filepath": "/a b"}, {"filepath": [FORMAT]}),
        ({"filepath": ""}, {"filepath": [FORMAT]}),
        ({"filepath": f"/{'a' * 128}"}, {"filepath": ["is too long (maximum is 128 characters)"]}),
        ({"name": "One"}, {"name": [TAKEN]}),
        ({"url": "https://x.test/1"}, {"url": [TAKEN]}),
        ({"filepath": "/1"}, {"filepath": [TAKEN]}),
    ],
    ids=[
        "blank",
        "blank address",
        "no scheme",
        "scheme",
        "no slash",
        "two slashes",
        "slashes within",
        "slash at the end",
        "space",
        "empty",
        "long",
        "name",
        "url",
        "filepath",
    ],
)
def test_invalid_links_are_refused(fakeplat: Fakeplat, fields: dict[str, Any], expected: dict[str, list[str]]) -> None:
    """Invalid links answer 400 with the errors of each field."""
    create_release(fakeplat)
    create_link(fakeplat, name="One", url="https://x.test/1", filepath="/1")
    assert invalid_record(**expected) == refusal(fakeplat, "dev", "POST", LINKS, json={**LINK, **fields})
    _, link = create_link(fakeplat)
    link_path = f"{LINKS}/{link['id']}"
    assert invalid_record(**expected) == refusal(
        fakeplat, "dev", "PUT", link_path, json={"name": LINK["name"], **fields}
    )


@pytest.mark.parametrize("filepath", ["/a", "/a.b-c_d/e.tar.gz", f"/{'a' * 127}"])
def test_paths_below_the_release(fakeplat: Fakeplat, filepath: str) -> None:
    """The path of a link consists of limited characters, up to 128."""
    create_release(fakeplat)
    assert 201 == create_link(fakeplat, filepath=filepath)[0]


def test_an_unknown_type_of_link_is_refused(fakeplat: Fakeplat) -> None:
    """An unknown type of a link answers 400."""
    create_release(fakeplat)
    expected = build_outcome(400, "'x' is not a valid link_type")
    assert expected == refusal(fakeplat, "dev", "POST", LINKS, json={**LINK, "link_type": "x"})


def test_a_link_is_updated(fakeplat: Fakeplat) -> None:
    """Updating a release link requires its name or URL."""
    create_release(fakeplat)
    _, link = create_link(fakeplat)
    link_path = f"{LINKS}/{link['id']}"
    text = "name, url are missing, at least one parameter must be provided"
    assert invalid(text) == refusal(fakeplat, "dev", "PUT", link_path, json={"filepath": "/b", "link_type": "image"})
    status, changed = outcome(
        fakeplat.as_user("dev").put(link_path, json={"name": "Binary", "filepath": "/b", "link_type": "image"})
    )
    assert (200, "image", LINK["url"]) == (status, changed["link_type"], changed["url"])
    assert changed["direct_asset_url"].endswith("/acme/site/-/releases/v1.0/downloads/b")


def test_a_link_is_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers delete a release link with 200 and the link."""
    create_release(fakeplat)
    _, link = create_link(fakeplat)
    link_path = f"{LINKS}/{link['id']}"
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", link_path)
    assert (200, link) == outcome(fakeplat.as_user("mia").delete(link_path))
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", link_path)


def test_missing_links_and_releases_are_not_found(fakeplat: Fakeplat) -> None:
    """A missing release answers 404 before 403, a missing link after it."""
    create_release(fakeplat)
    other = f"{RELEASES}/nope/assets/links"
    for method, tail in (("GET", ""), ("POST", ""), ("GET", "/1"), ("PUT", "/1"), ("DELETE", "/1")):
        assert NOT_FOUND == refusal(fakeplat, "gus", method, f"{other}{tail}", json=LINK)
    for method in ("PUT", "DELETE"):
        assert FORBIDDEN == refusal(fakeplat, "rep", method, f"{LINKS}/1", json=LINK)
        assert NOT_FOUND == refusal(fakeplat, "mia", method, f"{LINKS}/1", json=LINK)
    assert NOT_FOUND == refusal(fakeplat, "mia", "GET", f"{LINKS}/x")


@pytest.mark.parametrize("tag", ["v1.0", "group/v2"])
def test_an_asset_has_a_permanent_address(fakeplat: Fakeplat, tag: str) -> None:
    """The permanent address of a release asset redirects to the asset's URL."""
    create_release(fakeplat, tag_name=tag, ref="master", assets={"links": [LINK]})
    page = f"http://localhost/acme/site/-/releases/{tag.replace('/', '%2F')}/downloads/bin/a"
    reply = fakeplat.as_user("rep").get(page)
    assert (302, LINK["url"]) == (reply.status, reply.headers["Location"])


def test_roles_that_follow_permanent_addresses(fakeplat: Fakeplat) -> None:
    """Permanent asset URLs require the right to download code, or redirect to the login."""
    create_release(fakeplat, assets={"links": [LINK]})
    page = f"{PAGE}/downloads/bin/a"
    sign_in = fakeplat.as_user(None).get(page)
    assert (302, True) == (sign_in.status, sign_in.headers["Location"].endswith("/users/sign_in"))
    for user in ("eve", "gus"):
        assert 404 == fakeplat.as_user(user).get(page).status
    for other in (
        f"{PAGE}/downloads/nope",
        "http://localhost/acme/site/-/releases/nope/downloads/bin/a",
        "http://localhost/acme/site/-/releases/nope",
    ):
        assert 404 == fakeplat.as_user("rep").get(other).status
    load_project(fakeplat, visibility="public")
    assert LINK["url"] == fakeplat.as_user(None).get(page).headers["Location"]


LATEST = f"{RELEASE_PAGES}/permalink/latest"


@pytest.mark.fakeplat(version="latest")
def test_the_newest_release_has_a_permanent_address(fakeplat: Fakeplat) -> None:
    """The address redirects to the release that came last, with what follows and all other parameters."""
    create_release(fakeplat, tag_name="v1", ref="main", released_at="2020-11-18T09:00:00Z", assets={"links": [LINK]})
    create_release(fakeplat, tag_name="v/0", ref="main", released_at="2020-11-17T09:00:00Z")
    rep = fakeplat.as_user("rep")
    addresses = [rep.get(f"{LATEST}{rest}").headers["Location"] for rest in ("", "?order_by=released_at", "?a=1&b=")]
    page = f"{fakeplat.url.rstrip('/')}/acme/site/-/releases/v1"
    assert [page, page, f"{page}?a=1&b="] == addresses
    download = rep.get(f"{LATEST}/downloads/bin/a").headers["Location"]
    assert f"{page}/downloads/bin/a" == download
    assert LINK["url"] == rep.get(download).headers["Location"]
    assert 404 == rep.get(f"{LATEST}/../x").status
    assert (404, 404) == tuple(fakeplat.as_user(user).get(LATEST).status for user in ("eve", "gus"))


@pytest.mark.fakeplat(version="latest")
def test_without_a_release_there_is_no_newest_one(fakeplat: Fakeplat) -> None:
    """A project without releases answers 404, and nobody who is not signed in learns that."""
    assert 404 == fakeplat.as_user("rep").get(LATEST).status
    assert 302 == fakeplat.as_user(None).get(LATEST).status


@pytest.mark.fakeplat(version="latest")
def test_a_badge_shows_the_newest_release(fakeplat: Fakeplat) -> None:
    """The badge has the tag of the release that came last; widths out of range are ignored."""
    rep, address = fakeplat.as_user("rep"), "http://localhost/acme/site/-/badges/release.svg"

    def draw(query: str = "") -> tuple[list[str], int]:
        reply = rep.get(address + query)
        assert (200, "image/svg+xml; charset=utf-8") == (reply.status, reply.headers["Content-Type"])
        width = re.search(r'width="(\d+)" height="20"', reply.text)
        return re.findall("<text[^>]*>([^<]*)<|#(?:3076af|e05d44)", reply.text), int(width[1]) if width else 0

    assert (["", "Latest Release", "none"], 144) == draw()
    create_release(fakeplat, tag_name="v1", ref="main", released_at="2020-11-18T09:00:00Z")
    create_release(fakeplat, tag_name="v0", ref="main", released_at="2020-11-17T09:00:00Z")
    assert (["", "Latest Release", "v1"], 144) == draw()
    assert (["", "Version", "v1"], 50 + 70) == draw("?key_text=Version&key_width=50&value_width=70")
    assert (["", "Latest Release", "v1"], 144) == draw("?value_width=201&key_width=0")
    assert 404 == fakeplat.as_user("eve").get(address).status


def test_evidence_is_collected_soon(fakeplat: Fakeplat) -> None:
    """Evidence of a release records its content with the digest of the file."""
    create_release(fakeplat, description="Notes", milestones=["v1.1"])
    assert [] == get_release(fakeplat)["evidences"]
    fakeplat.settle()
    release = get_release(fakeplat)
    (evidence,) = release["evidences"]
    assert evidence["filepath"] == release["assets"]["evidence_file_path"]
    path = evidence["filepath"]
    reply = fakeplat.as_user("rep").get(path)
    assert (200, evidence["sha"]) == (reply.status, hashlib.sha256(reply.content).hexdigest())
    (release_id,) = (row.id for row in fakeplat.bench.platform.view.releases.all())
    site, milestone = (get_json(fakeplat, path) for path in (SITE, f"{SITE}/milestones?title=v1.1"))
    issues = get_json(fakeplat, f"{SITE}/issues?milestone=v1.1&order_by=created_at&sort=asc&per_page=100")
    of_milestone = ("id", "title", "description", "state", "iid", "due_date", "created_at")
    of_issue = ("id", "title", "description", "state", "iid", "confidential", "created_at", "due_date")
    (exported_milestone,) = exported_milestones = json.loads(reply.content)["release"]["milestones"]
    assert {
        "release": {
            "id": release_id,
            "tag_name": "v1.0",
            "name": "v1.0",
            "description": "Notes",
            "created_at": release["created_at"],
            "project": {name: site[name] for name in ("id", "name", "description", "created_at")},
            "milestones": exported_milestones,
        }
    } == json.loads(reply.content)
    assert {name: milestone[0][name] for name in of_milestone} == {
        name: exported_milestone[name] for name in of_milestone
    }
    assert [
        {name: issue[name] for name in of_issue} for issue in sorted(issues, key=lambda issue: issue["id"])
    ] == sorted(exported_milestone["issues"], key=lambda issue: issue["id"])
    assert 404 == fakeplat.as_user("gus").get(path).status
    assert 404 == fakeplat.as_user("rep").get(path.replace(".json", "0.json")).status


@pytest.mark.fakeplat(clock="auto")
def test_polling_a_release_shows_its_evidence(fakeplat: Fakeplat) -> None:
    """Under the auto clock reading a release shows its evidence."""
    create_release(fakeplat)
    assert 1 == len(get_release(fakeplat)["evidences"])


def test_evidence_of_an_upcoming_release(fakeplat: Fakeplat) -> None:
    """Evidence of an upcoming release is collected when it is due."""
    create_release(fakeplat, released_at="2021-11-20T09:00:00Z")
    fakeplat.settle()
    assert ([], True) == (get_release(fakeplat)["evidences"], fakeplat.clock.now < "2020-12")
    fakeplat.clock.advance_to("2021-11-20T09:00:00.000Z")
    assert ["2021-11-20T09:00:00.000Z"] == names(get_release(fakeplat)["evidences"], "collected_at")


def test_an_upcoming_release_is_rescheduled(fakeplat: Fakeplat) -> None:
    """Evidence is collected at the new time, once."""
    create_release(fakeplat, released_at="2020-11-22T09:00:00Z")
    fakeplat.as_user("dev").put(f"{RELEASES}/v1.0", json={"released_at": "2020-11-21T09:00:00Z"})
    fakeplat.clock.advance_to("2020-11-23T09:00:00.000Z")
    assert ["2020-11-21T09:00:00.000Z"] == names(get_release(fakeplat)["evidences"], "collected_at")


def test_a_historical_release_has_no_evidence(fakeplat: Fakeplat) -> None:
    """A release dated in the past has no evidence."""
    create_release(fakeplat, released_at="2020-11-19T09:00:00Z")
    fakeplat.settle()
    assert [] == get_release(fakeplat)["evidences"]


@pytest.mark.fakeplat(tier="premium")
def test_more_evidence_is_collected_on_request(fakeplat: Fakeplat) -> None:
    """Requesting evidence answers 202, and the newest is the release's file."""
    create_release(fakeplat)
    fakeplat.settle()
    evidence_path = f"{RELEASES}/v1.0/evidence"
    assert (202, 202) == outcome(fakeplat.as_user("dev").post(evidence_path))
    fakeplat.settle()
    first, second = get_release(fakeplat)["evidences"]
    assert (True, second["filepath"]) == (
        first["collected_at"] < second["collected_at"],
        get_release(fakeplat)["assets"]["evidence_file_path"],
    )
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", evidence_path)
    assert NOT_FOUND == refusal(fakeplat, "dev", "POST", f"{RELEASES}/nope/evidence")


def test_requested_evidence_is_paid(fakeplat: Fakeplat) -> None:
    """On the free tier requesting evidence answers 404."""
    create_release(fakeplat)
    assert 404 == refusal(fakeplat, "dev", "POST", f"{RELEASES}/v1.0/evidence")[0]


def test_a_tag_is_created_with_a_release(fakeplat: Fakeplat) -> None:
    """The release has the name of the tag; without a description there is none."""
    fields = {"tag_name": "v2", "ref": "master", "release_description": "Second"}
    status, tag = outcome(fakeplat.as_user("dev").post(TAGS, json=fields))
    assert (201, {"tag_name": "v2", "description": "Second"}) == (status, tag["release"])
    assert ("v2", "Second") == (get_release(fakeplat, tag="v2")["name"], get_release(fakeplat, tag="v2")["description"])
    _, plain = outcome(fakeplat.as_user("dev").post(TAGS, json={"tag_name": "v3", "ref": "master"}))
    assert None is plain["release"]


def test_a_tag_without_a_possible_release_is_created_all_the_same(fakeplat: Fakeplat) -> None:
    """The failure of the release is ignored: here there is one of a deleted tag."""
    create_release(fakeplat)
    fakeplat.as_user("mia").delete(f"{TAGS}/v1.0")
    fields = {"tag_name": "v1.0", "ref": "master", "release_description": "Second"}
    status, tag = outcome(fakeplat.as_user("dev").post(TAGS, json=fields))
    assert (201, {"tag_name": "v1.0", "description": None}) == (status, tag["release"])


def test_the_release_of_a_tag_is_created_and_changed(fakeplat: Fakeplat) -> None:
    """The deprecated operations on tags create and update a release."""
    release_path = f"{TAGS}/v1.0/release"
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", release_path, json={"description": "x"})
    expected = {"tag_name": "v1.0", "description": "One"}
    assert (201, expected) == outcome(fakeplat.as_user("dev").post(release_path, json={"description": "One"}))
    assert build_outcome(409, "Release already exists") == refusal(
        fakeplat, "dev", "POST", release_path, json={"description": "x"}
    )
    changed = {"tag_name": "v1.0", "description": "Two"}
    assert (200, changed) == outcome(fakeplat.as_user("dev").put(release_path, json={"description": "Two"}))
    assert changed == get_json(fakeplat, f"{TAGS}/v1.0")["release"]
    for method in ("POST", "PUT"):
        assert invalid("description is missing") == refusal(fakeplat, "dev", method, release_path, json={})
        assert FORBIDDEN == refusal(fakeplat, "rep", method, release_path, json={"description": "x"})
    missing = refusal(fakeplat, "dev", "POST", f"{TAGS}/nope/release", json={"description": "x"})
    assert resource_not_found("Tag") == missing
