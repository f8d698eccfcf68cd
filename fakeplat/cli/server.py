"""Running a server with its tape and ready file until the process is stopped."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeVar

import click
import orjson
from click.core import ParameterSource

from fakeplat.cli.files import write_private
from fakeplat.cli.options import IncompleteOutput, UsageError
from fakeplat.cli.output import print_event
from fakeplat.core.extras import explain_missing, is_installed
from fakeplat.core.gc_pause import collect_when_idle
from fakeplat.core.store.frozen import frozen
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.options import ROOT_TOKEN

if TYPE_CHECKING:
    from fakeplat.http.ssh.server import SshServer
    from fakeplat.tape.record.recorder import TapeFile

T = TypeVar("T")
_CHUNK: Final = 4096
_SHARED_OPTIONS: Final = frozenset(
    (
        *("host", "allow_host", "allow_egress", "log", "control_key_file", "journal_size", "journal_bodies"),
        *("idle_timeout", "head_timeout", "body_timeout", "max_headers", "max_connections"),
    )
)
"""Options of `fakeplat serve` that hold for all its worlds, whichever process serves them."""


@frozen
class Recording:
    """The tape of a server: its path, None for no tape, and whether it has the deliveries to webhooks."""

    path: Path | None = None
    with_deliveries: bool = False


def run_loop(main: Coroutine[object, None, T]) -> T:
    """Run a coroutine on uvloop if it is installed."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


@asynccontextmanager
async def open_world(
    server: WorldServer,
    bench: Workbench,
    port: int,
    base_url: str | None,
    recording: Recording,
) -> AsyncIterator[RunningWorld]:
    """Serve a world, with its tape, until the end of the block."""
    with reporting_port_errors(server.host, port):
        try:
            world = await server.open(bench, port=port, base_url=base_url)
        except InvalidOption as error:
            raise UsageError(str(error)) from None
    collector = asyncio.create_task(collect_when_idle(server.count_requests))
    try:
        with record_world(world, recording):
            yield world
            await server.close_all()  # closed before the tape, so responses sent until then are on it
    finally:
        collector.cancel()
        await server.close_all()


async def open_ssh(server: WorldServer, world: RunningWorld, port: int | None) -> "SshServer | None":
    """Serve a world over SSH, too, unless the port is None."""
    if port is None:
        return None
    if not is_installed("ssh"):
        raise UsageError(explain_missing("ssh"))
    with reporting_port_errors(server.host, port):
        return await server.open_ssh(world, port)


@asynccontextmanager
async def executing(world: RunningWorld, *, is_wanted: bool) -> AsyncIterator[None]:
    """Run the scripts of jobs during the block, if that is wanted; UsageError where that is not possible."""
    if not is_wanted:
        yield
        return
    from fakeplat.cli.executor import execute_jobs

    async with execute_jobs(world):
        yield


@asynccontextmanager
async def serving_by_workers(server: WorldServer, world: RunningWorld, count: int) -> AsyncIterator[None]:
    """Serve the worlds that are opened during the block in worker processes, unless their number is 0."""
    if not count:
        yield
        return
    from fakeplat.http.workers import WorkerFailed, WorkerPool

    arguments = _list_shared_arguments(click.get_current_context())
    pool = WorkerPool(arguments, world.listener.url, server.key, server.ids, print_event)
    server.workers = pool
    try:
        await pool.start(count)
        yield
    except WorkerFailed as error:
        raise UsageError(f"--workers: {error}") from None
    finally:
        await pool.stop()


def _list_shared_arguments(context: click.Context) -> list[str]:
    """Return the given options that hold for all worlds of a server, as arguments of its workers."""
    arguments = []
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if not given or option.name not in _SHARED_OPTIONS:
            continue
        value = context.params[option.name]
        values = value if isinstance(value, tuple) else (value,)
        arguments += [option.opts[0] if one is True else f"{option.opts[0]}={one}" for one in values]
    return arguments


@contextmanager
def record_world(world: RunningWorld, recording: Recording) -> Iterator[None]:
    """Record the requests (and the deliveries) during the block to a tape; without a path, do nothing."""
    if recording.path is None:
        yield
        return
    from fakeplat.tape.record.platform_recorder import record_platform

    platform, scenario, write_barrier = world.bench.platform, world.bench.scenario, world.listener.write_barrier
    file = create_tape_file(recording.path)
    recorder = record_platform(platform, file, world.url, scenario, is_deferred=True)
    # One write per iteration of the event loop, before its responses are sent: what a client received is on the tape.
    write_barrier.before = recorder.write
    if recording.with_deliveries:
        world.bench.deliveries.observers.append(recorder.record_delivery)
    try:
        yield
    finally:
        write_barrier.before = None
        if recording.with_deliveries:
            world.bench.deliveries.observers.clear()
        recorder.close()
    check_tape_complete(file)


def create_tape_file(path: Path) -> "TapeFile":
    """Create a tape; UsageError if it cannot be written."""
    from fakeplat.tape.record.recorder import TapeFile

    try:
        return TapeFile(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def check_tape_complete(file: "TapeFile") -> None:
    """Raise IncompleteOutput if the tape could not be written completely."""
    if file.error:
        raise IncompleteOutput(file.error)


@contextmanager
def reporting_port_errors(host: str, port: int) -> Iterator[None]:
    """Turn an error in binding a port into a UsageError."""
    try:
        yield
    except OSError as error:
        reason = str(error.strerror).partition(":")[0]
        raise UsageError(f"cannot listen on {host}:{port}: {reason}; --port 0 selects a free one") from None


@contextmanager
def announce(
    path: Path | None,
    url: str,
    token: str | None,
    scenario: str | None,
    listen_url: str | None = None,
    ssh: "SshServer | None" = None,
) -> Iterator[None]:
    """Write a ready file, and remove it after the block. ``listen_url``: the address listened on, if not ``url``."""
    if path is None:
        yield
        return
    content = {
        "url": url,
        **({} if listen_url in (None, url) else {"listen_url": listen_url}),
        "api_url": f"{url}/api/v4",
        **({} if ssh is None else {"ssh_url": ssh.url, "ssh_host_key": ssh.host_key}),
        "root_token": token,
        "scenario": scenario,
        "pid": os.getpid(),
    }
    try:
        write_private(path, orjson.dumps(content).decode())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def announce_world(
    path: Path | None, world: RunningWorld, ssh: "SshServer | None" = None
) -> AbstractContextManager[None]:
    """Announce a served world; what is to be printed at the start is printed before, as callers wait for the file."""
    return announce(path, world.url, ROOT_TOKEN, world.bench.scenario, world.listener.url, ssh)


def create_stop_event() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # event loops on Windows have no signal handlers
            loop.add_signal_handler(number, stopped.set)
    return stopped


def set_at_eof(event: asyncio.Event) -> None:
    """Set the event at the end of standard input, whose content is ignored."""
    loop = asyncio.get_running_loop()

    def wait() -> None:
        # Not sys.stdin: a thread that reads from it holds a lock that the end of the process needs.
        with suppress(OSError):
            while os.read(0, _CHUNK):
                pass
        with suppress(RuntimeError):  # the loop is closed: the server has stopped already
            loop.call_soon_threadsafe(event.set)

    Thread(target=wait, daemon=True).start()
