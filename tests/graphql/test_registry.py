"""Image repositories and cleanup policies by GraphQL, and packages of groups. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.core.release import profile_of
from fakeplat.graphql.schema import schema
from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    PATH,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

SITE = {
    "path_with_namespace": "acme/site",
    "container_expiration_policy": {"cadence": "7d", "keep_n": 5, "older_than": "14d", "name_regex": "v.*"},
    "container_repositories": [
        {"created_at": "2020-11-01T10:00:00Z", "tags": ["latest", "v1"]},
        {"name": "web/api", "status": "delete_failed"},
    ],
    "packages": [{"name": "app", "package_type": "generic", "version": "1.0.0"}],
}
KIT = {
    "path_with_namespace": "acme/tools/kit",
    "container_repositories": [{"name": "kit-web"}],
    "packages": [{"name": "kit", "package_type": "generic", "version": "1.0.0"}],
}
pytestmark = pytest.mark.fakeplat(scenario={"extends": "starter", "projects": [SITE, KIT]})
newer = pytest.mark.fakeplat(version="latest")
POLICY = "containerExpirationPolicy { cadence enabled keepN olderThan nameRegex nameRegexKeep nextRunAt }"


def query_group(fake: Fakeplat, user: str, fields: str) -> Any:
    return query_data(fake, user, f'{{ group(fullPath: "acme") {{ {fields} }} }}')["group"]


def list_errors(fake: Fakeplat, query: str) -> list[str]:
    reply = fake.as_user("mia").post(f"{fake.url}{PATH}", json={"query": query})
    return [error["message"] for error in reply.json()["errors"]]


def test_a_project_shows_its_cleanup_policy(fakeplat: Fakeplat) -> None:
    """The expiration policy has enum values, and defaults for what was not set."""
    fakeplat.clock.advance_to("2020-11-20T09:00:00Z")
    policy = query_project(fakeplat, "dev", POLICY)["containerExpirationPolicy"]
    assert policy.pop("nextRunAt") > "2020-11-20T09:00:00Z"
    assert {
        "cadence": "EVERY_WEEK",
        "enabled": True,
        "keepN": "FIVE_TAGS",
        "olderThan": "FOURTEEN_DAYS",
        "nameRegex": "v.*",
        "nameRegexKeep": None,
    } == policy


def test_a_policy_without_numbers_has_none(fakeplat: Fakeplat) -> None:
    """An expiration policy without keep_n and older_than shows null for both."""
    fakeplat.load({"projects": [{**SITE, "container_expiration_policy": {"keep_n": None, "older_than": None}}]})
    policy = query_project(fakeplat, "dev", "containerExpirationPolicy { keepN olderThan }")
    assert {"containerExpirationPolicy": {"keepN": None, "olderThan": None}} == policy


@pytest.mark.parametrize("user", ["rep", "gus"])
def test_the_policy_is_for_those_who_delete_images(fakeplat: Fakeplat, user: str) -> None:
    """Reporters and Guests get null for the expiration policy."""
    assert {"containerExpirationPolicy": None} == query_project(fakeplat, user, POLICY)


@newer
def test_a_project_shows_its_image_repositories(fakeplat: Fakeplat) -> None:
    """A project lists its image repositories with their fields, the newest first."""
    fields = "containerRepositories { nodes { id name path location status tagsCount createdAt } }"
    rows = query_project(fakeplat, "rep", fields)["containerRepositories"]["nodes"]
    host = fakeplat.url.partition("://")[2]
    number = fakeplat.bench.platform.view.container_repositories.all()[0].id
    assert [("web/api", "DELETE_FAILED"), ("", None)] == [(row["name"], row["status"]) for row in rows]
    assert {
        "id": f"gid://gitlab/ContainerRepository/{number}",
        "name": "",
        "path": "acme/site",
        "location": f"{host}/acme/site",
        "status": None,
        "tagsCount": 2,
        "createdAt": "2020-11-01T10:00:00Z",
    } == rows[1]


@newer
def test_a_group_shows_the_images_and_packages_of_its_projects(fakeplat: Fakeplat) -> None:
    """A group lists images and packages, also of subgroups; images are filtered by name."""
    fields = "containerRepositories { nodes { path } } packages { nodes { name } }"
    group = query_group(fakeplat, "rep", fields)
    named = query_group(fakeplat, "rep", 'containerRepositories(name: "WEB") { nodes { name } }')

    assert {"acme/site", "acme/site/web/api", "acme/tools/kit/kit-web"} == {
        row["path"] for row in group["containerRepositories"]["nodes"]
    }
    assert ["kit", "app"] == [row["name"] for row in group["packages"]["nodes"]]
    assert {"web/api", "kit-web"} == {row["name"] for row in named["containerRepositories"]["nodes"]}


@newer
def test_guests_see_no_images_and_packages_of_internal_projects_only(fakeplat: Fakeplat) -> None:
    """Guests read the packages of internal projects, as all who are signed in, and no image repositories."""
    fields = "containerRepositories { nodes { name } }"
    assert {"containerRepositories": None} == query_project(fakeplat, "gus", fields)
    group = query_group(fakeplat, "gus", f"{fields} packages {{ nodes {{ name }} }}")
    assert (None, [{"name": "kit"}]) == (group["containerRepositories"], group["packages"]["nodes"])


@newer
@pytest.mark.parametrize(
    ("sort", "expected"),
    [("NAME_ASC", ["", "web/api"]), ("NAME_DESC", ["web/api", ""]), ("CREATED_ASC", ["", "web/api"])],
)
def test_image_repositories_are_sorted(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Image repositories are sorted by name or time."""
    found = query_project(fakeplat, "rep", f"containerRepositories(sort: {sort}) {{ nodes {{ name }} }}")
    assert expected == [row["name"] for row in found["containerRepositories"]["nodes"]]


