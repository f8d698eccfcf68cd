"""Clusters of a group and of what is in it. Source: docs/platform/clusters.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import UNAUTHORIZED, invalid, outcome, refusal, resource_not_found

PATH = "discover-cert-based-clusters"
WORLD: dict[str, Any] = {
    "users": [{"username": name} for name in ("ada", "mia", "dev", "eve")] + [{"username": "root", "admin": True}],
    "groups": [
        {
            "full_path": "acme",
            "visibility": "private",
            "clusters": [{"name": "own"}],
            "members": [{"username": "ada", "access_level": "owner"}, {"username": "dev", "access_level": "developer"}],
        },
        {
            "full_path": "acme/tools",
            "visibility": "private",
            "clusters": [{"name": "off", "enabled": False}],
            "members": [{"username": "mia", "access_level": "maintainer"}],
        },
    ],
    "projects": [
        {"path_with_namespace": "acme/site", "visibility": "private", "clusters": [{"name": "web"}]},
        {"path_with_namespace": "acme/tools/cli", "visibility": "private", "clusters": [{"name": "cli"}]},
        {"path_with_namespace": "acme/docs", "visibility": "private"},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="17.9")
GROUPS, PROJECTS = {"acme": ["own"], "acme/tools": ["off"]}, {"acme/site": ["web"], "acme/tools/cli": ["cli"]}


def discover(fake: Fakeplat, user: str, group: str = "acme") -> dict[str, dict[str, list[str]]]:
    """Return the names of the clusters that a user finds, by their owners."""
    reply = fake.as_user(user).get(PATH, params={"group_id": fake.world.group(group).id})
    assert 200 == reply.status, reply.text
    return {
        kind: {path: [each["name"] for each in own] for path, own in found.items()}
        for kind, found in reply.json().items()
    }


def test_clusters_are_found_in_the_whole_hierarchy(fakeplat: Fakeplat) -> None:
    """Clusters, also disabled ones, stand below the paths of their groups and projects."""
    assert {"groups": GROUPS, "projects": PROJECTS} == discover(fakeplat, "ada")
    expected = {"groups": {"acme/tools": ["off"]}, "projects": {"acme/tools/cli": ["cli"]}}
    assert expected == discover(fakeplat, "mia", "acme/tools")


def test_a_cluster_has_its_id_and_name(fakeplat: Fakeplat) -> None:
    """Of each cluster the id and the name are shown."""
    fakeplat.as_user("root").post("features/certificate_based_clusters", json={"value": True})
    group = fakeplat.world.group("acme").id
    (cluster,) = fakeplat.as_user("ada").get(f"groups/{group}/clusters").json()
    clusters = fakeplat.as_user("ada").get(PATH, params={"group_id": group}).json()
    assert [{"id": cluster["id"], "name": "own"}] == clusters["groups"]["acme"]


def test_maintainers_find_what_is_theirs(fakeplat: Fakeplat) -> None:
    """The group itself needs to be visible; subgroups and projects need a maintainer."""
    assert {"groups": {"acme": ["own"]}, "projects": {}} == discover(fakeplat, "dev")
    assert {"groups": {"acme": ["own"]}, "projects": PROJECTS} == discover(fakeplat, "root")


def test_a_group_must_be_named_and_visible(fakeplat: Fakeplat) -> None:
    """The id of a group is required, and 404 if the caller does not see it."""
    group = fakeplat.world.group("acme").id
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", PATH)
    assert invalid("group_id is missing") == refusal(fakeplat, "ada", "GET", PATH)
    assert invalid("group_id is invalid") == refusal(fakeplat, "ada", "GET", f"{PATH}?group_id=acme")
    hidden = outcome(fakeplat.as_user("eve").get(PATH, params={"group_id": group}))
    assert [resource_not_found("Group")] * 2 == [hidden, refusal(fakeplat, "ada", "GET", f"{PATH}?group_id=1")]
