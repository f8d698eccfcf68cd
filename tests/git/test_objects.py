"""The store, and what it costs to load."""

import subprocess
import sys
import zlib

import pytest

from fakeplat.git import Kind, Objects
from fakeplat.git.errors import MissingObject
from fakeplat.git.objects import EMPTY_TREE
from tests.git.command import Git
from tests.git.conftest import Both


def test_hashes_are_those_of_git(work: Git) -> None:
    """The hash of a blob is that of `git hash-object`."""
    for content in (b"", b"hello\n", bytes(range(256)) * 300):
        assert work("hash-object", "--stdin", stdin=content).strip() == Objects().add(Kind.BLOB, content)
    assert work("hash-object", "-t", "tree", "--stdin", stdin=b"").strip() == EMPTY_TREE


def test_what_is_not_there(a_rich: Both) -> None:
    """Reading a missing object, or one of another kind, raises MissingObject."""
    objects, commit = a_rich.ours.objects, a_rich.ours.resolve("HEAD")
    for read in (objects.get, objects.commit, objects.tree, objects.blob, objects.tag):
        with pytest.raises(MissingObject):
            read("1" * 40)
    for read in (objects.tree, objects.blob, objects.tag):
        with pytest.raises(MissingObject):
            read(commit)


def test_the_empty_tree_is_always_there() -> None:
    """A store without objects has the empty tree, as in git."""
    assert {} == Objects().tree(EMPTY_TREE)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 200_000])
def test_streams_are_zlib_s(size: int) -> None:
    """The compressed stream of an object can be read by zlib."""
    objects = Objects()
    content = bytes(number % 251 for number in range(size))
    sha = objects.add(Kind.BLOB, content)
    assert content == zlib.decompress(objects.deflated(sha))
    assert objects.deflated(sha) == objects.deflated(sha)


def test_a_quarantine_keeps_to_itself() -> None:
    """A quarantine sees the store below it, and the store sees its objects only after absorbing it."""
    store = Objects()
    old = store.add(Kind.BLOB, b"old")
    quarantine = store.over()
    new = quarantine.add(Kind.BLOB, b"new")
    assert (b"old", b"new") == (quarantine.blob(old), quarantine.blob(new))
    assert (True, False) == (old in store, new in store)
    assert [new] == quarantine.find_by_prefix(new[:6])
    store.absorb(quarantine)
    assert b"new" == store.blob(new)
    assert [old, new] == store.added()


def test_a_repository_s_size(a_rich: Both) -> None:
    """The size of a repository is the sum of the sizes of all objects that its refs lead to."""
    shas = "\n".join(line.split()[0] for line in a_rich.git.lines("rev-list", "--objects", "--all"))
    rows = a_rich.git("cat-file", "--batch-check=%(objectsize)", stdin=shas.encode()).split()
    assert sum(map(int, rows)) == a_rich.ours.size()


def test_loading_the_room_loads_no_library() -> None:
    """Importing the package, and reading logs, trees and refs import neither libgit2 nor jsonschema."""
    code = """
import sys
from fakeplat.git import Change, File, Objects, Person, Repository, Service, advertise_refs, build_history
objects = Objects()
refs = build_history(objects, [Change("first", Person("A", "a@b", 1), {"a": File(b"a")})])
repository = Repository(objects, refs, "refs/heads/master")
print(len(list(repository.log())), len(repository.tree("HEAD")), len(advertise_refs(repository, Service.UPLOAD)) > 0)
print(*(name for name in ("pygit2", "jsonschema") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "1 1 True\n\n" == done.stdout
