"""What a docstring cites can be opened by whoever reads it."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.architecture.sources import ROOT, package_modules

CITED = re.compile(r"\bSources?:\s*(.*?)\.(?=\s|$)(?!md)", re.DOTALL)
ITEM = re.compile(r"(docs/[\w/-]+\.md)(?: \(([^)]+)\))?")


class Citation(NamedTuple):
    location: str
    text: str

    @property
    def items(self) -> list[tuple[str, str]]:
        return ITEM.findall(self.text)


def list_docstrings() -> Iterator[tuple[str, str]]:
    for module in package_modules():
        for node in module.nodes:
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    yield f"{module.filename}:{getattr(node, 'lineno', 1)}", text


@pytest.fixture(scope="module")
def citations() -> list[Citation]:
    return [
        Citation(location, " ".join(citation.split()))
        for location, text in list_docstrings()
        for citation in CITED.findall(text)
    ]


def test_there_are_sources(citations: list[Citation]) -> None:
    """More than a hundred citations name the source of a rule."""
    assert len(citations) > 100


def test_a_source_is_a_page_of_the_repository(citations: list[Citation]) -> None:
    """A citation consists only of pages of the repository and their sections."""
    leftover = {citation.location: ITEM.sub("", citation.text).strip(" ,") for citation in citations}
    assert {} == {location: text for location, text in leftover.items() if text}


def test_every_source_can_be_opened(citations: list[Citation]) -> None:
    """Each cited page exists and has each cited section and ruling."""
    missing = []
    for citation in citations:
        for page, sections in citation.items:
            path = ROOT / page
            if not path.is_file():
                missing.append(f"{citation.location}: no page {page}")
                continue
            text = path.read_text("utf-8")
            missing += [
                f"{citation.location}: {page} has no {name!r}"
                for name in re.findall(r"'([^']+)'", sections)
                if name not in text
            ]
            missing += [
                f"{citation.location}: no ruling {n}"
                for n in re.findall(r"\b\d+\b", sections)
                if "rulings" in page and f"\n| {n} |" not in text
            ]
    assert [] == missing
