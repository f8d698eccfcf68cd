"""Receivers that record audit events of changes. What they record is the platform's choice and wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.store.table import Record
from fakeplat.domain.audit import audit_events
from fakeplat.domain.audit.audit_events import Details, Entity
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Member, Project, Routable, Share
from fakeplat.model.repository import Access, ProtectedBranch
from fakeplat.model.world import World
from fakeplat.policy.behaviours import AUDITED_USER_STATES
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.model.projects import DeployKeyProject

_Change = tuple[str, Any, Any]
_FEATURES: Final = (
    "merge_requests_access_level",
    "forking_access_level",
    "issues_access_level",
    "wiki_access_level",
    "snippets_access_level",
    "builds_access_level",
    "repository_access_level",
    "pages_access_level",
)
_VISIBILITIES: Final = {
    "disabled": "Private",
    "private": "Internal",
    "enabled": "Public",
    "public": "Unknown",
}
"""The names that the platform gives to access levels of features: it takes their numbers for visibilities."""
_GROUP_FIELDS: Final = (
    "name",
    "path",
    "request_access_enabled",
    "membership_lock",
    "lfs_enabled",
    "shared_runners_minutes_limit",
    "require_two_factor_authentication",
    "two_factor_grace_period",
)
_CREATION_LEVELS: Final = {
    "noone": "No one",
    "maintainer": "Maintainers",
    "developer": "Developers + Maintainers",
    "administrator": "Administrators",
    "owner": "Owners",
}
_USER_FIELDS: Final = {"email": "email address", "username": "username", "admin": "admin status"}


def record_creation(ctx: WriteContext, entity: Project | Group | User) -> None:
    """Record that a project, group or user was created."""
    kind = type(entity).__name__
    audit_events.record(ctx, entity, {"add": kind.lower()}, _itself(ctx.world, entity))


def record_deletion(ctx: WriteContext, entity: Project | Group | User) -> None:
    """Record that a project, group or user is about to be deleted."""
    kind = type(entity).__name__
    audit_events.record(ctx, entity, {"remove": kind.lower()}, _itself(ctx.world, entity))


def _itself(world: World, entity: Entity) -> dict[str, Any]:
    return _target(entity.id, type(entity).__name__, audit_events.path_of(world, entity))


def _target(id_: object, kind: str, details: str) -> dict[str, Any]:
    return {"target_id": id_, "target_type": kind, "target_details": details}


def _record_message(ctx: WriteContext, entity: Entity, text: str) -> None:
    audit_events.record(ctx, entity, {"custom_message": text}, _itself(ctx.world, entity))


def _record_changes(ctx: WriteContext, entity: Entity, changes: Iterable[_Change], target_details: str) -> None:
    target = _target(entity.id, type(entity).__name__, target_details)
    for name, old, new in changes:
        audit_events.record(ctx, entity, {"change": name, "from": old, "to": new}, target)


# Projects


def record_project_change(ctx: WriteContext, before: Project, after: Project) -> None:
    """Record changes of a project."""
    for text in _project_messages(before, after):
        _record_message(ctx, after, text)
    _record_changes(
        ctx, after, _list_project_changes(ctx.world, before, after), namespaces.project_path(ctx.world, after)
    )


def _project_messages(before: Project, after: Project) -> Iterator[str]:
    was_marked, is_marked = (project.marked_for_deletion_on is not None for project in (before, after))
    if was_marked != is_marked:
        # Marking archives a project, which is not recorded apart.
        yield "Project marked for deletion" if is_marked else "Project restored"
    elif before.archived != after.archived:
        yield "Project archived" if after.archived else "Project unarchived"


def _list_project_changes(world: World, before: Project, after: Project) -> Iterator[_Change]:
    if before.visibility != after.visibility:
        yield "visibility", before.visibility.capitalize(), after.visibility.capitalize()
    old_path, new_path = (_path_in(world, project) for project in (before, after))
    if before.path != after.path:
        yield "path", old_path, new_path
    if before.name != after.name:
        yield "name", _full_name(world, before), _full_name(world, after)
    if before.namespace_id != after.namespace_id:
        yield "namespace", old_path, new_path
    if before.packages_enabled != after.packages_enabled:
        yield "packages_enabled", before.packages_enabled, after.packages_enabled
    yield from _list_approval_changes(before, after)
    yield from (
        (name, _VISIBILITIES[getattr(before, name)], _VISIBILITIES[getattr(after, name)])
        for name in _FEATURES
        if getattr(before, name) != getattr(after, name)
    )


def _list_approval_changes(before: Project, after: Project) -> Iterator[_Change]:
    old, new = before.merge_requests_author_approval, after.merge_requests_author_approval
    if old != new:
        # The record says what is allowed, the text what is prevented.
        yield "prevent merge request approval from authors", not old, not new
    old, new = before.merge_requests_disable_committers_approval, after.merge_requests_disable_committers_approval
    if old != new:
        yield "prevent merge request approval from reviewers", old, new


def _path_in(world: World, project: Project) -> str:
    return namespaces.project_path(world, project)


def _full_name(world: World, project: Project) -> str:
    return f"{world.namespaces[project.namespace_id].name} / {project.name}"


# Groups


def record_group_change(ctx: WriteContext, before: Group, after: Group) -> None:
    """Record changes of a group."""
    was_marked, is_marked = (group.marked_for_deletion_on is not None for group in (before, after))
    if was_marked != is_marked:
        _record_message(ctx, after, "Group marked for deletion" if is_marked else "Group restored")
    elif before.archived != after.archived:
        _record_message(ctx, after, "Group archived" if after.archived else "Group unarchived")
    _record_changes(ctx, after, _list_group_changes(before, after), after.name)


def _list_group_changes(before: Group, after: Group) -> Iterator[_Change]:
    yield from _list_field_changes(before, after, {name: name for name in _GROUP_FIELDS})
    if before.visibility != after.visibility:
        yield "visibility", before.visibility.capitalize(), after.visibility.capitalize()
    if before.project_creation_level != after.project_creation_level:
        old, new = (_CREATION_LEVELS[group.project_creation_level] for group in (before, after))
        yield "project_creation_level", old, new


def _list_field_changes(before: Record, after: Record, names: dict[str, str]) -> Iterator[_Change]:
    for name, shown in names.items():
        if getattr(before, name) != getattr(after, name):
            yield shown, getattr(before, name), getattr(after, name)


# Users


def record_user_change(ctx: WriteContext, before: User, after: User) -> None:
    """Record changes of a user: of the account's identity and rights, its password and its being blocked."""
    text = _find_state_message(ctx, before.state, after.state) if before.state != after.state else None
    if text is not None:
        _record_message(ctx, after, text)
    _record_changes(ctx, after, _list_field_changes(before, after, _USER_FIELDS), after.name)
    if before.password != after.password:
        target = _target(after.id, "User", after.name)
        audit_events.record(ctx, after, {"change": "password", "from": None, "to": None}, target)


