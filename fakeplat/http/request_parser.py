"""Incremental parsing of the requests on a connection."""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache
from sys import intern
from typing import Final, NamedTuple

from httptools import HttpParserError, HttpParserInvalidURLError, HttpParserUpgrade, HttpRequestParser

from fakeplat.core.operations.errors import ContentTooLarge
from fakeplat.core.operations.http_messages import JSON, ReceivedHeaders, Response, dump_json
from fakeplat.core.store.frozen import frozen
from fakeplat.http.decompression import BodyTooLarge, CorruptBody, decompress

_HEAD_END: Final = b"\r\n\r\n"
_MAX_HEAD: Final = 1024 * 1024
_MAX_CACHED_NAME: Final = 64
_MAX_KNOWN_HEADS: Final = 16
_ENCODINGS: Final = ("transfer-encoding", "content-encoding")


class RawRequest(NamedTuple):
    """A parsed request. ``refusal`` is the error response for one that cannot be accepted.

    ``target`` is the raw request target. Header names are lower-case; values of a repeated header are joined; bytes
    in values that are not UTF-8 are replaced. Trailers after a chunked body are ignored.
    ``stays``: the connection stays open after the response.
    """

    method: str
    target: str
    version: str
    headers: dict[str, str]
    body: bytes
    keep_alive: bool
    refusal: Response | None = None


@frozen
class Limits:
    """Limits on the size of requests, and timeouts in seconds.

    ``body`` and ``line`` are the maximal bytes of a body, and of a request line or one header. ``idle_timeout`` limits
    the time between requests, and the time in which a client reads nothing of its response; ``head_timeout`` the time
    for a complete head; ``body_timeout`` the time between two parts of a body.
    """

    body: int
    line: int = 8190
    headers: int = 100
    idle_timeout: float = 75
    head_timeout: float = 10
    body_timeout: float = 30


