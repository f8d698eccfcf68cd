"""States of users: administrators block, deactivate and ban them, and take that back.

Source: docs/platform/users.md.
"""

from typing import Final

from fakeplat.api.scopes import USER
from fakeplat.core.operations.errors import Forbidden, ForbiddenWithMessage, Refusal
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.release import Behaviour
from fakeplat.core.timestamps import DAY, from_iso
from fakeplat.domain.people import users
from fakeplat.domain.projects import custom_attributes
from fakeplat.model.people import User, UserState
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import (
    ACTIVATION_IS_REFUSED_WITHOUT_STATUS,
    ADMINISTRATORS_BLOCK_OTHERS,
    BANS_ARE_REFUSED_WITH_THE_STATE,
    BLOCKS_LEAVE_ATTRIBUTES,
    DEACTIVATION_IS_REFUSED_WITHOUT_STATUS,
    DORMANT_PERIOD_IS_A_SETTING,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Users", login=Login.WRITES, scopes=("read_user",))
# A user can be deactivated after this many days without activity, until a setting decides.
_RECENT_DAYS: Final = 180


@area.operation("POST", "block", scope=USER, ability=Ability.ADMIN_USERS, refusals=(403,))
def block_user(ctx: WriteContext, user: User) -> bool | None:
    """Block a user. Administrators only, and later not themselves."""
    if user.id == ctx.signed_in_user.id and ctx.profile.has(ADMINISTRATORS_BLOCK_OTHERS):
        raise Forbidden("The API initiating user cannot be blocked by the API")
    # A repeated request is no error: the body is ``null`` where a change would answer ``true``.
    if user.state == "blocked":
        return None
    users.block(ctx, user)
    _record_caller(ctx, user, "blocked_by")
    return True


@area.operation("POST", "unblock", scope=USER, ability=Ability.ADMIN_USERS, refusals=(403,))
def unblock_user(ctx: WriteContext, user: User) -> bool:
    """Unblock a user. Administrators only."""
    if user.state == "ldap_blocked":
        raise Forbidden("LDAP blocked users cannot be unblocked by the API")
    if user.state == "deactivated":
        raise Forbidden("Deactivated users cannot be unblocked by the API")
    # Unlike a repeated block, which answers ``null``, this answers ``false``.
    if user.state != "blocked":
        return False
    users.set_state(ctx, user, "active")
    _record_caller(ctx, user, "unblocked_by")
    return True


def _record_caller(ctx: WriteContext, user: User, key: str) -> None:
    """Keep who has just blocked or unblocked a user as a custom attribute of the user."""
    if ctx.profile.has(BLOCKS_LEAVE_ATTRIBUTES):
        caller, time = ctx.signed_in_user, ctx.now_iso[:19].replace("T", " ")
        value = f"{caller.username}/{caller.id}+{time} UTC"
        custom_attributes.set_attribute(ctx, ("user", user.id), key, value)


def _state_refusal(ctx: ReadContext, text: str, text_alone: str, since: Behaviour) -> Refusal:
    """Return the refusal to change a state, whose text stands alone since a release."""
    return ForbiddenWithMessage(text_alone) if ctx.profile.has(since) else Forbidden(text)


@area.operation("POST", "activate", scope=USER, ability=Ability.ADMIN_USERS, refusals=(403,))
def activate_user(ctx: WriteContext, user: User) -> bool | None:
    """Activate a deactivated user. Administrators only."""
    if user.is_blocked:
        text = "A blocked user must be unblocked to be activated"
        raise _state_refusal(ctx, text, f"Error occurred. {text}", ACTIVATION_IS_REFUSED_WITHOUT_STATUS)
    if user.state == "active":
        return None
    users.set_state(ctx, user, "active")
    return True


@area.operation("POST", "deactivate", scope=USER, ability=Ability.ADMIN_USERS, refusals=(403,))
def deactivate_user(ctx: WriteContext, user: User) -> bool | None:
    """Deactivate a user who was not active recently. Administrators only."""
    if user.is_blocked:
        text = "A blocked user cannot be deactivated"
        raise _state_refusal(
            ctx, f"{text} by the API", f"Error occurred. {text}", DEACTIVATION_IS_REFUSED_WITHOUT_STATUS
        )
    if user.state == "deactivated":
        return None
    if user.is_internal:
        text = "An internal user cannot be deactivated by the API"
        alone = "Internal users cannot be deactivated"
        raise _state_refusal(ctx, text, alone, DEACTIVATION_IS_REFUSED_WITHOUT_STATUS)
    days = _recent_days(ctx)
    if user.last_activity_on and ctx.now() - from_iso(user.last_activity_on) < days * DAY:
        past = f"past {days} days"
        text = f"The user you are trying to deactivate has been active in the {past} and cannot be deactivated"
        raise _state_refusal(ctx, text, text, DEACTIVATION_IS_REFUSED_WITHOUT_STATUS)
    users.set_state(ctx, user, "deactivated")
    return True


def _recent_days(ctx: ReadContext) -> int:
    """Return for how many days without activity a user cannot be deactivated."""
    has_setting = ctx.profile.has(DORMANT_PERIOD_IS_A_SETTING)
    return (ctx.world.settings.deactivate_dormant_users_period if has_setting else None) or _RECENT_DAYS


def _change_ban(ctx: WriteContext, user: User, event: str, before: UserState, after: UserState) -> bool:
    if user.state != before:
        reason = f"{user.username} is {user.state}; only {before} users can be changed so"
        names_state = ctx.profile.has(BANS_ARE_REFUSED_WITH_THE_STATE)
        text = f"You cannot {event} {user.state} users." if names_state else f'State cannot transition via "{event}"'
        raise ForbiddenWithMessage(text, reason=reason)
    users.set_state(ctx, user, after)
    return True


@area.operation("POST", "ban", scope=USER, ability=Ability.ADMIN_USERS, refusals=(403,), since="14.3")
def ban_user(ctx: WriteContext, user: User) -> bool:
    """Ban an active user. Administrators only."""
    return _change_ban(ctx, user, "ban", "active", "banned")


@area.operation("POST", "unban", scope=USER, ability=Ability.ADMIN_USERS, refusals=(403,), since="14.3")
def unban_user(ctx: WriteContext, user: User) -> bool:
    """Unban a user. Administrators only."""
    return _change_ban(ctx, user, "unban", "banned", "active")
