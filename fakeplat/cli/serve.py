"""`fakeplat serve`: serve a world until the process is stopped."""

from pathlib import Path
from typing import Any

import click

from fakeplat.cli.options import UsageError, create_server, create_workbench, server_options
from fakeplat.cli.server import (
    Recording,
    announce_world,
    create_stop_event,
    executing,
    open_ssh,
    open_world,
    run_loop,
    serving_by_workers,
    set_at_eof,
)
from fakeplat.core.extras import explain_missing, is_installed
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.tokens import list_users_with_tokens


@click.command()
@server_options
@click.option(
    "--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 selects a free one."
)
@click.option(
    "--until-eof", is_flag=True, help="Stop at the end of standard input, as when the program that started it ends."
)
@click.option(
    "--workers",
    default=0,
    type=click.IntRange(0),
    help="Processes that serve the worlds which the control routes open; default: this process serves all.",
)
@click.option("--parent", metavar="URL", hidden=True, help="The server whose worker this process is.")
def serve(port: int, host: str, allow_host: tuple[str, ...], control_key_file: Path | None, **rest: Any) -> None:
    """Serve a world over HTTP."""
    workers, parent = rest.pop("workers"), rest.pop("parent")
    if workers and rest["tls"] is not None:
        raise UsageError("--workers and --tls exclude each other: each worker would have its own authority")
    base_url, ready_file = rest.pop("base_url"), rest.pop("ready_file")
    ssh_port, execute, until_eof = rest.pop("ssh_port"), rest.pop("execute"), rest.pop("until_eof")
    recording = Recording(rest.pop("record"), with_deliveries=rest.pop("record_deliveries"))
    server = create_server(host, allow_host, control_key_file, rest)
    server.parent = parent
    world = create_workbench(**rest)
    serving = _serve(
        server, world, port, base_url, ready_file, recording, ssh_port, workers, execute=execute, until_eof=until_eof
    )
    run_loop(serving)


async def _serve(
    server: WorldServer,
    world: Workbench,
    port: int,
    base_url: str | None,
    ready_file: Path | None,
    recording: Recording,
    ssh_port: int | None,
    workers: int,
    *,
    execute: bool,
    until_eof: bool,
) -> None:
    stopped = create_stop_event()
    if until_eof:
        set_at_eof(stopped)
    async with open_world(server, world, port, base_url, recording) as running:
        ssh_server = await open_ssh(server, running, ssh_port)
        async with serving_by_workers(server, running, workers), executing(running, is_wanted=execute):
            click.echo(_welcome(running) if server.parent is None else running.listener.url)
            if ssh_server is not None:
                click.echo(f"git over SSH: {ssh_server.url}  (host key: {ssh_server.host_key})")
            with announce_world(ready_file, running, ssh_server):
                await stopped.wait()


def _welcome(world: RunningWorld) -> str:
    users = [(user.username, user.name, token or "-") for user, token in list_users_with_tokens(world.bench.platform)]
    widths = [max(len(row[column]) for row in users) for column in (0, 1)]
    rows = [f"  {name:<{widths[0]}}  {full_name:<{widths[1]}}  {token}" for name, full_name, token in users]
    lines = [f"fakeplat serves {world.bench.scenario} at {world.url}  (API: {world.url}/api/v4)"]
    if world.listener.url != world.url:
        lines.append(f"listening at {world.listener.url}")
    console = f"console: {world.listener.url}/_fakeplat/" if is_installed("console") else explain_missing("console")
    lines.append(console)
    return "\n".join([*lines, "users and their tokens:", *rows])
