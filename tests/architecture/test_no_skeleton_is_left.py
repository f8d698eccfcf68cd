"""What `tools/new_operation.py` writes is filled in before it lands."""

from tests.architecture.sources import ROOT

MARK = "FILL " + "IN"


def test_no_skeleton_is_left() -> None:
    """No file of the package or the tests contains the mark of a skeleton."""
    files = [file for folder in ("fakeplat", "tests") for file in sorted((ROOT / folder).rglob("*.py"))]
    marks = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if MARK in line
    ]
    assert [] == marks
