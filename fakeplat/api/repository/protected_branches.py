"""Protected branches. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import ForbiddenWithMessage, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Named, NotBlankIfSent, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.repository import protection
from fakeplat.domain.repository.access_levels import AccessChange
from fakeplat.entities.repository.protected import ProtectedBranchView
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access, ProtectedBranch
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import PROTECTED_BRANCHES_ARE_UPDATED, READERS_SEE_PROTECTED_BRANCHES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Protected branches", login=Login.NEVER, located_first=True)
PATH: Final = "protected_branches"
_DEFAULT: Final = Access(Level.MAINTAINER)
"""What an entry grants that names nobody: the default of the platform's database column."""
_NO_CODE_OWNERS: Final = "Feature 'Code Owner Approval Required' is not enabled"

# 0 is nobody, 30 Developers, 40 Maintainers, 60 administrators of the instance.
ProtectionLevel = Literal[0, 30, 40, 60]
# Somebody must be able to remove a protection, so 0 is not among these.
UnprotectionLevel = Literal[30, 40, 60]


class ListProtectedBranches(Paged):
    """Filters of the list of protected branches."""

    search: str | None = None


@area.operation(
    "GET",
    PATH,
    scope=PROJECT,
    params=ListProtectedBranches,
    view=ProtectedBranchView,
    many=True,
    refusals=(403,),
)
def list_protected_branches(ctx: ReadContext, project: Project, p: ListProtectedBranches) -> Sequence[ProtectedBranch]:
    """List protected branches and patterns."""
    _authorize_reading(ctx, project)
    text = (p.search or "").lower()
    protections = ctx.world.protected_branches.where("project", project.id)
    return [branch for branch in protections if text in branch.name.lower()]


def _authorize_reading(ctx: ReadContext, project: Project) -> None:
    """Require the right to change protections; later whoever reads the code sees them."""
    is_open = ctx.profile.has(READERS_SEE_PROTECTED_BRANCHES)
    authorize(ctx, Ability.DOWNLOAD_CODE if is_open else Ability.ADMIN_PROTECTED, project)


@area.operation("GET", f"{PATH}/:name", scope=PROJECT, view=ProtectedBranchView, refusals=(403, 404))
def get_protected_branch(ctx: ReadContext, project: Project, name: str) -> ProtectedBranch:
    """Get a protected branch or pattern."""
    _authorize_reading(ctx, project)
    return _get_protection(ctx, project, name)


def _get_protection(ctx: ReadContext, project: Project, name: str) -> ProtectedBranch:
    protected_branch = ctx.world.protected_branches.find("name", (project.id, name))
    if protected_branch is None:
        names = [branch.name for branch in ctx.world.protected_branches.where("project", project.id)]
        raise RecordNotFound(
            reason=f"no protected branch is named {name!r}; the protected branches are: {', '.join(names) or 'none'}"
        )
    return protected_branch


PROTECTIONS_ARE_CHANGED: Final = Lifetime(since="<=15.9")


class AccessParams(Params):
    """Who is authorized: an access level, a user or the members of a group."""

    access_level: ProtectionLevel | None = None
    user_id: int | None = None
    group_id: int | None = None


class KeyAccessParams(AccessParams):
    """Who is authorized: also a deploy key, which is not part of paid tiers."""

    deploy_key_id: Annotated[int | None, Lifetime(since="17.5")] = None


class ChangedAccessParams(AccessParams):
    """Who is authorized: a new entry, or with an ``id`` the change or the deletion of one."""

    id: int | None = None
    destroy: Annotated[bool | None, Named("_destroy")] = None


class ChangedKeyAccessParams(ChangedAccessParams, KeyAccessParams):
    """Who is authorized: a new entry, the change or the deletion of one, also of a deploy key."""


class AccessChangeParams(Params):
    """Changes of who is authorized to merge and to unprotect, which is part of paid tiers."""

    allowed_to_merge: Annotated[list[ChangedAccessParams] | None, PROTECTIONS_ARE_CHANGED] = None
    allowed_to_unprotect: Annotated[list[ChangedAccessParams] | None, PROTECTIONS_ARE_CHANGED] = None
    unprotect_access_level: Annotated[UnprotectionLevel | None, PROTECTIONS_ARE_CHANGED] = None


class ProtectBranch(Params):
    """A new protection. Lists of users and groups, and code owner approval, are part of paid tiers."""

    name: str
    push_access_level: ProtectionLevel | None = None
    merge_access_level: ProtectionLevel | None = None
    unprotect_access_level: UnprotectionLevel | None = None
    allowed_to_push: list[KeyAccessParams] | None = None
    allowed_to_merge: list[AccessParams] | None = None
    allowed_to_unprotect: list[AccessParams] | None = None
    allow_force_push: Annotated[bool, Lifetime(since="13.11")] = False
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
    is_paid = has_feature(ctx.world, "premium", project)
    return protection.protect_branch(
        ctx,
        project,
        p.name,
        build_access_levels(p.push_access_level, select_in_tier(p.allowed_to_push, is_paid=is_paid)),
        build_access_levels(p.merge_access_level, p.allowed_to_merge if is_paid else None),
        build_access_levels(p.unprotect_access_level, p.allowed_to_unprotect) if is_paid else (),
        code_owners=is_paid and bool(p.code_owner_approval_required),
        allow_force_push=bool(p.allow_force_push),
    )


