"""Protected branches and tags of projects.

If the key is present, the default branch of a repository in the same entry is not protected automatically.
"""

from collections.abc import Iterable, Sequence
from typing import Final, get_args

from fakeplat.core.schema.shapes import BOOLEAN, INTEGER, TEXT, Choice, ListOf, Object, Shape, Union
from fakeplat.domain.people.namespaces import full_path
from fakeplat.domain.projects import deploy_keys
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection, repositories
from fakeplat.model.people import Level
from fakeplat.model.projects import Project, SquashOption
from fakeplat.model.repository import Access, GroupProtectedBranch, ProtectedBranch, ProtectedTag
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_LEVELS: Final = {
    "no one": protection.NO_ONE,
    "developer": int(Level.DEVELOPER),
    "maintainer": int(Level.MAINTAINER),
    "admin": protection.ADMINISTRATORS,
}
ACCESS_LEVELS: Final = ListOf(
    Union(
        Choice(*_LEVELS, *_LEVELS.values()),
        Object(
            {"user": TEXT, "group": TEXT, "deploy_key": TEXT, "group_inheritance_type": INTEGER},
            one_of=("user", "group", "deploy_key"),
            descriptions={
                "deploy_key": "The text of a deploy key that may push to branches or create tags.",
                "group_inheritance_type": "1 if members of the groups above count, too, for environments.",
            },
        ),
    )
)
_DEFAULT_ACCESS: Final = (Access(Level.MAINTAINER),)
_BRANCH: Final = {
    "push": "push_access_levels",
    "merge": "merge_access_levels",
    "unprotect": "unprotect_access_levels",
}
_CODE_OWNERS: Final = "code_owner_approval_required"
_FORCE: Final = "allow_force_push"
_SQUASH: Final = "squash_option"
_TAG: Final = {"create": "create_access_levels"}


def parse_access_levels(entry: Entry, key: str, default: tuple[Access, ...] = _DEFAULT_ACCESS) -> tuple[Access, ...]:
    """Return the access entries under a key."""
    if key not in entry.values:
        return default
    # Deploy keys come later, when they are there.
    return tuple(_parse_access(entry, key, value) for value in entry.values[key] if not _is_of_key(value))


def _is_of_key(value: object) -> bool:
    return isinstance(value, dict) and "deploy_key" in value


def _defer_keys(entry: Entry, rule: ProtectedBranch | ProtectedTag, kind: str, key: str) -> None:
    """Give deploy keys access to what a rule protects, once they are there."""
    texts = [value["deploy_key"] for value in entry.values.get(key, ()) if _is_of_key(value)]
    if texts:
        entry.defer(lambda: _add_keys(entry.ctx, rule, kind, texts))


def _add_keys(ctx: WriteContext, rule: ProtectedBranch | ProtectedTag, kind: str, texts: Sequence[str]) -> None:
    found = [deploy_key for text in texts if (deploy_key := deploy_keys.find_by_text(ctx.world, text)) is not None]
    accesses = (*getattr(rule, kind), *(Access(deploy_key_id=deploy_key.id) for deploy_key in found))
    if isinstance(rule, ProtectedTag):
        ctx.world.protected_tags.change(rule, create=accesses)
    else:
        ctx.world.protected_branches.change(rule, push=accesses)


def _parse_access(entry: Entry, key: str, value: str | int | dict[str, str]) -> Access:
    if not isinstance(value, dict):
        # A level can be given by name or by number; numbers are not keys of the mapping.
        return Access(_LEVELS[value] if isinstance(value, str) else value)
    if "user" in value:
        return Access(user_id=entry.get_user(value["user"], key).id)
    inherits = int(value.get("group_inheritance_type", 0))
    return Access(group_id=entry.get_group(value["group"], key).id, group_inheritance_type=inherits)


def serialize_access_levels(world: World, accesses: Sequence[Access]) -> list[EntryData | int | None]:
    """Return access entries as scenarios have them."""
    return [_serialize_access(world, access) for access in protection.without_deleted_grantees(world, accesses)]


def _serialize_access(world: World, access: Access) -> EntryData | int | None:
    if access.user_id is not None:
        return {"user": serialization.username_of(world, access.user_id)}
    if access.group_id is not None:
        kind = {"group_inheritance_type": access.group_inheritance_type} if access.group_inheritance_type else {}
        return {"group": full_path(world, world.namespaces[access.group_id]), **kind}
    if access.deploy_key_id is not None:
        return {"deploy_key": world.deploy_keys[access.deploy_key_id].key}
    return None if access.level is None else int(access.level)


