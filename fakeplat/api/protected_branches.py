"""Protected branches. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import ForbiddenWithMessage, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import protection
from fakeplat.entities.protected import ProtectedBranchView
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.repositories import Access, ProtectedBranch
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

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
    scope=PROJECT,
    ability=Ability.ADMIN_PROTECTED,
    params=ListProtectedBranches,
    view=ProtectedBranchView,
    many=True,
)
def list_protected_branches(ctx: ReadContext, project: Project, p: ListProtectedBranches) -> Sequence[ProtectedBranch]:
    """List protected branches and patterns."""
    wanted = (p.search or "").lower()
    found = ctx.world.protected_branches.where("project", project.id)
    return [branch for branch in found if wanted in branch.name.lower()]


@area.operation(
    "GET", f"{PATH}/:name", scope=PROJECT, ability=Ability.ADMIN_PROTECTED, view=ProtectedBranchView, refusals=(404,)
)
def get_protected_branch(ctx: ReadContext, project: Project, name: str) -> ProtectedBranch:
    """Get a protected branch or pattern."""
    return _found(ctx, project, name)


def _found(ctx: ReadContext, project: Project, name: str) -> ProtectedBranch:
    found = ctx.world.protected_branches.find("name", (project.id, name))
    if found is None:
        there = [branch.name for branch in ctx.world.protected_branches.where("project", project.id)]
        raise RecordNotFound(reason=f"no protection is named {name!r}; there are: {', '.join(there) or 'none'}")
    return found


class AccessParams(Params):
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
    allowed_to_push: list[AccessParams] | None = None
    allowed_to_merge: list[AccessParams] | None = None
    allowed_to_unprotect: list[AccessParams] | None = None
    code_owner_approval_required: bool = False


@area.operation(
    "POST",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_PROTECTED,
    params=ProtectBranch,
    view=ProtectedBranchView,
    refusals=(409, 422),
)
def create_protected_branch(ctx: WriteContext, project: Project, p: ProtectBranch) -> ProtectedBranch:
    """Protect a branch, or all branches that match a pattern with ``*``."""
    paid = has_feature(ctx.world, "premium", project)
    usual = Level.MAINTAINER
    return protection.protect_branch(
        ctx,
        project,
        p.name,
        build_access_levels(p.push_access_level, p.allowed_to_push if paid else None, usual),
        build_access_levels(p.merge_access_level, p.allowed_to_merge if paid else None, usual),
        build_access_levels(p.unprotect_access_level, p.allowed_to_unprotect, usual) if paid else (),
        code_owners=paid and bool(p.code_owner_approval_required),
    )


def build_access_levels(level: int | None, allowed: Sequence[Any] | None, usual: int | None) -> tuple[Access, ...]:
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
    scope=PROJECT,
    ability=Ability.ADMIN_PROTECTED,
    params=UpdateProtectedBranch,
    view=ProtectedBranchView,
    refusals=(403, 404),
)
def update_protected_branch(
    ctx: WriteContext, project: Project, name: str, p: UpdateProtectedBranch
) -> ProtectedBranch:
    """Update whether code owners must approve changes of a protected branch (paid)."""
    if not has_feature(ctx.world, "premium", project):
        raise ForbiddenWithMessage(_NO_CODE_OWNERS, reason="code owners are part of paid tiers")
    branch = _found(ctx, project, name)
    required = bool(p.code_owner_approval_required)
    return ctx.world.protected_branches.change(branch, code_owner_approval_required=required, updated_at=ctx.now_iso)


@area.operation("DELETE", f"{PATH}/:name", scope=PROJECT, ability=Ability.ADMIN_PROTECTED, refusals=(403, 404, 412))
def delete_protected_branch(ctx: WriteContext, project: Project, name: str) -> None:
    """Unprotect a branch or pattern."""
    protected_branch = _found(ctx, project, name)
    ctx.check_unmodified_since(protected_branch.updated_at)
    protection.unprotect_branch(ctx, project, protected_branch.name)
