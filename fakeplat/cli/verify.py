"""`fakeplat verify`: play a recording and report drift."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import click
import orjson

from fakeplat.cli.options import UsageError
from fakeplat.cli.progress import progress
from fakeplat.cli.urls import origin
from fakeplat.scenario import ScenarioError
from fakeplat.tape.export.transports import Ask, Unreachable, ask_platform, ask_server
from fakeplat.tape.formats.tape import PLACEHOLDER, InvalidTape, Tape, read
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.initial_world import initial_platform
from fakeplat.tape.verify.verification import (
    Tokens,
    Verification,
    required_credentials,
    tokens_of_a_fake,
    unknown_credentials,
)

_TOKEN: Final = re.compile(rf"({PLACEHOLDER})=(.+)")
_FAKE: Final = "fakeplat"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--against", metavar="URL", help="A running server; without it a fresh fake.")
@click.option("--token", "tokens", multiple=True, metavar="pat:1=SECRET", help="What stands for a placeholder.")
@click.option("--scenario", metavar="NAME-or-FILE", help="Where the fake begins, whatever the tape says.")
@click.option("--seed", type=int, help="What all chance of the fake comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify(
    ctx: click.Context,
    file: Path,
    against: str | None,
    tokens: tuple[str, ...],
    scenario: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Play a recording's requests; status 1 if an answer drifted."""
    if against is not None and (scenario is not None or seed is not None):
        raise UsageError("--against: a running server has its own world; leave --scenario and --seed out")
    try:
        tape = read(file)
        if not len(tape):
            raise UsageError(f"{file}: holds no exchanges; there is nothing to verify")
        report = asyncio.run(_verified(tape, file, against, _given(tokens), scenario, seed))
    except (InvalidTape, ScenarioError, Unreachable) as error:
        raise UsageError(str(error)) from None
    if as_json:
        click.echo(orjson.dumps(report.data(), option=orjson.OPT_INDENT_2, default=str).decode())
    else:
        click.echo("\n".join(report.lines()))
    ctx.exit(1 if report.drifts else 0)


async def _verified(
    tape: Tape, file: Path, against: str | None, tokens: Tokens, scenario: str | None, seed: int | None
) -> Report:
    target = tape.head.upstream if against is None else origin(against, "--against")
    report = Report(str(file), tape.head.upstream, _FAKE if against is None else target)
    if against is not None:
        _check_given(tape, tokens)
    else:
        tokens = {**tokens_of_a_fake(tape), **tokens}
        _warn_of_unknown(unknown_credentials(tape, tokens))
    async with _asking(tape, against and target, scenario, seed) as ask:
        with progress() as tell:
            same = against is None and scenario is None and tape.head.fakeplat is not None
            return await Verification(tape, ask, target, tokens, same_ids=same).run(report, tell)


@asynccontextmanager
async def _asking(tape: Tape, against: str | None, scenario: str | None, seed: int | None) -> AsyncIterator[Ask]:
    if against is None:
        yield ask_platform(initial_platform(tape, scenario, seed))
        return
    async with ask_server(against) as ask:
        yield ask


def _given(pairs: tuple[str, ...]) -> Tokens:
    found = {pair: _TOKEN.fullmatch(pair) for pair in pairs}
    if None in found.values():
        raise UsageError("--token: write a placeholder and a secret, such as pat:1=SECRET")
    return {match[1]: match[2] for match in found.values() if match is not None}


def _warn_of_unknown(placeholders: list[str]) -> None:
    """A credential that nobody is known for is refused, and every answer to it drifts."""
    for placeholder in placeholders:
        click.echo(
            f"fakeplat: the tape does not say whose {placeholder} is; give --token {placeholder}=SECRET "
            f"(a user of the scenario has NAME-token), or import it with --as {placeholder}=NAME",
            err=True,
        )


def _check_given(tape: Tape, tokens: Tokens) -> None:
    missing = [
        f"{placeholder} ({user})"
        for placeholder, user in required_credentials(tape).items()
        if placeholder not in tokens
    ]
    if missing:
        raise UsageError(f"--against needs a --token for {', '.join(missing)}")
