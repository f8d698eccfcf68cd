"""Small tapes for tests."""

import json
from pathlib import Path
from typing import Any

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.tape.formats.tape import Exchange, Head, Tape, exchange_line, head_line

UPSTREAM = "https://git.example.test"
AT = "2020-11-20T09:00:00.000Z"
JSON_TYPE = (("Content-Type", "application/json"),)


def make_request(method: str, target: str, body: bytes = b"", **headers: str) -> Request:
    path, _, query = target.partition("?")
    sent_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method, path, query, sent_headers, body, UPSTREAM)


def build_exchange(
    method: str, target: str, answer: Any = None, *, body: Any = None, status: int = 200, headers: Headers = JSON_TYPE
) -> Exchange:
    request_body = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    request_headers = {} if body is None else {"content-type": "application/json"}
    path, _, query = target.partition("?")
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return Exchange(
        Request(method, path, query, request_headers, request_body, UPSTREAM),
        Response(status, headers, content),
        took=1.5,
        at=AT,
    )


def build_tape(*exchanges: Exchange, head: Head | None = None) -> Tape:
    """Return a tape as if it had been read: each exchange has its line number."""
    numbered = [
        Exchange(item.request, item.response, item.took, item.at, line) for line, item in enumerate(exchanges, start=2)
    ]
    return Tape(head or Head(UPSTREAM, AT), tuple(numbered))


def build_content(tape_: Tape) -> bytes:
    return head_line(tape_.head) + b"".join(map(exchange_line, tape_))


def write_tape(tape_: Tape, path: Path) -> Path:
    path.write_bytes(build_content(tape_))
    return path
