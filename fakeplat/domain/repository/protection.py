"""Protected branches and tags: who may push, merge and create. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, TypedDict

from fakeplat.core.operations.errors import Conflict, Forbidden, Unprocessable
from fakeplat.domain import settings, signals
from fakeplat.domain.projects import deploy_keys
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import access_levels
from fakeplat.domain.repository.access_levels import AccessChange, Grant, grantee_of
from fakeplat.domain.settings import DEFAULT_BRANCH_PROTECTIONS
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access, GroupProtectedBranch, ProtectedBranch, ProtectedTag
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, level_name, level_on
from fakeplat.policy.behaviours import ADMINISTRATORS_BYPASS_PROTECTION, GROUP_PROTECTED_BRANCHES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors, group_level, is_archived, level_within, project_level

NO_ONE: Final = 0
# Above every level, so that only administrators, who are admitted before levels are compared, pass it.
ADMINISTRATORS: Final = 60
_LEVELS: Final = (NO_ONE, Level.DEVELOPER, Level.MAINTAINER, ADMINISTRATORS)

CANNOT_DELETE_DEFAULT_BRANCH: Final = "The default branch of a project cannot be deleted."
CANNOT_CREATE_BRANCH: Final = "You are not allowed to create protected branches on this project."
CANNOT_DELETE_BRANCH: Final = (
    "You are not allowed to delete protected branches from this project. "
    "Only a project maintainer or owner can delete a protected branch."
)
DELETE_BRANCH_ON_WEB_ONLY: Final = "You can only delete protected branches using the web interface."
CANNOT_CREATE_TAG: Final = "You are not allowed to create this tag as it is protected."
CANNOT_DELETE_TAG: Final = "Protected tags cannot be deleted."


def list_branch_rules(world: World, project: Project, name: str) -> list[ProtectedBranch]:
    """Return the rules that protect a branch, by exact name or pattern with ``*``; those of groups come last."""
    return [rule for rule in list_all_rules(world, project) if matches(rule.name, name)]


def list_all_rules(world: World, project: Project) -> list[ProtectedBranch]:
    """Return the rules that protect branches of a project; those of groups come last."""
    return [*world.protected_branches.where("project", project.id), *list_group_rules(world, project)]


def has_group_rules(world: World) -> bool:
    """Return whether groups can protect branches, which came with a later release of paid tiers."""
    return world.profile.has(GROUP_PROTECTED_BRANCHES) and world.instance.has("premium")


def list_group_rules(world: World, project: Project) -> Iterator[ProtectedBranch]:
    """Yield the rules of groups that protect branches of a project, as rules of the project."""
    for group in ancestors(world, project.namespace_id) if has_group_rules(world) else ():
        for rule in world.group_protected_branches.where("group", group.id):
            accesses = rule.push, rule.merge, rule.unprotect
            rest = rule.code_owner_approval_required, rule.updated_at, rule.allow_force_push
            yield ProtectedBranch(rule.id, project.id, rule.name, *accesses, *rest)


def protect_branch_of_group(
    ctx: WriteContext,
    group: Group,
    name: str,
    push: tuple[Access, ...],
    merge: tuple[Access, ...],
    unprotect: tuple[Access, ...],
    *,
    code_owners: bool = False,
    allow_force_push: bool = False,
) -> GroupProtectedBranch:
    """Protect branches of all projects in a group; 409 if protected already, 422 for an invalid name."""
    table = ctx.world.group_protected_branches
    if table.find("name", (group.id, name)):
        raise Conflict(f"Protected branch '{name}' already exists")
    errors = _find_name_errors(name)
    if errors:
        raise Unprocessable(errors)
    accesses = push, merge, unprotect
    return table.add(
        GroupProtectedBranch(
            table.next_id(),
            group.id,
            name,
            *accesses,
            code_owner_approval_required=code_owners,
            updated_at=ctx.now_iso,
            allow_force_push=allow_force_push,
        )
    )


def list_tag_rules(world: World, project: Project, name: str) -> list[ProtectedTag]:
    """Return the rules that protect a tag."""
    return [rule for rule in world.protected_tags.where("project", project.id) if matches(rule.name, name)]


def can_push(ctx: ReadContext, project: Project, branch: str) -> bool:
    """Return whether the caller may push to a branch, protected or not."""
    rules = list_branch_rules(ctx.world, project, branch)
    if not rules:
        return can_push_code(ctx, project, branch)
    # One rule that admits the caller is enough, even if another one covers the branch too and does not.
    return can(ctx, Ability.PUSH_CODE, project) and any(admits(ctx, project, rule.push) for rule in rules)


def can_force_push(world: World, project: Project, branch: str) -> bool:
    """Return whether a rule of a protected branch allows forced pushes by those who may push."""
    return any(rule.allow_force_push for rule in list_branch_rules(world, project, branch))


def can_push_code(ctx: ReadContext, project: Project, branch: str | None = None) -> bool:
    """Return whether the caller may push code to a branch, or to any: by level, or allowed by a merge request."""
    if can(ctx, Ability.PUSH_CODE, project):
        return True
    # The ability excludes archived projects itself; collaboration must not open them again.
    return not is_archived(ctx.world, project) and _is_collaborated_on(ctx, project, branch)


def _is_collaborated_on(ctx: ReadContext, project: Project, branch: str | None) -> bool:
    """Return whether a merge request allows the caller to push to a branch of a fork, as they may merge it."""
    world = ctx.world
    collaborating = (
        (world.projects[merge_request.project_id], merge_request.target_branch)
        for merge_request in world.merge_requests.where("source_project", project.id)
        if merge_request.is_open and merge_request.allow_collaboration and merge_request.project_id != project.id
        if branch in (None, merge_request.source_branch)
    )
    return any(can_merge(ctx, target, name) for target, name in collaborating)


def explain_merge(ctx: ReadContext, project: Project, branch: str) -> str:
    """Explain why the caller may not merge into a branch."""
    rules = list_branch_rules(ctx.world, project, branch)
    accesses = [access for rule in rules for access in (*rule.merge, *rule.push)]
    levels = {access.level for access in accesses if access.level in (Level.DEVELOPER, Level.MAINTAINER)}
    needed = min(levels, default=None) if rules else Level.DEVELOPER
    return (
        f"{caller_name(ctx)} may not merge into {branch!r}, which needs "
        f"{'to be named by its protection' if needed is None else level_name(needed)}; "
        f"{caller_name(ctx)} has {level_name(counted_level(ctx, project))}"
    )


def can_merge(ctx: ReadContext, project: Project, branch: str) -> bool:
    """Return whether the caller may merge into a branch; never in an archived project."""
    rules = list_branch_rules(ctx.world, project, branch)
    if not rules:
        return can(ctx, Ability.PUSH_CODE, project)
    # Whoever may push may also merge.
    admitted = any(admits(ctx, project, rule.merge) or admits(ctx, project, rule.push) for rule in rules)
    return admitted and not is_archived(ctx.world, project) and can(ctx, Ability.DOWNLOAD_CODE, project)


def can_create_tag(ctx: ReadContext, project: Project, tag: str) -> bool:
    """Return whether the caller may create a tag."""
    rules = list_tag_rules(ctx.world, project, tag)
    return can(ctx, Ability.PUSH_CODE, project) and (
        not rules or any(admits(ctx, project, rule.create) for rule in rules)
    )


def is_protected(world: World, project: Project, ref: str, *, tag: bool = False) -> bool:
    """Return whether a rule protects a branch or tag; none protects the ref of a merge request's pipeline."""
    return bool(list_tag_rules(world, project, ref) if tag else list_branch_rules(world, project, ref))


