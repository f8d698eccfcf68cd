"""Git LFS objects: stored by hash, and substituted for the pointers in git.

Source: docs/platform/repository.md, docs/platform/external.md ('Git LFS').
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.model.projects import Project
from fakeplat.model.repository import LfsObject
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects

# The specification of Git LFS limits pointers to less than 1024 bytes.
_MAX_POINTER_SIZE: Final = 1024
_POINTER_PREFIX: Final = b"version https://git-lfs.github.com/spec/v1\n"
# ``ext-`` lines name extensions, which come before the hash; any further line makes the file an ordinary one.
_POINTER: Final = re.compile(rb"version [^\n]+\n(?:ext-[^\n]+\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n")
_OID: Final = re.compile(r"[0-9a-f]{64}")


class Pointer(NamedTuple):
    """An LFS pointer: hash and size in bytes."""

    oid: str
    size: int


def is_oid(text: object) -> bool:
    """Return whether a value is a valid LFS object hash."""
    return isinstance(text, str) and _OID.fullmatch(text) is not None


def parse_pointer(content: bytes) -> Pointer | None:
    """Parse an LFS pointer; None for any other file."""
    # Most files are ruled out here, before the expression runs over large contents.
    if len(content) > _MAX_POINTER_SIZE or not content.startswith(_POINTER_PREFIX):
        return None
    match = _POINTER.fullmatch(content)
    return Pointer(match[1].decode(), int(match[2])) if match else None


def find_object(world: World, project: Project, oid: str) -> LfsObject | None:
    """Return a project's LFS object, or None."""
    return world.lfs_objects.find("place", (project.id, oid))


def oid_of(content: bytes) -> str:
    """Return the LFS hash of content."""
    return sha256(content).hexdigest()


def store_object(ctx: WriteContext, project: Project, oid: str, content: bytes) -> LfsObject:
    """Store an LFS object; an existing one is unchanged."""
    table = ctx.world.lfs_objects
    # The content is not compared: equal hashes mean equal contents.
    return find_object(ctx.world, project, oid) or table.add(LfsObject(table.next_id(), project.id, oid, content))


def resolve_pointer(world: World, project: Project, content: bytes) -> bytes:
    """Return the content that a pointer refers to; other files and pointers to missing objects are unchanged."""
    pointer = parse_pointer(content)
    lfs_object = find_object(world, project, pointer.oid) if pointer and project.lfs_enabled else None
    return lfs_object.content if lfs_object else content


def has_all_objects(world: World, project: Project, objects: "Objects") -> bool:
    """Return whether a project has the LFS objects that the newest objects of a store point to."""
    return not project.lfs_enabled or all(
        find_object(world, project, pointer.oid) for pointer in _list_pointers(objects)
    )


def _list_pointers(objects: "Objects") -> Iterator[Pointer]:
    # Only what the pack brought: older pointers were checked when they were pushed.
    for sha in objects.added():
        pointer = parse_pointer(objects.get(sha).content)
        if pointer:
            yield pointer


def total_size(world: World, project: Project) -> int:
    """Return the size of a project's LFS objects in bytes."""
    return sum(len(lfs_object.content) for lfs_object in world.lfs_objects.where("project", project.id))


def share_objects(ctx: WriteContext, source: Project, target: Project) -> None:
    """Add the LFS objects of a project to another; the content is shared."""
    for lfs_object in list(ctx.world.lfs_objects.where("project", source.id)):
        store_object(ctx, target, lfs_object.oid, lfs_object.content)
