"""Audit events: which actions of users are recorded, and who reads them.

Source: ee/spec/requests/api/audit_events_spec.rb and ee/app/services/ee/audit_event_service.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, person, refusal
from tests.ssh_keys import ED25519

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z")
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
NOW = "2020-11-20T09:00:00.000Z"


def get_newest_event(fake: Fakeplat, path: str = "audit_events", position: int = 0) -> dict[str, Any]:
    """The newest event of a list, without its id."""
    event = dict(fake.as_user("root").get(path).json()[position])
    del event["id"]
    return event


def by_mia(entity: dict[str, Any], path: str, **details: Any) -> dict[str, Any]:
    """An event of mia's; the name of the author is the third of the details at most."""
    return {
        "author_id": entity.pop("author_id"),
        **entity,
        "details": {**details, "ip_address": "127.0.0.1", "entity_path": path},
        "created_at": NOW,
    }


def site(fake: Fakeplat, author: str = "mia") -> dict[str, Any]:
    id_ = fake.world.project("acme/site").id
    return {"author_id": person(fake, author), "entity_id": id_, "entity_type": "Project"}


def acme(fake: Fakeplat, author: str = "ada") -> dict[str, Any]:
    id_ = fake.world.group("acme").id
    return {"author_id": person(fake, author), "entity_id": id_, "entity_type": "Group"}


def name_of(fake: Fakeplat, username: str) -> str:
    return str(fake.world.user(username).name)


def test_a_new_member_is_recorded(fakeplat: Fakeplat) -> None:
    """Adding a member is recorded with the level and the membership as its target."""
    fakeplat.as_user("mia").post(f"{SITE}/members", json={"user_id": person(fakeplat, "eve"), "access_level": 30})

    event = get_newest_event(fakeplat, f"{SITE}/audit_events")
    target_id = event["details"]["target_id"]
    assert event == by_mia(
        site(fakeplat),
        "acme/site",
        add="user_access",
        **{"as": "Developer"},
        author_name=name_of(fakeplat, "mia"),
        target_id=target_id,
        target_type="User",
        target_details=name_of(fakeplat, "eve"),
    )


def test_changes_and_removals_of_members_are_recorded(fakeplat: Fakeplat) -> None:
    """A change names both levels and both dates."""
    mia, eve = fakeplat.as_user("mia"), person(fakeplat, "eve")
    mia.post(f"{SITE}/members", json={"user_id": eve, "access_level": 30})
    mia.put(f"{SITE}/members/{eve}", json={"access_level": 20, "expires_at": "2020-12-01"})
    mia.delete(f"{SITE}/members/{eve}")

    removed, changed = (get_newest_event(fakeplat, f"{SITE}/audit_events", at)["details"] for at in (0, 1))
    assert "user_access" == removed["remove"]
    keys = ("change", "from", "to", "expiry_from", "expiry_to")
    assert ["access_level", "Developer", "Reporter", None, "2020-12-01"] == [changed[key] for key in keys]


def test_the_end_of_a_membership_by_its_date_is_recorded_for_who_added_it(fakeplat: Fakeplat) -> None:
    """The expiry of a membership is recorded as an event of the system."""
    body = {"user_id": person(fakeplat, "eve"), "access_level": 30, "expires_at": "2020-11-22"}
    fakeplat.as_user("mia").post(f"{SITE}/members", json=body)
    fakeplat.clock.advance("3d")

    event = get_newest_event(fakeplat, f"{SITE}/audit_events")
    details = event["details"]
    assert person(fakeplat, "mia") == event["author_id"]
    assert ("user_access", True, "access expired on 2020-11-22") == (
        details["remove"],
        details["system_event"],
        details["reason"],
    )


def test_a_projects_life_is_recorded(fakeplat: Fakeplat) -> None:
    """The creation, important changes and deletion of a project are recorded and outlive it."""
    ada, root = fakeplat.as_user("ada"), fakeplat.as_user("root")
    project = ada.post("projects", json={"name": "Kite", "namespace_id": fakeplat.world.group("acme").id}).json()
    path = f"projects/{project['id']}"
    ada.put(path, json={"visibility": "public", "description": "not recorded"})
    ada.put(path, json={"name": "Plane", "path": "plane"})
    ada.post(f"{path}/archive")
    ada.post(f"{path}/unarchive")
    ada.delete(path)
    ada.post(f"{path}/restore")

    events = root.get(f"{path}/audit_events").json()
    assert [
        "Project restored",
        "Project marked for deletion",
        "Project unarchived",
        "Project archived",
        ("name", "Acme / Kite", "Acme / Plane"),
        ("path", "acme/kite", "acme/plane"),
        ("visibility", "Private", "Public"),
        "project",
    ] == [summarize(event["details"]) for event in events]
    created = events[-1]["details"]
    assert (project["id"], "Project", "acme/kite") == (
        created["target_id"],
        created["target_type"],
        created["target_details"],
    )


