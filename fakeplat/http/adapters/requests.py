"""A world as an adapter for the sessions of requests."""

from io import BytesIO
from time import sleep
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from requests import ConnectionError as LostConnection
from requests import PreparedRequest, ReadTimeout
from requests import Response as RequestsResponse
from requests.adapters import BaseAdapter
from requests.cookies import extract_cookies_to_jar
from urllib3 import HTTPHeaderDict
from urllib3 import HTTPResponse as Urllib3Response

from fakeplat.core.operations.http_messages import Response
from fakeplat.http.adapters.embedding import Embedding, loss_error

Timeout: TypeAlias = float | tuple[float | None, float | None] | None


class FakeplatAdapter(BaseAdapter):
    """Passes requests to a world in this process; mount it in a session for the world's URL."""

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self._embedding = embedding

    def send(  # type: ignore[override]  # the options of connections that there are not
        self, request: PreparedRequest, _stream: bool = False, timeout: Timeout = None, **_: object
    ) -> RequestsResponse:
        """Answer a request. Faults raise what requests raises for them."""
        parts = urlsplit(str(request.url))
        headers = {"Host": parts.netloc, **request.headers}
        response = self._embedding.respond_now(
            str(request.method),
            request.path_url,
            headers.items(),
            _read_body(request.body),
            scheme=parts.scheme,
        )
        _apply_faults(response, request, timeout)
        return self._build(request, response)

    def _build(self, request: PreparedRequest, response: Response) -> RequestsResponse:
        raw = Urllib3Response(
            BytesIO(response.body),
            headers=HTTPHeaderDict(response.headers),
            status=response.status,
            preload_content=False,
            request_method=request.method,
        )
        result = RequestsResponse()
        result.status_code = response.status
        result.headers.update(raw.headers)
        result.raw, result.url, result.request = raw, str(request.url), request
        result.encoding = "utf-8" if "json" in result.headers.get("content-type", "") else None
        extract_cookies_to_jar(result.cookies, request, raw)  # type: ignore[no-untyped-call]
        return result

    def close(self) -> None:
        """Do nothing: there are no connections."""


def _read_body(body: Any) -> bytes:
    """Return a body as bytes: requests passes on texts, bytes, files and generators."""
    if body is None or isinstance(body, bytes):
        return body or b""
    if isinstance(body, str):
        return body.encode()
    return bytes(body.read()) if hasattr(body, "read") else b"".join(body)


def _apply_faults(response: Response, request: PreparedRequest, timeout: Timeout) -> None:
    delivery = response.delivery
    if delivery is None:
        return
    limit = timeout[1] if isinstance(timeout, tuple) else timeout
    if delivery.loss == "timeout" or (limit is not None and delivery.delay > limit):
        raise ReadTimeout(delivery.why or "read timed out", request=request)
    sleep(delivery.delay)
    error = loss_error(delivery)
    if error is not None:
        raise LostConnection(error, request=request)
