"""Requests that follow from a seed alone: mostly apt uses of operations by people of a full world, some of them odd."""

from collections.abc import Callable
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import orjson

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import Profile
from fakeplat.model.world import World
from tests.api.test_answers_for_each_caller import find_key, list_segments

LONG: Final = "9" * 5000
CALLERS: Final[tuple[str | None, ...]] = (*("root",) * 6, *("ada",) * 3, "dev", "mia", "rep", "gus", "eve", "bob", None)
"""Who asks: mostly who may, so that most requests get past the checks of abilities."""
ODD_SEGMENTS: Final = f"0 -1 1 {LONG} %00 %ff %2F .. . a%2Fb%2Fc .json * %F0%9F%98%80 ' 1e3 ?".split()
TEXTS: Final = (
    *("a", "bug", "ada", "acme", "acme/site", "master", "feature", "v1.0", "README.md", "x" * 40, "1", "1,2", "name"),
    *("2020-11-22", "2030-01-01T00:00:00Z", "#ff0000", "https://x.test/a", "ada@example.test", "0 4 * * *"),
    *("/close", "/label ~bug\n/assign @dev", "Closes #1, see !9 and @dev", "1d 2h", "*", "^v", "production"),
    *("stages: [a]\nb: {script: c}", '{"a": [1]}', "aGVsbG8=", "acme&1", "maintainer", "private", "sha256:" + "a" * 64),
)
ODD_TEXTS: Final = (
    *("", " ", "\0", "\ud7ff", "é" * 300, "😀", LONG, "../../etc/passwd", "%s%n", "1'--", "<b>", "\r\nX: y", "null"),
)
NUMBERS: Final = (0, 1, 2, 3, 5, 9, 10, 30, 50, 210, 5001, -1, 2**31, 2**63)
CREDENTIALS: Final = ("authorization", "cookie", "sudo", "job-token", "deploy-token", "x-csrf-token", "x-forwarded-for")
OTHER_HEADERS: Final = ("if-none-match", "if-unmodified-since", "range", "accept", "content-type", "origin")
HEADER_VALUES: Final = (
    *("", "x", "Bearer dev-token", "Basic ZGV2OmRldi1wYXNzd29yZA==", "bytes=0-3", "*", "text/html", "dev", LONG),
)
ODD_QUERIES: Final = ("%", "a[b", "a[]=1&a=2", "a[b]=1&a[]=2", "&&==&", "=%ff", "a" * 3000)
BOUNDARY: Final = "frontier"
FORM: Final = f"multipart/form-data; boundary={BOUNDARY}"


class Sent(NamedTuple):
    """A request, and the operation that it is meant for."""

    operation: Operation
    request: Request


