"""`fakeplat record`, `replay`, `tape` and `serve --record`, as a user's shell meets them."""

import gc
import json
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.cli import main
from fakeplat.cli.server import Recording, open_world
from fakeplat.http.server import WorldServer
from fakeplat.tape.formats.tape import read
from fakeplat.tape.record.platform_recorder import PlatformRecorder
from fakeplat.workbench.options import Options
from tests.cli.commands import fakeplat, fakeplat_process
from tests.clients.server import INSTALLED, TIMEOUT, serving
from tests.examples import examples
from tests.tape.tapes import build_content, build_exchange, build_tape, write_tape

SESSION = build_tape(
    build_exchange("GET", "/api/v4/user", {"username": "ada"}), build_exchange("GET", "/api/v4/projects", [])
)


class Command:
    """A running command with what its ready file says; ``done`` stops it and gives its status and output."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.ready_file = folder / f"{arguments[0]}.json"
        command: list[str | Path] = [INSTALLED, *map(str, arguments), "--ready-file", str(self.ready_file)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not self.ready_file.exists():
            if self.process.poll() is not None:
                raise RuntimeError(self.process.communicate())
        self.ready: dict[str, Any] = json.loads(self.ready_file.read_text("utf-8"))

    def done(self) -> tuple[int, str, str]:
        self.process.terminate()
        output, errors = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, output, errors


@contextmanager
def run_command(folder: Path, *arguments: object) -> Iterator[Command]:
    command = Command(folder, *arguments)
    try:
        yield command
    finally:
        if command.process.poll() is None:
            command.done()


def get(url: str, token: str = "ada-token") -> tuple[int, bytes]:
    request = urllib.request.Request(url, headers={"PRIVATE-TOKEN": token})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read()


def test_record_stands_in_front_of_a_server(tmp_path: Path) -> None:
    """`record` proxies a server, writes a ready file without a token and a tape, and exits with 0 on a signal."""
    with serving(tmp_path) as ready:
        with run_command(tmp_path, "record", "--upstream", ready["url"], "--out", tmp_path / "tape") as recording:
            keys = ["url", "api_url", "root_token", "scenario", "pid"]
            assert (keys, None, None) == (
                list(recording.ready),
                recording.ready["root_token"],
                recording.ready["scenario"],
            )
            assert 0o600 == stat.S_IMODE(recording.ready_file.stat().st_mode)
            assert 200 == get(f"{recording.ready['api_url']}/user")[0]
            status, output, errors = recording.done()
        assert (0, "") == (status, errors)
        assert not recording.ready_file.exists()
        assert ready["url"] in output
        tape = read(tmp_path / "tape")
        assert (ready["url"], {"pat:1": "ada"}, 1) == (tape.head.upstream, tape.head.users, len(tape))
        assert tape.head.fakeplat is not None
        assert "starter" == tape.head.fakeplat.scenario


def test_record_waits_for_a_server_that_is_not_there(tmp_path: Path) -> None:
    """`record` without a server says so, answers 502 and leaves a tape without exchanges."""
    with run_command(
        tmp_path, "record", "--upstream", "http://127.0.0.1:9/", "--out", tmp_path / "tape", "--as", "pat:1=ada"
    ) as recording:
        assert 502 == get(f"{recording.ready['api_url']}/user")[0]
        assert (0, "fakeplat: http://127.0.0.1:9 does not answer yet\n") == recording.done()[::2]
    assert ({"pat:1": "ada"}, 0) == (read(tmp_path / "tape").head.users, len(read(tmp_path / "tape")))


def test_serve_records_what_it_is_asked(tmp_path: Path) -> None:
    """`serve --record` writes a tape whose head has the scenario, the seed and the clock."""
    with serving(tmp_path, "--record", str(tmp_path / "tape"), "--seed", "7", "--clock", "virtual") as ready:
        status, body = get(f"{ready['api_url']}/user")
        tape = read(tmp_path / "tape")
    assert (200, body) == (status, tape.exchanges[0].response.body)
    assert tape.head.fakeplat is not None
    assert ("starter", 7, "virtual") == (
        tape.head.fakeplat.scenario,
        tape.head.fakeplat.seed,
        tape.head.fakeplat.clock["kind"],
    )


def test_run_records_too(tmp_path: Path) -> None:
    """`run` accepts --record, as `serve` does."""
    code = "import os, urllib.request as u; u.urlopen(os.environ['CI_API_V4_URL'] + '/projects')"
    assert 0 == fakeplat_process("run", "--record", tmp_path / "tape", "--", sys.executable, "-c", code).returncode
    assert ["/api/v4/projects"] == [exchange.request.path for exchange in read(tmp_path / "tape")]


def test_replay_serves_a_tape(tmp_path: Path) -> None:
    """`replay` serves a tape to any token, with only some control routes, and exits with 0 on a signal."""
    with run_command(tmp_path, "replay", write_tape(SESSION, tmp_path / "tape")) as replaying:
        url = replaying.ready["url"]
        assert (None, None) == (replaying.ready["root_token"], replaying.ready["scenario"])
        assert (200, b'{"username": "ada"}') == get(f"{url}/api/v4/user", "any")
        assert 501 == get(f"{url}/api/v4/groups")[0]
        assert {"status": "ok", "scenario": None, "seed": None}.items() <= json.loads(
            get(f"{url}/_fakeplat/health")[1]
        ).items()
        assert [200, 501] == [entry["status"] for entry in json.loads(get(f"{url}/_fakeplat/requests")[1])]
        assert [501] == [entry["status"] for entry in json.loads(get(f"{url}/_fakeplat/requests?status=501")[1])]
        assert 404 == get(f"{url}/_fakeplat/clock")[0]
        assert (0, "") == replaying.done()[::2]


@pytest.mark.parametrize(
    ("asked", "status", "messages"),
    [
        (["user", "projects"], 0, []),
        (["user"], 1, ["never requested: GET /api/v4/projects (line 3)"]),
        (
            ["projects"],
            1,
            ["GET /api/v4/projects is not the next recorded request", "never requested: GET /api/v4/user (line 2)"],
        ),
    ],
)
def test_strict_replay_fails_for_what_is_left(
    tmp_path: Path, asked: list[str], status: int, messages: list[str]
) -> None:
    """`replay --strict` exits with 1 and prints each omitted or unexpected request on a line."""
    with run_command(tmp_path, "replay", write_tape(SESSION, tmp_path / "tape"), "--strict") as replaying:
        for path in asked:
            get(f"{replaying.ready['api_url']}/{path}")
        status_, output, errors = replaying.done()
    assert (status, "") == (status_, errors)
    assert all(complaint in output for complaint in messages)
    assert status == 1 or 1 == len(output.splitlines())


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["record", "--upstream", "git.example.test", "--out", "x"], "not the origin of a server"),
        (["record", "--upstream", "https://h.test/gitlab", "--out", "x"], "not the origin of a server"),
        (["record", "--upstream", "https://u:p@h.test", "--out", "x"], "not the origin of a server"),
        (["record", "--upstream", "https://h.test", "--out", "no-such-folder/x"], "no-such-folder/x"),
        (["record", "--upstream", "https://h.test", "--out", "x", "--as", "ada"], "--as ada"),
        (["record", "--out", "x"], "--upstream"),
        (["replay", "no-such-tape"], "no-such-tape: No such file"),
        (["tape", "import", "no-such.har", "--out", "x"], "no-such.har: No such file"),
        (["tape", "export", "no-such-tape", "--har", "x"], "no-such-tape: No such file"),
    ],
)
def test_unusable_arguments_are_status_2(
    arguments: list[str], part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invalid arguments of tape commands exit with 2 and a message on stderr, without a traceback."""
    monkeypatch.chdir(tmp_path)
    done = fakeplat(*arguments)
    assert 2 == done.returncode
    assert part in done.stderr
    assert "Traceback" not in done.stderr


