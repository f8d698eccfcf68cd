"""A pytest plugin for the suites: each test gets its own world on the server at FAKEPLAT_URL."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

SERVER = os.environ["FAKEPLAT_URL"]
EVIDENCE = os.environ["FAKEPLAT_EVIDENCE"]


@dataclass(frozen=True)
class World:
    id: str
    url: str
    root_token: str

    def token(self, username):
        """Return a user's token in the starter scenario."""
        return self.root_token if username == "root" else f"{username}-token"

    def mint(self, username, kind="personal", scopes=("api",)):
        """Create a token of any kind."""
        token = {"user": username, "kind": kind, "scopes": list(scopes)}
        return control("POST", f"{self.url}/_fakeplat/tokens", token)["token"]


@pytest.fixture
def world():
    created = World(**control("POST", f"{SERVER}/_fakeplat/worlds", {"scenario": "starter"}))
    yield created
    with Path(EVIDENCE).open("a") as file:
        file.writelines(f"{json.dumps(entry)}\n" for entry in control("GET", f"{created.url}/_fakeplat/requests"))
    control("DELETE", f"{SERVER}/_fakeplat/worlds/{created.id}")


def control(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Content-Type": "application/json"}, method=method)) as response:
        return json.loads(response.read() or b"null")
