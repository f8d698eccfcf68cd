"""The receivers of webhook events, and the requests that are sent to them. Source: docs/platform/webhooks.md."""

from typing import Any

import pytest

from fakeplat.domain.hooks.events import HookEvent
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    EVENT_UUID_HEADER,
    HOOK_USERS_HAVE_IDS,
    IDEMPOTENCY_KEY_HEADER,
    INSTANCE_HEADER,
    WEBHOOK_UUID_HEADER,
)
from tests.api.deliveries import EVERYTHING, FLAGS, SITE, URL, Deliveries, change, commit, create, receive
from tests.by_release import by_release

premium = pytest.mark.fakeplat(tier="premium")


def test_the_headers_of_a_delivery(fakeplat: Fakeplat) -> None:
    """A delivery has headers for JSON, release and event, and for a token if there is one."""
    sent = receive(fakeplat, url=URL, issues_events=True)
    create(fakeplat, f"{SITE}/issues", title="x")
    (request,) = sent.take()

    assert {
        "Content-Type": "application/json",
        "User-Agent": "GitLab/13.5.1",
        "X-Gitlab-Event": "Issue Hook",
    } == request.headers
    assert ("POST", URL, "issue_hooks", True, "") == (
        request.method,
        request.url,
        request.trigger,
        request.verifies_tls,
        request.blocked,
    )
    hook = fakeplat.bench.platform.view.hooks.all()[0]
    assert ("hook", hook.id) == request.receiver


def test_the_secret_token(fakeplat: Fakeplat) -> None:
    """A webhook's secret token is sent in its own header."""
    sent = receive(fakeplat, url=URL, issues_events=True, token="secret", enable_ssl_verification=False)
    create(fakeplat, f"{SITE}/issues", title="x")
    (request,) = sent.take()

    assert ("secret", False) == (request.headers["X-Gitlab-Token"], request.verifies_tls)


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_headers_of_later_releases(fakeplat: Fakeplat) -> None:
    """Later releases send ids of event and delivery and the instance's URL."""
    sent = receive(fakeplat, url=URL, issues_events=True)
    create(fakeplat, f"{SITE}/issues", title="x")
    (request,) = sent.take()

    assert {"X-Gitlab-Event-UUID", "X-Gitlab-Instance", "X-Gitlab-Webhook-UUID", "Idempotency-Key"} <= {
        *request.headers
    }
    assert [8, 4, 4, 4, 12] == [len(part) for part in request.headers["X-Gitlab-Event-UUID"].split("-")]


@by_release(EVENT_UUID_HEADER, "added", {"14.7": set(), "14.8": {"X-Gitlab-Event-UUID"}})
def test_deliveries_have_the_id_of_the_event(fakeplat: Fakeplat, added: set[str]) -> None:
    """Deliveries name their event by an id from 14.8 on."""
    assert added == list_later_headers(fakeplat)


@by_release(INSTANCE_HEADER, "has_it", {"15.4": False, "15.5": True})
def test_deliveries_have_the_url_of_the_instance(fakeplat: Fakeplat, has_it: bool) -> None:
    """Deliveries name their instance from 15.5 on."""
    assert has_it is ("X-Gitlab-Instance" in list_later_headers(fakeplat))


@by_release(WEBHOOK_UUID_HEADER, "has_it", {"16.1": False, "16.2": True})
def test_deliveries_have_the_id_of_the_webhook(fakeplat: Fakeplat, has_it: bool) -> None:
    """Deliveries name their webhook by an id from 16.2 on."""
    assert has_it is ("X-Gitlab-Webhook-UUID" in list_later_headers(fakeplat))


@by_release(IDEMPOTENCY_KEY_HEADER, "has_it", {"17.3": False, "17.4": True})
def test_deliveries_have_a_key_of_their_own(fakeplat: Fakeplat, has_it: bool) -> None:
    """Deliveries have a key that stays the same if they are repeated, from 17.4 on."""
    assert has_it is ("Idempotency-Key" in list_later_headers(fakeplat))


