"""Names and messages that are no UTF-8 are kept and found."""

import os
from io import BytesIO
from zipfile import ZipFile

import pytest

from fakeplat.git import Archive, Repository, writing
from tests.git.command import Git
from tests.git.conftest import read_both

NAME = "caf\udce9.txt"


@pytest.fixture
def latin(work: Git) -> Git:
    """A file whose name is Latin-1, changed on two branches; the last message is Latin-1, and says so."""

    def write(content: str) -> None:
        with open(os.fsencode(work.path) + b"/caf\xe9.txt", "w", encoding="ascii") as file:  # noqa: PTH123  # bytes
            file.write(content)

    write("a\nb\nc\n")
    work.commit("first")
    work("checkout", "-q", "-b", "feature")
    write("a\nb\nC\n")
    work.commit("theirs")
    work("checkout", "-q", "master")
    write("A\nb\nc\n")
    work("add", "-A")
    work("-c", "i18n.commitEncoding=latin1", "commit", "-q", "-F", "-", stdin="gr\u00fc\u00dfe".encode("latin1"))
    return work


def test_they_are_read(latin: Git) -> None:
    """A file name that is not UTF-8 is handled in trees, logs, diffs, merges, blame and tar archives."""
    ours = read_both(latin).ours
    heads = latin.sha("master"), latin.sha("feature")
    assert [NAME] == [entry.path for entry in ours.tree("HEAD")]
    assert "gr\u00fc\u00dfe" == ours.commit().title
    assert 2 == len(list(ours.log(paths=[NAME])))
    assert [heads[0], latin.sha("HEAD~1")] == [part.commit for part in ours.blame("HEAD", NAME)]
    assert latin.raw("diff", "--full-index", *heads) == b"".join(diff.text for diff in ours.diff(*heads))
    assert latin("merge-tree", "--write-tree", *heads).strip() == writing.try_merge(ours.objects, *heads).tree
    assert latin.raw("archive", "HEAD") == ours.archive("HEAD", Archive.TAR)


def test_a_zip_must_name_it_otherwise(latin: Git) -> None:
    """In a zip, bytes of a file name that are not UTF-8 become question marks."""
    with ZipFile(BytesIO(read_both(latin).ours.archive("HEAD", Archive.ZIP))) as file:
        assert ["caf?.txt"] == file.namelist()


def test_a_pick_keeps_the_name(latin: Git) -> None:
    """A cherry-pick keeps a file name that is not UTF-8."""
    ours = read_both(latin).ours
    committer = ours.commit().committer
    sha = writing.cherry_pick(ours.objects, latin.sha("master"), latin.sha("feature"), committer)
    moved = Repository(ours.objects, {"refs/heads/master": sha}, "refs/heads/master")
    assert b"A\nb\nC\n" == moved.file("HEAD", NAME)
