"""What package managers say of packages and their files, and what packages depend on.

Source: docs/platform/graphql.md, app/graphql/types/packages of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_data, query_project

CHART = {
    "apiVersion": "v2",
    "name": "web",
    "version": "1.0.0",
    "appVersion": "7",
    "type": "application",
    "deprecated": True,
    "keywords": ["site"],
    "annotations": {"a": "b"},
    "dependencies": [{"name": "db", "version": "2.x", "import-values": ["data"], "enabled": False, "alias": "store"}],
    "maintainers": [{"name": "Mia", "email": "mia@example.test"}],
}
PACKAGES: list[dict[str, Any]] = [
    {
        "name": "acme/kit",
        "package_type": "composer",
        "version": "1.0.0",
        "target_sha": "a" * 40,
        "manifest": {"name": "acme/kit", "type": "library", "license": ["MIT", "Apache-2.0"]},
    },
    {
        "name": "fmt",
        "package_type": "conan",
        "version": "1.0",
        "conan_username": "acme+site",
        "conan_channel": "stable",
        "files": [
            {"file_name": "conanfile.py", "content": "a", "conan_recipe_revision": "r1"},
            {
                "file_name": "conaninfo.txt",
                "content": "b",
                "conan_recipe_revision": "r1",
                "conan_package_reference": "p1",
                "conan_package_revision": "q1",
            },
            {"file_name": "conanmanifest.txt", "content": "c", "conan_package_reference": "p1"},
        ],
    },
    {"name": "com/acme/app", "package_type": "maven", "version": "1.0", "path": "com/acme/app/1.0"},
    {
        "name": "Acme.Kit",
        "package_type": "nuget",
        "version": "1.0.0",
        "manifest": {
            "projectUrl": "https://kit.example.test",
            "dependencies": [
                {"id": "Base", "range": "1.0"},
                {"id": "Extra", "range": "2.0", "targetFramework": "net8.0"},
            ],
        },
    },
    {
        "name": "tool",
        "package_type": "pypi",
        "version": "1.0",
        "requires_python": ">=3.9",
        "manifest": {"summary": "A tool", "author_email": "mia@example.test"},
    },
    {
        "name": "kit",
        "package_type": "npm",
        "version": "1.0.0",
        "manifest": {"dependencies": {"left": "^1.0"}, "devDependencies": {"left": "^1.0", "right": "2"}},
    },
    {"name": "kit", "package_type": "npm", "version": "2.0.0", "manifest": {"dependencies": {"left": "^1.0"}}},
    {
        "name": "web",
        "package_type": "helm",
        "version": "1.0.0",
        "files": [{"file_name": "web-1.0.0.tgz", "content": "x", "metadata": {"channel": "stable", "chart": CHART}}],
    },
    {"name": "plain", "package_type": "pypi", "version": "1.0"},
]
SITE = {"path_with_namespace": "acme/site", "packages": PACKAGES}
pytestmark = pytest.mark.fakeplat(version="latest", scenario={"extends": "starter", "projects": [SITE]})
METADATA = """metadata { __typename
  ... on ComposerMetadata { targetSha composerJson { name type license version } }
  ... on ConanMetadata { recipe recipePath packageUsername packageChannel }
  ... on MavenMetadata { appGroup appName appVersion path }
  ... on NugetMetadata { projectUrl licenseUrl iconUrl }
  ... on PypiMetadata { requiredPython summary authorEmail keywords } }"""


def list_packages(fake: Fakeplat, selection: str) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = query_project(fake, "rep", f"packages {{ nodes {{ {selection} }} }}")["packages"][
        "nodes"
    ]
    return nodes


def find_id(fake: Fakeplat, name: str, version: str) -> str:
    nodes = list_packages(fake, "id name version")
    return str(next(node["id"] for node in nodes if (node["name"], node["version"]) == (name, version)))


def show_package(fake: Fakeplat, name: str, version: str, selection: str, field: str = "package") -> Any:
    query = f"query($id: PackagesPackageID!) {{ {field}(id: $id) {{ {selection} }} }}"
    return query_data(fake, "rep", query, id=find_id(fake, name, version))[field]


def test_metadata_follows_the_type(fakeplat: Fakeplat) -> None:
    """Packages of five types have metadata of their type, from their manifests; others have none."""
    metadata_by_name = {node["name"]: node["metadata"] for node in list_packages(fakeplat, f"name {METADATA}")}
    license_ = '["MIT", "Apache-2.0"]'

    assert {
        "acme/kit": {
            "__typename": "ComposerMetadata",
            "targetSha": "a" * 40,
            "composerJson": {"name": "acme/kit", "type": "library", "license": license_, "version": None},
        },
        "fmt": {
            "__typename": "ConanMetadata",
            "recipe": "fmt/1.0@acme+site/stable",
            "recipePath": "fmt/1.0/acme+site/stable",
            "packageUsername": "acme+site",
            "packageChannel": "stable",
        },
        "com/acme/app": {
            "__typename": "MavenMetadata",
            "appGroup": "com.acme",
            "appName": "app",
            "appVersion": "1.0",
            "path": "com/acme/app/1.0",
        },
        "Acme.Kit": {
            "__typename": "NugetMetadata",
            "projectUrl": "https://kit.example.test",
            "licenseUrl": None,
            "iconUrl": None,
        },
        "tool": {
            "__typename": "PypiMetadata",
            "requiredPython": ">=3.9",
            "summary": "A tool",
            "authorEmail": "mia@example.test",
            "keywords": None,
        },
        "kit": None,
        "web": None,
        "plain": None,
    } == metadata_by_name


def test_metadata_has_the_number_of_its_package(fakeplat: Fakeplat) -> None:
    """The global id of metadata has the number of the package."""
    number = find_id(fakeplat, "tool", "1.0").rpartition("/")[2]
    package = show_package(fakeplat, "tool", "1.0", "metadata { ... on PypiMetadata { id } }")

    assert f"gid://gitlab/Packages::Pypi::Metadatum/{number}" == package["metadata"]["id"]


def test_files_of_conan_tell_their_revisions(fakeplat: Fakeplat) -> None:
    """A file of Conan belongs to a recipe or to a binary package; without revisions it has the one of Conan 1."""
    selection = """packageFiles { nodes { fileName fileMetadata { __typename ... on ConanFileMetadata {
        conanFileType conanPackageReference recipeRevision packageRevision } } } }"""
    files = show_package(fakeplat, "fmt", "1.0", selection)["packageFiles"]["nodes"]

    assert {
        "conanfile.py": ("RECIPE_FILE", None, "r1", None),
        "conaninfo.txt": ("PACKAGE_FILE", "p1", "r1", "q1"),
        "conanmanifest.txt": ("PACKAGE_FILE", "p1", "0", "0"),
    } == {file["fileName"]: tuple(file["fileMetadata"].values())[1:] for file in files}


def test_files_of_helm_have_a_chart(fakeplat: Fakeplat) -> None:
    """A file of Helm has its channel and what Chart.yaml says; as its type, the version of the application."""
    selection = """packageFiles { nodes { fileMetadata { createdAt ... on HelmFileMetadata { channel metadata {
        apiVersion name version appVersion type deprecated keywords annotations home
        dependencies { name version importValues enabled alias } maintainers { name email url } } } } } }"""
    (file,) = show_package(fakeplat, "web", "1.0.0", selection)["packageFiles"]["nodes"]
    chart = file["fileMetadata"]["metadata"]
    (dependency,) = chart.pop("dependencies")

    assert "stable" == file["fileMetadata"]["channel"]
    assert {
        "apiVersion": "v2",
        "name": "web",
        "version": "1.0.0",
        "appVersion": "7",
        "type": "7",
        "deprecated": True,
        "keywords": ["site"],
        "annotations": {"a": "b"},
        "home": None,
        "maintainers": [{"name": "Mia", "email": "mia@example.test", "url": None}],
    } == chart
    assert {"name": "db", "version": "2.x", "importValues": ["data"], "enabled": False, "alias": "store"} == dependency


DEPENDENCIES = """dependencyLinks { nodes { id dependencyType dependency { id name versionPattern }
    metadata { ... on NugetDependencyLinkMetadata { targetFramework } } } }"""


def list_dependencies(fake: Fakeplat, name: str, version: str) -> list[dict[str, Any]]:
    links: list[dict[str, Any]] = show_package(fake, name, version, DEPENDENCIES)["dependencyLinks"]["nodes"]
    return links


def test_packages_tell_what_they_depend_on(fakeplat: Fakeplat) -> None:
    """Packages of npm have dependencies of several kinds, those of NuGet perhaps a framework; the last one is first."""
    links = list_dependencies(fakeplat, "kit", "1.0.0")
    kinds = [
        (link["dependencyType"], link["dependency"]["name"], link["dependency"]["versionPattern"]) for link in links
    ]
    frameworks = [
        (link["dependency"]["name"], link["metadata"]) for link in list_dependencies(fakeplat, "Acme.Kit", "1.0.0")
    ]

    assert [
        ("DEV_DEPENDENCIES", "right", "2"),
        ("DEV_DEPENDENCIES", "left", "^1.0"),
        ("DEPENDENCIES", "left", "^1.0"),
    ] == kinds
    assert [("Extra", {"targetFramework": "net8.0"}), ("Base", None)] == frameworks
    assert [] == list_dependencies(fakeplat, "tool", "1.0")


def test_packages_share_dependencies(fakeplat: Fakeplat) -> None:
    """The same dependency of two packages has one id, and a link of each package has an id of its own."""
    links = [
        link
        for version in ("1.0.0", "2.0.0")
        for link in list_dependencies(fakeplat, "kit", version)
        if link["dependency"]["name"] == "left"
    ]

    assert 1 == len({link["dependency"]["id"] for link in links})
    assert 3 == len({link["id"] for link in links})


@pytest.mark.fakeplat(version="13.9", releases="<13.10")
def test_composer_packages_have_a_query_of_their_own(fakeplat: Fakeplat) -> None:
    """In 13.9 a Composer package is shown with its metadata by a query; other packages are null."""
    selection = "name composerMetadatum { targetSha composerJson { license } } versions { nodes { version } }"
    package = show_package(fakeplat, "acme/kit", "1.0.0", selection, "packageComposerDetails")

    assert "a" * 40 == package["composerMetadatum"]["targetSha"]
    assert [] == package["versions"]["nodes"]
    assert show_package(fakeplat, "tool", "1.0", "name", "packageComposerDetails") is None


@pytest.mark.fakeplat(version="13.10", releases="<14.0")
def test_versions_have_a_type_without_versions(fakeplat: Fakeplat) -> None:
    """From 13.10 on packages show their other versions by a type that has none; metadata is that of Composer only."""
    nodes = list_packages(
        fakeplat, "name version versions { nodes { id version packageType } } metadata { __typename }"
    )
    versions = {(node["name"], node["version"]): node["versions"]["nodes"] for node in nodes}
    metadata_by_name = {node["name"]: node["metadata"] for node in nodes}

    assert [find_id(fakeplat, "kit", "2.0.0")] == [node["id"] for node in versions[("kit", "1.0.0")]]
    assert {"__typename": "ComposerMetadata"} == metadata_by_name["acme/kit"]
    assert metadata_by_name["tool"] is None
