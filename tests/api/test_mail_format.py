"""The format of mails: headers, subjects, text, HTML. Source: docs/platform/mail.md ('Common format')."""

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.mails import Mail
from tests.api.mailboxes import ISSUE, PEOPLE, SITE, send_request, take_mails

pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")


def create_issue(fake: Fakeplat, by: str = "author", /, **body: Any) -> Mail:
    """Create an issue; return the mail to a watcher."""
    send_request(fake, "POST", f"{SITE}/issues", by, **{"title": "Broken", **body})
    return mail_to(fake, "watcher")


def mail_to(fake: Fakeplat, name: str) -> Mail:
    (mail,) = fake.mails.find(to=f"{name}@example.test")
    fake.mails.clear()
    return mail


def test_the_headers_of_a_new_issue(fakeplat: Fakeplat) -> None:
    """The mail of a new issue has headers for sender, project, issue and thread."""
    mail = create_issue(fakeplat, description="@watcher")
    issue, project = send_request(fakeplat, "GET", f"{SITE}/issues/2"), send_request(fakeplat, "GET", SITE)["id"]
    key = mail.headers["X-GitLab-Reply-Key"]

    assert re.fullmatch("[0-9a-f]{32}", key)
    assert {
        "From": '"author" <gitlab@127.0.0.1>',
        "Reply-To": '"author" <noreply@127.0.0.1>',
        "X-GitLab-Project": "Site",
        "X-GitLab-Project-Id": str(project),
        "X-GitLab-Project-Path": "org/acme/site",
        "List-Id": f"org/acme/site <{project}.site.acme.org.127.0.0.1>",
        "X-GitLab-Issue-ID": str(issue["id"]),
        "X-GitLab-Issue-IID": "2",
        "Message-ID": f"<issue_{issue['id']}@127.0.0.1>",
        "List-Unsubscribe": f"<{fakeplat.url}/-/sent_notifications/{key}/unsubscribe?force=true>",
        "X-GitLab-Reply-Key": key,
        "X-GitLab-NotificationReason": "mentioned",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
    } == dict(mail.headers)
    assert ("Site | Broken (#2)", "mentioned") == (mail.subject, mail.reason)


def test_an_answer(fakeplat: Fakeplat) -> None:
    """A reply mail has its own id and refers to the first mail of the thread."""
    id_ = send_request(fakeplat, "GET", ISSUE)["id"]
    send_request(fakeplat, "PUT", ISSUE, state_event="close")
    mails = take_mails(fakeplat)
    first = mails[0]

    assert {"Re: Site | Broken (#1)"} == {mail.subject for mail in mails}
    assert {f"<issue_{id_}@127.0.0.1>"} == {
        mail.headers[name] for mail in mails for name in ("In-Reply-To", "References")
    }
    assert re.fullmatch(r"<[0-9a-f]{32}@127\.0\.0\.1>", first.headers["Message-ID"])
    assert len(mails) == len({mail.headers["Message-ID"] for mail in mails})
    assert len(mails) == len({mail.headers["X-GitLab-Reply-Key"] for mail in mails})


def test_no_reason(fakeplat: Fakeplat) -> None:
    """A mail without a reason has an empty header, and its footer names the account."""
    mail = create_issue(fakeplat)

    assert "" == mail.headers["X-GitLab-NotificationReason"]
    assert "You're receiving this email because of your account on 127.0.0.1." in mail.body


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mention", "You're receiving this email because you have been mentioned on 127.0.0.1."),
        ("lazy", "You're receiving this email because you have been assigned an item on 127.0.0.1."),
    ],
)
def test_the_sentence_about_the_reason(fakeplat: Fakeplat, name: str, sentence: str) -> None:
    """The footer of a mail states why the user receives it."""
    assignee = fakeplat.world.user("lazy").id
    send_request(
        fakeplat, "POST", f"{SITE}/issues", "author", title="x", description="@mention", assignee_ids=[assignee]
    )

    assert sentence in mail_to(fakeplat, name).body


def test_mails_about_labels(fakeplat: Fakeplat) -> None:
    """Tell where to manage the subscriptions to labels; there is no thread to unsubscribe from."""
    send_request(fakeplat, "PUT", ISSUE, add_labels="bug")
    mail = mail_to(fakeplat, "lazy")

    assert "List-Unsubscribe" not in mail.headers
    assert f"Manage your label subscriptions: {fakeplat.url}/org/acme/site/-/labels?subscribed=true" in mail.body
    assert "actor added the label bug" == mail.body.partition("\n")[0]


def test_names_that_look_like_links(fakeplat: Fakeplat) -> None:
    """Names that look like links are defused in mails."""
    fakeplat.load({"users": [{"username": "author", "name": "www.example.com"}]})

    assert create_issue(fakeplat).body.startswith("www_example_com created an issue: #2 ( ")


