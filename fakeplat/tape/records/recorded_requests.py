"""Accessors for recorded requests: caller, parameters and JSON body."""

from typing import Any

import orjson

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.params.body import parse_body, parse_query
from fakeplat.tape.redaction.credentials import find_credential


def requester_of(request: Request) -> str | None:
    """Return the placeholder of a request's credential, such as ``pat:1``."""
    credential = find_credential(request)
    return None if credential is None else credential.value.strip("<>")


def parse_parameters(request: Request) -> dict[str, Any]:
    """Return the parameters in the query and the body of a request; none if they are malformed."""
    try:
        body = parse_body(request.headers.get("content-type", ""), request.body)
        # As on the platform, a parameter in the body takes precedence.
        return {**parse_query(request.query), **body}
    except Refusal:
        return {}


def json_or_none(body: bytes) -> Any:
    """Parse a JSON body; return None if it is not valid JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
