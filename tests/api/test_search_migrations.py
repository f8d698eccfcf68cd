"""Migrations of the index of advanced search. Source: docs/platform/version-and-metadata.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, refusal

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
