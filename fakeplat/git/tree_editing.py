"""Changing trees. Only the folders on the way to a change are read and written, whatever else the tree holds."""

from collections.abc import Iterable
from typing import NamedTuple

from fakeplat.git.errors import DirectoryExists, FileExists, FileMissing
from fakeplat.git.name_checks import normalize_path
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import EXECUTABLE, FILE, FOLDER, Entry, Kind, tree_content


class Create(NamedTuple):
    """A new file. FileExists, DirectoryExists."""

    path: str
    content: bytes
    mode: int = FILE


class Update(NamedTuple):
    """New content for a file, its mode stays. FileMissing."""

    path: str
    content: bytes


class Delete(NamedTuple):
    """A file goes, and folders that become empty. FileMissing."""

    path: str


class Move(NamedTuple):
    """A file goes elsewhere, with new content if there is any. FileMissing, FileExists, DirectoryExists."""

    previous_path: str
    path: str
    content: bytes | None = None


class Chmod(NamedTuple):
    """A file becomes executable or ceases to be. FileMissing."""

    path: str
    executable: bool


Action = Create | Update | Delete | Move | Chmod


def apply_actions(objects: Objects, tree: str, actions: Iterable[Action]) -> str:
    """The tree after some actions, in their order. BadPath and EditRefused leave nothing but unused objects behind."""
    editor = TreeEditor(objects, tree)
    for action in actions:
        _apply(editor, action)
    return editor.written()


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
            editor.remove(old.path)
            editor.create(normalize_path(path), old.mode, old.sha if content is None else editor.blob(content))
        case Chmod(path, executable):
            old = editor.file(normalize_path(path))
            editor.put(old.path, EXECUTABLE if executable else FILE, old.sha)


class _Folder:
    """A folder on the way to a change: its entries, and those of them that are being changed themselves."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = dict(entries)
        self.open: dict[str, _Folder] = {}


class TreeEditor:
    """A tree that is being changed. Paths are clean (`names.normalize_path`)."""

    def __init__(self, objects: Objects, tree: str) -> None:
        self._objects = objects
        self._root = _Folder(objects.tree(tree))

    def blob(self, content: bytes) -> str:
        """Keep a file's content; its hash."""
        return self._objects.add(Kind.BLOB, content)

    def file(self, path: str) -> Entry:
        """The file at a path; FileMissing if there is none, or a folder."""
        folder: _Folder | None = self._root
        *above, name = path.split("/")
        for part in above:
            folder = self._below(folder, part) if folder else None
        found = folder.entries.get(name) if folder else None
        if found is None or found.mode == FOLDER:
            raise FileMissing(path)
        return found._replace(path=path)

    def create(self, path: str, mode: int, sha: str) -> None:
        """A new file; FileExists where it or a file on the way is there, DirectoryExists where a folder is."""
        folder = self._root
        *above, name = path.split("/")
        for depth, part in enumerate(above, 1):
            folder = self._opened(folder, part, "/".join(above[:depth]))
        found = folder.entries.get(name)
        if found is not None:
            raise DirectoryExists(path) if found.mode == FOLDER else FileExists(path)
        folder.entries[name] = Entry(name, mode, sha)

    def put(self, path: str, mode: int, sha: str) -> None:
        """Something at a path, whatever was there; FileExists where a file stands on the way."""
        folder = self._root
        *above, name = path.split("/")
        for depth, part in enumerate(above, 1):
            folder = self._opened(folder, part, "/".join(above[:depth]))
        folder.open.pop(name, None)
        folder.entries[name] = Entry(name, mode, sha)

    def remove(self, path: str) -> None:
        """Nothing at a path."""
        folder: _Folder | None = self._root
        *above, name = path.split("/")
        for part in above:
            folder = self._below(folder, part) if folder else None
        if folder:
            folder.entries.pop(name, None)
            folder.open.pop(name, None)
            self._drop_empty(above)

    def written(self) -> str:
        """The hash of the tree as it is now; its new objects are kept."""
        return self._written(self._root)

    def _below(self, folder: _Folder, name: str) -> _Folder | None:
        if name not in folder.open:
            entry = folder.entries.get(name)
            if entry is None or entry.mode != FOLDER:
                return None
            folder.open[name] = _Folder(self._objects.tree(entry.sha))
        return folder.open[name]

    def _opened(self, folder: _Folder, name: str, path: str) -> _Folder:
        below = self._below(folder, name)
        if below is not None:
            return below
        if name in folder.entries:
            raise FileExists(path)
        folder.entries[name] = Entry(name, FOLDER, EMPTY_TREE)
        folder.open[name] = _Folder({})
        return folder.open[name]

    def _drop_empty(self, above: list[str]) -> None:
        """Folders on a way that have nothing in them any more."""
        chain = [self._root]
        for part in above:
            chain.append(chain[-1].open[part])
        for folder, name in zip(reversed(chain[:-1]), reversed(above), strict=True):
            if folder.open[name].entries:
                return
            del folder.open[name], folder.entries[name]

    def _written(self, folder: _Folder) -> str:
        for name, below in folder.open.items():
            folder.entries[name] = Entry(name, FOLDER, self._written(below))
        return self._objects.add(Kind.TREE, tree_content(folder.entries.values()))
