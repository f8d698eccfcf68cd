"""What hostile and broken clients send; none of it stops the server."""

import asyncio
import socket
import zlib
from urllib.parse import urlsplit

import asyncssh
import pytest

from fakeplat.git.framing import PackEnd
from fakeplat.git.packs import Limits as PackLimits
from fakeplat.harness.caller import UserClient
from fakeplat.harness.fake import Fakeplat
from fakeplat.http.ssh.server import SshServer
from fakeplat.http.ssh.streams import Limits
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import Options
from tests.git_http.remote import Remote
from tests.ssh.keys import KeyPair, create_key
from tests.ssh.sshed import SshGit, connect, run_command

READ = "git-upload-pack acme/work.git"
PUSH = "git-receive-pack acme/work.git"


def test_a_hundred_half_open_connections(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """Of the connections that never authenticate, 100 stay open; the others are closed, and users connect after."""
    address = urlsplit(fakeplat.ssh_url)
    endpoint = (address.hostname or "", address.port or 0)
    half_open = [socket.create_connection(endpoint) for _ in range(100)]
    greetings = [connection.recv(64) for connection in half_open]
    assert {b"SSH-2.0-GitLab-SSHD\r\n"} == set(greetings)
    extra = socket.create_connection(endpoint)
    extra.settimeout(10)
    extra.recv(64)
    assert b"" == extra.recv(64)
    for connection in (*half_open, extra):
        connection.close()
    assert 0 == run_command(fakeplat, ada).status


def test_no_http_is_spoken(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """A client that speaks another protocol is disconnected."""
    address = urlsplit(fakeplat.ssh_url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as client:
        client.settimeout(10)
        client.sendall(b"GET / HTTP/1.1\r\n\r\n" * 100)
        received = b""
        while part := client.recv(1024):
            received += part
    assert received.startswith(b"SSH-2.0-GitLab-SSHD\r\n")
    assert 0 == run_command(fakeplat, ada).status


@pytest.mark.parametrize(
    ("command", "sent", "text"),
    [
        (READ, b"xxxx", "fatal: bad line length character"),
        (READ, b"0032want 0000000000000000000000000000000000000000\n0000", ""),
        (READ, b"000awant\n0000", ""),
        (PUSH, b"zzzz", "fatal: bad line length character"),
        (PUSH, b"0009abc\n\n0000", "remote: ERROR: fatal: protocol error"),
        ("git-upload-archive acme/work.git", b"0008what0000", "'argument' token or flush expected"),
    ],
)
def test_malformed_packets_are_refused(
    fakeplat: Fakeplat, remote: Remote, ada: KeyPair, command: str, sent: bytes, text: str
) -> None:
    """Packets that are none end the session with an error, and nothing has changed."""
    with fakeplat.changes() as changes:
        answer = run_command(fakeplat, ada, command, input=sent)
    assert text in answer.errors
    assert answer.status != 0 or b"ERR upload-pack: not our ref" in answer.output
    assert not changes.created
    assert [] == fakeplat.bench.platform.failures


@pytest.mark.parametrize("pack", [b"PACK", b"NOPE" * 8, b"PACK\0\0\0\2\0\0\0\1\x3fbroken" + bytes(40)])
def test_broken_packs_are_refused(fakeplat: Fakeplat, work: SshGit, ada: KeyPair, pack: bytes) -> None:
    """A pack that is truncated, none at all or damaged is refused, and no ref moves."""
    before = Remote(fakeplat, "acme/work").branches
    line = f"{work.sha()} {'1' * 40} refs/heads/master\0report-status".encode()
    answer = run_command(fakeplat, ada, PUSH, input=b"%04x%b0000%b" % (len(line) + 4, line, pack))
    assert b"ng refs/heads/master unpacker error" in answer.output
    assert before == Remote(fakeplat, "acme/work").branches


def test_a_vanished_client_leaves_nothing(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """A client that disconnects in the middle of its request changes nothing, and others are served."""

    async def vanish() -> None:
        async with connect(fakeplat, ada) as connection:
            process = await connection.create_process(PUSH, encoding=None)
            process.stdin.write(b"00")
            await process.stdout.read(4)
            connection.abort()

    asyncio.run(vanish())
    assert 0 == run_command(fakeplat, ada, READ, input=b"0000").status
    assert [] == fakeplat.bench.platform.failures


def test_requests_for_terminals_change_nothing(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """A session without a terminal ignores the size of a window, a break and signals, as gitlab-sshd does."""

    async def attempt() -> str:
        async with connect(fakeplat, ada) as connection, connection.create_process("2fa_recovery_codes") as process:
            await process.stdout.readline()
            process.change_terminal_size(80, 24)
            process.send_break(100)
            process.send_signal("INT")
            process.stdin.write("no\n")
            return str(await process.stdout.read())

    assert "New recovery codes have *not* been generated." in asyncio.run(attempt())


def test_channels_besides_sessions_are_refused(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """Nothing is forwarded, and there is no terminal and no SFTP."""

    async def attempt() -> None:
        async with connect(fakeplat, ada) as connection:
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.open_connection("127.0.0.1", 80)
            with pytest.raises(asyncssh.ChannelListenError):
                await connection.forward_remote_port("", 0, "127.0.0.1", 80)
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.start_sftp_client()

    asyncio.run(attempt())


async def test_who_does_not_authenticate_is_disconnected() -> None:
    """A client that does not authenticate in time is disconnected."""
    server = SshServer(create_bench().platform, "127.0.0.1", "http://127.0.0.1", Limits(login_timeout=0.2))
    await server.start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        assert (await reader.readline()).startswith(b"SSH-2.0-")
        await asyncio.wait_for(reader.read(), 60)  # until the end
        writer.close()
    finally:
        await server.close()


async def test_silent_sessions_end() -> None:
    """A session whose client is silent for too long ends with an error."""
    bench, pair = create_bench(), create_key("ada")
    client = UserClient(bench.platform, "http://127.0.0.1", "ada-token")
    assert 201 == client.post("user/keys", json={"title": "laptop", "key": pair.public}).status
    server = SshServer(bench.platform, "127.0.0.1", "http://127.0.0.1", Limits(idle_timeout=0.5))
    await server.start()
    try:
        async with asyncssh.connect(
            "127.0.0.1", server.port, username="git", client_keys=[pair.private], known_hosts=None, config=[]
        ) as connection:
            process = await connection.create_process("git-upload-pack acme/site.git", encoding=None)
            assert 1 == (await asyncio.wait_for(process.wait(), 60)).exit_status
    finally:
        await server.close()


def create_bench() -> Workbench:
    return Options("starter", None, {}, "real", usual="real").bench()


def test_a_pack_bomb_ends_early() -> None:
    """The end of a pack that inflates beyond the limit is not waited for."""
    entry = b"\xb0\x80\x80\x80\x04" + zlib.compress(bytes(8 << 20))
    end = PackEnd(PackLimits(inflated=1 << 20))
    end.feed(b"PACK\0\0\0\2\0\0\0\2" + entry)
    assert end.is_complete


def test_a_pack_is_complete_byte_by_byte(work: SshGit) -> None:
    """The end of a pack is found in whatever pieces it arrives, and not before its last byte."""
    work.commit("second", {"README.md": "# Work\nmore\n" * 50})
    work.commit("third", {"README.md": "# Work\nmore\n" * 51})
    for flags in ((), ("--delta-base-offset",)):
        pack = work.raw("pack-objects", "--stdout", "--revs", "-q", *flags, stdin=b"HEAD\n")
        end = PackEnd(PackLimits())
        for position in range(len(pack)):
            assert not end.is_complete, position
            end.feed(pack[position : position + 1])
        assert end.is_complete
