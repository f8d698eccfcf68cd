"""Users: making, changing, blocking and removing them.

Source: docs/platform/users.md, docs/decisions/rulings.md (2, 3).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, Forbidden, InvalidRecord, NotFoundAs, Refusal
from fakeplat.core.params.body import Upload
from fakeplat.core.store.ids import number_of
from fakeplat.domain import foreign_keys
from fakeplat.domain.checks import (
    PATH_TEXT,
    RESERVED,
    TAKEN,
    Faults,
    is_email,
    is_path,
    is_url,
    too_long,
)
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import merge_request_upkeep
from fakeplat.domain.notes import todos
from fakeplat.domain.people import activity, authorship, members, namespaces
from fakeplat.domain.planning import boards
from fakeplat.domain.projects import custom_attributes, files, redirects
from fakeplat.domain.snippets import snippets
from fakeplat.model.namespaces import UserNamespace
from fakeplat.model.users import Identity, User, UserKind
from fakeplat.model.world import World
from fakeplat.policy.context import Doing
from fakeplat.policy.documented import Ruling

_IDENTITY: Final = ("extern_uid", "provider")
_NULL_IS_FALSE: Final = ("private_profile", "external", "admin", "can_create_group")
_NULL_IS_EMPTY: Final = ("bio", "skype", "linkedin", "twitter", "website_url", "public_email", "job_title")
_THEMES: Final = range(1, 12)
_COLOR_SCHEMES: Final = range(1, 7)
EMAIL_TAKEN: Final = "Email has already been taken"
USERNAME_TAKEN: Final = "Username has already been taken"
BOTS: Final[Mapping[UserKind, tuple[str, str]]] = {
    "ghost": ("ghost", "Ghost User"),
    "alert_bot": ("alert-bot", "Alert Bot"),
    "support_bot": ("support-bot", "Support Bot"),
}


def create(cx: Doing, **attributes: Any) -> User:
    """Make a user with a namespace.

    Takes the platform's parameters of POST /users, and any field of the record. Refuses with 409 for a
    taken address or name, with 400 for anything else that is wrong.
    """
    (user,) = create_many(cx, [attributes])
    return user


def create_many(cx: Doing, rows: Sequence[Mapping[str, Any]]) -> list[User]:
    """Make users, each as `create` does, at once: all of them or none."""
    ready = [_checked(cx, _settled(cx, row)) for row in rows]
    beside = [{name: fields.pop(name, None) for name in ("avatar", *_IDENTITY)} for fields in ready]
    return [_completed(cx, user, things) for user, things in zip(_add_many(cx, ready), beside, strict=True)]


def _completed(cx: Doing, user: User, things: Mapping[str, Any]) -> User:
    """A user with what stands in other tables."""
    if things["avatar"] is not None:
        user = cx.world.users.change(user, avatar=files.new_avatar(cx, ("user", user.id), things["avatar"]))
    if things["provider"]:
        add_identity(cx, user, str(things["provider"]), str(things["extern_uid"]))
    cx.emit("user_created", user)
    return user


def _checked(cx: Doing, settled: dict[str, Any]) -> dict[str, Any]:
    _check_taken(cx.world, settled["email"], settled["username"])
    faults = _faults(cx.world, settled)
    if settled.get("avatar") is not None:
        files.check_avatar(faults, settled["avatar"])
    faults.refuse()
    return settled


def _settled(cx: Doing, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The record's fields that the parameters of a new user stand for."""
    given = {**attributes}
    generated = given.pop("reset_password", False) or given.pop("force_random_password", False)
    given.pop("force_random_password", None)
    if generated or not given.get("password"):
        given["password"] = cx.chance("password")
    if given.pop("skip_confirmation", False):
        given.setdefault("confirmed_at", cx.instant)
    given.setdefault("projects_limit", cx.world.settings.default_projects_limit)
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


def _add_many(cx: Doing, rows: Sequence[Mapping[str, Any]]) -> list[User]:
    if not rows:
        return []
    table, now = cx.world.users, cx.instant
    numbered = zip(count(table.next_id()), rows, strict=False)
    made = [User(**{"id": id_, "created_at": now, "updated_at": now, **fields}) for id_, fields in numbered]
    table.add_many(made)
    for user in made:
        namespaces.make_for_user(cx, user)
    return made


def _check_taken(world: World, email: str, username: str) -> None:
    if by_email(world, email):
        raise Conflict(EMAIL_TAKEN)
    if username_taken(world, username):
        raise Conflict(USERNAME_TAKEN)


def by_email(world: World, email: str) -> User | None:
    """The user with an address, whatever its case."""
    return world.users.find("email", email.lower())


def by_username(world: World, username: str) -> User | None:
    """The user with a name, whatever its case."""
    return world.users.find("username", username.lower())


