"""Requests for access to projects and groups. Source: docs/platform/project-members.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.fields import USER
from tests.api.planning_records import ACME, DOCS, MISSING, SITE, create_record, get_json
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    Outcome,
    invalid,
    invalid_record,
    outcome,
    person,
    refusal,
    resource_not_found,
    usernames,
)

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)


@pytest.mark.parametrize(("container", "by"), [(DOCS, "mia"), (ACME, "ada")])
def test_a_request_is_listed_and_approved(fakeplat: Fakeplat, container: str, by: str) -> None:
    """A request is listed until it is approved, by default as Developer."""
    asked = create_record(fakeplat, f"{container}/access_requests", "eve")
    eve, requests = person(fakeplat, "eve"), f"{container}/access_requests"

    assert USER | {"requested_at"} == set(asked)
    assert [asked] == get_json(fakeplat, requests, by)
    approved = fakeplat.as_user(by).put(f"{requests}/{eve}/approve")
    assert (201, 30, "eve") == (approved.status, approved.json()["access_level"], approved.json()["username"])
    assert [] == get_json(fakeplat, requests, by)
    assert 30 == get_json(fakeplat, f"{container}/members/{eve}")["access_level"]
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", requests)


def test_a_request_is_approved_with_a_level(fakeplat: Fakeplat) -> None:
    """A request is approved with any access level that members have; others are refused."""
    create_record(fakeplat, f"{DOCS}/access_requests", "eve")
    path = f"{DOCS}/access_requests/{person(fakeplat, 'eve')}/approve"

    wrong = refusal(fakeplat, "mia", "PUT", path, json={"access_level": 7})
    assert invalid_record(access_level=["is not included in the list"]) == wrong
    assert 20 == fakeplat.as_user("mia").put(path, json={"access_level": 20}).json()["access_level"]


def test_a_second_request_is_refused(fakeplat: Fakeplat) -> None:
    """A user who has requested access cannot request it again."""
    create_record(fakeplat, f"{DOCS}/access_requests", "eve")
    refused = refusal(fakeplat, "eve", "POST", f"{DOCS}/access_requests")
    assert invalid_record(user_id=["already exists in source"]) == refused


def test_requests_can_be_disabled(fakeplat: Fakeplat) -> None:
    """Requests are refused with 403 where they are disabled, and hidden containers are not found."""
    fakeplat.as_user("ada").put(DOCS, json={"request_access_enabled": False})
    fakeplat.as_user("ada").put(ACME, json={"request_access_enabled": False})

    for container, expected in ((DOCS, FORBIDDEN), (ACME, FORBIDDEN), (SITE, resource_not_found("Project"))):
        assert expected == refusal(fakeplat, "eve", "POST", f"{container}/access_requests")


def test_adding_a_requester_ends_the_request(fakeplat: Fakeplat) -> None:
    """Adding a requester turns the request into a membership."""
    create_record(fakeplat, f"{DOCS}/access_requests", "eve")
    create_record(fakeplat, f"{DOCS}/members", user_id=person(fakeplat, "eve"), access_level=10)

    assert [] == get_json(fakeplat, f"{DOCS}/access_requests")


@pytest.mark.parametrize(
    ("by", "method", "end", "expected"),
    [
        ("dev", "PUT", "/{eve}/approve", FORBIDDEN),
        ("eve", "PUT", "/{eve}/approve", FORBIDDEN),
        ("mia", "PUT", "/{gus}/approve", MISSING),
        ("mia", "PUT", "/x/approve", invalid("user_id is invalid")),
        ("dev", "DELETE", "/{eve}", FORBIDDEN),
        ("mia", "DELETE", "/{gus}", MISSING),
        ("dev", "GET", "", FORBIDDEN),
    ],
)
def test_those_who_manage_members_decide_about_requests(
    fakeplat: Fakeplat, by: str, method: str, end: str, expected: Outcome
) -> None:
    """Only those who manage the members decide about requests."""
    create_record(fakeplat, f"{DOCS}/access_requests", "eve")
    ids = {name: person(fakeplat, name) for name in ("eve", "gus")}
    assert expected == refusal(fakeplat, by, method, f"{DOCS}/access_requests{end.format(**ids)}")


@pytest.mark.parametrize("by", ["eve", "mia"])
def test_a_request_is_taken_back_or_refused(fakeplat: Fakeplat, by: str) -> None:
    """A request is deleted by its user or by those who decide about it."""
    create_record(fakeplat, f"{DOCS}/access_requests", "eve")
    path = f"{DOCS}/access_requests/{person(fakeplat, 'eve')}"

    assert STALE == refusal(fakeplat, by, "DELETE", path, headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user(by).delete(path))
    assert [] == usernames(fakeplat.as_user("mia").get(f"{DOCS}/access_requests"))


def test_deleting_users_and_projects_deletes_requests(fakeplat: Fakeplat) -> None:
    """Deleting a user or a project deletes its access requests."""
    create_record(fakeplat, f"{DOCS}/access_requests", "eve")
    create_record(fakeplat, f"{DOCS}/access_requests", "ext")
    fakeplat.as_user("root").delete(f"users/{person(fakeplat, 'eve')}")
    assert ["ext"] == usernames(fakeplat.as_user("mia").get(f"{DOCS}/access_requests"))
    fakeplat.as_user("ada").delete(DOCS)

    assert 0 == len(fakeplat.bench.platform.view.access_requests)
