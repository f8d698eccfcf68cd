"""Ranking of projects and groups by trigram similarity of path, name and description to a search text."""

from collections.abc import Iterable, Sequence
from sys import maxsize

from fakeplat.model.people import Group
from fakeplat.model.projects import Project


def order_by_similarity(projects: list[Project], search: str | None, sort: str) -> Sequence[Project]:
    """Sort by similarity, best first whatever ``sort`` says; without a search text by name, then id."""
    by_id = sorted(projects, key=lambda project: project.id, reverse=sort == "desc")
    if not search:
        return sorted(by_id, key=lambda project: project.name)
    search_trigrams = trigrams(search)
    return sorted(by_id, key=lambda project: _score(project, search_trigrams), reverse=True)


def order_groups_by_similarity(groups: list[Group], search: str) -> Sequence[Group]:
    """Sort by similarity, best first; equals by the id of the parent, then by their own id, both descending."""
    search_trigrams = trigrams(search)

    def key(group: Group) -> tuple[float, int, int]:
        score = _add_up(((group.path, 1.0), (group.name, 0.7)), search_trigrams)
        return score, maxsize if group.parent_id is None else group.parent_id, group.id

    return sorted(groups, key=key, reverse=True)


def _score(project: Project, search_trigrams: frozenset[str]) -> float:
    return _add_up(((project.path, 1.0), (project.name, 0.7), (project.description or "", 0.2)), search_trigrams)


def _add_up(weights: Iterable[tuple[str, float]], search_trigrams: frozenset[str]) -> float:
    return sum(weight * _jaccard_index(trigrams(text), search_trigrams) for text, weight in weights)


def _jaccard_index(one_side: frozenset[str], other_side: frozenset[str]) -> float:
    union = one_side | other_side
    return len(one_side & other_side) / len(union) if union else 0.0


def trigrams(text: str) -> frozenset[str]:
    """Return every run of three characters of each word, padded with spaces at its edges."""
    # Padded as by PostgreSQL's pg_trgm: two spaces before a word and one after it.
    words = (f"  {word} " for word in "".join(c.lower() if c.isalnum() else " " for c in text).split())
    return frozenset(word[at : at + 3] for word in words for at in range(len(word) - 2))
