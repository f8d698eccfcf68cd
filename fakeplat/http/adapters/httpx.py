"""A world as a transport for the clients of httpx."""

from time import sleep
from typing import Final

import anyio
import httpx

from fakeplat.core.operations.http_messages import Delivery, Response, StreamingResponse
from fakeplat.http.adapters.embedding import Embedding, loss_error
from fakeplat.workbench.threads import is_asyncio

_ERRORS: Final = {
    "timeout": httpx.ReadTimeout,
    "reset": httpx.ReadError,
    "truncated": httpx.RemoteProtocolError,
    "lost_reply": httpx.RemoteProtocolError,
}


class FakeplatTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Passes requests to a world in this process. Faults raise what httpx raises for them."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of a synchronous client."""
        response = self._embedding.respond_now(*_read(request, request.read()), scheme=request.url.scheme)
        sleep(_check_faults(request, response))
        return _build(request, response)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of an asynchronous client."""
        response = await self._respond(request, await request.aread())
        await anyio.sleep(_check_faults(request, response))
        return _build(request, response)

    async def _respond(self, request: httpx.Request, body: bytes) -> Response:
        message, scheme = _read(request, body), request.url.scheme
        if not is_asyncio():  # what has to be awaited is made for asyncio
            return self._embedding.respond_now(*message, scheme=scheme)
        response = self._embedding.respond(*message, scheme=scheme)
        return response if isinstance(response, Response) else await response


def _read(request: httpx.Request, body: bytes) -> tuple[str, str, list[tuple[str, str]], bytes]:
    headers = [(name.decode("latin-1"), value.decode("utf-8", "replace")) for name, value in request.headers.raw]
    return request.method, request.url.raw_path.decode("ascii"), headers, body


def _check_faults(request: httpx.Request, response: Response) -> float:
    """Return the seconds by which a response is late; raise the error of one that is lost."""
    delivery = response.delivery or Delivery()
    limit = request.extensions.get("timeout", {}).get("read")
    if limit is not None and delivery.delay > limit:
        raise httpx.ReadTimeout(delivery.why or "timed out", request=request)
    if delivery.loss is not None:
        error = loss_error(delivery)
        raise _ERRORS[delivery.loss](str(error), request=request)
    return delivery.delay


def _build(request: httpx.Request, response: Response) -> httpx.Response:
    content = response.chunks if isinstance(response, StreamingResponse) else response.body
    return httpx.Response(response.status, headers=list(response.headers), content=content, request=request)
