"""What the tests of GraphQL ask with, and the small company that they ask."""

from typing import Any

from fakeplat.graphql.schema_builder import ENUMERATIONS, SCALARS, TYPES
from fakeplat.harness.fake import Fakeplat
from tests.api.company import TOWN

PATH = "/api/graphql"
NOT_AVAILABLE = (
    "The resource that you are attempting to access does not exist or you don't have permission to perform this action"
)
NOW = "2020-11-20T09:00:00Z"

SITE: dict[str, Any] = {
    "labels": [{"title": "bug", "color": "#d9534f", "description": "Wrong"}, {"title": "idea", "color": "#428bca"}],
    "milestones": [
        {"title": "v1", "due_date": "2020-12-24", "description": "First", "start_date": "2020-11-01"},
        {"title": "v0", "due_date": "2020-10-01", "state": "closed"},
    ],
    "issues": [
        {
            "title": "Broken link",
            "author": "gus",
            "labels": ["bug", "idea"],
            "milestone": "v1",
            "assignees": ["dev"],
            "description": "- [x] find\n- [ ] mend",
            "due_date": "2020-11-30",
        },
        {"title": "Secret", "author": "ada", "confidential": True},
        {"title": "Old", "author": "rep", "state": "closed"},
    ],
    "alerts": {
        "active": True,
        "received": [
            {
                "title": "Disk full",
                "description": "No space left",
                "severity": "high",
                "event_count": 4,
                "service": "web",
                "monitoring_tool": "Probe",
                "hosts": ["a", "b"],
                "started_at": "2020-11-02T00:00:00Z",
                "created_at": "2020-11-02T00:00:01Z",
                "payload": {"title": "Disk full", "runbook": "https://runbook.example.test", "disk": {"free": 3}},
            },
            {"title": "CPU hot", "severity": "low", "status": "acknowledged"},
            {"title": "Over", "severity": "critical", "status": "resolved", "ended_at": "2020-11-03T00:00:00Z"},
        ],
    },
}


def _with_site(group: dict[str, Any]) -> dict[str, Any]:
    projects = [{**one, **SITE} if one["path"] == "site" else one for one in group["projects"]]
    return {**group, "projects": projects}


WORLD: dict[str, Any] = {**TOWN, "groups": [_with_site(group) for group in TOWN["groups"]]}


def leaves(type_name: str) -> str:
    """The fields of a type that have no fields of their own and need no arguments."""
    plain = {"ID", "String", "Int", "Float", "Boolean", *SCALARS, *ENUMERATIONS}
    return " ".join(one.name for one in TYPES[type_name].fields.values() if one.kind.strip("[]!") in plain)


def body(fake: Fakeplat, by: str | None, query: str, **variables: Any) -> dict[str, Any]:
    """The whole answer to a query, whose status is 200."""
    reply = fake.as_user(by).post(PATH, json={"query": query, "variables": variables})
    assert 200 == reply.status, reply.text
    answered: dict[str, Any] = reply.json()
    return answered


def data(fake: Fakeplat, by: str | None, query: str, **variables: Any) -> Any:
    """What a query gives that has no errors."""
    answered = body(fake, by, query, **variables)
    assert {"data"} == answered.keys(), answered
    return answered["data"]


def of_project(fake: Fakeplat, by: str | None, selection: str, path: str = "acme/site") -> Any:
    """What a query gives of a project."""
    return data(fake, by, f"query($path: ID!) {{ project(fullPath: $path) {{ {selection} }} }}", path=path)["project"]


def mutation(name: str, selection: str) -> str:
    """A mutation of a name, which takes its input from a variable and shows its errors too."""
    kind = f"{name[0].upper()}{name[1:]}Input!"
    return f"mutation($input: {kind}) {{ {name}(input: $input) {{ {selection} errors }} }}"


def messages(answered: dict[str, Any]) -> list[str]:
    """The texts of an answer's errors."""
    return [error["message"] for error in answered["errors"]]


def refused(fake: Fakeplat, by: str | None, query: str, **variables: Any) -> dict[str, Any]:
    """The answer to a query that must leave the world as it is."""
    before = fake.bench.platform.state
    answered = body(fake, by, query, **variables)
    assert before is fake.bench.platform.state, "the refusal changed the world"
    return answered
