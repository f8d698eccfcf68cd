"""A live server's API, asked politely: page after page, with pauses where the server wants them."""

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
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.recorded_requests import json_or_none
from fakeplat.tape.export.transports import Ask

Pause = Callable[[float], Awaitable[None]]
Progress = Callable[[str], None]

PAGE: Final = "per_page=100"
_NEXT: Final = pattern(r'<([^>]*)>\s*;[^,]*rel="?next"?')
_NUMBER: Final = pattern(r"/\d+(?=/)")
_NOT_THERE: Final = (403, 404, 405, 501)
_MOST_PAUSES: Final = 10
_LONGEST_PAUSE: Final = 300.0


class ApiRefused(Exception):
    """The server refuses what the crawl cannot do without: one line that says what."""


@define
class ApiReader:
    """Reads a server. ``seen`` grows; ``tell`` hears what is being read; ``skipped`` are paths that gave nothing.
    ``unread`` counts what is there and is not read.
    """

    ask: Ask
    token: str | None
    seen: Observations = field(factory=Observations)
    tell: Progress = lambda _: None
    pause: Pause = asyncio.sleep
    skipped: list[str] = field(factory=list)
    unread: Counter[str] = field(factory=Counter)
    me: str | None = None
    _date: str | None = None
    _refused: set[str] = field(factory=set)

    async def needed(self, path: str, otherwise: str, query: str = "") -> Document:
        """The object at a path; Refused, with what that means, where there is none."""
        found = await self.page(path, query)
        for document in iterate_objects(found):
            return document
        status = self.skipped.pop().rpartition(" ")[2] if found is None else "it is no object"
        raise ApiRefused(f"{'the server asks for a token' if status == '401' else otherwise} ({status})")

    async def whole(self, path: str, query: str) -> bool:
        """Read all rows of a list; whether it was given."""
        before = len(self.skipped)
        async for _ in self.every(path, query):
            pass
        return before == len(self.skipped)

    async def of_many(self, path: str) -> None:
        """A list that each of many things has; once it was refused for one of them, it is not asked for any more."""
        feature = _NUMBER.sub("/*", path)
        if feature not in self._refused and not await self.whole(path, PAGE):
            self._refused.add(feature)

    async def every(self, path: str, query: str, *, kept: bool = True) -> AsyncIterator[Document]:
        """All rows of a list, page after page; ``kept``: they are part of what was seen."""
        following: tuple[str, str] | None = (path, query)
        known: set[tuple[str, str]] = set()
        while following is not None and following not in known:
            known.add(following)
            response = await self.answer(*following)
            rows = self._taken(following[0], response, kept=kept)
            following = _next(response)
            for row in iterate_objects(rows):
                yield row

    async def page(self, path: str, query: str) -> Any:
        """What a GET answers; None where it is refused."""
        return self._taken(path, await self.answer(path, query))

    def _taken(self, path: str, response: Response, *, kept: bool = True) -> Any:
        """What an answer holds; None, and a note, where it is a refusal."""
        if response.status in _NOT_THERE or (response.status == 401 and self.token is None):
            self.skipped.append(f"{path} {response.status}")
            return None
        if response.status == 401:
            raise ApiRefused("the token is not accepted (401)")
        if response.status != 200:
            raise ApiRefused(f"GET {path} answers {response.status}")
        try:
            body = orjson.loads(response.body)
        except orjson.JSONDecodeError:
            raise ApiRefused(f"GET {path} answers no JSON; is this the URL of an API's server?") from None
        if kept:
            self.seen.answered(f"{PREFIX}/{path}", "", body, self.me)
        return body

    async def answer(self, path: str, query: str) -> Response:
        """The answer to a GET below the API's prefix, or of an absolute path."""
        headers = {"private-token": self.token} if self.token else {}
        target = path if path.startswith("/") else f"{PREFIX}/{path}"
        return await self.patiently(Request("GET", target, query, headers))

    async def posted(self, target: str, body: object) -> Response:
        """The answer to a question that is posted, such as a query in GraphQL."""
        headers = {"content-type": "application/json", **({"private-token": self.token} if self.token else {})}
        return await self.patiently(Request("POST", target, "", headers, orjson.dumps(body)))

    async def time(self) -> str | None:
        """The server's time (ISO 8601): that of a fakeplat's world, of any other server when it first answered."""
        response = await self.ask(Request("GET", "/_fakeplat/clock"))
        for clock in iterate_objects(json_or_none(response.body) if response.status == 200 else None):
            if isinstance(clock.get("now"), str):
                return str(clock["now"])
        return _iso(self._date)

    async def patiently(self, request: Request) -> Response:
        """An answer, after as many pauses as the server asks for."""
        self.tell(f"{request.method} {request.path}")
        response = await self.ask(request)
        for _ in range(_MOST_PAUSES):
            if response.status != 429:
                break
            await self._wait(response)
            response = await self.ask(request)
        self._date = self._date or get_header(response, "date")
        return response

    async def _wait(self, response: Response) -> None:
        asked = get_header(response, "retry-after") or "1"
        seconds = min(float(asked) if asked.isdecimal() else 1.0, _LONGEST_PAUSE)
        self.tell(f"the server asks to wait {seconds:g} s")
        await self.pause(seconds)


def get_header(response: Response, name: str) -> str | None:
    """A header of an answer, whatever the case of its name."""
    return next((value for key, value in response.headers if key.lower() == name), None)


def _iso(date: str | None) -> str | None:
    """The time of a Date header."""
    try:
        return None if date is None else parsedate_to_datetime(date).isoformat()
    except ValueError:
        return None


def _next(response: Response) -> tuple[str, str] | None:
    """Where the next page is, below the API's prefix."""
    found = _NEXT.search(get_header(response, "link") or "")
    parts = urlsplit(found[1]) if found else None
    if parts is None or PREFIX not in parts.path:
        return None
    return parts.path.partition(f"{PREFIX}/")[2], parts.query
