"""Declared releases: how many are only bounds."""

import re
from collections import Counter
from typing import Final

from tests.architecture.sources import ROOT

DECLARATIONS: Final = ("api", "entities", "model", "domain")
BOUNDS: Final = {"api": 332, "entities": 229, "model": 335, "domain": 91}
"""How many beginnings and ends are known as an upper bound only (``<=15.4``). Only new facts may add some."""


def count(pattern: str) -> dict[str, int]:
    """Return how often a pattern occurs in the declarations of each package."""
    found: Counter[str] = Counter(dict.fromkeys(DECLARATIONS, 0))
    for package in DECLARATIONS:
        for path in (ROOT / "fakeplat" / package).rglob("*.py"):
            found[package] += len(re.findall(pattern, path.read_text("utf-8")))
    return dict(found)


def test_bounds_become_fewer() -> None:
    """Whoever finds out a release writes it in place of its bound, and lowers the number."""
    assert BOUNDS == count(r'"<=[0-9]+\.[0-9]+"')


def test_every_declared_release_is_a_release() -> None:
    """No declaration says that something is newer, without a release."""
    assert dict.fromkeys(DECLARATIONS, 0) == count(r'(since|until)="newer"')
