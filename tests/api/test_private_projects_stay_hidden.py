"""Nothing of a private project is shown to anonymous callers and strangers: by no read, page or field of GraphQL."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final
from urllib.parse import unquote

import orjson
import pytest

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, Operation
from fakeplat.core.release import LATEST_RELEASE, profile_of
from fakeplat.graphql.schema import schema
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from tests.api.full_world import FULL
from tests.api.test_answers_for_each_caller import QUERIES, add_records, find_key, list_segments
from tests.api.test_everywhere import build_required_query
from tests.scenario.worlds import create_platform

HUSH: Final = "hush"
"""Stands in the texts of the private project, and nowhere else."""
HIDDEN: Final = "acme/site"
HIDDEN_ID: Final = 5001
TEXT_KEYS: Final = {"title", "description", "body", "note", "content"}
CALLERS: Final[Mapping[str, Mapping[str, str]]] = {"nobody": {}, "stranger": {"private-token": "stranger-token"}}
SCHEMA: Final = schema(profile_of(LATEST_RELEASE))
PUBLIC_PLACES: Final = ("kept/fork", "acme/docs")
TYPE: Final = {"content-type": JSON}
FIELDS: Final = orjson.dumps(
    {
        **dict.fromkeys(("title", "name", "body", "description", "path", "ref", "branch"), "new"),
        **dict.fromkeys(("id", "project_id", "target_id", "forked_from_id", "link_project_id"), HIDDEN_ID),
        "target_project_id": HIDDEN_ID,
        "target_issue_iid": 9,
    }
)
"""Names that many operations have: apart from texts, all lead to the private project."""
FOUND: Final = ("projects", "issues", "merge_requests", "milestones", "users", "blobs", "commits", "notes")


def mark(value: Any, key: str = "") -> Any:
    """Return a part of a scenario with the word in its texts."""
    if isinstance(value, dict):
        return {name: mark(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [mark(inner, key) for inner in value]
    return f"{value} {HUSH}" if isinstance(value, str) and key in TEXT_KEYS else value


def build_scenario() -> dict[str, Any]:
    """Return the full world with a stranger, and with the word in the texts of the private project."""
    (site,) = FULL["projects"]
    parts = ("issues", "merge_requests", "snippets", "commit_comments", "wiki_notes", "pipeline_schedules", "triggers")
    private = {name: mark(site[name]) for name in parts} | {"description": f"Of {HUSH}"}
    return {
        **FULL,
        "projects": [{**site, **private, "variables": [{"key": "TOKEN", "value": f"of-{HUSH}"}]}],
        "users": [*FULL["users"], {"username": "stranger"}],
        "instance": {"tier": "ultimate", "version": "latest", "default_branch": "master"},
        "settings": {**FULL["settings"], "bulk_import_enabled": True, "elasticsearch_indexing": True},
    }


@pytest.fixture(scope="module")
def platform() -> Platform:
    platform = create_platform(build_scenario())
    add_records(platform)
    Workbench(platform, scenario="full", seed=1)
    return platform


@pytest.fixture(scope="module")
def markers(platform: Platform) -> list[bytes]:
    """What nobody else may read: the word, the project's path, and the titles of its issues and merge requests."""
    world = platform.view
    rows: list[Issue | MergeRequest] = [*world.issues.all(), *world.merge_requests.all()]
    others = {row.title for row in rows if row.project_id != HIDDEN_ID}
    titles = {row.title for row in rows if row.project_id == HIDDEN_ID and len(row.title) > 8} - others
    assert any(HUSH in title for title in titles)
    return [HUSH.encode(), HIDDEN.encode(), *(title.encode() for title in sorted(titles))]


def list_reads() -> list[Operation]:
    return [operation for operation in OPERATIONS if operation.method == "GET" and not operation.until]


def list_paths(platform: Platform, operation: Operation) -> Iterator[str]:
    """Yield some paths of an operation: one for each value of each parameter, the first ones for the others."""
    parts = operation.path.split("/")
    choices: dict[int, list[str]] = {
        position: list_values(platform, parts, position)
        for position, part in enumerate(parts)
        if part.startswith((":", "*"))
    }
    chosen = {position: values[0] for position, values in choices.items()}
    for position, values in choices.items() or [(0, [parts[0]])]:
        for value in values[:40]:
            own = {**chosen, position: value}
            yield "/".join(own.get(at, part) for at, part in enumerate(parts))


