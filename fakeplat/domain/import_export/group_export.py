"""The archive of a group: its settings and parts without projects, and those of its subgroups."""

from collections.abc import Iterator
from typing import Any, Final

from fakeplat.core.timestamps import SECOND
from fakeplat.domain.import_export import archive_files, board_parts, epic_parts, serialization
from fakeplat.domain.import_export.archive_files import Files
from fakeplat.domain.import_export.project_export import VERSION, milestone_row
from fakeplat.domain.people.members import source_of
from fakeplat.domain.wikis import wikis
from fakeplat.model.people import Group, rank
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

SETTINGS: Final = (
    "name",
    "path",
    "description",
    "share_with_group_lock",
    "require_two_factor_authentication",
    "project_creation_level",
    "subgroup_creation_level",
    "request_access_enabled",
    "lfs_enabled",
)
ALL_GROUPS: Final = "tree/groups/_all.ndjson"


def build_group_archive(ctx: ReadContext, group: Group) -> bytes:
    """Return the archive of a group and its subgroups, without their projects."""
    groups = [group, *_list_below(ctx.world, group)]
    content: Files = {
        "VERSION": VERSION.encode(),
        "GITLAB_VERSION": ctx.instance.version.encode(),
        ALL_GROUPS: b"".join(f"{one.id}\n".encode() for one in groups),
    }
    for one in groups:
        content |= archive_files.write_tree(
            f"groups/{one.id}", group_attributes(one, is_top=one is group), group_relations(ctx.world, one)
        )
        content |= wiki_bundle(ctx.world, one)
    return archive_files.write_archive(content, ctx.now() // SECOND)


def wiki_path(id_: int) -> str:
    """Return the path of the bundle of a group's wiki."""
    return f"repositories/{id_}.wiki.bundle"


def wiki_bundle(world: World, group: Group) -> Files:
    """Return the bundle of a group's wiki, if it has pages."""
    from fakeplat.git.bundles import write_bundle

    git = wikis.open_repository(world, group)
    return {wiki_path(group.id): write_bundle(git.objects, git.refs, git.head)} if git.refs else {}


def _list_below(world: World, group: Group) -> Iterator[Group]:
    for child in world.namespaces.where("parent", group.id):
        if isinstance(child, Group):
            yield child
            yield from _list_below(world, child)


def group_attributes(group: Group, *, is_top: bool) -> dict[str, Any]:
    """Return the attributes of a group in an archive."""
    settings = {name: getattr(group, name) for name in SETTINGS}
    parent_id = None if is_top else group.parent_id
    return {"id": group.id, "parent_id": parent_id, "visibility_level": rank(group.visibility), **settings}


def group_relations(world: World, group: Group) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each relation of a group."""
    source = source_of(group)
    return {
        "labels": [
            {**serialization.plain_fields(label), "type": "GroupLabel"}
            for label in world.labels.where("source", source)
        ],
        "milestones": [milestone_row(world, milestone) for milestone in world.milestones.where("source", source)],
        "badges": board_parts.badge_rows(world, group),
        "boards": board_parts.board_rows(world, group),
        "epics": epic_parts.epic_rows(world, group),
        "members": [
            {
                **serialization.plain_fields(member, "created_by"),
                "source_type": "Namespace",
                "user": serialization.user_row(world, member.user_id),
            }
            for member in world.members.where("source", source)
        ],
    }