def _create_branch(entry: Entry) -> ProtectedBranch:
    project, name = entry.owner, entry.values["name"]
    existing = entry.world.protected_branches.find("name", (project.id, name))
    if existing is not None:
        purge(entry.ctx, existing)
    push, merge = (parse_access_levels(entry, _BRANCH[kind]) for kind in ("push", "merge"))
    unprotect = parse_access_levels(entry, _BRANCH["unprotect"], ())
    owners, force = (bool(entry.values.get(key)) for key in (_CODE_OWNERS, _FORCE))
    branch = protection.protect_branch(
        entry.ctx, project, name, push, merge, unprotect, code_owners=owners, allow_force_push=force
    )
    _defer_keys(entry, branch, "push", _BRANCH["push"])
    if _SQUASH in entry.values:
        branch = entry.world.protected_branches.change(branch, squash_option=entry.values[_SQUASH])
    return branch


def _export_branches(world: World, project: Project) -> Iterable[tuple[ProtectedBranch, EntryData]] | None:
    """Export an empty list for a project with a repository: without the key, its default branch would be protected."""
    branches = list(world.protected_branches.where("project", project.id))
    if not branches and repositories.record_of(world, project) is None:
        return None
    return [(branch, {**_serialize_branch(world, branch), **_serialize_squashing(branch)}) for branch in branches]


def _serialize_squashing(branch: ProtectedBranch) -> EntryData:
    return {_SQUASH: branch.squash_option} if branch.squash_option is not None else {}


def _serialize_branch(world: World, branch: ProtectedBranch | GroupProtectedBranch) -> EntryData:
    access_levels = {key: serialize_access_levels(world, getattr(branch, kind)) for kind, key in _BRANCH.items()}
    if not branch.unprotect:
        del access_levels[_BRANCH["unprotect"]]
    return {
        "name": branch.name,
        **access_levels,
        **({_CODE_OWNERS: True} if branch.code_owner_approval_required else {}),
        **({_FORCE: True} if branch.allow_force_push else {}),
    }


def _create_tag(entry: Entry) -> ProtectedTag:
    project, name = entry.owner, entry.values["name"]
    existing = entry.world.protected_tags.find("name", (project.id, name))
    if existing is not None:
        purge(entry.ctx, existing)
    tag = protection.protect_tag(entry.ctx, project, name, parse_access_levels(entry, _TAG["create"]))
    _defer_keys(entry, tag, "create", _TAG["create"])
    return tag


def _serialize_tag(world: World, tag: ProtectedTag) -> EntryData:
    return {"name": tag.name, _TAG["create"]: serialize_access_levels(world, tag.create)}


_BRANCH_KEYS: Final[dict[str, Shape]] = {
    "name": TEXT,
    **dict.fromkeys(_BRANCH.values(), ACCESS_LEVELS),
    _CODE_OWNERS: BOOLEAN,
    _FORCE: BOOLEAN,
}


def _create_group_branch(entry: Entry) -> GroupProtectedBranch:
    group, name, table = entry.owner, entry.values["name"], entry.world.group_protected_branches
    existing = table.find("name", (group.id, name))
    if existing is not None:
        purge(entry.ctx, existing)
    push, merge = (parse_access_levels(entry, _BRANCH[kind]) for kind in ("push", "merge"))
    unprotect = parse_access_levels(entry, _BRANCH["unprotect"], ())
    owners, force = (bool(entry.values.get(key)) for key in (_CODE_OWNERS, _FORCE))
    rest = owners, entry.ctx.now_iso, force
    return table.add(GroupProtectedBranch(table.next_id(), group.id, name, push, merge, unprotect, *rest))


_NAME: Final = {"name": "Name, or a pattern with *."}

BRANCHES: Final = Section(
    "protected_branches",
    within=("project",),
    rank=FURTHER,
    keys=Object({**_BRANCH_KEYS, _SQUASH: Choice(*get_args(SquashOption))}, required=("name",), descriptions=_NAME),
    create=_create_branch,
    export=_export_branches,
    name_key="name",
    case_sensitive=True,
    record=ProtectedBranch,
)
GROUP_BRANCHES: Final = derive_section(
    "group_protected_branches",
    GroupProtectedBranch,
    within=("group",),
    keys=_BRANCH_KEYS,
    required=("name",),
    descriptions=_NAME,
    create=_create_group_branch,
    serialize=_serialize_branch,
    name_key="name",
    case_sensitive=True,
)
TAGS: Final = derive_section(
    "protected_tags",
    ProtectedTag,
    within=("project",),
    keys={"name": TEXT, **dict.fromkeys(_TAG.values(), ACCESS_LEVELS)},
    required=("name",),
    descriptions=_NAME,
    create=_create_tag,
    serialize=_serialize_tag,
    name_key="name",
    case_sensitive=True,
)
