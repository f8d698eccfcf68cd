"""Validation rules of records: error texts per field, collected and raised together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote_plus, urlsplit

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.core.release import Profile
from fakeplat.policy.behaviours import SLUG_TEXT, SLUGS_ARE_PLAIN

TAKEN: Final = "has already been taken"
BLANK: Final = "can't be blank"
INVALID_URI: Final = "URI is invalid"
_WEB: Final = ("http", "https")
PATH_TEXT: Final = (
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
)
PROJECT_PATH_TEXT: Final = (
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
)
PROJECT_NAME_TEXT: Final = (
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."
)
GROUP_NAME_TEXT: Final = (
    "can contain only letters, digits, emojis, '_', '.', dash, space, parenthesis. "
    "It must start with letter, digit, emoji or '_'."
)
# Accepts ``ada``, ``.ada`` and ``a-b_c.d``; refuses ``-ada`` and ``ada.``. `is_path` also refuses two endings.
_PATH: Final = re.compile(r"[A-Za-z0-9_.](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
# Accepts ``a_b.c``; refuses ``_a``, ``a_`` and ``a__b``.
_SLUG: Final = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
# Unlike the path of a group, that of a project may end in a dot.
_PROJECT_PATH: Final = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*")
# Accepts ``Site 2.0`` and ``_site``; refuses ``-site``. Groups may also have parentheses, but not at the start.
_PLAIN_NAME: Final = re.compile(r"\w[\w. -]*", re.ASCII)
_PLAIN_GROUP_NAME: Final = re.compile(r"\w[\w. ()-]*", re.ASCII)
# The range contains the emoji, from U+203C on. U+200D joins several into one, U+FE0F selects the coloured form.
_EMOJI_NAME: Final = r"[\w\u203c-\U0001ffff][\w. {}\u200d\ufe0f\u203c-\U0001ffff-]*"
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")
_LINE_BREAK: Final = re.compile(r"[\r\n]")
_URL: Final = re.compile(r"https?://[^\s/]+\S*")

# Top-level pages of the platform, and ``_fakeplat``, under which the fake itself is controlled.
RESERVED: Final = frozenset(
    "- .well-known 404.html 422.html 500.html 502.html 503.html _fakeplat abuse_reports admin api assets dashboard "
    "explore favicon.ico files groups health_check help import jwt login oauth profile projects public robots.txt s "
    "search sitemap snippets unsubscribes uploads users v2".split()
)


RESERVED_IN_NAMESPACES: Final = frozenset(
    "- badges blame blob builds commits create create_dir edit files find_file new preview raw refs tree update "
    "wikis".split()
)
"""Project paths that are reserved for pages of the platform."""


class ValidationErrors:
    """Collects the validation errors of a record. ``names`` are those of fields that have another in sentences."""

    def __init__(self, names: Mapping[str, str] = MappingProxyType({})) -> None:
        self._texts: dict[str, list[str]] = {}
        self._names = names

    def add(self, field: str, text: str) -> None:
        """Add an error."""
        self._texts.setdefault(field, []).append(text)

    def when(self, condition: object, field: str, text: str) -> None:
        """Add an error if a condition holds."""
        if condition:
            self.add(field, text)

    def __bool__(self) -> bool:
        return bool(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def texts(self, field: str) -> list[str]:
        """Return the errors of a field."""
        return self._texts.get(field, [])

    def full_messages(self) -> list[str]:
        """Return the errors as sentences that name their fields: ``Name can't be blank``; each sentence once."""
        return InvalidRecord(self._texts, names=self._names).full_messages()

    def refuse(self) -> None:
        """Raise InvalidRecord with all errors, if there are any."""
        if self._texts:
            raise InvalidRecord(self._texts, names=self._names)


def join_words(words: Sequence[str]) -> str:
    """Join words as in an English sentence: ``a``, ``a and b``, ``a, b, and c``."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def too_long(errors: ValidationErrors, field: str, value: str | None, maximum: int = 255) -> None:
    """Add an error if a text exceeds the maximum length."""
    if value is not None and len(value) > maximum:
        errors.add(field, f"is too long (maximum is {maximum} characters)")


def check_url(errors: ValidationErrors, field: str, url: str | None) -> None:
    """Add an error if a text is not an HTTP URL."""
    error = None if url is None else find_url_error(url)
    errors.when(error, field, str(error))


def find_url_error(url: str, schemes: Sequence[str] = _WEB) -> str | None:
    """Return what is wrong with a text that has to be a URL with a host, whatever its other parts are."""
    if has_line_break(url):
        return f"is blocked: {INVALID_URI}"
    return None if _is_url(url, schemes) else f"is blocked: Only allowed schemes are {', '.join(schemes)}"


def has_line_break(url: str) -> bool:
    """Return whether a URL has a line break, which may be percent-encoded. Blanks around a URL do not count."""
    return _LINE_BREAK.search(unquote_plus(url.strip())) is not None


def _is_url(text: str, schemes: Sequence[str]) -> bool:
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        return False
    return parts.scheme in schemes and bool(parts.netloc)


def is_path(text: str) -> bool:
    """Return whether a text is a valid username or group path."""
    return bool(_PATH.fullmatch(text)) and not text.lower().endswith((".git", ".atom"))


def check_slug(errors: ValidationErrors, profile: Profile, field: str, text: str) -> None:
    """Add the error of later releases for a username or path that starts, ends or goes on with special characters."""
    is_wrong = profile.has(SLUGS_ARE_PLAIN) and _SLUG.fullmatch(text) is None
    errors.when(is_wrong, field, profile.choose(SLUG_TEXT))


def is_project_path(text: str) -> bool:
    """Return whether a text is a valid project path."""
    return bool(_PROJECT_PATH.fullmatch(text)) and not text.lower().endswith((".git", ".atom"))


def is_project_name(text: str) -> bool:
    """Return whether a text is a valid project name."""
    # ASCII names, which are most, do not need the slow pattern.
    return bool((_PLAIN_NAME if text.isascii() else _emoji_name_pattern()).fullmatch(text))


def is_group_name(text: str) -> bool:
    """Return whether a text is a valid group name."""
    return bool((_PLAIN_GROUP_NAME if text.isascii() else _emoji_name_pattern("()")).fullmatch(text))


@cache
def _emoji_name_pattern(extra_chars: str = "") -> re.Pattern[str]:
    """Compile the pattern of names with emoji on first use: its large character class is slow to compile."""
    return re.compile(_EMOJI_NAME.format(extra_chars))


def is_email(text: str) -> bool:
    """Return whether a text looks like an email address."""
    return bool(_EMAIL.fullmatch(text))


def is_url(text: str) -> bool:
    """Return whether a text is an HTTP URL."""
    return bool(_URL.fullmatch(text))


def explain_regex_error(pattern: str) -> str:
    """Return the error in a regular expression, in the words of RE2; empty if valid."""
    try:
        compile_regexp(pattern)
    except RegexpError as error:
        return str(error)
    return ""


def human_size(count: int, digits: int = 3, delimiter: str = "") -> str:
    """Format a number of bytes: some significant digits of the largest fitting unit, with a mark for thousands."""
    if count < 1024:
        return f"{count} Byte{'' if count == 1 else 's'}"
    number, unit = count / 1024, "KB"
    for larger in ("MB", "GB"):
        if number >= 1024:
            number, unit = number / 1024, larger
    return f"{float(f'{number:.{digits}g}'):,g} {unit}".replace(",", delimiter)
