"""What the apps of Slack and Jira send to the platform.

Requests of Slack are signed with a secret of the application settings. No workspace and no site of Jira has installed
an app, so only what needs no installation succeeds. Source: docs/platform/integrations.md ('Connected apps').
"""

import hmac
from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import Unauthorized
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.policy.context import ReadContext, WriteContext

_KNOWN_EVENTS: Final = ("app_home_opened", "app_mention")
_KNOWN_INTERACTIONS: Final = ("view_closed", "view_submission", "block_actions")
_SINCE: Final = "<=18.9"
_EXPIRES_AFTER: Final = 60
"""The age in seconds from which on a request is refused."""

slack: Final = Area("Integrations", login=Login.NEVER)


class SlackEvent(Params):
    """What Slack sends about an event in a workspace."""

    token: str | None = None
    team_id: str | None = None
    api_app_id: str | None = None
    event: dict[str, Any] | None = None
    type: str | None = None
    event_id: str | None = None
    event_time: int | None = None
    authed_users: list[str] | None = None
    challenge: str | None = None


class SlackPayload(Params):
    """What Slack sends about an interaction, as JSON in a form."""

    payload: str | None = None


@slack.operation(
    "POST", "integrations/slack/events", params=SlackEvent, since=_SINCE, status=200, also=(204,), refusals=(401,)
)
def create_integration_slack_event(ctx: WriteContext, p: SlackEvent) -> dict[str, Any] | RawBody:
    """Receive an event of a Slack workspace; 204 for an unknown one."""
    _verify_signature(ctx)
    if p.type == "url_verification":
        return {"challenge": p.challenge}
    kind = (p.event or {}).get("type") if p.type == "event_callback" else p.type
    return {} if kind in _KNOWN_EVENTS else _fail()


@slack.operation(
    "POST",
    "integrations/slack/interactions",
    params=SlackPayload,
    since=_SINCE,
    status=200,
    also=(204,),
    refusals=(401,),
)
def create_integration_slack_interaction(ctx: WriteContext, p: SlackPayload) -> dict[str, Any] | RawBody:
    """Receive what a user did in Slack; 204 for an unknown interaction."""
    _verify_signature(ctx)
    return {} if _read(p).get("type") in _KNOWN_INTERACTIONS else _fail()


@slack.operation("POST", "integrations/slack/options", since=_SINCE, status=200, also=(204,), refusals=(401,))
def create_integration_slack_option(ctx: WriteContext) -> RawBody:
    """Get the options of a menu in Slack; 204, as no workspace has the app."""
    _verify_signature(ctx)
    return _fail()


def _fail() -> RawBody:
    # Slack would switch an app off that answers with errors.
    return RawBody(b"", "", status=204)


def _read(p: SlackPayload) -> dict[str, Any]:
    try:
        content = orjson.loads(p.payload or "")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _verify_signature(ctx: ReadContext) -> None:
    """Check that a request is signed with the secret of the app, and that it was so within the last minute."""
    secret, request = ctx.world.settings.slack_app_signing_secret, ctx.request
    if not secret or request is None:
        raise Unauthorized(reason="the application settings have no slack_app_signing_secret")
    timestamp = request.headers.get("x-slack-request-timestamp", "")
    content = b":".join((b"v0", timestamp.encode(), request.body))
    signature = f"v0={hmac.new(secret.encode(), content, 'sha256').hexdigest()}"
    if not hmac.compare_digest(signature.encode(), request.headers.get("x-slack-signature", "").encode()):
        raise Unauthorized(reason="X-Slack-Signature is not that of the body with the secret of the settings")
    if not timestamp.isdigit() or ctx.now() // 1000 - int(timestamp) >= _EXPIRES_AFTER:
        raise Unauthorized(reason=f"X-Slack-Request-Timestamp is {_EXPIRES_AFTER} seconds or more ago")


class JiraSubscription(Params):
    """A namespace for the app of Jira, and the token of its installation."""

    jwt: str
    namespace_path: str


class _InstallationUnknown(Unauthorized):
    def __init__(self, path: str) -> None:
        super().__init__(reason=f"no site of Jira has installed the app, so none can be connected with {path!r}")
        self.payload = {"message": "401 Unauthorized - JWT authentication failed"}


jira: Final = Area("Integrations", login=Login.ALWAYS)


@jira.operation(
    "POST", "integrations/jira_connect/subscriptions", params=JiraSubscription, refusals=(400,), since=_SINCE
)
def create_integration_jira_connect_subscription(_ctx: WriteContext, p: JiraSubscription) -> dict[str, Any]:
    """Create a subscription of a group by the app for Jira; 401, as no site has installed it."""
    raise _InstallationUnknown(p.namespace_path)
