"""`fakeplat verify`: a recording against a fresh fake or a running server."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from attrs import evolve

from fakeplat.tape.formats.tape import Tape, write
from tests.cli.commands import fakeplat
from tests.clients.server import serving
from tests.scenario.worlds import create_platform
from tests.tape.sessions import Session, record_session


def send_requests(session: Session) -> None:
    session.ask("GET", "projects/acme%2Fsite")
    issue = session.ask("POST", "projects/acme%2Fsite/issues", title="New", labels="bug")
    session.ask("GET", f"projects/acme%2Fsite/issues/{issue['iid']}")
    session.ask("GET", "users?username=dev", "root")


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    return record_session(create_platform("starter"), tmp_path / "session.tape", send_requests)


@pytest.fixture
def file(tape: Tape, tmp_path: Path) -> Path:
    assert len(tape) == 4
    return tmp_path / "session.tape"


@pytest.fixture
def wrong(tape: Tape, tmp_path: Path) -> Path:
    """The tape with another label in its third answer."""
    exchange = tape.exchanges[2]
    body = orjson.dumps({**orjson.loads(exchange.response.body), "labels": ["feature"]})
    other = evolve(exchange, response=evolve(exchange.response, body=body))
    file = tmp_path / "wrong.tape"
    write(evolve(tape, exchanges=(*tape.exchanges[:2], other, tape.exchanges[3])), file)
    return file


def test_no_drift_is_status_0(file: Path) -> None:
    """`verify` without drift exits with 0 and prints one line."""
    done = fakeplat("verify", file)

    assert (0, "4 exchanges of 4 operations: no drift\n", "") == (done.returncode, done.stdout, done.stderr)


def test_a_tape_of_nothing_verifies_nothing(file: Path) -> None:
    """`verify` of a tape without exchanges exits with 2 and prints no success."""
    file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    done = fakeplat("verify", file)

    message = f"fakeplat: {file}: contains no exchanges; there is nothing to verify\n"
    assert (2, "", message) == (done.returncode, done.stdout, done.stderr)


def test_drift_exits_with_status_1_and_is_reported_by_operation_and_path(wrong: Path) -> None:
    """`verify` with drift exits with 1 and prints operation, status, JSON path and both values."""
    done = fakeplat("verify", wrong)

    first, last = done.stdout.splitlines()
    assert 1 == done.returncode
    assert first.startswith(
        'get_issue  200  $.labels[0]: "feature" ≠ "bug"  (GET /api/v4/projects/acme%2Fsite/issues/6'
    )
    assert "4 exchanges of 4 operations: 1 drift in 1 operation" == last


def test_json_says_the_same(wrong: Path) -> None:
    """`verify --json` prints the report whose format docs/fidelity.md describes."""
    report: dict[str, Any] = json.loads(fakeplat("verify", wrong, "--json").stdout)

    assert ["format", "tape", "upstream", "against", "exchanges", "operations", "drifts"] == list(report)
    assert {"exchanges": 1, "drifts": 1} == report["operations"]["get_issue"]
    assert [
        {
            "exchange": 3,
            "line": 4,
            "operation": "get_issue",
            "method": "GET",
            "path": "/api/v4/projects/acme%2Fsite/issues/6",
            "status": 200,
            "kind": "value",
            "where": "$.labels[0]",
            "recorded": "feature",
            "played": "bug",
        }
    ] == report["drifts"]


def test_the_release_of_the_recorded_server_is_set(file: Path) -> None:
    """A setting changes the instance of the new fake, such as its release, from that of the recorded one."""
    later, same = (fakeplat("verify", file, "--set", f"instance.version={release}") for release in ("16.11", "13.5"))

    assert (1, 0) == (later.returncode, same.returncode)
    assert "extra" in later.stdout


def test_another_scenario_is_another_world(file: Path) -> None:
    """--scenario overrides the scenario of the tape."""
    done = fakeplat("verify", file, "--scenario", "empty")

    assert 1 == done.returncode
    assert 'get_project  200  status 200 ≠ "401' in done.stdout


def test_a_running_server_is_verified_with_its_own_tokens(file: Path, tmp_path: Path) -> None:
    """`verify --against` needs a valid --token for each placeholder of a known user."""
    with serving(tmp_path, "--clock", "virtual") as ready:
        tokens = ("--token", "pat:1=ada-token", "--token", "pat:2=root-token")
        fine = fakeplat("verify", file, "--against", ready["url"], *tokens)
        refused = fakeplat(
            "verify", file, "--against", ready["url"], "--token", "pat:1=no", "--token", "pat:2=root-token"
        )
        missing = fakeplat("verify", file, "--against", ready["url"], "--token", "pat:1=ada-token")

    assert (0, "4 exchanges of 4 operations: no drift\n") == (fine.returncode, fine.stdout)
    assert 1 == refused.returncode
    assert (2, "fakeplat: --against needs a --token for pat:2 (root)\n") == (missing.returncode, missing.stderr)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["no-such.tape"], "no-such.tape"),
        (["{file}", "--scenario", "startr"], "starter"),
        (["{file}", "--token", "ada-token"], "pat:1=SECRET"),
        (["{file}", "--against", "not-a-url"], "--against not-a-url"),
        (["{file}", "--against", "http://127.0.0.1:1", "--seed", "3"], "--seed"),
        (["{file}", "--against", "http://127.0.0.1:1", "--set", "instance.version=16.11"], "--set"),
        (["{file}", "--set", "instance.version=1.0"], "version"),
        (
            ["{file}", "--against", "http://127.0.0.1:1", "--token", "pat:1=x", "--token", "pat:2=y"],
            "http://127.0.0.1:1 cannot be reached",
        ),
        (["{broken}"], "broken.tape:1"),
    ],
)
def test_what_cannot_be_verified_is_status_2_in_one_line(
    file: Path, tmp_path: Path, arguments: list[str], part: str
) -> None:
    """An impossible verification exits with 2 and one line on stderr."""
    broken = tmp_path / "broken.tape"
    broken.write_text("no tape\n", "utf-8")
    done = fakeplat("verify", *(argument.format(file=file, broken=broken) for argument in arguments))

    assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert part in done.stderr
