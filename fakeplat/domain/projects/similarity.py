"""How much a project's path, name and description look like a text, by their trigrams."""

from collections.abc import Sequence

from fakeplat.model.projects import Project


def order_by_similarity(projects: list[Project], search: str | None, sort: str) -> Sequence[Project]:
    """The most similar first, whatever ``sort`` says; without a text by name, ties by id as ``sort`` says."""
    by_id = sorted(projects, key=lambda project: project.id, reverse=sort == "desc")
    if not search:
        return sorted(by_id, key=lambda project: project.name)
    wanted = trigrams(search)
    return sorted(by_id, key=lambda project: _score(project, wanted), reverse=True)


def _score(project: Project, wanted: frozenset[str]) -> float:
    weights = ((project.path, 1.0), (project.name, 0.7), (project.description or "", 0.2))
    return sum(weight * _share(trigrams(text), wanted) for text, weight in weights)


def _share(found: frozenset[str], wanted: frozenset[str]) -> float:
    both = found | wanted
    return len(found & wanted) / len(both) if both else 0.0


def trigrams(text: str) -> frozenset[str]:
    """Every run of three characters of each word, the word's edges as spaces."""
    words = (f"  {word} " for word in "".join(c.lower() if c.isalnum() else " " for c in text).split())
    return frozenset(word[at : at + 3] for word in words for at in range(len(word) - 2))
