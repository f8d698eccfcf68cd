"""OpenSSH, git, git LFS, dulwich and paramiko, unchanged, against the SSH server of a world."""

import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient
from tests.clients.programs import get_program
from tests.git.command import ALONE, Git
from tests.git_http.remote import Remote, error_output
from tests.ssh.sshed import add_deploy_key

DULWICH = PythonClient("dulwich", "1.2.21", plugins=("paramiko==5.1.0",))
LARGE = bytes(range(256)) * 5_000
pytestmark = pytest.mark.clients


class OpenSshGit(Git):
    """git over OpenSSH, with a key that ssh-keygen has made, and with LFS at hand."""

    def __init__(self, path: Path, fake: Fakeplat, *, init: bool = True) -> None:
        self.fake = fake
        folder = path if path.is_dir() else path.parent
        self.key = folder / f"{path.name}-key"
        subprocess.run(
            [get_program("ssh-keygen"), "-q", "-t", "rsa", "-b", "3072", "-N", "", "-C", "ada", "-f", self.key],
            check=True,
        )
        address = urlsplit(fake.ssh_url)
        hosts = folder / f"{path.name}-hosts"
        hosts.write_text(f"[{address.hostname}]:{address.port} {fake.ssh_host_key}\n")
        options = f"-F /dev/null -o UserKnownHostsFile={hosts} -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes"
        self.ssh = f"{get_program('ssh')} -i {self.key} {options}"
        super().__init__(path, init=init)

    def add_key_of(self, username: str) -> "OpenSshGit":
        key = self.key.with_suffix(".pub").read_text()
        reply = self.fake.as_user(username).post("user/keys", json={"title": "laptop", "key": key})
        assert 201 == reply.status, reply
        return self

    @override
    def _identity(self) -> dict[str, str]:
        path = f"{get_program('git-lfs').parent}:{ALONE['PATH']}"
        return {**super()._identity(), "PATH": path, "GIT_SSH_COMMAND": self.ssh, "GIT_SSH_VARIANT": "ssh"}

    def ssh_to(self, *command: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        address = urlsplit(self.fake.ssh_url)
        words = [*self.ssh.split(), "-T", "-p", str(address.port), f"git@{address.hostname}", *command]
        return subprocess.run(words, input=stdin, capture_output=True, check=False, timeout=60)


@pytest.fixture
def remote(fakeplat: Fakeplat) -> Remote:
    return Remote.make(fakeplat, "work")


@pytest.fixture
def work(remote: Remote, tmp_path: Path) -> OpenSshGit:
    work = OpenSshGit(tmp_path / "work", remote.fake).add_key_of("ada")
    work("remote", "add", "origin", f"{remote.fake.ssh_url}/{remote.path}.git")
    work.commit("first", {"README.md": "# Work\n", "folder/b": "b\n"})
    work("push", "-q", "-u", "origin", "master")
    return work


def test_openssh_is_welcomed(work: OpenSshGit) -> None:
    """`ssh -T` greets the owner of the key."""
    done = work.ssh_to()
    assert (0, b"Welcome to GitLab, @ada!\n", b"") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("version", ["0", "2"])
@pytest.mark.parametrize("flags", [(), ("--depth=1",), ("--filter=blob:none",), ("--filter=tree:0",)])
def test_git_clones_and_pushes(
    work: OpenSshGit, remote: Remote, tmp_path: Path, version: str, flags: tuple[str, ...]
) -> None:
    """git clones, fetches what a partial clone lacks, and pushes, over OpenSSH."""
    work(
        "-c", f"protocol.version={version}", "clone", "-q", *flags, work("remote", "get-url", "origin").strip(), "../c"
    )
    clone = OpenSshGit(tmp_path / "c", remote.fake, init=False).add_key_of("ada")
    assert "b\n" == clone("show", "HEAD:folder/b")
    new = clone.commit("second", {"c": "c\n"})
    clone("-c", f"protocol.version={version}", "push", "-q", "origin", "HEAD:refs/heads/other")
    assert new == remote.branches["other"]


def test_git_tells_who_is_not_let_in(work: OpenSshGit, tmp_path: Path) -> None:
    """git shows the refusal of an unknown key and of a project that is hidden."""
    stranger = OpenSshGit(tmp_path / "stranger", work.fake)
    url = work("remote", "get-url", "origin").strip()
    assert "Permission denied (publickey)" in error_output(stranger.tried("ls-remote", url))
    stranger.add_key_of("eve")
    assert "remote: ERROR: The project you were looking for could not be found" in error_output(
        stranger.tried("ls-remote", url)
    )


def test_git_lfs_authenticates_over_ssh(work: OpenSshGit, remote: Remote, tmp_path: Path) -> None:
    """Git LFS gets its credentials over SSH, and sends large files beside the repository."""
    work("lfs", "install", "--local")
    work("lfs", "track", "*.bin")
    work.commit("large", {"large.bin": LARGE})
    work("push", "-q")
    work("clone", "-q", work("remote", "get-url", "origin").strip(), "../c")
    clone = OpenSshGit(tmp_path / "c", remote.fake, init=False).add_key_of("ada")
    clone("lfs", "install", "--local")
    clone("lfs", "pull")
    assert LARGE == (tmp_path / "c" / "large.bin").read_bytes()


def test_git_archives_over_ssh(work: OpenSshGit) -> None:
    """git gets an archive of the remote repository."""
    url = work("remote", "get-url", "origin").strip()
    assert work.raw("archive", "--format=tar", "HEAD") == work.raw("archive", f"--remote={url}", "--format=tar", "HEAD")


def test_openssh_certificates_are_refused(work: OpenSshGit, tmp_path: Path) -> None:
    """OpenSSH shows why a certificate is refused."""
    keygen, stranger = get_program("ssh-keygen"), OpenSshGit(tmp_path / "stranger", work.fake)
    subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "ca"], check=True)
    public = stranger.key.with_suffix(".pub")
    subprocess.run([keygen, "-q", "-s", tmp_path / "ca", "-I", "ada", "-n", "git", public], check=True)
    done = stranger.ssh_to()
    assert 255 == done.returncode
    assert b"SSH certificates are not supported" in done.stderr
    assert b"Permission denied (publickey)" in done.stderr


