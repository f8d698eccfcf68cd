"""What lies between two revisions, and who made a history. Source: docs/platform/repository.md."""

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
    """The commits that only the newer of two revisions has, oldest first, and how the files differ."""

    commits: Sequence[ProjectCommit]
    diffs: Sequence[DiffOfFile]
    same_ref: bool

    @property
    def commit(self) -> ProjectCommit | None:
        """The newest of the commits."""
        return self.commits[-1] if self.commits else None


@frozen
class Contributor:
    """An author, by e-mail address."""

    name: str
    email: str
    commits: int


def compare(world: World, project: Project, old: str, new: str, *, straight: bool) -> Comparison:
    """Two revisions; the files are compared with the merge base, or (straight) with the older revision itself."""
    before, after = (_side(world, project, name) for name in (old, new))
    if before == after:
        return Comparison((), (), same_ref=True)
    git = repositories.open_repository(world, project)
    made = [ProjectCommit(project, commit) for commit in git.log(f"{before}..{after}")]
    base = before if straight else git.merge_base(before, after) or before
    return Comparison(made[::-1], diffs.present_diff(world, git.diff(base, after)), same_ref=False)


def _side(world: World, project: Project, name: str) -> str:
    found = commits.find_commit(world, project, name)
    if found is None:
        raise NotFound("Ref", reason=partial(commits.no_commit_reason, world, project, name))
    return found.commit.sha


def merge_base(world: World, project: Project, names: Sequence[str]) -> ProjectCommit:
    """The best common ancestor of two or more revisions."""
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
    """The authors of the default branch's last commits that are no merges."""
    git = repositories.open_repository(world, project)
    if commits.find_commit(world, project, commits.HEAD) is None:
        raise NotFound(reason=partial(commits.no_commit_reason, world, project, commits.HEAD))
    found = _by_email(git)
    if order_by == "commits":
        return sorted(found, key=lambda one: one.commits, reverse=descending)
    return sorted(found, key=lambda one: str(getattr(one, order_by)).lower(), reverse=descending)


def _by_email(git: "Git") -> list[Contributor]:
    found: dict[str, Contributor] = {}
    for one in git.contributors():
        known = found.get(one.email)
        name, before = (known.name or one.name, known.commits) if known else (one.name, 0)
        found[one.email] = Contributor(name, one.email, before + one.commits)
    return list(found.values())
