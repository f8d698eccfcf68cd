"""What a request asks to be executed: one query, or several in an array. Source: docs/platform/graphql.md."""

from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import InvalidParams, NullByte, Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.params.body import Upload, has_null_byte, merge_params, parse_body, parse_query
from fakeplat.core.store.frozen import frozen

_BAD_REQUEST: Final = {"status": 400, "error": "Bad Request"}


class UnreadableBody(Refusal):
    """A body that is not what its type says: the framework's own answer (unconfirmed)."""

    status = 400

    def __init__(self) -> None:
        super().__init__(_BAD_REQUEST, reason="the body is no JSON, or no form, although its content type says so")


class InvalidVariables(Exception):
    """Variables that are neither a hash nor a text of one."""


@frozen
class QueryRequest:
    """One query: its text (None: none was sent), its variables as they were sent, the name of an operation."""

    text: str | None
    variables: object
    operation: str | None

    @classmethod
    def of(cls, given: object) -> "QueryRequest":
        """The query in a hash; anything else asks nothing."""
        found: dict[str, Any] = given if isinstance(given, dict) else {}
        text, name = found.get("query"), found.get("operationName")
        return cls(
            text if isinstance(text, str) else None,
            _as_text(found.get("variables")),
            name if isinstance(name, str) else None,
        )

    @property
    def values(self) -> dict[str, Any]:
        """The values of the variables; InvalidVariables for what is no hash, nor a text of one."""
        sent = self.variables
        if sent is None or sent == "":
            return {}
        if isinstance(sent, str):
            try:
                sent = orjson.loads(sent)
            except orjson.JSONDecodeError:
                raise InvalidVariables(f"unexpected token at '{sent}'") from None
            sent = {} if sent is None else sent
        if not isinstance(sent, dict):
            raise InvalidVariables(f"Unexpected parameter: {orjson.dumps(sent).decode()}")
        return sent


@frozen
class RequestBatch:
    """All that a request sent (``given``), and the queries in it; ``several``: they came in an array."""

    given: dict[str, object]
    queries: tuple[QueryRequest, ...]
    several: bool = False

    @classmethod
    def of(cls, request: Request) -> "RequestBatch":
        """What a request asks; 400 for what cannot be read."""
        try:
            given = parse_query(request.query) if request.query else {}
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind.endswith("json"):
                return cls._of_json(given, request.body)
            if kind.startswith(("application/x-www-form-urlencoded", "multipart/")):
                given = merge_params(given, parse_body(request.headers.get("content-type", ""), request.body), {})
        except InvalidParams:
            raise UnreadableBody from None
        return cls(given, (QueryRequest.of(given),))

    @classmethod
    def _of_json(cls, given: dict[str, object], body: bytes) -> "RequestBatch":
        sent = _loaded(body) if body else {}
        if has_null_byte(body, sent):
            raise NullByte
        if isinstance(sent, list) and sent:
            return cls(given, tuple(map(QueryRequest.of, sent)), several=True)
        whole = merge_params(given, sent, {}) if isinstance(sent, dict) else given
        return cls(whole, (QueryRequest.of(whole),))


def _as_text(value: object) -> object:
    """A form field that came as a file is its content."""
    return value.data.decode("utf-8", "replace") if isinstance(value, Upload) else value


def _loaded(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise UnreadableBody from None
