"""Reading trees."""

from collections.abc import Iterator

from fakeplat.git.errors import UnknownPath
from fakeplat.git.objects import Objects
from fakeplat.git.records import FOLDER, SUBMODULE, Entry


def find_entry(objects: Objects, tree: str, path: str) -> Entry | None:
    """Return the entry at a path (`""` is the tree itself), with its full path; None if there is none."""
    entry = Entry("", FOLDER, tree)
    for part in path.split("/") if path else ():
        if entry.mode != FOLDER:
            return None
        child = objects.tree(entry.sha).get(part)
        if child is None:
            return None
        entry = child
    return entry._replace(path=path)


def list_entries(objects: Objects, tree: str, path: str = "", *, recursive: bool = False) -> Iterator[Entry]:
    """Yield the entries of a folder, as `git ls-tree` (recursive: `-r -t`); UnknownPath if it is not a folder."""
    folder = find_entry(objects, tree, path)
    if folder is None or folder.mode != FOLDER:
        raise UnknownPath(path)
    return _walk(objects, folder.sha, f"{path}/" if path else "", recursive=recursive)


def list_files(objects: Objects, tree: str, path: str = "") -> Iterator[Entry]:
    """Yield all files and symbolic links in and below a folder, as `git ls-tree -r` without submodules."""
    for entry in list_entries(objects, tree, path, recursive=True):
        if entry.mode not in {FOLDER, SUBMODULE}:
            yield entry


def _walk(objects: Objects, tree: str, prefix: str, *, recursive: bool) -> Iterator[Entry]:
    for entry in objects.tree(tree).values():
        yield entry._replace(path=prefix + entry.path)
        if recursive and entry.mode == FOLDER:
            yield from _walk(objects, entry.sha, f"{prefix}{entry.path}/", recursive=True)
