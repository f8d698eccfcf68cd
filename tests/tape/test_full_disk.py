"""A disk that takes no more while a session is recorded."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from fakeplat.cli.options import IncompleteOutput
from fakeplat.cli.server import check_tape_complete
from fakeplat.core.operations.http_messages import Response
from fakeplat.tape.formats.tape import Head, read
from fakeplat.tape.record.recorder import Recorder, TapeFile
from tests.tape.tapes import AT, UPSTREAM, make_request


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk of 600 bytes."""
    room, write = [600], os.write

    def limited(file: int, content: bytes) -> int:
        if file <= 2:
            return write(file, content)
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(file, content[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(os, "write", limited)


def test_the_tape_ends_with_a_whole_line(small_disk: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """After the disk is full the tape ends with a whole line, one log record says so, and the exit status is 1."""
    file = TapeFile(tmp_path / "tape")
    recorder = Recorder(file)
    recorder.begin(Head(UPSTREAM, AT))
    for number in range(50):
        recorder.record(make_request("GET", f"/{number}"), Response(200), 1.0, 0)
    recorder.close()
    tape = read(tmp_path / "tape")
    assert [f"/{number}" for number in range(len(tape))] == [row.request.path for row in tape]
    assert 0 < len(tape) < 50
    error = f"{tmp_path / 'tape'}: No space left on device; recording stopped"
    assert [error] == [record.getMessage() for record in caplog.records]
    with pytest.raises(IncompleteOutput) as raised:
        check_tape_complete(file)
    assert (error, 1) == (str(raised.value), raised.value.exit_code)


def test_a_whole_tape_is_complete(tmp_path: Path) -> None:
    """A tape that was written completely has no error and changes no exit status."""
    file = TapeFile(tmp_path / "tape")
    Recorder(file).begin(Head(UPSTREAM, AT))
    file.close()
    check_tape_complete(file)
    assert "" == file.error
