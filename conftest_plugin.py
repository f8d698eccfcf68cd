"""The pytest plugin of fakeplat: its fixtures, its marker and its options.

pytest loads it when fakeplat is installed. The rest of fakeplat is imported when a fixture is used.

```python
def test_the_bot_stars_what_it_may_see(fakeplat):
    bot = gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev"))
    bot.projects.get("acme/site").star()
    assert fakeplat.world.project("acme/site").star_count == 1
```
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fakeplat.harness.fake import Fakeplat
    from fakeplat.harness.replayed import ReplayedTape
    from fakeplat.harness.session import Session


class _PlainFinder:
    """Imports fakeplat as without pytest, which would parse all its modules again to rewrite their assertions."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "fakeplat" else None


# pytest does this to every module of a distribution that has a plugin. fakeplat's modules contain no assertions.
sys.meta_path.insert(0, _PlainFinder)

_OPTIONS = (  # a copy of those in `fakeplat.harness.session`, which is not imported here; a test compares the two
    "scenario",
    "seed",
    "clock",
    "start",
    "tick",
    "base_url",
    "port",
    "listen",
    "version",
    "tier",
    "hosted",
    "wire_names",
    "default_branch",
    "product_name",
    "impersonation",
    "throttle",
    "merge_check",
    "newer",
    "documented",
    "email_subject_suffix",
    "explain",
    "allow_egress",
    "faults",
    "pipelines",
    "strict",
    "lint",
    "replay",
    "bundle",
)
_SESSION = pytest.StashKey["Session"]()
_ITEM = pytest.StashKey[pytest.Item]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the ini keys and the command line options."""
    group = parser.getgroup("fakeplat", "a fake source-hosting and CI platform")
    for name in _OPTIONS:
        parser.addini(f"fakeplat_{name}", f"fakeplat: {name.replace('_', ' ')}", default=None)
        group.addoption(f"--fakeplat-{name.replace('_', '-')}", dest=f"fakeplat_{name}", default=None, metavar="VALUE")
    group.addoption("--fakeplat-sweep", action="store_true", help="repeat tests marked fakeplat_sweep with faults")
    group.addoption("--fakeplat-evidence", metavar="FILE", help="write what the tests exercised (.json or .html)")
    parser.addini("fakeplat_scenarios", "fakeplat: folders of scenario files", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the asynchronous fixture if a plugin can run it."""
    config.addinivalue_line("markers", "fakeplat(scenario, seed, clock, tier, …): the options of the test's platform")
    config.addinivalue_line("markers", "fakeplat_sweep: with --fakeplat-sweep, repeat the test with faults")
    if config.getoption("fakeplat_sweep"):
        from fakeplat.harness.sweep import SweepPlugin

        config.pluginmanager.register(SweepPlugin(lambda: _session(config)), "fakeplat_sweep")
    if config.getoption("fakeplat_evidence"):
        from fakeplat.harness.evidence import EvidencePlugin

        file = config.rootpath / config.getoption("fakeplat_evidence")
        config.pluginmanager.register(EvidencePlugin(config, lambda: _session(config), file), "fakeplat_evidence")
    if config.pluginmanager.hasplugin("asyncio"):
        from fakeplat.harness import client

        config.pluginmanager.register(client, "fakeplat_client")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop every server."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()


def _session(config: pytest.Config) -> Session:
    """Return the session. It is not a fixture, because a session fixture collects a finalizer for each test."""
    session = config.stash.get(_SESSION, None)
    if session is None:
        from fakeplat.core.gc_pause import gc_paused

        with gc_paused():  # imported modules are never garbage
            from fakeplat.harness.session import Session

        session = config.stash[_SESSION] = Session(config)
        # The session is created in the middle of a test, after the hook that announces the test to it.
        if config.stash.get(_ITEM, None) is not None:
            session.begin(config.stash[_ITEM])
    return session


@pytest.fixture(scope="session")
def fakeplat_config() -> Mapping[str, Any]:
    """Default options; override this fixture to change them."""
    return {}


@pytest.fixture
def fakeplat_client() -> None:
    """An aiohttp client of the test's world; needs a plugin that runs asynchronous tests."""
    raise pytest.UsageError("fakeplat_client needs pytest-aiohttp or pytest-asyncio; install one of them")


@pytest.fixture
def fakeplat(request: pytest.FixtureRequest, fakeplat_config: Mapping[str, Any]) -> Iterator[Fakeplat | ReplayedTape]:
    """A platform (or, with ``replay``, a tape) for this test only, served on its own port."""
    session = _session(request.config)
    from fakeplat.harness.session import marker_options

    subject = session.open(marker_options(request.node), fakeplat_config)
    yield subject
    session.stop(subject)


@pytest.fixture(scope="session")
def fakeplat_factory(
    request: pytest.FixtureRequest, fakeplat_config: Mapping[str, Any]
) -> Callable[..., Fakeplat | ReplayedTape]:
    """A function that starts more platforms or tapes; they run until they are stopped or the session ends."""

    def start(**options: Any) -> Fakeplat | ReplayedTape:
        return _session(request.config).open(options, fakeplat_config)

    return start


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """Tell the session which test is running. The test's world is discarded only after its last report."""
    item.config.stash[_ITEM] = item
    session = item.config.stash.get(_SESSION, None)
    if session is not None:
        session.begin(item)
    try:
        return (yield)
    finally:
        del item.config.stash[_ITEM]
        session = item.config.stash.get(_SESSION, None)
        if session is not None:
            session.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Warn about what the test's clients should not have sent; in strict mode, fail the test."""
    try:
        result = yield
    except BaseException:
        _check(item, failed=True)
        raise
    _check(item, failed=False)
    return result


def _check(item: pytest.Item, *, failed: bool) -> None:
    session = item.config.stash.get(_SESSION, None)
    if session is not None:
        session.check(failed=failed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Add the requests, and the tracebacks of bugs in fakeplat, to the report of a failing test."""
    report = yield
    session = item.config.stash.get(_SESSION, None)
    if session is not None and (report.failed or call.when == "call"):
        report.sections += session.report_sections(failed=report.failed)
    return report
