"""Single files of a repository: reading them and who wrote them, changing them.

Source: docs/platform/repository-files.md.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import commit_actions as committing
from fakeplat.domain.repository import commits, protection, repositories
from fakeplat.domain.repository.commit_actions import NO_PUSH, NewCommit
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Entry

_STALE: Final = {
    "update": "You are attempting to update a file that has changed since you started editing it.",
    "delete": "You are attempting to delete a file that has been previously updated.",
}


@frozen
class RepositoryFile:
    """A file as it is at a revision; ``ref`` is the revision as it was asked for."""

    found: ProjectCommit
    ref: str
    path: str
    entry: "Entry"
    content: bytes
    last_commit_id: str


class FileBlame(NamedTuple):
    """Lines that follow each other and came with one commit."""

    found: ProjectCommit
    lines: tuple[str, ...]


def get_file(world: World, project: Project, path: str, ref: str) -> RepositoryFile:
    """The file at a path; 404 for an unknown revision, then for an unknown file."""
    found = commits.get_commit(world, project, ref)
    git = repositories.open_repository(world, project)
    entry = git.entry(found.commit.sha, path)
    if entry is None or entry.kind != "blob":
        raise NotFound("File", reason=partial(_no_file, world, found, path))
    last = git.last_commit(found.commit.sha, path) or found.commit
    return RepositoryFile(found, ref, path, entry, git.objects.blob(entry.sha), last.sha)


def _no_file(world: World, found: ProjectCommit, path: str) -> str:
    from difflib import get_close_matches

    there = repositories.open_repository(world, found.project).file_paths(found.commit.sha)
    near = get_close_matches(path, there, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no file {path!r} at {found.commit.sha[:8]}{hint}"


def blame_file(world: World, file: RepositoryFile) -> Sequence[FileBlame]:
    """Which commit each line of a file came with."""
    project = file.found.project
    git = repositories.open_repository(world, project)
    return [
        FileBlame(ProjectCommit(project, git.objects.commit(one.commit)), tuple(map(_text, one.lines)))
        for one in git.blame(file.found.commit.sha, file.path)
    ]


def _text(line: bytes) -> str:
    return line.removesuffix(b"\n").decode(errors="replace")


def change_file(ctx: WriteContext, project: Project, new: NewCommit) -> None:
    """Create, update or delete a file by a commit of one action; every refusal is a 400."""
    if not protection.can_push(ctx, project, new.branch):
        raise BadRequest(NO_PUSH, reason=partial(committing.find_push_objection, ctx, project, new.branch))
    _check_known_commit(ctx, project, new)
    committing.commit(ctx, project, new)


def _check_known_commit(ctx: WriteContext, project: Project, new: NewCommit) -> None:
    """The text differs from that of commits with several actions, and names no path."""
    action = new.actions[0]
    git = repositories.open_repository(ctx.world, project)
    parent = git.refs.get(BRANCHES + (new.start_branch or new.branch))
    if committing.has_changed(git, parent, action.path, action.last_commit_id):
        raise BadRequest(_STALE[action.action], reason=f"the file's last commit is not {action.last_commit_id}")
