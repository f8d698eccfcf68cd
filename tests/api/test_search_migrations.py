"""Migrations of the index of advanced search. Source: docs/platform/version-and-metadata.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, missing_value, refusal

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest", tier="premium")]
PATH = "admin/search/migrations"
NOT_INDEXED = (400, {"message": "400 Bad request - indexing is not enabled"})


def test_migrations_are_known_while_something_is_indexed(fakeplat: Fakeplat) -> None:
    """Each migration is found by its version and by its name."""
    root = fakeplat.as_user("root")
    assert [NOT_INDEXED] * 2 == [refusal(fakeplat, "root", "GET", path) for path in (PATH, f"{PATH}/1")]
    root.put("application/settings", json={"elasticsearch_indexing": True})

    listed = root.get(PATH).json()
    (row,) = [row for row in listed if row["version"] == 20230426195404]
    assert ("AddHiddenToMergeRequests", True, False, {}) == tuple(
        row[key] for key in ("name", "completed", "obsolete", "migration_state")
    )
    assert row == root.get(f"{PATH}/20230426195404").json()
    assert row == root.get(f"{PATH}/AddHiddenToMergeRequests").json()
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "GET", f"{PATH}/1")
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", PATH)


INDEXED = "elasticsearch_indexed_namespaces"
PLANS = {"groups": [{"full_path": f"g{number}", "plan": "gold"} for number in range(4)]}


def list_indexed(fake: Fakeplat) -> list[str]:
    """Return the paths of the namespaces that are indexed."""
    ids = fake.as_user("root").get("application/settings").json()["elasticsearch_namespace_ids"]
    return [fake.as_user("root").get(f"groups/{id_}").json()["path"] for id_ in ids]


@pytest.mark.fakeplat(scenario=PLANS, hosted=True, tier="ultimate")
def test_namespaces_of_a_plan_are_indexed_by_percentage(fakeplat: Fakeplat) -> None:
    """A rollout only adds namespaces, the oldest first; a rollback only removes some, the newest first."""
    root = fakeplat.as_user("root")

    def put(action: str, percentage: int) -> list[str]:
        reply = root.put(f"{INDEXED}/{action}", json={"plan": "gold", "percentage": percentage})
        assert (200, 24) == (reply.status, len(reply.json()))
        return list_indexed(fakeplat)

    assert ["g0", "g1"] == put("rollout", 50)
    assert ["g0", "g1"] == put("rollout", 25)
    assert ["g0", "g1", "g2", "g3"] == put("rollout", 100)
    assert ["g0", "g1", "g2"] == put("rollback", 75)
    assert ["g0", "g1", "g2"] == put("rollback", 100)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"plan": "gold"}, missing_value("percentage")),
        ({"percentage": 1}, missing_value("plan")),
        ({"plan": "gold", "percentage": 101}, "percentage does not have a valid value"),
        ({"plan": "free", "percentage": 1}, "plan does not have a valid value"),
    ],
)
def test_rollouts_are_checked(fakeplat: Fakeplat, body: dict[str, object], text: str) -> None:
    """The plan and the percentage are required, and have few values."""
    assert (400, {"error": text}) == refusal(fakeplat, "root", "PUT", f"{INDEXED}/rollout", json=body)
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", f"{INDEXED}/rollout", json=body)
