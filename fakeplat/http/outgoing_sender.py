"""Sending of deliveries on the event loop of a server: in order per receiver, and at once for different receivers."""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fakeplat.domain.import_export.transfer_sources import Source, UnreadSource
    from fakeplat.http.outgoing_client import OutgoingClient
    from fakeplat.model.outgoing import OutgoingTransfer
    from fakeplat.workbench.deliveries import Delivery, DeliveryResult

TIMEOUT: Final = 10.0
# Deliveries that start in one iteration of the event loop. The others wait for the next ones, so that requests to the
# server are answered in between.
_STARTS_PER_ITERATION: Final = 2
_STOPPED: Final = "the server stopped before it was sent"

_Finish = Callable[["OutgoingTransfer", "Sequence[Source | UnreadSource]"], None]
_Job = tuple["Delivery", Callable[["Delivery", "DeliveryResult"], None]]


class OutgoingSender:
    """Sends the deliveries of one world on an event loop; it costs nothing until the first delivery."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, allows_egress: bool, timeout: float = TIMEOUT) -> None:
        self._allows_egress = allows_egress
        self._timeout = timeout
        self._loop = loop
        self._incoming: deque[_Job] = deque()
        self._is_woken = False
        self._is_closed = False
        self._queues: dict[tuple[str, int], deque[_Job]] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._client: OutgoingClient | None = None

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call a function on the event loop; any thread may call this."""
        if self._is_closed:
            callback()
        else:
            self._loop.call_soon_threadsafe(callback)

    def send(self, delivery: "Delivery", finish: Callable[["Delivery", "DeliveryResult"], None]) -> None:
        """Queue a delivery; any thread may call this."""
        self._incoming.append((delivery, finish))
        if self._is_closed:
            self._hold_back(self._incoming)
        elif not self._is_woken:
            # One wake-up for all deliveries of a commit. The flag is reset before the queue is read, so no delivery
            # that is added without a wake-up is overlooked.
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._start_deliveries)

    def read_source(self, transfer: "OutgoingTransfer", finish: "_Finish") -> None:
        """Read the source of a direct transfer; any thread may call this."""

        def start() -> None:
            worker = self._loop.create_task(self._read_source(transfer, finish))
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

        if not self._is_closed:
            self._loop.call_soon_threadsafe(start)

    async def _read_source(self, transfer: "OutgoingTransfer", finish: "_Finish") -> None:
        client = await self._get_client()
        from fakeplat.http.transfer_reader import TransferReader

        finish(transfer, await TransferReader(client, transfer, self._timeout).read())

    def _start_deliveries(self) -> None:
        self._is_woken = False
        for _ in range(_STARTS_PER_ITERATION):
            if not self._incoming:
                return
            self._start_delivery(self._incoming.popleft())
        if self._incoming and not self._is_woken:
            self._is_woken = True
            self._loop.call_soon(self._start_deliveries)

    def _start_delivery(self, job: _Job) -> None:
        receiver = job[0].receiver
        if receiver in self._queues:
            self._queues[receiver].append(job)
            return
        self._queues[receiver] = deque([job])
        worker = self._loop.create_task(self._work(receiver))
        self._workers.add(worker)
        worker.add_done_callback(self._workers.discard)

    async def _work(self, receiver: tuple[str, int]) -> None:
        """Send the deliveries to one receiver, one after the other."""
        queue = self._queues[receiver]
        while queue:
            delivery, finish = queue[0]
            if delivery.state == "pending":
                finish(delivery, await (await self._get_client()).send(delivery.request))
            queue.popleft()
        del self._queues[receiver]

    async def _get_client(self) -> "OutgoingClient":
        # The HTTP library takes long to import; on another thread, that does not delay the answers to requests.
        if "fakeplat.http.outgoing_client" not in sys.modules:
            await asyncio.to_thread(import_module, "fakeplat.http.outgoing_client")
        if self._client is None:
            from fakeplat.http.outgoing_client import OutgoingClient

            self._client = OutgoingClient(allows_egress=self._allows_egress, timeout=self._timeout)
        return self._client

    async def close(self) -> None:
        """Cancel what is being sent, hold back the rest, and close all connections."""
        self._is_closed = True
        workers = list(self._workers)
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        for queue in [*self._queues.values(), self._incoming]:
            self._hold_back(queue)
        self._queues.clear()
        if self._client is not None:
            await self._client.close()

    def _hold_back(self, queue: deque[_Job]) -> None:
        while queue:
            from fakeplat.workbench.deliveries import DeliveryResult

            delivery, finish = queue.popleft()
            finish(delivery, DeliveryResult("held_back", _STOPPED))
