"""Image repositories and tags of the container registry."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import TAGS_ARE_PAGED_BY_NAME
from tests.api.images import REPOSITORIES, SAME, SITE, START, repository, tags, world
from tests.api.requests import FORBIDDEN, Outcome, invalid, invalid_record, names, outcome, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=world(), clock="virtual", start=START)
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
TOO_EARLY: Outcome = (
    400,
    {
        "message": "This request has already been made. "
        "You can run this at most once an hour for a given container repository"
    },
)


def registry_host(fake: Fakeplat) -> str:
    return str(fake.url).removeprefix("http://")


def delete_in_bulk(fake: Fakeplat, name: str = "web", user: str = "mia", **criteria: Any) -> Outcome:
    return outcome(fake.as_user(user).request("DELETE", f"{repository(fake, name)}/tags", json=criteria))


def test_a_repository_is_listed_without_its_tags(fakeplat: Fakeplat) -> None:
    """Image repositories are listed without tags by default, located on the platform's host."""
    root, web = fakeplat.as_user("rep").get(REPOSITORIES).json()

    expected = {
        "id": web["id"],
        "name": "web",
        "path": "acme/site/web",
        "project_id": web["project_id"],
        "location": f"{registry_host(fakeplat)}/acme/site/web",
        "created_at": "2020-11-20T09:00:00.000Z",
        "cleanup_policy_started_at": None,
    }
    assert expected == web
    assert ("", "acme/site", f"{registry_host(fakeplat)}/acme/site") == (root["name"], root["path"], root["location"])


def test_tags_and_their_number_are_shown_if_asked_for(fakeplat: Fakeplat) -> None:
    """Lists of projects and groups show tags and their number on request."""
    for path in (REPOSITORIES, "groups/acme/registry/repositories"):
        root = fakeplat.as_user("rep").get(f"{path}?tags=true&tags_count=true").json()[0]
        latest = {
            "name": "latest",
            "path": "acme/site:latest",
            "location": f"{registry_host(fakeplat)}/acme/site:latest",
        }
        assert (2, latest) == (root["tags_count"], root["tags"][0])
        counted = fakeplat.as_user("rep").get(f"{path}?tags_count=1").json()[0]
        assert (2, False) == (counted["tags_count"], "tags" in counted)
    assert invalid("tags is invalid") == refusal(fakeplat, "rep", "GET", f"{REPOSITORIES}?tags=x")


def test_tags_are_sorted_by_the_bytes_of_their_names(fakeplat: Fakeplat) -> None:
    """``latest`` comes before ``rootA``, whatever was pushed first."""
    assert ["latest", "rootA"] == tags(fakeplat, "")
    page = fakeplat.as_user("rep").get(f"{repository(fakeplat)}/tags?per_page=2&page=2")
    assert (["unknown", "v1.0"], "5") == (names(page.json(), "name"), page.headers["X-Total"])


def test_a_single_tag_shows_its_image(fakeplat: Fakeplat) -> None:
    """The revision is the digest of the configuration, its short form nine characters of it."""
    tag = fakeplat.as_user("rep").get(f"{repository(fakeplat)}/tags/v1.0").json()

    expected = {
        "name": "v1.0",
        "path": "acme/site/web:v1.0",
        "location": f"{registry_host(fakeplat)}/acme/site/web:v1.0",
        "revision": "b" * 64,
        "short_revision": "b" * 9,
        "digest": SAME,
        "created_at": "2020-10-01T00:00:00.000Z",
        "total_size": 2_319_870,
    }
    assert expected == tag


def test_tags_of_the_same_image_share_everything_but_the_name(fakeplat: Fakeplat) -> None:
    """The digest of the manifest identifies the image."""
    v1, stable = (
        fakeplat.as_user("rep").get(f"{repository(fakeplat)}/tags/{name}").json() for name in ("v1.0", "stable")
    )
    shared = ("revision", "digest", "created_at", "total_size")
    assert [v1[key] for key in shared] == [stable[key] for key in shared]


def test_what_does_not_exist_is_404(fakeplat: Fakeplat) -> None:
    """The texts of repositories and tags differ; a number that is none is 400."""
    web = repository(fakeplat)
    assert NOT_FOUND == refusal(fakeplat, "mia", "GET", f"{REPOSITORIES}/1/tags")
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", f"{REPOSITORIES}/1")
    elsewhere = web.replace("acme%2Fsite", "acme%2Fdocs")
    assert NOT_FOUND == refusal(fakeplat, "mia", "GET", f"{elsewhere}/tags")
    assert resource_not_found("Tag") == refusal(fakeplat, "mia", "GET", f"{web}/tags/nothing")
    assert resource_not_found("Tag") == refusal(fakeplat, "dev", "DELETE", f"{web}/tags/nothing")
    assert invalid("repository_id is invalid") == refusal(fakeplat, "mia", "GET", f"{REPOSITORIES}/x/tags")


