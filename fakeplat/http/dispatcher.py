"""Dispatch of requests to the control routes or the platform."""

from collections.abc import Callable, Coroutine
from functools import lru_cache
from typing import Any, Final

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.http.connection import Connection, PendingResponse
from fakeplat.http.delivery import deliver
from fakeplat.http.origins import ForeignHost, Origins, split_absolute_target
from fakeplat.http.request_parser import Limits, RawRequest, refuse
from fakeplat.http.streaming import answer_or_stream
from fakeplat.pipeline.handler import UPLOAD_LIMIT

CONTROL_PREFIX: Final = "/_fakeplat/"
# People type the console's address without its last slash.
_CONSOLE: Final = "/_fakeplat"
LIMITS: Final = Limits(UPLOAD_LIMIT)
Control = Callable[[Request], Coroutine[Any, Any, Response]]


Handle = Callable[[Request], Response | Coroutine[Any, Any, Response]]
"""The application, a platform or a tape that is replayed: a function that answers one request."""


class Dispatcher:
    """The request handler of one listening socket: control routes, and the application for all other paths."""

    def __init__(self, handle: Handle, origins: Origins, control: Control, scheme: str = "http") -> None:
        self.handle = handle
        self.origins = origins
        self.control = control
        self.scheme = scheme

    def answer(self, incoming: RawRequest, connection: Connection) -> Response | PendingResponse:
        """Answer one request of a connection, and apply the faults of its response."""
        response = self.dispatch(incoming, connection.peer, self.scheme)
        if not isinstance(response, Response):
            return answer_or_stream(connection, incoming, response)
        if response.delivery is not None:
            return deliver(connection, incoming, response, response.delivery)
        return response

    def dispatch(self, incoming: RawRequest, peer: str, scheme: str) -> Response | Coroutine[Any, Any, Response]:
        """Answer one request, wherever it comes from."""
        target = incoming.target
        host = incoming.headers.get("host", "")
        if not target.startswith("/"):
            # An absolute target (as sent to a proxy) overrides the Host header: RFC 7230, 5.4.
            host, target = split_absolute_target(target, host)
        try:
            origin = self.origins.origin(host, scheme)
        except ForeignHost:
            return refuse(400, f"the host {host!r} is not served; --allow-host NAME allows it")
        path, query, is_control = _split_target(target)
        message = Request(incoming.method, path, query, incoming.headers, incoming.body, origin, peer)
        return self.control(message) if is_control else self.handle(message)


@lru_cache(512)  # clients repeat themselves
def _split_target(target: str) -> tuple[str, str, bool]:
    """Return the path and the query of a request target, and whether it is a control route."""
    path, _, query = target.partition("?")
    # A fragment is not part of a request; a client that sends one nonetheless gets the response without it.
    return path, query.partition("#")[0], path.startswith(CONTROL_PREFIX) or path == _CONSOLE
