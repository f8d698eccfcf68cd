"""Events of system hooks about projects, users, keys, groups and members, and of group hooks about members.

Source: docs/platform/webhooks.md ('2.15 System events').
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.deliveries import SITE, URL, Deliveries, change, create
from tests.ssh_keys import ED25519

TIME = "2020-11-20T09:00:00Z"
SYSTEM = {"system_hooks": [{"url": URL, "repository_update_events": False}]}


@pytest.fixture
def sent(fakeplat: Fakeplat) -> Deliveries:
    """Return the deliveries to a system hook without any flag."""
    fakeplat.load(SYSTEM)
    return Deliveries(fakeplat)


def build_project_event(name: str, path: str, **more: Any) -> dict[str, Any]:
    return {
        "event_name": name,
        "created_at": TIME,
        "updated_at": TIME,
        "name": "New",
        "path": path.rpartition("/")[2],
        "path_with_namespace": path,
        **more,
    }


OWNER = {"owner_name": "Ada Example", "owner_email": "ada@example.test", "project_visibility": "private"}


def test_life_of_a_project(fakeplat: Fakeplat, sent: Deliveries) -> None:
    """Creating, changing, moving and deleting a project send system hook events."""
    id_ = create(fakeplat, "projects", name="New", path="fresh")["id"]
    change(fakeplat, f"projects/{id_}", description="x")
    change(fakeplat, f"projects/{id_}", path="newer")
    change(fakeplat, f"projects/{id_}/transfer", namespace="acme")
    fakeplat.as_user("ada").delete(f"projects/{id_}")
    created, member, updated, renamed, moved, gone = sent.payloads()

    expected = build_project_event("project_create", "ada/fresh", project_id=id_, **OWNER)
    assert expected == created
    assert list(expected) == list(created)
    assert "user_add_to_team" == member["event_name"]
    assert {**expected, "event_name": "project_update"} == updated
    assert (
        build_project_event("project_rename", "ada/newer", project_id=id_, **OWNER, old_path_with_namespace="ada/fresh")
        == renamed
    )
    group = {**OWNER, "owner_name": "Acme", "owner_email": ""}
    assert (
        build_project_event(
            "project_transfer", "acme/newer", project_id=id_, **group, old_path_with_namespace="ada/newer"
        )
        == moved
    )
    assert build_project_event("project_destroy", "acme/newer", project_id=id_, **group) == gone


def test_members_of_a_project(fakeplat: Fakeplat, sent: Deliveries) -> None:
    """Member events name the level and the platform's visibility text."""
    eve = fakeplat.world.user("eve").id
    create(fakeplat, f"{SITE}/members", user_id=eve, access_level=30)
    change(fakeplat, f"{SITE}/members/{eve}", access_level=40)
    fakeplat.as_user("ada").delete(f"{SITE}/members/{eve}")
    added, updated, removed = sent.payloads()

    expected = {
        "event_name": "user_add_to_team",
        "created_at": TIME,
        "updated_at": TIME,
        "project_name": "Site",
        "project_path": "site",
        "project_path_with_namespace": "acme/site",
        "project_id": 5001,
        "user_username": "eve",
        "user_name": "Eve Example",
        "user_email": "eve@example.test",
        "user_id": eve,
        "access_level": "Developer",
        "project_visibility": "visibilitylevel|private",
    }
    assert expected == added
    assert list(expected) == list(added)
    assert {**expected, "event_name": "user_update_for_team", "access_level": "Maintainer"} == updated
    assert {**expected, "event_name": "user_remove_from_team", "access_level": "Maintainer"} == removed


def test_life_of_a_user(fakeplat: Fakeplat, sent: Deliveries) -> None:
    """Creating, renaming and deleting a user send system hook events."""
    body = {"username": "zoe", "name": "Zoe", "email": "zoe@example.com", "password": "password12"}
    id_ = create(fakeplat, "users", "root", **body)["id"]
    change(fakeplat, f"users/{id_}", "root", bio="x")
    change(fakeplat, f"users/{id_}", "root", username="zoey")
    fakeplat.as_user("root").delete(f"users/{id_}")
    created, renamed, gone = sent.payloads()

    expected = {
        "event_name": "user_create",
        "created_at": TIME,
        "updated_at": TIME,
        "name": "Zoe",
        "email": "zoe@example.com",
        "user_id": id_,
        "username": "zoe",
    }
    assert expected == created
    assert list(expected) == list(created)
    assert {**expected, "event_name": "user_rename", "username": "zoey", "old_username": "zoe"} == renamed
    assert {**expected, "event_name": "user_destroy", "username": "zoey"} == gone


def test_keys(fakeplat: Fakeplat, sent: Deliveries) -> None:
    """Keys of users and deploy keys send events of different names."""
    id_ = create(fakeplat, "user/keys", title="k", key=ED25519)["id"]
    fakeplat.as_user("ada").delete(f"user/keys/{id_}")
    created, gone = sent.payloads()

    expected = {
        "event_name": "key_create",
        "created_at": TIME,
        "updated_at": TIME,
        "key": created["key"],
        "id": id_,
        "username": "ada",
    }
    assert expected == created
    assert list(expected) == list(created)
    assert {**expected, "event_name": "key_destroy"} == gone
    create(fakeplat, f"{SITE}/deploy_keys", title="k", key=ED25519)
    assert ["deploykey_create"] == [payload["event_name"] for payload in sent.payloads()]


