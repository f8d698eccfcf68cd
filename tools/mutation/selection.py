"""The tests that concern a module."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

LIMIT: Final = 6
"""Of more test files, the likeliest are chosen."""


def choose_tests(module: Path, root: Path, limit: int = LIMIT) -> list[str]:
    """Return the test files that import a module, have the words of its name or area in their path, or name it.

    The likeliest come first.
    """
    dotted = module.with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    scores = {}
    for test in sorted(root.glob("tests/**/test_*.py")):
        place = test.relative_to(root)
        # The clients install something, the architecture reads sources only.
        if place.parts[1] not in ("clients", "architecture", "packaging"):
            words = _words(place.as_posix())
            scores[place.as_posix()] = (
                2 * (dotted in _imports(test))
                + 1.5 * _share(_words(module.stem), words)
                + _share(_words(module.parent.name), words)
                + (module.stem.replace("_", " ") in _text(test)) / 2
                + _share(_words(module.parts[1]), words) / 2
            )
    likely = sorted((path for path in scores if scores[path] >= 0.5), key=lambda path: -scores[path])
    return likely[:limit]


@cache
def _text(test: Path) -> str:
    return test.read_text("utf-8").lower().replace("_", " ")


def _words(path: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", path.lower()))


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of words that are among others, in any form: job and jobs, replay and replaying."""
    return sum(any(_is_form(word, other) for other in others) for word in words) / max(1, len(words))


def _is_form(word: str, other: str) -> bool:
    return word == other or (min(len(word), len(other)) > 2 and (word.startswith(other) or other.startswith(word)))


@cache
def _imports(test: Path) -> frozenset[str]:
    """Return the modules that a test file may import, and the names that it imports from them."""
    found = set()
    for node in ast.walk(ast.parse(test.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)
