"""Environments by GraphQL. Source: docs/platform/graphql.md, docs/platform/deployments.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, post_query, query_project

ENVIRONMENTS = ["production", {"name": "review/a", "state": "stopped"}, "review/b"]
pytestmark = pytest.mark.fakeplat(
    scenario={
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "environments": ENVIRONMENTS}],
    }
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["production", "review/a", "review/b"]),
        ('(name: "production")', ["production"]),
        ('(search: "REV")', ["review/a", "review/b"]),
        ('(states: ["stopped"])', ["review/a"]),
        ('(search: "rev", states: ["available"])', ["review/b"]),
    ],
    ids=range(5),
)
def test_the_environments_of_a_project_are_filtered(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Environments are filtered by name, start of the name, and state."""
    environments = query_project(fakeplat, "rep", f"environments{arguments} {{ nodes {{ name }} }}")["environments"][
        "nodes"
    ]

    assert expected == [environment["name"] for environment in environments]


def test_an_environment_has_a_global_id_a_name_and_a_state(fakeplat: Fakeplat) -> None:
    """An environment shows its global id, name and state, and a missing one is null."""
    selection = '{ id name state } none: environment(name: "none") { id }'
    project = query_project(fakeplat, "rep", f'environment(name: "review/a") {selection}')

    assert None is project["none"]
    assert {"id": "gid://gitlab/Environment/160002", "name": "review/a", "state": "stopped"} == project["environment"]


def test_who_may_not_read_environments_sees_none(fakeplat: Fakeplat) -> None:
    """Guests of a private project get an empty list of environments."""
    assert [] == query_project(fakeplat, "gus", "environments { nodes { name } }")["environments"]["nodes"]


def test_an_unknown_state_is_an_error(fakeplat: Fakeplat) -> None:
    """An unknown state in the `states` argument is an error of the query."""
    query = '{ project(fullPath: "acme/site") { environments(states: ["gone"]) { nodes { name } } } }'

    assert ["Requested states are invalid"] == list_messages(post_query(fakeplat, "rep", query))
