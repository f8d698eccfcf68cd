"""The server that replays a tape."""

from collections.abc import Callable, Coroutine
from typing import Any

import orjson

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.params.body import parse_query
from fakeplat.core.release import VERSION
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.http.dispatcher import LIMITS, Dispatcher
from fakeplat.http.listener import Listener, listen
from fakeplat.http.origins import Origins
from fakeplat.tape.replay.replayer import Replay
from fakeplat.workbench.journal import Journal


async def serve_tape(tape: Replay, journal: Journal, port: int = 0) -> Listener:
    """Serve a tape, with control routes for health and journal."""
    tape.observers.append(journal.observe)
    return await listen(Dispatcher(tape.handle, Origins(), control_routes(journal)).answer, LIMITS, port=port)


def control_routes(journal: Journal) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Return a handler for the control routes that work without a world."""

    async def answer(request: Request) -> Response:
        # A web page that is open in the developer's browser must not control the server.
        if request.headers.get("origin", request.origin) != request.origin:
            return _json(403, {"error": "control routes are not available to pages of other origins"})
        match request.method, request.path:
            case "GET", "/_fakeplat/health":
                return _json(200, {"status": "ok", "version": VERSION, "scenario": None, "seed": None})
            case "GET", "/_fakeplat/requests":
                return _list_requests(journal, request)
            case "DELETE", "/_fakeplat/requests":
                journal.clear()
                return Response(204)
        return _json(
            404, {"error": f"control route {request.method} {request.path} is not available while replaying a tape"}
        )

    return answer


def _list_requests(journal: Journal, request: Request) -> Response:
    params = {name: str(value) for name, value in parse_query(request.query).items()}
    status = parse_number(params["status"]) if "status" in params else None
    if set(params) - {"status"} or ("status" in params and status is None):
        return _json(400, {"error": "the journal of a replayed tape can be filtered by status only"})
    entries = journal.find(status=status) if status is not None else journal
    return _json(200, [entry.as_dict() for entry in entries])


def _json(status: int, value: object) -> Response:
    return Response(status, (("Content-Type", JSON),), orjson.dumps(value))