def list_values(platform: Platform, parts: list[str], position: int) -> list[str]:
    if parts[position] in ("*project", "*path", "*repository", "*group"):
        return [HIDDEN, f"{HIDDEN}/web", *PUBLIC_PLACES, "acme"]
    return [*list_segments(platform.view, find_key(parts, position))] or ["1"]


def list_queries(operation: Operation) -> Iterator[str]:
    """Yield queries that show as much as possible."""
    required = build_required_query(operation)
    if operation.name.startswith("search_"):
        yield from (f"scope={scope}&search={word}" for scope in FOUND for word in (HUSH, "site", "every"))
    else:
        yield QUERIES.get(operation.name, f"{required}scope=all&per_page=100")
        yield required


def find_shown(body: bytes, path: str, markers: list[bytes]) -> list[bytes]:
    """Return the markers in a body; the path of the request may be repeated there."""
    asked = unquote(path).encode()
    return [marker for marker in markers if marker in body and marker not in asked]


@pytest.mark.parametrize("caller", CALLERS)
def test_no_read_shows_a_private_project(platform: Platform, markers: list[bytes], caller: str) -> None:
    """No GET shows a stranger or an anonymous caller a text, a title or the path of a private project."""
    shown = set()
    for operation in list_reads():
        for path in list_paths(platform, operation):
            for query in list_queries(operation):
                response = platform.handle(Request("GET", path, query, CALLERS[caller]))
                for marker in find_shown(bytes(response.body), path, markers):
                    shown.add((operation.name, path, query, marker.decode(), response.status))
    assert [] == sorted(shown)


@pytest.mark.parametrize("caller", CALLERS)
def test_no_write_shows_a_private_project(platform: Platform, markers: list[bytes], caller: str) -> None:
    """No answer to a write, accepted or refused, shows a stranger or an anonymous caller a private project."""
    start, shown = platform.snapshot(), set()
    writes = [operation for operation in OPERATIONS if operation.method != "GET" and not operation.until]
    for operation in writes:
        for path in list_paths(platform, operation):
            response = platform.handle(Request(operation.method, path, "", {**CALLERS[caller], **TYPE}, FIELDS))
            for marker in find_shown(bytes(response.body), path, markers):
                shown.add((operation.name, path, marker.decode(), response.status))
            if response.status < 400:
                platform.restore(start)
    assert [] == sorted(shown)


def test_the_walk_reaches_what_it_hides(platform: Platform, markers: list[bytes]) -> None:
    """An administrator is shown the private project by most of the same requests."""
    showing = set()
    for operation in list_reads():
        for path in islice(list_paths(platform, operation), 2):
            for query in list_queries(operation):
                response = platform.handle(Request("GET", path, query, {"private-token": "root-token"}))
                if find_shown(bytes(response.body), path, markers):
                    showing.add(operation.name)
    assert len(showing) > 80


@pytest.mark.parametrize("caller", CALLERS)
def test_references_are_not_expanded(platform: Platform, markers: list[bytes], caller: str) -> None:
    """Rendered text shows nothing of a private project that it refers to, but the words of the text itself."""
    text = "See site#9, site!9, site~bug, site%v1.1, @dev, acme/docs#1, kept/fork#1, acme&2 and http://localhost/-/1"
    for options in ({}, {"gfm": True}, {"gfm": True, "project": "acme/docs"}, {"gfm": True, "project": "kept/fork"}):
        body = orjson.dumps({"text": text, **options})
        headers = {**CALLERS[caller], "content-type": JSON}
        response = platform.handle(Request("POST", f"{PREFIX}/markdown", "", headers, body))
        assert [] == find_shown(bytes(response.body), "", markers)


# GraphQL


@cache
def list_fields(kind: str) -> tuple[list[str], dict[str, str]]:
    """Return the plain fields of a type, and the types of its others; without those that need arguments."""
    plain, others = [], {}
    type_: Any = SCHEMA.type_map[kind]
    for name, field in getattr(type_, "fields", {}).items():
        # The message names the issues that the author of the merge request sees, whoever reads it.
        if name == "defaultMergeCommitMessage":
            continue
        inner = re.sub(r"[\[\]!]", "", str(field.type))
        if any(str(argument.type).endswith("!") for argument in field.args.values()):
            continue
        if hasattr(SCHEMA.type_map[inner], "fields"):
            others[name] = inner
        elif not hasattr(SCHEMA.type_map[inner], "types"):
            plain.append(name)
    return plain, others


