"""A server that runs until it is told to stop."""

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson

from fakeplat.cli.files import write_private
from fakeplat.cli.options import IncompleteOutput, UsageError
from fakeplat.http.control.worlds import ROOT_TOKEN
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import InvalidOption

if TYPE_CHECKING:
    from fakeplat.tape.record.recorder import TapeFile

T = TypeVar("T")
_SELDOM: Final = (50_000, 20, 20)
"""How often garbage is looked for: what requests leave behind hangs together in no circles and goes by itself."""


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run on the fastest loop that is installed."""
    with asyncio.Runner(loop_factory=_fastest_loop()) as runner:
        return runner.run(main)


def _fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


@asynccontextmanager
async def open_world(
    hall: WorldServer,
    bench: Workbench,
    port: int,
    base_url: str | None,
    ready_file: Path | None,
    tape: Path | None = None,
) -> AsyncIterator[RunningWorld]:
    """Serve a world, with its tape and its ready file, until the end of the block."""
    with no_port(hall.host, port):
        try:
            served = await hall.open(bench, port=port, base_url=base_url)
        except InvalidOption as error:
            raise UsageError(str(error)) from None
    gc.freeze()  # the world as loaded stays; no collection needs to look at it again
    gc.set_threshold(*_SELDOM)
    try:
        with record_world(served, tape):
            with announce(ready_file, served.url, ROOT_TOKEN, bench.scenario, served.listening.url):
                yield served
            await hall.close_all()  # what is answered until then is on the tape
    finally:
        await hall.close_all()


@contextmanager
def record_world(served: RunningWorld, path: Path | None) -> Iterator[None]:
    """A tape of what is asked during the block."""
    if path is None:
        yield
        return
    from fakeplat.tape.record.platform_recorder import record_platform

    platform, scenario, departures = served.bench.platform, served.bench.scenario, served.listening.departures
    file = tape_file(path)
    witness = record_platform(platform, file, served.url, scenario, is_told_when=True)
    departures.before = witness.write  # so all of a turn is written at once, and what is answered is on the tape
    try:
        yield
    finally:
        departures.before = None
        witness.close()
    check_recorded(file)


def tape_file(path: Path) -> "TapeFile":
    """A new tape."""
    from fakeplat.tape.record.recorder import TapeFile

    try:
        return TapeFile(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def check_recorded(file: "TapeFile") -> None:
    """Incomplete if the disk took no more before the session ended."""
    if file.error:
        raise IncompleteOutput(file.error)


@contextmanager
def no_port(host: str, port: int) -> Iterator[None]:
    """A port that cannot be had is told in one line."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror}") from None


@contextmanager
def announce(
    path: Path | None, url: str, token: str | None, scenario: str | None, listen_url: str | None = None
) -> Iterator[None]:
    """A ready file for as long as the block lasts. ``listen_url`` is where the server listens, if not at ``url``."""
    if path is None:
        yield
        return
    ready = {
        "url": url,
        **({} if listen_url in (None, url) else {"listen_url": listen_url}),
        "api_url": f"{url}/api/v4",
        "root_token": token,
        "scenario": scenario,
        "pid": os.getpid(),
    }
    try:
        write_private(path, orjson.dumps(ready).decode())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def stop_signal() -> asyncio.Event:
    """Is set when the process is asked to end."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # some systems have no signal handlers on loops
            loop.add_signal_handler(number, stopped.set)
    return stopped
