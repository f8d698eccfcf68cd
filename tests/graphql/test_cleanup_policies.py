"""Changes of cleanup policies by GraphQL. Source: the platform's spec of container_expiration_policy/update."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
FIELDS = "cadence enabled keepN olderThan nameRegex nameRegexKeep"
UPDATE = write_mutation("updateContainerExpirationPolicy", f"containerExpirationPolicy {{ {FIELDS} }}")
CHANGES = {
    "enabled": True,
    "cadence": "EVERY_THREE_MONTHS",
    "keepN": "ONE_HUNDRED_TAGS",
    "olderThan": "FOURTEEN_DAYS",
    "nameRegex": "v.*",
    "nameRegexKeep": "keep",
}


def update(fake: Fakeplat, **changes: Any) -> Any:
    """Change the policy as a Maintainer; return the payload."""
    sent = {"projectPath": "acme/site", **changes}
    return query_data(fake, "mia", UPDATE, input=sent)["updateContainerExpirationPolicy"]


def test_a_policy_is_changed(fakeplat: Fakeplat) -> None:
    """What is sent is changed, and null removes what can be left out."""
    assert {"containerExpirationPolicy": CHANGES, "errors": []} == update(fakeplat, **CHANGES)
    update(fakeplat, keepN=None, nameRegexKeep=None)
    expected = {**CHANGES, "keepN": None, "nameRegexKeep": None}
    shown = query_project(fakeplat, "mia", f"containerExpirationPolicy {{ {FIELDS} }}")["containerExpirationPolicy"]
    assert expected == shown


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nameRegex": ""}, "Name regex can't be blank"),
        ({"enabled": None}, "Enabled is not included in the list"),
        ({"cadence": None}, "Cadence can't be blank and Cadence is not included in the list"),
    ],
)
def test_invalid_policies_are_refused(fakeplat: Fakeplat, changes: Any, message: str) -> None:
    """A policy that runs has a cadence and an expression for names."""
    update(fakeplat, **CHANGES)
    state = fakeplat.bench.platform.state
    assert {"containerExpirationPolicy": None, "errors": [message]} == update(fakeplat, **changes)
    assert state is fakeplat.bench.platform.state


def test_invalid_expressions_are_refused(fakeplat: Fakeplat) -> None:
    """An expression that is not valid is an error of the query."""
    content = query_refused(fakeplat, "mia", UPDATE, input={"projectPath": "acme/site", "nameRegex": "*off"})
    (message,) = list_messages(content)
    assert message.startswith("*off is an invalid regexp: ")


def test_developers_are_refused(fakeplat: Fakeplat) -> None:
    """Changing the policy is for Maintainers."""
    content = query_refused(fakeplat, "dev", UPDATE, input={"projectPath": "acme/site", **CHANGES})
    assert [NOT_AVAILABLE] == list_messages(content)
