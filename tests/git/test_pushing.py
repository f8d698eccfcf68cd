"""git itself pushes: what arrives, what is refused and in which words."""

import tarfile
import zlib
from collections.abc import Iterator
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from fakeplat.git import Kind, Limits, Objects, PushResult, RefUpdate, Repository, packs, receive_pack
from fakeplat.git.archive import ArchiveMember, write_tar
from fakeplat.git.errors import BadPack, BadRequest
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.git.objects import hash_object
from fakeplat.git.pktline import FLUSH, encode_line
from fakeplat.git.reachability import introduced_objects
from fakeplat.git.records import Entry, tree_content
from tests.git.command import Git
from tests.git.conftest import Both
from tests.git.git_server import GitServer, serving


@pytest.fixture
def served() -> Iterator[GitServer]:
    """An empty repository behind a URL."""
    with serving(Repository(Objects(), {}, "refs/heads/master")) as served:
        yield served


@pytest.fixture
def pushed(work: Git, served: GitServer) -> Git:
    """A work tree whose first commit has been pushed."""
    work("remote", "add", "origin", served.url)
    work.commit("first", {"a": "a\n" * 50, "folder/b": "b\n"})
    work("push", "-q", "-u", "origin", "master")
    return work


def read_push_error(git: Git, *arguments: str) -> str:
    """What git tells somebody whose push fails."""
    done = git.tried("push", *arguments)
    assert done.returncode
    return done.stderr.decode()


@pytest.mark.parametrize("version", ["0", "2"])
def test_everything_is_pushed(a_rich: Both, served: GitServer, tmp_path: Path, version: str) -> None:
    """A mirror push of a whole history arrives complete and can be cloned."""
    here = Git(tmp_path, init=False)
    a_rich.git("-c", f"protocol.version={version}", "push", "-q", "--mirror", served.url)
    here("-c", f"protocol.version={version}", "clone", "-q", "--mirror", served.url, "clone")
    clone = Git(tmp_path / "clone", init=False)
    assert a_rich.git("for-each-ref") == clone("for-each-ref")
    assert "" == clone("fsck", "--strict")


def test_commits_are_pushed_upon_others(pushed: Git, served: GitServer) -> None:
    """A thin pack with deltas against objects of the repository is accepted."""
    lines = "".join(f"{number} some longer line of text\n" for number in range(400))
    pushed.commit("large", {"large": lines})
    pushed("push", "-q")
    for number in range(3):
        pushed.commit(f"change {number}", {"large": lines.replace(f"{number * 90} some", "x")})
        pushed("push", "-q")
    assert pushed.sha() == served.repository.resolve("master")
    assert pushed.raw("show", "HEAD:large") == served.repository.file("master", "large")
    assert [("refs/heads/master", True)] * 5 == served.judged


def test_a_moved_file_is_not_sent_again(pushed: Git, served: GitServer) -> None:
    """A pack may leave out objects that the repository has already."""
    pushed("mv", "folder/b", "c")
    pushed.commit("move")
    pushed("push", "-q")
    assert b"b\n" == served.repository.file("master", "c")


def test_a_push_that_is_not_a_fast_forward(pushed: Git, served: GitServer) -> None:
    """A forced push is reported to the caller as no fast-forward and moves the branch if accepted."""
    pushed("commit", "-q", "--amend", "-m", "other first")
    assert "non-fast-forward" in read_push_error(pushed, "-q")
    pushed("push", "-q", "--force")
    assert ("refs/heads/master", False) == served.judged[-1]
    assert pushed.sha() == served.repository.resolve("master")


def test_branches_and_tags_are_made_and_deleted(pushed: Git, served: GitServer) -> None:
    """A push can create and delete several branches and tags at once."""
    pushed("tag", "light")
    pushed("tag", "-a", "-m", "Version 1", "v1")
    pushed("push", "-q", "origin", "master:new", "light", "v1")
    assert {"refs/heads/master", "refs/heads/new", "refs/tags/light", "refs/tags/v1"} == set(served.repository.refs)
    assert pushed.sha("v1") == served.repository.refs["refs/tags/v1"]

    pushed("push", "-q", "origin", ":new", ":v1", "master:again")
    assert {"refs/heads/master", "refs/heads/again", "refs/tags/light"} == set(served.repository.refs)
    about = {update.name: (update.is_creation, update.is_deletion) for update in served.pushes[-1].updates}
    assert {"refs/heads/new": (False, True), "refs/tags/v1": (False, True), "refs/heads/again": (True, False)} == about