BYTES = build_content(SESSION)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(20))
@given(start=st.integers(0, len(BYTES)), length=st.integers(0, 2 * len(BYTES)), put=st.binary(max_size=8))
def test_a_fuzzed_or_truncated_tape_is_one_line_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: int, length: int, put: bytes
) -> None:
    """`tape export` of a damaged tape succeeds or exits with 2 and one line that names the file."""
    path = tmp_path / "tape"
    path.write_bytes(BYTES[:start] + put + BYTES[start + length :])
    with pytest.raises(SystemExit) as ended:
        main(["tape", "export", str(path), "--har", str(tmp_path / "har")])
    message = capsys.readouterr().err
    assert (ended.value.code, len(message.splitlines())) in {(0, 0), (2, 1)}
    assert message == "" or message.startswith(f"fakeplat: {path}:")


def test_tapes_go_out_as_har_and_come_in_again(tmp_path: Path) -> None:
    """A tape is exported to HAR and imported again; a cassette is recognized by its suffix."""
    assert (
        0 == fakeplat("tape", "export", write_tape(SESSION, tmp_path / "tape"), "--har", tmp_path / "x.har").returncode
    )
    done = fakeplat("tape", "import", tmp_path / "x.har", "--out", tmp_path / "again")
    assert (0, "2 exchanges with https://git.example.test") == (done.returncode, done.stdout.strip().split(": ")[-1])
    assert SESSION == read(tmp_path / "again")
    (tmp_path / "c.yaml").write_text("version: 1\ninteractions: []\n", "utf-8")
    done = fakeplat("tape", "import", tmp_path / "c.yaml", "--out", tmp_path / "again")
    assert (2, f"fakeplat: {tmp_path / 'c.yaml'}: contains no requests\n") == (done.returncode, done.stderr)


