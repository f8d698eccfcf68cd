"""The pytest plugin of fakeplat: a platform of its own for every test that asks for one.

Fixtures: `fakeplat`, `fakeplat_client`, `fakeplat_factory`, `fakeplat_config`; marker `fakeplat`; an ini key
`fakeplat_…` and an option `--fakeplat-…` for each option. Marker beats `fakeplat_config` beats command line
beats ini. Nothing of the package is imported before a fixture is used. Source: contract, 'pytest'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakeplat.harness.fake import Fakeplat, Harness
    from fakeplat.harness.replayed import Replayed
    from fakeplat.tape.format import Tape
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
    "documented",
)
_BENCH = ("explain", "faults", "strict")
_OPTIONS = (*_WORLD, *_INSTANCE, *_BENCH, "replay", "bundle")
_JSON = ("seed", "hosted", "impersonation", "newer", "documented", "throttle", "merge_check", *_BENCH)
_FAKE = pytest.StashKey["Fakeplat"]()
_STRICT = pytest.StashKey[bool]()
_REPLAYED = pytest.StashKey["Replayed"]()


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
    from fakeplat.core.bulk import no_collection

    with no_collection():  # what is imported stays
        from fakeplat.harness.fake import Harness

    harness = Harness()
    yield harness
    harness.close()


@pytest.fixture
def fakeplat(
    request: pytest.FixtureRequest, _fakeplat_harness: Harness, fakeplat_config: Mapping[str, Any]
) -> Iterator[Fakeplat | Replayed]:
    """A platform of the test's own, or with ``replay`` a tape, served on a port of its own."""
    chosen = {**_defaults(request.config), **fakeplat_config, **_marked(request.node)}
    folder = Path(request.node.path).parent
    if chosen.get("replay"):
        tape = _tape(chosen, folder, request.config.rootpath)
        replayed = _fakeplat_harness.replay(tape, strict=bool(chosen.get("strict")))
        request.node.stash[_REPLAYED] = replayed
        yield replayed
        _fakeplat_harness.withdraw(replayed)
        return
    marked = _marked(request.node)
    if "bundle" in marked:
        fake = _resumed(_fakeplat_harness, marked, folder)
    else:
        fake = _started(_fakeplat_harness, _options(request.config, chosen, folder), chosen.get("base_url"))
    request.node.stash[_FAKE] = fake
    request.node.stash[_STRICT] = bool(chosen.get("strict"))
    yield fake
    _fakeplat_harness.stop(fake)


@pytest.fixture(scope="session")
def fakeplat_factory(request: pytest.FixtureRequest, _fakeplat_harness: Harness) -> Callable[..., Fakeplat | Replayed]:
    """Starts more platforms, or tapes; they live until the session ends."""

    def start(**chosen: Any) -> Fakeplat | Replayed:
        given = {**_defaults(request.config), **chosen}
        if given.get("replay"):
            return _fakeplat_harness.replay(_tape(given, Path.cwd()), strict=bool(given.get("strict")))
        options = _options(request.config, given, Path.cwd())
        return _started(_fakeplat_harness, options, given.get("base_url"))

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
    if name not in _JSON:
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
    from fakeplat.workbench.keywords import UnusableOption, refuse_unknown
    from fakeplat.workbench.options import Options

    try:
        refuse_unknown(chosen, _OPTIONS, "fakeplat")
        return Options(
            scenario=_scenario(chosen.get("scenario", "starter"), folder),
            seed=chosen.get("seed"),
            instance={name: chosen[name] for name in _INSTANCE if name in chosen},
            clock=_clock(chosen),
            usual="auto",
            folders=tuple(config.getini("fakeplat_scenarios")),
            explain=bool(chosen.get("explain")),
            faults=_faults(chosen.get("faults", ())),
        )
    except UnusableOption as error:
        raise pytest.UsageError(str(error)) from None


