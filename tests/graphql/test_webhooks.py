"""Webhooks of projects and groups, and their logs.

Source: docs/platform/webhooks.md, and the platform's specs of the resolvers of webhooks and of their events.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.deliveries import URL, create
from tests.api.test_hook_log import Receiver, add_hook, serve
from tests.graphql.queries import list_messages, post_query, query_data, query_refused

START = "2020-11-20T09:00:00.000Z"
pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", tier="premium", clock="virtual", start=START)
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
OWNERS = {SITE: ("project", "acme/site", "ProjectHook"), ACME: ("group", "acme", "GroupHook")}
SETTINGS = """id url name description createdAt enableSslVerification customWebhookTemplate pushEventsBranchFilter
    branchFilterStrategy alertStatus disabledUntil urlVariables { key } customHeaders { key }"""
FLAGS = """pushEvents tagPushEvents mergeRequestsEvents issuesEvents confidentialIssuesEvents noteEvents
    confidentialNoteEvents pipelineEvents wikiPageEvents deploymentEvents featureFlagEvents jobEvents releasesEvents
    milestoneEvents emojiEvents resourceAccessTokenEvents vulnerabilityEvents"""
EVENT = """id trigger url requestHeaders { name value } requestData responseHeaders { name value } responseBody
    responseStatus executionDuration internalErrorMessage oversize createdAt"""
LATEST = "webhookEvents { nodes { id } }"


def ask(owner: str, id_: int | str, selection: str) -> str:
    field, path, kind = OWNERS[owner]
    return f'{{ {field}(fullPath: "{path}") {{ webhook(id: "gid://gitlab/{kind}/{id_}") {{ {selection} }} }} }}'


def query_hook(fake: Fakeplat, owner: str, id_: int | str, selection: str = "id", by: str = "ada") -> Any:
    return query_data(fake, by, ask(owner, id_, selection))[OWNERS[owner][0]]["webhook"]


def list_events(fake: Fakeplat, hook: int, arguments: str = "", by: str = "ada") -> list[str]:
    events = query_hook(fake, SITE, hook, f"webhookEvents{arguments} {{ nodes {{ createdAt }} }}", by)["webhookEvents"]
    return [node["createdAt"][:10] for node in events["nodes"]]


def add_numbered_hook(fake: Fakeplat, owner: str = SITE, **fields: Any) -> int:
    """Add a webhook for issues; return its id."""
    return int(add_hook(fake, owner, **fields).split("/")[-2])


@pytest.mark.parametrize("owner", [SITE, ACME])
def test_a_webhook_has_its_settings(fakeplat: Fakeplat, owner: str) -> None:
    """A webhook shows its settings, and the names of what is secret."""
    given = {
        "name": "Bell",
        "description": "Rings",
        "push_events_branch_filter": "release/*",
        "custom_webhook_template": '{"a": 1}',
        "url_variables": [{"key": "place", "value": "home"}],
        "custom_headers": [{"key": "X-Own", "value": "private"}],
        "note_events": True,
    }
    hook = create(fakeplat, f"{owner}/hooks", url="http://example.test/{place}", **given)
    shown = query_hook(fakeplat, owner, hook["id"], f"{SETTINGS} {FLAGS}")
    flags = {name: shown.pop(name) for name in FLAGS.split()}

    assert {
        "id": f"gid://gitlab/{OWNERS[owner][2]}/{hook['id']}",
        "url": "http://example.test/{place}",
        "name": "Bell",
        "description": "Rings",
        "createdAt": "2020-11-20T09:00:00Z",
        "enableSslVerification": True,
        "customWebhookTemplate": '{"a": 1}',
        "pushEventsBranchFilter": "release/*",
        "branchFilterStrategy": "WILDCARD",
        "alertStatus": "EXECUTABLE",
        "disabledUntil": None,
        "urlVariables": [{"key": "place"}],
        "customHeaders": [{"key": "X-Own"}],
    } == shown
    assert ["pushEvents", "noteEvents"] == [name for name, value in flags.items() if value]


def test_a_webhook_of_a_group_has_further_events(fakeplat: Fakeplat) -> None:
    """Only webhooks of groups have the events of members, projects and subgroups."""
    hook = add_numbered_hook(fakeplat, ACME, member_events=True)
    flags = "memberEvents projectEvents subgroupEvents"

    assert {"memberEvents": True, "projectEvents": False, "subgroupEvents": False} == (
        query_hook(fakeplat, ACME, hook, flags)
    )
    of_project = query_refused(fakeplat, "ada", ask(SITE, add_numbered_hook(fakeplat), "memberEvents"))
    assert "Field 'memberEvents' doesn't exist on type 'ProjectHook'" in list_messages(of_project)


@pytest.mark.parametrize(
    ("owner", "by", "sees"), [(SITE, "mia", True), (SITE, "dev", False), (ACME, "ada", True), (ACME, "mia", False)]
)
def test_who_sees_a_webhook(fakeplat: Fakeplat, owner: str, by: str, sees: bool) -> None:
    """Maintainers see a webhook of a project, Owners that of a group; for others it is null."""
    hook = add_numbered_hook(fakeplat, owner)
    shown = query_hook(fakeplat, owner, hook, "id webhookEvents { nodes { id } }", by)

    expected = {"id": f"gid://gitlab/{OWNERS[owner][2]}/{hook}", "webhookEvents": {"nodes": []}}
    assert (expected if sees else None) == shown


def test_another_owners_webhook_is_not_found(fakeplat: Fakeplat) -> None:
    """A webhook is found only where it belongs, and by an ID of its kind."""
    of_group = add_numbered_hook(fakeplat, ACME)

    assert None is query_hook(fakeplat, SITE, of_group)
    assert None is query_hook(fakeplat, ACME, add_numbered_hook(fakeplat))
    wrong = ask(SITE, of_group, "id").replace("ProjectHook", "GroupHook")
    (message,) = list_messages(query_refused(fakeplat, "ada", wrong))
    assert message.endswith(f'"gid://gitlab/GroupHook/{of_group}" does not represent an instance of ProjectHook')


@pytest.mark.parametrize("owner", [SITE, ACME])
def test_the_fields_of_an_event(fakeplat: Fakeplat, owner: str) -> None:
    """An event has the request, whose payload looks as in Ruby, and the answer; what is secret is redacted."""
    hook = add_numbered_hook(fakeplat, owner, custom_headers=[{"key": "X-Own", "value": "private"}])
    serve(fakeplat, Receiver(200, headers={"Content-Type": "text/plain"}, body="thanks"))
    create(fakeplat, f"{SITE}/issues", title="One")
    (event,) = query_hook(fakeplat, owner, hook, f"webhookEvents {{ nodes {{ {EVENT} }} }}")["webhookEvents"]["nodes"]
    data = event.pop("requestData")
    headers = {header["name"]: header["value"] for header in event.pop("requestHeaders")}
    by_id = query_hook(fakeplat, owner, hook, f'webhookEvent(id: "{event["id"]}") {{ id }}')["webhookEvent"]

    assert {
        "id": f"gid://gitlab/WebHookLog/{fakeplat.hooks[0].id}",
        "trigger": "issue_hooks",
        "url": URL,
        "responseHeaders": [{"name": "Content-Type", "value": "text/plain"}],
        "responseBody": "thanks",
        "responseStatus": "200",
        "executionDuration": 0.25,
        "internalErrorMessage": None,
        "oversize": False,
        "createdAt": "2020-11-20T09:00:00Z",
    } == event
    assert {"id": event["id"]} == by_id
    assert data.startswith('{"object_kind"=>"issue", "event_type"=>"issue", "user"=>{"id"=>')
    assert '"email"=>"[REDACTED]"' in data
    assert ("application/json", "[REDACTED]") == (headers["Content-Type"], headers["X-Own"])


def test_an_event_without_an_answer(fakeplat: Fakeplat) -> None:
    """An event without an answer says why."""
    hook = add_numbered_hook(fakeplat)
    serve(fakeplat, Receiver(None))
    create(fakeplat, f"{SITE}/issues", title="One")
    fields = "responseStatus responseBody internalErrorMessage"
    (event,) = query_hook(fakeplat, SITE, hook, f"webhookEvents {{ nodes {{ {fields} }} }}")["webhookEvents"]["nodes"]

    assert {
        "responseStatus": "internal error",
        "responseBody": "",
        "internalErrorMessage": "execution expired",
    } == event


def write_range(start: str, end: str) -> str:
    return f'(timestampRange: {{start: "{start}", end: "{end}"}})'


WEEK = write_range("2020-11-22T09:00:00Z", "2020-11-28T09:00:00Z").removeprefix("(")


@pytest.fixture
def hook(fakeplat: Fakeplat) -> int:
    """A webhook that got a request on each of nine days."""
    hook = add_numbered_hook(fakeplat)
    serve(fakeplat, Receiver(*(200,) * 9))
    for day in range(9):
        create(fakeplat, f"{SITE}/issues", title=str(day))
        fakeplat.clock.advance("1d" if day < 8 else "1m")
    return hook


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", range(28, 20, -1)),
        (write_range("2020-11-25T09:00:00Z", "2020-11-26T09:30:00Z"), [26, 25]),
        (write_range("2020-11-21T00:00:00Z", "2020-11-22T00:00:00Z"), [21]),
    ],
    ids=["recent", "days", "first"],
)
def test_events_of_a_time(fakeplat: Fakeplat, hook: int, arguments: str, expected: list[int]) -> None:
    """The events are those since the beginning of the day seven days ago, or within a time, the latest first."""
    assert [f"2020-11-{day}" for day in expected] == list_events(fakeplat, hook, arguments)


@pytest.mark.parametrize(
    ("selection", "error"),
    [
        (
            f"webhookEvents{write_range('2020-11-26T09:00:00Z', '2020-11-25T09:00:00Z')} {{ nodes {{ id }} }}",
            "start must be before end",
        ),
        (
            f"webhookEvents{write_range('2020-11-26T09:00:00Z', '2020-11-26T09:00:00Z')} {{ nodes {{ id }} }}",
            "start must be before end",
        ),
        (
            f"webhookEvents{write_range('2020-11-20T23:59:59Z', '2020-11-26T09:00:00Z')} {{ nodes {{ id }} }}",
            "`timestamp range` must be within the last 7 days",
        ),
        (
            f'webhookEvent(id: "gid://gitlab/WebHookLog/1", {WEEK} {{ id }}',
            "Only one of [id, timestampRange] arguments is allowed at the same time.",
        ),
    ],
    ids=["reversed", "equal", "early", "both"],
)
def test_an_invalid_time_is_refused(fakeplat: Fakeplat, hook: int, selection: str, error: str) -> None:
    """A time begins before it ends and within the last seven days, and excludes an ID."""
    content = query_refused(fakeplat, "ada", ask(SITE, hook, selection))

    assert [error] == list_messages(content)


def test_the_events_of_one_webhook_at_a_time(fakeplat: Fakeplat) -> None:
    """A query gets the events of one webhook, and at most 20 on a page."""
    hook = add_numbered_hook(fakeplat)
    serve(fakeplat, Receiver(*(200,) * 21))
    for number in range(21):
        create(fakeplat, f"{SITE}/issues", title=str(number))
    events = query_hook(fakeplat, SITE, hook, "webhookEvents(first: 50) { nodes { id } pageInfo { hasNextPage } }")
    other = ask(SITE, hook, LATEST).replace("webhook(", "other: webhook(")
    both = post_query(fakeplat, "ada", ask(SITE, hook, LATEST).removesuffix("}") + other.removeprefix("{"))

    assert 20 == len(events["webhookEvents"]["nodes"])
    assert events["webhookEvents"]["pageInfo"]["hasNextPage"]
    assert ['"webhookEvents" field can be requested only for 1 ProjectHook(s) at a time.'] == list_messages(both)


@pytest.mark.fakeplat(version="18.4")
@pytest.mark.parametrize("owner", [SITE, ACME])
def test_earlier_releases_show_no_webhooks(fakeplat: Fakeplat, owner: str) -> None:
    """GraphQL shows webhooks since 18.5."""
    (message,) = list_messages(query_refused(fakeplat, "ada", ask(owner, 1, "id")))

    assert f"Field 'webhook' doesn't exist on type '{OWNERS[owner][0].title()}'" == message