def test_the_schema_of_a_line_is_printed() -> None:
    """`tape schema` prints the JSON schema of a line."""
    assert "A line of a tape of fakeplat" == json.loads(fakeplat("tape", "schema").stdout)["title"]


async def test_a_tape_ends_after_the_last_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that stops closes its worlds before it closes the tape."""
    hall = WorldServer()
    left: list[object] = []
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: None)
    close = PlatformRecorder.close

    def note_and_close(recorder: PlatformRecorder) -> None:
        left.append(dict(hall.worlds))
        close(recorder)

    monkeypatch.setattr(PlatformRecorder, "close", note_and_close)
    async with open_world(hall, Options(scenario="empty").bench(), 0, None, Recording(tmp_path / "tape")):
        assert 1 == len(hall.worlds)
    assert [{}] == left


def build_har_entry(path: str, token: str, body: Any) -> dict[str, Any]:
    request = {
        "method": "GET",
        "url": f"https://git.example.test{path}",
        "headers": [{"name": "PRIVATE-TOKEN", "value": token}],
    }
    content = {"mimeType": "application/json", "text": json.dumps(body)}
    return {"request": request, "response": {"status": 200, "headers": [], "content": content}}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A HAR file of two people, of whom one asked who they are."""
    entries = [
        build_har_entry("/api/v4/user", "first-secret", {"username": "ada"}),
        build_har_entry("/api/v4/version", "other-secret", {}),
    ]
    file = tmp_path / "session.har"
    file.write_text(
        json.dumps({"log": {"version": "1.2", "creator": {"name": "t", "version": "1"}, "entries": entries}})
    )
    return file


def test_an_imported_tape_knows_who_asked(archive: Path, tmp_path: Path) -> None:
    """An imported tape knows users from responses of `GET /user` and from --as."""
    assert 0 == fakeplat("tape", "import", archive, "--out", tmp_path / "one").returncode
    assert {"pat:1": "ada"} == read(tmp_path / "one").head.users
    done = fakeplat("tape", "import", archive, "--out", tmp_path / "two", "--as", "pat:2=mia")
    assert 0 == done.returncode
    assert {"pat:1": "ada", "pat:2": "mia"} == read(tmp_path / "two").head.users


def test_verifying_says_whose_credentials_it_does_not_know(archive: Path, tmp_path: Path) -> None:
    """`verify` names placeholders without a known user and the options that provide it."""
    fakeplat("tape", "import", archive, "--out", tmp_path / "tape")
    done = fakeplat("verify", tmp_path / "tape", "--scenario", "starter")
    hint = "pass --token pat:2=SECRET (a user of the scenario has NAME-token), or import it with --as pat:2=NAME"
    assert f"fakeplat: the tape does not say whose pat:2 is; {hint}" in done.stderr.splitlines()
    known = fakeplat("verify", tmp_path / "tape", "--scenario", "starter", "--token", "pat:2=mia-token")
    assert "does not say whose" not in known.stderr
