"""The secrets of a session: each distinct one has a placeholder, `<pat:1>`, which stands for it wherever it appears."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from functools import lru_cache
from json import dumps
from typing import Final
from urllib.parse import quote, quote_plus, unquote_plus

from fakeplat.core.secret_names import KINDS
from fakeplat.tape.formats.tape import PLACEHOLDER

LEAST: Final = 6
"""Shorter values are replaced where they were sent as secrets, and nowhere else."""

_LONG_USER: Final = 16
_STANDS: Final = re.compile(f"<{PLACEHOLDER}>")
_STANDS_BYTES: Final = re.compile(_STANDS.pattern.encode())
_JSON_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_PLAIN_NAME: Final = re.compile(rb'"[a-z]+(?:_[a-z]+)*"(?=\s*:)')
_AS_FOR_PAGES: Final = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "&<>"})
"""JSON that may stand in a page."""
_MEANS_NOTHING: Final = frozenset({"", "null", "true", "false"})
_PLAIN_WORDS: Final = frozenset({*KINDS, *KINDS.values(), *(name.replace("_", "-") for name in KINDS)})


def is_placeholder(text: str) -> bool:
    """Whether a text is the placeholder of a secret."""
    return _STANDS.fullmatch(text) is not None


class SecretRegistry:
    """What is known to be secret. ``version`` grows with it."""

    def __init__(self) -> None:
        self.version = 0
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._variants: dict[bytes, bytes] = {}

    def learn(self, kind: str, value: str) -> str:
        """The placeholder of a value, a new one if it was not known; what can be no secret stays as it is."""
        if value.lower() in _MEANS_NOTHING or is_placeholder(value):
            return value
        found = self._placeholders.get(value)
        if found is None:
            self._counts[kind] = number = self._counts.get(kind, 0) + 1
            found = self._placeholders[value] = f"<{kind}:{number}>"
            self._know(value, found)
        return found

    def learn_basic(self, user: str, password: str) -> str:
        """The credentials of Basic authentication: ``ada:<password:1>``; their base64 is known from now on, too."""
        placeholder = self.learn("password", password)
        if not password and is_long(user):
            return f"{self.learn('token', user)}:"
        shown = f"{user}:{placeholder}"
        encoded = b64encode(f"{user}:{password}".encode("utf-8", "surrogateescape"))
        if placeholder != password and encoded not in self._variants:
            self._variants[encoded] = shown.encode()
            self.version += 1
        return shown

    def _know(self, value: str, placeholder: str) -> None:
        self.version += 1
        if is_distinctive(value):
            self._variants |= dict.fromkeys(_variants(value), placeholder.encode())

    def placeholder(self, value: str) -> str | None:
        """The placeholder of a value that is known."""
        return self._placeholders.get(value)

    # replacing

    def hide(self, content: bytes) -> bytes:
        """A content with placeholders for all that is known."""
        present = self._present(content)
        return content if present is None else present.sub(self._shown, content)

    def _present(self, content: bytes) -> re.Pattern[bytes] | None:
        """What finds all that is known in a content, the longest first; None if there is nothing."""
        present = [variant for variant in self._variants if variant in content]
        return _any_of(tuple(sorted(present, key=len, reverse=True))) if present else None

    def _shown(self, match: re.Match[bytes]) -> bytes:
        found = match[0]
        return self._variants.get(found, found)

    def hide_json(self, content: bytes) -> bytes:
        """As `hide`, inside of strings only, so that JSON stays JSON; names that are plain words stay, too."""
        present = self._present(content)
        if present is None:
            return content

        def shown(string: re.Match[bytes]) -> bytes:
            hidden = present.sub(self._shown, string[0])
            is_name = hidden != string[0] and _PLAIN_NAME.match(content, string.start()) is not None
            return string[0] if is_name else hidden

        return _JSON_STRING.sub(shown, content)

    def hide_text(self, text: str) -> str:
        """As `hide`, for text."""
        return self.hide(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def hide_encoded(self, text: str) -> str:
        """As `hide`, for text that is percent-encoded in any way; the rest of it stays as it was."""
        plain = unquote_plus(text)
        shown = self.hide_text(plain)
        return text if shown == plain else quote_around_placeholders(shown)


def is_long(user: str) -> bool:
    """Whether the name of a user who has no password is a token: nobody is called so."""
    return len(user) >= _LONG_USER


def is_distinctive(value: str) -> bool:
    """Whether a value is a secret wherever it appears, and no short or common word."""
    return len(value) >= LEAST and value.lower() not in _PLAIN_WORDS


def _variants(value: str) -> Iterator[bytes]:
    plain = value.encode("utf-8", "surrogateescape")
    encoded = quote(plain, safe="")
    in_json = dumps(value, ensure_ascii=False)[1:-1]
    lower = re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    forms = (
        value,
        dumps(value)[1:-1],
        in_json,
        in_json.translate(_AS_FOR_PAGES),
        encoded,
        lower,
        quote_plus(plain),
        quote(plain),
        value.replace("/", "\\/"),
    )
    yield from (form.encode("utf-8", "surrogateescape") for form in forms)
    yield from _encoded(plain)


def _encoded(value: bytes) -> Iterator[bytes]:
    """A value in base64: alone, and at each of the three places where it may begin within something longer."""
    yield b64encode(value)
    for before in range(3):
        whole = b64encode(b"\0" * before + value).rstrip(b"=")
        yield whole[-(-before * 8 // 6) : (before + len(value)) * 8 // 6]


@lru_cache(256)
def _any_of(variants: tuple[bytes, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join([_STANDS_BYTES.pattern, *map(re.escape, variants)]))


def quote_around_placeholders(text: str) -> str:
    """Percent-encode a text, but for the placeholders in it."""
    pieces, at = [], 0
    for found in _STANDS.finditer(text):
        pieces += [quote(text[at : found.start()], safe="", errors="surrogateescape"), found[0]]
        at = found.end()
    return "".join([*pieces, quote(text[at:], safe="", errors="surrogateescape")])


def parse_basic(credentials: str) -> tuple[str, str] | None:
    """User and password of the credentials of Basic authentication, or None."""
    try:
        user, colon, password = b64decode(credentials, validate=True).decode().partition(":")
    except ValueError:
        return None
    return (user, password) if colon else None