def select(kind: str, depth: int) -> Iterator[str]:
    """Yield selections of a type: its plain fields, and each of the others with its own, to a depth."""
    plain, others = list_fields(kind)
    if plain:
        yield " ".join(plain)
    if depth:
        for name, inner in others.items():
            yield from (f"{name} {{ {selection} }}" for selection in select(inner, depth - 1))


ROOTS: Final = (
    *(f'project(fullPath: "{path}")' for path in (HIDDEN, *PUBLIC_PLACES)),
    *(f'group(fullPath: "{path}")' for path in ("acme", "kept")),
    'namespace(fullPath: "acme")',
    *(f'user(username: "{name}")' for name in ("dev", "eve", "stranger")),
    "currentUser",
    "projects",
    "groups",
    "users",
    "snippets",
    "timelogs",
    "runners",
    "ciCatalogResources",
)
BY_ID: Final = {
    "issue": ("Issue", "issues"),
    "workItem": ("WorkItem", "issues"),
    "mergeRequest": ("MergeRequest", "merge_requests"),
    "containerRepository": ("ContainerRepository", "container_repositories"),
    "runner": ("Ci::Runner", "runners"),
    "iteration": ("Iteration", "iterations"),
}


def type_of_root(name: str) -> str:
    """Return the type of a field of the root."""
    query: Any = SCHEMA.query_type
    return str(query.fields[name].type).rstrip("!")


def list_graphql_queries(platform: Platform) -> Iterator[str]:
    """Yield queries of all fields of what can be found, two levels deep; of records by their ids, one level."""
    for root in ROOTS:
        kind = type_of_root(root.partition("(")[0])
        yield from (f"{{ {root} {{ {selection} }} }}" for selection in select(kind, 2))
    for name, (known, table) in BY_ID.items():
        records = [*getattr(platform.view, table).all()]
        for record in [each for each in records if getattr(each, "project_id", HIDDEN_ID) == HIDDEN_ID]:
            root = f'{name}(id: "gid://gitlab/{known}/{record.id}")'
            yield from (f"{{ {root} {{ {selection} }} }}" for selection in select(type_of_root(name), 1))


def ask(platform: Platform, query: str, headers: Mapping[str, str]) -> bytes:
    body = orjson.dumps({"query": query})
    return bytes(platform.handle(Request("POST", "/api/graphql", "", {**headers, "content-type": JSON}, body)).body)


@pytest.fixture(scope="module")
def answers_by_query(platform: Platform) -> Mapping[str, Mapping[str, bytes]]:
    """The answers to each query for an administrator and the others, one after the other, as a query is parsed once."""
    callers = {**CALLERS, "root": {"private-token": "root-token"}}
    return {
        query: {caller: ask(platform, query, headers) for caller, headers in callers.items()}
        for query in list_graphql_queries(platform)
    }


@pytest.mark.parametrize("caller", CALLERS)
def test_no_field_of_graphql_shows_a_private_project(
    answers_by_query: Mapping[str, Mapping[str, bytes]], markers: list[bytes], caller: str
) -> None:
    """No field of GraphQL shows a stranger or an anonymous caller a text, a title or the path of a private project."""
    shown = []
    for query, answers in answers_by_query.items():
        shown += [(query, marker.decode()) for marker in find_shown(answers[caller], query, markers)]
    assert [] == shown


def test_the_queries_reach_what_they_hide(
    platform: Platform, answers_by_query: Mapping[str, Mapping[str, bytes]], markers: list[bytes]
) -> None:
    """An administrator is shown the private project by many of the same queries."""
    answers = {query: answers["root"] for query, answers in answers_by_query.items()}
    assert [] == [answer for answer in answers.values() if b'"errors"' in answer and b"complexity" in answer]
    assert [] == platform.failures
    assert sum(bool(find_shown(answer, query, markers)) for query, answer in answers.items()) > 70
