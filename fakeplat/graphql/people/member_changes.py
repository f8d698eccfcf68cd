"""Changes of several members at once. Source: docs/platform/graphql.md ('Members and groups')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import members
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Container, Member, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can_see
from fakeplat.policy.context import WriteContext

_SINCE: Final = "<=16.2"
_MOST: Final = 50
_NO_PERMISSION: Final = "Unable to update members, please check user permissions."
_ONLY_DIRECT: Final = "Only access level of direct members can be updated."
Enumeration(
    "MemberAccessLevel",
    "The role of a member.",
    {
        "MINIMAL_ACCESS": (int(Level.MINIMAL), "Minimal access."),
        "GUEST": (int(Level.GUEST), "Guests."),
        "PLANNER": (int(Level.PLANNER), "Planners.", Lifetime(since="<=18.5")),
        "REPORTER": (int(Level.REPORTER), "Reporters."),
        "DEVELOPER": (int(Level.DEVELOPER), "Developers."),
        "MAINTAINER": (int(Level.MAINTAINER), "Maintainers."),
        "OWNER": (int(Level.OWNER), "Owners."),
    },
    since=_SINCE,
)


class EndInput(TypedDict, total=False):
    """When the memberships end; null is never."""

    expires_at: str | None


_CHANGES: Final = '''
"""The global IDs of the users."""
userIds: [UserID!]!
"""The role."""
accessLevel: MemberAccessLevel!
"""When the membership ends."""
expiresAt: Time
'''


@mutation(
    "projectMemberBulkUpdate",
    input_fields=f'"""The global ID of the project."""\nprojectId: ProjectID!\n{_CHANGES}',
    payload_fields='"""The memberships."""\nprojectMembers: [ProjectMember!]',
    since=_SINCE,
)
def project_member_bulk_update(
    ctx: WriteContext, project_id: str, user_ids: Sequence[str], access_level: int, **changes: Unpack[EndInput]
) -> Mapping[str, Any]:
    """Change the role of several members of a project."""
    project = ctx.world.projects.get(parse_id(ctx, project_id, "Project"))
    changed = _update(ctx, project, user_ids, members.MemberChanges(access_level=access_level), changes)
    return changed if isinstance(changed, dict) else {"project_members": changed}


@mutation(
    "groupMemberBulkUpdate",
    input_fields=f'"""The global ID of the group."""\ngroupId: GroupID!\n{_CHANGES}',
    payload_fields='"""The memberships."""\ngroupMembers: [GroupMember!]',
    since=_SINCE,
)
def group_member_bulk_update(
    ctx: WriteContext, group_id: str, user_ids: Sequence[str], access_level: int, **changes: Unpack[EndInput]
) -> Mapping[str, Any]:
    """Change the role of several members of a group."""
    namespace = ctx.world.namespaces.get(parse_id(ctx, group_id, "Group"))
    group = namespace if isinstance(namespace, Group) else None
    changed = _update(ctx, group, user_ids, members.MemberChanges(access_level=access_level), changes)
    return changed if isinstance(changed, dict) else {"group_members": changed}


def _update(
    ctx: WriteContext,
    container: Project | Group | None,
    user_ids: Sequence[str],
    changes: members.MemberChanges,
    given: EndInput,
) -> Sequence[Member] | dict[str, Any]:
    """Return the changed members, or a payload with the error that the caller may not change one of them."""
    if container is None or not can_see(ctx, container):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no such project or group")
    authorize(ctx, Ability.ADMIN_MEMBERS, container)
    chosen = _list_direct(ctx, container, user_ids)
    if "expires_at" in given:
        expires_at = given["expires_at"]
        changes["expires_at"] = None if expires_at is None else expires_at[:10]
    try:
        for member in chosen:
            members.authorize_owners(ctx, container, changes["access_level"], member.access_level)
    except Forbidden:
        return {"errors": [_NO_PERMISSION]}
    with collect_errors():
        return [members.update_member(ctx, container, member, **changes) for member in chosen]


def _list_direct(ctx: WriteContext, container: Container, user_ids: Sequence[str]) -> Sequence[Member]:
    numbers = [parse_id(ctx, text, "User") for text in user_ids]
    direct = {member.user_id: member for member in members.list_direct(ctx.world, container)}
    chosen = [direct[number] for number in dict.fromkeys(numbers) if number in direct]
    if len(chosen) > _MOST:
        raise GraphQLError(f"Count of members to be updated should be less than {_MOST}.")
    if len(chosen) != len(numbers):
        raise GraphQLError(_ONLY_DIRECT)
    return chosen