def list_later_headers(fake: Fakeplat) -> set[str]:
    """Return the headers of a delivery that not every release sends."""
    sent = receive(fake, url=URL, issues_events=True)
    create(fake, f"{SITE}/issues", title="x")
    (request,) = sent.take()
    return {"X-Gitlab-Event-UUID", "X-Gitlab-Instance", "X-Gitlab-Webhook-UUID", "Idempotency-Key"} & {*request.headers}


@by_release(HOOK_USERS_HAVE_IDS, "has_id", {"13.11": False, "13.12": True})
def test_users_of_deliveries_have_ids(fakeplat: Fakeplat, has_id: bool) -> None:
    """Users in payloads have their id from 13.12 on."""
    sent = receive(fakeplat, url=URL, issues_events=True)
    create(fakeplat, f"{SITE}/issues", title="x")
    (payload,) = sent.payloads()
    assert has_id is ("id" in payload["user"])


def test_signs_of_markup_are_escaped(fakeplat: Fakeplat) -> None:
    """The JSON value is the same."""
    sent = receive(fakeplat, url=URL, issues_events=True)
    create(fakeplat, f"{SITE}/issues", title="<a & b>")

    assert b'"title":"\\u003ca \\u0026 b\\u003e"' in sent.requests[0].body
    assert "<a & b>" == sent.payloads()[0]["object_attributes"]["title"]


def test_the_settings_are_checked_again_when_sending(fakeplat: Fakeplat) -> None:
    """A webhook that was saved before fails."""
    sent = receive(fakeplat, url="http://127.0.0.1", issues_events=True)
    change(fakeplat, "application/settings", "root", allow_local_requests_from_web_hooks_and_services=False)
    create(fakeplat, f"{SITE}/issues", title="x")

    expected = "URL 'http://127.0.0.1' is blocked: Requests to localhost are not allowed"
    assert expected == sent.take()[0].blocked


def test_a_blank_in_the_url(fakeplat: Fakeplat) -> None:
    """A webhook URL with a blank is saved, and deliveries to it fail."""
    receive(fakeplat, url="http://server.com/my path/", issues_events=True)
    create(fakeplat, f"{SITE}/issues", title="x")

    assert 'bad URI(is not URI?): "http://server.com/my path/"' == fakeplat.hooks[-1].error


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag != "issues_events"])
def test_other_flags_bring_no_issues(fakeplat: Fakeplat, flag: str) -> None:
    """Each flag of a webhook enables only its own events."""
    sent = receive(fakeplat, url=URL, **{"push_events": False, flag: True})
    create(fakeplat, f"{SITE}/issues", title="x")

    assert [] == sent.take()


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", ["main/x", "other"]),
        ("other", ["other"]),
        ("main/*", ["main/x"]),
        ("*", ["main/x", "other"]),
        ("Other", []),
        ("main", []),
    ],
)
def test_branch_filters(fakeplat: Fakeplat, pattern: str, expected: list[str]) -> None:
    """A branch filter compares whole names of branches, also of new and deleted ones, but not tags."""
    sent = receive(fakeplat, url=URL, push_events_branch_filter=pattern, tag_push_events=True)
    for name in ("main/x", "other"):
        create(fakeplat, f"{SITE}/repository/branches", branch=name, ref="master")
    create(fakeplat, f"{SITE}/repository/tags", tag_name="v9", ref="master")

    refs = [payload["ref"].removeprefix("refs/heads/") for payload in sent.payloads()]
    assert [*expected, "refs/tags/v9"] == refs


