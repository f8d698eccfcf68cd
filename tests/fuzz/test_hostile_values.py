"""Hostile values in each segment of a path and in each parameter of each operation, one at a time."""

import json
from collections.abc import Iterator
from itertools import islice, product
from typing import Any, Final
from urllib.parse import quote

import pytest

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.operations.operation import Operation
from tests.api.test_answers_for_each_caller import find_key, list_segments
from tests.examples import FACTOR
from tests.fuzz.session import LIFE, Fault, Session
from tests.fuzz.traffic import flatten

HUGE: Final = "1" + "0" * 30
SEGMENTS: Final = (
    *(HUGE, "-1", "0", "1.5", "1e9", "+1", "%D9%A1", "9" * 4400, "null", "-", "~", "@"),
    *("%00", "a%00b", "%ff%fe", "%ED%A0%80", "%0d%0a", "%2e%2e", "%20", "a%2F..%2Fb", "%5B%5D"),
)
VALUES: Final = (
    *("null", "true", "1.5", HUGE, f"-{HUGE}", "1e400", "-0.0", "9223372036854775808", "[]", "{}", "[null]", "[{}]"),
    *('""', '[""]', r'"\u0000"', r'"a\u0000b"', r'["\u0000"]', r'"\ud800"', r'"\ud83d\ude00"', r'"\n"', '"%"', '"-1"'),
    *("[[[[1]]]]", '{"a": {"b": [null]}}', "[1e30]", '"../.."', '"10:61"', '"0000-01-01"', f'"{"9" * 5000}"'),
    *('"9999-12-31T23:59:59+14:00"', '"P999999999999D"'),
)
"""JSON as it is sent, because some of it cannot be written from Python's values."""
EVERYWHERE: Final = ("page", "per_page", "cursor", "order_by", "sort", "id_after", "sudo", "private_token", "job_token")
SHARE: Final = 200 // FACTOR
"""Of so many requests one is sent."""
ROOT: Final = {"private-token": "root-token"}


@pytest.mark.hypothesis
@pytest.mark.parametrize("version", ["13.5", "16.11", "latest"])
def test_no_value_is_too_hostile(version: str) -> None:
    """Numbers out of range, NUL bytes, invalid UTF-8, nulls and values of wrong types are refused or taken."""
    session = Session(version, seed=0)
    faults: list[Fault] = []
    for target in islice(list_targets(session), 0, None, SHARE):
        if session.count % LIFE == 0:
            session.restart()
        faults += session.send(build_request(session, *target))

    assert [] == [(fault.operation, fault.what, fault.request) for fault in faults]
    assert session.count > 1_000


def list_targets(session: Session) -> Iterator[tuple[Operation, str | int, str]]:
    """Yield an operation, the position of a segment or the name of a parameter, and what to put there."""
    for operation in session.traffic.operations:
        parts = operation.path.split("/")
        positions = [position for position, part in enumerate(parts) if part.startswith((":", "*"))]
        yield from product((operation,), positions, SEGMENTS)
        names = dict.fromkeys((*session.traffic.schema_of(operation)["properties"], *EVERYWHERE))
        yield from product((operation,), names, VALUES)


def build_request(session: Session, operation: Operation, place: str | int, value: str) -> Request:
    """Return a request of an operation that is apt except for a value."""
    world, parts = session.platform.view, operation.path.split("/")
    segments = [
        next(iter(list_segments(world, find_key(parts, position))), "1") if part.startswith((":", "*")) else part
        for position, part in enumerate(parts)
    ]
    if isinstance(place, int):
        segments[place] = value
        return Request(operation.method, "/".join(segments), "", ROOT)
    schema = session.traffic.schema_of(operation)
    required = {name: draw_plain(schema["properties"][name]) for name in schema.get("required", ())}
    if operation.method in ("GET", "DELETE"):
        query = write_query({**required, place: json.loads(value)})
        return Request(operation.method, "/".join(segments), query, ROOT)
    fields = {name: json.dumps(plain) for name, plain in required.items()} | {place: value}
    body = ", ".join(f"{json.dumps(name)}: {text}" for name, text in fields.items())
    return Request(operation.method, "/".join(segments), "", {**ROOT, "content-type": JSON}, b"{%b}" % body.encode())


def draw_plain(schema: dict[str, Any]) -> Any:
    """Return a value that a parameter probably accepts."""
    kinds: dict[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [1], "object": {}}
    return schema["enum"][0] if "enum" in schema else kinds.get(str(schema.get("type")), "a")


def write_query(parameters: dict[str, Any]) -> str:
    """Return parameters as a query, whose texts may be no valid Unicode."""
    return "&".join(
        f"{quote(name, safe='[]')}={quote(value.encode('utf-8', 'surrogatepass'))}"
        for name, value in flatten(parameters)
    )
