"""The matrix of releases: `pytest --fakeplat-releases=13.5,16.11,latest` runs each test with a world once per release.

The marker's ``releases`` is a list of releases for its tests, or a text such as ``>=15.0,<17``: the releases that they
are meant for. The summary is a table of the releases, and the tests whose results differ between them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

import pytest

from fakeplat.core.release import LATEST, Lifetime, check_version, resolve_version, served_release
from fakeplat.harness.session import Session
from fakeplat.workbench.options import parse_option

FIXTURE: Final = "fakeplat_release"
"""The fixture with the release, and the property of reports, also of those from the workers of pytest-xdist."""
WORKER_OUTPUT: Final = "fakeplat_releases"

_CONDITION: Final = re.compile(r"(>=|<=|==|>|<)\s*([0-9]+)(?:\.([0-9]+))?(?:\.[0-9]+)?")
_WORLDS: Final = frozenset({"fakeplat", "fakeplat_factory"})
_PINNING: Final = frozenset({"version", "newer", "replay", "bundle"})
"""Options of a marker that choose the release."""
_STATES: Final = {
    "failed": "failed",
    "error": "failed",
    "passed": "passed",
    "xpassed": "passed",
    "skipped": "skipped",
    "xfailed": "skipped",
}
"""What is counted of a test in each category of pytest; the first one counts."""

_COLUMNS: Final = ("passed", "failed", "skipped")

Results = dict[str, dict[str, str]]
"""What became of each test in each release."""


class ReleaseMatrix:
    """The hooks and fixtures of the matrix. ``session`` returns fakeplat's session."""

    def __init__(self, config: pytest.Config, session: Callable[[], Session]) -> None:
        self._session = session
        self._beyond = parse_option("beyond", _read_option(config, "beyond")) is True
        words = re.split(r"[\s,]+", _read_option(config, "releases").strip())
        try:
            self._releases = self._check_releases([*filter(None, words)])
        except ValueError as error:
            raise pytest.UsageError(f"fakeplat_releases: {error}") from None
        if self._releases and _read_option(config, "replay"):
            raise pytest.UsageError("fakeplat_releases cannot be combined with fakeplat_replay: a tape has one release")
        self._excluded: Counter[str] = Counter()

    # The fixtures override those of the plugin: whatever depends on a world is made anew for each release.

    @pytest.fixture(scope="session")
    def fakeplat_release(self, request: pytest.FixtureRequest) -> Iterator[str | None]:
        """The release of the matrix; None for a test that chooses its own."""
        release: str | None = getattr(request, "param", None)
        self._session().release_options = {} if release is None else {"version": release}
        yield release
        self._session().release_options = {}

    @pytest.fixture(scope="session")
    def fakeplat_factory(self, fakeplat_release: str | None, fakeplat_factory: Any) -> Any:  # noqa: ARG002
        """A function that starts more platforms or tapes, by default of the release of the matrix."""
        return fakeplat_factory

    @pytest.fixture
    def fakeplat(self, fakeplat_release: str | None, fakeplat_config: object, fakeplat: Any) -> Any:  # noqa: ARG002
        """A platform of the release of the matrix, for this test only."""
        # It names the configuration for releases of pytest before 9, which do not look for what an overridden one uses.
        return fakeplat

    # Collection

    def adopt(self, metafunc: pytest.Metafunc) -> None:
        """Repeat a test that was collected before the fixtures of the matrix existed."""
        definition: Any = metafunc.definition
        # There is no public way to add a fixture to a test.
        info = definition.session._fixturemanager.getfixtureinfo(definition, definition.obj, definition.cls)
        definition._fixtureinfo.names_closure[:] = info.names_closure
        definition._fixtureinfo.name2fixturedefs.update(info.name2fixturedefs)
        self.pytest_generate_tests(metafunc)

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Repeat a test that uses a world for each release, as the last parameter."""
        if _WORLDS.isdisjoint(metafunc.fixturenames):
            return
        if FIXTURE not in metafunc.fixturenames:
            # Until release 9 pytest does not look for what a fixture uses that the suite overrides.
            metafunc.fixturenames.append(FIXTURE)
        markers = [*metafunc.definition.iter_markers("fakeplat")]
        calls: Any = metafunc._calls  # there is no public way to repeat only some of them
        generated: list[Any] = []
        # Markers of parameters can choose releases, too.
        for own_markers, group in groupby(calls, _own_markers) if calls else [([], [])]:
            metafunc._calls = [*group]
            releases = self._list_releases(metafunc.definition, [*own_markers, *markers])
            if releases:
                metafunc.parametrize(FIXTURE, releases, indirect=True, scope="session")
            generated += metafunc._calls
        metafunc._calls = generated

    def _list_releases(self, definition: pytest.Item, markers: Iterable[pytest.Mark]) -> tuple[str, ...]:
        """Return the releases that a test is repeated for; none if it is not repeated."""
        choice = _read_choice(markers)
        try:
            if isinstance(choice, str):
                _parse_conditions(choice)
                return self._releases
            return () if choice is None else self._check_releases(choice)
        except ValueError as error:
            raise pytest.Collector.CollectError(f"{definition.nodeid}: releases: {error}") from None

    def _check_releases(self, releases: object) -> tuple[str, ...]:
        if not isinstance(releases, list | tuple):
            raise ValueError(f"must be a list of releases or a text such as '>=15.0', not {releases!r}")
        for release in releases:
            check_version(release, beyond=self._beyond)
        return tuple(dict.fromkeys(releases))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect the tests that are not meant for their release, and note the release of the others."""
        repeated = [(item, release) for item in items if (release := _release_of(item)) is not None]
        excluded = [(item, release) for item, release in repeated if not _is_meant_for(item, release)]
        for item, release in repeated:
            item.user_properties.append((FIXTURE, release))
        if excluded:
            self._excluded.update(release for _, release in excluded)
            config.hook.pytest_deselected(items=[item for item, _ in excluded])
            gone = {id(item) for item, _ in excluded}
            items[:] = [item for item in items if id(item) not in gone]

    # Summary

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell the controller of pytest-xdist what a worker did not run; all workers collect the same tests."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[WORKER_OUTPUT] = dict(self._excluded)

    def take_over(self, excluded: Mapping[str, int]) -> None:
        """Take over what a worker did not run."""
        self._excluded = Counter(excluded)

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Show the table of releases, and the tests that differ."""
        results = _read_results(terminalreporter)
        if results or self._excluded:
            terminalreporter.section("fakeplat releases")
            for line in (*_describe_releases(results, self._excluded), *_describe_differences(results)):
                terminalreporter.write_line(line)


def _read_option(config: pytest.Config, name: str) -> str:
    return config.getoption(f"fakeplat_{name}") or config.getini(f"fakeplat_{name}") or ""


def _own_markers(call: Any) -> list[pytest.Mark]:
    """Return the markers of a parameter set."""
    return [marker for marker in call.marks if marker.name == "fakeplat"]


def _read_choice(markers: Iterable[pytest.Mark]) -> Any:
    """Return the ``releases`` of the closest marker that chooses any; None if it chooses one by its version.

    Together with ``releases``, a version is that of the test outside of the matrix.
    """
    for marker in markers:
        if "releases" in marker.kwargs:
            return marker.kwargs["releases"]
        if not _PINNING.isdisjoint(marker.kwargs):
            return None
    return ""


def _release_of(item: pytest.Item) -> str | None:
    """Return the release of the matrix that an item runs in; None for others."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get(FIXTURE)


