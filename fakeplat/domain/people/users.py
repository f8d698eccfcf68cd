"""Users: create, edit, block and delete.

Source: docs/platform/users.md, docs/decisions/rulings.md (2, 3).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import (
    Conflict,
    Forbidden,
    ForbiddenWithMessage,
    InvalidRecord,
    NotFoundWithMessage,
    Refusal,
)
from fakeplat.core.params.body import Upload
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain import redirects, settings, signals, uploads
from fakeplat.domain.pages_domains import page_urls
from fakeplat.domain.people import namespaces, weak_passwords
from fakeplat.domain.people.bots import get_or_create_bot
from fakeplat.domain.purging import has_authored, purge, reassign_authored_records
from fakeplat.domain.validation import (
    PATH_TEXT,
    RESERVED,
    TAKEN,
    ValidationErrors,
    check_slug,
    is_email,
    is_path,
    is_url,
    too_long,
)
from fakeplat.model.people import Identity, User, UserKind, UserState
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    ADDRESSES_OF_PROFILES_ARE_VERIFIED,
    PROFILES_HAVE_LIMITS,
    UNCONFIRMED_ADDRESSES_ARE_NO_CONFLICT,
    USERNAMES_ARE_NO_DOMAINS_OF_PAGES,
    WEAK_PASSWORDS_ARE_REFUSED,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling

_IDENTITY: Final = ("extern_uid", "provider")
_NULL_IS_FALSE: Final = (
    "external",
    "admin",
    "can_create_group",
    "auditor",
    "view_diffs_file_by_file",
    "policy_advanced_editor",
)
_NULL_IS_EMPTY: Final = tuple(
    "bio skype linkedin twitter website_url public_email job_title discord github commit_email".split()
)
# The numbers of the platform's themes and of its colour schemes for code.
_THEMES: Final = range(1, 12)
_COLOR_SCHEMES: Final = range(1, 7)
_DISCORD_ID: Final = re.compile(r"\d{17,20}", re.ASCII)
PRIVATE_COMMIT_EMAIL: Final = "_private"
EMAIL_TAKEN: Final = "Email has already been taken"
USERNAME_TAKEN: Final = "Username has already been taken"


class UserFields(TypedDict, total=False):
    """Fields of a new user that can be changed later."""

    password: str | None
    skip_confirmation: bool | None
    extern_uid: str | None
    provider: str | None
    state: UserState
    admin: bool | None
    external: bool | None
    private_profile: bool | None
    bio: str | None
    location: str | None
    public_email: str | None
    skype: str | None
    linkedin: str | None
    twitter: str | None
    website_url: str | None
    organization: str | None
    job_title: str | None
    note: str | None
    confirmed_at: str | None
    unconfirmed_email: str | None
    last_sign_in_at: str | None
    current_sign_in_at: str | None
    last_sign_in_ip: str | None
    current_sign_in_ip: str | None
    sign_in_count: int
    last_activity_on: str | None
    commit_email: str
    theme_id: int
    color_scheme_id: int
    projects_limit: int
    can_create_group: bool | None
    two_factor_enabled: bool
    otp_secret: str
    otp_grace_period_started_at: str | None
    recovery_codes: tuple[str, ...]
    accepted_terms: bool
    shared_runners_minutes_limit: int | None
    extra_shared_runners_minutes_limit: int | None
    notified_of_own_activity: bool
    auditor: bool | None
    pronouns: str | None
    discord: str | None
    github: str | None
    view_diffs_file_by_file: bool | None
    policy_advanced_editor: bool | None
    created_by: int | None


class NewUser(UserFields, total=False):
    """A new user: fields of the record and parameters of POST /users."""

    username: Required[str]
    name: Required[str]
    email: Required[str]
    kind: UserKind
    created_at: str
    updated_at: str
    avatar: Upload | None
    password_expired: bool
    reset_password: bool | None
    force_random_password: bool | None


def create(ctx: WriteContext, **attributes: Unpack[NewUser]) -> User:
    """Create a user with a namespace.

    Accepts the parameters of POST /users and any field of the record. Raises 409 for an email address or username
    that is taken and 400 for any other invalid value.
    """
    (user,) = create_many(ctx, [attributes])
    return user


def create_many(ctx: WriteContext, rows: Sequence[NewUser]) -> list[User]:
    """Create several users, each as `create` does; all of them or none."""
    validated = [_validate(ctx, _fields_for_creation(ctx, row)) for row in rows]
    choosing = [bool(row.get("reset_password")) for row in rows]
    related_values = [{name: fields.pop(name, None) for name in ("avatar", *_IDENTITY)} for fields in validated]
    created = [
        _add_related_records(ctx, user, values)
        for user, values in zip(_insert_users(ctx, validated), related_values, strict=True)
    ]
    for user, chooses_password in zip(created, choosing, strict=True):
        signals.account_created.send(ctx, user, chooses_password)
    return created


def _add_related_records(ctx: WriteContext, user: User, related_values: Mapping[str, object]) -> User:
    """Create the records in other tables that belong to a new user."""
    avatar = related_values["avatar"]
    if isinstance(avatar, Upload):
        user = ctx.world.users.change(user, avatar=uploads.new_avatar(ctx, ("user", user.id), avatar))
    if related_values["provider"]:
        add_identity(ctx, user, str(related_values["provider"]), str(related_values["extern_uid"]))
    signals.post_create.send(ctx, user)
    return user


def _validate(ctx: WriteContext, fields: dict[str, Any]) -> dict[str, Any]:
    _check_taken(ctx, fields["email"], fields["username"])
    errors = _list_errors(ctx, fields)
    if fields.get("avatar") is not None:
        uploads.check_avatar(errors, fields["avatar"], ctx.profile)
    errors.refuse()
    return fields


def _fields_for_creation(ctx: WriteContext, attributes: NewUser) -> dict[str, Any]:
    """Convert the parameters of a new user to fields of the record."""
    params: dict[str, Any] = {**attributes}
    is_generated = params.pop("reset_password", False) or params.pop("force_random_password", False)
    # ``or`` may have left the second parameter, which is no field of the record.
    params.pop("force_random_password", None)
    if is_generated or not params.get("password"):
        params["password"] = f"{ctx.random_hex('password')}{_SUFFIX if is_complexity_required(ctx.world) else ''}"
    if params.pop("skip_confirmation", False):
        params.setdefault("confirmed_at", ctx.now_iso)
    current = ctx.world.settings
    params.setdefault("projects_limit", current.default_projects_limit)
    params.setdefault("can_create_group", current.can_create_group)
    params.setdefault("private_profile", None)
    return _restrict_external(_drop_foreign_address(ctx, _replace_nulls(ctx.world, params)))


def _drop_foreign_address(ctx: ReadContext, params: dict[str, Any], user: User | None = None) -> dict[str, Any]:
    """Empty a public address that is not the user's, as earlier releases do. Users of scenarios may have any."""
    address = params.get("public_email")
    if not address or ctx.request is None or ctx.profile.has(ADDRESSES_OF_PROFILES_ARE_VERIFIED):
        return params
    further = () if user is None else (email.email for email in ctx.world.emails.where("user", user.id))
    own = {params.get("email"), *(() if user is None else (user.email, user.public_email)), *further}
    return params if address in own else {**params, "public_email": ""}


