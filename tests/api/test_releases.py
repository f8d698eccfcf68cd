"""Releases: reading, creating, updating and deleting them. Source: docs/platform/releases.md."""

import re
from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import job_actions, job_tokens
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import RELEASE_NOTES_FOR_CALLER
from tests.api.ci_jobs import create_pipeline, jobs_of, wait_for_runner
from tests.api.merge_requests import get_json
from tests.api.pipelines import load_project
from tests.api.requests import (
    FORBIDDEN,
    PAGE_HEADERS,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", tick=0)

SITE = "projects/acme%2Fsite"
RELEASES = f"{SITE}/releases"
NOW = "2020-11-20T09:00:00.000Z"
FOR_GUESTS = {
    "name",
    "description",
    "description_html",
    "created_at",
    "released_at",
    "author",
    "upcoming_release",
    "assets",
    "_links",
}
FULL = FOR_GUESTS | {"tag_name", "commit", "commit_path", "tag_path", "evidences"}
LINK = {"name": "Binary", "url": "https://files.example.com/a", "filepath": "/bin/a", "link_type": "package"}


def create_release(fake: Fakeplat, user: str = "dev", **fields: Any) -> Outcome:
    return outcome(fake.as_user(user).post(RELEASES, json={"tag_name": "v1.0", **fields}))


def create_refused(fake: Fakeplat, user: str | None = "dev", **fields: Any) -> Outcome:
    return refusal(fake, user, "POST", RELEASES, json={"tag_name": "v1.0", **fields})


def get_release(fake: Fakeplat, user: str | None = "dev", tag: str = "v1.0") -> Any:
    return fake.as_user(user).get(f"{RELEASES}/{tag}").json()


def build_outcome(status: int, text: str) -> Outcome:
    return status, {"message": text}


def load_releases(fake: Fakeplat, *releases: dict[str, Any]) -> None:
    load_project(fake, releases=list(releases))


def test_a_release_of_a_tag(fakeplat: Fakeplat) -> None:
    """A release of a tag is by default named after it and released now."""
    status, release = create_release(fakeplat)
    assert (201, FULL) == (status, set(release))
    tag = get_json(fakeplat, f"{SITE}/repository/tags/v1.0")
    assert ("v1.0", "v1.0", None, "", NOW, NOW, False, "dev") == (
        release["tag_name"],
        release["name"],
        release["description"],
        release["description_html"],
        release["created_at"],
        release["released_at"],
        release["upcoming_release"],
        release["author"]["username"],
    )
    sha = tag["commit"]["id"]
    assert (sha, f"/acme/site/-/commit/{sha}", "/acme/site/-/tags/v1.0") == (
        release["commit"]["id"],
        release["commit_path"],
        release["tag_path"],
    )
    assert release == get_release(fakeplat)


def test_the_assets_of_a_release(fakeplat: Fakeplat) -> None:
    """Four archives of the code, then the links, newest first."""
    other = {"name": "Page", "url": "http://localhost/acme/site/-/jobs/1"}
    _, release = create_release(fakeplat, assets={"links": [LINK, other]})
    origin = fakeplat.url.rstrip("/")
    base = f"{origin}/acme/site/-/archive/v1.0/site-v1.0"
    assert [{"format": name, "url": f"{base}.{name}"} for name in ("zip", "tar.gz", "tar.bz2", "tar")] == release[
        "assets"
    ]["sources"]
    assert (6, None) == (release["assets"]["count"], release["assets"]["evidence_file_path"])
    page, binary = release["assets"]["links"]
    assert {
        "id": binary["id"],
        "name": "Binary",
        "url": LINK["url"],
        "direct_asset_url": f"{origin}/acme/site/-/releases/v1.0/downloads/bin/a",
        "external": True,
        "link_type": "package",
    } == binary
    assert (other["url"], "other") == (page["direct_asset_url"], page["link_type"])


@pytest.mark.fakeplat(documented=False)
def test_the_platform_does_not_show_the_file_of_the_evidence(fakeplat: Fakeplat) -> None:
    """``evidence_file_path`` is a field of the specification that the platform no longer has."""
    create_release(fakeplat)
    assert {"count", "sources", "links"} == set(get_release(fakeplat)["assets"])


def test_the_pages_of_a_release(fakeplat: Fakeplat) -> None:
    """Developers see the address of the form, too."""
    create_release(fakeplat)
    project = f"{fakeplat.url.rstrip('/')}/acme/site"
    query = "release_tag=v1.0&scope=all&state=opened"
    reading = {
        "self": f"{project}/-/releases/v1.0",
        "merge_requests_url": f"{project}/-/merge_requests?{query}",
        "issues_url": f"{project}/-/issues?{query}",
    }
    assert reading == get_release(fakeplat, "rep")["_links"]
    assert {**reading, "edit_url": f"{project}/-/releases/v1.0/edit"} == get_release(fakeplat)["_links"]
    page = fakeplat.as_user("rep").get(reading["self"])
    assert (200, "text/html; charset=utf-8") == (page.status, page.headers["Content-Type"])


def test_a_release_creates_its_tag(fakeplat: Fakeplat) -> None:
    """A release creates its tag at a branch, tag or commit, or uses an existing one."""
    master = get_json(fakeplat, f"{SITE}/repository/branches/master")["commit"]["id"]
    for tag, ref in (("v2", "master"), ("v3", master), ("group/v4", "v2")):
        status, release = create_release(fakeplat, tag_name=tag, ref=ref)
        assert (201, master, tag) == (status, release["commit"]["id"], release["tag_name"])
    before = get_json(fakeplat, f"{SITE}/repository/tags/v1.0")["commit"]["id"]
    assert before == create_release(fakeplat, ref="master")[1]["commit"]["id"]
    release = get_release(fakeplat, tag="group%2Fv4")
    assert ("group/v4", "/acme/site/-/tags/group%2Fv4") == (release["tag_name"], release["tag_path"])


def test_the_tag_of_a_release_is_pushed(fakeplat: Fakeplat) -> None:
    """Creating the tag of a release is a push event of the user."""
    create_release(fakeplat, tag_name="v2", ref="master")
    event = fakeplat.as_user("dev").get("events").json()[0]
    assert ("pushed new", "v2", "tag") == (
        event["action_name"],
        event["push_data"]["ref"],
        event["push_data"]["ref_type"],
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"tag_name": "v9"}, build_outcome(422, "Ref is not specified")),
        ({"tag_name": "v9", "ref": "nope"}, build_outcome(400, "Target nope is invalid")),
        ({"tag_name": "HEAD", "ref": "master"}, build_outcome(400, "Tag name invalid")),
        ({"tag_name": "", "ref": "master"}, build_outcome(400, "Tag name invalid")),
        ({"tag_name": " ", "ref": "master"}, build_outcome(400, "Tag name invalid")),
        ({"milestones": ["nope", "v1.0", "never"]}, build_outcome(400, "Milestone(s) not found: nope, never")),
        ({"milestones": ["Winter"]}, build_outcome(400, "Milestone(s) not found: Winter")),
        ({"released_at": "soon"}, invalid("released_at is invalid")),
        ({"assets": {"links": [{"url": "https://x.test"}]}}, invalid("assets[links][0][name] is missing")),
        (
            {"assets": {"links": [LINK, {**LINK, "url": "https://x.test", "filepath": "/b"}]}},
            build_outcome(400, "Validation failed: Links have duplicate values (name)"),
        ),
        (
            {"assets": {"links": [LINK, LINK]}},
            build_outcome(400, "Validation failed: Links have duplicate values (name, url, filepath)"),
        ),
        (
            {"assets": {"links": [{"name": "a", "url": "ssh://x.test"}]}},
            build_outcome(400, "Validation failed: Links url is blocked: Only allowed schemes are http, https, ftp"),
        ),
        (
            {"assets": {"links": [{**LINK, "filepath": "bin/a"}]}},
            build_outcome(400, "Validation failed: Links filepath is in an invalid format"),
        ),
        ({"assets": {"links": [{**LINK, "link_type": "x"}]}}, build_outcome(400, "'x' is not a valid link_type")),
    ],
    ids=[
        "no ref",
        "unknown ref",
        "HEAD",
        "empty tag",
        "blank tag",
        "unknown milestones",
        "milestone of the group",
        "bad time",
        "link without a name",
        "equal names",
        "equal links",
        "scheme",
        "filepath",
        "link type",
    ],
)
def test_invalid_releases_are_refused(fakeplat: Fakeplat, fields: dict[str, Any], expected: Outcome) -> None:
    """Invalid releases are refused with the platform's texts and change nothing."""
    assert expected == create_refused(fakeplat, **fields)


