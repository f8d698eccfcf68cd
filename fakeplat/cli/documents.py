"""`fakeplat coverage` and `fakeplat openapi`: the implemented operations, and how they are verified."""

import click
import orjson

from fakeplat.cli.options import create_instance, settings_option
from fakeplat.http.control.description import full_document
from fakeplat.workbench.coverage import coverage_rows, format_coverage


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def coverage(as_json: bool) -> None:
    """Print every operation with its evidence."""
    operations = coverage_rows()
    click.echo(
        orjson.dumps(operations, option=orjson.OPT_INDENT_2).decode() if as_json else format_coverage(operations)
    )


@click.command()
@settings_option
def openapi(settings: tuple[str, ...]) -> None:
    """Print the OpenAPI document of an instance, such as one of another release."""
    description = full_document(create_instance(settings), "http://127.0.0.1:8080")
    click.echo(orjson.dumps(description, option=orjson.OPT_INDENT_2).decode())
