"""The cache of the dependency proxy, and the configuration of Cargo. Source: docs/platform/packages.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DEPENDENCY_PROXY_IS_PURGED_LATER
from tests.api.company import COMPANY
from tests.api.package_files import list_statuses
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
CACHE = "groups/acme/dependency_proxy/cache"


def test_owners_delete_the_cache_once_an_hour(fakeplat: Fakeplat) -> None:
    """An Owner deletes the cache, and is refused for an hour after that, as everybody is."""
    assert "403 403 403 403 403 403 403 202 202" == list_statuses(fakeplat, "DELETE", CACHE)
    reply = fakeplat.as_user("ada").delete(CACHE)
    assert (202, 202) == (reply.status, reply.json())
    message = (
        "This request has already been made. It may take some time to purge the cache. "
        "You can run this at most once an hour for a given group"
    )
    for user in ("ada", "root"):
        reply = fakeplat.as_user(user).delete(CACHE)
        assert (409, {"message": message}) == (reply.status, reply.json())
    fakeplat.clock.advance("59m")
    assert 409 == fakeplat.as_user("ada").delete(CACHE).status
    fakeplat.clock.advance("1m")
    assert 202 == fakeplat.as_user("ada").delete(CACHE).status


@by_release(DEPENDENCY_PROXY_IS_PURGED_LATER, "status", {"14.0": 204, "14.10": 202})
def test_older_releases_answer_without_a_body(fakeplat: Fakeplat, status: int) -> None:
    """Older releases delete the cache and answer 204 without a body."""
    assert status == fakeplat.as_user("ada").delete(CACHE).status


@pytest.mark.fakeplat(version="13.5", tier="free")
def test_the_cache_is_paid_before_13_6(fakeplat: Fakeplat) -> None:
    """At 13.5 the dependency proxy needs Premium."""
    reply = fakeplat.as_user("ada").delete(CACHE)
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())
