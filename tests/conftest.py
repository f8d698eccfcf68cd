import gc
from collections.abc import Iterator
from zlib import crc32

import pytest
from hypothesis import settings

from fakeplat.platform import Platform
from tests.evidence import COLLECTED, FOLDER, SUITES, Collector
from tests.examples import FACTOR, examples
from tests.signals import SentSignals, record_signals

# The same examples in every run: evidence is generated from observations of the tests, and CI must not depend on luck.
# `make properties` tries others each time.
settings.register_profile("same", derandomize=FACTOR == 1, deadline=None, max_examples=examples(30))
settings.load_profile("same")

COLLECTOR = pytest.StashKey[Collector]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tenth", action="store_true", help="run a tenth of the tests, the same in each run")


def pytest_configure(config: pytest.Config) -> None:
    # Many tests send ignored or deprecated parameters on purpose; the tests of these warnings run their own sessions.
    config.addinivalue_line("filterwarnings", "ignore::fakeplat.FakeplatWarning")
    suite = SUITES.get(config.getoption("-m", default=""))
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    if suite is None or config.getoption("-k", default="") or config.getoption("--tenth"):
        return
    if worker == "main":
        for old_file in FOLDER.glob(f"{suite}-*.jsonl"):
            old_file.unlink()
    collector = Collector(FOLDER / f"{suite}-{worker}.jsonl")
    config.stash[COLLECTOR] = collector
    Platform.observer_factories.append(collector.observe)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--tenth"):
        deselected = [item for item in items if crc32(item.nodeid.encode()) % 10]
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if crc32(item.nodeid.encode()) % 10 == 0]


def pytest_collection_finish() -> None:
    # 20,000 collected tests need not be visited by each collection of garbage.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_unconfigure(config: pytest.Config) -> None:
    collector = config.stash.get(COLLECTOR, None)
    if collector is not None:
        collector.write()


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


@pytest.fixture
def sent_signals(monkeypatch: pytest.MonkeyPatch) -> SentSignals:
    """The signals that are sent from now on."""
    return record_signals(monkeypatch)
