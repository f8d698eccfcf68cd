"""Answers that go out badly, because a test author said so: late, not whole, or not at all."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from math import inf
from struct import pack
from typing import Final

from aiohttp import web
from multidict import CIMultiDict

from fakeplat.core.messages import Delivery, Loss, Response
from fakeplat.http.whole import Whole

_LOOK: Final = 0.05
_AT_ONCE: Final = pack("ii", 1, 0)

Loser = Callable[[web.BaseRequest, Response], Awaitable[web.StreamResponse]]


async def deliver(request: web.BaseRequest, response: Response, delivery: Delivery) -> web.StreamResponse:
    """Send an answer as badly as it shall be; other requests go on meanwhile."""
    if delivery.delay:
        await _client_waits(request, delivery.delay)
    if delivery.loss is not None:
        return await _LOSERS[delivery.loss](request, response)
    return Whole(response)


async def _never(request: web.BaseRequest, response: Response) -> web.StreamResponse:
    """Wait until the client has left."""
    del response
    await _client_waits(request, inf)
    return web.Response()


async def _client_waits(request: web.BaseRequest, seconds: float) -> None:
    """Let time pass while the client is there; no event tells when it leaves."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (left := end - loop.time()) > 0 and _is_there(request):  # noqa: ASYNC110  # no event tells it
        await asyncio.sleep(min(left, _LOOK))


def _is_there(request: web.BaseRequest) -> bool:
    return request.transport is not None and not request.transport.is_closing()


async def _reset(request: web.BaseRequest, response: Response) -> web.StreamResponse:
    """Break the connection: the client is told that it was reset."""
    del response
    if request.transport is not None:
        request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        request.transport.abort()
    return web.Response()


async def _lost(request: web.BaseRequest, response: Response) -> web.StreamResponse:
    """Close the connection without a word."""
    del response
    if request.transport is not None:
        request.transport.close()
    return web.Response()


async def _truncated(request: web.BaseRequest, response: Response) -> web.StreamResponse:
    """Announce the whole body, send half of it and close; where there is no body to cut, send nothing."""
    if not response.body:
        return await _lost(request, response)
    cut = web.StreamResponse(status=response.status, headers=CIMultiDict(response.headers))
    cut.content_length = len(response.body)
    await cut.prepare(request)
    await cut.write(response.body[: len(response.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return cut


_LOSERS: Final[Mapping[Loss, Loser]] = {
    "timeout": _never,
    "reset": _reset,
    "lost_reply": _lost,
    "truncated": _truncated,
}
