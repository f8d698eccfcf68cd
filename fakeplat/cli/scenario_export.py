"""Implementation of `fakeplat scenario export`: a scenario from a live server or a tape, and a report of omissions."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Final

import click
import orjson

from fakeplat.cli.options import UsageError
from fakeplat.cli.progress import progress
from fakeplat.cli.urls import is_url, parse_origin
from fakeplat.scenario import ScenarioError
from fakeplat.tape.export.crawler import ApiRefused, Crawl
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import BuiltScenario, build_scenario
from fakeplat.tape.formats.tape import InvalidTape, read
from fakeplat.tape.records.transports import Unreachable, ask_server

_MAX_REPORTED: Final = 20


def export_scenario(
    source: str, projects: tuple[str, ...], groups: tuple[str, ...], token: str | None, out: Path | None
) -> None:
    """Create and write the scenario; report on standard error what it does not contain."""
    live = is_url(source)
    if live and not (projects or groups):
        raise UsageError("nothing to export: pass --project group/name or --group group")
    if not live and (projects or groups):
        raise UsageError("--project and --group are for live servers; a tape is exported completely")
    try:
        built = asyncio.run(_crawl(parse_origin(source), projects, groups, token)) if live else _from_tape(source)
    except (ApiRefused, Unreachable, InvalidTape, ScenarioError) as error:
        raise UsageError(str(error)) from None
    _write(_serialize(built.scenario, out), out)
    for line in _omission_lines(built.left_out):
        click.echo(line, err=True)


def _from_tape(source: str) -> BuiltScenario:
    return scenario_from_tape(read(Path(source)))


async def _crawl(url: str, projects: tuple[str, ...], groups: tuple[str, ...], token: str | None) -> BuiltScenario:
    async with ask_server(url) as ask:
        with progress() as report_step:
            crawl = Crawl(ask, token, show_progress=report_step)
            observations = await crawl.read(projects, groups)
            start = await crawl.time()
    built = prune(build_scenario(observations, start))
    skipped = Counter(f"not given: {path}" for path in crawl.skipped)
    return BuiltScenario(built.scenario, built.left_out + crawl.unread + skipped)


def _serialize(document: Mapping[str, object], out: Path | None) -> str:
    if out is not None and out.suffix == ".json":
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    from ruamel.yaml import YAML

    writer: Any
    writer, text = YAML(typ="safe", pure=True), StringIO()
    writer.default_flow_style = False
    writer.allow_unicode = True
    writer.sort_base_mapping_type_on_output = False
    writer.dump(document, text)
    return text.getvalue()


def _write(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None


def _omission_lines(left_out: Counter[str]) -> list[str]:
    """Return the lines of the report: assumptions, then omissions, the most frequent first."""
    assumptions = [text for text in left_out if text.startswith("assumed: ")]
    omissions = [(text, count) for text, count in left_out.most_common() if text not in assumptions]
    lines = [f"left out: {text} ({count})" for text, count in omissions[:_MAX_REPORTED]]
    more = [f"left out: {len(omissions) - _MAX_REPORTED} more kinds"] if len(omissions) > _MAX_REPORTED else []
    return [*assumptions, *lines, *more]
