"""Credentials: making them, and the bot users behind the tokens of projects.

Source: docs/platform/authentication.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.people import members, users
from fakeplat.domain.validation import TAKEN
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.users import Token, TokenKind, User
from fakeplat.model.world import World, lane
from fakeplat.policy.context import WriteContext

SCOPES: Final = (
    "api",
    "read_user",
    "read_api",
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
)
SUDO: Final = "sudo"


def all_scopes(user: User) -> tuple[str, ...]:
    """Every scope that a user's token can have."""
    return (*SCOPES, SUDO) if user.admin else SCOPES


def find(world: World, kind: TokenKind, value: str) -> Token | None:
    """The credential with a value, among those that are sent in the same place."""
    return world.tokens.find("value", (lane(kind), value))


def create(
    ctx: WriteContext,
    user: User,
    kind: TokenKind = "personal",
    *,
    value: str | None = None,
    name: str = "",
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    project: Project | None = None,
) -> Token:
    """Make a credential; with every scope where none are named, with a value by chance where none is given."""
    if value is not None and find(ctx.world, kind, value):
        raise InvalidRecord({"token": [TAKEN]})
    token = Token(
        id=ctx.world.tokens.next_id(),
        user_id=user.id,
        kind=kind,
        value=ctx.random_hex("token", 10) if value is None else value,
        created_at=ctx.now_iso,
        name=name or f"{kind} token",
        scopes=all_scopes(user) if scopes is None else tuple(scopes),
        expires_at=expires_at,
        project_id=project.id if project else None,
    )
    return ctx.world.tokens.add(token)


def add_bot(ctx: WriteContext, name: str, handle: str) -> User:
    """A bot user who is still to be named after a project; the handle is any text that no username can be."""
    table, now = ctx.world.users, ctx.now_iso
    return table.add(
        User(
            id=table.next_id(),
            username=handle,
            name=name,
            email=handle,
            created_at=now,
            updated_at=now,
            kind="project_bot",
            can_create_group=False,
            projects_limit=0,
            confirmed_at=now,
        )
    )


def name_bot(ctx: WriteContext, bot: User, project: Project) -> User:
    """Name a bot user after its project; a second bot of a project gets a number."""
    table, username, number = ctx.world.users, f"project_{project.id}_bot", 0
    while (holder := table.find("username", username)) and holder.id != bot.id:
        number += 1
        username = f"project_{project.id}_bot{number}"
    return table.change(bot, username=username, email=f"{username}@platform.invalid")


def create_for_project(
    ctx: WriteContext,
    project: Project,
    *,
    name: str,
    value: str | None = None,
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
) -> Token:
    """Make a token of a project: that of a bot user who is its Maintainer."""
    bot = name_bot(ctx, add_bot(ctx, name, f"bot of project {project.id}"), project)
    members.add_member(ctx, project, bot, Level.MAINTAINER)
    return create(ctx, bot, "project", value=value, name=name, scopes=scopes, expires_at=expires_at, project=project)


def drop(ctx: WriteContext, project: Project) -> None:
    """Remove the credentials for a project that goes, with the bot users behind them."""
    found = list(ctx.world.tokens.where("project", project.id))
    for token in found:
        ctx.world.tokens.remove(token)
    for user in [ctx.world.users[id_] for id_ in dict.fromkeys(token.user_id for token in found)]:
        if user.kind == "project_bot":
            users.delete(ctx, user)
