"""What a fault answers: by status, with the body of the platform or of the proxy in front of it."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
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
from fakeplat.core.operations.http_messages import JSON, Headers, Response
from fakeplat.core.operations.limits import rate_headers
from fakeplat.core.timestamps import SECOND
from fakeplat.pipeline import ALWAYS

NO_ANSWER: Final = Response(0)
"""Stands for the answer of a request that gets none."""

_SOON: Final = 1
_THROTTLE: Final = ("throttle_authenticated_api", 7_200)


class InjectedRefusal(Refusal):
    """A refusal that nothing but a fault is the reason of."""

    def __init__(self, answer: Response) -> None:
        super().__init__(None)
        self.answer = answer

    def response(self) -> Response:
        """What the fault answers."""
        return self.answer


def fault_response(status: int, now: int, retry_after: int | None = None) -> Response:
    """The answer of a status, at the world's time (ms); ``retry_after`` in seconds."""
    return _ANSWERS[status](status, now, retry_after)


def _refused(refusal: Callable[[], Refusal]) -> "_Answer":
    def answer(status: int, now: int, retry_after: int | None) -> Response:
        del status, now, retry_after
        response = refusal().response()
        return Response(response.status, (*response.headers, *ALWAYS), response.body)

    return answer


def _throttled(status: int, now: int, retry_after: int | None) -> Response:
    wait = _SOON if retry_after is None else retry_after
    name, limit = _THROTTLE
    headers = (("Retry-After", str(wait)), *rate_headers(name, limit, limit + 1, now + wait * SECOND))
    response = Throttled(headers=headers).response()
    return Response(status, (*response.headers, *ALWAYS), response.body)


def _internal(status: int, now: int, retry_after: int | None) -> Response:
    del now, retry_after
    headers = (("Content-Type", JSON), ("Cache-Control", "no-cache"), *ALWAYS)
    return Response(status, headers, b'{"message":"500 Internal Server Error"}')


def _by_proxy(status: int, now: int, retry_after: int | None) -> Response:
    del now
    title = f"{status} {HTTPStatus(status).phrase}"
    page = f"<html>\n<head><title>{title}</title></head>\n<body><h1>{title}</h1></body>\n</html>\n"
    waits: Headers = () if retry_after is None else (("Retry-After", str(retry_after)),)
    return Response(status, (("Content-Type", "text/html"), *waits), page.encode())


_Answer = Callable[[int, int, int | None], Response]
_ANSWERS: Final[Mapping[int, _Answer]] = {
    400: _refused(BadRequest),
    401: _refused(Unauthorized),
    403: _refused(Forbidden),
    404: _refused(NotFound),
    405: _refused(MethodNotAllowed),
    409: _refused(Conflict),
    412: _refused(PreconditionFailed),
    422: _refused(Unprocessable),
    429: _throttled,
    500: _internal,
    502: _by_proxy,
    503: _by_proxy,
    504: _by_proxy,
}
STATUSES: Final = tuple(_ANSWERS)