def _started(harness: Harness, options: Options, base_url: str | None) -> Fakeplat:
    from fakeplat.workbench.keywords import UnusableOption
    from fakeplat.workbench.naming import NoSuchOperation

    try:
        return harness.start(options, base_url=base_url)
    except (UnusableOption, NoSuchOperation) as error:
        raise pytest.UsageError(str(error)) from None


def _faults(given: Any) -> list[Mapping[str, Any]]:
    if not isinstance(given, list | tuple) or not all(isinstance(fault, Mapping) for fault in given):
        raise pytest.UsageError("fakeplat: faults are a list of declarations")
    return list(given)


def _tape(chosen: Mapping[str, Any], *folders: Path) -> Tape:
    """The tape to replay: a file in the test's folder, or below the root of the tests."""
    from fakeplat.tape.format import UnusableTape, read
    from fakeplat.workbench.keywords import UnusableOption, refuse_unknown

    places = [folder / str(chosen["replay"]) for folder in folders]
    try:
        refuse_unknown(chosen, _OPTIONS, "fakeplat")
        return read(next((place for place in places if place.is_file()), places[0]))
    except (UnusableTape, UnusableOption) as error:
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


def _resumed(harness: Harness, marked: Mapping[str, Any], folder: Path) -> Fakeplat:
    """The world of a bundle, where its test had come to; the bundle says all options."""
    from fakeplat.harness.bundle import UnusableBundle, read
    from fakeplat.workbench.keywords import UnusableOption

    others = [name for name in marked if name not in ("bundle", "strict")]
    if others:
        raise pytest.UsageError(f"fakeplat: a bundle has options of its own; leave {', '.join(others)} out")
    try:
        return harness.resume(read(folder / str(marked["bundle"])), str(marked["bundle"]))
    except (UnusableBundle, UnusableOption) as error:
        raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """Let go of the test's world once nothing will report of it: the session keeps its items until it ends."""
    try:
        return (yield)
    finally:
        for key in (_FAKE, _REPLAYED):
            if key in item.stash:
                del item.stash[key]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Warn of what the test's clients should not have sent; fail the test of it where it is strict."""
    try:
        result = yield
    except BaseException:
        _judged(item, failed=True)
        raise
    _judged(item, failed=False)
    return result


def _judged(item: pytest.Item, *, failed: bool) -> None:
    replayed = item.stash.get(_REPLAYED, None)
    if replayed is not None and not failed:
        replayed.judge()
    fake = item.stash.get(_FAKE, None)
    if fake is None:
        return
    from fakeplat.harness import verdict

    file, line, _ = item.location
    if failed:
        verdict.tell(fake, file, (line or 0) + 1)
    else:
        verdict.judge(fake, file, (line or 0) + 1, strict=item.stash[_STRICT])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Put the journal, and the traceback of every bug of ours, into a failing test's report."""
    report = yield
    fake = item.stash.get(_FAKE, None)
    if fake is not None and report.failed:
        report.sections.append(("fakeplat requests", repr(fake.requests)))
        report.sections += [("a bug in fakeplat", text) for text in fake.bench.platform.failures]
        report.sections += _bundled(item, fake)
    replayed = item.stash.get(_REPLAYED, None)
    if replayed is not None and report.failed:
        report.sections.append(("fakeplat requests", repr(replayed.requests)))
    return report


def _bundled(item: pytest.Item, fake: Fakeplat) -> list[tuple[str, str]]:
    """Write the bundle of a failing test where that was asked for, and say where it is."""
    place = item.config.getoption("fakeplat_bundle") or item.config.getini("fakeplat_bundle")
    if not place:
        return []
    from fakeplat.harness.bundle import bundled

    path = item.config.rootpath / place
    if path.suffix != ".json":
        path = path / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', item.nodeid)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bundled(fake, item.nodeid))
    return [("fakeplat bundle", f"fakeplat bundle run {path}")]
