"""`fakeplat scenario`: work with scenario files."""

from pathlib import Path

import click
import orjson

from fakeplat import scenario as scenarios
from fakeplat.cli.options import UsageError


@click.group()
def scenario() -> None:
    """Work with scenario files."""


@scenario.command("list")
def list_() -> None:
    """List the scenarios that can be named."""
    for name in scenarios.list_names():
        click.echo(name)


@scenario.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_context
def check(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Check scenario files; status 1 if one has mistakes."""
    wrong = False
    for file in files:
        if not file.is_file():
            raise UsageError(f"{file}: no such file")
        try:
            mistakes = scenarios.check_file(file)
        except (scenarios.ScenarioError, OSError) as error:
            raise UsageError(str(error)) from None
        for mistake in mistakes:
            click.echo(str(mistake))
        wrong = wrong or bool(mistakes)
        if not mistakes:
            click.echo(f"{file}: fine")
    ctx.exit(1 if wrong else 0)


@scenario.command()
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    click.echo(orjson.dumps(scenarios.schema(), option=orjson.OPT_INDENT_2).decode())


@scenario.command()
@click.argument("name")
def show(name: str) -> None:
    """Print a scenario as JSON, with what it extends."""
    try:
        found = scenarios.find_scenario(name)
    except (scenarios.ScenarioError, OSError) as error:
        raise UsageError(str(error)) from None
    click.echo(orjson.dumps(found.data, option=orjson.OPT_INDENT_2).decode())


@scenario.command()
@click.argument("source", metavar="URL-or-TAPE")
@click.option("--project", "projects", multiple=True, metavar="group/name", help="A project to read, by its full path.")
@click.option("--group", "groups", multiple=True, metavar="group", help="A group to read with all that is in it.")
@click.option("--token", envvar="FAKEPLAT_TOKEN", metavar="SECRET", help="Who reads; it is written nowhere.")
@click.option("--out", type=click.Path(path_type=Path), help="The file to write: YAML, or JSON where it ends so.")
def export(
    source: str, projects: tuple[str, ...], groups: tuple[str, ...], token: str | None, out: Path | None
) -> None:
    """Make a scenario of a live server's API, or of a recording."""
    from fakeplat.cli.scenario_export import export_scenario

    export_scenario(source, projects, groups, token, out)
