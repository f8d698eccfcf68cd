"""A platform with the tools of a test author: journal, snapshots, reset, faults, deliveries and mails."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from propcache.api import cached_property

from fakeplat.model.outgoing import (
    LoggedRequest,
    Outgoing,
    OutgoingMail,
    OutgoingRequest,
    OutgoingTransfer,
    no_outgoing_log,
)
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.pipeline.rendering import Outcome
from fakeplat.platform import Platform, Snapshot
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.keywords import UnknownName

if TYPE_CHECKING:
    from fakeplat.workbench.deliveries import Deliveries, Transport
    from fakeplat.workbench.interceptors import Interceptors
    from fakeplat.workbench.mails import Mails
    from fakeplat.workbench.transfers import SourceReader, Transfers


class Workbench:
    """A platform, its journal and its snapshots. ``scenario`` and ``seed`` describe its initial state.

    Faults, callbacks, deliveries and mails belong to the workbench, not to the records: snapshots do not contain them,
    and `reset` clears them. ``transport`` sends the deliveries; it is set while the world is served. Nothing is sent to
    other machines unless ``allows_egress``.
    """

    def __init__(self, platform: Platform, *, scenario: str, seed: int, allows_egress: bool = False) -> None:
        self.platform = platform
        self.scenario = scenario
        self.seed = seed
        self.journal = Journal(world=lambda: platform.view)
        self.snapshots: dict[str, Snapshot] = {}
        self.initial_state = platform.snapshot()
        self.transport: Transport | None = None
        self.source_reader: SourceReader | None = None
        self.allows_egress = allows_egress
        platform.observers.append(self.journal.observe)
        platform.outgoing_handlers.append(self._hand_over)
        platform.outgoing_log.target = self._list_made
        platform.endpoints["graphql"] = _graphql
        platform.endpoints["mcp"] = _mcp

    @cached_property
    def interceptors(self) -> "Interceptors":
        """The faults and callbacks of this world; created on first use."""
        from fakeplat.workbench.interceptors import Interceptors

        return Interceptors(self.platform)

    @cached_property
    def deliveries(self) -> "Deliveries":
        """The requests to webhooks and integrations; created on first use."""
        from fakeplat.workbench.deliveries import Deliveries

        platform = self.platform

        def explain(trigger: str | None) -> str:
            from fakeplat.workbench.missing_deliveries import explain_missing

            return explain_missing(platform.view, trigger)

        return Deliveries(self.platform.clock.now, self.transport, allows_egress=self.allows_egress, explain=explain)

    @cached_property
    def transfers(self) -> "Transfers":
        """The direct transfers that read other instances; created on first use."""
        from fakeplat.workbench.transfers import Transfers

        return Transfers(self.platform)

    @cached_property
    def mails(self) -> "Mails":
        """The e-mails that the platform would send; created on first use."""
        from fakeplat.workbench.mails import Mails

        return Mails(self.platform.clock.now)

    def connect(
        self, transport: "Transport", *, allows_egress: bool, source_reader: "SourceReader | None" = None
    ) -> None:
        """Send deliveries from now on, and read the sources of direct transfers."""
        self.transport, self.allows_egress, self.source_reader = transport, allows_egress, source_reader
        if "deliveries" in self.__dict__:
            self.deliveries.transport, self.deliveries.allows_egress = transport, allows_egress

    def _hand_over(self, outgoing: Outgoing) -> None:
        if isinstance(outgoing, OutgoingRequest):
            self.deliveries.hand_over(outgoing)
        elif isinstance(outgoing, OutgoingMail):
            self.mails.send(outgoing)
        elif isinstance(outgoing, OutgoingTransfer):
            self._read_source(outgoing)
        else:
            self.mails.send_later(outgoing, self.platform.moment())

    def _read_source(self, transfer: OutgoingTransfer) -> None:
        """Read the source of a direct transfer, if requests may be sent to it; otherwise the transfer fails."""
        from fakeplat.workbench.receiver_urls import is_on_this_machine

        if self.source_reader is not None and (self.allows_egress or is_on_this_machine(transfer.url)):
            self.transfers.read(transfer, self.source_reader)

    def _list_made(self, receiver: tuple[str, int]) -> Sequence[LoggedRequest]:
        return self.deliveries.list_made(receiver) if "deliveries" in self.__dict__ else ()

    def unused_snapshot_name(self) -> str:
        """Return a name for a snapshot without one, with the first unused number."""
        return next(name for number in count(1) if (name := f"snapshot-{number}") not in self.snapshots)

    def snapshot(self, name: str) -> None:
        """Save the current state under a name."""
        self.snapshots[name] = self.platform.snapshot()

    def restore(self, name: str) -> None:
        """Restore a saved state; KeyError if there is none with that name."""
        if name not in self.snapshots:
            raise UnknownName("snapshot", name, self.snapshots)
        self.platform.restore(self.snapshots[name])

    def reset(self) -> None:
        """Restore the initial state; clear the journal, the faults, the callbacks, the deliveries and the mails.

        Deliveries that are not sent yet are held back.
        """
        # Restoring a state sets the time only of a clock that stands still, so another one is restarted.
        self.platform.restore(self.initial_state, restarts_clock=True)
        if self.platform.middleware is not None:
            self.interceptors.clear()
        self.journal.clear()
        if "deliveries" in self.__dict__:
            self.deliveries.hold_back_pending("the world was reset")
            self.deliveries.clear()
        if "mails" in self.__dict__:
            self.mails.clear()

    def take_failures(self) -> list[BaseException]:
        """Return the exceptions that callbacks raised, and clear them."""
        # A cached property is in __dict__ once it was used; asking for it here would create it.
        if "interceptors" not in self.__dict__:
            return []
        failures = list(self.interceptors.callbacks.failures)
        self.interceptors.callbacks.failures.clear()
        return failures

    def describe_unused_faults(self) -> Sequence[str]:
        """Return a message for each fault that was never triggered."""
        return self.interceptors.faults.describe_unused() if "interceptors" in self.__dict__ else []

    @property
    def last_delivery_id(self) -> int:
        """The id of the last delivery; 0 if there was none."""
        return self.deliveries.last_id if "deliveries" in self.__dict__ else 0

    def describe_undelivered(self, after: int) -> list[str]:
        """Return a message for each delivery with an id above ``after`` that was not answered."""
        if self.last_delivery_id == 0:
            return []
        return [repr(each) for each in self.deliveries if each.id > after and each.state != "delivered"]

    def close(self) -> None:
        """Break the reference cycles, so that a finished world is freed at once; the logs remain usable."""
        if "interceptors" in self.__dict__:
            self.interceptors.close()
            del self.interceptors
        if "deliveries" in self.__dict__:
            self._disconnect_deliveries()
        self.transport = self.source_reader = None
        self.platform.observers.clear()
        self.platform.outgoing_handlers.clear()
        self.platform.outgoing_log.target = no_outgoing_log

    def _disconnect_deliveries(self) -> None:
        """Let the log of deliveries, which may outlive the world, no longer refer to it."""
        from fakeplat.workbench.deliveries import no_explanation

        self.deliveries.transport, self.deliveries.explain = None, no_explanation

    def load(self, fragment: Mapping[str, object]) -> None:
        """Add the records of a scenario fragment; all of them or, on an error, none."""
        from fakeplat.scenario import load  # not needed to serve requests

        load(self.platform, fragment)


def _graphql(exchange: RequestHandler) -> Outcome:
    from fakeplat.graphql.endpoint import handle_request  # imports the GraphQL library on the first query

    return handle_request(exchange)


def _mcp(exchange: RequestHandler) -> Outcome:
    from fakeplat.mcp.endpoint import handle_request  # imports the tools with the first request

    return handle_request(exchange)
