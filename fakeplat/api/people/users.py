"""Users. Source: docs/platform/users.md, docs/decisions/rulings.md (2, 3)."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal

from typing_extensions import override

from fakeplat.api.scopes import USER
from fakeplat.core.operations.errors import Forbidden, InvalidRecord, NotFound, Unauthorized
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BOTH_DIRECTIONS, CursorPaged, Cursors, Order, Paging
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Moment, Params, all_or_none_of, at_least_one_of
from fakeplat.core.release import Lifetime, Profile
from fakeplat.domain import settings
from fakeplat.domain.people import users
from fakeplat.domain.projects import custom_attributes
from fakeplat.domain.purging import purge
from fakeplat.entities.people.users import AdminSelf, UserAdmin, UserAdminDetail, UserBasic, UserPublic, UserSelf
from fakeplat.entities.projects.custom_attributes import CUSTOM_ATTRIBUTES
from fakeplat.model.people import Level, User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import (
    EVERYBODY_FINDS_EXTERNAL_USERS,
    EVERYBODY_SORTS_USERS,
    LISTS_OF_USERS_END,
    SAML_PROVIDERS_FIND_NOBODY,
    TWO_FACTORS_ARE_ANY_TEXT,
    USERS_HAVE_CURSORS,
    USERS_NEED_A_LOGIN,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import project_level

area: Final = Area("Users", login=Login.WRITES, scopes=("read_user",))
v3_area: Final = Area("Users", login=Login.WRITES, scopes=("read_user",), prefix="/api/v3")
"""The remains of API v3: OAuth applications read the current user there."""
# Shorter texts have to equal the whole name, username or e-mail address.
_MIN_PARTIAL_LENGTH: Final = 3


class CustomAttributesParam(Params):
    """Whether to include custom attributes; only administrators get them."""

    with_custom_attributes: bool = False


class GetUser(CustomAttributesParam):
    """Optional parts of a user. The filter of lists is accepted, too, and does not filter a single user."""

    custom_attributes: Annotated[dict[str, str] | None, Lifetime(since="<=18.9")] = None


class ListUsers(CursorPaged, CustomAttributesParam):
    """Filters of the list of users."""

    pagination: Annotated[str | None, USERS_HAVE_CURSORS] = None
    cursor: Annotated[str | None, USERS_HAVE_CURSORS] = None
    username: str | None = None
    extern_uid: str | None = None
    provider: str | None = None
    search: str | None = None
    active: bool = False
    external: bool = False
    blocked: bool = False
    exclude_internal: bool = False
    skip_ldap: bool | None = None
    created_after: Moment | None = None
    created_before: Moment | None = None
    without_projects: bool = False
    order_by: Literal["id", "name", "username", "created_at", "updated_at"] = "id"
    sort: Literal["asc", "desc"] = "desc"
    two_factor: str | None = None
    custom_attributes: dict[str, str] | None = None
    admins: Annotated[bool, Lifetime(since="<=13.9")] = False
    auditors: Annotated[bool, Lifetime(since="16.2")] = False
    saml_provider_id: Annotated[int | None, SAML_PROVIDERS_FIND_NOBODY] = None
    humans: Annotated[bool, Lifetime(since="<=17.10")] = False
    exclude_active: Annotated[bool, Lifetime(since="<=17.10")] = False
    exclude_external: Annotated[bool, Lifetime(since="<=15.4")] = False
    exclude_humans: Annotated[bool, Lifetime(since="<=17.10")] = False
    without_project_bots: Annotated[bool, Lifetime(since="<=14.10")] = False
    public_email: Annotated[str | None, Lifetime(since="<=18.4")] = None

    rules = (all_or_none_of("extern_uid", "provider"),)

    @classmethod
    @override
    def in_release(cls, profile: Profile) -> type[Params]:
        return cls if profile.has(TWO_FACTORS_ARE_ANY_TEXT) else ListUsersByState


class ListUsersByState(ListUsers):
    """The same filters; two factors are on or off."""

    two_factor: Literal["enabled", "disabled"] | None = None


def _list_view(ctx: ReadContext, _p: Params) -> type[UserAdmin | UserBasic]:
    return UserAdmin if ctx.admin else UserBasic


def attribute_options(ctx: ReadContext, p: CustomAttributesParam, _user: User | None) -> tuple[str, ...]:
    """Return the view option for custom attributes if an administrator requested them."""
    return (CUSTOM_ATTRIBUTES,) if p.with_custom_attributes and ctx.admin else ()


def _order(ctx: ReadContext, p: ListUsers) -> Order | None:
    # A search has an order of its own, unless one is requested. For whoever cannot choose the newest user comes first.
    can_sort = ctx.admin or ctx.profile.has(EVERYBODY_SORTS_USERS)
    if p.search and not (can_sort and _is_ordered(ctx, p)):
        return None
    return (p.order_by, p.sort) if can_sort else ("id", "desc")


_COLUMNS: Final = ("id", "name", "username", "created_at", "updated_at")


@area.operation(
    "GET",
    "users",
    params=ListUsers,
    view=_list_view,
    many=True,
    paging=Paging(
        cursors=Cursors(dict.fromkeys(_COLUMNS, BOTH_DIRECTIONS), _order),
        limited="User",
        limited_in=LISTS_OF_USERS_END,
    ),
    options=attribute_options,
    refusals=(405,),
)
def list_users(ctx: ReadContext, p: ListUsers) -> Sequence[User]:
    """List users."""
    _check_list_access(ctx, p)
    matching = [user for user in _find_candidates(ctx, p) if _matches(ctx, p, user)]
    order = _order(ctx, p)
    if order is None:
        text = (p.search or "").strip().lower()
        # False sorts before True, so exact matches come first; the negated id puts newer users of one name first.
        return sorted(matching, key=lambda user: (not _is_exact(user, text), user.name, -user.id))
    column, direction = order
    return sorted(matching, key=lambda user: (getattr(user, column), user.id), reverse=direction == "desc")


def _is_ordered(ctx: ReadContext, p: ListUsers) -> bool:
    names = ("order_by", "sort") if ctx.profile.has(EVERYBODY_SORTS_USERS) else ("order_by",)
    # A cursor names a place in an order by columns.
    return p.pagination == "keyset" or any(name in p.given() for name in names)


def _check_list_access(ctx: ReadContext, p: ListUsers) -> None:
    if p.saml_provider_id and ctx.instance.has("premium"):
        page = f"{ctx.origin}/help/api/groups.md#list-all-saml-users"
        raise Forbidden(
            "saml_provider_id attribute was removed for security reasons. "
            f"Consider using 'GET /groups/:id/saml_users' API endpoint instead, see {page}"
        )
    is_external = p.external and not ctx.profile.has(EVERYBODY_FINDS_EXTERNAL_USERS)
    if ctx.viewer is None:
        if is_external or p.extern_uid:
            raise Unauthorized(reason="only administrators may filter by external accounts; nobody is signed in")
        # Where public profiles are restricted, not even a single username may be looked up.
        if not p.username or "public" in ctx.world.settings.restricted_visibility_levels:
            raise Forbidden(
                "Not authorized to access /api/v4/users", reason="nobody is signed in; ask for one username"
            )
    elif not ctx.admin and (is_external or p.extern_uid):
        raise Forbidden(reason=f"only administrators may filter by external accounts; {caller_name(ctx)} is not one")


def _find_candidates(ctx: ReadContext, p: ListUsers) -> Iterable[User]:
    # These filters have an index, so the remaining ones test a few users instead of all.
    if p.username:
        user = users.find_by_username(ctx.world, p.username)
        return [user] if user else []
    if p.extern_uid and p.provider:
        identities = ctx.world.identities.where("extern_uid", (p.provider, p.extern_uid))
        return [ctx.world.users[id_] for id_ in sorted({identity.user_id for identity in identities})]
    if p.custom_attributes and ctx.admin:
        ids = custom_attributes.find_matching_ids(ctx.world, "user", p.custom_attributes)
        return [ctx.world.users[id_] for id_ in sorted(ids)]
    return ctx.world.users.all()


def _matches(ctx: ReadContext, p: ListUsers, user: User) -> bool:
    # False is no filter: ``active=false`` does not select blocked users.
    return (
        (not p.search or matches_user_search(ctx.world, user, p.search))
        and (not p.active or (user.state == "active" and not user.is_internal))
        and (not p.blocked or user.is_blocked)
        and (not p.external or user.external)
        and (not p.exclude_internal or not user.is_internal)
        and (not p.skip_ldap or not _is_ldap_user(ctx, user))
        and _matches_kind(p, user)
        and (not ctx.admin or _matches_for_admins(ctx, p, user))
    )


def _matches_kind(p: ListUsers, user: User) -> bool:
    is_human = user.kind == "human"
    return (
        (not p.humans or is_human)
        and (not p.exclude_humans or not is_human)
        and (not p.exclude_active or user.state != "active")
        and (not p.exclude_external or not user.external)
        and (not p.without_project_bots or user.kind != "project_bot")
        and (not p.public_email or user.public_email.lower() == p.public_email.lower())
    )


def _matches_for_admins(ctx: ReadContext, p: ListUsers, user: User) -> bool:
    return (
        (p.created_after is None or user.created_at >= p.created_after)
        and (p.created_before is None or user.created_at <= p.created_before)
        and (p.two_factor not in ("enabled", "disabled") or user.two_factor_enabled == (p.two_factor == "enabled"))
        and (not p.without_projects or not _has_projects(ctx, user))
        and (not p.admins or user.admin)
        and (not p.auditors or user.auditor)
    )


def _has_projects(ctx: ReadContext, user: User) -> bool:
    """Whether a user has a role in any project, directly, through a group or through a share."""
    # A cheap test first: users without any membership need no look at every project.
    if not ctx.world.members.where("user", user.id):
        return False
    return any(project_level(ctx.world, project, user.id) >= Level.GUEST for project in ctx.world.projects.all())


def _is_ldap_user(ctx: ReadContext, user: User) -> bool:
    """Whether a user has an LDAP identity; always False on free tiers."""
    identities = ctx.world.identities.where("user", user.id)
    return has_feature(ctx.world, "premium") and any(identity.provider.startswith("ldap") for identity in identities)


def matches_user_search(world: World, user: User, search: str) -> bool:
    """Whether a text matches a user: exactly, or as part of the name or username from three characters on."""
    text = search.strip().lower()
    if _is_exact(user, text) or _is_confirmed_email(world, user, text):
        return True
    is_partial = len(text) >= _MIN_PARTIAL_LENGTH
    return is_partial and (text in user.name.lower() or text in user.username.lower())


def _is_confirmed_email(world: World, user: User, text: str) -> bool:
    further = world.emails.find("email", text)
    return further is not None and further.user_id == user.id and further.confirmed_at is not None


def _is_exact(user: User, text: str) -> bool:
    return text in (user.name.lower(), user.username.lower(), user.email.lower())


def _single_view(ctx: ReadContext, _p: Params) -> type[UserAdminDetail | UserPublic]:
    return UserAdminDetail if ctx.admin else UserPublic


@area.operation("GET", "", scope=USER, params=GetUser, view=_single_view, options=attribute_options)
def get_user(ctx: ReadContext, user: User) -> User:
    """Get a user."""
    if ctx.viewer is None and ctx.profile.has(USERS_NEED_A_LOGIN):
        raise Forbidden("Not authorized!", reason="nobody is signed in")
    if ctx.viewer is None and "public" in ctx.world.settings.restricted_visibility_levels:
        raise NotFound("User", reason="restricted_visibility_levels of the settings hides users from the public")
    return user


class UserAttributes(Params):
    """The attributes of a user that can be set at creation and later."""

    password: str | None = None
    skype: Annotated[str | None, Lifetime(until="<=18.9")] = None
    linkedin: str | None = None
    twitter: str | None = None
    website_url: str | None = None
    organization: str | None = None
    projects_limit: int | None = None
    extern_uid: str | None = None
    provider: str | None = None
    bio: str | None = None
    location: str | None = None
    public_email: str | None = None
    admin: bool | None = None
    can_create_group: bool | None = None
    external: bool | None = None
    theme_id: int | None = None
    color_scheme_id: int | None = None
    private_profile: bool | None = None
    note: str | None = None
    job_title: str | None = None
    group_id_for_saml: int | None = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    auditor: Annotated[bool | None, Lifetime(since="15.3")] = None
    pronouns: Annotated[str | None, Lifetime(since="<=17.0")] = None
    discord: Annotated[str | None, Lifetime(since="<=16.0")] = None
    github: Annotated[str | None, Lifetime(since="<=18.9")] = None
    commit_email: Annotated[str | None, Lifetime(since="<=15.7")] = None
    view_diffs_file_by_file: Annotated[bool | None, Lifetime(since="<=16.0")] = None
    policy_advanced_editor: Annotated[bool | None, Lifetime(since="<=18.9")] = None

    rules = (all_or_none_of("extern_uid", "provider"),)


class CreateUser(UserAttributes):
    """A new user."""

    email: str
    reset_password: bool | None = None
    force_random_password: bool | None = None
    skip_confirmation: bool | None = None
    name: str
    username: str
    avatar: Upload | None = None

    rules = (at_least_one_of("password", "reset_password", "force_random_password"),)


class UpdateUser(UserAttributes):
    """Changes of a user. An empty ``avatar`` removes it."""

    email: str | None = None
    name: str | None = None
    username: str | None = None
    skip_reconfirmation: bool | None = None
    avatar: Upload | str | None = None


_PAID_FIELDS: Final = (
    "shared_runners_minutes_limit",
    "extra_shared_runners_minutes_limit",
    "auditor",
    "policy_advanced_editor",
)


def _collect_settable(ctx: WriteContext, p: Params) -> dict[str, Any]:
    """Return the sent parameters, without those of other tiers and those without effect."""
    # There is no SAML here, without which the platform ignores the group's id.
    params = ctx.ignore(p.given(), ("group_id_for_saml",), "the instance has no SAML")
    return params if ctx.instance.has("premium") else ctx.ignore(params, _PAID_FIELDS, "it requires the tier premium")


@area.operation("POST", "users", params=CreateUser, view=UserAdmin, ability=Ability.ADMIN_USERS, refusals=(409,))
def create_user(ctx: WriteContext, p: CreateUser) -> User:
    """Create a user. Administrators only."""
    attributes = _collect_settable(ctx, p)
    # The rule only counts what was sent, so ``reset_password=false`` alone gets this far.
    if not (attributes.get("password") or p.reset_password or p.force_random_password):
        _refuse_passwordless(ctx)
    # A null in these columns means their default.
    nullable = ("projects_limit", "theme_id", "color_scheme_id")
    fields = {name: value for name, value in attributes.items() if not (name in nullable and value is None)}
    if fields.get("external") is None:
        fields["external"] = settings.is_external_by_default(ctx.world.settings, p.email)
    return users.create(ctx, **fields, created_by=ctx.signed_in_user.id)


def _refuse_passwordless(ctx: ReadContext) -> None:
    min_length = ctx.world.settings.minimum_password_length
    raise InvalidRecord({"password": ["can't be blank", f"is too short (minimum is {min_length} characters)"]})


@area.operation(
    "PUT", "", scope=USER, params=UpdateUser, view=UserAdminDetail, ability=Ability.ADMIN_USERS, refusals=(404, 409)
)
def update_user(ctx: WriteContext, user: User, p: UpdateUser) -> User:
    """Update a user. Administrators only."""
    changes = _collect_settable(ctx, p)
    # These columns are never null: a null leaves them unchanged.
    required = ("email", "name", "username", "theme_id", "color_scheme_id")
    return users.update(ctx, user, **{k: v for k, v in changes.items() if not (k in required and v is None)})


class DeleteUser(Params):
    """How to delete a user."""

    hard_delete: bool = False


@area.operation("DELETE", "", scope=USER, params=DeleteUser, ability=Ability.ADMIN_USERS, refusals=(409, 412))
def delete_user(ctx: WriteContext, user: User, p: DeleteUser) -> None:
    """Delete a user. Administrators only."""
    users.delete(ctx, user, hard=p.hard_delete)


@area.operation("DELETE", "identities/:provider", scope=USER, ability=Ability.ADMIN_USERS, refusals=(404, 412))
def delete_user_identity(ctx: WriteContext, user: User, provider: str) -> None:
    """Delete an identity of a user. Administrators only."""
    for identity in list(ctx.world.identities.where("user", user.id)):
        if identity.provider == provider:
            ctx.check_unmodified_since(identity.updated_at)
            purge(ctx, identity)
            return
    raise NotFound("Identity", reason=f"{user.username} has no identity at {provider!r}")


def _self_view(ctx: ReadContext, _p: Params) -> type[AdminSelf | UserSelf]:
    return AdminSelf if ctx.admin else UserSelf


@v3_area.operation("GET", "user", name="get_v3_current_user", view=_self_view, login=Login.ALWAYS)
@area.operation("GET", "user", view=_self_view, login=Login.ALWAYS)
def get_current_user(ctx: ReadContext) -> User:
    """Get the caller's own account."""
    return ctx.signed_in_user
