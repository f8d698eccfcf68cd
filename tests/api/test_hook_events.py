"""The declared events of webhooks: their flags, that each of them is sent, and awarded emoji.

Source: docs/platform/webhooks.md.
"""

from datetime import date, timedelta
from typing import Any

import orjson
import pytest

from fakeplat.core.release import LATEST, Lifetime, parse_release
from fakeplat.domain.hooks.events import ALERT, EVENTS, FLAGS_WITHOUT_EVENT, SYSTEM_TRIGGER
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.hooks import HookKind
from fakeplat.model.outgoing import OutgoingRequest
from tests.api.deliveries import NOW, SITE, URL, Deliveries, change, commit, create, receive

NEWEST = pytest.mark.fakeplat(tier="premium", version="latest", default_branch="master")
OWNERS: dict[HookKind, tuple[str, str]] = {
    "project": (f"{SITE}/hooks", "ada"),
    "group": ("groups/acme/hooks", "ada"),
    "system": ("hooks", "root"),
}
ISSUE = f"{SITE}/issues/1"
CI = "test: {script: x, environment: {name: production}}"


STORED_SINCE: dict[tuple[str, HookKind], str] = {
    ("vulnerability_events", "project"): "18.8",
    ("vulnerability_events", "group"): "18.8",
    ("resource_deploy_token_events", "project"): "18.10",
}
"""The flags that bring nothing, and the releases since which webhooks of each kind have them."""


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.parametrize(
    "release",
    [
        pytest.param("13.5", marks=pytest.mark.fakeplat(tier="premium", version="13.5")),
        pytest.param("13.7", marks=pytest.mark.fakeplat(tier="premium", version="13.7")),
        pytest.param("13.9", marks=pytest.mark.fakeplat(tier="premium", version="13.9")),
        pytest.param("16.1", marks=pytest.mark.fakeplat(tier="premium", version="16.1")),
        pytest.param("16.2", marks=pytest.mark.fakeplat(tier="premium", version="16.2")),
        pytest.param("17.0", marks=pytest.mark.fakeplat(tier="premium", version="17.0")),
        pytest.param(LATEST, marks=NEWEST),
    ],
)
def test_every_flag_of_a_webhook_asks_for_an_event(fakeplat: Fakeplat, release: str, kind: HookKind) -> None:
    """A webhook has the flags of the events that its kind gets, and those that are known to bring nothing."""
    every_flag = {*(event.flag for event in EVENTS), *FLAGS_WITHOUT_EVENT}
    path, creator = OWNERS[kind]
    hook = create(fakeplat, path, creator, url=URL, **dict.fromkeys(every_flag, True))

    number = parse_release(release)
    flags = {event.flag for event in EVENTS if kind in event.kinds and Lifetime(event.kinds[kind]).covers(number)}
    without_event = {
        flag for (flag, owner), since in STORED_SINCE.items() if owner == kind and number >= parse_release(since)
    }
    assert FLAGS_WITHOUT_EVENT.keys() == {flag for flag, _ in STORED_SINCE}
    assert flags | without_event == {name for name, value in hook.items() if name.endswith("_events") and value}


def test_flags_and_names_of_events_are_unique() -> None:
    """Each event has a flag and a name in deliveries of its own."""
    assert len(EVENTS) == len({event.flag for event in EVENTS}) == len({event.trigger for event in EVENTS})
    assert not {event.flag for event in EVENTS} & FLAGS_WITHOUT_EVENT.keys()


