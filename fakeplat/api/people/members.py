"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api import missing
from fakeplat.api.scopes import GROUP, PROJECT, get_project
from fakeplat.core.operations.errors import Forbidden, MethodNotAllowed, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import member_roles, members
from fakeplat.entities.people.members import MemberView
from fakeplat.model.projects import Container, Member, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Members", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)


class ListMembers(Paged):
    """Filters of lists of members."""

    query: str | None = None
    user_ids: CommaList[int] | None = None
    skip_users: Annotated[CommaList[int] | None, Lifetime(since="<=18.9")] = None


def _filter_members(ctx: ReadContext, candidates: list[Member], p: ListMembers) -> list[Member]:
    text = (p.query or "").lower()
    ids = None if p.user_ids is None else set(p.user_ids)
    return [
        member
        for member in candidates
        if (ids is None or member.user_id in ids)
        and member.user_id not in (p.skip_users or ())
        and (not text or _has_name(ctx, member, text))
    ]


def _has_name(ctx: ReadContext, member: Member, text: str) -> bool:
    user = ctx.world.users[member.user_id]
    return text in user.name.lower() or text in user.username.lower()


@area.operation(
    "GET",
    "members",
    scope=CONTAINERS,
    ability=Ability.READ_MEMBERS,
    params=ListMembers,
    view=MemberView,
    many=True,
)
def list_members(ctx: ReadContext, container: Container, p: ListMembers) -> Sequence[Member]:
    """List direct members."""
    return _filter_members(ctx, members.list_direct(ctx.world, container), p)


@area.operation(
    "GET",
    "members/all",
    name="list_all_{scope}_members",
    scope=CONTAINERS,
    ability=Ability.READ_MEMBERS,
    params=ListMembers,
    view=MemberView,
    many=True,
)
def list_all_members(ctx: ReadContext, container: Container, p: ListMembers) -> Sequence[Member]:
    """List all members: direct, inherited and through invited groups."""
    return _filter_members(ctx, members.list_effective(ctx, container), p)


@area.operation(
    "GET", "members/:user_id", scope=CONTAINERS, ability=Ability.READ_MEMBERS, view=MemberView, refusals=(404,)
)
def get_member(ctx: ReadContext, container: Container, user_id: int) -> Member:
    """Get a direct member."""
    return members.get_member(ctx.world, container, user_id)


@area.operation(
    "GET",
    "members/all/:user_id",
    name="get_inherited_{scope}_member",
    scope=CONTAINERS,
    ability=Ability.READ_MEMBERS,
    view=MemberView,
    refusals=(404,),
)
def get_all_member(ctx: ReadContext, container: Container, user_id: int) -> Member:
    """Get a member: direct, inherited or through an invited group."""
    for member in members.list_effective(ctx, container):
        if member.user_id == user_id:
            return member
    # Not an effective member: this raises the 404 that direct members have.
    return members.get_member(ctx.world, container, user_id)


class AddMember(Params):
    """The users to add, their access level, expiry date and custom role."""

    access_level: int
    user_id: CommaList[int]
    invite_source: Annotated[str, Lifetime(since="<=14.3")] = "members-api"
    expires_at: Day | None = None
    member_role_id: Annotated[int | None, Lifetime(since="<=16.9")] = None


@area.operation(
    "POST",
    "members",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    params=AddMember,
    view=MemberView,
    refusals=(400, 404, 405, 409),
)
def create_member(ctx: WriteContext, container: Container, p: AddMember) -> Member | dict[str, object]:
    """Add one member, or several given as comma-separated ids."""
    if not p.user_id:
        raise NotFound("User", reason="user_id contains no ids")
    # ``membership_lock`` of the group forbids new direct members of its projects.
    if isinstance(container, Project) and members.is_locked(ctx.world, container):
        raise MethodNotAllowed
    role_id = member_roles.find_assignable(ctx.world, container, p.member_role_id)
    # A single id is answered with the member or a refusal, several ids with a summary.
    if len(p.user_id) == 1:
        return _add_member(ctx, container, p.user_id[0], p, role_id)
    return _add_several(ctx, container, p, role_id)


