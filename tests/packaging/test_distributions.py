import json
import shlex
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import Request, urlopen
from zipfile import ZipFile

import pytest

from tests.architecture.sources import ROOT
from tests.clients.server import INSTALLED, serving

pytestmark = [pytest.mark.clients, pytest.mark.xdist_group("packaging")]

EXPECTED_IN_WHEEL = {
    "conftest_plugin.py",
    "fakeplat/__init__.py",
    "fakeplat/releases/unbuilt/operations.csv",
    "fakeplat/py.typed",
    "fakeplat/scenario/descriptions.toml",
    "fakeplat/scenario/builtin/empty.yaml",
    "fakeplat/scenario/builtin/starter.yaml",
}
EXPECTED_IN_SDIST = {
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "conftest_plugin.py",
    "docs/architecture.md",
    "fakeplat/__init__.py",
    "javascript/src/index.ts",
    "pyproject.toml",
    "scenarios/starter.yaml",
    "tests/packaging/test_distributions.py",
}
TEST_OF_A_USER = """
def test_x(fakeplat):
    assert fakeplat.url.startswith("http://127.0.0.1:")
"""


@dataclass(frozen=True)
class Distributions:
    sdist: Path
    wheel: Path
    wheel_from_sdist: Path


@dataclass(frozen=True)
class Installation:
    """A clean environment with nothing but the wheel and what it asks for."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def fakeplat(self) -> Path:
        return self.folder / "bin" / "fakeplat"


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    folder = tmp_path_factory.mktemp("distributions")
    from_tree, from_sdist = folder / "from-tree", folder / "from-sdist"
    # Without a choice, `build` makes the sdist and then the wheel from the sdist.
    read_output(sys.executable, "-m", "build", "--no-isolation", "--outdir", from_sdist, ROOT)
    read_output(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", from_tree, ROOT)
    (sdist,) = from_sdist.glob("*.tar.gz")
    (wheel,) = from_tree.glob("*.whl")
    (wheel_from_sdist,) = from_sdist.glob("*.whl")
    return Distributions(sdist, wheel, wheel_from_sdist)


@pytest.fixture(scope="module")
def installation(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    installed = Installation(tmp_path_factory.mktemp("installation"))
    venv.create(installed.folder, with_pip=True)
    read_output(installed.python, "-m", "pip", "install", "--quiet", distributions.wheel)
    return installed


def read_output(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}", False)
    return done.stdout


def list_files(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_the_package_the_plugin_and_the_scenarios(distributions: Distributions) -> None:
    """The wheel has the package with its scenarios and the plugin, without tests, tools and documents."""
    names = list_files(distributions.wheel)

    assert set() == EXPECTED_IN_WHEEL - names
    assert {"conftest_plugin.py", "fakeplat"} == {name.split("/")[0] for name in names}


def test_the_sdist_holds_what_it_takes_to_build_and_test(distributions: Distributions) -> None:
    """The sdist has sources, tests and documents, and no generated folders."""
    with tarfile.open(distributions.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert set() == EXPECTED_IN_SDIST - names
    assert set() == {name for name in names if "__pycache__" in name or name.startswith((".venv", ".cache", ".git/"))}


def test_the_wheel_from_the_sdist_is_the_same(distributions: Distributions) -> None:
    """The wheel that is built from the sdist has the same files as the wheel."""
    assert list_files(distributions.wheel) == list_files(distributions.wheel_from_sdist)


def test_the_wheel_serves_a_builtin_scenario_from_a_clean_environment(
    installation: Installation, tmp_path: Path
) -> None:
    """The wheel and its declared dependencies are enough to serve a built-in scenario."""
    with (
        serving(tmp_path, "--scenario", "starter", command=installation.fakeplat) as announced,
        urlopen(f"{announced['url']}/_fakeplat/health") as answer,
    ):
        health = json.load(answer)

    assert ("ok", "starter") == (health["status"], health["scenario"])
    assert "root-token" == announced["root_token"]


def test_an_installed_plugin_is_there_and_registers_once(installation: Installation, tmp_path: Path) -> None:
    """An installed plugin provides its fixture without an import, even if it is named again with -p."""
    (tmp_path / "test_user.py").write_text(TEST_OF_A_USER, "utf-8")

    for options in ((), ("-p", "conftest_plugin")):
        assert "1 passed" in read_output(installation.python, "-m", "pytest", "-q", *options, cwd=tmp_path)


PLAIN = """
import sys
def test_plain(fakeplat):
    loaders = {type(module.__loader__).__name__ for name, module in sys.modules.items() if name.startswith("fakeplat")}
    assert {"SourceFileLoader"} == loaders
