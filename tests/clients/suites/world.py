"""A pytest plugin for the suites: each test gets a world of its own on the server that FAKEPLAT_URL names."""

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
        """The token that the starter scenario gives its people."""
        return self.root_token if username == "root" else f"{username}-token"

    def mint(self, username, kind="personal", scopes=("api",)):
        """Another token, of any kind."""
        wanted = {"user": username, "kind": kind, "scopes": list(scopes)}
        return control("POST", f"{self.url}/_fakeplat/tokens", wanted)["token"]


@pytest.fixture
def world():
    made = World(**control("POST", f"{SERVER}/_fakeplat/worlds", {"scenario": "starter"}))
    yield made
    with Path(EVIDENCE).open("a") as file:
        file.writelines(f"{json.dumps(met)}\n" for met in control("GET", f"{made.url}/_fakeplat/requests"))
    control("DELETE", f"{SERVER}/_fakeplat/worlds/{made.id}")


def control(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Content-Type": "application/json"}, method=method)) as answer:
        return json.loads(answer.read() or b"null")
