"""The direct changes of a test to its world, each with its position among the requests."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, TypedDict

from attrs import field, mutable

from fakeplat.core.store.frozen import frozen


class StepDocument(TypedDict):
    """The form of a step in a bundle."""

    after: int
    what: str
    given: Any
    value: str


@frozen
class Step:
    """A step after the request with a number.

    It loads a fragment (``load``), creates a ``token``, goes to a time (``now``), declares how jobs are played
    (``pipelines``), adds a ``fault``, or removes one (``remove_fault``) or all of them (``clear_faults``).
    """

    after: int
    what: str
    given: Any
    value: str = ""


@mutable(eq=False)
class Script:
    """All steps in their order; replaying takes each of them once."""

    steps: list[Step] = field(factory=list)
    _played: int = 0

    @classmethod
    def from_list(cls, steps: Sequence[StepDocument]) -> "Script":
        """Create the script from its form in a bundle."""
        return cls([Step(**step) for step in steps])

    def note(self, after: int, what: str, given: object, value: str = "") -> None:
        """Add a step."""
        self.steps.append(Step(after, what, given, value))

    def clear(self) -> None:
        """Remove all steps: the world is as it was at first."""
        self.steps.clear()

    def as_list(self, placeholder: Callable[[str], str | None]) -> list[StepDocument]:
        """Return the steps for JSON; token values become placeholders, empty for tokens that no request used."""
        return [
            {
                "after": step.after,
                "what": step.what,
                "given": step.given,
                # The placeholder `<pat:1>` is stored without its angle brackets.
                "value": (placeholder(step.value) or "")[1:-1],
            }
            for step in self.steps
        ]

    def take_due(self, before: int | None) -> list[Step]:
        """Return the remaining steps before the request with a number (None: all of them), and mark them as taken."""
        remaining = self.steps[self._played :]
        due = list(takewhile(lambda step: before is None or step.after < before, remaining))
        self._played += len(due)
        return due