def _restrict_external(params: dict[str, Any]) -> dict[str, Any]:
    """Deny external users the creation of groups and projects, whatever the other parameters say."""
    return {**params, "can_create_group": False, "projects_limit": 0} if params.get("external") else params


def _replace_nulls(world: World, params: dict[str, Any]) -> dict[str, Any]:
    if "private_profile" in params and params["private_profile"] is None:
        params["private_profile"] = world.settings.user_defaults_to_private_profile
    for name in _NULL_IS_FALSE:
        if name in params and params[name] is None:
            params[name] = False
    for name in _NULL_IS_EMPTY:
        if name in params and params[name] is None:
            params[name] = ""
    return params


def _insert_users(ctx: WriteContext, rows: Sequence[Mapping[str, Any]]) -> list[User]:
    if not rows:
        return []
    table, now = ctx.world.users, ctx.now_iso
    numbered = zip(count(table.next_id()), rows, strict=False)
    users = [User(**{"id": id_, "created_at": now, "updated_at": now, **fields}) for id_, fields in numbered]
    table.add_many(users)
    for user in users:
        namespaces.create_for_user(ctx, user)
    return users


def _check_taken(ctx: ReadContext, email: str, username: str) -> None:
    holder = find_by_any_email(ctx.world, email)
    if holder is not None and not _is_unconfirmed(ctx, holder, email):
        raise Conflict(EMAIL_TAKEN)
    if is_username_taken(ctx.world, username):
        raise Conflict(USERNAME_TAKEN)


