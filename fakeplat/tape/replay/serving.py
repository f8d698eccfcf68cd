"""A server that replays a tape."""

from collections.abc import Callable, Coroutine
from typing import Any

import orjson

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.params.body import parse_query
from fakeplat.core.release import VERSION
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.http.dispatcher import LIMITS, Dispatcher
from fakeplat.http.listener import Listener, listen
from fakeplat.http.origins import Origins
from fakeplat.tape.replay.replayer import Replay
from fakeplat.workbench.journal import Journal


async def serve_tape(tape: Replay, journal: Journal, port: int = 0) -> Listener:
    """Serve a tape, with control routes for health and journal."""
    tape.observers.append(journal.observe)
    return await listen(Dispatcher(tape, Origins(), control_routes(journal)).answer, LIMITS, port=port)


def control_routes(journal: Journal) -> Callable[[Request], Coroutine[Any, Any, Response]]:
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