_BLOCKED: Final = "Blocked user"
_ENTERED_STATES: Final = {"blocked": _BLOCKED, "banned": "Banned user", "deactivated": "Deactivated user"}
_LEFT_STATES: Final = {
    "blocked": "Unblocked user",
    "ldap_blocked": "Unblocked user",
    "banned": "Unbanned user",
    "deactivated": "Activated user",
    "blocked_pending_approval": "Instance access request approved",
}


def _find_state_message(ctx: WriteContext, before: str, after: str) -> str | None:
    text = _LEFT_STATES.get(before) if after == "active" else _ENTERED_STATES.get(after)
    return text if text == _BLOCKED or ctx.profile.has(AUDITED_USER_STATES) else None


# Members


def record_member(ctx: WriteContext, member: Member) -> None:
    """Record a new member."""
    action = {"add": "user_access", "as": _level_name(member.access_level)}
    _record_for_member(ctx, member, action)


def record_member_change(ctx: WriteContext, before: Member, after: Member) -> None:
    """Record a change of a membership."""
    levels = {"from": _level_name(before.access_level), "to": _level_name(after.access_level)}
    expiry = {"expiry_from": before.expires_at, "expiry_to": after.expires_at}
    _record_for_member(ctx, after, {"change": "access_level", **levels, **expiry})


