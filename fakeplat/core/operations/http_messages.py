"""HTTP requests and responses, independent of any server."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from hashlib import sha256
from http import HTTPStatus
from typing import Final, Literal, NamedTuple, TypeVar, overload

import orjson
from attrs import field, mutable
from propcache.api import cached_property

from fakeplat.core.store.frozen import frozen

T = TypeVar("T")
BODILESS: Final = frozenset((204, 304, *range(100, 200)))
"""Statuses of responses that end with their head, whatever the headers say (RFC 7230, section 3.3.3)."""
REASON_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus} | {
    413: "Request Entity Too Large",
    414: "Request-URI Too Long",
    416: "Requested Range Not Satisfiable",
    422: "Unprocessable Entity",
}
"""The reason phrases of the status lines. Python 3.13 has other words for some, which the platform does not use."""
Headers = tuple[tuple[str, str], ...]


class HeaderMapping(dict[str, str]):
    """Headers by name. The items keep their spelling; only lookups ignore the case."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        super().__init__(pairs)
        self._lower = {name.lower(): value for name, value in self.items()}

    def __getitem__(self, name: str) -> str:
        return self._lower[name.lower()]

    @overload
    def get(self, name: str, default: None = None, /) -> str | None: ...
    @overload
    def get(self, name: str, default: str, /) -> str: ...
    @overload
    def get(self, name: str, default: T, /) -> str | T: ...
    def get(self, name: str, default: object = None, /) -> object:
        """Return a header, or the default."""
        return self._lower.get(name.lower(), default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._lower


class ReceivedHeaders(dict[str, str]):
    """The headers of requests that a server received, by lower-case name. Once they are complete, nobody changes them.

    The requests of a connection mostly share one object.
    """

    _names: tuple[str, ...] = ()
    _values: tuple[str | None, ...] = ()

    def select(self, names: tuple[str, ...]) -> tuple[str | None, ...]:
        """Return the values of some headers, None for those that are absent. They are kept for the next request."""
        if self._names is not names:
            self._values = tuple([self.get(name) for name in names])
            self._names = names
        return self._values

    @cached_property
    def size(self) -> int:
        """The number of characters of the values."""
        return sum(map(len, self.values()))


JSON: Final = "application/json"
TEXT: Final = "text/plain; charset=utf-8"
REVALIDATE: Final = ("Cache-Control", "max-age=0, private, must-revalidate")
"""The header of what clients may keep, and ask for again before they use it."""


ETAG: Final = "ETag"
REQUEST_ID: Final = "X-Request-Id"
RUNTIME: Final = "X-Runtime"
"""The last headers of most responses, which differ from request to request."""


def dump_json(value: object) -> bytes:
    """Return a value as JSON, in a text that caches and journals may keep."""
    # Behind each of its results orjson leaves some kilobytes unused, which only a copy does without.
    return b"".join((orjson.dumps(value), b""))


def hash_content(data: bytes) -> bytes:
    """Return the hash of a content for its entity tag: as on the platform, the first half of SHA-256."""
    return sha256(data).digest()[:16]


_TRUSTED_PROXIES: Final = ("127.0.0.1", "::1")


class SshKeyId(NamedTuple):
    """The key of an SSH connection, whose sessions send requests: of a user, or a deploy key."""

    kind: Literal["user", "deploy"]
    id: int


# Nobody changes requests and responses. They are not frozen, as that would double the cost of their creation.
@mutable
class Request:
    """One HTTP request.

    ``path`` is the raw path, percent-encoding kept; ``query`` is the raw query string without ``?``.
    Header names are lower-case. ``origin`` is the scheme and authority that the client used. ``ssh_key`` identifies the
    caller of a request that a session of the SSH server sends: no client of HTTP can.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes = b""
    origin: str = "http://localhost"
    peer: str = "127.0.0.1"
    ssh_key: SshKeyId | None = None

    @property
    def remote_ip(self) -> str:
        """The address of the client: the last one before the proxies on this machine, which ``peer`` may be one of."""
        forwarded = map(str.strip, self.headers.get("x-forwarded-for", "").split(","))
        addresses = [self.peer, *reversed([address for address in forwarded if _is_address(address)])]
        return next((address for address in addresses if address not in _TRUSTED_PROXIES), addresses[-1])


def _is_address(text: str) -> bool:
    # Imported late: few requests come through a proxy.
    from ipaddress import ip_address

    try:
        ip_address(text)
    except ValueError:
        return False
    return True


Loss = Literal["timeout", "reset", "truncated", "lost_reply"]


@frozen
class Delivery:
    """A faulty delivery of a response: with a delay (seconds of real time), or with a loss."""

    delay: float = 0.0
    loss: Loss | None = None
    why: str = ""


@mutable
class Response:
    """One HTTP response, without the headers that the server adds (``Date``, ``Content-Length``)."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    delivery: Delivery | None = None


@mutable(eq=False)
class StreamingResponse(Response):
    """A response whose body is sent in chunks as they are generated, until the client is gone or the server stops."""

    chunks: AsyncGenerator[bytes, None] = field(kw_only=True)


@frozen
class RawBody:
    """The result of an operation that is not JSON, such as a file or a page.

    ``effect`` (of the write context) is what a GET of it changes; it is committed before the answer. ``reason`` is for
    the author of the test, if it is an error that does not undo what the request has changed.
    """

    body: bytes
    content_type: str
    headers: Headers = ()
    status: int = 200
    effect: Callable[..., object] | None = None
    reason: str = ""


def revalidate(body: bytes, content_type: str) -> RawBody:
    """Return a document that clients keep and ask for again with its entity tag."""
    etag = f'W/"{hash_content(body).hex()}"'
    return RawBody(body, content_type, ((ETAG, etag), REVALIDATE))
