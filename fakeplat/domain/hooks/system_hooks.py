"""System hooks about projects, users, keys, groups and members, and webhooks of groups about members and subgroups.

Source: docs/platform/webhooks.md ('2.15 System events').
"""

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, ParamSpec

from attrs import evolve

from fakeplat.domain.hooks.events import GROUP_PROJECT, MEMBER, SUBGROUP, HookEvent, Payload, is_silent
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Member, Project
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.model.people import SshKey
    from fakeplat.model.projects import DeployKey

P = ParamSpec("P")


def _execute(ctx: WriteContext, build: Callable[[ModuleType], Payload]) -> None:
    """Send an event to all system hooks; ``build`` gets the module of the payloads, imported only then."""

    def build_lazily() -> Payload:
        from fakeplat.domain.hooks.payloads import system

        return build(system)

    if not is_silent(ctx):
        from fakeplat.domain.hooks.webhooks import execute_system_event

        execute_system_event(ctx, build_lazily)


def _execute_of_group(ctx: WriteContext, group: Group, event: HookEvent[P], *args: P.args, **kwargs: P.kwargs) -> None:
    if not is_silent(ctx):
        from fakeplat.domain.hooks.webhooks import execute_of_group

        execute_of_group(ctx, group, event, *args, **kwargs)


def execute_new_project(ctx: WriteContext, project: Project) -> None:
    """Send the event of a new project."""
    _execute(ctx, lambda system: system.build_project_event(ctx, "project_create", project))
    _execute_group_project(ctx, "project_create", project)


def execute_deleted_project(ctx: WriteContext, project: Project) -> None:
    """Send the event of a project that is being deleted."""
    _execute(ctx, lambda system: system.build_project_event(ctx, "project_destroy", project))
    _execute_group_project(ctx, "project_destroy", project)


def _execute_group_project(ctx: WriteContext, event_name: str, project: Project) -> None:
    group = ctx.world.namespaces.get(project.namespace_id)
    if isinstance(group, Group):
        _execute_of_group(ctx, group, GROUP_PROJECT, event_name, project)


def execute_changed_project(ctx: WriteContext, before: Project, after: Project) -> None:
    """Send the event of a changed project; one in another namespace was transferred, one with another path renamed."""
    if before.namespace_id != after.namespace_id:
        _execute_moved_project(ctx, "project_transfer", before, after)
    elif before.path != after.path:
        _execute_moved_project(ctx, "project_rename", before, after)
    # Archiving and marking for deletion are no updates.
    elif before.archived == after.archived and before.marked_for_deletion_on == after.marked_for_deletion_on:
        _execute(ctx, lambda system: system.build_project_event(ctx, "project_update", after))


def _execute_moved_project(ctx: WriteContext, event_name: str, before: Project, after: Project) -> None:
    old_path = namespaces.project_path(ctx.world, evolve(after, path=before.path, namespace_id=before.namespace_id))
    _execute(
        ctx,
        lambda system: system.build_project_event(ctx, event_name, after, old_path_with_namespace=old_path),
    )


def execute_new_user(ctx: WriteContext, user: User) -> None:
    """Send the event of a new user."""
    _execute(ctx, lambda system: system.build_user_event("user_create", user))


def execute_deleted_user(ctx: WriteContext, user: User) -> None:
    """Send the event of a user who is being deleted."""
    _execute(ctx, lambda system: system.build_user_event("user_destroy", user))


def execute_changed_user(ctx: WriteContext, before: User, after: User) -> None:
    """Send the event of a user with another username."""
    if before.username != after.username:
        _execute(ctx, lambda system: system.build_user_event("user_rename", after, old_username=before.username))


def execute_refused_sign_in(ctx: WriteContext, user: User) -> None:
    """Send the event of a blocked user who tried to sign in."""
    if user.is_blocked:
        _execute(ctx, lambda system: system.build_failed_login_event(user))


def execute_new_key(ctx: WriteContext, key: "SshKey | DeployKey") -> None:
    """Send the event of a new key."""
    _execute_key(ctx, "create", key)


def execute_deleted_key(ctx: WriteContext, key: "SshKey | DeployKey") -> None:
    """Send the event of a key that is being deleted."""
    _execute_key(ctx, "destroy", key)


def _execute_key(ctx: WriteContext, verb: str, key: "SshKey | DeployKey") -> None:
    user = ctx.world.users.get(key.user_id or 0)
    _execute(ctx, lambda system: system.build_key_event(verb, key, user))


def execute_new_group(ctx: WriteContext, group: Group) -> None:
    """Send the events of a new group."""
    _execute(ctx, lambda system: system.build_group_event(ctx, "group_create", group))
    _execute_subgroup(ctx, "subgroup_create", group)


def execute_deleted_group(ctx: WriteContext, group: Group) -> None:
    """Send the events of a group that is being deleted."""
    _execute(ctx, lambda system: system.build_group_event(ctx, "group_destroy", group))
    _execute_subgroup(ctx, "subgroup_destroy", group)


def execute_changed_group(ctx: WriteContext, before: Group, after: Group) -> None:
    """Send the event of a group with another path."""
    if before.path != after.path:
        above, slash, _ = namespaces.full_path(ctx.world, after).rpartition("/")
        names = {"old_path": before.path, "old_full_path": f"{above}{slash}{before.path}"}
        _execute(ctx, lambda system: system.build_group_event(ctx, "group_rename", after, **names))


def _execute_subgroup(ctx: WriteContext, event_name: str, group: Group) -> None:
    parent = ctx.world.namespaces.get(group.parent_id or 0)
    if isinstance(parent, Group):
        _execute_of_group(ctx, parent, SUBGROUP, event_name, group, parent)


def execute_new_member(ctx: WriteContext, member: Member) -> None:
    """Send the events of a new member."""
    _execute_member(ctx, "add", member)


def execute_changed_member(ctx: WriteContext, _before: Member, after: Member) -> None:
    """Send the events of a member with another level or expiry."""
    _execute_member(ctx, "update", after)


def execute_removed_member(ctx: WriteContext, member: Member) -> None:
    """Send the events of a membership that ended."""
    _execute_member(ctx, "remove", member)


def _execute_member(ctx: WriteContext, verb: str, member: Member) -> None:
    _execute(ctx, lambda system: system.build_member_event(ctx, verb, member))
    group = container_of(ctx.world, member.source)
    if isinstance(group, Group):
        _execute_of_group(ctx, group, MEMBER, verb, group, member)
