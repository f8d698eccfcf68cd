"""`fakeplat replay`: serve a recording."""

from pathlib import Path

import click

from fakeplat.cli.options import UsageError
from fakeplat.cli.server import announce, no_port, run_loop, stop_signal
from fakeplat.tape.formats.tape import InvalidTape, Tape, read
from fakeplat.tape.replay.replayer import Replay


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="In the recorded order, nothing else; status 1 if anything is left.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="0, the default, takes a free one.")
@click.option("--ready-file", type=click.Path(path_type=Path), help="Written once requests are answered.")
@click.pass_context
def replay(ctx: click.Context, file: Path, strict: bool, port: int, ready_file: Path | None) -> None:
    """Serve a recording; credentials are not checked."""
    tape = Replay(load_tape(file), strict=strict)
    run_loop(_replay(tape, file, port, ready_file))
    complaints = [*tape.complaints, *tape.unplayed()]
    for complaint in complaints:
        click.echo(complaint)
    ctx.exit(1 if complaints else 0)


def load_tape(file: Path) -> Tape:
    """A tape that was named on the command line."""
    try:
        return read(file)
    except InvalidTape as error:
        raise UsageError(str(error)) from None


async def _replay(tape: Replay, file: Path, port: int, ready_file: Path | None) -> None:
    from fakeplat.tape.replay import serving
    from fakeplat.workbench.journal import Journal

    stopped = stop_signal()
    with no_port("127.0.0.1", port):
        listening = await serving.serve_tape(tape, Journal(), port)
    click.echo(f"fakeplat replays {file} ({len(tape.tape)} exchanges) at {listening.url}")
    with announce(ready_file, listening.url, None, None):
        await stopped.wait()
    await listening.close()
