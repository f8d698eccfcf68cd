"""Updates of submodule references. Source: docs/platform/external.md ('Submodules')."""

import re
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.repository import change_checks, commit_actions, commits, protection, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Entry
    from fakeplat.git.repository import Repository as Git

INVALID: Final = "Invalid parameters"
INVALID_PATH: Final = "Invalid submodule path"
EMPTY: Final = "The repository is empty"
_SHA: Final = re.compile("[0-9a-f]{40}")


def update(ctx: WriteContext, project: Project, path: str, sha: str, branch: str, message: str | None) -> ProjectCommit:
    """Point a submodule to another commit by a new commit on a branch; 400 if that is not possible."""
    git = repositories.open_repository(ctx.world, project)
    _check_branch(ctx, project, git, branch)
    if not path.strip() or not _SHA.fullmatch(sha):
        raise BadRequest(INVALID, reason=f"commit_sha {sha!r} is not 40 hexadecimal digits, or the path is empty")
    parent = git.refs[BRANCHES + branch]
    if _get_submodule(git, parent, path).sha == sha:
        raise BadRequest(f"The submodule {path} is already at {sha}")
    commit = _commit(ctx, git, parent, (path, sha), message or f"Update submodule {path} with oid {sha}")
    change_checks.check_commit(ctx, project, branch, commit)
    repositories.move_refs(ctx, project, {BRANCHES + branch: commit}, ctx.user)
    return ProjectCommit(project, git.objects.commit(commit))


def _check_branch(ctx: WriteContext, project: Project, git: "Git", branch: str) -> None:
    # All of these are 400, even the missing permission: they come from one service of the platform.
    if not protection.can_push(ctx, project, branch):
        raise BadRequest(
            commit_actions.NO_PUSH, reason=lambda: commit_actions.explain_push_objection(ctx, project, branch)
        )
    if not git.has_branches:
        raise BadRequest(EMPTY)
    if BRANCHES + branch not in git.refs:
        raise BadRequest(commit_actions.NO_BRANCH, reason=lambda: commits.no_commit_reason(ctx.world, project, branch))


def _get_submodule(git: "Git", revision: str, path: str) -> "Entry":
    from fakeplat.git.errors import BadPath
    from fakeplat.git.name_checks import normalize_path
    from fakeplat.git.records import SUBMODULE

    try:
        entry = git.entry(revision, normalize_path(path))
    except BadPath as error:
        raise BadRequest(INVALID_PATH, reason=f"path {str(error)!r}") from error
    if entry is None or entry.mode != SUBMODULE:
        raise BadRequest(INVALID_PATH, reason=f"no submodule at {path!r}")
    return entry


def _commit(ctx: WriteContext, git: "Git", parent: str, changed: tuple[str, str], message: str) -> str:
    from fakeplat.git.name_checks import normalize_path
    from fakeplat.git.records import SUBMODULE
    from fakeplat.git.tree_editing import TreeEditor
    from fakeplat.git.writing import commit

    path, sha = changed
    editor = TreeEditor(git.objects, git.objects.commit(parent).tree)
    editor.put(normalize_path(path), SUBMODULE, sha)
    return commit(git.objects, editor.write(), [parent], message, git_person(ctx, ctx.signed_in_user))
