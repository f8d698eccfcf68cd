"""Bundles: one file with everything needed to reproduce the world of a failing test.

A bundle contains the scenario, the options, the test's direct changes to the world, and the tape of its requests. The
format is JSON, version 1; docs/test-bench.md describes it.
"""

from collections.abc import Mapping
from importlib.metadata import version
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
from fakeplat.harness.bundle_contents import put_back, take_out
from fakeplat.harness.bundle_shape import BUNDLE, VERSION, BundleDocument
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.script import Script, Step
from fakeplat.platform import Platform
from fakeplat.scenario import Scenario, get_scenario
from fakeplat.scenario.documents import Document
from fakeplat.tape.formats.tape import Head, InitialWorld, InvalidTape, Tape, parse
from fakeplat.tape.record.platform_recorder import PlatformRecorder
from fakeplat.tape.record.recorder import TapeFile
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.verification import Verification, fake_tokens
from fakeplat.workbench.options import Options

_NO_ANSWER: Final = 599
"""The status on a bundle's tape of a request that got no response."""


class InvalidBundle(ValueError):
    """A file is not a valid bundle; the message is one line."""


@frozen
class Bundle:
    """A parsed bundle. ``numbers`` are those of the tape's requests in the world; the script refers to them.

    ``exempt`` are the requests that callbacks made, to which no faults applied.
    """

    test: str
    versions: Mapping[str, str | None]
    options: Options
    script: Script
    numbers: tuple[int, ...]
    exempt: frozenset[int]
    tape: Tape


# Writing


class _MemoryTapeFile(TapeFile):
    """A tape file in memory."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.last = 0

    def add(self, line: bytes) -> None:
        self.lines.append(line)
        self.last += 1

    def write(self) -> None:
        """Do nothing; the lines are written with the rest of the bundle."""

    def close(self) -> None:
        self.lines.clear()


def create_bundle(fake: Fakeplat, test: str) -> bytes:
    """Return the bundle of a test's world in its current state."""
    scenario = _get_scenario(fake.options)
    recording = _record_journal(fake)
    tape = [orjson.loads(line) for line in recording.lines]
    contents = take_out(tape)
    return orjson.dumps(
        {
            "bundle": VERSION,
            "test": test,
            "versions": _installed_versions(),
            "scenario": scenario.name,
            "documents": [document.data for document in scenario.documents],
            "options": _serialize_options(fake),
            "script": fake.script.as_list(recording.redactor.secrets.placeholder),
            "numbers": [entry.number for entry in fake.requests.entries],
            "exempt": list(fake.bench.interceptors.exempt_requests),
            **({"contents": contents} if contents else {}),
            "tape": tape,
        },
        option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE,
        default=str,
    )


class _JournalRecorder(PlatformRecorder):
    """A recording made afterwards, from the journal."""

    def __init__(self, platform: Platform) -> None:
        self._file: _MemoryTapeFile
        super().__init__(_MemoryTapeFile(), platform)

    @property
    def lines(self) -> list[bytes]:
        return self._file.lines


def _record_journal(fake: Fakeplat) -> _JournalRecorder:
    setup = fake.bench.platform.view.setup
    initial_world = InitialWorld(fake.bench.scenario, setup.seed, {"kind": fake.clock.kind, "start": fake.began})
    recorder = _JournalRecorder(fake.bench.platform)
    recorder.begin(Head(fake.url, fake.began, {}, initial_world))
    for entry in fake.requests.entries:
        # Tapes have durations in milliseconds, the journal in nanoseconds.
        recorder.record(entry.request, _with_status(entry.response), entry.took / 1e6, entry.at)
    return recorder


def _with_status(response: Response) -> Response:
    return response if response.status else evolve(response, status=_NO_ANSWER)


def _get_scenario(options: Options) -> Scenario:
    scenario = options.scenario
    return scenario if isinstance(scenario, Scenario) else get_scenario(scenario, options.folders)


