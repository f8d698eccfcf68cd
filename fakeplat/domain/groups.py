"""Groups, as far as owners of projects need them. Source: facts and more on groups."""

from typing import Any

from fakeplat.core.errors import BadRequest
from fakeplat.domain import custom_attributes, files, members, shares
from fakeplat.domain.checks import PATH_TEXT, RESERVED, TAKEN, Faults, is_path, ruby, too_long
from fakeplat.model.levels import Level, rank
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.policy.context import Doing


def create(cx: Doing, *, path: str, name: str | None = None, parent: Group | None = None, **fields: Any) -> Group:
    """Make a group; whoever makes it owns it."""
    visibility = fields.pop("visibility", None) or cx.world.settings.default_group_visibility
    faults = _faults(cx, path, name or path, parent, visibility)
    if faults:
        raise BadRequest(f"Failed to save group {ruby({field: faults.texts(field) for field in faults})}")
    group = _add(cx, path=path, name=name or path, parent=parent, visibility=visibility, **fields)
    if cx.user is not None:
        members.add(cx, group, cx.user, Level.OWNER)
    cx.emit("group_created", group)
    return group


def _add(cx: Doing, *, path: str, name: str, parent: Group | None, **fields: Any) -> Group:
    table, now = cx.world.namespaces, cx.instant
    group = Group(
        id=table.next_id(),
        name=name,
        path=path,
        created_at=fields.pop("created_at", now),
        updated_at=fields.pop("updated_at", now),
        parent_id=parent.id if parent else None,
        runners_token=cx.chance("runners token", 10),
        **fields,
    )
    table.add(group)
    return group


def _faults(cx: Doing, path: str, name: str, parent: Group | None, visibility: str) -> Faults:
    faults = Faults()
    parent_id = parent.id if parent else None
    faults.when(cx.world.namespaces.find("place", (parent_id, path.lower())), "path", TAKEN)
    faults.when(not is_path(path), "path", PATH_TEXT)
    faults.when(parent is None and path.lower() in RESERVED, "path", f"{path} is a reserved name")
    faults.when(not name.strip(), "name", "can't be blank")
    too_long(faults, "name", name)
    if parent is not None and rank(visibility) > rank(parent.visibility):
        text = f"{visibility} is not allowed since the parent group has a {parent.visibility} visibility."
        faults.add("visibility_level", text)
    return faults


def remove(cx: Doing, group: Namespace) -> None:
    """Remove a group with all that is in it."""
    from fakeplat.domain import projects  # projects know groups

    world = cx.world
    for child in list(world.namespaces.where("parent", group.id)):
        remove(cx, child)
    for project in list(world.projects.where("namespace", group.id)):
        projects.remove(cx, project)
    members.drop(cx, group)
    shares.drop(cx, group)
    custom_attributes.drop(cx, ("group", group.id))
    files.drop(cx, ("group", group.id))
    world.namespaces.remove(group)
    cx.emit("group_deleted", group)
