"""A recording reverse proxy: forwards requests to a server and records the exchanges with redacted secrets."""

import asyncio
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import orjson
from attrs import evolve

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.timestamps import to_iso
from fakeplat.http.connection import Connection
from fakeplat.http.origins import ForeignHost, Origins, split_absolute_target
from fakeplat.http.request_parser import Limits, RawRequest, refuse
from fakeplat.tape.formats.tape import Head, InitialWorld
from fakeplat.tape.record.recorder import Recorder
from fakeplat.tape.redaction.credentials import CREDENTIAL_HEADERS, find_credential
from fakeplat.tape.redaction.exchanges import HOP_BY_HOP
from fakeplat.tape.replay.url_rewriting import url_rewriter

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_REPLACED_HEADERS: Final = HOP_BY_HOP | {"host", "content-length", "content-encoding", "accept-encoding", "expect"}
_REGENERATED_HEADERS: Final = HOP_BY_HOP | {"content-length", "content-encoding", "date", "server"}
_NOT_ADDED_HEADERS: Final = ("User-Agent", "Accept", "Content-Type", "Accept-Encoding")
_MAX_LINE_SIZE: Final = 65_536
_CONNECT_TIMEOUT: Final = 30

_SWITCHING_PROTOCOLS: Final = 101
LIMITS: Final = Limits(1 << 40, _MAX_LINE_SIZE)
"""Effectively unlimited: the upstream decides which bodies it accepts."""


class Proxy:
    """A proxy in front of ``upstream``, an origin such as https://git.example.test."""

    def __init__(self, upstream: str, recorder: Recorder) -> None:
        self.upstream = upstream
        self._recorder = recorder
        self._origins = Origins()
        self._session: ClientSession | None = None
        self._start_lock = asyncio.Lock()

    async def open(self) -> bool:
        """Open the client session and start the tape; return whether the upstream is reachable yet."""
        from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

        self._session = ClientSession(
            cookie_jar=DummyCookieJar(),
            # Only connecting is limited in time; a clone of a large repository may take long.
            timeout=ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT),
            # The upstream must see the client's headers and no others.
            skip_auto_headers=_NOT_ADDED_HEADERS,
            max_line_size=_MAX_LINE_SIZE,
            max_field_size=_MAX_LINE_SIZE,
        )
        try:
            await self._start_tape()
        except (ClientError, OSError):
            return False
        return True

    async def close(self) -> None:
        """Close all connections; a tape without exchanges still gets its head."""
        if self._recorder.upstream is None:
            self._recorder.begin(Head(self.upstream, to_iso(wall())))
        if self._session is not None:
            await self._session.close()

    async def answer(self, incoming: RawRequest, _connection: Connection) -> Response:
        """Forward a request and return the response."""
        from aiohttp import ClientError

        host, target = incoming.headers.get("host", ""), incoming.target
        # Clients send an absolute URL to a server that they regard as a forward proxy.
        if not target.startswith("/"):
            host, target = split_absolute_target(target, host)
        try:
            origin = self._origins.origin(host)
        except ForeignHost as foreign:
            return refuse(400, f"the host {foreign} is not served here")
        path, _, query = target.partition("#")[0].partition("?")
        request = Request(incoming.method, path, query, incoming.headers, incoming.body, origin)
        try:
            response = await self._forward(request)
        except (ClientError, OSError) as error:
            return refuse(502, f"the upstream {self.upstream} does not answer: {str(error) or type(error).__name__}")
        # The tape has the upstream's URLs, the client gets those of the proxy.
        return url_rewriter(self.upstream, origin).response(response)

    async def _forward(self, request: Request) -> Response:
        await self._start_tape()
        await self._resolve_credential(request)
        at, started = wall(), perf_counter()
        response = await self._send(self._to_upstream(request))
        self._recorder.record(request, response, (perf_counter() - started) * 1000, at)
        return response

    def _to_upstream(self, request: Request) -> Request:
        rewriter = url_rewriter(request.origin, self.upstream)
        connection_headers = {name.strip().lower() for name in request.headers.get("connection", "").split(",")}
        # The names in Connection are hop-by-hop headers too (RFC 7230, section 6.1).
        headers = [
            (name, value)
            for name, value in request.headers.items()
            if name.lower() not in _REPLACED_HEADERS | connection_headers
        ]
        return evolve(
            request,
            query=rewriter.text(request.query),
            headers=_multidict(headers),
            body=rewriter.content(request.body),
        )

    async def _send(self, request: Request) -> Response:
        from yarl import URL

        if self._session is None:
            raise RuntimeError("the proxy is not open")
        query = f"?{request.query}" if request.query else ""
        url = URL(f"{self.upstream}{request.path}{query}", encoded=True)
        # An uncompressed body can be searched for secrets and URLs.
        headers = _multidict([*request.headers.items(), ("Accept-Encoding", "identity")])
        async with self._session.request(
            request.method, url, headers=headers, data=request.body or None, allow_redirects=False
        ) as upstream_response:
            # After a 101 the connection no longer carries HTTP, so there is no body to read.
            if upstream_response.status == _SWITCHING_PROTOCOLS:
                raise ConnectionError("it switched protocols without an Upgrade request")
            return await _read_response(upstream_response)

    async def _start_tape(self) -> None:
        """Write the head of the tape once, with the initial world if the upstream is a fakeplat."""
        # The first requests may arrive at the same time.
        async with self._start_lock:
            if self._recorder.upstream is None:
                self._recorder.begin(Head(self.upstream, to_iso(wall()), {}, await self._initial_world()))

    async def _initial_world(self) -> InitialWorld | None:
        health, clock = await self._get_json("/_fakeplat/health"), await self._get_json("/_fakeplat/clock")
        match health, clock:
            case {"scenario": str(scenario), "seed": int(seed)}, {"kind": str(kind), "now": str(now)}:
                return InitialWorld(scenario, seed, {"kind": kind, "start": now})
            case {"scenario": str(scenario), "seed": int(seed)}, _:
                return InitialWorld(scenario, seed)
        return None

    async def _get_json(self, path: str, headers: Mapping[str, str] | None = None, query: str = "") -> Any:
        response = await self._send(Request("GET", path, query, dict(headers or {}), b"", self.upstream))
        if response.status != 200:
            return None
        try:
            return orjson.loads(response.body)
        except orjson.JSONDecodeError:
            return None

    async def _resolve_credential(self, request: Request) -> None:
        """Look up the user of a credential at its first use."""
        credential = find_credential(request)
        if credential is None or self._recorder.has_user(credential.value):
            return
        # Git sends a token as a password; the API accepts it as a token only.
        is_password = credential.kind == "password"
        headers = {name: request.headers[name] for name in CREDENTIAL_HEADERS if name in request.headers}
        user = await self._get_json(
            "/api/v4/user", {"private-token": credential.value} if is_password else headers, credential.parameter
        )
        username = user.get("username") if isinstance(user, dict) else None
        owner = username if isinstance(username, str) else None
        self._recorder.add_user("pat" if is_password and owner else credential.kind, credential.value, owner)


async def _read_response(response: "ClientResponse") -> Response:
    headers = [(name, value) for name, value in response.headers.items() if name.lower() not in _REGENERATED_HEADERS]
    return Response(response.status, tuple(headers), await response.read())


def _multidict(pairs: list[tuple[str, str]]) -> Any:
    """Return a multidict of headers, since a name may occur several times."""
    from multidict import CIMultiDict

    return CIMultiDict(pairs)
