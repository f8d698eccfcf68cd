"""Who wrote commits."""

from collections.abc import Iterable
from typing import NamedTuple

from fakeplat.git.diffs import count_lines
from fakeplat.git.objects import Objects
from fakeplat.git.records import Commit


class Contributor(NamedTuple):
    """An author by name and address: their commits, and lines if they were counted."""

    name: str
    email: str
    commits: int
    additions: int = 0
    deletions: int = 0


def list_contributors(objects: Objects, commits: Iterable[Commit], *, lines: bool = False) -> list[Contributor]:
    """The authors of commits that are no merges, in the order in which they appear.

    With ``lines``, each commit is compared with its parent.
    """
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    for commit in commits:
        if len(commit.parents) < 2:
            key = (commit.author.name, commit.author.email)
            one = (1, *(_lines(objects, commit) if lines else (0, 0)))
            found[key] = tuple(map(sum, zip(found.get(key, (0, 0, 0)), one, strict=True)))  # type: ignore[assignment]
    return [Contributor(name, email, *counted) for (name, email), counted in found.items()]


def _lines(objects: Objects, commit: Commit) -> tuple[int, int]:
    before = objects.commit(commit.parents[0]).tree if commit.parents else None
    return count_lines(objects, before, commit.tree)[:2]
