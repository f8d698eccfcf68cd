"""The messages of JSON-RPC 2.0: requests, notifications, answers, errors. Source: docs/platform/mcp.md ('Messages')."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from fakeplat.core.operations.errors import InvalidParams, Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.params.body import merge_params, parse_body, parse_query
from fakeplat.core.params.params import NotBlank, Params, binder_of
from fakeplat.core.store.frozen import frozen

VERSION: Final = "2.0"
_INVALID_REQUEST: Final = (-32600, "Invalid Request")
_METHOD_NOT_FOUND: Final = (-32601, "Method not found")
_INVALID_PARAMS: Final = (-32602, "Invalid params")


class _Envelope(Params):
    """What every message has."""

    jsonrpc: Annotated[Literal["2.0"], NotBlank]
    method: Annotated[str, NotBlank]


class MessageRefused(Refusal):
    """400 or 404 with an error of JSON-RPC."""

    status = 400

    def __init__(self, error: tuple[int, str], data: Mapping[str, object], message_id: object = None) -> None:
        code, message = error
        payload = {"jsonrpc": VERSION, "error": {"code": code, "message": message, "data": data}, "id": message_id}
        super().__init__(payload, reason=f"{message}: {next(iter(data.values()))}")


class InvalidRequest(MessageRefused):
    """The message is none of JSON-RPC."""

    def __init__(self, *validations: str) -> None:
        super().__init__(_INVALID_REQUEST, {"validations": list(validations)})


class InvalidMessageParams(MessageRefused):
    """The parameters of the method are not valid, or name an unknown tool."""

    def __init__(self, text: str) -> None:
        super().__init__(_INVALID_PARAMS, {"params": text})


class UnknownMethod(MessageRefused):
    """The server does not have the method."""

    status = 404

    def __init__(self, method: str, message_id: object) -> None:
        super().__init__(_METHOD_NOT_FOUND, {"method": method}, message_id)


@frozen
class Message:
    """A message. Without an id it is a notification, which gets no answer."""

    method: str
    params: Mapping[str, Any]
    id: object = None

    @classmethod
    def of(cls, request: Request) -> "Message":
        """Read the message of a request. InvalidRequest says all that is wrong with it."""
        query = parse_query(request.query) if request.query else {}
        sent = merge_params(query, parse_body(request.headers.get("content-type", ""), request.body), {})
        failures: list[str] = []
        envelope: _Envelope | None = None
        try:
            envelope = binder_of(_Envelope).bind(sent)
        except InvalidParams as refusal:
            failures += refusal.text.split(", ")
        if "id" in sent and _is_blank(sent["id"]):
            failures.append("id is empty")
        params = sent.get("params")
        if not isinstance(params, dict | list | None):
            failures.append("params is invalid")
        if envelope is None or failures:
            raise InvalidRequest(*failures)
        return cls(envelope.method, params if isinstance(params, dict) else {}, sent.get("id"))

    def answer(self, result: object) -> dict[str, Any]:
        """Return the answer with a result."""
        return {"jsonrpc": VERSION, "result": result, "id": self.id}


def _is_blank(value: object) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())
