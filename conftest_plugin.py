"""The pytest plugin of fakeplat: a platform of its own for every test that asks for one.

Fixtures: `fakeplat`, `fakeplat_client`, `fakeplat_factory`, `fakeplat_config`; marker `fakeplat`; an ini key
`fakeplat_…` and an option `--fakeplat-…` for each option. Marker beats `fakeplat_config` beats command line
beats ini. Nothing of the package is imported before a fixture is used. Source: contract, 'pytest'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakeplat.harness.fake import Fakeplat, Harness
    from fakeplat.workbench.options import Options

_WORLD = ("scenario", "seed", "clock", "start", "tick", "base_url")
_INSTANCE = (
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
)
_OPTIONS = (*_WORLD, *_INSTANCE)
_FAKE = pytest.StashKey["Fakeplat"]()


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


@pytest.fixture(scope="session")
def fakeplat_config() -> Mapping[str, Any]:
    """Default options; override it to set others."""
    return {}


@pytest.fixture
def fakeplat_client() -> None:
    """An aiohttp client of the test's world; needs a plugin that runs asynchronous tests."""
    raise pytest.UsageError("fakeplat_client needs pytest-aiohttp or pytest-asyncio; install one of them")


@pytest.fixture(scope="session")
def _fakeplat_harness() -> Iterator[Harness]:
    from fakeplat.harness.fake import Harness

    harness = Harness()
    yield harness
    harness.close()


@pytest.fixture
def fakeplat(
    request: pytest.FixtureRequest, _fakeplat_harness: Harness, fakeplat_config: Mapping[str, Any]
) -> Iterator[Fakeplat]:
    """A platform of the test's own, served on a port of its own."""
    chosen = {**_defaults(request.config), **fakeplat_config, **_marked(request.node)}
    folder = Path(request.node.path).parent
    fake = _fakeplat_harness.start(_options(request.config, chosen, folder), base_url=chosen.get("base_url"))
    request.node.stash[_FAKE] = fake
    yield fake
    _fakeplat_harness.stop(fake)


@pytest.fixture(scope="session")
def fakeplat_factory(request: pytest.FixtureRequest, _fakeplat_harness: Harness) -> Callable[..., Fakeplat]:
    """Starts more platforms; they live until the session ends."""

    def start(**chosen: Any) -> Fakeplat:
        given = {**_defaults(request.config), **chosen}
        options = _options(request.config, given, Path.cwd())
        return _fakeplat_harness.start(options, base_url=given.get("base_url"))

    return start


def _defaults(config: pytest.Config) -> dict[str, Any]:
    found = {}
    for name in _OPTIONS:
        text = config.getoption(f"fakeplat_{name}") or config.getini(f"fakeplat_{name}")
        if text:
            found[name] = _value(name, text)
    return found


def _value(name: str, text: str) -> Any:
    """An option's text as its value; paths, names and times are text themselves."""
    if name not in ("seed", "hosted", "impersonation", "newer", "throttle", "merge_check"):
        return text
    from json import JSONDecodeError, loads

    try:
        return loads(text)
    except JSONDecodeError:
        return text


def _marked(node: pytest.Item) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for marker in node.iter_markers("fakeplat"):
        if marker.args:
            raise pytest.UsageError("the marker fakeplat takes its options by name")
        found = {**marker.kwargs, **found}
    return found


def _options(config: pytest.Config, chosen: Mapping[str, Any], folder: Path) -> Options:
    from fakeplat.workbench.options import Options, UnusableOption, refuse_unknown

    try:
        refuse_unknown(chosen, _OPTIONS, "fakeplat")
        return Options(
            scenario=_scenario(chosen.get("scenario", "starter"), folder),
            seed=chosen.get("seed"),
            instance={name: chosen[name] for name in _INSTANCE if name in chosen},
            clock=_clock(chosen),
            usual="auto",
            folders=tuple(config.getini("fakeplat_scenarios")),
        )
    except UnusableOption as error:
        raise pytest.UsageError(str(error)) from None


def _clock(chosen: Mapping[str, Any]) -> dict[str, Any]:
    clock = chosen.get("clock", {})
    given = {"kind": clock} if isinstance(clock, str) else dict(clock)
    return given | {name: chosen[name] for name in ("start", "tick") if name in chosen}


def _scenario(wanted: Any, folder: Path) -> Any:
    """A scenario's file is looked for in the test's folder; anything else is a name or the scenario itself."""
    if isinstance(wanted, str | Path) and (folder / wanted).is_file():
        return folder / wanted
    return wanted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Put the journal, and the traceback of every bug of ours, into a failing test's report."""
    report = yield
    fake = item.stash.get(_FAKE, None)
    if fake is not None and report.failed:
        report.sections.append(("fakeplat requests", repr(fake.requests)))
        report.sections += [("a bug in fakeplat", text) for text in fake.bench.platform.failures]
    return report
