"""OAuth applications. Source: docs/platform/oauth.md."""

from collections.abc import Iterable, Sequence
from hmac import compare_digest
from typing import Any, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord, NotFound, RecordNotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.oauth import redirect_uris
from fakeplat.domain.oauth.scopes import list_supported
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.oauth import OAuthApplication
from fakeplat.model.world import World
from fakeplat.policy.behaviours import APPLICATIONS_NEED_SCOPES, MISSING_APPLICATIONS_ARE_NAMED, OAUTH_SECRET_PREFIX
from fakeplat.policy.context import WriteContext


class NewApplication(TypedDict, total=False):
    """The fields of a new application; its id and secret are random unless they are among them."""

    name: Required[str]
    redirect_uri: Required[str]
    uid: str
    secret: str
    scopes: tuple[str, ...]
    confidential: bool
    trusted: bool
    dynamic: bool
    device_code_enabled: bool
    owner_id: int | None
    created_at: str
    updated_at: str


def list_instance_applications(world: World) -> Sequence[OAuthApplication]:
    """Return the applications that belong to no user."""
    return [application for application in world.oauth_applications.all() if application.owner_id is None]


def get_instance_application(world: World, reference: str) -> OAuthApplication:
    """Return the application with an id that belongs to no user, or 404."""
    application = world.oauth_applications.get(parse_number(reference) or 0)
    if application is None or application.owner_id is not None:
        reason = f"the instance has no application {reference}"
        is_named = world.profile.has(MISSING_APPLICATIONS_ARE_NAMED)
        raise NotFound("Application", reason=reason) if is_named else RecordNotFound(reason=reason)
    return application


def find_by_credentials(world: World, uid: str, secret: str) -> OAuthApplication | None:
    """Return the application with an id and a secret. Only one that is not confidential needs no secret."""
    application = world.oauth_applications.find("uid", uid)
    if application is None:
        return None
    is_public = not secret and not application.confidential
    return application if is_public or compare_digest(secret.encode(), application.secret.encode()) else None


def check_host(redirect_uri: str) -> None:
    """Refuse an address without a host, or that is not one URI, before all other checks."""
    parts = redirect_uris.parse(redirect_uri)
    if parts is None or (parts.scheme in ("http", "https") and not parts.hostname):
        raise InvalidRecord({"redirect_uri": ["must be an absolute URI."]})


def create(ctx: WriteContext, **fields: Unpack[NewApplication]) -> OAuthApplication:
    """Create an application with a random id and secret, unless the fields have them; 400 for invalid fields."""
    _validate(ctx, fields)
    table = ctx.world.oauth_applications
    generated = {
        "uid": fields.get("uid") or ctx.random_hex("application uid", 32),
        "secret": fields.get("secret") or _draw_secret(ctx),
    }
    times = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso}
    values: dict[str, Any] = {"id": table.next_id(), **times, **fields, **generated}
    return table.add(OAuthApplication(**values))


def renew_secret(ctx: WriteContext, application: OAuthApplication) -> OAuthApplication:
    """Give an application a new secret."""
    return ctx.world.oauth_applications.change(application, secret=_draw_secret(ctx), updated_at=ctx.now_iso)


def _draw_secret(ctx: WriteContext) -> str:
    return f"{ctx.profile.choose(OAUTH_SECRET_PREFIX)}{ctx.random_hex('application secret', 32)}"


def _validate(ctx: WriteContext, fields: NewApplication) -> None:
    errors = ValidationErrors()
    world = ctx.world
    name, uris = fields["name"], fields["redirect_uri"].split()
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)
    errors.when(not uris, "redirect_uri", BLANK)
    for text in _find_errors(uris):
        errors.add("redirect_uri", text)
    errors.when(world.oauth_applications.find("uid", fields.get("uid")), "uid", TAKEN)
    if ctx.profile.has(APPLICATIONS_NEED_SCOPES):
        known = set(list_supported(ctx.profile))
        errors.when(not known.issuperset(fields.get("scopes", ())), "scopes", "doesn't match configured on the server.")
    errors.refuse()


def _find_errors(uris: Iterable[str]) -> Iterable[str]:
    return (text for uri in uris if (text := redirect_uris.find_error(uri)) is not None)
