"""A pytest plugin for the suites: each test gets its own world on the server at FAKEPLAT_URL."""

import json
import os
from contextlib import ExitStack, contextmanager
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

    def play_jobs(self, *outcomes):
        """Declare how the jobs of the world are played."""
        control("PUT", f"{self.url}/_fakeplat/pipelines", outcomes)

    def advance(self, duration):
        """Move a virtual clock."""
        control("POST", f"{self.url}/_fakeplat/clock", {"advance": duration})

    def settle(self):
        """Move a virtual clock until nothing is due."""
        control("POST", f"{self.url}/_fakeplat/settle")


@pytest.fixture
def create_world():
    """Return a function that creates a world of the starter scenario, with the options of POST /_fakeplat/worlds."""
    with ExitStack() as worlds:
        yield lambda **options: worlds.enter_context(opened_world(options))


@contextmanager
def opened_world(options):
    created = World(**control("POST", f"{SERVER}/_fakeplat/worlds", {"scenario": "starter", **options}))
    try:
        yield created
        with Path(EVIDENCE).open("a") as file:
            file.writelines(f"{json.dumps(entry)}\n" for entry in control("GET", f"{created.url}/_fakeplat/requests"))
    finally:
        control("DELETE", f"{SERVER}/_fakeplat/worlds/{created.id}")


@pytest.fixture
def world(create_world):
    return create_world()


def control(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Content-Type": "application/json"}, method=method)) as response:
        return json.loads(response.read() or b"null")
