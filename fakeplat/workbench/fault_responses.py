"""Responses of faults by status, with the body of the platform or of the proxy in front of it."""

from collections.abc import Callable, Mapping
from typing import Final

from fakeplat.core.operations.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    MethodNotAllowed,
    NotFound,
    PreconditionFailed,
    Refusal,
    Throttled,
    Unauthorized,
    Unprocessable,
)
from fakeplat.core.operations.http_messages import JSON, REASON_PHRASES, TEXT, Headers, Response, dump_json
from fakeplat.core.operations.limits import rate_headers
from fakeplat.core.timestamps import SECOND
from fakeplat.pipeline.rendering import ALWAYS

NO_ANSWER: Final = Response(0)
"""Represents a request that gets no response."""

FIRST_STATUS: Final = 200
LAST_STATUS: Final = 599
_DEFAULT_RETRY_AFTER: Final = 1
_THROTTLE: Final = ("throttle_authenticated_api", 7_200)


class InjectedRefusal(Refusal):
    """A refusal caused by an injected fault."""

    def __init__(self, answer: Response) -> None:
        super().__init__(None)
        self.answer = answer

    def response(self) -> Response:
        """Return the response of the fault."""
        return self.answer


def fault_response(status: int, now: int, retry_after: int | None = None, body: object = None) -> Response:
    """Return the response for a status, at the world's time (ms); ``retry_after`` in seconds.

    ``body`` replaces the body: a text as it is, anything else as JSON.
    """
    response = _ANSWERS.get(status, _plain_response)(status, now, retry_after)
    if body is None:
        return response
    kind, content = (TEXT, body.encode()) if isinstance(body, str) else (JSON, dump_json(body))
    headers = (*(pair for pair in response.headers if pair[0] != "Content-Type"), ("Content-Type", kind))
    return Response(status, headers, content)


def _refusal_response(refusal: Callable[[], Refusal]) -> "_Answer":
    def answer(_status: int, _now: int, _retry_after: int | None) -> Response:
        response = refusal().response()
        return Response(response.status, (*response.headers, *ALWAYS), response.body)

    return answer


def _throttled_response(status: int, now: int, retry_after: int | None) -> Response:
    wait = _DEFAULT_RETRY_AFTER if retry_after is None else retry_after
    name, limit = _THROTTLE
    headers = (("Retry-After", str(wait)), *rate_headers(name, limit, limit + 1, now + wait * SECOND))
    response = Throttled(headers=headers).response()
    return Response(status, (*response.headers, *ALWAYS), response.body)


def _internal_error_response(status: int, _now: int, _retry_after: int | None) -> Response:
    headers = (("Content-Type", JSON), ("Cache-Control", "no-cache"), *ALWAYS)
    return Response(status, headers, b'{"message":"500 Internal Server Error"}')


def _plain_response(status: int, _now: int, _retry_after: int | None) -> Response:
    """Return the response for a status that the platform has no own body for."""
    phrase = REASON_PHRASES.get(status, "")
    headers = (("Content-Type", JSON), *ALWAYS)
    return Response(status, headers, dump_json({"message": f"{status} {phrase}".strip()}))


def _proxy_response(status: int, _now: int, retry_after: int | None) -> Response:
    title = f"{status} {REASON_PHRASES[status]}"
    page = f"<html>\n<head><title>{title}</title></head>\n<body><h1>{title}</h1></body>\n</html>\n"
    retry_headers: Headers = () if retry_after is None else (("Retry-After", str(retry_after)),)
    return Response(status, (("Content-Type", "text/html"), *retry_headers), page.encode())


_Answer = Callable[[int, int, int | None], Response]
_ANSWERS: Final[Mapping[int, _Answer]] = {
    400: _refusal_response(BadRequest),
    401: _refusal_response(Unauthorized),
    403: _refusal_response(Forbidden),
    404: _refusal_response(NotFound),
    405: _refusal_response(MethodNotAllowed),
    409: _refusal_response(Conflict),
    412: _refusal_response(PreconditionFailed),
    422: _refusal_response(Unprocessable),
    429: _throttled_response,
    500: _internal_error_response,
    502: _proxy_response,
    503: _proxy_response,
    504: _proxy_response,
}
USUAL_STATUSES: Final = tuple(_ANSWERS)
"""The statuses with a body of the platform or of the proxy in front of it."""
