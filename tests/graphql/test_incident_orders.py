"""Orders of incidents, and filters that lists of issues had once. Source: docs/platform/issues.md ('Lists')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import list_messages, query_project, query_refused

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
ISSUES: Final[list[dict[str, Any]]] = [
    {"title": "Late", "type": "incident", "escalation_status": "resolved", "sla_due_at": "2020-12-01T00:00:00Z"},
    {"title": "Soon", "type": "incident", "escalation_status": "acknowledged", "sla_due_at": "2020-11-01T00:00:00Z"},
    {"title": "Any", "type": "incident"},
    {"title": "Plain", "health_status": "at_risk", "sla_due_at": "2020-10-01T00:00:00Z"},
]
SITE: Final[dict[str, Any]] = {**ACME["projects"][0], "issues": [{**issue, "author": "rep"} for issue in ISSUES]}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [{**ACME, "projects": [SITE]}]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate", clock="virtual", scenario=SCENARIO)


def list_titles(fake: Fakeplat, field: str, arguments: str) -> list[str]:
    nodes = query_project(fake, "rep", f"{field}({arguments}) {{ nodes {{ title }} }}")[field]["nodes"]
    return [node["title"] for node in nodes]


@pytest.mark.parametrize("field", ["issues", "workItems"])
@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("ESCALATION_STATUS_ASC", ["Any", "Soon", "Late", "Plain"]),
        ("ESCALATION_STATUS_DESC", ["Late", "Soon", "Any", "Plain"]),
    ],
)
def test_incidents_are_sorted_by_their_status(fakeplat: Fakeplat, field: str, sort: str, titles: list[str]) -> None:
    """From triggered to resolved or the other way round; what has no status comes last."""
    assert titles == list_titles(fakeplat, field, f"sort: {sort}")


@pytest.mark.parametrize(
    ("sort", "titles"), [("SLA_DUE_AT_ASC", ["Soon", "Late", "Any"]), ("SLA_DUE_AT_DESC", ["Late", "Soon", "Any"])]
)
def test_incidents_are_sorted_by_their_deadline(fakeplat: Fakeplat, sort: str, titles: list[str]) -> None:
    """Only incidents are listed, those without a deadline last."""
    assert titles == list_titles(fakeplat, "issues", f"sort: {sort}")


def test_only_incidents_have_a_deadline(fakeplat: Fakeplat) -> None:
    """The deadline of another issue is not shown; nobody writes comments by e-mail."""
    nodes = query_project(fakeplat, "rep", "issues(sort: TITLE_ASC) { nodes { slaDueAt createNoteEmail } }")["issues"]

    assert [None, "2020-12-01T00:00:00Z", None, "2020-11-01T00:00:00Z"] == [node["slaDueAt"] for node in nodes["nodes"]]
    assert {None} == {node["createNoteEmail"] for node in nodes["nodes"]}


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_has_no_deadlines(fakeplat: Fakeplat) -> None:
    """Deadlines of incidents are a paid feature."""
    nodes = query_project(fakeplat, "rep", "issues { nodes { slaDueAt } }")["issues"]["nodes"]

    assert {None} == {node["slaDueAt"] for node in nodes}


@pytest.mark.fakeplat(version="15.11")
def test_the_health_status_was_a_filter_of_its_own(fakeplat: Fakeplat) -> None:
    """Before healthStatusFilter replaced it, healthStatus had one of the statuses."""
    assert ["Plain"] == list_titles(fakeplat, "issues", "healthStatus: atRisk")


def test_the_health_status_is_no_filter_any_more(fakeplat: Fakeplat) -> None:
    """The argument ended with 16.0."""
    query = '{ project(fullPath: "acme/site") { issues(healthStatus: atRisk) { nodes { title } } } }'
    (message,) = list_messages(query_refused(fakeplat, "rep", query))

    assert message.startswith("Field 'issues' doesn't accept argument 'healthStatus'")
