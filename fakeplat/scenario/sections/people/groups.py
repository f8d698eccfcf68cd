"""Groups, nested or by their full paths."""

from collections.abc import Iterator
from typing import Final, cast

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, NULLABLE_TEXT, TEXT, Object
from fakeplat.domain.groups import groups
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, PackageSettings, rank
from fakeplat.model.world import World, WorldDraft
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PEOPLE, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars

_KINDS: Final = ("maven", "generic", "nuget", "terraform_module")
_FORWARDED: Final = ("maven", "npm", "pypi")
_PACKAGE_SETTINGS: Final = {
    **{f"{kind}_duplicates_allowed": "Whether a package that exists may get its files again." for kind in _KINDS},
    **{f"{kind}_duplicate_exception_regex": "Names and versions that may get their files again." for kind in _KINDS},
    **{f"{kind}_package_requests_forwarding": "Null: as the group above, or the instance." for kind in _FORWARDED},
    **{f"lock_{kind}_package_requests_forwarding": "Whether subgroups may differ." for kind in _FORWARDED},
    "nuget_symbol_server_enabled": "Whether debuggers get symbol files.",
}
_FIELDS: Final = {
    **fields(
        Group,
        without=(
            "id",
            "parent_id",
            "avatar",
            "file_template_project_id",
            "package_settings",
            "allow_stale_runner_pruning",
            "pipeline_variables_default_role",
        ),
    ),
    "package_settings": Object(fields(PackageSettings), descriptions=_PACKAGE_SETTINGS),
}
_CHECKED: Final = ("name", "visibility")
_DEFERRED: Final = ("share_with_group_lock",)
_MARKED_FOR_DELETION: Final = "marked_for_deletion_on"
_TEMPLATE_PROJECT: Final = "file_template_project"


def find_group_by_path(world: World, path: str) -> Group | None:
    """Return the group with a full path, if there is one."""
    namespace = namespaces.find_by_path(world, path)
    return namespace if isinstance(namespace, Group) else None


def _create(entry: Entry) -> Group:
    parent, path = _resolve_parent(entry)
    existing = entry.world.namespaces.find("place", (parent.id if parent else None, path.lower()))
    group = _update_existing(entry, existing) if isinstance(existing, Group) else _create_new(entry, parent, path)
    copied = {
        name: value for name, value in entry.select(_FIELDS).items() if name not in ("path", *_CHECKED, *_DEFERRED)
    }
    if copied.get(_MARKED_FOR_DELETION) is not None:
        # The domain function also schedules the deletion; the date alone would have no effect.
        group = groups.mark_for_deletion(entry.ctx, group, copied[_MARKED_FOR_DELETION])
    # The template project is in the group, so it is created after it.
    entry.defer(lambda: _apply_changes(entry, _deferred_changes(entry)))
    return _change(entry.world, group, copied | avatars.avatar_change(entry, ("group", group.id)))


def _resolve_parent(entry: Entry) -> tuple[Group | None, str]:
    full_path = entry.values.get("full_path")
    if full_path is None:
        return entry.owner, entry.values["path"]
    if entry.parent is not None:
        entry.fail("is only allowed at the top level; use path in groups", "full_path")
    parent_path, _, path = str(full_path).rpartition("/")
    parent = cast(Group | None, entry.loader.find("group", parent_path)) if parent_path else None
    if parent_path and parent is None:
        entry.fail_unknown("group", parent_path, "full_path")
    return parent, path


def _create_new(entry: Entry, parent: Group | None, path: str) -> Group:
    times: EntryData = dict.fromkeys(("created_at", "updated_at"), entry.created_at)
    return groups.create(entry.ctx, path=path, parent=parent, any_name=True, **entry.select(_CHECKED), **times)


def _update_existing(entry: Entry, group: Group) -> Group:
    """Update a group. A lower visibility is set after that of the group's contents."""
    changes = entry.select(_CHECKED)
    # The platform refuses a visibility that is lower than that of a project in the group.
    if rank(changes.get("visibility", group.visibility)) < rank(group.visibility):
        visibility = changes.pop("visibility")
        entry.defer(lambda: groups.update(entry.ctx, entry.record(), visibility=visibility))
    return groups.update(entry.ctx, group, any_name=True, **changes)


def _deferred_changes(entry: Entry) -> EntryData:
    """Return changes to make at the end: restrictions, and references to contents of the group."""
    changes = entry.select(_DEFERRED)
    if _TEMPLATE_PROJECT in entry.values:
        project = entry.project_or_none(_TEMPLATE_PROJECT)
        changes["file_template_project_id"] = project.id if project else None
    return changes


def _apply_changes(entry: Entry, changes: EntryData) -> None:
    _change(entry.world, entry.record(), changes)


def _change(world: WorldDraft, group: Group, changes: EntryData) -> Group:
    return cast(Group, world.namespaces.change(group, **changes))


def _export(world: World, owner: Group | None) -> Iterator[tuple[Group, EntryData]] | None:
    """Export all groups at the top level, so that they are loaded in the order of their creation."""
    return None if owner is not None else _serialize_all(world)


def _serialize_all(world: World) -> Iterator[tuple[Group, EntryData]]:
    turns = creation_order.namespace_turns(world)
    for group in world.namespaces.all():
        if isinstance(group, Group):
            yield group, {**_serialize(world, group), **turns.get(group.id, {})}


def _serialize(world: World, group: Group) -> EntryData:
    path = namespaces.full_path(world, group)
    data = serialization.non_default_fields(group, _FIELDS, always=("visibility",))
    del data["path"]
    template_project = world.projects.get(group.file_template_project_id) if group.file_template_project_id else None
    return {
        "full_path": path,
        **serialization.remove_defaults(data, updated_at=group.created_at),
        **({_TEMPLATE_PROJECT: namespaces.project_path(world, template_project)} if template_project else {}),
        **avatars.serialize_avatar(world, group.avatar),
    }


SECTION: Final = Section(
    "groups",
    within=(SCENARIO, "group"),
    rank=PEOPLE,
    keys=Object(
        {
            **_FIELDS,
            "full_path": TEXT,
            _TEMPLATE_PROJECT: NULLABLE_TEXT,
            "avatar": avatars.AVATAR,
            creation_order.KEY: COUNT,
        },
        one_of=("path", "full_path"),
        descriptions={
            _TEMPLATE_PROJECT: "Full path of the project with the group's file templates.",
            creation_order.KEY: creation_order.DESCRIPTION,
        },
    ),
    create=_create,
    export=_export,
    name_key="path",
    identity_key="full_path",
    kind="group",
    find=find_group_by_path,
    record=Group,
)
