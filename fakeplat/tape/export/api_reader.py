"""A reader of a live server's API that follows pagination and respects rate limits."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from email.utils import parsedate_to_datetime
from re import compile as pattern
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from attrs import define, field

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.recorded_requests import json_or_none
from fakeplat.tape.records.transports import Ask

Pause = Callable[[float], Awaitable[None]]
Progress = Callable[[str], None]

PAGE: Final = "per_page=100"
# The target of ``<https://host/api/v4/projects?page=2>; rel="next"``, among other links.
_NEXT_LINK: Final = pattern(r'<([^>]*)>\s*;[^,]*rel="?next"?')
# All ids but a last one, so that the notes of issue 7 and those of issue 8 are one feature.
_ID_SEGMENT: Final = pattern(r"/\d+(?=/)")
_UNAVAILABLE: Final = (403, 404, 405, 501)
_MAX_PAUSES: Final = 10
# In seconds: a server that asks for more is requested again after this time.
_MAX_PAUSE: Final = 300.0


class ApiRefused(Exception):
    """Raised if the server refuses a request that the crawl requires; the message is one line."""


@define
class ApiReader:
    """Reads the API of a server.

    ``observations`` collects what the responses show, ``show_progress`` is called with status lines.
    ``skipped`` lists the paths that were refused, with their status; ``unread`` counts the records that exist but are
    not read. ``me`` is the username of the token's user.
    """

    ask: Ask
    token: str | None
    observations: Observations = field(factory=Observations)
    show_progress: Progress = lambda _: None
    pause: Pause = asyncio.sleep
    skipped: list[str] = field(factory=list)
    unread: Counter[str] = field(factory=Counter)
    me: str | None = None
    _date: str | None = None
    _refused_features: set[str] = field(factory=set)

    async def read_required(self, path: str, otherwise: str, query: str = "") -> Document:
        """Read an object. Raises ApiRefused with the message ``otherwise`` if it is not available."""
        body = await self.page(path, query)
        for document in iterate_objects(body):
            return document
        # The exception reports this refusal, so it is not listed among the skipped paths.
        status = self.skipped.pop().rpartition(" ")[2] if body is None else "not an object"
        raise ApiRefused(f"{'the server requires a token' if status == '401' else otherwise} ({status})")

    async def read_all(self, path: str, query: str) -> bool:
        """Read all rows of a list; return whether the server provided it."""
        skipped_before = len(self.skipped)
        async for _ in self.iterate_rows(path, query):
            pass
        return skipped_before == len(self.skipped)

    async def read_optional(self, path: str) -> None:
        """Read a list that many records have; after a refusal for one record, it is not requested for any other."""
        # A refusal means that the feature is disabled or not licensed, which holds for all records of the container.
        feature = _ID_SEGMENT.sub("/*", path)
        if feature not in self._refused_features and not await self.read_all(path, PAGE):
            self._refused_features.add(feature)

    async def iterate_rows(self, path: str, query: str, *, observe: bool = True) -> AsyncIterator[Document]:
        """Iterate over the rows of all pages of a list; ``observe``: add them to the observations."""
        next_page: tuple[str, str] | None = (path, query)
        # A broken Link header may lead in a circle.
        visited: set[tuple[str, str]] = set()
        while next_page is not None and next_page not in visited:
            visited.add(next_page)
            response = await self.get(*next_page)
            rows = self._read_body(next_page[0], response, observe=observe)
            next_page = _find_next_page(response)
            for row in iterate_objects(rows):
                yield row

    async def page(self, path: str, query: str) -> Any:
        """Return the body of a GET; None if it is refused."""
        return self._read_body(path, await self.get(path, query))

    def _read_body(self, path: str, response: Response, *, observe: bool = True) -> Any:
        """Return the body of a response; None for a refusal, which is added to ``skipped``."""
        if response.status in _UNAVAILABLE or (response.status == 401 and self.token is None):
            self.skipped.append(f"{path} {response.status}")
            return None
        if response.status == 401:
            raise ApiRefused("the token is not accepted (401)")
        if response.status != 200:
            raise ApiRefused(f"GET {path} returned {response.status}")
        try:
            body = orjson.loads(response.body)
        except orjson.JSONDecodeError:
            raise ApiRefused(f"GET {path} did not return JSON; check that the URL is that of an API server") from None
        if observe:
            self.observations.add_response(f"{PREFIX}/{path}", "", body, self.me)
        return body

    async def get(self, path: str, query: str) -> Response:
        """Send a GET for a path below the API's prefix, or for an absolute path."""
        headers = {"private-token": self.token} if self.token else {}
        target = path if path.startswith("/") else f"{PREFIX}/{path}"
        return await self.send(Request("GET", target, query, headers))

    async def post(self, target: str, body: object) -> Response:
        """Send a POST that only reads, such as a GraphQL query."""
        headers = {"content-type": "application/json", **({"private-token": self.token} if self.token else {})}
        return await self.send(Request("POST", target, "", headers, orjson.dumps(body)))

    async def time(self) -> str | None:
        """Return the server's time (ISO 8601): the virtual time of a fakeplat, else the Date of the first response."""
        response = await self.ask(Request("GET", "/_fakeplat/clock"))
        for clock in iterate_objects(json_or_none(response.body) if response.status == 200 else None):
            if isinstance(clock.get("now"), str):
                return str(clock["now"])
        return _date_to_iso(self._date)

    async def send(self, request: Request) -> Response:
        """Send a request, and repeat it after a pause while the server answers 429."""
        self.show_progress(f"{request.method} {request.path}")
        response = await self.ask(request)
        for _ in range(_MAX_PAUSES):
            if response.status != 429:
                break
            await self._wait(response)
            response = await self.ask(request)
        self._date = self._date or find_header(response, "date")
        return response

    async def _wait(self, response: Response) -> None:
        retry_after = find_header(response, "retry-after") or "1"
        seconds = min(float(retry_after) if retry_after.isdecimal() else 1.0, _MAX_PAUSE)
        self.show_progress(f"rate limit reached; waiting {seconds:g} s")
        await self.pause(seconds)


def find_header(response: Response, name: str) -> str | None:
    """Return a header of a response; the name is case-insensitive."""
    return next((value for key, value in response.headers if key.lower() == name), None)


def _date_to_iso(date: str | None) -> str | None:
    """Convert a Date header to ISO 8601."""
    try:
        return None if date is None else parsedate_to_datetime(date).isoformat()
    except ValueError:
        return None


def _find_next_page(response: Response) -> tuple[str, str] | None:
    """Return path (below the API's prefix) and query of the next page."""
    match = _NEXT_LINK.search(find_header(response, "link") or "")
    parts = urlsplit(match[1]) if match else None
    if parts is None or PREFIX not in parts.path:
        return None
    # The link's own host is not used, since a server behind a proxy may state an internal one.
    return parts.path.partition(f"{PREFIX}/")[2], parts.query
