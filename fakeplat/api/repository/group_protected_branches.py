"""Protected branches of groups, which protect branches of all projects below."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.repository.protected_branches import (
    PROTECTIONS_ARE_CHANGED,
    AccessChangeParams,
    AccessParams,
    ChangedAccessParams,
    ListProtectedBranches,
    ProtectionLevel,
    UnprotectionLevel,
    build_access_levels,
    build_changes,
    read_access_changes,
)
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection
from fakeplat.entities.repository.protected import GroupProtectedBranchView
from fakeplat.model.people import Group
from fakeplat.model.repository import GroupProtectedBranch
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Protected branches", login=Login.ALWAYS, located_first=True)
_PATH: Final = "protected_branches"


@area.operation(
    "GET",
    _PATH,
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=ListProtectedBranches,
    view=GroupProtectedBranchView,
    many=True,
    tier="premium",
    since="17.6",
)
def list_group_protected_branches(
    ctx: ReadContext, group: Group, p: ListProtectedBranches
) -> Sequence[GroupProtectedBranch]:
    """List the protected branches and patterns of a group."""
    text = (p.search or "").lower()
    branches = ctx.world.group_protected_branches.where("group", group.id)
    return [branch for branch in branches if text in branch.name.lower()]


@area.operation(
    "GET",
    f"{_PATH}/:name",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=GroupProtectedBranchView,
    tier="premium",
    since="17.6",
    refusals=(404,),
)
def get_group_protected_branch(ctx: ReadContext, group: Group, name: str) -> GroupProtectedBranch:
    """Get a protected branch or pattern of a group."""
    return _get_protection(ctx, group, name)


def _get_protection(ctx: ReadContext, group: Group, name: str) -> GroupProtectedBranch:
    branch = ctx.world.group_protected_branches.find("name", (group.id, name))
    if branch is None:
        raise NotFound("ProtectedBranch", reason=lambda: f"{describe(ctx.world, group)} protects no branch {name!r}")
    return branch


class ProtectGroupBranch(Params):
    """A new protection."""

    name: str
    push_access_level: ProtectionLevel | None = None
    merge_access_level: ProtectionLevel | None = None
    unprotect_access_level: UnprotectionLevel | None = None
    allowed_to_push: list[AccessParams] | None = None
    allowed_to_merge: list[AccessParams] | None = None
    allowed_to_unprotect: list[AccessParams] | None = None
    allow_force_push: bool = False
    code_owner_approval_required: bool = False


@area.operation(
    "POST",
    _PATH,
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=ProtectGroupBranch,
    view=GroupProtectedBranchView,
    tier="premium",
    since="17.6",
    refusals=(409, 422),
)
def create_group_protected_branch(ctx: WriteContext, group: Group, p: ProtectGroupBranch) -> GroupProtectedBranch:
    """Protect a branch, or all that match a pattern with ``*``, of the projects in a group."""
    return protection.protect_branch_of_group(
        ctx,
        group,
        p.name,
        build_access_levels(p.push_access_level, p.allowed_to_push),
        build_access_levels(p.merge_access_level, p.allowed_to_merge),
        build_access_levels(p.unprotect_access_level, p.allowed_to_unprotect),
        code_owners=bool(p.code_owner_approval_required),
        allow_force_push=bool(p.allow_force_push),
    )


class UpdateGroupBranch(AccessChangeParams):
    """Changes of a protected branch of a group."""

    allowed_to_push: Annotated[list[ChangedAccessParams] | None, PROTECTIONS_ARE_CHANGED] = None
    allow_force_push: bool | None = None
    code_owner_approval_required: bool | None = None


@area.operation(
    "PATCH",
    f"{_PATH}/:name",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=UpdateGroupBranch,
    view=GroupProtectedBranchView,
    tier="premium",
    since="17.6",
    refusals=(404, 422),
)
def update_group_protected_branch(
    ctx: WriteContext, group: Group, name: str, p: UpdateGroupBranch
) -> GroupProtectedBranch:
    """Update a protected branch or pattern of a group."""
    branch = _get_protection(ctx, group, name)
    accesses = read_access_changes(p, p.allowed_to_push)
    changes = build_changes(p.given(), is_paid=True) | protection.change_accesses(branch, accesses)
    return protection.update_branch_of_group(ctx, branch, changes)


@area.operation(
    "DELETE",
    f"{_PATH}/:name",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=GroupProtectedBranchView,
    status=200,
    tier="premium",
    since="17.6",
    refusals=(404,),
)
def delete_group_protected_branch(ctx: WriteContext, group: Group, name: str) -> GroupProtectedBranch:
    """Unprotect a branch or pattern of the projects in a group."""
    branch = _get_protection(ctx, group, name)
    purge(ctx, branch)
    return branch
