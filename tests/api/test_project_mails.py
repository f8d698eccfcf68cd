"""Mails about releases, moved projects, exports and alerts. Source: docs/platform/mail.md."""

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.harness.fake import Fakeplat
from tests.api.mailboxes import ASKING, PEOPLE, SITE, WATCHING, send_request, take_mails, take_recipients

pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")


def test_a_release(fakeplat: Fakeplat) -> None:
    """A new release is mailed to watchers and those who want the event."""
    send_request(fakeplat, "POST", f"{SITE}/releases", tag_name="v1", name="First", description="At last", ref="master")
    (mail, *_) = fakeplat.mails
    assert "Site | New release: First - v1" == mail.subject
    assert "At last" in mail.body
    assert {*WATCHING, *ASKING} == take_recipients(fakeplat)

    send_request(
        fakeplat, "POST", f"{SITE}/releases", "watcher", tag_name="v2", name="v2", description="", ref="master"
    )
    assert {"Site | New release: v2"} == {mail.subject for mail in fakeplat.mails}
    assert {*WATCHING, *ASKING} - {"watcher"} == take_recipients(fakeplat)


@pytest.mark.parametrize(("level", "recipients"), [("global", {"actor", "root_owner"}), ("mention", {"root_owner"})])
def test_a_moved_project(fakeplat: Fakeplat, level: str, recipients: set[str]) -> None:
    """Those who maintain a moved project get a mail with the new path."""
    send_request(fakeplat, "PUT", f"{SITE}/notification_settings", level=level)
    send_request(fakeplat, "PUT", SITE, "root_owner", path="page")
    (mail, *_) = fakeplat.mails

    assert "Site | Project was moved" == mail.subject
    assert "Org / Acme / Site" in mail.body
    assert "git@" in mail.body
    assert "org/acme/page.git" in mail.body
    assert recipients == take_recipients(fakeplat)


@pytest.mark.parametrize(("level", "count"), [("participating", 1), ("disabled", 0)])
@pytest.mark.parametrize(
    ("container", "subject"),
    [(SITE, "Site | Project was exported"), ("groups/org", "Org | Group was exported")],
    ids=["project", "group"],
)
def test_an_export(fakeplat: Fakeplat, container: str, subject: str, level: str, count: int) -> None:
    """Whoever asked for it is told when it is done, unless they want no mail."""
    send_request(fakeplat, "PUT", "notification_settings", "root_owner", level=level)
    send_request(fakeplat, "POST", f"{container}/export", "root_owner")
    assert [] == take_mails(fakeplat)
    fakeplat.settle()

    assert [("root_owner@example.test", subject)] * count == [(mail.to, mail.subject) for mail in take_mails(fakeplat)]


def test_an_alert(fakeplat: Fakeplat) -> None:
    """Maintainers are told, if the project wants that; here those of its group."""
    token = send_request(fakeplat, "PUT", f"{SITE}/services/alerts", active=True, send_email=True)["properties"][
        "token"
    ]
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    path, body = "/org/acme/site/alerts/notify.json", b'{"title": "Disk full", "description": "All of it"}'
    reply = fakeplat.bench.platform.handle(Request("POST", path, headers=headers, body=body))
    assert reply.status < 300

    assert [("actor@example.test", "Site | Alert: Disk full")] == [
        (mail.to, mail.subject) for mail in take_mails(fakeplat)
    ]


@pytest.mark.parametrize("path", [SITE, "groups/org"], ids=["project", "group"])
def test_the_address_for_a_group(fakeplat: Fakeplat, path: str) -> None:
    """The address for a group is used for mails about the group and about its projects."""
    settings = [{"username": "root_owner", "notification_email": "root_owner@work.test"}]
    fakeplat.load({"groups": [{"full_path": "org", "notification_settings": settings}]})
    send_request(fakeplat, "POST", f"{path}/export", "root_owner")
    fakeplat.settle()

    assert ["root_owner@work.test"] == [mail.to for mail in take_mails(fakeplat)]


def test_the_address_for_a_group_in_mails_of_a_release(fakeplat: Fakeplat) -> None:
    """Whoever chose an address for the project's group gets them there, the others at their main address."""
    settings = [{"username": "watcher", "notification_email": "watcher@work.test"}]
    fakeplat.load({"groups": [{"full_path": "org", "notification_settings": settings}]})
    send_request(fakeplat, "POST", f"{SITE}/releases", tag_name="v1", name="First", description="", ref="master")

    addresses = {mail.to for mail in take_mails(fakeplat)}
    assert "watcher@work.test" in addresses
    assert "watcher@example.test" not in addresses
    assert "watching_subscriber@example.test" in addresses