class Traffic:
    """An endless sequence of requests to the operations of a release."""

    def __init__(self, profile: Profile, tokens: dict[str, str], seed: int) -> None:
        self.operations = [operation for operation in OPERATIONS if profile.has(operation.lifetime)]
        self._random = Random(seed)
        self._profile = profile
        self._tokens = tokens
        self._segments: dict[str, list[str]] = {}
        self._schemas: dict[str, dict[str, Any]] = {}

    def forget_world(self) -> None:
        """Look up again what paths can name."""
        self._segments.clear()

    def draw(self, world: World) -> Sent:
        """Return the next request."""
        operation = self._random.choice(self.operations)
        headers = self._draw_headers()
        path = "/".join(self._draw_path(world, operation))
        parameters = self._draw_parameters(operation)
        method = "HEAD" if operation.method == "GET" and self._is_rare() else operation.method
        if operation.method in ("GET", "DELETE") or self._is_rare():
            return Sent(operation, Request(method, path, self._encode_query(parameters), headers))
        body, content_type = self._encode_body(parameters)
        headers.setdefault("content-type", content_type)
        return Sent(operation, Request(method, path, "", headers, body))

    def _is_rare(self) -> bool:
        return self._random.random() < 0.04

    def _draw_headers(self) -> dict[str, str]:
        headers = {}
        caller = self._random.choice(CALLERS)
        if caller is not None:
            headers["private-token"] = self._tokens[caller]
        if self._random.random() < 0.1:
            names = self._random.choice((CREDENTIALS, OTHER_HEADERS))
            headers[self._random.choice(names)] = self._random.choice(HEADER_VALUES)
        return headers

    def _draw_path(self, world: World, operation: Operation) -> list[str]:
        parts = operation.path.split("/")
        return [
            self._draw_segment(world, find_key(parts, position)) if part.startswith((":", "*")) else part
            for position, part in enumerate(parts)
        ]

    def _draw_segment(self, world: World, key: str) -> str:
        if self._is_rare():
            return self._random.choice(ODD_SEGMENTS)
        if key not in self._segments:
            self._segments[key] = list(list_segments(world, key)) or ["1"]
        known = self._segments[key]
        # Most records belong to the first ones: the project with everything, and its group.
        return known[0] if self._random.random() < 0.4 else self._random.choice(known)

    def schema_of(self, operation: Operation) -> dict[str, Any]:
        """Return the schema of an operation's parameters."""
        if operation.name not in self._schemas:
            self._schemas[operation.name] = binder_of(operation.params, self._profile).schema()
        return self._schemas[operation.name]

    def _draw_parameters(self, operation: Operation) -> dict[str, Any]:
        schema = self.schema_of(operation)
        required, properties = schema.get("required", ()), schema["properties"]
        share = self._random.choice((0.0, 3.0, 8.0)) / max(len(properties), 1)
        return {
            name: self._draw_value(kind)
            for name, kind in properties.items()
            if self._random.random() < (0.96 if name in required else share)
        }

    def _draw_value(self, schema: dict[str, Any]) -> Any:
        if self._random.random() < 0.05:
            return self._draw_odd(2)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if "anyOf" in schema:
            return self._draw_value(self._random.choice(schema["anyOf"]))
        kind = schema.get("type", "")
        return self._draw_of_kind(self._random.choice(kind) if isinstance(kind, list) else kind, schema)

    def _draw_of_kind(self, kind: str, schema: dict[str, Any]) -> Any:
        random = self._random
        draws: dict[str, Callable[[], Any]] = {
            "integer": lambda: random.choice(NUMBERS),
            "boolean": lambda: random.random() < 0.5,
            "number": lambda: random.choice((0.5, 1, -1, 1e300)),
            "string": lambda: random.choice(TEXTS),
            "null": lambda: None,
            "array": lambda: [self._draw_value(schema.get("items", {})) for _ in range(random.randrange(3))],
            "object": lambda: {
                name: self._draw_value(inner)
                for name, inner in schema.get("properties", {}).items()
                if random.random() < 0.7
            },
        }
        return draws[kind]() if kind in draws else self._draw_odd(2)

    def _draw_odd(self, depth: int) -> Any:
        random = self._random
        plain = (None, True, -0.5, random.choice(NUMBERS), random.choice(TEXTS), random.choice(ODD_TEXTS))
        choice = random.randrange(len(plain) + (2 if depth else 0))
        if choice < len(plain):
            return plain[choice]
        inner = [self._draw_odd(depth - 1) for _ in range(random.randrange(3))]
        return inner if choice == len(plain) else {random.choice((*TEXTS, "id", "name", "")): value for value in inner}

    def _encode_query(self, parameters: dict[str, Any]) -> str:
        if self._is_rare():
            return self._random.choice(ODD_QUERIES)
        return urlencode(list(flatten(parameters)))

    def _encode_body(self, parameters: dict[str, Any]) -> tuple[bytes, str]:
        content, chance = orjson.dumps(parameters), self._random.random()
        if chance < 0.85:
            return content, JSON
        if chance < 0.9:
            return self._encode_query(parameters).encode(), "application/x-www-form-urlencoded"
        if chance < 0.95:
            return encode_form(parameters), FORM
        return self._spoil(content), self._random.choice((JSON, "text/plain", "", FORM))

    def _spoil(self, content: bytes) -> bytes:
        """Return the content cut off, with a byte changed, with its start twice, or nested lists in its place."""
        position = self._random.randrange(len(content) + 1)
        start, end = content[:position], content[position + 1 :]
        return self._random.choice((start, start + self._random.randbytes(1) + end, start + content, b"[" * 5_000))


def flatten(parameters: dict[str, Any]) -> list[tuple[str, str]]:
    """Return parameters as the pairs of a query: with brackets after the names of lists and the keys of hashes."""
    return [pair for name, value in parameters.items() for pair in _flatten_value(name, value)]


def _flatten_value(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in _flatten_value(f"{name}[{key}]", inner)]
    if isinstance(value, list):
        return [pair for inner in value for pair in _flatten_value(f"{name}[]", inner)]
    return [(name, "" if value is None else str(value).lower() if isinstance(value, bool) else str(value))]


def encode_form(parameters: dict[str, Any]) -> bytes:
    """Return a multipart form in which every third field is a file."""
    parts = []
    for position, (name, value) in enumerate(flatten(parameters)):
        file = '; filename="a.txt"\r\nContent-Type: text/plain' if position % 3 == 0 else ""
        parts.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{value}\r\n')
    return "".join((*parts, f"--{BOUNDARY}--\r\n")).encode("utf-8", "surrogatepass")
