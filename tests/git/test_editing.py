"""Trees change by actions as git's own index would change them, and only where they must."""

from pathlib import Path

import pytest

from fakeplat.git import Chmod, Create, Delete, Kind, Move, Objects, Person, Repository, Update, writing
from fakeplat.git.errors import BadName, BadPath, DirectoryExists, EmptyPath, FileExists, FileMissing, Traversal
from fakeplat.git.name_checks import check_branch, check_tag, is_ref_name
from fakeplat.git.objects import EMPTY_TREE
from fakeplat.git.records import EXECUTABLE
from fakeplat.git.tree_editing import Action, apply_actions
from tests.git.command import Git
from tests.git.conftest import Both

ADA = Person("Ada Example", "ada@example.test", 1_600_000_000, 330)


@pytest.fixture
def objects() -> Objects:
    return Objects()


@pytest.fixture
def tree(objects: Objects) -> str:
    """`a`, `folder/b`, `folder/deep/c` (executable)."""
    files = [Create("a", b"a\n"), Create("folder/b", b"b\n"), Create("folder/deep/c", b"c\n", EXECUTABLE)]
    return apply_actions(objects, EMPTY_TREE, files)


def test_the_trees_are_git_s(objects: Objects, tree: str, work: Git) -> None:
    """Creating, updating, deleting, moving and changing the mode of files give git's tree."""
    actions: list[Action] = [
        Create("folder.txt", b"sorts between\n"),
        Create("new/grüße", b"hola\n"),
        Update("folder/b", b"other\n"),
        Delete("folder/deep/c"),
        Move("a", "moved/a"),
        Chmod("folder/b", executable=True),
        Create("folder/0", b""),
        Move("folder.txt", "renamed.txt", b"with new content\n"),
    ]
    work.write({"new/grüße": "hola\n", "folder/b": "other\n", "moved/a": "a\n", "folder/0": ""})
    work.write({"renamed.txt": "with new content\n"})
    (work.path / "folder/b").chmod(0o755)
    work("add", "-A")
    assert work("write-tree").strip() == apply_actions(objects, tree, actions)


def test_a_commit_is_git_s(objects: Objects, tree: str, work: Git, tmp_path: Path) -> None:
    """A commit has the content and hash that git gives it."""
    work.write({"a": "a\n"})
    work("add", "-A")
    first = work("commit-tree", "-m", "first", work("write-tree").strip()).strip()
    raw = work.raw("cat-file", "commit", first)
    who = Person("Ada Example", "ada@example.test", 1_600_000_000, 90)
    rep = Person("Rep Example", "rep@example.test", 1_600_000_000, 90)
    sha = writing.commit_actions(objects, None, [Create("a", b"a\n")], "first\n", who, rep)
    assert (raw, first) == (objects.get(sha).content, sha)


def test_an_annotated_tag_is_git_s(objects: Objects, work: Git) -> None:
    """An annotated tag has the hash that git gives it."""
    rep = Person("Rep Example", "rep@example.test", 1_600_000_000, 90)
    who = Person("Ada Example", "ada@example.test", 1_600_000_000, 90)
    work.write({"a": "a\n"})
    work("add", "-A")
    work("commit", "-q", "-m", "first")
    work("tag", "-a", "-m", "Version 1", "v1")
    first = writing.commit_actions(objects, None, [Create("a", b"a\n")], "first\n", who, rep)
    assert work.sha("v1") == writing.tag(objects, "v1", first, "Version 1", rep)


REFUSED: list[tuple[Action, type[Exception]]] = [
    (Create("a", b""), FileExists),
    (Create("folder", b""), DirectoryExists),
    (Create("a/b", b""), FileExists),
    (Create("folder/b/c/d", b""), FileExists),
    (Update("gone", b""), FileMissing),
    (Update("folder", b""), FileMissing),
    (Update("a/x", b""), FileMissing),
    (Delete("gone"), FileMissing),
    (Delete("folder"), FileMissing),
    (Delete("gone/x"), FileMissing),
    (Move("gone", "x"), FileMissing),
    (Move("a", "folder/b"), FileExists),
    (Move("a", "folder"), DirectoryExists),
    (Chmod("gone", executable=True), FileMissing),
    (Create("", b""), EmptyPath),
    (Create("/", b""), EmptyPath),
    (Create("../a", b""), Traversal),
    (Create("x/../../a", b""), Traversal),
    (Create(".git/config", b""), BadPath),
    (Create("x/.GIT/config", b""), BadPath),
    (Create(".git. /x", b""), BadPath),
    (Create("git~1/x", b""), BadPath),
    (Create("x\0y", b""), BadPath),
    (Create("d/" * 300 + "x", b""), BadPath),
    (Move("a", "../a"), Traversal),
]


