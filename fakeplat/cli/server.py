"""A server that runs until it is told to stop."""

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import orjson

from fakeplat.cli.files import write_private
from fakeplat.cli.options import Unusable
from fakeplat.http.control import ROOT_TOKEN
from fakeplat.http.hall import Hall, Served
from fakeplat.workbench.bench import Bench

T = TypeVar("T")


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run on the fastest loop that is installed."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


@asynccontextmanager
async def opened(
    hall: Hall, bench: Bench, port: int, base_url: str | None, ready_file: Path | None
) -> AsyncIterator[Served]:
    """Serve a world, with its ready file, until the end of the block."""
    try:
        served = await hall.open(bench, port=port, base_url=base_url)
    except OSError as error:
        raise Unusable(f"cannot listen on {hall.host}:{port}: {error.strerror}") from None
    gc.freeze()  # the world as loaded stays; no collection needs to look at it again
    try:
        if ready_file is not None:
            _announce(ready_file, served)
        yield served
    finally:
        if ready_file is not None:
            _withdraw(ready_file)
        await hall.close_all()


def _announce(path: Path, served: Served) -> None:
    ready = {
        "url": served.url,
        "api_url": f"{served.url}/api/v4",
        "root_token": ROOT_TOKEN,
        "scenario": served.bench.scenario,
        "pid": os.getpid(),
    }
    try:
        write_private(path, orjson.dumps(ready).decode())
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from None


def _withdraw(path: Path) -> None:
    path.unlink(missing_ok=True)


def stop_signal() -> asyncio.Event:
    """Is set when the process is asked to end."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # some systems have no signal handlers on loops
            loop.add_signal_handler(number, stopped.set)
    return stopped