def test_rights_are_checked_between_repository_and_tag(fakeplat: Fakeplat) -> None:
    """The right to read is checked first of all, even before the parameters."""
    web = repository(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "gus", "DELETE", f"{web}/tags", json={"name_regex": "*"})
    assert FORBIDDEN == refusal(fakeplat, "rep", "DELETE", f"{web}/tags/nothing")
    assert NOT_FOUND == refusal(fakeplat, "rep", "DELETE", f"{REPOSITORIES}/1/tags/v1.0")
    assert resource_not_found("Project") == refusal(fakeplat, None, "GET", REPOSITORIES)


@pytest.mark.fakeplat(scenario=world(visibility="public"))
def test_everybody_reads_the_images_of_a_public_project(fakeplat: Fakeplat) -> None:
    """Everybody lists the images of a public project, but nobody without a role deletes any."""
    assert 200 == fakeplat.as_user(None).get(f"{repository(fakeplat)}/tags/v1.0").status
    assert FORBIDDEN == refusal(fakeplat, None, "DELETE", f"{repository(fakeplat)}/tags/v1.0")


@pytest.mark.fakeplat(scenario=world(visibility="internal"))
def test_users_read_the_images_of_an_internal_project(fakeplat: Fakeplat) -> None:
    """All users but external ones list the images of an internal project."""
    assert 200 == fakeplat.as_user("eve").get(REPOSITORIES).status
    for user in (None, "ext"):
        assert resource_not_found("Project") == refusal(fakeplat, user, "GET", REPOSITORIES)


def test_without_the_registry_everything_is_403(fakeplat: Fakeplat) -> None:
    """The images are kept, and the group leaves them out."""
    web = repository(fakeplat)
    fakeplat.as_user("ada").put(SITE, json={"container_registry_enabled": False})
    for method, path in (
        ("GET", REPOSITORIES),
        ("GET", f"{web}/tags/v1.0"),
        ("DELETE", web),
        ("DELETE", f"{web}/tags"),
    ):
        assert FORBIDDEN == refusal(fakeplat, "root", method, path)
    assert [] == fakeplat.as_user("ada").get("groups/acme/registry/repositories").json()
    fakeplat.as_user("ada").put(SITE, json={"container_registry_enabled": True})
    assert 5 == len(tags(fakeplat))


def test_a_group_lists_the_images_of_its_subgroups(fakeplat: Fakeplat) -> None:
    """Reporters of a group list the images of its subgroups; others get a 403."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/tools/kit", "container_repositories": ["kit"]}]})
    path = "groups/acme/registry/repositories"
    expected = ["acme/site", "acme/site/web", "acme/tools/kit/kit"]
    assert expected == names(fakeplat.as_user("rep").get(path).json(), "path")
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path)
    assert resource_not_found("Group") == refusal(fakeplat, None, "GET", "groups/nothing/registry/repositories")


def test_deleting_a_tag_leaves_the_others_of_its_image(fakeplat: Fakeplat) -> None:
    """The answer's body is its status."""
    assert (200, 200) == outcome(fakeplat.as_user("dev").delete(f"{repository(fakeplat)}/tags/v1.0"))
    assert ["latest", "stable", "unknown", "v1.1"] == tags(fakeplat)


