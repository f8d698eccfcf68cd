"""Comparison of revisions, merge bases and contributors. Source: docs/platform/repository.md."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import commits, diffs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git


@frozen
class Comparison:
    """The commits that only the newer of two revisions contains, oldest first, and the diffs."""

    commits: Sequence[ProjectCommit]
    diffs: Sequence[DiffOfFile]
    same_ref: bool

    @property
    def commit(self) -> ProjectCommit | None:
        """Return the newest of the commits."""
        return self.commits[-1] if self.commits else None


@frozen
class Contributor:
    """A commit author, identified by e-mail address."""

    name: str
    email: str
    commits: int


def compare(world: World, project: Project, old: str, new: str, *, straight: bool) -> Comparison:
    """Compare two revisions; files are compared with the merge base, or (``straight``) with the older revision."""
    before, after = (_resolve(world, project, name) for name in (old, new))
    if before == after:
        return Comparison((), (), same_ref=True)
    git = repositories.open_repository(world, project)
    # The range is the same with ``straight``, which only changes the files.
    new_commits = [ProjectCommit(project, commit) for commit in git.log(f"{before}..{after}")]
    # Unrelated histories have no merge base: compare with the older revision itself.
    base = before if straight else git.merge_base(before, after) or before
    return Comparison(new_commits[::-1], diffs.present_diff(world, git.diff(base, after)), same_ref=False)


def _resolve(world: World, project: Project, name: str) -> str:
    commit = commits.find_commit(world, project, name)
    if commit is None:
        raise NotFound("Ref", reason=partial(commits.no_commit_reason, world, project, name))
    return commit.commit.sha


def merge_base(world: World, project: Project, names: Sequence[str]) -> ProjectCommit:
    """Return the best common ancestor of two or more revisions."""
    if len(names) < 2:
        raise BadRequest("Provide at least 2 refs")
    unknown = [name for name in names if commits.find_commit(world, project, name) is None]
    if unknown:
        reason = partial(commits.no_commit_reason, world, project, unknown[0])
        raise BadRequest(f"Could not find ref{'s' * (len(unknown) > 1)}: {', '.join(unknown)}", reason=reason)
    git = repositories.open_repository(world, project)
    sha = git.merge_base(*names)
    if sha is None:
        raise NotFound("Merge Base", reason=f"{', '.join(names)} have no common ancestor")
    return ProjectCommit(project, git.objects.commit(sha))


def contributors(
    world: World, project: Project, order_by: Literal["name", "email", "commits"], *, descending: bool
) -> list[Contributor]:
    """Return the authors of the default branch's latest commits, without merge commits."""
    git = repositories.open_repository(world, project)
    if commits.find_commit(world, project, commits.HEAD) is None:
        raise NotFound(reason=partial(commits.no_commit_reason, world, project, commits.HEAD))
    authors = _group_by_email(git)
    if order_by == "commits":
        return sorted(authors, key=lambda author: author.commits, reverse=descending)
    return sorted(authors, key=lambda author: str(getattr(author, order_by)).lower(), reverse=descending)


def _group_by_email(git: "Git") -> list[Contributor]:
    contributors_by_email: dict[str, Contributor] = {}
    for author in git.contributors():
        existing = contributors_by_email.get(author.email)
        name, previous_commits = (existing.name or author.name, existing.commits) if existing else (author.name, 0)
        contributors_by_email[author.email] = Contributor(name, author.email, previous_commits + author.commits)
    return list(contributors_by_email.values())