def test_a_refused_ref(pushed: Git, served: GitServer) -> None:
    """A refused ref stays, git shows the message, and the other refs of the push move."""
    served.refusals["refs/heads/master"] = "pre-receive hook declined"
    pushed.commit("second")
    output = read_push_error(pushed, "origin", "master", "master:free")
    assert "! [remote rejected] master -> master (pre-receive hook declined)" in output
    assert pushed.sha("HEAD~1") == served.repository.resolve("master")
    assert pushed.sha() == served.repository.resolve("free")


def test_nothing_is_kept_of_a_push_that_is_refused(pushed: Git, served: GitServer) -> None:
    """A refused push stores no objects, and repeating it later works."""
    before = served.repository.objects.added()
    served.refusals["refs/heads/master"] = "no"
    pushed.commit("second", {"new": "new\n"})
    read_push_error(pushed)
    assert before == served.repository.objects.added()
    served.refusals.clear()
    pushed("push", "-q")
    assert pushed.sha() == served.repository.resolve("master")


def test_all_or_nothing(pushed: Git, served: GitServer) -> None:
    """With --atomic, one refused ref makes all refs of the push fail."""
    served.refusals["refs/heads/master"] = "no"
    pushed.commit("second")
    output = read_push_error(pushed, "--atomic", "origin", "master", "master:free")
    assert "master -> free (atomic push failure)" in output
    assert {"refs/heads/master"} == set(served.repository.refs)


def test_messages(pushed: Git, served: GitServer) -> None:
    """The messages of the caller are shown to the user who pushes."""
    served.messages = ["", "To create a merge request for new, visit:\n  https://example.test/new", ""]
    output = pushed.tried("push", "origin", "master:new", check=True).stderr.decode()
    assert "remote: To create a merge request for new, visit:" in output
    assert "remote:   https://example.test/new" in output


def test_push_options(pushed: Git, served: GitServer) -> None:
    """Push options arrive unchanged and in order."""
    pushed("push", "-q", "-o", "ci.skip", "-o", "merge_request.title=A grüße = b", "origin", "master:new")
    assert ["ci.skip", "merge_request.title=A grüße = b"] == served.pushes[-1].push_options


def test_a_large_push(pushed: Git, served: GitServer) -> None:
    """A push of 3 MB, which git sends in chunks, is received whole."""
    pushed.commit("large", {"large.bin": Random(1).randbytes(3_000_000)})
    pushed("push", "-q")
    assert 3_000_000 == len(served.repository.file("master", "large.bin"))


def test_a_push_from_a_shallow_clone(pushed: Git, served: GitServer, tmp_path: Path) -> None:
    """A push from a shallow clone is accepted and extends the full history."""
    pushed.commit("second")
    pushed("push", "-q")
    Git(tmp_path, init=False)("clone", "-q", "--depth=1", served.url, "shallow")
    shallow = Git(tmp_path / "shallow", init=False)
    shallow.minute = 9
    shallow.commit("third", {"c": "c\n"})
    shallow("push", "-q")
    assert 3 == served.repository.count("master")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(compressed=1000), "pack exceeds maximum allowed size"),
        (Limits(inflated=1000), "pack exceeds maximum allowed size"),
        (Limits(objects=2), "pack has more than 2 objects"),
    ],
)
def test_limits(pushed: Git, served: GitServer, limits: Limits, message: str) -> None:
    """A pack over a limit is refused for each ref with a message, and nothing of it is stored."""
    before = served.repository.objects.added()
    served.limits = limits
    pushed.commit("large", {"large.bin": Random(1).randbytes(2000)})
    output = read_push_error(pushed)
    assert f"remote unpack failed: {message}" in output
    assert "master -> master (unpacker error)" in output
    assert before == served.repository.objects.added()


