"""The console of a world, without a port."""

import asyncio
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest
from typing_extensions import override

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.http.control.dispatch import ControlRoutes
from fakeplat.http.server import WorldServer
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import Options
from tests.api.full_world import FULL
from tests.scenario.worlds import create_platform


class Document(HTMLParser):
    """A parsed page: its elements with their attributes, and its text."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.status = response.status
        self.headers = dict(response.headers)
        self.source = response.body.decode()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.headings: list[tuple[str, str]] = []
        self.feed(self.source)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((tag, ""))

    @override
    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.headings and not self.headings[-1][1]:
            self.headings[-1] = (self.headings[-1][0], data.strip())

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def links(self) -> list[str]:
        return self.all("a", "href")

    def all(self, tag: str, attribute: str) -> list[str]:
        return [attrs[attribute] for name, attrs in self.elements if name == tag and attribute in attrs]


class Console:
    """Sends requests to the console of a world, from this machine."""

    def __init__(self, bench: Workbench, key: str | None = None) -> None:
        self.bench = bench
        self.control = ControlRoutes(WorldServer(key=key), bench)

    def send(self, method: str, target: str, body: bytes = b"", peer: str = "127.0.0.1", **headers: str) -> Response:
        path, _, query = target.partition("?")
        sent = {"host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
        request = Request(method, path, query, sent, body, "http://localhost", peer)
        return asyncio.run(self.control(request))

    def get(self, page: str = "") -> Document:
        return Document(self.send("GET", f"/_fakeplat/{page}"))

    def post(self, page: str, **fields: str) -> Response:
        return self.send("POST", f"/_fakeplat/{page}", urlencode(fields).encode(), origin="http://localhost")

    def ask(self, method: str, path: str, by: str, body: bytes = b"", **headers: str) -> Response:
        """Send a request of a client to the platform."""
        sent = {"private-token": f"{by}-token", "content-type": "application/json", **headers}
        path, _, query = path.partition("?")
        return self.bench.platform.handle(Request(method, f"/api/v4/{path}", query, sent, body))


@pytest.fixture(scope="session")
def full() -> Console:
    """The console of a world with records of every kind; tests only read it."""
    return Console(
        Workbench(
            create_platform(FULL | {"instance": {"tier": "ultimate", "version": "latest", "default_branch": "master"}}),
            scenario="full",
            seed=1,
        )
    )


@pytest.fixture
def console() -> Iterator[Console]:
    """The console of the starter world."""
    bench: Any = Options(usual="virtual").bench()
    yield Console(bench)
    bench.close()
