"""What members may do, and where they get mails. Source: docs/platform/graphql.md, docs/platform/project-members.md."""

from typing import Final

from fakeplat.domain.mail import recipients
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import members
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.merge_requests.reviewers import UserOfMergeRequest
from fakeplat.graphql.people.members import GROUP_MEMBER, PROJECT_MEMBER
from fakeplat.graphql.people.pending_members import PENDING, Pending
from fakeplat.graphql.permissions import permit
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Member, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext

_OWN_PERMISSIONS: Final = "<=18.9"
OF_MEMBER = Type("GroupMemberPermissions", "What the caller may do in the member's group.", since=_OWN_PERMISSIONS)
permit(
    OF_MEMBER,
    {
        "createCustomEmoji": Ability.CREATE_CUSTOM_EMOJI,
        "createProjects": Ability.CREATE_PROJECTS,
        "readGroup": Ability.READ_GROUP,
        "removeGroup": Ability.REMOVE_GROUP,
        "viewEditPage": Ability.ADMIN_GROUP,
    },
)


@GROUP_MEMBER.field("userPermissions: GroupPermissions!", until=_OWN_PERMISSIONS)
@GROUP_MEMBER.field("userPermissions: GroupMemberPermissions!", since=_OWN_PERMISSIONS)
@PROJECT_MEMBER.field("userPermissions: ProjectPermissions!")
def permissions_in_container(ctx: ReadContext, member: Member) -> Routable:
    """What the caller, not the member, may do in the project or group."""
    return members.container_of(ctx.world, member.source)


@GROUP_MEMBER.field("notificationEmail: String", since="<=14.10")
def notification_email(ctx: ReadContext, member: Member) -> str:
    """The address for mails about the group, for administrators."""
    if not ctx.admin:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} is no administrator")
    user, group = ctx.world.users[member.user_id], ctx.world.namespaces[member.source[1]]
    return recipients.get_address(ctx.world, user, group if isinstance(group, Group) else None)


@GROUP_MEMBER.field("mergeRequestInteraction(id: MergeRequestID!): UserMergeRequestInteraction", since="<=14.9")
@PROJECT_MEMBER.field("mergeRequestInteraction(id: MergeRequestID!): UserMergeRequestInteraction", since="<=14.9")
@PENDING.field("mergeRequestInteraction(id: MergeRequestID!): UserMergeRequestInteraction")
def interaction(
    ctx: ReadContext,
    member: Pending,
    id: str,  # the argument's name on the wire
) -> UserOfMergeRequest | None:
    """What the member may do and has done in a merge request that the caller sees."""
    merge_request = ctx.world.merge_requests.get(parse_id(ctx, id, "MergeRequest"))
    if merge_request is None or not isinstance(member, Member) or not noteables.is_visible(ctx, merge_request):
        return None
    user = ctx.world.users[member.user_id]
    reviewer = next((row for row in merge_request.reviewers if row.user_id == user.id), None)
    return UserOfMergeRequest(merge_request, user, reviewer)
