"""Users: making, changing, blocking and removing them.

Source: docs/platform/users.md, docs/decisions/rulings.md (2, 3).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import (
    Conflict,
    Forbidden,
    ForbiddenWithMessage,
    InvalidRecord,
    NotFoundWithMessage,
    Refusal,
)
from fakeplat.core.params.body import Upload
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.bots import find_or_create_bot
from fakeplat.domain.projects import files, redirects
from fakeplat.domain.purging import hand_over, has_authored, purge
from fakeplat.domain.validation import PATH_TEXT, RESERVED, TAKEN, ValidationErrors, is_email, is_path, is_url, too_long
from fakeplat.model.users import Identity, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.documented import Ruling

_IDENTITY: Final = ("extern_uid", "provider")
_NULL_IS_FALSE: Final = ("private_profile", "external", "admin", "can_create_group")
_NULL_IS_EMPTY: Final = ("bio", "skype", "linkedin", "twitter", "website_url", "public_email", "job_title")
_THEMES: Final = range(1, 12)
_COLOR_SCHEMES: Final = range(1, 7)
EMAIL_TAKEN: Final = "Email has already been taken"
USERNAME_TAKEN: Final = "Username has already been taken"


def create(ctx: WriteContext, **attributes: Any) -> User:
    """Make a user with a namespace.

    Takes the platform's parameters of POST /users, and any field of the record. Refuses with 409 for a
    taken address or name, with 400 for anything else that is wrong.
    """
    (user,) = create_many(ctx, [attributes])
    return user


def create_many(ctx: WriteContext, rows: Sequence[Mapping[str, Any]]) -> list[User]:
    """Make users, each as `create` does, at once: all of them or none."""
    ready = [_checked(ctx, _settled(ctx, row)) for row in rows]
    beside = [{name: fields.pop(name, None) for name in ("avatar", *_IDENTITY)} for fields in ready]
    return [_completed(ctx, user, things) for user, things in zip(_add_many(ctx, ready), beside, strict=True)]


def _completed(ctx: WriteContext, user: User, things: Mapping[str, Any]) -> User:
    """A user with what stands in other tables."""
    if things["avatar"] is not None:
        user = ctx.world.users.change(user, avatar=files.new_avatar(ctx, ("user", user.id), things["avatar"]))
    if things["provider"]:
        add_identity(ctx, user, str(things["provider"]), str(things["extern_uid"]))
    ctx.emit("user_created", user)
    return user


def _checked(ctx: WriteContext, settled: dict[str, Any]) -> dict[str, Any]:
    _check_taken(ctx.world, settled["email"], settled["username"])
    faults = _faults(ctx.world, settled)
    if settled.get("avatar") is not None:
        files.check_avatar(faults, settled["avatar"])
    faults.refuse()
    return settled


def _settled(ctx: WriteContext, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The record's fields that the parameters of a new user stand for."""
    given = {**attributes}
    generated = given.pop("reset_password", False) or given.pop("force_random_password", False)
    given.pop("force_random_password", None)
    if generated or not given.get("password"):
        given["password"] = ctx.random_hex("password")
    if given.pop("skip_confirmation", False):
        given.setdefault("confirmed_at", ctx.now_iso)
    given.setdefault("projects_limit", ctx.world.settings.default_projects_limit)
    return _limited(_without_nulls(given))


def _limited(given: dict[str, Any]) -> dict[str, Any]:
    """An external user creates neither groups nor projects, whatever else is said."""
    return {**given, "can_create_group": False, "projects_limit": 0} if given.get("external") else given


def _without_nulls(given: dict[str, Any]) -> dict[str, Any]:
    for name in _NULL_IS_FALSE:
        if name in given and given[name] is None:
            given[name] = False
    for name in _NULL_IS_EMPTY:
        if name in given and given[name] is None:
            given[name] = ""
    return given


def _add_many(ctx: WriteContext, rows: Sequence[Mapping[str, Any]]) -> list[User]:
    if not rows:
        return []
    table, now = ctx.world.users, ctx.now_iso
    numbered = zip(count(table.next_id()), rows, strict=False)
    made = [User(**{"id": id_, "created_at": now, "updated_at": now, **fields}) for id_, fields in numbered]
    table.add_many(made)
    for user in made:
        namespaces.create_for_user(ctx, user)
    return made


