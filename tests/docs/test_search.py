"""The search of the documentation."""

import pytest

from tests.architecture.sources import ROOT
from tests.docs.pages import USER_PAGES
from tools.search import NOTES, search_rank


@pytest.mark.parametrize("page", [page for page in USER_PAGES if page.startswith("docs/")])
def test_the_guides_come_first(page: str) -> None:
    """Pages for users rank higher in the search than generated lists."""
    assert {"boost": 2} == search_rank(page.removeprefix("docs/"))
    assert {"boost": 0.3} == search_rank("records.md") == search_rank("coverage.md")


def test_notes_for_developers_are_not_found() -> None:
    """The search excludes platform facts, decisions and pages for contributors."""
    names = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    excluded = {name for name in names if search_rank(name) == {"exclude": True}}
    assert {"platform/README.md", "decisions/choices.md", "architecture.md", "adding-an-operation.md"} <= excluded
    assert excluded == {name for name in names if name.startswith(NOTES)}
