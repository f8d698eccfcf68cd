"""Globs of ``changes`` and ``exists``, as Ruby's ``File.fnmatch`` reads them for paths.

``*`` and ``?`` stay within a directory, ``**/`` matches any number of directories, ``{a,b}`` matches either.
"""

import re
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<anywhere>\*\*/)|(?P<any>\*+)|(?P<one>\?)|(?P<set>\[[!^]?\]?[^\]]*\])|\\?(?P<other>.)", re.DOTALL
)
_LONGEST: Final = 4_096
_MOST_ALTERNATIVES: Final = 1_000


def matches(glob: str, path: str) -> bool:
    """Return whether a path matches a glob."""
    pattern = _compile(glob)
    return pattern is not None and pattern.fullmatch(path) is not None


def matches_path(glob: str, path: str) -> bool:
    """Return whether a path matches a glob in which braces stand for themselves."""
    pattern = _compile(glob, has_braces=False)
    return pattern is not None and pattern.fullmatch(path) is not None


def matches_wildcards(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern of ``include``: only ``**`` crosses directories."""
    return _compile_wildcards(pattern).fullmatch(path) is not None


def is_plain(glob: str) -> bool:
    """Return whether a glob is just a path."""
    return not any(character in glob for character in "*?[{\\")


@lru_cache(512)
def _compile_wildcards(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern[:_LONGEST])
    return re.compile("".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts), re.DOTALL)


@lru_cache(512)
def _compile(glob: str, *, has_braces: bool = True) -> re.Pattern[str] | None:
    if len(glob) > _LONGEST:
        return None
    alternatives = _expand_braces(glob) if has_braces else [glob]
    try:
        return re.compile("|".join(map(_translate, alternatives)), re.DOTALL)
    except re.error:
        return None


def _expand_braces(glob: str) -> list[str]:
    """Return the globs that a glob with ``{a,b}`` stands for."""
    finished: list[str] = []
    waiting = [glob]
    while waiting and len(finished) + len(waiting) < _MOST_ALTERNATIVES:
        current = waiting.pop()
        # The innermost braces first: they contain no others.
        match = re.search(r"(?<!\\)\{([^{}]*)\}", current)
        if match is None:
            finished.append(current)
        else:
            before, after = current[: match.start()], current[match.end() :]
            waiting.extend(before + choice + after for choice in match[1].split(","))
    return finished


def _translate(glob: str) -> str:
    return "".join(_translate_token(match, glob) for match in _TOKEN.finditer(glob))


def _translate_token(match: re.Match[str], glob: str) -> str:
    match match.lastgroup:
        case "anywhere" if match.start() == 0 or glob[match.start() - 1] == "/":
            return "(?:[^/]+/)*"
        case "anywhere":
            return "[^/]*/"
        case "any":
            return "[^/]*"
        case "one":
            return "[^/]"
        case "set":
            negated = "^" if match[0][1] in "!^" else ""
            return f"(?!/)[{negated}{_escape_set(match[0][1 + len(negated) : -1])}]"
    return re.escape(match["other"])


def _escape_set(body: str) -> str:
    return re.sub(r"[\\\[\]&~|^]", lambda found: "\\" + found[0], body)
