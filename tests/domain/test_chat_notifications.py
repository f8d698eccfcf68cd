"""What chats get about events: when, in which format, in which channels.

Source: docs/platform/integrations.md ('Chat notifications'); the platform's specs of chat messages and chat services.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.platform import Platform
from tests.domain.integration_events import (
    AFTER,
    ALERT,
    BEFORE,
    DEPLOYMENT,
    EVENTS,
    ISSUE,
    MERGE_REQUEST,
    NOTE,
    PIPELINE,
    PUSH,
    SITE,
    TAG_PUSH,
    WIKI_PAGE,
    ZEROS,
    deliver,
    parse_json,
    parse_slack_payload,
    with_attributes,
)
from tests.scenario.worlds import create_platform, write

HOOK = {"webhook": "https://chat.test/hook"}
ALL = {**HOOK, "branches_to_be_notified": "all"}
P = f"<{SITE}|Acme / Site>"
MD = f"[Acme / Site]({SITE})"
CHATS = ("slack", "mattermost", "microsoft-teams", "discord", "hangouts-chat", "unify-circuit", "webex-teams")
CHAT_FLAGS = tuple(flag for flag in EVENTS if flag not in ("deployment_events", "alert_events"))
CREATED = {**PUSH, "before": ZEROS}
REMOVED = {**PUSH, "after": ZEROS, "commits": [], "total_commits_count": 0}


@pytest.fixture(scope="module")
def platform() -> Platform:
    """A world that no test changes."""
    return create_platform("starter")


def test_comments_on_pages_of_wikis_are_not_announced(platform: Platform) -> None:
    """Chats have no message for a comment on a page of a wiki."""
    note = with_attributes(NOTE, noteable_type="WikiPage::Meta")
    assert [] == deliver(platform, "slack", ALL, "note_events", {**note, "issue": None})


@pytest.mark.parametrize("flag", CHAT_FLAGS)
@pytest.mark.parametrize("slug", [*CHATS, "hipchat"])
def test_each_flag_switches_its_event(platform: Platform, slug: str, flag: str) -> None:
    """Each flag enables and disables the messages of its own event only."""
    expected = 0 if (slug, flag) == ("hipchat", "wiki_page_events") else 1
    assert expected == len(deliver(platform, slug, ALL, flag))
    assert [] == deliver(platform, slug, ALL, flag, **{flag: False})
    others = {other: False for other in EVENTS if other != flag}
    assert expected == len(deliver(platform, slug, ALL, flag, **others))


@pytest.mark.parametrize(("slug", "expected"), [("slack", 1), ("mattermost", 1), *((slug, 0) for slug in CHATS[2:])])
def test_deployments_are_for_slack_and_mattermost(platform: Platform, slug: str, expected: int) -> None:
    """Slack and Mattermost announce deployments if enabled; they are disabled by default."""
    assert [] == deliver(platform, slug, ALL, "deployment_events")
    assert expected == len(deliver(platform, slug, ALL, "deployment_events", deployment_events=True))


@pytest.mark.parametrize(("slug", "expected"), [("slack", 1), ("mattermost", 0), ("discord", 0)])
def test_alerts_are_for_slack(platform: Platform, slug: str, expected: int) -> None:
    """Slack announces alerts by default, and other chats never do."""
    assert expected == len(deliver(platform, slug, ALL, "alert_events"))
    assert [] == deliver(platform, slug, ALL, "alert_events", alert_events=False)


def test_nothing_is_sent_without_an_address_or_while_inactive(platform: Platform) -> None:
    """An integration without a webhook, or an inactive one, sends nothing."""
    assert [] == deliver(platform, "slack", {}, "issues_events")
    assert [] == deliver(platform, "slack", HOOK, "issues_events", active=False)


BRANCHES = [
    # setting, for master, for a protected branch that is not the default one, for another one
    ("default", True, False, False),
    ("protected", False, True, False),
    ("default_and_protected", True, True, False),
    ("all", True, True, True),
    ("none of these", False, False, False),
]


@pytest.fixture(scope="module")
def protected_elsewhere() -> Platform:
    """A world whose default branch is not protected, but ``stable`` is."""
    site = {"path_with_namespace": "acme/site", "protected_branches": [{"name": "stable"}]}
    platform = create_platform({"extends": "starter", "projects": [site]})
    with platform.acting() as ctx:
        for branch in list(ctx.world.protected_branches.all()):
            if branch.name == "master":
                ctx.world.protected_branches.remove(branch)
    return platform


@pytest.mark.parametrize(("setting", "default", "protected", "other"), BRANCHES)
def test_branches_are_filtered(
    protected_elsewhere: Platform, setting: str, default: bool, protected: bool, other: bool
) -> None:
    """The setting for branches filters pushes and pipelines alike."""
    settings = {**HOOK, "branches_to_be_notified": setting}
    for branch, expected in (("master", default), ("stable", protected), ("topic", other)):
        push = {**PUSH, "ref": f"refs/heads/{branch}"}
        pipeline = with_attributes(PIPELINE, ref=branch)
        assert expected == bool(deliver(protected_elsewhere, "slack", settings, "push_events", push))
        assert expected == bool(deliver(protected_elsewhere, "slack", settings, "pipeline_events", pipeline))


def test_tags_pass_the_branch_filter(platform: Platform) -> None:
    """Pushes and pipelines of tags pass the branch filter."""
    assert 1 == len(deliver(platform, "slack", HOOK, "tag_push_events"))
    assert 1 == len(deliver(platform, "slack", HOOK, "pipeline_events", with_attributes(PIPELINE, ref="v2", tag=True)))


@pytest.mark.parametrize(
    ("status", "only_broken", "expected"),
    [
        ("failed", True, 1),
        ("failed", False, 1),
        ("success", True, 0),
        ("success", False, 1),
        ("running", False, 0),
        ("canceled", False, 0),
    ],
)
def test_results_are_filtered(platform: Platform, status: str, only_broken: bool, expected: int) -> None:
    """Failed pipelines are always announced, successful ones unless only broken pipelines are wanted, others never."""
    settings = {**HOOK, "notify_only_broken_pipelines": only_broken}
    payload = with_attributes(PIPELINE, status=status)
    assert expected == len(deliver(platform, "slack", settings, "pipeline_events", payload))


@pytest.mark.parametrize("action", ["open", "close", "reopen", "update"])
def test_updates_are_not_announced(platform: Platform, action: str) -> None:
    """Updates of issues and merge requests are not announced, and other actions are."""
    for flag, payload in (("issues_events", ISSUE), ("merge_requests_events", MERGE_REQUEST)):
        sent = deliver(platform, "slack", HOOK, flag, with_attributes(payload, action=action))
        assert (action != "update") == bool(sent)


CHANNELS: list[tuple[dict[str, Any], str, list[str | None]]] = [
    ({}, "push_events", [None]),
    ({"channel": "town"}, "push_events", ["town"]),
    ({"channel": "town", "push_channel": "random"}, "push_events", ["random"]),
    ({"push_channel": "a, b"}, "push_events", ["a", "b"]),
    ({"confidential_issue_channel": "secret", "issue_channel": "x"}, "confidential_issues_events", ["secret"]),
    ({"issue_channel": "x", "channel": "town"}, "confidential_issues_events", ["x"]),
    ({"issue_channel": "x"}, "issues_events", ["x"]),
    ({"note_channel": "talk"}, "confidential_note_events", ["talk"]),
    ({"merge_request_channel": "mr"}, "merge_requests_events", ["mr"]),
    ({"tag_push_channel": "tags"}, "tag_push_events", ["tags"]),
    ({"pipeline_channel": "ci"}, "pipeline_events", ["ci"]),
    ({"wiki_page_channel": "wiki"}, "wiki_page_events", ["wiki"]),
]


@pytest.mark.parametrize(("settings", "flag", "expected"), CHANNELS)
def test_channels_of_events(
    platform: Platform, settings: dict[str, Any], flag: str, expected: list[str | None]
) -> None:
    """A message goes to each channel of its event, else to the default channel, else names none."""
    for slug in ("slack", "mattermost"):
        sent = deliver(platform, slug, {**HOOK, **settings}, flag)
        assert expected == [parse_slack_payload(request).get("channel") for request in sent]


COMPARE = f"{SITE}/compare/{BEFORE}...{AFTER}"
PUSH_TEXT = f"Dev pushed to branch <{SITE}/commits/master|master> of {P} (<{COMPARE}|Compare changes>)"
COMMIT_TEXT = f"<{SITE}/-/commit/{AFTER}|bbbbbbbb>: Add a page - Dev"
GREY, ORANGE = "#345", "#C95823"
TEXTS: list[tuple[str, Mapping[str, Any], str, list[dict[str, Any]]]] = [
    ("push_events", PUSH, PUSH_TEXT, [{"text": COMMIT_TEXT, "color": GREY}]),
    ("push_events", CREATED, f"Dev pushed new branch <{SITE}/commits/master|master> to {P}", []),
    ("push_events", REMOVED, f"Dev removed branch master from {P}", []),
    ("tag_push_events", TAG_PUSH, f"Dev pushed new tag <{SITE}/-/tags/v2|v2> to {P}", []),
    (
        "issues_events",
        ISSUE,
        f"[{P}] Issue <{SITE}/-/issues/7|#7 Broken page> opened by Dev (dev)",
        [
            {
                "title": "#7 Broken page",
                "title_link": f"{SITE}/-/issues/7",
                "text": "See <https://x.test/log|the log>",
                "color": ORANGE,
            }
        ],
    ),
    (
        "issues_events",
        with_attributes(ISSUE, state="closed", action="close"),
        f"[{P}] Issue <{SITE}/-/issues/7|#7 Broken page> closed by Dev (dev)",
        [],
    ),
    (
        "merge_requests_events",
        MERGE_REQUEST,
        f"Dev (dev) opened <{SITE}/-/merge_requests/9|!9 *Add a page*> in {P}",
        [],
    ),
    (
        "merge_requests_events",
        with_attributes(MERGE_REQUEST, state="merged", action="merge"),
        f"Dev (dev) merged <{SITE}/-/merge_requests/9|!9 *Add a page*> in {P}",
        [],
    ),
    *(
        (
            "merge_requests_events",
            with_attributes(MERGE_REQUEST, action=action),
            f"Dev (dev) {verb} <{SITE}/-/merge_requests/9|!9 *Add a page*> in {P}",
            list[dict[str, Any]](),
        )
        for action, verb in (
            ("approved", "approved"),
            ("unapproved", "unapproved"),
            ("approval", "added their approval to"),
            ("unapproval", "removed their approval from"),
        )
    ),
    (
        "note_events",
        NOTE,
        f"Dev (dev) <{SITE}/-/issues/7#note_1|commented on issue #7> in {P}: *Broken page*",
        [{"text": "Nice", "color": GREY}],
    ),
    (
        "wiki_page_events",
        WIKI_PAGE,
        f"Dev (dev) created <{SITE}/-/wikis/home|wiki page> in {P}: *Home*",
        [{"text": "Create home", "color": GREY}],
    ),
    (
        "wiki_page_events",
        with_attributes(WIKI_PAGE, action="update"),
        f"Dev (dev) edited <{SITE}/-/wikis/home|wiki page> in {P}: *Home*",
        [{"text": "Create home", "color": GREY}],
    ),
    (
        "deployment_events",
        DEPLOYMENT,
        "Deploy to staging succeeded",
        [
            {
                "text": f"{P}\n<{SITE}/-/jobs/5|Job #5>, SHA <{SITE}/-/commit/{AFTER}|bbbbbbbb>, by Dev (dev)",
                "color": "good",
            }
        ],
    ),
    (
        "alert_events",
        ALERT,
        "Alert firing in Acme / Site",
        [
            {
                "title": "Disk full",
                "title_link": f"{SITE}/-/alert_management/1/details",
                "color": ORANGE,
                "fields": [
                    {"title": "Severity", "value": "Critical", "short": True},
                    {"title": "Events", "value": 3, "short": True},
                    {"title": "Status", "value": "Triggered", "short": True},
                    {"title": "Start time", "value": "April 23rd, 2020 1:06AM UTC", "short": True},
                ],
            }
        ],
    ),
]


@pytest.mark.parametrize(("flag", "payload", "text", "attachments"), TEXTS)
def test_texts_for_slack(
    platform: Platform, flag: str, payload: Mapping[str, Any], text: str, attachments: list[dict[str, Any]]
) -> None:
    """Slack gets a form with one JSON field that has a text, its fallback and attachments."""
    (request,) = deliver(platform, "slack", {**HOOK, "username": "bot"}, flag, payload, deployment_events=True)
    assert ("POST", "https://chat.test/hook") == (request.method, request.url)
    assert {"Content-Type": "application/x-www-form-urlencoded"} == request.headers
    expected = {"username": "bot", "attachments": attachments, "fallback": text, "text": text}
    assert list(expected.items()) == list(parse_slack_payload(request).items())


@pytest.mark.parametrize(
    ("kind", "subject", "target", "title"),
    [
        ("Commit", {"commit": {"id": AFTER, "message": "Add a page\n\nMore"}}, "commit bbbbbbbb", "Add a page"),
        ("MergeRequest", {"merge_request": {"iid": 9, "title": "T"}}, "merge request !9", "T"),
        ("Snippet", {"snippet": {"id": 5, "title": "S"}}, "snippet $5", "S"),
    ],
)
def test_comments_name_their_target(
    platform: Platform, kind: str, subject: dict[str, Any], target: str, title: str
) -> None:
    """Comments on commits, merge requests and snippets name their target."""
    payload = {**with_attributes(NOTE, noteable_type=kind), **subject}
    (request,) = deliver(platform, "slack", HOOK, "note_events", payload)
    expected = f"Dev (dev) <{SITE}/-/issues/7#note_1|commented on {target}> in {P}: *{title}*"
    assert expected == parse_slack_payload(request)["text"]


def test_a_failed_pipeline_for_slack(platform: Platform) -> None:
    """Slack gets a failed pipeline as one attachment that lists the failed jobs, the last first."""
    (request,) = deliver(platform, "slack", HOOK, "pipeline_events")
    page, site = f"{SITE}/-/pipelines/31/failures", f"<{SITE}|Site>"
    payload = parse_slack_payload(request)
    (attachment,) = payload["attachments"]
    assert "" == payload["text"]
    assert {
        "fallback": f"{site}: Pipeline <{page}|#31> of branch <{SITE}/-/commits/master|master> by Dev (dev) "
        "has failed in 00:07",
        "color": "danger",
        "author_name": "Dev (dev)",
        "author_icon": "https://x.test/dev.png",
        "author_link": "https://fake.test/dev",
        "title": "Pipeline #31 has failed in 00:07",
        "title_link": page,
        "fields": [
            {"title": "Branch", "value": f"<{SITE}/-/commits/master|master>", "short": True},
            {"title": "Commit", "value": f"<{SITE}/-/commit/{AFTER}|Add a page>", "short": True},
            {"title": "Failed stage", "value": f"<{page}|test>", "short": True},
            {"title": "Failed jobs", "value": f"<{SITE}/-/jobs/3|lint>, <{SITE}/-/jobs/2|unit>", "short": True},
        ],
        "footer": "Site",
        "footer_icon": "https://x.test/site.png",
        "ts": 1605862800,
    } == attachment
    assert attachment["fallback"] == payload["fallback"]


@pytest.mark.parametrize(
    ("attributes", "title", "color"),
    [
        ({"status": "success", "detailed_status": "passed"}, "has passed in 00:07", "good"),
        (
            {"status": "success", "detailed_status": "passed with warnings"},
            "has passed with warnings in 00:07",
            "warning",
        ),
        ({"status": "failed", "duration": 3_723}, "has failed in 01:02:03", "danger"),
        ({"status": "failed", "duration": None}, "has failed in 00:00", "danger"),
    ],
)
def test_outcomes_of_pipelines(platform: Platform, attributes: dict[str, Any], title: str, color: str) -> None:
    """The outcome of a pipeline is shown in words with its duration, and as a color."""
    settings = {**HOOK, "notify_only_broken_pipelines": False}
    payload = with_attributes({**PIPELINE, "builds": [], "user": None}, **attributes)
    (request,) = deliver(platform, "slack", settings, "pipeline_events", payload)
    (attachment,) = parse_slack_payload(request)["attachments"]
    assert (f"Pipeline #31 {title}", color) == (attachment["title"], attachment["color"])
    assert (f"{SITE}/-/pipelines/31", "API", None) == (
        attachment["title_link"],
        attachment["author_name"],
        attachment["author_link"],
    )


def test_many_failed_jobs_are_cut(platform: Platform) -> None:
    """Of many failed jobs ten are listed, with the number of the others."""
    builds = [{"id": n, "stage": f"s{n % 2}", "name": f"job{n}", "status": "failed"} for n in range(1, 13)]
    (request,) = deliver(platform, "slack", HOOK, "pipeline_events", {**PIPELINE, "builds": builds})
    stages, jobs = parse_slack_payload(request)["attachments"][0]["fields"][2:]
    page = f"{SITE}/-/pipelines/31/failures"
    assert ("Failed stages", f"<{page}|s0>, <{page}|s1>") == (stages["title"], stages["value"])
    assert f", and <{page}|2 more>" == jobs["value"][jobs["value"].index(", and") :]
    assert jobs["value"].startswith(f"<{SITE}/-/jobs/12|job12>, ")


TEAMS: list[tuple[str, Mapping[str, Any], str, tuple[str, str, str], str]] = [
    (
        "push_events",
        PUSH,
        f"Dev pushed to branch [master]({SITE}/commits/master) of {MD} ([Compare changes]({COMPARE}))",
        (
            f"Dev pushed to branch [master]({SITE}/commits/master)",
            f"in {MD}",
            f"[Compare changes]({COMPARE})",
        ),
        f"[bbbbbbbb]({SITE}/-/commit/{AFTER}): Add a page - Dev",
    ),
    (
        "issues_events",
        ISSUE,
        f"[{MD}] Issue [#7 Broken page]({SITE}/-/issues/7) opened by Dev (dev)",
        ("Issue opened by Dev (dev)", f"in {MD}", f"[#7 Broken page]({SITE}/-/issues/7)"),
        "See [the log](https://x.test/log)",
    ),
    (
        "merge_requests_events",
        MERGE_REQUEST,
        f"Dev (dev) opened [!9 *Add a page*]({SITE}/-/merge_requests/9) in {MD}",
        ("Merge Request opened by Dev (dev)", f"in {MD}", f"[!9 *Add a page*]({SITE}/-/merge_requests/9)"),
        "",
    ),
    (
        "note_events",
        NOTE,
        f"Dev (dev) [commented on issue #7]({SITE}/-/issues/7#note_1) in {MD}: *Broken page*",
        (f"Dev (dev) [commented on issue #7]({SITE}/-/issues/7#note_1)", f"in {MD}", "Broken page"),
        "Nice",
    ),
    (
        "wiki_page_events",
        WIKI_PAGE,
        f"Dev (dev) created [wiki page]({SITE}/-/wikis/home) in {MD}: *Home*",
        (f"Dev (dev) created [wiki page]({SITE}/-/wikis/home)", f"in {MD}", "Home"),
        "Create home",
    ),
]


@pytest.mark.parametrize(("flag", "payload", "summary", "activity", "details"), TEAMS)
def test_cards_for_teams(
    platform: Platform,
    flag: str,
    payload: Mapping[str, Any],
    summary: str,
    activity: tuple[str, str, str],
    details: str,
) -> None:
    """Microsoft Teams gets a section with the activity, and one with details if there are any, in Markdown."""
    (request,) = deliver(platform, "microsoft-teams", HOOK, flag, payload)
    title, subtitle, text = activity
    sections: list[dict[str, Any]] = [
        {
            "activityTitle": title,
            "activitySubtitle": subtitle,
            "activityText": text,
            "activityImage": "https://x.test/dev.png",
        }
    ]
    if details:
        sections.append({"title": "Details", "facts": [{"name": "Attachments", "value": details}]})
    assert {"sections": sections, "title": "Acme / Site", "summary": summary} == parse_json(request)
    assert {"Content-Type": "application/json"} == request.headers


def test_a_pipeline_for_teams(platform: Platform) -> None:
    """Microsoft Teams gets a pipeline with its message as summary, and no image without a user."""
    (request,) = deliver(platform, "microsoft-teams", HOOK, "pipeline_events", {**PIPELINE, "builds": [], "user": None})
    pipeline = f"Pipeline [#31]({SITE}/-/pipelines/31) of branch [master]({SITE}/-/commits/master) by API has failed"
    body = parse_json(request)
    assert f"[Site]({SITE}): {pipeline} in 00:07" == body["summary"]
    assert {
        "activityTitle": pipeline,
        "activitySubtitle": f"in [Site]({SITE})",
        "activityText": "in 00:07",
        "activityImage": "",
    } == body["sections"][0]


def test_embeds_for_discord(platform: Platform) -> None:
    """Discord gets an embed with the user as author and the text and details as description."""
    (request,) = deliver(platform, "discord", HOOK, "note_events")
    text = f"Dev (dev) [commented on issue #7]({SITE}/-/issues/7#note_1) in {MD}: *Broken page*"
    author = {"name": "dev", "icon_url": "https://x.test/dev.png"}
    assert {"embeds": [{"author": author, "description": f"{text}\nNice"}]} == parse_json(request)


def test_texts_for_hangouts(platform: Platform) -> None:
    """Hangouts Chat gets the text, title and description on separate lines, with links in Slack's format."""
    (request,) = deliver(platform, "hangouts-chat", HOOK, "issues_events")
    issue = f"<{SITE}/-/issues/7|#7 Broken page>"
    text = f"[{P}] Issue {issue} opened by Dev (dev)\n{issue}\nSee <https://x.test/log|the log>"
    assert {"text": text} == parse_json(request)
    (request,) = deliver(platform, "hangouts-chat", HOOK, "merge_requests_events")
    assert {"text": f"Dev (dev) opened <{SITE}/-/merge_requests/9|!9 *Add a page*> in {P}"} == parse_json(request)


