"""Groups, in each other or by their full paths."""

from collections.abc import Iterator
from typing import Any, Final, cast

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, NULLABLE_TEXT, TEXT, Object
from fakeplat.domain.people import groups, namespaces
from fakeplat.model.levels import rank
from fakeplat.model.namespaces import Group
from fakeplat.model.world import World, WorldDraft
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PEOPLE, SCENARIO, Section, Told
from fakeplat.scenario.sections import avatars as pictures
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = fields(Group, without=("id", "parent_id", "avatar", "file_template_project_id"))
_CHECKED: Final = ("name", "visibility")
_LOCKS: Final = ("share_with_group_lock",)
_MARKED: Final = "marked_for_deletion_on"
_TEMPLATES: Final = "file_template_project"


def at_path(world: World, path: str) -> Group | None:
    """The group with a full path."""
    found = namespaces.find_by_path(world, path)
    return found if isinstance(found, Group) else None


def _make(entry: Entry) -> Group:
    parent, path = _place(entry)
    found = entry.world.namespaces.find("place", (parent.id if parent else None, path.lower()))
    group = _changed(entry, found) if isinstance(found, Group) else _created(entry, parent, path)
    put = {name: value for name, value in entry.given(_OWN).items() if name not in ("path", *_CHECKED, *_LOCKS)}
    if put.get(_MARKED) is not None:
        group = groups.mark_for_deletion(entry.ctx, group, put[_MARKED])
    entry.afterwards(lambda: _put(entry, **_late(entry)))
    return _change(entry.world, group, **put, **pictures.avatar_change(entry, ("group", group.id)))


def _place(entry: Entry) -> tuple[Group | None, str]:
    full = entry.said.get("full_path")
    if full is None:
        return entry.owner, entry.said["path"]
    if entry.above is not None:
        entry.wrong("only groups at the top are named by their full path; use path", "full_path")
    above, _, path = str(full).rpartition("/")
    parent = cast(Group | None, entry.seeding.find("group", above)) if above else None
    if above and parent is None:
        entry.unknown("group", above, "full_path")
    return parent, path


def _created(entry: Entry, parent: Group | None, path: str) -> Group:
    times = dict.fromkeys(("created_at", "updated_at"), entry.created_at)
    return groups.create(entry.ctx, path=path, parent=parent, any_name=True, **entry.given(_CHECKED), **times)


def _changed(entry: Entry, group: Group) -> Group:
    """What is to become less visible does so when its content has."""
    given = entry.given(_CHECKED)
    if rank(given.get("visibility", group.visibility)) < rank(group.visibility):
        visibility = given.pop("visibility")
        entry.afterwards(lambda: groups.update(entry.ctx, entry.record(), visibility=visibility))
    return groups.update(entry.ctx, group, any_name=True, **given)


def _late(entry: Entry) -> dict[str, Any]:
    """What forbids things that may be there, and what is in the group itself."""
    late = entry.given(_LOCKS)
    if _TEMPLATES in entry.said:
        project = entry.project_or_none(_TEMPLATES)
        late["file_template_project_id"] = project.id if project else None
    return late


def _put(entry: Entry, **fields_: Any) -> None:
    _change(entry.world, entry.record(), **fields_)


def _change(world: WorldDraft, group: Group, **changes: Any) -> Group:
    return cast(Group, world.namespaces.change(group, **changes))


def _tell(world: World, owner: Any) -> Iterator[tuple[Group, Told]] | None:
    """All of them at the top, so that they are made in this order again."""
    return None if owner is not None else _told_all(world)


def _told_all(world: World) -> Iterator[tuple[Group, Told]]:
    begun = creation_order.namespace_turns(world)
    for group in world.namespaces.all():
        if isinstance(group, Group):
            yield group, {**_told(world, group), **begun.get(group.id, {})}


def _told(world: World, group: Group) -> Told:
    path = namespaces.full_path(world, group)
    found = telling.non_default_fields(group, _OWN, always=("visibility",))
    del found["path"]
    templates = world.projects.get(group.file_template_project_id) if group.file_template_project_id else None
    return {
        "full_path": path,
        **telling.remove_defaults(found, updated_at=group.created_at),
        **({_TEMPLATES: namespaces.project_path(world, templates)} if templates else {}),
        **pictures.serialize_avatar(world, group.avatar),
    }


SECTION: Final = Section(
    "groups",
    under=(SCENARIO, "group"),
    rank=PEOPLE,
    keys=Object(
        {**_OWN, "full_path": TEXT, _TEMPLATES: NULLABLE_TEXT, "avatar": pictures.AVATAR, creation_order.KEY: COUNT},
        one_of=("path", "full_path"),
        descriptions={
            _TEMPLATES: "The full path of the project with the group's file templates.",
            creation_order.KEY: creation_order.DESCRIPTION,
        },
    ),
    make=_make,
    tell=_tell,
    named="path",
    whole="full_path",
    kind="group",
    find=at_path,
)
