"""The examples of the README and of the pages for users are true."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import orjson
import pytest

from fakeplat.cli import main
from fakeplat.core.schema.mistakes import Mistake
from fakeplat.http.control.declaration import ROUTES
from fakeplat.scenario import check_file
from tests.architecture.sources import ROOT
from tests.docs.pages import USER_PAGES, Block, list_blocks, run_tests, write_tests
from tools import reference

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_CONTROL_PATH = re.compile(r"/_fakeplat/[\w/.-]*")


def test_the_python_examples_are_tests_that_pass(tmp_path: Path) -> None:
    """The Python examples of all pages pass as tests without changes."""
    expected = sum(write_tests(page, tmp_path) for page in USER_PAGES)

    passed, output = run_tests(tmp_path)

    assert expected == passed, output


def test_the_recipe_of_an_upgrade_prints_what_it_shows(tmp_path: Path) -> None:
    """The matrix and the difference of releases print the lines that the recipe shows, in their order."""
    blocks = list_blocks("docs/recipes.md")
    for block in blocks:
        if block.language == "py" and block.title:
            tmp_path.joinpath(block.title).write_text(block.code, "utf-8")
    sessions = [block.code.splitlines() for block in blocks if block.language == "console"]
    assert ["pytest", "fakeplat"] == [command.split()[1] for command, *_ in sessions]
    for command, *shown in sessions:
        printed = iter(run_in(tmp_path, command.removeprefix("$ ")).splitlines())
        assert [] == [line for line in shown if line not in printed], command
    assert "3 passed" in run_in(tmp_path, "pytest test_later_lint_bot.py")


def run_in(folder: Path, command: str) -> str:
    """Run an installed command, and return what it prints."""
    name, *arguments = shlex.split(command)
    program = [str(Path(sys.executable).with_name(name)), *arguments]
    return subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=120, check=False).stdout


def list_page_blocks(*languages: str) -> list[Block]:
    return [block for page in USER_PAGES for block in list_blocks(page) if block.language in languages]


def test_the_scenario_examples_are_valid(tmp_path: Path) -> None:
    """Each YAML example is a valid scenario, unless its title names a file of another program."""
    others = ("app-config.yaml", "compose.yaml", "kubernetes.yaml", ".gitlab-ci.yml", ".github/workflows/test.yml")
    mistakes: list[Mistake] = []
    for number, block in enumerate(list_page_blocks("yaml")):
        if block.title not in others:
            path = tmp_path / f"{number}.yaml"
            path.write_text(block.code, "utf-8")
            mistakes += check_file(path)
    assert [] == mistakes


def test_the_json_examples_are_json() -> None:
    """Each JSON example can be parsed."""
    assert all(orjson.loads(block.code) is not None for block in list_page_blocks("json"))


def list_commands() -> list[str]:
    """The lines of the console examples after the prompt."""
    lines = "\n".join(block.code for block in list_page_blocks("console")).splitlines()
    return [line.removeprefix("$ ").partition("  #")[0] for line in lines if line.startswith("$ ")]


def test_the_make_targets_in_examples_exist() -> None:
    """Each make target in an example is a target of the Makefile."""
    makefile = ROOT.joinpath("Makefile").read_text("utf-8")
    names = {name for line in list_commands() for name in re.findall(r"^make (\w+)", line)}
    assert set() == {name for name in names if f"\n{name}:" not in makefile}


@pytest.mark.parametrize("line", sorted({line for line in list_commands() if line.startswith("fakeplat ")}))
def test_the_commands_in_examples_exist(line: str) -> None:
    """Each subcommand and option in an example exists."""
    words = line.partition(" -- ")[0].split()[1:]
    command: click.Command = main
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        subcommand = command.get_command(click.Context(command), words.pop(0))
        assert subcommand is not None
        command = subcommand
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    assert set() == {word.partition("=")[0] for word in words if word.startswith("--")} - known


def test_the_control_routes_in_examples_exist() -> None:
    """Each control path in a console example is that of a route."""
    paths = [route.path.split("/") for route in ROUTES]
    used = {path for line in list_commands() for path in _CONTROL_PATH.findall(line)}
    assert [] == [path for path in used if not any(_matches(path.split("/"), route) for route in paths)]


def _matches(path: list[str], route: list[str]) -> bool:
    return len(path) == len(route) and all(a == b or b.startswith(":") for a, b in zip(path, route, strict=True))


def test_the_links_of_the_package_page_are_absolute() -> None:
    """The links of the README are absolute, and those to the site lead to existing pages."""
    urls = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]["urls"]
    links = re.findall(r"\]\(([^)]+)\)", ROOT.joinpath("README.md").read_text("utf-8"))
    assert [] == [link for link in links if not link.startswith(tuple(urls.values()))]
    paths = {link.removeprefix(urls["Documentation"]).removesuffix("/") for link in links}
    outside = {"contributing", "changes"} | {name.removesuffix(".md") for name in reference.PAGES}
    assert [] == [path for path in paths - outside if not _find_page(path).is_file()]


_SITE = "https://fakeplat.readthedocs.io/en/latest/"
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize(
    "file", ["CONTRIBUTING.md", *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))]
)
def test_the_links_of_a_document_are_alive_in_the_repository(file: str) -> None:
    """Each relative link leads to a file, and each link to the site to one of its pages."""
    document = ROOT / file
    links = {link.partition("#")[0] for link in _LINK.findall(_CODE.sub("", document.read_text("utf-8")))} - {""}
    inside = {link for link in links if ":" not in link and link[0] != "/"}
    assert [] == sorted(link for link in inside if not (document.parent / link).exists())
    pages = {link.removeprefix(_SITE).removesuffix("/") for link in links if link.startswith(_SITE)}
    outside = {"contributing", "changes"} | {name.removesuffix(".md") for name in reference.PAGES}
    assert [] == sorted(page for page in pages - outside if not _find_page(page).is_file())


def _find_page(path: str) -> Path:
    folder = ROOT / "docs" / path
    return folder / ("README.md" if path else "index.md") if folder.is_dir() else folder.with_suffix(".md")


def test_the_package_page_opens_with_pip() -> None:
    """The first command of the README is `pip install fakeplat`."""
    assert "pip install fakeplat" == list_commands()[0]
