"""Worlds without a socket of their own: another server, or a client in this process, hands over the requests."""

from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.http_messages import Delivery, Loss, Response, StreamingResponse
from fakeplat.http.dispatcher import LIMITS, Dispatcher
from fakeplat.http.origins import Origins
from fakeplat.http.request_parser import RawRequest, decode_body, join_values
from fakeplat.http.response_bytes import complete
from fakeplat.http.server import WorldServer
from fakeplat.workbench.bench import Workbench

PEER: Final = "127.0.0.1"
_LOSSES: Final[Mapping[Loss, type[OSError]]] = {
    "timeout": TimeoutError,
    "reset": ConnectionResetError,
    "truncated": ConnectionAbortedError,
    "lost_reply": ConnectionAbortedError,
}


def loss_error(delivery: Delivery) -> OSError | None:
    """Return the error that a socket would report for a lost response; None if the response arrives."""
    return None if delivery.loss is None else _LOSSES[delivery.loss](delivery.why)


class Embedding:
    """A world, and its control routes, for requests that are handed over.

    The client chooses the host, unless only ``allowed`` hosts are served; ``base_url`` is the origin in responses.
    """

    def __init__(
        self,
        bench: Workbench,
        *,
        base_url: str | None = None,
        allowed: Iterable[str] | None = None,
    ) -> None:
        self.bench = bench
        origins = Origins(allowed=allowed or (), base_url=base_url, allows_any_host=allowed is None)
        control = WorldServer().control(bench)
        self._on_loop = Dispatcher(bench.platform.handle_on_loop, origins, control)
        self._at_once = Dispatcher(bench.platform.handle, origins, control)

    def respond(
        self,
        method: str,
        target: str,
        headers: Iterable[tuple[str, str]],
        body: bytes = b"",
        *,
        scheme: str = "http",
        peer: str = PEER,
    ) -> Response | Coroutine[Any, Any, Response]:
        """Answer a request on an event loop, with a coroutine where something has to be awaited.

        The faults of a response are left to the caller.
        """
        return _respond(self._on_loop, _read_request(method, target, headers, body), peer, scheme)

    def respond_now(
        self, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes = b"", *, scheme: str = "http"
    ) -> Response:
        """Answer a request without an event loop."""
        response = _respond(self._at_once, _read_request(method, target, headers, body), PEER, scheme)
        return response if isinstance(response, Response) else _run_now(response)


def _respond(
    dispatcher: Dispatcher, incoming: RawRequest, peer: str, scheme: str
) -> Response | Coroutine[Any, Any, Response]:
    if incoming.refusal is not None:
        return complete(incoming, incoming.refusal)
    response = dispatcher.dispatch(incoming, peer, scheme)
    return complete(incoming, response) if isinstance(response, Response) else _complete_later(incoming, response)


def _read_request(method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes) -> RawRequest:
    """Return a request as our own server reads it from a connection."""
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.lower(), []).append(value)
    joined = {name: join_values(name, each) for name, each in values.items()}
    decoded, refusal = decode_body(body, joined, LIMITS)
    return RawRequest(method, target, "1.1", joined, decoded, keep_alive=True, refusal=refusal)


async def _complete_later(incoming: RawRequest, response: Coroutine[object, None, Response]) -> Response:
    result = await response
    if not isinstance(result, StreamingResponse):
        return complete(incoming, result)
    # As for HEAD, no length is announced.
    return evolve(result, headers=complete(incoming._replace(method="HEAD"), result).headers)


def _run_now(coroutine: Coroutine[object, None, Response]) -> Response:
    """Return the result of a coroutine that does not have to wait for anything."""
    try:
        coroutine.send(None)
    except StopIteration as finished:
        result: Response = finished.value
        if not isinstance(result, StreamingResponse):
            return result
    coroutine.close()
    raise RuntimeError("this control route needs a server: it waits for something")
