"""What SSH clients send, damaged: before the keys are exchanged, as packets, as commands, and as lines of git.

An exception that the server does not expect ends the connection; here it fails the target. Whatever a connection comes
to, the next one is served.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from struct import pack
from traceback import extract_tb
from typing import Any, Final
from unittest import mock

import asyncssh
from asyncssh.connection import SSHConnection

from fakeplat.core.operations.http_messages import Request
from fakeplat.git.pktline import FLUSH, encode_line
from fakeplat.http.ssh.server import SshServer
from fakeplat.http.ssh.streams import Limits
from fakeplat.platform import Platform, Snapshot
from tests.fuzz import formats
from tests.fuzz.formats import Target, build_git_requests
from tests.scenario.worlds import create_platform
from tests.ssh.keys import create_key

ROOT_KEY: Final = create_key("root")
TIMEOUT: Final = 60
DELIMITER: Final = b"0001"
OPEN, REQUEST, GLOBAL = 90, 98, 80
COMMANDS: Final = (
    b"git-upload-pack '/acme/site.git'",
    b"git receive-pack acme/site.git",
    b"git-upload-archive acme/site",
    b"git-lfs-authenticate acme/site.git download",
    b"personal_access_token bot api,read_user 30",
    b"2fa_recovery_codes",
    b"git-upload-pack 'acme/caf\xc3\xa9 \\' \"x\"'",
)
Dialogue = Callable[[Any, bytes], Awaitable[object]]


@cache
def get_ssh_world() -> tuple[Platform, Snapshot]:
    """Return a world whose administrator has a key, and its snapshot."""
    instance = {"version": "17.2", "lfs_pure_ssh_protocol": True, "default_branch": "master"}
    platform = create_platform({"extends": "starter", "instance": instance})
    body = b'{"title": "laptop", "key": "%b"}' % ROOT_KEY.public.encode()
    headers = {"private-token": "root-token", "content-type": "application/json"}
    assert 201 == platform.handle(Request("POST", "/api/v4/user/keys", "", headers, body)).status
    return platform, platform.snapshot()


@contextmanager
def collecting_errors() -> Iterator[list[BaseException]]:
    """Collect our exceptions that end connections, because nothing expected them; the library has its own."""
    errors: list[BaseException] = []

    def keep(connection: SSHConnection, exc_info: Any = None, error_logger: Any = None) -> None:
        error = (exc_info or sys.exc_info())[1]
        if error is not None and any("http/ssh" in at.filename for at in extract_tb(error.__traceback__)):
            errors.append(error)
        original(connection, exc_info, error_logger)

    original = SSHConnection.internal_error
    with mock.patch.object(SSHConnection, "internal_error", keep):
        yield errors


def attempt(talk: Callable[[SshServer], Awaitable[object]]) -> None:
    """Talk to a server of a world as it was at first; fail if that meets a bug, or if the next client is not served."""
    platform, start = get_ssh_world()
    platform.restore(start)
    with collecting_errors() as errors:
        asyncio.run(asyncio.wait_for(_attempt(platform, talk), TIMEOUT))
    failures = [*platform.failures]
    platform.failures.clear()
    assert [] == failures, failures
    assert [] == errors, [repr(error) for error in errors]


async def _attempt(platform: Platform, talk: Callable[[SshServer], Awaitable[object]]) -> None:
    server = SshServer(platform, "127.0.0.1", "http://127.0.0.1", Limits(idle_timeout=5))
    await server.start()
    try:
        with suppress(asyncssh.Error, OSError):
            await talk(server)
        async with connect(server) as connection:
            assert b"Welcome to GitLab, @root!\n" == (await connection.run("discover", encoding=None)).stdout
    finally:
        await server.close()


def connect(server: SshServer) -> Any:
    return asyncssh.connect(
        "127.0.0.1", server.port, username="git", client_keys=[ROOT_KEY.private], known_hosts=None, config=[]
    )


def send_first(content: bytes) -> None:
    """Send content in place of the version and the first packets, and read until the server hangs up."""

    async def talk(server: SshServer) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(content)
        writer.write_eof()
        await reader.read()
        writer.close()

    attempt(talk)


def within(dialogue: Dialogue) -> Callable[[bytes], None]:
    """Return what sends content within a connection."""

    async def talk(content: bytes, server: SshServer) -> None:
        async with connect(server) as connection:
            await dialogue(connection, content)

    return lambda content: attempt(partial(talk, content))


async def _send_packet(connection: Any, content: bytes) -> None:
    """Send the payload of a packet beside an open session, and wait until the server has read it."""
    async with connection.create_process("2fa_recovery_codes", encoding=None) as process:
        await process.stdout.readline()
        connection.send_packet(content[0] if content else 0, content[1:])
        await connection.run("discover")


async def _run_command(connection: Any, content: bytes) -> None:
    await connection.run(content.decode("utf-8", "replace"), input=b"0000", encoding=None)


def _say(command: str) -> Dialogue:
    async def say(connection: Any, content: bytes) -> None:
        async with connection.create_process(command, encoding=None) as process:
            process.stdin.write(content)
            process.stdin.write_eof()
            await process.wait()

    return say


def _text(content: bytes) -> bytes:
    return pack(">I", len(content)) + content


def build_greeting() -> bytes:
    """Return the version of a client, its choice of algorithms, and its half of a key exchange."""
    names = (
        *(b"curve25519-sha256", b"ssh-ed25519"),
        *(b"aes128-ctr", b"aes128-ctr", b"hmac-sha2-256", b"hmac-sha2-256", b"none", b"none", b"", b""),
    )
    choice = b"\x14" + bytes(16) + b"".join(map(_text, names)) + bytes(5)
    return b"SSH-2.0-client\r\n" + _build_packet(choice) + _build_packet(b"\x1e" + _text(b"\x09" + bytes(31)))


def _build_packet(payload: bytes) -> bytes:
    padding = 4 + -(len(payload) + 9) % 8
    return pack(">IB", len(payload) + padding + 1, padding) + payload + bytes(padding)


def list_packets() -> list[bytes]:
    """Return payloads: channels that are opened, what is asked of the first one, and what of the connection."""
    window = pack(">III", 1, 2_097_152, 32_768)
    asked = {
        b"pty-req": _text(b"xterm") + pack(">IIII", 80, 24, 0, 0) + _text(b"\x03\0\0\0\x7f\0"),
        b"env": _text(b"GIT_PROTOCOL") + _text(b"version=2"),
        b"exec": _text(COMMANDS[0]),
        b"subsystem": _text(b"sftp"),
        b"window-change": pack(">IIII", 80, 24, 0, 0),
        b"signal": _text(b"TERM"),
        b"auth-agent-req@openssh.com": b"",
    }
    return [
        bytes([OPEN]) + _text(b"session") + window,
        bytes([OPEN]) + _text(b"direct-tcpip") + window + _text(b"::1") + pack(">I", 80) + _text(b"a") + bytes(4),
        *(bytes([REQUEST]) + bytes(4) + _text(name) + b"\1" + rest for name, rest in asked.items()),
        bytes([GLOBAL]) + _text(b"tcpip-forward") + b"\1" + _text(b"") + bytes(4),
        bytes([GLOBAL]) + _text(b"keepalive@openssh.com") + b"\1",
        bytes([93]) + pack(">II", 0, 1),
        bytes([94]) + pack(">I", 0) + _text(b"yes\n"),
        bytes([96]) + pack(">I", 0),
        bytes([97]) + pack(">I", 0),
    ]


def build_transfer() -> bytes:
    """Return the commands of git-lfs-transfer that upload an object and lock its path."""
    content = b"hello"
    oid = sha256(content).hexdigest()
    commands: list[list[str | bytes]] = [
        ["version 1"],
        ["batch", "operation=upload", DELIMITER, f"{oid} {len(content)}"],
        [f"put-object {oid}", f"size={len(content)}", f"token={oid}", "id=e30=", DELIMITER, content],
        [f"verify-object {oid}", f"size={len(content)}"],
        ["lock", "path=a.bin", "refname=refs/heads/master"],
        ["list-lock", "limit=10"],
        ["unlock 1", "force=true"],
        ["quit"],
    ]
    return b"".join(b"".join(map(_encode_part, command)) + FLUSH for command in commands)


def _encode_part(part: str | bytes) -> bytes:
    return part if part == DELIMITER else encode_line(f"{part}\n" if isinstance(part, str) else part)


@cache
def get_targets() -> dict[str, Target]:
    """Return all formats by their names: those of SSH, and those that are sent over HTTP or read from files."""
    push, fetch = build_git_requests()
    archive = b"0017argument --prefix=\n0012argument HEAD\n0000"
    return formats.get_targets() | {
        "ssh greeting": Target([build_greeting()], send_first),
        "ssh packet": Target(list_packets(), within(_send_packet)),
        "ssh command": Target(COMMANDS, within(_run_command)),
        "ssh fetch": Target([fetch], within(_say("git-upload-pack acme/site"))),
        "ssh push": Target([push], within(_say("git-receive-pack acme/site"))),
        "ssh lfs": Target([build_transfer()], within(_say("git-lfs-transfer acme/site upload"))),
        "ssh archive": Target([archive], within(_say("git-upload-archive acme/site"))),
    }
