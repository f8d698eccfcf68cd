"""The orders by time of lists, also under the names that the platform gave them first.

Source: app/graphql/types/sort_enum.rb and doc/api/graphql/reference/_index.md of 18.9.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_data

EARLY, LATE = "2020-11-01T00:00:00Z", "2020-11-02T00:00:00Z"
MILESTONES = [{"title": "a", "created_at": LATE}, {"title": "b", "created_at": EARLY}]
CONTACTS = [{"first_name": name, "last_name": "x", "created_at": at} for name, at in (("a", LATE), ("b", EARLY))]
LOGS = [
    {"user": "ada", "time_spent": 60, "created_at": at, "spent_at": spent}
    for at, spent in ((LATE, EARLY), (EARLY, LATE))
]
SCENARIO: dict[str, Any] = {
    "users": [{"username": "ada"}, {"username": "mia"}],
    "groups": [
        {
            "path": "acme",
            "members": [
                {"username": "ada", "access_level": "owner", "created_at": LATE},
                {"username": "mia", "access_level": "developer", "created_at": EARLY},
            ],
            "crm_contacts": CONTACTS,
            "crm_organizations": [{"name": "a", "created_at": LATE}, {"name": "b", "created_at": EARLY}],
            "projects": [
                {"path": "a", "starrers": ["ada"], "created_at": LATE, "milestones": MILESTONES},
                {
                    "path": "b",
                    "starrers": ["ada"],
                    "created_at": EARLY,
                    "issues": [{"title": "One", "timelogs": LOGS}],
                },
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", scenario=SCENARIO)
LISTS = {
    "projects": "currentUser {{ starredProjects(sort: {}) {{ nodes {{ name: path }} }} }}",
    "milestones": 'project(fullPath: "acme/a") {{ milestones(sort: {}) {{ nodes {{ name: title }} }} }}',
    "contacts": 'group(fullPath: "acme") {{ contacts(sort: {}) {{ nodes {{ name: firstName }} }} }}',
    "organizations": 'group(fullPath: "acme") {{ organizations(sort: {}) {{ nodes {{ name }} }} }}',
    "members": 'group(fullPath: "acme") {{ groupMembers(sort: {}) {{ nodes {{ name: createdAt }} }} }}',
    "timelogs": 'timelogs(username: "ada", sort: {}) {{ nodes {{ name: spentAt }} }}',
}


def list_names(fake: Fakeplat, kind: str, order: str) -> list[str]:
    """Return what tells the rows of a list apart."""
    found = query_data(fake, "ada", f"{{ {LISTS[kind].format(order)} }}")
    while "nodes" not in found:
        (found,) = found.values()
    return [node["name"] for node in found["nodes"]]


@pytest.mark.parametrize("kind", LISTS)
def test_orders_by_creation(fakeplat: Fakeplat, kind: str) -> None:
    """The order in small letters is the other one, and descending is the reverse of ascending."""
    ascending = list_names(fakeplat, kind, "CREATED_ASC")

    assert 2 == len(set(ascending))
    assert ascending == list_names(fakeplat, kind, "created_asc")
    assert ascending[::-1] == list_names(fakeplat, kind, "created_desc") == list_names(fakeplat, kind, "CREATED_DESC")


@pytest.mark.parametrize("kind", LISTS)
def test_orders_by_the_last_update(fakeplat: Fakeplat, kind: str) -> None:
    """Each list is also ordered by the last update."""
    assert list_names(fakeplat, kind, "UPDATED_DESC") == list_names(fakeplat, kind, "updated_desc")


def test_the_oldest_is_first(fakeplat: Fakeplat) -> None:
    """Ascending orders by time begin with the oldest."""
    assert ["b", "a"] == list_names(fakeplat, "projects", "CREATED_ASC")
    assert ["b", "a"] == list_names(fakeplat, "milestones", "created_asc")
    assert ["b", "a"] == list_names(fakeplat, "contacts", "CREATED_ASC")
    assert [LATE, EARLY] == list_names(fakeplat, "timelogs", "CREATED_ASC")
