"""The secrets of a session. Each distinct secret has a placeholder, `<pat:1>`, that replaces it wherever it occurs."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from functools import lru_cache
from json import dumps
from typing import Final
from urllib.parse import quote, quote_plus, unquote_plus

from fakeplat.core.secret_names import KINDS
from fakeplat.tape.formats.tape import PLACEHOLDER

MIN_DISTINCTIVE_LENGTH: Final = 6
"""Shorter values are replaced only where they were sent as secrets."""

# The tokens of the platform have 20 characters; usernames are rarely as long as this.
_MIN_TOKEN_LENGTH: Final = 16
_PLACEHOLDER: Final = re.compile(f"<{PLACEHOLDER}>")
_PLACEHOLDER_BYTES: Final = re.compile(_PLACEHOLDER.pattern.encode())
_JSON_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
# A JSON key of plain words, such as ``"private_token":``.
_SIMPLE_KEY: Final = re.compile(rb'"[a-z]+(?:_[a-z]+)*"(?=\s*:)')
_HTML_SAFE_ESCAPES: Final = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "&<>"})
"""Escapes of JSON that is embedded in an HTML page."""
_NOT_SECRET: Final = frozenset({"", "null", "true", "false"})
_PLAIN_WORDS: Final = frozenset({*KINDS, *KINDS.values(), *(name.replace("_", "-") for name in KINDS)})


def is_placeholder(text: str) -> bool:
    """Whether a text is a placeholder."""
    return _PLACEHOLDER.fullmatch(text) is not None


class SecretRegistry:
    """The known secrets. ``version`` increases with each new one."""

    def __init__(self) -> None:
        self.version = 0
        self._placeholders: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._variants: dict[bytes, bytes] = {}

    def learn(self, kind: str, value: str) -> str:
        """Return the placeholder of a value, a new one if needed; a value that cannot be a secret is returned as is."""
        if value.lower() in _NOT_SECRET or is_placeholder(value):
            return value
        placeholder = self._placeholders.get(value)
        if placeholder is None:
            self._counts[kind] = number = self._counts.get(kind, 0) + 1
            placeholder = self._placeholders[value] = f"<{kind}:{number}>"
            self._add_variants(value, placeholder)
        return placeholder

    def learn_basic(self, user: str, password: str) -> str:
        """Register Basic credentials, and their base64 form, as secrets; return ``ada:<password:1>``."""
        placeholder = self.learn("password", password)
        # Git clients can send a token as the username, with an empty password.
        if not password and is_long(user):
            return f"{self.learn('token', user)}:"
        redacted = f"{user}:{placeholder}"
        encoded = b64encode(f"{user}:{password}".encode("utf-8", "surrogateescape"))
        if placeholder != password and encoded not in self._variants:
            self._variants[encoded] = redacted.encode()
            self.version += 1
        return redacted

    def _add_variants(self, value: str, placeholder: str) -> None:
        self.version += 1
        if is_distinctive(value):
            self._variants |= dict.fromkeys(_variants(value), placeholder.encode())

    def placeholder(self, value: str) -> str | None:
        """Return the placeholder of a known value."""
        return self._placeholders.get(value)

    # Replacing

    def hide(self, content: bytes) -> bytes:
        """Replace all known secrets in a content."""
        present = self._find_pattern(content)
        return content if present is None else present.sub(self._replace, content)

    def _find_pattern(self, content: bytes) -> re.Pattern[bytes] | None:
        """Return a pattern for the known secrets in a content, longest first; None if there are none."""
        variants = [variant for variant in self._variants if variant in content]
        # Longest first, since a secret may begin with another one and the first alternative wins.
        return _compile_pattern(tuple(sorted(variants, key=len, reverse=True))) if variants else None

    def _replace(self, match: re.Match[bytes]) -> bytes:
        variant = match[0]
        return self._variants.get(variant, variant)

    def hide_json(self, content: bytes) -> bytes:
        """Like `hide`, but only inside strings, so that JSON stays valid; names that are plain words stay unchanged."""
        pattern = self._find_pattern(content)
        if pattern is None:
            return content

        def hide_string(string: re.Match[bytes]) -> bytes:
            hidden = pattern.sub(self._replace, string[0])
            is_name = hidden != string[0] and _SIMPLE_KEY.match(content, string.start()) is not None
            return string[0] if is_name else hidden

        return _JSON_STRING.sub(hide_string, content)

    def hide_text(self, text: str) -> str:
        """Like `hide`, for text."""
        return self.hide(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def hide_encoded(self, text: str) -> str:
        """Like `hide`, for percent-encoded text; a text without secrets stays unchanged."""
        plain = unquote_plus(text)
        hidden = self.hide_text(plain)
        return text if hidden == plain else quote_around_placeholders(hidden)


def is_long(user: str) -> bool:
    """Whether a username without a password is a token: it is too long for a name."""
    return len(user) >= _MIN_TOKEN_LENGTH


def is_distinctive(value: str) -> bool:
    """Whether a value is safe to replace everywhere: neither a short value nor a common word."""
    return len(value) >= MIN_DISTINCTIVE_LENGTH and value.lower() not in _PLAIN_WORDS


def _variants(value: str) -> Iterator[bytes]:
    plain = value.encode("utf-8", "surrogateescape")
    encoded = quote(plain, safe="")
    # Without the quotes around the string.
    in_json = dumps(value, ensure_ascii=False)[1:-1]
    # Percent-encoding is the same with either case of hex digits.
    lower = re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), encoded)
    forms = (
        value,
        dumps(value)[1:-1],
        in_json,
        in_json.translate(_HTML_SAFE_ESCAPES),
        encoded,
        lower,
        quote_plus(plain),
        quote(plain),
        value.replace("/", "\\/"),
    )
    yield from (form.encode("utf-8", "surrogateescape") for form in forms)
    yield from _base64_variants(plain)


def _base64_variants(value: bytes) -> Iterator[bytes]:
    """Return the base64 forms of a value: alone, and as part of a longer value."""
    yield b64encode(value)
    # Base64 encodes groups of three bytes, so the form of a part depends on its offset in the group. The characters
    # at both ends that also depend on neighboring bytes are cut off.
    for offset in range(3):
        encoded = b64encode(b"\0" * offset + value).rstrip(b"=")
        # ``-(-a // b)`` rounds up: the first character that the value alone determines.
        yield encoded[-(-offset * 8 // 6) : (offset + len(value)) * 8 // 6]


@lru_cache(256)
def _compile_pattern(variants: tuple[bytes, ...]) -> re.Pattern[bytes]:
    # Existing placeholders are matched first, so that nothing inside them is replaced.
    return re.compile(b"|".join([_PLACEHOLDER_BYTES.pattern, *map(re.escape, variants)]))


def quote_around_placeholders(text: str) -> str:
    """Percent-encode a text except for its placeholders."""
    pieces, end = [], 0
    for match in _PLACEHOLDER.finditer(text):
        pieces += [quote(text[end : match.start()], safe="", errors="surrogateescape"), match[0]]
        end = match.end()
    return "".join([*pieces, quote(text[end:], safe="", errors="surrogateescape")])


def parse_basic(credentials: str) -> tuple[str, str] | None:
    """Decode Basic credentials to username and password; None if they are malformed."""
    try:
        user, colon, password = b64decode(credentials, validate=True).decode().partition(":")
    except ValueError:
        return None
    return (user, password) if colon else None