def can_update_ref(ctx: ReadContext, project: Project, ref: str, *, tag: bool = False) -> bool:
    """Return whether the caller may change a branch by a push or a merge, or create a tag; so also run its jobs."""
    if tag:
        return can_create_tag(ctx, project, ref)
    return can_push(ctx, project, ref) or can_merge(ctx, project, ref)


def without_deleted_grantees(world: World, accesses: Iterable[Access]) -> list[Access]:
    """Return the access entries without deleted users and groups."""
    return [access for access in accesses if is_grantee_present(world, access)]


def is_grantee_present(world: World, access: Access) -> bool:
    """Return whether the user, group or deploy key of an access entry still exists."""
    if access.user_id is not None:
        return world.users.get(access.user_id) is not None
    if access.deploy_key_id is not None:
        return world.deploy_keys.get(access.deploy_key_id) is not None
    return access.group_id is None or world.namespaces.get(access.group_id) is not None


def developer_access(world: World, project: Project, branch: str) -> tuple[bool, bool]:
    """Return whether Developers may push to a protected branch, and merge into it; false for an unprotected one."""
    rules = list_branch_rules(world, project, branch)
    return _includes_developers(rule.push for rule in rules), _includes_developers(rule.merge for rule in rules)


def _includes_developers(accesses: Iterable[Iterable[Access]]) -> bool:
    return any(access.level == Level.DEVELOPER for entries in accesses for access in entries)


