"""`fakeplat run`: run a command against its own world."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, Final

import click

from fakeplat.cli.options import create_server, create_workbench, server_options
from fakeplat.cli.server import Recording, create_stop_event, open_world, run_loop
from fakeplat.http.control.worlds import ROOT_TOKEN
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.bench import Workbench

# The statuses of a shell, which callers of `run` know.
_COMMAND_NOT_FOUND: Final = 127
_NOT_EXECUTABLE: Final = 126


@click.command(context_settings={"ignore_unknown_options": True})
@server_options
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port; 0, the default, selects a free one.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    command: tuple[str, ...],
    port: int,
    host: str,
    allow_host: tuple[str, ...],
    control_key_file: Path | None,
    **rest: Any,
) -> None:
    """Run CMD against its own world: fakeplat run -- CMD …."""
    base_url, ready_file = rest.pop("base_url"), rest.pop("ready_file")
    recording = Recording(rest.pop("record"), with_deliveries=rest.pop("record_deliveries"))
    server = create_server(host, allow_host, control_key_file, rest)
    world = create_workbench(**rest)
    status = run_loop(_run(command, server, world, port, base_url, ready_file, recording))
    sys.exit(status)


async def _run(
    command: tuple[str, ...],
    server: WorldServer,
    world: Workbench,
    port: int,
    base_url: str | None,
    ready_file: Path | None,
    recording: Recording,
) -> int:
    stopped = create_stop_event()
    async with open_world(server, world, port, base_url, ready_file, recording) as running:
        try:
            process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **_environment(running)})
        except FileNotFoundError:
            click.echo(f"fakeplat: no such command: {command[0]}", err=True)
            return _COMMAND_NOT_FOUND
        except OSError as error:
            click.echo(f"fakeplat: {command[0]}: {error.strerror}", err=True)
            return _NOT_EXECUTABLE
        return await _wait_for_exit(process, stopped)


def _environment(world: RunningWorld) -> dict[str, str]:
    url = world.url
    return {
        "FAKEPLAT_URL": url,
        "FAKEPLAT_LISTEN_URL": world.listener.url,
        "FAKEPLAT_TOKEN": ROOT_TOKEN,
        "GITLAB_URL": url,
        "GITLAB_TOKEN": ROOT_TOKEN,
        "CI_SERVER_URL": url,
        "CI_API_V4_URL": f"{url}/api/v4",
    }


async def _wait_for_exit(process: asyncio.subprocess.Process, stopped: asyncio.Event) -> int:
    """Return the command's exit status; terminate it first when this process is to stop."""
    # The command is waited for even after the request to stop, as its status becomes ours.
    exited, stop_requested = asyncio.create_task(process.wait()), asyncio.create_task(stopped.wait())
    await asyncio.wait((exited, stop_requested), return_when=asyncio.FIRST_COMPLETED)
    if not exited.done():
        process.terminate()
    stop_requested.cancel()
    status = await exited
    return status if status >= 0 else 128 - status  # as a shell reports a signal
