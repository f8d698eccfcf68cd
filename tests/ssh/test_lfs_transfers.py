"""Git LFS over SSH alone. Source: docs/platform/git-over-ssh.md."""

import base64
import hashlib
from typing import NamedTuple

import orjson
import pytest

from fakeplat.git.pktline import encode_line
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LFS_IS_TRANSFERRED_OVER_SSH
from tests.by_release import by_release
from tests.git_http.remote import Remote
from tests.ssh.keys import KeyPair
from tests.ssh.sshed import Answer, add_deploy_key, frame, run_command

CONTENT = b"large\n" * 20_000
OID = hashlib.sha256(CONTENT).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()
UPLOAD = "git-lfs-transfer acme/work.git upload"
DOWNLOAD = "git-lfs-transfer acme/work.git download"
pytestmark = pytest.mark.fakeplat(version="17.2", lfs_pure_ssh_protocol=True, default_branch="master")
Sent = str | bytes | None
"""A line, binary content, or the delimiter between the parts of a command."""


class Reply(NamedTuple):
    """The response to a command; ``rest`` is what follows the delimiter, None without one."""

    status: int
    arguments: list[str]
    rest: list[bytes] | None

    @property
    def texts(self) -> list[str]:
        return [line.decode().removesuffix("\n") for line in self.rest or ()]


def encode(*sent: Sent) -> bytes:
    """Return the bytes of a command."""
    parts = []
    for part in sent:
        if part is None:
            parts.append(b"0001")
        elif isinstance(part, str):
            parts.append(encode_line(f"{part}\n"))
        else:
            parts += [encode_line(part[start : start + 65_516]) for start in range(0, len(part), 65_516)]
    return b"".join([*parts, b"0000"])


def transfer(fake: Fakeplat, key: KeyPair, session: str, *commands: tuple[Sent, ...]) -> list[Reply]:
    """Send commands and return the replies, after the version of the protocol was agreed upon."""
    sent = b"".join(encode(*command) for command in (("version 1",), *commands, ("quit",)))
    answer = run_command(fake, key, session, input=sent)
    assert (0, "") == (answer.status, answer.errors)
    capabilities, version, *replies, quitting = parse(answer.output)
    assert ([b"version=1\n", b"locking\n"], Reply(200, [], [])) == (capabilities, version)
    assert Reply(200, [], None) == quitting
    return [reply for reply in replies if isinstance(reply, Reply)]


def parse(output: bytes) -> list[Reply | list[bytes]]:
    """Return the capabilities, and the replies behind them."""
    sections: list[Reply | list[bytes]] = []
    lines: list[bytes] = []
    rest: list[bytes] | None = None
    at = 0
    while at < len(output):
        size = int(output[at : at + 4], 16)
        line = output[at + 4 : at + max(size, 4)]
        at += max(size, 4)
        if size == 1:
            rest = []
        elif size:
            (lines if rest is None else rest).append(line)
        else:
            sections.append(_make_reply(lines, rest) if lines[0].startswith(b"status ") else lines)
            lines, rest = [], None
    return sections


def _make_reply(lines: list[bytes], rest: list[bytes] | None) -> Reply:
    texts = [line.decode().removesuffix("\n") for line in lines]
    return Reply(int(texts[0].removeprefix("status ")), texts[1:], rest)


def refusal(status: int, text: str) -> Reply:
    return Reply(status, [], [f"{text}\n".encode()])


def get_offer(fake: Fakeplat, key: KeyPair, session: str, oid: str = OID, size: int = len(CONTENT)) -> list[str]:
    """Return the words of the session's offer for an object."""
    (reply,) = transfer(fake, key, session, ("batch", "transfer=ssh", "hash-algo=sha256", None, f"{oid} {size}"))
    assert (200, []) == (reply.status, reply.arguments)
    (line,) = reply.texts
    return line.split(" ")


def upload(fake: Fakeplat, key: KeyPair, content: bytes = CONTENT) -> Reply:
    oid = hashlib.sha256(content).hexdigest()
    offer = get_offer(fake, key, UPLOAD, oid, len(content))
    (reply,) = transfer(
        fake, key, UPLOAD, (f"put-object {oid}", f"size={len(content)}", offer[3], offer[4], None, content)
    )
    return reply


# The command


@by_release(LFS_IS_TRANSFERRED_OVER_SSH, "text", {"17.1": f"Unknown command: {UPLOAD}", "17.2": "Disallowed command"})
@pytest.mark.fakeplat(lfs_pure_ssh_protocol=False)
def test_the_command_is_off_by_default(fakeplat: Fakeplat, remote: Remote, ada: KeyPair, text: str) -> None:
    """The command exists since 17.2, and is refused until administrators switch it on."""
    status = 128 if text.startswith("Unknown") else 1
    assert Answer(status, b"", frame(text)) == run_command(fakeplat, ada, UPLOAD)


@pytest.mark.parametrize("arguments", ["", " acme/work.git", " acme/work.git sync", " acme/work.git upload now"])
def test_wrong_arguments_are_refused(fakeplat: Fakeplat, remote: Remote, ada: KeyPair, arguments: str) -> None:
    """A session needs a repository and one of two operations."""
    assert Answer(1, b"", frame("Disallowed command")) == run_command(fakeplat, ada, f"git-lfs-transfer{arguments}")


