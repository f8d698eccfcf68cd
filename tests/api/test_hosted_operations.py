"""Operations of the hosted offering on other instances, and what nothing indexes.

Sources: docs/platform/namespaces.md, docs/platform/settings.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, outcome, refusal
from tests.scenario.worlds import create_platform, reload_export

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


@pytest.mark.fakeplat(hosted=True)
def test_administrators_exclude_namespaces_from_limits(fakeplat: Fakeplat) -> None:
    """On the hosted offering administrators say which top-level namespaces have unlimited storage, and why."""
    root, acme = fakeplat.as_user("root"), fakeplat.world.group("acme")
    created = root.post(EXCLUSION, json={"reason": "large"})
    shown = {"id": created.json()["id"], "namespace_id": acme.id, "namespace_name": "Acme", "reason": "large"}
    user = root.post(EXCLUSION.replace("acme", "ada"), json={"reason": "old"}).json()

    assert (201, shown) == outcome(created)
    assert (200, [shown, user]) == outcome(root.get(LIST))
    assert "2" == root.get(f"{LIST}?per_page=1").headers["X-Total"]
    assert (204, [user]) == (root.delete(EXCLUSION).status, root.get(LIST).json())


@pytest.mark.fakeplat(hosted=True)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_exclusions_that_are_refused(fakeplat: Fakeplat, method: str) -> None:
    """A namespace is excluded once, and only one of the top level; other users are refused."""

    def refused(path: str, by: str | None = "root", **body: Any) -> Outcome:
        rest = {"json": {"reason": "large", **body}} if method == "POST" else {}
        return refusal(fakeplat, by, method, path, **rest)

    def bad(text: str) -> Outcome:
        return 400, {"message": f"400 Bad request - {text}"}

    assert (404, {"message": "404 Namespace Not Found"}) == refused(EXCLUSION.replace("acme", "none"))
    assert bad("must use a root namespace") == refused(EXCLUSION.replace("acme", "acme%2Ftools"))
    assert FORBIDDEN == refused(EXCLUSION, "ada")
    assert UNAUTHORIZED == refused(EXCLUSION, None)
    if method == "DELETE":
        assert bad("not excluded") == refused(EXCLUSION)
        return
    for blank in ("", None):
        assert (400, {"message": {"reason": ["can't be blank"]}}) == refused(EXCLUSION, reason=blank)
    fakeplat.as_user("root").post(EXCLUSION, json={"reason": "large"})
    assert bad("already excluded") == refused(EXCLUSION)


def test_exclusions_survive_a_round_trip() -> None:
    """The exclusions of groups and users are in the export of a world, and end with their namespace."""
    excluded = {"storage_limit_exclusions": [{"reason": "large"}]}
    world = {"users": [{"username": "dev", **excluded}], "groups": [{"full_path": "acme", **excluded}]}
    for platform in (create_platform(world), reload_export(create_platform(world))):
        view = platform.view
        rows = view.storage_limit_exclusions.all()
        assert [("acme", "large"), ("dev", "large")] == sorted(
            (view.namespaces[row.namespace_id].path, row.reason) for row in rows
        )


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
