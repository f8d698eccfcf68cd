"""The pages of the documentation that are generated from declarations in the code."""

from collections.abc import Callable, Iterator, Mapping

import click

import conftest_plugin
from fakeplat.cli import main
from tools.control_reference import control_routes_page
from tools.coverage_reference import coverage_page, roles_page
from tools.record_reference import records_page
from tools.scenario_reference import scenario_keys_page
from tools.tables import table

# options


def options_page() -> str:
    """The options of the marker, the ini file and the command line."""
    return "\n".join(_options_lines())


def _options_lines() -> Iterator[str]:
    yield from (_OPTIONS_HEAD, "")
    names = conftest_plugin.OPTIONS
    yield from table(("option", "type", "default"), ((f"[`{n}`](#{n})", o.type, o.default) for n, o in names.items()))
    for name, option in names.items():
        yield from (f"## {name}", "", option.description, "")
        yield from (f"Type: {option.type}. Default: {option.default}.", "")
        yield from _option_example(name, option.example)
    yield from _session_lines()
    yield from _marker_lines()
    yield from _fixture_lines()


def _session_lines() -> Iterator[str]:
    yield from ("## The whole session", "", "These options are not options of a world.", "")
    places = (("command line", conftest_plugin.COMMAND_LINE_OPTIONS), ("ini file", conftest_plugin.INI_KEYS))
    rows = [(f"`{o.example}`", place, o.type, o.description) for place, options in places for o in options.values()]
    yield from table(("example", "where", "type", "meaning"), rows)


def _marker_lines() -> Iterator[str]:
    yield from ("## Markers", "")
    markers = conftest_plugin.MARKERS.items()
    yield from table(
        ("marker", "meaning"), ((f"`@pytest.mark.{n}{arguments}`", text) for n, (arguments, text) in markers)
    )


def _fixture_lines() -> Iterator[str]:
    yield from ("## Names of the fixtures", "")
    fixtures = {name: item for name, item in vars(conftest_plugin).items() if name.startswith("fakeplat")}
    rows = [
        (f"[`{n}`](fixtures.md#{n})", str(item.__doc__).partition("\n")[0].replace("``", "`"))
        for n, item in fixtures.items()
    ]
    yield from table(("fixture", "value"), rows)


def _option_example(name: str, example: str) -> Iterator[str]:
    text = _as_text(example)
    quoted = f"'{text}'" if set(text) & set(' "{*') else text
    yield from ("| where | example |", "|---|---|")
    yield f"| marker | `@pytest.mark.fakeplat({name}={example})` |"
    yield f"| ini key | `fakeplat_{name} = {text}` |"
    yield from (f"| command line | `--fakeplat-{name.replace('_', '-')}={quoted}` |", "")


def _as_text(example: str) -> str:
    """Return a Python literal as the text of an ini key: JSON, and texts without quotes."""
    plain = example[1:-1] if example.startswith('"') else example
    return plain.lower() if plain in ("True", "False") else plain


_OPTIONS_HEAD = """# Options of the pytest plugin

Each option is a keyword of the marker `@pytest.mark.fakeplat(…)` (on a test, a class or a module), of
`fakeplat_factory(…)`, a key of the dict that the fixture `fakeplat_config` returns, an ini key, and a command-line
option. If an option is given in several places, the first of these wins: marker (the closest one), fixture, command
line, ini file.

On the command line and in the ini file, values that are not plain text are JSON: `true`, `7`, `{"after": "2s"}`. An
unknown option is an error that names the closest valid one.

[The whole session](#the-whole-session) has the options of pytest that do not belong to a world; below them are the
[markers](#markers) and the [names of the fixtures](#names-of-the-fixtures)."""

# commands


def commands_page() -> str:
    """All commands with their options, as `--help` prints them."""
    return "\n".join(_commands_lines())


def _commands_lines() -> Iterator[str]:
    yield from (_COMMANDS_HEAD, "")
    for path, command in walk_commands(main, "fakeplat"):
        yield from (f"## {path}", "", str(command.help or command.short_help or "").split("\f")[0].strip(), "")
        context = click.Context(command, info_name=path)
        usage = command.get_usage(context).removeprefix("Usage: ")
        yield from ("```text", usage, "```", "")
        records = [option.get_help_record(context) for option in command.params if isinstance(option, click.Option)]
        rows = [(f"`{record[0]}`", record[1]) for record in records if record]
        if rows:
            yield from table(("option", "meaning"), rows)


def walk_commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield each command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from walk_commands(command, f"{path} {name}")
        elif command is not None:
            yield f"{path} {name}", command


_COMMANDS_HEAD = """# Command line

`fakeplat COMMAND --help` prints the same. The exit status is 0 for success, 1 if a check failed, and 2 for invalid
arguments or files."""

PAGES: Mapping[str, Callable[[], str]] = {
    "options.md": options_page,
    "commands.md": commands_page,
    "scenario-keys.md": scenario_keys_page,
    "control-routes.md": control_routes_page,
    "records.md": records_page,
    "coverage.md": coverage_page,
    "roles.md": roles_page,
}
"""The generated pages by their names."""