def protect_branch(
    ctx: WriteContext,
    project: Project,
    name: str,
    push: tuple[Access, ...],
    merge: tuple[Access, ...],
    unprotect: tuple[Access, ...] = (),
    *,
    code_owners: bool = False,
    allow_force_push: bool = False,
) -> ProtectedBranch:
    """Protect branches by name or pattern. 409 if protected already, 422 for invalid access levels or names."""
    table = ctx.world.protected_branches
    # The same text again is a conflict; a pattern that covers an existing rule is not.
    if table.find("name", (project.id, name)):
        raise Conflict(f"Protected branch '{name}' already exists")
    errors = [
        *_find_name_errors(name),
        *_find_access_errors(ctx.world, project, {"Push": push, "Merge": merge, "Unprotect": unprotect}),
    ]
    if errors:
        raise Unprocessable(errors)
    accesses = push, merge, unprotect
    rule = table.add(
        ProtectedBranch(table.next_id(), project.id, name, *accesses, code_owners, ctx.now_iso, allow_force_push)
    )
    signals.post_create.send(ctx, rule)
    return rule


def protect_for_developers(
    ctx: WriteContext, project: Project, branch: str, *, push: bool | None, merge: bool | None
) -> ProtectedBranch:
    """Protect a branch through the old API: for Maintainers, and for Developers if requested."""
    table = ctx.world.protected_branches
    rule = table.find("name", (project.id, branch))
    if rule is None:
        return protect_branch(ctx, project, branch, _access_for_role(push), _access_for_role(merge))
    return table.change(
        rule,
        push=rule.push if push is None else _access_for_role(push),
        merge=rule.merge if merge is None else _access_for_role(merge),
        updated_at=ctx.now_iso,
    )


def _access_for_role(developers: bool | None) -> tuple[Access, ...]:
    return (Access(Level.DEVELOPER if developers else Level.MAINTAINER),)


def unprotect_branch(ctx: WriteContext, project: Project, name: str) -> None:
    """Remove a branch protection, if there is one. 403 if its own rule does not admit the caller."""
    rule = ctx.world.protected_branches.find("name", (project.id, name))
    if rule is None:
        return
    check_can_change(ctx, project, rule)
    purge(ctx, rule)


def check_can_change(ctx: ReadContext, project: Project, rule: ProtectedBranch) -> None:
    """Refuse with 403 if a rule does not admit the caller to those who may unprotect."""
    # A rule without such entries may be changed by everyone who may administer protections.
    if rule.unprotect and not admits(ctx, project, rule.unprotect):
        raise Forbidden(
            reason=f"protected branch {rule.name!r} may only be unprotected by the users in its unprotect access levels"
        )


class BranchChanges(TypedDict, total=False):
    """Changes of a protected branch."""

    allow_force_push: bool
    code_owner_approval_required: bool
    push: tuple[Access, ...]
    merge: tuple[Access, ...]
    unprotect: tuple[Access, ...]


ListName = Literal["push", "merge", "unprotect"]
_LISTS: Final[Mapping[str, ListName]] = {"Push": "push", "Merge": "merge", "Unprotect": "unprotect"}


