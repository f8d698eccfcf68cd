"""Which record a credential belongs to, whatever its kind. Source: docs/platform/impersonation-and-access-tokens.md."""

from typing import Final

from fakeplat.domain.ci import runners
from fakeplat.domain.oauth import applications
from fakeplat.domain.people import tokens
from fakeplat.model.ci import Runner, Trigger
from fakeplat.model.oauth import OAuthApplication
from fakeplat.model.people import Token
from fakeplat.model.projects import DeployToken
from fakeplat.policy.context import ReadContext, WriteContext

Credential = Token | DeployToken | Runner | Trigger | OAuthApplication
_PREFIXES: Final = ("glpat", "gldt-", "glrt-", "glrtr-", "glptt-", "gloas-")
_ACCESS_TOKENS: Final = ("personal", "impersonation", "project", "group")


def find_credential(ctx: ReadContext, value: str) -> Credential | None:
    """Return the record of an access token, a deploy token, a runner, a trigger, or the secret of an application."""
    world = ctx.world
    token = tokens.find(world, "personal", value)
    if token is not None:
        return token if token.kind in _ACCESS_TOKENS else None
    return (
        world.deploy_tokens.find("value", value)
        or world.runners.find("token", value)
        or world.triggers.find("token", value)
        or next((one for one in world.oauth_applications.all() if one.secret == value), None)
    )


def is_supported(ctx: ReadContext, value: str) -> bool:
    """Return whether a text looks like a credential that can be identified."""
    prefix = ctx.world.settings.personal_access_token_prefix
    return value.startswith((prefix, *_PREFIXES) if prefix else _PREFIXES)


def revoke(ctx: WriteContext, credential: Credential) -> bool:
    """Revoke a credential, or replace that of a runner or an application; return whether that is possible."""
    if isinstance(credential, Trigger):
        return False
    if isinstance(credential, DeployToken):
        ctx.world.deploy_tokens.change(credential, revoked=True)
    elif isinstance(credential, Runner):
        runners.reset_token(ctx, credential)
    elif isinstance(credential, OAuthApplication):
        applications.renew_secret(ctx, credential)
    elif credential.kind in ("project", "group"):
        tokens.revoke_with_bot(ctx, credential)
    else:
        tokens.revoke(ctx, credential)
    return True
