"""Applications read feature flags with clients of Unleash, as the page about them shows."""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.parsing import parse
from tests.clients.environments import Client, NodeClient, PythonClient
from tests.clients.programs import get_program
from tests.docs.pages import list_blocks

PAGE = "docs/clients/feature-flags.md"
(SCENARIO,) = [parse(block.code.encode(), ".yaml") for block in list_blocks(PAGE) if block.language == "yaml"]
PYTHON = PythonClient("UnleashClient", "6.9.1")
NODE = NodeClient("unleash-client", "6.12.1")

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(scenario=SCENARIO)]
each_release = pytest.mark.parametrize(
    (),
    [
        pytest.param(id="13.5", marks=pytest.mark.fakeplat(version="13.5")),
        pytest.param(id="latest", marks=pytest.mark.fakeplat(version="latest")),
    ],
)
each_client = pytest.mark.parametrize(
    ("client", "language", "states"),
    [
        pytest.param(PYTHON, "py", {True: "True", False: "False"}, id="python"),
        pytest.param(NODE, "javascript", {True: "true", False: "false"}, id="node"),
    ],
)


def run_example(fake: Fakeplat, client: Client, language: str, **replacements: str) -> str:
    """Run the page's application against the server of a test; return what it printed."""
    client.make()
    (block,) = [block for block in list_blocks(PAGE) if block.language == language]
    code = block.code
    for name, value in replacements.items():
        assert name in code
        code = code.replace(name, value)
    program = client.folder / "bin" / "python" if language == "py" else get_program("node")
    environment = {"PATH": os.environ["PATH"], "FAKEPLAT_URL": fake.url}
    # Node looks for modules in the folders above the program; both clients keep what they fetched in their home.
    with TemporaryDirectory(dir=client.folder) as home:
        path = Path(home, str(block.title))
        path.write_text(code, "utf-8")
        command = [program, path]
        result = subprocess.run(
            command,
            cwd=home,
            env={**environment, "HOME": home, "TMPDIR": home},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert 0 == result.returncode, result.stdout + result.stderr
    return result.stdout.strip()


@each_release
@each_client
def test_an_application_reads_its_flags(
    fakeplat: Fakeplat, client: Client, language: str, states: dict[bool, str]
) -> None:
    """An Unleash client registers with the instance id and sees flags by user list and environment."""
    assert f"{states[True]} {states[False]}" == run_example(fakeplat, client, language)
    operations = {request.operation for request in fakeplat.requests if request.status == 200}
    assert {"register_unleash_client", "list_unleash_client_features"} <= operations


# Flags with scopes of their own end with 13.12; strategies have them.
@each_client
def test_the_name_of_the_application_is_its_environment(
    fakeplat: Fakeplat, client: Client, language: str, states: dict[bool, str]
) -> None:
    """An application with the name staging sees the flags of that environment."""
    printed = run_example(fakeplat, client, language, production="staging")
    assert f"{states[False]} {states[True]}" == printed


@each_release
@each_client
def test_a_changed_flag_is_seen(fakeplat: Fakeplat, client: Client, language: str, states: dict[bool, str]) -> None:
    """A flag that was switched off through the API is off in the application."""
    changed = fakeplat.as_user("dev").put("projects/acme%2Fsite/feature_flags/new-search", json={"active": False})
    assert 200 == changed.status
    assert f"{states[False]} {states[False]}" == run_example(fakeplat, client, language)
