"""One world on a bench: the platform with its journal, its snapshots and its beginning."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fakeplat.pipeline import Outcome, RequestHandler
from fakeplat.platform import Platform, PlatformState
from fakeplat.workbench.journal import Journal

if TYPE_CHECKING:
    from fakeplat.workbench.interceptors import Interceptors


class Workbench:
    """A platform with what a test author does to it. ``scenario`` and ``seed`` say where it began.

    Faults and acts of others belong to the bench, not to the records: no snapshot holds them, and a reset clears them.
    """

    def __init__(self, platform: Platform, *, scenario: str, seed: int) -> None:
        self.platform = platform
        self.scenario = scenario
        self.seed = seed
        self.journal = Journal(world=lambda: platform.view)
        self.snapshots: dict[str, PlatformState] = {}
        self._beginning = platform.now()
        platform.observers.append(self.journal.observe)
        platform.endpoints["graphql"] = _graphql

    @cached_property
    def interceptors(self) -> "Interceptors":
        """Faults, and what others do meanwhile; made when there is need of it."""
        from fakeplat.workbench.interceptors import Interceptors

        return Interceptors(self.platform)

    def snapshot(self, name: str) -> None:
        """Remember this moment under a name."""
        self.snapshots[name] = self.platform.now()

    def restore(self, name: str) -> None:
        """Come back to a remembered moment; KeyError if there is none."""
        self.platform.restore(self.snapshots[name])

    def reset(self) -> None:
        """Come back to the beginning; the journal is emptied, faults and acts of others are cleared."""
        self.platform.clock.restart()
        self.platform.restore(self._beginning)
        if self.platform.middleware is not None:
            self.interceptors.clear()
        self.journal.clear()

    def take_failures(self) -> list[Exception]:
        """Return the exceptions that acts of others raised, and forget them."""
        if "interceptors" not in self.__dict__:
            return []
        failures = list(self.interceptors.hooks.failures)
        self.interceptors.hooks.failures.clear()
        return failures

    def idle_faults(self) -> Sequence[str]:
        """Return what to tell of the faults that never struck."""
        return self.interceptors.faults.never_struck() if "interceptors" in self.__dict__ else []

    def close(self) -> None:
        """Let go of what refers back to this, so that a finished world is freed at once; the journal stays."""
        if "interceptors" in self.__dict__:
            self.interceptors.close()
            del self.interceptors
        self.platform.observers.clear()

    def load(self, fragment: Mapping[str, Any]) -> None:
        """Add what a piece of a scenario says; all of it or nothing."""
        from fakeplat.scenario import load  # the scenario room is not needed to serve

        load(self.platform, fragment)


def _graphql(exchange: RequestHandler) -> Outcome:
    from fakeplat.graphql.endpoint import handle_request  # its library is loaded when the first query comes

    return handle_request(exchange)