def _is_meant_for(item: Any, release: str) -> bool:
    choice = _read_choice([*_own_markers(item.callspec), *item.iter_markers("fakeplat")])
    number = served_release(resolve_version(release))
    return not isinstance(choice, str) or all(condition.covers(number) for condition in _parse_conditions(choice))


def _parse_conditions(text: str) -> list[Lifetime]:
    """Return the lifetimes that a release has to be in: two for ``>=15.0,<17``."""
    return [_parse_condition(condition.strip()) for condition in text.split(",")] if text else []


def _parse_condition(text: str) -> Lifetime:
    """Return the lifetime that a condition means. A major version stands for all of its releases."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a condition such as '>=15.0', '<16' or '>=14.0,<17.0'")
    operator, major, minor = match[1], int(match[2]), match[3]
    first = f"{major}.{minor or 0}"
    following = f"{major + 1}.0" if minor is None else f"{major}.{int(minor) + 1}"
    return {
        ">=": Lifetime(since=first),
        ">": Lifetime(since=following),
        "<": Lifetime(until=first),
        "<=": Lifetime(until=following),
        "==": Lifetime(since=first, until=following),
    }[operator]


def _read_results(reporter: "pytest.TerminalReporter") -> Results:
    """Return what became of each test in each release, from the reports."""
    results: Results = {}
    for category, state in _STATES.items():
        for report in reporter.stats.get(category, ()):
            release = dict(getattr(report, "user_properties", ())).get(FIXTURE)
            if isinstance(release, str):
                results.setdefault(_without_release(report.nodeid, release), {}).setdefault(release, state)
    return results


def _without_release(nodeid: str, release: str) -> str:
    """Return the id of a test without the release, its last parameter; pytest-xdist may add the name of a group."""
    pattern = rf"(\[|-){re.escape(release)}\](@[^\]]*)?$"
    return re.sub(pattern, lambda match: "" if match[1] == "[" else "]", nodeid)


def _describe_releases(results: Results, excluded: Mapping[str, int]) -> Iterator[str]:
    """Yield the table of the releases."""
    rows: list[tuple[str, ...]] = [("release", *_COLUMNS, "not meant for it")]
    for release in _sort({*excluded}.union(*results.values())):
        states = Counter(states.get(release) for states in results.values())
        label = f"latest ({LATEST})" if release == "latest" else release
        rows.append((label, *(str(states[column]) for column in _COLUMNS), str(excluded.get(release, 0))))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for label, *cells in rows:
        numbers = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        yield "  ".join([label.ljust(widths[0]), *numbers])


def _describe_differences(results: Results) -> Iterator[str]:
    """Yield the tests whose results differ, with the releases in which they failed."""
    differing = {test: states for test, states in sorted(results.items()) if len({*states.values()}) > 1}
    if any(len(states) > 1 for states in results.values()):
        yield "tests that differ between releases:" if differing else "no test differs between releases"
    for test, states in differing.items():
        releases = {
            column: _sort(at for at, state in states.items() if state == column)
            for column in ("failed", "passed", "skipped")
        }
        yield f"  {test}: " + "; ".join(f"{column} in {', '.join(at)}" for column, at in releases.items() if at)


def _sort(releases: Iterable[str]) -> list[str]:
    return sorted(releases, key=lambda release: (served_release(resolve_version(release)), release))
