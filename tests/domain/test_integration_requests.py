"""What integrations other than chats send about events: requests to build servers, trackers and the like.

Source: docs/platform/integrations.md ('Simple HTTP services', 'External issue trackers').
"""

from typing import Any
from urllib.parse import parse_qs

import pytest

from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.platform import Platform
from tests.domain.integration_events import (
    AFTER,
    BEFORE,
    COMMIT,
    MERGE_REQUEST,
    PIPELINE,
    PUSH,
    SITE,
    TAG_PUSH,
    ZEROS,
    deliver,
    parse_json,
    with_attributes,
)
from tests.scenario.worlds import create_platform

TRACKER = {
    "project_url": "https://bugs.test",
    "issues_url": "https://bugs.test/:id",
    "new_issue_url": "https://bugs.test/new",
}
BASIC = "Basic Y2k6c2VjcmV0"
USER = {"username": "ci", "password": "secret"}
JSON = {"Content-Type": "application/json"}
HOOKED = {**JSON, "X-Gitlab-Event": "Service Hook"}
BAMBOO = {"bamboo_url": "https://ci.test/", "build_key": "K", **USER}
TEAMCITY = {"teamcity_url": "https://ci.test", "build_type": "T", **USER}
DRONE = {"token": "t", "drone_url": "https://ci.test"}
JENKINS = {"jenkins_url": "https://ci.test", "project_name": "folder/site", **USER}
JIRA = {"url": "https://jira.test/", **USER}
TOPIC = {**PUSH, "ref": "refs/heads/topic"}
CREATED = {**PUSH, "before": ZEROS}
REMOVED = {**PUSH, "after": ZEROS, "commits": [], "total_commits_count": 0}

SETTINGS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("asana", {"api_key": "k"}, ("push_events",)),
    ("assembla", {"token": "t", "subdomain": "s"}, ("push_events",)),
    ("bamboo", BAMBOO, ("push_events",)),
    ("bugzilla", TRACKER, ("push_events",)),
    ("buildkite", {"token": "a:b"}, ("push_events",)),
    ("campfire", {"token": "t", "subdomain": "s", "room": "7"}, ("push_events",)),
    ("custom-issue-tracker", TRACKER, ("push_events",)),
    ("drone-ci", DRONE, ("push_events", "merge_requests_events", "tag_push_events")),
    ("emails-on-push", {"recipients": "a@x.test"}, ("push_events", "tag_push_events")),
    ("ewm", TRACKER, ("push_events",)),
    ("flowdock", {"token": "t"}, ("push_events",)),
    ("github", {"token": "t", "repository_url": "https://github.com/a/b"}, ("pipeline_events",)),
    ("jenkins", JENKINS, ("push_events", "merge_requests_events", "tag_push_events")),
    ("packagist", {"username": "u", "token": "t"}, ("push_events", "merge_requests_events", "tag_push_events")),
    ("pipelines-email", {"recipients": "a@x.test"}, ("pipeline_events",)),
    ("pivotaltracker", {"token": "t"}, ("push_events",)),
    ("pushover", {"api_key": "a", "user_key": "u", "priority": "0"}, ("push_events",)),
    ("redmine", TRACKER, ("push_events",)),
    ("teamcity", TEAMCITY, ("push_events", "merge_requests_events")),
    ("youtrack", TRACKER, ("push_events",)),
]
NAMING_A_TASK = {**PUSH, "ref": "refs/heads/topic", "commits": [{**COMMIT, "message": "Add a page, see #12"}]}
PAYLOADS = {"push_events": NAMING_A_TASK, "pipeline_events": PIPELINE, "merge_requests_events": MERGE_REQUEST}


@pytest.fixture(scope="module")
def platform() -> Platform:
    """A world that no test changes."""
    return create_platform("starter")


def get_only_request(sent: list[Any]) -> OutgoingRequest:
    (request,) = sent
    assert isinstance(request, OutgoingRequest)
    return request


