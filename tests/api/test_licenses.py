"""Licences of a paid instance.

Source: docs/platform/version-and-metadata.md, ee/spec/requests/api/license_spec.rb of the platform.
"""

import csv
import io
import json
from base64 import b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, Outcome, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z")
KEY: dict[str, Any] = {
    "licensee": {"Name": "Ada Example", "Company": "Acme"},
    "starts_at": "2020-10-20",
    "expires_at": "2021-10-20",
}
INVALID: Outcome = (
    400,
    {"message": "The license key is invalid. Make sure it is exactly as you received it from GitLab Inc."},
)
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def encoded(**attributes: Any) -> str:
    """Return a key in lines, as they are sent by mail."""
    text = b64encode(json.dumps({**KEY, **attributes}).encode()).decode()
    return "\n".join(text[at : at + 60] for at in range(0, len(text), 60)) + "\n"


def shown(fake: Fakeplat, path: str = "license") -> Any:
    reply = fake.as_user("root").get(path)
    assert 200 == reply.status
    return reply.json()


def add(fake: Fakeplat, key: str) -> dict[str, Any]:
    reply = fake.as_user("root").post("license", json={"license": key})
    assert 201 == reply.status
    return dict(reply.json())


@pytest.mark.parametrize("key", [json.dumps(KEY), encoded()], ids=["json", "base64"])
def test_a_licence_is_added(fakeplat: Fakeplat, key: str) -> None:
    """It counts from then on; the one before it stays in the list."""
    before = shown(fakeplat)
    added = add(fakeplat, key)

    assert added == shown(fakeplat)
    assert KEY == {name: added[name] for name in KEY}
    expected = {"plan": "silver", "expired": False, "overage": 0, "user_limit": 0, "active_users": 8, "add_ons": {}}
    assert expected == {name: added[name] for name in expected}
    assert "2020-11-20T09:00:00.000Z" == added["created_at"]
    del before["active_users"], added["active_users"]
    assert [before, added] == shown(fakeplat, "licenses")


def test_the_restrictions_of_a_licence_are_shown(fakeplat: Fakeplat) -> None:
    """The plan, the add-ons, the limit of users, and how many users are above it."""
    restrictions = {"plan": "ultimate", "active_user_count": 5, "add_ons": {"GitLab_Geo": 1}}
    added = add(fakeplat, encoded(restrictions=restrictions))

    assert ("ultimate", 5, 3) == (added["plan"], added["user_limit"], added["overage"])
    assert {"GitLab_Geo": 1} == added["add_ons"]


def test_a_licence_without_an_end_never_expires(fakeplat: Fakeplat) -> None:
    """Older keys name the first day `issued_at`."""
    added = add(fakeplat, json.dumps({"licensee": KEY["licensee"], "issued_at": "2015-01-01"}))

    assert ("2015-01-01", None, False) == (added["starts_at"], added["expires_at"], added["expired"])


@pytest.mark.parametrize(
    "key",
    [
        "foo",
        "",
        "Zm9v",
        "[]",
        encoded(licensee={}),
        encoded(licensee="Acme"),
        encoded(starts_at=None),
        encoded(starts_at="soon"),
        encoded(expires_at=7),
        encoded(restrictions=["plan"]),
        encoded(restrictions={"plan": 7}),
        encoded(restrictions={"active_user_count": "many"}),
        encoded(restrictions={"active_user_count": 10**30}),
        encoded(restrictions={"add_ons": ["GitLab_Geo"]}),
        b64encode(b'{"data": "x", "key": "y", "iv": "z"}').decode(),
    ],
)
def test_a_key_that_cannot_be_read_is_refused(fakeplat: Fakeplat, key: str) -> None:
    """The first error is the message; nothing is added."""
    before = shown(fakeplat, "licenses")

    assert INVALID == refusal(fakeplat, "root", "POST", "license", json={"license": key})
    assert before == shown(fakeplat, "licenses")


def test_a_licence_that_has_expired_is_refused(fakeplat: Fakeplat) -> None:
    """From its last day on; nothing is added."""
    before = shown(fakeplat)
    for day, status in (("2020-11-20", 400), ("2020-11-21", 201)):
        assert status == fakeplat.as_user("root").post("license", json={"license": encoded(expires_at=day)}).status
        if status == 400:
            assert before == shown(fakeplat)
    key = encoded(expires_at="2020-11-19")
    assert (400, {"message": "This license has already expired."}) == refusal(
        fakeplat, "root", "POST", "license", json={"license": key}
    )


def test_a_licence_expires(fakeplat: Fakeplat) -> None:
    """On the day that it names."""
    add(fakeplat, encoded(expires_at="2020-11-21"))
    before = shown(fakeplat)["expired"]
    fakeplat.clock.advance("15h")

    assert (False, True) == (before, shown(fakeplat)["expired"])


