"""The worlds and tapes of a pytest session: created from options, tracked per test, described in reports."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, Unpack, cast

import pytest
from attrs import mutable
from propcache.api import cached_property

from fakeplat.harness import teardown
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.harness import Harness
from fakeplat.harness.keywords import BENCH, TEST, WORLD, create_options, read_flag, serving_keywords
from fakeplat.harness.report_files import name_file, write_file
from fakeplat.harness.teardown import LINTS, Lint
from fakeplat.model.instance import replace_deprecated
from fakeplat.platform import Observer, Platform
from fakeplat.scenario import ScenarioError, describe_missing
from fakeplat.workbench.journal_entries import JournalEntry
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.lints import find_lints
from fakeplat.workbench.operation_names import NoSuchOperation
from fakeplat.workbench.options import INSTANCE_KEYS, STARTER, parse_option

OPTIONS: Final = (*WORLD, *INSTANCE_KEYS, *BENCH, *TEST)
_TAPE_OPTIONS: Final = ("replay", "strict", "lint")
_BUNDLE_OPTIONS: Final = ("bundle", "strict", "lint")
_TEXT_OPTIONS: Final = frozenset({"scenario", "clock", "start", "tick", "base_url", "lint", "replay", "bundle"})
_MAX_REPORTED: Final = 50
_SCENARIO_SUFFIXES: Final = (".yaml", ".yml", ".json")
_CACHED_NAMES: Final = 64

if TYPE_CHECKING:
    from fakeplat.harness.keywords import FixtureKeywords
    from fakeplat.harness.replayed import ReplayedTape
    from fakeplat.harness.trace import TraceWriter

Subject: TypeAlias = "Fakeplat | ReplayedTape"


class Factory(Protocol):
    """The function that the fixture `fakeplat_factory` provides."""

    def __call__(self, **options: Unpack["FixtureKeywords"]) -> Subject:
        """Start a platform or a tape."""


@mutable(eq=False)
class TrackedWorld:
    """A world or a tape.

    ``requests_before`` is the number of requests answered before the running test, ``deliveries_before`` the number of
    deliveries made before it.
    """

    subject: Subject
    strict: bool
    lint: Lint
    requests_before: int = 0
    times_cleared_before: int = 0
    deliveries_before: int = 0
    stopped: bool = False

    @property
    def entries(self) -> list[JournalEntry]:
        """The requests of the running test."""
        return self.subject.requests.since(self._last_number_before)

    @property
    def _last_number_before(self) -> int:
        # After a reset the requests are numbered from 1 again, and all of them are later than those before the test.
        return self.requests_before if self.subject.requests.times_cleared == self.times_cleared_before else 0

    def begin_test(self) -> None:
        """Start a test; only its own requests and deliveries are part of its report."""
        journal = self.subject.requests
        self.requests_before, self.times_cleared_before = journal.last_number, journal.times_cleared
        if isinstance(self.subject, Fakeplat):
            self.deliveries_before = self.subject.bench.last_delivery_id

    def describe_undelivered(self) -> list[str]:
        """Return a message for each delivery of the running test that no receiver answered."""
        bench = self.subject.bench if isinstance(self.subject, Fakeplat) else None
        return [] if bench is None else bench.describe_undelivered(self.deliveries_before)


class Session:
    """One pytest session."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.harness = Harness()
        self.item: pytest.Item | None = None
        self.tracked: list[TrackedWorld] = []
        self.sweep_fault: Mapping[str, Any] | None = None
        self.release_options: Mapping[str, str] = {}
        self.observer_factories: list[Callable[[Platform], Observer]] = []
        self.traces: TraceWriter | None = None
        self._bundles: dict[str, Path] = {}

    # Starting

    def open(self, options: Mapping[str, object], config: Mapping[str, object]) -> Subject:
        """Start a world or a tape for the running test; ``options`` override ``config``, which overrides defaults."""
        __tracebackhide__ = True  # a wrong option is the mistake of the test
        merged = {**self._defaults, **replace_deprecated(config), **self.release_options, **options}
        folder = self.config.rootpath if self.item is None else Path(self.item.path).parent
        try:
            strict, lint = read_flag("strict", merged), _check_lint(merged.get("lint", "off"))
            subject = self._open(options, merged, folder)
        except (InvalidOption, NoSuchOperation, ScenarioError) as error:
            raise pytest.UsageError(str(error)) from None
        except RuntimeError as error:
            if not type(error).__name__.startswith("Socket"):  # those of pytest-socket
                raise
            text = "use listen=False (a world without a port), or allow it: --allow-hosts=127.0.0.1"
            raise pytest.UsageError(f"fakeplat: sockets are blocked: {text}") from None
        self.tracked.append(TrackedWorld(subject, strict, lint))
        subject.on_stop = self.stop
        if isinstance(subject, Fakeplat):
            subject.bench.platform.observers += [create(subject.bench.platform) for create in self.observer_factories]
            if self.sweep_fault is not None:
                subject.faults.add(self.sweep_fault)
        return subject

    @contextmanager
    def sweeping(self, fault: Mapping[str, object]) -> Iterator[None]:
        """Add a fault to the worlds that the running test shares with others and to those that it starts."""
        shared = [tracked.subject.faults for tracked in self.tracked if isinstance(tracked.subject, Fakeplat)]
        added = [(faults, faults.add(fault)) for faults in shared]
        self.sweep_fault = fault
        try:
            yield
        finally:
            self.sweep_fault = None
            for faults, id_ in added:
                # The test may have reset the world, and with it the faults.
                with suppress(KeyError):
                    faults.remove(id_)

    def stop(self, subject: Subject) -> None:
        """Close the socket and the connections; the report of the running test still includes the requests."""
        tracked = next((tracked for tracked in self.tracked if tracked.subject is subject), None)
        # The fixture stops its world after the test, which may have stopped it already.
        if tracked is None or tracked.stopped:
            return
        tracked.stopped = True
        if isinstance(subject, Fakeplat):
            self.harness.stop(subject)
        else:
            self.harness.stop_tape(subject)

    def close(self) -> None:
        """Stop everything."""
        self.harness.close()

    def _open(self, options: Mapping[str, object], merged: Mapping[str, object], folder: Path) -> Subject:
        refuse_unknown(merged, OPTIONS, "fakeplat")
        if merged.get("replay"):
            _refuse_others(options, _TAPE_OPTIONS, "a tape")
            return self.harness.replay(
                self._read_tape(str(merged["replay"]), folder), strict=read_flag("strict", merged)
            )
        if "bundle" in options:
            _refuse_others(options, _BUNDLE_OPTIONS, "a bundle")
            return self._resume(folder / str(options["bundle"]), str(options["bundle"]))
        scenario = self._resolve_scenario(merged.get("scenario", STARTER), folder)
        named = tuple(self.config.getini("fakeplat_scenarios"))
        # Unknown names are refused above, wrong values where they are read.
        keywords = cast("FixtureKeywords", merged)
        return self.harness.start(create_options(keywords, scenario, named), **serving_keywords(keywords))

    def _resume(self, path: Path, name: str) -> Fakeplat:
        """Return the world of a bundle in its final state; all options come from the bundle."""
        from fakeplat.harness.bundle import InvalidBundle, read_bundle

        try:
            return self.harness.resume(read_bundle(path), name)
        except InvalidBundle as error:
            raise InvalidOption(str(error)) from None

    def _read_tape(self, name: str, folder: Path) -> Any:
        """Read the tape to replay: a file relative to the test's folder or to pytest's root folder."""
        from fakeplat.tape.formats.tape import InvalidTape, read

        try:
            return read(_existing_file(name, (folder, self.config.rootpath), "tape"))
        except InvalidTape as error:
            raise InvalidOption(str(error)) from None

    def _resolve_scenario(self, scenario: object, folder: Path) -> Any:
        """Return the path of a scenario file in the test's or the root folder; names and data stay unchanged."""
        if not isinstance(scenario, str | Path):
            return scenario
        folders = (folder, self.config.rootpath)
        if _is_file_name(scenario):
            return _existing_file(str(scenario), folders, "scenario")
        # A text without such a suffix is the path of a file if there is one, otherwise the name of a scenario.
        return next((path for path in _list_paths(scenario, folders) if path.is_file()), scenario)

    @cached_property
    def _defaults(self) -> Mapping[str, Any]:
        """The options of the command line and the ini file."""
        # The option ``bundle`` of the command line is another one: where the bundles of failing tests are written.
        texts = {
            name: self.config.getoption(f"fakeplat_{name}") or self.config.getini(f"fakeplat_{name}")
            for name in OPTIONS
            if name != "bundle"
        }
        given = {
            name: text if name in _TEXT_OPTIONS else parse_option(name, text) for name, text in texts.items() if text
        }
        return replace_deprecated(given)

    # Tracking

    def begin(self, item: pytest.Item) -> None:
        """Start a test; only its own requests are part of its report."""
        self.item = item
        for tracked in self.tracked:
            tracked.begin_test()

    def end(self) -> None:
        """Finish a test after its report; discard the worlds and tapes that were stopped."""
        self.item = None
        self.tracked = [tracked for tracked in self.tracked if not tracked.stopped]
        if self.traces is not None:
            worlds = (tracked.subject for tracked in self.tracked)
            self.traces.keep([world.bench.platform for world in worlds if isinstance(world, Fakeplat)])

    def check(self, *, failed: bool) -> None:
        """Warn about what the test's clients should not have sent; in strict mode, fail the test."""
        if self.item is None or self.sweep_fault is not None:
            return
        file, line, _ = self.item.location
        for tracked in list(self.tracked):
            subject = tracked.subject
            if not isinstance(subject, Fakeplat):
                # The tape of a factory lives longer than one test, so no single test has to play all of it.
                if not failed and "fakeplat" in getattr(self.item, "fixturenames", ()):
                    subject.check()
            elif failed:
                teardown.warn_after_failure(tracked.entries, file, (line or 0) + 1)
            else:
                entries = tracked.entries
                teardown.check(subject, entries, file, (line or 0) + 1, strict=tracked.strict)
                teardown.lint(entries, file, (line or 0) + 1, tracked.lint)

    def report_sections(self, *, failed: bool) -> Iterator[tuple[str, str]]:
        """Yield the report sections of a test: requests, undelivered hooks, unused faults, bugs in fakeplat, bundle."""
        if self.item is None:
            return
        if not failed:
            self._remove_bundles(self.item.nodeid)
            if self.traces is not None and self.traces.is_for_all:
                for number, world in enumerate(self.tracked, 1):
                    self._write_trace(self.traces, world, self.item.nodeid, number)
            return
        # Without any request the report says so once, not for every world of the session.
        tracked = [tracked for tracked in self.tracked if tracked.entries] or self.tracked[:1]
        for number, world in enumerate(tracked, 1):
            title = "fakeplat requests" if len(tracked) == 1 else f"fakeplat requests of {world.subject.url}"
            yield title, "\n".join(_describe_requests(world.entries)) or "no requests"
            yield from _section("fakeplat lint", find_lints(world.entries))
            yield from _section("fakeplat deliveries", world.describe_undelivered())
            if isinstance(world.subject, Fakeplat):
                yield from _section("fakeplat faults", world.subject.bench.describe_unused_faults())
                yield from (("a bug in fakeplat", text) for text in world.subject.bench.platform.failures)
                yield from self._write_bundle(self.item.nodeid, world.subject, number)
            if self.traces is not None:
                yield from _section("fakeplat trace", self._write_trace(self.traces, world, self.item.nodeid, number))

    @staticmethod
    def _write_trace(traces: "TraceWriter", tracked: TrackedWorld, nodeid: str, number: int) -> list[str]:
        """Write the trace of a world, and return its address, or why there is none; a tape has none."""
        if not isinstance(tracked.subject, Fakeplat):
            return []
        return [traces.write(tracked.subject, tracked.entries, nodeid, number)]

    def _write_bundle(self, nodeid: str, fake: Fakeplat, number: int) -> Iterator[tuple[str, str]]:
        """Write the bundle of a failing test if that is enabled; yield how to run it, or why there is none."""
        destination = self.config.getoption("fakeplat_bundle") or self.config.getini("fakeplat_bundle")
        if not destination:
            return
        from fakeplat.harness.bundle import create_bundle

        path = self.config.rootpath / destination
        if path.suffix != ".json":
            path = path / name_file(nodeid, number, ".json")
        elif number > 1:
            path = path.with_stem(f"{path.stem}-{number}")
        if problem := write_file(path, create_bundle(fake, nodeid)):
            yield "fakeplat bundle", problem
            return
        self._bundles[f"{nodeid} {number}"] = path
        yield "fakeplat bundle", f"fakeplat bundle run {path}"

    def _remove_bundles(self, nodeid: str) -> None:
        """Remove the bundles of a test that failed before and passed when it was rerun."""
        for key in [key for key in self._bundles if key.startswith(f"{nodeid} ")]:
            self._bundles.pop(key).unlink(missing_ok=True)


