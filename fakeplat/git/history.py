"""Which commits lead to which: ancestors as one large number with a bit per commit.

Commits are numbered when they are first met, parents before children. So a range is an `&~`, a count a `bit_count`,
and of commits that two heads share, the one with the highest number is a best common ancestor.
"""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from fakeplat.git.objects import Objects

HEADS_AT_HAND = 4_096


class History:
    """The ancestors of commits of one store, kept per head. ``of`` gives the one of a store."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._shas: list[str] = []
        self._kept: dict[str, int] = {}

    @classmethod
    def of(cls, objects: Objects) -> "History":
        """What a store (and what stands over it) keeps."""
        kept = objects.kept.get(cls)
        if not isinstance(kept, cls):
            kept = objects.kept[cls] = cls()
        return kept

    def ancestors(self, objects: Objects, sha: str) -> int:
        """A commit and all that lead to it; MissingObject where one is not there."""
        kept = self._kept.get(sha)
        if kept is not None:
            return kept
        bits, fresh = self._walk(objects, sha)
        marks = bytearray(len(self._shas) // 8 + 1)
        for one in fresh:
            number = self._numbers[one]
            marks[number >> 3] |= 1 << (number & 7)
        bits |= int.from_bytes(marks, "little")
        if len(self._kept) >= HEADS_AT_HAND:
            for old in list(self._kept)[: HEADS_AT_HAND // 2]:
                del self._kept[old]
        self._kept[sha] = bits
        return bits

    def reachable(self, objects: Objects, shas: Iterable[str]) -> int:
        """The commits that lead to any of some."""
        return reduce(or_, (self.ancestors(objects, sha) for sha in shas), 0)

    def holds(self, bits: int, sha: str) -> bool:
        """Whether a commit is among those of a number."""
        number = self._numbers.get(sha)
        return number is not None and bits >> number & 1 == 1

    def shas(self, bits: int) -> list[str]:
        """The commits of a number, children before parents."""
        digits = f"{bits:b}"
        top = len(digits) - 1
        return [self._shas[top - place] for place, digit in enumerate(digits) if digit == "1"]

    def best_common(self, objects: Objects, ours: int, theirs: int) -> list[str]:
        """The common commits of two numbers that lead to no other common one, newest first."""
        best, common = [], ours & theirs
        while common:
            sha = self._shas[common.bit_length() - 1]
            best.append(sha)
            common &= ~self.ancestors(objects, sha)
        return sorted(best, key=lambda sha: -objects.commit(sha).committer.when)

    def _walk(self, objects: Objects, sha: str) -> tuple[int, list[str]]:
        """What is kept already of the ancestors, and the others, which are numbered by this."""
        bits, fresh, seen = 0, [], set()
        stack = [(sha, False)]
        while stack:
            one, after_parents = stack.pop()
            if after_parents:
                self._number(one)
                fresh.append(one)
            elif one not in seen:
                seen.add(one)
                if one in self._kept:
                    bits |= self._kept[one]
                elif not self.holds(bits, one):
                    stack.append((one, True))
                    stack += [(parent, False) for parent in objects.commit(one).parents if parent not in seen]
        return bits, fresh

    def _number(self, sha: str) -> None:
        if sha not in self._numbers:
            self._numbers[sha] = len(self._shas)
            self._shas.append(sha)
