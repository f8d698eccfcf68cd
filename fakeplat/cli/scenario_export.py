"""The work of `fakeplat scenario export`: a scenario from a live server or from a tape, and what is not in it."""

import asyncio
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any, Final

import click
import orjson

from fakeplat.cli.options import UsageError
from fakeplat.cli.progress import progress
from fakeplat.cli.urls import is_url, origin
from fakeplat.scenario import ScenarioError
from fakeplat.tape.export.crawler import ApiRefused, Crawl
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import BuiltScenario, build_scenario
from fakeplat.tape.export.transports import Unreachable, ask_server
from fakeplat.tape.formats.tape import InvalidTape, read

_MOST_TOLD: Final = 20


def export_scenario(
    source: str, projects: tuple[str, ...], groups: tuple[str, ...], token: str | None, out: Path | None
) -> None:
    """Make the scenario and write it; on standard error, what could not be said."""
    live = is_url(source)
    if live and not (projects or groups):
        raise UsageError("say what to read: --project group/name or --group group")
    if not live and (projects or groups):
        raise UsageError("--project and --group choose from a live server; of a tape everything is taken")
    try:
        composed = asyncio.run(_crawled(origin(source), projects, groups, token)) if live else _of_tape(source)
    except (ApiRefused, Unreachable, InvalidTape, ScenarioError) as error:
        raise UsageError(str(error)) from None
    _write(_as_text(composed.said, out), out)
    for line in _told(composed.left_out):
        click.echo(line, err=True)


def _of_tape(source: str) -> BuiltScenario:
    return scenario_from_tape(read(Path(source)))


async def _crawled(url: str, projects: tuple[str, ...], groups: tuple[str, ...], token: str | None) -> BuiltScenario:
    async with ask_server(url) as ask:
        with progress() as tell:
            crawl = Crawl(ask, token, tell=tell)
            seen = await crawl.read(projects, groups)
            start = await crawl.time()
    composed = prune(build_scenario(seen, start))
    not_given = Counter(f"not given: {path}" for path in crawl.skipped)
    return BuiltScenario(composed.said, composed.left_out + crawl.unread + not_given)


def _as_text(said: dict[str, Any], out: Path | None) -> str:
    if out is not None and out.suffix == ".json":
        return orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    from ruamel.yaml import YAML

    writer: Any
    writer, text = YAML(typ="safe", pure=True), StringIO()
    writer.default_flow_style = False
    writer.allow_unicode = True
    writer.sort_base_mapping_type_on_output = False
    writer.dump(said, text)
    return text.getvalue()


def _write(text: str, out: Path | None) -> None:
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None


def _told(left_out: Counter[str]) -> list[str]:
    """What was left out, the most frequent first."""
    assumed = [what for what in left_out if what.startswith("assumed: ")]
    rest = [(what, count) for what, count in left_out.most_common() if what not in assumed]
    told = [f"left out: {what} ({count})" for what, count in rest[:_MOST_TOLD]]
    more = [f"left out: {len(rest) - _MOST_TOLD} more kinds"] if len(rest) > _MOST_TOLD else []
    return [*assumed, *told, *more]
