"""Trees, files and what is worked out from them."""

import bz2
import gzip
import tarfile
import zipfile
from io import BytesIO

import pytest

from fakeplat.git import Archive, Change, File, Objects, Person, Repository, build_history
from fakeplat.git.errors import MissingObject, UnknownPath
from tests.git.command import Git
from tests.git.conftest import Both, read_both

REVISIONS = ["light", "feature", "v1.0", "HEAD"]


def list_members(tar: bytes) -> list[str]:
    with tarfile.open(fileobj=BytesIO(tar)) as archive:
        return archive.getnames()


def parse_listing(output: str) -> list[tuple[str, ...]]:
    rows = (row.partition("\t") for row in output.split("\0") if row)
    return [(*about.split(), path) for about, _, path in rows]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("folder", "flags"), [("", ()), ("", ("-r", "-t")), ("src", ()), ("src", ("-r", "-t"))])
def test_trees(a_rich: Both, revision: str, folder: str, flags: tuple[str, ...]) -> None:
    """The entries of a tree, their modes, kinds, hashes and order are those of `git ls-tree`."""
    where = [f"{folder}/"] if folder else []
    expected = [row for row in parse_listing(a_rich.git("ls-tree", "-z", *flags, revision, *where)) if row[3] != folder]
    entries = a_rich.ours.tree(revision, folder, recursive=bool(flags))
    assert expected == [(entry.mode_text, entry.kind, entry.sha, entry.path) for entry in entries]


def test_files(a_rich: Both) -> None:
    """The content of every file is that of `git cat-file`."""
    entries = [entry for entry in a_rich.ours.tree("HEAD", recursive=True) if entry.kind == "blob"]
    expected = [a_rich.git.raw("cat-file", "blob", entry.sha) for entry in entries]
    assert expected == [a_rich.ours.file("HEAD", entry.path) for entry in entries]
    assert expected == [a_rich.ours.blob(entry.sha) for entry in entries]


@pytest.mark.parametrize("path", ["gone", "src", "README.md/x", "module", ""])
def test_what_is_no_file(a_rich: Both, path: str) -> None:
    """Reading a folder, a submodule or a missing path as a file raises UnknownPath."""
    with pytest.raises(UnknownPath):
        a_rich.ours.file("v1.0", path)


@pytest.mark.parametrize("path", ["gone", "README.md", "src/gone"])
def test_what_is_no_folder(a_rich: Both, path: str) -> None:
    """Listing a file or a missing path as a folder raises UnknownPath."""
    with pytest.raises(UnknownPath):
        a_rich.ours.tree("HEAD", path)


def test_a_hash_of_nothing(a_rich: Both) -> None:
    """Reading a blob by a missing hash or a commit's hash raises MissingObject."""
    for sha in ("0" * 40, a_rich.ours.resolve("HEAD")):
        with pytest.raises(MissingObject):
            a_rich.ours.blob(sha)


def test_annotated_tags(a_rich: Both) -> None:
    """An annotated tag has git's message and tagger, and a lightweight tag has none."""
    git, ours = a_rich
    tag = ours.tag("v1.0")
    form = "%(taggername)%00%(taggeremail:trim)%00%(contents)"
    name, email, message = git("for-each-ref", f"--format={form}", "refs/tags/v1.0").removesuffix("\n").split("\0")
    assert tag is not None
    assert tag.tagger is not None
    assert (name, email, message) == (tag.tagger.name, tag.tagger.email, tag.message)
    assert ours.tag("light") is None


@pytest.mark.parametrize("revision", REVISIONS)
def test_tar_is_that_of_git_to_the_byte(a_rich: Both, revision: str) -> None:
    """A tar archive equals the output of `git archive` to the byte."""
    expected = a_rich.git.raw("archive", "--format=tar", "--prefix=site-1/", revision)
    assert expected == a_rich.ours.archive(revision, Archive.TAR, prefix="site-1/")


def test_tar_of_long_names(work: Git) -> None:
    """Names and links over 100 bytes are written into a tar archive as git does it."""
    git = work
    folder = "/".join(["some-long-folder"] * 8)
    git.write({f"{folder}/{'n' * 60}": "a\n", f"short/{'m' * 120}": "b\n", f"{folder}/{folder}/x": "c\n"})
    (git.path / "link").symlink_to("t" * 130)
    git.commit("long")
    assert git.raw("archive", "--format=tar", "HEAD") == read_both(git).ours.archive("HEAD", Archive.TAR)