def test_a_repository_is_deleted_in_the_background(fakeplat: Fakeplat) -> None:
    """A deleted image repository is listed until the background job removes it with its tags."""
    web = repository(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", web)
    assert (202, 202) == outcome(fakeplat.as_user("mia").delete(web))
    assert ["", "web"] == names(fakeplat.as_user("rep").get(REPOSITORIES).json(), "name")
    assert (202, 202) == outcome(fakeplat.as_user("mia").delete(web))
    fakeplat.settle()
    assert [""] == names(fakeplat.as_user("rep").get(REPOSITORIES).json(), "name")
    assert 2 == len(fakeplat.bench.platform.view.container_tags)


@pytest.mark.fakeplat(clock="auto")
def test_who_lists_repositories_waits_for_their_deletion(fakeplat: Fakeplat) -> None:
    """Under the auto clock polling the list ends a pending deletion."""
    fakeplat.as_user("mia").delete(repository(fakeplat))
    assert [""] == names(fakeplat.as_user("rep").get(REPOSITORIES).json(), "name")


def test_a_repository_stays_if_its_deleter_has_lost_the_right(fakeplat: Fakeplat) -> None:
    """The right is checked again when the deletion is due."""
    fakeplat.as_user("mia").delete(repository(fakeplat))
    fakeplat.as_user("ada").put(
        "groups/acme/members/{}".format(fakeplat.world.user("mia").id), json={"access_level": 30}
    )
    fakeplat.settle()
    assert ["", "web"] == names(fakeplat.as_user("rep").get(REPOSITORIES).json(), "name")


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({}, "name_regex, name_regex_delete are missing, at least one parameter must be provided"),
        ({"keep_n": 1}, "name_regex, name_regex_delete are missing, at least one parameter must be provided"),
        (
            {"name_regex_delete": "*v10."},
            "name_regex_delete is an invalid regexp: no argument for repetition operator: *",
        ),
        ({"name_regex": "*v10."}, "name_regex is an invalid regexp: no argument for repetition operator: *"),
        (
            {"name_regex": ".*", "name_regex_keep": "*v10."},
            "name_regex_keep is an invalid regexp: no argument for repetition operator: *",
        ),
        ({"name_regex": ".*", "keep_n": "x"}, "keep_n is invalid"),
    ],
)
def test_criteria_are_validated(fakeplat: Fakeplat, criteria: dict[str, Any], expected: str) -> None:
    """A refused request does not count: the next one is accepted."""
    path = f"{repository(fakeplat)}/tags"
    assert invalid(expected) == refusal(fakeplat, "mia", "DELETE", path, json=criteria)
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", path, json={"name_regex": ".*"})
    assert (202, 202) == delete_in_bulk(fakeplat, name_regex=".*")


def test_a_repository_is_cleaned_up_at_most_once_an_hour(fakeplat: Fakeplat) -> None:
    """A repository accepts one bulk deletion of tags per hour, from all users together."""
    assert (202, 202) == delete_in_bulk(fakeplat, name_regex_delete="nothing")
    fakeplat.settle()
    assert TOO_EARLY == delete_in_bulk(fakeplat, user="root", name_regex=".*")
    assert (202, 202) == delete_in_bulk(fakeplat, "", name_regex=".*")
    fakeplat.clock.advance("1h")
    assert (202, 202) == delete_in_bulk(fakeplat, name_regex=".*")


@pytest.mark.parametrize(
    ("criteria", "kept"),
    [
        ({"name_regex_delete": ".*"}, ["latest"]),
        ({"name_regex": ".*"}, ["latest"]),
        ({"name_regex_delete": "v1"}, ["latest", "stable", "unknown", "v1.0", "v1.1"]),
        ({"name_regex_delete": "v1.+"}, ["latest", "stable", "unknown"]),
        # The new name counts even if it is empty, and then no tag matches.
        ({"name_regex_delete": "", "name_regex": ".*"}, ["latest", "stable", "unknown", "v1.0", "v1.1"]),
        ({"name_regex_delete": ".*", "name_regex_keep": "v.*"}, ["latest", "v1.0", "v1.1"]),
        ({"name_regex_delete": ".*", "name_regex_keep": ""}, ["latest"]),
        # The tag of an unknown age is the newest.
        ({"name_regex_delete": ".*", "keep_n": 1}, ["latest", "unknown"]),
        ({"name_regex_delete": ".*", "keep_n": 2}, ["latest", "unknown", "v1.1"]),
        ({"name_regex_delete": ".*", "keep_n": 0}, ["latest"]),
        # Only tags that match are counted.
        ({"name_regex_delete": "v.*", "keep_n": 1}, ["latest", "stable", "unknown", "v1.1"]),
        ({"name_regex_delete": ".*", "older_than": "30d"}, ["latest", "unknown", "v1.1"]),
        ({"name_regex_delete": ".*", "older_than": "1month"}, ["latest", "unknown", "v1.1"]),
        ({"name_regex_delete": ".*", "older_than": "2 weeks"}, ["latest", "unknown"]),
        ({"name_regex_delete": "v.*", "older_than": "2 weeks", "keep_n": 1}, ["latest", "stable", "unknown", "v1.1"]),
        # The work fails, after the request was accepted.
        ({"name_regex_delete": ".*", "older_than": "soon"}, ["latest", "stable", "unknown", "v1.0", "v1.1"]),
        ({"name_regex_delete": ".*", "older_than": ""}, ["latest", "stable", "unknown", "v1.0", "v1.1"]),
        # Without a group around it, the expression means: begins with v, or ends with e.
        ({"name_regex_delete": "v|e"}, ["latest", "unknown"]),
    ],
)
def test_which_tags_are_deleted(fakeplat: Fakeplat, criteria: dict[str, Any], kept: list[str]) -> None:
    """Tags are deleted in the background, but never the tag `latest`."""
    before = tags(fakeplat)
    assert (202, 202) == delete_in_bulk(fakeplat, **criteria)
    assert before == tags(fakeplat)
    fakeplat.settle()
    assert kept == tags(fakeplat)


