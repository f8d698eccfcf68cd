"""The OpenAPI document says what clients meet."""

import json
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.instance import Instance
from fakeplat.workbench import openapi
from tests.architecture.sources import ROOT

EVIDENCE = json.loads((ROOT / "fakeplat/workbench/evidence.json").read_text("utf-8"))
BY_DEFAULT = {"301", "413", "414", "429", "500", "501"}


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    paths = openapi.openapi_document(Instance(), "http://localhost")["paths"].values()
    return {operation["operationId"]: operation for path in paths for operation in path.values()}


def test_every_status_that_was_observed_is_described(operations: dict[str, Any]) -> None:
    """What tests and clients met of an operation is among its responses; what stands before the API is the default."""
    missing = {
        name: sorted(set(row["statuses"]) - operations[name]["responses"].keys() - BY_DEFAULT)
        for name, row in EVIDENCE.items()
        if name in operations
    }
    assert {} == {name: statuses for name, statuses in missing.items() if statuses}


def test_every_operation_has_a_default_response(operations: dict[str, Any]) -> None:
    """A request line that is too long, a body that is too large, too many requests."""
    assert [] == [name for name, operation in operations.items() if "default" not in operation["responses"]]


def test_labels_are_titles_or_objects(fakeplat: Fakeplat) -> None:
    """`with_labels_details` gives objects where titles stood."""
    document = openapi.openapi_document(Instance(), "http://localhost")
    items = document["components"]["schemas"]["IssueView"]["properties"]["labels"]["items"]["anyOf"]
    assert ["string", "object"] == [part["type"] for part in items]
    answer = fakeplat.as_user("ada").get("projects/acme%2Fsite/issues?with_labels_details=true&labels=Any").json()
    shown = {type(label) for issue in answer for label in issue["labels"]}
    assert shown == {dict}


def test_several_members_are_added_with_an_object_for_an_answer(operations: dict[str, Any]) -> None:
    """One is shown as a member, several as a status."""
    schema = operations["create_project_member"]["responses"]["201"]["content"]["application/json"]["schema"]
    assert [{"$ref": "#/components/schemas/MemberView"}, {"type": "object"}] == schema["anyOf"]
