"""`fakeplat record`: a recording reverse proxy in front of a server."""

import re
from pathlib import Path
from typing import Final

import click

from fakeplat.cli.options import UsageError
from fakeplat.cli.server import announce, check_recorded, no_port, run_loop, stop_signal, tape_file
from fakeplat.cli.urls import origin
from fakeplat.tape.formats.tape import PLACEHOLDER
from fakeplat.tape.record.recorder import Recorder

_AS: Final = re.compile(rf"({PLACEHOLDER})=(\S+)")


@click.command()
@click.option("--upstream", required=True, metavar="URL", help="The server to record: https://git.example.test.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The tape; one that is there is replaced.")
@click.option("--as", "users", multiple=True, metavar="pat:1=USER", help="Whose the first token is, and so on.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="0, the default, takes a free one.")
@click.option("--ready-file", type=click.Path(path_type=Path), help="Written once requests are answered.")
def record(upstream: str, out: Path, users: tuple[str, ...], port: int, ready_file: Path | None) -> None:
    """Record what clients and a server say, without secrets."""
    server, users_by_placeholder = origin(upstream, "--upstream"), parse_users(users)
    file = tape_file(out)
    run_loop(_record(server, Recorder(file, users_by_placeholder), out, port, ready_file))
    check_recorded(file)


def parse_users(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the users in arguments such as ``pat:1=ada``, by placeholder."""
    found = {pair: _AS.fullmatch(pair) for pair in pairs}
    for pair, match in found.items():
        if match is None:
            raise UsageError(f"--as {pair}: write a placeholder and a username, such as pat:1=ada")
    return {match[1]: match[2] for match in found.values() if match is not None}


async def _record(upstream: str, recorder: Recorder, out: Path, port: int, ready_file: Path | None) -> None:
    from fakeplat.http.listener import listen
    from fakeplat.tape.record.proxy import LIMITS, Proxy

    stopped, proxy = stop_signal(), Proxy(upstream, recorder)
    if not await proxy.open():
        click.echo(f"fakeplat: {upstream} does not answer yet", err=True)
    try:
        with no_port("127.0.0.1", port):
            listening = await listen(proxy.answer, LIMITS, port=port)
        click.echo(f"fakeplat records {upstream} at {listening.url} to {out}")
        with announce(ready_file, listening.url, None, None):
            await stopped.wait()
        await listening.close()
    finally:
        await proxy.close()
        recorder.close()
