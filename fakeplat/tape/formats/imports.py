"""Recordings of other tools as tapes: one origin, without secrets."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.store.frozen import frozen
from fakeplat.tape.export.recorded_requests import json_or_none, requester_of
from fakeplat.tape.formats.tape import Exchange, Head, InvalidTape, Tape
from fakeplat.tape.redaction.exchanges import Redactor

UNKNOWN: Final = "1970-01-01T00:00:00.000Z"


@frozen
class Recording:
    """An exchange as another tool recorded it: with its URL, and with its secrets."""

    method: str
    url: str
    headers: Headers
    body: bytes
    response: Response
    took: float = 0.0
    at: str = UNKNOWN


def tape_of(recordings: Iterable[Recording], name: str, users: Mapping[str, str] | None = None) -> Tape:
    """The tape of the origin that was asked most; what was asked of others is left out.

    ``users`` says whose a placeholder is; else it is whom ``GET /user`` showed for it.
    """
    found = [(recording, _request(recording, name)) for recording in recordings]
    if not found:
        raise InvalidTape(f"{name}: holds no requests")
    upstream = Counter(request.origin for _, request in found).most_common(1)[0][0]
    cleaner = Redactor()
    exchanges: list[Exchange] = []
    for recording, request in found:
        if request.origin == upstream:
            asked, answered = cleaner.clean(request, recording.response)
            exchanges.append(Exchange(asked, answered, recording.took, recording.at, len(exchanges) + 2))
    at = min((exchange.at for exchange in exchanges), default=UNKNOWN)
    return Tape(Head(upstream, at, {**_users(exchanges), **(users or {})}), tuple(exchanges))


def _users(exchanges: Iterable[Exchange]) -> dict[str, str]:
    """Whose each placeholder is, by what the server said of the caller."""
    users: dict[str, str] = {}
    for exchange in exchanges:
        placeholder = requester_of(exchange.request)
        if placeholder and exchange.request.path.endswith("/api/v4/user") and exchange.response.status == 200:
            match json_or_none(exchange.response.body):
                case {"username": str(username)}:
                    users.setdefault(placeholder, username)
    return users


def _request(recording: Recording, name: str) -> Request:
    try:
        parts = urlsplit(recording.url)
        port = parts.port
    except ValueError:
        raise InvalidTape(f"{name}: {recording.url!r} is no URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidTape(f"{name}: {recording.url!r} is no URL of HTTP")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    origin = f"{parts.scheme}://{host}" + ("" if port is None else f":{port}")
    headers: dict[str, str] = {}
    for header, value in recording.headers:
        lower = header.lower()
        headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
    path = parts.path if parts.path.startswith("/") else "/"
    return Request(recording.method.upper(), path, parts.query, headers, recording.body, origin)


def with_content_type(headers: Headers, content_type: str) -> Headers:
    """Headers that say what the body is, where only the tool did."""
    if not content_type or any(name.lower() == "content-type" for name, _ in headers):
        return headers
    return (*headers, ("Content-Type", content_type))
