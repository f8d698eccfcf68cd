"""Git and single commands over SSH, as the owner of a key."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import asyncssh
from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.ssh.keys import KeyPair, create_key

PROGRAM = Path(__file__).with_name("program.py")


class Answer(NamedTuple):
    """What a command over SSH has answered."""

    status: int | None
    output: bytes
    errors: str


def add_key(fake: Fakeplat, username: str, name: str | None = None, **fields: Any) -> KeyPair:
    """Add a key to a user, and return it."""
    pair = create_key(name or username)
    reply = fake.as_user(username).post("user/keys", json={"title": "laptop", "key": pair.public, **fields})
    assert 201 == reply.status, reply
    return pair


def add_deploy_key(fake: Fakeplat, project: str, name: str = "deploy", *, by: str = "ada", **fields: Any) -> KeyPair:
    """Enable a new deploy key in a project, and return it."""
    pair = create_key(name)
    path = f"projects/{project.replace('/', '%2F')}/deploy_keys"
    reply = fake.as_user(by).post(path, json={"title": name, "key": pair.public, **fields})
    assert 201 == reply.status, reply
    return pair


class SshGit(Git):
    """A repository whose remote is reached over SSH with a key."""

    def __init__(self, path: Path, fake: Fakeplat, key: KeyPair, *, init: bool = True) -> None:
        self.fake = fake
        folder = path if path.is_dir() else path.parent
        self.key_file = key.write(folder)
        address = urlsplit(fake.ssh_url)
        self.known_hosts = folder / f"{self.key_file.name}-hosts"
        self.known_hosts.write_text(f"[{address.hostname}]:{address.port} {fake.ssh_host_key}\n")
        super().__init__(path, init=init)

    @override
    def tried(
        self, *arguments: str, check: bool = False, stdin: bytes | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        command = f"{sys.executable} {PROGRAM} {self.key_file} {self.known_hosts}"
        settings = ("-c", f"core.sshCommand={command}", "-c", "ssh.variant=ssh")
        return super().tried(*settings, *arguments, check=check, stdin=stdin)

    def url(self, path: str) -> str:
        """Return the URL of a repository."""
        return f"{self.fake.ssh_url}/{path}.git"


def run_command(fake: Fakeplat, key: KeyPair | None, command: str | None = None, **options: Any) -> Answer:
    """Run a command over SSH."""
    return asyncio.run(_run(fake, key, command, **options))


async def _run(
    fake: Fakeplat, key: KeyPair | None, command: str | None, *, input: bytes = b"", username: str = "git"
) -> Answer:
    # An empty input would never end.
    given: dict[str, Any] = {"input": input} if input else {"stdin": asyncssh.DEVNULL}
    async with connect(fake, key, username) as connection:
        result = await connection.run(command, **given, encoding=None)
    return Answer(result.exit_status, bytes(result.stdout or b""), bytes(result.stderr or b"").decode())


def connect(fake: Fakeplat, key: KeyPair | None, username: str = "git") -> Any:
    """Open a connection, as a context manager."""
    address = urlsplit(fake.ssh_url)
    return asyncssh.connect(
        address.hostname or "",
        address.port or 0,
        username=username,
        client_keys=[key.private] if key is not None else None,
        known_hosts=None,
        config=[],
        agent_path=None,
    )


def frame(text: str) -> str:
    """Return an error as gitlab-shell shows it."""
    divider = f"remote: \nremote: {'=' * 72}\nremote: \n"
    return f"{divider}remote: ERROR: {text}\n\n{divider}"
