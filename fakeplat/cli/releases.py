"""`fakeplat releases`: what each release of the platform has, and what changes between two of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import orjson

from fakeplat.cli.options import UsageError
from fakeplat.cli.replay import load_tape
from fakeplat.core.release import PROFILES, Release, resolve_version
from fakeplat.model.instance import Instance
from fakeplat.releases.difference import format_changes, list_changes
from fakeplat.releases.inventory import Count, Kind, count_items, heading_of, list_items
from fakeplat.releases.usage import Usage, usage_of_evidence, usage_of_tape


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def releases(context: click.Context, *, as_json: bool) -> None:
    """Print what the tested releases have, and how much of it fakeplat serves."""
    if context.invoked_subcommand is None:
        rows = {release: count_items(release) for release in PROFILES}
        click.echo(_as_json(rows) if as_json else _format_counts(rows))


def _as_json(document: object) -> str:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def _format_counts(rows: Mapping[str, Mapping[Kind, Count]]) -> str:
    kinds = list(dict.fromkeys(kind for counts in rows.values() for kind in counts))
    lines = [f"{'release':8} " + " ".join(f"{heading_of(kind):>13}" for kind in kinds)]
    for release, counts in rows.items():
        cells = (counts[kind] for kind in kinds)
        lines.append(f"{release:8} " + " ".join(f"{cell['served']:>6}/{cell['known']:<6}" for cell in cells))
    return "\n".join([*lines, "served/known by release; `fakeplat releases diff A B` prints what changes"])


@releases.command()
@click.argument("before")
@click.argument("after")
@click.option("--used", type=click.Path(path_type=Path), help="Only what a client used: a tape, or a file of evidence.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(before: str, after: str, *, used: Path | None, as_json: bool) -> None:
    """Print what begins, ends, is renamed or behaves differently after BEFORE and up to AFTER."""
    usage = _read_usage(used) if used else None
    earlier, later = _parse(before), _parse(after)
    changes = list_changes(list_items(), earlier, later, usage.touches if usage else lambda _: True)
    if as_json:
        click.echo(_as_json([change.document for change in changes]))
    else:
        click.echo(format_changes(changes))


def _parse(version: str) -> Release:
    try:
        return Instance(resolve_version(version)).release
    except ValueError as error:
        raise UsageError(str(error)) from None


def _read_usage(file: Path) -> Usage:
    """Read a file of evidence, which is one JSON object of operations, or else a tape."""
    try:
        document: Any = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError:
        return usage_of_tape(load_tape(file))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    rows = list(document.values()) if isinstance(document, dict) else [None]
    if not all(isinstance(row, dict) and "parameters" in row for row in rows):
        raise UsageError(f"{file}: neither a tape nor the evidence of a suite")
    return usage_of_evidence(document)
