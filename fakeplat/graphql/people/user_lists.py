"""Lists of users. Source: docs/platform/graphql.md, docs/platform/users.md."""

from collections.abc import Mapping, Sequence
from typing import Final

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.domain.people import members, namespaces
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue, Type
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Container
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import BLOCKED_USERS_ARE_HIDDEN, VISITORS_FIND_NO_USERS, VISITORS_NAME_USERS
from fakeplat.policy.context import ReadContext

_LATER: Final = '@lifetime(since: "<=18.5")'
_MAX_SUGGESTED: Final = 20
_ONE_LIST: Final = "Provide either a list of usernames or ids"
_COLUMNS: Final = ("updated", "created")
_SORTS: Final[Mapping[str, EnumValue]] = {
    f"{column}_{direction}": ((f"{column}_at", direction == "desc"), f"By {column} time.")
    for column in _COLUMNS
    for direction in ("desc", "asc")
}
Enumeration(
    "Sort",
    "The order of records.",
    {**_SORTS, **{name.upper(): (value[0], value[1], Lifetime(since="<=13.6")) for name, value in _SORTS.items()}},
)
AUTOCOMPLETED = Type(
    "AutocompletedUser", "A user who can be mentioned.", gid="User", implements=("User",), since="<=16.3", base=USER
)


@QUERY.field(
    f"""users(ids: [ID!], usernames: [String!], sort: Sort = created_desc, search: String, admins: Boolean = false,
        groupId: GroupID @lifetime(since: "<=16.9"), active: Boolean {_LATER},
        humans: Boolean {_LATER}): UserConnection"""
)
def users(
    ctx: ReadContext,
    ids: Sequence[str] | None = None,
    usernames: Sequence[str] | None = None,
    sort: tuple[str, bool] | None = None,
    search: str | None = None,
    admins: bool | None = None,
    group_id: str | None = None,
    active: bool | None = None,
    humans: bool | None = None,
) -> Sequence[User]:
    """The users of the instance; blocked ones are, in later releases, for administrators."""
    _authorize_list(ctx, usernames)
    if usernames and ids:
        raise GraphQLError(_ONE_LIST)
    wanted = None if ids is None else {parse_id(ctx, text, "User") for text in ids}
    names = None if usernames is None else {name.lower() for name in usernames}
    of_group = None if group_id is None else _list_member_ids(ctx, group_id)
    hides_blocked = not ctx.admin and ctx.profile.has(BLOCKED_USERS_ARE_HIDDEN)
    found = [
        user
        for user in ctx.world.users.all()
        if (wanted is None or user.id in wanted)
        and (names is None or user.username.lower() in names)
        and (not search or _has_text(user, search))
        and (not admins or user.admin or not ctx.admin)
        and (of_group is None or user.id in of_group)
        and active in (None, user.state == "active")
        and humans in (None, user.kind == "human")
        and not (hides_blocked and (user.is_blocked or user.state == "banned"))
    ]
    column, descending = sort or ("created_at", True)
    return sorted(found, key=lambda user: (getattr(user, column), user.id), reverse=descending)


def _authorize_list(ctx: ReadContext, usernames: Sequence[str] | None) -> None:
    """Refuse visitors where profiles are not public; later releases refuse those without usernames, the latest all."""
    if ctx.viewer is not None:
        return
    profile = ctx.profile
    if (
        "public" in ctx.world.settings.restricted_visibility_levels
        or (not usernames and profile.has(VISITORS_NAME_USERS))
        or profile.has(VISITORS_FIND_NO_USERS)
    ):
        raise ResourceNotAvailable("visitors may not list these users")


def _has_text(user: User, search: str) -> bool:
    text = search.lower()
    return text in user.name.lower() or text in user.username.lower() or text == user.email.lower()


def _list_member_ids(ctx: ReadContext, group_id: str) -> set[int]:
    group = ctx.world.namespaces.get(parse_id(ctx, group_id, "Group"))
    if not isinstance(group, Group) or not can_see(ctx, group):
        raise ResourceNotAvailable(f"{group_id} is no group that the caller can see")
    below = [group, *namespaces.list_descendants(ctx.world, group)]
    return {member.user_id for each in below for member in members.list_inherited(ctx.world, each)}


@PROJECT.field("autocompleteUsers(search: String): [AutocompletedUser!]", since="<=16.3")
@GROUP.field("autocompleteUsers(search: String): [AutocompletedUser!]", since="<=16.9")
def autocomplete_users(ctx: ReadContext, container: Container, search: str | None = None) -> Sequence[User]:
    """The members whose names contain a text, to be mentioned or assigned."""
    ids = [member.user_id for member in members.list_effective(ctx, container)]
    found = [user for user in map(ctx.world.users.__getitem__, ids) if user.state == "active"]
    matching = [user for user in found if not search or _has_text(user, search)]
    return sorted(matching, key=lambda user: user.name.lower())[:_MAX_SUGGESTED]
