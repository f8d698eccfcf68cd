"""Roles that take a seat, which administrators approve (`enable_member_promotion_management`).

Nothing of the API shows or decides what waits for them, so nothing of it is kept: administrators give the role
themselves. Source: docs/platform/project-members.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.people.members import highest_role
from fakeplat.model.people import Level, User
from fakeplat.policy.context import ReadContext

QUEUED: Final = "Request queued for administrator approval."


def needs_approval(ctx: ReadContext, user: User, access_level: int) -> bool:
    """Return whether a role would make a user take a seat of an instance where administrators approve that."""
    is_managed = (
        ctx.world.settings.enable_member_promotion_management
        and ctx.instance.has("ultimate")
        and not ctx.instance.hosted
        and not ctx.admin
    )
    return is_managed and access_level > Level.GUEST >= highest_role(ctx.world, user)


def describe_queued(people: Sequence[User]) -> dict[str, dict[str, str]]:
    """Return what an answer for several people says of those whose roles wait; nothing if none does."""
    return {"queued_users": {user.username: QUEUED for user in people}} if people else {}
