"""Branches: list, create and delete. Source: docs/platform/branches.md."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.operations.reasons import list_names
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import change_checks, protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.settings import default_branch
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.behaviours import UNKNOWN_START_OF_BRANCH
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git
    from fakeplat.model.people import User

FIRST_FILE: Final = "README.md"


@frozen
class Branch:
    """A branch of a project and its head commit."""

    project_id: int
    name: str
    sha: str


def list_branches(world: World, project: Project) -> list[Branch]:
    """Return all branches, by name."""
    heads = repositories.open_repository(world, project).branches()
    return [Branch(project.id, name, sha) for name, sha in heads.items()]


def find_branch(world: World, project: Project, name: str) -> Branch | None:
    """Return the branch with a name; 400 for an invalid name."""
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch

    try:
        ref = check_branch(name)
    except BadName:
        raise BadRequest(
            "The branch refname is invalid", reason=f"{name!r} is not a valid branch name in git"
        ) from None
    sha = repositories.open_repository(world, project).refs.get(ref)
    return None if sha is None else Branch(project.id, name, sha)


def get_branch(world: World, project: Project, name: str) -> Branch:
    """Return the branch with a name, or raise 404."""
    branch = find_branch(world, project, name)
    if branch is None:
        raise NotFound("Branch", reason=partial(_no_branch_reason, world, project, name))
    return branch


def _no_branch_reason(world: World, project: Project, name: str) -> str:
    existing = repositories.open_repository(world, project).branches()
    return f"there is no branch {name!r}; existing branches: {list_names([*existing])}"


def filter_names(rows: Iterable[str], search: str) -> list[str]:
    """Filter names by a search text, anchored by ``^`` and ``$``; an exact match comes first."""
    pattern = search.lower()
    anchored_start, anchored_end = pattern.startswith("^"), pattern.endswith("$")
    text = pattern.removeprefix("^").removesuffix("$")
    matches = [
        name for name in rows if _matches(name.lower(), text, anchored_start=anchored_start, anchored_end=anchored_end)
    ]
    # The sort is stable: False (the exact match) comes first, all other names keep their order.
    return sorted(matches, key=lambda name: name.lower() != pattern)


def _matches(name: str, text: str, *, anchored_start: bool, anchored_end: bool) -> bool:
    if anchored_start and anchored_end:
        return name == text
    if anchored_start:
        return name.startswith(text)
    return name.endswith(text) if anchored_end else text in name


def create(ctx: WriteContext, project: Project, name: str, revision: str) -> Branch:
    """Create a branch at a revision. An empty repository first gets its default branch with a README."""
    from fakeplat.git.errors import BadName, UnknownRevision
    from fakeplat.git.name_checks import check_branch, find_conflicting_ref

    # Before the checks, so that the new branch can start at the default branch.
    if repositories.is_empty(ctx.world, project):
        create_first_branch(ctx, project, ctx.signed_in_user, b"", f"Add {FIRST_FILE}")
    git = repositories.open_repository(ctx.world, project)
    try:
        ref = check_branch(name)
    except BadName:
        raise BadRequest("Branch name is invalid", reason=f"{name!r} is not a valid branch name in git") from None
    if ref in git.refs:
        raise BadRequest("Branch already exists", reason=f"branch {name!r} is at {git.refs[ref]}")
    # Git stores refs as files: ``a`` and ``a/b`` cannot both exist.
    conflicting = find_conflicting_ref(ref, git.refs)
    if conflicting is not None:
        raise BadRequest(
            "Branch name is invalid", reason=f"the ref {conflicting} conflicts: a ref cannot be a folder of other refs"
        )
    try:
        sha = git.resolve(revision)
    except UnknownRevision:
        raise BadRequest(
            ctx.profile.choose(UNKNOWN_START_OF_BRANCH).format(name=name, ref=revision),
            reason=partial(_unknown_revision_reason, git, revision),
        ) from None
    # A rule with a wildcard may protect the branch as soon as it exists.
    if protection.list_branch_rules(ctx.world, project, name) and not protection.can_merge(ctx, project, name):
        raise BadRequest(
            protection.CANNOT_CREATE_BRANCH,
            reason=f"{name!r} would be protected; {caller_name(ctx)} may neither push to it nor merge into it",
        )
    change_checks.check_commit(ctx, project, name, sha)
    repositories.move_refs(ctx, project, {ref: sha}, ctx.user)
    return Branch(project.id, name, sha)


def _unknown_revision_reason(git: "Git", revision: str) -> str:
    return f"{revision!r} is not a branch, tag or visible commit; branches: {list_names([*git.branches()])}"


def create_first_branch(
    ctx: WriteContext, project: Project, author: "User", readme: bytes, message: str, branch: str | None = None
) -> None:
    """Create the first commit of an empty repository, a README, on the default branch unless ``branch`` is given."""
    from fakeplat.git.tree_editing import Create
    from fakeplat.git.writing import commit_actions

    git = repositories.open_repository(ctx.world, project)
    sha = commit_actions(git.objects, None, [Create(FIRST_FILE, readme)], message, git_person(ctx, author))
    ref = BRANCHES + (branch or project.default_branch or default_branch(ctx.world, project))
    repositories.move_refs(ctx, project, {ref: sha}, author)


def delete(ctx: WriteContext, project: Project, branch: Branch) -> None:
    """Delete a branch that the caller may push to; 400 for the default branch and protected ones."""
    if branch.name == project.default_branch:
        raise BadRequest(protection.CANNOT_DELETE_DEFAULT_BRANCH, reason=f"{branch.name!r} is the default branch")
    rules = protection.list_branch_rules(ctx.world, project, branch.name)
    if rules:
        may_administer = can(ctx, Ability.ADMIN_PROTECTED, project)
        text = protection.DELETE_BRANCH_ON_WEB_ONLY if may_administer else protection.CANNOT_DELETE_BRANCH
        raise BadRequest(text, reason=f"{branch.name!r} is protected by {rules[0].name!r}; unprotect it first")
    repositories.move_refs(ctx, project, {BRANCHES + branch.name: None}, ctx.user)


def delete_merged(ctx: WriteContext, project: Project) -> None:
    """Delete all branches that are merged into the default branch, except protected ones."""
    merged = [branch for branch in list_branches(ctx.world, project) if is_merged(ctx, project, branch)]
    deletable = [branch for branch in merged if not protection.list_branch_rules(ctx.world, project, branch.name)]
    if deletable:
        repositories.move_refs(
            ctx, project, dict.fromkeys((BRANCHES + branch.name for branch in deletable), None), ctx.user
        )


def is_merged(ctx: ReadContext, project: Project, branch: Branch) -> bool:
    """Return whether the default branch contains a branch's commit, and is another branch."""
    default = project.default_branch
    git = repositories.open_repository(ctx.world, project)
    if default is None or branch.name == default or BRANCHES + default not in git.refs:
        return False
    return git.is_ancestor(branch.sha, git.refs[BRANCHES + default])
