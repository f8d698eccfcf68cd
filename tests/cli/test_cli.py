"""The command line, as a user's shell meets it."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.commands import fakeplat, fakeplat_process
from tests.clients.server import INSTALLED, serving


def test_the_ready_file_is_written_for_its_owner_and_removed_at_the_end(tmp_path: Path) -> None:
    """The ready file has URLs, token, scenario and pid, the mode 0600, and is removed at the end."""
    with serving(tmp_path, "--scenario", "empty") as ready:
        assert ["url", "api_url", "root_token", "scenario", "pid"] == list(ready)
        assert 0o600 == stat.S_IMODE((tmp_path / "ready.json").stat().st_mode)
        request = urllib.request.Request(f"{ready['api_url']}/user", headers={"PRIVATE-TOKEN": ready["root_token"]})
        assert "root" == json.load(urllib.request.urlopen(request))["username"]
    assert not (tmp_path / "ready.json").exists()


def test_serve_prints_the_url_and_everybodys_token(tmp_path: Path) -> None:
    """`serve` prints its URL, its scenario and every user's token before the ready file appears."""
    with serving(tmp_path) as ready:
        printed = (tmp_path / "serve.log").read_text("utf-8")
    assert ready["url"] in printed
    assert "starter" in printed
    assert all(f"{name}-token" in printed for name in ("root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob"))


def test_loading_a_large_world_shows_progress(tmp_path: Path) -> None:
    """A hundred thousand issues are loaded with a line about the progress, and a small world without."""
    large = {"extends": "starter", "generate": [{"into": "acme/site", "issues": 100_000}]}
    (tmp_path / "large.json").write_text(json.dumps(large), "utf-8")
    for name, line in ((tmp_path / "large.json", "100: 100,000 of 100,000 issues of site"), ("starter", "")):
        result = fakeplat_process("run", "--scenario", name, "--", "true")
        assert (0, line) == (result.returncode, result.stderr.strip())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """A signal stops `serve` with exit status 0 and no traceback."""
    ready = tmp_path / "ready.json"
    command: list[str | Path] = [INSTALLED, "serve", "--port", "0", "--ready-file", ready]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not ready.exists():
        assert server.poll() is None
    os.kill(server.pid, number)
    _, errors = server.communicate(timeout=20)
    assert (0, "") == (server.returncode, errors)


