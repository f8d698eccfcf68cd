"""`fakeplat run`: a command with a world of its own."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, Final

import click

from fakeplat.cli.options import create_server, create_workbench, server_options
from fakeplat.cli.server import open_world, run_loop, stop_signal
from fakeplat.http.control.worlds import ROOT_TOKEN
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.bench import Workbench

_NO_COMMAND: Final = 127
_NOT_RUNNABLE: Final = 126


@click.command(context_settings={"ignore_unknown_options": True})
@server_options
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="0, the default, takes a free one.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    command: tuple[str, ...],
    port: int,
    host: str,
    allow_host: tuple[str, ...],
    control_key_file: Path | None,
    **rest: Any,
) -> None:
    """Run CMD against a world of its own: fakeplat run -- CMD …."""
    base_url, ready_file, tape = rest.pop("base_url"), rest.pop("ready_file"), rest.pop("record")
    server = create_server(host, allow_host, control_key_file, rest)
    world = create_workbench(**rest)
    status = run_loop(_run(command, server, world, port, base_url, ready_file, tape))
    sys.exit(status)


async def _run(
    command: tuple[str, ...],
    hall: WorldServer,
    world: Workbench,
    port: int,
    base_url: str | None,
    ready_file: Path | None,
    tape: Path | None,
) -> int:
    stopped = stop_signal()
    async with open_world(hall, world, port, base_url, ready_file, tape) as served:
        try:
            process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **_names(served)})
        except FileNotFoundError:
            click.echo(f"fakeplat: no such command: {command[0]}", err=True)
            return _NO_COMMAND
        except OSError as error:
            click.echo(f"fakeplat: {command[0]}: {error.strerror}", err=True)
            return _NOT_RUNNABLE
        return await _finished(process, stopped)


def _names(served: RunningWorld) -> dict[str, str]:
    url = served.url
    return {
        "FAKEPLAT_URL": url,
        "FAKEPLAT_LISTEN_URL": served.listening.url,
        "FAKEPLAT_TOKEN": ROOT_TOKEN,
        "GITLAB_URL": url,
        "GITLAB_TOKEN": ROOT_TOKEN,
        "CI_SERVER_URL": url,
        "CI_API_V4_URL": f"{url}/api/v4",
    }


async def _finished(process: asyncio.subprocess.Process, stopped: asyncio.Event) -> int:
    """The command's exit status; told to stop, it passes that on first."""
    ended, told = asyncio.create_task(process.wait()), asyncio.create_task(stopped.wait())
    await asyncio.wait((ended, told), return_when=asyncio.FIRST_COMPLETED)
    if not ended.done():
        process.terminate()
    told.cancel()
    status = await ended
    return status if status >= 0 else 128 - status
