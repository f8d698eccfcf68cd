"""What the apps of Slack and Jira send to the platform.

Source: docs/platform/integrations.md ('Connected apps'); the platform's request specs of these operations.
"""

import hmac
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, outcome, refusal

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual")

EVENTS, INTERACTIONS, OPTIONS = (f"integrations/slack/{part}" for part in ("events", "interactions", "options"))
NOW = 1605862800
SECRET = "sesame"
SUBSCRIPTIONS = "integrations/jira_connect/subscriptions"


def post_signed(
    fakeplat: Fakeplat, path: str, body: bytes, *, time: int = NOW, secret: str = SECRET, form: bool = False
) -> Outcome:
    """Return the answer to a request as Slack signs it."""
    settings = {"slack_app_signing_secret": SECRET}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=settings).status
    signature = hmac.new(secret.encode(), b"v0:%d:%s" % (time, body), "sha256").hexdigest()
    headers = {
        "X-Slack-Request-Timestamp": str(time),
        "X-Slack-Signature": f"v0={signature}",
        "Content-Type": "application/x-www-form-urlencoded" if form else "application/json",
    }
    return outcome(fakeplat.as_user(None).post(path, data=body, headers=headers))


def post_event(fakeplat: Fakeplat, **event: Any) -> Outcome:
    return post_signed(fakeplat, EVENTS, orjson.dumps(event))


def test_slack_verifies_the_address(fakeplat: Fakeplat) -> None:
    """The verification of an address is answered with its challenge."""
    assert (200, {"challenge": "abc"}) == post_event(fakeplat, type="url_verification", challenge="abc")


@pytest.mark.parametrize(("kind", "expected"), [("app_home_opened", (200, {})), ("unknown", (204, None))])
def test_events_are_never_refused_for_what_they_say(fakeplat: Fakeplat, kind: str, expected: Outcome) -> None:
    """A known event answers 200 with an empty object; an unknown one 204, so that Slack does not switch off the app."""
    assert expected == post_event(fakeplat, type="event_callback", event={"type": kind})
    assert (204, None) == post_event(fakeplat, type=kind + "_")


@pytest.mark.parametrize(("kind", "expected"), [("block_actions", (200, {})), ("other", (204, None))])
def test_interactions_are_json_in_a_form(fakeplat: Fakeplat, kind: str, expected: Outcome) -> None:
    """Interactions are known by their type; menus have no options, as no workspace has the app."""
    body = urlencode({"payload": orjson.dumps({"type": kind}).decode()}).encode()
    assert expected == post_signed(fakeplat, INTERACTIONS, body, form=True)
    assert (204, None) == post_signed(fakeplat, OPTIONS, body, form=True)
    assert (204, None) == post_signed(fakeplat, INTERACTIONS, b"payload=%5B", form=True)


@pytest.mark.parametrize("path", [EVENTS, INTERACTIONS, OPTIONS])
def test_requests_need_the_signature_of_the_last_minute(fakeplat: Fakeplat, path: str) -> None:
    """Without a secret in the settings, with another one, or a minute later a request is unauthorized."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json={})
    assert UNAUTHORIZED == post_signed(fakeplat, path, b"{}", secret="other")
    assert UNAUTHORIZED == post_signed(fakeplat, path, b"{}", time=NOW - 60)
    assert UNAUTHORIZED != post_signed(fakeplat, path, b"{}", time=NOW - 59)


def test_no_installation_of_jira_is_known(fakeplat: Fakeplat) -> None:
    """Signed in, a subscription needs the token of an installation, and none is known."""
    body = {"jwt": "123", "namespace_path": "acme"}
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", SUBSCRIPTIONS, json=body)
    expected = (401, {"message": "401 Unauthorized - JWT authentication failed"})
    assert expected == refusal(fakeplat, "root", "POST", SUBSCRIPTIONS, json=body)
    assert invalid("jwt is missing, namespace_path is missing") == refusal(
        fakeplat, "root", "POST", SUBSCRIPTIONS, json={}
    )
