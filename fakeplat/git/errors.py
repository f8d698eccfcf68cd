"""What can go wrong with a repository.

GitError
├── MissingObject          an object that should be there is not
├── UnknownRevision        no branch, tag or commit of that name
├── UnknownPath            no such file or folder in a tree
├── BadName                not the name of a ref that git would take
├── BadPath                a path that no tree may hold
│   ├── EmptyPath
│   └── Traversal          it leads out of the repository
├── EditRefused            actions that do not fit the tree
│   ├── FileExists
│   ├── FileMissing
│   └── DirectoryExists
├── MergeConflict          two sides change the same thing; it lists the paths
├── NothingToCommit        a pick or a revert that changes nothing
├── Unmergeable            no such parent (mainline) or no common history
├── BadPack                truncated, corrupt, over a limit, or not connected
└── BadRequest             bytes that are not the protocol
"""


class GitError(Exception):
    """A repository cannot do what it is asked for."""


class MissingObject(GitError):
    """No object has this hash (or none of the expected kind)."""


class UnknownRevision(GitError):
    """No branch, tag or visible commit goes by this name."""


class UnknownPath(GitError):
    """The tree has no such file or folder."""


class BadName(GitError):
    """Not a name that `git check-ref-format` accepts."""


class BadPath(GitError):
    """A path that no tree may hold."""


class EmptyPath(BadPath):
    """No path at all."""


class Traversal(BadPath):
    """A path with `..` in it."""


class EditRefused(GitError):
    """An action does not fit the tree; its argument is the path."""


class FileExists(EditRefused):
    """A file is there already."""


class FileMissing(EditRefused):
    """The file is not there."""


class DirectoryExists(EditRefused):
    """A folder is there."""


class MergeConflict(GitError):
    """Two sides change the same thing. ``paths`` are the paths in conflict, sorted."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(", ".join(paths))
        self.paths = paths


class NothingToCommit(GitError):
    """The change is in the tree already."""


class Unmergeable(GitError):
    """The commits cannot be put together: no such parent, or no common history."""


class BadPack(GitError):
    """A pack that is truncated, corrupt, too large or not connected; nothing of it is kept."""


class BadRequest(GitError):
    """Bytes that are not the protocol."""
