"""Each beginning and end, asked just before and just after it."""

import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

from fakeplat.core.operations.operation import OPERATIONS, Operation
from tests.releases.edges import (
    Edge,
    for_each,
    list_events,
    list_fields,
    list_operations,
    list_parameters,
    list_settings,
    list_values,
)
from tests.releases.shown_fields import find_in_documents, find_in_responses
from tests.releases.worlds import Answer, Worlds

SITE: Final = "/api/v4/projects/acme%2Fsite"
SETTINGS: Final = "/api/v4/application/settings"
CAUSES: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "emoji_hooks": (f"{SITE}/issues/9/award_emoji", {"name": "tada"}),
    "member_hooks": ("/api/v4/groups/acme/members", {"user_id": 7, "access_level": 30}),
    "milestone_hooks": (f"{SITE}/milestones", {"title": "Later"}),
    "project_hooks": ("/api/v4/projects", {"name": "Later", "namespace_id": 210}),
    "subgroup_hooks": ("/api/v4/groups", {"name": "New", "path": "new", "parent_id": 210}),
}
"""Requests that cause the events that not every release has."""


@pytest.fixture(scope="session")
def worlds() -> Worlds:
    """The worlds of all releases."""
    return Worlds()


def ask(worlds: Worlds, edge: Edge, operation: Operation, **sent: Any) -> list[Answer]:
    """Return the answers of the release before an edge and of that of the edge."""
    path = next(worlds.list_paths(operation))
    if operation.method == "GET":
        query = "&".join(f"{name}={value}" for name, value in sent.items())
        return [worlds.ask(release, "GET", path, query) for release in (edge.before, edge.release)]
    return [worlds.ask(release, operation.method, path, body=sent) for release in (edge.before, edge.release)]


IDS_ARE_INVALID = tuple(
    (400, {"error": f"{name} is invalid"}) for name in ("id", "runner_id", "environment_id", "distribution")
)
READ_AS_ID = ((404, {"message": "404 Not Found"}), (404, {"message": "404 Not found"}))
"""The answers for ``self`` where it is read as the id of a token, and for a folder that is read as a name."""
READ_AS_NAMES = ("/self", "/composer/p2/")


@for_each(list_operations())
def test_an_operation_begins_and_ends_with_its_release(worlds: Worlds, edge: Edge) -> None:
    """A release answers 404 for an operation of another one, and the reason names the release.

    Where the release has an id instead, the word is read as one.
    """
    # Earlier releases read this as the path of a file, and answer the same without a job.
    if edge.owner.path.endswith("/artifacts/tree"):
        documents = [worlds.get_document(release) for release in (edge.before, edge.release)]
        path = re.sub(r":(\w+)", r"{\1}", edge.owner.path)
        assert edge.expected == tuple(path in document["paths"] for document in documents)
        return
    answers = ask(worlds, edge, edge.owner)
    reason = f"{edge.name} exists {edge.owner.lifetime}; this world is "
    missing = (404, {"error": "404 Not Found"}, True)
    are_missing = [
        missing == (answer.status, answer.body, answer.reason.startswith(reason))
        or answer[:2] in IDS_ARE_INVALID
        or (any(part in edge.owner.path for part in READ_AS_NAMES) and answer[:2] in READ_AS_ID)
        for answer in answers
    ]

    assert edge.expected == tuple(not is_missing for is_missing in are_missing)


@for_each(list_parameters())
def test_a_parameter_begins_and_ends_with_its_release(worlds: Worlds, edge: Edge) -> None:
    """A release ignores a parameter of another one, and the journal says which releases have it."""
    # What package managers send in bodies is not compared with what a release knows, and logs have no parameters. The
    # journal has no warnings about requests outside the API.
    area = edge.owner.area
    if "." in edge.name or area.deploy_tokens or area.raw_body or not area.prefix:
        documents = [worlds.get_document(release) for release in (edge.before, edge.release)]
        assert edge.expected == tuple(has_nested(document, edge) for document in documents)
        return
    warning = re.compile(rf"{edge.owner.name} has the parameter {edge.name} (since|until) .*; this world is ")
    answers = ask(worlds, edge, edge.owner, **{edge.name: "1"})

    assert edge.expected == tuple(not any(map(warning.match, answer.warnings)) for answer in answers)


def has_nested(document: dict[str, Any], edge: Edge) -> bool:
    """Return whether the document of a release has a parameter inside another one."""
    return find_nested(document, edge.owner, edge.name) is not None


def find_nested(document: dict[str, Any], owner: Operation, path_of_parameter: str) -> Any:
    """Return the schema of a parameter inside another one, None if the document of a release lacks it."""
    path = re.sub(r"[:*](\w+)", r"{\1}", owner.path)
    operation = document["paths"][path][owner.method.lower()]
    *outer, name = path_of_parameter.split(".")
    # The parameters of uploads stand in the query.
    if owner.method == "GET" or "requestBody" not in operation:
        schemas = {each["name"]: each["schema"] for each in operation["parameters"]}
        schema = {"properties": schemas}
    else:
        (schema,) = [media["schema"] for media in operation["requestBody"]["content"].values()]
    for part in outer:
        schema = schema["properties"][part]
        schema = schema.get("items", schema)
    return schema["properties"].get(name)


@for_each(list_values())
def test_a_value_begins_and_ends_with_its_release(worlds: Worlds, edge: Edge) -> None:
    """A release refuses a value of another one."""
    name, _, value = edge.name.partition("=")
    if "." in name:
        documents = [worlds.get_document(release) for release in (edge.before, edge.release)]
        assert edge.expected == tuple(
            value in find_nested(document, edge.owner, name)["enum"] for document in documents
        )
        return
    answers = ask(worlds, edge, edge.owner, **{name: value})

    assert edge.expected == tuple(f"{name} does not have a valid value" not in str(answer.body) for answer in answers)


@for_each(list_fields())
def test_a_field_begins_and_ends_with_its_release(worlds: Worlds, edge: Edge) -> None:
    """A release does not show the fields of another one."""
    releases = (edge.before, edge.release)
    shown = find_in_responses(worlds, edge.owner, edge.name, releases)
    assert edge.expected == (shown or find_in_documents(worlds, edge.owner, edge.name, releases))


@for_each(list_settings())
def test_a_setting_begins_and_ends_with_its_release(worlds: Worlds, edge: Edge) -> None:
    """A release neither shows nor reads the application settings of another one."""
    shown = [worlds.ask(release, "GET", SETTINGS).body for release in (edge.before, edge.release)]
    answers = ask(worlds, edge, OPERATIONS["update_application_settings"], **{edge.name: "1"})

    assert edge.expected == tuple(edge.name in settings for settings in shown)
    assert edge.expected == tuple(not answer.warnings for answer in answers)


@for_each(list_events())
def test_an_event_begins_and_ends_with_its_release(worlds: Worlds, edge: Edge) -> None:
    """A release does not send the events of another one."""
    path, body = CAUSES[edge.name]
    answers = [worlds.ask(release, "POST", path, body=body) for release in (edge.before, edge.release)]

    assert [201, 201] == [answer.status for answer in answers]
    assert edge.expected == tuple(edge.name in answer.events for answer in answers)
