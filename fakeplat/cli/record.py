"""`fakeplat record`: a recording reverse proxy in front of a server."""

import re
from pathlib import Path
from typing import Final

import click

from fakeplat.cli.options import UsageError
from fakeplat.cli.server import (
    announce,
    check_tape_complete,
    create_stop_event,
    create_tape_file,
    reporting_port_errors,
    run_loop,
)
from fakeplat.cli.urls import parse_origin
from fakeplat.http.listener import listen
from fakeplat.tape.formats.tape import PLACEHOLDER
from fakeplat.tape.record.recorder import Recorder

_USER_ARGUMENT: Final = re.compile(rf"({PLACEHOLDER})=(\S+)")


@click.command()
@click.option(
    "--upstream", required=True, metavar="URL", help="Origin of the server to record, such as https://git.example.test."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The tape to write; an existing file is replaced."
)
@click.option(
    "--as", "users", multiple=True, metavar="pat:1=USER", help="The user of the first token (pat:2: of the second)."
)
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port; 0, the default, selects a free one.")
@click.option("--ready-file", type=click.Path(path_type=Path), help="Written when the server is ready.")
def record(upstream: str, out: Path, users: tuple[str, ...], port: int, ready_file: Path | None) -> None:
    """Record requests to a server and its responses; secrets are replaced."""
    server, users_by_placeholder = parse_origin(upstream, "--upstream"), parse_users(users)
    file = create_tape_file(out)
    run_loop(_record(server, Recorder(file, users_by_placeholder), out, port, ready_file))
    check_tape_complete(file)


def parse_users(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the users in arguments such as ``pat:1=ada``, by placeholder."""
    matches = {pair: _USER_ARGUMENT.fullmatch(pair) for pair in pairs}
    for pair, match in matches.items():
        if match is None:
            raise UsageError(f"--as {pair}: use PLACEHOLDER=USERNAME, such as pat:1=ada")
    return {match[1]: match[2] for match in matches.values() if match is not None}


async def _record(upstream: str, recorder: Recorder, out: Path, port: int, ready_file: Path | None) -> None:
    from fakeplat.tape.record.proxy import LIMITS, Proxy

    stopped, proxy = create_stop_event(), Proxy(upstream, recorder)
    if not await proxy.open():
        click.echo(f"fakeplat: {upstream} does not answer yet", err=True)
    try:
        with reporting_port_errors("127.0.0.1", port):
            listener = await listen(proxy.answer, LIMITS, port=port)
        click.echo(f"fakeplat records {upstream} at {listener.url} to {out}")
        with announce(ready_file, listener.url, None, None):
            await stopped.wait()
        await listener.close()
    finally:
        await proxy.close()
        recorder.close()
