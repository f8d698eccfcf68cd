"""The catalogue of components: resources, versions, and the configurations that include them.

Source: lib/api/ci/catalog.rb, app/services/ci/catalog/resources/**, lib/gitlab/ci/components/instance_path.rb.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CATALOG_VERSIONS_ARE_ASKED_FOR
from tests.api.requests import FORBIDDEN, Outcome, outcome
from tests.by_release import by_release

COMPONENT = """spec: {inputs: {stage: {}, size: {type: number, default: 2}}}
---
lint-TAG: {script: a, stage: $[[ inputs.stage ]]}
"""
TAGS = ["1.0.0", "1.2.0", "1.10.1", "2.0.0", "2.1.0-rc.1"]
PARTS = "projects/acme%2Fparts"
PUBLISH = f"{PARTS}/catalog/publish"


def build_commit(tag: str) -> dict[str, Any]:
    files = {
        "README.md": tag,
        "templates/lint.yml": COMPONENT.replace("TAG", tag),
        "templates/more/template.yml": "m: {script: a}",
    }
    return {"message": tag, "branch": "main", "files": files, "tags": [tag]}


SCENARIO: dict[str, Any] = {
    "users": [{"username": "root", "admin": True}, {"username": "ada"}, {"username": "dan"}, {"username": "eve"}],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "members": {"ada": "owner", "dan": "developer"},
            "projects": [
                {
                    "path": "parts",
                    "description": "Parts",
                    "visibility": "public",
                    "repository": {"commits": [build_commit(tag) for tag in TAGS]},
                    "releases": [{"tag_name": tag} for tag in TAGS],
                },
                {
                    "path": "site",
                    "repository": {"commits": [{"message": "a", "branch": "main", "files": {"README.md": "a"}}]},
                },
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", tick=0, version="latest", default_branch="main")


def query(fake: Fakeplat, text: str, user: str = "ada") -> dict[str, Any]:
    return dict(fake.as_user(user).post("/api/graphql", json={"query": text}).json())


def add_resource(fake: Fakeplat, user: str = "ada") -> dict[str, Any]:
    text = 'mutation { catalogResourcesCreate(input: {projectPath: "acme/parts"}) { errors } }'
    return query(fake, text, user)


def publish(fake: Fakeplat, *tags: str, user: str = "dan") -> Outcome:
    replies = [outcome(fake.as_user(user).post(PUBLISH, json={"version": tag, "metadata": {}})) for tag in tags]
    return replies[-1]


def list_jobs(fake: Fakeplat, version: str) -> tuple[list[str], list[str]]:
    """Return the jobs of a configuration that includes a component, and its mistakes."""
    address = f"{fake.url.partition('://')[2]}/acme/parts/lint@{version}"
    content = f"include: [{{component: {address}, inputs: {{stage: test}}}}]"
    body = {"content": content, "include_jobs": True}
    result = fake.as_user("ada").post("projects/acme%2Fsite/ci/lint", json=body).json()
    return [job["name"] for job in result["jobs"]], result["errors"]


def test_only_owners_add_a_project_to_the_catalogue(fakeplat: Fakeplat) -> None:
    """Owners of a project make it a resource; others may not."""
    assert add_resource(fakeplat, "dan")["errors"]
    assert {"data": {"catalogResourcesCreate": {"errors": []}}} == add_resource(fakeplat)
    shown = query(fakeplat, '{ project(fullPath: "acme/parts") { isCatalogResource } }')
    assert {"data": {"project": {"isCatalogResource": True}}} == shown


def test_a_release_is_published(fakeplat: Fakeplat) -> None:
    """Developers publish a release of a resource, with a job token, too; others may not."""
    add_resource(fakeplat)

    assert FORBIDDEN == publish(fakeplat, "1.0.0", user="eve")
    url = f"{fakeplat.url}/explore/catalog/acme/parts"
    assert (201, {"catalog_url": url}) == publish(fakeplat, "1.0.0")
    assert (404, {"message": "404 Not found"}) == publish(fakeplat, "gone")


def test_what_is_no_resource_is_not_published(fakeplat: Fakeplat) -> None:
    """The project must be a resource with a description and a README."""
    assert (422, {"message": "Project is not a catalog resource"}) == publish(fakeplat, "1.0.0")

    add_resource(fakeplat)
    fakeplat.as_user("ada").put(PARTS, json={"description": ""})
    assert (422, {"message": "Project must have a description"}) == publish(fakeplat, "1.0.0")
    body = {"branch": "main", "commit_message": "Remove", "actions": [{"action": "delete", "file_path": "README.md"}]}
    fakeplat.as_user("ada").post(f"{PARTS}/repository/commits", json=body)
    fakeplat.as_user("ada").post(f"{PARTS}/releases", json={"tag_name": "3.0.0", "ref": "main"})
    text = "Project must have a README , Project must have a description"
    assert (422, {"message": text}) == publish(fakeplat, "3.0.0")


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("~latest", "lint-2.0.0"),
        ("1", "lint-1.10.1"),
        ("1.2", "lint-1.2.0"),
        ("2", "lint-2.0.0"),
        ("1.0.0", "lint-1.0.0"),
        ("2.1.0-rc.1", "lint-2.1.0-rc.1"),
        ("main", "lint-2.1.0-rc.1"),
    ],
)
def test_configurations_include_versions(fakeplat: Fakeplat, version: str, expected: str) -> None:
    """The latest version, or the latest of a major or minor one, is the highest that is no prerelease."""
    add_resource(fakeplat)
    publish(fakeplat, *TAGS)

    assert ([expected], []) == list_jobs(fakeplat, version)


def test_versions_that_are_not_published_do_not_count(fakeplat: Fakeplat) -> None:
    """A resource without a version that fits has no such component."""
    add_resource(fakeplat)
    publish(fakeplat, "1.0.0")

    assert (["lint-1.0.0"], []) == list_jobs(fakeplat, "~latest")
    address = f"{fakeplat.url.partition('://')[2]}/acme/parts/lint@2"
    assert ([], [f"Component '{address}' - content not found"]) == list_jobs(fakeplat, "2")


@by_release(CATALOG_VERSIONS_ARE_ASKED_FOR, "expected", {"18.8": ["3.0.0"], "18.9": []})
def test_earlier_releases_publish_each_release(fakeplat: Fakeplat, expected: list[str]) -> None:
    """At first, each new release of a resource is a version."""
    add_resource(fakeplat)
    fakeplat.as_user("ada").post(f"{PARTS}/releases", json={"tag_name": "3.0.0", "ref": "main"})

    assert expected == list_versions(fakeplat)


def list_versions(fake: Fakeplat) -> list[str]:
    text = '{ ciCatalogResource(fullPath: "acme/parts") { versions { nodes { name } } } }'
    return [row["name"] for row in query(fake, text)["data"]["ciCatalogResource"]["versions"]["nodes"]]


def test_a_release_is_published_with_its_creation(fakeplat: Fakeplat) -> None:
    """With legacy_catalog_publish, a new release is a version at once, or there is no release."""
    add_resource(fakeplat)
    client = fakeplat.as_user("ada")

    body = {"tag_name": "3.0.0", "ref": "main", "legacy_catalog_publish": True}
    assert 201 == client.post(f"{PARTS}/releases", json=body).status
    assert ["3.0.0"] == list_versions(fakeplat)
    client.put(PARTS, json={"description": ""})
    refused = client.post(f"{PARTS}/releases", json={**body, "tag_name": "4.0.0"})
    assert (422, 404) == (refused.status, client.get(f"{PARTS}/releases/4.0.0").status)


def test_the_catalogue_is_listed(fakeplat: Fakeplat) -> None:
    """Resources with versions are listed with their components and inputs; leaving the catalogue ends that."""
    text = """{ ciCatalogResources(search: "part") { nodes { name fullPath webPath starCount versions { nodes {
        name path components { nodes { name includePath inputs { name required default } } } } } } } }"""
    add_resource(fakeplat)
    assert [] == query(fakeplat, text)["data"]["ciCatalogResources"]["nodes"]
    publish(fakeplat, "1.2.0", "1.10.1")
    (resource,) = query(fakeplat, text, "eve")["data"]["ciCatalogResources"]["nodes"]
    latest, earlier = resource["versions"]["nodes"]
    lint, more = latest["components"]["nodes"]

    assert ("parts", "acme/parts", "/acme/parts", 0) == tuple(
        resource[key] for key in ("name", "fullPath", "webPath", "starCount")
    )
    assert ("1.10.1", "1.2.0", "/acme/parts/-/tags/1.10.1") == (latest["name"], earlier["name"], latest["path"])
    assert ("lint", "more") == (lint["name"], more["name"])
    assert f"{fakeplat.url.partition('://')[2]}/acme/parts/lint@1.10.1" == lint["includePath"]
    assert [
        {"name": "stage", "required": True, "default": None},
        {"name": "size", "required": False, "default": 2},
    ] == lint["inputs"]

    query(fakeplat, 'mutation { catalogResourcesDestroy(input: {projectPath: "acme/parts"}) { errors } }')
    assert [] == query(fakeplat, text)["data"]["ciCatalogResources"]["nodes"]


def release(fake: Fakeplat, tag: str) -> None:
    """Create a release, which is a version of a resource at once, as it was at first."""
    reply = fake.as_user("ada").post(f"{PARTS}/releases", json={"tag_name": tag, "ref": "main"})
    assert 201 == reply.status, reply.text


def read_resource(fake: Fakeplat, shown: str) -> Any:
    """Return fields of the only resource of the catalogue."""
    answer = query(fake, f"{{ ciCatalogResources {{ nodes {{ {shown} }} }} }}")
    (resource,) = answer["data"]["ciCatalogResources"]["nodes"]
    return resource


@pytest.mark.fakeplat(version="18.5")
def test_a_resource_shows_its_project(fakeplat: Fakeplat) -> None:
    """A resource of the catalogue shows what its project is."""
    add_resource(fakeplat)
    release(fakeplat, "3.0.0")
    fakeplat.as_user("ada").put(PARTS, json={"topics": ["ci"]})
    assert {
        "visibilityLevel": "public",
        "archived": False,
        "topics": ["ci"],
        "starrersPath": "/acme/parts/-/starrers",
    } == read_resource(fakeplat, "visibilityLevel archived topics starrersPath")


@pytest.mark.fakeplat(version="16.9")
def test_a_resource_shows_its_latest_version(fakeplat: Fakeplat) -> None:
    """The latest version is the highest one, with its tag, its commit and the paths of its components."""
    add_resource(fakeplat)
    release(fakeplat, "3.10.1")
    release(fakeplat, "3.2.0")
    shown = "latestVersion { name tagName tagPath commit { sha } components { nodes { path } } }"
    latest = read_resource(fakeplat, shown)["latestVersion"]
    tag = fakeplat.as_user("ada").get(f"{PARTS}/repository/tags/3.10.1").json()

    assert ("3.10.1", "3.10.1", "/acme/parts/-/tags/3.10.1", {"sha": tag["commit"]["id"]}) == tuple(
        latest[key] for key in ("name", "tagName", "tagPath", "commit")
    )
    assert f"{fakeplat.url.partition('://')[2]}/acme/parts/lint@3.10.1" == latest["components"]["nodes"][0]["path"]


@pytest.mark.fakeplat(version="16.2")
def test_a_resource_counts_forks(fakeplat: Fakeplat) -> None:
    """Until 16.9 a resource shows the number of forks of its project."""
    add_resource(fakeplat)
    release(fakeplat, "3.0.0")
    assert {"forksCount": 0} == read_resource(fakeplat, "forksCount")
    fakeplat.as_user("eve").post(f"{PARTS}/fork", json={})
    assert {"forksCount": 1} == read_resource(fakeplat, "forksCount")


def test_a_version_shows_its_readme(fakeplat: Fakeplat) -> None:
    """A version has the README of its tag, as it is and as HTML."""
    add_resource(fakeplat)
    publish(fakeplat, "1.0.0", "1.2.0")
    nodes = read_resource(fakeplat, "versions { nodes { name readmeHtml } }")["versions"]["nodes"]
    (latest,) = read_resource(fakeplat, "versions(first: 1) { nodes { name readme readmeHtml } }")["versions"]["nodes"]

    assert ["1.2.0", "1.0.0"] == [node["name"] for node in nodes]
    assert {**nodes[0], "readme": "1.2.0"} == latest
    assert all(f">{node['name']}</p>" in node["readmeHtml"] for node in nodes)


@pytest.mark.fakeplat(version="16.3")
def test_a_resource_shows_its_readme_and_what_is_open(fakeplat: Fakeplat) -> None:
    """At first a resource shows the README of its project, and counts open issues and merge requests."""
    add_resource(fakeplat)
    release(fakeplat, "3.0.0")
    ada = fakeplat.as_user("ada")
    for title in ("a", "b"):
        ada.post(f"{PARTS}/issues", json={"title": title})
    ada.put(f"{PARTS}/issues/1", json={"state_event": "close"})
    ada.post(f"{PARTS}/repository/branches?branch=more&ref=main")
    ada.post(f"{PARTS}/merge_requests", json={"source_branch": "more", "target_branch": "main", "title": "c"})
    shown = read_resource(fakeplat, "openIssuesCount openMergeRequestsCount readmeHtml rootNamespace { fullPath }")

    assert f">{TAGS[-1]}</p>" in shown.pop("readmeHtml")
    assert {"openIssuesCount": 1, "openMergeRequestsCount": 1, "rootNamespace": {"fullPath": "acme"}} == shown


@pytest.mark.fakeplat(version="16.9")
@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["3.10.1", "3.2.0"]),
        ("(sort: CREATED_ASC)", ["3.10.1", "3.2.0"]),
        ("(sort: CREATED_DESC)", ["3.2.0", "3.10.1"]),
        ("(sort: RELEASED_AT_ASC)", ["3.2.0", "3.10.1"]),
        ("(sort: RELEASED_AT_DESC)", ["3.10.1", "3.2.0"]),
    ],
)
def test_versions_are_sorted(fakeplat: Fakeplat, sort: str, expected: list[str]) -> None:
    """Versions are listed from the highest on, or by the time of their publication or release."""
    add_resource(fakeplat)
    release(fakeplat, "3.10.1")
    fakeplat.clock.advance("1h")
    release(fakeplat, "3.2.0")
    fakeplat.as_user("ada").put(f"{PARTS}/releases/3.2.0", json={"released_at": "2020-01-01T00:00:00Z"})
    nodes = read_resource(fakeplat, f"versions{sort} {{ nodes {{ name }} }}")["versions"]["nodes"]

    assert expected == [node["name"] for node in nodes]


MORE: dict[str, Any] = {
    "path_with_namespace": "acme/tools",
    "description": "Tools",
    "visibility": "public",
    "topics": ["ci"],
    "repository": {"commits": [{"message": "a", "branch": "main", "files": {"README.md": "a"}}]},
}


def list_sorted(fake: Fakeplat, arguments: str = "", user: str = "ada") -> list[str]:
    """Return the names of the resources."""
    answer = query(fake, f"{{ ciCatalogResources{arguments} {{ nodes {{ name }} }} }}", user)
    return [row["name"] for row in answer["data"]["ciCatalogResources"]["nodes"]]


def add_two(fake: Fakeplat) -> None:
    """Have two resources with a version each; the second one is named first in the alphabet, with a star."""
    fake.load({"projects": [MORE]})
    add_resource(fake)
    release(fake, "3.0.0")
    fake.clock.advance(60)
    query(fake, 'mutation { catalogResourcesCreate(input: {projectPath: "acme/tools"}) { errors } }')
    fake.as_user("ada").post("projects/acme%2Ftools/releases", json={"tag_name": "1.0.0", "ref": "main"})


@pytest.mark.fakeplat(version="18.5")
def test_resources_are_sorted_and_filtered(fakeplat: Fakeplat) -> None:
    """Resources are listed by stars, and otherwise as asked for; a search needs three characters."""
    add_two(fakeplat)
    assert ["tools", "parts"] == list_sorted(fakeplat)
    fakeplat.as_user("eve").post(f"{PARTS}/star")
    orders = {
        f"(sort: {name})": expected
        for name, expected in {
            "NAME_ASC": ["parts", "tools"],
            "NAME_DESC": ["tools", "parts"],
            "CREATED_ASC": ["parts", "tools"],
            "CREATED_DESC": ["tools", "parts"],
            "LATEST_RELEASED_AT_ASC": ["parts", "tools"],
            "LATEST_RELEASED_AT_DESC": ["tools", "parts"],
            "STAR_COUNT_ASC": ["tools", "parts"],
            "STAR_COUNT_DESC": ["parts", "tools"],
            "USAGE_COUNT_DESC": ["tools", "parts"],
        }.items()
    }
    assert orders == {argument: list_sorted(fakeplat, argument) for argument in orders}
    assert ["parts", "tools"] == list_sorted(fakeplat)
    assert [["tools"], ["parts"], []] == [
        list_sorted(fakeplat, argument) for argument in ('(topics: ["ci", "x"])', '(search: "par")', '(search: "pa")')
    ]
    assert [[], ["parts", "tools"]] == [list_sorted(fakeplat, "(scope: NAMESPACES)", user) for user in ("eve", "ada")]


@pytest.mark.fakeplat(version="16.9")
def test_resources_were_sorted_by_release(fakeplat: Fakeplat) -> None:
    """In 16.9 resources are sorted by their latest release, and all are in the only scope."""
    add_two(fakeplat)
    assert ["parts", "tools"] == list_sorted(fakeplat, "(scope: ALL, sort: LATEST_RELEASED_AT_ASC)")


@pytest.mark.fakeplat(version="16.2")
def test_resources_were_sorted_by_updates(fakeplat: Fakeplat) -> None:
    """At first the names of orders are those of other lists, too, also in lower case."""
    add_two(fakeplat)
    fakeplat.clock.advance(60)
    fakeplat.as_user("ada").put(PARTS, json={"description": "More parts"})
    for word in ("UPDATED_ASC", "updated_asc", "CREATED_DESC", "created_desc"):
        assert ["tools", "parts"] == list_sorted(fakeplat, f"(sort: {word})"), word
