"""What a test does to its world beside requests, in the order of the requests between which it was done."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, mutable

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import from_iso

if TYPE_CHECKING:
    from fakeplat.harness.fake import Fakeplat


@frozen
class Step:
    """Done after the request of a number: ``load`` a fragment, mint a ``token``, or go to a time (``now``)."""

    after: int
    what: str
    given: Any
    value: str = ""


@mutable(eq=False)
class Script:
    """All of it. ``done`` counts what was played."""

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

    def done(self, fake: "Fakeplat", before: int | None) -> dict[str, str]:
        """Do the steps that come before the request of a number (None: all); the tokens that were minted."""
        tokens: dict[str, str] = {}
        while self._played < len(self.steps) and (before is None or self.steps[self._played].after < before):
            step = self.steps[self._played]
            self._played += 1
            if step.what == "load":
                fake.load(step.given)
            elif step.what == "now":
                fake.bench.platform.advance_to(from_iso(step.given))
            else:
                value = fake.token(**step.given)
                if step.value:
                    tokens[step.value] = value
        return tokens
