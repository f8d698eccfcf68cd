"""A platform with the tools of a test author: journal, snapshots, reset, faults and hooks."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fakeplat.pipeline import Outcome, RequestHandler
from fakeplat.platform import Platform, PlatformState
from fakeplat.workbench.journal import Journal

if TYPE_CHECKING:
    from fakeplat.workbench.interceptors import Interceptors


class Workbench:
    """A platform, its journal and its snapshots. ``scenario`` and ``seed`` describe its initial state.

    Faults and hooks belong to the workbench, not to the records: snapshots do not contain them, and `reset` clears
    them.
    """

    def __init__(self, platform: Platform, *, scenario: str, seed: int) -> None:
        self.platform = platform
        self.scenario = scenario
        self.seed = seed
        self.journal = Journal(world=lambda: platform.view)
        self.snapshots: dict[str, PlatformState] = {}
        self._initial_state = platform.now()
        platform.observers.append(self.journal.observe)
        platform.endpoints["graphql"] = _graphql

    @cached_property
    def interceptors(self) -> "Interceptors":
        """The faults and hooks of this world; created on first use."""
        from fakeplat.workbench.interceptors import Interceptors

        return Interceptors(self.platform)

    def snapshot(self, name: str) -> None:
        """Save the current state under a name."""
        self.snapshots[name] = self.platform.now()

    def restore(self, name: str) -> None:
        """Restore a saved state; KeyError if there is none with that name."""
        self.platform.restore(self.snapshots[name])

    def reset(self) -> None:
        """Restore the initial state; clear the journal, the faults and the hooks."""
        # The clock goes first: restoring a state sets the time only of a clock that stands still.
        self.platform.clock.restart()
        self.platform.restore(self._initial_state)
        if self.platform.middleware is not None:
            self.interceptors.clear()
        self.journal.clear()

    def take_failures(self) -> list[Exception]:
        """Return the exceptions that hooks raised, and clear them."""
        # A cached property is in __dict__ once it was used; asking for it here would create it.
        if "interceptors" not in self.__dict__:
            return []
        failures = list(self.interceptors.hooks.failures)
        self.interceptors.hooks.failures.clear()
        return failures

    def describe_unused_faults(self) -> Sequence[str]:
        """Return a message for each fault that was never triggered."""
        return self.interceptors.faults.describe_unused() if "interceptors" in self.__dict__ else []

    def close(self) -> None:
        """Break the reference cycles, so that a finished world is freed at once; the journal remains usable."""
        if "interceptors" in self.__dict__:
            self.interceptors.close()
            del self.interceptors
        self.platform.observers.clear()

    def load(self, fragment: Mapping[str, Any]) -> None:
        """Add the records of a scenario fragment; all of them or, on an error, none."""
        from fakeplat.scenario import load  # not needed to serve requests

        load(self.platform, fragment)


def _graphql(exchange: RequestHandler) -> Outcome:
    from fakeplat.graphql.endpoint import handle_request  # imports the GraphQL library on the first query

    return handle_request(exchange)