def test_a_tag_has_one_release(fakeplat: Fakeplat) -> None:
    """A second release of a tag answers 409."""
    create_release(fakeplat)
    assert build_outcome(409, "Release already exists") == create_refused(fakeplat, milestones=["nope"])


def test_a_protected_tag_is_created_by_those_who_may(fakeplat: Fakeplat) -> None:
    """A release cannot create a protected tag without the right."""
    load_project(fakeplat, protected_tags=[{"name": "v*", "create_access_levels": ["maintainer"]}])
    text = "You are not allowed to create this tag as it is protected."
    assert build_outcome(403, text) == create_refused(fakeplat, tag_name="v2", ref="master")
    assert 201 == create_release(fakeplat, "mia", tag_name="v2", ref="master")[0]
    assert 201 == create_release(fakeplat, tag_name="v1.0")[0]


def test_roles_that_create_releases(fakeplat: Fakeplat) -> None:
    """Developers create releases, and missing parameters answer 400 first."""
    assert (FORBIDDEN, invalid("tag_name is missing")) == (
        create_refused(fakeplat, "rep"),
        refusal(fakeplat, "rep", "POST", RELEASES, json={}),
    )
    assert resource_not_found("Project") == create_refused(fakeplat, None)
    load_project(fakeplat, visibility="public")
    assert FORBIDDEN == create_refused(fakeplat, None)
    assert invalid("tag_name is missing") == refusal(fakeplat, None, "POST", RELEASES, json={})


