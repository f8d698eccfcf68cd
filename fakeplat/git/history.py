"""Ancestry of commits: the ancestors of a commit as one large integer with a bit per commit (a bit set).

Commits are numbered when they are first visited, parents before children. So a range is an `&~`, a count a
`bit_count`, and among the common ancestors of two heads, the one with the highest number is a best one.
"""

import re
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Final

from fakeplat.git.objects import Objects

_ONE: Final = re.compile("1")
MAX_CACHED_HEADS = 4_096


class History:
    """The ancestors of the commits in one object store, cached per head."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._shas: list[str] = []
        self._ancestors: dict[str, int] = {}

    @classmethod
    def of(cls, objects: Objects) -> "History":
        """Return the history of an object store; a quarantine over it shares it."""
        history = objects.caches.get(cls)
        if not isinstance(history, cls):
            history = objects.caches[cls] = cls()
        return history

    def ancestors(self, objects: Objects, sha: str) -> int:
        """Return a commit and all its ancestors; MissingObject if one is missing."""
        ancestors = self._ancestors.get(sha)
        if ancestors is not None:
            return ancestors
        bits, new_shas = self._walk(objects, sha)
        # Setting bits in a bytearray takes linear time; in an integer each bit would copy the whole number.
        new_bits = bytearray(len(self._shas) // 8 + 1)
        for new_sha in new_shas:
            number = self._numbers[new_sha]
            new_bits[number >> 3] |= 1 << (number & 7)
        bits |= int.from_bytes(new_bits, "little")
        if len(self._ancestors) >= MAX_CACHED_HEADS:
            # A dictionary keeps the order of insertion, so this is the older half.
            for old in list(self._ancestors)[: MAX_CACHED_HEADS // 2]:
                del self._ancestors[old]
        self._ancestors[sha] = bits
        return bits

    def count_apart(self, objects: Objects, ours: str, theirs: str) -> tuple[int, int]:
        """Count the commits that only the first of two commits has among its ancestors, and those of the second."""
        left, right = self.ancestors(objects, ours), self.ancestors(objects, theirs)
        return (left & ~right).bit_count(), (right & ~left).bit_count()

    def reachable(self, objects: Objects, shas: Iterable[str]) -> int:
        """Return some commits and all their ancestors."""
        return reduce(or_, (self.ancestors(objects, sha) for sha in shas), 0)

    def holds(self, bits: int, sha: str) -> bool:
        """Return whether a bit set contains a commit."""
        number = self._numbers.get(sha)
        return number is not None and bits >> number & 1 == 1

    def shas(self, bits: int) -> list[str]:
        """List the commits in a bit set, children before parents."""
        # The first digit stands for the highest number, which is the newest commit. Mostly there are a few new commits
        # before a long history, whose zeros are skipped by the search.
        digits = f"{bits:b}"
        top = len(digits) - 1
        return [self._shas[top - digit.start()] for digit in _ONE.finditer(digits)]

    def best_common(self, objects: Objects, ours: int, theirs: int) -> list[str]:
        """List the common commits of two bit sets that are not ancestors of other common ones, newest first."""
        # Children have higher numbers than their parents, so no other common commit descends from the highest one.
        best, common = [], ours & theirs
        while common:
            sha = self._shas[common.bit_length() - 1]
            best.append(sha)
            common &= ~self.ancestors(objects, sha)
        return sorted(best, key=lambda sha: -objects.commit(sha).committer.when)

    def _walk(self, objects: Objects, sha: str) -> tuple[int, list[str]]:
        """Return the ancestors that are cached as a bit set, and a list of the others, after numbering these."""
        bits, new_shas, visited = 0, [], set()
        # A stack, as histories are longer than Python's recursion limit. A commit is put back with True below its
        # parents, so that it is numbered after them.
        stack = [(sha, False)]
        while stack:
            current, parents_done = stack.pop()
            if parents_done:
                self._assign_number(current)
                new_shas.append(current)
            elif current not in visited:
                visited.add(current)
                if current in self._ancestors:
                    bits |= self._ancestors[current]
                # Cached ancestors that were met before cover this commit and everything behind it.
                elif not self.holds(bits, current):
                    stack.append((current, True))
                    stack += [(parent, False) for parent in objects.commit(current).parents if parent not in visited]
        return bits, new_shas

    def _assign_number(self, sha: str) -> None:
        # Only the sets of heads are cached: a walk can pass commits that an earlier walk has numbered.
        if sha not in self._numbers:
            self._numbers[sha] = len(self._shas)
            self._shas.append(sha)