def _check_taken(world: World, email: str, username: str) -> None:
    if find_by_email(world, email):
        raise Conflict(EMAIL_TAKEN)
    if is_username_taken(world, username):
        raise Conflict(USERNAME_TAKEN)


def find_by_email(world: World, email: str) -> User | None:
    """The user with an address, whatever its case."""
    return world.users.find("email", email.lower())


def find_by_username(world: World, username: str) -> User | None:
    """The user with a name, whatever its case."""
    return world.users.find("username", username.lower())


def find_by_reference(world: World, text: str) -> User | None:
    """The user with an id (all digits) or else a name."""
    number = number_of(text)
    return find_by_username(world, text) if number is None else world.users.get(number)


def is_username_taken(world: World, username: str) -> bool:
    """Whether a user or a group at the top has the name."""
    return bool(find_by_username(world, username) or world.namespaces.find("place", (None, username.lower())))


def _faults(world: World, fields: Mapping[str, Any]) -> ValidationErrors:
    faults = ValidationErrors()
    for name, check in _CHECKS.items():
        if name in fields:
            check(world, faults, fields[name])
    return faults


def _email_faults(world: World, faults: ValidationErrors, email: str) -> None:
    del world
    faults.when(not is_email(email), "email", "is invalid")


def _username_faults(world: World, faults: ValidationErrors, username: str) -> None:
    del world
    too_long(faults, "username", username)
    faults.when(not is_path(username), "username", PATH_TEXT)
    faults.when(username.lower() in RESERVED, "username", "is a reserved name")


def _name_faults(world: World, faults: ValidationErrors, name: str) -> None:
    del world
    faults.when(not name.strip(), "name", "can't be blank")
    too_long(faults, "name", name)


def _password_faults(world: World, faults: ValidationErrors, password: str) -> None:
    least = world.settings.minimum_password_length
    faults.when(len(password) < least, "password", f"is too short (minimum is {least} characters)")
    too_long(faults, "password", password, 128)


def _bio_faults(world: World, faults: ValidationErrors, bio: str | None) -> None:
    del world
    too_long(faults, "bio", bio)


def _limit_faults(world: World, faults: ValidationErrors, limit: int | None) -> None:
    del world
    faults.when(limit is None, "projects_limit", "is not a number")
    faults.when(limit is not None and limit < 0, "projects_limit", "must be greater than or equal to 0")


def _theme_faults(world: World, faults: ValidationErrors, theme: int) -> None:
    del world
    faults.when(theme not in _THEMES, "theme_id", f"{theme} is not a valid theme")


def _color_scheme_faults(world: World, faults: ValidationErrors, scheme: int) -> None:
    del world
    faults.when(scheme not in _COLOR_SCHEMES, "color_scheme_id", f"{scheme} is not a valid color scheme")


def _url_faults(world: World, faults: ValidationErrors, url: str) -> None:
    del world
    faults.when(url and not is_url(url), "website_url", "is not a valid URL")


_CHECKS: Final[dict[str, Callable[[World, ValidationErrors, Any], None]]] = {
    "email": _email_faults,
    "name": _name_faults,
    "username": _username_faults,
    "password": _password_faults,
    "bio": _bio_faults,
    "projects_limit": _limit_faults,
    "website_url": _url_faults,
    "theme_id": _theme_faults,
    "color_scheme_id": _color_scheme_faults,
}


def update(ctx: WriteContext, user: User, **attributes: Any) -> User:
    """Edit a user. A taken address or name is a 404 or a 409 (ruling 2), anything else that is wrong a 400.

    A new address waits for confirmation unless ``skip_reconfirmation``; a new password set by somebody
    else has to be changed at the next sign-in.
    """
    identity = {name: attributes.pop(name) for name in _IDENTITY if name in attributes}
    given = _without_nulls(attributes)
    given.pop("skip_confirmation", None)
    _check_taken_by_others(ctx.world, user, given)
    if given.get("password") in (None, ""):
        given.pop("password", None)
    faults = _faults(ctx.world, given)
    if isinstance(given.get("avatar"), Upload):
        files.check_avatar(faults, given["avatar"])
    faults.refuse()
    fields = _changed_fields(ctx, user, given)
    if not any(getattr(user, name) != value for name, value in fields.items()) and not identity:
        return user
    changed = ctx.world.users.change(user, **fields, updated_at=ctx.now_iso)
    _follow_name(ctx, user, changed)
    if identity.get("provider"):
        add_identity(ctx, changed, str(identity["provider"]), str(identity["extern_uid"]))
    ctx.emit("user_updated", changed)
    return changed


