"""Bundles: one file with all that a failing test's world needs to go the same way again.

What the scenario says, the options, what the test did to the world beside requests, and the tape of its requests. The
format is JSON, version 1; docs/test-bench.md describes it.
"""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any, Final

import orjson
from attrs import evolve

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.release import VERSION as RELEASE
from fakeplat.core.schema.mistakes import DocumentError
from fakeplat.core.schema.shapes import read_document
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import from_iso
from fakeplat.harness.bundle_shape import BUNDLE, VERSION
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.script import Script, Step
from fakeplat.platform import Platform
from fakeplat.scenario import Scenario, find_scenario
from fakeplat.scenario.documents import Document
from fakeplat.tape.formats.tape import Head, InitialWorld, InvalidTape, Tape, parse
from fakeplat.tape.record.platform_recorder import PlatformRecorder
from fakeplat.tape.record.recorder import TapeFile
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.verification import Verification, tokens_of_a_fake
from fakeplat.workbench.options import Options

_NO_ANSWER: Final = 599
"""On a bundle's tape the status of a request that got no answer."""


class InvalidBundle(ValueError):
    """A file that is no bundle: one line that says what is wrong."""


@frozen
class Bundle:
    """``numbers`` are the places of the tape's requests among all of the world's; the script refers to them."""

    test: str
    versions: Mapping[str, str | None]
    options: Options
    script: Script
    numbers: tuple[int, ...]
    tape: Tape


# writing


class _Lines(TapeFile):
    """A tape that is kept in memory."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.last = 0

    def add(self, line: bytes) -> None:
        self.lines.append(line)
        self.last += 1

    def write(self) -> None:
        """It is written with the rest of the bundle."""

    def close(self) -> None:
        self.lines.clear()


def create_bundle(fake: Fakeplat, test: str) -> bytes:
    """The bundle of a test's world as it stands."""
    scenario = _scenario(fake.options)
    recorded = _recorded(fake)
    return orjson.dumps(
        {
            "bundle": VERSION,
            "test": test,
            "versions": _versions(),
            "scenario": scenario.name,
            "documents": [document.data for document in scenario.documents],
            "options": _said(fake),
            "script": fake.script.as_list(recorded.cleaner.secrets.placeholder),
            "numbers": [entry.number for entry in fake.requests.entries],
            "tape": [orjson.loads(line) for line in recorded.lines],
        },
        option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE,
        default=str,
    )


class _Recorded(PlatformRecorder):
    """A recording that was made afterwards."""

    def __init__(self, platform: Platform) -> None:
        self._file: _Lines
        super().__init__(_Lines(), platform)

    @property
    def lines(self) -> list[bytes]:
        return self._file.lines


def _recorded(fake: Fakeplat) -> _Recorded:
    setup = fake.bench.platform.view.setup
    beginning = InitialWorld(fake.bench.scenario, setup.seed, {"kind": fake.clock.kind, "start": fake.began})
    recorded = _Recorded(fake.bench.platform)
    recorded.begin(Head(fake.url, fake.began, {}, beginning))
    for entry in fake.requests.entries:
        recorded.record(entry.request, _answered(entry.response), entry.took / 1e6, entry.at)
    return recorded


def _answered(response: Response) -> Response:
    return response if response.status else evolve(response, status=_NO_ANSWER)


def _scenario(options: Options) -> Scenario:
    said = options.scenario
    return said if isinstance(said, Scenario) else find_scenario(said, options.folders)


def _said(fake: Fakeplat) -> dict[str, Any]:
    options = fake.options
    clock = {"kind": options.clock} if isinstance(options.clock, str) else dict(options.clock)
    return {
        "seed": fake.bench.seed,
        "instance": dict(options.instance),
        "clock": {"start": fake.began, **clock, "kind": fake.clock.kind},
        "faults": list(options.faults),
    }


def _versions() -> dict[str, str | None]:
    return {"fakeplat": RELEASE, "faker": _installed("faker"), "python": python_version()}


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


# reading


def read_bundle(path: Path) -> Bundle:
    """The bundle in a file; UnusableBundle says what is wrong with it."""
    try:
        found = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InvalidBundle(f"{path}: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise InvalidBundle(f"{path}: is no JSON: {error.msg}") from None
    if not isinstance(found, dict) or found.get("bundle") != VERSION:
        raise InvalidBundle(f"{path}: is no bundle of version {VERSION}")
    try:
        found = read_document(BUNDLE, found)
    except DocumentError as error:
        raise InvalidBundle(f"{path}: {error.mistakes[0]}") from None
    tape, numbers = _tape(found, path), found["numbers"]
    if len(numbers) != len(tape):
        raise InvalidBundle(f"{path}: has {len(numbers)} numbers for {len(tape)} requests")
    return Bundle(found["test"], found["versions"], _options(found), Script.of(found["script"]), numbers, tape)


def _tape(found: Mapping[str, Any], path: Path) -> Tape:
    try:
        return parse(b"".join(orjson.dumps(line) + b"\n" for line in found["tape"]), f"{path}: tape")
    except InvalidTape as error:
        raise InvalidBundle(str(error)) from None


def _options(found: Mapping[str, Any]) -> Options:
    documents = tuple(Document(orjson.dumps(data), data) for data in found["documents"])
    return Options(scenario=Scenario(found["scenario"], documents), **found["options"])


# playing


async def play_bundle(bundle: Bundle, fake: Fakeplat, name: str) -> Report:
    """Do in a world, which began as the bundle's did, all that was done there; gives what came out otherwise."""
    tokens = dict(tokens_of_a_fake(bundle.tape))
    numbers = iter(bundle.numbers)

    def steps(_: object = None) -> None:
        for step in bundle.script.take_due(before=next(numbers, None)):
            tokens.update(_do(step, fake))

    async def ask(request: Request) -> Response:
        return _answered(fake.bench.platform.handle(request))

    upstream = bundle.tape.head.upstream
    verification = Verification(bundle.tape, ask, upstream, tokens)
    report = await verification.run(Report(name, upstream, "fakeplat"), tell=steps)
    steps()
    return report


def _do(step: Step, fake: Fakeplat) -> dict[str, str]:
    """Do a step; return the token that it minted, by its placeholder, if a request used it."""
    if step.what == "load":
        fake.load(step.given)
    elif step.what == "now":
        fake.bench.platform.advance_to(from_iso(step.given))
    else:
        value = fake.token(**step.given)
        if step.value:
            return {step.value: value}
    return {}
