"""Answers as they usually go out: head and body are there, and are written in one piece."""

from email.utils import formatdate
from functools import lru_cache
from typing import Final

from aiohttp import hdrs, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import SERVER_SOFTWARE, HttpVersion11

from fakeplat.core.clock import wall
from fakeplat.core.messages import Response
from fakeplat.core.stamps import SECOND

_BODILESS: Final = frozenset((204, 304, *range(100, 200)))
_BYTES: Final = "application/octet-stream"


class Whole(web.StreamResponse):
    """An answer that needs none of the steps by which aiohttp sends what comes bit by bit, or compressed."""

    def __init__(self, response: Response) -> None:
        super().__init__(status=response.status, headers=response.headers)
        self._content = response.body
        self._stays = False

    @property
    def keep_alive(self) -> bool:
        """Whether the connection goes on to be used."""
        return self._stays

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Write all of it; ConnectionError if nobody is there."""
        self._stays = request.keep_alive
        has_body = self._complete(request)
        version, writer = request.version, request.writer
        await writer.write_headers(f"HTTP/{version[0]}.{version[1]} {self.status} {self.reason}", self.headers)
        await writer.write_eof(self._content if has_body else b"")
        return writer

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing is left to be written."""

    def _complete(self, request: web.BaseRequest) -> bool:
        """Add the headers that the server itself says, and tell whether the body goes out."""
        headers, content, asked = self.headers, self._content, request.method != hdrs.METH_HEAD
        if self.status in _BODILESS:
            asked = False
            headers.popall(hdrs.CONTENT_LENGTH, None)
        elif content or asked:
            headers.setdefault(hdrs.CONTENT_LENGTH, str(len(content)))
        if content and asked:
            headers.setdefault(hdrs.CONTENT_TYPE, _BYTES)
        headers.setdefault(hdrs.DATE, _date(wall() // SECOND))
        headers.setdefault(hdrs.SERVER, SERVER_SOFTWARE)
        if self._stays != (request.version >= HttpVersion11):  # what goes without saying in a version is not said
            headers.setdefault(hdrs.CONNECTION, "keep-alive" if self._stays else "close")
        return asked


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
