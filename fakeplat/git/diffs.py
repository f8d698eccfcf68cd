"""What differs between two trees, as `git diff` says it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fakeplat.git.libgit import libgit_repository
from fakeplat.git.objects import EMPTY_TREE, Objects

if TYPE_CHECKING:
    import pygit2

SIMILARITY = 50
RENAMES_AT_MOST = 1000


class Stats(NamedTuple):
    """Lines added and removed, in how many files. A binary file counts no lines."""

    additions: int
    deletions: int
    files: int

    @property
    def total(self) -> int:
        """All lines that changed."""
        return self.additions + self.deletions


class FileDiff(NamedTuple):
    """One file's difference.

    ``status`` is git's letter: A added, D deleted, M modified, R renamed (a file that became a link is D and A).
    Where there is no old (new) file, its path is the other one, its mode 0 and its hash 40 zeros. ``body`` is the
    unified diff from the first `@@` on, empty where no line changed; of binary files empty unless binary patches were
    asked for.
    """

    status: str
    old_path: str
    new_path: str
    old_mode: int
    new_mode: int
    old_sha: str
    new_sha: str
    similarity: int
    binary: bool
    additions: int
    deletions: int
    body: bytes

    @property
    def header(self) -> bytes:
        """What `git diff --full-index` says before the body."""
        return "".join(f"{line}\n" for line in _header(self)).encode(errors="surrogateescape")

    @property
    def text(self) -> bytes:
        """What `git diff --full-index` says about this file."""
        return self.header + self.body


def diff_trees(
    objects: Objects,
    old: str | None,
    new: str | None,
    *,
    paths: Sequence[str] = (),
    renames: bool = True,
    context: int = 3,
    binary: bool = False,
) -> list[FileDiff]:
    """How one tree became another, in the order of paths; None is the empty tree.

    ``paths`` leaves out all files that are not one of them or below one; as in git, a rename from outside is an
    addition. ``binary``: binary files have patches too.
    """
    diff = _compared(objects, old, new, paths, renames=renames, context=context, binary=binary)
    return sorted((_file(patch) for patch in diff if patch is not None), key=_place)


def count_lines(objects: Objects, old: str | None, new: str | None) -> Stats:
    """How many lines differ between two trees, renames found. Kept."""
    kept: dict[tuple[str | None, str | None], Stats] = objects.kept.setdefault(count_lines, {})
    key = (old, new)
    if key not in kept:
        diff = _compared(objects, old, new, (), renames=True, context=0)
        changed = {delta.new_file.raw_path for delta in diff.deltas}
        kept[key] = Stats(diff.stats.insertions, diff.stats.deletions, len(changed))
    return kept[key]


def _compared(
    objects: Objects,
    old: str | None,
    new: str | None,
    paths: Sequence[str],
    *,
    renames: bool,
    context: int,
    binary: bool = False,
) -> "pygit2.Diff":
    from pygit2.enums import DiffFind, DiffOption

    before, after = (tree or EMPTY_TREE for tree in (old, new))
    if paths:
        before, after = (_narrowed(objects, tree, paths) for tree in (before, after))
    repository = libgit_repository(objects)
    trees = [repository[tree] for tree in (before, after)]
    flags = DiffOption.INDENT_HEURISTIC | (DiffOption.SHOW_BINARY if binary else DiffOption.NORMAL)
    diff = trees[0].diff_to_tree(  # type: ignore[attr-defined]
        trees[1], flags=flags, context_lines=context, interhunk_lines=0
    )
    if renames:
        diff.find_similar(DiffFind.FIND_RENAMES, rename_threshold=SIMILARITY, rename_limit=RENAMES_AT_MOST)
    return diff  # type: ignore[no-any-return]


def _narrowed(objects: Objects, tree: str, paths: Sequence[str]) -> str:
    """The tree with nothing but some paths."""
    from fakeplat.git.tree_editing import TreeEditor
    from fakeplat.git.trees import entry_at

    editor = TreeEditor(objects, EMPTY_TREE)
    for path in paths:
        entry = entry_at(objects, tree, path)
        if entry is not None and not path:
            return tree
        if entry is not None:
            editor.put(path, entry.mode, entry.sha)
    return editor.written()


def _file(patch: "pygit2.Patch") -> FileDiff:
    delta = patch.delta
    status = delta.status_char()
    old, new = delta.old_file, delta.new_file
    _, additions, deletions = patch.line_stats
    text = patch.data
    start = text.find(b"\nGIT binary patch\n" if delta.is_binary else b"\n@@ ")
    return FileDiff(
        status=status,
        old_path=_path(old),
        new_path=_path(new),
        old_mode=0 if status == "A" else int(old.mode),
        new_mode=0 if status == "D" else int(new.mode),
        old_sha=str(old.id),
        new_sha=str(new.id),
        similarity=delta.similarity if status == "R" else 0,
        binary=bool(delta.is_binary),
        additions=additions,
        deletions=deletions,
        body=text[start + 1 :] if start >= 0 else b"",
    )


def _place(diff: FileDiff) -> tuple[bytes, bool]:
    """Where git puts it: by path, and what goes before what comes instead."""
    return diff.new_path.encode(errors="surrogateescape"), diff.status == "A"


def _path(file: "pygit2.DiffFile") -> str:
    return file.raw_path.decode(errors="surrogateescape")


def _header(diff: FileDiff) -> Iterator[str]:
    old, new = quote_path(f"a/{diff.old_path}"), quote_path(f"b/{diff.new_path}")
    yield f"diff --git {old} {new}"
    if diff.status == "A":
        yield f"new file mode {diff.new_mode:06o}"
    elif diff.status == "D":
        yield f"deleted file mode {diff.old_mode:06o}"
    elif diff.old_mode != diff.new_mode:
        yield f"old mode {diff.old_mode:06o}"
        yield f"new mode {diff.new_mode:06o}"
    if diff.status == "R":
        yield f"similarity index {diff.similarity}%"
        yield f"rename from {quote_path(diff.old_path)}"
        yield f"rename to {quote_path(diff.new_path)}"
    if diff.old_sha != diff.new_sha:
        unchanged = diff.status not in "AD" and diff.old_mode == diff.new_mode
        yield f"index {diff.old_sha}..{diff.new_sha}" + (f" {diff.new_mode:06o}" if unchanged else "")
    old, new = "/dev/null" if diff.status == "A" else old, "/dev/null" if diff.status == "D" else new
    if diff.binary and diff.old_sha != diff.new_sha and not diff.body:
        yield f"Binary files {old} and {new} differ"
    elif diff.body and not diff.binary:
        yield f"--- {_tabbed(old)}"
        yield f"+++ {_tabbed(new)}"


def quote_path(path: str) -> str:
    """A path as git prints it: in quotes, with escapes, where it holds control characters, quotes or no ASCII."""
    raw = path.encode(errors="surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return path
    short = {0x07: "a", 0x08: "b", 0x09: "t", 0x0A: "n", 0x0B: "v", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}
    letters = [
        f"\\{short[byte]}" if byte in short else chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}" for byte in raw
    ]
    return f'"{"".join(letters)}"'


def _tabbed(path: str) -> str:
    """A path with a blank is followed by a tab, for those who parse the line."""
    return f"{path}\t" if " " in path and not path.startswith('"') else path