def test_odd_names(fakeplat: Fakeplat) -> None:
    """Break neither headers nor subjects."""
    fakeplat.load({"users": [{"username": "author", "name": 'Quo"ter \\ Zoë'}]})
    message = create_issue(fakeplat, title="A\ttitle | with ümlauts").as_message()

    assert ('Quo"ter \\ Zoë', "gitlab@127.0.0.1") == parseaddr(str(message["From"]))
    assert "Site | A title | with ümlauts (#2)" == message["Subject"]


def test_html(fakeplat: Fakeplat) -> None:
    """Shows the same text with links, and offers the action to open the issue."""
    mail = create_issue(fakeplat, description="a < b & https://example.test/c")

    assert '<p>a &lt; b &amp; <a href="https://example.test/c">https://example.test/c</a></p>' in mail.html
    action = f'"action":{{"@type":"ViewAction","name":"View Issue","url":"{fakeplat.url}/org/acme/site/-/issues/2"}}'
    assert action in mail.html


def test_only_text(fakeplat: Fakeplat) -> None:
    """Mails are sent as text only if the instance wants that."""
    fakeplat.load({"settings": {"html_emails_enabled": False}})
    mail = create_issue(fakeplat)

    assert "" == mail.html
    assert "text/plain" == mail.as_message().get_content_type()


def test_texts_of_the_instance(fakeplat: Fakeplat) -> None:
    """Begin and end each mail, if they are switched on for mail."""
    texts = {"header_message": "Test system", "footer_message": "Made by us"}
    fakeplat.load({"appearance": {**texts, "email_header_and_footer_enabled": True}})
    mail = create_issue(fakeplat)

    assert mail.body.startswith("Test system\n\nauthor created an issue")
    assert mail.body.endswith("\nMade by us\n")


def test_a_message_of_the_standard_library(fakeplat: Fakeplat) -> None:
    """Can be sent over the wire and read again."""
    sent = create_issue(fakeplat, description="Grüße")
    message = message_from_bytes(sent.as_message().as_bytes(), policy=default)
    assert isinstance(message, EmailMessage)
    text, html = (message.get_body((kind,)) for kind in ("plain", "html"))

    assert ("watcher@example.test", "Site | Broken (#2)") == (message["To"], message["Subject"])
    assert sent.headers["List-Id"] == message["List-Id"]
    assert sent.time[:19] == message["Date"].datetime.isoformat()[:19]
    assert text is not None
    assert html is not None
    assert (sent.body, sent.html) == (text.get_content(), html.get_content())


def test_a_blind_copy_names_nobody(fakeplat: Fakeplat) -> None:
    """The message about a pipeline has no recipient in its headers."""
    sha = send_request(fakeplat, "GET", f"{SITE}/repository/branches/master")["commit"]["id"]
    send_request(fakeplat, "POST", f"{SITE}/statuses/{sha}", state="failed", ref="master")
    (mail,) = take_mails(fakeplat)

    assert ("actor@example.test", None, None) == (mail.to, mail.as_message()["To"], mail.as_message()["Bcc"])


def test_mails_show_the_world_of_their_time(fakeplat: Fakeplat) -> None:
    """However late they are read, and although the issue is gone."""
    id_ = fakeplat.world.user("actor").id
    send_request(fakeplat, "PUT", ISSUE, state_event="close")
    for url in (ISSUE, f"groups/org%2Facme/members/{fakeplat.world.user('watcher').id}"):
        send_request(fakeplat, "DELETE", url, "root_owner")
    fakeplat.load({"users": [{"username": "actor", "name": "Somebody Else"}]})
    fakeplat.clock.advance("3d")
    mail = mail_to(fakeplat, "watcher")

    assert id_ == fakeplat.world.user("actor").id
    assert "Issue #1 was closed by actor" == mail.body.partition("\n")[0]
    assert mail.time.startswith("2020-11-20T09:00:00")
    assert "acme/site" in mail.headers["List-Id"]


def test_long_paths_leave_the_description_of_the_list_out(fakeplat: Fakeplat) -> None:
    """The List-Id of a long path has no description."""
    long = "a" * 120
    fakeplat.load(
        {"groups": [{"path": long, "visibility": "public", "projects": [{"path": "b" * 80, "visibility": "public"}]}]}
    )
    fakeplat.load({"projects": [{"path_with_namespace": f"{long}/{'b' * 80}", "members": {"watcher": "developer"}}]})
    send_request(fakeplat, "POST", f"projects/{long}%2F{'b' * 80}/issues", "author", title="x")

    assert re.fullmatch(r"<\d+\.b{80}\.a{120}\.127\.0\.0\.1>", mail_to(fakeplat, "watcher").headers["List-Id"])
