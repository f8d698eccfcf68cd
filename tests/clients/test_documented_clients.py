"""The examples of clients that need an environment of their own are true."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fakeplat.scenario.parsing import parse
from tests.clients.environments import Client, NodeClient, PythonClient
from tests.clients.programs import get_program
from tests.docs.pages import list_blocks

pytestmark = pytest.mark.clients

GIDGETLAB = PythonClient("gidgetlab", "2.1.2", ("gidgetlab_suite.py",), extras="[aiohttp]")
AUTHLIB = PythonClient("authlib", "1.9.6", ("authlib_suite.py",), plugins=("requests>=2.32",))
SCIM2 = PythonClient(
    "scim2-client",
    "0.13.2",
    ("scim2_suite.py", "scim2_tester_suite.py"),
    extras="[httpx2]",
    plugins=("scim2-tester==0.5.2",),
)
MCP = PythonClient("mcp", "1.30.0", ("mcp_suite.py",))
GITBEAKER = NodeClient("@gitbeaker/rest", "43.8.0", ("gitbeaker_suite.mjs", "gitbeaker_ci_suite.mjs"))


def run_example(client: Client, page: str, language: str, command: list[str | Path], file: str, url: str) -> str:
    """Run the one block of a page in a language, beside the client's modules; return what it printed."""
    client.make()
    (block,) = [block for block in list_blocks(page) if block.language == language]
    path = client.folder / file
    path.write_text(block.code, "utf-8")
    environment = {"PATH": os.environ["PATH"], "FAKEPLAT_URL": url}
    result = subprocess.run(
        [*command, path], cwd=client.folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert 0 == result.returncode, result.stdout + result.stderr
    return result.stdout


def test_the_example_of_gidgetlab(server: str) -> None:
    """The documented example of gidgetlab lists the issues that a developer sees."""
    command: list[str | Path] = [GIDGETLAB.folder / "bin" / "python"]
    printed = run_example(GIDGETLAB, "docs/clients/gidgetlab.md", "py", command, "documented.py", server)
    assert "Broken link on the front page" in printed.splitlines()


def test_the_example_of_gitbeaker(server: str) -> None:
    """The documented example of gitbeaker creates a world and an issue in it."""
    page = "docs/clients/gitbeaker.md"
    assert "dev\n" == run_example(GITBEAKER, page, "javascript", [get_program("node")], "documented.mjs", server)


@pytest.mark.parametrize(
    ("client", "page", "file", "printed"),
    [
        pytest.param(AUTHLIB, "oauth", "sign_in.py", "dev\n", id="authlib"),
        pytest.param(SCIM2, "scim", "directory.py", "id-1\n", id="scim2-client"),
        pytest.param(MCP, "assistants", "assistant.py", "Broken link on the front page\n", id="mcp"),
    ],
)
def test_the_example_with_the_scenario_of_its_page(
    fakeplat_factory: Any, client: PythonClient, page: str, file: str, printed: str
) -> None:
    """The documented examples of SCIM, OAuth and MCP clients work with the scenario of their page."""
    path = f"docs/clients/{page}.md"
    (scenario,) = [block.code for block in list_blocks(path) if block.language == "yaml"]
    command: list[str | Path] = [client.program("python")]
    with fakeplat_factory(scenario=parse(scenario.encode(), ".yaml"), clock="real") as fake:
        assert printed == run_example(client, path, "py", command, file, fake.url)
