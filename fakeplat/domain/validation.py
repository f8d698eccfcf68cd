"""The model's own rules: texts per field, collected and refused together."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidRecord

TAKEN: Final = "has already been taken"
BLANK: Final = "can't be blank"
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
_PATH: Final = re.compile(r"[A-Za-z0-9_.](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")
_PROJECT_PATH: Final = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*")
_PLAIN_NAME: Final = re.compile(r"\w[\w. -]*", re.ASCII)
_PLAIN_GROUP_NAME: Final = re.compile(r"\w[\w. ()-]*", re.ASCII)
_EMOJI_NAME: Final = r"[\w\u203c-\U0001ffff][\w. {}\u200d\ufe0f\u203c-\U0001ffff-]*"
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")
_URL: Final = re.compile(r"https?://[^\s/]+\S*")
_RE2_TEXTS: Final = {
    "unterminated character set": "missing ]",
    "missing ), unterminated subpattern": "missing )",
    "unbalanced parenthesis": "unexpected )",
    "nothing to repeat": "no argument for repetition operator",
}

RESERVED: Final = frozenset(
    "- .well-known 404.html 422.html 500.html 502.html 503.html _fakeplat abuse_reports admin api assets dashboard "
    "explore favicon.ico files groups health_check help import jwt login oauth profile projects public robots.txt s "
    "search sitemap snippets unsubscribes uploads users v2".split()
)


RESERVED_IN_NAMESPACES: Final = frozenset(
    "- badges blame blob builds commits create create_dir edit files find_file new preview raw refs tree update "
    "wikis".split()
)
"""Paths that no project has, because the platform's pages have them."""


class ValidationErrors:
    """Collects what is wrong with a record."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, field: str, text: str) -> None:
        """One more thing that is wrong."""
        self._found.setdefault(field, []).append(text)

    def when(self, wrong: object, field: str, text: str) -> None:
        """Something is wrong under a condition."""
        if wrong:
            self.add(field, text)

    def __bool__(self) -> bool:
        return bool(self._found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def texts(self, field: str) -> list[str]:
        """All that is wrong with a field."""
        return self._found.get(field, [])

    def refuse(self) -> None:
        """Refuse with all that was found, if anything was."""
        if self._found:
            raise InvalidRecord(self._found)


def too_long(faults: ValidationErrors, field: str, value: str | None, most: int = 255) -> None:
    """A text that has more characters than it may."""
    faults.when(value is not None and len(value) > most, field, f"is too long (maximum is {most} characters)")


def is_path(text: str) -> bool:
    """Whether a text can be a user name or the path of a group."""
    return bool(_PATH.fullmatch(text)) and not text.lower().endswith((".git", ".atom"))


def is_project_path(text: str) -> bool:
    """Whether a text can be the path of a project."""
    return bool(_PROJECT_PATH.fullmatch(text)) and not text.lower().endswith((".git", ".atom"))


def is_project_name(text: str) -> bool:
    """Whether a text can be the name of a project."""
    return bool((_PLAIN_NAME if text.isascii() else _emoji_name()).fullmatch(text))


def is_group_name(text: str) -> bool:
    """Whether a text can be the name of a group."""
    return bool((_PLAIN_GROUP_NAME if text.isascii() else _emoji_name("()")).fullmatch(text))


@cache
def _emoji_name(more: str = "") -> re.Pattern[str]:
    """Compiled when first needed: its large character class takes longer than many a module's import."""
    return re.compile(_EMOJI_NAME.format(more))


def is_email(text: str) -> bool:
    """Whether a text looks like an address."""
    return bool(_EMAIL.fullmatch(text))


def is_url(text: str) -> bool:
    """Whether a text is an http URL."""
    return bool(_URL.fullmatch(text))


def find_regex_error(pattern: str) -> str:
    """What is wrong with a regular expression, in the words of RE2 where it is one of the usual mistakes."""
    try:
        re.compile(pattern)
    except re.error as error:
        text, place = _RE2_TEXTS.get(error.msg, error.msg), pattern[error.pos or 0 :]
        return f"{text}: {pattern if ')' in text else place}"
    return ""


def ruby_inspect(value: Any) -> str:
    """A value as Ruby's inspect prints it, which some of the platform's texts carry."""
    if isinstance(value, dict):
        return "{" + ", ".join(f":{key}=>{ruby_inspect(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(ruby_inspect(inner) for inner in value) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
