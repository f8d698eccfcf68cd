"""The container file builds from the wheel, and its command serves without any rights."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from urllib.error import URLError
from urllib.request import Request, urlopen

import click
import pytest

from fakeplat.cli import main
from tests.architecture.sources import ROOT
from tests.clients.environments import PythonClient
from tests.clients.server import TIMEOUT
from tests.docs.pages import list_blocks
from tests.packaging.container_files import get_instruction, list_instructions, read_example

KUBERNETES = PythonClient("kubernetes-validate", "1.37.0")
NOBODY = 65534
KEYWORDS = ["FROM", "RUN", "ENV", "USER", "WORKDIR", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"]


def test_nothing_but_the_base_image_and_pip_is_needed() -> None:
    """The container file has one stage, whose only command installs the wheel with the server extras."""
    assert KEYWORDS == [line.keyword for line in list_instructions()]
    assert get_instruction("FROM").arguments == "python:3.13-slim"
    mount, command = get_instruction("RUN").arguments.split(" ", 1)
    assert ("--mount=type=bind,source=dist,target=/dist", "python -m pip install") == (mount, command[:21])
    assert command.endswith(' "$(echo /dist/*.whl)[certificates,console,signatures,ssh]"')


def test_it_does_not_run_as_root() -> None:
    """The user and the group of the container have numbers above those of the system."""
    assert all(int(number) >= 10_000 for number in get_instruction("USER").arguments.split(":"))


def test_the_arguments_are_options_of_the_command() -> None:
    """The arguments in the container file and the compose example are options of the command."""
    for words in (get_instruction("CMD").words, read_example("compose.yaml")["services"]["fakeplat"]["command"]):
        command = main.get_command(click.Context(main), words[0])
        assert command is not None
        known = {name for option in command.params for name in option.opts}
        assert set() == {word for word in words if word.startswith("--")} - known


def test_the_arguments_for_testcontainers_are_options_of_the_command() -> None:
    """The recipes for testcontainers use the command's options, the image's port, and a key in its folder."""
    command = main.get_command(click.Context(main), "serve")
    assert command is not None
    known = {name for option in command.params for name in option.opts}
    recipes = [block.code for block in list_blocks("docs/containers.md") if "GenericContainer" in block.code]
    assert 2 == len(recipes)
    for recipe in recipes:
        assert set() == set(re.findall(r'"(--[\w-]+)"', recipe)) - known
        assert f'"--port", "{get_instruction("EXPOSE").arguments}"' in recipe
        assert f'"{get_instruction("WORKDIR").arguments}/key"' in recipe


def test_the_examples_of_services_use_its_port_and_name() -> None:
    """The examples of services use the container's name and port in the URL for clients."""
    port, words = get_instruction("EXPOSE").arguments, get_instruction("CMD").words
    url = f"http://{words[words.index('--allow-host') + 1]}:{port}"
    assert words[words.index("--port") + 1] == port
    job = read_example(".gitlab-ci.yml")["test"]
    assert ("fakeplat", url) == (job["services"][0]["alias"], job["variables"]["GITLAB_URL"])
    services = read_example("compose.yaml")["services"]
    assert (url, ["127.0.0.1:8080:8080"]) == (
        services["bot"]["environment"]["GITLAB_URL"],
        services["fakeplat"]["ports"],
    )
    assert [f"{port}:{port}"] == read_example(".github/workflows/test.yml")["jobs"]["test"]["services"]["fakeplat"][
        "ports"
    ]


def test_the_kubernetes_example_starts_the_server_beside_the_tests() -> None:
    """The sidecar is ready before the tests begin, by the check of the container file, on the port that they use."""
    pod = read_example("kubernetes.yaml")["spec"]["template"]["spec"]
    ((sidecar,), (tests,)) = pod["initContainers"], pod["containers"]
    port = get_instruction("EXPOSE").arguments
    assert ("Always", ["serve", "--port", port]) == (sidecar["restartPolicy"], sidecar["args"])
    check = json.loads(get_instruction("HEALTHCHECK").arguments.partition("CMD ")[2])
    assert check == sidecar["startupProbe"]["exec"]["command"]
    assert {"name": "GITLAB_URL", "value": f"http://127.0.0.1:{port}"} in tests["env"]


@pytest.mark.clients
def test_the_kubernetes_example_is_valid(tmp_path: Path) -> None:
    """Kubernetes' own schema of the release in which sidecars became stable accepts the manifest strictly."""
    KUBERNETES.make()
    manifest = tmp_path / "kubernetes.json"
    manifest.write_text(json.dumps(read_example("kubernetes.yaml")), "utf-8")
    command: list[str | Path] = [KUBERNETES.program("kubernetes-validate"), "--strict", "-k", "1.33", manifest]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, result.stdout + result.stderr


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """A new virtual environment with the wheel, which every user can read."""
    folder = Path(mkdtemp(prefix="fakeplat-image-"))
    folder.chmod(0o755)
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir"]
    subprocess.run([*build, folder / "dist", ROOT], check=True, capture_output=True)
    venv.create(folder / "venv", with_pip=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    pip: list[str | Path] = [folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--compile"]
    subprocess.run([*pip, f"{wheel}[certificates,console,signatures,ssh]"], check=True, capture_output=True)
    (folder / "home").mkdir(mode=0o555)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def run_container(image: Path, port: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the entry point with its command, on another port, as nobody if this is root."""
    words = [port if word == "8080" else word for word in get_instruction("CMD").words]
    entry_point = image / "venv/bin" / get_instruction("ENTRYPOINT").words[0]
    nobody = NOBODY if os.geteuid() == 0 else None
    home = image / "home"
    process = subprocess.Popen(
        [entry_point, *words],
        cwd=home,
        env={"HOME": str(home), "PYTHONUNBUFFERED": "1"},
        user=nobody,
        group=nobody,
        extra_groups=None if nobody is None else (),
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def get_answer(url: str, **headers: str) -> object:
    """Return the answer as soon as the server is there."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            with urlopen(Request(url, headers=headers), timeout=TIMEOUT) as response:
                return json.load(response)
        except URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.mark.clients
@pytest.mark.xdist_group("packaging")
def test_the_entry_point_serves_without_rights(image: Path, unused_tcp_port: int) -> None:
    """The container serves as another user with a read-only home and ends cleanly on SIGTERM."""
    url = f"http://127.0.0.1:{unused_tcp_port}"
    with run_container(image, str(unused_tcp_port)) as process:
        health = get_answer(f"{url}/_fakeplat/health")
        assert isinstance(health, dict)
        assert "starter" == health["scenario"]
        project = get_answer(f"{url}/api/v4/projects/acme%2Fdocs", Host="fakeplat:8080")
        assert isinstance(project, dict)
        assert "http://fakeplat:8080/acme/docs" == project["web_url"]
        process.terminate()
        assert 0 == process.wait(10)
    assert [] == list((image / "home").iterdir())
