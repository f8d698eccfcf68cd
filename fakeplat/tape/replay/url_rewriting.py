"""URLs in answers, moved from the origin that wrote them to the one that serves them."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from fakeplat.core.operations.http_messages import Response

_COLON: Final = "(?::|%3A)"
_SLASH: Final = r"(?:/|\\/|%2F)"


class UrlRewriter:
    """From one origin to another: as it stands, percent-encoded, or with JSON's escaped slashes."""

    def __init__(self, old: str, new: str) -> None:
        scheme, _, authority = old.partition("://")
        name, colon, port = authority.partition(":")
        ending = f"{_COLON}{port}" if colon else f"(?!{_COLON}[0-9])"
        whole = f"{scheme}{_COLON}{_SLASH}{_SLASH}{re.escape(name)}{ending}(?![\\w-]|\\.\\w)"
        self._old = re.compile(whole.encode(), re.IGNORECASE)
        self._name = name.lower().encode()
        self._plain = new.encode()
        self._escaped = new.replace("/", "\\/").encode()
        self._quoted = quote(new, safe="").encode()

    def content(self, content: bytes) -> bytes:
        """A content with the new origin; what is no text is left alone."""
        if self._name not in content.lower() or not _is_text(content):
            return content
        return self._old.sub(self._new, content)

    def text(self, text: str) -> str:
        """A text with the new origin."""
        return self._old.sub(self._new, text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def response(self, response: Response) -> Response:
        """An answer with the new origin in its headers and its body."""
        headers = tuple((name, self.text(value)) for name, value in response.headers)
        return Response(response.status, headers, self.content(response.body))

    def _new(self, found: re.Match[bytes]) -> bytes:
        if b"%" in found[0]:
            return self._quoted
        return self._escaped if b"\\" in found[0] else self._plain


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(64)
def url_rewriter(old: str, new: str) -> UrlRewriter:
    """The move between two origins."""
    return UrlRewriter(old, new)
