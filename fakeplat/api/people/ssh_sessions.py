"""What the SSH server asks the platform besides git: its internal API. Source: docs/platform/git-over-ssh.md.

Only sessions over SSH are answered; clients of HTTP lack the secret of the platform's own SSH server.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final

import orjson

from fakeplat.api.repository import git_access
from fakeplat.core.operations.errors import InvalidRecord, NotFound, Unauthorized
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.timestamps import DAY, SECOND, to_iso_date
from fakeplat.domain import urls
from fakeplat.domain.people import tokens, two_factor
from fakeplat.model.people import User
from fakeplat.policy.behaviours import SSH_TOKEN_DAYS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.ssh_keys import LFS_TOKEN_LIFETIME, lfs_credentials

area: Final = Area("SSH sessions", login=Login.NEVER, basic=True, any_scope=True)
_NOT_FOR_TOKENS: Final = frozenset({"sudo", "openid", "profile", "email", "admin_mode"})
"""Scopes that a token made over SSH cannot have."""


@area.operation("GET", "internal/discover", refusals=(401,), ours=True)
def get_ssh_user(ctx: ReadContext) -> RawBody:
    """Get the user of the SSH session."""
    _require_session(ctx)
    user = ctx.viewer
    return _render({} if user is None else {"id": user.id, "name": user.name, "username": user.username})


class LfsSession(Params):
    """The repository, and what Git LFS is to do there."""

    project: str
    operation: str


@area.operation("POST", "internal/lfs_authenticate", params=LfsSession, status=200, refusals=(401, 404), ours=True)
def create_lfs_credentials(ctx: WriteContext, p: LfsSession) -> RawBody:
    """Create the credentials with which Git LFS transfers objects over HTTP."""
    _require_session(ctx)
    project = git_access.find_project(ctx.world, p.project)
    caller = ctx.deploy_key or ctx.user
    if project is None or not project.lfs_enabled or caller is None:
        raise NotFound(reason="no project at this path, or its lfs_enabled is off")
    name, password = lfs_credentials(ctx.world, caller, ctx.now())
    header = {"Authorization": f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"}
    href = f"{urls.project_url(ctx, project)}.git/info/lfs"
    return _render({"header": header, "href": href, "expires_in": LFS_TOKEN_LIFETIME // SECOND})


@area.operation("POST", "internal/two_factor_recovery_codes", status=200, refusals=(401,), ours=True)
def create_recovery_codes(ctx: WriteContext) -> RawBody:
    """Create two-factor recovery codes for the user of the SSH session."""
    _require_session(ctx)
    if ctx.deploy_key is not None or ctx.user is None:
        return _refuse("Deploy keys cannot be used to retrieve recovery codes")
    if not ctx.user.two_factor_enabled:
        return _refuse("Two-factor authentication is not enabled for this user")
    return _render({"success": True, "recovery_codes": two_factor.create_recovery_codes(ctx, ctx.user)})


class SshToken(Params):
    """A personal access token, and for how many days it is valid."""

    name: str
    scopes: list[str]
    days: int | None = None


@area.operation("POST", "internal/personal_access_token", params=SshToken, status=200, refusals=(401,), ours=True)
def create_ssh_token(ctx: WriteContext, p: SshToken) -> RawBody:
    """Create a personal access token for the user of the SSH session."""
    _require_session(ctx)
    if ctx.deploy_key is not None or ctx.user is None:
        return _refuse("Deploy keys cannot be used to create personal access tokens")
    allowed = sorted(tokens.available_scopes(ctx) - _NOT_FOR_TOKENS)
    unknown = next((scope for scope in p.scopes if scope not in allowed), None)
    if unknown is not None:
        listed = ", ".join(f'"{scope}"' for scope in allowed)
        return _refuse(f"Invalid scope: '{unknown}'. Valid scopes are: [{listed}]")
    return _create_token(ctx, ctx.user, p.name, p.scopes, p.days)


def _create_token(ctx: WriteContext, user: User, name: str, scopes: Sequence[str], days: int | None) -> RawBody:
    default = ctx.profile.choose(SSH_TOKEN_DAYS)
    # The day on which so many days are over still counts.
    lifetime = default if days is None else days + 1
    expires_at = None if lifetime is None else to_iso_date(ctx.now() + lifetime * DAY)
    try:
        token = tokens.create_checked(ctx, user, "personal", name=name, scopes=scopes, expires_at=expires_at)
    except InvalidRecord as refusal:
        return _refuse(f"Failed to create token: {refusal.sentence()}")
    shown = token.expires_at and token.expires_at[:10]
    return _render({"success": True, "token": token.value, "scopes": [*token.scopes], "expires_at": shown})


def _require_session(ctx: ReadContext) -> None:
    if ctx.request is None or ctx.request.ssh_key is None:
        raise Unauthorized(reason="the internal API answers the platform's own SSH server only")


def _refuse(message: str) -> RawBody:
    return _render({"success": False, "message": message})


def _render(content: dict[str, Any]) -> RawBody:
    return RawBody(orjson.dumps(content), JSON)
