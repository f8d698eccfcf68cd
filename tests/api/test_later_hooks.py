"""Webhooks of later releases: their events, templates and signatures.

Source: docs/platform/webhooks.md ('Later events', 'Later headers and bodies').
"""

import hmac
from base64 import b64encode
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import orjson
import pytest

from fakeplat.core.release import parse_release, profile_of
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    HOOK_URLS_NEED_VARIABLES,
    HOOKS_ARE_TESTED_SO_OFTEN,
    TOKEN_HOOKS_SHOW_USE,
    USERS_TEST_HOOKS_SO_OFTEN,
    WEBHOOKS_ARE_SIGNED,
)
from tests.api.deliveries import Deliveries, change, create
from tests.api.requests import refusal
from tests.by_release import by_release

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
URL = "https://receiver.example.com"
KEY = bytes(range(32))
SIGNING_TOKEN = f"whsec_{b64encode(KEY).decode()}"

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual")


def subscribe(fakeplat: Fakeplat, owner: str, **fields: Any) -> Deliveries:
    """Add a webhook; return what is sent."""
    create(fakeplat, f"{owner}/hooks", "root", url=URL, **{"push_events": False, **fields})
    return Deliveries(fakeplat)


def read(sent: Deliveries) -> list[Any]:
    return [orjson.loads(request.body) for request in sent.take()]


@by_release(HOOK_URLS_NEED_VARIABLES, "expected", {"15.1": 201, "15.2": 422})
def test_variables_of_urls_have_values(fakeplat: Fakeplat, expected: int) -> None:
    """A webhook whose URL names a variable without a value is refused."""
    mia, hooks = fakeplat.as_user("mia"), f"{SITE}/hooks"
    reply = mia.post(hooks, json={"url": f"{URL}/{{token}}"})
    assert (expected, expected == 422) == (reply.status, reply.json() == {"error": "Invalid url given"})
    sent = {"url": f"{URL}/{{token}}", "url_variables": [{"key": "token", "value": "secret"}]}
    assert 201 == mia.post(hooks, json=sent).status


def test_milestones_are_told_of(fakeplat: Fakeplat) -> None:
    """A milestone of a project that is created, closed, reopened or deleted is told of with its fields."""
    sent = subscribe(fakeplat, SITE, milestone_events=True)
    milestone = create(fakeplat, f"{SITE}/milestones", title="One", due_date="2020-12-01")
    path = f"{SITE}/milestones/{milestone['id']}"
    change(fakeplat, path, state_event="close")
    change(fakeplat, path, title="Two")
    change(fakeplat, path, state_event="activate")
    fakeplat.as_user("ada").delete(path)

    events = read(sent)
    assert ["create", "close", "reopen", "delete"] == [event["action"] for event in events]
    assert {
        "id": milestone["id"],
        "iid": milestone["iid"],
        "title": "One",
        "description": None,
        "state": "active",
        "created_at": "2020-11-20 09:00:00 UTC",
        "updated_at": "2020-11-20 09:00:00 UTC",
        "due_date": "2020-12-01",
        "start_date": None,
        "group_id": None,
        "project_id": 5001,
    } == events[0]["object_attributes"]
    assert ("milestone", "milestone", 5001) == (
        events[0]["object_kind"],
        events[0]["event_type"],
        events[0]["project"]["id"],
    )


def test_milestones_of_groups_are_told_of_to_groups(fakeplat: Fakeplat) -> None:
    """A milestone of a group has no project, and only webhooks of groups hear of it."""
    subscribe(fakeplat, SITE, milestone_events=True)
    sent = subscribe(fakeplat, ACME, milestone_events=True)
    create(fakeplat, f"{ACME}/milestones", title="One")
    (event,) = read(sent)
    assert (None, fakeplat.world.group("acme").id) == (event["project"], event["object_attributes"]["group_id"])


def test_groups_hear_of_new_and_deleted_projects(fakeplat: Fakeplat) -> None:
    """Webhooks of a group are told of the projects in it, with the owners of the group."""
    fakeplat.as_user("root").put("application/settings", json={"deletion_adjourned_period": 1})
    sent = subscribe(fakeplat, ACME, project_events=True)
    project = create(fakeplat, "projects", "root", name="Fresh", namespace_id=fakeplat.world.group("acme").id)
    (request,) = sent.take()
    assert "Project Hook" == request.headers["X-Gitlab-Event"]
    event = orjson.loads(request.body)
    owners = event.pop("owners")
    assert {"name", "email"} == {key for owner in owners for key in owner}
    assert {
        "event_name": "project_create",
        "created_at": "2020-11-20T09:00:00Z",
        "updated_at": "2020-11-20T09:00:00Z",
        "name": "Fresh",
        "path": "fresh",
        "path_with_namespace": "acme/fresh",
        "project_id": project["id"],
        "project_namespace_id": fakeplat.world.group("acme").id,
        "project_visibility": "private",
    } == event


