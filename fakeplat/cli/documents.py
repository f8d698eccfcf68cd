"""`fakeplat coverage` and `fakeplat openapi`: what is built, and how it is proven."""

import click
import orjson

from fakeplat.model.instance import Instance
from fakeplat.workbench.coverage import as_text, table
from fakeplat.workbench.openapi import document


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def coverage(as_json: bool) -> None:
    """Print every operation with its observed evidence."""
    found = table()
    click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() if as_json else as_text(found))


@click.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    found = document(Instance(), "http://127.0.0.1:8080")
    click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
