import gc
import socket
from collections.abc import Iterator
from random import SystemRandom
from typing import Any, Unpack
from zlib import crc32

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from fakeplat.harness.keywords import FixtureKeywords
from fakeplat.harness.session import Factory, Subject
from fakeplat.platform import Platform
from tests.evidence import COLLECTED, FOLDER, Collector, find_suite, remove_files
from tests.examples import FACTOR, examples
from tests.signals import SentSignals, record_signals

# The same examples in every run: evidence is generated from observations of the tests, and CI must not depend on luck.
# `make properties` tries others each time.
settings.register_profile("same", derandomize=FACTOR == 1, deadline=None, max_examples=examples(30))
settings.load_profile("same")

PARSING = "tests/architecture/"

# Listeners on port 0 get higher ports, so none of them takes one of these before the test that asked for it.
PORTS = range(20_000, 30_000)

COLLECTOR = pytest.StashKey[Collector]()
SUITE = pytest.StashKey[str | None]()
FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tenth", action="store_true", help="run a tenth of the tests, the same in each run")


def pytest_configure(config: pytest.Config) -> None:
    # Many tests send ignored or deprecated parameters on purpose; the tests of these warnings run their own sessions.
    config.addinivalue_line("filterwarnings", "ignore::fakeplat.FakeplatWarning")
    suite = config.stash[SUITE] = find_suite(config)
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    if suite is None:
        return
    if worker == "main":
        remove_files(suite)
    collector = Collector(FOLDER / f"{suite}-{worker}.jsonl")
    config.stash[COLLECTOR] = collector
    Platform.observer_factories.append(collector.observe)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    # What is collected stays, so that looking for garbage would find none.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--tenth"):
        deselected = [item for item in items if crc32(item.nodeid.encode()) % 10]
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if crc32(item.nodeid.encode()) % 10 == 0]


def pytest_collection_finish() -> None:
    # 40,000 collected tests need not be visited by each collection of garbage.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


class Scheduling(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """The tests of a file run in one worker. So do those that parse all sources, which takes seconds."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = PARSING if nodeid.startswith(PARSING) else super()._split_scope(nodeid)
        return scope


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    # A worker gets the paths of the tests as arguments, so it cannot tell whether they are all.
    node.workerinput["suite"] = node.config.stash[SUITE]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[FAILED] = exitstatus != pytest.ExitCode.OK


def pytest_unconfigure(config: pytest.Config) -> None:
    collector = config.stash.get(COLLECTOR, None)
    if collector is not None:
        collector.write()
    suite = config.stash.get(SUITE, None)
    # What a failed test did not come to is not observed. The workers have written their files by now.
    if suite is not None and config.stash.get(FAILED, True) and not hasattr(config, "workerinput"):
        remove_files(suite)


@pytest.fixture(autouse=True)
def _evidence(request: pytest.FixtureRequest) -> Iterator[None]:
    collector = request.config.stash.get(COLLECTOR, None)
    # Which examples a property is tried with is no fact about an operation.
    is_property = request.node.get_closest_marker("hypothesis") is not None
    if collector is not None and request.node.nodeid.startswith(COLLECTED) and not is_property:
        collector.test = request.node.nodeid
    yield
    if collector is not None:
        collector.test = None


@pytest.fixture(scope="module")
def fakeplat_factory(fakeplat_factory: Factory) -> Iterator[Factory]:
    """The same function; its worlds are stopped after the module, as each test looks at all that are running."""
    worlds: list[Subject] = []

    def start(**options: Unpack[FixtureKeywords]) -> Subject:
        worlds.append(fakeplat_factory(**options))
        return worlds[-1]

    yield start
    for world in worlds:
        world.stop()


@pytest.fixture
def sent_signals(monkeypatch: pytest.MonkeyPatch) -> SentSignals:
    """The signals that are sent from now on."""
    return record_signals(monkeypatch)


@pytest.fixture
def unused_tcp_port() -> int:
    """A port on which nothing listens."""
    # By chance, as other workers take ports of the same range.
    return next(filter(_is_unused, SystemRandom().sample(PORTS, 100)))


def _is_unused(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