def test_a_running_job_creates_releases(fakeplat: Fakeplat) -> None:
    """A job token creates releases as its user and nothing else."""
    wait_for_runner(fakeplat)
    (job,) = jobs_of(fakeplat, create_pipeline(fakeplat, PlannedJob(name="release")))
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.run(ctx, ctx.world.jobs[job.id])
        token = job_tokens.ensure(ctx, ctx.world.jobs[job.id]).value
    anonymous, headers = fakeplat.as_user(None), {"JOB-TOKEN": token}
    assert UNAUTHORIZED == outcome(anonymous.post(RELEASES, json={"tag_name": "v1.0"}, headers={"JOB-TOKEN": "no"}))
    reply = anonymous.post(RELEASES, json={"tag_name": "v1.0"}, headers=headers)
    assert (201, "dev") == (reply.status, reply.json()["author"]["username"])
    assert 404 == anonymous.get(f"{RELEASES}/v1.0", headers=headers).status
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.succeed(ctx, ctx.world.jobs[job.id])
    assert 401 == anonymous.post(RELEASES, json={"tag_name": "v2"}, headers=headers).status


@pytest.mark.parametrize(
    ("sent", "expected", "upcoming"),
    [
        ("2020-11-21", "2020-11-21T00:00:00.000Z", True),
        ("2020-11-21T10:00:00+02:00", "2020-11-21T08:00:00.000Z", True),
        ("2019-01-01T00:00:00Z", "2019-01-01T00:00:00.000Z", False),
        ("2020-11-20T09:00:00.900Z", "2020-11-20T09:00:00.900Z", False),
        (None, NOW, False),
    ],
    ids=["date", "zone", "past", "same second", "null"],
)
def test_the_time_of_a_release(fakeplat: Fakeplat, sent: str | None, expected: str, upcoming: bool) -> None:
    """The time of a release is in UTC, by default now; later ones are upcoming."""
    _, release = create_release(fakeplat, released_at=sent)
    assert (expected, upcoming, NOW) == (release["released_at"], release["upcoming_release"], release["created_at"])


def test_an_upcoming_release_is_released(fakeplat: Fakeplat) -> None:
    """An upcoming release is released exactly at its time."""
    create_release(fakeplat, released_at="2020-11-20T10:00:00Z")
    fakeplat.clock.advance_to("2020-11-20T09:59:59.999Z")
    assert get_release(fakeplat)["upcoming_release"]
    fakeplat.clock.advance(0.001)
    assert not get_release(fakeplat)["upcoming_release"]


