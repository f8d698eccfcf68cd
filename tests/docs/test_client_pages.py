"""Each client that the tests drive has a section in the pages for users."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.architecture.sources import ROOT

_KINDS = {"PythonClient": "pip", "NodeClient": "npm"}
# They run fakeplat, or show its console; they are no clients of the API.
_OTHERS = {"with_fakeplat", "is_browser"}


class Driven(NamedTuple):
    """A client in a released version, as a test declares it."""

    name: str
    version: str
    installer: str

    @property
    def titles(self) -> set[str]:
        """The name in lower case; of npm's scopes and their packages the name of either."""
        return set(self.name.removeprefix("@").lower().split("/"))


def list_driven_clients() -> set[Driven]:
    """Return the clients that the modules of tests declare."""
    return {
        client
        for path in ROOT.glob("tests/clients/test_*.py")
        for client in list_declared_clients(path.read_text("utf-8"))
    }


def list_declared_clients(source: str) -> Iterator[Driven]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Name(id=kind), args=[ast.Constant(value=str(name)), ast.Constant(value=str(version)), *_]
            ) if kind in _KINDS and not _OTHERS & {keyword.arg for keyword in node.keywords}:
                yield Driven(name, version, _KINDS[kind])


def read_sections() -> dict[str, str]:
    """Return the texts of the pages below their headings, by page and heading."""
    texts: dict[str, str] = {}
    for page in sorted(ROOT.glob("docs/clients/*.md")):
        parts = re.split(r"^##? (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
        texts |= {f"{page.stem}: {title}": text for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    return texts


CLIENTS = sorted(list_driven_clients())


def find_section(client: Driven) -> str:
    return "".join(text for title, text in read_sections().items() if title.partition(": ")[2].lower() in client.titles)


@pytest.mark.parametrize("client", CLIENTS, ids=[f"{client.name} {client.version}" for client in CLIENTS])
def test_each_client_has_a_section(client: Driven) -> None:
    """Each client has a section with its tested version, its installation command and what works."""
    section = find_section(client)
    tested = "".join(line for line in section.splitlines() if line.startswith("Tested: "))
    assert client.version in tested
    assert re.search(rf'^\$ {client.installer} install .*"?{re.escape(client.name)}', section, re.MULTILINE)
    assert re.search(r"^- Works", section, re.MULTILINE)


def test_programs_of_the_system_have_sections() -> None:
    """git, npm, pip, Maven and gitlab-runner, which the tests do not install, have sections."""
    titles = {title.partition(": ")[2] for title in read_sections()}
    assert {"git", "npm", "pip", "Maven", "gitlab-runner"} <= titles


def test_the_overview_links_each_page() -> None:
    """The overview of clients links every other page of clients."""
    overview = ROOT.joinpath("docs/clients/README.md").read_text("utf-8")
    pages = {path.name for path in ROOT.glob("docs/clients/*.md")} - {"README.md"}
    assert [] == [page for page in pages if f"]({page})" not in overview]
