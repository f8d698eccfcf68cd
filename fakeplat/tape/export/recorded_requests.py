"""What a recorded request asked: by whom, and with which parameters."""

from typing import Any

import orjson

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.params.body import parse_body, parse_query
from fakeplat.tape.redaction.credentials import find_credential


def requester_of(request: Request) -> str | None:
    """The placeholder of the credential that a request carries: ``pat:1``."""
    found = find_credential(request)
    return None if found is None else found.value.strip("<>")


def parse_parameters(request: Request) -> dict[str, Any]:
    """The parameters of a request, from its query and its body; none where they cannot be read."""
    try:
        body = parse_body(request.headers.get("content-type", ""), request.body)
        return {**parse_query(request.query), **body}
    except Refusal:
        return {}


def json_or_none(body: bytes) -> Any:
    """What a body says in JSON; None for one that says nothing so."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
