"""Setting the epics of issues by GraphQL. Source: the platform's spec of issues/set_epic."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: dict[str, Any] = COMPANY["groups"][0]
EPICS = [
    {"iid": 1, "title": "Rework", "author": "ada"},
    {"iid": 2, "title": "Secret", "confidential": True, "author": "ada"},
]
SITE: dict[str, Any] = {**ACME["projects"][0], "issues": [{"iid": 1, "title": "Login", "author": "dev"}]}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [{**ACME, "projects": [SITE], "epics": EPICS}]}, version="latest", tier="premium"
)
SET = write_mutation("issueSetEpic", "issue { iid epic { iid title } }")


def epic_id(fake: Fakeplat, iid: int) -> str:
    """Return the global ID of an epic."""
    record = next(each for each in fake.bench.platform.view.epics.all() if each.iid == iid)
    return f"gid://gitlab/Epic/{record.id}"


def set_epic(fake: Fakeplat, by: str, epic: str | None) -> Any:
    """Set the epic of the issue; return the payload."""
    sent = {"projectPath": "acme/site", "iid": "1", "epicId": epic}
    return query_data(fake, by, SET, input=sent)["issueSetEpic"]


def test_an_issue_is_put_into_an_epic_and_taken_out(fakeplat: Fakeplat) -> None:
    """An issue gets an epic, keeps it if it is set again, and has none after a null."""
    expected = {"issue": {"iid": "1", "epic": {"iid": "1", "title": "Rework"}}, "errors": []}
    assert expected == set_epic(fakeplat, "dev", epic_id(fakeplat, 1))
    assert expected == set_epic(fakeplat, "dev", epic_id(fakeplat, 1))
    assert {"issue": {"iid": "1", "epic": None}, "errors": []} == set_epic(fakeplat, "dev", None)


def test_hidden_epics_and_issues_are_refused(fakeplat: Fakeplat) -> None:
    """Nobody sets an epic that they do not see, or the epic of an issue that they may not change."""
    for name, number in (("gus", 1), ("gus", 2), ("eve", 1)):
        sent = {"projectPath": "acme/site", "iid": "1", "epicId": epic_id(fakeplat, number)}
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, name, SET, input=sent))
    sent = {"projectPath": "acme/site", "iid": "1", "epicId": "gid://gitlab/Epic/1"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", SET, input=sent))