def select_in_tier(allowed: Sequence[KeyAccessParams] | None, *, is_paid: bool) -> list[KeyAccessParams]:
    """Return who is authorized as far as the tier goes: free ones ignore all but deploy keys; they refuse nothing."""
    return [entry for entry in allowed or () if is_paid or entry.deploy_key_id is not None]


def build_access_levels(level: int | None, allowed: Sequence[AccessParams] | None) -> tuple[Access, ...]:
    """Return the access levels: the given level and the listed ones, or that of Maintainers if there are none."""
    by_level = [Access(level)] if level is not None else []
    listed = [_build_access(entry) for entry in allowed or ()]
    return tuple(dict.fromkeys([*by_level, *listed] or [_DEFAULT]))


def _build_access(entry: AccessParams) -> Access:
    key_id = entry.deploy_key_id if isinstance(entry, KeyAccessParams) else None
    access = Access(entry.access_level, entry.user_id, entry.group_id, deploy_key_id=key_id)
    return _DEFAULT if access == Access() else access


class UpdateProtectedBranch(AccessChangeParams):
    """Changes of a protected branch. Code owner approval and access but of deploy keys are part of paid tiers."""

    allowed_to_push: Annotated[list[ChangedKeyAccessParams] | None, PROTECTIONS_ARE_CHANGED] = None
    code_owner_approval_required: bool = False
    allow_force_push: Annotated[bool | None, NotBlankIfSent, Lifetime(since="15.6")] = None


@area.operation(
    "PATCH",
    f"{PATH}/:name",
    scope=PROJECT,
    ability=Ability.ADMIN_PROTECTED,
    params=UpdateProtectedBranch,
    view=ProtectedBranchView,
    refusals=(403, 404, 422),
)
def update_protected_branch(
    ctx: WriteContext, project: Project, name: str, p: UpdateProtectedBranch
) -> ProtectedBranch:
    """Update a protected branch: at first only whether code owners must approve changes of it (paid)."""
    is_paid = has_feature(ctx.world, "premium", project)
    if ctx.profile.has(PROTECTED_BRANCHES_ARE_UPDATED):
        protected_branch = _get_protection(ctx, project, name)
        protection.check_can_change(ctx, project, protected_branch)
        changes = build_changes(p.given(), is_paid=is_paid)
        accesses = read_access_changes(p, p.allowed_to_push) if is_paid else _read_new_keys(p.allowed_to_push)
        changes |= protection.change_accesses(protected_branch, accesses)
        return protection.update_branch(ctx, protected_branch, changes)
    # Free tiers have no code owners: the 403 precedes the lookup of the branch.
    if not is_paid:
        raise ForbiddenWithMessage(_NO_CODE_OWNERS, reason="code owner approval is part of paid tiers")
    changes = {"code_owner_approval_required": bool(p.code_owner_approval_required)}
    return protection.update_branch(ctx, _get_protection(ctx, project, name), changes)


_GRANT: Final = {
    "access_level": "level",
    "user_id": "user_id",
    "group_id": "group_id",
    "deploy_key_id": "deploy_key_id",
}


def read_access_changes(
    p: AccessChangeParams, pushing: Sequence[ChangedAccessParams] | None
) -> dict[protection.ListName, list[AccessChange]]:
    """Return the changes of each list of a protected branch that were sent."""
    sent: dict[protection.ListName, Sequence[ChangedAccessParams] | None] = {
        "push": pushing,
        "merge": p.allowed_to_merge,
        "unprotect": p.allowed_to_unprotect,
    }
    # What is new has nothing to delete.
    changes = {
        name: [_read_change(row) for row in rows if row.id is not None or not row.destroy]
        for name, rows in sent.items()
        if rows
    }
    if p.unprotect_access_level is not None:
        by_level = AccessChange({"level": p.unprotect_access_level})
        changes["unprotect"] = [by_level, *changes.get("unprotect", ())]
    return changes


def _read_new_keys(pushing: Sequence[KeyAccessParams] | None) -> dict[protection.ListName, list[AccessChange]]:
    """Return the changes that free tiers make."""
    keys = select_in_tier(pushing, is_paid=False)
    return {"push": [AccessChange({"deploy_key_id": key.deploy_key_id}) for key in keys]}


def _read_change(row: ChangedAccessParams) -> AccessChange:
    given = row.given()
    grant: Any = {field: given[name] for name, field in _GRANT.items() if given.get(name) is not None}
    if row.id is None and not grant:
        grant = {"level": _DEFAULT.level}
    return AccessChange(grant, row.id, bool(row.destroy))


def build_changes(sent: Mapping[str, object], *, is_paid: bool) -> protection.BranchChanges:
    """Return what was sent to change a protected branch, without what is part of paid tiers in the others."""
    changes = protection.BranchChanges()
    if "allow_force_push" in sent:
        changes["allow_force_push"] = bool(sent["allow_force_push"])
    if "code_owner_approval_required" in sent and is_paid:
        changes["code_owner_approval_required"] = bool(sent["code_owner_approval_required"])
    return changes


@area.operation("DELETE", f"{PATH}/:name", scope=PROJECT, ability=Ability.ADMIN_PROTECTED, refusals=(403, 404, 412))
def delete_protected_branch(ctx: WriteContext, project: Project, name: str) -> None:
    """Unprotect a branch or pattern."""
    protected_branch = _get_protection(ctx, project, name)
    ctx.check_unmodified_since(protected_branch.updated_at)
    protection.unprotect_branch(ctx, project, protected_branch.name)
