"""Payloads of system hooks about projects, users, keys, groups and members, and those of groups about members."""

from typing import Final

from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of
from fakeplat.model.people import Group, Level, SshKey, User
from fakeplat.model.projects import DeployKey, Member, Project
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors

Payload = dict[str, object]
_SECONDS: Final = len("2020-11-20T09:00:00")


def _build_head(event_name: str, record: Project | User | SshKey | DeployKey | Group) -> Payload:
    return {
        "event_name": event_name,
        "created_at": _format_time(record.created_at),
        "updated_at": _format_time(record.updated_at),
    }


def _format_time(time: str) -> str:
    return f"{time[:_SECONDS]}Z"


def build_project_event(
    ctx: ReadContext, event_name: str, project: Project, *, old_path_with_namespace: str | None = None
) -> Payload:
    """Return the payload of an event of a project; renamed and moved ones had another path."""
    namespace = ctx.world.namespaces[project.namespace_id]
    owner = namespaces.owner_of(ctx.world, namespace)
    return {
        **_build_head(event_name, project),
        "name": project.name,
        "path": project.path,
        "path_with_namespace": namespaces.project_path(ctx.world, project),
        "project_id": project.id,
        "owner_name": owner.name if owner else namespace.name,
        "owner_email": owner.email if owner else "",
        "project_visibility": project.visibility,
        **({} if old_path_with_namespace is None else {"old_path_with_namespace": old_path_with_namespace}),
    }


def build_group_project_event(ctx: ReadContext, event_name: str, project: Project) -> Payload:
    """Return the payload of a new or deleted project for the webhooks of the groups above."""
    owners = [
        ctx.world.users[member.user_id]
        for group in ancestors(ctx.world, project.namespace_id)
        for member in ctx.world.members.where("source", ("group", group.id))
        if member.access_level == Level.OWNER
    ]
    return {
        **_build_head(event_name, project),
        "name": project.name,
        "path": project.path,
        "path_with_namespace": namespaces.project_path(ctx.world, project),
        "project_id": project.id,
        "project_namespace_id": project.namespace_id,
        "owners": [{"name": owner.name, "email": owner.email} for owner in dict.fromkeys(owners)],
        "project_visibility": project.visibility,
    }


def build_user_event(event_name: str, user: User, *, old_username: str | None = None) -> Payload:
    """Return the payload of an event of a user."""
    return {
        **_build_head(event_name, user),
        "name": user.name,
        "email": user.email,
        "user_id": user.id,
        "username": user.username,
        **({} if old_username is None else {"old_username": old_username}),
    }


def build_failed_login_event(user: User) -> Payload:
    """Return the payload of a failed attempt of a blocked user to sign in."""
    return {**build_user_event("user_failed_login", user), "state": user.state}


def build_key_event(verb: str, key: SshKey | DeployKey, user: User | None) -> Payload:
    """Return the payload of an event of a key."""
    # The platform names the event after the class of the key.
    word = "key" if isinstance(key, SshKey) else "deploykey"
    return {
        **_build_head(f"{word}_{verb}", key),
        "key": key.key,
        "id": key.id,
        **({"username": user.username} if user else {}),
    }


def build_group_event(
    ctx: ReadContext, event_name: str, group: Group, *, old_path: str | None = None, old_full_path: str | None = None
) -> Payload:
    """Return the payload of an event of a group; a renamed one had another path."""
    return {
        **_build_head(event_name, group),
        "name": group.name,
        "path": group.path,
        "full_path": namespaces.full_path(ctx.world, group),
        "group_id": group.id,
        "owner_name": None,
        "owner_email": None,
        **({} if old_path is None else {"old_path": old_path, "old_full_path": old_full_path}),
    }


def build_member_event(ctx: ReadContext, verb: str, member: Member) -> Payload:
    """Return the payload of an event of a member of a project or group; ``verb`` is add, remove or update."""
    container, user = container_of(ctx.world, member.source), ctx.world.users[member.user_id]
    times = {"created_at": _format_time(member.created_at), "updated_at": _format_time(member.created_at)}
    if isinstance(container, Project):
        return {
            "event_name": f"user_{_VERBS[verb]}_team",
            **times,
            "project_name": container.name,
            "project_path": container.path,
            "project_path_with_namespace": namespaces.project_path(ctx.world, container),
            "project_id": container.id,
            **_build_user(user),
            "access_level": _level_name(member),
            # The platform's own mixture of the name of the column and its value.
            "project_visibility": f"visibilitylevel|{container.visibility}",
        }
    return {
        "event_name": f"user_{_VERBS[verb]}_group",
        **times,
        "group_name": container.name,
        "group_path": container.path,
        "group_id": container.id,
        **_build_user(user),
        "group_access": _level_name(member),
    }


_VERBS: Final = {"add": "add_to", "remove": "remove_from", "update": "update_for"}


def _build_user(user: User) -> Payload:
    return {
        "user_username": user.username,
        "user_name": user.name,
        "user_email": user.email,
        "user_id": user.id,
    }


def _level_name(member: Member) -> str:
    return Level(member.access_level).name.title()


def build_group_member_event(ctx: ReadContext, verb: str, group: Group, member: Member) -> Payload:
    """Return the payload of an event of a member for the webhooks of the group."""
    time = _format_time(member.created_at)
    return {
        "created_at": time,
        "updated_at": time,
        "group_name": group.name,
        "group_path": group.path,
        "group_id": group.id,
        **_build_user(ctx.world.users[member.user_id]),
        "group_access": _level_name(member),
        "group_plan": None,
        "expires_at": f"{member.expires_at}T00:00:00Z" if member.expires_at else None,
        "event_name": f"user_{_VERBS[verb]}_group",
    }


def build_subgroup_event(ctx: ReadContext, event_name: str, group: Group, parent: Group) -> Payload:
    """Return the payload of a new or deleted subgroup for the webhooks of the groups above."""
    return {
        "created_at": _format_time(group.created_at),
        "updated_at": _format_time(group.updated_at),
        "event_name": event_name,
        "name": group.name,
        "path": group.path,
        "full_path": namespaces.full_path(ctx.world, group),
        "group_id": group.id,
        "parent_group_id": parent.id,
        "parent_name": parent.name,
        "parent_path": parent.path,
        "parent_full_path": namespaces.full_path(ctx.world, parent),
    }
