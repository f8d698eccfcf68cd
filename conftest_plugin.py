"""The pytest plugin: fixtures, the marker and the options of fakeplat.

Installed, it is there. Nothing of fakeplat is imported until a fixture is used.

```python
def test_the_bot_stars_what_it_may_see(fakeplat):
    bot = gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev"))
    bot.projects.get("acme/site").star()
    assert fakeplat.world.project("acme/site").star_count == 1
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fakeplat.harness.fake import Fakeplat
    from fakeplat.harness.replayed import Replayed
    from fakeplat.harness.session import Session

_OPTIONS = (  # those of `fakeplat.harness.session`, which is not imported here; a test compares the two
    "scenario",
    "seed",
    "clock",
    "start",
    "tick",
    "base_url",
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
    "explain",
    "faults",
    "strict",
    "replay",
    "bundle",
)
_SESSION = pytest.StashKey["Session"]()
_ITEM = pytest.StashKey[pytest.Item]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the ini keys and the options."""
    group = parser.getgroup("fakeplat", "a fake source-hosting and CI platform")
    for name in _OPTIONS:
        parser.addini(f"fakeplat_{name}", f"fakeplat: {name.replace('_', ' ')}", default=None)
        group.addoption(f"--fakeplat-{name.replace('_', '-')}", dest=f"fakeplat_{name}", default=None, metavar="VALUE")
    parser.addini("fakeplat_scenarios", "fakeplat: folders of scenario files", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and the asynchronous fixture where something can run it."""
    config.addinivalue_line("markers", "fakeplat(scenario, seed, clock, tier, …): the options of the test's platform")
    if config.pluginmanager.hasplugin("asyncio"):
        from fakeplat.harness import client

        config.pluginmanager.register(client, "fakeplat_client")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop every server."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()


def _session(config: pytest.Config) -> Session:
    """Return the session's servers. They are no fixture: one of the session keeps a finalizer for each test."""
    session = config.stash.get(_SESSION, None)
    if session is None:
        from fakeplat.core.gc_pause import gc_paused

        with gc_paused():  # what is imported stays
            from fakeplat.harness.session import Session

        session = config.stash[_SESSION] = Session(config)
        if config.stash.get(_ITEM, None) is not None:
            session.begin(config.stash[_ITEM])
    return session


@pytest.fixture(scope="session")
def fakeplat_config() -> Mapping[str, Any]:
    """Default options; override it to set others."""
    return {}


@pytest.fixture
def fakeplat_client() -> None:
    """An aiohttp client of the test's world; needs a plugin that runs asynchronous tests."""
    raise pytest.UsageError("fakeplat_client needs pytest-aiohttp or pytest-asyncio; install one of them")


@pytest.fixture
def fakeplat(request: pytest.FixtureRequest, fakeplat_config: Mapping[str, Any]) -> Iterator[Fakeplat | Replayed]:
    """A platform of the test's own, or with ``replay`` a tape, served on a port of its own."""
    session = _session(request.config)
    from fakeplat.harness.session import marker_options

    subject = session.open(marker_options(request.node), fakeplat_config)
    yield subject
    session.stop(subject)


@pytest.fixture(scope="session")
def fakeplat_factory(
    request: pytest.FixtureRequest, fakeplat_config: Mapping[str, Any]
) -> Callable[..., Fakeplat | Replayed]:
    """Starts more platforms, or tapes; they live until they are stopped or the session ends."""

    def start(**asked: Any) -> Fakeplat | Replayed:
        return _session(request.config).open(asked, fakeplat_config)

    return start


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """Say which test is running. Its world is let go of once nothing will report of it."""
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
    """Warn of what the test's clients should not have sent; fail the test of it where it is strict."""
    try:
        result = yield
    except BaseException:
        _judge(item, failed=True)
        raise
    _judge(item, failed=False)
    return result


def _judge(item: pytest.Item, *, failed: bool) -> None:
    session = item.config.stash.get(_SESSION, None)
    if session is not None:
        session.judge(failed=failed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Put the requests, and the traceback of every bug of ours, into a failing test's report."""
    report = yield
    session = item.config.stash.get(_SESSION, None)
    if session is not None and (report.failed or call.when == "call"):
        report.sections += session.sections(failed=report.failed)
    return report