def by_reference(world: World, text: str) -> User | None:
    """The user with an id (all digits) or else a name."""
    number = number_of(text)
    return by_username(world, text) if number is None else world.users.get(number)


def username_taken(world: World, username: str) -> bool:
    """Whether a user or a group at the top has the name."""
    return bool(by_username(world, username) or world.namespaces.find("place", (None, username.lower())))


def _faults(world: World, fields: Mapping[str, Any]) -> Faults:
    faults = Faults()
    for name, check in _CHECKS.items():
        if name in fields:
            check(world, faults, fields[name])
    return faults


def _email_faults(world: World, faults: Faults, email: str) -> None:
    del world
    faults.when(not is_email(email), "email", "is invalid")


def _username_faults(world: World, faults: Faults, username: str) -> None:
    del world
    too_long(faults, "username", username)
    faults.when(not is_path(username), "username", PATH_TEXT)
    faults.when(username.lower() in RESERVED, "username", "is a reserved name")


def _name_faults(world: World, faults: Faults, name: str) -> None:
    del world
    faults.when(not name.strip(), "name", "can't be blank")
    too_long(faults, "name", name)


def _password_faults(world: World, faults: Faults, password: str) -> None:
    least = world.settings.minimum_password_length
    faults.when(len(password) < least, "password", f"is too short (minimum is {least} characters)")
    too_long(faults, "password", password, 128)


def _bio_faults(world: World, faults: Faults, bio: str | None) -> None:
    del world
    too_long(faults, "bio", bio)


def _limit_faults(world: World, faults: Faults, limit: int | None) -> None:
    del world
    faults.when(limit is None, "projects_limit", "is not a number")
    faults.when(limit is not None and limit < 0, "projects_limit", "must be greater than or equal to 0")


def _theme_faults(world: World, faults: Faults, theme: int) -> None:
    del world
    faults.when(theme not in _THEMES, "theme_id", f"{theme} is not a valid theme")


def _color_scheme_faults(world: World, faults: Faults, scheme: int) -> None:
    del world
    faults.when(scheme not in _COLOR_SCHEMES, "color_scheme_id", f"{scheme} is not a valid color scheme")


def _url_faults(world: World, faults: Faults, url: str) -> None:
    del world
    faults.when(url and not is_url(url), "website_url", "is not a valid URL")


