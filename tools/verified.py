"""Which operations the kept tapes prove: those that answer as recorded, and what was recorded."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fakeplat.tape.export.transports import ask_platform
from fakeplat.tape.formats.tape import Tape, read
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.initial_world import initial_platform
from fakeplat.tape.verify.verification import Verification, tokens_of_a_fake

FAKE = "fakeplat"
SERVER = "server"


def report_of(tape: Tape) -> Report:
    """A tape, verified against the world that it begins in."""
    upstream = tape.head.upstream
    world, same_ids = ask_platform(initial_platform(tape)), tape.head.fakeplat is not None
    playing = Verification(tape, world, upstream, tokens_of_a_fake(tape), same_ids=same_ids)
    return asyncio.run(playing.run(Report("", upstream, FAKE)))


def with_tapes(found: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The evidence, where each operation says what was recorded by the tapes that it fits: a fakeplat or a server."""
    proven: dict[str, set[str]] = {}
    for file in sorted(folder.glob("*.tape")):
        tape = read(file)
        report = report_of(tape)
        drifted = {drift.operation for drift in report.drifts}
        for operation in report.played.keys() - drifted:
            proven.setdefault(operation, set()).add(SERVER if tape.head.fakeplat is None else FAKE)
    return {name: {**one, "verified": sorted(proven.get(name, ()))} for name, one in found.items()}
