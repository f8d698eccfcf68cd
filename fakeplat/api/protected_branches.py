"""Protected branches. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import ForbiddenAs, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import protection
from fakeplat.entities.protected import ProtectedBranchView
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.repositories import Access, ProtectedBranch
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has

area: Final = Area("Protected branches", login=Login.NEVER, located_first=True)
PATH: Final = "protected_branches"
_NO_CODE_OWNERS: Final = "Feature 'Code Owner Approval Required' is not enabled"

Protecting = Literal[0, 30, 40, 60]
Unprotecting = Literal[30, 40, 60]


class ListProtectedBranches(Paged):
    """Filters of the list."""

    search: str | None = None


@area.operation(
    "GET",
    PATH,
    under=PROJECT,
    may=May.ADMIN_PROTECTED,
    takes=ListProtectedBranches,
    shows=ProtectedBranchView,
    many=True,
)
def list_protected_branches(cx: Context, project: Project, p: ListProtectedBranches) -> Sequence[ProtectedBranch]:
    """List protected branches and patterns."""
    wanted = (p.search or "").lower()
    found = cx.world.protected_branches.where("project", project.id)
    return [branch for branch in found if wanted in branch.name.lower()]


@area.operation(
    "GET", f"{PATH}/:name", under=PROJECT, may=May.ADMIN_PROTECTED, shows=ProtectedBranchView, refuses=(404,)
)
def get_protected_branch(cx: Context, project: Project, name: str) -> ProtectedBranch:
    """Get a protected branch or pattern."""
    return _found(cx, project, name)


def _found(cx: Context, project: Project, name: str) -> ProtectedBranch:
    found = cx.world.protected_branches.find("name", (project.id, name))
    if found is None:
        there = [branch.name for branch in cx.world.protected_branches.where("project", project.id)]
        raise RecordNotFound(reason=f"no protection is named {name!r}; there are: {', '.join(there) or 'none'}")
    return found


class Admitted(Params):
    """Who is admitted: a level, a user or the members of a group."""

    access_level: Protecting | None = None
    user_id: int | None = None
    group_id: int | None = None


class ProtectBranch(Params):
    """What to protect, and from whom. Lists of users and groups, and code owners, are part of paid tiers."""

    name: str
    push_access_level: Protecting | None = None
    merge_access_level: Protecting | None = None
    unprotect_access_level: Unprotecting | None = None
    allowed_to_push: list[Admitted] | None = None
    allowed_to_merge: list[Admitted] | None = None
    allowed_to_unprotect: list[Admitted] | None = None
    code_owner_approval_required: bool = False


@area.operation(
    "POST",
    PATH,
    under=PROJECT,
    may=May.ADMIN_PROTECTED,
    takes=ProtectBranch,
    shows=ProtectedBranchView,
    refuses=(409, 422),
)
def create_protected_branch(cx: Doing, project: Project, p: ProtectBranch) -> ProtectedBranch:
    """Protect a branch, or all branches that match a pattern with ``*``."""
    paid = has(cx.world, "premium", project)
    usual = Level.MAINTAINER
    return protection.protect_branch(
        cx,
        project,
        p.name,
        accesses(p.push_access_level, p.allowed_to_push if paid else None, usual),
        accesses(p.merge_access_level, p.allowed_to_merge if paid else None, usual),
        accesses(p.unprotect_access_level, p.allowed_to_unprotect, usual) if paid else (),
        code_owners=paid and bool(p.code_owner_approval_required),
    )


def accesses(level: int | None, allowed: Sequence[Any] | None, usual: int | None) -> tuple[Access, ...]:
    """Who is admitted: a level, those listed, or where neither is said the usual level."""
    rows = [Access(one.access_level, one.user_id, one.group_id) for one in allowed or ()]
    listed = [row for row in rows if row != Access()]
    said = [Access(level)] if level is not None else []
    fallback = [Access(usual)] if usual is not None else []
    return tuple(dict.fromkeys([*said, *listed] or fallback))


class UpdateProtectedBranch(Params):
    """Changes of a protected branch."""

    code_owner_approval_required: bool = False


@area.operation(
    "PATCH",
    f"{PATH}/:name",
    under=PROJECT,
    may=May.ADMIN_PROTECTED,
    takes=UpdateProtectedBranch,
    shows=ProtectedBranchView,
    refuses=(403, 404),
)
def update_protected_branch(cx: Doing, project: Project, name: str, p: UpdateProtectedBranch) -> ProtectedBranch:
    """Update whether code owners must approve changes of a protected branch (paid)."""
    if not has(cx.world, "premium", project):
        raise ForbiddenAs(_NO_CODE_OWNERS, reason="code owners are part of paid tiers")
    branch = _found(cx, project, name)
    required = bool(p.code_owner_approval_required)
    return cx.world.protected_branches.change(branch, code_owner_approval_required=required, updated_at=cx.instant)


@area.operation("DELETE", f"{PATH}/:name", under=PROJECT, may=May.ADMIN_PROTECTED, refuses=(403, 404, 412))
def delete_protected_branch(cx: Doing, project: Project, name: str) -> None:
    """Unprotect a branch or pattern."""
    protected_branch = _found(cx, project, name)
    cx.unmodified_since(protected_branch.updated_at)
    protection.unprotect_branch(cx, project, protected_branch.name)