UNREADABLE = "Error while parsing rendered custom webhook template: "
TEMPLATE = '{"kind": "{{object_kind}}", "iid": {{object_attributes.iid}}, "none": {{a.b}}, "user": {{user}}}'


def test_a_template_makes_the_body(fakeplat: Fakeplat) -> None:
    """Placeholders are replaced by values as JSON, texts without quotes; what is not there is null."""
    sent = subscribe(fakeplat, SITE, issues_events=True, custom_webhook_template=TEMPLATE)
    issue = create(fakeplat, f"{SITE}/issues", title='A "quoted" title')
    (body,) = read(sent)
    assert ("issue", issue["iid"], None) == (body["kind"], body["iid"], body["none"])
    assert "ada" == body["user"]["username"]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{object_kind}}", UNREADABLE),
        (
            '{"label": "{{labels.title}}"}',
            f"{UNREADABLE}You may be trying to access an array value, which is not supported.",
        ),
    ],
)
def test_a_template_that_gives_no_document_sends_nothing(fakeplat: Fakeplat, template: str, text: str) -> None:
    """What is no JSON, or asks for a part of a list, is an error of the request, which is not sent."""
    sent = subscribe(fakeplat, SITE, issues_events=True, custom_webhook_template=template)
    create(fakeplat, f"{SITE}/issues", title="Broken")
    (request,) = sent.take()
    assert request.blocked.startswith(text)


def test_a_long_template_is_refused(fakeplat: Fakeplat) -> None:
    """A template has at most 4096 characters."""
    status, answer = refusal(
        fakeplat, "ada", "POST", f"{SITE}/hooks", json={"url": URL, "custom_webhook_template": "x" * 4097}
    )
    text = "Custom webhook template is too long (maximum is 4096 characters)"
    assert (422, {"error": text}) == (status, answer)


@pytest.mark.parametrize("version", ["18.11", "19.0"])
def test_since_when_requests_are_signed(fakeplat_factory: Callable[..., Fakeplat], version: str) -> None:
    """Since 19.0 requests have an id and a time, and with a signing token a signature over both and the body."""
    fakeplat = fakeplat_factory(version=version, clock="virtual")
    fields = {"url": URL, "push_events": False, "issues_events": True, "signing_token": SIGNING_TOKEN}
    hook = create(fakeplat, f"{SITE}/hooks", **fields)
    sent = Deliveries(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="Signed")
    (request,) = sent.take()
    headers = request.headers
    if not profile_of(parse_release(version)).has(WEBHOOKS_ARE_SIGNED):
        assert {"webhook-id", "webhook-signature"}.isdisjoint(headers)
        return
    assert (True, False) == (hook["signing_token_present"], hook["token_present"])
    assert (headers["Idempotency-Key"], "1605862800") == (headers["webhook-id"], headers["webhook-timestamp"])
    content = f"{headers['webhook-id']}.1605862800.".encode() + request.body
    expected = b64encode(hmac.new(KEY, content, "sha256").digest()).decode()
    assert f"v1,{expected}" == headers["webhook-signature"]


def test_without_a_signing_token_there_is_no_signature(fakeplat: Fakeplat) -> None:
    """A webhook without a signing token sends the id and the time only, and no response has the token."""
    sent = subscribe(fakeplat, SITE, issues_events=True, token="secret")
    create(fakeplat, f"{SITE}/issues", title="Plain")
    (request,) = sent.take()
    assert "webhook-id" in request.headers
    assert "webhook-signature" not in request.headers
    (hook,) = fakeplat.as_user("ada").get(f"{SITE}/hooks").json()
    assert (True, False) == (hook["token_present"], hook["signing_token_present"])
    assert {"token", "signing_token"}.isdisjoint(hook)


@pytest.mark.parametrize("token", ["secret", "whsec_abc", f"other_{b64encode(KEY).decode()}", "whsec_%%%"])
def test_a_signing_token_has_a_form(fakeplat: Fakeplat, token: str) -> None:
    """A signing token is `whsec_` and the Base64 of 32 bytes."""
    status, _ = refusal(fakeplat, "ada", "POST", f"{SITE}/hooks", json={"url": URL, "signing_token": token})
    assert 422 == status


def test_events_of_tokens_show_the_last_use(fakeplat: Fakeplat) -> None:
    """The newest releases tell of an expiring token when it was used last."""
    assert profile_of(parse_release("19.3")).has(TOKEN_HOOKS_SHOW_USE)
    sent = subscribe(fakeplat, ACME, resource_access_token_events=True)
    ends = (date.fromisoformat(fakeplat.clock.now[:10]) + timedelta(days=20)).isoformat()
    create(fakeplat, f"{ACME}/access_tokens", "root", name="ci", scopes=["api"], expires_at=ends)
    fakeplat.clock.advance("15d")
    (payload,) = sent.payloads()

    assert payload["object_attributes"]["last_used_at"] is None