class RequestParser:
    """Parser of a client's requests; httptools calls the ``on_…`` methods.

    ``complete`` queues the parsed requests. ``expects_continue``: the client waits for 100 Continue. ``is_partial``: a
    request has started and is incomplete; ``in_head``: its head is incomplete. ``number`` counts the started requests.
    """

    def __init__(self, limits: Limits) -> None:
        self.complete: deque[RawRequest] = deque()
        self.expects_continue = False
        self.number = 0
        self._limits = limits
        self._max_headers = limits.headers
        self._last_headers = ReceivedHeaders()
        self._known: dict[bytes, tuple[RawRequest, int]] = {}
        self._parser: HttpRequestParser | None = HttpRequestParser(self)
        self._has_long_head = False
        self._received = 0
        # This sets all attributes of a request; before the first byte, none has begun.
        self.on_message_begin()
        self.in_head = self.is_partial = False

    def feed(self, data: bytes) -> None:
        """Parse received bytes. After a syntax error all further input is ignored."""
        while data and self._parser is not None:
            end = data.find(_HEAD_END) + len(_HEAD_END)
            if self.is_partial or end < len(_HEAD_END):
                self._parse(data)
                return
            data = self._take_request(data, end)

    def _take_request(self, data: bytes, end: int) -> bytes:
        """Take a new request, whose head ends in the data; return the data behind it.

        A client that polls sends the same head again and again, and so does one that reports similar events.
        """
        head = data[:end]
        known = self._known.get(head)
        if known is None:
            return self._learn_request(head, data[end:])
        request, size = known
        if len(data) < end + size:
            self._parse(data)
            return b""
        self.number += 1
        if size:
            request = RawRequest(*request[:4], data[end : end + size], keep_alive=True)
        self.complete.append(request)
        return data[end + size :]

    def _learn_request(self, head: bytes, rest: bytes) -> bytes:
        """Parse a request with a new head, which may come again; return the data behind it."""
        number = self.number
        self._parse(head)
        size = self._find_body_size() if self.is_partial else 0
        if size is None or len(rest) < size:
            self._parse(rest)
            return b""
        self._parse(rest[:size])
        if self.number == number + 1 and not self.is_partial:
            self._remember(head, self.complete[-1], size)
        return rest[size:]

    def _find_body_size(self) -> int | None:
        """Return the size of the body that follows a head; None if only the parser finds its end."""
        # Lines may also end without a carriage return, and what seems to be a head then has some of the body in it.
        if self.in_head or self._size or not self._headers.keys().isdisjoint(_ENCODINGS):
            return None
        return int(self._headers.get("content-length", "0"))

    def _remember(self, head: bytes, request: RawRequest, size: int) -> None:
        is_usual = request.keep_alive and request.refusal is None and "expect" not in request.headers
        if is_usual and len(head) <= self._limits.line:
            if len(self._known) == _MAX_KNOWN_HEADS:
                self._known.clear()
            self._known[head] = request, size

    def _parse(self, data: bytes) -> None:
        while data and self._parser is not None:
            if self._exceeds_head_limit(len(data)):
                return
            try:
                self._parser.feed_data(data)
                return
            except HttpParserUpgrade as upgrade:  # a server may ignore Upgrade and answer with HTTP/1
                # The parser takes what follows for another protocol, and has completed the request without a body.
                data = self._head_without_upgrade() + data[upgrade.args[0] :]
                self._parser = HttpRequestParser(self)
            except HttpParserInvalidURLError as error:
                # httptools does not say where the bad target begins, so the request line is searched in this part.
                data = escape_target(data)
                self._parser = HttpRequestParser(self)
                if not data:
                    self._reject(f"not a valid HTTP/1 request: {error}")
            except HttpParserError as error:
                self._reject(f"not a valid HTTP/1 request: {error}")

    def close(self) -> None:
        """Ignore all further input."""
        self._parser = None

    def on_message_begin(self) -> None:
        """Start a request."""
        self._target = b""
        self._headers = ReceivedHeaders()
        self._header_values: dict[str, list[str]] = {}
        self._header_count = 0
        self._chunks: list[bytes] = []
        self._size = self._longest_header = self._head_size = 0
        self.in_head = self.is_partial = True
        self.number += 1

    def on_url(self, part: bytes) -> None:
        """Append a part of the target."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; ignore a trailer."""
        if not self.in_head:
            return
        self._header_count += 1
        if self._header_count > self._max_headers:
            return  # counted only; _check_limits() refuses the request
        if self._has_long_head:
            self._longest_header = max(self._longest_header, len(name), len(value))
        # Long names are rare and chosen by the client; caching them would only hold memory.
        key = _cached_header_name(name) if len(name) <= _MAX_CACHED_NAME else _header_name(name)
        text = value.rstrip(b" \t").decode("utf-8", "replace")
        if key in self._headers:
            self._header_values.setdefault(key, [self._headers[key]]).append(text)
        else:
            self._headers[key] = text

    def on_headers_complete(self) -> None:
        """Join repeated headers once the head is complete."""
        self.in_head = False
        for key, values in self._header_values.items():
            self._headers[key] = join_values(key, values)
        self.expects_continue = "expect" in self._headers and self._expects_continue()

    def _expects_continue(self) -> bool:
        is_http_10 = self._parser is None or self._parser.get_http_version() == "1.0"
        return not is_http_10 and self._headers["expect"].lower() == "100-continue"

    def on_body(self, chunk: bytes) -> None:
        """Store a part of the body; of one that is too large only the size."""
        self._size += len(chunk)
        if self._size <= self._limits.body:
            self._chunks.append(chunk)

    def on_message_complete(self) -> None:
        """Queue the request once it is complete."""
        if self._parser is None:
            return
        self.expects_continue = self.is_partial = False
        body, refusal = self._decode_body() if self._size else (b"", None)
        version = self._parser.get_http_version()
        if self._headers == self._last_headers:  # clients repeat the same headers: share one dict
            self._headers = self._last_headers
        self._last_headers = self._headers
        keep_alive = self._parser.should_keep_alive()
        if not keep_alive:  # whatever follows is refused
            self._known = {}
        self.complete.append(
            RawRequest(
                # The journal keeps thousands of requests, whose few methods are the same text then.
                intern(self._parser.get_method().decode()),
                self._target.decode("utf-8", "surrogateescape"),
                version,
                self._headers,
                body,
                keep_alive,
                self._check_limits(version) or refusal,
            )
        )

    def _decode_body(self) -> tuple[bytes, Response | None]:
        if self._size > self._limits.body:
            return b"", _too_large_response()
        body, self._chunks = b"".join(self._chunks), []
        return decode_body(body, self._headers, self._limits)

    def _check_limits(self, version: str) -> Response | None:
        if version not in ("1.0", "1.1"):
            return refuse(505, f"HTTP/{version} is not supported; use HTTP/1.1")
        if len(self._target) > self._limits.line:
            return refuse(414, f"the request line is over {self._limits.line} bytes")
        if self._longest_header > self._limits.line:
            return refuse(400, f"a header is over {self._limits.line} bytes")
        if self._header_count > self._limits.headers:
            return refuse(
                400, f"the request has {self._header_count} headers; at most {self._limits.headers} are allowed"
            )
        return None

    def _exceeds_head_limit(self, size: int) -> bool:
        """Reject a head that never ends, which would fill the memory."""
        self._head_size = self._head_size + size if self.in_head else 0
        # A header can only be too long if what was received since before its head is longer than a line may be.
        self._received = self._received + size if self.in_head else size
        self._has_long_head = self._received > self._limits.line
        if self._head_size > _MAX_HEAD:
            self._reject(f"the head of the request is over {_MAX_HEAD} bytes")
        return self._head_size > _MAX_HEAD

    def _head_without_upgrade(self) -> bytes:
        """Return the last request's head without Upgrade, to be parsed again; empty for CONNECT, which has no body."""
        if self.complete[-1].method == "CONNECT":
            return b""
        return remove_upgrade(*self.complete.pop()[:4])

    def _reject(self, message: str) -> None:
        self.complete.append(RawRequest("GET", "/", "1.1", {}, b"", keep_alive=False, refusal=refuse(400, message)))
        self.close()


