"""`fakeplat scenario`: check, show and export scenarios."""

from collections.abc import Mapping
from pathlib import Path

import click
import orjson

from fakeplat import scenario as scenarios
from fakeplat.cli.options import UsageError, parse_settings, settings_option
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.options import check_instance


@click.group()
def scenario() -> None:
    """Work with scenario files."""


@scenario.command("list")
def list_() -> None:
    """List the names of the built-in scenarios."""
    for name in scenarios.list_names():
        click.echo(name)


@scenario.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@settings_option
@click.pass_context
def check(ctx: click.Context, files: tuple[Path, ...], settings: tuple[str, ...]) -> None:
    """Check scenario files; status 1 if one has errors. What the release of the world lacks is told, too."""
    try:
        instance = check_instance(parse_settings(settings))
    except InvalidOption as error:
        raise UsageError(str(error)) from None
    has_errors = False
    for file in files:
        if not file.is_file():
            raise UsageError(f"{file}: {scenarios.describe_missing(file)}")
        has_errors = _print_mistakes(file, instance) or has_errors
    ctx.exit(1 if has_errors else 0)


def _print_mistakes(file: Path, instance: Mapping[str, object]) -> bool:
    """Print the mistakes in a scenario, or what the release of its world lacks; return whether there are mistakes."""
    try:
        checked = scenarios.get_scenario(file)
        world = scenarios.check_scenario(checked, instance)
    except scenarios.ScenarioError as error:
        click.echo(str(error))
        return True
    except OSError as error:
        raise UsageError(str(error)) from None
    # The operations of all areas are imported for this, which takes longer than the check of a small file.
    from fakeplat.releases.scenarios import list_lacking

    for lacking in list_lacking(checked, world.state.setup.instance):
        click.echo(str(lacking))
    click.echo(f"{file}: fine")
    return False


@scenario.command()
def schema() -> None:
    """Print the JSON Schema of scenario files."""
    click.echo(orjson.dumps(scenarios.schema(), option=orjson.OPT_INDENT_2).decode())


@scenario.command()
@click.argument("name")
@click.option("--json", "is_merged", is_flag=True, help="Print JSON, merged with the scenarios that it extends.")
def show(name: str, is_merged: bool) -> None:
    """Print the file of a scenario, to copy it."""
    try:
        if is_merged:
            click.echo(orjson.dumps(scenarios.get_scenario(name).data, option=orjson.OPT_INDENT_2).decode())
        else:
            click.echo(scenarios.read_source(name), nl=False)
    except (scenarios.ScenarioError, OSError) as error:
        raise UsageError(str(error)) from None


@scenario.command()
@click.argument("source", metavar="URL-or-TAPE")
@click.option("--project", "projects", multiple=True, metavar="group/name", help="Full path of a project to export.")
@click.option(
    "--group", "groups", multiple=True, metavar="group", help="A group to export, with its subgroups and projects."
)
@click.option("--token", envvar="FAKEPLAT_TOKEN", metavar="SECRET", help="Token to read with; it is not stored.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="The file to write: JSON if its name ends with .json, else YAML."
)
def export(
    source: str, projects: tuple[str, ...], groups: tuple[str, ...], token: str | None, out: Path | None
) -> None:
    """Create a scenario from a live server or a recording."""
    from fakeplat.cli.scenario_export import export_scenario

    export_scenario(source, projects, groups, token, out)
