"""The `fakeplat_client` fixture: an aiohttp client on the event loop of the test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest_asyncio

from fakeplat.harness.http_methods import HttpMethods

if TYPE_CHECKING:
    from fakeplat.harness.fake import Fakeplat


class Client(HttpMethods[Any]):
    """Calls a served world as one user. Paths are relative to the API (``projects``) or to the root (``/api/…``)."""

    def __init__(self, fake: Fakeplat, username: str) -> None:
        from aiohttp import ClientSession

        self._fake = fake
        self._others: dict[str, Client] = {}
        self.session = ClientSession(headers={"PRIVATE-TOKEN": fake.token(username)})

    def as_user(self, username: str) -> Client:
        """Return a client signed in as another user; it is closed with this one."""
        if username not in self._others:
            self._others[username] = Client(self._fake, username)
        return self._others[username]

    def request(self, method: str, path: str, **rest: Any) -> Any:
        """Send a request like `aiohttp.ClientSession.request`: await it, or use it with ``async with``."""
        from fakeplat.harness.caller import resolve_path

        return self.session.request(method, self._fake.url + resolve_path(path), **rest)

    async def close(self) -> None:
        """Close the sessions."""
        for other in self._others.values():
            await other.close()
        await self.session.close()


@pytest_asyncio.fixture
async def fakeplat_client(fakeplat: Fakeplat) -> AsyncIterator[Client]:
    """An aiohttp client of the test's world, signed in as root."""
    client = Client(fakeplat, "root")
    yield client
    await client.close()