@newer
def test_an_image_repository_shows_its_cleanup_and_rights(fakeplat: Fakeplat) -> None:
    """A repository shows its project, its cleanup, its protection and what the caller may do; tags are sorted."""
    fields = """project { fullPath } expirationPolicyCleanupStatus expirationPolicyStartedAt protectionRuleExists
        lastCleanupDeletedTagsCount migrationState userPermissions { destroyContainerRepository }"""
    number = ""
    for caller, may_delete in (("rep", False), ("dev", True)):
        query = f"containerRepositories(sort: NAME_ASC) {{ nodes {{ id {fields} }} }}"
        repository, _ = query_project(fakeplat, caller, query)["containerRepositories"]["nodes"]
        number = repository.pop("id")
        assert {
            "project": {"fullPath": "acme/site"},
            "expirationPolicyCleanupStatus": "UNSCHEDULED",
            "expirationPolicyStartedAt": None,
            "protectionRuleExists": False,
            "lastCleanupDeletedTagsCount": None,
            "migrationState": "",
            "userPermissions": {"destroyContainerRepository": may_delete},
        } == repository
    details = query_data(
        fakeplat,
        "dev",
        f"""{{ containerRepository(id: "{number}") {{ size tags(sort: NAME_DESC) {{
            nodes {{ name userPermissions {{ destroyContainerRepositoryTag }} }} }} }} }}""",
    )["containerRepository"]
    may = {"userPermissions": {"destroyContainerRepositoryTag": True}}
    rows = [{"name": "v1", **may}, {"name": "latest", **may}]
    assert {"size": None, "tags": {"nodes": rows}} == details