def test_the_end_of_its_input_stops_it_cleanly(tmp_path: Path) -> None:
    """With `--until-eof`, the end of standard input stops `serve`, so that it ends with the program that started it."""
    ready = tmp_path / "ready.json"
    command: list[str | Path] = [INSTALLED, "serve", "--port", "0", "--ready-file", ready, "--until-eof"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not ready.exists():
        assert server.poll() is None
    _, errors = server.communicate(b"ignored\n", timeout=20)
    assert (0, b"") == (server.returncode, errors)
    assert not ready.exists()


def test_run_gives_a_command_a_world_and_its_status_back() -> None:
    """`run` sets the variables that clients read and exits with the command's status."""
    code = "import os, sys; print(*os.environ); sys.exit(7)"
    done = fakeplat_process("run", "--scenario", "empty", "--", sys.executable, "-c", code)
    names = {"FAKEPLAT_URL", "FAKEPLAT_TOKEN", "GITLAB_URL", "GITLAB_TOKEN", "CI_SERVER_URL", "CI_API_V4_URL"}
    assert 7 == done.returncode
    assert names <= set(done.stdout.split())


READ = "import os, urllib.request as r; r.urlopen(r.Request(os.environ['CI_API_V4_URL'] + '/user?x=1', headers={'PRIVATE-TOKEN': os.environ['GITLAB_TOKEN']}))"  # noqa: E501


def test_run_as_a_user_logs_requests_and_reports_a_failure() -> None:
    """`run` with --user uses that user's token and prints the last requests if the command fails."""
    done = fakeplat_process("run", "--user", "dev", "--log", "--", sys.executable, "-c", READ)
    assert (0, "200 GET /api/v4/user?x=1 by dev\n") == (done.returncode, done.stderr)
    failed = fakeplat_process("run", "--user", "dev", "--", sys.executable, "-c", f"{READ}; raise SystemExit(3)")
    expected = "fakeplat: the command failed with status 3 after 1 request\n  200 GET /api/v4/user?x=1 by dev\n"
    assert (3, expected) == (failed.returncode, failed.stderr)
    unknown = fakeplat_process("run", "--user", "nobody", "--", "true")
    assert 2 == unknown.returncode
    assert "--user nobody: no user with a token has that name; there are root, ada," in unknown.stderr


def test_run_over_tls(tmp_path: Path) -> None:
    """`run --tls` writes a certificate authority that the command's clients trust."""
    done = fakeplat_process("run", "--tls", tmp_path / "ca.pem", "--", sys.executable, "-c", READ)
    assert (0, "") == (done.returncode, done.stderr)
    assert (tmp_path / "ca.pem").read_text("utf-8").startswith("-----BEGIN CERTIFICATE-----")


def test_a_client_without_tls_is_reported(tmp_path: Path) -> None:
    """A plain HTTP request to an HTTPS server gets no response and is reported by the server."""
    code = (
        "import os, urllib.request as r; from contextlib import suppress\n"
        "with suppress(OSError): r.urlopen(os.environ['FAKEPLAT_URL'].replace('https', 'http'))"
    )
    done = fakeplat_process("run", "--tls", tmp_path / "ca.pem", "--", sys.executable, "-c", code)
    expected = "fakeplat: a client sent a plain HTTP request; this server speaks HTTPS only\n"
    assert (0, expected) == (done.returncode, done.stderr)


def test_git_over_tls(tmp_path: Path) -> None:
    """git clones from `run --tls` and verifies the certificate."""
    clone = 'git clone -q "https://oauth2:ada-token@${GITLAB_URL#https://}/acme/site.git" clone'
    command: list[str | Path] = [INSTALLED, "run", "--tls", tmp_path / "ca.pem", "--", "sh", "-c", clone]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (0, "") == (done.returncode, done.stderr)
    assert (tmp_path / "clone" / "README.md").is_file()


def test_run_of_no_such_command_is_127() -> None:
    """`run` with an unknown command exits with 127, as a shell does."""
    assert 127 == fakeplat_process("run", "--", "no-such-command-anywhere").returncode


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["serve", "--scenario", "startr"], "starter"),
        (["serve", "--set", "instance.teir=free"], "did you mean tier?"),
        (["serve", "--set", "instance.tier=gold"], "tier"),
        (["serve", "--set", "tier=free"], "instance.KEY=VALUE"),
        (["serve", "--port", "99999"], "99999"),
        (["serve", "--clock", "sundial"], "sundial"),
        (["serve", "--port", "0", "--record", "no-such-folder/tape"], "no-such-folder/tape"),
        (["replay", "no-such-tape"], "no-such-tape"),
        (["scenario", "show", "nothing"], "nothing"),
        (["scenario", "check", "no-such-file.yaml"], "no-such-file.yaml"),
    ],
)
def test_unusable_arguments_exit_with_status_2_and_a_message(arguments: list[str], part: str) -> None:
    """Invalid arguments exit with 2 and a message on stderr, without a traceback."""
    done = fakeplat(*arguments)
    assert 2 == done.returncode
    assert part in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scenario_is_shown_as_it_was_written(tmp_path: Path) -> None:
    """`scenario show` prints the file with its comments, and a copy of it passes the check."""
    text = fakeplat("scenario", "show", "starter").stdout
    assert text.startswith("# A small company")
    schema = next(line for line in text.splitlines() if line.startswith("$schema: file://"))
    assert Path(schema.removeprefix("$schema: file://")).is_file()
    copy = tmp_path / "mine.yaml"
    copy.write_text(text, "utf-8")
    assert 0 == fakeplat("scenario", "check", copy).returncode