"""


def test_pytest_does_not_rewrite_the_package(installation: Installation, tmp_path: Path) -> None:
    """pytest does not rewrite the assertions of the installed package."""
    (tmp_path / "test_plain.py").write_text(PLAIN, "utf-8")
    assert "1 passed" in read_output(installation.python, "-m", "pytest", "-q", cwd=tmp_path)


def test_the_developers_installation_is_editable() -> None:
    """The package of the development environment is an editable installation."""
    direct_url = json.loads(distribution("fakeplat").read_text("direct_url.json") or "{}")

    assert {"editable": True} == direct_url.get("dir_info")


def test_every_installation_lists_the_same_scenarios(
    distributions: Distributions, installation: Installation, tmp_path: Path
) -> None:
    """The wheel, the sdist and the editable installation list the same scenarios."""
    from_wheel = read_output(installation.fakeplat, "scenario", "list", cwd=tmp_path)
    editable = read_output(INSTALLED, "scenario", "list", cwd=tmp_path)
    pip = (installation.python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall")
    read_output(*pip, distributions.wheel_from_sdist)
    from_sdist = read_output(installation.fakeplat, "scenario", "list", cwd=tmp_path)

    assert from_wheel == from_sdist == editable
    assert "starter" in editable


def write_command(folder: Path, *words: str | Path) -> Path:
    """Write a program that runs a command with its arguments."""
    path = folder / "fakeplat"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n', "utf-8")
    path.chmod(0o755)
    return path


def read_served_version(folder: Path, command: Path) -> str:
    """Serve with a command; return what the API answers."""
    with serving(folder, command=command) as announced:
        headers = {"PRIVATE-TOKEN": announced["root_token"]}
        with urlopen(Request(f"{announced['api_url']}/version", headers=headers)) as answer:
            version: str = json.load(answer)["version"]
            return version


def test_the_single_file_serves_with_python_alone(tmp_path: Path) -> None:
    """`make zipapp` builds a file that Python serves without an installation."""
    read_output("make", "zipapp", f"VENV={sys.prefix}", f"DIST={tmp_path}", cwd=ROOT)
    python = Path(sys.base_prefix) / "bin/python3"
    isolated = ("env", "-i", f"SHIV_ROOT={tmp_path / 'unpacked'}", python, "-I")
    command = write_command(tmp_path, *isolated, tmp_path / "fakeplat.pyz")
    assert "13.5.1" == read_served_version(tmp_path, command)


@pytest.fixture(scope="module")
def runners(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has uv and pipx."""
    folder = tmp_path_factory.mktemp("runners")
    venv.create(folder, with_pip=True)
    read_output(folder / "bin/python", "-m", "pip", "install", "--quiet", "uv==0.13.9", "pipx==1.18.4")
    return folder / "bin"


def test_uvx_serves_the_wheel(distributions: Distributions, runners: Path, tmp_path: Path) -> None:
    """`uvx` runs the wheel in an environment of its own."""
    command = write_command(tmp_path, runners / "uvx", "--from", distributions.wheel, "fakeplat")
    assert "13.5.1" == read_served_version(tmp_path, command)


def test_pipx_serves_the_wheel(distributions: Distributions, runners: Path, tmp_path: Path) -> None:
    """`pipx run` runs the wheel in an environment of its own."""
    home = ("env", f"PIPX_HOME={tmp_path / 'pipx'}", runners / "pipx")
    command = write_command(tmp_path, *home, "run", "--spec", distributions.wheel, "fakeplat")
    assert "13.5.1" == read_served_version(tmp_path, command)