def test_texts_for_circuit_and_webex(platform: Platform) -> None:
    """Unify Circuit and Webex Teams get Markdown; Circuit also gets the project's name as subject."""
    text = f"Dev (dev) opened [!9 *Add a page*]({SITE}/-/merge_requests/9) in {MD}"
    (request,) = deliver(platform, "unify-circuit", HOOK, "merge_requests_events")
    assert {"subject": "Acme / Site", "text": text, "markdown": True} == parse_json(request)
    (request,) = deliver(platform, "webex-teams", HOOK, "merge_requests_events")
    assert {"markdown": text} == parse_json(request)


def test_messages_for_hipchat(platform: Platform) -> None:
    """HipChat gets HTML in the color of the settings, or of the result for pipelines, and no successes."""
    settings = {"token": "t", "room": "dev", "color": "gray", "notify": True}
    (request,) = deliver(platform, "hipchat", settings, "push_events")
    assert "https://api.hipchat.com/v2/room/dev/notification?auth_token=t" == request.url
    site = f'<a href="{SITE}">Acme/Site</a>'
    assert {
        "room_id": "dev",
        "from": "GitLab",
        "message": f'Dev pushed to branch <a href="{SITE}/commits/master">master</a> of {site} '
        f'(<a href="{SITE}/compare/{BEFORE}...{AFTER}">Compare changes</a>)'
        f'<br /> - Add a page (<a href="{SITE}/-/commit/{AFTER}">bbbbbb</a>)',
        "message_format": "html",
        "color": "gray",
        "notify": True,
    } == parse_json(request)
    for flag, verb, page, target, text in (
        (
            "issues_events",
            "opened",
            "issues/7",
            "issue #7",
            "<b>Broken page</b><pre>See [the log](https://x.test/log)</pre>",
        ),
        (
            "merge_requests_events",
            "opened",
            "merge_requests/9",
            "merge request !9",
            "<b>Add a page</b><pre>Closes ABC-8</pre>",
        ),
        ("note_events", "commented on", "issues/7#note_1", "issue #7", "<b>Broken page</b><pre>Nice</pre>"),
    ):
        (request,) = deliver(platform, "hipchat", settings, flag)
        message = f'Dev {verb} <a href="{SITE}/-/{page}">{target}</a> in {site}: {text}'
        assert message == parse_json(request)["message"]
    (request,) = deliver(platform, "hipchat", settings, "pipeline_events")
    assert "red" == parse_json(request)["color"]
    assert [] == deliver(platform, "hipchat", settings, "pipeline_events", with_attributes(PIPELINE, status="success"))


def test_images_of_uploads_become_addresses(platform: Platform) -> None:
    """Relative URLs of images become absolute in texts for Slack."""
    payload = with_attributes(NOTE, note="Look: ![shot](/uploads/1/shot.png)")
    (request,) = deliver(platform, "slack", HOOK, "note_events", payload)
    assert f"Look: {SITE}/uploads/1/shot.png" == parse_slack_payload(request)["attachments"][0]["text"]


def test_a_local_address_is_blocked_when_the_setting_is_off() -> None:
    """A request to a local address is recorded as blocked, with the reason, when the setting forbids it."""
    platform = create_platform("starter")
    local = {"webhook": "http://127.0.0.1:9/hook"}
    for allowed, expected in (
        (True, ""),
        (False, "URL 'http://127.0.0.1:9/hook' is blocked: Requests to localhost are not allowed"),
    ):
        setting = {"allow_local_requests_from_web_hooks_and_services": allowed}
        write(platform, "PUT", "application/settings", "root-token", **setting)
        (request,) = deliver(platform, "slack", local, "issues_events")
        assert expected == request.blocked