@newer
def test_developers_delete_image_repositories(fakeplat: Fakeplat) -> None:
    """Developers delete repositories, and at most 20 tags at once."""
    number = query_project(fakeplat, "dev", "containerRepositories { nodes { id } }")["containerRepositories"]["nodes"][
        0
    ]
    tags = write_mutation("destroyContainerRepositoryTags", "deletedTagNames")
    many = query_refused(fakeplat, "dev", tags, input={**number, "tagNames": [f"v{i}" for i in range(21)]})
    assert ["Number of tags is greater than 20"] == list_messages(many)
    destroy = write_mutation("destroyContainerRepository", "containerRepository { status }")
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", destroy, input=number))
    payload = query_data(fakeplat, "dev", destroy, input=number)["destroyContainerRepository"]
    assert {"containerRepository": {"status": "DELETE_SCHEDULED"}, "errors": []} == payload


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ('{ project(fullPath: "acme/site") { containerRepositories { nodes { id } } } }', "Project"),
        ('{ group(fullPath: "acme") { containerRepositories { nodes { id } } } }', "Group"),
    ],
)
def test_image_repositories_are_newer(fakeplat: Fakeplat, query: str, message: str) -> None:
    """Image repositories are unknown fields before release 13.6."""
    (error,) = list_errors(fakeplat, query)
    assert error.startswith(f"Field 'containerRepositories' doesn't exist on type '{message}'")


@pytest.mark.fakeplat(version="13.6.0")
def test_each_release_has_its_own_schema(fakeplat: Fakeplat) -> None:
    """A release has image repositories, but not yet the packages of groups."""
    query = '{ group(fullPath: "acme") { packages { nodes { id } } } }'
    (message,) = list_errors(fakeplat, query)

    assert message.startswith("Field 'packages' doesn't exist on type 'Group'")
    assert 2 == len(
        query_project(fakeplat, "rep", "containerRepositories { nodes { id } }")["containerRepositories"]["nodes"]
    )


def test_releases_without_a_difference_share_a_schema() -> None:
    """Platform releases whose types do not differ share one schema object."""
    assert schema(profile_of((13, 5))) is schema(profile_of((13, 2)))
    assert schema(profile_of((14, 3))) is schema(profile_of((14, 4)))
    assert schema(profile_of((13, 5))) is not schema(profile_of((13, 6)))
    assert "ContainerRepository" not in schema(profile_of((13, 5))).type_map
    assert "ContainerRepositoryConnection" in schema(profile_of((13, 6))).type_map


@pytest.mark.fakeplat(version="18.5")
def test_who_sees_images_sees_whether_they_are_cleaned_up(fakeplat: Fakeplat) -> None:
    """Who does not administer images sees of the policy only whether and when it runs."""
    query = "containerTagsExpirationPolicy { enabled nextRunAt cadence keepN nameRegex olderThan createdAt }"
    maintainer, reporter = (
        query_project(fakeplat, user, query)["containerTagsExpirationPolicy"] for user in ("mia", "rep")
    )
    former = query_project(fakeplat, "mia", query.replace("containerTags", "container"))["containerExpirationPolicy"]
    assert (True, former) == (maintainer["enabled"], maintainer)
    assert maintainer["nextRunAt"] is not None is not maintainer["createdAt"]
    hidden = dict.fromkeys(("cadence", "keepN", "nameRegex", "olderThan", "createdAt"))
    assert {**maintainer, **hidden} == reporter
    assert {"containerTagsExpirationPolicy": None} == query_project(fakeplat, "gus", query)


DATED = [{"name": name, "created_at": f"2020-11-0{day}T10:00:00Z"} for name, day in (("a", 2), ("b", 3), ("c", 1))]
WEB = {"path_with_namespace": "acme/site", "container_repositories": [{"name": "web", "tags": DATED}]}


@pytest.mark.fakeplat(version="18.5", scenario={"extends": "starter", "projects": [WEB]})
def test_tags_are_sorted_by_upload(fakeplat: Fakeplat) -> None:
    """Tags are sorted by the time of their upload, in both directions."""
    rows = query_project(fakeplat, "mia", "containerRepositories { nodes { id } }")["containerRepositories"]["nodes"]
    query = """query($id: ContainerRepositoryID!, $sort: ContainerRepositoryTagSort) { containerRepository(id: $id) {
        tags(sort: $sort) { nodes { name } } } }"""
    for sort, expected in (("PUBLISHED_AT_ASC", "cab"), ("PUBLISHED_AT_DESC", "bac")):
        repository = query_data(fakeplat, "mia", query, id=rows[0]["id"], sort=sort)["containerRepository"]
        assert expected == "".join(tag["name"] for tag in repository["tags"]["nodes"])
