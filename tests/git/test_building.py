"""Histories from declarations, folders and bundles."""

from pathlib import Path

import pygit2
import pytest

from fakeplat.git import Change, File, Objects, Person, Repository, build_history, import_repository
from fakeplat.git.errors import BadName, BadPack, BadRequest, GitError, MergeConflict, UnknownRevision
from fakeplat.git.records import EXECUTABLE, SYMLINK
from tests.git.command import Git
from tests.git.conftest import Both
from tests.git.git_server import serving

ADA = Person("Ada Example", "ada@example.test", 1_600_000_000)


def build_person(minutes: int) -> Person:
    return ADA._replace(when=ADA.when + 60 * minutes)


HISTORY = [
    Change("first", ADA, {"README.md": File(b"# Site\n"), "bin/run": File(b"#!/bin/sh\n", EXECUTABLE)}),
    Change("link", build_person(1), {"docs": File(b"README.md", SYMLINK)}, tags={"v0.1": None}),
    Change("work", build_person(2), {"src/a.py": File(b"a = 1\n")}, branch="feature", start="v0.1"),
    Change("more", build_person(3), {"src/b.py": File(b"b = 2\n"), "bin": None}, branch="feature"),
    Change("meanwhile", build_person(4), {"README.md": File(b"# Site\n\nText.\n")}),
    Change("Merge branch 'feature'", build_person(5), merges=["feature"], tags={"v1.0": "Version 1"}),
]


def test_the_same_words_make_the_same_hashes() -> None:
    """Building the same history in two stores gives the same hashes."""
    assert build_history(Objects(), HISTORY) == build_history(Objects(), HISTORY)


def test_git_reads_what_was_built(tmp_path: Path) -> None:
    """A clone of a built history has its branches, merge, tags, modes and links, and passes git fsck."""
    objects = Objects()
    with serving(Repository(objects, build_history(objects, HISTORY), "refs/heads/master")) as served:
        Git(tmp_path, init=False)("clone", "-q", "--mirror", served.url, "clone.git")
    clone = Git(tmp_path / "clone.git", init=False)

    assert "" == clone("fsck", "--strict")
    assert [
        "Merge branch 'feature'|v1.0, master",
        "meanwhile|",
        "more|feature",
        "work|",
        "link|v0.1",
        "first|",
    ] == [
        line.replace("HEAD -> ", "").replace("tag: ", "")
        for line in clone.lines(
            "log", "--format=%s|%D", "--decorate-refs=refs/heads", "--decorate-refs=refs/tags", "--all"
        )
    ]
    assert ["100644 README.md", "120000 docs", "100644 src/a.py", "100644 src/b.py"] == clone.lines(
        "ls-tree", "-r", "--format=%(objectmode) %(path)", "master"
    )
    assert "tag" == clone("cat-file", "-t", "v1.0").strip()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (Change("x", ADA, branch="a..b"), BadName),
        (Change("x", ADA, tags={"-x": None}), BadName),
        (Change("x", ADA, merges=["gone"]), UnknownRevision),
        (Change("x", ADA, branch="new", start="gone"), UnknownRevision),
        (Change("x", ADA, {"README.md": File(b"other\n")}, branch="feature"), MergeConflict),
    ],
)
def test_what_cannot_be_built(change: Change, refusal: type[GitError]) -> None:
    """Building fails for bad names, unknown branches, and conflicting merges without a declared resolution."""
    with pytest.raises(refusal):
        build_history(Objects(), [*HISTORY[:-1], change, HISTORY[-1]])


def test_a_conflict_may_be_settled_in_the_declaration() -> None:
    """A merge that declares the content of the files in conflict is built."""
    clash = Change("clash", build_person(3), {"README.md": File(b"other\n")}, branch="feature")
    settled = Change("merge", build_person(5), {"README.md": File(b"both\n")}, merges=["feature"])
    objects = Objects()
    repository = Repository(
        objects, build_history(objects, [*HISTORY[:-2], clash, HISTORY[-2], settled]), "refs/heads/master"
    )
    assert b"both\n" == repository.file("HEAD", "README.md")
    assert 2 == len(repository.commit("HEAD").parents)


