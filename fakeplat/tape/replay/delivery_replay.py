"""Sending the deliveries of a tape again, while its requests are replayed."""

import asyncio
from bisect import bisect_left

from fakeplat.core.clock import wall
from fakeplat.http.outgoing_sender import OutgoingSender
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.tape.formats.tape import Exchange, RecordedDelivery, Tape
from fakeplat.tape.replay.url_rewriting import url_rewriter
from fakeplat.workbench.deliveries import Deliveries


class DeliveryReplay:
    """Sends each delivery once, after the exchange that precedes it on the tape was replayed.

    Created on the event loop. ``origin`` replaces the upstream's in bodies. Secrets on the tape are placeholders, and
    are sent as such. Nothing is sent to other machines.
    """

    def __init__(self, tape: Tape, origin: str) -> None:
        self._sender = OutgoingSender(asyncio.get_running_loop(), allows_egress=False)
        self.log = Deliveries(wall, self._sender, allows_egress=False)
        self._rewriter = url_rewriter(tape.head.upstream, origin)
        self._due: dict[int, list[RecordedDelivery]] = {}
        lines = [0, *[exchange.line for exchange in tape]]
        for delivery in tape.deliveries:
            self._due.setdefault(lines[bisect_left(lines, delivery.line) - 1], []).append(delivery)
        self._send_after(0)

    def follow(self, exchange: Exchange) -> None:
        """Send the deliveries that follow an exchange, unless they were sent before."""
        self._send_after(exchange.line)

    def _send_after(self, line: int) -> None:
        for delivery in self._due.pop(line, ()):
            kind, _, id_ = delivery.receiver.partition(":")
            self.log.hand_over(
                OutgoingRequest(
                    receiver=(kind, int(id_)),
                    trigger=delivery.trigger,
                    url=delivery.url,
                    body=self._rewriter.content(delivery.body),
                    headers=delivery.headers,
                    method=delivery.method,
                )
            )

    async def close(self) -> None:
        """Hold back the deliveries that have not ended, and close all connections."""
        await self._sender.close()
        self.log.transport = None
