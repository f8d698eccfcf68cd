"""Files of snippets: a small git repository each, with one branch and a commit per change.

Source: docs/platform/project-snippets.md.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from attrs import evolve

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.reasons import list_names
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository.commit_actions import TRAVERSAL
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DEFAULT_BRANCH
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects
    from fakeplat.git.records import Person
    from fakeplat.git.repository import Repository as Git
    from fakeplat.git.tree_editing import Action

MAX_FILES: Final = 10
FIRST_COMMIT: Final = "Initial commit"
LATER_COMMIT: Final = "Update snippet"
_UNNAMED: Final = re.compile(r"snippetfile([0-9]+)\.txt")


class FileWriteError(Exception):
    """Raised for changes that cannot be applied. ``is_public``: the text is included in the response."""

    def __init__(self, text: str, *, is_public: bool = False) -> None:
        super().__init__(text)
        self.is_public = is_public


@frozen
class FileAction:
    """A change of one file, in the platform's terms; None for omitted parameters."""

    action: Literal["create", "update", "delete", "move"]
    file_path: str | None = None
    content: str | None = None
    previous_path: str | None = None

    @property
    def error(self) -> str:
        """Return what is wrong with the action by itself; empty if it is valid."""
        if is_blank(self.file_path) and self.action != "create":
            return f"{self.action} needs file_path"
        if is_blank(self.content) and self.action in ("create", "update"):
            return f"{self.action} needs content"
        if is_blank(self.previous_path):
            return "move needs previous_path" if self.action == "move" else ""
        if self.action == "update" and self.previous_path != self.file_path:
            return "update must not change the path; use move"
        if self.action == "move" and self.previous_path == self.file_path:
            return "move needs a different file_path"
        return ""


def is_blank(text: str | None) -> bool:
    """Return whether a text is missing or only whitespace."""
    return not (text or "").strip()


def branch_name(world: World) -> str:
    """Return the name of the branch that the repositories of snippets have."""
    return world.instance.default_branch or world.profile.choose(DEFAULT_BRANCH)


def open_repository(world: World, snippet: Snippet) -> "Git":
    """Open the repository of a snippet for reading."""
    from fakeplat.git.repository import Repository as Git

    branch = BRANCHES + branch_name(world)
    return Git(world.setup.store.objects, {branch: snippet.head}, branch)


def list_paths(world: World, snippet: Snippet) -> list[str]:
    """Return the paths of a snippet's files, in git's order."""
    return _list_paths_at(world.setup.store.objects, snippet.head)


def total_size(world: World, project: Project) -> int:
    """Return the size in bytes of the repositories of a project's snippets."""
    return sum(open_repository(world, snippet).size() for snippet in world.snippets.where("project", project.id))


def first_path(world: World, snippet: Snippet) -> tuple[str, bytes]:
    """Return the path and content of the first file."""
    path = list_paths(world, snippet)[0]
    return path, open_repository(world, snippet).file(snippet.head, path)


def read_file(world: World, snippet: Snippet, ref: str, path: str) -> bytes:
    """Return the content of a file at a revision; 404 for an unknown revision, then for an unknown file."""
    from fakeplat.git.errors import UnknownPath, UnknownRevision

    git = open_repository(world, snippet)
    try:
        return git.file(git.resolve(ref), path)
    except UnknownRevision:
        raise NotFound("Reference", reason=f"snippet {snippet.id} has no commit {ref!r}") from None
    except UnknownPath:
        existing = list_names(git.file_paths(ref))
        raise NotFound(
            "File", reason=f"snippet {snippet.id} has no file {path!r} at {ref!r}; its files are: {existing}"
        ) from None


def commit_actions(ctx: WriteContext, head: str | None, actions: Sequence[FileAction]) -> str:
    """Commit actions by the caller on top of a commit, or as the first one. Raises FileWriteError."""
    return _commit(ctx.world.setup.store.objects, head, actions, git_person(ctx, ctx.signed_in_user))


def create_repository(objects: "Objects", files: Iterable[tuple[str, str]], author: "Person") -> str:
    """Create the first commit of a snippet with these files (paths and texts). Raises FileWriteError."""
    return _commit(objects, None, [FileAction("create", path, content) for path, content in files], author)


def check_count(objects: "Objects", head: str) -> None:
    """Check the number of files in a snippet. Raises FileWriteError."""
    count = len(_list_paths_at(objects, head))
    if not 1 <= count <= MAX_FILES:
        raise FileWriteError(f"a snippet has 1 to {MAX_FILES} files; this one would have {count}")


def _list_paths_at(objects: "Objects", head: str) -> list[str]:
    from fakeplat.git.trees import list_files

    return [entry.path for entry in list_files(objects, objects.commit(head).tree)]


def _assign_default_names(existing_paths: Iterable[str], actions: Iterable[FileAction]) -> Iterable[FileAction]:
    """Yield the actions, with names for files without a path: snippetfile1.txt, or the next free number."""
    # Numbers continue after the highest one in use; gaps are not filled.
    last = max((int(match[1]) for path in existing_paths if (match := _UNNAMED.fullmatch(path))), default=0)
    for action in actions:
        if is_blank(action.file_path):
            last += 1
            yield evolve(action, file_path=f"snippetfile{last}.txt")
        else:
            yield action


def _commit(objects: "Objects", head: str | None, actions: Iterable[FileAction], author: "Person") -> str:
    from fakeplat.git import errors
    from fakeplat.git.writing import commit_actions

    message = LATER_COMMIT if head else FIRST_COMMIT
    named_actions = _assign_default_names(_list_paths_at(objects, head) if head else [], actions)
    try:
        sha = commit_actions(objects, head, [_to_git_action(action) for action in named_actions], message, author)
    except (errors.EditRefused, errors.EmptyPath) as error:
        raise FileWriteError(f"{type(error).__name__}: {error}") from None
    except errors.Traversal:
        raise FileWriteError(TRAVERSAL, is_public=True) from None
    except errors.BadPath as error:
        raise FileWriteError(f"invalid path: '{error}'", is_public=True) from None
    # Only the resulting tree shows how many files there are; a refused commit stays unreferenced in the store.
    check_count(objects, sha)
    return sha


def _to_git_action(action: FileAction) -> "Action":
    from fakeplat.git.tree_editing import Create, Delete, Move, Update

    path, content = action.file_path or "", None if action.content is None else action.content.encode(errors="replace")
    match action.action:
        case "create":
            return Create(path, content or b"")
        case "update":
            return Update(path, content or b"")
        case "delete":
            return Delete(path)
        case "move":
            return Move(action.previous_path or "", path, content)