def change_accesses(
    rule: ProtectedBranch | GroupProtectedBranch, changes: Mapping[ListName, Sequence[AccessChange]]
) -> BranchChanges:
    """Return the lists of a rule that some changes result in."""
    changed = BranchChanges()
    for name, rows in changes.items():
        changed[name] = access_levels.change(rule, getattr(rule, name), rows, Access)
    return changed


def replace_accesses(rule: ProtectedBranch, wanted: Mapping[ListName, Sequence[Access]]) -> BranchChanges:
    """Return the lists of a rule that are to grant what is wanted; what they grant already keeps its number."""
    return change_accesses(rule, {name: _list_changes(rule, name, accesses) for name, accesses in wanted.items()})


def _list_changes(rule: ProtectedBranch, name: ListName, wanted: Sequence[Access]) -> list[AccessChange]:
    rows = access_levels.with_ids(rule, getattr(rule, name))
    held, kept = {grantee_of(row) for row in rows.values()}, {grantee_of(access) for access in wanted}
    ends = [AccessChange({}, id_, destroy=True) for id_, row in rows.items() if grantee_of(row) not in kept]
    return [*ends, *(AccessChange(_to_grant(access)) for access in wanted if grantee_of(access) not in held)]


def _to_grant(access: Access) -> Grant:
    return {
        "level": access.level,
        "user_id": access.user_id,
        "group_id": access.group_id,
        "deploy_key_id": access.deploy_key_id,
    }


def _collect_lists(changes: BranchChanges) -> dict[str, tuple[Access, ...]]:
    return {label: changes[name] for label, name in _LISTS.items() if name in changes}


def update_branch(ctx: WriteContext, rule: ProtectedBranch, changes: BranchChanges) -> ProtectedBranch:
    """Change a protected branch; 422 for invalid access levels."""
    lists, project = _collect_lists(changes), ctx.world.projects[rule.project_id]
    unpaid = () if has_feature(ctx.world, "premium", project) else _find_unpaid(lists)
    errors = [*access_levels.find_duplicates(lists), *unpaid, *_find_access_errors(ctx.world, project, lists)]
    if errors:
        raise Unprocessable(errors)
    return ctx.world.protected_branches.change(rule, **changes, updated_at=ctx.now_iso)


def _find_unpaid(lists: Mapping[str, tuple[Access, ...]]) -> Iterator[str]:
    """Yield errors for users and groups, who are named in paid tiers only."""
    for label, entries in lists.items():
        for word, _ in map(grantee_of, entries):
            if word in ("user", "group"):
                yield f"{label} access levels {word} must be blank"


def update_branch_of_group(
    ctx: WriteContext, rule: GroupProtectedBranch, changes: BranchChanges
) -> GroupProtectedBranch:
    """Change a protected branch of a group; 422 for invalid access levels."""
    errors = access_levels.find_duplicates(_collect_lists(changes))
    if errors:
        raise Unprocessable(errors)
    return ctx.world.group_protected_branches.change(rule, **changes, updated_at=ctx.now_iso)


def protect_tag(ctx: WriteContext, project: Project, name: str, create: tuple[Access, ...]) -> ProtectedTag:
    """Protect tags by name or pattern. 422 if protected already, or for invalid access levels or names."""
    table = ctx.world.protected_tags
    taken = ["Name has already been taken"] if table.find("name", (project.id, name)) else []
    errors = [*taken, *_find_name_errors(name), *_find_access_errors(ctx.world, project, {"Create": create})]
    if errors:
        raise Unprocessable(errors)
    return table.add(ProtectedTag(table.next_id(), project.id, name, create, ctx.now_iso))


def _find_name_errors(name: str) -> list[str]:
    return [] if name.strip() else ["Name can't be blank"]


def _find_access_errors(world: World, project: Project, accesses: Mapping[str, tuple[Access, ...]]) -> Iterator[str]:
    """Check that the users, groups and deploy keys have access to the project."""
    for label, entries in accesses.items():
        for access in entries:
            if access.level is not None and access.level not in _LEVELS:
                yield f"{label} access levels access level is not included in the list"
            if access.user_id is not None and project_level(world, project, access.user_id) < Level.GUEST:
                yield f"{label} access levels user is not a member of the project"
            if access.group_id is not None and not _has_access(world, project, access.group_id):
                yield f"{label} access levels group does not have access to the project"
            if access.deploy_key_id is not None:
                yield from (
                    f"{label} access levels deploy key {problem}"
                    for problem in _find_key_errors(world, project, access.deploy_key_id)
                )


