"""Recipients of mails about merge requests. Source: docs/platform/mail.md ('Events and recipients')."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.mailboxes import (
    ASKING,
    MERGE_REQUEST,
    PEOPLE,
    SITE,
    STANDARD,
    WATCHING,
    commit,
    send_request,
    take_mails,
    take_reasons,
    take_recipients,
)

pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")


def create_merge_request(fake: Fakeplat, by: str = "author") -> None:
    commit(fake, "other")
    take_mails(fake)
    branches = {"source_branch": "other", "target_branch": "master"}
    send_request(fake, "POST", f"{SITE}/merge_requests", by, title="Fix", description="cc @named @off", **branches)


def test_a_new_merge_request(fakeplat: Fakeplat) -> None:
    """A new merge request is mailed to watchers, mentioned users and those who want the event."""
    create_merge_request(fakeplat)
    (mail, *_) = fakeplat.mails

    assert {"named", *WATCHING, *ASKING} == take_recipients(fakeplat)
    assert "Site | Fix (!2)" == mail.subject
    assert "created a merge request: !2 ( http" in mail.body
    assert "Branches: other to master" in mail.body


def test_own_activity(fakeplat: Fakeplat) -> None:
    """Users get mails about their own merge requests only if they want them."""
    fakeplat.load({"users": [{"username": "author", "notified_of_own_activity": True}]})
    create_merge_request(fakeplat)

    assert "own_activity" == take_reasons(fakeplat)["author"]


@pytest.mark.parametrize("word", ["close", "reopen"])
def test_closing_and_reopening(fakeplat: Fakeplat, word: str) -> None:
    """Closing and reopening a merge request sends a mail to everybody involved."""
    if word == "reopen":
        send_request(fakeplat, "PUT", MERGE_REQUEST, state_event="close")
        take_mails(fakeplat)
    send_request(fakeplat, "PUT", MERGE_REQUEST, state_event=word)

    assert {*STANDARD} == take_recipients(fakeplat)


def test_merging(fakeplat: Fakeplat) -> None:
    """Merging sends a mail with branches, author and assignee to everybody else involved."""
    send_request(fakeplat, "PUT", f"{MERGE_REQUEST}/merge")
    (mail, *_) = fakeplat.mails

    assert {*STANDARD} == take_recipients(fakeplat)
    texts = ["Merge request !1 was merged by actor", "Branches: feature to master", "Author: author"]
    assert [*texts, "Assignee: assignee"] == mail.body.split("\n\n")[:4]


def test_mails_name_all_assignees(fakeplat: Fakeplat) -> None:
    """Mails about a new and about a merged merge request name its assignees, in the plural if there are several."""
    ids = [fakeplat.world.user(name).id for name in ("assignee", "lazy", "named")]
    for number, (assignees, expected) in enumerate(
        [([], []), (ids[:1], ["Assignee: assignee"]), (ids, ["Assignees: assignee, lazy, and named"])]
    ):
        branch = f"feature-{number}"
        commit(fakeplat, branch, f"{branch}.txt")
        fields = {"source_branch": branch, "target_branch": "master", "title": "Fix", "assignee_ids": assignees}
        iid = send_request(fakeplat, "POST", f"{SITE}/merge_requests", **fields)["iid"]
        (created, *_) = take_mails(fakeplat)
        send_request(fakeplat, "PUT", f"{SITE}/merge_requests/{iid}/merge")
        (merged, *_) = take_mails(fakeplat)

        for mail in (created, merged):
            assert expected == [line for line in mail.body.splitlines() if line.startswith("Assignee")]


def test_waiting_for_the_pipeline(fakeplat: Fakeplat) -> None:
    """Setting it tells the others; the merge itself is no activity of the one who set it, here a watcher."""
    send_request(fakeplat, "PUT", "notification_settings", level="watch")
    url = f"{SITE}/statuses/{fakeplat.as_user('actor').get(MERGE_REQUEST).json()['sha']}"
    send_request(fakeplat, "POST", url, state="running", ref="feature")
    send_request(fakeplat, "PUT", f"{MERGE_REQUEST}/merge", merge_when_pipeline_succeeds=True)
    text = "Merge request !1 was scheduled to merge after pipeline succeeds by actor"
    assert {text} == {mail.body.partition("\n")[0] for mail in fakeplat.mails}
    assert {*STANDARD} - ASKING == take_recipients(fakeplat) - ASKING

    send_request(fakeplat, "POST", url, state="success", ref="feature")
    merged = {mail.to.partition("@")[0] for mail in take_mails(fakeplat) if "was merged by actor" in mail.body}
    assert {*STANDARD, "actor"} == merged


def test_reassignment(fakeplat: Fakeplat) -> None:
    """The new and the previous assignees at any level that allows mentions."""
    send_request(fakeplat, "PUT", MERGE_REQUEST, assignee_ids=[fakeplat.world.user("mention").id])
    (mail, *_) = fakeplat.mails
    reasons_by_user = take_reasons(fakeplat)

    assert {*STANDARD, "mention"} == {*reasons_by_user}
    assert "assigned" == reasons_by_user["mention"]
    assert "Assignee changed from assignee to mention" == mail.body.partition("\n")[0]


def test_pushed_commits(fakeplat: Fakeplat) -> None:
    """Watchers are not told, unless they take part; the commits are listed."""
    sha = commit(fakeplat, "feature", start=False)
    mails = [mail for mail in fakeplat.mails if "new commits" in mail.body]

    assert {*STANDARD} - WATCHING | {"watching_subscriber"} == take_recipients(fakeplat)
    text = f"actor pushed new commits to merge request !1 ( {fakeplat.url}/org/acme/site/-/merge_requests/1 )"
    assert {f"{text}\n\n* {sha[:8]} - Add b.txt"} == {mail.body.partition("\n\n-- ")[0] for mail in mails}


def test_conflicts(fakeplat: Fakeplat) -> None:
    """The author alone is told, once a check finds them."""
    commit(fakeplat, "master", "a.txt", start=False)
    take_mails(fakeplat)
    send_request(fakeplat, "GET", MERGE_REQUEST)
    (mail,) = take_mails(fakeplat)

    assert "author@example.test" == mail.to
    assert "can no longer be merged due to conflict." in mail.body
    send_request(fakeplat, "GET", MERGE_REQUEST)
    assert [] == take_mails(fakeplat)


def test_resolved_threads(fakeplat: Fakeplat) -> None:
    """Resolving the last one tells everybody involved."""
    ids = [
        send_request(fakeplat, "POST", f"{MERGE_REQUEST}/discussions", "author", body="Why?")["id"] for _ in range(2)
    ]
    take_mails(fakeplat)
    send_request(fakeplat, "PUT", f"{MERGE_REQUEST}/discussions/{ids[0]}", resolved=True)
    assert [] == take_mails(fakeplat)
    send_request(fakeplat, "PUT", f"{MERGE_REQUEST}/discussions/{ids[1]}", resolved=True)

    assert "All discussions on merge request !1 were resolved by actor" in next(iter(fakeplat.mails)).body
    assert {*STANDARD} - ASKING == take_recipients(fakeplat)


def test_guests_of_private_projects(fakeplat: Fakeplat) -> None:
    """See no merge requests, so they are not told of them."""
    send_request(fakeplat, "PUT", SITE, "root_owner", visibility="private")
    fakeplat.load({"projects": [{"path_with_namespace": "org/acme/site", "members": {"guest_watcher": "guest"}}]})
    send_request(fakeplat, "PUT", MERGE_REQUEST, state_event="close")

    assert {*STANDARD} - {"guest_watcher", "guest_custom"} == take_recipients(fakeplat)
