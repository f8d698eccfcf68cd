"""Requests, as they come in over a connection."""

from collections import deque
from functools import lru_cache
from typing import Final, NamedTuple

import orjson
from httptools import HttpParserError, HttpParserInvalidURLError, HttpParserUpgrade, HttpRequestParser

from fakeplat.core.operations.errors import ContentTooLarge
from fakeplat.core.operations.http_messages import JSON, Response
from fakeplat.core.store.frozen import frozen
from fakeplat.http.decompression import BodyTooLarge, CorruptBody, decompress
from fakeplat.http.quirks import escape_target, remove_upgrade

_ENDLESS: Final = 1024 * 1024
_USUAL_NAME: Final = 64


class RawRequest(NamedTuple):
    """A request as it was sent, or instead the answer to what cannot be taken (``refusal``).

    ``target`` is the raw request target. Header names are lower-case; one that stands several times is joined; bytes
    in values that are no UTF-8 are replaced. What follows a body in chunks (trailers) is no header.
    ``stays``: the client goes on to use the connection.
    """

    method: str
    target: str
    version: str
    headers: dict[str, str]
    body: bytes
    stays: bool
    refusal: Response | None = None


@frozen
class Limits:
    """What a client may send, and how long it may take (seconds).

    ``body`` and ``line`` are bytes: of a body, and of a request line or one header. ``idle_timeout`` limits the time
    between requests and the time without progress of a client that does not take its answer, ``head_timeout`` the time
    for a whole head, ``body_timeout`` the time between two parts of a body.
    """

    body: int
    line: int = 8190
    headers: int = 100
    idle_timeout: float = 75
    head_timeout: float = 10
    body_timeout: float = 30


class RequestParser:
    """Makes requests of what a client sends: the parser calls the ``on_…`` methods.

    ``is_asked``: the client waits to be told that it may send its body. ``is_partial``: a request has begun and is not
    complete; ``in_head``: not even its head is. ``number`` counts the requests that have begun.
    """

    def __init__(self, limits: Limits) -> None:
        self.complete: deque[RawRequest] = deque()
        self.is_asked = False
        self.number = 0
        self._limits = limits
        self._usual: dict[str, str] = {}
        self._parser: HttpRequestParser | None = HttpRequestParser(self)
        self.on_message_begin()
        self.in_head = self.is_partial = False

    def feed(self, data: bytes) -> None:
        """Take in what came. After what is no HTTP nothing more is taken."""
        while data and self._parser is not None:
            if self._is_endless(len(data)):
                return
            try:
                self._parser.feed_data(data)
                return
            except HttpParserUpgrade as upgrade:  # who asks for another protocol takes HTTP/1 for an answer
                data = self._asked_again() + data[upgrade.args[0] :]
                self._parser = HttpRequestParser(self)
            except HttpParserInvalidURLError as error:
                data = escape_target(data)
                self._parser = HttpRequestParser(self)
                if not data:
                    self._give_up(f"this is no HTTP/1 request: {error}")
            except HttpParserError as error:
                self._give_up(f"this is no HTTP/1 request: {error}")

    def close(self) -> None:
        """Take in nothing more."""
        self._parser = None

    def on_message_begin(self) -> None:
        """A request begins."""
        self._target = b""
        self._headers: dict[str, str] = {}
        self._header_values: dict[str, list[str]] = {}
        self._header_count = 0
        self._chunks: list[bytes] = []
        self._size = self._longest = self._of_head = 0
        self.in_head = self.is_partial = True
        self.number += 1

    def on_url(self, part: bytes) -> None:
        """The target, or a part of it."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer."""
        if not self.in_head:
            return
        self._header_count += 1
        if self._header_count > self._limits.headers:
            return
        self._longest = max(self._longest, len(name), len(value))
        key, text = _name(name), value.rstrip(b" \t").decode("utf-8", "replace")
        if key in self._headers:
            self._header_values.setdefault(key, [self._headers[key]]).append(text)
        else:
            self._headers[key] = text

    def on_headers_complete(self) -> None:
        """The head is there."""
        self.in_head = False
        for key, values in self._header_values.items():
            self._headers[key] = ("; " if key == "cookie" else ", ").join(values)
        self.is_asked = "expect" in self._headers and self._expects()

    def _expects(self) -> bool:
        is_old = self._parser is None or self._parser.get_http_version() == "1.0"
        return not is_old and self._headers["expect"].lower() == "100-continue"

    def on_body(self, chunk: bytes) -> None:
        """A part of the body; of one that is too large only the size is kept."""
        self._size += len(chunk)
        if self._size <= self._limits.body:
            self._chunks.append(chunk)

    def on_message_complete(self) -> None:
        """A request is there as a whole."""
        if self._parser is None:
            return
        self.is_asked = self.is_partial = False
        body, refusal = self._body()
        if self._headers == self._usual:  # a client says the same again and again: it is kept once
            self._headers = self._usual
        self._usual = self._headers
        self.complete.append(
            RawRequest(
                self._parser.get_method().decode(),
                self._target.decode("utf-8", "surrogateescape"),
                self._parser.get_http_version(),
                self._headers,
                body,
                self._parser.should_keep_alive(),
                self._beyond_limits() or refusal,
            )
        )

    def _body(self) -> tuple[bytes, Response | None]:
        if self._size > self._limits.body:
            return b"", _too_large()
        if not self._chunks:
            return b"", None
        body, self._chunks = b"".join(self._chunks), []
        encoding = self._headers.get("content-encoding")
        if encoding is None:
            return body, None
        try:
            return decompress(body, encoding, self._limits.body), None
        except CorruptBody as broken:
            return b"", refuse(400, f"the body cannot be read: {broken}")
        except BodyTooLarge:
            return b"", _too_large()

    def _beyond_limits(self) -> Response | None:
        if self._parser is not None and self._parser.get_http_version() not in ("1.0", "1.1"):
            return refuse(505, f"HTTP/{self._parser.get_http_version()} is not spoken here; HTTP/1.1 is")
        if len(self._target) > self._limits.line:
            return refuse(414, f"the request line is over {self._limits.line} bytes")
        if self._longest > self._limits.line:
            return refuse(400, f"a header is over {self._limits.line} bytes")
        if self._header_count > self._limits.headers:
            return refuse(400, f"the request has {self._header_count} headers; {self._limits.headers} are the most")
        return None

    def _is_endless(self, more: int) -> bool:
        """A head without an end would fill the memory."""
        self._of_head = self._of_head + more if self.in_head else 0
        if self._of_head > _ENDLESS:
            self._give_up("the head of the request has no end")
        return self._of_head > _ENDLESS

    def _asked_again(self) -> bytes:
        """The head of what asks for another protocol, as if it did not; a tunnel has no body to be read."""
        if self.complete[-1].method == "CONNECT":
            return b""
        return remove_upgrade(*self.complete.pop()[:4])

    def _give_up(self, why: str) -> None:
        self.complete.append(RawRequest("GET", "/", "1.1", {}, b"", stays=False, refusal=refuse(400, why)))
        self.close()


def refuse(status: int, text: str) -> Response:
    """The answer to what never reaches a platform."""
    return Response(status, (("Content-Type", JSON),), orjson.dumps({"error": text}))


def _too_large() -> Response:
    return ContentTooLarge(reason="the body is over every limit").response()


def _name(name: bytes) -> str:
    return _usual_name(name) if len(name) <= _USUAL_NAME else name.decode("latin-1").lower()


@lru_cache(1024)
def _usual_name(name: bytes) -> str:
    return name.decode("latin-1").lower()
