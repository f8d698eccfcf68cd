"""Conversion of other tools' recordings to tapes: for one origin, with redacted secrets."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.store.frozen import frozen
from fakeplat.tape.formats.tape import Exchange, Head, InvalidTape, Tape
from fakeplat.tape.records.recorded_requests import json_or_none, requester_of
from fakeplat.tape.redaction.exchanges import Redactor

UNKNOWN_TIME: Final = "1970-01-01T00:00:00.000Z"


@frozen
class Recording:
    """An exchange as another tool recorded it: with its full URL, and secrets in plain text."""

    method: str
    url: str
    headers: Headers
    body: bytes
    response: Response
    took: float = 0.0
    at: str = UNKNOWN_TIME


def build_tape(recordings: Iterable[Recording], name: str, users: Mapping[str, str] | None = None) -> Tape:
    """Return a tape of the origin with the most requests; requests to other origins are dropped.

    ``users`` maps placeholders to usernames; for other placeholders, a recorded ``GET /user`` gives the username.
    """
    pairs = [(recording, _build_request(recording, name)) for recording in recordings]
    if not pairs:
        raise InvalidTape(f"{name}: contains no requests")
    upstream = Counter(request.origin for _, request in pairs).most_common(1)[0][0]
    redactor = Redactor()
    exchanges: list[Exchange] = []
    for recording, request in pairs:
        if request.origin == upstream:
            clean_request, clean_response = redactor.redact(request, recording.response)
            # The head takes line 1, so the first exchange is on line 2.
            exchanges.append(Exchange(clean_request, clean_response, recording.took, recording.at, len(exchanges) + 2))
    at = min((exchange.at for exchange in exchanges), default=UNKNOWN_TIME)
    return Tape(Head(upstream, at, {**_find_users(exchanges), **(users or {})}), tuple(exchanges))


def _find_users(exchanges: Iterable[Exchange]) -> dict[str, str]:
    """Map placeholders to usernames, from the recorded responses to ``GET /user``."""
    users: dict[str, str] = {}
    for exchange in exchanges:
        placeholder = requester_of(exchange.request)
        if placeholder and exchange.request.path.endswith("/api/v4/user") and exchange.response.status == 200:
            match json_or_none(exchange.response.body):
                case {"username": str(username)}:
                    users.setdefault(placeholder, username)
    return users


def _build_request(recording: Recording, name: str) -> Request:
    try:
        parts = urlsplit(recording.url)
        port = parts.port
    except ValueError:
        raise InvalidTape(f"{name}: {recording.url!r} is not a valid URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidTape(f"{name}: {recording.url!r} is not an HTTP URL")
    # ``hostname`` is without the brackets of an IPv6 address.
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    origin = f"{parts.scheme}://{host}" + ("" if port is None else f":{port}")
    headers: dict[str, str] = {}
    for header, value in recording.headers:
        lower = header.lower()
        # A repeated request header is one comma-separated list.
        headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
    # An absolute URL may have no path, as in ``https://git.example.test?page=2``.
    path = parts.path if parts.path.startswith("/") else "/"
    return Request(recording.method.upper(), path, parts.query, headers, recording.body, origin)


def with_content_type(headers: Headers, content_type: str) -> Headers:
    """Add a Content-Type header if the recorded headers have none."""
    if not content_type or any(name.lower() == "content-type" for name, _ in headers):
        return headers
    return (*headers, ("Content-Type", content_type))
