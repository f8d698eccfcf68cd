"""Worker processes, each a server of its own: they serve the further worlds of a server, so that these use all cores.

The parent serves the first world, opens each further one in the worker with the fewest, and knows where it is. A worker
is an ordinary server; its first world is for its parent alone. On the ports of its other worlds it passes requests to
`/_fakeplat/worlds` on to the parent, so that every world of a server gives the same answers about all of them.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout
from attrs import field, mutable

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.http.control.access import KEY_HEADER
from fakeplat.http.control.declaration import CONTROL_PREFIX, WORLD_HEADER

if TYPE_CHECKING:
    from fakeplat.http.server import WorldServer

_HEALTH: Final = f"{CONTROL_PREFIX}health"
_WORLDS: Final = f"{CONTROL_PREFIX}worlds"
_PATIENCE: Final = 10.0
"""Seconds that a worker has to stop."""

Description = dict[str, Any]
"""What is told about a world."""


class WorkerFailed(Exception):
    """A worker did not start, or ended while it was asked."""


@mutable(eq=False)
class Worker:
    """A worker process, the URL of its first world, and what is told about the worlds that it serves."""

    number: int
    process: Process
    url: str
    worlds: dict[int, Description] = field(factory=dict)


@mutable(eq=False)
class WorkerPool:
    """The workers of a server.

    ``arguments`` are the options of `fakeplat serve` that they share with their parent, ``parent`` is its URL, ``key``
    that of its control routes. A worker that ends is replaced, and ``report`` is told how many worlds are lost.
    """

    arguments: Sequence[str]
    parent: str
    key: str | None
    ids: Iterator[int]
    report: Callable[[str], None]
    workers: dict[int, Worker] = field(factory=dict)
    _are_ready: asyncio.Event = field(factory=asyncio.Event)
    _watchers: set[asyncio.Task[None]] = field(factory=set)
    _session: ClientSession = field(factory=lambda: ClientSession(timeout=ClientTimeout(total=None)))

    async def start(self, count: int) -> None:
        """Start workers; WorkerFailed if one does not."""
        await asyncio.gather(*(self._start(number) for number in range(1, count + 1)))
        self._are_ready.set()

    async def _start(self, number: int) -> None:
        options = ["--port", "0", "--scenario", "empty", "--until-eof", "--parent", self.parent, *self.arguments]
        # A worker stops at the end of its standard input, so also when this process is killed. In a session of its own
        # it gets no interrupt from the keyboard: this process stops it.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fakeplat", "serve", *options), stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        # A worker prints the URL of its first world when it is ready, and nothing else.
        url = (await process.stdout.readline()).decode().strip() if process.stdout is not None else ""
        if not url:
            raise WorkerFailed(f"worker {number} ended with status {await process.wait()}")
        worker = self.workers[number] = Worker(number, process, url)
        await self._check(worker)
        watcher = asyncio.create_task(self._replace_when_ended(worker))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def _check(self, worker: Worker) -> None:
        response = await self._ask(worker, "GET", _HEALTH)
        if response.status != 200:
            raise WorkerFailed(f"worker {worker.number}: {response.body.decode('utf-8', 'replace')}")

    async def _replace_when_ended(self, worker: Worker) -> None:
        status = await worker.process.wait()
        lost = len(self.workers.pop(worker.number).worlds)
        self.report(f"worker {worker.number} ended with status {status}; its {lost} worlds are lost")
        with suppress(WorkerFailed):
            await self._start(worker.number)

    def find(self, id_: int) -> Description | None:
        """Return what is told about a world; None if no worker serves it."""
        worker = self._find_worker(id_)
        return None if worker is None else worker.worlds[id_]

    def list(self) -> Iterable[Description]:
        """Return what is told about the worlds of all workers, by id."""
        worlds = {id_: world for worker in self.workers.values() for id_, world in worker.worlds.items()}
        return [world for _, world in sorted(worlds.items())]

    async def open(self, request: Request) -> Response:
        """Open a world in the worker with the fewest; in another one if that has just ended."""
        # The parent answers while its workers start.
        await self._are_ready.wait()
        id_ = next(self.ids)
        for worker in sorted(self.workers.values(), key=lambda worker: len(worker.worlds)):
            with suppress(WorkerFailed):
                response = await self._ask(worker, "POST", _WORLDS, request.body, id_)
                if response.status == 201:
                    described = await self._ask(worker, "GET", f"{_WORLDS}/{id_}")
                    worker.worlds[id_] = orjson.loads(described.body)
                return response
        return _refuse(503, "all workers ended; others are starting")

    async def close(self, id_: int) -> Response | None:
        """Close a world; None if no worker serves it, or its worker has just ended."""
        worker = self._find_worker(id_)
        if worker is None:
            return None
        worker.worlds.pop(id_)
        with suppress(WorkerFailed):
            return await self._ask(worker, "DELETE", f"{_WORLDS}/{id_}")
        return None

    def _find_worker(self, id_: int) -> Worker | None:
        return next((worker for worker in self.workers.values() if id_ in worker.worlds), None)

    async def _ask(
        self, worker: Worker, method: str, path: str, body: bytes = b"", world: int | None = None
    ) -> Response:
        try:
            return await _send(self._session, method, worker.url + path, body, self.key, world)
        except (ClientError, OSError) as error:
            raise WorkerFailed(f"worker {worker.number}: {error}") from None

    async def stop(self) -> None:
        """Stop all workers; one that does not stop is killed."""
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*(_stop(worker.process) for worker in self.workers.values()))
        await self._session.close()


async def ask_parent(server: "WorldServer", asked: int, request: Request) -> Response:
    """Pass a request about the worlds of the server on to the parent of this worker; ``asked`` is the world's id."""
    async with ClientSession(timeout=ClientTimeout(total=None)) as session:
        try:
            url = f"{server.parent}{request.path}"
            return await _send(session, request.method, url, request.body, server.key, asked)
        except (ClientError, OSError) as error:
            return _refuse(503, f"the parent of this worker does not answer: {error}")


async def _send(
    session: ClientSession, method: str, url: str, body: bytes, key: str | None, world: int | None
) -> Response:
    headers = {} if key is None else {KEY_HEADER: key}
    if world is not None:
        headers[WORLD_HEADER] = str(world)
    async with session.request(method, url, data=body, headers=headers) as response:
        content = await response.read()
        return Response(response.status, (("Content-Type", JSON),) if content else (), content)


def _refuse(status: int, text: str) -> Response:
    return Response(status, (("Content-Type", JSON),), orjson.dumps({"error": text}))


async def _stop(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _PATIENCE)
    except TimeoutError:
        process.kill()
        await process.wait()
