"""Errors of git operations.

GitError
├── MissingObject          an object is missing
├── UnknownRevision        no branch, tag or commit has this name
├── UnknownPath            no such file or folder in a tree
├── BadName                not a valid ref name
├── BadPath                a path that is invalid in a tree
│   ├── EmptyPath
│   └── Traversal          it leaves the repository
├── EditRefused            actions that do not fit the tree
│   ├── FileExists
│   ├── FileMissing
│   └── DirectoryExists
├── MergeConflict          both sides change the same file; with the paths
├── MissingSide            one side deleted a file in conflict
├── NothingToCommit        a cherry-pick or revert changes nothing
├── Unmergeable            no such parent (mainline) or no common history
├── BadPack                truncated, corrupt, over a limit, or not connected
└── BadRequest             bytes that violate the protocol
"""


class GitError(Exception):
    """A repository cannot perform an operation."""


class MissingObject(GitError):
    """No object has this hash (or none of the expected kind)."""


class UnknownRevision(GitError):
    """No branch, tag or visible commit has this name."""


class UnknownPath(GitError):
    """The tree has no such file or folder."""


class BadName(GitError):
    """Not a name that `git check-ref-format` accepts."""


class BadPath(GitError):
    """A path that is invalid in a tree."""


class EmptyPath(BadPath):
    """The path is empty."""


class Traversal(BadPath):
    """A path with `..` in it."""


class EditRefused(GitError):
    """An action does not fit the tree; its argument is the path."""


class FileExists(EditRefused):
    """The file exists already."""


class FileMissing(EditRefused):
    """The file does not exist."""


class DirectoryExists(EditRefused):
    """A folder exists at the path."""


class MergeConflict(GitError):
    """Both sides change the same file. ``paths`` are the paths in conflict, sorted."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(", ".join(paths))
        self.paths = paths


class MissingSide(GitError):
    """One side of a merge has deleted or moved a file that the other one changed."""


class NothingToCommit(GitError):
    """The tree already contains the change."""


class Unmergeable(GitError):
    """The commits cannot be merged: there is no such parent, or no common history."""


class BadPack(GitError):
    """A pack is truncated, corrupt, too large or not connected; none of it is stored."""


class BadRequest(GitError):
    """Bytes that violate the protocol."""
