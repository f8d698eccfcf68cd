"""Tokens of OAuth applications. Source: docs/platform/oauth.md."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.people import tokens
from fakeplat.model.oauth import OAuthApplication
from fakeplat.model.people import Token, User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import OAUTH_TOKENS_EXPIRE
from fakeplat.policy.context import WriteContext

_LIFETIME: Final = 7200
"""In seconds, unless the settings say something else."""


def issue(
    ctx: WriteContext,
    application: OAuthApplication | None,
    user: User | None,
    scopes: Sequence[str],
    *,
    refreshable: bool = True,
) -> Token:
    """Return a token for a user, or for the application itself.

    While tokens do not expire, an application that asks again gets the same one.
    """
    expires = ctx.profile.has(OAUTH_TOKENS_EXPIRE)
    existing = None if expires else find_matching(ctx.world, application, user, scopes, refreshable=refreshable)
    return existing or create(ctx, application, user, scopes, refreshable=refreshable)


def create(
    ctx: WriteContext,
    application: OAuthApplication | None,
    user: User | None,
    scopes: Sequence[str],
    *,
    refreshable: bool = True,
) -> Token:
    """Create a token."""
    expires = ctx.profile.has(OAUTH_TOKENS_EXPIRE)
    token = tokens.create(
        ctx,
        user,
        "oauth",
        value=ctx.random_hex("oauth token", 32),
        scopes=scopes,
        expires_at=to_iso(ctx.now() + _lifetime(ctx) * SECOND) if expires else None,
    )
    return ctx.world.tokens.change(
        token,
        application_id=application.id if application else None,
        refresh_token=ctx.random_hex("refresh token", 32) if refreshable else None,
    )


def _lifetime(ctx: WriteContext) -> int:
    return ctx.world.settings.oauth_access_token_expires_in or _LIFETIME


def find_matching(
    world: World,
    application: OAuthApplication | None,
    user: User | None,
    scopes: Sequence[str],
    *,
    refreshable: bool = True,
) -> Token | None:
    """Return the newest usable token of an application and a user with exactly these scopes."""
    matching = [
        token
        for token in _list_tokens(world, application, user)
        if not token.revoked and set(token.scopes) == set(scopes) and refreshable == (token.refresh_token is not None)
    ]
    return max(matching, key=lambda token: token.id, default=None)


def _list_tokens(world: World, application: OAuthApplication | None, user: User | None) -> Iterable[Token]:
    user_id = user.id if user else None
    if application is not None:
        return (token for token in world.tokens.where("application", application.id) if token.user_id == user_id)
    own = world.tokens.where("user", user_id) if user_id is not None else ()
    return (token for token in own if token.kind == "oauth" and token.application_id is None)


def find(world: World, value: str) -> Token | None:
    """Return the OAuth token with a value."""
    token = tokens.find(world, "oauth", value)
    return token if token is not None and token.kind == "oauth" else None


def find_by_any_value(world: World, value: str) -> Token | None:
    """Return the OAuth token that is, or is refreshed by, a value."""
    return find(world, value) or (world.tokens.find("refresh_token", value) if value else None)


def application_of(world: World, token: Token) -> OAuthApplication | None:
    """Return the application of a token, if it has one."""
    return None if token.application_id is None else world.oauth_applications.get(token.application_id)


def seconds(time: str) -> int:
    """Return a time as seconds since 1970."""
    return from_iso(time) // SECOND


def lifetime_of(token: Token) -> int | None:
    """Return the seconds for which a new token is valid; None if it does not expire."""
    return None if token.expires_at is None else seconds(token.expires_at) - seconds(token.created_at)


def serialize(token: Token) -> dict[str, Any]:
    """Return a new token as applications receive it, without empty values."""
    fields = {
        "access_token": token.value,
        "token_type": "Bearer",
        "expires_in": lifetime_of(token),
        "refresh_token": token.refresh_token,
        "scope": " ".join(token.scopes),
        "created_at": seconds(token.created_at),
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}