@pytest.mark.parametrize(
    ("slug", "settings", "flag"),
    [
        pytest.param(slug, settings, flag, id=f"{slug}-{flag}")
        for slug, settings, flags in SETTINGS
        for flag in (*flags, "issues_events")
    ],
)
def test_each_flag_switches_its_event(platform: Platform, slug: str, settings: dict[str, Any], flag: str) -> None:
    """An integration sends requests for its events while their flags are on, and none for other events."""
    known = {name for other, _, names in SETTINGS if other == slug for name in names}
    payload = PAYLOADS.get(flag)
    assert (flag in known) == bool(deliver(platform, slug, settings, flag, payload, **dict.fromkeys(known, True)))
    assert [] == deliver(platform, slug, settings, flag, payload, **{flag: False})


@pytest.mark.parametrize("flag", ["push_events", "pipeline_events", "merge_requests_events"])
@pytest.mark.parametrize(
    "slug", ["confluence", "external-wiki", "irker", "mock-ci", "prometheus", "slack-slash-commands"]
)
def test_others_are_records_only(platform: Platform, slug: str, flag: str) -> None:
    """Integrations that only keep their settings send no request for an event."""
    assert [] == deliver(platform, slug, {"recipients": "irc://irc.test/dev"}, flag)


def test_bamboo(platform: Platform) -> None:
    """Bamboo gets a GET with the key of the build, and the credentials if they are set."""
    request = get_only_request(deliver(platform, "bamboo", BAMBOO, "push_events"))
    url = "https://ci.test/updateAndBuild.action?buildKey=K"
    assert ("GET", f"{url}&os_authType=basic", {"Authorization": BASIC}) == (
        request.method,
        request.url,
        request.headers,
    )
    request = get_only_request(deliver(platform, "bamboo", {**BAMBOO, "username": "", "password": ""}, "push_events"))
    assert (url, {}) == (request.url, request.headers)


def test_buildkite(platform: Platform) -> None:
    """Buildkite gets the payload of a webhook at an address with the first part of the token."""
    request = get_only_request(deliver(platform, "buildkite", {"token": "a:b"}, "push_events"))
    assert ("https://webhook.buildkite.com/deliver/a", HOOKED, PUSH) == (
        request.url,
        request.headers,
        parse_json(request),
    )


def test_drone(platform: Platform) -> None:
    """Drone gets the payload at an address with owner, name and token; verification of TLS can be disabled."""
    request = get_only_request(deliver(platform, "drone-ci", DRONE, "push_events"))
    assert ("https://ci.test/hook?owner=acme&name=site&access_token=t", HOOKED, PUSH, True) == (
        request.url,
        request.headers,
        parse_json(request),
        request.verifies_tls,
    )
    assert not get_only_request(
        deliver(platform, "drone-ci", {**DRONE, "enable_ssl_verification": False}, "push_events")
    ).verifies_tls


WORK: list[tuple[str, dict[str, Any], int]] = [
    ("push_events", PUSH, 1),
    ("push_events", TOPIC, 1),
    # It has an open merge request.
    ("push_events", {**PUSH, "ref": "refs/heads/feature"}, 0),
    ("push_events", REMOVED, 0),
    ("push_events", {**PUSH, "total_commits_count": 0}, 0),
    ("merge_requests_events", MERGE_REQUEST, 1),
    ("merge_requests_events", with_attributes(MERGE_REQUEST, state="closed"), 0),
    ("merge_requests_events", with_attributes(MERGE_REQUEST, merge_status="can_be_merged"), 0),
]


@pytest.mark.parametrize(("flag", "payload", "expected"), WORK)
@pytest.mark.parametrize(("slug", "settings"), [("drone-ci", DRONE), ("teamcity", TEAMCITY)])
def test_builds_need_something_to_build(
    platform: Platform, slug: str, settings: dict[str, Any], flag: str, payload: dict[str, Any], expected: int
) -> None:
    """A build server gets pushes of commits to branches without a merge request, and open unchecked merge requests."""
    assert expected == len(deliver(platform, slug, settings, flag, payload))


