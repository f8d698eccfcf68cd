"""Modules say on which page of the documentation the facts are that they follow."""

import re
from collections.abc import Iterator

from tests.architecture.sources import ROOT

FOLDERS = ("fakeplat", "tests", "tools", "benchmarks")
CITATION = re.compile(r"\b(docs/(?:platform|decisions)/[\w.-]+\.(?:md|csv|json))(?:\s+\(('[^()]*')\))?")


def citations() -> Iterator[tuple[str, str, str]]:
    """Yield each page that a module cites: the module, the page, and the names of its sections in quotes."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for page, sections in CITATION.findall(path.read_text("utf-8")):
                yield str(path.relative_to(ROOT)), page, sections


def test_cited_pages_exist() -> None:
    """Each page that a docstring cites exists in the repository."""
    assert [] == [(module, page) for module, page, _ in citations() if not (ROOT / page).is_file()]


def test_cited_sections_exist() -> None:
    """Each cited section is on its page as a heading or the beginning of an entry."""
    missing = [
        (module, page, name)
        for module, page, sections in citations()
        for name in re.findall(r"'([^']+)'", sections)
        if " ".join(name.split()) not in (ROOT / page).read_text("utf-8")
    ]

    assert [] == missing