def test_scenarios_are_listed_shown_and_checked(tmp_path: Path) -> None:
    """`scenario check` exits with 1 and prints file, line, path and the nearest name of a mistake."""
    assert {"empty", "starter"} <= set(fakeplat("scenario", "list").stdout.split())
    assert "ada" in fakeplat("scenario", "show", "starter").stdout
    assert "ada" == json.loads(fakeplat("scenario", "show", "--json", "starter").stdout)["users"][0]["username"]
    assert "$schema" in json.loads(fakeplat("scenario", "schema").stdout)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("users:\n  - username: zed\n    nme: Zed\n", "utf-8")
    done = fakeplat("scenario", "check", wrong)
    assert 1 == done.returncode
    assert f"{wrong}:3: $.users[0].nme" in done.stdout
    assert "name" in done.stdout


def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    """`serve` on a port in use exits with status 2 and prints one line."""
    with serving(tmp_path) as ready:
        done = fakeplat_process("serve", "--port", ready["url"].rpartition(":")[2])
    assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))


def test_a_control_key_is_made_once_and_asked_for(tmp_path: Path) -> None:
    """The control key is written to a file with mode 0600 and read again by the next start."""
    key = tmp_path / "key"
    with serving(tmp_path, "--control-key-file", str(key)) as ready:
        value = key.read_text("utf-8")
        assert 0o600 == stat.S_IMODE(key.stat().st_mode)
        request = urllib.request.Request(f"{ready['url']}/_fakeplat/health", headers={"X-Fakeplat-Key": value})
        assert 200 == urllib.request.urlopen(request).status
    with serving(tmp_path, "--control-key-file", str(key)):
        assert value == key.read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; write a key to it, or remove it to create one"),
        (b"\n \n", "is empty"),
        (b"\xff", "is not UTF-8 text"),
    ],
    ids=["empty", "blank", "binary"],
)
def test_a_control_key_is_a_text(tmp_path: Path, content: bytes, message: str) -> None:
    """A control key file that is empty or no text is refused with exit status 2."""
    (tmp_path / "key").write_bytes(content)
    done = fakeplat_process("serve", "--port", "0", "--control-key-file", str(tmp_path / "key"))
    assert 2 == done.returncode
    assert done.stderr.startswith(f"fakeplat: {tmp_path / 'key'}: {message}")


def test_openapi_and_coverage_are_printed() -> None:
    """`openapi` prints a JSON document, and `coverage` prints text or JSON."""
    assert "3.1.0" == json.loads(fakeplat("openapi").stdout)["openapi"]
    assert "operations are implemented" in fakeplat("coverage").stdout
    assert "list_projects" in {row["operation"] for row in json.loads(fakeplat("coverage", "--json").stdout)}


def test_serve_over_ssh_writes_its_url(tmp_path: Path) -> None:
    """With --ssh-port the ready file has the URL and the host key of the SSH server, which greets."""
    script = (
        "import json, pathlib, socket, sys, urllib.parse as u;"
        "ready = json.loads(pathlib.Path(sys.argv[1]).read_text());"
        "url = u.urlsplit(ready['ssh_url']);"
        "print(url.scheme, url.username, ready['ssh_host_key'].split()[0]);"
        "print(socket.create_connection((url.hostname, url.port)).recv(99).decode())"
    )
    ready = tmp_path / "ready.json"
    done = fakeplat_process("run", "--ssh-port", 0, "--ready-file", ready, "--", sys.executable, "-c", script, ready)

    assert "ssh git ssh-ed25519\nSSH-2.0-GitLab-SSHD" == done.stdout.strip()


def test_a_taken_ssh_port_is_named() -> None:
    """A port that is taken is named in one line, with status 2."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = fakeplat_process("run", "--ssh-port", port, "--", sys.executable, "-c", "")

    assert 2 == done.returncode
    assert done.stderr.startswith(f"fakeplat: cannot listen on 127.0.0.1:{port}")