def _find_key_errors(world: World, project: Project, key_id: int) -> Iterator[str]:
    key = world.deploy_keys.get(key_id)
    if key is None:
        yield "can't be blank"
        return
    if key.user_id is None or project_level(world, project, key.user_id) < Level.GUEST:
        yield "owner is not a project member"
    link = deploy_keys.find_in_project(world, project, key_id)
    if link is None or not link.can_push:
        yield "is not enabled for this project"


def _has_access(world: World, project: Project, group_id: int) -> bool:
    shared = world.shares.find("pair", (("project", project.id), group_id)) is not None
    return shared or any(container.id == group_id for container in ancestors(world, project.namespace_id))


def protect_default(ctx: WriteContext, project: Project, branch: str) -> None:
    """Protect a default branch according to the setting of the group or instance, unless it is protected already."""
    namespace = ctx.world.namespaces[project.namespace_id]
    # A group has a setting of its own; personal projects follow the instance.
    if isinstance(namespace, Group):
        protection = settings.group_branch_protection(namespace)
    else:
        protection = settings.default_branch_protection(ctx.world.settings)
    if _protects_nothing(protection) or ctx.world.protected_branches.find("name", (project.id, branch)):
        return
    table = ctx.world.protected_branches
    pushing, merging = (_accesses(protection, key) for key in ("allowed_to_push", "allowed_to_merge"))
    forcing = bool(protection.get("allow_force_push"))
    table.add(
        ProtectedBranch(
            table.next_id(), project.id, branch, pushing, merging, allow_force_push=forcing, updated_at=ctx.now_iso
        )
    )


def _protects_nothing(protection: Mapping[str, Any]) -> bool:
    return protection == DEFAULT_BRANCH_PROTECTIONS[0]


def _accesses(protection: Mapping[str, Any], key: str) -> tuple[Access, ...]:
    return tuple(Access(entry["access_level"]) for entry in protection.get(key, ()))


def matches(pattern: str, name: str) -> bool:
    """Return whether a pattern matches a name; only ``*`` is special."""
    # Fnmatch also knows ``[`` and ``?``, which are literal characters here.
    return pattern == name or ("*" in pattern and fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]")))


def admits(ctx: ReadContext, container: Project | Group, access: Iterable[Access]) -> bool:
    """Return whether one of the access entries is for the caller."""
    return any(_is_admitted(ctx, container, entry) for entry in access)


def _is_admitted(ctx: ReadContext, container: Project | Group, access: Access) -> bool:
    user = ctx.viewer
    # Checked first, because ``No one`` excludes even administrators.
    if user is None or access.level == NO_ONE:
        return False
    if ctx.admin and (access.level == ADMINISTRATORS or ctx.profile.has(ADMINISTRATORS_BYPASS_PROTECTION)):
        return True
    if access.user_id is not None:
        return access.user_id == user.id
    if access.deploy_key_id is not None:
        return _is_key_of(ctx.world, container, access.deploy_key_id, user.id)
    if access.group_id is not None:
        # Membership of the group is what counts, at any level.
        return level_within(ctx.world, access.group_id, user.id) >= Level.GUEST
    return access.level is not None and counted_level(ctx, container) >= access.level


def _is_key_of(world: World, container: Project | Group, key_id: int, user_id: int) -> bool:
    key = world.deploy_keys.get(key_id)
    is_own = key is not None and key.user_id == user_id
    return is_own and isinstance(container, Project) and not any(_find_key_errors(world, container, key_id))


def counted_level(ctx: ReadContext, container: Project | Group) -> int:
    """Return the level that counts here: administrators may have lost theirs, and are members like all others."""
    if ctx.viewer is None or ctx.profile.has(ADMINISTRATORS_BYPASS_PROTECTION):
        return level_on(ctx, container)
    if isinstance(container, Group):
        return group_level(ctx.world, container, ctx.viewer.id)
    return project_level(ctx.world, container, ctx.viewer.id)
