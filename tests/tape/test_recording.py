"""A platform that is recorded from inside."""

from pathlib import Path
from typing import Any

import pytest

from fakeplat.tape.formats.tape import InitialWorld, Tape, read
from fakeplat.tape.record.platform_recorder import record_platform
from fakeplat.tape.record.recorder import Recorder, TapeFile


@pytest.fixture
def tape(fakeplat: Any, tmp_path: Path) -> Any:
    """Reads what was recorded so far."""
    recorder = record_platform(fakeplat.bench.platform, TapeFile(tmp_path / "tape"), fakeplat.url, "starter")
    yield lambda: read(tmp_path / "tape")
    recorder.close()


def test_the_head_says_what_the_world_is(fakeplat: Any, tape: Any) -> None:
    """The head of a tape contains the scenario, the seed and the clock of the world."""
    head = tape().head
    assert fakeplat.url == head.upstream
    assert InitialWorld("starter", fakeplat.bench.seed, {"kind": "auto", "start": fakeplat.clock.now}) == head.fakeplat


@pytest.mark.fakeplat(tier="ultimate")
def test_the_head_says_which_tier_it_has(tape: Any) -> None:
    """The head of a tape contains the tier of the world."""
    assert {"tier": "ultimate"} == tape().head.fakeplat.instance


def test_what_is_asked_stands_on_the_tape_as_it_was_answered(fakeplat: Any, tape: Any) -> None:
    """Each exchange, refusals included, is recorded at once, and the head names the users of the tokens."""
    reply = fakeplat.as_user("ada").post("projects/acme%2Fsite/star")
    refused = fakeplat.as_user("gus").delete("projects/acme%2Fsite")
    recorded: Tape = tape()
    assert [(201, reply.content), (refused.status, refused.content)] == [
        (exchange.response.status, exchange.response.body) for exchange in recorded
    ]
    assert {"pat:1": "ada", "pat:2": "gus"} == recorded.head.users
    assert ["<pat:1>", "<pat:2>"] == [exchange.request.headers["private-token"] for exchange in recorded]


def test_an_answer_that_is_asked_for_twice_stands_there_twice(fakeplat: Any, tape: Any) -> None:
    """A repeated response is recorded again, and a token that is new since then is replaced in it."""
    ada = fakeplat.as_user("ada")
    for _ in range(2):
        ada.get("projects/acme%2Fsite")
    ada.post("projects", json={"name": "x", "description": "Site and more"})
    root = fakeplat.as_user("root")
    root.put("projects/acme%2Fsite", json={"description": "root-token leaks"})
    ada.get("projects/acme%2Fsite")
    bodies = [exchange.response.body for exchange in tape()]
    assert bodies[0] == bodies[1]
    assert b"<pat:2> leaks" in bodies[4]


def test_an_origin_that_a_client_made_up_is_the_servers_on_the_tape(fakeplat: Any, tape: Any) -> None:
    """A tape has the server's origin also for requests to localhost."""
    import urllib.request

    port = fakeplat.url.rpartition(":")[2]
    with urllib.request.urlopen(f"http://localhost:{port}/api/v4/projects/acme%2Fdocs") as answer:
        assert f"http://localhost:{port}/acme/docs".encode() in answer.read()
    (exchange,) = tape()
    assert b"http://localhost" not in exchange.response.body
    assert f"{fakeplat.url}/acme/docs".encode() in exchange.response.body


def test_an_answer_that_never_arrived_is_no_part_of_the_session(fakeplat: Any, tape: Any) -> None:
    """A request whose response was lost is not recorded."""
    fakeplat.faults.add(operation="get_version", connection="lost_reply")
    with pytest.raises(ConnectionAbortedError):
        fakeplat.as_user("ada").get("version")
    assert 0 == len(tape())


def test_a_full_disk_ends_the_tape_and_not_the_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """On a full disk recording stops with one log message and without an exception."""
    file = TapeFile(Path("/dev/full"))
    for _ in range(2):
        file.add(b"x\n")
        file.write()
    file.close()
    assert ["/dev/full: No space left on device; recording stopped"] == caplog.messages


def test_a_tape_is_for_its_owner(tmp_path: Path) -> None:
    """A tape file has the mode 0600."""
    Recorder(TapeFile(tmp_path / "tape")).close()
    assert 0o600 == (tmp_path / "tape").stat().st_mode & 0o777