def find_by_email(world: World, email: str) -> User | None:
    """Return the user with an email address, ignoring case."""
    return world.users.find("email", email.lower())


def find_by_any_email(world: World, email: str) -> User | None:
    """Return the user whose main or further address (confirmed or not) an e-mail address is, ignoring case."""
    further = world.emails.find("email", email.lower())
    return world.users[further.user_id] if further is not None else find_by_email(world, email)


def is_email_taken(world: World, email: str) -> bool:
    """Return whether an e-mail address belongs to a user."""
    return find_by_any_email(world, email) is not None


def _is_unconfirmed(ctx: ReadContext, holder: User, email: str) -> bool:
    """Return whether an address is refused as invalid, because its holder has not confirmed it."""
    if email.lower() == holder.email.lower() or not ctx.profile.has(UNCONFIRMED_ADDRESSES_ARE_NO_CONFLICT):
        return False
    return email.lower() not in list_confirmed_emails(ctx.world, holder)


def list_confirmed_emails(world: World, user: User) -> list[str]:
    """Return the confirmed e-mail addresses of a user, in lower case, the main one first."""
    further = (email.email for email in world.emails.where("user", user.id) if email.confirmed_at)
    return [*([user.email.lower()] if user.confirmed_at else []), *further]


def commit_email_of(ctx: ReadContext, user: User) -> str:
    """Return the address with which a user commits: the chosen one, a private one, or else the main one."""
    if user.commit_email == PRIVATE_COMMIT_EMAIL:
        return f"{user.id}-{user.username}@{settings.commit_email_hostname(ctx)}"
    return user.commit_email or user.email


def find_by_username(world: World, username: str) -> User | None:
    """Return the user with a username, ignoring case."""
    return world.users.find("username", username.lower())


def find_by_reference(world: World, text: str) -> User | None:
    """Return the user with an id (all digits) or else a username."""
    number = parse_number(text)
    return find_by_username(world, text) if number is None else world.users.get(number)


def is_username_taken(world: World, username: str) -> bool:
    """Return whether a user or a top-level group has the name."""
    # User namespaces and groups share the top level of paths.
    return bool(find_by_username(world, username) or world.namespaces.find("place", (None, username.lower())))


def _list_errors(ctx: ReadContext, fields: Mapping[str, Any], user: User | None = None) -> ValidationErrors:
    errors = ValidationErrors()
    # The platform tells of weak passwords before short ones.
    errors.when(_has_weak_password(ctx, fields, user), "password", _WEAK_PASSWORD)
    for name, check in _FIELD_CHECKS.items():
        if name in fields:
            check(ctx.world, errors, fields[name])
    holder = find_by_any_email(ctx.world, fields["email"]) if fields.get("email") else None
    # An address that its holder has confirmed is a conflict.
    errors.when(holder is not None and (user is None or holder.id != user.id), "email", TAKEN)
    # Users of scenarios may have any address.
    if ctx.request is not None:
        _check_addresses(ctx, errors, fields, user)
        _check_domain_of_pages(ctx, errors, fields.get("username"), user)
    return errors


def _check_domain_of_pages(ctx: ReadContext, errors: ValidationErrors, username: str | None, user: User | None) -> None:
    """Add an error for a new username that is the domain of the pages of a project."""
    if username is None or (user is not None and username.lower() == user.username.lower()):
        return
    if ctx.profile.has(USERNAMES_ARE_NO_DOMAINS_OF_PAGES):
        errors.when(page_urls.is_unique_domain(ctx.world, username), "username", TAKEN)


def _has_weak_password(ctx: ReadContext, fields: Mapping[str, Any], user: User | None) -> bool:
    # Users of scenarios may have any password.
    if not fields.get("password") or ctx.request is None or not ctx.profile.has(WEAK_PASSWORDS_ARE_REFUSED):
        return False
    name, username, email = (str(fields.get(key) or getattr(user, key, "")) for key in ("name", "username", "email"))
    return weak_passwords.is_weak(fields["password"], name=name, username=username, email=email)


def _check_email(_world: World, errors: ValidationErrors, email: str) -> None:
    errors.when(not is_email(email), "email", "is invalid")


