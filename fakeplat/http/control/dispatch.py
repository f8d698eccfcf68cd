"""Dispatch of the control routes, `/_fakeplat/…`.

They act on the world of the port that received the request, except `/worlds`, which acts on the server.
Source: docs/contract.md ('Worlds and control routes').
"""

from typing import TYPE_CHECKING, Final

import orjson

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.operations.router import Router
from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.http.control.access import answer_browser, check_access, check_origin
from fakeplat.http.control.declaration import CONTROL_PREFIX, ROUTES, ControlError, ControlRequest, Result
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.operation_names import NoSuchOperation
from fakeplat.workbench.tokens import TokenNotCreatable

if TYPE_CHECKING:
    from fakeplat.http.server import WorldServer

_ROUTER: Final = Router(ROUTES)


class ControlRoutes:
    """The control routes of one world."""

    def __init__(self, server: "WorldServer", bench: Workbench) -> None:
        self.server = server
        self.bench = bench

    async def __call__(self, request: Request) -> Response:
        """Answer a control request."""
        try:
            check_origin(request)
            asked = answer_browser(request, self.server.key)
            if asked is not None:
                return asked
            check_access(request, self.server.key)
            result = await self._dispatch(request)
        except ControlError as error:
            headers = (("Allow", ", ".join(error.allow)),) if error.allow else ()
            return _json_response(error.status, {"error": error.text}, headers)
        except (InvalidOption, TokenNotCreatable, NoSuchOperation) as error:
            return _json_response(400, {"error": str(error)})
        return result if isinstance(result, Response) else _json_response(*result)

    async def _dispatch(self, request: Request) -> Result | Response:
        route, texts, allowed = _ROUTER.match(request.method, request.path)
        if route is None:
            if allowed:
                raise ControlError(405, f"{request.path} supports {', '.join(allowed)}", allowed)
            raise ControlError(404, f"no control route {request.path}{_hint(request.path)}")
        if route.is_of_server and (asked := self._find_asked_in_worker()) is not None:
            from fakeplat.http.workers import ask_parent

            return await ask_parent(self.server, asked, request)
        try:
            return await route.handler(ControlRequest(self.server, self.bench, texts, request))
        except Refusal as refusal:
            raise ControlError(400, str(refusal.payload)) from None

    def _find_asked_in_worker(self) -> int | None:
        """Return the id of this world if the parent of this worker has to answer for the server."""
        if self.server.parent is None:
            return None
        _, *others = self.server.worlds.values()
        # The first world of a worker is asked by its parent only.
        return next((world.id for world in others if world.bench is self.bench), None)


def _hint(path: str) -> str:
    """Return the closest route, else where all are described."""
    names = [route.path.removeprefix(CONTROL_PREFIX) for route in ROUTES if not route.is_page]
    nearest = nearest_name(path.removeprefix(CONTROL_PREFIX), names)
    return f"; did you mean {CONTROL_PREFIX}{nearest}?" if nearest else f"; {CONTROL_PREFIX}openapi.json describes all"


def _json_response(status: int, value: object, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    if status == 204:
        return Response(204, headers)
    return Response(status, (("Content-Type", JSON), *headers), orjson.dumps(value))
