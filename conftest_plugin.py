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
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from types import ModuleType
    from typing import Unpack

    from fakeplat.harness.fake import Fakeplat
    from fakeplat.harness.keywords import FixtureKeywords
    from fakeplat.harness.release_matrix import ReleaseMatrix
    from fakeplat.harness.replayed import ReplayedTape
    from fakeplat.harness.session import Factory, Session


class _PlainFinder:
    """Imports fakeplat as without pytest, which would parse all its modules again to rewrite their assertions."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.partition(".")[0] == "fakeplat" else None


# Pytest does this to every module of a distribution that has a plugin. fakeplat's modules contain no assertions.
sys.meta_path.insert(0, _PlainFinder)


class Option(NamedTuple):
    """A keyword of the marker, which is also an ini key and a command-line option.

    ``example`` is the Python literal for the marker; the page docs/options.md is generated from these declarations.
    """

    description: str
    type: str
    default: str
    example: str


# Here and not in `fakeplat.harness.session`, which is imported only when it is needed; a test compares the two.
OPTIONS = {
    "scenario": Option(
        "The initial world: the name of a scenario, a YAML or JSON file (looked up beside the test, then in the root"
        " folder), or in the marker a dict.",
        "name, file or dict",
        "starter",
        '"worlds/shop.yaml"',
    ),
    "seed": Option(
        "Number that all random values of the world are derived from.", "whole number", "the scenario's", "7"
    ),
    "clock": Option(
        "Kind of the world's clock: real, virtual or auto (virtual, and polling a single record moves it).",
        "real, virtual, auto",
        "the scenario's, else auto",
        '"virtual"',
    ),
    "start": Option(
        "Time at which the world starts.", "ISO 8601 time", "2020-11-20T09:00:00Z", '"2021-06-01T12:00:00Z"'
    ),
    "tick": Option(
        "Time by which each writing request advances a virtual clock.", "milliseconds or duration", "1", '"1s"'
    ),
    "base_url": Option(
        "Origin of all URLs in responses; clients still connect to fakeplat.listen_url.",
        "URL",
        "the URL of the server",
        '"https://git.example.test"',
    ),
    "port": Option(
        "Port of the server; a fixed one keeps the URLs in snapshot tests equal.", "whole number", "0: any", "8123"
    ),
    "listen": Option(
        "Whether the world has a port; without one, use it inside the process.", "true or false", "true", "False"
    ),
    "version": Option(
        "Release of the platform, from 13.5 on, or latest; it decides the operations, parameters and fields.",
        "text",
        "13.5.1",
        '"17.11"',
    ),
    "beyond": Option("Serve the latest release under a version that is newer.", "true or false", "false", "True"),
    "tier": Option(
        "Tier of the instance, which enables paid features.", "free, premium, ultimate", "free", '"premium"'
    ),
    "hosted": Option(
        "Whether the instance is the hosted offering, with plans of namespaces.", "true or false", "false", "True"
    ),
    "wire_names": Option(
        "Names of fields that have two names: the neutral ones, the vendor's, or both.",
        "both, neutral, vendor",
        "both",
        '"vendor"',
    ),
    "default_branch": Option("Name of the default branch of new repositories.", "text", "master", '"main"'),
    "product_name": Option("Name of the product in texts such as e-mails.", "text", "Platform", '"Acme Code"'),
    "impersonation": Option("Whether administrators can use impersonation tokens.", "true or false", "true", "False"),
    "throttle": Option(
        "Rate limit of each user: the number of requests in a period.",
        "false or a map",
        "false",
        '{"requests": 10, "period": "60s"}',
    ),
    "merge_check": Option(
        "How long the mergeability check of a merge request takes: no time, a duration, or a number of reads.",
        "immediate or a map",
        "immediate",
        '{"after": "2s"}',
    ),
    "documented": Option(
        "Where documentation and real behaviour of the platform differ: follow the documentation.",
        "true or false",
        "true",
        "False",
    ),
    "email_subject_suffix": Option("Text at the end of the subjects of e-mails.", "text", "none", '"Acme"'),
    "scim_token": Option(
        "Token of the SCIM endpoint of an instance that is not hosted.", "text", "none", '"scim-token"'
    ),
    "web_commits_public_key": Option(
        "Public SSH key with which commits of the web editor are signed.", "text", "none", '"ssh-ed25519 AAAA…"'
    ),
    "upstreams": Option(
        "Registries outside of the instance: the project that plays the hub of images (images), and the addresses or"
        " paths to which unknown packages are forwarded (maven, npm, pypi).",
        "map",
        "none for images, the public registries for packages",
        '{"images": "hub/images"}',
    ),
    "registry_limit": Option(
        "Number of bytes that all images of the container registry take at most.",
        "whole number",
        "512 MiB",
        "1_000_000",
    ),
    "lfs_pure_ssh_protocol": Option(
        "Let the SSH server transfer the objects of Git LFS itself, from 17.2 on.", "true or false", "false", "True"
    ),
    "newer": Option("Deprecated: version=latest.", "true or false", "false", "True"),
    "explain": Option(
        "Send the reason of each refusal in the header X-Fakeplat-Reason.", "true or false", "false", "True"
    ),
    "allow_egress": Option(
        "Send webhooks to other machines too, not to this one only.", "true or false", "false", "True"
    ),
    "faults": Option(
        "Faults that are injected into responses.",
        "list of maps",
        "none",
        '[{"operation": "create_issue", "status": 503, "nth": 1}]',
    ),
    "pipelines": Option(
        "Outcomes of CI jobs.", "list of maps", "every job succeeds", '[{"job": "test:*", "outcome": "failed"}]'
    ),
    "strict": Option(
        "Fail a test whose clients sent unknown or deprecated parameters, or that declared a fault in vain.",
        "true or false",
        "false",
        "True",
    ),
    "lint": Option(
        "What mistakes of clients do that the platform does not refuse: fail the test, warn, or nothing.",
        "error, warn, off",
        "off",
        '"error"',
    ),
    "replay": Option(
        "Serve this recording (tape) instead of a world; only strict and lint can be combined with it.",
        "file",
        "none",
        '"session.tape"',
    ),
    "bundle": Option(
        "On the command line and in the ini file: folder in which each failed test writes a bundle, which replays it."
        " In the marker: the bundle whose final state the test starts in.",
        "folder or file",
        "none",
        '"failed.json"',
    ),
}


class SessionOption(NamedTuple):
    """An option of the whole test session; ``example`` is how it is written in its place."""

    description: str
    type: str
    example: str


COMMAND_LINE_OPTIONS = {
    "sweep": SessionOption(
        "Repeat each test marked fakeplat_sweep, each time with one fault at one of its requests.",
        "switch",
        "--fakeplat-sweep",
    ),
    "evidence": SessionOption(
        "Write to this file what the tests exercised: as JSON, or as a page if its name ends in .html.",
        "file",
        "--fakeplat-evidence=evidence.html",
    ),
    "trace": SessionOption(
        "Write an HTML page of what happened for each failed test into this folder; after `all:`, for every test.",
        "folder",
        "--fakeplat-trace=traces",
    ),
    "releases": SessionOption(
        "Run each test that uses a world once for each of these releases.",
        "releases",
        "--fakeplat-releases=13.5,16.11,latest",
    ),
}
"""Options of the command line, of which those that the ini file has too are below."""

INI_KEYS = {
    "scenarios": SessionOption(
        "Folders, relative to the ini file, in which scenarios are found by their names.",
        "list of folders",
        "fakeplat_scenarios = worlds tests/worlds",
    ),
    "releases": SessionOption(
        "The default of --fakeplat-releases.", "releases", "fakeplat_releases = 13.5 16.11 latest"
    ),
}
"""Keys of the ini file."""

MARKERS = {
    "fakeplat": (
        "(scenario, seed, clock, tier, …, releases)",
        "The options of the test's platform. `releases`: a list to repeat the test for, or a condition like '>=15.0'.",
    ),
    "fakeplat_sweep": ("", "With --fakeplat-sweep, repeat the test with faults."),
}
"""The arguments and the meaning of each marker."""

_USED = pytest.StashKey[bool]()
_SESSION = pytest.StashKey["Session"]()
_ITEM = pytest.StashKey[pytest.Item]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the ini keys and the command line options."""
    group = parser.getgroup("fakeplat", "a fake source-hosting and CI platform")
    for name, option in OPTIONS.items():
        help_text = f"{option.description} Type: {option.type}. Default: {option.default}."
        parser.addini(f"fakeplat_{name}", f"fakeplat: {help_text}", default=None)
        group.addoption(
            f"--fakeplat-{name.replace('_', '-')}",
            dest=f"fakeplat_{name}",
            default=None,
            metavar="VALUE",
            help=help_text.replace("%", "%%"),
        )
    for name, (description, type_, _) in COMMAND_LINE_OPTIONS.items():
        shape = {"action": "store_true"} if type_ == "switch" else {"metavar": type_.upper()}
        group.addoption(f"--fakeplat-{name}", help=description, **shape)
    for name, key in INI_KEYS.items():
        is_paths = key.type == "list of folders"
        kind: Literal["paths", "string"] = "paths" if is_paths else "string"
        parser.addini(f"fakeplat_{name}", f"fakeplat: {key.description}", type=kind, default=[] if is_paths else None)


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Refuse unknown command-line options, with the closest known one; pytest would only call them unrecognized."""
    known = {f"--fakeplat-{name.replace('_', '-')}" for name in (*OPTIONS, *COMMAND_LINE_OPTIONS)}
    for argument in args:
        if argument.startswith("--fakeplat-"):
            _refuse_unknown(argument.partition("=")[0], known)


def _refuse_unknown(name: str, known: Collection[str]) -> None:
    if name not in known:
        from difflib import get_close_matches

        closest = get_close_matches(name, known, 1)
        raise pytest.UsageError(f"there is no option {name}" + (f"; did you mean {closest[0]}?" if closest else ""))


def pytest_configure(config: pytest.Config) -> None:
    """Check the ini keys, register the markers, and the asynchronous fixture if a plugin can run it."""
    # Pytest has no public way to list the keys of the file; until release 8 the attribute had no underscore.
    for key in config._inicfg if hasattr(config, "_inicfg") else config.inicfg:
        if key.startswith("fakeplat_"):
            _refuse_unknown(key, {f"fakeplat_{name}" for name in (*OPTIONS, *INI_KEYS)})
    for name, (arguments, description) in MARKERS.items():
        config.addinivalue_line("markers", f"{name}{arguments}: {description}")
    if config.getoption("fakeplat_sweep"):
        from fakeplat.harness.sweep import SweepPlugin

        config.pluginmanager.register(SweepPlugin(lambda: _session(config)), "fakeplat_sweep")
    if config.getoption("fakeplat_evidence"):
        from fakeplat.harness.evidence import EvidencePlugin

        file = config.rootpath / config.getoption("fakeplat_evidence")
        if file.is_dir():
            raise pytest.UsageError(f"--fakeplat-evidence: {file} is a folder, not a file")
        config.pluginmanager.register(EvidencePlugin(config, lambda: _session(config), file), "fakeplat_evidence")
    if config.getoption("fakeplat_trace"):
        _trace_tests(config)
    if config.getoption("fakeplat_releases") or config.getini("fakeplat_releases"):
        _release_matrix(config)
    if config.pluginmanager.hasplugin("asyncio"):
        from fakeplat.harness import client

        config.pluginmanager.register(client, "fakeplat_client")


def _trace_tests(config: pytest.Config) -> None:
    """Write the traces of tests into the folder of the option."""
    from fakeplat.harness.trace import TraceWriter, check_trace_extra
    from fakeplat.workbench.keywords import InvalidOption

    try:
        check_trace_extra()
    except InvalidOption as error:
        raise pytest.UsageError(f"--fakeplat-trace: {error}") from None
    session = _session(config)
    session.traces = TraceWriter(config.getoption("fakeplat_trace"), config.rootpath)
    session.observer_factories.append(session.traces.create_recorder)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat a test for the releases of its marker, if nothing before it was repeated for any."""
    if not metafunc.config.pluginmanager.has_plugin("fakeplat_releases") and any(
        "releases" in marker.kwargs for marker in metafunc.definition.iter_markers("fakeplat")
    ):
        _release_matrix(metafunc.config).adopt(metafunc)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker of pytest-xdist tells of the releases."""
    excluded = getattr(node, "workeroutput", {}).get("fakeplat_releases")
    if excluded is not None:
        _release_matrix(node.config).take_over(excluded)


def _release_matrix(config: pytest.Config) -> ReleaseMatrix:
    from fakeplat.harness.release_matrix import ReleaseMatrix

    matrix: ReleaseMatrix | None = config.pluginmanager.get_plugin("fakeplat_releases")
    if matrix is None:
        matrix = ReleaseMatrix(config, lambda: _session(config))
        config.pluginmanager.register(matrix, "fakeplat_releases")
    return matrix


def pytest_itemcollected(item: pytest.Item) -> None:
    """Refuse arguments of the marker of the sweep, which would be ignored."""
    for marker in item.iter_markers("fakeplat_sweep"):
        if marker.args or marker.kwargs:
            raise pytest.UsageError(f"{item.nodeid}: the marker fakeplat_sweep accepts no arguments")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop every server."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()


def _session(config: pytest.Config) -> Session:
    """Return the session. It is not a fixture, because a session fixture collects a finalizer for each test."""
    session = config.stash.get(_SESSION, None)
    if session is None:
        from fakeplat.core.gc_pause import gc_paused, shorten_exit

        shorten_exit()
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
def fakeplat(
    request: pytest.FixtureRequest, fakeplat_config: Mapping[str, object]
) -> Iterator[Fakeplat | ReplayedTape]:
    """A platform (or, with ``replay``, a tape) for this test only, served on its own port."""
    __tracebackhide__ = True
    request.node.stash[_USED] = True
    session = _session(request.config)
    from fakeplat.harness.session import marker_options

    subject = session.open({**marker_options(request.node), **session.release_options}, fakeplat_config)
    yield subject
    session.stop(subject)


@pytest.fixture(scope="session")
def fakeplat_factory(request: pytest.FixtureRequest) -> Factory:
    """A function that starts more platforms or tapes; they run until they are stopped or the session ends."""

    def start(**options: Unpack[FixtureKeywords]) -> Fakeplat | ReplayedTape:
        __tracebackhide__ = True
        session = _session(request.config)
        return session.open(options, _config_of(session.item))

    return start


def _config_of(item: pytest.Item | None) -> Mapping[str, Any]:
    """Return the default options of the running test; a session fixture could not ask for those of narrower scopes."""
    request: pytest.FixtureRequest | None = getattr(item, "_request", None)
    config: Mapping[str, Any] = {} if request is None else request.getfixturevalue("fakeplat_config")
    return config


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
    _warn_of_markers_in_vain(item)
    return result


def _warn_of_markers_in_vain(item: pytest.Item) -> None:
    """Warn of options that a test itself declares for a world that it does not have."""
    # A class or module may have the marker for some of its tests.
    names = getattr(item, "fixturenames", ())
    if (
        _USED not in item.stash
        and "fakeplat" not in names
        and any(marker.name == "fakeplat" and {*marker.kwargs} != {"releases"} for marker in item.own_markers)
    ):
        from fakeplat.workbench.deprecations import FakeplatWarning

        item.warn(FakeplatWarning("the marker fakeplat has no effect: the test does not use the fixture fakeplat"))


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
