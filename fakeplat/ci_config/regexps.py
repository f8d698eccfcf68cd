r"""Regular expressions of configuration files: ``/pattern/flags`` in the syntax of RE2.

Python's ``re`` compiles them, after the syntax that only one of both understands was refused or translated. The RE2
bindings for Python cannot be installed on musl-based systems, where many test suites run.
"""

import re
from functools import lru_cache
from typing import Final

_LITERAL: Final = re.compile(r"/(?P<pattern>.*)/(?P<flags>[ismU]*)", re.DOTALL)
# The flag U only swaps greedy and lazy repetition, which does not change whether a text matches.
_FLAGS: Final = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "U": re.NOFLAG}
_LONGEST: Final = 4_096
_TOKEN: Final = re.compile(
    r"""
    (?P<quoted>\\Q.*?(?:\\E|\Z))
    | (?P<escape>\\x\{[0-9A-Fa-f]{1,6}\}|\\.)
    | (?P<class>\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\])
    | (?P<group>\((?:\?.{0,2})?)
    | (?P<possessive>(?:[*+?]|\{\d+(?:,\d*)?\})\+)
    | (?P<end>\$)
    | (?P<other>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_ALLOWED_GROUPS: Final = re.compile(r"\((?!\?)|\(\?(?::|[imsU-]|P<)")
_REFUSED_ESCAPES: Final = frozenset("123456789ZGRKXhHkg0uUNpPC")
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": r"0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


class RegexpError(ValueError):
    """A regular expression is invalid."""


def is_literal(value: object) -> bool:
    """Return whether a value is written as a regular expression, valid or not."""
    return isinstance(value, str) and _LITERAL.fullmatch(value) is not None


def is_valid(value: object) -> bool:
    """Return whether a value is a valid regular expression."""
    try:
        compile_literal(str(value))
    except RegexpError:
        return False
    return True


@lru_cache(256)
def compile_literal(text: str) -> re.Pattern[str]:
    """Compile ``/pattern/flags``; RegexpError if it is invalid."""
    match = _LITERAL.fullmatch(text)
    if match is None or len(text) > _LONGEST:
        raise RegexpError("Invalid regular expression!")
    flags = re.ASCII
    for letter in match["flags"]:
        flags |= _FLAGS[letter]
    try:
        return re.compile(_translate(match["pattern"], multiline="m" in match["flags"]), flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise RegexpError(str(error)) from None


def _translate(pattern: str, *, multiline: bool) -> str:
    """Return a pattern in Python's syntax; RegexpError for what RE2 does not know."""
    return "".join(_translate_token(match, multiline=multiline) for match in _TOKEN.finditer(pattern))


def _translate_token(match: re.Match[str], *, multiline: bool) -> str:
    token = match[0]
    match match.lastgroup:
        case "quoted":
            return re.escape(token[2:].removesuffix("\\E"))
        case "escape":
            return _translate_escape(token)
        case "class":
            return _translate_class(token)
        case "group" if not _ALLOWED_GROUPS.match(token):
            raise RegexpError(f"invalid perl operator: {token}")
        case "possessive":
            raise RegexpError(f"bad repetition operator: {token}")
        case "end":
            # Python's $ also matches before a newline at the end.
            return token if multiline else r"\Z"
    return token


def _translate_escape(token: str) -> str:
    if token.startswith("\\x{"):
        return re.escape(_to_character(token[3:-1]))
    letter = token[1]
    if letter == "z":
        return r"\Z"
    if letter in _REFUSED_ESCAPES:
        raise RegexpError(f"invalid escape sequence: {token}")
    return token


def _to_character(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except ValueError:
        raise RegexpError(f"invalid escape sequence: \\x{{{digits}}}") from None


def _translate_class(token: str) -> str:
    def replace(match: re.Match[str]) -> str:
        negated, name = match.groups()
        if name not in _POSIX or negated:
            raise RegexpError(f"invalid character class range: {match[0]}")
        return _POSIX[name]

    start = 2 if token.startswith("[^") else 1
    body = re.sub(r"\[:(\^?)([a-z]+):\]", replace, token[start:-1])
    # Nested brackets and set operators mean something else in later releases of Python.
    return token[:start] + re.sub(r"(?<!\\)\[|&&|\|\||~~|--", lambda match: re.escape(match[0]), body) + "]"
