"""Programs of clients, run as their users run them."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import Client


class Tool:
    """A program of a client, run in a folder of its own. ``variables`` are those of its environment."""

    def __init__(self, client: Client, folder: Path, **variables: str) -> None:
        self.client = client
        self.folder = folder
        self.variables = variables

    def run(
        self,
        name: str,
        *arguments: str | Path,
        environment: Mapping[str, str] = MappingProxyType({}),
        status: int = 0,
        given: str = "",
    ) -> str:
        """Return what the program printed; another status fails the test. ``given`` is typed into it."""
        self.client.make()
        binaries = self.client.program(name).parent
        base = {"PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        result = subprocess.run(
            [binaries / name, *arguments],
            cwd=self.folder,
            env={**base, "COLUMNS": "200", **self.variables, **environment},
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert status == result.returncode, result.stdout + result.stderr
        return result.stdout + result.stderr


def clone(url: str, token: str, path: str, folder: Path) -> Path:
    """Clone a project with a token into a folder; return the clone."""
    target = folder / path.rpartition("/")[2]
    remote = f"{url.rstrip('/').replace('://', f'://oauth2:{token}@')}/{path}.git"
    subprocess.run(["git", "clone", "-q", remote, target], check=True, capture_output=True, timeout=60)
    return target


def write_configuration(fake: Fakeplat, folder: Path, username: str) -> Path:
    """Write the file of python-gitlab, whose sections are named `fake` and like the host; return it."""
    host = fake.url.rstrip("/").partition("://")[2]
    section = f"url = {fake.url}\nprivate_token = {fake.token(username)}\n"
    file = folder / ".python-gitlab.cfg"
    file.write_text(f"[global]\ndefault = fake\ntimeout = 30\n[fake]\n{section}[{host}]\n{section}", "utf-8")
    return file
