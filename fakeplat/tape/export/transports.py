"""A server that is asked over HTTP, or a platform in this process, in the same way."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform

Ask = Callable[[Request], Awaitable[Response]]

_PATIENCE: Final = 60.0
_OWN_HEADERS: Final = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})


class Unreachable(Exception):
    """A server that gives no answer: one line that says why."""


def ask_platform(platform: Platform) -> Ask:
    """Ask a platform of this process."""

    async def ask(request: Request) -> Response:
        return platform.handle(request)

    return ask


@asynccontextmanager
async def ask_server(url: str) -> AsyncIterator[Ask]:
    """Ask the server at an origin; redirects are answers like any other. Unreachable where it gives none."""
    from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, InvalidURL
    from yarl import URL

    async with ClientSession(timeout=ClientTimeout(_PATIENCE), cookie_jar=DummyCookieJar()) as session:

        async def ask(request: Request) -> Response:
            target = f"{url}{request.path}" + (f"?{request.query}" if request.query else "")
            headers = {name: value for name, value in request.headers.items() if name not in _OWN_HEADERS}
            try:
                async with session.request(
                    request.method,
                    URL(target, encoded=True),
                    headers=headers,
                    data=request.body or None,
                    allow_redirects=False,
                ) as answer:
                    given = tuple((name, value) for name, value in answer.headers.items())
                    return Response(answer.status, given, await answer.read())
            except (ClientError, InvalidURL, TimeoutError, OSError) as error:
                raise Unreachable(f"{url} cannot be reached: {str(error) or type(error).__name__}") from None

        yield ask
