"""The pages for users, their code blocks, and a run of those in Python."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from tests.architecture.sources import ROOT

USER_PAGES = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "index",
            "starter",
            "fixtures",
            "clocks",
            "scenarios",
            "test-bench",
            "console",
            "hooks",
            "ci",
            "ci-configuration",
            "accounts",
            "outside-pytest",
            "django",
            "notebooks",
            "recipes",
            "coming-from",
            "troubleshooting",
            "containers",
            "contract",
            "stability",
            "security",
            "fidelity",
            "tapes",
            "releases",
        )
    ),
    *sorted(f"docs/clients/{path.name}" for path in ROOT.glob("docs/clients/*.md")),
    *sorted(f"docs/languages/{path.name}" for path in ROOT.glob("docs/languages/*.md")),
)
"""Pages whose examples are run."""

_BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<code>.*?)^```$', re.DOTALL | re.MULTILINE
)
_TEST = re.compile(r"^\s*(async )?def test_", re.MULTILINE)
# What makes a block a module of its own; any other block is the inside of a test.
_MODULE = re.compile(r"^(import |from |def |async def |class |@)", re.MULTILINE)
_INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


class Block(NamedTuple):
    """A code block of a page. Its title is the name of the file that it shows."""

    language: str
    title: str | None
    code: str


def list_blocks(page: str) -> list[Block]:
    text = ROOT.joinpath(page).read_text("utf-8")
    return [Block(match["language"], match["title"], match["code"]) for match in _BLOCK.finditer(text)]


def write_tests(page: str, root: Path) -> int:
    """Write the files that a page shows, and its Python blocks as one module; return the number of tests in it.

    Blocks whose language is ``py`` need another environment: tests/clients runs them.
    """
    # The prefix keeps the page about GraphQL from hiding the package `graphql`.
    folder = root / f"page-{page.removesuffix('.md').replace('/', '-')}"
    folder.mkdir(parents=True)
    blocks = list_blocks(page)
    for block in blocks:
        if block.title and block.language != "py":
            path = folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, "utf-8")
    codes = [_build_test(block.code, number) for number, block in enumerate(blocks) if block.language == "python"]
    folder.joinpath(f"test_{folder.name.replace('-', '_')}.py").write_text("\n\n".join(codes), "utf-8")
    return sum(len(_TEST.findall(code)) for code in codes)


def _build_test(code: str, number: int) -> str:
    if _MODULE.search(code):
        return code
    return f"async def test_block_{number}(fakeplat):\n{indent(code, '    ')}"


def run_tests(folder: Path) -> tuple[int, str]:
    """Run the tests below a folder; return how many passed, and the output."""
    folder.joinpath("pytest.ini").write_text(_INI, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    passed = re.search(r"(\d+) passed", result.stdout)
    return int(passed[1]) if passed else 0, result.stdout + result.stderr