def summarize(details: dict[str, Any]) -> Any:
    if "change" in details:
        return details["change"], details["from"], details["to"]
    return details.get("custom_message") or details.get("add") or details["remove"]


def test_events_outlive_their_entities(fakeplat: Fakeplat) -> None:
    """Administrators find them by the id."""
    fakeplat.load({"settings": {"deletion_adjourned_period": 0}})
    site_id = fakeplat.world.project("acme/site").id
    fakeplat.as_user("ada").delete(SITE)

    events = fakeplat.as_user("root").get(f"audit_events?entity_type=Project&entity_id={site_id}").json()
    assert ["project"] == [event["details"]["remove"] for event in events]
    assert "acme/site" == events[0]["details"]["entity_path"]


def test_a_groups_life_is_recorded(fakeplat: Fakeplat) -> None:
    """Booleans are shown as text, as everything that changed."""
    ada = fakeplat.as_user("ada")
    group = ada.post("groups", json={"name": "Birds", "path": "birds"}).json()["id"]
    path = f"groups/{group}"
    ada.put(path, json={"lfs_enabled": False, "visibility": "public", "project_creation_level": "maintainer"})
    ada.delete(path)
    ada.post(f"{path}/restore")

    events = fakeplat.as_user("root").get(f"{path}/audit_events").json()
    assert [
        "Group restored",
        "Group marked for deletion",
        ("project_creation_level", "Developers + Maintainers", "Maintainers"),
        ("visibility", "Private", "Public"),
        ("lfs_enabled", "true", "false"),
        "user_access",
        "group",
    ] == [summarize(event["details"]) for event in events]


def test_changes_of_users_are_recorded(fakeplat: Fakeplat) -> None:
    """Changes of a user's identity, password and rights are recorded without passwords."""
    root = fakeplat.as_user("root")
    body = {"username": "zoe", "name": "Zoe", "email": "zoe@example.test", "password": "long-enough-password"}
    user = root.post("users", json=body).json()["id"]
    root.put(f"users/{user}", json={"email": "z@example.test", "skip_reconfirmation": True, "admin": True, "bio": "x"})
    root.put(f"users/{user}", json={"password": "another-password"})
    root.post(f"users/{user}/block")

    events = root.get(f"audit_events?entity_type=User&entity_id={user}").json()
    assert [
        "Blocked user",
        ("password", "", ""),
        ("admin status", "false", "true"),
        ("email address", "zoe@example.test", "z@example.test"),
        "user",
    ] == [summarize(event["details"]) for event in events]
    assert ("zoe", "Zoe") == (events[-1]["details"]["target_details"], events[2]["details"]["target_details"])


def test_protected_branches_are_recorded(fakeplat: Fakeplat) -> None:
    """Protecting a branch is recorded with the names of the levels."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{SITE}/protected_branches", json={"name": "v*", "push_access_level": 0, "merge_access_level": 30})
    mia.delete(f"{SITE}/protected_branches/v*")

    removed, added = (get_newest_event(fakeplat, f"{SITE}/audit_events", at)["details"] for at in (0, 1))
    assert ("protected_branch", "v*") == (removed["remove"], removed["target_details"])
    assert ["protected_branch", ["No one"], ["Developers + Maintainers"], "ProtectedBranch", "v*"] == [
        added[key] for key in ("add", "push_access_levels", "merge_access_levels", "target_type", "target_details")
    ]


def test_deploy_keys_and_shares_are_recorded(fakeplat: Fakeplat) -> None:
    """A share is an event of the group that gets access."""
    mia = fakeplat.as_user("mia")
    key = mia.post(f"{SITE}/deploy_keys", json={"title": "ci", "key": ED25519}).json()["id"]
    mia.delete(f"{SITE}/deploy_keys/{key}")
    tools = fakeplat.world.group("acme/tools").id
    mia.post(f"{SITE}/share", json={"group_id": tools, "group_access": 10})
    mia.delete(f"{SITE}/share/{tools}")

    assert ["deploy_key", "deploy_key"] == [
        summarize(get_newest_event(fakeplat, f"{SITE}/audit_events", position)["details"]) for position in (0, 1)
    ]
    removed, shared = (get_newest_event(fakeplat, f"groups/{tools}/audit_events", at)["details"] for at in (0, 1))
    assert ("project_access", "Guest", "acme/site") == (shared["add"], shared["as"], shared["target_details"])
    assert "project_access" == removed["remove"]


def list_messages(fake: Fakeplat) -> list[tuple[str, str, str]]:
    """The texts of the project's events, the oldest first, with what they are about."""
    events = [event["details"] for event in fake.as_user("root").get(f"{SITE}/audit_events").json()][::-1]
    return [(event["custom_message"], event["target_type"], event["target_details"]) for event in events]


