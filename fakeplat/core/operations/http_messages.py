"""A request that came in and an answer that goes out, free of any server's types."""

from collections.abc import Mapping
from typing import Final, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

Headers = tuple[tuple[str, str], ...]

JSON: Final = "application/json"
TEXT: Final = "text/plain; charset=utf-8"


@frozen
class Request:
    """One HTTP request.

    ``path`` is the raw path, percent-encoding kept; ``query`` is the raw query string without ``?``.
    Header names are lower-case. ``origin`` is the scheme and authority that the client used.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes = b""
    origin: str = "http://localhost"
    peer: str = "127.0.0.1"


Loss = Literal["timeout", "reset", "truncated", "lost_reply"]


@frozen
class Delivery:
    """How an answer goes out that does not go out well: late (``delay``, seconds of real time), or not whole."""

    delay: float = 0.0
    loss: Loss | None = None
    why: str = ""


@frozen
class Response:
    """One HTTP response, complete but for what the server itself adds (``Date``, ``Content-Length``)."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    delivery: Delivery | None = None


@frozen
class RawBody:
    """What an operation gives that is not JSON: a file, a page."""

    body: bytes
    content_type: str
    headers: Headers = ()
    status: int = 200
