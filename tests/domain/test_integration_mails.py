"""E-mail that integrations send about pushes and pipelines.

Source: docs/platform/integrations.md ('Mail services'); the platform's specs of its mailers.
"""

from typing import Any

import pytest

from fakeplat.domain.repository import repositories
from fakeplat.platform import Platform
from tests.domain.integration_events import (
    AFTER,
    BEFORE,
    COMMIT,
    PIPELINE,
    PUSH,
    SITE,
    TAG_PUSH,
    ZEROS,
    deliver,
    with_attributes,
)
from tests.scenario.worlds import create_platform, get_group, project

TO = {"recipients": "a@x.test b@x.test"}
REMOVED = {**PUSH, "after": ZEROS, "commits": [], "total_commits_count": 0}
PROJECT_HEADERS = {
    "X-GitLab-Project": "Site",
    "X-GitLab-Project-Id": "5001",
    "X-GitLab-Project-Path": "acme/site",
    "List-Id": "acme/site <5001.site.acme.fake.test>",
}


@pytest.fixture(scope="module")
def platform() -> Platform:
    """A world that no test changes."""
    return create_platform("starter")


def test_a_push_is_mailed_to_each_recipient(platform: Platform) -> None:
    """A push is mailed to each recipient in the pusher's name, with its commits and the project's headers."""
    first, second = deliver(platform, "emails-on-push", TO, "push_events")
    assert ["a@x.test", "b@x.test"] == [first.to, second.to]
    assert "[Git][acme/site][master] Add a page" == first.subject
    assert {
        "From": '"Dev" <gitlab@fake.test>',
        "Reply-To": '"Dev" <noreply@fake.test>',
        **PROJECT_HEADERS,
        "X-GitLab-Author": "dev",
    } == first.headers
    assert (
        "Dev pushed to branch master at Acme / Site\n\n"
        "Commits:\n\n"
        "bbbbbbbb by Dev at 2020-11-20T09:00:00+00:00\nAdd a page\n\nFixes ABC-7\n\n"
        "2 changed files:\nREADME.md\nnew.md\n\n"
        f"View it on GitLab: {SITE}/-/commit/{AFTER}\n"
    ) == first.body


SUBJECTS: list[tuple[str, dict[str, Any], str]] = [
    (
        "push_events",
        {**PUSH, "commits": [COMMIT, {**COMMIT, "title": "More"}], "total_commits_count": 2},
        "[Git][acme/site][master] 2 commits: Add a page",
    ),
    ("push_events", {**PUSH, "before": ZEROS}, "[Git][acme/site] Pushed new branch master"),
    ("push_events", REMOVED, "[Git][acme/site] Deleted branch master"),
    ("tag_push_events", TAG_PUSH, "[Git][acme/site] Pushed new tag v2"),
    ("tag_push_events", {**TAG_PUSH, "before": BEFORE, "after": ZEROS}, "[Git][acme/site] Deleted tag v2"),
]


@pytest.mark.parametrize(("flag", "payload", "subject"), SUBJECTS)
def test_subjects_of_pushes(platform: Platform, flag: str, payload: dict[str, Any], subject: str) -> None:
    """The subject of a mail about a push says what happened to which ref."""
    assert {subject} == {mail.subject for mail in deliver(platform, "emails-on-push", TO, flag, payload)}


def test_a_push_that_takes_commits_away(platform: Platform) -> None:
    """The mail about a push that removes commits names them; a push without a difference is not mailed."""
    commits = repositories.open_repository(platform.view, project(platform.view, "acme/site"))
    newest = commits.commit("master")
    parent = newest.parents[0]
    push = {**PUSH, "before": newest.sha, "after": parent, "commits": [], "total_commits_count": 0}
    (mail, _) = deliver(platform, "emails-on-push", TO, "push_events", push)
    title = newest.message.partition("\n")[0]
    assert f"[Git][acme/site][master] Deleted 1 commit: {title}" == mail.subject
    same = {**push, "after": newest.sha}
    assert [] == deliver(platform, "emails-on-push", TO, "push_events", same)


@pytest.mark.parametrize(
    ("origin_domain", "allowed", "expected"),
    [("fake.test", True, "dev@fake.test"), ("fake.test", False, ""), ("elsewhere.test", True, ""), ("test", True, "")],
)
def test_the_sender_can_be_the_pusher(origin_domain: str, allowed: bool, expected: str) -> None:
    """The sender is the pusher if the setting allows it and the address is of the host or a parent domain."""
    platform = create_platform("starter")
    with platform.acting() as ctx:
        user = ctx.world.users[4]
        ctx.world.users.change(user, email=f"dev@{origin_domain}")
    settings = {**TO, "send_from_committer_email": allowed}
    mail, _ = deliver(platform, "emails-on-push", settings, "push_events")
    address = expected or "gitlab@fake.test"
    assert f'"Dev" <{address}>' == mail.headers["From"]


