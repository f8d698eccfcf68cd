"""Packages by GraphQL. Source: docs/platform/graphql.md, docs/platform/packages.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_project

PACKAGES = [
    {"name": "app", "package_type": "generic", "version": "1.0.0", "created_at": "2020-11-01T10:00:00Z"},
    {"name": "com/acme/app", "package_type": "maven"},
    {"name": "@acme/app", "package_type": "npm", "version": "1.0.0"},
]
pytestmark = pytest.mark.fakeplat(
    scenario={"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "packages": PACKAGES}]}
)


def test_a_project_shows_its_packages(fakeplat: Fakeplat) -> None:
    """A project lists its packages, except those without a version."""
    fields = "packages { nodes { id name version packageType createdAt } }"
    packages = query_project(fakeplat, "rep", fields)["packages"]["nodes"]
    assert ["app", "@acme/app"] == [package["name"] for package in packages]
    assert {
        "id": "gid://gitlab/Packages::Package/9640001",
        "name": "app",
        "version": "1.0.0",
        "packageType": "GENERIC",
        "createdAt": "2020-11-01T10:00:00Z",
    } == packages[0]


def test_guests_of_a_private_project_see_none(fakeplat: Fakeplat) -> None:
    """Guests of a private project get an empty list of packages."""
    assert [] == query_project(fakeplat, "gus", "packages { nodes { name } }")["packages"]["nodes"]


@pytest.mark.fakeplat(version="14.8")
def test_packages_are_counted(fakeplat: Fakeplat) -> None:
    """From release 14.8 on the list of packages has their number."""
    assert {"packages": {"count": 2}} == query_project(fakeplat, "rep", "packages { count }")