def test_releases_are_recorded(fakeplat: Fakeplat) -> None:
    """A release is recorded with its milestones when it is created, updated, and gets other milestones."""
    mia, path = fakeplat.as_user("mia"), f"{SITE}/releases"
    for title in ("m1", "m2"):
        mia.post(f"{SITE}/milestones", json={"title": title})
    mia.post(path, json={"tag_name": "v1.0", "name": "One"})
    mia.post(path, json={"tag_name": "v1.1", "ref": "master", "milestones": ["m1"]})
    mia.put(f"{path}/v1.0", json={"description": "Text"})
    mia.put(f"{path}/v1.0", json={"milestones": ["m1", "m2"]})
    mia.put(f"{path}/v1.0", json={"milestones": []})
    mia.delete(f"{path}/v1.1")

    target = ("Release", "One")
    assert [
        ("Created Release v1.0", *target),
        ("Created Release v1.1 with Milestone m1", "Release", "v1.1"),
        ("Updated Release v1.0", *target),
        ("Updated Release v1.0", *target),
        ("Milestones associated with release changed to m1 and m2", *target),
        ("Updated Release v1.0", *target),
        ("Milestones associated with release changed to [none]", *target),
    ] == list_messages(fakeplat)


def test_feature_flags_are_recorded(fakeplat: Fakeplat) -> None:
    """A flag is recorded with its description and scopes when it is created, changed and deleted."""
    mia, path = fakeplat.as_user("mia"), f"{SITE}/feature_flags"
    mia.post(path, json={"name": "old", "description": "Old one"})
    mia.post(path, json={"name": "new", "version": "new_version_flag"})
    mia.put(f"{path}/new", json={"description": "Text", "active": False})
    mia.put(f"{path}/new", json={"active": False})
    mia.delete(f"{path}/new")

    rule = (
        "Created rule <strong>*</strong> and set it as <strong>active</strong> with strategies "
        '<strong>[{"name"=>"default", "parameters"=>{}}]</strong>.'
    )
    changes = (
        'Updated description from <strong>""</strong> to <strong>"Text"</strong>. '
        'Updated active from <strong>"true"</strong> to <strong>"false"</strong>.'
    )
    kind, new = "Operations::FeatureFlag", "<strong>new</strong>"
    assert [
        (f'Created feature flag <strong>old</strong> with description <strong>"Old one"</strong>. {rule}', kind, "old"),
        (f'Created feature flag {new} with description <strong>""</strong>.', kind, "new"),
        (f"Updated feature flag {new}. {changes}", kind, "new"),
        (f"Deleted feature flag {new}.", kind, "new"),
    ] == list_messages(fakeplat)


def test_events_are_filtered_by_what_they_are_about_and_by_time(fakeplat: Fakeplat) -> None:
    """The newest comes first; the limits of a period belong to it."""
    ada, root = fakeplat.as_user("ada"), fakeplat.as_user("root")
    ada.put(SITE, json={"name": "A"})
    fakeplat.clock.advance("1h")
    ada.put(ACME, json={"name": "B"})

    kinds = [event["entity_type"] for event in root.get("audit_events").json()]
    assert ["Group", "Project"] == kinds
    assert ["Project"] == names(root.get("audit_events?entity_type=Project").json(), "entity_type")
    assert ["Group"] == names(root.get(f"audit_events?created_after={'2020-11-20T10:00:00Z'}").json(), "entity_type")
    assert ["Project"] == names(root.get(f"audit_events?created_before={NOW}").json(), "entity_type")
    assert [] == root.get(f"{ACME}/audit_events?created_before={NOW}").json()
    (event,) = root.get(f"{ACME}/audit_events?created_after={NOW}").json()
    assert event == root.get(f"audit_events/{event['id']}").json()


