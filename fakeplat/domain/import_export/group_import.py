"""The parts of a group and its subgroups from an archive."""

from contextlib import suppress
from typing import cast

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.store.persistent_map import Map
from fakeplat.domain.groups import groups
from fakeplat.domain.import_export import activity_parts, board_parts, epic_parts
from fakeplat.domain.import_export.archive_files import BadArchiveError, Files, Tree
from fakeplat.domain.import_export.group_export import ALL_GROUPS, SETTINGS, wiki_path
from fakeplat.domain.import_export.reading import Resolver, read_fields
from fakeplat.domain.people import members
from fakeplat.domain.settings import is_restricted
from fakeplat.domain.wikis import wikis
from fakeplat.model.people import VISIBILITY_RANK, Group, User, Visibility
from fakeplat.policy.context import WriteContext


def import_groups(ctx: WriteContext, group: Group, importer: User, archive: Files) -> None:
    """Import the groups of an archive: the first one into a group, the others below it. BadArchiveError."""
    created: dict[object, Group] = {}
    for line in archive.get(ALL_GROUPS, b"").decode(errors="replace").split():
        tree = Tree(archive, f"groups/{line}")
        parent = created.get(tree.attributes.get("parent_id"))
        target = group if not created else _create_below(ctx, parent or group, tree)
        created[tree.attributes.get("id")] = target
        _import_group(ctx, target, importer, tree, created)
        _import_wiki(ctx, target, archive.get(wiki_path(int(line))) if line.isdecimal() else None)
    if not created:
        raise BadArchiveError("the archive has no groups")


def _create_below(ctx: WriteContext, parent: Group, tree: Tree) -> Group:
    number = tree.attributes.get("visibility_level")
    level = next((name for name, rank in VISIBILITY_RANK.items() if rank == number), "private")
    highest = min(VISIBILITY_RANK[level], VISIBILITY_RANK[parent.visibility])
    allowed = [name for name, rank in VISIBILITY_RANK.items() if rank <= highest and not is_restricted(ctx, name)]
    visibility = cast(Visibility, max(allowed, key=VISIBILITY_RANK.__getitem__, default="private"))
    path, name = (str(tree.attributes.get(key) or "") for key in ("path", "name"))
    return groups.create(ctx, path=path, name=name, parent=parent, visibility=visibility, any_name=True)


def _import_group(ctx: WriteContext, group: Group, importer: User, tree: Tree, imported: dict[object, Group]) -> None:
    settings = [name for name in SETTINGS if name not in ("name", "path")]
    try:
        ctx.world.namespaces.change(group, **read_fields(Group, tree.attributes, settings))
        resolver = Resolver(ctx, group, importer)
        for row in tree.rows("labels"):
            resolver.get_or_create_label(row)
        for row in tree.rows("milestones"):
            milestone = resolver.get_or_create_milestone(row)
            activity_parts.import_events(resolver, row, ("milestone", milestone.id))
        for row in tree.rows("members"):
            user = resolver.find_user(row, "user")
            known = members.list_inherited(ctx.world, group)
            if user is not None and all(member.user_id != user.id for member in known):
                members.add_member(ctx, group, user, int(row["access_level"]), row.get("expires_at"))
        _import_planning(resolver, group, tree, imported)
    except (ValueError, TypeError, KeyError) as error:
        raise BadArchiveError(f"the archive has a wrong row: {error}") from error


def _import_planning(resolver: Resolver, group: Group, tree: Tree, imported: dict[object, Group]) -> None:
    for relation, import_row in (("badges", board_parts.import_badge), ("boards", board_parts.import_board)):
        for row in tree.rows(relation):
            # What a group may not have, such as a second board on the free tier, is left out.
            with suppress(Refusal):
                import_row(resolver, row)
    epic_parts.import_epics(resolver, group, tree.rows("epics"), imported)


def _import_wiki(ctx: WriteContext, group: Group, bundle: bytes | None) -> None:
    from fakeplat.git.errors import GitError
    from fakeplat.git.import_repository import from_bundle

    if bundle is None:
        return
    try:
        imported = from_bundle(ctx.world.setup.store.objects, bundle)
    except GitError as error:
        raise BadArchiveError(f"a wiki cannot be read: {error}") from error
    wikis.adopt_refs(ctx, group, Map(imported.refs), imported.head)
