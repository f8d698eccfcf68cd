"""The forms of the console, which work without a script."""

import pytest

from fakeplat.core.timestamps import to_iso
from tests.console.conftest import Console, Document

START = "2020-11-20T09:00:00.000Z"
ISSUES = "projects/acme%2Fsite/issues"


def read_clock(console: Console) -> str:
    return to_iso(console.bench.platform.clock.now())


def test_a_form_leads_back_to_its_page(console: Console) -> None:
    """A form redirects to its page with 303, so that a reload does not repeat it."""
    response = console.post("console/clock", advance="1h")
    assert (303, "/_fakeplat/console/clock") == (response.status, dict(response.headers)["Location"])


def test_the_clock_is_advanced(console: Console) -> None:
    """The clock form advances by a duration, to a time, or until nothing is scheduled."""
    console.post("console/clock", advance="1h30m")
    assert "2020-11-20T10:30:00.000Z" == read_clock(console)
    console.post("console/clock", now="2020-12-01T00:00:00Z")
    assert "2020-12-01T00:00:00.000Z" == read_clock(console)
    assert 303 == console.post("console/clock", settle="1").status
    assert "2020-12-01 00:00:00" in console.get("console/clock").text


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"advance": "soon"}, "soon"),
        ({"now": "2019-01-01T00:00:00Z"}, "time cannot go back; restore a snapshot instead"),
        ({"now": "tomorrow"}, "tomorrow"),
        ({}, ""),
    ],
)
def test_a_time_that_cannot_be_is_refused(console: Console, fields: dict[str, str], error: str) -> None:
    """An invalid time gets 400 with the reason and does not change the clock."""
    page = Document(console.post("console/clock", **fields))
    assert (400, True, START) == (page.status, error in page.text, read_clock(console))


def test_a_fault_is_injected_and_removed(console: Console) -> None:
    """A fault from the form applies to the matching requests until it is removed."""
    console.post("console/faults", outcome="status:503", operation="list_issues", nth="2", retry_after="7")
    assert [200, 503, 200] == [console.ask("GET", "issues?scope=all", "ada").status for _ in range(3)]
    assert "1 status 503 operation list_issues request 2 3 1 Remove" in console.get("console/faults").text
    console.post("console/faults/remove", id="1")
    assert 0 == len(console.bench.interceptors.faults)


@pytest.mark.parametrize(
    ("fields", "declared"),
    [
        ({"outcome": "connection:lost_reply", "method": "POST"}, {"connection": "lost_reply", "method": "POST"}),
        ({"outcome": "latency", "latency": "2s", "chance": "0.5"}, {"latency": "2s", "chance": 0.5}),
        ({"outcome": "content_type:text/html", "once": "1"}, {"content_type": "text/html", "once": True}),
    ],
)
def test_every_kind_of_fault_can_be_injected(
    console: Console, fields: dict[str, str], declared: dict[str, object]
) -> None:
    """The form can declare every kind of fault."""
    assert 303 == console.post("console/faults", **fields).status
    (fault,) = console.bench.interceptors.faults.list()
    assert {"id": 1, **declared, "seen": 0, "happened": 0} == fault.as_dict()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"outcome": "status:503", "nth": "x"}, "fault: nth must be a number, not 'x'"),
        ({"outcome": "status:503", "operation": "no_such"}, "there is no operation 'no_such'"),
        ({"outcome": "status:799"}, "status must be between 200 and 599"),
        ({"outcome": "status:x"}, "give a status, a connection, a content_type or a latency"),
        ({"outcome": "colour:red"}, "colour"),
        ({}, "give a status, a connection, a content_type or a latency"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(console: Console, fields: dict[str, str], error: str) -> None:
    """An invalid fault gets 400 with the reason, and the fields keep their values."""
    page = Document(console.post("console/faults", **fields))
    assert (400, True, 0) == (page.status, error in page.text, len(console.bench.interceptors.faults))
    assert fields.get("nth", "") in page.all("input", "value")


def test_all_faults_are_removed(console: Console) -> None:
    """A form without an id removes all faults, and an unknown id removes none."""
    console.post("console/faults", outcome="status:503")
    console.post("console/faults/remove", id="9")
    assert 1 == len(console.bench.interceptors.faults)
    console.post("console/faults/remove")
    assert 0 == len(console.bench.interceptors.faults)


def test_a_snapshot_is_taken_compared_restored_and_deleted(console: Console) -> None:
    """Snapshots can be taken, compared, restored and deleted with forms."""
    console.post("console/snapshots", name="a/b c")
    console.ask("PUT", f"{ISSUES}/1", "ada", b'{"state_event": "close"}')
    console.ask("POST", ISSUES, "ada", b'{"title": "New"}')
    links = console.get("console/snapshots").links
    assert "/_fakeplat/console/changes?since=a/b%20c" in links
    text = console.get("console/changes?since=a/b%20c").text
    assert "Created Issues 1 acme/site#6" in text
    assert "acme/site#1 Field Before After state opened closed" in text
    console.post("console/snapshots/restore", name="a/b c")
    assert "Nothing has changed since a/b c." in console.get("console/changes?since=a/b%20c").text
    console.post("console/snapshots/delete", name="a/b c")
    assert {} == console.bench.snapshots
    assert 404 == console.post("console/snapshots/restore", name="a/b c").status


def test_changes_are_those_since_the_start_without_a_snapshot(console: Console) -> None:
    """Without a snapshot the page of changes shows those since the start of the world."""
    assert "Nothing has changed since the start of the world." in console.get("console/changes").text
    console.ask("POST", ISSUES, "ada", b'{"title": "New"}')
    assert "acme/site#6" in console.get("console/changes").text


def test_the_world_is_reset(console: Console) -> None:
    """The reset form restores the records and clears the journal and the faults."""
    issues = len(console.bench.platform.view.issues)
    console.post("console/faults", outcome="latency", latency="0")
    console.ask("POST", ISSUES, "ada", b'{"title": "New"}')
    console.post("console/reset")
    assert (0, issues, 0) == (
        len(console.bench.journal),
        len(console.bench.platform.view.issues),
        len(console.bench.interceptors.faults),
    )
