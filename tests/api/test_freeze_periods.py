"""Freeze periods of projects."""

from typing import Any

import pytest

from fakeplat.core.timestamps import from_iso
from fakeplat.domain.deployments import freeze_periods
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CRON_TEXT
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, Outcome, invalid, invalid_record, refusal
from tests.by_release import by_release

# The world starts on a Friday.
pytestmark = [pytest.mark.every_release, STARTER_AT_NINE]
PATH = "projects/acme%2Fsite/freeze_periods"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
WEEKEND = {"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"}
SYNTAX = [" is invalid syntax"]


def create_freeze_period(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("mia").post(PATH, json={**WEEKEND, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def test_a_freeze_period_has_a_start_an_end_and_a_zone(fakeplat: Fakeplat) -> None:
    """The zone is UTC unless it is given."""
    period = create_freeze_period(fakeplat)

    times = {"created_at": "2020-11-20T09:00:00.000Z", "updated_at": "2020-11-20T09:00:00.000Z"}
    assert {"id": period["id"], **WEEKEND, "cron_timezone": "UTC", **times} == period
    assert period == fakeplat.as_user("mia").get(f"{PATH}/{period['id']}").json()
    assert "Berlin" == create_freeze_period(fakeplat, cron_timezone="Berlin")["cron_timezone"]


def test_the_oldest_comes_first(fakeplat: Fakeplat) -> None:
    """The list is sorted by the time of creation."""
    periods = [create_freeze_period(fakeplat), create_freeze_period(fakeplat, freeze_start="0 1 * * *")]

    assert periods == fakeplat.as_user("mia").get(PATH).json()


def test_maintainers_update_and_delete_a_freeze_period(fakeplat: Fakeplat) -> None:
    """An update of a freeze period keeps what is not sent and strips its expressions."""
    period, mia = create_freeze_period(fakeplat), fakeplat.as_user("mia")
    fakeplat.clock.advance("1m")
    changed = mia.put(f"{PATH}/{period['id']}", json={"freeze_start": " 0 22 * * 5 ", "freeze_end": "5 4 * * sun"})

    expected = {**period, "freeze_start": "0 22 * * 5", "freeze_end": "5 4 * * sun"}
    assert (200, expected | {"updated_at": changed.json()["updated_at"]}) == (changed.status, changed.json())
    assert period["updated_at"] < changed.json()["updated_at"]
    assert STALE == refusal(fakeplat, "mia", "DELETE", f"{PATH}/{period['id']}", headers=LONG_AGO)
    assert 204 == mia.delete(f"{PATH}/{period['id']}").status
    assert [] == mia.get(PATH).json()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"freeze_start": "0 23 * * 5"}, invalid("freeze_end is missing")),
        ({}, invalid("freeze_start is missing, freeze_end is missing")),
        ({**WEEKEND, "freeze_end": "0 0 0 * *"}, invalid_record(freeze_end=SYNTAX)),
        ({**WEEKEND, "freeze_start": "daily"}, invalid_record(freeze_start=SYNTAX)),
        ({**WEEKEND, "freeze_start": ""}, invalid_record(freeze_start=[*SYNTAX, "can't be blank"])),
        ({**WEEKEND, "cron_timezone": "Nowhere"}, invalid_record(cron_timezone=SYNTAX)),
    ],
)
@pytest.mark.fakeplat(releases="<18.9")
def test_invalid_freeze_periods_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Missing expressions by the parameters, wrong ones by the record."""
    assert expected == refusal(fakeplat, "mia", "POST", PATH, json=body)


@pytest.mark.fakeplat(releases="<18.9")
def test_an_invalid_update_is_refused(fakeplat: Fakeplat) -> None:
    """The freeze period stays as it was."""
    period = create_freeze_period(fakeplat)

    path = f"{PATH}/{period['id']}"
    assert invalid_record(freeze_start=SYNTAX) == refusal(
        fakeplat, "mia", "PUT", path, json={"freeze_start": "0 0 0 * *"}
    )


def test_a_freeze_period_of_another_project_is_not_found(fakeplat: Fakeplat) -> None:
    """Ids are looked up in the project; without the permission the id makes no difference."""
    period = create_freeze_period(fakeplat)
    elsewhere = f"projects/acme%2Fdocs/freeze_periods/{period['id']}"

    for method in ("GET", "PUT", "DELETE"):
        assert NOT_FOUND == refusal(fakeplat, "root", method, elsewhere)
        assert FORBIDDEN == refusal(fakeplat, "eve", method, "projects/acme%2Fdocs/freeze_periods/0")


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2020-11-20T22:59:59Z", False),
        ("2020-11-20T23:00:01Z", True),
        ("2020-11-22T12:00:00Z", True),
        ("2020-11-23T06:59:59Z", True),
        ("2020-11-23T07:00:01Z", False),
    ],
)
def test_a_project_is_frozen_between_the_start_and_the_end(fakeplat: Fakeplat, time: str, expected: bool) -> None:
    """A project is frozen between the start and end of its period."""
    create_freeze_period(fakeplat)

    world = fakeplat.bench.platform.view
    projects = {project.path: project for project in world.projects.all()}
    assert expected is freeze_periods.is_frozen(world, projects["site"], from_iso(time))
    assert not freeze_periods.is_frozen(world, projects["docs"], from_iso(time))


def test_the_zone_decides_when_a_period_starts(fakeplat: Fakeplat) -> None:
    """The time zone of a freeze period decides when it starts."""
    create_freeze_period(fakeplat, cron_timezone="Berlin")

    world = fakeplat.bench.platform.view
    site = next(project for project in world.projects.all() if project.path == "site")
    times = ("2020-11-20T21:59:00Z", "2020-11-20T22:01:00Z")
    assert [False, True] == [freeze_periods.is_frozen(world, site, from_iso(time)) for time in times]


@by_release(CRON_TEXT, "text", {"18.8": " is invalid syntax", "18.9": "syntax is invalid"})
def test_the_text_of_invalid_crons(fakeplat: Fakeplat, text: str) -> None:
    """Invalid crons and time zones of freeze periods and schedules are refused with the same text."""
    freeze = invalid_record(freeze_end=[text], cron_timezone=[text])
    body = {**WEEKEND, "freeze_end": "0 0 0 * *", "cron_timezone": "Nowhere"}
    assert freeze == refusal(fakeplat, "mia", "POST", PATH, json=body)
    schedule = {"description": "x", "ref": "feature", "cron": "daily", "cron_timezone": "Nowhere"}
    path = "projects/acme%2Fsite/pipeline_schedules"
    expected = invalid_record(cron_timezone=[text], cron=[text])
    assert expected == refusal(fakeplat, "mia", "POST", path, json=schedule)
