"""A session of python-gitlab, recorded through the proxy in front of a server, replays without the server."""

import json
from pathlib import Path
from typing import Any

import gitlab
import pytest

from fakeplat.tape.formats.tape import read
from tests.cli.test_tape_commands import run_command
from tests.clients.server import serving


def run_bot(url: str, token: str) -> list[Any]:
    """What a bot does, and everything that it learned from the answers."""
    client = gitlab.Gitlab(url, private_token=token)
    client.auth()
    project = client.projects.get("acme/site")
    label = project.labels.create({"name": "recorded", "color": "#d9534f"})
    issue = project.issues.create({"title": "Ein Löwe", "labels": [label.name]})
    issue.description, issue.state_event = "see the tape", "close"
    issue.save()
    with pytest.raises(gitlab.GitlabGetError) as refused:
        client.projects.get("acme/nothing")
    assert client.user is not None
    return [
        client.user.username,
        project.web_url.replace(url, "URL"),
        project.issues.get(issue.iid).attributes["closed_at"],
        [issue.title for issue in project.issues.list(per_page=2, iterator=True)],
        [project.path_with_namespace for project in client.projects.list(get_all=True, per_page=1, order_by="id")],
        (refused.value.response_code, refused.value.error_message),
    ]


@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_a_recorded_session_replays_without_the_server(tmp_path: Path, strict: tuple[str, ...]) -> None:
    """A recorded session gives the same results from its tape, with any token and without the server."""
    tape = tmp_path / "tape"
    with (
        serving(tmp_path) as server,
        run_command(tmp_path, "record", "--upstream", server["url"], "--out", tape) as recording,
    ):
        learned = run_bot(recording.ready["url"], "ada-token")
    assert "ada-token" not in tape.read_text("utf-8")
    assert {"pat:1": "ada"} == read(tape).head.users

    with run_command(tmp_path, "replay", tape, *strict) as replaying:
        assert learned == run_bot(replaying.ready["url"], "no token at all")
        assert 0 == replaying.done()[0]


def test_a_session_that_a_server_recorded_itself_replays(tmp_path: Path) -> None:
    """A tape of `serve --record` replays with the same results."""
    tape = tmp_path / "tape"
    with serving(tmp_path, "--record", str(tape)) as server:
        learned = run_bot(server["url"], "ada-token")
    with run_command(tmp_path, "replay", tape, "--strict") as replaying:
        assert learned == run_bot(replaying.ready["url"], "other")
        assert 0 == replaying.done()[0]
    assert all(json.loads(line) for line in tape.read_text("utf-8").splitlines())
