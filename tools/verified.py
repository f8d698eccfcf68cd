"""Operations that the checked-in tapes verify: those that respond as recorded."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fakeplat.tape.formats.tape import Tape, read
from fakeplat.tape.records.transports import ask_platform
from fakeplat.tape.verify.drift import Report
from fakeplat.tape.verify.initial_world import initial_platform
from fakeplat.tape.verify.verification import Verification, fake_tokens

FAKE = "fakeplat"
SERVER = "server"


def verify_tape(tape: Tape) -> Report:
    """Verify a tape against its initial world."""
    upstream = tape.head.upstream
    world, same_ids = ask_platform(initial_platform(tape)), tape.head.fakeplat is not None
    verification = Verification(tape, world, upstream, fake_tokens(tape), same_ids=same_ids)
    return asyncio.run(verification.run(Report("", upstream, FAKE)))


def add_tapes(evidence: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Add to each operation's evidence the upstreams of the tapes that verify it: a fakeplat or a server."""
    verified: dict[str, set[str]] = {}
    for file in sorted(folder.glob("*.tape")):
        tape = read(file)
        report = verify_tape(tape)
        drifted = {drift.operation for drift in report.drifts}
        for operation in report.played.keys() - drifted:
            verified.setdefault(operation, set()).add(SERVER if tape.head.fakeplat is None else FAKE)
    return {name: {**observed, "verified": sorted(verified.get(name, ()))} for name, observed in evidence.items()}
