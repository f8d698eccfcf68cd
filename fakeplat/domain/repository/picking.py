"""Putting a commit's change, or its opposite, upon a branch.

Source: docs/platform/commits.md ('Cherry-pick / revert').
"""

from enum import Enum
from typing import Final

from fakeplat.core.operations.errors import Inapplicable
from fakeplat.domain.repository import branches, commits, committing, repositories
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.domain.repository.repositories import person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.policy.context import Doing

_SORRY: Final = (
    "Sorry, we cannot {verb} this {what} automatically. This {what} may already have been {done}, "
    "or a more recent commit may have updated some of its content."
)


class Way(Enum):
    """What becomes of a commit upon a branch: the verb, and its past."""

    CHERRY_PICK = ("cherry-pick", "cherry-picked")
    REVERT = ("revert", "reverted")


def put_upon(cx: Doing, project: Project, revision: str, branch: str, way: Way, *, dry_run: bool) -> CommitOf | None:
    """Pick or revert a commit upon a branch; in a dry run nothing moves, and there is no commit."""
    committing.demand_push(cx, project, branch)
    found = commits.get(cx.world, project, revision)
    onto = branches.get(cx.world, project, branch)
    sha = _made(cx, found, onto.sha, way, dry_run=dry_run)
    if dry_run:
        return None
    repositories.move(cx, project, {BRANCHES + branch: sha}, cx.user)
    return CommitOf(project, repositories.opened(cx.world, project).objects.commit(sha))


def _made(cx: Doing, found: CommitOf, onto: str, way: Way, *, dry_run: bool) -> str:
    from fakeplat.git import writing
    from fakeplat.git.errors import MergeConflict, NothingToCommit

    objects = repositories.opened(cx.world, found.project).objects
    one, by = found.commit, person(cx, cx.someone)
    try:
        if way is Way.CHERRY_PICK:
            message = f"{one.message}\n\n(cherry picked from commit {one.sha})"
            return writing.cherry_pick(objects, onto, one.sha, by, message=message)
        return writing.revert(objects, onto, one.sha, f'Revert "{one.title}"\n\nThis reverts commit {one.sha}', by)
    except MergeConflict as conflict:
        reason = f"in conflict: {conflict}"
        raise Inapplicable(_sorry(found, way), "conflict", dry_run=dry_run, reason=reason) from conflict
    except NothingToCommit as empty:
        reason = "the branch would not change"
        raise Inapplicable(_sorry(found, way), "empty", dry_run=dry_run, reason=reason) from empty


def _sorry(found: CommitOf, way: Way) -> str:
    verb, done = way.value
    return _SORRY.format(verb=verb, done=done, what="merge request" if len(found.commit.parents) > 1 else "commit")