@premium
def test_the_order_of_receivers(fakeplat: Fakeplat) -> None:
    """Events go to webhooks of the project, the system and the groups in this order."""
    hook = {"url": URL, "push_events": True}
    fakeplat.load(
        {
            "groups": [{"full_path": "acme", "hooks": [{**hook, "push_events_branch_filter": "none"}]}],
            "system_hooks": [hook, {"url": URL}],
            "projects": [
                {"path_with_namespace": "acme/site", "hooks": [hook, {**hook, "push_events_branch_filter": "none"}]}
            ],
        }
    )
    sent = Deliveries(fakeplat)
    commit(fakeplat, "master")
    hooks = fakeplat.bench.platform.view.hooks

    assert [
        ("project", "push_hooks", "Push Hook"),
        ("system", "system_hooks", "System Hook"),
        ("group", "push_hooks", "Push Hook"),
        # Those that want updates of repositories.
        ("system", "system_hooks", "System Hook"),
        ("system", "system_hooks", "System Hook"),
    ] == [
        (hooks[request.receiver[1]].kind, request.trigger, request.headers["X-Gitlab-Event"]) for request in sent.take()
    ]


@premium
def test_hooks_of_all_groups_above(fakeplat: Fakeplat) -> None:
    """A project in a subgroup reports to both."""
    hook = {"url": URL, "issues_events": True}
    fakeplat.load({"groups": [{"full_path": path, "hooks": [hook]} for path in ("acme", "acme/tools", "other")]})
    sent = Deliveries(fakeplat)
    create(fakeplat, "projects/acme%2Ftools%2Fkit/issues", title="x")

    assert ["issue_hooks", "issue_hooks"] == sent.triggers()


def test_group_hooks_are_silent_on_the_free_tier(fakeplat: Fakeplat) -> None:
    """On the free tier existing group hooks receive nothing."""
    fakeplat.load({"groups": [{"full_path": "acme", "hooks": [{"url": URL, "issues_events": True}]}]})
    sent = Deliveries(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="x")

    assert [] == sent.take()


def test_refused_requests_send_nothing(fakeplat: Fakeplat) -> None:
    """Events are sent after the commit."""
    sent = receive(fakeplat)
    fakeplat.as_user("gus").put(f"{SITE}/issues/1", json={"title": ""})
    fakeplat.as_user("ada").put(f"{SITE}/issues/1", json={"title": ""})

    assert [] == sent.take()


def test_loading_a_scenario_sends_nothing(fakeplat: Fakeplat) -> None:
    """Imported records are no events."""
    sent = receive(fakeplat)
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "issues": ["x"], "hooks": [EVERYTHING]}]})

    assert [] == sent.take()


