"""The OpenAPI document describes the control routes."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.http.control.declaration import ROUTES
from fakeplat.http.control.description import control_paths, control_schemas, full_document
from fakeplat.model.instance import Instance

REFERENCE = "#/components/schemas/"


def list_operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in control_paths().items():
        for method, description in methods.items():
            yield f"{method.upper()} {path}", description


def test_every_control_route_is_in_the_document() -> None:
    """Each control route that is no page is documented with a unique name."""
    document = full_document(Instance(), "http://localhost")
    names = [route["operationId"] for path in document["paths"].values() for route in path.values()]
    assert len(names) == len(set(names))
    assert len([route for route in ROUTES if not route.is_page]) == len(
        [name for name in names if name.startswith("fakeplat_")]
    )


def test_every_parameter_key_and_response_is_described() -> None:
    """Each parameter, key and response of the control API has a description."""
    parts = {
        **{
            f"{name} {parameter['name']}": parameter
            for name, route in list_operations()
            for parameter in route["parameters"]
        },
        **{
            f"{name}.{key}": part
            for name, schema in control_schemas().items()
            for key, part in schema.get("properties", {}).items()
        },
    }
    assert [] == [name for name, part in parts.items() if not part["description"].endswith(".")]


def test_every_reference_leads_to_a_schema() -> None:
    """Each reference in the control API leads to a schema."""
    document = full_document(Instance(), "http://localhost")
    names = {text.split('"')[0] for text in repr(control_paths()).replace("'", '"').split(REFERENCE)[1:]}
    assert names
    assert set() == names - document["components"]["schemas"].keys()


READS = [
    ("health", "Health"),
    ("clock", "Clock"),
    ("requests", "Request"),
    ("faults", "Fault"),
    ("worlds", "World"),
    ("snapshots", "Snapshot"),
    ("diff?since=before", "Changes"),
    ("pipelines", "JobOutcome"),
    ("clock", "Clock"),
    ("coverage", "Coverage"),
    ("deliveries", "Delivery"),
    ("health", "Health"),
    ("mails", "Mail"),
]


@pytest.mark.parametrize(("path", "name"), READS, ids=[name for _, name in READS])
def test_the_keys_of_a_response_are_described(fakeplat: Fakeplat, path: str, name: str) -> None:
    """The responses of the control API have no undocumented key, and each key that is always there."""
    import json
    from urllib.request import Request, urlopen

    fakeplat.as_user("ada").get("projects")
    fakeplat.pipelines.add(job="test", outcome="failed")
    hook = {"url": "http://bot.example.test/", "issues_events": True}
    fakeplat.as_user("ada").post("projects/acme%2Fsite/hooks", json=hook)
    assignee = fakeplat.world.user("dev").id
    fakeplat.as_user("ada").post("projects/acme%2Fsite/issues", json={"title": "New", "assignee_ids": [assignee]})
    fakeplat.faults.add(operation="create_issue", status=503)
    urlopen(Request(f"{fakeplat.url}/_fakeplat/snapshots/before", method="POST")).close()
    with urlopen(f"{fakeplat.url}/_fakeplat/{path}") as response:
        answer = json.load(response)
    first = answer[0] if isinstance(answer, list) else answer
    schema = control_schemas()[f"fakeplat.{name}"]
    assert set() == first.keys() - schema["properties"].keys()
    assert set() == set(schema.get("required", ())) - first.keys()
