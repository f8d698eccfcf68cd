"""The worlds and tapes of a session of tests: made from options, watched while tests run, told about in reports."""

import re
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecodeError, loads
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import mutable

from fakeplat.harness import teardown as verdict
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.harness import Harness
from fakeplat.harness.replayed import Replayed
from fakeplat.workbench.journal import JournalEntry
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.operation_names import NoSuchOperation
from fakeplat.workbench.options import INSTANCE_KEYS, Options

WORLD: Final = ("scenario", "seed", "clock", "start", "tick", "base_url")
BENCH: Final = ("explain", "faults", "strict")
OPTIONS: Final = (*WORLD, *INSTANCE_KEYS, *BENCH, "replay", "bundle")
_OF_TAPES: Final = ("replay", "strict")
_OF_BUNDLES: Final = ("bundle", "strict")
_AS_TEXT: Final = frozenset({"scenario", "clock", "start", "tick", "base_url", "replay", "bundle"})
_FILES: Final = (".yaml", ".yml", ".json")

Subject = Fakeplat | Replayed


@mutable(eq=False)
class TrackedWorld:
    """A world or a tape. ``requests_before`` is how many requests it had answered when the running test began."""

    subject: Subject
    strict: bool
    requests_before: int = 0
    stopped: bool = False

    @property
    def entries(self) -> list[JournalEntry]:
        """The requests of the running test."""
        return [entry for entry in self.subject.requests if entry.number > self.requests_before]

    @property
    def requests_so_far(self) -> int:
        """The number of the last request."""
        journal = self.subject.requests
        return journal[-1].number if len(journal) else self.requests_before


