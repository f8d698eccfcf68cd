"""Docker's protocol, which is not served, and the tokens for it. Source: docs/platform/registry.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final
from urllib.parse import parse_qs

from fakeplat.core.operations.errors import GitForbidden, GitUnauthorized, Reason, Refusal
from fakeplat.core.operations.http_messages import TEXT, Headers, RawBody
from fakeplat.core.operations.operation import Area, Login, Method, Reading
from fakeplat.core.params.params import Params
from fakeplat.domain.registry import registry_tokens
from fakeplat.domain.registry.registry_tokens import SERVICE, Access
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import Authenticator, Caller, CredentialRules, parse_bearer

protocol: Final = Area("Container registry protocol", login=Login.NEVER, prefix="", basic=True, raw_body=True)
tokens: Final = Area("Container registry tokens", login=Login.NEVER, prefix="")
_VERSION: Final = ("Docker-Distribution-Api-Version", "registry/2.0")
_ENDS: Final = ("/manifests/", "/blobs/", "/tags/")
_NOT_SERVED: Final = "501 Not Implemented: images come from scenarios. See /_fakeplat/coverage"
_TWO_FACTORS: Final = (
    "HTTP Basic: Access denied\nYou must use a personal access token with 'api' scope for Git over HTTP.\n"
    "You can generate one at {origin}/profile/personal_access_tokens"
)


class _RegistryRefusal(Refusal):
    """A refusal in the form of the registry, whose message docker shows; ``extra`` are further keys of the body."""

    code: ClassVar[str] = ""
    extra: ClassVar[Mapping[str, object]] = {}

    def __init__(self, message: str, *, reason: Reason = "", headers: Headers = (), **details: object) -> None:
        payload = {"errors": [{"code": self.code, "message": message, **details}], **self.extra}
        super().__init__(payload, reason=reason, headers=headers)


class _Unauthorized(_RegistryRefusal):
    status = 401
    code = "UNAUTHORIZED"


class _Denied(_RegistryRefusal):
    status = 403
    code = "DENIED"
    extra: ClassVar[Mapping[str, object]] = {"http_status": 403}


class _Unsupported(_RegistryRefusal):
    status = 501
    code = "UNSUPPORTED"


def refuse_registry_call(ctx: ReadContext, path: str = "") -> RawBody:
    """Refuse a call of docker's protocol: 401 with the address of the token service, 501 with a token from there."""
    request = ctx.request
    token = parse_bearer(request.headers.get("authorization")) if request else None
    if token is not None and registry_tokens.is_valid(ctx, token):
        raise _Unsupported(_NOT_SERVED, reason="the distribution protocol is not implemented", detail=None)
    action = "pull" if request is None or request.method in ("GET", "HEAD") else "pull,push"
    repository = _repository_in(path)
    challenge = f'Bearer realm="{ctx.origin}/jwt/auth",service="{SERVICE}"'
    if repository:
        challenge += f',scope="repository:{repository}:{action}"'
    detail = [{"Type": "repository", "Class": "", "Name": repository, "Action": name} for name in action.split(",")]
    raise _Unauthorized(
        "authentication required",
        reason="no token of /jwt/auth was sent, or it has expired",
        headers=(("WWW-Authenticate", challenge), _VERSION),
        detail=detail if repository else None,
    )


def _repository_in(path: str) -> str:
    """Return the image repository in a path of docker's protocol, without characters that end a quoted text."""
    ends = [path.find(end) for end in _ENDS if end in path]
    name = path[: min(ends)] if ends else ""
    return "".join(sign for sign in name if sign.isascii() and sign.isprintable() and sign not in '"\\')


_METHODS: Final[tuple[Method, ...]] = ("GET", "POST", "PUT", "PATCH", "DELETE")
for _method in _METHODS:
    protocol.operation(
        _method,
        "v2/*path",
        name=f"{_method.lower()}_in_container_registry",
        reads=True,
        status=200,
        refusals=(401, 501),
        ours=True,
    )(refuse_registry_call)


@protocol.operation("GET", "v2", name="check_container_registry", refusals=(401, 501), ours=True)
def check_container_registry(ctx: ReadContext) -> RawBody:
    """Refuse the first call of docker, with the address of the token service."""
    return refuse_registry_call(ctx)


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
        raise _Unauthorized(text, reason=refusal.why) from None


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


@tokens.operation(
    "GET",
    "jwt/auth",
    params=GetRegistryToken,
    also=(404,),
    refusals=(401, 403),
    reading=Reading(effect=_plan_creation),
    ours=True,
)
def get_registry_token(ctx: ReadContext, p: GetRegistryToken) -> RawBody | dict[str, str]:
    """Get a token of the container registry for credentials.

    The token allows what the caller may do of what was asked for; image repositories to push to are created.
    """
    if p.service != SERVICE:
        return RawBody(b"", TEXT, status=404)
    caller = _identify(ctx)
    granted = _grant(ctx, caller)
    if not granted and caller.user is None and caller.deploy_token is None:
        raise _Denied("access forbidden", reason="nobody is signed in, and nothing of it is public")
    return {"token": registry_tokens.issue_token(ctx, caller, granted)}
