"""The tapes that are kept beside the tests, from which the coverage table's column comes."""

from pathlib import Path

import pytest
from attrs import evolve

from fakeplat.tape.formats.tape import read
from fakeplat.workbench.coverage import coverage_rows, format_coverage
from tests.tape.beyond import without_counts
from tools.verified import FAKE, SERVER, add_tapes, verify_tape

FOLDER = Path(__file__).parents[1] / "tapes"
TAPES = sorted(FOLDER.glob("*.tape"))


@pytest.mark.parametrize("file", TAPES, ids=[file.stem for file in TAPES])
def test_a_kept_tape_does_not_drift(file: Path) -> None:
    """The platform answers each kept tape without drift; after an intended change tools/tapes.py records it again."""
    assert [] == list(map(str, verify_tape(read(file)).drifts))


def test_the_column_says_what_was_recorded() -> None:
    """The coverage table names a tape of a fakeplat as such, and not as one of a server."""
    rows = add_tapes({"get_project": {}, "health_check": {}}, FOLDER)
    row = next(row for row in coverage_rows(rows) if row["operation"] == "get_project")

    assert {"get_project": {"verified": [FAKE]}, "health_check": {"verified": []}} == rows
    assert [FAKE] == row["verified"]
    assert f"confirmed by tapes of {FAKE}" in format_coverage([row])
    assert SERVER not in format_coverage([row])


def test_the_kept_session_makes_its_own_world() -> None:
    """The world that is built from the kept tape answers all of its reads and writes."""
    tape = read(FOLDER / "python-gitlab.tape")
    began = tape.head.fakeplat
    assert began is not None
    report = verify_tape(evolve(tape, head=evolve(tape.head, recorded_at=began.clock["start"], fakeplat=None)))

    assert [] == without_counts(map(str, report.drifts))
    assert len(tape) == report.played.total() > 110
