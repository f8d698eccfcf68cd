"""The files of snippets: a small git repository each, with one branch and a commit for every change.

Source: docs/platform/project-snippets.md.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from attrs import evolve

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository.commit_actions import TRAVERSAL
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects
    from fakeplat.git.records import Person
    from fakeplat.git.repository import Repository as Git
    from fakeplat.git.tree_editing import Action

BRANCH: Final = "master"
MOST_FILES: Final = 10
FIRST_COMMIT: Final = "Initial commit"
LATER_COMMIT: Final = "Update snippet"
_UNNAMED: Final = re.compile(r"snippetfile([0-9]+)\.txt")


class FileWriteError(Exception):
    """Changes that the files do not take. ``told``: whether clients read the text of it."""

    def __init__(self, text: str, *, told: bool = False) -> None:
        super().__init__(text)
        self.told = told


@frozen
class FileAction:
    """What happens to one file, in the platform's words; None where nothing was said."""

    action: Literal["create", "update", "delete", "move"]
    file_path: str | None = None
    content: str | None = None
    previous_path: str | None = None

    @property
    def fault(self) -> str:
        """What is wrong with it by itself, in words; empty if nothing is."""
        if is_blank(self.file_path) and self.action != "create":
            return f"{self.action} needs file_path"
        if is_blank(self.content) and self.action in ("create", "update"):
            return f"{self.action} needs content"
        if is_blank(self.previous_path):
            return "move needs previous_path" if self.action == "move" else ""
        if self.action == "update" and self.previous_path != self.file_path:
            return "update keeps the path"
        if self.action == "move" and self.previous_path == self.file_path:
            return "move needs another path"
        return ""


def is_blank(text: str | None) -> bool:
    """Whether nothing is said, or nothing but space."""
    return not (text or "").strip()


def open_repository(world: World, snippet: Snippet) -> "Git":
    """The repository of a snippet, to be asked."""
    from fakeplat.git.repository import Repository as Git

    branch = BRANCHES + BRANCH
    return Git(world.setup.store.objects, {branch: snippet.head}, branch)


def list_paths(world: World, snippet: Snippet) -> list[str]:
    """The paths of a snippet's files, in git's order."""
    return _paths(world.setup.store.objects, snippet.head)


def total_size(world: World, project: Project) -> int:
    """The bytes of all that the snippets of a project have in git."""
    return sum(open_repository(world, snippet).size() for snippet in world.snippets.where("project", project.id))


def first_path(world: World, snippet: Snippet) -> tuple[str, bytes]:
    """The first file: its path and bytes."""
    path = list_paths(world, snippet)[0]
    return path, open_repository(world, snippet).file(snippet.head, path)


def read_file(world: World, snippet: Snippet, ref: str, path: str) -> bytes:
    """The bytes of a file at a revision; 404 for an unknown revision, then for an unknown file."""
    from fakeplat.git.errors import UnknownPath, UnknownRevision

    git = open_repository(world, snippet)
    try:
        return git.file(git.resolve(ref), path)
    except UnknownRevision:
        raise NotFound("Reference", reason=f"snippet {snippet.id} has no commit {ref!r}") from None
    except UnknownPath:
        there = ", ".join(git.file_paths(ref))
        raise NotFound("File", reason=f"snippet {snippet.id} has no file {path!r} there, but: {there}") from None


def commit_actions(ctx: WriteContext, head: str | None, actions: Sequence[FileAction]) -> str:
    """The commit that some actions make upon another one, or the first; by whoever acts, now. Unwritable."""
    return _written(ctx.world.setup.store.objects, head, actions, git_person(ctx, ctx.signed_in_user))


def create_repository(objects: "Objects", files: Iterable[tuple[str, str]], author: "Person") -> str:
    """The first commit of a snippet with these files (paths and texts). Unwritable."""
    return _written(objects, None, [FileAction("create", path, content) for path, content in files], author)


def check_count(objects: "Objects", head: str) -> None:
    """A snippet has some files, but not many. Unwritable."""
    count = len(_paths(objects, head))
    if not 1 <= count <= MOST_FILES:
        raise FileWriteError(f"a snippet has 1 to {MOST_FILES} files; this one would have {count}")


def _paths(objects: "Objects", head: str) -> list[str]:
    from fakeplat.git.trees import list_files

    return [entry.path for entry in list_files(objects, objects.commit(head).tree)]


def _with_names(known: Iterable[str], actions: Iterable[FileAction]) -> Iterable[FileAction]:
    """The same, where files without a path get one: snippetfile1.txt, or what comes after the last of these."""
    last = max((int(found[1]) for path in known if (found := _UNNAMED.fullmatch(path))), default=0)
    for one in actions:
        if is_blank(one.file_path):
            last += 1
            yield evolve(one, file_path=f"snippetfile{last}.txt")
        else:
            yield one


def _written(objects: "Objects", head: str | None, actions: Iterable[FileAction], author: "Person") -> str:
    from fakeplat.git import errors
    from fakeplat.git.writing import commit_actions

    message = LATER_COMMIT if head else FIRST_COMMIT
    named = _with_names(_paths(objects, head) if head else [], actions)
    try:
        made = commit_actions(objects, head, [_for_git(one) for one in named], message, author)
    except (errors.EditRefused, errors.EmptyPath) as error:
        raise FileWriteError(f"{type(error).__name__}: {error}") from None
    except errors.Traversal:
        raise FileWriteError(TRAVERSAL, told=True) from None
    except errors.BadPath as error:
        raise FileWriteError(f"invalid path: '{error}'", told=True) from None
    check_count(objects, made)
    return made


def _for_git(one: FileAction) -> "Action":
    from fakeplat.git.tree_editing import Create, Delete, Move, Update

    path, content = one.file_path or "", None if one.content is None else one.content.encode(errors="replace")
    match one.action:
        case "create":
            return Create(path, content or b"")
        case "update":
            return Update(path, content or b"")
        case "delete":
            return Delete(path)
        case "move":
            return Move(one.previous_path or "", path, content)
