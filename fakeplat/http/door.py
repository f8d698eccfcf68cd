"""From an HTTP connection to a platform and back."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol
from urllib.parse import urlsplit

import orjson
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from fakeplat.core.errors import TooLarge
from fakeplat.core.messages import JSON, Request, Response
from fakeplat.http.delivery import deliver
from fakeplat.http.origins import ForeignHost, Origins
from fakeplat.http.whole import Whole
from fakeplat.pipeline import UPLOAD_LIMIT

CONTROL: Final = "/_fakeplat/"
Control = Callable[[Request], Awaitable[Response]]


class Answering(Protocol):
    """What gives answers: a platform, or a tape that is played."""

    def handle(self, request: Request) -> Response:
        """Answer one request."""


class Door:
    """What one listening socket does with requests: control routes to one hand, all else to the platform."""

    def __init__(self, platform: Answering, origins: Origins, control: Control) -> None:
        self.platform = platform
        self.origins = origins
        self.control = control

    def server(self) -> web.Server:
        """The low-level server of aiohttp for this door."""
        loop = asyncio.get_running_loop()
        request = partial(web.BaseRequest, loop=loop, client_max_size=UPLOAD_LIMIT)
        return web.Server(self.answer, request_factory=request, access_log=None)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        target = request.raw_path
        host = request.headers.get("Host", "")
        if not target.startswith("/"):
            host, target = _absolute(target, host)
        try:
            origin = self.origins.origin(host)
        except ForeignHost:
            return Whole(_error(400, f"the host {host!r} is not served here; --allow-host NAME allows one"))
        try:
            body = await request.read() if request.body_exists else b""
        except web.HTTPRequestEntityTooLarge:
            return Whole(TooLarge(reason="the body is over every limit").response())
        except (HttpProcessingError, web.HTTPException, web.RequestPayloadError) as error:
            return Whole(_error(400, f"the body cannot be read: {error}"))
        path, _, query = target.partition("?")
        peer = request.remote or ""
        message = Request(request.method, path, query.partition("#")[0], request.headers, body, origin, peer)
        if path.startswith(CONTROL):
            return Whole(await self.control(message))
        response = self.platform.handle(message)
        return Whole(response) if response.delivery is None else await deliver(request, response, response.delivery)


def _error(status: int, text: str) -> Response:
    return Response(status, (("Content-Type", JSON),), orjson.dumps({"error": text}))


def _absolute(target: str, host: str) -> tuple[str, str]:
    """The authority and the rest of an absolute request target; ``*`` and the like keep the Host header."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return host, "/"
    if not parts.netloc:
        return host, "/"
    rest = parts.path or "/"
    return parts.netloc.rpartition("@")[2], f"{rest}?{parts.query}" if parts.query else rest
