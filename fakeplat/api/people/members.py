"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from attrs import evolve

from fakeplat.api import missing
from fakeplat.api.scopes import GROUP, PROJECT, get_project
from fakeplat.core.operations.errors import Forbidden, MethodNotAllowed, NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody, dump_json
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params, at_least_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime, Required
from fakeplat.domain.issuables import assignments
from fakeplat.domain.people import member_roles, members, promotions, users
from fakeplat.domain.scim import saml_providers
from fakeplat.domain.validation import join_words
from fakeplat.entities.people.members import SEATS, MemberView
from fakeplat.model.people import Group, MemberState, User
from fakeplat.model.projects import Container, Member, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import (
    IMPORTED_MEMBERS_HAVE_NO_TEXT,
    KEPT_MEMBERS_ARE_FAILURES,
    SERVICE_ACCOUNTS_ARE_NOT_SYNCHRONIZED,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Members", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)
_BY_NAME: Final = Lifetime(since="<=17.4")
_KEPT: Final = "not authorized to update member"


class ListMembers(Paged):
    """Filters of lists of members."""

    query: str | None = None
    user_ids: CommaList[int] | None = None
    skip_users: Annotated[CommaList[int] | None, Lifetime(since="<=16.0")] = None
    show_seat_info: Annotated[bool, Lifetime(since="<=14.3")] = False


class ListDirectMembers(ListMembers):
    """The same, and whether they have an identity at the single sign-on of the group."""

    with_saml_identity: Annotated[bool, Lifetime(since="<=14.0")] = False


class ListAllMembers(ListMembers):
    """The same, and whether they await approval."""

    state: Annotated[MemberState | None, Lifetime(since="<=18.9")] = None


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


def _with_identity(ctx: ReadContext, container: Container, candidates: list[Member]) -> list[Member]:
    """Return those with an identity at the single sign-on of a group; all of them unless the caller owns the group."""
    provider = saml_providers.find_by_group(ctx.world, container) if isinstance(container, Group) else None
    if provider is None or not can(ctx, Ability.ADMIN_GROUP, container):
        return candidates
    ids = {identity.user_id for identity in saml_providers.list_identities(ctx.world, provider)}
    return [member for member in candidates if member.user_id in ids]


def _list_options(ctx: ReadContext, p: ListMembers, _member: Member | None) -> tuple[str, ...]:
    return (SEATS,) if p.show_seat_info and ctx.instance.has("premium") else ()


def _has_name(ctx: ReadContext, member: Member, text: str) -> bool:
    user = ctx.world.users[member.user_id]
    return text in user.name.lower() or text in user.username.lower()


@area.operation(
    "GET",
    "members",
    scope=CONTAINERS,
    ability=Ability.READ_MEMBERS,
    params=ListDirectMembers,
    view=MemberView,
    many=True,
    options=_list_options,
)
def list_members(ctx: ReadContext, container: Container, p: ListDirectMembers) -> Sequence[Member]:
    """List direct members."""
    matching = _filter_members(ctx, members.list_direct(ctx.world, container), p)
    return _with_identity(ctx, container, matching) if p.with_saml_identity else matching


@area.operation(
    "GET",
    "members/all",
    name="list_all_{scope}_members",
    scope=CONTAINERS,
    ability=Ability.READ_MEMBERS,
    params=ListAllMembers,
    view=MemberView,
    many=True,
    options=_list_options,
)
def list_all_members(ctx: ReadContext, container: Container, p: ListAllMembers) -> Sequence[Member]:
    """List all members: direct, inherited and through invited groups."""
    matching = _filter_members(ctx, members.list_effective(ctx, container), p)
    state = p.state if ctx.instance.has("premium") else None
    return [member for member in matching if state in (None, member.state)]


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
    """The users to add by id or name, their access level, expiry date and custom role."""

    access_level: int
    user_id: Annotated[CommaList[int] | None, Required(until="<=17.4")] = None
    username: Annotated[CommaList[str] | None, _BY_NAME] = None
    invite_source: Annotated[str, Lifetime(since="<=14.3")] = "members-api"
    expires_at: Day | None = None
    member_role_id: Annotated[int | None, Lifetime(since="<=16.9")] = None

    rules = (
        evolve(mutually_exclusive("user_id", "username"), lifetime=_BY_NAME),
        evolve(at_least_one_of("user_id", "username"), lifetime=_BY_NAME),
    )


@area.operation(
    "POST",
    "members",
    scope=CONTAINERS,
    params=AddMember,
    view=MemberView,
    also=(202,),
    refusals=(400, 403, 404, 405, 409),
)
def create_member(ctx: WriteContext, container: Container, p: AddMember) -> Member | RawBody | dict[str, object]:
    """Add one member, or several given as comma-separated ids."""
    references = _list_references(ctx, p)
    authorize(ctx, _required_ability(ctx, [user for _, user in references]), container)
    members.authorize_owners(ctx, container, p.access_level)
    if not references:
        raise NotFound("User", reason="no user is named")
    # ``membership_lock`` of the group forbids new direct members of its projects.
    if isinstance(container, Project) and members.is_locked(ctx.world, container):
        raise MethodNotAllowed
    role_id = member_roles.find_assignable(ctx.world, container, p.member_role_id)
    # A single user is answered with the member or a refusal, several ones with a summary.
    if len(references) > members.MOST_INVITED:
        return {"status": "error", "message": members.TOO_MANY_INVITED}
    if len(references) == 1:
        ((reference, user),) = references
        if user is None:
            raise NotFound("User", reason=missing.user(ctx, reference))
        if promotions.needs_approval(ctx, user, p.access_level):
            return _queue(user)
        return members.add_member(ctx, container, user, p.access_level, p.expires_at, member_role_id=role_id)
    return _add_several(ctx, container, [user for _, user in references], p, role_id)


def _queue(user: User) -> RawBody:
    """Return the answer to a role that an administrator is to approve."""
    return RawBody(dump_json({"message": {user.username: promotions.QUEUED}}), JSON, status=202)


def _required_ability(ctx: ReadContext, people: Sequence[User | None]) -> Ability:
    """Return what is needed to add or remove users. No identity provider is in charge of service accounts."""
    may_bypass = ctx.profile.has(SERVICE_ACCOUNTS_ARE_NOT_SYNCHRONIZED) and ctx.instance.has("premium")
    if may_bypass and people and all(user is not None and user.kind == "service_account" for user in people):
        return Ability.ADMIN_SERVICE_ACCOUNT_MEMBERS
    return Ability.ADMIN_MEMBERS


def _list_references(ctx: ReadContext, p: AddMember) -> list[tuple[str, User | None]]:
    """Return the ids or names that were sent, with their users."""
    world = ctx.world
    if p.username is not None:
        return [(name, users.find_by_username(world, name.strip())) for name in p.username]
    return [(str(id_), world.users.get(id_)) for id_ in p.user_id or ()]


def _add_several(
    ctx: WriteContext, container: Container, people: Sequence[User | None], p: AddMember, role_id: int | None
) -> dict[str, object]:
    # The platform answers 201 either way: it skips unknown users and tells failures in a sentence.
    failures: list[str] = []
    queued: list[User] = []
    for user in filter(None, people):
        if promotions.needs_approval(ctx, user, p.access_level):
            queued.append(user)
            continue
        # Errors are collected, not raised: a refusal would undo the members that were added before.
        if members.may_change(ctx, container, user):
            level, ends = p.access_level, p.expires_at
            objection = members.add_or_change_member(ctx, container, user, level, ends, role_id)
        else:
            objection = _KEPT if ctx.profile.has(KEPT_MEMBERS_ARE_FAILURES) else None
        if objection:
            failures.append(f"{user.username}: {objection}")
    result: dict[str, object] = (
        {"status": "error", "message": join_words(failures)} if failures else {"status": "success"}
    )
    return {**result, **promotions.describe_queued(queued)}


class UpdateMember(Params):
    """The new access level, expiry date and custom role; null for none."""

    access_level: int
    expires_at: Day | None = None
    member_role_id: Annotated[int | None, Lifetime(since="<=16.9")] = None


@area.operation(
    "PUT",
    "members/:user_id",
    scope=CONTAINERS,
    ability=Ability.UPDATE_MEMBERS,
    params=UpdateMember,
    view=MemberView,
    also=(202,),
    refusals=(400, 403, 404),
)
def update_member(ctx: WriteContext, container: Container, user_id: int, p: UpdateMember) -> Member | RawBody:
    """Update a member's access level or expiry date."""
    member = members.get_member(ctx.world, container, user_id)
    members.authorize_owners(ctx, container, p.access_level, member.access_level)
    _refuse_bots(ctx, user_id)
    members.refuse_holder(ctx.world, container, user_id)
    user = ctx.world.users[user_id]
    if promotions.needs_approval(ctx, user, p.access_level):
        return _queue(user)
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
    """Whether memberships in a group's subgroups and projects stay, and whether the user loses assignments there."""

    skip_subresources: bool = False
    unassign_issuables: Annotated[bool, Lifetime(since="<=14.3")] = False


@area.operation("DELETE", "members/:user_id", scope=CONTAINERS, params=DeleteMember, refusals=(403, 404, 412))
def delete_member(ctx: WriteContext, container: Container, user_id: int, p: DeleteMember) -> None:
    """Remove a member, from a group's subgroups and projects too; users may remove themselves."""
    member = members.get_member(ctx.world, container, user_id)
    if ctx.signed_in_user.id != user_id:
        authorize(ctx, _required_ability(ctx, [ctx.world.users[user_id]]), container)
        members.authorize_owners(ctx, container, member.access_level)
    ctx.check_unmodified_since(member.created_at)
    _refuse_bots(ctx, user_id)
    members.refuse_holder(ctx.world, container, user_id)
    members.remove_member(ctx, container, member, below=not p.skip_subresources)
    if p.unassign_issuables:
        assignments.unassign(ctx, container, user_id)


@area.operation(
    "POST",
    "import_project_members/:project_id",
    scope=PROJECT,
    ability=Ability.ADMIN_MEMBERS,
    since="14.2",
    refusals=(403, 404, 422),
)
def import_project_members(ctx: WriteContext, project: Project, project_id: str) -> dict[str, object]:
    """Import the direct members of another project."""
    source = get_project(ctx, project_id)
    authorize(ctx, Ability.ADMIN_MEMBERS, source)
    members.authorize_import(ctx, project)
    failures = members.copy_members(ctx, source, project)
    if failures:
        return {
            "status": "error",
            "message": failures,
            "total_members_count": len(members.list_direct(ctx.world, source)),
        }
    success: dict[str, object] = {"status": "success"}
    return (
        success if ctx.profile.has(IMPORTED_MEMBERS_HAVE_NO_TEXT) else {**success, "message": "Successfully imported"}
    )
