from typing import Any

import pytest

from tests.http.conftest import Ask

ROUTE = "/_fakeplat/faults"


def test_a_fault_is_declared_listed_and_taken_away(ask: Ask) -> None:
    """A fault can be added, read with its counts, and deleted."""
    response = ask("POST", ROUTE, {"operation": "get_version", "status": 503, "nth": 2})
    fault = {"id": 1, "operation": "get_version", "nth": 2, "status": 503, "seen": 0, "happened": 0}
    assert (201, fault) == (response.status, response.json())
    statuses = [ask("GET", "/api/v4/version", Private_Token="ada-token").status for _ in range(3)]
    assert [200, 503, 200] == statuses
    assert {**fault, "seen": 3, "happened": 1} == ask("GET", f"{ROUTE}/1").json()
    assert [{**fault, "seen": 3, "happened": 1}] == ask("GET", ROUTE).json()
    assert 204 == ask("DELETE", f"{ROUTE}/1").status
    assert 404 == ask("DELETE", f"{ROUTE}/1").status
    assert [] == ask("GET", ROUTE).json()


def test_all_faults_are_taken_away_at_once(ask: Ask) -> None:
    """All faults can be deleted at once, and their ids are not reused."""
    for _ in range(2):
        ask("POST", ROUTE, {"path": "*", "status": 500})
    assert 204 == ask("DELETE", ROUTE).status
    assert 200 == ask("GET", "/api/v4/version", Private_Token="ada-token").status
    assert 3 == ask("POST", ROUTE, {"path": "*", "status": 500}).json()["id"]


def test_control_routes_meet_no_fault(ask: Ask) -> None:
    """Faults do not apply to control routes."""
    ask("POST", ROUTE, {"connection": "timeout"})
    assert 200 == ask("GET", "/_fakeplat/health").status
    assert 204 == ask("POST", "/_fakeplat/reset").status
    assert [] == ask("GET", ROUTE).json()


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"operation": "get_versoin", "status": 500}, "did you mean get_version?"),
        ({"operation": "get_version", "stauts": 500}, "did you mean status?"),
        ({"operation": "get_version"}, "give a status, a connection"),
        ({"operation": 7, "status": 500}, "operation must be the name of an operation, not 7"),
        ({"status": 500, "chance": "often"}, "chance must be a number between 0 and 1"),
        ([1], "not a JSON object"),
    ],
)
def test_a_wrong_declaration_is_refused(ask: Ask, body: Any, part: str) -> None:
    """A wrong declaration of a fault gets 400 and a message that says what is wrong."""
    got = ask("POST", ROUTE, body)
    assert 400 == got.status
    assert part in got.json()["error"]


def test_the_changes_since_a_snapshot_are_listed(ask: Ask) -> None:
    """The diff since a snapshot lists created, changed and deleted records by natural key."""
    ask("POST", "/_fakeplat/snapshots/start")
    json = {"Private_Token": "ada-token", "Content_Type": "application/json"}
    ask("POST", "/api/v4/projects", {"name": "Fresh"}, **json)
    ask("PUT", "/api/v4/projects/acme%2Fdocs", {"description": "Other"}, **json)
    changes = ask("GET", "/_fakeplat/diff?since=start").json()
    assert ["ada/fresh"] == changes["created"]["projects"]
    assert "Other" == changes["changed"]["projects"]["acme/docs"]["description"][1]
    assert {} == changes["deleted"]


def test_the_journal_is_filtered_by_all_that_tests_filter_by(ask: Ask) -> None:
    """The journal can be filtered by method, path, credential and a class of statuses."""
    ask("GET", "/api/v4/version", Private_Token="ada-token")
    ask("GET", "/api/v4/projects/acme%2Fdocs")
    for query, paths in (
        ("path=projects/*", ["/api/v4/projects/acme%2Fdocs"]),
        ("credential=personal", ["/api/v4/version"]),
        ("status=2xx&method=get", ["/api/v4/version", "/api/v4/projects/acme%2Fdocs"]),
    ):
        assert paths == [entry["path"] for entry in ask("GET", f"/_fakeplat/requests?{query}").json()]


def test_a_reason_stands_in_a_header_where_it_is_asked_for(ask: Ask) -> None:
    """The reason of a refusal is sent in a header if the request asks for it."""
    got = ask("GET", "/api/v4/projects/1", Private_Token="dev-token", X_Fakeplat_Explain="1")
    assert {"message": "404 Project Not Found"} == got.json()
    assert got.headers["x-fakeplat-reason"].startswith("no project has the id 1")
    assert "x-fakeplat-reason" not in ask("GET", "/api/v4/projects/1", Private_Token="dev-token").headers
