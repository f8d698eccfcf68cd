"""Mails about access to projects and groups. Source: docs/platform/mail.md ('Events and recipients')."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.mailboxes import send_request, take_mails
from tests.api.planning_records import ACME, DOCS, SITE

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)


def take_subjects(fake: Fakeplat) -> list[tuple[str, str]]:
    """Return recipients and subjects, and forget the mails."""
    return sorted((mail.to.removesuffix("@example.test"), mail.subject) for mail in take_mails(fake))


@pytest.mark.parametrize(
    ("container", "name"), [(SITE, "Acme / Site project"), (ACME, "Acme group")], ids=["project", "group"]
)
def test_a_new_member(fakeplat: Fakeplat, container: str, name: str) -> None:
    """A new or changed member gets a mail unless mail is disabled, and nobody else does."""
    id_ = fakeplat.world.user("eve").id
    send_request(fakeplat, "POST", f"{container}/members", "ada", user_id=id_, access_level=30)
    assert [("eve", f"Access to the {name} was granted")] == take_subjects(fakeplat)
    send_request(fakeplat, "PUT", f"{container}/members/{id_}", "ada", access_level=20)
    (mail,) = fakeplat.mails
    assert mail.body.startswith(f"You have been granted Reporter access to the {name}.")
    take_mails(fakeplat)
    send_request(fakeplat, "PUT", f"{container}/members/{id_}", "ada", access_level=20, expires_at="2030-01-01")
    assert [] == take_subjects(fakeplat)

    send_request(fakeplat, "PUT", f"{container}/notification_settings", "eve", level="disabled")
    send_request(fakeplat, "PUT", f"{container}/members/{id_}", "ada", access_level=30)
    assert [] == take_subjects(fakeplat)


def test_the_owner_of_a_new_personal_project(fakeplat: Fakeplat) -> None:
    """The owner of a new personal project gets no mail about it."""
    send_request(fakeplat, "POST", "projects", "eve", name="Own")

    assert [] == take_subjects(fakeplat)


def test_a_request_for_access_to_a_group(fakeplat: Fakeplat) -> None:
    """Goes to its owners alone."""
    send_request(fakeplat, "PUT", ACME, "ada", request_access_enabled=True)
    send_request(fakeplat, "POST", f"{ACME}/access_requests", "eve")

    assert [("ada", "Request to join the Acme group")] == take_subjects(fakeplat)


def test_a_request_for_access_to_a_project(fakeplat: Fakeplat) -> None:
    """Goes to its own maintainers; without any, to the owners of its group."""
    send_request(fakeplat, "PUT", DOCS, "ada", request_access_enabled=True)
    send_request(fakeplat, "POST", f"{DOCS}/access_requests", "eve")
    assert [("ada", "Request to join the Acme / Docs project")] == take_subjects(fakeplat)

    people = {"mia": "maintainer", "dev": "developer"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/docs", "members": people}]})
    send_request(fakeplat, "POST", f"{DOCS}/access_requests", "ext")
    assert [("mia", "Request to join the Acme / Docs project")] == take_subjects(fakeplat)


def test_at_most_ten_are_asked(fakeplat: Fakeplat) -> None:
    """An access request is mailed to the ten most recently active owners."""
    names = [f"owner{number:02}" for number in range(12)]
    users = [{"username": name, "last_activity_on": f"2020-11-{number + 1:02}"} for number, name in enumerate(names)]
    fakeplat.load({"users": users})
    fakeplat.load({"groups": [{"full_path": "acme", "members": dict.fromkeys(names, "owner")}]})
    send_request(fakeplat, "POST", f"{ACME}/access_requests", "eve")

    assert names[2:] == [to for to, _ in take_subjects(fakeplat)]


@pytest.mark.parametrize(("by", "subject"), [("ada", ["Access to the Acme group was denied"]), ("eve", [])])
def test_a_request_that_ends(fakeplat: Fakeplat, by: str, subject: list[str]) -> None:
    """A denied access request sends a mail, a withdrawn one does not."""
    send_request(fakeplat, "POST", f"{ACME}/access_requests", "eve")
    take_mails(fakeplat)
    send_request(fakeplat, "DELETE", f"{ACME}/access_requests/{fakeplat.world.user('eve').id}", by)

    assert [("eve", text) for text in subject] == take_subjects(fakeplat)


def test_a_request_that_is_granted(fakeplat: Fakeplat) -> None:
    """Granting an access request sends one mail, and none of a denial."""
    send_request(fakeplat, "POST", f"{ACME}/access_requests", "eve")
    take_mails(fakeplat)
    send_request(fakeplat, "PUT", f"{ACME}/access_requests/{fakeplat.world.user('eve').id}/approve", "ada")

    assert [("eve", "Access to the Acme group was granted")] == take_subjects(fakeplat)


@pytest.mark.parametrize("disabled_by", ["group", "user"])
def test_requests_where_mail_is_disabled(fakeplat: Fakeplat, disabled_by: str) -> None:
    """Requests for access are not mailed if the group disables mails, or if who asks wants none of the group."""
    if disabled_by == "group":
        send_request(fakeplat, "PUT", ACME, "ada", emails_disabled=True)
    else:
        send_request(fakeplat, "PUT", f"{ACME}/notification_settings", "eve", level="disabled")
    requests = f"{ACME}/access_requests"
    send_request(fakeplat, "POST", requests, "eve")
    send_request(fakeplat, "DELETE", f"{requests}/{fakeplat.world.user('eve').id}", "ada")
    send_request(fakeplat, "POST", requests, "eve")
    send_request(fakeplat, "PUT", f"{requests}/{fakeplat.world.user('eve').id}/approve", "ada")

    assert [] == take_subjects(fakeplat)