def test_the_list_is_ordered(fakeplat: Fakeplat) -> None:
    """Releases are ordered by release or creation time, also without their tag."""
    load_releases(
        fakeplat,
        {"tag_name": "a", "created_at": "2020-11-01T00:00:00Z", "released_at": "2020-11-09T00:00:00Z"},
        {"tag_name": "b", "created_at": "2020-11-02T00:00:00Z", "released_at": "2020-11-08T00:00:00Z"},
    )

    def listed(query: str = "") -> list[str]:
        return names(get_json(fakeplat, f"{RELEASES}{query}"), "tag_name")

    assert (["a", "b"], ["b", "a"]) == (listed(), listed("?sort=asc"))
    assert (["b", "a"], ["a", "b"]) == (listed("?order_by=created_at"), listed("?order_by=created_at&sort=asc"))
    assert invalid("order_by does not have a valid value") == refusal(
        fakeplat, "dev", "GET", f"{RELEASES}?order_by=name"
    )
    page = fakeplat.as_user("dev").get(f"{RELEASES}?per_page=1")
    assert (["a"], "2", [*PAGE_HEADERS]) == (
        names(page.json(), "tag_name"),
        page.headers["X-Total"],
        [name for name in PAGE_HEADERS if name in page.headers],
    )
    release = get_json(fakeplat, f"{RELEASES}/a")
    assert (None, False, "/acme/site/-/tags/a") == (release["commit"], "commit_path" in release, release["tag_path"])


@by_release(RELEASE_NOTES_FOR_CALLER, "is_shown", {"13.11": False, "13.12": True})
def test_a_release_is_rendered_for_nobody(fakeplat: Fakeplat, is_shown: bool) -> None:
    """The title of a confidential issue shows in the description for nobody; later releases render for the caller."""
    fake = fakeplat
    assert 200 == fake.as_user("ada").put(SITE, json={"visibility": "public"}).status
    mia = fake.as_user("mia")
    issues = [mia.post(f"{SITE}/issues", json={"title": title}).json() for title in ("Open door", "Hidden flaw")]
    mia.put(f"{SITE}/issues/{issues[1]['iid']}", json={"confidential": True})
    text = " and ".join(f"#{issue['iid']}" for issue in issues)
    assert 201 == mia.post(RELEASES, json={"tag_name": "v1.0", "description": text}).status
    html = mia.get(f"{RELEASES}/v1.0?include_html_description=true").json()["description_html"]

    assert (True, is_shown) == ("Open door" in html, "Hidden flaw" in html)
    assert f"#{issues[1]['iid']}" in html


def test_guests_of_a_private_project_see_no_tags(fakeplat: Fakeplat) -> None:
    """The name is hidden, too; the single release is 403."""
    create_release(fakeplat, description="Notes", assets={"links": [LINK]})
    (release,) = get_json(fakeplat, RELEASES, by="gus")
    assert FOR_GUESTS == set(release)
    assert re.fullmatch(r"Release-961\d{4}", release["name"])
    assert ("Notes", {}, {"count", "links"}, 1) == (
        release["description"],
        release["_links"],
        set(release["assets"]),
        release["assets"]["count"],
    )
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{RELEASES}/v1.0")


def test_everyone_sees_the_releases_of_a_public_project(fakeplat: Fakeplat) -> None:
    """Releases of a public project are public unless its repository is for members."""
    create_release(fakeplat)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", RELEASES)
    load_project(fakeplat, visibility="public")
    for user in (None, "eve", "gus"):
        assert FULL == set(get_release(fakeplat, user))
    load_project(fakeplat, repository_access_level="private")
    for tail in ("", "/v1.0", "/nope", "/v1.0/assets/links"):
        assert FORBIDDEN == refusal(fakeplat, "eve", "GET", f"{RELEASES}{tail}")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_unknown_release_is_forbidden(fakeplat: Fakeplat, method: str) -> None:
    """An unknown release answers 403 even to Maintainers (ruling 26)."""
    assert FORBIDDEN == refusal(fakeplat, "mia", method, f"{RELEASES}/nope")


def test_the_milestones_of_a_release(fakeplat: Fakeplat) -> None:
    """A release shows milestones with issue counts to those who see them."""
    _, release = create_release(fakeplat, milestones="v1.1, v1.0")
    assert ["v1.0", "v1.1"] == names(release["milestones"], "title")
    assert [{"total": 1, "closed": 1}, {"total": 2, "closed": 0}] == names(release["milestones"], "issue_stats")
    load_project(fakeplat, visibility="public", issues_access_level="private")
    assert "milestones" in get_release(fakeplat, None)
    load_project(fakeplat, merge_requests_access_level="private")
    assert ("milestones" in get_release(fakeplat, None), "milestones" in get_release(fakeplat, "rep")) == (False, True)


