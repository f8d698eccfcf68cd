"""Protected branches and tags of a project.

Where the key is there, the default branch of a repository that stands beside it is not protected of its own accord.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from fakeplat.core.schema.shapes import BOOLEAN, TEXT, Choice, ListOf, Object, Shape, Union
from fakeplat.domain.people.namespaces import full_path
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection, repositories
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.repositories import Access, ProtectedBranch, ProtectedTag
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_LEVELS: Final = {
    "no one": protection.NO_ONE,
    "developer": int(Level.DEVELOPER),
    "maintainer": int(Level.MAINTAINER),
    "admin": protection.ADMINISTRATORS,
}
_ADMITTED: Final = ListOf(
    Union(Choice(*_LEVELS, *_LEVELS.values()), Object({"user": TEXT, "group": TEXT}, one_of=("user", "group")))
)
_USUAL: Final = (Access(Level.MAINTAINER),)
_BRANCH: Final = {
    "push": "push_access_levels",
    "merge": "merge_access_levels",
    "unprotect": "unprotect_access_levels",
}
_CODE_OWNERS: Final = "code_owner_approval_required"
_TAG: Final = {"create": "create_access_levels"}


def _access(entry: Entry, key: str, usual: tuple[Access, ...] = _USUAL) -> tuple[Access, ...]:
    if key not in entry.said:
        return usual
    return tuple(_one(entry, key, said) for said in entry.said[key])


def _one(entry: Entry, key: str, said: Any) -> Access:
    if not isinstance(said, dict):
        return Access(_LEVELS.get(said, said))
    if "user" in said:
        return Access(user_id=entry.named_user(said["user"], key).id)
    return Access(group_id=entry.named_group(said["group"], key).id)


def _told_access(world: World, accesses: Sequence[Access]) -> list[Any]:
    return [_told_one(world, access) for access in protection.branch_permissions(world, accesses)]


def _told_one(world: World, access: Access) -> Any:
    if access.user_id is not None:
        return {"user": telling.username_of(world, access.user_id)}
    if access.group_id is not None:
        return {"group": full_path(world, world.namespaces[access.group_id])}
    return None if access.level is None else int(access.level)


def _make_branch(entry: Entry) -> ProtectedBranch:
    project, name = entry.owner, entry.said["name"]
    before = entry.world.protected_branches.find("name", (project.id, name))
    if before is not None:
        purge(entry.ctx, before)
    push, merge = (_access(entry, _BRANCH[kind]) for kind in ("push", "merge"))
    unprotect = _access(entry, _BRANCH["unprotect"], ())
    owners = bool(entry.said.get(_CODE_OWNERS))
    return protection.protect_branch(entry.ctx, project, name, push, merge, unprotect, code_owners=owners)


def _tell_branches(world: World, project: Project) -> Iterable[tuple[ProtectedBranch, Told]] | None:
    """Also none where there is a repository, whose default branch would be protected otherwise."""
    found = list(world.protected_branches.where("project", project.id))
    if not found and repositories.record_of(world, project) is None:
        return None
    return [(branch, _told_branch(world, branch)) for branch in found]


def _told_branch(world: World, branch: ProtectedBranch) -> Told:
    told = {key: _told_access(world, getattr(branch, kind)) for kind, key in _BRANCH.items()}
    if not branch.unprotect:
        del told[_BRANCH["unprotect"]]
    return {"name": branch.name, **told, **({_CODE_OWNERS: True} if branch.code_owner_approval_required else {})}


def _make_tag(entry: Entry) -> ProtectedTag:
    project, name = entry.owner, entry.said["name"]
    before = entry.world.protected_tags.find("name", (project.id, name))
    if before is not None:
        purge(entry.ctx, before)
    return protection.protect_tag(entry.ctx, project, name, _access(entry, _TAG["create"]))


def _tell_tags(world: World, project: Project) -> Iterable[tuple[ProtectedTag, Told]] | None:
    found = world.protected_tags.where("project", project.id)
    return [(tag, {"name": tag.name, _TAG["create"]: _told_access(world, tag.create)}) for tag in found] or None


_BRANCH_KEYS: Final[dict[str, Shape]] = {
    "name": TEXT,
    **dict.fromkeys(_BRANCH.values(), _ADMITTED),
    _CODE_OWNERS: BOOLEAN,
}
_NAME: Final = {"name": "A name, or a pattern with *."}

BRANCHES: Final = Section(
    "protected_branches",
    under=("project",),
    rank=FURTHER,
    keys=Object(_BRANCH_KEYS, required=("name",), descriptions=_NAME),
    make=_make_branch,
    tell=_tell_branches,
    named="name",
    cased=True,
)
TAGS: Final = Section(
    "protected_tags",
    under=("project",),
    rank=FURTHER,
    keys=Object({"name": TEXT, **dict.fromkeys(_TAG.values(), _ADMITTED)}, required=("name",), descriptions=_NAME),
    make=_make_tag,
    tell=_tell_tags,
    named="name",
    cased=True,
)