def _add_member(ctx: WriteContext, container: Container, user_id: int, p: AddMember, role_id: int | None) -> Member:
    user = ctx.world.users.get(user_id)
    if user is None:
        raise NotFound("User", reason=missing.user(ctx, str(user_id)))
    return members.add_member(ctx, container, user, p.access_level, p.expires_at, member_role_id=role_id)


def _add_several(ctx: WriteContext, container: Container, p: AddMember, role_id: int | None) -> dict[str, object]:
    # The platform answers 201 either way: it skips unknown ids and lists failures under usernames.
    failures: dict[str, object] = {}
    for user_id in p.user_id:
        user = ctx.world.users.get(user_id)
        if user is None:
            continue
        # Errors are collected, not raised: a refusal would undo the members that were added before.
        objection = members.find_membership_error(ctx, container, user, p.access_level, p.expires_at, role_id)
        if objection:
            failures[user.username] = objection
        else:
            members.add_member(ctx, container, user, p.access_level, p.expires_at, member_role_id=role_id)
    return {"status": "error", "message": failures} if failures else {"status": "success"}


class UpdateMember(Params):
    """The new access level, expiry date and custom role; null for none."""

    access_level: int
    expires_at: Day | None = None
    member_role_id: Annotated[int | None, Lifetime(since="<=16.9")] = None


@area.operation(
    "PUT",
    "members/:user_id",
    scope=CONTAINERS,
    ability=Ability.ADMIN_MEMBERS,
    params=UpdateMember,
    view=MemberView,
    refusals=(400, 404),
)
def update_member(ctx: WriteContext, container: Container, user_id: int, p: UpdateMember) -> Member:
    """Update a member's access level or expiry date."""
    member = members.get_member(ctx.world, container, user_id)
    _refuse_bots(ctx, user_id)
    changes = p.given()
    if "member_role_id" in changes:
        changes["member_role_id"] = member_roles.find_assignable(ctx.world, container, p.member_role_id)
    return members.update_member(ctx, container, member, **changes)


def _refuse_bots(ctx: ReadContext, user_id: int) -> None:
    """Refuse changes to the membership of a project access token's bot user."""
    user = ctx.world.users[user_id]
    if user.kind == "project_bot":
        raise Forbidden(
            reason=f"{user.username} is the bot user of a project access token; its membership cannot be changed"
        )


class DeleteMember(Params):
    """Whether memberships in a group's subgroups and projects stay."""

    skip_subresources: bool = False


@area.operation("DELETE", "members/:user_id", scope=CONTAINERS, params=DeleteMember, refusals=(403, 404, 412))
def delete_member(ctx: WriteContext, container: Container, user_id: int, p: DeleteMember) -> None:
    """Remove a member, from a group's subgroups and projects too; users may remove themselves."""
    member = members.get_member(ctx.world, container, user_id)
    if ctx.signed_in_user.id != user_id:
        authorize(ctx, Ability.ADMIN_MEMBERS, container)
    ctx.check_unmodified_since(member.created_at)
    _refuse_bots(ctx, user_id)
    members.remove_member(ctx, container, member, below=not p.skip_subresources)


@area.operation(
    "POST",
    "import_project_members/:project_id",
    scope=PROJECT,
    ability=Ability.ADMIN_MEMBERS,
    since="14.2",
    refusals=(403, 404),
)
def import_project_members(ctx: WriteContext, project: Project, project_id: str) -> dict[str, object]:
    """Import the direct members of another project."""
    source = get_project(ctx, project_id)
    authorize(ctx, Ability.ADMIN_MEMBERS, source)
    failures = members.copy_members(ctx, source, project)
    if failures:
        return {
            "status": "error",
            "message": failures,
            "total_members_count": len(members.list_direct(ctx.world, source)),
        }
    return {"status": "success", "message": "Successfully imported"}
