"""How the search of the documentation treats its pages."""

from tools import reference

NOTES = ("platform/", "decisions/", "architecture", "adding-an-operation", "contributing")
"""Pages for developers. Their terse notes would be the first answers to the words that users look for."""
GENERATED = (*reference.PAGES, "changes.md")
"""Pages that list everything, with every word as a heading."""


def search_rank(name: str) -> dict[str, object]:
    """Return the metadata of a page: guides come first, lists after them, notes for developers not at all."""
    if name.startswith(NOTES):
        return {"exclude": True}
    return {"boost": 0.3 if name in GENERATED else 2}
