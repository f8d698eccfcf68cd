"""Branches: finding, making and removing them. Source: docs/platform/branches.md."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import caller, can

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


def every(world: World, project: Project) -> list[Branch]:
    """All branches, by name."""
    found = repositories.opened(world, project).branches()
    return [Branch(project.id, name, sha) for name, sha in found.items()]


def find(world: World, project: Project, name: str) -> Branch | None:
    """The branch of a name; 400 for a name that no branch can have."""
    from fakeplat.git.errors import BadName
    from fakeplat.git.names import check_branch

    try:
        ref = check_branch(name)
    except BadName:
        raise BadRequest("The branch refname is invalid", reason=f"git takes no branch {name!r}") from None
    sha = repositories.opened(world, project).refs.get(ref)
    return None if sha is None else Branch(project.id, name, sha)


def get(world: World, project: Project, name: str) -> Branch:
    """The branch of a name, or 404."""
    found = find(world, project, name)
    if found is None:
        there = ", ".join(repositories.opened(world, project).branches()) or "none"
        raise NotFound("Branch", reason=f"there is no branch {name!r}; there are: {there}")
    return found


def named(rows: Iterable[str], search: str) -> list[str]:
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


def create(cx: Doing, project: Project, name: str, revision: str) -> Branch:
    """A branch where a revision stands. In an empty repository the default branch is made first, with a README."""
    from fakeplat.git.errors import BadName, UnknownRevision
    from fakeplat.git.names import check_branch, in_the_way

    if repositories.is_empty(cx.world, project):
        begin(cx, project, cx.someone, b"", f"Add {FIRST_FILE}")
    git = repositories.opened(cx.world, project)
    try:
        ref = check_branch(name)
    except BadName:
        raise BadRequest("Branch name is invalid", reason=f"git takes no branch {name!r}") from None
    if ref in git.refs:
        raise BadRequest("Branch already exists", reason=f"branch {name!r} is at {git.refs[ref]}")
    other = in_the_way(name, git.branches())
    if other is not None:
        raise BadRequest(
            "Branch name is invalid", reason=f"branch {other!r} is in the way: one would be inside the other"
        )
    try:
        sha = git.resolve(revision)
    except UnknownRevision:
        raise BadRequest(f"Invalid reference name: {revision}", reason=_nothing_at(git, revision)) from None
    if protection.branches_over(cx.world, project, name) and not protection.may_merge(cx, project, name):
        raise BadRequest(
            protection.NO_NEW_BRANCH, reason=f"{name!r} would be protected; {caller(cx)} may neither push nor merge"
        )
    repositories.move(cx, project, {ref: sha}, cx.user)
    return Branch(project.id, name, sha)


def _nothing_at(git: "Git", revision: str) -> str:
    return f"{revision!r} is no branch, tag or visible commit; branches are: {', '.join(git.branches())}"


def begin(cx: Doing, project: Project, author: "User", readme: bytes, message: str, branch: str | None = None) -> None:
    """The first commit of an empty repository: a README, on the branch that HEAD stands for unless another is said."""
    from fakeplat.git.editing import Create
    from fakeplat.git.writing import commit_actions

    git = repositories.opened(cx.world, project)
    sha = commit_actions(git.objects, None, [Create(FIRST_FILE, readme)], message, person(cx, author))
    ref = BRANCHES + (branch or project.default_branch or cx.instance.default_branch)
    repositories.move(cx, project, {ref: sha}, author)


def delete(cx: Doing, project: Project, branch: Branch) -> None:
    """Delete a branch that the caller may push to; the default branch and protected ones are refused with 400."""
    if branch.name == project.default_branch:
        raise BadRequest(protection.DEFAULT_STAYS, reason=f"{branch.name!r} is the default branch")
    over = protection.branches_over(cx.world, project, branch.name)
    if over:
        may = can(cx, May.ADMIN_PROTECTED, project)
        text = protection.BRANCH_STAYS_HERE if may else protection.BRANCH_STAYS
        raise BadRequest(text, reason=f"{branch.name!r} is protected by {over[0].name!r}; unprotect it first")
    repositories.move(cx, project, {BRANCHES + branch.name: None}, cx.user)


def delete_merged(cx: Doing, project: Project) -> None:
    """Remove all branches that were merged into the default branch, but no protected one."""
    found = [branch for branch in every(cx.world, project) if is_merged(cx, project, branch)]
    gone = [branch for branch in found if not protection.branches_over(cx.world, project, branch.name)]
    if gone:
        repositories.move(cx, project, dict.fromkeys((BRANCHES + branch.name for branch in gone), None), cx.user)


def is_merged(cx: Context, project: Project, branch: Branch) -> bool:
    """Whether the default branch leads to a branch's commit, and is not that branch."""
    default = project.default_branch
    git = repositories.opened(cx.world, project)
    if default is None or branch.name == default or BRANCHES + default not in git.refs:
        return False
    return git.is_ancestor(branch.sha, git.refs[BRANCHES + default])