def _check_taken_by_others(world: World, user: User, given: Mapping[str, Any]) -> None:
    holder = find_by_email(world, given["email"]) if given.get("email") else None
    if holder and holder.id != user.id:
        raise _taken_by_another(world, EMAIL_TAKEN)
    name = given.get("username")
    if name and name.lower() != user.username.lower() and is_username_taken(world, name):
        raise _taken_by_another(world, USERNAME_TAKEN)


def _taken_by_another(world: World, text: str) -> Refusal:
    if Ruling.TAKEN_USER_ATTRIBUTE_IS_NOT_FOUND.holds(world):
        return NotFoundWithMessage(text, reason="409 with instance.documented off; ruling 2")
    return Conflict(text)


def _changed_fields(ctx: WriteContext, user: User, given: dict[str, Any]) -> dict[str, Any]:
    if not user.external:
        given = _limited(given)
    confirmed = given.pop("skip_reconfirmation", False)
    if "email" in given and given["email"].lower() != user.email.lower() and not confirmed:
        given["unconfirmed_email"] = given.pop("email")
    if "password" in given:
        given["password_expired"] = ctx.actor is None or ctx.actor.id != user.id
    if "avatar" in given:
        given["avatar"] = _changed_avatar(ctx, user, given["avatar"])
    return given


def _changed_avatar(ctx: WriteContext, user: User, avatar: Upload | str | None) -> int | None:
    owner = ("user", user.id)
    if isinstance(avatar, Upload):
        return files.new_avatar(ctx, owner, avatar)
    files.delete_avatar(ctx, owner)
    return None


def _follow_name(ctx: WriteContext, before: User, after: User) -> None:
    renamed = (before.username, before.name) != (after.username, after.name)
    if renamed and namespaces.has_user_namespace(ctx.world, after):
        own = namespaces.user_namespace(ctx.world, after)
        with redirects.redirect_old_paths(ctx, redirects.list_projects_within(ctx.world, own)):
            ctx.world.namespaces.change(own, path=after.username, name=after.name, updated_at=ctx.now_iso)


def add_identity(ctx: WriteContext, user: User, provider: str, extern_uid: str) -> Identity:
    """Tie an account elsewhere to a user; an older one of the same provider is replaced."""
    identities = ctx.world.identities
    holder = identities.find("extern", (provider, extern_uid))
    if holder and holder.user_id != user.id:
        raise InvalidRecord({"identities.extern_uid": [TAKEN]})
    for own in identities.where("user", user.id):
        if own.provider == provider:
            return identities.change(own, extern_uid=extern_uid, updated_at=ctx.now_iso)
    return identities.add(Identity(identities.next_id(), user.id, provider, extern_uid, ctx.now_iso))


def set_state(ctx: WriteContext, user: User, state: str) -> User:
    """Block, unblock, activate or deactivate."""
    return ctx.world.users.change(user, state=state, updated_at=ctx.now_iso)


def solely_owned_groups(world: World, user: User) -> Sequence[int]:
    """The ids of the groups that nobody but the user owns."""
    return [
        member.source[1]
        for member in world.members.where("user", user.id)
        if member.source[0] == "group" and namespaces.owner_ids(world, world.namespaces[member.source[1]]) == [user.id]
    ]


def delete(ctx: WriteContext, user: User, *, hard: bool = False) -> None:
    """Remove a user with all that is only theirs.

    What they wrote goes to the ghost user; ``hard`` removes it, and the groups that only they own. Without
    ``hard`` the only owner of a group is refused with 409.
    """
    alone = solely_owned_groups(ctx.world, user)
    if alone and not hard:
        raise Conflict("User cannot be removed while is the sole-owner of a group")
    if not hard and has_authored(ctx.world, user):
        hand_over(ctx, user, find_or_create_bot(ctx, "ghost"))
    purge(ctx, user, *(ctx.world.namespaces[id_] for id_ in alone))


def block(ctx: WriteContext, user: User) -> User:
    """Block; those whom a directory blocks and the platform's own are not touched."""
    if user.state == "ldap_blocked":
        raise Forbidden("LDAP blocked users cannot be modified by the API")
    if user.is_internal:
        raise ForbiddenWithMessage("An internal user cannot be blocked")
    return set_state(ctx, user, "blocked")