def join_values(name: str, values: Iterable[str]) -> str:
    """Join the values of a repeated header."""
    # Cookies are the only exception from the comma (RFC 7540, 8.1.2.5).
    return ("; " if name == "cookie" else ", ").join(values)


def decode_body(body: bytes, headers: Mapping[str, str], limits: Limits) -> tuple[bytes, Response | None]:
    """Return a decompressed body, and the refusal of one that is damaged or too large."""
    encoding = headers.get("content-encoding")
    if len(body) > limits.body:
        return b"", _too_large_response()
    if encoding is None:
        return body, None
    try:
        return decompress(body, encoding, limits.body), None
    except CorruptBody as error:
        return b"", refuse(400, f"the body cannot be decompressed: {error}")
    except BodyTooLarge:
        return b"", _too_large_response()


def refuse(status: int, text: str) -> Response:
    """Return the error response to a request that does not reach the platform."""
    return Response(status, (("Content-Type", JSON),), dump_json({"error": text}))


def _too_large_response() -> Response:
    return ContentTooLarge(reason="the body is over every limit").response()


def _header_name(name: bytes) -> str:
    return name.decode("latin-1").lower()


_cached_header_name: Final = lru_cache(1024)(_header_name)


_NON_ASCII: Final = re.compile(rb"[\x80-\xff]")
_NON_ASCII_REQUEST_LINE: Final = re.compile(rb"[A-Z]+ \S*[\x80-\xff]\S* HTTP/1\.[01]\r\n")


def escape_target(data: bytes) -> bytes:
    """Percent-encode the non-ASCII bytes of a request line; return the data from this line on, or b"" if there is none.

    nginx accepts such bytes as they are, and curl sends them.
    """
    match = _NON_ASCII_REQUEST_LINE.search(data)
    if match is None:
        return b""
    return _NON_ASCII.sub(lambda byte: b"%%%02X" % ord(byte[0]), match[0]) + data[match.end() :]


def remove_upgrade(method: str, target: str, version: str, headers: dict[str, str]) -> bytes:
    """Return a request head without its Upgrade header, after which the parser would not parse the body."""
    lines = [f"{name}: {value}\r\n" for name, value in headers.items() if name != "upgrade"]
    return f"{method} {target} HTTP/{version}\r\n{''.join(lines)}\r\n".encode()
