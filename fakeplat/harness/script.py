"""What a test does to its world beside requests, in the order of the requests between which it was done."""

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from attrs import field, mutable

from fakeplat.core.store.frozen import frozen


@frozen
class Step:
    """Done after the request of a number: ``load`` a fragment, mint a ``token``, or go to a time (``now``)."""

    after: int
    what: str
    given: Any
    value: str = ""


@mutable(eq=False)
class Script:
    """All steps, in their order; playing takes each of them once."""

    steps: list[Step] = field(factory=list)
    _played: int = 0

    @classmethod
    def of(cls, steps: Sequence[Mapping[str, Any]]) -> "Script":
        """The script that a bundle holds."""
        return cls([Step(**step) for step in steps])

    def note(self, after: int, what: str, given: Any, value: str = "") -> None:
        """Remember a step."""
        self.steps.append(Step(after, what, given, value))

    def as_list(self, placeholder: Callable[[str], str | None]) -> list[dict[str, Any]]:
        """It, for JSON; a minted token's value stands as its placeholder, empty if no request used it."""
        return [
            {
                "after": step.after,
                "what": step.what,
                "given": step.given,
                "value": (placeholder(step.value) or "")[1:-1],
            }
            for step in self.steps
        ]

    def take_due(self, before: int | None) -> list[Step]:
        """Return the steps that come before the request of a number (None: all that are left), each of them once."""
        remaining = self.steps[self._played :]
        due = list(takewhile(lambda step: before is None or step.after < before, remaining))
        self._played += len(due)
        return due
