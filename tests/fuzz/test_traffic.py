"""Seeded traffic to every operation of three releases; `make fuzz` sends more of it."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fuzz.session import Session, read_request

CORPUS = [orjson.loads(line) for line in Path(__file__).with_name("requests.jsonl").read_bytes().splitlines()]
"""Requests that once had a wrong answer."""


@pytest.mark.parametrize("version", ["13.5", "16.11", "latest"])
def test_every_answer_is_as_described(version: str) -> None:
    """Apt and odd requests get no server error, no undeclared status, and no body of another shape."""
    session = Session(version, seed=34)

    assert [] == [(fault.operation, fault.what) for fault in session.run(2_000)]
    assert len(session.reached) > 200


@pytest.mark.parametrize("saved", CORPUS, ids=[saved["name"] for saved in CORPUS])
def test_what_was_found_stays_mended(saved: dict[str, Any]) -> None:
    """A request that once had a wrong answer has a right one."""
    session = Session(saved["version"], seed=0)
    faults = list(session.send(read_request(saved)))
    assert [] == [(fault.operation, fault.what) for fault in faults]
