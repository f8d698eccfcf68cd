"""The reference pages name everything that the code has."""

import inspect
import re
from typing import Any

import click
import pytest

import conftest_plugin
from fakeplat.cli import main
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.replayed import ReplayedTape
from fakeplat.workbench.journal_entries import JournalEntry
from tests.architecture.sources import ROOT
from tools import reference
from tools.record_reference import record_types

FIXTURES = ROOT.joinpath("docs/fixtures.md").read_text("utf-8")
_SET_BY_THE_CONSTRUCTOR = {"clock"}


def list_documented_attributes() -> set[str]:
    """The names in the first column of the tables about the fixture `fakeplat`."""
    section = FIXTURES.partition("## fakeplat\n")[2].partition("## fakeplat_client")[0]
    return set(re.findall(r"^\| `(\w+)", section, re.MULTILINE))


def test_every_attribute_of_the_fixture_is_documented() -> None:
    """The tables list all public attributes of the fixture, and no others."""
    assert list_documented_attributes() == _SET_BY_THE_CONSTRUCTOR | {name for name in dir(Fakeplat) if name[0] != "_"}


def test_the_parameters_in_the_tables_are_those_of_the_methods() -> None:
    """The tables show the parameters of methods with their actual names and defaults."""
    documented = dict(re.findall(r"^\| `(\w+)\(([^)…]*)\)`", FIXTURES, re.MULTILINE))
    actual = {name: inspect.signature(getattr(Fakeplat, name)) for name in documented}
    parameters = {name: list(signature.parameters.values())[1:] for name, signature in actual.items()}
    assert documented == {name: _format_parameters(signature) for name, signature in parameters.items()}


def _format_parameters(parameters: list[inspect.Parameter]) -> str:
    texts = []
    for number, parameter in enumerate(parameters):
        is_first = not number or parameters[number - 1].kind != inspect.Parameter.KEYWORD_ONLY
        if parameter.kind == inspect.Parameter.KEYWORD_ONLY and is_first and parameter.name != "nth":
            texts.append("*")
        texts.append(str(parameter.replace(annotation=inspect.Parameter.empty)).replace("'", '"'))
    return ", ".join(texts)


def test_what_a_tape_has_is_documented() -> None:
    """The page about fixtures names each public attribute of a replayed tape."""
    sentence = FIXTURES.partition("options/#replay")[2].partition("## fakeplat_client")[0]
    assert [] == [name for name in dir(ReplayedTape) if name[0] != "_" and f"`{name}" not in sentence + "`api_url"]


def test_the_fields_of_the_journal_are_documented() -> None:
    """The page about fixtures names each public field of a journal entry."""
    sentence = FIXTURES.partition("An entry of the journal has")[2].partition("\n\n")[0]
    assert [] == [name for name in JournalEntry.__slots__ if name[0] != "_" and name != "world"]
    assert [] == [
        name for name in dir(JournalEntry) if name[0] != "_" and f"`{name}`" not in sentence + "`world``as_dict`"
    ]


def test_every_fixture_is_documented() -> None:
    """Each fixture has a heading of its own."""
    fixtures = {name for name in vars(conftest_plugin) if name.startswith("fakeplat")}
    assert fixtures == set(re.findall(r"^## (fakeplat\w*)$", FIXTURES, re.MULTILINE))


def test_every_option_is_on_the_page() -> None:
    """The page of options has each option with its ini key and its command-line option."""
    page = reference.options_page()
    assert [] == [name for name in conftest_plugin.OPTIONS if f"\n## {name}\n" not in page]
    assert [] == [name for name in conftest_plugin.OPTIONS if f"`fakeplat_{name} = " not in page]
    assert [] == [name for name in conftest_plugin.OPTIONS if f"`--fakeplat-{name.replace('_', '-')}=" not in page]


class RecordingParser:
    """Records the names that the plugin registers with pytest."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def getgroup(self, *_: str) -> "RecordingParser":
        return self

    def addoption(self, name: str, **_: object) -> None:
        self.names.append(name)

    def addini(self, name: str, *_: object, **rest: object) -> None:
        assert "default" in rest
        self.names.append(name)


def test_whatever_the_plugin_registers_is_on_the_page() -> None:
    """The page of options has each command-line option, ini key, marker and fixture of the plugin."""
    parser: Any = RecordingParser()
    conftest_plugin.pytest_addoption(parser)
    page = reference.options_page()
    assert {"--fakeplat-sweep", "--fakeplat-evidence", "fakeplat_scenarios"} < {*parser.names}
    assert [] == [name for name in parser.names if not re.search(rf"`{name}[` =]", page)]
    fixtures = {name for name in vars(conftest_plugin) if name.startswith("fakeplat")}
    assert [] == [name for name in fixtures if f"\n| [`{name}`]" not in page]
    assert [] == [name for name in conftest_plugin.MARKERS if not re.search(rf"`@pytest\.mark\.{name}[`(]", page)]


def test_markers_are_registered(pytestconfig: pytest.Config) -> None:
    """The documented markers are registered with pytest."""
    registered = {re.split("[(:]", line)[0] for line in pytestconfig.getini("markers")}
    assert conftest_plugin.MARKERS.keys() == {name for name in registered if name.startswith("fakeplat")}


def test_every_command_option_has_a_help_text() -> None:
    """Each option of each command and subcommand has a help text."""
    commands = [command for _, command in reference.walk_commands(main, "fakeplat")]
    options = [option for command in commands for option in command.params if isinstance(option, click.Option)]
    assert len(commands) > 10
    assert [] == [option.opts for option in options if not option.help]


def test_every_key_of_a_control_route_has_an_example() -> None:
    """Each documented key of a control route has an example."""
    page = reference.PAGES["control-routes.md"]()
    assert "| parameter | where | meaning | example |" in page
    assert [] == [line for line in page.splitlines() if line.startswith("| `") and line.endswith("|  |")]


def test_the_types_of_records_are_fresh() -> None:
    """The type stub for editors is what the generator writes now."""
    assert record_types() == ROOT.joinpath("fakeplat/workbench/record_types.pyi").read_text("utf-8")
