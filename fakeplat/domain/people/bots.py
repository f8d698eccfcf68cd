"""The platform's own users, and the bot users behind the tokens of projects.

Source: docs/platform/users.md, docs/platform/authentication.md.
"""

from collections.abc import Mapping
from typing import Final

from fakeplat.model.projects import Project
from fakeplat.model.users import User, UserKind
from fakeplat.policy.context import WriteContext

BOTS: Final[Mapping[UserKind, tuple[str, str]]] = {
    "ghost": ("ghost", "Ghost User"),
    "alert_bot": ("alert-bot", "Alert Bot"),
    "support_bot": ("support-bot", "Support Bot"),
}


def find_or_create_bot(ctx: WriteContext, kind: UserKind) -> User:
    """Return one of the platform's own users, which is created when it is first needed."""
    username, name = BOTS[kind]
    existing = ctx.world.users.find("username", username)
    return existing or _add(ctx, kind, username, name, _email(username))


def add_bot(ctx: WriteContext, name: str, handle: str) -> User:
    """Add a bot user who is still to be named after a project; the handle is any text that no username can be."""
    return _add(ctx, "project_bot", handle, name, handle)


def name_bot(ctx: WriteContext, bot: User, project: Project) -> User:
    """Name a bot user after its project; a second bot of a project gets a number."""
    table, username, number = ctx.world.users, f"project_{project.id}_bot", 0
    while (holder := table.find("username", username)) and holder.id != bot.id:
        number += 1
        username = f"project_{project.id}_bot{number}"
    return table.change(bot, username=username, email=_email(username))


def _email(username: str) -> str:
    return f"{username}@platform.invalid"


def _add(ctx: WriteContext, kind: UserKind, username: str, name: str, email: str) -> User:
    users, now = ctx.world.users, ctx.now_iso
    return users.add(
        User(
            id=users.next_id(),
            username=username,
            name=name,
            email=email,
            created_at=now,
            updated_at=now,
            kind=kind,
            can_create_group=False,
            projects_limit=0,
            confirmed_at=now,
        )
    )
