"""The queries of a request: one, or several in an array. Source: docs/platform/graphql.md."""

from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import InvalidParams, NullByte, Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.params.body import Upload, has_null_byte, merge_params, parse_body, parse_query
from fakeplat.core.store.frozen import frozen

_BAD_REQUEST: Final = {"status": 400, "error": "Bad Request"}


class UnreadableBody(Refusal):
    """A body that does not match its content type: the framework's own response (unconfirmed)."""

    status = 400

    def __init__(self) -> None:
        super().__init__(_BAD_REQUEST, reason="the body is not the JSON or form data that its content type announces")


class InvalidVariables(Exception):
    """Variables that are neither a JSON object nor a string that contains one."""


@frozen
class QueryRequest:
    """One query: its text (None if none was sent), its variables as sent, and the name of an operation."""

    text: str | None
    variables: object
    operation: str | None

    @classmethod
    def of(cls, sent: object) -> "QueryRequest":
        """Return the query in a JSON object; anything else has none."""
        params: dict[str, Any] = sent if isinstance(sent, dict) else {}
        text, name = params.get("query"), params.get("operationName")
        return cls(
            text if isinstance(text, str) else None,
            _read_upload(params.get("variables")),
            name if isinstance(name, str) else None,
        )

    @property
    def values(self) -> dict[str, Any]:
        """The values of the variables; InvalidVariables for anything but an object or a string that contains one."""
        variables = self.variables
        # As in the platform's controller, an empty string counts as no variables.
        if variables is None or variables == "":
            return {}
        if isinstance(variables, str):
            try:
                variables = orjson.loads(variables)
            except orjson.JSONDecodeError:
                # This is the wording of Ruby's JSON parser, which the platform passes on.
                raise InvalidVariables(f"unexpected token at '{variables}'") from None
            # The text may be ``null``, which also counts as no variables.
            variables = {} if variables is None else variables
        if not isinstance(variables, dict):
            raise InvalidVariables(f"Unexpected parameter: {orjson.dumps(variables).decode()}")
        return variables


@frozen
class RequestBatch:
    """The parameters of a request (``given``), and its queries; ``several``: they were sent in an array."""

    given: dict[str, object]
    queries: tuple[QueryRequest, ...]
    several: bool = False

    @classmethod
    def of(cls, request: Request) -> "RequestBatch":
        """Read the queries of a request; 400 for an unreadable body."""
        try:
            params = parse_query(request.query) if request.query else {}
            media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if media_type.endswith("json"):
                return cls._from_json(params, request.body)
            if media_type.startswith(("application/x-www-form-urlencoded", "multipart/")):
                params = merge_params(params, parse_body(request.headers.get("content-type", ""), request.body), {})
        except InvalidParams:
            raise UnreadableBody from None
        return cls(params, (QueryRequest.of(params),))

    @classmethod
    def _from_json(cls, params: dict[str, object], body: bytes) -> "RequestBatch":
        data = _parse_json(body) if body else {}
        if has_null_byte(body, data):
            raise NullByte
        # An empty array is no batch: it counts as one request without a query.
        if isinstance(data, list) and data:
            return cls(params, tuple(map(QueryRequest.of, data)), several=True)
        # Unlike the queries of a batch, a single one can be split between the query string and the body.
        merged = merge_params(params, data, {}) if isinstance(data, dict) else params
        return cls(merged, (QueryRequest.of(merged),))


def _read_upload(value: object) -> object:
    """Return the content of a form field that was sent as a file."""
    return value.data.decode("utf-8", "replace") if isinstance(value, Upload) else value


def _parse_json(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise UnreadableBody from None
