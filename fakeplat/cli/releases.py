"""`fakeplat releases`: what each release of the platform has, and what changes between two of them."""

from collections import Counter
from pathlib import Path
from typing import Any

import click
import orjson

from fakeplat.cli.options import UsageError
from fakeplat.cli.replay import load_tape
from fakeplat.core.release import LATEST, Release, parse_release
from fakeplat.releases.difference import format_changes, list_changes
from fakeplat.releases.inventory import PROFILES, list_items
from fakeplat.releases.usage import Usage, usage_of_evidence, usage_of_tape


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def releases(context: click.Context, *, as_json: bool) -> None:
    """Print what the tested releases have, and how much of it fakeplat serves."""
    if context.invoked_subcommand is None:
        rows = {release: _count(parse_release(release)) for release in PROFILES}
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode() if as_json else _format_counts(rows))


def _count(release: Release) -> dict[str, dict[str, int]]:
    """Return for each kind how much the release has, and how much of that is served."""
    items = [item for item in list_items() if item.lifetime.covers(release)]
    known, built = Counter(item.kind for item in items), Counter(item.kind for item in items if item.is_built)
    return {kind: {"known": known[kind], "built": built[kind]} for kind in known}


def _format_counts(rows: dict[str, dict[str, dict[str, int]]]) -> str:
    kinds = list(dict.fromkeys(kind for counts in rows.values() for kind in counts))
    lines = [f"{'release':8} " + " ".join(f"{f'{kind}s':>13}" for kind in kinds)]
    for release, counts in rows.items():
        cells = (counts.get(kind, {"built": 0, "known": 0}) for kind in kinds)
        lines.append(f"{release:8} " + " ".join(f"{cell['built']:>6}/{cell['known']:<6}" for cell in cells))
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
        click.echo(orjson.dumps([change.document for change in changes], option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(format_changes(changes))


def _parse(text: str) -> Release:
    try:
        return parse_release(LATEST if text == "latest" else text)
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
