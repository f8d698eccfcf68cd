import json
from collections.abc import Callable, Mapping
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest


class Got(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content) if self.content else None


Ask = Callable[..., Got]


@pytest.fixture
def ask(fakeplat: Any) -> Ask:
    """A function that sends a request over HTTP: method, target, JSON body, headers."""

    def ask(method: str, target: str, body: Any = None, url: str | None = None, **headers: str) -> Got:
        connection = HTTPConnection(urlsplit(url or fakeplat.url).netloc, timeout=10)
        sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, target, data, sent_headers)
        response = connection.getresponse()
        got = Got(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        connection.close()
        return got

    return ask
