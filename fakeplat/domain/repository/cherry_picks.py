"""Putting a commit's change, or its opposite, upon a branch.

Source: docs/platform/commits.md ('Cherry-pick / revert').
"""

from enum import Enum
from typing import Final

from fakeplat.core.operations.errors import ChangeNotApplicable
from fakeplat.domain.repository import branches, commits, repositories
from fakeplat.domain.repository import commit_actions as committing
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.policy.context import WriteContext

_SORRY: Final = (
    "Sorry, we cannot {verb} this {what} automatically. This {what} may already have been {done}, "
    "or a more recent commit may have updated some of its content."
)


class PickKind(Enum):
    """What becomes of a commit upon a branch: the verb, and its past."""

    CHERRY_PICK = ("cherry-pick", "cherry-picked")
    REVERT = ("revert", "reverted")


def apply_to_branch(
    ctx: WriteContext, project: Project, revision: str, branch: str, way: PickKind, *, dry_run: bool
) -> ProjectCommit | None:
    """Pick or revert a commit upon a branch; in a dry run nothing moves, and there is no commit."""
    committing.authorize_push(ctx, project, branch)
    found = commits.get_commit(ctx.world, project, revision)
    onto = branches.get_branch(ctx.world, project, branch)
    sha = _made(ctx, found, onto.sha, way, dry_run=dry_run)
    if dry_run:
        return None
    repositories.move_refs(ctx, project, {BRANCHES + branch: sha}, ctx.user)
    return ProjectCommit(project, repositories.open_repository(ctx.world, project).objects.commit(sha))


def _made(ctx: WriteContext, found: ProjectCommit, onto: str, way: PickKind, *, dry_run: bool) -> str:
    from fakeplat.git import writing
    from fakeplat.git.errors import MergeConflict, NothingToCommit

    objects = repositories.open_repository(ctx.world, found.project).objects
    one, by = found.commit, git_person(ctx, ctx.signed_in_user)
    try:
        if way is PickKind.CHERRY_PICK:
            message = f"{one.message}\n\n(cherry picked from commit {one.sha})"
            return writing.cherry_pick(objects, onto, one.sha, by, message=message)
        return writing.revert(objects, onto, one.sha, f'Revert "{one.title}"\n\nThis reverts commit {one.sha}', by)
    except MergeConflict as conflict:
        reason = f"in conflict: {conflict}"
        raise ChangeNotApplicable(_sorry(found, way), "conflict", dry_run=dry_run, reason=reason) from conflict
    except NothingToCommit as empty:
        reason = "the branch would not change"
        raise ChangeNotApplicable(_sorry(found, way), "empty", dry_run=dry_run, reason=reason) from empty


def _sorry(found: ProjectCommit, way: PickKind) -> str:
    verb, done = way.value
    return _SORRY.format(verb=verb, done=done, what="merge request" if len(found.commit.parents) > 1 else "commit")