def test_drone_builds_tags(platform: Platform) -> None:
    """Drone gets a request for a pushed tag, and none for a removed one."""
    assert 1 == len(deliver(platform, "drone-ci", DRONE, "tag_push_events"))
    removed = {**TAG_PUSH, "after": ZEROS, "total_commits_count": 0}
    assert [] == deliver(platform, "drone-ci", DRONE, "tag_push_events", removed)


def test_teamcity(platform: Platform) -> None:
    """TeamCity gets XML with the branch of the push or the source branch of the merge request."""
    request = get_only_request(deliver(platform, "teamcity", TEAMCITY, "push_events"))
    assert "https://ci.test/httpAuth/app/rest/buildQueue" == request.url
    assert {"Content-type": "application/xml", "Authorization": BASIC} == request.headers
    assert b'<build branchName="master"><buildType id="T"/></build>' == request.body
    request = get_only_request(deliver(platform, "teamcity", TEAMCITY, "merge_requests_events"))
    assert b'<build branchName="topic"><buildType id="T"/></build>' == request.body


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        ("push_events", "Push Hook"),
        ("merge_requests_events", "Merge Request Hook"),
        ("tag_push_events", "Tag Push Hook"),
    ],
)
def test_jenkins(platform: Platform, flag: str, name: str) -> None:
    """Jenkins gets the payload with the event name of its webhook."""
    on = {"merge_requests_events": True, "tag_push_events": True}
    request = get_only_request(deliver(platform, "jenkins", JENKINS, flag, **on))
    assert "https://ci.test/project/folder/site" == request.url
    assert {**JSON, "X-Gitlab-Event": name, "Authorization": BASIC} == request.headers


def test_packagist(platform: Platform) -> None:
    """Packagist gets the payload at the configured server, or at packagist.org by default."""
    settings = {"username": "u", "token": "t"}
    path = "/api/update-package?username=u&apiToken=t"
    assert (
        f"https://packagist.org{path}" == get_only_request(deliver(platform, "packagist", settings, "push_events")).url
    )
    request = get_only_request(
        deliver(platform, "packagist", {**settings, "server": "https://p.test/"}, "tag_push_events")
    )
    assert (f"https://p.test{path}", TAG_PUSH) == (request.url, parse_json(request))


def test_asana(platform: Platform) -> None:
    """Each Asana task that a commit names is read and commented, and completed after a closing word."""
    message = "Fixes #12, see https://app.asana.com/0/5/34"
    push = {**PUSH, "commits": [{**COMMIT, "message": message}]}
    sent = deliver(platform, "asana", {"api_key": "k", "restrict_to_branch": "master, other"}, "push_events", push)
    tasks = "https://app.asana.com/api/1.0/tasks"
    assert [
        ("GET", f"{tasks}/12"),
        ("POST", f"{tasks}/12/stories"),
        ("PUT", f"{tasks}/12"),
        ("GET", f"{tasks}/34"),
        ("POST", f"{tasks}/34/stories"),
    ] == [(request.method, request.url) for request in sent]
    text = f"Dev pushed to branch master of Acme / Site ( {SITE}/-/commit/{AFTER} ): {message}"
    assert {"data": {"text": text}} == parse_json(sent[1])
    assert {"data": {"completed": True}} == parse_json(sent[2])
    assert {"Bearer k"} == {request.headers["Authorization"] for request in sent}
    assert [] == deliver(platform, "asana", {"api_key": "k", "restrict_to_branch": "other"}, "push_events", push)


