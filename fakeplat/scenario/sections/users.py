"""Users, the bots among them. Source: docs/contract.md ('People and tokens')."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, TEXT, Alias, Choice, Object
from fakeplat.domain.people import bots, namespaces, tokens, users
from fakeplat.model.namespaces import UserNamespace
from fakeplat.model.users import User, UserKind
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PEOPLE, SCENARIO, Section, Told
from fakeplat.scenario.sections import avatars as pictures
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = fields(User, without=("id", "kind", "avatar"), projects_limit=COUNT)
_UNSAID: Final = ("id", "name", "path", "created_at", "updated_at", "parent_id", "owner_id")
_SPACE: Final = {name: shape for name, shape in fields(UserNamespace, without=_UNSAID).items() if name not in _OWN}
_CHECKED: Final = ("username", "name", "email", "password", "bio", "website_url")
_BY_VERBS: Final = ("username", "projects_limit")
_ENOUGH: Final = 100_000
ROOT: Final = "root"
"""The administrator who is in every world, made before anything else."""


def _make(entry: Entry) -> User:
    if "bot_of" in entry.said:
        return _made_bot(entry)
    if "kind" in entry.said:
        return _put(entry, bots.find_or_create_bot(entry.ctx, entry.said["kind"]))
    found = users.find_by_username(entry.world, entry.said["username"])
    user = _put(entry, _changed(entry, found) if found else _created(entry))
    limit = entry.said.get("projects_limit", None if found else _usual_limit(entry.world, user))
    if limit is not None:
        entry.afterwards(lambda: entry.world.users.change(entry.record(), projects_limit=limit))
    return user


def _created(entry: Entry) -> User:
    """A confirmed user; who lists no tokens has one."""
    given = {**named_after(entry.said["username"]), **entry.given(_CHECKED)}
    times = dict.fromkeys(("created_at", "updated_at", "confirmed_at"), entry.created_at)
    admin = bool(entry.said.get("admin"))
    user = users.create(entry.ctx, **given, **times, admin=admin, projects_limit=_ENOUGH)
    if entry.said.get("external"):
        user = entry.world.users.change(user, can_create_group=False)
    if "tokens" not in entry.parts:
        token = tokens.create(entry.ctx, user, value=f"{user.username}-token")
        entry.world.tokens.change(token, created_at=user.created_at)
    return user


def _usual_limit(world: World, user: User) -> int:
    return 0 if user.external else world.settings.default_projects_limit


def _changed(entry: Entry, user: User) -> User:
    given = entry.given(_CHECKED)
    del given["username"]
    return users.update(entry.ctx, user, **given, skip_reconfirmation=True)


def named_after(username: str) -> dict[str, str]:
    """What a user has who is only named."""
    return {"name": username, "email": f"{username}@example.test", "password": f"{username}-password"}


def _put(entry: Entry, user: User) -> User:
    """What no verb sets, exactly as said."""
    own = {name: value for name, value in entry.given(_OWN).items() if name not in _BY_VERBS}
    if "password" in own:
        own.setdefault("password_expired", False)
    if namespaces.has_user_namespace(entry.world, user):
        entry.world.namespaces.change(namespaces.user_namespace(entry.world, user), **entry.given(_SPACE))
    return entry.world.users.change(user, **own, **pictures.avatar_change(entry, ("user", user.id)))


def _made_bot(entry: Entry) -> User:
    """A bot that is named after its project once that is made; until then, and in the scenario, it has a handle."""
    bot = bots.add_bot(entry.ctx, entry.said.get("name", "bot"), f"bot {entry.said['username']}")
    entry.afterwards(lambda: bots.name_bot(entry.ctx, entry.record(), entry.project("bot_of")))
    own = {name: value for name, value in entry.given(_OWN).items() if name not in ("username", "email")}
    return entry.world.users.change(bot, **own, **pictures.avatar_change(entry, ("user", bot.id)))


def _tell(world: World, owner: None) -> Iterator[tuple[User, Told]]:
    del owner
    begun = creation_order.namespace_turns(world)
    for user in world.users.all():
        told = {**_TOLD.get(user.kind, _told_internal)(world, user), **pictures.serialize_avatar(world, user.avatar)}
        yield (
            user,
            {
                **told,
                **(
                    begun.get(namespaces.user_namespace(world, user).id, {})
                    if namespaces.has_user_namespace(world, user)
                    else {}
                ),
            },
        )


def _told_person(world: World, user: User) -> Told:
    found = telling.non_default_fields(
        user, _OWN, always=("confirmed_at", "projects_limit", *(("can_create_group",) if user.external else ()))
    )
    space = (
        telling.non_default_fields(namespaces.user_namespace(world, user), _SPACE)
        if namespaces.has_user_namespace(world, user)
        else {}
    )
    expected = {**named_after(user.username), "projects_limit": _usual_limit(world, user)}
    if user.external:
        expected["can_create_group"] = False
    if user.username != ROOT:
        expected.update(updated_at=user.created_at, confirmed_at=user.created_at)
    return {**telling.remove_defaults(found, **expected), **space}


def _told_internal(world: World, user: User) -> Told:
    del world
    found = telling.non_default_fields(user, _OWN, always=("can_create_group", "projects_limit"))
    return {**telling.remove_defaults(found, can_create_group=False, projects_limit=0), "kind": user.kind}


def _told_bot(world: World, user: User) -> Told:
    """Its project is that of its token."""
    told = telling.remove_defaults(_told_internal(world, user), kind=user.kind, email=user.email)
    projects = [token.project_id for token in world.tokens.where("user", user.id) if token.project_id]
    return {**told, "bot_of": namespaces.project_path(world, world.projects[projects[0]])} if projects else told


_TOLD: Final[Mapping[UserKind, Callable[[World, User], Told]]] = {"human": _told_person, "project_bot": _told_bot}

SECTION: Final = Section(
    "users",
    under=(SCENARIO,),
    rank=PEOPLE,
    keys=Object(
        {
            **_OWN,
            **_SPACE,
            "is_admin": Alias("admin"),
            "avatar": pictures.AVATAR,
            "kind": Choice(*bots.BOTS),
            "bot_of": TEXT,
            creation_order.KEY: COUNT,
        },
        required=("username",),
        descriptions={
            "kind": "One of the platform's own users.",
            "bot_of": "The project of a bot, which is named after it; its username is good only in the scenario.",
            creation_order.KEY: creation_order.DESCRIPTION,
        },
    ),
    make=_make,
    tell=_tell,
    named="username",
    kind="user",
    find=users.find_by_username,
)
