"""The tokens with which docker uses the container registry. Source: docs/platform/registry.md."""

from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import parse_qs

from fakeplat.core.operations.errors import GitForbidden, GitUnauthorized
from fakeplat.core.operations.http_messages import TEXT, RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.params.params import Params
from fakeplat.domain.registry import dependency_proxy, registry_tokens
from fakeplat.domain.registry.refusals import AccessForbidden, Unauthorized
from fakeplat.domain.registry.registry_tokens import SERVICE, Access
from fakeplat.policy.behaviours import DEPENDENCY_PROXY_NEEDS_TOKEN
from fakeplat.policy.context import Caller, ReadContext, WriteContext
from fakeplat.policy.credentials import Authenticator, CredentialRules

area: Final = Area("Container registry tokens", login=Login.NEVER, prefix="")
_TWO_FACTORS: Final = (
    "HTTP Basic: Access denied\nYou must use a personal access token with 'api' scope for Git over HTTP.\n"
    "You can generate one at {origin}/profile/personal_access_tokens"
)


class GetRegistryToken(Params):
    """The registry, and what docker wants to do there; ``scope`` can be sent several times."""

    service: str | None = None
    scope: str | None = None
    account: str | None = None
    client_id: str | None = None
    offline_token: bool | None = None


def _identify(ctx: ReadContext) -> Caller:
    if ctx.request is None:
        return Caller()
    authenticator = Authenticator(ctx.world, ctx.clock, ctx.request, {}, CredentialRules(reads=True))
    try:
        return authenticator.caller_by_password()
    except (GitUnauthorized, GitForbidden) as refusal:
        needs_token = "personal access token" in str(refusal.payload)
        text = _TWO_FACTORS.format(origin=ctx.origin) if needs_token else "HTTP Basic: Access denied"
        raise Unauthorized(text, reason=refusal.why) from None


def _grant(ctx: ReadContext, caller: Caller) -> list[Access]:
    scopes = parse_qs(ctx.request.query).get("scope", []) if ctx.request else []
    return registry_tokens.grant_access(ctx, caller, scopes)


def _plan_creation(
    ctx: ReadContext, _records: Sequence[object], p: GetRegistryToken
) -> Callable[[WriteContext], object] | None:
    """Return the creation of the image repositories that the client is about to push to."""
    if p.service != SERVICE:
        return None
    images = list(registry_tokens.list_new_images(ctx.world, _grant(ctx, _identify(ctx))))
    return (lambda write_ctx: registry_tokens.create_repositories(write_ctx, images)) if images else None


@area.operation(
    "GET",
    "jwt/auth",
    params=GetRegistryToken,
    also=(404,),
    refusals=(401, 403),
    reading=Reading(effect=_plan_creation),
    ours=True,
)
def get_registry_token(ctx: ReadContext, p: GetRegistryToken) -> RawBody | dict[str, str]:
    """Get a token of the container registry, or of the dependency proxy, for credentials.

    The token allows what the caller may do of what was asked for; image repositories to push to are created.
    """
    if p.service == dependency_proxy.SERVICE and ctx.profile.has(DEPENDENCY_PROXY_NEEDS_TOKEN):
        return {"token": dependency_proxy.issue_token(ctx, _identify(ctx))}
    if p.service != SERVICE:
        return RawBody(b"", TEXT, status=404)
    caller = _identify(ctx)
    granted = _grant(ctx, caller)
    if not granted and caller.user is None and caller.deploy_token is None:
        raise AccessForbidden(reason="nobody is signed in, and nothing of it is public")
    return {"token": registry_tokens.issue_token(ctx, caller, granted)}