def encode_entry(kind: int, content: bytes, size: int | None = None, base: str = "") -> bytes:
    left = len(content) if size is None else size
    head, byte = bytearray(), (kind << 4) | (left & 15)
    left >>= 4
    while left:
        head.append(byte | 0x80)
        byte, left = left & 0x7F, left >> 7
    return bytes([*head, byte]) + bytes.fromhex(base) + zlib.compress(content, level=1)


def build_pack(*entries: bytes, count: int | None = None) -> bytes:
    body = b"PACK" + (2).to_bytes(4, "big") + (len(entries) if count is None else count).to_bytes(4, "big")
    body += b"".join(entries)
    return body + sha1(body).digest()


def reseal_pack(content: bytes) -> bytes:
    return content + sha1(content).digest()


BOMB = encode_entry(3, bytes(200_000_000))
A_TREE = tree_content([Entry("x", 0o100644, hash_object(Kind.BLOB, b"x"))])
FALSE_FILE = tree_content([Entry("a", 0o100644, hash_object(Kind.TREE, A_TREE))])
FALSE_FOLDER = tree_content([Entry("a", 0o040000, hash_object(Kind.BLOB, b"x"))])
NO_TREE = b"100644 .git\0" + bytes(20)
X = hash_object(Kind.BLOB, b"x")
WIDE = bytes(70_000)
COPIES = b"\xf0\xa2\x04\x64" + b"\xb0\xff\xff" * 60_000
"""Of 70,000 bytes makes 100, it says, and copies 65,535 of them 60,000 times."""