@NEWEST
def test_every_event_is_sent(fakeplat: Fakeplat) -> None:
    """For each declared event, some operation sends a delivery of its name; alerts go to no webhook."""
    for kind, (path, owner) in OWNERS.items():
        flags = [event.flag for event in EVENTS if kind in event.kinds]
        create(fakeplat, path, owner, url=f"{URL}/{kind}", **dict.fromkeys(flags, True))
    sent = Deliveries(fakeplat)
    cause_every_event(fakeplat)
    requests = sent.take()

    for kind in OWNERS:
        expected = {event.trigger for event in EVENTS if kind in event.kinds}
        received = [request for request in requests if request.url == f"{URL}/{kind}"]
        if kind == "system":
            assert {SYSTEM_TRIGGER} == {request.trigger for request in received}
            names = {name_of(request) for request in received}
            assert names >= {trigger.removesuffix("_hooks") for trigger in expected}
        else:
            assert expected == {request.trigger for request in received}
    assert {ALERT} == {event for event in EVENTS if not event.kinds}


def name_of(request: OutgoingRequest) -> str:
    payload = orjson.loads(request.body)
    return str(payload.get("object_kind") or payload["event_name"])


def cause_every_event(fake: Fakeplat) -> None:
    create(fake, f"{SITE}/issues", title="Open")
    create(fake, f"{SITE}/issues", title="Secret", confidential=True)
    create(fake, f"{SITE}/issues/6/notes", body="Yes")
    create(fake, f"{SITE}/issues/7/notes", body="No")
    create(fake, f"{SITE}/issues/6/award_emoji", name="tada")
    commit(
        fake, "master", ".gitlab-ci.yml", actions=[{"action": "update", "file_path": ".gitlab-ci.yml", "content": CI}]
    )
    change(fake, f"{SITE}/merge_requests/1", title="Another")
    fake.settle()
    create(fake, f"{SITE}/repository/tags", tag_name="v2", ref="master")
    create(fake, f"{SITE}/releases", tag_name="v2", name="Two")
    create(fake, f"{SITE}/feature_flags", name="new", version="new_version_flag")
    change(fake, f"{SITE}/feature_flags/new", active=False)
    create(fake, f"{SITE}/wikis", title="home", content="Welcome")
    create(fake, f"{SITE}/milestones", title="One")
    create(fake, "projects", "root", name="Fresh", namespace_id=fake.world.group("acme").id)
    create(fake, "groups", name="Inner", path="inner", parent_id=fake.world.group("acme").id)
    create(fake, "groups/acme/members", user_id=create(fake, "users", "root", **NEW_USER)["id"], access_level=30)
    ends = date.fromisoformat(fake.clock.now[:10]) + timedelta(days=20)
    for path in (SITE, "groups/acme"):
        body = {"name": "ci", "scopes": ["api"], "expires_at": ends.isoformat()}
        create(fake, f"{path}/access_tokens", "root", **body)
    fake.clock.advance("15d")


NEW_USER: dict[str, Any] = {"email": "zoe@example.test", "name": "Zoe", "username": "zoe", "password": "long enough"}


# awarded emoji


def attributes(fake: Fakeplat, award: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "user_id": fake.world.user("mia").id,
        "created_at": NOW,
        "id": award["id"],
        "name": "tada",
        "awardable_type": "Issue",
        "awardable_id": award["awardable_id"],
        "updated_at": NOW,
        "awarded_on_url": "http://localhost/acme/site/-/issues/1",
        **more,
    }


@NEWEST
def test_an_awarded_emoji_is_an_event_of_its_issue(fakeplat: Fakeplat) -> None:
    """The payload says who awarded which emoji, and contains the issue; the header is Emoji Hook."""
    sent = receive(fakeplat, url=URL, emoji_events=True)
    award = create(fakeplat, f"{ISSUE}/award_emoji", "mia", name="tada")
    (request,) = sent.requests
    (payload,) = sent.payloads()

    assert ("emoji_hooks", "Emoji Hook") == (request.trigger, request.headers["X-Gitlab-Event"])
    assert [
        "object_kind",
        "event_type",
        "user",
        "project_id",
        "project",
        "object_attributes",
        "issue",
    ] == list(payload)
    assert ("emoji", "award", "mia", 5001) == (
        payload["object_kind"],
        payload["event_type"],
        payload["user"]["username"],
        payload["project_id"],
    )
    assert attributes(fakeplat, award, action="award") == payload["object_attributes"]
    assert award["awardable_id"] == payload["issue"]["id"]


