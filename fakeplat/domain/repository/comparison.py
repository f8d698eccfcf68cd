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
    """The commits that only the newer of two revisions contains, oldest first, and the diffs.

    ``base`` and ``head`` are the commits whose files are compared; ``straight``: ``base`` is the older revision itself.
    """

    commits: Sequence[ProjectCommit]
    diffs: Sequence[DiffOfFile]
    same_ref: bool
    project: Project
    base: str
    head: str
    straight: bool

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


def compare(
    world: World, project: Project, old: str, new: str, *, straight: bool, source: Project | None = None
) -> Comparison:
    """Compare two revisions; files are compared with the merge base, or (``straight``) with the older revision.

    ``source`` is the project of the older revision, if that is another one of the fork network.
    """
    from fakeplat.git.walk import Selection, walk_by_date

    origin = source or project
    before, after = _resolve(world, origin, old), _resolve(world, project, new)
    if before == after:
        return Comparison((), (), same_ref=True, project=origin, base=before, head=after, straight=straight)
    # The objects of all repositories are in one place, so the one of the newer revision finds those of the other.
    git = repositories.open_repository(world, project)
    # The range is the same with ``straight``, which only changes the files.
    log = walk_by_date(git.objects, Selection((after,), (before,)))
    new_commits = [ProjectCommit(project, commit) for commit in log]
    # Unrelated histories have no merge base: compare with the older revision itself.
    base = before if straight else git.merge_base(before, after) or before
    files = diffs.present_diff(world, git.diff(base, after))
    return Comparison(
        new_commits[::-1], files, same_ref=False, project=origin, base=base, head=after, straight=straight
    )


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
    world: World,
    project: Project,
    order_by: Literal["name", "email", "commits"],
    *,
    descending: bool,
    revision: str = commits.HEAD,
) -> list[Contributor]:
    """Return the authors of the commits of a revision, by default of the default branch, without merge commits."""
    git = repositories.open_repository(world, project)
    if commits.find_commit(world, project, revision) is None:
        raise NotFound(reason=partial(commits.no_commit_reason, world, project, revision))
    authors = _group_by_email(git, revision)
    if order_by == "commits":
        return sorted(authors, key=lambda author: author.commits, reverse=descending)
    return sorted(authors, key=lambda author: str(getattr(author, order_by)).lower(), reverse=descending)


def _group_by_email(git: "Git", revision: str) -> list[Contributor]:
    contributors_by_email: dict[str, Contributor] = {}
    for author in git.contributors(revision):
        existing = contributors_by_email.get(author.email)
        name, previous_commits = (existing.name or author.name, existing.commits) if existing else (author.name, 0)
        contributors_by_email[author.email] = Contributor(name, author.email, previous_commits + author.commits)
    return list(contributors_by_email.values())