@pytest.mark.parametrize("form", [Archive.TAR_GZ, Archive.TAR_BZ2])
def test_packed_tars_hold_the_same(a_rich: Both, form: Archive) -> None:
    """Archives packed with gzip and bzip2 unpack to the plain tar."""
    unpack = gzip.decompress if form is Archive.TAR_GZ else bz2.decompress
    packed = a_rich.ours.archive("HEAD", form)
    assert a_rich.ours.archive("HEAD", Archive.TAR) == unpack(packed)
    assert "README.md" in list_members(packed)


@pytest.mark.parametrize("revision", REVISIONS)
def test_zip(a_rich: Both, revision: str) -> None:
    """A zip archive has the names, order, modes, dates, content and comment of git's zip."""

    def content(archive: bytes) -> object:
        file = zipfile.ZipFile(BytesIO(archive))
        members = [(member.filename, member.date_time, file.read(member)) for member in file.infolist()]
        links = [member.filename for member in file.infolist() if member.external_attr >> 28 == 0o12]
        executable = [
            member.filename for member in file.infolist() if member.external_attr >> 16 & 0o100 and not member.is_dir()
        ]
        return members, links, set(executable) - set(links), file.comment

    expected = content(a_rich.git.raw("archive", "--format=zip", "--prefix=site/", revision))
    assert expected == content(a_rich.ours.archive(revision, Archive.ZIP, prefix="site/"))


def test_archive_of_a_folder(a_rich: Both) -> None:
    """The archive of a folder has only its members, under their whole paths."""
    expected = a_rich.git.raw("archive", "--format=tar", "HEAD", "src")
    names = list_members(expected)
    ours = a_rich.ours.archive("HEAD", Archive.TAR, path="src")
    assert [name for name in names if name != "src"] == list_members(ours)


@pytest.mark.parametrize(
    ("text", "flags"), [("LINE 1", ("-i",)), ("line 1", ()), ("puts", ("-i",)), ("nothing of it", ())]
)
def test_grep(a_rich: Both, text: str, flags: tuple[str, ...]) -> None:
    """Matches are those of `git grep`, without binary files and links."""
    done = a_rich.git.tried("grep", "-n", "-I", "-F", "-z", *flags, "-e", text, "HEAD").stdout.decode()
    expected = [tuple(row.removeprefix("HEAD:").split("\0")) for row in done.splitlines()]
    matches = a_rich.ours.grep("HEAD", text, ignore_case=bool(flags))
    assert expected == [(match.path, str(match.number), match.line) for match in matches]


def create_repository(files: dict[str, bytes]) -> Repository:
    objects = Objects()
    ada = Person("Ada Example", "ada@example.test", 1_600_000_000)
    refs = build_history(objects, [Change("first", ada, {path: File(content) for path, content in files.items()})])
    return Repository(objects, refs, "refs/heads/master")


def test_languages() -> None:
    """The shares of languages follow the sizes of source files without data, binary and vendored files."""
    files = {
        "a.rb": b"x" * 6671,
        "lib/b.js": b"y" * 2225,
        "c.html": b"z" * 767,
        "d.coffee": b"w" * 337,
        "README.md": b"r" * 5000,
        "data.json": b"{}" * 900,
        "vendor/e.js": b"v" * 9000,
        "bin.py": b"\0" * 100,
    }
    expected = {"Ruby": 66.71, "JavaScript": 22.25, "HTML": 7.67, "CoffeeScript": 3.37}
    languages = create_repository(files).languages()
    assert list(expected.items()) == list(languages.items())


def test_shares_add_up() -> None:
    """The rounded shares of languages add up to 100."""
    files = {f"a.{extension}": b"x" for extension in ("rb", "py", "js", "go", "rs", "c", "sh")}
    shares = create_repository(files).languages()
    assert 7 == len(shares)
    assert 100 == round(sum(shares.values()), 2)


def test_no_language() -> None:
    """A repository without source has no languages."""
    assert {} == create_repository({"README.md": b"hello"}).languages()