@pytest.mark.fakeplat(tier="premium")
def test_milestones_of_the_group_are_paid(fakeplat: Fakeplat) -> None:
    """Milestones of the group count for releases from premium on."""
    assert ["Winter"] == names(create_release(fakeplat, milestones=["Winter"])[1]["milestones"], "title")


def test_a_deleted_milestone_leaves_its_releases(fakeplat: Fakeplat) -> None:
    """The release stays without it."""
    _, release = create_release(fakeplat, milestones=["v1.1"])
    fakeplat.as_user("mia").delete(f"{SITE}/milestones/{release['milestones'][0]['id']}")
    assert "milestones" not in get_release(fakeplat)


def update_release(fake: Fakeplat, user: str = "dev", **fields: Any) -> Outcome:
    return outcome(fake.as_user(user).put(f"{RELEASES}/v1.0", json=fields))


def test_a_release_is_updated(fakeplat: Fakeplat) -> None:
    """An update of a release keeps what is not sent."""
    create_release(fakeplat, name="One", description="*First*", milestones=["v1.0"])
    status, release = update_release(fakeplat, name="Two", released_at="2019-01-01")
    assert (200, "Two", "*First*", "2019-01-01T00:00:00.000Z", ["v1.0"]) == (
        status,
        release["name"],
        release["description"],
        release["released_at"],
        names(release["milestones"], "title"),
    )
    assert ["v1.1"] == names(update_release(fakeplat, milestones=["v1.1"])[1]["milestones"], "title")
    assert "v1.0" == update_release(fakeplat, name=None)[1]["name"]


@pytest.mark.parametrize("sent", [[], [None], "", None], ids=["array", "null in an array", "text", "null"])
def test_the_milestones_of_a_release_are_cleared(fakeplat: Fakeplat, sent: Any) -> None:
    """An empty array or text clears the milestones of a release."""
    create_release(fakeplat, milestones=["v1.0"])
    status, release = update_release(fakeplat, milestones=sent)
    assert (200, False) == (status, "milestones" in release)


def test_empty_updates_are_refused(fakeplat: Fakeplat) -> None:
    """Updating a release requires a known parameter and its tag."""
    create_release(fakeplat)
    release_path = f"{RELEASES}/v1.0"
    assert build_outcome(400, "params is empty") == refusal(fakeplat, "dev", "PUT", release_path, json={"sha": "x"})
    expected = build_outcome(400, "Milestone(s) not found: a, b")
    assert expected == refusal(fakeplat, "dev", "PUT", release_path, json={"milestones": ["a", "b"]})
    fakeplat.as_user("mia").delete(f"{SITE}/repository/tags/v1.0")
    for method, sent in (("PUT", {"name": "x"}), ("PUT", {}), ("DELETE", None)):
        assert build_outcome(404, "Tag does not exist") == refusal(fakeplat, "mia", method, release_path, json=sent)
    assert "v1.0" == get_release(fakeplat)["tag_name"]


def test_a_release_is_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers delete a release with its links and evidence; the tag remains."""
    create_release(fakeplat, assets={"links": [LINK]})
    fakeplat.settle()
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{RELEASES}/v1.0")
    reply = fakeplat.as_user("mia").delete(f"{RELEASES}/v1.0")
    assert (200, "v1.0") == (reply.status, reply.json()["tag_name"])
    assert [] == get_json(fakeplat, RELEASES)
    assert None is get_json(fakeplat, f"{SITE}/repository/tags/v1.0")["release"]
    view = fakeplat.bench.platform.view
    assert ([], []) == ([*view.release_links.all()], [*view.evidences.all()])


def test_a_deleted_author_is_left_out(fakeplat: Fakeplat) -> None:
    """A release whose author was deleted stays and shows no author."""
    create_release(fakeplat, "mia")
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('mia').id}?hard_delete=true")
    fakeplat.settle()
    assert "author" not in get_release(fakeplat)


def test_releases_are_named_in_changes(fakeplat: Fakeplat) -> None:
    """Changes name releases by project and tag, and links also by name."""
    with fakeplat.changes() as changes:
        create_release(fakeplat, name="First", assets={"links": [LINK]})
    assert (["acme/site: v1.0"], ["acme/site: v1.0: Binary"]) == (
        list(changes.created["releases"]),
        list(changes.created["release_links"]),
    )
