"""Groups, as far as owners of projects need them. Source: facts and more on groups."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final, cast

from fakeplat.core.body import Upload
from fakeplat.core.errors import BadRequest
from fakeplat.domain import (
    belongings,
    custom_attributes,
    files,
    foreign_keys,
    labels,
    members,
    milestones,
    namespaces,
    shares,
)
from fakeplat.domain.checks import BLANK, PATH_TEXT, RESERVED, TAKEN, Faults, is_path, ruby, too_long
from fakeplat.model.levels import Level, rank
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.context import Doing


def create(cx: Doing, *, path: str, name: str | None = None, parent: Group | None = None, **fields: Any) -> Group:
    """Make a group; whoever makes it owns it."""
    (group,) = create_many(cx, parent, [{"path": path, "name": name, **fields}])
    return group


def create_many(cx: Doing, parent: Group | None, rows: Sequence[Mapping[str, Any]]) -> list[Group]:
    """Make groups in a group or at the top, each as `create` does, at once: all of them or none."""
    ready = [_checked(cx, parent, row) for row in rows]
    avatars = [fields.pop("avatar", None) for fields in ready]
    return [_completed(cx, group, avatar) for group, avatar in zip(_add_many(cx, parent, ready), avatars, strict=True)]


def _checked(cx: Doing, parent: Group | None, row: Mapping[str, Any]) -> dict[str, Any]:
    visibility = row.get("visibility") or cx.world.settings.default_group_visibility
    name = row["path"] if row.get("name") is None else row["name"]
    fields = {**row, "name": name, "visibility": visibility}
    faults = _faults(cx, fields["path"], fields["name"], parent, visibility)
    if faults:
        raise BadRequest(f"Failed to save group {ruby({field: faults.texts(field) for field in faults})}")
    return fields


def _completed(cx: Doing, group: Group, avatar: object) -> Group:
    """A group with what stands in other tables."""
    if isinstance(avatar, Upload):
        group = cast(Group, cx.world.namespaces.change(group, avatar=_changed_avatar(cx, group, avatar)))
    if cx.user is not None:
        members.add(cx, group, cx.user, Level.OWNER)
    cx.emit("group_created", group)
    return group


def _add_many(cx: Doing, parent: Group | None, rows: Sequence[Mapping[str, Any]]) -> list[Group]:
    if not rows:
        return []
    table, now = cx.world.namespaces, cx.instant
    usual = {"created_at": now, "updated_at": now, "parent_id": parent.id if parent else None}
    made = [
        Group(**{**usual, "id": id_, "runners_token": cx.chance("runners token", 10), **fields})
        for id_, fields in zip(count(table.next_id()), rows, strict=False)
    ]
    table.add_many(made)
    return made


def _faults(cx: Doing, path: str, name: str, parent: Group | None, visibility: str) -> Faults:
    faults = Faults()
    _path_faults(faults, cx, path, parent)
    _name_faults(faults, name)
    _parent_faults(faults, parent, visibility)
    return faults


def _path_faults(faults: Faults, cx: Doing, path: str, parent: Group | None) -> None:
    taken = cx.world.namespaces.find("place", (parent.id if parent else None, path.lower()))
    faults.when(taken or (parent and cx.world.projects.find("place", (parent.id, path.lower()))), "path", TAKEN)
    faults.when(not is_path(path), "path", PATH_TEXT)
    faults.when(parent is None and path.lower() in RESERVED, "path", f"{path} is a reserved name")


def _name_faults(faults: Faults, name: str) -> None:
    faults.when(not name.strip(), "name", BLANK)
    too_long(faults, "name", name)


def _parent_faults(faults: Faults, parent: Group | None, visibility: str) -> None:
    if parent is not None and rank(visibility) > rank(parent.visibility):
        text = f"{visibility} is not allowed since the parent group has a {parent.visibility} visibility."
        faults.add("visibility_level", text)


_ABSENT: Final = object()


def update(cx: Doing, group: Group, **fields: Any) -> Group:
    """Change a group."""
    avatar, table = fields.pop("avatar", _ABSENT), cx.world.namespaces
    _update_faults(cx, group, fields, avatar).refuse()
    if avatar is not _ABSENT:
        fields["avatar"] = _changed_avatar(cx, group, avatar)
    changed = table.change(group, **fields)
    if changed is not group:
        changed = table.change(changed, updated_at=cx.instant)
        cx.emit("group_updated", changed)
    return cast(Group, changed)


def _update_faults(cx: Doing, group: Group, fields: dict[str, Any], avatar: object) -> Faults:
    faults = Faults()
    parent = cast(Group | None, cx.world.namespaces.get(group.parent_id) if group.parent_id else None)
    path = fields.get("path", group.path)
    if path.lower() != group.path.lower():
        _path_faults(faults, cx, path, parent)
    if "name" in fields:
        _name_faults(faults, fields["name"])
    too_long(faults, "description", fields.get("description"), 500)
    if "visibility" in fields:
        _parent_faults(faults, parent, fields["visibility"])
        _content_faults(faults, cx, group, fields["visibility"])
    if isinstance(avatar, Upload):
        files.check_avatar(faults, avatar)
    return faults


def _content_faults(faults: Faults, cx: Doing, group: Group, visibility: str) -> None:
    inside: dict[str, Iterable[Project | Group]] = {
        "this group contains projects with higher visibility": cx.world.projects.where("namespace", group.id),
        "there are sub-groups with higher visibility": namespaces.inside(cx.world, group),
    }
    for text, things in inside.items():
        if any(rank(thing.visibility) > rank(visibility) for thing in things):
            faults.add("visibility_level", f"{visibility} is not allowed since {text}.")


def _changed_avatar(cx: Doing, group: Group, avatar: object) -> int | None:
    if isinstance(avatar, Upload):
        return files.new_avatar(cx, ("group", group.id), avatar)
    files.drop(cx, ("group", group.id), files.AVATAR)
    return None


def remove(cx: Doing, group: Namespace) -> None:
    """Remove a group with all that is in it."""
    from fakeplat.domain import projects  # projects know groups

    world = cx.world
    for child in list(world.namespaces.where("parent", group.id)):
        remove(cx, child)
    for project in list(world.projects.where("namespace", group.id)):
        projects.remove(cx, project)
    labels.drop(cx, group)
    milestones.drop(cx, group)
    belongings.drop(cx, group)
    members.drop(cx, group)
    shares.drop(cx, group)
    custom_attributes.drop(cx, ("group", group.id))
    files.drop(cx, ("group", group.id))
    foreign_keys.clear(cx, "namespaces", group.id)
    world.namespaces.remove(world.namespaces[group.id])
    cx.emit("group_deleted", group)