def _check_username(world: World, errors: ValidationErrors, username: str) -> None:
    too_long(errors, "username", username)
    errors.when(not is_path(username), "username", PATH_TEXT)
    check_slug(errors, world.profile, "username", username)
    errors.when(username.lower() in RESERVED, "username", "is a reserved name")


def _check_name(_world: World, errors: ValidationErrors, name: str) -> None:
    errors.when(not name.strip(), "name", "can't be blank")
    too_long(errors, "name", name)


def _is_symbol(character: str) -> bool:
    return not (character.isnumeric() or character.isupper() or character.islower())


_COMPLEXITY: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "password_number_required": (str.isnumeric, "number"),
    "password_lowercase_required": (str.islower, "lowercase letter"),
    "password_uppercase_required": (str.isupper, "uppercase letter"),
    "password_symbol_required": (_is_symbol, "symbol character"),
}
"""What settings demand of passwords: a test of their characters, and its name."""
_WEAK_PASSWORD: Final = "must not contain commonly used combinations of words and letters"
_SUFFIX: Final = "aA1-"
"""What generated passwords have in addition, so that they satisfy every demand."""


def is_complexity_required(world: World) -> bool:
    """Return whether passwords must have characters of certain kinds, which is a feature of paid tiers."""
    return world.instance.has("premium") and any(getattr(world.settings, name) for name in _COMPLEXITY)


def _check_password(world: World, errors: ValidationErrors, password: str) -> None:
    minimum = world.settings.minimum_password_length
    errors.when(len(password) < minimum, "password", f"is too short (minimum is {minimum} characters)")
    too_long(errors, "password", password, 128)
    if is_complexity_required(world):
        for name, (pattern, text) in _COMPLEXITY.items():
            is_missing = getattr(world.settings, name) and not any(map(pattern, password))
            errors.when(is_missing, "password", f"requires at least one {text}")


def _check_bio(_world: World, errors: ValidationErrors, bio: str | None) -> None:
    too_long(errors, "bio", bio)


def _check_projects_limit(_world: World, errors: ValidationErrors, limit: int | None) -> None:
    errors.when(limit is None, "projects_limit", "is not a number")
    errors.when(limit is not None and limit < 0, "projects_limit", "must be greater than or equal to 0")


def _check_theme(_world: World, errors: ValidationErrors, theme: int) -> None:
    errors.when(theme not in _THEMES, "theme_id", f"{theme} is not a valid theme")


def _check_color_scheme(_world: World, errors: ValidationErrors, scheme: int) -> None:
    errors.when(scheme not in _COLOR_SCHEMES, "color_scheme_id", f"{scheme} is not a valid color scheme")


def _check_website_url(world: World, errors: ValidationErrors, url: str) -> None:
    has_limits = world.profile.has(PROFILES_HAVE_LIMITS)
    field = f"{_DETAIL}.website_url" if has_limits else "website_url"
    if has_limits:
        too_long(errors, field, url, _MAX_TEXT)
    errors.when(url and not is_url(url), field, "is not a valid URL")


_DETAIL: Final = "user_detail"
"""The record of the platform that has the texts of a profile, in the errors about them."""
_MAX_TEXT: Final = 500


def _check_text(name: str, maximum: int) -> "_FieldCheck":
    def check(_world: World, errors: ValidationErrors, text: str | None) -> None:
        too_long(errors, f"{_DETAIL}.{name}", text, maximum)

    return check


def _check_later_text(name: str) -> "_FieldCheck":
    check_text = _check_text(name, _MAX_TEXT)

    def check(world: World, errors: ValidationErrors, text: str | None) -> None:
        if world.profile.has(PROFILES_HAVE_LIMITS):
            check_text(world, errors, text)

    return check


def _check_discord(world: World, errors: ValidationErrors, account: str) -> None:
    _check_later_text("discord")(world, errors, account)
    is_wrong = world.profile.has(PROFILES_HAVE_LIMITS) and account and not _DISCORD_ID.fullmatch(account)
    errors.when(is_wrong, f"{_DETAIL}.discord", "must contain only a discord user ID.")