def test_a_cleanup_needs_its_users_role_when_it_is_due(fakeplat: Fakeplat) -> None:
    """A bulk deletion of tags does nothing if its user lost the role of a Developer."""
    delete_in_bulk(fakeplat, name_regex=".*")
    fakeplat.as_user("ada").delete("groups/acme/members/{}".format(fakeplat.world.user("mia").id))
    fakeplat.settle()
    assert 5 == len(tags(fakeplat))


def test_a_project_with_images_keeps_its_path(fakeplat: Fakeplat) -> None:
    """Images are named after it; without tags it can be changed."""
    text = "Cannot rename project because it contains container registry tags!"
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "PUT", SITE, json={"path": "page"})
    moved = refusal(fakeplat, "ada", "PUT", f"{SITE}/transfer", json={"namespace": "acme/tools"})
    assert "Project cannot be transferred, because tags are present in its container registry" in moved[1]["message"]
    for name in ("", "web"):
        delete_in_bulk(fakeplat, name, name_regex=".*")
        fakeplat.as_user("mia").delete(f"{repository(fakeplat, name)}/tags/latest")
    fakeplat.settle()
    assert 200 == fakeplat.as_user("ada").put(SITE, json={"path": "page"}).status
    assert ["acme/page", "acme/page/web"] == names(
        fakeplat.as_user("ada").get("groups/acme/registry/repositories").json(), "path"
    )


def test_a_group_with_images_keeps_its_path(fakeplat: Fakeplat) -> None:
    """The text names the first of its projects that has any."""
    group, project = fakeplat.world.group("acme").id, fakeplat.world.project("acme/site").id
    text = (
        f"Namespace Acme ({group}) cannot be moved because at least one project "
        f"(e.g. Site ({project})) has tags in container registry"
    )
    assert invalid_record(base=[text]) == refusal(fakeplat, "ada", "PUT", "groups/acme", json={"path": "acne"})
    assert 200 == fakeplat.as_user("ada").put("groups/acme", json={"path": "acme", "name": "New"}).status


def test_images_go_with_their_project(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes its images and their tags."""
    fakeplat.as_user("root").delete(SITE)
    world_ = fakeplat.bench.platform.view
    assert (0, 0) == (len(world_.container_repositories), len(world_.container_tags))


@pytest.mark.fakeplat(version="latest")
def test_a_repository_is_found_by_its_id(fakeplat: Fakeplat) -> None:
    """An image repository is named by its id alone, for those who read images of its project."""
    (listed,) = [row for row in fakeplat.as_user("rep").get(REPOSITORIES).json() if row["name"] == "web"]
    path = f"registry/repositories/{listed['id']}"
    repository = fakeplat.as_user("rep").get(f"{path}?tags=true&tags_count=true").json()

    assert listed == fakeplat.as_user("rep").get(path).json()
    sizes = {
        tag.digest: tag.total_size
        for tag in fakeplat.bench.platform.view.container_tags
        if tag.repository_id == listed["id"]
    }
    assert listed | {"size": sum(sizes.values())} == fakeplat.as_user("rep").get(f"{path}?size=true").json()
    assert repository["tags_count"] == len(repository["tags"]) > 0
    assert (401, {"message": "401 Unauthorized"}) == refusal(fakeplat, None, "GET", path)
    assert FORBIDDEN == refusal(fakeplat, "ext", "GET", path)
    assert NOT_FOUND == refusal(fakeplat, "rep", "GET", "registry/repositories/1")


@by_release(TAGS_ARE_PAGED_BY_NAME, "has_pages", {"17.2": False, "17.3": True})
def test_tags_are_paged_by_name(fakeplat: Fakeplat, has_pages: bool) -> None:
    """The next page begins after the last name, in either order; without a next page there is no link."""
    path = f"{repository(fakeplat)}/tags?pagination=keyset&per_page=2"
    reply = fakeplat.as_user("rep").get(path)
    assert ["latest", "stable"] == names(reply.json(), "name")
    link = reply.headers["Link"]
    assert has_pages == ("X-Total" not in reply.headers) == ("last=stable" in link and "sort=asc" in link)
    if not has_pages:
        return
    last = fakeplat.as_user("rep").get(f"{path}&sort=desc&last=unknown")
    assert ["stable", "latest"] == names(last.json(), "name")
    assert "Link" not in last.headers
    assert ["unknown", "v1.0"] == names(fakeplat.as_user("rep").get(f"{path}&last=t").json(), "name")