@pytest.mark.fakeplat(tier="premium", version="16.11")
@pytest.mark.parametrize(
    ("owner", "container"), [(SITE, "project"), ("groups/acme", "group")], ids=["project", "group"]
)
def test_tokens_that_expire_soon(fakeplat: Fakeplat, owner: str, container: str) -> None:
    """A week before an access token of a project or group expires, webhooks that ask for it get an event."""
    create(fakeplat, f"{owner}/hooks", "ada", url=URL, resource_access_token_events=True)
    ends = (date.fromisoformat(fakeplat.clock.now[:10]) + timedelta(days=20)).isoformat()
    body = {"name": "ci", "scopes": ["api"], "expires_at": ends}
    token = create(fakeplat, f"{owner}/access_tokens", "root", **body)
    sent = Deliveries(fakeplat)
    fakeplat.clock.advance("15d")
    (request,) = sent.requests
    (payload,) = sent.payloads()

    assert "Resource Access Token Hook" == request.headers["X-Gitlab-Event"]
    assert ["object_kind", container, "object_attributes", "event_name"] == list(payload)
    assert ("access_token", "expiring_access_token") == (payload["object_kind"], payload["event_name"])
    attributes = payload["object_attributes"]
    assert ["user_id", "created_at", "id", "name", "expires_at"] == list(attributes)
    assert (token["id"], "ci", ends) == (attributes["id"], attributes["name"], attributes["expires_at"])
    if container == "group":
        assert ["group_name", "group_path", "group_id", "full_path"] == list(payload["group"])


@pytest.mark.fakeplat(version="16.10")
def test_tokens_that_expire_unannounced(fakeplat: Fakeplat) -> None:
    """Before 16.11 no webhook is told of tokens that expire, even if a scenario asks for it."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [{"url": URL, **TOKENS_ONLY}]}]})
    ends = (date.fromisoformat(fakeplat.clock.now[:10]) + timedelta(days=20)).isoformat()
    create(fakeplat, f"{SITE}/access_tokens", "root", name="ci", scopes=["api"], expires_at=ends)
    sent = Deliveries(fakeplat)
    fakeplat.clock.advance("15d")

    assert [] == sent.requests


TOKENS_ONLY = {"push_events": False, "resource_access_token_events": True}


def send_tests(fakeplat: Fakeplat, *hooks: Any, by: str = "ada") -> list[int]:
    """Send a sample of a push to webhooks of the project; return the statuses."""
    return [fakeplat.as_user(by).post(f"{SITE}/hooks/{hook}/test/push_events").status for hook in hooks]


@pytest.mark.fakeplat(default_branch="main")
@by_release(HOOKS_ARE_TESTED_SO_OFTEN, "expected", {"16.11": [201] * 7, "17.0": [201, 201, 201, 429, 201, 201, 201]})
def test_tests_of_a_webhook_are_limited(fakeplat: Fakeplat, expected: list[int]) -> None:
    """A webhook is tested three times in a minute in 17.0."""
    one, other = (create(fakeplat, f"{SITE}/hooks", "root", url=URL)["id"] for _ in range(2))

    assert expected == send_tests(fakeplat, *[one] * 4, *[other] * 3)


@pytest.mark.fakeplat(default_branch="main")
@by_release(
    USERS_TEST_HOOKS_SO_OFTEN,
    "expected",
    {"17.0": [201, 201, 201, 429, 201, 201, 201], "17.1": [201] * 5 + [429] * 2},
)
def test_tests_of_webhooks_are_limited(fakeplat: Fakeplat, expected: list[int]) -> None:
    """From 17.1 on a user tests the webhooks of a project five times in a minute."""
    one, other, third = (create(fakeplat, f"{SITE}/hooks", "root", url=URL)["id"] for _ in range(3))

    assert expected == send_tests(fakeplat, *[one] * 4, *[other] * 3)
    assert [201] == send_tests(fakeplat, third, by="root")
    fakeplat.clock.advance("61s")
    assert [201] == send_tests(fakeplat, one)


def test_settings_limit_tests_of_webhooks(fakeplat: Fakeplat) -> None:
    """The settings say how often a user tests webhooks of a project or group; unknown events do not count."""
    fakeplat.as_user("root").put("application/settings", json={"web_hook_test_limit": 1})
    hook = create(fakeplat, f"{SITE}/hooks", "root", url=URL)["id"]
    group_hook = create(fakeplat, f"{ACME}/hooks", "root", url=URL)["id"]
    message = {"message": {"error": "This endpoint has been requested too many times. Try again later."}}

    assert 400 == fakeplat.as_user("ada").post(f"{SITE}/hooks/{hook}/test/none").status
    assert [201] == send_tests(fakeplat, hook)
    assert (429, message) == refusal(fakeplat, "ada", "POST", f"{SITE}/hooks/{hook}/test/push_events")
    path = f"{ACME}/hooks/{group_hook}/test/push_events"
    assert [201, 429] == [fakeplat.as_user("ada").post(path).status for _ in range(2)]