_CHECKS: Final[dict[str, Callable[[World, Faults, Any], None]]] = {
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


def update(cx: Doing, user: User, **attributes: Any) -> User:
    """Edit a user. A taken address or name is a 404 or a 409 (ruling 2), anything else that is wrong a 400.

    A new address waits for confirmation unless ``skip_reconfirmation``; a new password set by somebody
    else has to be changed at the next sign-in.
    """
    identity = {name: attributes.pop(name) for name in _IDENTITY if name in attributes}
    given = _without_nulls(attributes)
    given.pop("skip_confirmation", None)
    _check_taken_by_others(cx.world, user, given)
    if given.get("password") in (None, ""):
        given.pop("password", None)
    faults = _faults(cx.world, given)
    if isinstance(given.get("avatar"), Upload):
        files.check_avatar(faults, given["avatar"])
    faults.refuse()
    fields = _changed_fields(cx, user, given)
    if not any(getattr(user, name) != value for name, value in fields.items()) and not identity:
        return user
    changed = cx.world.users.change(user, **fields, updated_at=cx.instant)
    _follow_name(cx, user, changed)
    if identity.get("provider"):
        add_identity(cx, changed, str(identity["provider"]), str(identity["extern_uid"]))
    cx.emit("user_updated", changed)
    return changed


def _check_taken_by_others(world: World, user: User, given: Mapping[str, Any]) -> None:
    holder = by_email(world, given["email"]) if given.get("email") else None
    if holder and holder.id != user.id:
        raise _taken_by_another(world, EMAIL_TAKEN)
    name = given.get("username")
    if name and name.lower() != user.username.lower() and username_taken(world, name):
        raise _taken_by_another(world, USERNAME_TAKEN)


def _taken_by_another(world: World, text: str) -> Refusal:
    if Ruling.TAKEN_USER_ATTRIBUTE_IS_NOT_FOUND.holds(world):
        return NotFoundAs(text, reason="409 with instance.documented off; ruling 2")
    return Conflict(text)


def _changed_fields(cx: Doing, user: User, given: dict[str, Any]) -> dict[str, Any]:
    if not user.external:
        given = _limited(given)
    confirmed = given.pop("skip_reconfirmation", False)
    if "email" in given and given["email"].lower() != user.email.lower() and not confirmed:
        given["unconfirmed_email"] = given.pop("email")
    if "password" in given:
        given["password_expired"] = cx.actor is None or cx.actor.id != user.id
    if "avatar" in given:
        given["avatar"] = _changed_avatar(cx, user, given["avatar"])
    return given


def _changed_avatar(cx: Doing, user: User, avatar: Upload | str | None) -> int | None:
    owner = ("user", user.id)
    if isinstance(avatar, Upload):
        return files.new_avatar(cx, owner, avatar)
    files.drop(cx, owner, files.AVATAR)
    return None


def _follow_name(cx: Doing, before: User, after: User) -> None:
    renamed = (before.username, before.name) != (after.username, after.name)
    if renamed and namespaces.has_own(cx.world, after):
        own = namespaces.of_user(cx.world, after)
        with redirects.kept(cx, redirects.within(cx.world, own)):
            cx.world.namespaces.change(own, path=after.username, name=after.name, updated_at=cx.instant)


def add_identity(cx: Doing, user: User, provider: str, extern_uid: str) -> Identity:
    """Tie an account elsewhere to a user; an older one of the same provider is replaced."""
    identities = cx.world.identities
    holder = identities.find("extern", (provider, extern_uid))
    if holder and holder.user_id != user.id:
        raise InvalidRecord({"identities.extern_uid": [TAKEN]})
    for own in identities.where("user", user.id):
        if own.provider == provider:
            return identities.change(own, extern_uid=extern_uid, updated_at=cx.instant)
    return identities.add(Identity(identities.next_id(), user.id, provider, extern_uid, cx.instant))


def set_state(cx: Doing, user: User, state: str) -> User:
    """Block, unblock, activate or deactivate."""
    return cx.world.users.change(user, state=state, updated_at=cx.instant)


def bot(cx: Doing, kind: UserKind) -> User:
    """One of the platform's own users, made when first needed."""
    username, name = BOTS[kind]
    found = by_username(cx.world, username)
    if found is not None:
        return found
    users, now = cx.world.users, cx.instant
    return users.add(
        User(
            id=users.next_id(),
            username=username,
            name=name,
            email=f"{username}@platform.invalid",
            created_at=now,
            updated_at=now,
            kind=kind,
            can_create_group=False,
            projects_limit=0,
            confirmed_at=now,
        )
    )


def sole_groups(world: World, user: User) -> Sequence[int]:
    """The ids of the groups that nobody but the user owns."""
    return [
        member.source[1]
        for member in world.members.where("user", user.id)
        if member.source[0] == "group" and namespaces.owners(world, world.namespaces[member.source[1]]) == [user.id]
    ]


def delete(cx: Doing, user: User, *, hard: bool = False) -> None:
    """Remove a user with all that is only theirs.

    What they wrote goes to the ghost user; ``hard`` removes it, and the groups that only they own. Without
    ``hard`` the only owner of a group is refused with 409.
    """
    alone = sole_groups(cx.world, user)
    if alone and not hard:
        raise Conflict("User cannot be removed while is the sole-owner of a group")
    if hard:
        authorship.erase(cx, user)
        _remove_groups(cx, alone)
    elif authorship.wrote_anything(cx, user):
        authorship.pass_on(cx, user, bot(cx, "ghost"))
    _remove_own_things(cx, user)
    foreign_keys.clear(cx, "users", user.id)
    cx.world.users.remove(user)
    cx.emit("user_deleted", user)


def _remove_groups(cx: Doing, ids: Sequence[int]) -> None:
    from fakeplat.domain.people import groups  # groups know users

    for id_ in ids:
        group = cx.world.namespaces.get(id_)
        if group is not None:
            groups.remove(cx, group)


def _remove_own_things(cx: Doing, user: User) -> None:
    from fakeplat.domain.projects import projects  # projects know users

    world = cx.world
    for namespace in list(world.namespaces.where("owner", user.id)):
        for project in list(world.projects.where("namespace", namespace.id)):
            projects.remove(cx, project)
        if isinstance(namespace, UserNamespace):
            world.namespaces.remove(namespace)
    for project in list(world.projects.where("creator", user.id)):
        world.projects.change(project, creator_id=None)
    for project in list(world.projects.where("mirror_user", user.id)):
        world.projects.change(project, mirror_user_id=None)
    for member in list(world.members.where("user", user.id)):
        members.forget(cx, member)
    issues.unassign(cx, user)
    merge_request_upkeep.forget(cx, user)
    boards.forget(cx, user)
    activity.forget(cx, world.events.where("author", user.id))
    own = (world.identities, world.tokens, world.stars, world.awards, world.subscriptions)
    for table in (*own, world.access_requests, world.notification_settings):
        for record in list(table.where("user", user.id)):
            table.remove(record)  # type: ignore[arg-type]  # each table meets only its own records
    snippets.forget(cx, user)
    todos.forget(cx, user)
    custom_attributes.drop(cx, ("user", user.id))
    files.drop(cx, ("user", user.id))


def block(cx: Doing, user: User) -> User:
    """Block; those whom a directory blocks are not touched."""
    if user.state == "ldap_blocked":
        raise Forbidden("LDAP blocked users cannot be modified by the API")
    return set_state(cx, user, "blocked")