@pytest.mark.parametrize(
    ("path", "counts_pages"),
    [
        pytest.param(path, release == last_without, marks=pytest.mark.fakeplat(version=release))
        for path, last_without, first_with in (
            (f"{ACME}/audit_events", "15.1", "15.2"),
            (f"{SITE}/audit_events", "15.9", "15.10"),
            ("audit_events", "15.10", "15.11"),
        )
        for release in (last_without, first_with)
    ],
)
def test_lists_have_cursors_since_different_releases(fakeplat: Fakeplat, path: str, counts_pages: bool) -> None:
    """A list with cursors does not count its pages; before, the parameter is ignored."""
    assert counts_pages == ("X-Total" in fakeplat.as_user("root").get(f"{path}?pagination=keyset").headers)


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        (None, "audit_events", UNAUTHORIZED),
        ("ada", "audit_events", FORBIDDEN),
        ("ada", "audit_events/1", FORBIDDEN),
        ("root", "audit_events/1", (404, {"message": "404 Not found"})),
        ("root", "audit_events?entity_id=1", invalid("entity_type is missing")),
        ("root", "audit_events?entity_type=Key", invalid("entity_type does not have a valid value")),
        ("root", "audit_events?created_after=soon", invalid("created_after is invalid")),
        ("dev", f"{SITE}/audit_events", FORBIDDEN),
        ("mia", f"{ACME}/audit_events", FORBIDDEN),
    ],
)
def test_who_reads_audit_events(fakeplat: Fakeplat, user: str | None, path: str, expected: Outcome) -> None:
    """Audit events are read by administrators, owners of groups and Maintainers of projects."""
    assert expected == refusal(fakeplat, user, "GET", path)


@pytest.mark.fakeplat(tier="free")
def test_without_the_tier_nothing_is_recorded(fakeplat: Fakeplat) -> None:
    """On the free tier no audit event is recorded and their list is not found."""
    fakeplat.as_user("ada").put(SITE, json={"name": "A"})

    assert [] == list(fakeplat.bench.platform.view.audit_events.all())
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "GET", "audit_events")


def test_no_login_is_asked_for_events_of_projects_and_groups(fakeplat: Fakeplat) -> None:
    """Anonymous callers get 404 for what is private and 403 for what is public, and 401 for those of the instance."""
    for path, expected in ((SITE, 404), (ACME, 403), ("projects/acme%2Fdocs", 403)):
        assert expected == refusal(fakeplat, None, "GET", f"{path}/audit_events")[0]
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "audit_events")


@pytest.mark.parametrize("container", [SITE, ACME])
def test_an_event_of_a_project_or_group_is_read(fakeplat: Fakeplat, container: str) -> None:
    """A project or group shows its own audit events and no others."""
    eve = {"user_id": person(fakeplat, "eve"), "access_level": 30}
    for path in (SITE, ACME):
        fakeplat.as_user("ada").post(f"{path}/members", json=eve)
    (other,) = {SITE, ACME} - {container}
    event, foreign = (fakeplat.as_user("ada").get(f"{path}/audit_events").json()[0] for path in (container, other))

    assert event == fakeplat.as_user("ada").get(f"{container}/audit_events/{event['id']}").json()
    for id_ in (foreign["id"], 1):
        expected = (404, {"message": "404 Not found"})
        assert expected == refusal(fakeplat, "ada", "GET", f"{container}/audit_events/{id_}")
    assert invalid("audit_event_id is invalid") == refusal(fakeplat, "ada", "GET", f"{container}/audit_events/x")


@pytest.mark.fakeplat(tier="free")
@pytest.mark.parametrize("container", [SITE, ACME])
def test_single_events_are_paid(fakeplat: Fakeplat, container: str) -> None:
    """Below premium nobody reads audit events of projects and groups."""
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"{container}/audit_events")
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"{container}/audit_events/1")
