"""`fakeplat run`: run a command against its own world."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, Final

import click

from fakeplat.cli.options import UsageError, create_server, create_workbench, server_options
from fakeplat.cli.output import print_event
from fakeplat.cli.server import Recording, announce_world, create_stop_event, executing, open_ssh, open_world, run_loop
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.tokens import list_users_with_tokens

# The statuses of a shell, which callers of `run` know.
_COMMAND_NOT_FOUND: Final = 127
_NOT_EXECUTABLE: Final = 126
_TRUST_VARIABLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO")
_MAX_REPORTED: Final = 20


@click.command(context_settings={"ignore_unknown_options": True})
@server_options
@click.option("--user", default="root", show_default=True, metavar="NAME", help="Whose token the command gets.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port; 0, the default, selects a free one.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(
    command: tuple[str, ...],
    user: str,
    port: int,
    host: str,
    allow_host: tuple[str, ...],
    control_key_file: Path | None,
    **rest: Any,
) -> None:
    """Run CMD against its own world: fakeplat run -- CMD …."""
    base_url, ready_file = rest.pop("base_url"), rest.pop("ready_file")
    ssh_port, execute = rest.pop("ssh_port"), rest.pop("execute")
    recording = Recording(rest.pop("record"), with_deliveries=rest.pop("record_deliveries"))
    authority = rest["tls"]
    server = create_server(host, allow_host, control_key_file, rest)
    world = create_workbench(**rest)
    variables = {**_token_variables(world, user), **_trust_variables(authority)}
    status = run_loop(
        _run(command, server, world, port, base_url, ready_file, recording, variables, ssh_port, execute=execute)
    )
    if status:
        _report_failure(world, status)
    sys.exit(status)


async def _run(
    command: tuple[str, ...],
    server: WorldServer,
    world: Workbench,
    port: int,
    base_url: str | None,
    ready_file: Path | None,
    recording: Recording,
    variables: dict[str, str],
    ssh_port: int | None,
    *,
    execute: bool,
) -> int:
    stopped = create_stop_event()
    async with open_world(server, world, port, base_url, recording) as running:
        ssh_server = await open_ssh(server, running, ssh_port)
        if ssh_server is not None:
            variables = {**variables, "FAKEPLAT_SSH_URL": ssh_server.url}
        async with executing(running, is_wanted=execute):
            with announce_world(ready_file, running, ssh_server):
                return await _run_command(command, {**_url_variables(running), **variables}, stopped)


async def _run_command(command: tuple[str, ...], variables: dict[str, str], stopped: asyncio.Event) -> int:
    try:
        process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **variables})
    except FileNotFoundError:
        click.echo(f"fakeplat: no such command: {command[0]}", err=True)
        return _COMMAND_NOT_FOUND
    except OSError as error:
        click.echo(f"fakeplat: {command[0]}: {error.strerror}", err=True)
        return _NOT_EXECUTABLE
    return await _wait_for_exit(process, stopped)


def _url_variables(world: RunningWorld) -> dict[str, str]:
    url = world.url
    return {
        "FAKEPLAT_URL": url,
        "FAKEPLAT_LISTEN_URL": world.listener.url,
        "GITLAB_URL": url,
        "CI_SERVER_URL": url,
        "CI_API_V4_URL": f"{url}/api/v4",
    }


def _token_variables(world: Workbench, username: str) -> dict[str, str]:
    """Return the variables with a user's token; UsageError if there is no such user with a token."""
    tokens = {user.username: token for user, token in list_users_with_tokens(world.platform) if token is not None}
    if username not in tokens:
        raise UsageError(f"--user {username}: no user with a token has that name; there are {', '.join(tokens)}")
    return {"FAKEPLAT_TOKEN": tokens[username], "GITLAB_TOKEN": tokens[username]}


def _trust_variables(authority: Path | None) -> dict[str, str]:
    """Return the variables by which clients trust a certificate authority."""
    return {} if authority is None else dict.fromkeys(_TRUST_VARIABLES, str(authority.absolute()))


def _report_failure(world: Workbench, status: int) -> None:
    """Print the last requests of a command that failed."""
    requests = [*world.journal]
    count = "1 request" if len(requests) == 1 else f"{len(requests)} requests"
    print_event(f"fakeplat: the command failed with status {status} after {count}")
    for entry in requests[-_MAX_REPORTED:]:
        print_event(f"  {entry!r}")


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
