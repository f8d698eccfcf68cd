"""Recipients of mails about issues. Source: docs/platform/mail.md ('Levels', 'Events and recipients')."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.mailboxes import (
    ASKING,
    ISSUE,
    PEOPLE,
    SITE,
    STANDARD,
    VAULT,
    WATCHING,
    send_request,
    take_mails,
    take_reasons,
    take_recipients,
)

pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")


def create_issue(fake: Fakeplat, by: str = "author", project: str = SITE, /, **body: object) -> None:
    assignee = fake.world.user("assignee").id
    fields = {"title": "Broken", "description": "cc @named @off", "assignee_ids": [assignee], **body}
    send_request(fake, "POST", f"{project}/issues", by, **fields)


def user_id(fake: Fakeplat, name: str) -> int:
    return int(fake.world.user(name).id)


def test_loading_a_scenario_sends_no_mails(fakeplat: Fakeplat) -> None:
    """Loading a scenario sends no mails."""
    assert [] == [*fakeplat.mails]


def test_a_new_issue(fakeplat: Fakeplat) -> None:
    """A new issue is mailed to watchers, assignees, mentioned users and those who want the event."""
    create_issue(fakeplat)

    assert {"assignee", "named", *WATCHING, *ASKING} == take_recipients(fakeplat)


def test_an_assignee_who_wants_only_mentions(fakeplat: Fakeplat) -> None:
    """An assignee at the level `mention` gets a mail only if the description mentions them."""
    id_ = user_id(fakeplat, "mention")
    create_issue(fakeplat, assignee_ids=[id_], description="")
    assert "mention" not in take_recipients(fakeplat)

    create_issue(fakeplat, assignee_ids=[], description="@mention")
    assert "mentioned" == take_reasons(fakeplat)["mention"]
    create_issue(fakeplat, assignee_ids=[user_id(fakeplat, "lazy")], description="@lazy")
    assert "assigned" == take_reasons(fakeplat)["lazy"]


def test_own_activity(fakeplat: Fakeplat) -> None:
    """Users get mails about their own activity only if they want them."""
    fakeplat.load({"users": [{"username": "author", "notified_of_own_activity": True}]})
    create_issue(fakeplat)

    assert "own_activity" == take_reasons(fakeplat)["author"]


def test_new_issues_are_mailed_to_subscribers_of_labels(fakeplat: Fakeplat) -> None:
    """Subscribers of labels, also of group labels, get mails about new issues at any level."""
    create_issue(fakeplat, labels="bug,urgent", description="")
    reasons_by_user = take_reasons(fakeplat)

    assert ("subscribed", "subscribed", "subscribed") == (
        reasons_by_user["subscriber"],
        reasons_by_user["lazy"],
        reasons_by_user["off"],
    )


def test_a_confidential_issue(fakeplat: Fakeplat) -> None:
    """Mails about a confidential issue go only to those who may see it."""
    create_issue(fakeplat, confidential=True, description="@outsider @named")

    assert {"assignee", "named", "custom", *WATCHING} - {"guest_watcher"} == take_recipients(fakeplat)


def test_a_private_project(fakeplat: Fakeplat) -> None:
    """Mentioned outsiders get no mail from a private project."""
    create_issue(fakeplat, "author", VAULT, assignee_ids=[], description="@outsider @named")

    assert {"named", "custom", *WATCHING} - {"guest_watcher"} == take_recipients(fakeplat)


def test_new_mentions_in_a_changed_text(fakeplat: Fakeplat) -> None:
    """Only users whose mention is new get a mail about a changed description."""
    names = ("watcher", "participating", "custom", "mention", "unsubscribed_named", "off", "named")
    send_request(fakeplat, "PUT", ISSUE, description=" ".join(f"@{name}" for name in names))
    reasons_by_user = take_reasons(fakeplat)

    assert (
        dict.fromkeys(("watcher", "participating", "custom", "mention", "unsubscribed_named"), "mentioned")
        == reasons_by_user
    )
    send_request(fakeplat, "PUT", ISSUE, title="Still broken")
    assert [] == take_mails(fakeplat)


def test_reassignment(fakeplat: Fakeplat) -> None:
    """The new and the previous assignees at any level that allows mentions, and everybody involved."""
    send_request(fakeplat, "PUT", ISSUE, assignee_ids=[user_id(fakeplat, "mention"), user_id(fakeplat, "actor")])
    reasons_by_user = take_reasons(fakeplat)

    assert {*STANDARD, "mention"} == {*reasons_by_user}
    assert ("assigned", "", "subscribed") == (
        reasons_by_user["mention"],
        reasons_by_user["assignee"],
        reasons_by_user["subscriber"],
    )
    send_request(fakeplat, "PUT", ISSUE, assignee_ids=[])
    assert "mention" in take_recipients(fakeplat)


def test_added_labels_are_mailed_to_their_subscribers(fakeplat: Fakeplat) -> None:
    """Subscribers of an added label get one mail each, except for the user who added it."""
    send_request(fakeplat, "PUT", ISSUE, "subscriber", add_labels="bug")
    assert {"lazy": "subscribed"} == take_reasons(fakeplat)
    send_request(fakeplat, "PUT", ISSUE, add_labels="urgent,bug")
    assert {"subscriber": "subscribed", "off": "subscribed"} == take_reasons(fakeplat)
    send_request(fakeplat, "PUT", ISSUE, remove_labels="urgent,bug")
    send_request(fakeplat, "PUT", ISSUE, add_labels="urgent,bug")
    assert {"subscriber", "off", "lazy"} == take_recipients(fakeplat)


def test_added_labels_are_not_mailed_to_unsubscribed_users(fakeplat: Fakeplat) -> None:
    """Although they subscribed to them."""
    send_request(fakeplat, "POST", f"{SITE}/labels/bug/subscribe", "unsubscriber")
    send_request(fakeplat, "PUT", ISSUE, add_labels="bug")

    assert {"subscriber", "lazy"} == take_recipients(fakeplat)


def test_a_milestone_set_and_removed(fakeplat: Fakeplat) -> None:
    """Mails about a changed milestone cannot be selected as a custom event."""
    milestone = fakeplat.as_user("actor").get(f"{SITE}/milestones").json()[0]["id"]
    for id_, text in ((milestone, "Milestone changed to v1"), (None, "Milestone removed")):
        send_request(fakeplat, "PUT", ISSUE, milestone_id=id_)
        bodies = {mail.body.partition("\n")[0] for mail in fakeplat.mails}
        assert ({text}, {*STANDARD} - ASKING) == (bodies, take_recipients(fakeplat))


@pytest.mark.parametrize("word", ["close", "reopen"])
def test_closing_and_reopening(fakeplat: Fakeplat, word: str) -> None:
    """Closing and reopening an issue sends mails to everybody involved and subscribers."""
    if word == "reopen":
        send_request(fakeplat, "PUT", ISSUE, state_event="close")
        take_mails(fakeplat)
    send_request(fakeplat, "PUT", ISSUE, state_event=word)
    reasons_by_user = take_reasons(fakeplat)

    assert {*STANDARD} == {*reasons_by_user}
    assert ("subscribed", "subscribed", "") == (
        reasons_by_user["subscriber"],
        reasons_by_user["watching_subscriber"],
        reasons_by_user["author"],
    )


def test_a_subscription_by_hand(fakeplat: Fakeplat) -> None:
    """A subscription sends mails at every level, and unsubscribing stops them."""
    send_request(fakeplat, "POST", f"{ISSUE}/subscribe", "off")
    send_request(fakeplat, "POST", f"{ISSUE}/unsubscribe", "assignee")
    send_request(fakeplat, "PUT", ISSUE, state_event="close")

    assert {*STANDARD, "off"} - {"assignee"} == take_recipients(fakeplat)


def test_the_mail_of_a_move_names_the_visible_target(fakeplat: Fakeplat) -> None:
    """The mail about a moved issue names its new place to those who may see it."""
    fakeplat.load({"groups": [{"full_path": "org", "projects": [{"path": "attic", "visibility": "private"}]}]})
    fakeplat.load({"projects": [{"path_with_namespace": "org/attic", "members": {"actor": "developer"}}]})
    attic = fakeplat.world.project("org/attic").id
    send_request(fakeplat, "POST", f"{ISSUE}/move", to_project_id=attic)
    moved = [mail for mail in take_mails(fakeplat) if "moved to another project" in mail.body]

    assert {*STANDARD} - ASKING == {mail.to.partition("@")[0] for mail in moved}
    places = {mail.to.partition("@")[0]: mail.body.split("\n\n")[1] for mail in moved}
    assert places["parent_watcher"].startswith("New issue: #1 ( http")
    assert "You don't have access to the project." == places["author"]


def test_the_level_of_a_project_counts_before_those_of_groups(fakeplat: Fakeplat) -> None:
    """The notification level of a project precedes the group's, and that the global one."""
    everywhere = {"level": "watch"}
    people = [{"username": "lazy", "global_notification_setting": everywhere}]
    fakeplat.load({"users": people})
    settings = {"group_watcher": "participating", "watcher": "participating", "custom": "participating"}
    fakeplat.load({"projects": [{"path_with_namespace": "org/acme/site", "notification_settings": settings}]})
    create_issue(fakeplat, assignee_ids=[], description="")

    assert {"watching_subscriber", "guest_watcher", "parent_watcher", "guest_custom", "lazy"} == take_recipients(
        fakeplat
    )


