"""Internal users, the bot users of project and group access tokens, and service accounts.

Source: docs/platform/users.md, docs/platform/authentication.md.
"""

from collections.abc import Mapping
from typing import Final

from fakeplat.model.people import Group, User, UserKind
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext

BOTS: Final[Mapping[UserKind, tuple[str, str]]] = {
    "ghost": ("ghost", "Ghost User"),
    "alert_bot": ("alert-bot", "Alert Bot"),
    "automation_bot": ("automation-bot", "Automation Bot"),
    "support_bot": ("support-bot", "Support Bot"),
    "visual_review_bot": ("visual-review-bot", "Visual Review Bot"),
}


def get_or_create_bot(ctx: WriteContext, kind: UserKind) -> User:
    """Return an internal user, creating it on first use."""
    username, name = BOTS[kind]
    existing = ctx.world.users.find("username", username)
    return existing or _insert_user(ctx, kind, username, name, email_for(username))


def add_bot(ctx: WriteContext, name: str, handle: str) -> User:
    """Add a bot user that is named after its project or group later; ``handle`` is a text that is no valid username."""
    # The handle is username and email address for the moment, because both must be unique.
    return _insert_user(ctx, "project_bot", handle, name, handle)


def name_bot(ctx: WriteContext, bot: User, container: Project | Group) -> User:
    """Name a bot user after its project or group; further bots there are numbered."""
    base = f"{'project' if isinstance(container, Project) else 'group'}_{container.id}_bot"
    table, username, number = ctx.world.users, base, 0
    while (holder := table.find("username", username)) and holder.id != bot.id:
        number += 1
        username = f"{base}{number}"
    return table.change(bot, username=username, email=email_for(username))


def add_service_account(
    ctx: WriteContext, name: str, username: str, *, email: str | None = None, group: Group | None = None
) -> User:
    """Add the user of a service account of a group, or of the instance."""
    account = _insert_user(ctx, "service_account", username, name, email or email_for(username))
    return account if group is None else ctx.world.users.change(account, provisioned_by_group_id=group.id)


def email_for(username: str) -> str:
    """Return the address of an internal user."""
    # No mail can reach a name below ``.invalid`` (RFC 2606).
    return f"{username}@platform.invalid"


def _insert_user(ctx: WriteContext, kind: UserKind, username: str, name: str, email: str) -> User:
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