def _check_addresses(ctx: ReadContext, errors: ValidationErrors, fields: Mapping[str, Any], user: User | None) -> None:
    """Check that the addresses of a profile are those of the user and confirmed."""
    given = {name: fields[name] for name in ("public_email", "commit_email") if fields.get(name)}
    changed = {name: value for name, value in given.items() if user is None or value != getattr(user, name)}
    if not changed:
        return
    verified = _list_verified_addresses(ctx.world, fields, user)
    if not ctx.profile.has(ADDRESSES_OF_PROFILES_ARE_VERIFIED):
        is_wrong = user is not None and changed.get("public_email", "") not in ("", *verified)
        errors.when(is_wrong, "public_email", "is not an email you own")
        return
    for name, address in changed.items():
        is_private = name == "commit_email" and address == PRIVATE_COMMIT_EMAIL
        is_taken = name == "public_email" and any(other.public_email == address for other in ctx.world.users.all())
        errors.when(is_taken, name, TAKEN)
        errors.when(not is_private and not is_email(address), name, "is invalid")
        errors.when(not is_private and address not in verified, name, "must be an email you have verified")


def _list_verified_addresses(world: World, fields: Mapping[str, Any], user: User | None) -> list[str]:
    """Return the confirmed addresses that a user has after a change."""
    is_confirmed = fields.get("confirmed_at") if user is None else user.confirmed_at
    changed = [fields["email"].lower()] if fields.get("email") and is_confirmed else []
    return changed if user is None else [*changed, *list_confirmed_emails(world, user)]


_FieldCheck = Callable[[World, ValidationErrors, Any], None]
_FIELD_CHECKS: Final[dict[str, _FieldCheck]] = {
    "email": _check_email,
    "name": _check_name,
    "username": _check_username,
    "password": _check_password,
    "bio": _check_bio,
    "projects_limit": _check_projects_limit,
    "website_url": _check_website_url,
    "job_title": _check_text("job_title", 200),
    "pronouns": _check_text("pronouns", 50),
    "discord": _check_discord,
    **{name: _check_later_text(name) for name in ("linkedin", "skype", "twitter", "location", "organization")},
    "theme_id": _check_theme,
    "color_scheme_id": _check_color_scheme,
}


class UserChanges(UserFields, total=False):
    """Changes of a user; an empty avatar removes the one that is there."""

    username: str
    name: str
    email: str
    avatar: Upload | str | None
    skip_reconfirmation: bool | None


def update(ctx: WriteContext, user: User, **attributes: Unpack[UserChanges]) -> User:
    """Edit a user. A taken email address or username is a 404 or a 409 (ruling 2), any other invalid value a 400.

    A new email address needs confirmation unless ``skip_reconfirmation``; a password set by another user must be
    changed at the next sign-in.
    """
    params = _drop_foreign_address(ctx, _replace_nulls(ctx.world, {**attributes}), user)
    identity = {name: params.pop(name) for name in _IDENTITY if name in params}
    # Only a parameter of creation; changes of the email address have ``skip_reconfirmation``.
    params.pop("skip_confirmation", None)
    # A conflict takes precedence over validation errors.
    _check_taken_by_others(ctx, user, params)
    # An empty password means no change.
    if params.get("password") in (None, ""):
        params.pop("password", None)
    errors = _list_errors(ctx, params, user)
    if isinstance(params.get("avatar"), Upload):
        uploads.check_avatar(errors, params["avatar"], ctx.profile)
    errors.refuse()
    fields = _changed_fields(ctx, user, params)
    if not any(getattr(user, name) != value for name, value in fields.items()) and not identity:
        return user
    changed = ctx.world.users.change(user, **fields, updated_at=ctx.now_iso)
    _rename_namespace(ctx, user, changed)
    if identity.get("provider"):
        add_identity(ctx, changed, str(identity["provider"]), str(identity["extern_uid"]))
    signals.post_change.send(ctx, user, changed)
    return changed


def _check_taken_by_others(ctx: ReadContext, user: User, params: Mapping[str, Any]) -> None:
    world = ctx.world
    holder = find_by_any_email(world, params["email"]) if params.get("email") else None
    if holder and holder.id != user.id and not _is_unconfirmed(ctx, holder, params["email"]):
        raise _conflict_refusal(world, EMAIL_TAKEN)
    username = params.get("username")
    # A user may change the case of their own username, which is taken by themselves.
    if username and username.lower() != user.username.lower() and is_username_taken(world, username):
        raise _conflict_refusal(world, USERNAME_TAKEN)


def _conflict_refusal(world: World, text: str) -> Refusal:
    if Ruling.TAKEN_USER_ATTRIBUTE_IS_NOT_FOUND.holds(world):
        return NotFoundWithMessage(text, reason="409 with instance.documented off; ruling 2")
    return Conflict(text)


