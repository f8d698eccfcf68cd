"""The HTTP client that sends deliveries: one connection per request, and no redirects, retries, cookies or proxies.

It is imported with the first delivery.
"""

import socket
from asyncio import CancelledError
from base64 import b64encode
from time import perf_counter
from typing import Final
from urllib.parse import unquote_to_bytes, urlsplit, urlunsplit

from aiohttp import ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from fakeplat.core.hosts import is_loopback
from fakeplat.http.decompression import decompress_beginning
from fakeplat.http.outgoing_failures import describe_failure
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.workbench.bounded_log import MEGABYTE
from fakeplat.workbench.deliveries import DeliveryResult

_LOOPBACK: Final = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_MAX_CONNECTIONS: Final = 100
_MOST_FETCHED: Final = 512 * MEGABYTE
# The headers that the HTTP library adds on its own and the platform does not send.
_DECOMPRESSED: Final = {"Accept-Encoding": "gzip, deflate"}
_NOT_ADDED_HEADERS: Final = ("User-Agent", "Content-Type")


class OutgoingClient:
    """Sends requests to receivers. ``timeout`` (seconds) limits connecting, and each wait for a part of the answer."""

    def __init__(self, *, allows_egress: bool, timeout: float) -> None:
        connector = TCPConnector(
            force_close=True, limit=_MAX_CONNECTIONS, resolver=_Resolver(allows_egress=allows_egress)
        )
        self._session = ClientSession(
            connector=connector,
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=timeout, sock_read=timeout),
            skip_auto_headers=_NOT_ADDED_HEADERS,
            # A few kilobytes can become many megabytes, of which only the first is needed.
            auto_decompress=False,
        )

    async def send(self, request: OutgoingRequest) -> DeliveryResult:
        """Send a request; whatever the receiver does, this returns a result."""
        url, credentials = _split_credentials(request.url)
        started = perf_counter()
        try:
            async with self._session.request(
                request.method,
                URL(url, encoded=True),
                data=request.body,
                headers={**_DECOMPRESSED, **request.headers, **credentials},
                allow_redirects=False,
                ssl=request.verifies_tls,
            ) as response:
                body = await _read_beginning(response)
                return DeliveryResult(
                    "delivered", None, response.status, _combine_headers(response), body, perf_counter() - started
                )
        except CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a receiver does must not stop the deliveries to it
            result = DeliveryResult("failed", describe_failure(error, urlsplit(url)), duration=perf_counter() - started)
            _drop_tracebacks(error)
            return result

    async def fetch(self, method: str, url: str, token: str) -> tuple[int, bytes]:
        """Send a request to the API of another instance, and return the status and the whole body.

        Raises whatever goes wrong on the way.
        """
        headers = {**_DECOMPRESSED, "Private-Token": token}
        async with self._session.request(method, URL(url, encoded=True), headers=headers) as response:
            body = await response.read()
            encoding = response.headers.get("Content-Encoding", "")
            return response.status, decompress_beginning(body, encoding, _MOST_FETCHED) if encoding else body

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()


class _Resolver(AbstractResolver):
    """Resolves names of this machine itself, since a name server could give any address for ``x.localhost``."""

    def __init__(self, *, allows_egress: bool) -> None:
        self._resolver = ThreadedResolver() if allows_egress else None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if is_loopback(host):
            return [
                ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=0)
                for kind, address in _LOOPBACK
                if family in (socket.AF_UNSPEC, kind)
            ]
        if self._resolver is None:
            raise OSError(f"{host} is not this machine")
        return await self._resolver.resolve(host, port, family)

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()


def _split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """Return a URL without its user and password, and the header that has them instead."""
    parts = urlsplit(url)
    user_info, _, host = parts.netloc.rpartition("@")
    plain_url = urlunsplit(parts._replace(netloc=host, path=parts.path or "/", fragment=""))
    if not user_info:
        return plain_url, {}
    user, _, password = user_info.partition(":")
    pair = unquote_to_bytes(user) + b":" + unquote_to_bytes(password)
    return plain_url, {"Authorization": f"Basic {b64encode(pair).decode()}"}


def _drop_tracebacks(error: BaseException | None) -> None:
    """Break the reference cycles of an error: its frames have lists of errors, which have these frames."""
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


async def _read_beginning(response: ClientResponse) -> str:
    """Return at most 1 MB of the body; a receiver that sends more does not get to fill the memory."""
    body = b""
    async for part in response.content.iter_any():
        body += part
        if len(body) >= MEGABYTE:
            break
    encoding = response.headers.get("Content-Encoding", "")
    return decompress_beginning(body, encoding, MEGABYTE).decode("utf-8", "ignore")


def _combine_headers(response: ClientResponse) -> dict[str, str]:
    """Return the headers with capitalised names, repeated ones joined."""
    combined: dict[str, str] = {}
    for name, value in response.headers.items():
        key = "-".join(part.capitalize() for part in name.split("-"))
        combined[key] = f"{combined[key]}, {value}" if key in combined else value
    return combined
