"""Groups: creating, editing and deleting them. Source: docs/platform/groups.md."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final, cast

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.params.body import Upload
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, from_iso
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.projects import files, redirects
from fakeplat.domain.purging import purge
from fakeplat.domain.settings import deletion_period
from fakeplat.domain.validation import (
    BLANK,
    GROUP_NAME_TEXT,
    PATH_TEXT,
    RESERVED,
    TAKEN,
    ValidationErrors,
    is_group_name,
    is_path,
    ruby_inspect,
    too_long,
)
from fakeplat.model.levels import Level, rank
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

_DELETE: Final = "delete_group"


def create(
    ctx: WriteContext,
    *,
    path: str,
    name: str | None = None,
    parent: Group | None = None,
    any_name: bool = False,
    **fields: Any,
) -> Group:
    """Create a group; whoever creates it owns it. ``any_name``: groups from before names were checked have any."""
    (group,) = create_many(ctx, parent, [{"path": path, "name": name, **fields}], any_name=any_name)
    return group


def create_many(
    ctx: WriteContext, parent: Group | None, rows: Sequence[Mapping[str, Any]], *, any_name: bool = True
) -> list[Group]:
    """Create groups in a group or at the top, each as `create` does, at once: all of them or none."""
    ready = [_checked(ctx, parent, row, any_name=any_name) for row in rows]
    avatars = [fields.pop("avatar", None) for fields in ready]
    return [
        _completed(ctx, group, avatar) for group, avatar in zip(_add_many(ctx, parent, ready), avatars, strict=True)
    ]


def _checked(ctx: WriteContext, parent: Group | None, row: Mapping[str, Any], *, any_name: bool) -> dict[str, Any]:
    visibility = row.get("visibility") or ctx.world.settings.default_group_visibility
    name = row["path"] if row.get("name") is None else row["name"]
    fields = {**row, "name": name, "visibility": visibility}
    faults = _faults(ctx, fields["path"], fields["name"], parent, visibility)
    faults.when(not any_name and row.get("name") is not None and not is_group_name(name), "name", GROUP_NAME_TEXT)
    if faults:
        raise BadRequest(f"Failed to save group {ruby_inspect({field: faults.texts(field) for field in faults})}")
    return fields


def _completed(ctx: WriteContext, group: Group, avatar: object) -> Group:
    """A group with what stands in other tables."""
    redirects.delete_redirects(ctx, namespaces.full_path(ctx.world, group))
    if isinstance(avatar, Upload):
        group = cast(Group, ctx.world.namespaces.change(group, avatar=_changed_avatar(ctx, group, avatar)))
    if ctx.user is not None:
        members.add_member(ctx, group, ctx.user, Level.OWNER)
    ctx.emit("group_created", group)
    return group


def _add_many(ctx: WriteContext, parent: Group | None, rows: Sequence[Mapping[str, Any]]) -> list[Group]:
    if not rows:
        return []
    table, now = ctx.world.namespaces, ctx.now_iso
    usual = {"created_at": now, "updated_at": now, "parent_id": parent.id if parent else None}
    if parent is not None:
        usual["membership_lock"] = parent.membership_lock
    made = [
        Group(**{**usual, "id": id_, "runners_token": ctx.random_hex("runners token", 10), **fields})
        for id_, fields in zip(count(table.next_id()), rows, strict=False)
    ]
    table.add_many(made)
    return made


def _faults(ctx: WriteContext, path: str, name: str, parent: Group | None, visibility: str) -> ValidationErrors:
    faults = ValidationErrors()
    _path_faults(faults, ctx, path, parent)
    _name_faults(faults, name)
    _parent_faults(faults, parent, visibility)
    return faults


def _path_faults(faults: ValidationErrors, ctx: WriteContext, path: str, parent: Group | None) -> None:
    taken = ctx.world.namespaces.find("place", (parent.id if parent else None, path.lower()))
    faults.when(taken or (parent and ctx.world.projects.find("place", (parent.id, path.lower()))), "path", TAKEN)
    faults.when(not is_path(path), "path", PATH_TEXT)
    faults.when(parent is None and path.lower() in RESERVED, "path", f"{path} is a reserved name")


def _name_faults(faults: ValidationErrors, name: str) -> None:
    faults.when(not name.strip(), "name", BLANK)
    too_long(faults, "name", name)


def _parent_faults(faults: ValidationErrors, parent: Group | None, visibility: str) -> None:
    if parent is not None and rank(visibility) > rank(parent.visibility):
        text = f"{visibility} is not allowed since the parent group has a {parent.visibility} visibility."
        faults.add("visibility_level", text)


_ABSENT: Final = object()


def update(ctx: WriteContext, group: Group, *, any_name: bool = False, **fields: Any) -> Group:
    """Edit a group."""
    avatar, table = fields.pop("avatar", _ABSENT), ctx.world.namespaces
    faults = _update_faults(ctx, group, fields, avatar)
    name = fields.get("name", group.name)
    faults.when(name != group.name and not any_name and not is_group_name(name), "name", GROUP_NAME_TEXT)
    faults.refuse()
    if avatar is not _ABSENT:
        fields["avatar"] = _changed_avatar(ctx, group, avatar)
    with redirects.redirect_old_paths(
        ctx, redirects.list_projects_within(ctx.world, group) if "path" in fields else ()
    ):
        changed = table.change(group, **fields)
    if changed is not group:
        changed = table.change(changed, updated_at=ctx.now_iso)
        ctx.emit("group_updated", changed)
    return cast(Group, changed)


def _update_faults(ctx: WriteContext, group: Group, fields: dict[str, Any], avatar: object) -> ValidationErrors:
    faults = ValidationErrors()
    parent = cast(Group | None, ctx.world.namespaces.get(group.parent_id) if group.parent_id else None)
    path = fields.get("path", group.path)
    if path.lower() != group.path.lower():
        _path_faults(faults, ctx, path, parent)
    if "name" in fields:
        _name_faults(faults, fields["name"])
    too_long(faults, "description", fields.get("description"), 500)
    if "visibility" in fields:
        _parent_faults(faults, parent, fields["visibility"])
        _content_faults(faults, ctx, group, fields["visibility"])
    if isinstance(avatar, Upload):
        files.check_avatar(faults, avatar)
    return faults


def _content_faults(faults: ValidationErrors, ctx: WriteContext, group: Group, visibility: str) -> None:
    inside: dict[str, Iterable[Project | Group]] = {
        "this group contains projects with higher visibility": ctx.world.projects.where("namespace", group.id),
        "there are sub-groups with higher visibility": namespaces.list_descendants(ctx.world, group),
    }
    for text, things in inside.items():
        if any(rank(thing.visibility) > rank(visibility) for thing in things):
            faults.add("visibility_level", f"{visibility} is not allowed since {text}.")


def _changed_avatar(ctx: WriteContext, group: Group, avatar: object) -> int | None:
    if isinstance(avatar, Upload):
        return files.new_avatar(ctx, ("group", group.id), avatar)
    files.delete_avatar(ctx, ("group", group.id))
    return None


def delete(ctx: WriteContext, group: Group) -> None:
    """Delete a group: at once, or on paid tiers after the period in which it can be restored."""
    if not (has_feature(ctx.world, "premium", group) and ctx.world.settings.deletion_adjourned_period > 0):
        purge(ctx, group)
        return
    if group.marked_for_deletion_on is not None:
        raise BadRequest("Group has been already marked for deletion")
    ctx.world.namespaces.change(group, marked_for_deletion_on=ctx.today)
    _delete_at(ctx, group, ctx.now() + deletion_period(ctx))


def mark_for_deletion(ctx: WriteContext, group: Group, on: str) -> Group:
    """Have a group deleted that was marked on a day, once the period after that day has passed."""
    _delete_at(ctx, group, from_iso(on) + DAY + deletion_period(ctx))
    return cast(Group, ctx.world.namespaces.change(group, marked_for_deletion_on=on))


def _delete_at(ctx: WriteContext, group: Group, at: int) -> None:
    ctx.cancel_tasks(_subject(group), _DELETE)
    ctx.schedule(_DELETE, _subject(group), at)


def restore(ctx: WriteContext, group: Group) -> Group:
    """Take a deletion back that has not happened yet."""
    if group.marked_for_deletion_on is None:
        raise BadRequest("Group has not been marked for deletion")
    ctx.cancel_tasks(_subject(group), _DELETE)
    return cast(Group, ctx.world.namespaces.change(group, marked_for_deletion_on=None))


def _subject(group: Namespace) -> tuple[str, int]:
    return ("namespaces", group.id)


@task_handler(_DELETE)
def _delete_due(ctx: WriteContext, due: ScheduledTask) -> None:
    group = ctx.world.namespaces.get(due.subject[1])
    if group is not None:
        purge(ctx, group)
