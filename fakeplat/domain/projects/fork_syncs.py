"""Updates of forks from their source. Source: docs/platform/graphql.md."""

from itertools import islice
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import change_checks, lfs, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

_COMPARED_COMMITS: Final = 10


@frozen
class Divergence:
    """How a branch of a fork differs from the default branch of its source; without counts if nothing is shared."""

    project: Project
    source: Project
    branch: str
    sha: str
    source_sha: str
    ahead: int | None
    behind: int | None
    has_conflicts: bool


def find_divergence(world: World, project: Project, branch: str) -> Divergence | None:
    """Return how a branch of a fork differs from its source; None if it is no fork or one of them has no commit."""
    source = world.projects.get(project.forked_from_id) if project.forked_from_id is not None else None
    sha = repositories.open_repository(world, project).branches().get(branch)
    if source is None or sha is None:
        return None
    source_sha = repositories.open_repository(world, source).branches().get(source.default_branch or "")
    if source_sha is None:
        return None
    ahead, behind = _count(world, project, source, sha, source_sha)
    record = repositories.record_of(world, project)
    has_conflicts = record is not None and (sha, source_sha) in record.conflicting
    return Divergence(project, source, branch, sha, source_sha, ahead, behind, has_conflicts)


def _count(world: World, project: Project, source: Project, sha: str, source_sha: str) -> tuple[int | None, int | None]:
    from fakeplat.git.history import History

    fork_git, source_git = (repositories.open_repository(world, each) for each in (project, source))
    # The platform looks for a shared commit among the newest ones only, unless the fork has all of the source.
    shares = fork_git.shows(source_sha) or any(
        source_git.shows(commit.sha) for commit in islice(fork_git.log(sha), _COMPARED_COMMITS)
    )
    objects = fork_git.objects
    return History.of(objects).count_apart(objects, sha, source_sha) if shares else (None, None)


def sync(ctx: WriteContext, divergence: Divergence) -> Divergence | None:
    """Bring a branch of a fork up to date with its source, and return what differs then.

    The branch moves forward, or gets a merge commit if it has commits of its own. A conflict changes nothing, but is
    remembered.
    """
    from fakeplat.git.errors import MergeConflict

    project, branch = divergence.project, divergence.branch
    try:
        head = _merge(ctx, divergence)
        change_checks.check_commit(ctx, project, branch, head)
    except MergeConflict:
        _remember_conflict(ctx, divergence)
    except Refusal:
        # The platform does this in the background, where nobody sees what a push rule refuses.
        pass
    else:
        if project.lfs_enabled:
            lfs.share_objects(ctx, divergence.source, project)
        repositories.move_refs(ctx, project, {BRANCHES + branch: head}, ctx.signed_in_user)
    return find_divergence(ctx.world, ctx.world.projects[project.id], branch)


def _merge(ctx: WriteContext, divergence: Divergence) -> str:
    from fakeplat.git import writing

    if divergence.ahead == 0:
        return divergence.source_sha
    source, person = divergence.source, git_person(ctx, ctx.signed_in_user)
    message = f"Merge branch {source.path}:{source.default_branch} into {divergence.branch}"
    git: Git = repositories.open_repository(ctx.world, divergence.project)
    return writing.merge(git.objects, divergence.sha, divergence.source_sha, message, person)


def _remember_conflict(ctx: WriteContext, divergence: Divergence) -> None:
    record = repositories.record_of(ctx.world, divergence.project)
    if record is not None:
        pair = (divergence.sha, divergence.source_sha)
        ctx.world.repositories.change(record, conflicting=record.conflicting | {pair})
