"""The npm package as its users get it: packed, unpacked beside test frameworks, and run with real clients."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.clients.environments import NodeClient
from tests.clients.programs import get_program
from tests.clients.server import INSTALLED
from tests.docs.pages import list_blocks

pytestmark = [pytest.mark.clients, pytest.mark.xdist_group("javascript")]

SOURCES = ROOT / "javascript"
PAGES = ("javascript/README.md", "docs/languages/javascript.md")
TOOLS = NodeClient(
    "@octokit/request",
    "10.0.16",
    plugins=(
        "@gitbeaker/rest@43.8.0",
        "@playwright/test@1.65.1",
        "@types/node@20.19.27",
        "jest@30.5.2",
        "typescript@5.9.3",
        "vitest@4.1.12",
    ),
)
FILES = ("LICENSE", "README.md", "package.json", "tsconfig.json", "src")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose projects find the test frameworks."""
    TOOLS.make()
    folder = tmp_path_factory.mktemp("javascript")
    (folder / "node_modules").symlink_to(TOOLS.folder / "node_modules")
    return folder


@pytest.fixture(scope="module")
def tarball(folder: Path) -> Path:
    """The packed package, built from a copy of its sources."""
    sources = folder / "sources"
    sources.mkdir()
    (sources / "node_modules").symlink_to(TOOLS.folder / "node_modules")
    for name in FILES:
        copy = shutil.copytree if (SOURCES / name).is_dir() else shutil.copy
        copy(SOURCES / name, sources / name)
    run(get_program("npm"), "pack", "--silent", "--pack-destination", folder, folder=sources)
    (packed,) = folder.glob("*.tgz")
    return packed


@pytest.fixture(scope="module")
def project(folder: Path, tarball: Path) -> Path:
    """A project that has the package, with the suites of the package and the examples of its pages."""
    project = folder / "project"
    shutil.copytree(SOURCES / "test", project)
    for block in [block for page in PAGES for block in list_blocks(page) if block.title]:
        path = project / "examples" / str(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.code, "utf-8")
    project.joinpath("package.json").write_text('{"private": true, "type": "module"}', "utf-8")
    with tarfile.open(tarball) as archive:
        archive.extractall(project / "node_modules", filter="data")
    shutil.move(project / "node_modules/package", project / "node_modules/fakeplat")
    return project


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    """Run a command in a folder; return what it prints."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "CI": "true", "FAKEPLAT": str(INSTALLED)}
    result = subprocess.run(
        command, cwd=folder, env=environment | variables, capture_output=True, text=True, timeout=300, check=False
    )
    if result.returncode:
        pytest.fail(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}{result.stderr}", False)
    return result.stdout + result.stderr


def test_the_tarball_has_the_compiled_modules(tarball: Path) -> None:
    """The packed package has the modules of both kinds with their types, the README and the license, and no sources."""
    with tarfile.open(tarball) as archive:
        names = [name.removeprefix("package/") for name in archive.getnames()]
        manifest = archive.extractfile("package/package.json")
        assert manifest is not None
        exports = {path for paths in json.load(manifest)["exports"].values() for path in paths.values()}
    expected = {
        f"{folder}/{path.stem}{ending}"
        for folder in ("dist", "dist/commonjs")
        for path in SOURCES.glob("src/*.ts")
        for ending in (".js", ".d.ts")
    }
    assert expected | {"LICENSE", "README.md", "package.json", "dist/commonjs/package.json"} == set(names)
    assert set() == {name.removeprefix("./") for name in exports} - set(names)


@pytest.mark.parametrize("suite", ["node-test", "server", "world"])
def test_the_suites_of_the_package_pass(project: Path, suite: str) -> None:
    """The package finds and controls servers, and gives real clients and node:test their worlds."""
    printed = run(get_program("node"), "--test", f"{suite}.test.mjs", folder=project)
    assert "# fail 0" in printed


@pytest.mark.parametrize("part", ["", "examples/"], ids=["suite", "example"])
def test_vitest_has_fixtures(project: Path, part: str) -> None:
    """Each test of vitest that asks for it gets a world of its own."""
    run(TOOLS.program("vitest"), "run", folder=project / f"{part}vitest")


@pytest.mark.parametrize("part", ["commonjs/", "examples/"], ids=["suite", "example"])
def test_jest_has_hooks(project: Path, part: str) -> None:
    """Each test of jest gets a world of its own."""
    run(TOOLS.program("jest"), folder=project / f"{part}jest")


def test_jest_has_hooks_in_ecmascript_modules(project: Path) -> None:
    """Each test of jest gets a world of its own where jest loads ECMAScript modules."""
    run(TOOLS.program("jest"), folder=project / "jest", NODE_OPTIONS="--experimental-vm-modules")


def test_the_package_can_be_required(project: Path) -> None:
    """CommonJS modules can require the package."""
    run(get_program("node"), "--test", "start.test.js", folder=project / "commonjs")


@pytest.mark.parametrize("part", ["", "commonjs/", "examples/"], ids=["suite", "commonjs", "example"])
def test_playwright_has_fixtures(project: Path, part: str) -> None:
    """Each test of Playwright that asks for it gets a world of its own, without a browser."""
    printed = run(TOOLS.program("playwright"), "test", "--reporter=list", folder=project / f"{part}playwright")
    assert " passed" in printed


def test_the_other_examples_run(project: Path) -> None:
    """The examples of the README and of the page about JavaScript run as they are shown."""
    printed = run(get_program("node"), "--test", "star.test.mjs", "readme.test.mjs", folder=project / "examples")
    assert "# pass 2" in printed
    assert run(get_program("node"), "script.mjs", folder=project / "examples").strip().endswith("/api/v4")


@pytest.mark.parametrize("part", ["", "commonjs"], ids=["modules", "commonjs"])
def test_the_types_fit_those_of_the_frameworks(project: Path, part: str) -> None:
    """The fixtures have types that vitest and Playwright accept, with strict checks, in modules of both kinds."""
    run(TOOLS.program("tsc"), "--project", "tsconfig.json", folder=project / part)