def test_without_hooks_no_payload_is_built(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """No payload is built without a webhook for the event."""
    built: list[Any] = []
    build_payload = HookEvent.build_payload

    def note_and_build(event: Any, *args: Any) -> Any:
        built.append(event.trigger)
        return build_payload(event, *args)

    monkeypatch.setattr(HookEvent, "build_payload", note_and_build)
    create(fakeplat, f"{SITE}/issues", title="x")
    receive(fakeplat, url=URL)
    receive(fakeplat, "acme/docs")
    create(fakeplat, f"{SITE}/issues", title="x")
    assert [] == built
    receive(fakeplat, url=URL, issues_events=True)
    create(fakeplat, f"{SITE}/issues", title="x")
    assert ["issue_hooks"] == built


def test_the_test_of_a_system_hook(fakeplat: Fakeplat) -> None:
    """Testing a system hook sends and returns a sample."""
    sample = {
        "event_name": "project_create",
        "name": "Ruby",
        "path": "ruby",
        "project_id": 1,
        "owner_name": "Someone",
        "owner_email": "example@gitlabhq.com",
    }
    hook = create(fakeplat, "hooks", "root", url=URL)
    sent = Deliveries(fakeplat)
    root = fakeplat.as_user("root")

    assert [sample, sample] == [root.get(f"hooks/{hook['id']}").json() for _ in range(2)]
    assert [("system_hooks", "System Hook")] * 2 == [
        (request.trigger, request.headers["X-Gitlab-Event"]) for request in sent.requests
    ]
    assert [sample, sample] == sent.payloads()


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_samples_of_a_project(fakeplat: Fakeplat) -> None:
    """Built from its newest records as if they were created, and sent whatever the flags are."""
    # More are asked for than a minute has.
    fakeplat.load({"settings": {"web_hook_test_limit": 0}})
    hook = create(fakeplat, f"{SITE}/hooks", url=URL, push_events=False)
    commit(fakeplat, "master")
    create(fakeplat, f"{SITE}/wikis", title="home", content="Welcome")
    sent = Deliveries(fakeplat)
    test = f"{SITE}/hooks/{hook['id']}/test"

    assert {"message": "201 Created"} == create(fakeplat, f"{test}/push_events")
    assert ["push_hooks"] == sent.triggers()
    newest = create(fakeplat, f"{SITE}/issues", title="newest")
    sent.take()
    create(fakeplat, f"{test}/issues_events")
    attributes = sent.payloads()[0]["object_attributes"]
    assert (newest["iid"], "open") == (attributes["iid"], attributes["action"])
    for trigger in ("merge_requests_events", "job_events", "pipeline_events"):
        create(fakeplat, f"{test}/{trigger}")
    assert ["merge_request_hooks", "job_hooks", "pipeline_hooks"] == sent.triggers()
    create(fakeplat, f"{test}/wiki_page_events")
    assert ["wiki_page create"] == sent.actions()


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_samples_of_tags(fakeplat: Fakeplat) -> None:
    """The test of tags sends the last commits of the default branch, as a push of the last tag or of `v1.0.0`."""
    hook = create(fakeplat, f"{SITE}/hooks", url=URL)
    sha = commit(fakeplat, "master")
    sent = Deliveries(fakeplat)
    test = f"{SITE}/hooks/{hook['id']}/test/tag_push_events"
    tagged = fakeplat.as_user("ada").get(f"{SITE}/repository/tags/v1.0").json()["commit"]["id"]
    create(fakeplat, test)
    fakeplat.as_user("ada").delete(f"{SITE}/repository/tags/v1.0")
    create(fakeplat, test)
    with_tag, without_tag = sent.payloads()

    assert {("tag_push", "tag_push", sha)} == {
        (payload["object_kind"], payload["event_name"], payload["after"]) for payload in (with_tag, without_tag)
    }
    assert ("refs/tags/v1.0", tagged) == (with_tag["ref"], with_tag["checkout_sha"])
    assert ("refs/tags/v1.0.0", sha) == (without_tag["ref"], without_tag["checkout_sha"])


@pytest.mark.fakeplat(version="latest")
def test_samples_of_access_tokens(fakeplat: Fakeplat) -> None:
    """The test of access tokens sends one that expires in two days, whether the project has any or not."""
    hook = create(fakeplat, f"{SITE}/hooks", url=URL)
    test = f"{SITE}/hooks/{hook['id']}/test/resource_access_token_events"
    sent = Deliveries(fakeplat)
    create(fakeplat, test)
    bot = create(fakeplat, f"{SITE}/access_tokens", name="ci", scopes=["api"], expires_at="2021-01-01")["user_id"]
    create(fakeplat, test)
    payloads = sent.payloads()

    assert {"expiring_access_token"} == {payload["event_name"] for payload in payloads}
    attributes = [payload["object_attributes"] for payload in payloads]
    assert [("pat_for_webhook_event", "2020-11-22")] * 2 == [(row["name"], row["expires_at"]) for row in attributes]
    assert [None, bot] == [row["user_id"] for row in attributes]


@pytest.mark.fakeplat(version="latest", default_branch="master")
@pytest.mark.parametrize(
    ("trigger", "text"),
    [
        ("push_events", "Ensure the project has at least one commit."),
        ("note_events", "Ensure the project has notes."),
        ("issues_events", "Ensure the project has issues."),
        ("merge_requests_events", "Ensure the project has merge requests."),
        ("job_events", "Ensure the project has CI jobs."),
        ("pipeline_events", "Ensure the project has CI pipelines."),
        ("wiki_page_events", "Ensure the wiki is enabled and has pages."),
        ("confidential_note_events", "Testing not available for this hook"),
        ("deployment_events", "Testing not available for this hook"),
        ("releases_events", "Ensure the project has releases."),
        ("emoji_events", "Ensure the project has notes."),
        ("feature_flag_events", "Testing not available for this hook"),
    ],
)
def test_samples_need_records(fakeplat: Fakeplat, trigger: str, text: str) -> None:
    """An empty project has none."""
    project = create(fakeplat, "projects", name="Empty")["id"]
    hook = create(fakeplat, f"projects/{project}/hooks", url=URL)["id"]
    reply = fakeplat.as_user("ada").post(f"projects/{project}/hooks/{hook}/test/{trigger}")

    assert (422, {"message": text}) == (reply.status, reply.json())
    unknown = fakeplat.as_user("ada").post(f"projects/{project}/hooks/{hook}/test/none")
    assert (400, {"error": "trigger does not have a valid value"}) == (unknown.status, unknown.json())


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_variables_of_the_url_and_headers_of_later_releases(fakeplat: Fakeplat) -> None:
    """URL variables and custom headers are sent and never shown."""
    fields = {
        "url": "https://receiver.example.com/{secret}",
        "url_variables": [{"key": "secret", "value": "s3"}],
        "custom_headers": [{"key": "X-Team", "value": "site"}],
    }
    hook = create(fakeplat, f"{SITE}/hooks", issues_events=True, **fields)
    sent = Deliveries(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="x")
    (request,) = sent.take()

    assert ([{"key": "secret"}], [{"key": "X-Team"}]) == (hook["url_variables"], hook["custom_headers"])
    assert ("https://receiver.example.com/s3", "site") == (request.url, request.headers["X-Team"])


@pytest.mark.fakeplat(version="latest", default_branch="master")
@pytest.mark.parametrize(
    ("strategy", "pattern", "expected"),
    [
        ("wildcard", "mast*", 1),
        ("wildcard", "m", 0),
        ("regex", "^m.*r$", 1),
        ("regex", "^stable", 0),
        ("all_branches", "stable", 1),
    ],
)
def test_strategies_of_branch_filters_in_later_releases(
    fakeplat: Fakeplat, strategy: str, pattern: str, expected: int
) -> None:
    """Later releases filter branches by wildcard, regular expression or not at all."""
    create(fakeplat, f"{SITE}/hooks", url=URL, branch_filter_strategy=strategy, push_events_branch_filter=pattern)
    sent = Deliveries(fakeplat)
    commit(fakeplat, "master")

    assert expected == len(sent.take())


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_an_invalid_regular_expression_is_no_branch_filter(fakeplat: Fakeplat) -> None:
    """An invalid regular expression is refused as a branch filter on saving."""
    hook = {"url": URL, "branch_filter_strategy": "regex", "push_events_branch_filter": "("}
    reply = fakeplat.as_user("ada").post(f"{SITE}/hooks", json=hook)

    assert (422, {"error": "Invalid branch filter given"}) == (reply.status, reply.json())


@premium
@pytest.mark.parametrize("paths", [("acme", "acme/tools"), ("acme/tools", "acme")])
def test_hooks_of_nested_groups_come_by_their_ids(fakeplat: Fakeplat, paths: tuple[str, str]) -> None:
    """Webhooks of nested groups receive events in the order of their ids."""
    for path in paths:
        hook = {"url": f"{URL}/{path}", "issues_events": True}
        create(fakeplat, f"groups/{path.replace('/', '%2F')}/hooks", **hook)
    sent = Deliveries(fakeplat)
    create(fakeplat, "projects/acme%2Ftools%2Fkit/issues", title="x")

    assert [f"{URL}/{path}" for path in paths] == [request.url for request in sent.take()]