@pytest.mark.parametrize(("action", "refusal"), REFUSED)
def test_what_does_not_fit(objects: Objects, tree: str, action: Action, refusal: type[Exception]) -> None:
    """An action that conflicts with the tree, and a path that no tree may hold, are refused."""
    with pytest.raises(refusal):
        apply_actions(objects, tree, [Create("before", b"first\n"), action])


@pytest.mark.parametrize("path", ["/new", "./new", "//new", "new/", "./x/..new", "...", ".gitignore", "a.git"])
def test_paths_that_are_fine(objects: Objects, tree: str, path: str) -> None:
    """Superfluous slashes and dots in a path are ignored, and names that resemble forbidden ones are accepted."""
    assert tree != apply_actions(objects, tree, [Create(path, b"")])


def test_a_folder_goes_with_its_last_file(objects: Objects, tree: str) -> None:
    """Deleting the last file of a folder deletes the folder, and deleting all files gives the empty tree."""
    gone = apply_actions(objects, tree, [Delete("folder/deep/c"), Delete("folder/b")])
    assert ["a"] == list(objects.tree(gone))
    assert EMPTY_TREE == apply_actions(objects, gone, [Delete("a")])


def test_actions_see_those_before_them(objects: Objects, tree: str) -> None:
    """An action sees the result of earlier ones, so a file can replace a deleted folder and the other way round."""
    actions: list[Action] = [Delete("folder/b"), Delete("folder/deep/c"), Create("folder", b""), Delete("a")]
    assert {"folder": "blob", "a": "tree"} == {
        name: entry.kind
        for name, entry in objects.tree(apply_actions(objects, tree, [*actions, Create("a/x", b"")])).items()
    }


def test_only_folders_on_the_way_are_read_and_written(objects: Objects) -> None:
    """In a tree of 100 folders, a change two folders deep reads and writes three trees."""
    many = [Create(f"{folder}/x/{file}", b"") for folder in range(100) for file in range(3)]
    tree = apply_actions(objects, EMPTY_TREE, many)
    quarantine = objects.over()
    objects.tree.cache_clear()
    apply_actions(quarantine, tree, [Create("50/x/new", b"new\n")])
    kinds = [quarantine.get(sha).kind for sha in quarantine.added()]
    assert (3, 1) == (kinds.count(Kind.TREE), kinds.count(Kind.BLOB))
    assert 3 == objects.tree.cache_info().currsize


NAMES = (
    "main feature/a a.b a..b .a a/.b a.lock a.lock/b a//b /a a/ a. a~b a^b a:b a?b a*b a[b a]b a\\b a{b a@{b @ HEAD "
    "-a a-b ü a/-b x@y"
).split()


@pytest.mark.parametrize("name", [*NAMES, "a b", "a\tb", "a\x7fb", ""])
def test_names_of_refs(work: Git, name: str) -> None:
    """The names of refs and branches that git's check accepts are accepted, and no others."""
    assert (work.tried("check-ref-format", f"refs/heads/{name}").returncode == 0) == is_ref_name(f"refs/heads/{name}")

    taken = True
    try:
        check_branch(name)
    except BadName:
        taken = False
    assert (work.tried("check-ref-format", "--branch", name or "-").returncode == 0) == taken


@pytest.mark.parametrize("name", ["", "-a", "a b", "a..b", "x.lock"])
def test_names_of_tags(objects: Objects, name: str) -> None:
    """A tag with a name that git refuses is refused."""
    with pytest.raises(BadName):
        check_tag(name)
    with pytest.raises(BadName):
        writing.tag(objects, name, EMPTY_TREE, "text", ADA)


def test_names_are_cleaned_as_git_cleans_them(objects: Objects, work: Git) -> None:
    """Angle brackets and line feeds are removed from names and addresses in commits."""
    odd = Person("A <b>\nc.", "x>@y\n", 1_600_000_000, -210)
    commit = objects.commit(writing.commit(objects, EMPTY_TREE, [], "message", odd))
    assert ("A bc", "x@y", -210) == (commit.author.name, commit.author.email, commit.author.offset)


def test_a_repository_without_its_refs_is_unchanged(a_rich: Both) -> None:
    """A written commit is not visible in a repository until a ref leads to it."""
    ours = a_rich.ours
    sha = writing.commit_actions(ours.objects, ours.resolve("HEAD"), [Create("secret", b"x")], "m", ADA)
    moved = Repository(ours.objects, {**ours.refs, "refs/heads/master": sha}, ours.head)
    assert (False, True) == (ours.shows(sha), moved.shows(sha))
    assert ours.resolve("HEAD") == moved.resolve("HEAD~1")