@pytest.mark.parametrize("kind", ["project", "group"])
def test_mail_can_be_disabled(fakeplat: Fakeplat, kind: str) -> None:
    """Mail can be disabled for a project and for a group with its content."""
    target = {"project": SITE, "group": "groups/org"}[kind]
    send_request(fakeplat, "PUT", target, "root_owner", emails_disabled=True)
    create_issue(fakeplat)

    assert [] == take_mails(fakeplat)


def test_blocked_users_get_no_mail(fakeplat: Fakeplat) -> None:
    """Blocked users get no mail, even if they watch the project."""
    fakeplat.load({"users": [{"username": "watcher", "state": "blocked"}]})
    create_issue(fakeplat)

    assert "watcher" not in take_recipients(fakeplat)


def test_addresses(fakeplat: Fakeplat) -> None:
    """The one chosen for the nearest group counts, else the one chosen everywhere, else the main one."""
    settings = [{"username": "watcher", "notification_email": "watcher@work.test"}]
    fakeplat.load({"groups": [{"full_path": "org", "notification_settings": settings}]})
    fakeplat.load({"users": [{"username": "custom", "emails": ["custom@work.test"]}]})
    send_request(fakeplat, "PUT", "notification_settings", "custom", notification_email="custom@work.test")
    create_issue(fakeplat)

    addresses = {mail.to for mail in take_mails(fakeplat)}
    assert {"watcher@work.test", "custom@work.test", "named@example.test"} <= addresses
    assert not {"watcher@example.test", "custom@example.test"} & addresses
