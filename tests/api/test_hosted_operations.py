"""Operations of the hosted offering on other instances, and what nothing indexes.

Sources: docs/platform/namespaces.md, docs/platform/settings.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, outcome, refusal

pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate")
EXCLUSION, LIST = "namespaces/acme/storage/limit_exclusion", "namespaces/storage/limit_exclusions"
SHARDS = "admin/zoekt/shards"
MISSING: Outcome = (404, {"message": "404 Not found"})


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", LIST, None), ("POST", EXCLUSION, {"reason": "large"}), ("DELETE", EXCLUSION, None)],
)
def test_storage_is_limited_on_the_hosted_offering_only(fakeplat: Fakeplat, method: str, path: str, body: Any) -> None:
    """Administrators are told that the operation is for the hosted offering, whatever the namespace is."""
    product = fakeplat.bench.platform.view.instance.product_name
    refused: Outcome = (403, {"message": f"403 Forbidden - this API is for {product}.com only"})
    rest = {} if body is None else {"json": body}

    assert refused == refusal(fakeplat, "root", method, path, **rest)
    assert FORBIDDEN == refusal(fakeplat, "ada", method, path, **rest)
    assert UNAUTHORIZED == refusal(fakeplat, None, method, path, **rest)


def test_an_exclusion_needs_a_reason(fakeplat: Fakeplat) -> None:
    """The reason is missed before the instance is looked at."""
    assert invalid("reason is missing") == refusal(fakeplat, "root", "POST", EXCLUSION)


@pytest.mark.parametrize("by", ["root", "ada"])
def test_nobody_creates_organizations(fakeplat: Fakeplat, by: str) -> None:
    """The feature flag for new organizations is off on every instance, also for administrators."""
    assert invalid("name is missing, path is missing") == refusal(fakeplat, by, "POST", "organizations")
    body = {"name": "New", "path": "new"}
    assert FORBIDDEN == refusal(fakeplat, by, "POST", "organizations", json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", "organizations", json=body)


def test_nothing_indexes_code(fakeplat: Fakeplat) -> None:
    """There are no nodes for exact code search, and projects are indexed only if the setting is on."""
    root, project = fakeplat.as_user("root"), fakeplat.world.project("acme/site").id
    off: Outcome = invalid("application setting zoekt_indexing_enabled is not enabled")
    index, namespace = f"admin/zoekt/projects/{project}/index", f"{SHARDS}/1/indexed_namespaces/1"

    assert (200, []) == outcome(root.get(SHARDS))
    assert off == refusal(fakeplat, "root", "PUT", index) == refusal(fakeplat, "root", "PUT", namespace)
    root.put("application/settings", json={"zoekt_indexing_enabled": True})
    assert ["job_id"] == list(root.put(index).json())
    assert MISSING == refusal(fakeplat, "root", "PUT", "admin/zoekt/projects/1/index")
    for method, path in (("PUT", namespace), ("DELETE", namespace), ("GET", f"{SHARDS}/1/indexed_namespaces")):
        assert MISSING == refusal(fakeplat, "root", method, path)
