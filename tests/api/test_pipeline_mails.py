"""Mails about results of pipelines. Source: docs/platform/mail.md ('Events and recipients', 'Subjects')."""

from typing import Any
from urllib.parse import unquote

import pytest

from fakeplat.domain.ci import pipelines
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Status
from tests.api.ci_jobs import find_project
from tests.api.mailboxes import PEOPLE, SITE, send_request, take_mails

pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")
LEVELS: dict[str, dict[str, Any]] = {
    "default": {},
    "watch": {"level": "watch"},
    "custom": {"level": "custom"},
    "on": {"level": "custom", "success_pipeline": True},
    "off": {"level": "custom", "failed_pipeline": False, "fixed_pipeline": False},
}


def finish_commits(fake: Fakeplat, *states: str) -> str:
    """Report statuses of a new commit each; return the last commit."""
    sha = ""
    for number, state in enumerate(states):
        actions = [{"action": "create", "file_path": f"{number}.txt", "content": "x"}]
        body = {"branch": "master", "commit_message": "More", "actions": actions}
        sha = str(send_request(fake, "POST", f"{SITE}/repository/commits", **body)["id"])
        take_mails(fake)
        send_request(fake, "POST", f"{SITE}/statuses/{sha}", state=state, ref="master", name="build")
    return sha


@pytest.mark.parametrize(
    ("states", "recipients"),
    [
        (("success",), {"on"}),
        (("failed",), {"default", "watch", "custom", "on"}),
        (("failed", "success"), {"default", "watch", "custom", "on"}),
    ],
    ids=["succeeded", "failed", "fixed"],
)
@pytest.mark.parametrize("level", LEVELS)
def test_recipients_of_a_result(fakeplat: Fakeplat, states: tuple[str, ...], recipients: set[str], level: str) -> None:
    """A pipeline's user gets mail about its result as the notification level says."""
    send_request(fakeplat, "PUT", f"{SITE}/notification_settings", **LEVELS[level])
    finish_commits(fakeplat, *states)

    assert ["actor@example.test"] * (level in recipients) == [mail.to for mail in take_mails(fakeplat)]


@pytest.mark.parametrize(
    ("states", "words", "status"),
    [
        (("success",), "has succeeded", "success"),
        (("failed",), "has failed", "failed"),
        (("failed", "success"), "has been fixed", "success"),
    ],
    ids=["succeeded", "failed", "fixed"],
)
def test_the_mail(fakeplat: Fakeplat, states: tuple[str, ...], words: str, status: str) -> None:
    """The mail of a pipeline names pipeline, branch and commit and hides the recipients."""
    send_request(fakeplat, "PUT", f"{SITE}/notification_settings", **LEVELS["on"])
    sha = finish_commits(fakeplat, *states)
    (mail,) = take_mails(fakeplat)
    id_ = send_request(fakeplat, "GET", f"{SITE}/pipelines")[0]["id"]

    assert f"Site | Pipeline #{id_} {words} for master | {sha[:8]}" == mail.subject
    assert "actor@example.test" == mail.headers["Bcc"]
    headers = [mail.headers[f"X-GitLab-Pipeline-{name}"] for name in ("Id", "Ref", "Status")]
    assert [str(id_), "master", status] == headers
    assert ("Failed job: external: build" in mail.body) == (status == "failed")


def test_who_may_not_see_pipelines(fakeplat: Fakeplat) -> None:
    """Users who may not see pipelines get no mails about them."""
    finish_commits(fakeplat, "running")
    send_request(fakeplat, "PUT", SITE, builds_access_level="disabled")
    pipeline = next(iter(fakeplat.bench.platform.view.pipelines))
    with fakeplat.bench.platform.acting() as ctx:
        from fakeplat.domain.ci import pipelines

        pipelines.set_status(ctx, pipeline, "failed")

    assert [] == take_mails(fakeplat)


def test_the_address_for_a_group(fakeplat: Fakeplat) -> None:
    """The notification address of a group is used for its projects' pipelines."""
    settings = [{"username": "actor", "notification_email": "actor@work.test"}]
    fakeplat.load({"groups": [{"full_path": "org", "notification_settings": settings}]})
    finish_commits(fakeplat, "failed")

    assert ["actor@work.test"] == [mail.to for mail in take_mails(fakeplat)]


def test_a_branch_does_not_fix_a_tag_of_its_name(fakeplat: Fakeplat) -> None:
    """A pipeline that succeeds after a failed one of a tag with the branch's name fixes nothing."""
    send_request(fakeplat, "PUT", f"{SITE}/notification_settings", **LEVELS["on"])
    send_request(fakeplat, "POST", f"{SITE}/repository/branches", branch="twin", ref="master")
    sha = send_request(fakeplat, "POST", f"{SITE}/repository/tags", tag_name="twin", ref="master")["commit"]["id"]
    take_mails(fakeplat)
    with fakeplat.bench.platform.acting(fakeplat.bench.platform.view.users.find("username", "actor")) as ctx:
        results: tuple[tuple[bool, Status], ...] = ((True, "failed"), (False, "success"))
        site = find_project(ctx.world, unquote(SITE.removeprefix("projects/")))
        for tag, status in results:
            created = pipelines.create(ctx, site, ref="twin", sha=sha, tag=tag, user_id=ctx.signed_in_user.id)
            pipelines.set_status(ctx, created, status)

    words = ("failed", "fixed", "succeeded")
    assert [["failed"], ["succeeded"]] == [
        [word for word in words if word in mail.subject] for mail in take_mails(fakeplat)
    ]
