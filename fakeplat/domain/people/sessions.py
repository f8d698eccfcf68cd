"""Sessions of users at the pages. Source: docs/platform/authentication.md, docs/platform/settings.md."""

from fakeplat.core.timestamps import MINUTE, to_iso
from fakeplat.domain import signals
from fakeplat.domain.people import tokens, users
from fakeplat.model.people import Token, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def sign_in(ctx: WriteContext, user: User, ip: str) -> Token:
    """Create a session of a user, which ends after ``session_expire_delay`` minutes; 0: never."""
    if user.state == "deactivated":
        user = users.set_state(ctx, user, "active")
    ctx.world.users.change(
        user,
        sign_in_count=user.sign_in_count + 1,
        last_sign_in_at=user.current_sign_in_at or ctx.now_iso,
        current_sign_in_at=ctx.now_iso,
        last_sign_in_ip=user.current_sign_in_ip or ip,
        current_sign_in_ip=ip,
    )
    delay = ctx.world.settings.session_expire_delay
    expires_at = to_iso(ctx.now() + delay * MINUTE) if delay else None
    return tokens.create(
        ctx, user, "session", value=ctx.random_hex("session"), name="session", scopes=(), expires_at=expires_at
    )


def report_refusal(ctx: WriteContext, user: User) -> None:
    """Report that a user with the right password may not sign in."""
    signals.sign_in_refused.send(ctx, user)


def sign_in_at_page(ctx: WriteContext, user: User, ip: str, method: str) -> Token:
    """Create a session of a user who has given the password, and for ``two-factor`` also a code."""
    session = sign_in(ctx, user, ip)
    signals.signed_in.send(ctx, user, method)
    return session


def sign_out(ctx: WriteContext, session: Token) -> None:
    """End a session."""
    ctx.world.tokens.change(session, revoked=True)


def explain_problem(world: World, user: User) -> str:
    """Return the platform's message for a user who may not sign in; empty for all others."""
    if user.state == "blocked_pending_approval":
        return "Your account is pending approval from your administrator and hence blocked."
    if user.state in ("blocked", "ldap_blocked") or user.is_internal:
        return "Your account has been blocked. Please contact your administrator if you think this is an error."
    is_lenient = world.settings.email_confirmation_setting == "soft"
    return "" if user.confirmed_at or is_lenient else "You have to confirm your email address before continuing."
