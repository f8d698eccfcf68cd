"""Changes to trees. Only the folders along changed paths are read and written, however large the tree is."""

from collections.abc import Iterable
from typing import NamedTuple

from fakeplat.git.errors import DirectoryExists, FileExists, FileMissing
from fakeplat.git.name_checks import normalize_path
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import EXECUTABLE, FILE, FOLDER, Entry, Kind


class Create(NamedTuple):
    """Create a file; FileExists, DirectoryExists."""

    path: str
    content: bytes
    mode: int = FILE


class Update(NamedTuple):
    """Replace the content of a file, keeping its mode; FileMissing."""

    path: str
    content: bytes


class Delete(NamedTuple):
    """Delete a file, and folders that become empty; FileMissing."""

    path: str


class Move(NamedTuple):
    """Move a file, optionally with new content; FileMissing, FileExists, DirectoryExists."""

    previous_path: str
    path: str
    content: bytes | None = None


class Chmod(NamedTuple):
    """Make a file executable or not; FileMissing."""

    path: str
    executable: bool


Action = Create | Update | Delete | Move | Chmod


def apply_actions(objects: Objects, tree: str, actions: Iterable[Action]) -> str:
    """Apply actions in order and return the new tree; BadPath and EditRefused (only unused objects remain then)."""
    editor = TreeEditor(objects, tree)
    for action in actions:
        _apply(editor, action)
    return editor.write()


def _apply(editor: "TreeEditor", action: Action) -> None:
    match action:
        case Create(path, content, mode):
            editor.create(normalize_path(path), mode, editor.blob(content))
        case Update(path, content):
            old = editor.file(normalize_path(path))
            editor.put(old.path, old.mode, editor.blob(content))
        case Delete(path):
            editor.remove(editor.file(normalize_path(path)).path)
        case Move(previous, path, content):
            old = editor.file(normalize_path(previous))
            # The old path goes first, so that the file `a` can become `a/b`.
            editor.remove(old.path)
            editor.create(normalize_path(path), old.mode, old.sha if content is None else editor.blob(content))
        case Chmod(path, executable):
            old = editor.file(normalize_path(path))
            editor.put(old.path, EXECUTABLE if executable else FILE, old.sha)


class _Folder:
    """A folder along a changed path: its entries, and its subfolders along such paths (``open``)."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        # A copy: the object store caches the parsed tree and shares it.
        self.entries = dict(entries)
        self.open: dict[str, _Folder] = {}


class TreeEditor:
    """An editor of a tree. Paths are normalized (`name_checks.normalize_path`)."""

    def __init__(self, objects: Objects, tree: str) -> None:
        self._objects = objects
        self._root = _Folder(objects.tree(tree))

    def blob(self, content: bytes) -> str:
        """Store a file's content and return its hash."""
        return self._objects.add(Kind.BLOB, content)

    def file(self, path: str) -> Entry:
        """Return the file at a path; FileMissing if there is none, or a folder."""
        folder: _Folder | None = self._root
        *parents, name = path.split("/")
        for part in parents:
            folder = self._open(folder, part) if folder else None
        entry = folder.entries.get(name) if folder else None
        if entry is None or entry.mode == FOLDER:
            raise FileMissing(path)
        return entry._replace(path=path)

    def create(self, path: str, mode: int, sha: str) -> None:
        """Create a file; FileExists if it or one of its parents is a file, DirectoryExists if it is a folder."""
        folder = self._root
        *parents, name = path.split("/")
        for depth, part in enumerate(parents, 1):
            folder = self._open_or_create(folder, part, "/".join(parents[:depth]))
        entry = folder.entries.get(name)
        if entry is not None:
            raise DirectoryExists(path) if entry.mode == FOLDER else FileExists(path)
        folder.entries[name] = Entry(name, mode, sha)

    def put(self, path: str, mode: int, sha: str) -> None:
        """Set the entry at a path, replacing any other; FileExists if one of its parents is a file."""
        folder = self._root
        *parents, name = path.split("/")
        for depth, part in enumerate(parents, 1):
            folder = self._open_or_create(folder, part, "/".join(parents[:depth]))
        # A folder that was opened at this path would overwrite the entry when the tree is written.
        folder.open.pop(name, None)
        folder.entries[name] = Entry(name, mode, sha)

    def remove(self, path: str) -> None:
        """Remove the entry at a path, if there is one, and folders that become empty."""
        folder: _Folder | None = self._root
        *parents, name = path.split("/")
        for part in parents:
            folder = self._open(folder, part) if folder else None
        if folder:
            folder.entries.pop(name, None)
            folder.open.pop(name, None)
            self._remove_empty(parents)

    def write(self) -> str:
        """Store the changed tree and return its hash."""
        return self._write(self._root)

    def _open(self, folder: _Folder, name: str) -> _Folder | None:
        if name not in folder.open:
            entry = folder.entries.get(name)
            if entry is None or entry.mode != FOLDER:
                return None
            folder.open[name] = _Folder(self._objects.tree(entry.sha))
        return folder.open[name]

    def _open_or_create(self, folder: _Folder, name: str, path: str) -> _Folder:
        subfolder = self._open(folder, name)
        if subfolder is not None:
            return subfolder
        if name in folder.entries:
            raise FileExists(path)
        # The hash is provisional: writing the tree replaces those of all opened folders.
        folder.entries[name] = Entry(name, FOLDER, EMPTY_TREE)
        folder.open[name] = _Folder({})
        return folder.open[name]

    def _remove_empty(self, parents: list[str]) -> None:
        """Remove the folders along a path that have become empty: git stores no empty folders."""
        chain = [self._root]
        for part in parents:
            chain.append(chain[-1].open[part])
        # From the innermost folder outwards; a folder that is not empty keeps all that are above it.
        for folder, name in zip(reversed(chain[:-1]), reversed(parents), strict=True):
            if folder.open[name].entries:
                return
            del folder.open[name], folder.entries[name]

    def _write(self, folder: _Folder) -> str:
        for name, subfolder in folder.open.items():
            folder.entries[name] = Entry(name, FOLDER, self._write(subfolder))
        return self._objects.add_tree(folder.entries.values())
