"""Members of projects and groups. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api import missing
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import NotAllowed, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.domain.people import members
from fakeplat.entities.members import MemberView
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Member, Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand

area: Final = Area("Members", login=Login.ALWAYS)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group


class ListMembers(Paged):
    """Filters of lists of members."""

    query: str | None = None
    user_ids: CommaList[int] | None = None


def _matching(cx: Context, found: list[Member], p: ListMembers) -> list[Member]:
    wanted = (p.query or "").lower()
    ids = None if p.user_ids is None else set(p.user_ids)
    return [
        member
        for member in found
        if (ids is None or member.user_id in ids) and (not wanted or _named(cx, member, wanted))
    ]


def _named(cx: Context, member: Member, wanted: str) -> bool:
    user = cx.world.users[member.user_id]
    return wanted in user.name.lower() or wanted in user.username.lower()


@area.operation("GET", "members", under=PLACES, may=May.READ_MEMBERS, takes=ListMembers, shows=MemberView, many=True)
def list_members(cx: Context, place: Place, p: ListMembers) -> Sequence[Member]:
    """List direct members."""
    return _matching(cx, members.direct(cx.world, place), p)


@area.operation(
    "GET",
    "members/all",
    name="list_all_{scope}_members",
    under=PLACES,
    may=May.READ_MEMBERS,
    takes=ListMembers,
    shows=MemberView,
    many=True,
)
def list_all_members(cx: Context, place: Place, p: ListMembers) -> Sequence[Member]:
    """List all members: direct, inherited and through invited groups."""
    return _matching(cx, members.list_effective(cx, place), p)


@area.operation("GET", "members/:user_id", under=PLACES, may=May.READ_MEMBERS, shows=MemberView, refuses=(404,))
def get_member(cx: Context, place: Place, user_id: int) -> Member:
    """Get a direct member."""
    return members.get(cx.world, place, user_id)


@area.operation(
    "GET",
    "members/all/:user_id",
    name="get_inherited_{scope}_member",
    under=PLACES,
    may=May.READ_MEMBERS,
    shows=MemberView,
    refuses=(404,),
)
def get_all_member(cx: Context, place: Place, user_id: int) -> Member:
    """Get a member: direct, inherited or through an invited group."""
    for member in members.list_effective(cx, place):
        if member.user_id == user_id:
            return member
    return members.get(cx.world, place, user_id)


class AddMember(Params):
    """Whom, at which level, until when."""

    access_level: int
    user_id: CommaList[int]
    expires_at: Day | None = None


@area.operation(
    "POST",
    "members",
    under=PLACES,
    may=May.ADMIN_MEMBERS,
    takes=AddMember,
    shows=MemberView,
    refuses=(400, 404, 405, 409),
)
def create_member(cx: Doing, place: Place, p: AddMember) -> Member | dict[str, object]:
    """Add one member, or several given as comma-separated ids."""
    if not p.user_id:
        raise NotFound("User", reason="user_id names nobody")
    if isinstance(place, Project) and members.is_locked(cx.world, place):
        raise NotAllowed
    if len(p.user_id) == 1:
        return _add_one(cx, place, p.user_id[0], p)
    return _add_several(cx, place, p)


def _add_one(cx: Doing, place: Place, user_id: int, p: AddMember) -> Member:
    user = cx.world.users.get(user_id)
    if user is None:
        raise NotFound("User", reason=missing.user(cx, str(user_id)))
    return members.add(cx, place, user, p.access_level, p.expires_at)


def _add_several(cx: Doing, place: Place, p: AddMember) -> dict[str, object]:
    failures: dict[str, object] = {}
    for user_id in p.user_id:
        user = cx.world.users.get(user_id)
        if user is None:
            continue
        text = members.objection(cx, place, user, p.access_level, p.expires_at)
        if text:
            failures[user.username] = text
        else:
            members.add(cx, place, user, p.access_level, p.expires_at)
    return {"status": "error", "message": failures} if failures else {"status": "success"}


class UpdateMember(Params):
    """The new level and last day."""

    access_level: int
    expires_at: Day | None = None


@area.operation(
    "PUT",
    "members/:user_id",
    under=PLACES,
    may=May.ADMIN_MEMBERS,
    takes=UpdateMember,
    shows=MemberView,
    refuses=(400, 404),
)
def update_member(cx: Doing, place: Place, user_id: int, p: UpdateMember) -> Member:
    """Update a member's access level or expiry date."""
    return members.change(cx, place, members.get(cx.world, place, user_id), **p.given())


class DeleteMember(Params):
    """Whether memberships below a group stay."""

    skip_subresources: bool = False


@area.operation("DELETE", "members/:user_id", under=PLACES, takes=DeleteMember, refuses=(403, 404, 412))
def delete_member(cx: Doing, place: Place, user_id: int, p: DeleteMember) -> None:
    """Remove a member, from a group's subgroups and projects too; users may remove themselves."""
    member = members.get(cx.world, place, user_id)
    if cx.someone.id != user_id:
        demand(cx, May.ADMIN_MEMBERS, place)
    cx.unmodified_since(member.created_at)
    members.remove(cx, place, member, below=not p.skip_subresources)
