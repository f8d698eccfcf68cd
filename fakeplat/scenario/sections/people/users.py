"""Users, including bots. Source: docs/contract.md ('People and tokens')."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from fakeplat.core import one_time_codes
from fakeplat.core.schema.records import build_fields, fields
from fakeplat.core.schema.shapes import COUNT, TEXT, Alias, Choice, Object
from fakeplat.domain.people import bots, namespaces, tokens, user_statuses, users
from fakeplat.model.people import Group, User, UserKind, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PEOPLE, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars

_FIELDS: Final = fields(
    User,
    without=("id", "kind", "avatar", "created_by", "provisioned_by_group_id", "enterprise_group_id"),
    projects_limit=COUNT,
)
_COMMON_NAMESPACE_FIELDS: Final = ("id", "name", "path", "created_at", "updated_at", "parent_id", "owner_id")
_NAMESPACE_FIELDS: Final = {
    name: shape
    for name, shape in fields(UserNamespace, without=_COMMON_NAMESPACE_FIELDS).items()
    if name not in _FIELDS
}
_CHECKED: Final = ("username", "name", "email", "password", "bio", "website_url")
_NOT_COPIED: Final = ("username", "projects_limit")
_GROUPS: Final = {"provisioned_by_group_id": "provisioned_by", "enterprise_group_id": "enterprise_group"}
"""Fields that name a group, and their keys."""
_LARGE_LIMIT: Final = 100_000
SERVICE_ACCOUNT: Final = "service_account"
ROOT: Final = "root"
"""The administrator who exists in every world, created before all other records."""


def _create(entry: Entry) -> User:
    if "bot_of" in entry.values:
        return _create_bot(entry)
    if entry.values.get("kind") == SERVICE_ACCOUNT:
        return _create_service_account(entry)
    if "kind" in entry.values:
        return _apply_fields(entry, bots.get_or_create_bot(entry.ctx, entry.values["kind"]))
    existing = users.find_by_username(entry.world, entry.values["username"])
    user = _apply_fields(entry, _update_existing(entry, existing) if existing else _create_new(entry))
    for field, key in _GROUPS.items():
        if key in entry.values:
            entry.defer(partial(_set_group, entry, field, key))
    limit = entry.values.get("projects_limit", None if existing else _default_limit(entry.world, user))
    if limit is not None:
        entry.defer(lambda: entry.world.users.change(entry.record(), projects_limit=limit))
    user_statuses.schedule_clearing(entry.ctx, user)
    return user


def _set_group(entry: Entry, field: str, key: str) -> None:
    entry.world.users.change(entry.record(), **{field: entry.group(key).id})


def _create_new(entry: Entry) -> User:
    """Create a confirmed user, with a default token if the entry has no tokens."""
    fields_ = {**default_identity(entry.values["username"]), **entry.select(_CHECKED)}
    times: dict[str, Any] = dict.fromkeys(("created_at", "updated_at", "confirmed_at"), entry.created_at)
    admin = bool(entry.values.get("admin"))
    # A large limit while projects are created; the limit of the entry is set when everything exists.
    user = users.create(entry.ctx, **fields_, **times, admin=admin, projects_limit=_LARGE_LIMIT)
    if entry.values.get("external"):
        user = entry.world.users.change(user, can_create_group=False)
    if "tokens" not in entry.subsections:
        token = tokens.create(entry.ctx, user, value=f"{user.username}-token")
        entry.world.tokens.change(token, created_at=user.created_at)
    return user


def _default_limit(world: World, user: User) -> int:
    return 0 if user.external else world.settings.default_projects_limit


def _update_existing(entry: Entry, user: User) -> User:
    changes = entry.select(_CHECKED)
    # The entry found the user by this name, so it can differ at most in case.
    del changes["username"]
    if "created_at" in entry.values and "tokens" not in entry.subsections:
        _date_default_token(entry, user)
    return users.update(entry.ctx, user, **changes, skip_reconfirmation=True)


def _date_default_token(entry: Entry, user: User) -> None:
    """Let the default token of a user be as old as the user is said to be."""
    token = tokens.find(entry.world, "personal", f"{user.username}-token")
    if token is not None and token.created_at == user.created_at:
        entry.world.tokens.change(token, created_at=entry.created_at)


def default_identity(username: str) -> dict[str, str]:
    """Return the default fields of a user, derived from the username."""
    return {"name": username, "email": f"{username}@example.test", "password": f"{username}-password"}


def _apply_fields(entry: Entry, user: User) -> User:
    """Set the fields that the domain functions do not set, exactly as in the entry."""
    values = {name: value for name, value in entry.select(_FIELDS).items() if name not in _NOT_COPIED}
    fields_ = build_fields(User, values)
    _check_otp_secret(entry)
    if "password" in fields_:
        # Setting a password for someone else makes it expire; the one in an entry is meant to be used.
        fields_.setdefault("password_expired", False)
    namespace = namespaces.find_user_namespace(entry.world, user)
    if namespace is not None:
        entry.world.namespaces.change(namespace, **entry.select(_NAMESPACE_FIELDS))
    return entry.world.users.change(user, **fields_, **avatars.avatar_change(entry, ("user", user.id)))


def _check_otp_secret(entry: Entry) -> None:
    secret = entry.values.get("otp_secret")
    try:
        if secret is not None:
            one_time_codes.decode_secret(secret)
    except ValueError:
        entry.fail(f"{secret!r} is not Base32", "otp_secret")


def _create_bot(entry: Entry) -> User:
    """Create a bot. It is named after its project when that exists; its username is only used in the scenario."""
    bot = bots.add_bot(entry.ctx, entry.values.get("name", "bot"), f"bot {entry.values['username']}")
    entry.defer(lambda: bots.name_bot(entry.ctx, entry.record(), _get_container(entry)))
    fields_ = {name: value for name, value in entry.select(_FIELDS).items() if name not in ("username", "email")}
    return entry.world.users.change(bot, **fields_, **avatars.avatar_change(entry, ("user", bot.id)))


def _get_container(entry: Entry) -> Project | Group:
    """Return the project of a bot, or the group."""
    name = str(entry.values["bot_of"])
    group = namespaces.find_by_path(entry.world, name)
    return group if isinstance(group, Group) else entry.project("bot_of")


def _create_service_account(entry: Entry) -> User:
    username = entry.values["username"]
    account = users.find_by_username(entry.world, username) or bots.add_service_account(
        entry.ctx, entry.values.get("name", username), username
    )
    if "service_account_of" in entry.values:
        entry.defer(lambda: entry.world.users.change(entry.record(), **_provision(entry)))
    return _apply_fields(entry, account)


def _provision(entry: Entry) -> dict[str, int]:
    return {"provisioned_by_group_id": entry.group("service_account_of").id}


def _export(world: World, _owner: None) -> Iterator[tuple[User, EntryData]]:
    turns = creation_order.namespace_turns(world)
    for user in world.users.all():
        namespace = namespaces.find_user_namespace(world, user)
        data = {
            **_SERIALIZERS.get(user.kind, _serialize_internal)(world, user),
            **avatars.serialize_avatar(world, user.avatar),
            **(turns.get(namespace.id, {}) if namespace is not None else {}),
        }
        yield user, data


def _serialize_person(world: World, user: User) -> EntryData:
    data = serialization.non_default_fields(
        user, _FIELDS, always=("confirmed_at", "projects_limit", *(("can_create_group",) if user.external else ()))
    )
    namespace = namespaces.find_user_namespace(world, user)
    namespace_fields = serialization.non_default_fields(namespace, _NAMESPACE_FIELDS) if namespace is not None else {}
    defaults = {**default_identity(user.username), "projects_limit": _default_limit(world, user)}
    if user.external:
        defaults["can_create_group"] = False
    # The administrator is created before the entry is read, so the times of the entry are no defaults there.
    if user.username != ROOT:
        defaults.update(updated_at=user.created_at, confirmed_at=user.created_at)
    groups = {
        key: namespaces.full_path(world, world.namespaces[id_])
        for field, key in _GROUPS.items()
        if (id_ := getattr(user, field)) is not None
    }
    return {**serialization.remove_defaults(data, **defaults), **namespace_fields, **groups}


def _serialize_internal(_world: World, user: User) -> EntryData:
    data = serialization.non_default_fields(user, _FIELDS, always=("can_create_group", "projects_limit"))
    return {**serialization.remove_defaults(data, can_create_group=False, projects_limit=0), "kind": user.kind}


def _serialize_bot(world: World, user: User) -> EntryData:
    """Return the entry of a bot; its project or group is that of its token."""
    data = serialization.remove_defaults(_serialize_internal(world, user), kind=user.kind, email=user.email)
    own = tokens.list_of_user(world, user, "project", "group")
    return {**data, "bot_of": namespaces.container_path(world, tokens.container_of(world, own[0]))} if own else data


def _serialize_service_account(world: World, user: User) -> EntryData:
    data = _serialize_internal(world, user)
    group = None if user.provisioned_by_group_id is None else world.namespaces[user.provisioned_by_group_id]
    return data if group is None else {**data, "service_account_of": namespaces.full_path(world, group)}


_SERIALIZERS: Final[Mapping[UserKind, Callable[[World, User], EntryData]]] = {
    "human": _serialize_person,
    "project_bot": _serialize_bot,
    "service_account": _serialize_service_account,
}

SECTION: Final = Section(
    "users",
    within=(SCENARIO,),
    rank=PEOPLE,
    keys=Object(
        {
            **_FIELDS,
            **_NAMESPACE_FIELDS,
            "is_admin": Alias("admin"),
            "avatar": avatars.AVATAR,
            "kind": Choice(*bots.BOTS, SERVICE_ACCOUNT),
            "bot_of": TEXT,
            "service_account_of": TEXT,
            **dict.fromkeys(_GROUPS.values(), TEXT),
            creation_order.KEY: COUNT,
        },
        required=("username",),
        descriptions={
            "commit_email": "The address with which the user commits; _private for a private one.",
            "kind": "Kind of an internal user of the platform, or a service account.",
            "otp_secret": "Secret of the user's one-time codes, in Base32; by default that of <username>-otp-secret.",
            "accepted_terms": "Whether the user has accepted the terms, which the setting enforce_terms demands.",
            "bot_of": "Project or group of a bot, after which it is named; its username is only used in the scenario.",
            "service_account_of": "Top-level group of a service account; without it, it is one of the instance.",
            "provisioned_by": "Group that provisioned the user, as by SCIM.",
            "enterprise_group": "Top-level group whose owners manage the account.",
            "enterprise_group_associated_at": "Since when they do.",
            creation_order.KEY: creation_order.DESCRIPTION,
        },
    ),
    create=_create,
    export=_export,
    name_key="username",
    kind="user",
    find=users.find_by_username,
    record=User,
)
