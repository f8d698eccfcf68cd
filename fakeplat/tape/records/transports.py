"""Transports: functions that send requests to a server over HTTP or to a platform in this process."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform

Ask = Callable[[Request], Awaitable[Response]]

_TIMEOUT: Final = 60.0
# The HTTP client sets these for its own connection.
_CONNECTION_HEADERS: Final = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})


class Unreachable(Exception):
    """Raised if a server does not answer; the message is one line."""


def ask_platform(platform: Platform) -> Ask:
    """Return a transport to a platform in this process."""

    async def ask(request: Request) -> Response:
        return platform.handle(request)

    return ask


@asynccontextmanager
async def ask_server(url: str) -> AsyncIterator[Ask]:
    """Open a transport to the server at an origin. It returns redirects as they are, and raises Unreachable."""
    from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, InvalidURL
    from yarl import URL

    async with ClientSession(timeout=ClientTimeout(_TIMEOUT), cookie_jar=DummyCookieJar()) as session:

        async def ask(request: Request) -> Response:
            target = f"{url}{request.path}" + (f"?{request.query}" if request.query else "")
            headers = {name: value for name, value in request.headers.items() if name not in _CONNECTION_HEADERS}
            try:
                async with session.request(
                    request.method,
                    # The path is sent as it is; encoding it again would turn ``%2F`` into ``%252F``.
                    URL(target, encoded=True),
                    headers=headers,
                    data=request.body or None,
                    allow_redirects=False,
                ) as response:
                    response_headers = tuple((name, value) for name, value in response.headers.items())
                    return Response(response.status, response_headers, await response.read())
            except (ClientError, InvalidURL, TimeoutError, OSError) as error:
                raise Unreachable(f"{url} cannot be reached: {str(error) or type(error).__name__}") from None

        yield ask
