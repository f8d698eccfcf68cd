"""The examples of clients that need an environment of their own are true."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.clients.environments import Client, NodeClient, PythonClient
from tests.docs.pages import blocks_of

pytestmark = pytest.mark.clients

GIDGETLAB = PythonClient("gidgetlab", "2.1.2", ("gidgetlab_suite.py",), extras="[aiohttp]")
GITBEAKER = NodeClient("@gitbeaker/rest", "43.8.0", ("gitbeaker_suite.mjs", "gitbeaker_ci_suite.mjs"))


def run_example(client: Client, page: str, language: str, command: list[str | Path], file: str, url: str) -> str:
    """Run the one block of a page in a language, beside the client's modules; return what it printed."""
    client.make()
    (block,) = [block for block in blocks_of(page) if block.language == language]
    path = client.folder / file
    path.write_text(block.code, "utf-8")
    environment = {"PATH": os.environ["PATH"], "FAKEPLAT_URL": url}
    result = subprocess.run(
        [*command, path], cwd=client.folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert 0 == result.returncode, result.stdout + result.stderr
    return result.stdout


def test_the_example_of_gidgetlab(server: str) -> None:
    """It lists the issues that a developer sees."""
    command: list[str | Path] = [GIDGETLAB.folder / "bin" / "python"]
    printed = run_example(GIDGETLAB, "docs/clients/gidgetlab.md", "py", command, "documented.py", server)
    assert "Broken link on the front page" in printed.splitlines()


def test_the_example_of_gitbeaker(server: str) -> None:
    """It opens a world and creates an issue there."""
    page = "docs/clients/gitbeaker.md"
    assert "dev\n" == run_example(GITBEAKER, page, "javascript", ["node"], "documented.mjs", server)