def test_life_of_a_group(fakeplat: Fakeplat, sent: Deliveries) -> None:
    """Creating, renaming and deleting a group send system hook events."""
    id_ = create(fakeplat, "groups", name="New", path="new")["id"]
    change(fakeplat, f"groups/{id_}", description="x")
    change(fakeplat, f"groups/{id_}", path="newer")
    eve = fakeplat.world.user("eve").id
    create(fakeplat, f"groups/{id_}/members", user_id=eve, access_level=10)
    fakeplat.as_user("ada").delete(f"groups/{id_}/members/{eve}")
    fakeplat.as_user("ada").delete(f"groups/{id_}")
    created, owner, renamed, added, removed, gone = sent.payloads()

    expected = {
        "event_name": "group_create",
        "created_at": TIME,
        "updated_at": TIME,
        "name": "New",
        "path": "new",
        "full_path": "new",
        "group_id": id_,
        "owner_name": None,
        "owner_email": None,
    }
    assert expected == created
    assert list(expected) == list(created)
    moved = {"path": "newer", "full_path": "newer"}
    assert {**expected, **moved, "event_name": "group_rename", "old_path": "new", "old_full_path": "new"} == renamed
    assert ("user_add_to_group", "Owner") == (owner["event_name"], owner["group_access"])
    member = {
        "event_name": "user_add_to_group",
        "created_at": TIME,
        "updated_at": TIME,
        "group_name": "New",
        "group_path": "newer",
        "group_id": id_,
        "user_username": "eve",
        "user_name": "Eve Example",
        "user_email": "eve@example.test",
        "user_id": eve,
        "group_access": "Guest",
    }
    assert member == added
    assert list(member) == list(added)
    assert {**member, "event_name": "user_remove_from_group"} == removed
    assert {**expected, **moved, "event_name": "group_destroy"} == gone


def test_refused_sign_ins(fakeplat: Fakeplat, sent: Deliveries) -> None:
    """A blocked user's sign-in with the right password sends an event."""
    bob = fakeplat.bench.platform.view.users.find("username", "bob")
    assert bob is not None
    with fakeplat.bench.platform.acting() as ctx:
        from fakeplat.domain.people import sessions

        sessions.report_refusal(ctx, bob)
        sessions.report_refusal(ctx, ctx.world.users[2])
    (payload,) = sent.payloads()

    assert {
        "event_name": "user_failed_login",
        "created_at": TIME,
        "updated_at": TIME,
        "name": "Bob Example",
        "email": "bob@example.test",
        "user_id": bob.id,
        "username": "bob",
        "state": "blocked",
    } == payload


def test_other_events_of_projects_are_not_for_system_hooks(fakeplat: Fakeplat) -> None:
    """System hooks receive no events of issues, notes and pipelines, whatever flags are set."""
    flags = {"push_events": True, "tag_push_events": True, "merge_requests_events": True}
    fakeplat.load({"system_hooks": [{"url": URL, **flags}]})
    sent = Deliveries(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="x")
    create(fakeplat, f"{SITE}/issues/1/notes", body="x")
    create(fakeplat, f"{SITE}/pipeline", ref="master")

    assert [] == sent.take()


GROUP_HOOK = {
    "groups": [{"full_path": "acme", "hooks": [{"url": URL, "member_events": True, "subgroup_events": True}]}]
}


@pytest.mark.fakeplat(tier="premium", version="latest")
def test_members_and_subgroups_of_a_group(fakeplat: Fakeplat) -> None:
    """Events of members and subgroups reach webhooks of the group and its ancestors."""
    fakeplat.load(GROUP_HOOK)
    sent = Deliveries(fakeplat)
    eve, acme, tools = fakeplat.world.user("eve").id, *(fakeplat.world.group(p) for p in ("acme", "acme/tools"))
    create(fakeplat, "groups/acme%2Ftools/members", user_id=eve, access_level=30, expires_at="2020-12-01")
    assert ["Member Hook"] == [request.headers["X-Gitlab-Event"] for request in sent.requests]
    (added,) = sent.payloads()
    assert {
        "created_at": TIME,
        "updated_at": TIME,
        "group_name": tools.name,
        "group_path": tools.path,
        "group_id": tools.id,
        "user_username": "eve",
        "user_name": "Eve Example",
        "user_email": "eve@example.test",
        "user_id": eve,
        "group_access": "Developer",
        "group_plan": None,
        "expires_at": "2020-12-01T00:00:00Z",
        "event_name": "user_add_to_group",
    } == added

    subgroup = create(fakeplat, "groups", name="Sub", path="sub", parent_id=acme.id)
    request, _owner = sent.requests
    assert ("subgroup_hooks", "Subgroup Hook") == (request.trigger, request.headers["X-Gitlab-Event"])
    assert {
        "created_at": TIME,
        "updated_at": TIME,
        "event_name": "subgroup_create",
        "name": "Sub",
        "path": "sub",
        "full_path": "acme/sub",
        "group_id": subgroup["id"],
        "parent_group_id": acme.id,
        "parent_name": "Acme",
        "parent_path": "acme",
        "parent_full_path": "acme",
    } == sent.payloads()[0]


@pytest.mark.fakeplat(tier="premium")
def test_events_of_groups_came_later(fakeplat: Fakeplat) -> None:
    """Release 13.5 has none of them."""
    fakeplat.load(GROUP_HOOK)
    sent = Deliveries(fakeplat)
    create(fakeplat, "groups/acme/members", user_id=fakeplat.world.user("eve").id, access_level=30)

    assert [] == sent.take()