class Session:
    """One session of tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.harness = Harness()
        self.item: pytest.Item | None = None
        self._watched: list[TrackedWorld] = []
        self._bundles: dict[str, Path] = {}

    # starting

    def open(self, asked: Mapping[str, Any], config: Mapping[str, Any]) -> Subject:
        """Start a world or a tape for the running test: what it asked for beats ``config``, which beats the options."""
        chosen = {**self._defaults(), **config, **asked}
        folder = self.config.rootpath if self.item is None else Path(self.item.path).parent
        try:
            subject = self._open(asked, chosen, folder)
        except (InvalidOption, NoSuchOperation) as error:
            raise pytest.UsageError(str(error)) from None
        self._watched.append(TrackedWorld(subject, bool(chosen.get("strict"))))
        subject.on_stop = self.stop
        return subject

    def stop(self, subject: Subject) -> None:
        """Close the socket and the connections; reports of the running test still tell of it."""
        watched = next((watched for watched in self._watched if watched.subject is subject), None)
        if watched is None or watched.stopped:
            return
        watched.stopped = True
        if isinstance(subject, Fakeplat):
            self.harness.stop(subject)
        else:
            self.harness.withdraw(subject)

    def close(self) -> None:
        """Stop everything."""
        self.harness.close()

    def _open(self, asked: Mapping[str, Any], chosen: Mapping[str, Any], folder: Path) -> Subject:
        refuse_unknown(chosen, OPTIONS, "fakeplat")
        if chosen.get("replay"):
            _refuse_others(asked, _OF_TAPES, "a tape")
            return self.harness.replay(self._tape(str(chosen["replay"]), folder), strict=bool(chosen.get("strict")))
        if "bundle" in asked:
            _refuse_others(asked, _OF_BUNDLES, "a bundle")
            return self._resume(folder / str(asked["bundle"]), str(asked["bundle"]))
        return self.harness.start(self._options(chosen, folder), base_url=chosen.get("base_url"))

    def _resume(self, path: Path, name: str) -> Fakeplat:
        """The world of a bundle, where its test had come to; the bundle says all options."""
        from fakeplat.harness.bundle import InvalidBundle, read_bundle

        try:
            return self.harness.resume(read_bundle(path), name)
        except InvalidBundle as error:
            raise InvalidOption(str(error)) from None

    def _tape(self, name: str, folder: Path) -> Any:
        """The tape to replay: a file in the test's folder, or below the root of the tests."""
        from fakeplat.tape.formats.tape import InvalidTape, read

        try:
            return read(_existing_file(name, (folder, self.config.rootpath), "tape"))
        except InvalidTape as error:
            raise InvalidOption(str(error)) from None

    def _options(self, chosen: Mapping[str, Any], folder: Path) -> Options:
        return Options(
            scenario=self._scenario(chosen.get("scenario", "starter"), folder),
            seed=chosen.get("seed"),
            instance={name: chosen[name] for name in INSTANCE_KEYS if name in chosen},
            clock=_clock(chosen),
            usual="auto",
            folders=tuple(self.config.getini("fakeplat_scenarios")),
            explain=bool(chosen.get("explain")),
            faults=_faults(chosen.get("faults", ())),
        )

    def _scenario(self, wanted: Any, folder: Path) -> Any:
        """A file in the test's folder or below the root of the tests; else a name, or the scenario itself."""
        if not isinstance(wanted, str | Path):
            return wanted
        folders = (folder, self.config.rootpath)
        if Path(wanted).suffix in _FILES:
            return _existing_file(str(wanted), folders, "scenario")
        return next((path for path in (folder / wanted for folder in folders) if path.is_file()), wanted)

    def _defaults(self) -> dict[str, Any]:
        """What the command line and the ini file say."""
        texts = {
            name: self.config.getoption(f"fakeplat_{name}") or self.config.getini(f"fakeplat_{name}")
            for name in OPTIONS
            if name != "bundle"
        }
        return {name: text if name in _AS_TEXT else _value(text) for name, text in texts.items() if text}

    # watching

    def begin(self, item: pytest.Item) -> None:
        """A test begins: only its own requests count for its report."""
        self.item = item
        for watched in self._watched:
            watched.requests_before = watched.requests_so_far

    def end(self) -> None:
        """A test has ended and was reported: let go of what was stopped."""
        self.item = None
        self._watched = [watched for watched in self._watched if not watched.stopped]

    def judge(self, *, failed: bool) -> None:
        """Warn of what the test's clients should not have sent; fail the test of it where that is strict."""
        if self.item is None:
            return
        file, line, _ = self.item.location
        for watched in list(self._watched):
            subject = watched.subject
            if isinstance(subject, Replayed):
                if not failed and "fakeplat" in getattr(self.item, "fixturenames", ()):
                    subject.judge()
            elif failed:
                verdict.tell(watched.entries, file, (line or 0) + 1)
            else:
                verdict.check(subject, watched.entries, file, (line or 0) + 1, strict=watched.strict)

    def sections(self, *, failed: bool) -> Iterator[tuple[str, str]]:
        """What a report says: the requests, and the traceback of every bug of ours. A bundle of a rerun is renewed."""
        if self.item is None:
            return
        if not failed:
            self._forget_bundles(self.item.nodeid)
            return
        watched = [watched for watched in self._watched if watched.entries] or self._watched[:1]
        for number, one in enumerate(watched, 1):
            title = "fakeplat requests" if len(watched) == 1 else f"fakeplat requests of {one.subject.url}"
            yield title, "\n".join(map(repr, one.entries)) or "no requests"
            if isinstance(one.subject, Fakeplat):
                yield from (("fakeplat faults", text) for text in one.subject.bench.idle_faults())
                yield from (("a bug in fakeplat", text) for text in one.subject.bench.platform.failures)
                yield from self._bundled(self.item.nodeid, one.subject, number)

    def _bundled(self, nodeid: str, fake: Fakeplat, number: int) -> Iterator[tuple[str, str]]:
        """Write the bundle of a failing test where that was asked for, and say where it is."""
        place = self.config.getoption("fakeplat_bundle") or self.config.getini("fakeplat_bundle")
        if not place:
            return
        from fakeplat.harness.bundle import create_bundle

        path = self.config.rootpath / place
        if path.suffix != ".json":
            path = path / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', nodeid)}.json"
        if number > 1:
            path = path.with_stem(f"{path.stem}-{number}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(create_bundle(fake, nodeid))
        self._bundles[f"{nodeid} {number}"] = path
        yield "fakeplat bundle", f"fakeplat bundle run {path}"

    def _forget_bundles(self, nodeid: str) -> None:
        """Remove the bundles of a test that failed before and passed when it was run again."""
        for key in [key for key in self._bundles if key.startswith(f"{nodeid} ")]:
            self._bundles.pop(key).unlink(missing_ok=True)


def marker_options(item: pytest.Item) -> dict[str, Any]:
    """Return the options of an item's markers, the closest first."""
    options: dict[str, Any] = {}
    for marker in item.iter_markers("fakeplat"):
        if marker.args:
            raise pytest.UsageError("the marker fakeplat takes its options by name")
        options = {**marker.kwargs, **options}
    return options


def _refuse_others(asked: Mapping[str, Any], own: Sequence[str], what: str) -> None:
    others = [name for name in asked if name not in own]
    if others:
        raise InvalidOption(f"fakeplat: {what} has options of its own; leave {', '.join(others)} out")


def _existing_file(name: str, folders: Sequence[Path], kind: str) -> Path:
    paths = list(dict.fromkeys(folder / name for folder in folders))
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise InvalidOption(f"fakeplat: {kind} {name}: No such file; looked for {', '.join(map(str, paths))}")
    return found


def _value(text: str) -> Any:
    """An option's text as its value: JSON if it is that."""
    try:
        return loads(text)
    except JSONDecodeError:
        return text


def _faults(given: Any) -> list[Mapping[str, Any]]:
    if not isinstance(given, list | tuple) or not all(isinstance(fault, Mapping) for fault in given):
        raise InvalidOption("fakeplat: faults are a list of declarations")
    return list(given)


def _clock(chosen: Mapping[str, Any]) -> dict[str, Any]:
    clock = chosen.get("clock", {})
    given = {"kind": clock} if isinstance(clock, str) else dict(clock)
    return given | {name: chosen[name] for name in ("start", "tick") if name in chosen}