BROKEN = {
    "no pack": b"hello",
    "empty": b"",
    "cut off": build_pack(encode_entry(3, b"x"))[:-5],
    "one bit": build_pack(encode_entry(3, b"x"))[:-1] + b"\0",
    "fewer than said": build_pack(encode_entry(3, b"x"), count=2),
    "more than said": build_pack(encode_entry(3, b"x"), encode_entry(3, b"y"), count=1),
    "far more than there can be": build_pack(count=4_000_000_000),
    "a version of the future": reseal_pack(b"PACK" + (9).to_bytes(4, "big") + bytes(4)),
    "an unknown kind": build_pack(encode_entry(5, b"x")),
    "larger than said": build_pack(encode_entry(3, b"xxxx", size=2)),
    "smaller than said": build_pack(encode_entry(3, b"xx", size=4)),
    "no deflated bytes": reseal_pack(b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + b"\x31hello world"),
    "a delta upon nothing": build_pack(encode_entry(7, b"\x01\x01\x01y", base="1" * 40)),
    "a delta that makes a giant": build_pack(
        encode_entry(3, b"x"), encode_entry(7, b"\x01\xff\xff\xff\xff\x7f", base=X)
    ),
    "a delta that makes more than it says": build_pack(
        encode_entry(3, WIDE), encode_entry(7, COPIES, base=hash_object(Kind.BLOB, WIDE))
    ),
    "a delta of another base": build_pack(encode_entry(3, b"x"), encode_entry(7, b"\x02\x01\x01y", base=X)),
    "a delta that is cut off": build_pack(encode_entry(3, b"x"), encode_entry(7, b"\x01\x05\x05y", base=X)),
    "a delta beyond its base": build_pack(encode_entry(3, b"x"), encode_entry(7, b"\x01\x05\x90\x05", base=X)),
    "a delta with an unknown word": build_pack(encode_entry(3, b"x"), encode_entry(7, b"\x01\x01\x00", base=X)),
    "a bomb": build_pack(BOMB),
    "a bomb that says it is small": build_pack(encode_entry(3, bytes(200_000_000), size=10)),
    "no commit": build_pack(encode_entry(1, b"hello")),
    "no tree": build_pack(encode_entry(2, b"hello")),
    "no tag": build_pack(encode_entry(4, b"hello")),
    "a tree with .git in it": build_pack(encode_entry(2, NO_TREE)),
    "a file that is a tree": build_pack(encode_entry(2, A_TREE), encode_entry(2, FALSE_FILE)),
    "a folder that is a file": build_pack(encode_entry(3, b"x"), encode_entry(2, FALSE_FOLDER)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_pack(name: str) -> None:
    """A broken pack is refused with a message, and nothing of it is stored."""
    objects = Objects()
    with pytest.raises(BadPack, match=r"\w"):
        packs.read_pack(objects, BROKEN[name], Limits(inflated=1_000_000, objects=1000))
    assert [] == objects.added()


def test_deltas_are_resolved_in_any_order() -> None:
    """A delta may precede its base, and may be based on another delta or an object in the store."""
    objects = Objects()
    objects.add(Kind.BLOB, b"x")
    middle, top = (
        encode_entry(7, b"\x01\x02\x90\x01\x01y", base=X),
        encode_entry(7, b"\x02\x03\x90\x02\x01z", base=hash_object(Kind.BLOB, b"xy")),
    )
    for entries in ((top, middle), (middle, top)):
        objects_ = packs.read_pack(objects, build_pack(*entries), Limits())
        assert {b"xy", b"xyz"} == {objects_.blob(sha) for sha in objects_.added()}


def test_trees_may_not_be_nested_without_end(a_rich: Both) -> None:
    """A push of a thousand nested folders is refused."""
    ours = a_rich.ours
    trees = [A_TREE]
    for _ in range(1000):
        trees.append(tree_content([Entry("d", 0o040000, hash_object(Kind.TREE, trees[-1]))]))
    commit = COMMIT.format(hash_object(Kind.TREE, trees[-1]), ours.resolve("light")).encode()
    sent = build_pack(encode_entry(1, commit), *(encode_entry(2, tree) for tree in trees), encode_entry(3, b"x"))
    report = push(ours, f"{ZERO_SHA} {hash_object(Kind.COMMIT, commit)} refs/heads/new", sent=sent)
    assert {"refs/heads/new": "missing necessary objects"} == report.refused


def create_tree_bomb(repository: Repository, levels: int, width: int = 10) -> tuple[str, bytes]:
    """A commit of folders whose entries all name the same folder below, and its pack."""
    trees = [A_TREE]
    for _ in range(levels):
        below = hash_object(Kind.TREE, trees[-1])
        trees.append(tree_content([Entry(f"d{number}", 0o040000, below) for number in range(width)]))
    commit = COMMIT.format(hash_object(Kind.TREE, trees[-1]), repository.resolve("light")).encode()
    sent = build_pack(encode_entry(1, commit), *(encode_entry(2, tree) for tree in trees), encode_entry(3, b"x"))
    return hash_object(Kind.COMMIT, commit), sent


def test_tree_bomb_is_refused(a_rich: Both) -> None:
    """A tree of ten billion paths made of identical folders exceeds the limit of paths and is refused."""
    commit, sent = create_tree_bomb(a_rich.ours, 10)
    received = push(a_rich.ours, f"{ZERO_SHA} {commit} refs/heads/new", sent=sent)
    assert {"refs/heads/new": "unpacker error"} == received.refused
    assert "contains more than 1000000 paths" in received.unpacked


def test_identical_folders_are_compared_once(a_rich: Both) -> None:
    """A tree with a million places of the same few folders is pushed without visiting each place."""
    commit, sent = create_tree_bomb(a_rich.ours, 5)
    received = push(a_rich.ours, f"{ZERO_SHA} {commit} refs/heads/new", sent=sent)
    assert {} == received.refused
    assert 7 == len(introduced_objects(received.after.objects, commit))


def test_any_cut_and_any_flipped_byte_is_noticed(a_rich: Both) -> None:
    """Any truncated or changed byte of a pack is detected, also with a corrected checksum."""
    whole = b"".join(packs.write_pack(a_rich.ours.objects, a_rich.ours.objects.added()[:20]))
    assert 20 == len(packs.read_pack(Objects(), whole, Limits()).added())
    for at in range(0, len(whole), 37):
        for damaged in (whole[:at], reseal_pack(whole[:at]), whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]):
            with pytest.raises(BadPack):
                packs.read_pack(Objects(), damaged, Limits())


def push(repository: Repository, *commands: str, sent: bytes = b"", capabilities: str = "report-status") -> PushResult:
    first, *others = commands
    body = b"".join([encode_line(f"{first}\0 {capabilities}"), *map(encode_line, others), FLUSH, sent])
    return receive_pack(repository, body, lambda update: None)


@pytest.mark.parametrize(("kind", "content"), [(Kind.BLOB, b"x"), (Kind.TREE, A_TREE)], ids=["blob", "tree"])
@pytest.mark.parametrize("is_tagged", [False, True])
def test_a_ref_to_no_commit_never_moves_forward(a_rich: Both, kind: Kind, content: bytes, is_tagged: bool) -> None:
    """Moving a ref from or to a blob or tree, tagged or not, is never a fast-forward."""
    objects = a_rich.ours.objects
    other, commit = objects.add(kind, content), a_rich.ours.resolve("light")
    if is_tagged:
        name = kind.name.lower()
        other = objects.add(Kind.TAG, f"object {other}\ntype {name}\ntag t\ntagger A <a@b> 1 +0000\n\nm".encode())
    for old, new in [(other, commit), (commit, other), (other, other)]:
        assert not RefUpdate("refs/tags/t", old, new, a_rich.ours, a_rich.ours).is_fast_forward
    assert RefUpdate("refs/tags/t", commit, commit, a_rich.ours, a_rich.ours).is_fast_forward


@pytest.mark.parametrize(("when", "year"), [(-1, 0), (-(2**40), 0), (0, 0), (1_605_862_800, 1_605_862_800)])
def test_members_of_an_archive_are_from_1970_at_the_earliest(when: int, year: int) -> None:
    """Members of a tar archive have a time of 1970 at the earliest."""
    archive = write_tar([ArchiveMember("a", 0o100644, X, b"x")], when, X)
    with tarfile.open(fileobj=BytesIO(archive)) as opened:
        assert [("a", year)] == [(member.name, member.mtime) for member in opened]


COMMIT = "tree {}\nparent {}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nm"


def test_a_push_must_be_whole(a_rich: Both) -> None:
    """A commit whose tree, file or parent is neither in the push nor visible in the repository is refused, also if
    another repository of the same store has it.
    """
    ours = a_rich.ours
    secret = ours.commit("master")
    public = Repository(ours.objects, {"refs/heads/light": ours.refs["refs/tags/light"]}, "refs/heads/light")
    light = public.resolve("light")
    other = ours.entry("master", "other.txt")
    assert other is not None
    hidden = tree_content([Entry("x", 0o100644, other.sha)])
    before = ours.objects.added()
    for parent, trees in (
        (light, [tree_content([Entry("x", 0o100644, "1" * 40)])]),
        (light, [hidden]),
        (secret.sha, [A_TREE]),
        ("2" * 40, [A_TREE]),
    ):
        commit = COMMIT.format(hash_object(Kind.TREE, trees[0]), parent).encode()
        sent = build_pack(encode_entry(1, commit), encode_entry(2, trees[0]), encode_entry(3, b"x"))
        report = push(public, f"{ZERO_SHA} {hash_object(Kind.COMMIT, commit)} refs/heads/new", sent=sent)
        assert {"refs/heads/new": "missing necessary objects"} == report.refused
    assert before == ours.objects.added()


def test_a_delta_does_not_open_what_is_hidden(a_rich: Both) -> None:
    """A delta against a file of another repository in the same store is not resolved."""
    ours = a_rich.ours
    public = Repository(ours.objects, {"refs/heads/light": ours.refs["refs/tags/light"]}, "refs/heads/light")
    hidden = ours.entry("master", "other.txt")
    assert hidden is not None
    sent = build_pack(encode_entry(7, b"\x06\x06\x90\x06", base=hidden.sha))
    for repository, unpacked in ((public, "pack has 1 unresolved deltas"), (ours, "ok")):
        assert unpacked == push(repository, f"{ZERO_SHA} {public.resolve('light')} refs/heads/new", sent=sent).unpacked


def test_the_same_push_with_everything_in_it(a_rich: Both) -> None:
    """A push with all its objects is accepted and reported."""
    ours = a_rich.ours
    commit = COMMIT.format(hash_object(Kind.TREE, A_TREE), ours.resolve("light")).encode()
    sent = build_pack(encode_entry(1, commit), encode_entry(2, A_TREE), encode_entry(3, b"x"))
    report = push(ours, f"{ZERO_SHA} {hash_object(Kind.COMMIT, commit)} refs/heads/new", sent=sent)
    assert ({}, ["refs/heads/new"]) == (report.refused, [update.name for update in report.updates])
    assert encode_line("unpack ok\n") + encode_line("ok refs/heads/new\n") + FLUSH == report.answer()


@pytest.mark.parametrize(
    ("old", "new", "name", "refusal"),
    [
        (ZERO_SHA, "light", "refs/heads/a..b", "funny refname"),
        (ZERO_SHA, "light", "HEAD", "funny refname"),
        (ZERO_SHA, "light", "refs/heads/x.lock", "funny refname"),
        (ZERO_SHA, "light", "refs/heads/feature/x", "failed to update ref"),
        (ZERO_SHA, "light", "refs/heads/feature", "failed to update ref"),
        ("light", "feature", "refs/heads/master", "failed to update ref"),
        ("light", ZERO_SHA, "refs/heads/gone", "failed to update ref"),
        (ZERO_SHA, "v1.0", "refs/heads/tagged", "failed to update ref"),
        (ZERO_SHA, "1" * 40, "refs/heads/new", "bad pack"),
    ],
)
def test_refs_that_cannot_be(a_rich: Both, old: str, new: str, name: str, refusal: str) -> None:
    """Refs with bad names, wrong old hashes, conflicting names or missing objects are refused."""
    ours = a_rich.ours
    old, new = (ours.refs.get(f"refs/tags/{sha}") or ours.refs.get(f"refs/heads/{sha}") or sha for sha in (old, new))
    assert {name: refusal} == push(ours, f"{old} {new} {name}", sent=build_pack()).refused


def test_a_judge_sees_the_new_commits(a_rich: Both) -> None:
    """The caller's decision can read the pushed commits before they are stored."""
    ours = a_rich.ours
    seen: list[str] = []
    commit = COMMIT.format(hash_object(Kind.TREE, A_TREE), ours.resolve("light")).encode()
    sha = hash_object(Kind.COMMIT, commit)

    def decide(update: RefUpdate) -> str:
        seen.extend(commit.message for commit in update.commits)
        seen.append(update.after.resolve("judged"))
        return "no"

    before = ours.objects.added()
    command = encode_line(f"{ZERO_SHA} {sha} refs/heads/judged\0 report-status")
    receive_pack(
        ours,
        command + FLUSH + build_pack(encode_entry(1, commit), encode_entry(2, A_TREE), encode_entry(3, b"x")),
        decide,
    )
    assert ["m", sha] == seen
    assert before == ours.objects.added()


@pytest.mark.parametrize(
    "body",
    [
        b"zz",
        encode_line("hello") + FLUSH,
        encode_line(f"{ZERO_SHA} {ZERO_SHA}\0") + FLUSH,
        b"0010abc",
        encode_line(f"{ZERO_SHA} {ZERO_SHA} {'x' * 60_000}"),
    ],
)
def test_what_is_no_push(a_rich: Both, body: bytes) -> None:
    """A malformed push request is refused."""
    with pytest.raises(BadRequest):
        receive_pack(a_rich.ours, body, lambda update: None)


def test_an_empty_push(a_rich: Both) -> None:
    """A push request without commands gets an empty answer."""
    report = receive_pack(a_rich.ours, FLUSH, lambda update: None)
    assert (True, [], b"") == (report.is_empty, report.updates, report.answer())
