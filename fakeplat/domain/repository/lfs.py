"""Large files beside repositories: kept by their hash, and put in the place of the pointers that git holds.

Source: docs/platform/specification.md ('Repository'), docs/platform/external.md ('Git LFS').
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.model.lfs import LfsObject
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects

_LONGEST_POINTER: Final = 1024
_BEGINS: Final = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER: Final = re.compile(rb"version [^\n]+\n(?:ext-[^\n]+\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n")
_OID: Final = re.compile(r"[0-9a-f]{64}")


class Pointer(NamedTuple):
    """What git holds instead of a large file: its hash, and how many bytes it has."""

    oid: str
    size: int


def is_oid(text: object) -> bool:
    """Whether a text can be the hash of a large file."""
    return isinstance(text, str) and _OID.fullmatch(text) is not None


def parse_pointer(content: bytes) -> Pointer | None:
    """The pointer that a file in git is; None for any other file."""
    if len(content) > _LONGEST_POINTER or not content.startswith(_BEGINS):
        return None
    found = _POINTER.fullmatch(content)
    return Pointer(found[1].decode(), int(found[2])) if found else None


def find_object(world: World, project: Project, oid: str) -> LfsObject | None:
    """A large file of a project; None if it has none of that hash."""
    return world.lfs_objects.find("place", (project.id, oid))


def oid_of(content: bytes) -> str:
    """The hash of some bytes."""
    return sha256(content).hexdigest()


def store_object(ctx: WriteContext, project: Project, oid: str, content: bytes) -> LfsObject:
    """Keep a large file; a second time changes nothing."""
    table = ctx.world.lfs_objects
    return find_object(ctx.world, project, oid) or table.add(LfsObject(table.next_id(), project.id, oid, content))


def resolve_pointer(world: World, project: Project, content: bytes) -> bytes:
    """The large file that a pointer stands for; any other file, and a pointer to what is not here, as it is."""
    found = parse_pointer(content)
    there = find_object(world, project, found.oid) if found and project.lfs_enabled else None
    return there.content if there else content


def has_all(world: World, project: Project, objects: "Objects") -> bool:
    """Whether a project has the large files that the newest objects of a store point to."""
    return not project.lfs_enabled or all(find_object(world, project, one.oid) for one in _pointers(objects))


def _pointers(objects: "Objects") -> Iterator[Pointer]:
    for sha in objects.added():
        found = parse_pointer(objects.get(sha).content)
        if found:
            yield found


def total_size(world: World, project: Project) -> int:
    """How many bytes the large files of a project have together."""
    return sum(len(one.content) for one in world.lfs_objects.where("project", project.id))


def share_objects(ctx: WriteContext, source: Project, target: Project) -> None:
    """Give a project the large files of another; their bytes are the same ones."""
    for one in list(ctx.world.lfs_objects.where("project", source.id)):
        store_object(ctx, target, one.oid, one.content)