@NEWEST
def test_an_emoji_on_a_note_is_an_event_with_the_note(fakeplat: Fakeplat) -> None:
    """The payload contains the note and the record that it is on; the address is that of the note."""
    note = create(fakeplat, f"{SITE}/merge_requests/1/notes", body="Nice")["id"]
    sent = receive(fakeplat, url=URL, emoji_events=True)
    award = create(fakeplat, f"{SITE}/merge_requests/1/notes/{note}/award_emoji", "mia", name="tada")
    (payload,) = sent.payloads()

    url = f"http://localhost/acme/site/-/merge_requests/1#note_{note}"
    expected = attributes(fakeplat, award, action="award", awardable_type="Note", awardable_id=note, awarded_on_url=url)
    assert expected == payload["object_attributes"]
    assert (note, "Nice", 1) == (payload["note"]["id"], payload["note"]["note"], payload["merge_request"]["iid"])


@NEWEST
def test_the_end_of_an_award_is_an_event(fakeplat: Fakeplat) -> None:
    """Deleting an award revokes it, in the name of the user who gave it, whoever deletes it."""
    award = create(fakeplat, f"{ISSUE}/award_emoji", "mia", name="tada")
    sent = receive(fakeplat, url=URL, emoji_events=True)
    assert 204 == fakeplat.as_user("root").delete(f"{ISSUE}/award_emoji/{award['id']}").status
    (payload,) = sent.payloads()

    assert ("revoke", "mia") == (payload["event_type"], payload["user"]["username"])
    assert attributes(fakeplat, award, action="revoke") == payload["object_attributes"]


@NEWEST
def test_the_quick_action_awards_and_revokes(fakeplat: Fakeplat) -> None:
    """The command /award sends the event of an award and, used again, that of its end."""
    sent = receive(fakeplat, url=URL, emoji_events=True)
    for _ in range(2):
        create(fakeplat, f"{ISSUE}/notes", "mia", body="/award :tada:")

    assert ["award", "revoke"] == [payload["event_type"] for payload in sent.payloads()]


@NEWEST
def test_a_refused_award_is_no_event(fakeplat: Fakeplat) -> None:
    """An emoji that the user has awarded already, or that does not exist, sends nothing."""
    create(fakeplat, f"{ISSUE}/award_emoji", "mia", name="tada")
    sent = receive(fakeplat, url=URL, emoji_events=True)
    statuses = [
        fakeplat.as_user("mia").post(f"{ISSUE}/award_emoji", json={"name": name}).status for name in ("tada", "-")
    ]

    assert ([404, 404], []) == (statuses, sent.take())


@NEWEST
def test_the_test_of_emoji_needs_a_note(fakeplat: Fakeplat) -> None:
    """The sample is a thumbs up of the caller for the newest note of the project."""
    hook = create(fakeplat, f"{SITE}/hooks", url=URL)["id"]
    note = create(fakeplat, f"{ISSUE}/notes", body="Nice")["id"]
    sent = Deliveries(fakeplat)
    create(fakeplat, f"{SITE}/hooks/{hook}/test/emoji_events")
    (payload,) = sent.payloads("emoji_hooks")

    award = payload["object_attributes"]
    assert (1, "thumbsup", "Note", note) == (award["id"], award["name"], award["awardable_type"], award["awardable_id"])
    assert ("award", "ada") == (payload["event_type"], payload["user"]["username"])


def test_earlier_releases_send_no_emoji(fakeplat: Fakeplat) -> None:
    """The event came with release 16.2."""
    sent = receive(fakeplat, url=URL, emoji_events=True)
    create(fakeplat, f"{ISSUE}/award_emoji", "mia", name="tada")

    assert [] == sent.take()