def test_pivotal_tracker(platform: Platform) -> None:
    """Pivotal Tracker gets a request for each commit on a configured branch."""
    request = get_only_request(deliver(platform, "pivotaltracker", {"token": "t"}, "push_events"))
    assert "https://www.pivotaltracker.com/services/v5/source_commits" == request.url
    assert {**JSON, "X-TrackerToken": "t"} == request.headers
    commit = {"commit_id": AFTER, "author": "Dev", "url": COMMIT["url"], "message": COMMIT["message"]}
    assert {"source_commit": commit} == parse_json(request)
    restricted = {"token": "t", "restrict_to_branch": "other"}
    assert [] == deliver(platform, "pivotaltracker", restricted, "push_events")


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (PUSH, 'Dev push to branch "master".\nTotal commits count: 1'),
        (CREATED, 'Dev pushed new branch "master".\nTotal commits count: 1'),
        (REMOVED, 'Dev deleted branch "master".'),
    ],
)
def test_pushover(platform: Platform, payload: dict[str, Any], message: str) -> None:
    """Pushover gets a form that says what happened to which branch."""
    settings = {"api_key": "a", "user_key": "u", "device": "d", "priority": "0"}
    request = get_only_request(deliver(platform, "pushover", settings, "push_events", payload))
    assert "https://api.pushover.net/1/messages.json" == request.url
    assert {
        "token": ["a"],
        "user": ["u"],
        "device": ["d"],
        "priority": ["0"],
        "title": ["Acme / Site"],
        "message": [message],
        "url": [SITE],
        "url_title": ["See project Acme / Site"],
    } == parse_qs(request.body.decode())
    request = get_only_request(deliver(platform, "pushover", {**settings, "sound": "bike"}, "push_events"))
    assert ["bike"] == parse_qs(request.body.decode())["sound"]


def test_assembla(platform: Platform) -> None:
    """Assembla gets the payload under a key."""
    request = get_only_request(deliver(platform, "assembla", {"token": "t", "subdomain": "s"}, "push_events"))
    assert "https://atlas.assembla.com/spaces/s/github_tool?secret_key=t" == request.url
    assert {"payload": PUSH} == parse_json(request)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (PUSH, f"Dev pushed 1 commits to master. {SITE}/compare/{BEFORE}...{AFTER}"),
        (CREATED, "Dev pushed new branch master \n"),
        (REMOVED, "Dev removed branch master \n"),
    ],
)
def test_campfire(platform: Platform, payload: dict[str, Any], text: str) -> None:
    """Campfire gets a message to the room."""
    settings = {"token": "t", "subdomain": "acme", "room": "7"}
    request = get_only_request(deliver(platform, "campfire", settings, "push_events", payload))
    assert "https://acme.campfirenow.com/room/7/speak.json" == request.url
    assert {"message": {"type": "TextMessage", "body": f"[Acme / Site] {text}"}} == parse_json(request)


@pytest.mark.parametrize("slug", ["bugzilla", "custom-issue-tracker", "ewm", "redmine", "youtrack"])
def test_trackers_are_only_looked_at(platform: Platform, slug: str) -> None:
    """An issue tracker gets a HEAD request for its page at a push."""
    request = get_only_request(deliver(platform, slug, TRACKER, "push_events"))
    assert ("HEAD", "https://bugs.test", b"") == (request.method, request.url, request.body)


@pytest.mark.parametrize(
    ("status", "state"),
    [("running", "pending"), ("success", "success"), ("failed", "failure"), ("canceled", "error")],
)
def test_github(platform: Platform, status: str, state: str) -> None:
    """GitHub gets a commit status with the state of the pipeline."""
    settings = {"token": "t", "repository_url": "https://github.com/a/b.git", "static_context": False}
    payload = with_attributes(PIPELINE, status=status, detailed_status=status)
    request = get_only_request(deliver(platform, "github", settings, "pipeline_events", payload))
    assert f"https://api.github.com/repos/a/b/statuses/{AFTER}" == request.url
    assert {
        "state": state,
        "context": "ci/gitlab/master",
        "target_url": f"{SITE}/-/pipelines/31",
        "description": f"Pipeline {status} on GitLab",
    } == parse_json(request)
    own = {**settings, "repository_url": "https://git.test/a/b", "static_context": True}
    request = get_only_request(deliver(platform, "github", own, "pipeline_events", payload))
    assert f"https://git.test/api/v3/repos/a/b/statuses/{AFTER}" == request.url
    assert "ci/gitlab/fake.test" == parse_json(request)["context"]


