"""The licence of the instance, by GraphQL. Source: docs/platform/version-and-metadata.md."""

import json
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused

LICENSE: dict[str, Any] = {
    "starts_at": "2020-11-01",
    "expires_at": "2021-11-01",
    "licensee": {"Name": "Ada Example", "Company": "Acme"},
    "user_limit": 5,
}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario={"extends": "starter"})
QUERY = """{ currentLicense { type plan name email company startsAt expiresAt blockChangesAt lastSync
    usersInLicenseCount billableUsersCount maximumUserCount usersOverLicenseCount } }"""


@pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario={**COMPANY, "license": {**LICENSE}})
def test_administrators_read_the_license(fakeplat: Fakeplat) -> None:
    """An administrator reads the licence, whose features end two weeks after it."""
    count = fakeplat.as_user("root").get("license").json()["active_users"]

    assert {
        "type": "license_file",
        "plan": "silver",
        "name": "Ada Example",
        "email": None,
        "company": "Acme",
        "startsAt": "2020-11-01",
        "expiresAt": "2021-11-01",
        "blockChangesAt": "2021-11-15",
        "lastSync": None,
        "usersInLicenseCount": 5,
        "billableUsersCount": count,
        "maximumUserCount": count,
        "usersOverLicenseCount": count - 5,
    } == query_data(fakeplat, "root", QUERY)["currentLicense"]


@pytest.mark.parametrize("by", [None, "dev"])
def test_others_do_not_read_the_license(fakeplat: Fakeplat, by: str | None) -> None:
    """The licence is hidden from everybody but administrators."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, QUERY))


@pytest.mark.fakeplat(version="latest", tier="free", clock="virtual", scenario=COMPANY)
def test_a_free_instance_has_no_license(fakeplat: Fakeplat) -> None:
    """An instance of the free tier has no licence to show."""
    assert {"currentLicense": None} == query_data(fakeplat, "root", QUERY)


HISTORY = "{ licenseHistoryEntries { nodes { id type plan company startsAt createdAt usersInLicenseCount } } }"


@pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario={**COMPANY, "license": {**LICENSE}})
def test_administrators_read_the_history_of_licenses(fakeplat: Fakeplat) -> None:
    """Administrators read all licences of the instance, the one that starts last first."""
    key = {"starts_at": "2020-11-10", "expires_at": "2021-05-01", "licensee": {"Company": "Next"}, "plan": "ultimate"}
    added = fakeplat.as_user("root").post("license", json={"license": json.dumps(key)})
    assert 201 == added.status, added.text
    rows = query_data(fakeplat, "root", HISTORY)["licenseHistoryEntries"]["nodes"]
    assert [("Next", "2020-11-10"), ("Acme", "2020-11-01")] == [(row["company"], row["startsAt"]) for row in rows]
    assert str(added.json()["id"]) == rows[0]["id"]
    assert {"license_file"} == {row["type"] for row in rows}
    assert 5 == rows[1]["usersInLicenseCount"]


@pytest.mark.parametrize("by", [None, "dev"])
def test_others_do_not_read_the_history_of_licenses(fakeplat: Fakeplat, by: str | None) -> None:
    """The history of licences is hidden from everybody but administrators."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, HISTORY))
