"""The recipients of mails about comments, and their threads. Source: docs/platform/mail.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.mails import Mail
from tests.api.mailboxes import (
    ISSUE,
    MERGE_REQUEST,
    PEOPLE,
    SITE,
    VAULT,
    commit,
    send_request,
    take_mails,
    take_reasons,
    take_recipients,
)

pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")
HEADERS = ("Message-ID", "In-Reply-To", "References")


def create_note(fake: Fakeplat, url: str = ISSUE, by: str = "actor", /, **body: Any) -> Any:
    return send_request(fake, "POST", f"{url}/notes", by, **{"body": "Hello", **body})


def thread_of(fake: Fakeplat, mail: Mail) -> list[list[str]]:
    """Return the ids in the headers of a thread, without the host, which is the same in all of them."""
    host = f"@{fake.url.split('//')[1].split(':')[0]}>"
    return [[id_.removeprefix("<").removesuffix(host) for id_ in mail.headers[name].split()] for name in HEADERS]


def test_a_comment_on_a_private_issue(fakeplat: Fakeplat) -> None:
    """A comment on a private issue is mailed to members, each for the best reason."""
    subscribers = ["subscriber", "watching_subscriber", "participating", {"username": "off", "subscribed": True}]
    issue: dict[str, Any] = {"iid": 1, "title": "Secret", "author": "author", "assignees": ["assignee"]}
    issue["subscribers"] = [*subscribers, {"username": "unsubscribed_named", "subscribed": False}]
    issue["notes"] = [{"author": "custom_off", "body": "I was here"}, {"author": "actor", "body": "So was I"}]
    fakeplat.load({"projects": [{"path_with_namespace": "org/acme/vault", "issues": [issue]}]})
    create_note(fakeplat, f"{VAULT}/issues/1", body="@mention @unsubscribed_named @outsider cc @lazy")
    reasons_by_user = take_reasons(fakeplat)

    subscribed = dict.fromkeys(("subscriber", "watching_subscriber", "participating", "off"), "subscribed")
    mentioned = dict.fromkeys(("mention", "unsubscribed_named", "lazy"), "mentioned")
    others = ("watcher", "group_watcher", "parent_watcher", "author", "assignee", "custom", "custom_off")
    assert {**subscribed, **mentioned, **dict.fromkeys(others, "")} == reasons_by_user


def test_the_author_of_a_comment(fakeplat: Fakeplat) -> None:
    """The author of a comment gets a mail only if they want it."""
    fakeplat.load({"users": [{"username": "actor", "notified_of_own_activity": True}]})
    create_note(fakeplat)

    assert "own_activity" == take_reasons(fakeplat)["actor"]


def test_a_comment_for_all(fakeplat: Fakeplat) -> None:
    """A comment with @all is mailed to all other members who want mail."""
    create_note(fakeplat, body="@all Look")
    recipients = take_recipients(fakeplat)

    assert {"lazy", "mention", "participating", "unsubscriber", "unsubscribed_named", "root_owner"} <= recipients
    assert not {"actor", "off", "outsider"} & recipients


def test_references_send_no_mail(fakeplat: Fakeplat) -> None:
    """The note that the platform writes on a mentioned record is no comment."""
    create_note(fakeplat, MERGE_REQUEST, body="See #1")

    assert {"Re: Site | Broken (!1)"} == {mail.subject for mail in take_mails(fakeplat)}


def test_a_comment_on_a_confidential_issue(fakeplat: Fakeplat) -> None:
    """Naming people shows it to nobody who may not see it."""
    send_request(fakeplat, "PUT", ISSUE, confidential=True)
    take_mails(fakeplat)
    create_note(fakeplat, body="@author @assignee @lazy @outsider @guest_watcher @guest_custom")
    recipients = take_recipients(fakeplat)

    assert {"author", "assignee", "lazy"} <= recipients
    assert not {"outsider", "guest_watcher", "guest_custom"} & recipients


def test_a_single_comment_answers_the_issue(fakeplat: Fakeplat) -> None:
    """The mail of a comment is from its author and replies to the issue."""
    created = create_note(fakeplat, body="Look at this")
    issue_id = send_request(fakeplat, "GET", ISSUE)["id"]
    mail = next(mail for mail in fakeplat.mails if mail.to == "author@example.test")

    assert "Re: Site | Broken (#1)" == mail.subject
    assert mail.headers["From"].startswith('"actor" <gitlab@')
    assert [[f"note_{created['id']}"], [f"issue_{issue_id}"], [f"issue_{issue_id}"]] == thread_of(fakeplat, mail)
    assert mail.body.startswith("actor commented:\n\nLook at this\n\n-- \nView it on GitLab: ")
    assert f"{fakeplat.url}/org/acme/site/-/issues/1#note_{created['id']}\n" in mail.body


def test_the_third_comment_of_a_discussion(fakeplat: Fakeplat) -> None:
    """The mail of a third comment replies to the second and refers to all before."""
    discussion = send_request(fakeplat, "POST", f"{ISSUE}/discussions", "author", body="Why?")
    for text in ("Because", "I see"):
        take_mails(fakeplat)
        send_request(fakeplat, "POST", f"{ISSUE}/discussions/{discussion['id']}/notes", body=text)
    notes = send_request(fakeplat, "GET", f"{ISSUE}/discussions/{discussion['id']}")["notes"]
    first, second, third = (f"note_{each['id']}" for each in notes)
    issue = f"issue_{send_request(fakeplat, 'GET', ISSUE)['id']}"
    mail = next(mail for mail in fakeplat.mails if mail.to == "author@example.test")

    assert [[third], [second], [issue, first, second]] == thread_of(fakeplat, mail)
    assert discussion["id"] == mail.headers["X-GitLab-Discussion-ID"]
    assert mail.body.startswith("actor commented on a discussion:\n\nI see")


def test_a_comment_on_a_commit(fakeplat: Fakeplat) -> None:
    """A comment on a commit is mailed to watchers and earlier commenters."""
    sha = commit(fakeplat, "other")
    send_request(fakeplat, "POST", f"{SITE}/repository/commits/{sha}/comments", "lazy", note="Nice")
    take_mails(fakeplat)
    send_request(fakeplat, "POST", f"{SITE}/repository/commits/{sha}/comments", "author", note="Thanks @mention")
    mail, reasons_by_user = fakeplat.mails[0], take_reasons(fakeplat)

    assert ("mentioned", "", "") == (reasons_by_user["mention"], reasons_by_user["lazy"], reasons_by_user["watcher"])
    assert f"Re: Site | Add b.txt ({sha[:8]})" == mail.subject
    assert (sha, False) == (mail.headers["X-GitLab-Commit-ID"], "List-Unsubscribe" in mail.headers)
    assert f"<commit_{sha}@" in mail.headers["References"]


def test_a_comment_on_a_snippet(fakeplat: Fakeplat) -> None:
    """A comment on a snippet is mailed to its author and mentioned users."""
    snippet = {"title": "Trick", "file_name": "a.txt", "content": "a", "visibility": "public"}
    id_ = send_request(fakeplat, "POST", f"{SITE}/snippets", "author", **snippet)["id"]
    create_note(fakeplat, f"{SITE}/snippets/{id_}", body="@mention")
    mail, reasons_by_user = fakeplat.mails[0], take_reasons(fakeplat)

    assert f"Re: Site | Trick (${id_})" == mail.subject
    assert ("", "mentioned") == (reasons_by_user["author"], reasons_by_user["mention"])
    assert str(id_) == mail.headers["X-GitLab-ProjectSnippet-ID"]
