"""Branches. Source: docs/platform/branches.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT_WITH_REPOSITORY
from fakeplat.core.operations.messages import Raw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.core.stamps import SECOND, stamp
from fakeplat.domain.repository import branches, protection, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.entities.branches import BranchView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand

area: Final = Area("Branches", login=Login.NEVER, located_first=True)
PATH: Final = "repository/branches"


class ListBranches(Paged):
    """Filters of the list."""

    search: str | None = None


@area.operation(
    "GET",
    PATH,
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=ListBranches,
    shows=BranchView,
    many=True,
)
def list_branches(cx: Context, project: Project, p: ListBranches) -> Sequence[Branch]:
    """List branches by name."""
    found = branches.every(cx.world, project)
    if not p.search:
        return found
    by_name = {branch.name: branch for branch in found}
    return [by_name[name] for name in branches.named(by_name, p.search)]


@area.operation(
    "GET",
    f"{PATH}/:branch",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    shows=BranchView,
    also=(204,),
    refuses=(400, 404),
)
def get_branch(cx: Context, project: Project, branch: str) -> Branch | Raw:
    """Get a branch; HEAD answers 204 if it exists."""
    found = branches.get(cx.world, project, branch)
    return Raw(b"", "", status=204) if cx.request is not None and cx.request.method == "HEAD" else found


class CreateBranch(Params):
    """A new branch, and the branch, tag or commit where it begins."""

    branch: Annotated[str, NotBlank]
    ref: Annotated[str, NotBlank]


@area.operation(
    "POST",
    PATH,
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=CreateBranch,
    shows=BranchView,
    refuses=(400, 403),
)
def create_branch(cx: Doing, project: Project, p: CreateBranch) -> Branch:
    """Create a branch."""
    demand(cx, May.PUSH_CODE, project)
    return branches.create(cx, project, p.branch, p.ref)


@area.operation(
    "DELETE", f"{PATH}/:branch", under=PROJECT_WITH_REPOSITORY, may=May.DOWNLOAD_CODE, refuses=(400, 403, 404, 412)
)
def delete_branch(cx: Doing, project: Project, branch: str) -> None:
    """Delete a branch."""
    demand(cx, May.PUSH_CODE, project)
    found = branches.get(cx.world, project, branch)
    commit = repositories.opened(cx.world, project).objects.commit(found.sha)
    cx.unmodified_since(stamp(commit.author.when * SECOND))
    branches.delete(cx, project, found)


@area.operation(
    "DELETE",
    "repository/merged_branches",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    status=202,
    refuses=(403,),
)
def delete_merged_branches(cx: Doing, project: Project) -> dict[str, str]:
    """Delete all branches that are merged into the default branch, except protected ones."""
    demand(cx, May.PUSH_CODE, project)
    branches.delete_merged(cx, project)
    return {"message": "202 Accepted"}


class ProtectBranchOldWay(Params):
    """What Developers may do to the branch that is protected."""

    developers_can_push: bool | None = None
    developers_can_merge: bool | None = None


@area.operation(
    "PUT",
    f"{PATH}/:branch/protect",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=ProtectBranchOldWay,
    shows=BranchView,
    refuses=(400, 403, 404),
)
def protect_branch(cx: Doing, project: Project, branch: str, p: ProtectBranchOldWay) -> Branch:
    """Protect a branch (deprecated)."""
    demand(cx, May.ADMIN_PROTECTED, project)
    found = branches.get(cx.world, project, branch)
    protection.protect_for_developers(cx, project, found.name, push=p.developers_can_push, merge=p.developers_can_merge)
    return found


@area.operation(
    "PUT",
    f"{PATH}/:branch/unprotect",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    shows=BranchView,
    refuses=(400, 403, 404),
)
def unprotect_branch(cx: Doing, project: Project, branch: str) -> Branch:
    """Unprotect a branch (deprecated)."""
    demand(cx, May.ADMIN_PROTECTED, project)
    found = branches.get(cx.world, project, branch)
    protection.unprotect_branch(cx, project, found.name)
    return found
