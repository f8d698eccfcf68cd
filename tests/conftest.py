from collections.abc import Iterator

import pytest
from hypothesis import settings

from fakeplat.platform import Platform
from tests.evidence import COLLECTED, FOLDER, SUITES, Collector

# The same examples in every run: evidence is generated from observations of the tests, and CI must not depend on luck.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

COLLECTOR = pytest.StashKey[Collector]()


def pytest_configure(config: pytest.Config) -> None:
    # Many tests send ignored or deprecated parameters on purpose; the tests of these warnings run their own sessions.
    config.addinivalue_line("filterwarnings", "ignore::fakeplat.FakeplatWarning")
    suite = SUITES.get(config.getoption("-m", default=""))
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    if suite is None or config.getoption("-k", default=""):
        return
    if worker == "main":
        for old_file in FOLDER.glob(f"{suite}-*.jsonl"):
            old_file.unlink()
    collector = Collector(FOLDER / f"{suite}-{worker}.jsonl")
    config.stash[COLLECTOR] = collector
    Platform.observer_factories.append(collector.observe)


def pytest_unconfigure(config: pytest.Config) -> None:
    collector = config.stash.get(COLLECTOR, None)
    if collector is not None:
        collector.write()


@pytest.fixture(autouse=True)
def _evidence(request: pytest.FixtureRequest) -> Iterator[None]:
    collector = request.config.stash.get(COLLECTOR, None)
    if collector is not None and request.node.nodeid.startswith(COLLECTED):
        collector.test = request.node.nodeid
    yield
    if collector is not None:
        collector.test = None