def send_to_jira(platform: Platform, settings: dict[str, Any], flag: str, payload: Any, **fields: Any) -> list[Any]:
    """Return the method, the path and the body of each request to Jira."""
    if flag == "push_events":
        fields = {"commit_events": True, **fields}
    sent = deliver(platform, "jira", {**JIRA, **settings}, flag, payload, **fields)
    assert {(BASIC, "OBBasicAuth=fromDialog")} >= {
        (request.headers["Authorization"], request.headers["Cookie"]) for request in sent
    }
    api = "https://jira.test/rest/api/2/issue/"
    return [
        (request.method, request.url.removeprefix(api), parse_json(request) if request.body else None)
        for request in sent
    ]


def build_remote_link(title: str, url: str, *, resolved: bool) -> dict[str, Any]:
    return {
        "GlobalID": "GitLab",
        "relationship": "mentioned on",
        "object": {"url": url, "title": title, "status": {"resolved": resolved}, "icon": {"title": "GitLab"}},
    }


def test_jira_hears_of_commits_that_name_an_issue(platform: Platform) -> None:
    """A Jira issue that a commit names is read, commented, and linked to the commit."""
    url = COMMIT["url"]
    mention = (
        f"[Dev|https://fake.test/dev] mentioned this issue in [a commit|{url}] of [Acme / Site|{SITE}] "
        f"on branch [topic|{SITE}/-/commits/topic]:{{quote}}Add a page{{quote}}"
    )
    assert [
        ("GET", "ABC-7", None),
        ("POST", "ABC-7/comment", {"body": mention}),
        ("POST", "ABC-7/remotelink", build_remote_link("Commit - Add a page", url, resolved=False)),
    ] == send_to_jira(platform, {}, "push_events", TOPIC)


def test_jira_closes_issues_on_the_default_branch(platform: Platform) -> None:
    """A closing commit on the default branch fires the configured transitions in order, or does nothing without any."""
    url = COMMIT["url"]
    assert [
        ("GET", "ABC-7", None),
        ("POST", "ABC-7/transitions", {"transition": {"id": "5"}}),
        ("POST", "ABC-7/transitions", {"transition": {"id": "31"}}),
        ("POST", "ABC-7/comment", {"body": f"Issue solved with [{AFTER}|{url}]."}),
        ("POST", "ABC-7/remotelink", build_remote_link(f"Solved by commit {AFTER}.", url, resolved=True)),
    ] == send_to_jira(platform, {"jira_issue_transition_id": "5, 31"}, "push_events", PUSH)
    assert [] == send_to_jira(platform, {}, "push_events", PUSH)


def test_jira_hears_of_merge_requests(platform: Platform) -> None:
    """An opened merge request mentions its Jira issue and a merged one closes it, if the flags allow it."""
    settings = {"jira_issue_transition_id": "5"}
    opened = send_to_jira(platform, settings, "merge_requests_events", MERGE_REQUEST)
    assert ["ABC-8", "ABC-8/comment", "ABC-8/remotelink"] == [path for _, path, _ in opened]
    assert "mentioned this issue in [a merge request|" in opened[1][2]["body"]
    merged = send_to_jira(
        platform, settings, "merge_requests_events", with_attributes(MERGE_REQUEST, action="merge", state="merged")
    )
    assert ["ABC-8", "ABC-8/transitions", "ABC-8/comment", "ABC-8/remotelink"] == [path for _, path, _ in merged]
    silent = send_to_jira(platform, settings, "merge_requests_events", MERGE_REQUEST, comment_on_event_enabled=False)
    assert ["ABC-8", "ABC-8/remotelink"] == [path for _, path, _ in silent]
    assert [] == send_to_jira(platform, settings, "merge_requests_events", MERGE_REQUEST, merge_requests_events=False)
    assert [] == send_to_jira(platform, settings, "push_events", PUSH, commit_events=False)
    other = {"api_url": "https://api.test"}
    assert (
        "https://api.test/rest/api/2/issue/ABC-8"
        == send_to_jira(platform, other, "merge_requests_events", MERGE_REQUEST)[0][1]
    )