def _serialize_options(fake: Fakeplat) -> dict[str, Any]:
    options = fake.options
    clock = {"kind": options.clock} if isinstance(options.clock, str) else dict(options.clock)
    return {
        "seed": fake.bench.seed,
        "instance": dict(options.instance),
        "clock": {"start": fake.began, **clock, "kind": fake.clock.kind},
        "faults": [] if fake.was_reset else list(options.faults),
        "pipelines": list(options.pipelines),
    }


def _installed_versions() -> dict[str, str]:
    return {"fakeplat": RELEASE, "faker": version("faker"), "python": python_version()}


# Reading


def read_bundle(path: Path) -> Bundle:
    """Read a bundle from a file; InvalidBundle describes what is wrong with it."""
    try:
        data = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InvalidBundle(f"{path}: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise InvalidBundle(f"{path}: is not valid JSON: {error.msg}") from None
    if not isinstance(data, dict) or data.get("bundle") != VERSION:
        raise InvalidBundle(f"{path}: is not a bundle of version {VERSION}")
    try:
        document: BundleDocument = read_document(BUNDLE, data)
    except DocumentError as error:
        raise InvalidBundle(f"{path}: {error.mistakes[0]}") from None
    tape, numbers = _parse_tape(document, path), document["numbers"]
    if len(numbers) != len(tape):
        raise InvalidBundle(f"{path}: has {len(numbers)} numbers for {len(tape)} requests")
    script, exempt = Script.from_list(document["script"]), frozenset(document.get("exempt", ()))
    return Bundle(document["test"], document["versions"], _parse_options(document), script, numbers, exempt, tape)


def _parse_tape(data: BundleDocument, path: Path) -> Tape:
    missing = put_back(data["tape"], data.get("contents", {}))
    if missing is not None:
        raise InvalidBundle(f"{path}: has no content {missing}")
    try:
        return parse(b"".join(orjson.dumps(line) + b"\n" for line in data["tape"]), f"{path}: tape")
    except InvalidTape as error:
        raise InvalidBundle(str(error)) from None


def _parse_options(data: BundleDocument) -> Options:
    documents = tuple(Document(orjson.dumps(data), data) for data in data["documents"])
    return Options(scenario=Scenario(data["scenario"], documents), **data["options"])


# Playing


async def play_bundle(bundle: Bundle, fake: Fakeplat, name: str) -> Report:
    """Replay the steps and requests of a bundle in a world with the same initial state; return the differences."""
    # Secrets on the tape are placeholders. The tokens created while playing are added under the placeholders that stand
    # for them, so that later requests are sent with the new values.
    tokens = dict(fake_tokens(bundle.tape))
    numbers, platform = iter(bundle.numbers), fake.bench.platform
    number: int | None = None

    def run_due_steps(_: object = None) -> None:
        nonlocal number
        number = next(numbers, None)
        for step in bundle.script.take_due(before=number):
            tokens.update(_run_step(step, fake))

    async def send(request: Request) -> Response:
        handle = platform.handle_directly if number in bundle.exempt else platform.handle
        return _with_status(handle(request))

    upstream = bundle.tape.head.upstream
    # The scenario, the seed and all steps are those of the test, and so are the ids.
    verification = Verification(bundle.tape, send, upstream, tokens, exact_ids=True)
    report = await verification.run(Report(name, upstream, "fakeplat"), show_progress=run_due_steps)
    # Steps after the last request have no request before which they could be run.
    run_due_steps()
    return report


def _run_step(step: Step, fake: Fakeplat) -> dict[str, str]:
    """Run a step; return the token that it created by its placeholder, if a request used the token."""
    if step.what == "load":
        fake.load(step.given)
    elif step.what == "now":
        fake.bench.platform.advance_to(from_iso(step.given))
    elif step.what == "pipelines":
        fake.pipelines.replace(step.given)
    elif step.what == "fault":
        fake.faults.add(step.given)
    elif step.what == "remove_fault":
        fake.faults.remove(step.given)
    elif step.what == "clear_faults":
        fake.faults.clear()
    elif value := fake.token(**step.given):
        return {step.value: value} if step.value else {}
    return {}
