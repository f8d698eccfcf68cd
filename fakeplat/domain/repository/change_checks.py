"""What forbids changes of refs: push rules and locks, for pushes with git and for commits of the API.

Source: docs/platform/repository.md ('Path locks'), docs/platform/git-over-http.md ('LFS locks').
"""

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.repository import lfs_locks, path_locks, push_rule_checks, repositories, size_limits
from fakeplat.domain.repository.push_rule_checks import RefChange
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.context import WriteContext


def explain_objection(ctx: WriteContext, project: Project, change: RefChange) -> str:
    """Return the objection of the push rule or of a lock to a change of a ref; empty if there is none."""
    return (
        push_rule_checks.explain_push_objection(ctx, project, change)
        or path_locks.explain_push_objection(ctx, project, change)
        or lfs_locks.explain_push_objection(ctx, project, change)
    )


def check_commit(ctx: WriteContext, project: Project, branch: str, sha: str) -> None:
    """Raise 400 if the size of a project, its push rule or a lock forbids that the API moves a branch to a commit."""
    size_limits.check_branch(ctx, project, sha)
    git = repositories.open_repository(ctx.world, project)
    change = RefChange(BRANCHES + branch, sha, git.objects, git.refs.values(), by_git=False)
    objection = explain_objection(ctx, project, change)
    if objection:
        raise BadRequest(objection, reason="a push rule or a lock of the project")
