"""Servers of tapes: one that replays, one that records in front of another server."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import orjson
from aiohttp import web

from fakeplat.core.body import parse_query
from fakeplat.core.frozen import frozen
from fakeplat.core.ids import number_of
from fakeplat.core.messages import JSON, Request, Response
from fakeplat.core.release import VERSION
from fakeplat.http.door import Door
from fakeplat.http.origins import Origins
from fakeplat.tape.replaying import Replay
from fakeplat.workbench.journal import Journal

_SHUTDOWN: Final = 0.1


@frozen(eq=False)
class Listening:
    """A server on a port of this machine."""

    url: str
    server: web.Server
    listener: asyncio.Server

    async def close(self) -> None:
        """Stop listening and close all connections."""
        self.listener.close()
        await self.server.shutdown(_SHUTDOWN)


async def listen(server: web.Server, port: int = 0) -> Listening:
    """Serve on 127.0.0.1; OSError if the port is taken."""
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", port, backlog=1024)
    number = listener.sockets[0].getsockname()[1]
    return Listening(f"http://127.0.0.1:{number}", server, listener)


async def replay(tape: Replay, journal: Journal, port: int = 0) -> Listening:
    """Serve a tape, with control routes for health and journal."""
    tape.observers.append(journal.observe)
    return await listen(Door(tape, Origins(), control(journal)).server(), port)


def control(journal: Journal) -> Callable[[Request], Awaitable[Response]]:
    """The control routes that make sense without a world."""

    async def answer(request: Request) -> Response:
        if request.headers.get("origin", request.origin) != request.origin:
            return _json(403, {"error": "control routes are not for pages of others"})
        match request.method, request.path:
            case "GET", "/_fakeplat/health":
                return _json(200, {"status": "ok", "version": VERSION, "scenario": None, "seed": None})
            case "GET", "/_fakeplat/requests":
                return _requests(journal, request)
            case "DELETE", "/_fakeplat/requests":
                journal.clear()
                return Response(204)
        return _json(404, {"error": f"a tape is replayed: there is no control route {request.method} {request.path}"})

    return answer


def _requests(journal: Journal, request: Request) -> Response:
    given = {name: str(value) for name, value in parse_query(request.query).items()}
    status = number_of(given["status"]) if "status" in given else None
    if set(given) - {"status"} or ("status" in given and status is None):
        return _json(400, {"error": "the journal of a tape is filtered by status alone"})
    found = journal.find(status=status) if status is not None else journal
    return _json(200, [entry.as_dict() for entry in found])


def _json(status: int, value: object) -> Response:
    return Response(status, (("Content-Type", JSON),), orjson.dumps(value))
