"""Files and entries of folders of a repository: read, blame and change.

Source: docs/platform/repository-files.md.
"""

from collections.abc import Sequence
from functools import partial
from sys import maxsize
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import commit_actions, commits, protection, repositories
from fakeplat.domain.repository.commit_actions import NO_PUSH, NewCommit
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.behaviours import FOLDERS_ARE_NO_FILES
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Entry

_STALE: Final = {
    "update": "You are attempting to update a file that has changed since you started editing it.",
    "delete": "You are attempting to delete a file that has been previously updated.",
}


@frozen
class RepositoryFile:
    """A file at a revision; ``ref`` is the revision as requested, None for the head of the default branch."""

    project_commit: ProjectCommit
    ref: str | None
    path: str
    entry: "Entry"
    content: bytes
    last_commit_id: str


@frozen
class CommittedEntry:
    """An entry of a folder at a revision, whose last commit can be asked for."""

    entry: "Entry"
    project: Project
    revision: str

    @property
    def sha(self) -> str:
        """What identifies the entry among those of a page."""
        return self.entry.sha

    def find_last_commit(self, world: World) -> ProjectCommit | None:
        """Return the newest commit that changed the entry."""
        last = repositories.open_repository(world, self.project).last_commit(self.revision, self.entry.path)
        return None if last is None else ProjectCommit(self.project, last)


class FileBlame(NamedTuple):
    """Consecutive lines of a file that were last changed by one commit."""

    project_commit: ProjectCommit
    lines: tuple[str, ...]


def get_file(world: World, project: Project, path: str, ref: str | None) -> RepositoryFile:
    """Return the file at a path; 404 for an unknown revision, then for an unknown file."""
    commit = commits.get_commit(world, project, "HEAD" if ref is None else ref)
    git = repositories.open_repository(world, project)
    entry = git.entry(commit.commit.sha, path)
    if entry is None or entry.kind != "blob":
        raise NotFound("File", reason=partial(_missing_file_reason, world, commit, path))
    last = git.last_commit(commit.commit.sha, path) or commit.commit
    return RepositoryFile(commit, ref, path, entry, git.objects.blob(entry.sha), last.sha)


def _missing_file_reason(world: World, commit: ProjectCommit, path: str) -> str:
    from difflib import get_close_matches

    existing_paths = repositories.open_repository(world, commit.project).file_paths(commit.commit.sha)
    suggestions = get_close_matches(path, existing_paths, 1)
    hint = f"; did you mean {suggestions[0]!r}?" if suggestions else ""
    return f"no file {path!r} at {commit.commit.sha[:8]}{hint}"


def blame_file(world: World, file: RepositoryFile, lines: tuple[int, int] | None = None) -> Sequence[FileBlame]:
    """Return the commits that last changed each line of a file, or those from a first to a last line."""
    project = file.project_commit.project
    git = repositories.open_repository(world, project)
    first, last = lines or (1, maxsize)
    blame, number = [], 1
    for hunk in git.blame(file.project_commit.commit.sha, file.path):
        shown = hunk.lines[max(first - number, 0) : max(last - number + 1, 0)]
        number += len(hunk.lines)
        if shown:
            commit = ProjectCommit(project, git.objects.commit(hunk.commit))
            blame.append(FileBlame(commit, tuple(map(_decode_line, shown))))
    return blame


def _decode_line(line: bytes) -> str:
    return line.removesuffix(b"\n").decode(errors="replace")


def change_file(ctx: WriteContext, project: Project, new: NewCommit) -> None:
    """Create, update or delete a file by a commit of one action; every error is a 400."""
    # 400 here, while the operation for commits with several actions responds with 403.
    if not protection.can_push(ctx, project, new.branch):
        raise BadRequest(NO_PUSH, reason=partial(commit_actions.explain_push_objection, ctx, project, new.branch))
    _check_is_no_folder(ctx, project, new)
    _check_known_commit(ctx, project, new)
    commit_actions.commit(ctx, project, new)


def _check_is_no_folder(ctx: WriteContext, project: Project, new: NewCommit) -> None:
    action = new.actions[0]
    git = repositories.open_repository(ctx.world, project)
    parent = git.refs.get(BRANCHES + (new.start_branch or new.branch))
    if action.action != "update" or parent is None or not ctx.profile.has(FOLDERS_ARE_NO_FILES):
        return
    entry = git.entry(parent, action.path)
    if entry is not None and entry.kind == "tree":
        raise BadRequest("Path is a directory, not a file", reason=f"{action.path!r} is a folder")


def _check_known_commit(ctx: WriteContext, project: Project, new: NewCommit) -> None:
    """Check the last known commit; the text differs from that of commits with several actions."""
    action = new.actions[0]
    git = repositories.open_repository(ctx.world, project)
    parent = git.refs.get(BRANCHES + (new.start_branch or new.branch))
    if commit_actions.has_changed(git, parent, action.path, action.last_commit_id):
        raise BadRequest(_STALE[action.action], reason=f"the file's last commit is not {action.last_commit_id}")