def test_a_licence_is_deleted(fakeplat: Fakeplat) -> None:
    """The one before it counts again; without any, null is shown."""
    first = shown(fakeplat)
    added = add(fakeplat, encoded())
    root = fakeplat.as_user("root")

    assert 204 == root.delete(f"license/{added['id']}").status
    assert first == shown(fakeplat)
    assert NOT_FOUND == refusal(fakeplat, "root", "DELETE", f"license/{added['id']}")
    assert 204 == root.delete(f"license/{first['id']}").status
    assert shown(fakeplat) is None
    assert [] == shown(fakeplat, "licenses")


def test_the_key_is_required(fakeplat: Fakeplat) -> None:
    """And the id is a number."""
    assert (400, {"error": "license is missing"}) == refusal(fakeplat, "root", "POST", "license", json={})
    assert (400, {"error": "id is invalid"}) == refusal(fakeplat, "root", "DELETE", "license/first")


@pytest.mark.parametrize("user", ["dev", "ada"])
def test_licences_are_for_administrators(fakeplat: Fakeplat, user: str) -> None:
    """403 before the parameters are read, and nothing changes."""
    before = shown(fakeplat, "licenses")

    assert FORBIDDEN == refusal(fakeplat, user, "POST", "license", json={})
    assert FORBIDDEN == refusal(fakeplat, user, "DELETE", f"license/{before[0]['id']}")
    assert before == shown(fakeplat, "licenses")


@pytest.mark.fakeplat(scenario="starter", tier="free")
def test_the_free_tier_has_no_licences(fakeplat: Fakeplat) -> None:
    """It is the edition without paid code."""
    expected = (404, {"message": "404 Not Found"})

    assert expected == refusal(fakeplat, "root", "POST", "license", json={"license": encoded()})
    assert expected == refusal(fakeplat, "root", "DELETE", "license/1")


LICENSED = {"license": {"licensee": {"Name": "Acme"}, "expires_at": "2020-11-01", "user_limit": 3, "plan": "premium"}}


@pytest.mark.fakeplat(scenario=LICENSED)
def test_a_scenario_says_which_licence_there_is(fakeplat: Fakeplat) -> None:
    """Also one that has expired; what it leaves out is as in the licence that a paid instance begins with."""
    licence = shown(fakeplat)

    assert ({"Name": "Acme"}, True, 3, "premium") == (
        licence["licensee"],
        licence["expired"],
        licence["user_limit"],
        licence["plan"],
    )
    assert "2020-11-20" == licence["starts_at"]
    assert 1 == len(shown(fakeplat, "licenses"))


@pytest.mark.fakeplat(version="latest")
def test_a_licence_is_shown_by_its_id(fakeplat: Fakeplat) -> None:
    """Later releases show each licence with the number of active users, and count these again on request."""
    added, calls = add(fakeplat, json.dumps(KEY)), fakeplat.as_user("root")
    path = f"license/{added['id']}"
    reply = calls.put(f"{path}/refresh_billable_users")

    assert added == shown(fakeplat, path)
    assert (202, {"success": True}) == (reply.status, reply.json())


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(("method", "path"), [("GET", "license/1"), ("PUT", "license/1/refresh_billable_users")])
def test_refusals_of_licences_by_id(fakeplat: Fakeplat, method: str, path: str) -> None:
    """A licence is for administrators, and an unknown one is not found."""
    assert FORBIDDEN == refusal(fakeplat, "ada", method, path)
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", method, path)


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("ending", ["", ".csv"])
def test_the_use_of_the_licence_is_exported(fakeplat: Fakeplat, ending: str) -> None:
    """The CSV begins with the licence, whose missing values are empty; its key adds the same licence again."""
    licensee = {"Name": "Ada Example", "Company": "Acme, Inc.", "Email": "ada@example.test"}
    added = add(fakeplat, encoded(licensee=licensee, expires_at=None, restrictions={"active_user_count": 9}))
    reply = fakeplat.as_user("root").get(f"license/usage_export{ending}")
    key, *rest = csv.reader(io.StringIO(reply.text))

    assert (200, "text/csv", "License Key") == (reply.status, reply.headers["Content-Type"], key[0])
    assert [
        ["Email", "ada@example.test"],
        ["License Start Date", "2020-10-20"],
        ["License End Date", ""],
        ["Company", "Acme, Inc."],
        ["Generated At", "2020-11-20 09:00:00"],
        ["", ""],
        ["Date", "Billable User Count"],
    ] == rest
    assert 'License End Date,\nCompany,"Acme, Inc."\nGenerated At,2020-11-20 09:00:00\n"",""\n' in reply.text
    again = add(fakeplat, key[1])
    assert {**added, "id": again["id"], "created_at": again["created_at"]} == again


@pytest.mark.fakeplat(version="latest")
def test_only_administrators_export_the_use_of_the_licence(fakeplat: Fakeplat) -> None:
    """Others get 403, and without any licence there is nothing to export."""
    root = fakeplat.as_user("root")
    root.delete(f"license/{shown(fakeplat)['id']}")

    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", "license/usage_export")
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "GET", "license/usage_export")
