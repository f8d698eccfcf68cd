"""A receiver of deliveries, and a server that makes a number of them for each new issue; each is a process.

``python -m benchmarks.hook_processes receive PORT`` and ``… serve PORT RECEIVER-PORT COUNT``.
"""

import asyncio
import sys

from fakeplat.cli.server import run_loop
from fakeplat.http.server import WorldServer
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.platform import HandledRequest
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import Options

BODY = b'{"object_kind":"issue","padding":"%b"}' % (b"x" * 3_000)


class Receiver(asyncio.Protocol):
    """Answers POST with ``ok``, and GET with the number of POSTs so far."""

    received = 0
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self._data = b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end or (head.startswith(b"POST") and len(body) < len(BODY)):
            return
        answer = b"ok"
        if head.startswith(b"POST"):
            Receiver.received += 1
        else:
            answer = b"%d" % Receiver.received
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(answer), answer))
        self.transport.close()


async def receive(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


async def serve(port: int, receiver_port: int, count: int) -> None:
    bench = Options(usual="real").bench()
    await WorldServer().open(bench, port=port)
    requests = [
        OutgoingRequest(("hook", n), "issue_hooks", f"http://127.0.0.1:{receiver_port}/{n}", BODY) for n in range(count)
    ]
    bench.platform.observers.append(_deliver_after_posts(bench, requests))
    await asyncio.Event().wait()


def _deliver_after_posts(bench: Workbench, requests: list[OutgoingRequest]):  # type: ignore[no-untyped-def]
    def observe(entry: HandledRequest, _: object) -> None:
        if entry.request.method == "POST" and entry.status == 201:
            with bench.platform.acting() as ctx:
                for request in requests:
                    ctx.send(request)

    return observe


if __name__ == "__main__":
    mode, *numbers = sys.argv[1:]
    run_loop((receive if mode == "receive" else serve)(*map(int, numbers)))
