"""A world as an application for aiohttp's servers."""

import asyncio
from typing import Final

from aiohttp import web

from fakeplat.core.operations.http_messages import Response, StreamingResponse
from fakeplat.http.adapters.embedding import PEER, Embedding, loss_error
from fakeplat.http.streaming import forward
from fakeplat.pipeline.handler import UPLOAD_LIMIT

# aiohttp's own limit is 1 MB; a larger body than this one gets the platform's refusal.
_BODY_LIMIT: Final = UPLOAD_LIMIT + 1


def create_app(embedding: Embedding) -> web.Application:
    """Create an application that answers each request by a world."""
    stopped = asyncio.Event()

    async def stop(_: web.Application) -> None:
        stopped.set()

    async def handle(request: web.Request) -> web.StreamResponse:
        response = embedding.respond(
            request.method,
            request.raw_path,
            request.headers.items(),
            await request.read(),
            scheme=request.scheme,
            peer=request.remote or PEER,
        )
        response = response if isinstance(response, Response) else await response
        if isinstance(response, StreamingResponse):
            return await _stream(request, response, stopped)
        return await _deliver(request, response)

    app = web.Application(client_max_size=_BODY_LIMIT)
    app.router.add_route("*", "/{path:.*}", handle)
    app.on_shutdown.append(stop)
    return app


async def _stream(request: web.Request, response: StreamingResponse, stopped: asyncio.Event) -> web.StreamResponse:
    """Send the chunks of a body. That the client is gone is noticed when the next one is sent to it."""
    stream = web.StreamResponse(status=response.status, headers=list(response.headers))
    await stream.prepare(request)
    await forward(response.chunks, stream.write, stopped.wait())
    return stream


async def _deliver(request: web.Request, response: Response) -> web.StreamResponse:
    """Return a response, after the delay of a fault; a fault that loses it closes the connection."""
    delivery = response.delivery
    if delivery is not None:
        await asyncio.sleep(delivery.delay)
        if loss_error(delivery) is not None and request.transport is not None:
            request.transport.abort()
    return web.Response(status=response.status, headers=list(response.headers), body=response.body)