DULWICH_SCRIPT = """
import sys
import paramiko
from dulwich import client, porcelain

url, key, folder = sys.argv[1:]


class Channel:
    def __init__(self, connection, command):
        self.connection = connection
        self.channel = connection.get_transport().open_session()
        self.channel.exec_command(command)

    def read(self, size):
        content = b""
        while len(content) < size and (part := self.channel.recv(size - len(content))):
            content += part
        return content

    def write(self, content):
        self.channel.sendall(content)
        return len(content)

    def can_read(self):
        return self.channel.recv_ready()

    def close(self):
        self.connection.close()


class Vendor(client.SSHVendor):
    def run_command(self, host, command, username=None, port=None, **rest):
        connection = paramiko.SSHClient()
        connection.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        connection.connect(
            host, port, username, key_filename=key, look_for_keys=False, allow_agent=False
        )
        return Channel(connection, command)


client.get_ssh_vendor = Vendor
porcelain.clone(url, folder)
with open(folder + "/new.txt", "w") as file:
    file.write("new")
porcelain.add(folder, [folder + "/new.txt"])
porcelain.commit(folder, message=b"From dulwich", author=b"A <a@example.test>", committer=b"A <a@example.test>")
porcelain.push(folder, url, b"refs/heads/master:refs/heads/dulwich")
porcelain.fetch(folder, url)
"""


@pytest.mark.parametrize("kind", ["user", "deploy"])
def test_dulwich_clones_and_pushes_with_paramiko(work: OpenSshGit, remote: Remote, tmp_path: Path, kind: str) -> None:
    """dulwich over paramiko clones and pushes, without ending its input after a pack."""
    key = work.key if kind == "user" else add_deploy_key(work.fake, remote.path, can_push=True).write(tmp_path)
    DULWICH.make()
    url = work("remote", "get-url", "origin").strip()
    command: list[str | Path] = [
        DULWICH.program("python"),
        "-W",
        "ignore",
        "-c",
        DULWICH_SCRIPT,
        url,
        key,
        tmp_path / "d",
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == done.returncode, done.stderr
    assert "From dulwich" == remote.get("/repository/branches/dulwich")["commit"]["title"]
