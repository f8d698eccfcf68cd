"""`fakeplat replay`: serve a recording."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click

from fakeplat.cli.options import UsageError
from fakeplat.cli.output import print_event
from fakeplat.cli.server import announce, create_stop_event, reporting_port_errors, run_loop
from fakeplat.tape.formats.tape import InvalidTape, Tape, read
from fakeplat.tape.replay.replayer import Replay
from fakeplat.workbench.journal import Journal


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--strict", is_flag=True, help="Accept only the recorded order of requests; status 1 if any was not replayed."
)
@click.option("--deliveries", is_flag=True, help="Send the recorded deliveries to webhooks on this machine again.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port; 0, the default, selects a free one.")
@click.option("--ready-file", type=click.Path(path_type=Path), help="Written when the server is ready.")
@click.pass_context
def replay(ctx: click.Context, file: Path, strict: bool, deliveries: bool, port: int, ready_file: Path | None) -> None:
    """Serve a recording; credentials are not checked."""
    replayed = Replay(load_tape(file), strict=strict)
    run_loop(_replay(replayed, file, port, ready_file, with_deliveries=deliveries))
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


async def _replay(replayed: Replay, file: Path, port: int, ready_file: Path | None, *, with_deliveries: bool) -> None:
    from fakeplat.tape.replay import serving

    stopped = create_stop_event()
    with reporting_port_errors("127.0.0.1", port):
        listener = await serving.serve_tape(replayed, Journal(), port)
    click.echo(f"fakeplat replays {file} ({len(replayed.tape)} exchanges) at {listener.url}")
    async with _replay_deliveries(replayed, listener.url, is_wanted=with_deliveries):
        with announce(ready_file, listener.url, None, None):
            await stopped.wait()
    await listener.close()


@asynccontextmanager
async def _replay_deliveries(replayed: Replay, origin: str, *, is_wanted: bool) -> AsyncIterator[None]:
    """Send the deliveries of the tape during the block, and print how each ends."""
    if not is_wanted:
        yield
        return
    from fakeplat.tape.replay.delivery_replay import DeliveryReplay

    deliveries = DeliveryReplay(replayed.tape, origin)
    deliveries.log.observers.append(lambda delivery: print_event(repr(delivery), err=False))
    replayed.on_exchange = deliveries.follow
    try:
        yield
    finally:
        await deliveries.close()