def _section(title: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a section of the report with these lines, if there are any."""
    if lines:
        yield title, "\n".join(lines)


def _describe_requests(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Yield a line for each request; of many, only for refusals and for the last ones."""
    left_out, first = 0, len(entries) - _MAX_REPORTED
    for position, entry in enumerate(entries):
        if position < first and 200 <= entry.status < 400:
            left_out += 1
            continue
        if left_out:
            yield f"… {left_out} requests that succeeded …"
            left_out = 0
        yield repr(entry)


def marker_options(item: pytest.Item) -> dict[str, Any]:
    """Return the options of an item's markers; closer markers override the others."""
    options: dict[str, Any] = {}
    for marker in item.iter_markers("fakeplat"):
        if marker.args:
            raise pytest.UsageError("the marker fakeplat accepts only keyword arguments")
        # iter_markers() starts with the closest marker, so what is there already has precedence.
        options = {**replace_deprecated(marker.kwargs), **options}
    options.pop("releases", None)  # the matrix of releases reads it
    return options


def _refuse_others(options: Mapping[str, object], allowed: Sequence[str], description: str) -> None:
    others = [name for name in options if name not in allowed]
    if others:
        raise InvalidOption(f"fakeplat: {description} cannot be combined with the options {', '.join(others)}")


# Each test asks the same, and to put a path together takes longer than to look whether there is such a file.
@lru_cache(_CACHED_NAMES)
def _is_file_name(scenario: str | Path) -> bool:
    return Path(scenario).suffix in _SCENARIO_SUFFIXES


@lru_cache(_CACHED_NAMES)
def _list_paths(name: str | Path, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folder / name for folder in folders))


def _existing_file(name: str, folders: tuple[Path, ...], kind: str) -> Path:
    paths = _list_paths(name, folders)
    existing = next((path for path in paths if path.is_file()), None)
    if existing is None:
        problem = next((describe_missing(path) for path in paths if path.exists()), "no such file")
        raise InvalidOption(f"fakeplat: {kind} {name}: {problem}; tried {', '.join(map(str, paths))}")
    return existing


def _check_lint(lint: object) -> Lint:
    if lint not in LINTS:
        raise InvalidOption(f"fakeplat: lint must be one of {', '.join(LINTS)}, not {lint!r}")
    return cast(Lint, lint)