def list_refs(git: Git) -> dict[str, str]:
    return dict(line.split(" ") for line in git.lines("for-each-ref", "--format=%(refname) %(objectname)"))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("bare", [False, True])
def test_a_folder_is_taken_over(a_rich: Both, tmp_path: Path, packed: bool, bare: bool) -> None:
    """Importing a folder takes all refs and HEAD from loose objects or packs and writes nothing into it."""
    Git(tmp_path, init=False)("clone", "-q", "--mirror", str(a_rich.git.path), "copy.git")
    copy = Git(tmp_path / "copy.git", init=False)
    copy("repack", "-adq" if packed else "-q")
    source = copy.path if bare else a_rich.git.path
    before = {path: path.stat().st_mtime_ns for path in source.rglob("*")}
    repository = import_repository(Objects(), source)
    assert (list_refs(a_rich.git), "refs/heads/master") == (repository.refs, repository.head)
    assert before == {path: path.stat().st_mtime_ns for path in source.rglob("*")}


def test_symbolic_refs_are_resolved(tmp_path: Path) -> None:
    """A symbolic ref gets the hash of its target, or is left out without one; HEAD may be unborn or detached."""
    git = Git(tmp_path)
    git("symbolic-ref", "HEAD", "refs/heads/next")
    assert ({}, "refs/heads/next") == import_repository(Objects(), tmp_path)
    git("symbolic-ref", "HEAD", "refs/heads/master")
    git.commit("first", {"a": b"1"})
    git("symbolic-ref", "refs/heads/current", "refs/heads/master")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/nowhere")
    sha = git("rev-parse", "HEAD").strip()
    expected = {"refs/heads/current": sha, "refs/heads/master": sha}
    assert (expected, "refs/heads/master") == import_repository(Objects(), tmp_path)
    git("checkout", "-q", "--detach")
    assert (expected, None) == import_repository(Objects(), tmp_path)


def test_a_folder_inside_a_repository_is_none(tmp_path: Path) -> None:
    """Importing a subfolder of a repository is refused."""
    Git(tmp_path / "work")
    (tmp_path / "work/docs").mkdir()
    with pytest.raises(GitError):
        import_repository(Objects(), tmp_path / "work/docs")


def test_the_checks_of_the_library_are_left_as_they_are(tmp_path: Path) -> None:
    """Importing a repository leaves libgit2's validation of owners as it was."""
    Git(tmp_path)
    before = pygit2.settings.owner_validation
    import_repository(Objects(), tmp_path)
    assert before == pygit2.settings.owner_validation


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_bundle_is_taken_over(a_rich: Both, tmp_path: Path, version: str) -> None:
    """Importing a bundle takes all its refs, the branch of HEAD and its history."""
    file = tmp_path / "site.bundle"
    a_rich.git("bundle", "create", "-q", f"--version={version}", str(file), "--all", "HEAD")
    objects = Objects()
    imported = import_repository(objects, file)
    assert (list_refs(a_rich.git), "refs/heads/master") == (imported.refs, imported.head)
    repository = Repository(objects, imported.refs, imported.head)
    assert a_rich.git.lines("log", "--format=%H") == [commit.sha for commit in repository.log()]


def test_what_is_no_repository(a_rich: Both, tmp_path: Path) -> None:
    """Importing an empty folder, another file, a truncated or an incomplete bundle fails and stores nothing."""
    whole, part, text, cut = (tmp_path / name for name in ("whole", "part", "text", "cut"))
    a_rich.git("bundle", "create", "-q", str(whole), "master")
    a_rich.git("bundle", "create", "-q", str(part), "light..master")
    text.write_text("hello\n")
    cut.write_bytes(whole.read_bytes()[:-30])
    for source, refusal in ((tmp_path, GitError), (text, BadRequest), (part, BadPack), (cut, BadPack)):
        objects = Objects()
        with pytest.raises(refusal):
            import_repository(objects, source)
        assert [] == objects.added()