def record_member_removal(ctx: WriteContext, member: Member) -> None:
    """Record the end of a membership, by a user or by its date."""
    _record_for_member(ctx, member, {"remove": "user_access"})


def _record_for_member(ctx: WriteContext, member: Member, action: Details) -> None:
    user = ctx.world.users.get(member.user_id)
    target = _target(member.id, "User", user.name if user else "Deleted User")
    entity = _entity_of(container_of(ctx.world, member.source))
    if entity is None:
        return
    author = ctx.world.users.get(member.created_by or 0)
    if ctx.user is not None:
        audit_events.record(ctx, entity, action, target)
    elif author is not None and member.expires_at is not None and "remove" in action:
        expiry = {"system_event": True, "reason": f"access expired on {member.expires_at}"}
        audit_events.record_for(ctx, author, entity, action, {**target, **expiry})


def _entity_of(container: Routable) -> Project | Group | None:
    return container if isinstance(container, Project | Group) else None


def _level_name(level: int) -> str:
    return Level(level).name.capitalize()


# Shares, protected branches, deploy keys


def record_share(ctx: WriteContext, share: Share) -> None:
    """Record that a project was shared with a group."""
    _record_for_share(ctx, share, {"add": "project_access", "as": _level_name(share.group_access)})


def record_share_removal(ctx: WriteContext, share: Share) -> None:
    """Record that a project is no longer shared with a group."""
    _record_for_share(ctx, share, {"remove": "project_access"})


def _record_for_share(ctx: WriteContext, share: Share, action: Details) -> None:
    kind, id_ = share.source
    group = ctx.world.namespaces[share.group_id]
    if kind == "project" and isinstance(group, Group):
        audit_events.record(ctx, group, action, _itself(ctx.world, ctx.world.projects[id_]))


def record_protection(ctx: WriteContext, branch: ProtectedBranch) -> None:
    """Record that branches were protected."""
    _record_for_branch(ctx, branch, {"add": "protected_branch"})


def record_protection_removal(ctx: WriteContext, branch: ProtectedBranch) -> None:
    """Record that branches are no longer protected."""
    _record_for_branch(ctx, branch, {"remove": "protected_branch"})


def _record_for_branch(ctx: WriteContext, branch: ProtectedBranch, action: Details) -> None:
    levels = {
        "push_access_levels": [_access_name(ctx.world, access) for access in branch.push],
        "merge_access_levels": [_access_name(ctx.world, access) for access in branch.merge],
    }
    target = {**levels, **_target(branch.id, "ProtectedBranch", branch.name)}
    audit_events.record(ctx, ctx.world.projects[branch.project_id], action, target)


_ACCESS_NAMES: Final = {
    0: "No one",
    30: "Developers + Maintainers",
    40: "Maintainers",
    60: "Admins",
}


def _access_name(world: World, access: Access) -> str | None:
    if access.user_id is not None:
        user = world.users.get(access.user_id)
        return user.name if user else None
    if access.group_id is not None:
        group = world.namespaces.get(access.group_id)
        return group.name if group else None
    return _ACCESS_NAMES.get(access.level or 0)


def record_deploy_key(ctx: WriteContext, link: DeployKeyProject) -> None:
    """Record that a deploy key was enabled in a project."""
    _record_for_deploy_key(ctx, link, {"add": "deploy_key"})


def record_deploy_key_removal(ctx: WriteContext, link: DeployKeyProject) -> None:
    """Record that a deploy key was disabled in a project."""
    _record_for_deploy_key(ctx, link, {"remove": "deploy_key"})


def _record_for_deploy_key(ctx: WriteContext, link: DeployKeyProject, action: Details) -> None:
    key = ctx.world.deploy_keys.get(link.deploy_key_id)
    if key is not None:
        target = _target(key.id, "DeployKey", key.title)
        audit_events.record(ctx, ctx.world.projects[link.project_id], action, target)
