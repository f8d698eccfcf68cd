"""A world as an ASGI application. See the specification of ASGI 3.0."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import quote

from fakeplat.core.operations.http_messages import Response, StreamingResponse
from fakeplat.http.adapters.embedding import PEER, Embedding, loss_error
from fakeplat.http.streaming import forward

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# Percent-encoding keeps what a path may contain as it is.
_PATH_CHARACTERS: Final = "/:@!$&'()*+,;=~-._"
# A body that never comes.
_UNFINISHED: Final = [(b"content-length", b"1")]
# In seconds. A server that stops waits for its responses, and does not tell the application before.
_LONGEST_STREAM: Final = 15.0


class ClientDisconnected(Exception):
    """The client closed the connection before its request was complete."""


class AsgiApplication:
    """An ASGI application that serves a world.

    A response that a fault loses or cuts off is an error of the application, after it has begun: so servers end the
    connection instead of answering 500.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or take part in the start and the end of the server."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            try:
                body = await _read_body(receive)
            except ClientDisconnected:
                return
            await _send(receive, send, await self._respond(scope, body))
        else:
            raise NotImplementedError(f"fakeplat serves HTTP only, not {scope['type']}")

    async def _respond(self, scope: Scope, body: bytes) -> Response:
        headers = [(name.decode("latin-1"), value.decode("utf-8", "replace")) for name, value in scope["headers"]]
        response = self._embedding.respond(
            scope["method"],
            _read_target(scope),
            headers,
            body,
            scheme=scope.get("scheme", "http"),
            peer=(scope.get("client") or (PEER, 0))[0],
        )
        return response if isinstance(response, Response) else await response


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _read_body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _read_target(scope: Scope) -> str:
    # ``raw_path`` is optional. In ``path``, an encoded slash cannot be told from a plain one.
    raw_path = scope.get("raw_path") or quote(scope["path"], safe=_PATH_CHARACTERS).encode()
    path = raw_path.decode("ascii", "replace").partition("?")[0]
    query = scope.get("query_string", b"").decode("latin-1")
    return f"{path}?{query}" if query else path


async def _send(receive: Receive, send: Send, response: Response) -> None:
    delivery = response.delivery
    if delivery is not None and delivery.delay:
        await asyncio.sleep(delivery.delay)
    error = None if delivery is None else loss_error(delivery)
    if error is not None and delivery is not None and delivery.loss != "truncated":
        await send({"type": "http.response.start", "status": 200, "headers": _UNFINISHED})
        raise error
    headers = [
        (name.lower().encode("latin-1"), value.encode("utf-8", "surrogateescape")) for name, value in response.headers
    ]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    if isinstance(response, StreamingResponse):
        await _stream(receive, send, response)
    if error is not None:
        await send({"type": "http.response.body", "body": response.body[: len(response.body) // 2], "more_body": True})
        raise error
    await send({"type": "http.response.body", "body": response.body})


async def _stream(receive: Receive, send: Send, response: StreamingResponse) -> None:
    """Send the chunks of a body; the caller ends it."""

    async def send_chunk(chunk: bytes) -> None:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})

    await forward(response.chunks, send_chunk, _wait_for_disconnect(receive), limit=_LONGEST_STREAM)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