def test_the_session_needs_the_right_of_its_operation(fakeplat: Fakeplat, remote: Remote) -> None:
    """A deploy key that cannot push opens no session for uploads."""
    key = add_deploy_key(fakeplat, remote.path)
    expected = frame("This deploy key does not have write access to this project.")
    assert Answer(1, b"", expected) == run_command(fakeplat, key, UPLOAD)
    assert [Reply(200, [], [])] == transfer(fakeplat, key, DOWNLOAD, ("list-lock",))


def test_there_is_no_session_without_lfs(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """Where Git LFS is off, there is nothing to transfer."""
    remote.call("PUT", "", json={"lfs_enabled": False})
    assert Answer(1, b"", frame("404 Not Found")) == run_command(fakeplat, ada, DOWNLOAD)


# Objects


def test_objects_are_uploaded_and_downloaded(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """An object that was uploaded over SSH is downloaded over SSH, and is not uploaded again."""
    assert [OID, str(len(CONTENT)), "noop"] == get_offer(fakeplat, ada, DOWNLOAD)
    assert Reply(200, [], None) == upload(fakeplat, ada)
    assert [OID, str(len(CONTENT)), "noop"] == get_offer(fakeplat, ada, UPLOAD)
    offer = get_offer(fakeplat, ada, DOWNLOAD)
    assert [OID, str(len(CONTENT)), "download"] == offer[:3]
    (reply,) = transfer(fakeplat, ada, DOWNLOAD, (f"get-object {OID}", *offer[3:]))
    assert (200, [f"size={len(CONTENT)}"], CONTENT) == (reply.status, reply.arguments, b"".join(reply.rest or ()))


def test_an_offer_names_its_request(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """The id of an offer is the request that the session will send."""
    _, _, operation, id_, _ = get_offer(fakeplat, ada, UPLOAD)
    content = orjson.loads(base64.b64decode(id_.removeprefix("id=")))
    href = f"{fakeplat.url}/acme/work.git/gitlab-lfs/objects/{OID}/{len(CONTENT)}"
    assert ("upload", "upload", OID, href) == (operation, content["operation"], content["oid"], content["href"])
    assert {"Authorization", "Content-Type"} == set(content["headers"])


def test_uploads_are_verified_by_their_upload(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """The verification of an object always succeeds, since the upload was checked."""
    assert [Reply(200, [], None)] == transfer(fakeplat, ada, UPLOAD, (f"verify-object {OID}", "size=1"))


def test_wrong_content_is_not_stored(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """Content with another hash is an error, and nothing is stored."""
    offer = get_offer(fakeplat, ada, UPLOAD)
    command = (f"put-object {OID}", f"size={len(CONTENT)}", *offer[3:], None, b"x" + CONTENT[1:])
    with fakeplat.changes() as changes:
        assert [refusal(500, "internal error")] == transfer(fakeplat, ada, UPLOAD, command)
    assert not changes.created
    assert "noop" == get_offer(fakeplat, ada, DOWNLOAD)[2]


WRONG_OFFERS = [
    ([], 400, "error: missing id"),
    (["id=ggg"], 401, "error: missing token"),
    (["id=ggg", "token=ggg"], 400, "error: invalid id"),
    (["id=e30=", "token=ggg"], 400, "error: invalid token"),
    (["id=e30=", "token=YWFh"], 403, "error: token hash mismatch"),
]


@pytest.mark.parametrize(("options", "status", "text"), WRONG_OFFERS, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("operation", ["upload", "download"])
def test_forged_offers_are_refused(
    fakeplat: Fakeplat, remote: Remote, ada: KeyPair, operation: str, options: list[str], status: int, text: str
) -> None:
    """An object is transferred by an offer that the session has signed; any other is refused."""
    session = f"git-lfs-transfer acme/work.git {operation}"
    command: tuple[Sent, ...] = (f"get-object {OID}", *options)
    if operation == "upload":
        command = (f"put-object {OID}", "size=0", *options, None)
    assert [refusal(status, text)] == transfer(fakeplat, ada, session, command)


def test_offers_hold_for_their_object_and_operation(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """An offer does not hold for another object, nor for the other direction."""
    upload(fakeplat, ada)
    for_download, for_upload = get_offer(fakeplat, ada, DOWNLOAD)[3:], get_offer(fakeplat, ada, UPLOAD, OTHER, 5)[3:]
    replies = transfer(
        fakeplat,
        ada,
        UPLOAD,
        (f"get-object {OTHER}", *for_download),
        (f"get-object {OTHER}", *for_upload),
        (f"put-object {OID}", "size=5", *for_upload, None, b"other"),
        (f"put-object {OID}", "size=5", *for_download, None, b"other"),
    )
    texts = ["invalid oid", "invalid operation", "invalid oid", "invalid operation"]
    assert [refusal(403, f"error: {text}") for text in texts] == replies


def test_a_deleted_object_is_not_found(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """An object whose project is gone is not found by an offer from before."""
    upload(fakeplat, ada)
    offer = get_offer(fakeplat, ada, DOWNLOAD)[3:]
    fakeplat.as_user("ada").post("projects", json={"name": "else", "path": "else"})
    remote.call("PUT", "", json={"lfs_enabled": False})
    assert [refusal(404, f"object {OID} not found")] == transfer(
        fakeplat, ada, "git-lfs-transfer ada/else.git download", (f"get-object {OID}", *offer)
    )


# Locks


def test_files_are_locked_and_unlocked(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """A lock over SSH is the one of HTTP: a second one conflicts, and its owner removes it."""
    lock, conflict, listed, found, unlocked, gone = transfer(
        fakeplat,
        ada,
        UPLOAD,
        ("lock", "path=a.bin", "refname=refs/heads/master"),
        ("lock", "path=a.bin"),
        ("list-lock", "limit=1"),
        ("list-locks", "path=a.bin"),
        ("unlock 1",),
        ("unlock 1",),
    )
    id_ = lock.arguments[0].removeprefix("id=")
    at = lock.arguments[2].removeprefix("locked-at=")
    name = fakeplat.as_user("ada").get("user").json()["name"]
    described = [f"id={id_}", "path=a.bin", f"locked-at={at}", f"ownername={name}"]
    assert Reply(201, described, None) == lock
    assert Reply(409, described, [b"conflict\n"]) == conflict
    specified = [f"lock {id_}", f"path {id_} a.bin", f"locked-at {id_} {at}", f"ownername {id_} {name}"]
    assert [*specified, f"owner {id_} ours"] == listed.texts
    assert listed == found
    assert [refusal(404, "error: not found")] * 2 == [unlocked, gone]
    assert [Reply(200, described, None)] == transfer(fakeplat, ada, UPLOAD, (f"unlock {id_}",))
    assert [refusal(404, "lock for path a.bin not found")] == transfer(
        fakeplat, ada, UPLOAD, ("list-lock", "path=a.bin")
    )


def test_paths_that_are_not_utf_8_are_replaced(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """Bytes of a path that are not UTF-8 become U+FFFD in the lock, as in JSON that Go writes."""
    locked, listed, _ = transfer(
        fakeplat, ada, UPLOAD, ("lock", "path=caf\udce9.bin"), ("list-lock", "path=caf\ufffd.bin"), ("unlock \udce9",)
    )
    assert 201 == locked.status
    assert "path=caf\ufffd.bin" in locked.arguments
    assert any(line.endswith(" caf\ufffd.bin") for line in listed.texts)


def test_locks_of_others_need_force(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """The lock of somebody else is listed as theirs, and removed with force only."""
    dev = fakeplat.as_user("dev").get("user").json()["id"]
    remote.call("POST", "/members", json={"user_id": dev, "access_level": 30})
    headers = {"Authorization": f"Basic {base64.b64encode(b'dev:dev-token').decode()}"}
    response = fakeplat.as_user(None).request(
        "POST", f"{fakeplat.url}/acme/work.git/info/lfs/locks", json={"path": "b.bin"}, headers=headers
    )
    id_ = response.json()["lock"]["id"]
    listed, refused, forced = transfer(
        fakeplat, ada, UPLOAD, ("list-lock",), (f"unlock {id_}",), (f"unlock {id_}", "force=true")
    )
    assert f"owner {id_} theirs" == listed.texts[-1]
    assert refusal(403, "error: forbidden") == refused
    assert (200, f"id={id_}") == (forced.status, forced.arguments[0])


# Malformed commands


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("nothing",), [(400, "unknown command")] * 2),
        (("version 2",), [(400, "unknown version"), (400, "unknown command")]),
        (("version",), [(400, "unknown version"), (400, "unknown command")]),
        (("get-object",), [(400, "bad request"), (400, "unknown command")]),
        (("unlock",), [(400, "unknown command")] * 2),
        (("lock",), [(500, "internal error")]),
        (("lock", "path"), [(400, 'error: parse error: invalid argument: "path"')]),
        (("put-object a", None), [(500, "internal error"), (400, "unknown command")]),
        (("batch", None), [(500, "internal error")]),
        (("batch", None, "a"), [(400, "error: parse error")]),
        (("batch", None, ""), [(400, "error: invalid packet")]),
        (("batch", None, "a b"), [(400, 'error: parse error: invalid integer, got: "b"')]),
        (("batch", "hash-algo=md5", None, "a 1"), [(405, "error: not allowed: unsupported hash algorithm: md5")]),
    ],
)
def test_malformed_commands_are_refused(
    fakeplat: Fakeplat,
    remote: Remote,
    ada: KeyPair,
    command: tuple[str | None, ...],
    expected: list[tuple[int, str]],
) -> None:
    """A command that cannot be read gets its status; what is left of it is read as commands."""
    replies = transfer(fakeplat, ada, UPLOAD, command, ("list-lock",))
    assert [*(refusal(*row) for row in expected), Reply(200, [], [])] == replies
    assert [] == fakeplat.bench.platform.failures
