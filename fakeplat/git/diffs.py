"""Differences between two trees, as `git diff`."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1
from typing import TYPE_CHECKING, NamedTuple

from fakeplat.git.libgit import libgit_repository
from fakeplat.git.objects import EMPTY_TREE, Objects

if TYPE_CHECKING:
    import pygit2

# The threshold of renames in percent: git's default for `-M`.
SIMILARITY = 50
MAX_RENAMES = 1000


class Stats(NamedTuple):
    """Numbers of added and removed lines and of changed files. Binary files have no lines."""

    additions: int
    deletions: int
    files: int

    @property
    def total(self) -> int:
        """Added and removed lines."""
        return self.additions + self.deletions


class FileDiff(NamedTuple):
    """The difference of one file.

    ``status`` is git's letter: A added, D deleted, M modified, R renamed (a file that became a symbolic link is D
    and A). If there is no old (or new) file, its path is that of the other one, its mode 0 and its hash 40 zeros.
    ``body`` is the unified diff from the first `@@` on; empty if no line changed, and for binary files unless binary
    patches were requested.
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
        """The header lines of `git diff --full-index`."""
        return "".join(f"{line}\n" for line in _header_lines(self)).encode(errors="surrogateescape")

    @property
    def text(self) -> bytes:
        """The file's part of the output of `git diff --full-index`."""
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
    """Return the differences between two trees, ordered by path; None is the empty tree.

    ``paths`` limits the diff to these files and folders; as in git, a rename from outside is an addition.
    ``binary``: create binary patches.
    """
    diff = _diff(objects, old, new, paths, renames=renames, context=context, binary=binary)
    return sorted((_file_diff(patch) for patch in diff if patch is not None), key=_sort_key)


def count_lines(objects: Objects, old: str | None, new: str | None) -> Stats:
    """Count the lines that differ between two trees, with rename detection. The result is cached."""
    cache: dict[tuple[str | None, str | None], Stats] = objects.caches.setdefault(count_lines, {})
    key = (old, new)
    if key not in cache:
        diff = _diff(objects, old, new, (), renames=True, context=0)  # counts do not need context lines
        changed = {delta.new_file.raw_path for delta in diff.deltas}
        cache[key] = Stats(diff.stats.insertions, diff.stats.deletions, len(changed))
    return cache[key]


def identify_patch(files: Iterable[FileDiff]) -> str:
    """Return what `git patch-id --verbatim` prints: equal for equal changes, in whatever lines they are."""
    digests: list[bytes] = []
    pending = sha1()
    has_hunks = is_binary = False
    for file in files:
        if has_hunks or is_binary:
            digests.append(pending.digest())
            pending = sha1()
        # git overlooks the first line after a binary file.
        header = file.header.split(b"\n")[is_binary:-1]
        pending.update(b"".join(b"%b\n" % line for line in header if not line.startswith((b"index ", b"Binary "))))
        has_hunks, is_binary = bool(file.body), file.binary and file.old_sha != file.new_sha
        if is_binary:
            pending.update(f"{file.old_sha}{file.new_sha}".encode())
        body = file.body.split(b"\n")[:-1]
        pending.update(b"".join(b"%b\n" % line for line in body if not line.startswith(b"@@ -")))
    digests.append(pending.digest())
    if is_binary:
        digests.append(sha1().digest())
    total = sum(int.from_bytes(digest, "little") for digest in digests)
    return (total % (1 << 160)).to_bytes(20, "little").hex()


def _diff(
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
        # The trees are cut before they are compared, so that files elsewhere are no candidates for renames.
        before, after = (_filter_tree(objects, tree, paths) for tree in (before, after))
    repository = libgit_repository(objects)
    trees = [repository[tree] for tree in (before, after)]
    # The indent heuristic moves hunks to more readable places. git uses it by default, libgit2 only on request.
    flags = DiffOption.INDENT_HEURISTIC | (DiffOption.SHOW_BINARY if binary else DiffOption.NORMAL)
    diff = trees[0].diff_to_tree(  # type: ignore[attr-defined]
        trees[1], flags=flags, context_lines=context, interhunk_lines=0
    )
    if renames:
        diff.find_similar(DiffFind.FIND_RENAMES, rename_threshold=SIMILARITY, rename_limit=MAX_RENAMES)
    return diff  # type: ignore[no-any-return]


def _filter_tree(objects: Objects, tree: str, paths: Sequence[str]) -> str:
    """Return a tree with only the given paths."""
    from fakeplat.git.tree_editing import TreeEditor
    from fakeplat.git.trees import find_entry

    editor = TreeEditor(objects, EMPTY_TREE)
    for path in paths:
        entry = find_entry(objects, tree, path)
        if entry is not None and not path:
            return tree
        if entry is not None:
            editor.put(path, entry.mode, entry.sha)
    return editor.write()


def _file_diff(patch: "pygit2.Patch") -> FileDiff:
    delta = patch.delta
    status = delta.status_char()
    old, new = delta.old_file, delta.new_file
    _, additions, deletions = patch.line_stats
    text = patch.data
    # The header of a patch is built from the delta (libgit2's differs from git's); only its body is taken.
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


def _sort_key(diff: FileDiff) -> tuple[bytes, bool]:
    """Return git's order: by path, and at one path the deletion before the addition."""
    return diff.new_path.encode(errors="surrogateescape"), diff.status == "A"


def _path(file: "pygit2.DiffFile") -> str:
    return file.raw_path.decode(errors="surrogateescape")


def _header_lines(diff: FileDiff) -> Iterator[str]:
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
        # git adds the mode to this line only if no other line of the header has it.
        unchanged = diff.status not in "AD" and diff.old_mode == diff.new_mode
        yield f"index {diff.old_sha}..{diff.new_sha}" + (f" {diff.new_mode:06o}" if unchanged else "")
    old, new = "/dev/null" if diff.status == "A" else old, "/dev/null" if diff.status == "D" else new
    if diff.binary and diff.old_sha != diff.new_sha and not diff.body:
        yield f"Binary files {old} and {new} differ"
    elif diff.body and not diff.binary:
        yield f"--- {_terminate_path(old)}"
        yield f"+++ {_terminate_path(new)}"


def quote_path(path: str) -> str:
    """Return a path as git prints it: quoted and escaped if it has control, quote or non-ASCII characters."""
    raw = path.encode(errors="surrogateescape")
    # As with git's default core.quotePath, every byte above 0x7F is written as an octal escape.
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return path
    escapes = {0x07: "a", 0x08: "b", 0x09: "t", 0x0A: "n", 0x0B: "v", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}
    letters = [
        f"\\{escapes[byte]}" if byte in escapes else chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
        for byte in raw
    ]
    return f'"{"".join(letters)}"'


def _terminate_path(path: str) -> str:
    """Append a tab to a path with a blank, as git does to help parsers of the line."""
    return f"{path}\t" if " " in path and not path.startswith('"') else path