def _changed_fields(ctx: WriteContext, user: User, params: dict[str, Any]) -> dict[str, Any]:
    # A user who is external already keeps rights granted one by one later.
    if not user.external:
        params = _restrict_external(params)
    is_confirmed = params.pop("skip_reconfirmation", False)
    if "email" in params and params["email"].lower() != user.email.lower() and not is_confirmed:
        params["unconfirmed_email"] = params.pop("email")
    if "password" in params:
        # ``actor`` is the owner of the credential: an administrator under sudo also counts as another user.
        params["password_expired"] = ctx.actor is None or ctx.actor.id != user.id
    if "avatar" in params:
        params["avatar"] = _replace_avatar(ctx, user, params["avatar"])
    return params


def _replace_avatar(ctx: WriteContext, user: User, avatar: Upload | str | None) -> int | None:
    owner = ("user", user.id)
    if isinstance(avatar, Upload):
        return uploads.new_avatar(ctx, owner, avatar)
    uploads.delete_avatar(ctx, owner)
    return None


def _rename_namespace(ctx: WriteContext, before: User, after: User) -> None:
    if (before.username, before.name) == (after.username, after.name):
        return
    namespace = namespaces.find_user_namespace(ctx.world, after)
    if namespace is not None:
        with redirects.redirect_old_paths(ctx, namespaces.list_projects_within(ctx.world, namespace)):
            ctx.world.namespaces.change(namespace, path=after.username, name=after.name, updated_at=ctx.now_iso)


def add_identity(
    ctx: WriteContext, user: User, provider: str, extern_uid: str, saml_provider_id: int | None = None
) -> Identity:
    """Add an identity of an external provider to a user, replacing an older one of the same provider."""
    identities = ctx.world.identities
    holder = identities.find("extern", (provider, extern_uid, saml_provider_id))
    if holder and holder.user_id != user.id:
        raise InvalidRecord({"identities.extern_uid": [TAKEN]})
    for identity in identities.where("user", user.id):
        if (identity.provider, identity.saml_provider_id) == (provider, saml_provider_id):
            return identities.change(identity, extern_uid=extern_uid, updated_at=ctx.now_iso)
    return identities.add(
        Identity(identities.next_id(), user.id, provider, extern_uid, ctx.now_iso, saml_provider_id=saml_provider_id)
    )


def set_state(ctx: WriteContext, user: User, state: str) -> User:
    """Set the state of a user: block, unblock, activate or deactivate."""
    changed = ctx.world.users.change(user, state=state, updated_at=ctx.now_iso)
    signals.post_change.send(ctx, user, changed)
    return changed


def solely_owned_groups(world: World, user: User) -> Sequence[int]:
    """Return the ids of the groups of which the user is the only owner."""
    return [
        member.source[1]
        for member in world.members.where("user", user.id)
        if member.source[0] == "group" and namespaces.owner_ids(world, world.namespaces[member.source[1]]) == [user.id]
    ]


def delete(ctx: WriteContext, user: User, *, hard: bool = False) -> None:
    """Delete a user with their records.

    Their contributions are reassigned to the ghost user; ``hard`` deletes them, and the groups that only they own.
    Without ``hard``, raises 409 for the only owner of a group.
    """
    sole_group_ids = solely_owned_groups(ctx.world, user)
    if sole_group_ids and not hard:
        raise Conflict("User cannot be removed while is the sole-owner of a group")
    if not hard and has_authored(ctx.world, user):
        # The ghost user is created only when needed, because it takes an id and appears in lists.
        reassign_authored_records(ctx, user, get_or_create_bot(ctx, "ghost"))
    # Without ``hard``, the list is empty by now.
    purge(ctx, user, *(ctx.world.namespaces[id_] for id_ in sole_group_ids))


def block(ctx: WriteContext, user: User) -> User:
    """Block a user; raises 403 for users blocked by LDAP and for internal users."""
    if user.state == "ldap_blocked":
        raise Forbidden("LDAP blocked users cannot be modified by the API")
    if user.is_internal:
        raise ForbiddenWithMessage("An internal user cannot be blocked")
    return set_state(ctx, user, "blocked")


def count_active(world: World) -> int:
    """Return how many active users there are, without those of the platform itself."""
    return sum(user.state == "active" and not user.is_internal for user in world.users.all())
