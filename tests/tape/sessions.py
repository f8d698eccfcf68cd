"""Recorded sessions with a platform in this process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from attrs import evolve

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.timestamps import to_iso
from fakeplat.platform import Platform
from fakeplat.tape.formats.tape import Tape, read
from fakeplat.tape.record.platform_recorder import record_platform
from fakeplat.tape.record.recorder import TapeFile
from fakeplat.tape.records.recorded_requests import json_or_none

ORIGIN = "https://git.example.test"


class Session:
    """Sends requests to a platform as a user and returns the JSON of the responses."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    def ask(self, method: str, target: str, by: str | None = "ada", **body: Any) -> Any:
        path, _, query = target.partition("?")
        headers = {"private-token": f"{by}-token"} if by else {}
        if body:
            headers["content-type"] = JSON
        request = Request(method, f"/api/v4/{path}", query, headers, orjson.dumps(body) if body else b"", ORIGIN)
        response = self.platform.handle(request)
        return json_or_none(response.body)


def record_session(
    platform: Platform, file: Path, send_requests: Callable[[Session], None], scenario: str = "starter"
) -> Tape:
    """Record the requests of a function; return the tape."""
    recorder = record_platform(platform, TapeFile(file), ORIGIN, scenario)
    send_requests(Session(platform))
    recorder.close()
    platform.observers.pop()
    return read(file)


def as_server_tape(tape: Tape, platform: Platform) -> Tape:
    """Return the tape as if it were recorded from a real server, at the platform's time."""
    head = evolve(tape.head, fakeplat=None, recorded_at=to_iso(platform.clock.now()))
    return evolve(tape, head=head)
