"""Devices without a browser: their requests for a token, and the page on which users confirm them.

Source: docs/platform/oauth.md. See RFC 8628.
"""

from collections.abc import Mapping
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from fakeplat.api.oauth import html
from fakeplat.api.oauth.obstacles import find_obstacle_to_authorization
from fakeplat.api.oauth.session_cookies import authenticity_token, check_authenticity, redirect, redirect_to_sign_in
from fakeplat.api.oauth.tokens import ClientParams, find_client
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import DEVICE_GRANTS
from fakeplat.domain.oauth import device_grants
from fakeplat.domain.oauth.oauth_errors import JSON_TYPE, NO_STORE, InvalidClient
from fakeplat.model.oauth import DeviceGrant
from fakeplat.model.people import User
from fakeplat.policy.behaviours import DEVICES_ASK_FOR_TOKENS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("OAuth tokens", login=Login.NEVER, prefix="", credentials="own")
pages: Final = Area("OAuth pages", login=Login.NEVER, prefix="", credentials="session", produces="text/html")
_SINCE: Final = DEVICES_ASK_FOR_TOKENS.since
_PATH: Final = "oauth/device"
_CONFIRMED: Final = "Device successfully authorized"
_INVALID: Final = "The user code is invalid"
_EXPIRED: Final = "The user code is expired"


class AuthorizeDevice(ClientParams):
    """The scopes that the application of a device asks for."""

    scope: str | None = None


@area.operation(
    "POST", "oauth/authorize_device", params=AuthorizeDevice, status=200, also=(204,), refusals=(400, 401), since=_SINCE
)
def create_oauth_device_grant(ctx: WriteContext, p: AuthorizeDevice) -> RawBody:
    """Create a grant for a device, which polls with one code while its user confirms the other."""
    if not features.is_enabled(ctx.world, DEVICE_GRANTS):
        return RawBody(b"", "", status=204)
    client = find_client(ctx, p)
    if client is None:
        raise InvalidClient(reason="the application is unknown, or confidential and sent no secret")
    grant = device_grants.start(ctx, client, p.scope or "")
    verification_uri = f"{ctx.origin}/{_PATH}"
    return _render_json(
        {
            "device_code": grant.device_code,
            "user_code": grant.user_code,
            "verification_uri": verification_uri,
            "verification_uri_complete": f"{verification_uri}?user_code={grant.user_code}",
            "expires_in": device_grants.LIFETIME,
            "interval": device_grants.INTERVAL,
        }
    )


def _render_json(fields: Mapping[str, Any], status: int = 200) -> RawBody:
    return RawBody(orjson.dumps(fields), JSON_TYPE, NO_STORE, status)


class ShowDevicePage(Params):
    """The code, if the link contains it, and what became of the last one."""

    user_code: str | None = None
    notice: str | None = None


@pages.operation("GET", _PATH, params=ShowDevicePage, also=(302,), since=_SINCE)
def get_oauth_device_page(ctx: ReadContext, p: ShowDevicePage) -> RawBody:
    """Show the form for the code that a device shows to its user."""
    obstacle = _find_obstacle(ctx, ctx.viewer)
    if obstacle is not None:
        return obstacle
    note = html.paragraph(p.notice) if p.notice else ""
    token, values = {"authenticity_token": authenticity_token(ctx)}, {"user_code": p.user_code or ""}
    form = html.form(f"/{_PATH}/confirm", "Continue", token, {"user_code": "User code"}, values)
    return html.render_page("Authorize device", note, form)


class SendUserCode(Params):
    """The code that a device shows to its user."""

    user_code: str | None = None
    authenticity_token: str | None = None


@pages.operation(
    "POST", f"{_PATH}/confirm", params=SendUserCode, status=200, also=(302,), refusals=(422,), since=_SINCE
)
def get_oauth_device_confirmation(ctx: WriteContext, p: SendUserCode) -> RawBody:
    """Show who asks for what before the user confirms it."""
    obstacle = _find_obstacle(ctx, ctx.viewer)
    if obstacle is not None:
        return obstacle
    check_authenticity(ctx, p.authenticity_token)
    grant = device_grants.find_by_user_code(ctx.world, p.user_code or "")
    problem = _find_problem(ctx, grant)
    if grant is None or problem is not None:
        return _redirect_with(ctx, problem or _INVALID)
    name = ctx.world.oauth_applications[grant.application_id].name
    scopes = "".join(f"<li>{escape(scope)}</li>" for scope in grant.scopes)
    hidden = {"authenticity_token": authenticity_token(ctx), "user_code": p.user_code or ""}
    return html.render_page(
        "Authorize device",
        html.paragraph(f"Authorize {name} to use your account? It will be able to use these scopes:"),
        f"<ul>{scopes}</ul>",
        html.form(f"/{_PATH}", "Authorize", hidden),
    )


@pages.operation("POST", _PATH, params=SendUserCode, status=302, also=(204, 422), refusals=(422,), since=_SINCE)
def authorize_oauth_device(ctx: WriteContext, p: SendUserCode) -> RawBody:
    """Approve a device, which acts for the user who is signed in."""
    user = ctx.viewer
    obstacle = _find_obstacle(ctx, user)
    if obstacle is not None or user is None:
        return obstacle or redirect_to_sign_in(ctx)
    check_authenticity(ctx, p.authenticity_token)
    grant = device_grants.find_by_user_code(ctx.world, p.user_code or "")
    problem = _find_problem(ctx, grant)
    if grant is not None and problem is None:
        device_grants.confirm(ctx, grant, user)
    if _wants_json(ctx):
        return _render_json({"errors": [problem]}, 422) if problem else RawBody(b"", "", status=204)
    return _redirect_with(ctx, problem or _CONFIRMED)


def _find_obstacle(ctx: ReadContext, user: User | None) -> RawBody | None:
    return redirect_to_sign_in(ctx) if user is None else find_obstacle_to_authorization(ctx, user)


def _find_problem(ctx: ReadContext, grant: DeviceGrant | None) -> str | None:
    """Return why a code cannot be confirmed."""
    if grant is None:
        return _INVALID
    return _EXPIRED if device_grants.is_expired(ctx, grant) else None


def _wants_json(ctx: ReadContext) -> bool:
    return ctx.request is not None and ctx.request.headers.get("accept", "").startswith(JSON)


def _redirect_with(ctx: ReadContext, notice: str) -> RawBody:
    # The platform keeps the notice in the session, of which there is only the identity here.
    return redirect(ctx, f"/{_PATH}?{urlencode({'notice': notice})}")
