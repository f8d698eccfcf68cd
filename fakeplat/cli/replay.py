"""`fakeplat replay`: serve a recording."""

from pathlib import Path

import click

from fakeplat.cli.options import UsageError
from fakeplat.cli.server import announce, create_stop_event, reporting_port_errors, run_loop
from fakeplat.tape.formats.tape import InvalidTape, Tape, read
from fakeplat.tape.replay.replayer import Replay


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--strict", is_flag=True, help="Accept only the recorded order of requests; status 1 if any was not replayed."
)
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port; 0, the default, selects a free one.")
@click.option("--ready-file", type=click.Path(path_type=Path), help="Written when the server is ready.")
@click.pass_context
def replay(ctx: click.Context, file: Path, strict: bool, port: int, ready_file: Path | None) -> None:
    """Serve a recording; credentials are not checked."""
    replayed = Replay(load_tape(file), strict=strict)
    run_loop(_replay(replayed, file, port, ready_file))
    complaints = [*replayed.complaints, *replayed.unplayed()]
    for complaint in complaints:
        click.echo(complaint)
    ctx.exit(1 if complaints else 0)


def load_tape(file: Path) -> Tape:
    """Read a tape named on the command line."""
    try:
        return read(file)
    except InvalidTape as error:
        raise UsageError(str(error)) from None


async def _replay(replayed: Replay, file: Path, port: int, ready_file: Path | None) -> None:
    from fakeplat.tape.replay import serving
    from fakeplat.workbench.journal import Journal

    stopped = create_stop_event()
    with reporting_port_errors("127.0.0.1", port):
        listener = await serving.serve_tape(replayed, Journal(), port)
    click.echo(f"fakeplat replays {file} ({len(replayed.tape)} exchanges) at {listener.url}")
    with announce(ready_file, listener.url, None, None):
        await stopped.wait()
    await listener.close()
