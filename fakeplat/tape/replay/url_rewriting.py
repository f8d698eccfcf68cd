"""Rewriting of URLs from one origin to another, such as from the upstream to the replaying server."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from fakeplat.core.operations.http_messages import Response

_COLON: Final = "(?::|%3A)"
_SLASH: Final = r"(?:/|\\/|%2F)"


class UrlRewriter:
    """Replaces an origin in plain form, percent-encoded, or with the escaped slashes of JSON."""

    def __init__(self, old: str, new: str) -> None:
        scheme, _, authority = old.partition("://")
        name, colon, port = authority.partition(":")
        # Neither another port nor a longer hostname (example.test.evil) is the same origin.
        port_pattern = f"{_COLON}{port}" if colon else f"(?!{_COLON}[0-9])"
        origin = f"{scheme}{_COLON}{_SLASH}{_SLASH}{re.escape(name)}{port_pattern}(?![\\w-]|\\.\\w)"
        self._old = re.compile(origin.encode(), re.IGNORECASE)
        self._hostname = name.lower().encode()
        self._plain = new.encode()
        self._escaped = new.replace("/", "\\/").encode()
        self._quoted = quote(new, safe="").encode()

    def content(self, content: bytes) -> bytes:
        """Rewrite a body; content that is not UTF-8 text is returned unchanged."""
        # A quick test, because most bodies contain no URL of the server.
        if self._hostname not in content.lower() or not _is_text(content):
            return content
        return self._old.sub(self._replacement, content)

    def text(self, text: str) -> str:
        """Rewrite a text."""
        return self._old.sub(self._replacement, text.encode("utf-8", "surrogateescape")).decode(
            "utf-8", "surrogateescape"
        )

    def response(self, response: Response) -> Response:
        """Rewrite the headers and the body of a response."""
        headers = tuple((name, self.text(value)) for name, value in response.headers)
        return Response(response.status, headers, self.content(response.body))

    def _replacement(self, match: re.Match[bytes]) -> bytes:
        # The replacement is written as the origin was: percent-encoded, with escaped slashes, or plain.
        if b"%" in match[0]:
            return self._quoted
        return self._escaped if b"\\" in match[0] else self._plain


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(64)
def url_rewriter(old: str, new: str) -> UrlRewriter:
    """Return a cached rewriter between two origins."""
    return UrlRewriter(old, new)
