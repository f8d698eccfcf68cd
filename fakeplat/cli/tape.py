"""`fakeplat tape`: import and export of other recording formats."""

from pathlib import Path

import click
import orjson

from fakeplat.cli.options import UsageError
from fakeplat.cli.record import parse_users
from fakeplat.cli.replay import load_tape
from fakeplat.tape.formats import tape as formats


@click.group()
def tape() -> None:
    """Work with tapes."""


@tape.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The tape to write; an existing file is replaced."
)
@click.option("--as", "users", multiple=True, metavar="pat:1=USER", help="The user of a placeholder's token.")
def import_(file: Path, out: Path, users: tuple[str, ...]) -> None:
    """Create a tape from a HAR file or a VCR cassette (YAML); secrets are replaced."""
    from fakeplat.tape.formats.har import from_har
    from fakeplat.tape.formats.vcr import from_cassette

    reader = from_cassette if file.suffix.lower() in (".yaml", ".yml") else from_har
    try:
        imported = reader(file.read_bytes(), str(file), parse_users(users))
        formats.write(imported, out)
    except formats.InvalidTape as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{error.filename or file}: {error.strerror}") from None
    click.echo(f"{out}: {len(imported)} exchanges with {imported.head.upstream}")


@tape.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--har", required=True, type=click.Path(path_type=Path), help="The HAR file to write.")
def export(file: Path, har: Path) -> None:
    """Create a HAR file from a tape."""
    from fakeplat.tape.formats.har import to_har

    archive = to_har(load_tape(file))
    try:
        har.write_bytes(orjson.dumps(archive, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    except OSError as error:
        raise UsageError(f"{har}: {error.strerror}") from None


@tape.command()
def schema() -> None:
    """Print the JSON Schema of a line of a tape."""
    click.echo(orjson.dumps(formats.schema(), option=orjson.OPT_INDENT_2).decode())
