"""Authors of commits."""

from collections.abc import Iterable
from typing import NamedTuple

from fakeplat.git.diffs import count_lines
from fakeplat.git.objects import Objects
from fakeplat.git.records import Commit


class Contributor(NamedTuple):
    """An author (name and e-mail) with the number of commits, and of lines if these were counted."""

    name: str
    email: str
    commits: int
    additions: int = 0
    deletions: int = 0


def list_contributors(objects: Objects, commits: Iterable[Commit], *, lines: bool = False) -> list[Contributor]:
    """List the authors of the commits that are not merges, in order of appearance.

    ``lines``: count changed lines by comparing each commit with its parent.
    """
    totals: dict[tuple[str, str], tuple[int, int, int]] = {}
    for commit in commits:
        if len(commit.parents) < 2:
            key = (commit.author.name, commit.author.email)
            counts = (1, *(_count_changed_lines(objects, commit) if lines else (0, 0)))
            # Adds the counts of commits, additions and deletions one by one.
            totals[key] = tuple(map(sum, zip(totals.get(key, (0, 0, 0)), counts, strict=True)))  # type: ignore[assignment]
    return [Contributor(name, email, *counts) for (name, email), counts in totals.items()]


def _count_changed_lines(objects: Objects, commit: Commit) -> tuple[int, int]:
    before = objects.commit(commit.parents[0]).tree if commit.parents else None
    return count_lines(objects, before, commit.tree)[:2]
