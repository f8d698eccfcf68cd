"""What integrations that came after 13.5 send about events, each in its own format.

Source: docs/platform/integrations.md ('Later integrations'); the platform's models of these integrations.
"""

from typing import Any

import pytest

from fakeplat.domain.integrations.issue_trackers import find_keys
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.platform import Platform
from tests.domain.integration_events import (
    EVENTS,
    ISSUE,
    MERGE_REQUEST,
    NOTE,
    PIPELINE,
    SITE,
    deliver,
    parse_json,
    with_attributes,
)
from tests.scenario.worlds import create_platform

JSON = {"Content-Type": "application/json"}
HOOK = {"webhook": "https://chat.test/hook"}
ROOM = {"token": "t", "room": "!room:matrix.test", "branches_to_be_notified": "all"}
TEXT = f"[[Acme / Site]({SITE})] Issue [#7 Broken page]({SITE}/-/issues/7) opened by Dev (dev)"
CHATS = ("matrix", "telegram", "pumble")
CHAT_FLAGS = tuple(flag for flag in EVENTS if flag not in ("deployment_events", "alert_events"))
LABELLED = {**ISSUE, "labels": [{"title": "bug"}, {"title": "urgent"}]}


@pytest.fixture(scope="module")
def platform() -> Platform:
    """A world that no test changes."""
    return create_platform("starter")


def send(
    platform: Platform, slug: str, settings: dict[str, Any], flag: str = "issues_events", **rest: Any
) -> OutgoingRequest:
    (request,) = deliver(platform, slug, settings, flag, rest.pop("payload", None), **rest)
    assert isinstance(request, OutgoingRequest)
    return request


@pytest.mark.parametrize("flag", CHAT_FLAGS)
@pytest.mark.parametrize("slug", CHATS)
def test_each_flag_switches_its_event(platform: Platform, slug: str, flag: str) -> None:
    """Each flag of a later chat enables and disables the messages of its own event."""
    settings = {**HOOK, **ROOM}
    assert 1 == len(deliver(platform, slug, settings, flag))
    assert [] == deliver(platform, slug, settings, flag, **{flag: False})


def test_pumble_gets_a_text(platform: Platform) -> None:
    """Pumble is told the message as its only key."""
    request = send(platform, "pumble", HOOK)
    assert ("https://chat.test/hook", JSON, {"text": TEXT}) == (request.url, request.headers, parse_json(request))


@pytest.mark.parametrize(
    ("settings", "host", "further"),
    [
        ({}, "https://api.telegram.org", {}),
        ({"hostname": "https://bots.test", "thread": 7}, "https://bots.test", {"message_thread_id": 7}),
    ],
)
def test_telegram_gets_a_message_for_a_chat(
    platform: Platform, settings: dict[str, Any], host: str, further: dict[str, Any]
) -> None:
    """The token is part of the address; the body names the chat and, if there is one, the thread."""
    request = send(platform, "telegram", {"token": "1:a", "room": "@dev", **settings})
    body = {"text": TEXT, "chat_id": "@dev", **further, "parse_mode": "markdown"}
    assert ("POST", f"{host}/bot1:a/sendMessage", body) == (request.method, request.url, parse_json(request))


def test_matrix_gets_a_notice(platform: Platform) -> None:
    """A notice is put into the room under the time in milliseconds, as text and as HTML."""
    request = send(platform, "matrix", {**ROOM, "hostname": "https://matrix.test"})
    address, _, number = request.url.rpartition("/")
    assert f"https://matrix.test/_matrix/client/v3/rooms/{ROOM['room']}/send/m.room.message" == address
    assert ("PUT", "1605862800000", "Bearer t") == (request.method, number, request.headers["Authorization"])
    body = parse_json(request)
    html = body.pop("formatted_body")
    assert {"body": TEXT, "msgtype": "m.notice", "format": "org.matrix.custom.html"} == body
    assert f'href="{SITE}/-/issues/7"' in html


def test_the_app_for_slack_posts_into_channels(platform: Platform) -> None:
    """Each channel of the event gets a message with the token of the app; without a channel nothing is sent."""
    settings = {"bot_access_token": "xoxb-1", "issue_channel": "#a, #b", "channel": "#c"}
    flags = {"issues_events": True, "merge_requests_events": True}
    requests = deliver(platform, "gitlab-slack-application", settings, "issues_events", **flags)
    assert ["#a", "#b"] == [parse_json(request)["channel"] for request in requests]
    assert {"https://slack.com/api/chat.postMessage"} == {request.url for request in requests}
    assert {"Bearer xoxb-1"} == {request.headers["Authorization"] for request in requests}
    (request,) = deliver(platform, "gitlab-slack-application", settings, "merge_requests_events", **flags)
    assert "#c" == parse_json(request)["channel"]
    assert [] == deliver(platform, "gitlab-slack-application", {}, "issues_events", **flags)


