"""Whatever a client sends, the answer is one of the platform's and never a bug of ours."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fakeplat.pipeline.routing  # noqa: F401  # declares the operations
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.params import binder_of
from tests.examples import examples
from tests.worlds import API, Site, create_site

LONG = "9" * 5000
places = f"1 2 4 205 5001 acme%2Fsite acme ada dev site a/b %2F %00 %ff .json * .. -1 0 {LONG}".split()
parts = st.one_of(st.sampled_from(places), st.text(max_size=5))
texts = st.one_of(parts, st.sampled_from("true None 2020-11-20 public private asc id 1,2 30 name".split()))
plain = st.one_of(texts, st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False))
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2), max_leaves=4
)
credentials = "private-token authorization cookie sudo job-token x-csrf-token".split()
header_names = [*credentials, "content-type", "if-none-match", "if-unmodified-since", "origin"]
header_values = st.one_of(st.text(max_size=20), st.sampled_from(["Bearer dev-token", "application/json", "ada", LONG]))
headers = st.dictionaries(st.sampled_from(header_names), header_values, max_size=3)
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@settings(patient, max_examples=examples(66))
@given(
    st.sampled_from("GET HEAD POST PUT DELETE PATCH OPTIONS BREW".split()),
    st.lists(parts, max_size=4).map("/".join).flatmap(lambda path: st.sampled_from([API + path, f"/{path}", path])),
    st.text(max_size=20),
    headers,
    st.binary(max_size=30),
)
def test_any_request_is_answered(method: str, path: str, query: str, sent: dict[str, str], body: bytes) -> None:
    """A request with any method, path, query, headers and body gets a response, and no handler fails."""
    site = create_site()
    site.platform.handle(Request(method, path, query, sent, body))
    assert [] == site.platform.failures


APT = {
    "projects": ["acme%2Fsite", "5001"],
    "groups": ["acme", "205"],
    "namespaces": ["acme", "ada"],
    "users": ["2", "3", "ada"],
    "members": ["2", "3", "4"],
    "labels": ["bug", "1"],
    "share": ["205"],
}
"""What a parameter of the path can be, by the word before it; elsewhere the number of a first record."""


def draw_path(operation: Operation, draw: Callable[[Any], str]) -> str:
    """The path of an operation, with parameters that mostly lead somewhere."""
    values: list[str] = []
    for part in operation.path.strip("/").split("/"):
        apt = st.sampled_from(APT.get(values[-1] if values else "", ["1"]))
        values.append(draw(apt | apt | apt | parts) if part.startswith((":", "*")) else part)
    return "/".join(values)


def build_values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a parameter takes."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([build_values(part) for part in schema["anyOf"]])
    if isinstance(schema.get("type"), list):
        return st.one_of([build_values({**schema, "type": kind}) for kind in schema["type"]])
    kinds = {
        "integer": st.sampled_from([0, 1, 2, 3, 4, 10, 30, 50, 205, 5001]),
        "boolean": st.booleans(),
        "string": st.sampled_from(["a", "bug", "ada", "2020-11-22", "2030-01-01T00:00:00Z", "name", "#ff0000", ""]),
        "number": st.floats(0, 10),
    }
    if schema.get("type") == "array":
        return st.lists(build_values(schema.get("items", {})), max_size=3)
    return kinds.get(schema.get("type", ""), values)


def build_parameters(operation: Operation) -> st.SearchStrategy[dict[str, Any]]:
    """Some of an operation's parameters, those that it needs mostly among them."""
    kinds = binder_of(operation.params).schema()
    fit = {
        name: st.one_of(build_values(kind), build_values(kind), values) for name, kind in kinds["properties"].items()
    }
    needed = {name: fit[name] for name in kinds.get("required", ())}
    given = st.fixed_dictionaries(needed, optional={name: fit[name] for name in fit if name not in needed})
    return given | st.fixed_dictionaries({}, optional=fit)


def create_inhabited_site() -> Site:
    """A town with a label, a milestone and an issue."""
    site = create_site()
    for kind, fields in {"labels": {"name": "bug", "color": "#ff0000"}, "milestones": {"title": "one"}}.items():
        site.ask("POST", f"projects/acme%2Fsite/{kind}", "ada", json=fields)
    site.ask("POST", "projects/acme%2Fsite/issues", "dev", json={"title": "x", "labels": "bug"})
    return site


@settings(patient, max_examples=examples(133))
@given(st.data(), st.sampled_from([*OPERATIONS]), st.sampled_from([None, "root", "ada", "dev"]), headers)
def test_any_use_of_an_operation_is_answered(
    data: st.DataObject, operation: Operation, by: str | None, sent: dict[str, str]
) -> None:
    """Any operation with any values in its path and parameters gets a response, and no handler fails."""
    site = create_inhabited_site()
    path, given = draw_path(operation, data.draw), data.draw(build_parameters(operation))
    sent = {**sent, "content-type": JSON, **({"private-token": f"{by}-token"} if by else {})}
    query = urlencode(given, doseq=True) if operation.method == "GET" else ""
    site.platform.handle(Request(operation.method, f"/{path}", query, sent, orjson.dumps(given)))
    assert [] == site.platform.failures