def test_branches_of_pushes_are_filtered(platform: Platform) -> None:
    """Pushes to all branches are mailed by default; the filter of branches does not apply to tags."""
    topic = {**PUSH, "ref": "refs/heads/topic"}
    assert 2 == len(deliver(platform, "emails-on-push", TO, "push_events", topic))
    default = {**TO, "branches_to_be_notified": "default"}
    assert [] == deliver(platform, "emails-on-push", default, "push_events", topic)
    assert 2 == len(deliver(platform, "emails-on-push", default, "push_events"))
    assert 2 == len(deliver(platform, "emails-on-push", default, "tag_push_events"))


@pytest.mark.parametrize("level", ["project", "group"])
def test_nothing_is_mailed_where_that_is_disabled(level: str) -> None:
    """Neither pushes nor pipelines are mailed if the project or its group disables mails."""
    platform = create_platform("starter")
    with platform.acting() as ctx:
        if level == "project":
            ctx.world.projects.change(project(ctx.world, "acme/site"), emails_disabled=True)
        else:
            ctx.world.namespaces.change(get_group(ctx.world, "acme"), emails_disabled=True)
    assert [] == deliver(platform, "emails-on-push", TO, "push_events")
    assert [] == deliver(platform, "pipelines-email", TO, "pipeline_events")


def test_a_failed_pipeline_is_mailed(platform: Platform) -> None:
    """A failed pipeline is mailed to each recipient with its headers and failed jobs."""
    settings = {"recipients": "a@x.test, b@x.test\nc@x.test"}
    payload = {**PIPELINE, "merge_request": {"iid": 9}}
    first, *others = deliver(platform, "pipelines-email", settings, "pipeline_events", payload)
    assert ["a@x.test", "b@x.test", "c@x.test"] == [first.to, *(mail.to for mail in others)]
    assert "Site | Pipeline #31 has failed for master | bbbbbbbb in !9" == first.subject
    assert {
        "From": '"GitLab" <gitlab@fake.test>',
        "Reply-To": '"GitLab" <noreply@fake.test>',
        **PROJECT_HEADERS,
        "X-GitLab-Pipeline-Id": "31",
        "X-GitLab-Pipeline-Ref": "master",
        "X-GitLab-Pipeline-Status": "failed",
    } == first.headers
    assert f"Failed job: test: unit ( {SITE}/-/jobs/2 )" in first.body


def test_a_successful_pipeline_is_mailed(platform: Platform) -> None:
    """The mail about a successful pipeline says so in subject and headers, and lists only jobs that failed."""
    settings = {**TO, "notify_only_broken_pipelines": False}
    job = {"id": 1, "stage": "build", "name": "compile", "status": "success"}
    payload = {**with_attributes(PIPELINE, status="success"), "builds": [job]}
    mail, _ = deliver(platform, "pipelines-email", settings, "pipeline_events", payload)
    assert "Site | Pipeline #31 has succeeded for master | bbbbbbbb" == mail.subject
    assert "success" == mail.headers["X-GitLab-Pipeline-Status"]
    assert "Failed job" not in mail.body


RESULTS: list[tuple[dict[str, Any], dict[str, Any], int]] = [
    ({}, {"status": "success"}, 0),
    ({"notify_only_broken_pipelines": False}, {"status": "success"}, 2),
    ({"notify_only_broken_pipelines": False}, {"status": "running"}, 0),
    ({}, {"ref": "topic"}, 0),
    ({"branches_to_be_notified": "all"}, {"ref": "topic"}, 2),
    # Tags are no exception here.
    ({}, {"ref": "v2", "tag": True}, 0),
]


@pytest.mark.parametrize(("settings", "attributes", "expected"), RESULTS)
def test_results_and_branches_of_pipelines_are_filtered(
    platform: Platform, settings: dict[str, Any], attributes: dict[str, Any], expected: int
) -> None:
    """Mails about pipelines are filtered by result and by branch, and tags do not pass the filter."""
    payload = with_attributes(PIPELINE, **attributes)
    assert expected == len(deliver(platform, "pipelines-email", {**TO, **settings}, "pipeline_events", payload))
