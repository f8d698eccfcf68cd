"""Requests without a network: passed directly to the platform, as a user."""

from collections.abc import Mapping
from typing import Final, Protocol
from urllib.parse import urlencode, urlsplit

import orjson

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.harness.http_methods import HttpMethods
from fakeplat.http.adapters.embedding import loss_error
from fakeplat.workbench.journal_entries import Reply

API: Final = "/api/v4"
API_ROOTS: Final = ("/api/", "/_fakeplat/", "/-/", "/oauth/")


def resolve_path(target: str) -> str:
    """Resolve a URL, a path from the root, or a path relative to the API (``projects``, ``/projects``) to a path."""
    # A query may contain a URL, as in `?url=http://…`, and does not make the target one.
    if "://" in target.partition("?")[0]:
        parts = urlsplit(target)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path
    return target if target.startswith(API_ROOTS) else f"{API}/{target.removeprefix('/')}"


class Handler(Protocol):
    """An application: a platform, or a tape that is replayed."""

    def handle(self, request: Request) -> Response:
        """Answer one request."""


class UserClient(HttpMethods[Reply]):
    """Calls the API as one user (None: anonymously). A connection fault raises the exception of a socket."""

    def __init__(self, platform: Handler, origin: str, token: str | None) -> None:
        self._platform = platform
        self._origin = origin
        self._token = token

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, object] | None = None,
        json: object = None,
        data: bytes | Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request. ``params`` go into the query, ``json`` or ``data`` (a form, or bytes) into the body."""
        target, _, query = resolve_path(path).partition("?")
        encoded_params = urlencode(params or {}, doseq=True)
        content_type, body = _body(json, data)
        credentials = {"private-token": self._token} if self._token else {}
        explicit_headers = {name.lower(): value for name, value in (headers or {}).items()}
        all_headers = {**credentials, **({"content-type": content_type} if content_type else {}), **explicit_headers}
        query = "&".join(part for part in (query, encoded_params) if part)
        response = self._platform.handle(Request(method, target, query, all_headers, body, self._origin))
        error = loss_error(response.delivery) if response.delivery else None
        if error is not None:
            # There is no connection to disturb, so the client sees what a socket would report.
            raise error
        return Reply(response)


def _body(json: object, data: bytes | Mapping[str, object] | None) -> tuple[str, bytes]:
    if json is not None:
        return JSON, orjson.dumps(json)
    if isinstance(data, bytes):
        return "", data
    if data is not None:
        return "application/x-www-form-urlencoded", urlencode(data, doseq=True).encode()
    return "", b""
