"""Protected branches and tags: who may push, merge and create. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from fakeplat.core.operations.errors import Conflict, Forbidden, Unprocessable
from fakeplat.domain.purging import purge
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.repositories import Access, ProtectedBranch, ProtectedTag
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors, level_within, project_level

NO_ONE: Final = 0
ADMINISTRATORS: Final = 60

DEFAULT_STAYS: Final = "The default branch of a project cannot be deleted."
NO_NEW_BRANCH: Final = "You are not allowed to create protected branches on this project."
BRANCH_STAYS: Final = (
    "You are not allowed to delete protected branches from this project. "
    "Only a project maintainer or owner can delete a protected branch."
)
BRANCH_STAYS_HERE: Final = "You can only delete protected branches using the web interface."
NO_NEW_TAG: Final = "You are not allowed to create this tag as it is protected."
TAG_STAYS: Final = "Protected tags cannot be deleted."
COLLABORATION: Final[list[Callable[[ReadContext, Project, str | None], bool]]] = []
"""What else lets the caller push to a branch that is not protected; without a branch, to any."""
_BY_SETTING: Final = {
    0: None,
    1: (Level.DEVELOPER, Level.MAINTAINER),
    2: (Level.MAINTAINER, Level.MAINTAINER),
    3: (Level.MAINTAINER, Level.DEVELOPER),
}


def list_branch_rules(world: World, project: Project, name: str) -> list[ProtectedBranch]:
    """What protects a branch: exact names and patterns with ``*``."""
    return [one for one in world.protected_branches.where("project", project.id) if _covers(one.name, name)]


def list_tag_rules(world: World, project: Project, name: str) -> list[ProtectedTag]:
    """What protects a tag."""
    return [one for one in world.protected_tags.where("project", project.id) if _covers(one.name, name)]


def can_push(ctx: ReadContext, project: Project, branch: str) -> bool:
    """Whether the caller may push to a branch, protected or not."""
    over = list_branch_rules(ctx.world, project, branch)
    if not over:
        return can_push_code(ctx, project, branch)
    return can(ctx, Ability.PUSH_CODE, project) and any(_admits(ctx, project, one.push) for one in over)


def can_push_code(ctx: ReadContext, project: Project, branch: str | None = None) -> bool:
    """Whether the caller may push code to a branch, or to any: by level, or because a merge request allows it."""
    if can(ctx, Ability.PUSH_CODE, project):
        return True
    return not project.archived and any(lets_push(ctx, project, branch) for lets_push in COLLABORATION)


def can_merge(ctx: ReadContext, project: Project, branch: str) -> bool:
    """Whether the caller may merge into a branch; of an archived project into none."""
    over = list_branch_rules(ctx.world, project, branch)
    if not over:
        return can(ctx, Ability.PUSH_CODE, project)
    admitted = any(_admits(ctx, project, one.merge) or _admits(ctx, project, one.push) for one in over)
    return admitted and not project.archived and can(ctx, Ability.DOWNLOAD_CODE, project)


def can_create_tag(ctx: ReadContext, project: Project, tag: str) -> bool:
    """Whether the caller may create a tag."""
    over = list_tag_rules(ctx.world, project, tag)
    return can(ctx, Ability.PUSH_CODE, project) and (not over or any(_admits(ctx, project, one.create) for one in over))


def branch_permissions(world: World, accesses: Iterable[Access]) -> list[Access]:
    """Who is admitted, without users and groups that are gone."""
    return [one for one in accesses if _stands(world, one)]


def _stands(world: World, one: Access) -> bool:
    if one.user_id is not None:
        return world.users.get(one.user_id) is not None
    return one.group_id is None or world.namespaces.get(one.group_id) is not None


def can_developers(world: World, project: Project, branch: str) -> tuple[bool, bool]:
    """Whether Developers may push to a protected branch, and merge into it; of an unprotected one it says no."""
    over = list_branch_rules(world, project, branch)
    return _for_developers(one.push for one in over), _for_developers(one.merge for one in over)


def _for_developers(accesses: Iterable[Iterable[Access]]) -> bool:
    return any(access.level == Level.DEVELOPER for many in accesses for access in many)


def protect_branch(
    ctx: WriteContext,
    project: Project,
    name: str,
    push: tuple[Access, ...],
    merge: tuple[Access, ...],
    unprotect: tuple[Access, ...] = (),
    *,
    code_owners: bool = False,
) -> ProtectedBranch:
    """Protect the branches that a name or pattern stands for. 409 if it is protected, 422 for what cannot be."""
    table = ctx.world.protected_branches
    if table.find("name", (project.id, name)):
        raise Conflict(f"Protected branch '{name}' already exists")
    faults = [*_name_faults(name), *_faults(ctx.world, project, {"Push": push, "Merge": merge, "Unprotect": unprotect})]
    if faults:
        raise Unprocessable(faults)
    return table.add(
        ProtectedBranch(table.next_id(), project.id, name, push, merge, unprotect, code_owners, ctx.now_iso)
    )


def protect_for_developers(
    ctx: WriteContext, project: Project, branch: str, *, push: bool | None, merge: bool | None
) -> ProtectedBranch:
    """Protect one branch as the old API does: for Maintainers, and for Developers where that is said."""
    table = ctx.world.protected_branches
    found = table.find("name", (project.id, branch))
    if found is None:
        return protect_branch(ctx, project, branch, _old_access(push), _old_access(merge))
    return table.change(
        found,
        push=found.push if push is None else _old_access(push),
        merge=found.merge if merge is None else _old_access(merge),
        updated_at=ctx.now_iso,
    )


def _old_access(developers: bool | None) -> tuple[Access, ...]:
    return (Access(Level.DEVELOPER if developers else Level.MAINTAINER),)


def unprotect_branch(ctx: WriteContext, project: Project, name: str) -> None:
    """Take a protection away, if there is one. 403 for whom its own rule does not admit."""
    found = ctx.world.protected_branches.find("name", (project.id, name))
    if found is None:
        return
    if found.unprotect and not _admits(ctx, project, found.unprotect):
        raise Forbidden(reason=f"protected branch {name!r} may be unprotected by others only")
    purge(ctx, found)


def protect_tag(ctx: WriteContext, project: Project, name: str, create: tuple[Access, ...]) -> ProtectedTag:
    """Protect the tags that a name or pattern stands for. 422 if it is protected, or for what cannot be."""
    table = ctx.world.protected_tags
    taken = ["Name has already been taken"] if table.find("name", (project.id, name)) else []
    faults = [*taken, *_name_faults(name), *_faults(ctx.world, project, {"Create": create})]
    if faults:
        raise Unprocessable(faults)
    return table.add(ProtectedTag(table.next_id(), project.id, name, create, ctx.now_iso))


def _name_faults(name: str) -> list[str]:
    return [] if name.strip() else ["Name can't be blank"]


def _faults(world: World, project: Project, accesses: Mapping[str, tuple[Access, ...]]) -> Iterator[str]:
    """Users and groups must have to do with the project."""
    for word, many in accesses.items():
        for one in many:
            if one.user_id is not None and project_level(world, project, one.user_id) < Level.GUEST:
                yield f"{word} access levels user is not a member of the project"
            if one.group_id is not None and not _has_access(world, project, one.group_id):
                yield f"{word} access levels group does not have access to the project"


def _has_access(world: World, project: Project, group_id: int) -> bool:
    shared = world.shares.find("pair", (("project", project.id), group_id)) is not None
    return shared or any(place.id == group_id for place in ancestors(world, project.namespace_id))


def protect_default(ctx: WriteContext, project: Project, branch: str) -> None:
    """Protect a default branch as the group's or the instance's setting says, unless it is protected already."""
    namespace = ctx.world.namespaces[project.namespace_id]
    setting = namespace if isinstance(namespace, Group) else ctx.world.settings
    levels = _BY_SETTING[setting.default_branch_protection]
    if levels is None or ctx.world.protected_branches.find("name", (project.id, branch)):
        return
    table, (push, merge) = ctx.world.protected_branches, levels
    accesses = (Access(push),), (Access(merge),)
    table.add(ProtectedBranch(table.next_id(), project.id, branch, *accesses, updated_at=ctx.now_iso))


def _covers(pattern: str, name: str) -> bool:
    """Only ``*`` is special."""
    return pattern == name or ("*" in pattern and fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]")))


def _admits(ctx: ReadContext, project: Project, access: Iterable[Access]) -> bool:
    return any(_is_admitted(ctx, project, one) for one in access)


def _is_admitted(ctx: ReadContext, project: Project, one: Access) -> bool:
    user = ctx.viewer
    if user is None or one.level == NO_ONE:
        return False
    if ctx.admin:
        return True
    if one.user_id is not None:
        return one.user_id == user.id
    if one.group_id is not None:
        return level_within(ctx.world, one.group_id, user.id) >= Level.GUEST
    return one.level is not None and level_on(ctx, project) >= one.level
