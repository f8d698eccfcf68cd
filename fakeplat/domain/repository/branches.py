"""Branches: finding, making and removing them. Source: docs/platform/branches.md."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git
    from fakeplat.model.users import User

FIRST_FILE: Final = "README.md"


@frozen
class Branch:
    """A branch of a project and the commit where it stands."""

    project_id: int
    name: str
    sha: str


def list_branches(world: World, project: Project) -> list[Branch]:
    """All branches, by name."""
    found = repositories.open_repository(world, project).branches()
    return [Branch(project.id, name, sha) for name, sha in found.items()]


def find_branch(world: World, project: Project, name: str) -> Branch | None:
    """The branch of a name; 400 for a name that no branch can have."""
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch

    try:
        ref = check_branch(name)
    except BadName:
        raise BadRequest("The branch refname is invalid", reason=f"git takes no branch {name!r}") from None
    sha = repositories.open_repository(world, project).refs.get(ref)
    return None if sha is None else Branch(project.id, name, sha)


def get_branch(world: World, project: Project, name: str) -> Branch:
    """The branch of a name, or 404."""
    found = find_branch(world, project, name)
    if found is None:
        there = ", ".join(repositories.open_repository(world, project).branches()) or "none"
        raise NotFound("Branch", reason=f"there is no branch {name!r}; there are: {there}")
    return found


def branch_at(rows: Iterable[str], search: str) -> list[str]:
    """The names that a search finds: those that hold it, start (``^``) or end (``$``) with it, the same one first."""
    wanted = search.lower()
    begins, ends = wanted.startswith("^"), wanted.endswith("$")
    text = wanted.removeprefix("^").removesuffix("$")
    found = [name for name in rows if _holds(name.lower(), text, begins=begins, ends=ends)]
    return sorted(found, key=lambda name: name.lower() != wanted)


def _holds(name: str, text: str, *, begins: bool, ends: bool) -> bool:
    if begins and ends:
        return name == text
    if begins:
        return name.startswith(text)
    return name.endswith(text) if ends else text in name


def create(ctx: WriteContext, project: Project, name: str, revision: str) -> Branch:
    """A branch where a revision stands. In an empty repository the default branch is made first, with a README."""
    from fakeplat.git.errors import BadName, UnknownRevision
    from fakeplat.git.name_checks import check_branch, find_conflicting_ref

    if repositories.is_empty(ctx.world, project):
        create_first_branch(ctx, project, ctx.signed_in_user, b"", f"Add {FIRST_FILE}")
    git = repositories.open_repository(ctx.world, project)
    try:
        ref = check_branch(name)
    except BadName:
        raise BadRequest("Branch name is invalid", reason=f"git takes no branch {name!r}") from None
    if ref in git.refs:
        raise BadRequest("Branch already exists", reason=f"branch {name!r} is at {git.refs[ref]}")
    other = find_conflicting_ref(name, git.branches())
    if other is not None:
        raise BadRequest(
            "Branch name is invalid", reason=f"branch {other!r} is in the way: one would be inside the other"
        )
    try:
        sha = git.resolve(revision)
    except UnknownRevision:
        raise BadRequest(f"Invalid reference name: {revision}", reason=_nothing_at(git, revision)) from None
    if protection.list_branch_rules(ctx.world, project, name) and not protection.can_merge(ctx, project, name):
        raise BadRequest(
            protection.NO_NEW_BRANCH,
            reason=f"{name!r} would be protected; {caller_name(ctx)} may neither push nor merge",
        )
    repositories.move_refs(ctx, project, {ref: sha}, ctx.user)
    return Branch(project.id, name, sha)


def _nothing_at(git: "Git", revision: str) -> str:
    return f"{revision!r} is no branch, tag or visible commit; branches are: {', '.join(git.branches())}"


def create_first_branch(
    ctx: WriteContext, project: Project, author: "User", readme: bytes, message: str, branch: str | None = None
) -> None:
    """The first commit of an empty repository: a README, on the branch that HEAD stands for unless another is said."""
    from fakeplat.git.tree_editing import Create
    from fakeplat.git.writing import commit_actions

    git = repositories.open_repository(ctx.world, project)
    sha = commit_actions(git.objects, None, [Create(FIRST_FILE, readme)], message, git_person(ctx, author))
    ref = BRANCHES + (branch or project.default_branch or ctx.instance.default_branch)
    repositories.move_refs(ctx, project, {ref: sha}, author)


def delete(ctx: WriteContext, project: Project, branch: Branch) -> None:
    """Delete a branch that the caller may push to; the default branch and protected ones are refused with 400."""
    if branch.name == project.default_branch:
        raise BadRequest(protection.DEFAULT_STAYS, reason=f"{branch.name!r} is the default branch")
    over = protection.list_branch_rules(ctx.world, project, branch.name)
    if over:
        ability = can(ctx, Ability.ADMIN_PROTECTED, project)
        text = protection.BRANCH_STAYS_HERE if ability else protection.BRANCH_STAYS
        raise BadRequest(text, reason=f"{branch.name!r} is protected by {over[0].name!r}; unprotect it first")
    repositories.move_refs(ctx, project, {BRANCHES + branch.name: None}, ctx.user)


def delete_merged(ctx: WriteContext, project: Project) -> None:
    """Remove all branches that were merged into the default branch, but no protected one."""
    found = [branch for branch in list_branches(ctx.world, project) if is_merged(ctx, project, branch)]
    gone = [branch for branch in found if not protection.list_branch_rules(ctx.world, project, branch.name)]
    if gone:
        repositories.move_refs(ctx, project, dict.fromkeys((BRANCHES + branch.name for branch in gone), None), ctx.user)


def is_merged(ctx: ReadContext, project: Project, branch: Branch) -> bool:
    """Whether the default branch leads to a branch's commit, and is not that branch."""
    default = project.default_branch
    git = repositories.open_repository(ctx.world, project)
    if default is None or branch.name == default or BRANCHES + default not in git.refs:
        return False
    return git.is_ancestor(branch.sha, git.refs[BRANCHES + default])
