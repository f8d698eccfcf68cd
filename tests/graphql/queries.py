"""Helpers for tests of GraphQL: queries, and the small company."""

from typing import Any

from fakeplat.core.release import Profile, profile_of
from fakeplat.graphql.schema_builder import ENUMERATIONS, SCALARS, TYPES
from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY

PATH = "/api/graphql"
DEFAULT = profile_of((13, 5))
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
    projects = [{**project, **SITE} if project["path"] == "site" else project for project in group["projects"]]
    return {**group, "projects": projects}


WORLD: dict[str, Any] = {**COMPANY, "groups": [_with_site(group) for group in COMPANY["groups"]]}


def list_scalar_fields(type_name: str, profile: Profile = DEFAULT) -> str:
    """Return the scalar fields that a type has in a release; they have no arguments."""
    scalars = {"ID", "String", "Int", "Float", "Boolean", *SCALARS, *ENUMERATIONS}
    return " ".join(
        field.name for field in TYPES[type_name].fields(profile).values() if field.kind.strip("[]!") in scalars
    )


def post_query(fake: Fakeplat, by: str | None, query: str, **variables: Any) -> dict[str, Any]:
    """Send a query; return the response body. The status must be 200."""
    reply = fake.as_user(by).post(PATH, json={"query": query, "variables": variables})
    assert 200 == reply.status, reply.text
    content: dict[str, Any] = reply.json()
    return content


def query_data(fake: Fakeplat, by: str | None, query: str, **variables: Any) -> Any:
    """Send a query that must have no errors; return its data."""
    content = post_query(fake, by, query, **variables)
    assert {"data"} == content.keys(), content
    return content["data"]


def query_project(fake: Fakeplat, by: str | None, selection: str, path: str = "acme/site") -> Any:
    """Query fields of a project."""
    return query_data(fake, by, f"query($path: ID!) {{ project(fullPath: $path) {{ {selection} }} }}", path=path)[
        "project"
    ]


def write_mutation(name: str, selection: str) -> str:
    """Return a mutation with its input in a variable, and its errors in the selection."""
    kind = f"{name[0].upper()}{name[1:]}Input!"
    return f"mutation($input: {kind}) {{ {name}(input: $input) {{ {selection} errors }} }}"


def list_messages(content: dict[str, Any]) -> list[str]:
    """Return the messages of a response's errors."""
    return [error["message"] for error in content["errors"]]


def query_refused(fake: Fakeplat, by: str | None, query: str, **variables: Any) -> dict[str, Any]:
    """Send a query that must not change the world; return the response body."""
    before = fake.bench.platform.state
    content = post_query(fake, by, query, **variables)
    assert before is fake.bench.platform.state, "the refusal changed the world"
    return content
