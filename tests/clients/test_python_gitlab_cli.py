"""The program `gitlab` of python-gitlab: what administrators type, and what it prints."""

import gc
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gitlab.cli
import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.documented import settings
from tests.ssh_keys import ED25519

Program = Callable[..., Any]

# The program leaves its connections to the end of its process, which does not come here.
pytestmark = [
    pytest.mark.clients,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def program(
    fakeplat: Fakeplat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Program]:
    """Run a command as the administrator, in this process, which is faster; return what it printed, parsed."""
    configuration = tmp_path / "python-gitlab.cfg"
    configuration.write_text(settings(fakeplat, "python-gitlab", configuration.name), "utf-8")

    def program(command: str, **options: str) -> Any:
        given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", value)]
        arguments = ["-c", str(configuration), "-g", "local", "-o", "json", *command.split(), *given]
        monkeypatch.setattr(sys, "argv", ["gitlab", *arguments])
        with suppress_success():
            gitlab.cli.main()
        output = capsys.readouterr().out
        return json.loads(output) if output else None

    yield program
    gc.collect()


@contextmanager
def suppress_success() -> Iterator[None]:
    """Let the program exit, but not with an error."""
    try:
        yield
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"the program exits with {end.code}") from end


def test_users_are_administered(program: Program) -> None:
    """The command line of python-gitlab creates, finds and blocks users and creates tokens for them."""
    created = program("user create", name="New", username="new", email="new@example.test", password="long-enough")
    identity = str(created["id"])
    assert ["new"] == [user["username"] for user in program("user list", search="new@example.test")]
    assert program("user block", id=identity) is None
    assert "blocked" == program("user get", id=identity)["state"]
    assert program("user unblock", id=identity) is None
    program("group-member create", group_id="acme", user_id=identity, access_level="30")
    assert ["Acme"] == [row["source_name"] for row in program("user-membership list", user_id=identity)]
    token = program("user-impersonation-token create", user_id=identity, name="bot", scopes="api")
    assert [token["id"]] == [row["id"] for row in program("user-impersonation-token list", user_id=identity)]


def test_keys_and_tokens_are_administered(program: Program) -> None:
    """The command line of python-gitlab creates SSH keys, email addresses and deploy tokens."""
    key = program("current-user-key create", title="mine", key=ED25519)
    assert [key["id"]] == [row["id"] for row in program("current-user-key list")]
    other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1iLyVm1A7ooTJ1LwO8UD6Yys+7QVXxzXsJ/5s4zS1a ci@example.test"
    deploy_key = program("project-key create", project_id="acme/site", title="ci", key=other, can_push="true")
    assert deploy_key["can_push"] is True
    program("project-key enable", project_id="acme/docs", key_id=str(deploy_key["id"]))
    assert ["ci"] == [row["title"] for row in program("project-key list", project_id="acme/docs")]
    program("current-user-email create", email="more@example.test")
    assert ["more@example.test"] == [row["email"] for row in program("current-user-email list")]
    token = program("project-deploy-token create", project_id="acme/site", name="d", scopes="read_repository")
    assert ("d", ["read_repository"]) == (token["name"], token["scopes"])


def test_the_instance_is_administered(program: Program) -> None:
    """The command line of python-gitlab changes settings, appearance, applications and variables."""
    assert 5 == program("application-settings update", default_projects_limit="5")["default_projects_limit"]
    assert "Mine" == program("application-appearance update", title="Mine")["title"]
    assert "4" == program("application-statistics get")["projects"]
    application = program("application create", name="App", redirect_uri="https://app.example.test", scopes="api")
    assert [application["application_id"]] == [row["application_id"] for row in program("application list")]
    assert "v" == program("variable create", key="K", value="v")["value"]
    assert "Hello" == program("broadcast-message create", message="Hello")["message"]
