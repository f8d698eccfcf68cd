"""`fakeplat verify`: replay the requests of a recording and report drift."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import click
import orjson

from fakeplat.cli.options import UsageError, create_instance_keys, settings_option
from fakeplat.cli.progress import progress
from fakeplat.cli.urls import parse_origin
from fakeplat.scenario import ScenarioError
from fakeplat.tape.formats.tape import PLACEHOLDER, InvalidTape, Tape, read
from fakeplat.tape.records.transports import Ask, Unreachable, ask_platform, ask_server
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.initial_world import InitialWorld, initial_platform
from fakeplat.tape.verify.verification import (
    Tokens,
    Verification,
    fake_tokens,
    required_credentials,
    unknown_credentials,
)

_TOKEN: Final = re.compile(rf"({PLACEHOLDER})=(.+)")
_FAKE: Final = "fakeplat"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--against", metavar="URL", help="Origin of a running server; default: a new fake.")
@click.option("--token", "tokens", multiple=True, metavar="pat:1=SECRET", help="The credential for a placeholder.")
@click.option("--scenario", metavar="NAME-or-FILE", help="The fake's initial world, instead of the tape's.")
@click.option("--seed", type=int, help="Seed of all random values of the fake.")
@settings_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify(
    ctx: click.Context,
    file: Path,
    against: str | None,
    tokens: tuple[str, ...],
    scenario: str | None,
    seed: int | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Replay a recording's requests; status 1 if a response has drifted."""
    if against is not None and (scenario is not None or seed is not None or settings):
        raise UsageError("--against: a running server has its own world; remove --scenario, --seed and --set")
    world = InitialWorld(scenario, seed, create_instance_keys(settings))
    try:
        tape = read(file)
        if not len(tape):
            raise UsageError(f"{file}: contains no exchanges; there is nothing to verify")
        report = asyncio.run(_verify(tape, file, against, _parse_tokens(tokens), world))
    except (InvalidTape, ScenarioError, Unreachable) as error:
        raise UsageError(str(error)) from None
    if as_json:
        click.echo(orjson.dumps(report.data(), option=orjson.OPT_INDENT_2, default=str).decode())
    else:
        click.echo("\n".join(report.lines()))
    ctx.exit(1 if report.drifts else 0)


async def _verify(tape: Tape, file: Path, against: str | None, tokens: Tokens, world: InitialWorld) -> Report:
    target = tape.head.upstream if against is None else parse_origin(against, "--against")
    report = Report(str(file), tape.head.upstream, _FAKE if against is None else target)
    if against is not None:
        _check_tokens(tape, tokens)
    else:
        tokens = {**fake_tokens(tape), **tokens}
        _warn_about_unknown(unknown_credentials(tape, tokens))
    async with _open_target(tape, against and target, world) as ask:
        with progress() as report_step:
            # A new fake with the world of the recorded one assigns the same ids.
            same_ids = against is None and world.scenario is None and tape.head.fakeplat is not None
            return await Verification(tape, ask, target, tokens, same_ids=same_ids).run(report, report_step)


@asynccontextmanager
async def _open_target(tape: Tape, against: str | None, world: InitialWorld) -> AsyncIterator[Ask]:
    if against is None:
        yield ask_platform(initial_platform(tape, world))
        return
    async with ask_server(against) as ask:
        yield ask


def _parse_tokens(pairs: tuple[str, ...]) -> Tokens:
    matches = {pair: _TOKEN.fullmatch(pair) for pair in pairs}
    if None in matches.values():
        raise UsageError("--token: use PLACEHOLDER=SECRET, such as pat:1=SECRET")
    return {match[1]: match[2] for match in matches.values() if match is not None}


def _warn_about_unknown(placeholders: list[str]) -> None:
    """Warn about credentials of unknown users: the fake refuses them, so every response to them drifts."""
    for placeholder in placeholders:
        click.echo(
            f"fakeplat: the tape does not say whose {placeholder} is; pass --token {placeholder}=SECRET "
            f"(a user of the scenario has NAME-token), or import it with --as {placeholder}=NAME",
            err=True,
        )


def _check_tokens(tape: Tape, tokens: Tokens) -> None:
    missing = [
        f"{placeholder} ({user})"
        for placeholder, user in required_credentials(tape).items()
        if placeholder not in tokens
    ]
    if missing:
        raise UsageError(f"--against needs a --token for {', '.join(missing)}")
