"""One world on a bench: the platform with its journal, its snapshots and its beginning."""

from collections.abc import Mapping
from typing import Any

from fakeplat.platform import Moment, Platform
from fakeplat.workbench.journal import Journal


class Bench:
    """A platform with what a test author does to it. ``scenario`` and ``seed`` say where it began."""

    def __init__(self, platform: Platform, *, scenario: str, seed: int) -> None:
        self.platform = platform
        self.scenario = scenario
        self.seed = seed
        self.journal = Journal()
        self.snapshots: dict[str, Moment] = {}
        self._beginning = platform.now()
        platform.observers.append(self.journal.observe)

    def snapshot(self, name: str) -> None:
        """Remember this moment under a name."""
        self.snapshots[name] = self.platform.now()

    def restore(self, name: str) -> None:
        """Come back to a remembered moment; KeyError if there is none."""
        self.platform.restore(self.snapshots[name])

    def reset(self) -> None:
        """Come back to the beginning; the journal is emptied."""
        self.platform.restore(self._beginning)
        self.journal.clear()

    def load(self, fragment: Mapping[str, Any]) -> None:
        """Add what a piece of a scenario says; all of it or nothing."""
        from fakeplat.scenario import load  # the scenario room is not needed to serve

        load(self.platform, fragment)
