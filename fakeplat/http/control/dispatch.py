"""Dispatch of the control routes, `/_fakeplat/…`, and their access control.

They act on the world of the port that received the request, except `/worlds`, which acts on the server.
Source: docs/contract.md ('Worlds and control routes').
"""

from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

import orjson

from fakeplat.core.hosts import host_name, is_loopback
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.operations.router import Router
from fakeplat.http.control import bench as bench_control  # noqa: F401  # declare routes
from fakeplat.http.control import clock as time_control  # noqa: F401  # declare routes
from fakeplat.http.control import console as console_control  # noqa: F401  # declare routes
from fakeplat.http.control import documents as documents_control  # noqa: F401  # declare routes
from fakeplat.http.control import outgoing as outgoing_control  # noqa: F401  # declare routes
from fakeplat.http.control import worlds as worlds_control  # noqa: F401  # declare routes
from fakeplat.http.control.declaration import ROUTES, ControlError, ControlRequest, Result
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.operation_names import NoSuchOperation
from fakeplat.workbench.tokens import TokenNotCreatable

if TYPE_CHECKING:
    from fakeplat.http.server import WorldServer

_KEY_HEADER: Final = "x-fakeplat-key"
_ROUTER: Final = Router(ROUTES)


class Control:
    """The control routes of one world."""

    def __init__(self, server: "WorldServer", bench: Workbench) -> None:
        self.server = server
        self.bench = bench

    async def __call__(self, request: Request) -> Response:
        """Answer a control request."""
        try:
            self._check_access(request)
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
            raise ControlError(404, f"no control route {request.path}")
        try:
            return await route.handler(ControlRequest(self.server, self.bench, texts, request))
        except Refusal as refusal:
            raise ControlError(400, str(refusal.payload)) from None

    def _check_access(self, request: Request) -> None:
        # A web page that the user visits must not control a fake on their machine.
        origin = request.headers.get("origin")
        if origin is not None and origin != request.origin:
            raise ControlError(403, f"web pages of {origin} may not use the control routes")
        if self.server.key is not None:
            # The comparison takes the same time for every wrong key; it accepts only ASCII text, hence the bytes.
            if not compare_digest(request.headers.get(_KEY_HEADER, "").encode(), self.server.key.encode()):
                raise ControlError(403, "the control routes require the key in the header X-Fakeplat-Key")
            return
        # The Host must be local too: with DNS rebinding a foreign page gets a loopback peer.
        if not (_is_local(request.peer) and is_loopback(host_name(request.headers.get("host", "")))):
            raise ControlError(403, "control routes accept only local requests; --control-key-file allows others")


def _is_local(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False


def _json_response(status: int, value: object, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    if status == 204:
        return Response(204, headers)
    return Response(status, (("Content-Type", JSON), *headers), orjson.dumps(value))