def test_a_channel_of_discord_is_another_address(platform: Platform) -> None:
    """Discord's channel of an event replaces its webhook."""
    settings = {**HOOK, "issue_channel": "https://chat.test/issues"}
    assert "https://chat.test/issues" == send(platform, "discord", settings).url
    assert "https://chat.test/hook" == send(platform, "discord", settings, "note_events").url


@pytest.mark.parametrize(
    ("labels", "behaviour", "expected"),
    [
        ("", "match_any", 1),
        ("~bug", "match_any", 1),
        ("~other, ~urgent", None, 1),
        ("~other,~urgent", "match_all", 0),
        ("~bug,~urgent", "match_all", 1),
        ("other", "match_any", 0),
    ],
)
def test_labels_filter_issues(platform: Platform, labels: str, behaviour: str | None, expected: int) -> None:
    """With `labels_to_be_notified` only issues with one of the labels, or with all, are announced."""
    settings = {**HOOK, "labels_to_be_notified": labels, "labels_to_be_notified_behavior": behaviour}
    assert expected == len(deliver(platform, "slack", settings, "issues_events", LABELLED))


def test_labels_filter_notes_and_merge_requests_but_nothing_else(platform: Platform) -> None:
    """A note counts with the labels of what it is about; pushes and pipelines have none and pass."""
    settings = {**HOOK, "labels_to_be_notified": "bug", "branches_to_be_notified": "all"}
    note = {**NOTE, "merge_request": {**NOTE.get("merge_request", {}), "labels": [{"title": "bug"}]}}
    note.pop("issue", None)
    assert [] == deliver(platform, "slack", settings, "note_events")
    assert [] == deliver(platform, "slack", settings, "merge_requests_events", {**MERGE_REQUEST, "labels": []})
    assert 1 == len(deliver(platform, "slack", settings, "push_events"))
    assert 1 == len(deliver(platform, "slack", settings, "pipeline_events"))


DATADOG = {
    "api_key": "k",
    "datadog_site": "app.datadoghq.eu",
    "datadog_service": "ci",
    "datadog_env": "prod",
    "datadog_tags": "team:site\nwords:a,b\n",
}


def test_datadog_gets_pipelines(platform: Platform) -> None:
    """The payload of the webhook goes to the site, with the key and the tags in the address."""
    request = send(platform, "datadog", DATADOG, "pipeline_events")
    query = "dd-api-key=k&env=prod&service=ci&tags=team%3Asite%2C%22words%3Aa%2Cb%22"
    assert f"https://webhook-intake.datadoghq.eu/api/v2/webhook?{query}" == request.url
    assert ("Pipeline Hook", PIPELINE) == (request.headers["X-Gitlab-Event"], parse_json(request))


def test_datadog_has_an_address_of_its_own(platform: Platform) -> None:
    """`api_url` replaces the site, and a successful pipeline is reported like any other."""
    payload = with_attributes(PIPELINE, status="success")
    settings = {"api_key": "k", "api_url": "https://dd.test/in"}
    assert (
        "https://dd.test/in?dd-api-key=k" == send(platform, "datadog", settings, "pipeline_events", payload=payload).url
    )


@pytest.mark.parametrize(("token", "url"), [(None, "https://s.test/in"), ("a b", "https://s.test/in?token=a+b")])
def test_squash_gets_issues(platform: Platform, token: str | None, url: str) -> None:
    """Squash TM gets the payload of issues, with its token in the address."""
    request = send(platform, "squash-tm", {"url": "https://s.test/in", "token": token})
    assert (url, "Issue Hook", ISSUE) == (request.url, request.headers["X-Gitlab-Event"], parse_json(request))


@pytest.mark.parametrize(
    ("slug", "text", "keys"),
    [
        ("clickup", "Fix #abc12, CU-9z and TEAM-7", ["#abc12", "CU-9z", "TEAM-7"]),
        ("phorge", "See T123, not @T4 or D5", ["T123"]),
        ("linear", "FEAT-12 and X-3", ["FEAT-12", "X-3"]),
    ],
)
def test_later_trackers_have_keys_of_their_own(slug: str, text: str, keys: list[str]) -> None:
    """Each tracker names its issues in its own way."""
    assert keys == find_keys(slug, text)
