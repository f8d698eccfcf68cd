"""A reverse proxy that records: what the server behind it says reaches the client, and, without secrets, the tape."""

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import orjson
from attrs import evolve

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.timestamps import to_iso
from fakeplat.http.connection import Connection
from fakeplat.http.origins import ForeignHost, Origins, absolute
from fakeplat.http.request_parser import Limits, RawRequest, refuse
from fakeplat.tape.formats.tape import Head, InitialWorld
from fakeplat.tape.record.recorder import Recorder
from fakeplat.tape.redaction.credentials import SENT, find_credential
from fakeplat.tape.redaction.exchanges import HOP_BY_HOP
from fakeplat.tape.replay.url_rewriting import url_rewriter

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_OURS: Final = HOP_BY_HOP | {"host", "content-length", "content-encoding", "accept-encoding", "expect"}
_MADE_ANEW: Final = HOP_BY_HOP | {"content-length", "content-encoding", "date", "server"}
_NOT_ADDED: Final = ("User-Agent", "Accept", "Content-Type", "Accept-Encoding")
_LONGEST_LINE: Final = 65_536
_CONNECT: Final = 30

_SWITCHED: Final = 101
LIMITS: Final = Limits(1 << 40, _LONGEST_LINE)
"""What passes through is for the server behind to judge."""


class Proxy:
    """In front of ``upstream``, an origin such as https://git.example.test."""

    def __init__(self, upstream: str, recorder: Recorder) -> None:
        self.upstream = upstream
        self._recorder = recorder
        self._origins = Origins()
        self._session: ClientSession | None = None
        self._beginning = asyncio.Lock()

    async def open(self) -> bool:
        """Get ready; whether the upstream answers already."""
        from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

        self._session = ClientSession(
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=_CONNECT),
            skip_auto_headers=_NOT_ADDED,
            max_line_size=_LONGEST_LINE,
            max_field_size=_LONGEST_LINE,
        )
        try:
            await self._begin()
        except (ClientError, OSError):
            return False
        return True

    async def close(self) -> None:
        """Close all connections; a tape without exchanges still gets its head."""
        if self._recorder.upstream is None:
            self._recorder.begin(Head(self.upstream, to_iso(wall())))
        if self._session is not None:
            await self._session.close()

    async def answer(self, incoming: RawRequest, connection: Connection) -> Response:
        """Pass one request on."""
        from aiohttp import ClientError

        del connection
        host, target = incoming.headers.get("host", ""), incoming.target
        if not target.startswith("/"):
            host, target = absolute(target, host)
        try:
            origin = self._origins.origin(host)
        except ForeignHost as foreign:
            return refuse(400, f"the host {foreign} is not served here")
        path, _, query = target.partition("#")[0].partition("?")
        message = Request(incoming.method, path, query, incoming.headers, incoming.body, origin)
        try:
            response = await self._passed_on(message)
        except (ClientError, OSError) as error:
            return refuse(502, f"the upstream {self.upstream} does not answer: {str(error) or type(error).__name__}")
        return url_rewriter(self.upstream, origin).response(response)

    async def _passed_on(self, message: Request) -> Response:
        await self._begin()
        await self._introduce(message)
        at, began = wall(), perf_counter()
        response = await self._asked(self._towards_upstream(message))
        self._recorder.record(message, response, (perf_counter() - began) * 1000, at)
        return response

    def _towards_upstream(self, message: Request) -> Request:
        there = url_rewriter(message.origin, self.upstream)
        named = {name.strip().lower() for name in message.headers.get("connection", "").split(",")}
        headers = [(name, value) for name, value in message.headers.items() if name.lower() not in _OURS | named]
        return evolve(
            message, query=there.text(message.query), headers=_several(headers), body=there.content(message.body)
        )

    async def _asked(self, message: Request) -> Response:
        from yarl import URL

        if self._session is None:
            raise RuntimeError("the proxy is not open")
        query = f"?{message.query}" if message.query else ""
        url = URL(f"{self.upstream}{message.path}{query}", encoded=True)
        headers = _several([*message.headers.items(), ("Accept-Encoding", "identity")])
        async with self._session.request(
            message.method, url, headers=headers, data=message.body or None, allow_redirects=False
        ) as answer:
            if answer.status == _SWITCHED:
                raise ConnectionError("it switches protocols, which nobody asked for")
            return await _read(answer)

    async def _begin(self) -> None:
        """Find out what the upstream is, and write the head; once."""
        async with self._beginning:
            if self._recorder.upstream is None:
                self._recorder.begin(Head(self.upstream, to_iso(wall()), {}, await self._fakeplat()))

    async def _fakeplat(self) -> InitialWorld | None:
        health, clock = await self._json("/_fakeplat/health"), await self._json("/_fakeplat/clock")
        match health, clock:
            case {"scenario": str(scenario), "seed": int(seed)}, {"kind": str(kind), "now": str(now)}:
                return InitialWorld(scenario, seed, {"kind": kind, "start": now})
            case {"scenario": str(scenario), "seed": int(seed)}, _:
                return InitialWorld(scenario, seed)
        return None

    async def _json(self, path: str, headers: Any = (), query: str = "") -> Any:
        response = await self._asked(Request("GET", path, query, dict(headers), b"", self.upstream))
        if response.status != 200:
            return None
        try:
            return orjson.loads(response.body)
        except orjson.JSONDecodeError:
            return None

    async def _introduce(self, message: Request) -> None:
        """Ask whose a credential is, when it is first seen."""
        found = find_credential(message)
        if found is None or self._recorder.knows(found.value):
            return
        as_token = found.kind == "password"  # what git sends is no password to the API, but may be a token
        headers = {name: message.headers[name] for name in SENT if name in message.headers}
        user = await self._json(
            "/api/v4/user", {"private-token": found.value} if as_token else headers, found.parameter
        )
        username = user.get("username") if isinstance(user, dict) else None
        owner = username if isinstance(username, str) else None
        self._recorder.introduce("pat" if as_token and owner else found.kind, found.value, owner)


async def _read(answer: "ClientResponse") -> Response:
    headers = [(name, value) for name, value in answer.headers.items() if name.lower() not in _MADE_ANEW]
    return Response(answer.status, tuple(headers), await answer.read())


def _several(pairs: list[tuple[str, str]]) -> Any:
    """Headers of which some may stand several times."""
    from multidict import CIMultiDict

    return CIMultiDict(pairs)
