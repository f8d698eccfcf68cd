"""Single groups. Source: docs/platform/groups.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.fields import FLAG, NULL, NUMBER, TEXT, list_mistyped_fields
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    form,
    invalid,
    missing_value,
    names,
    outcome,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)

GROUP = {
    "id",
    "web_url",
    "name",
    "path",
    "description",
    "visibility",
    "share_with_group_lock",
    "require_two_factor_authentication",
    "two_factor_grace_period",
    "project_creation_level",
    "auto_devops_enabled",
    "subgroup_creation_level",
    "emails_disabled",
    "mentions_disabled",
    "lfs_enabled",
    "default_branch_protection",
    "avatar_url",
    "request_access_enabled",
    "full_name",
    "full_path",
    "created_at",
    "parent_id",
}
GROUP_PAID = {"ldap_cn", "ldap_access", "file_template_project_id", "marked_for_deletion_on"}
NAME = (
    "can contain only letters, digits, emojis, '_', '.', dash, space, parenthesis. "
    "It must start with letter, digit, emoji or '_'."
)
DETAIL = GROUP | {"shared_with_groups", "projects", "shared_projects"}
PIXEL = b"\x89PNG\r\n\x1a\n" + bytes(16)


def create_group(fake: Fakeplat, by: str = "ada", /, **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post("groups", json={"name": "New", "path": "new", **body})
    assert 201 == reply.status, reply.text
    group: dict[str, Any] = reply.json()
    return group


def group_id(fake: Fakeplat, path: str) -> int:
    return int(fake.world.group(path).id)


# reading


@pytest.mark.parametrize(
    ("viewer", "query", "fields"),
    [
        (None, "", DETAIL),
        ("eve", "", DETAIL),
        ("mia", "", DETAIL),
        ("ada", "", DETAIL | {"runners_token"}),
        ("root", "", DETAIL | {"runners_token"}),
        ("gus", "?with_projects=false", GROUP),
        ("ada", "?with_projects=false", GROUP),
        ("gus", "?with_custom_attributes=true", DETAIL),
        ("root", "?with_custom_attributes=true", DETAIL | {"runners_token", "custom_attributes"}),
    ],
)
def test_the_viewer_decides_which_fields_a_group_has(
    fakeplat: Fakeplat, viewer: str | None, query: str, fields: set[str]
) -> None:
    """Projects unless left out; the runners' token is for owners, custom attributes for administrators."""
    group = fakeplat.as_user(viewer).get(f"groups/acme{query}").json()

    assert fields == set(group) - {"file_template_project_id"}


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_show_more(fakeplat: Fakeplat) -> None:
    """Paid tiers add fields to a single group."""
    fields = set(fakeplat.as_user("gus").get("groups/acme").json())

    assert DETAIL | GROUP_PAID <= fields


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("viewer", "path", "tells"),
    [("ada", "acme", True), ("root", "acme", True), ("mia", "acme", False), ("ada", "acme%2Ftools", False)],
)
def test_whether_forks_leave_a_group_is_for_its_owners(fakeplat: Fakeplat, viewer: str, path: str, tells: bool) -> None:
    """Owners decide on paid tiers whether forks may leave a top-level group."""
    group = fakeplat.as_user(viewer).get(f"groups/{path}").json()

    assert tells == ("prevent_forking_outside_group" in group)
    assert not group.get("prevent_forking_outside_group", False)


@pytest.mark.parametrize(
    ("path", "result"),
    [
        pytest.param("acme", True, marks=pytest.mark.fakeplat(tier="premium"), id="top"),
        pytest.param("acme%2Ftools", None, marks=pytest.mark.fakeplat(tier="premium"), id="subgroup"),
        pytest.param("acme", None, id="free"),
    ],
)
def test_forks_are_kept_inside_of_groups_at_the_top_on_paid_tiers(
    fakeplat: Fakeplat, path: str, result: bool | None
) -> None:
    """Elsewhere the parameter is ignored."""
    reply = fakeplat.as_user("ada").put(f"groups/{path}", json={"prevent_forking_outside_group": True})

    assert (200, result) == (reply.status, reply.json().get("prevent_forking_outside_group"))


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(("viewer", "tells"), [("ada", True), ("root", True), ("eve", False), (None, False)])
def test_a_group_names_the_project_of_its_templates_to_who_sees_that(
    fakeplat: Fakeplat, viewer: str | None, tells: bool
) -> None:
    """The id of a private project is left out for the others, in lists too."""
    fakeplat.as_user("ada").put(
        "groups/acme", json={"file_template_project_id": fakeplat.world.project("acme/site").id}
    )
    calls = fakeplat.as_user(viewer)

    assert tells == ("file_template_project_id" in calls.get("groups/acme").json())
    assert tells == ("file_template_project_id" in calls.get("groups?search=Acme&all_available=true").json()[0])


@pytest.mark.parametrize(
    ("viewer", "projects"),
    [(None, ["acme/docs"]), ("eve", ["acme/docs"]), ("gus", ["acme/docs", "acme/site"])],
)
def test_projects_of_a_group(fakeplat: Fakeplat, viewer: str | None, projects: list[str]) -> None:
    """A group shows those of its projects that the caller sees."""
    shown_projects = fakeplat.as_user(viewer).get("groups/acme").json()["projects"]

    assert projects == sorted(names(shown_projects, "path_with_namespace"))


def test_the_values_of_a_new_group(fakeplat: Fakeplat) -> None:
    """A new group has the platform's defaults and its creator as owner."""
    group = create_group(fakeplat)

    assert {
        "name": "New",
        "path": "new",
        "full_name": "New",
        "full_path": "new",
        "web_url": f"{fakeplat.url}/groups/new",
        "visibility": "private",
        "parent_id": None,
        "avatar_url": None,
        "share_with_group_lock": False,
        "require_two_factor_authentication": False,
        "two_factor_grace_period": 48,
        "project_creation_level": "developer",
        "subgroup_creation_level": "maintainer",
        "auto_devops_enabled": None,
        "emails_disabled": None,
        "mentions_disabled": None,
        "lfs_enabled": True,
        "default_branch_protection": 2,
        "request_access_enabled": True,
        "shared_with_groups": [],
    }.items() <= group.items()
    members = fakeplat.as_user("ada").get("groups/new/members").json()
    assert [("ada", 50)] == [(member["username"], member["access_level"]) for member in members]


def test_fields_have_the_types_of_the_specification(fakeplat: Fakeplat) -> None:
    """Identities are numbers, switches are booleans, the rest is text."""
    types = {
        **dict.fromkeys(("id", "two_factor_grace_period", "default_branch_protection"), (NUMBER,)),
        "parent_id": (NUMBER, NULL),
        **dict.fromkeys(
            ("share_with_group_lock", "require_two_factor_authentication", "lfs_enabled", "request_access_enabled"),
            (FLAG,),
        ),
        **dict.fromkeys(("auto_devops_enabled", "emails_disabled", "mentions_disabled"), (FLAG, NULL)),
        **dict.fromkeys(("name", "path", "full_name", "full_path", "visibility", "created_at", "web_url"), (TEXT,)),
    }

    assert {} == list_mistyped_fields(fakeplat.as_user("ada").get("groups/acme%2Ftools").json(), types)


@pytest.mark.parametrize("reference", ["acme%2Ftools", "{id}"])
def test_groups_are_found_by_id_and_full_path(fakeplat: Fakeplat, reference: str) -> None:
    """A group is found by its id and by its encoded full path."""
    path = f"groups/{reference.format(id=group_id(fakeplat, 'acme/tools'))}"
    group = fakeplat.as_user("eve").get(path).json()

    assert ("Acme / Tools", "acme/tools", group_id(fakeplat, "acme")) == (
        group["full_name"],
        group["full_path"],
        group["parent_id"],
    )


@pytest.mark.parametrize(
    ("viewer", "path"),
    [(None, "acme%2Ftools"), ("ext", "acme%2Ftools"), ("ada", "nowhere"), ("ada", "9999"), ("ada", "ada")],
)
def test_hidden_and_missing_groups(fakeplat: Fakeplat, viewer: str | None, path: str) -> None:
    """A hidden group is as little found as a missing one; users' namespaces are no groups."""
    assert resource_not_found("Group") == refusal(fakeplat, viewer, "GET", f"groups/{path}")


@pytest.mark.parametrize(("viewer", "expected"), [("ada", 200), ("root", 200), ("gus", 404), ("eve", 404), (None, 404)])
def test_private_groups_are_for_members(fakeplat: Fakeplat, viewer: str | None, expected: int) -> None:
    """A private group is found by its members only."""
    create_group(fakeplat)

    assert expected == fakeplat.as_user(viewer).get("groups/new").status


# creating


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("description", "text"),
        ("visibility", "internal"),
        ("visibility", "public"),
        ("share_with_group_lock", True),
        ("require_two_factor_authentication", True),
        ("two_factor_grace_period", 24),
        ("project_creation_level", "noone"),
        ("project_creation_level", "maintainer"),
        ("auto_devops_enabled", True),
        ("subgroup_creation_level", "owner"),
        ("emails_disabled", True),
        ("mentions_disabled", True),
        ("lfs_enabled", False),
        ("request_access_enabled", False),
        ("default_branch_protection", 0),
        ("default_branch_protection", 1),
        ("default_branch_protection", 3),
    ],
)
def test_every_attribute_of_a_group_can_be_set(fakeplat: Fakeplat, name: str, value: Any) -> None:
    """Each attribute of a group can be set at its creation and by an update."""
    assert value == create_group(fakeplat, **{name: value})[name]
    create_group(fakeplat, path="other")
    assert value == fakeplat.as_user("ada").put("groups/other", json={name: value}).json()[name]


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, {"name": "x", "path": "x"}, UNAUTHORIZED),
        (None, {}, UNAUTHORIZED),
        ("ada", {}, invalid("name is missing, path is missing")),
        ("ada", {"name": "x"}, invalid("path is missing")),
        ("ada", {"path": "x"}, invalid("name is missing")),
        ("ada", {"name": "x", "path": "x", "visibility": "secret"}, invalid("visibility does not have a valid value")),
        (
            "ada",
            {"name": "x", "path": "x", "project_creation_level": "guest"},
            invalid("project_creation_level does not have a valid value"),
        ),
        (
            "ada",
            {"name": "x", "path": "x", "subgroup_creation_level": "developer"},
            invalid("subgroup_creation_level does not have a valid value"),
        ),
        (
            "ada",
            {"name": "x", "path": "x", "default_branch_protection": 4},
            invalid("default_branch_protection does not have a valid value"),
        ),
        ("ada", {"name": "x", "path": "x", "lfs_enabled": "x"}, invalid("lfs_enabled is invalid")),
        ("ada", {"name": "x", "path": "x", "parent_id": "x"}, invalid("parent_id is invalid")),
        ("ada", {"name": "x", "path": "x", "parent_id": 9999}, resource_not_found("Group")),
        (
            "ada",
            {"name": "x", "path": "acme"},
            (400, {"message": 'Failed to save group {:path=>["has already been taken"]}'}),
        ),
        (
            "ada",
            {"name": "x", "path": "eve"},
            (400, {"message": 'Failed to save group {:path=>["has already been taken"]}'}),
        ),
        (
            "ada",
            {"name": " ", "path": "x"},
            (400, {"message": f'Failed to save group {{:name=>["can\'t be blank", "{NAME}"]}}'}),
        ),
        (
            "ada",
            {"name": "", "path": "x"},
            (400, {"message": f'Failed to save group {{:name=>["can\'t be blank", "{NAME}"]}}'}),
        ),
        (
            "ada",
            {"name": "<SCRIPT>alert('x')</SCRIPT>", "path": "x"},
            (400, {"message": f'Failed to save group {{:name=>["{NAME}"]}}'}),
        ),
        ("ext", {"name": "x", "path": "x"}, FORBIDDEN),
    ],
)
def test_creating_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """Name and path are needed; a path is taken by groups and users alike; external users make none."""
    assert expected == refusal(fakeplat, viewer, "POST", "groups", json=body)


def test_users_without_the_right_create_no_groups(fakeplat: Fakeplat) -> None:
    """Users whose can_create_group is off are refused; administrators are not."""
    eve = fakeplat.world.user("eve").id
    fakeplat.as_user("root").put(f"users/{eve}", json={"can_create_group": False})

    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", "groups", json={"name": "x", "path": "x"})
    assert "x" == create_group(fakeplat, "root", path="x")["path"]


@pytest.mark.parametrize(
    ("level", "viewer", "expected"),
    [
        ("maintainer", "dev", 403),
        ("maintainer", "mia", 201),
        ("maintainer", "ada", 201),
        ("owner", "mia", 403),
        ("owner", "ada", 201),
        ("owner", "root", 201),
        ("owner", "eve", 403),
    ],
)
def test_roles_that_create_subgroups(fakeplat: Fakeplat, level: str, viewer: str, expected: int) -> None:
    """The group says from which level on."""
    fakeplat.as_user("ada").put("groups/acme", json={"subgroup_creation_level": level})
    body = {"name": "Sub", "path": "sub", "parent_id": group_id(fakeplat, "acme")}
    if expected == 403:
        assert FORBIDDEN == refusal(fakeplat, viewer, "POST", "groups", json=body)
    else:
        reply = fakeplat.as_user(viewer).post("groups", json=body)
        assert (201, "acme/sub", "Acme / Sub") == (
            reply.status,
            reply.json()["full_path"],
            reply.json()["full_name"],
        )


def test_the_same_path_in_another_group(fakeplat: Fakeplat) -> None:
    """A path is taken only beside its like; a project's counts too."""
    acme, tools = group_id(fakeplat, "acme"), group_id(fakeplat, "acme/tools")
    taken = (400, {"message": 'Failed to save group {:path=>["has already been taken"]}'})

    assert taken == refusal(fakeplat, "ada", "POST", "groups", json={"name": "x", "path": "tools", "parent_id": acme})
    assert taken == refusal(fakeplat, "ada", "POST", "groups", json={"name": "x", "path": "site", "parent_id": acme})
    assert "acme/tools/tools" == create_group(fakeplat, path="tools", parent_id=tools)["full_path"]


@pytest.mark.parametrize(("visibility", "expected"), [("private", 201), ("internal", 201), ("public", 400)])
def test_a_subgroup_is_not_more_visible_than_its_parent(fakeplat: Fakeplat, visibility: str, expected: int) -> None:
    """A group below an internal one cannot be created as or become public."""
    parent = group_id(fakeplat, "acme/tools")
    body = {"name": "x", "path": "x", "visibility": visibility, "parent_id": parent}
    if expected == 201:
        assert 201 == fakeplat.as_user("ada").post("groups", json=body).status
        return
    status, message = refusal(fakeplat, "ada", "POST", "groups", json=body)
    assert (400, True) == (status, message["message"].startswith("Failed to save group {"))
    create_group(fakeplat, parent_id=parent)
    status, message = refusal(fakeplat, "ada", "PUT", "groups/acme%2Ftools%2Fnew", json={"visibility": visibility})
    assert (400, {"visibility_level"}) == (status, set(message["message"]))


# changing


@pytest.mark.parametrize(
    ("viewer", "group", "expected"),
    [
        (None, "acme", UNAUTHORIZED),
        ("eve", "acme", FORBIDDEN),
        ("mia", "acme", FORBIDDEN),
        ("ext", "acme%2Ftools", resource_not_found("Group")),
        ("mia", "acme%2Ftools", FORBIDDEN),
        ("ada", "nowhere", resource_not_found("Group")),
    ],
)
def test_groups_are_for_owners(fakeplat: Fakeplat, viewer: str | None, group: str, expected: Outcome) -> None:
    """Below Owner groups are neither changed nor deleted."""
    assert expected == refusal(fakeplat, viewer, "PUT", f"groups/{group}", json={"name": "x"})
    assert expected == refusal(fakeplat, viewer, "DELETE", f"groups/{group}")


@pytest.mark.parametrize("viewer", ["ada", "root"])
def test_owners_change_groups(fakeplat: Fakeplat, viewer: str) -> None:
    """Owners of a group, also of one above it, change it."""
    reply = fakeplat.as_user(viewer).put("groups/acme%2Ftools", json={"name": "Kits", "path": "kits"})

    assert (200, "Acme / Kits", "acme/kits") == (reply.status, reply.json()["full_name"], reply.json()["full_path"])
    assert 200 == fakeplat.as_user("ada").get("projects/acme%2Fkits%2Fkit").status


@pytest.mark.parametrize(
    ("body", "status", "key"),
    [
        ({"name": ""}, 400, "name"),
        ({"name": "x" * 256}, 400, "name"),
        ({"name": "<SCRIPT>alert('x')</SCRIPT>"}, 400, "name"),
        ({"path": "eve"}, 400, "path"),
        ({"path": "-x"}, 400, "path"),
        ({"visibility": "private"}, 400, "visibility_level"),
    ],
)
def test_changing_is_refused(fakeplat: Fakeplat, body: Any, status: int, key: str) -> None:
    """A group cannot become less visible than its content."""
    got = refusal(fakeplat, "ada", "PUT", "groups/acme", json=body)

    assert (status, {key}) == (got[0], set(got[1]["message"]))


def test_a_picture(fakeplat: Fakeplat) -> None:
    """A picture can be uploaded, is served, and goes with an empty text."""
    calls = fakeplat.as_user("ada")
    group = calls.put("groups/acme", **form(avatar=("a.png", "image/png", PIXEL))).json()
    own = f"{fakeplat.url}/uploads/-/system/group/avatar/{group['id']}/a.png"

    assert own == group["avatar_url"]
    assert 200 == calls.get(own).status
    assert calls.put("groups/acme", json={"avatar": ""}).json()["avatar_url"] is None


# deleting


@pytest.mark.parametrize("viewer", ["ada", "root"])
def test_deleting_a_group(fakeplat: Fakeplat, viewer: str) -> None:
    """Deleting a group answers 202 and deletes its content."""
    assert (202, {"message": "202 Accepted"}) == outcome(fakeplat.as_user(viewer).delete("groups/acme"))
    for path in ("groups/acme", "groups/acme%2Ftools", "projects/acme%2Fsite", "projects/acme%2Ftools%2Fkit"):
        assert 404 == fakeplat.as_user("root").get(path).status
    assert "acme" == create_group(fakeplat, path="acme")["path"]


def test_a_group_that_changed_since_is_not_deleted(fakeplat: Fakeplat) -> None:
    """Deleting a group that changed since the client's time answers 412."""
    assert STALE == refusal(fakeplat, "ada", "DELETE", "groups/acme", headers=LONG_AGO)


# delayed deletion

PAID = pytest.mark.fakeplat(
    tier="premium", clock="virtual", scenario={**COMPANY, "settings": {"deletion_adjourned_period": 7}}
)
ACCEPTED = (202, {"message": "202 Accepted"})


@PAID
def test_a_group_is_marked_first(fakeplat: Fakeplat) -> None:
    """On paid tiers deleting a group marks it and keeps its content for the configured period."""
    calls = fakeplat.as_user("ada")
    assert ACCEPTED == outcome(calls.delete("groups/acme"))

    assert "2020-11-20" == calls.get("groups/acme").json()["marked_for_deletion_on"]
    fakeplat.clock.advance("6d")
    assert [200, 200] == [calls.get(path).status for path in ("groups/acme", "projects/acme%2Fsite")]
    fakeplat.clock.advance("2d")
    assert resource_not_found("Group") == outcome(calls.get("groups/acme"))
    assert resource_not_found("Project") == outcome(calls.get("projects/acme%2Fsite"))


@PAID
def test_a_marked_group_is_not_marked_again(fakeplat: Fakeplat) -> None:
    """Deleting a marked group again answers 400 and keeps the first date."""
    fakeplat.as_user("ada").delete("groups/acme")
    fakeplat.clock.advance("1d")

    marked = (400, {"message": "Group has been already marked for deletion"})
    assert marked == refusal(fakeplat, "ada", "DELETE", "groups/acme")
    assert "2020-11-20" == fakeplat.as_user("ada").get("groups/acme").json()["marked_for_deletion_on"]


@PAID
def test_a_marked_group_can_be_restored(fakeplat: Fakeplat) -> None:
    """Restoring a marked group answers 201 and unmarks it."""
    calls = fakeplat.as_user("ada")
    calls.delete("groups/acme")
    reply = calls.post("groups/acme/restore")

    assert (201, None) == (reply.status, reply.json()["marked_for_deletion_on"])
    assert DETAIL | GROUP_PAID <= set(reply.json())
    fakeplat.clock.advance("30d")
    assert 200 == calls.get("groups/acme").status


@PAID
@pytest.mark.parametrize(
    ("viewer", "group", "expected"),
    [
        (None, "acme", UNAUTHORIZED),
        ("ext", "acme%2Ftools", resource_not_found("Group")),
        ("eve", "acme", FORBIDDEN),
        ("mia", "acme", FORBIDDEN),
        ("ada", "acme", (400, {"message": "Group has not been marked for deletion"})),
    ],
)
def test_restoring_is_refused(fakeplat: Fakeplat, viewer: str | None, group: str, expected: Outcome) -> None:
    """Owners restore what is marked."""
    assert expected == refusal(fakeplat, viewer, "POST", f"groups/{group}/restore")


@PAID
def test_a_group_is_deleted_with_its_parent(fakeplat: Fakeplat) -> None:
    """A subgroup that is marked later does not outlive it, and nothing is left to do for it."""
    calls = fakeplat.as_user("ada")
    calls.delete("groups/acme")
    fakeplat.clock.advance("1d")
    calls.delete("groups/acme%2Ftools")
    fakeplat.clock.advance("30d")

    assert 404 == fakeplat.as_user("root").get("groups/acme%2Ftools").status
    assert 0 == len(fakeplat.bench.platform.view.scheduled_tasks)


@pytest.mark.fakeplat(tier="premium", scenario={**COMPANY, "settings": {"deletion_adjourned_period": 0}})
def test_without_a_period_a_group_is_deleted_at_once(fakeplat: Fakeplat) -> None:
    """Without a period a group is deleted at once."""
    fakeplat.as_user("ada").delete("groups/acme")

    assert resource_not_found("Group") == outcome(fakeplat.as_user("ada").get("groups/acme"))


def test_restoring_is_a_paid_feature(fakeplat: Fakeplat) -> None:
    """On the free tier restoring a group is not found."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "POST", "groups/acme/restore")


@pytest.mark.fakeplat(tier="premium")
def test_minutes_of_a_new_group_are_for_administrators(fakeplat: Fakeplat) -> None:
    """Only administrators create a group with a limit of minutes."""
    body = {"name": "New", "path": "new", "shared_runners_minutes_limit": 133}

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", "groups", json=body)
    assert 133 == fakeplat.as_user("root").post("groups", json=body).json()["shared_runners_minutes_limit"]


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(("viewer", "limit"), [("ada", None), ("root", 133)])
@pytest.mark.parametrize("name", ["shared_runners_minutes_limit", "extra_shared_runners_minutes_limit"])
def test_minutes_of_a_group_are_changed_by_administrators(
    fakeplat: Fakeplat, name: str, viewer: str, limit: int | None
) -> None:
    """An owner's value for the minutes of a group is ignored."""
    reply = fakeplat.as_user(viewer).put("groups/acme", json={name: 133})

    assert (200, limit) == (reply.status, reply.json()[name])


@pytest.mark.fakeplat(tier="premium")
def test_the_project_of_templates_must_be_one_that_the_owner_sees(fakeplat: Fakeplat) -> None:
    """Unknown and hidden projects are invalid; one that is not in the group and not shared with it does not count."""
    expected = (400, {"message": {"file_template_project_id": ["is invalid"]}})
    fakeplat.load({"projects": [{"path_with_namespace": "eve/own", "visibility": "private"}]})
    hidden = fakeplat.world.project("eve/own").id
    notes = fakeplat.world.project("ada/notes").id
    calls = fakeplat.as_user("ada")

    for id_ in (hidden, 99999):
        assert expected == refusal(fakeplat, "ada", "PUT", "groups/acme", json={"file_template_project_id": id_})
    assert calls.put("groups/acme", json={"file_template_project_id": notes}).json()["file_template_project_id"] is None
    calls.post("projects/ada%2Fnotes/share", json={"group_id": group_id(fakeplat, "acme"), "group_access": 10})
    assert notes == calls.get("groups/acme").json()["file_template_project_id"]
    assert 200 == calls.put("groups/acme", json={"file_template_project_id": None}).status


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "groups", {"name": "x", "path": "x"}),
        ("PUT", "groups/acme", {"name": "x"}),
        ("POST", "groups/acme/projects/ada%2Fnotes", None),
        ("POST", "groups/acme/share", {"group_id": 211, "group_access": 10}),
    ],
)
def test_responses_with_a_group_show_its_projects(fakeplat: Fakeplat, method: str, path: str, body: Any) -> None:
    """Responses with a group contain its projects and shares but no runners token."""
    if path.endswith("share"):
        body = {**body, "group_id": group_id(fakeplat, "acme/tools")}
    reply = fakeplat.as_user("root").request(method, path, json=body)

    assert reply.status in (200, 201), reply.text
    assert DETAIL == set(reply.json())


# moving a project in


@pytest.mark.parametrize("project", ["ada%2Fnotes", "{id}"])
def test_a_project_moves_into_a_group(fakeplat: Fakeplat, project: str) -> None:
    """Administrators move it, by id or path; the answer is the group."""
    reference = project.format(id=fakeplat.world.project("ada/notes").id)
    reply = fakeplat.as_user("root").post(f"groups/acme/projects/{reference}")

    assert (201, "acme") == (reply.status, reply.json()["full_path"])
    assert 200 == fakeplat.as_user("mia").get("projects/acme%2Fnotes").status


@pytest.mark.parametrize(
    ("viewer", "group", "project", "expected"),
    [
        (None, "acme", "ada%2Fnotes", UNAUTHORIZED),
        ("ada", "acme", "ada%2Fnotes", FORBIDDEN),
        ("root", "nowhere", "ada%2Fnotes", resource_not_found("Group")),
        ("root", "acme", "nowhere%2Fx", resource_not_found("Project")),
    ],
)
def test_moving_in_is_refused(
    fakeplat: Fakeplat, viewer: str | None, group: str, project: str, expected: Outcome
) -> None:
    """Moving a project into a group is for administrators, not even for owners of both."""
    assert expected == refusal(fakeplat, viewer, "POST", f"groups/{group}/projects/{project}")


def test_moving_onto_a_taken_path(fakeplat: Fakeplat) -> None:
    """The failure says that the transfer failed."""
    fakeplat.as_user("ada").post("projects", json={"name": "Site"})
    status, body = refusal(fakeplat, "root", "POST", "groups/acme/projects/ada%2Fsite")

    assert (400, True) == (status, body["message"].startswith("Failed to transfer project {"))


# sharing


def create_shared_group(fake: Fakeplat, level: int = 30, **body: Any) -> Any:
    """ada's own group shared with acme."""
    create_group(fake)
    sent = {"group_id": group_id(fake, "acme"), "group_access": level, **body}
    return fake.as_user("ada").post("groups/new/share", json=sent)


def test_sharing_a_group(fakeplat: Fakeplat) -> None:
    """Sharing a group answers 201 with its shares and admits the other group's members."""
    reply = create_shared_group(fakeplat, expires_at="2021-01-01")

    assert (
        201,
        [
            {
                "group_id": group_id(fakeplat, "acme"),
                "group_name": "Acme",
                "group_full_path": "acme",
                "group_access_level": 30,
                "expires_at": "2021-01-01",
            }
        ],
    ) == (reply.status, reply.json()["shared_with_groups"])
    assert reply.json()["shared_with_groups"] == fakeplat.as_user("gus").get("groups/new").json()["shared_with_groups"]
    assert resource_not_found("Group") == outcome(fakeplat.as_user("eve").get("groups/new"))


@pytest.mark.parametrize(
    ("level", "viewer", "expected"),
    [(30, "rep", 403), (30, "dev", 201), (30, "mia", 201), (20, "mia", 403), (40, "dev", 201)],
)
def test_a_share_gives_at_most_its_level(fakeplat: Fakeplat, level: int, viewer: str, expected: int) -> None:
    """A member of a shared group has the lower of both levels."""
    create_shared_group(fakeplat, level)
    body = {"name": "x", "namespace_id": group_id(fakeplat, "new")}
    status = fakeplat.as_user(viewer).post("projects", json=body).status

    assert (expected == 201) == (status == 201)


@pytest.mark.fakeplat(clock="virtual")
def test_a_share_ends(fakeplat: Fakeplat) -> None:
    """On its last day a share of a group gives no access any more."""
    create_shared_group(fakeplat, expires_at="2020-11-22")
    assert 200 == fakeplat.as_user("gus").get("groups/new").status
    fakeplat.clock.advance("2d")

    assert resource_not_found("Group") == outcome(fakeplat.as_user("gus").get("groups/new"))


def test_taking_a_share_back(fakeplat: Fakeplat) -> None:
    """Deleting a share answers 204, and 404 to those who do not own the group."""
    create_shared_group(fakeplat, level=40)
    path = f"groups/new/share/{group_id(fakeplat, 'acme')}"

    for viewer in ("dev", "mia"):
        assert (204, None) == refusal(fakeplat, viewer, "DELETE", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "DELETE", path)
    assert resource_not_found("Group Link") == refusal(fakeplat, "mia", "DELETE", "groups/new/share/9999")
    assert (204, None) == outcome(fakeplat.as_user("ada").delete(path))
    assert resource_not_found("Group Link") == refusal(fakeplat, "ada", "DELETE", path)
    assert resource_not_found("Group") == outcome(fakeplat.as_user("dev").get("groups/new"))


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, {}, UNAUTHORIZED),
        ("ada", {"group_access": 30}, invalid("group_id is missing")),
        ("ada", {"group_id": 1}, invalid(missing_value("group_access"))),
        ("ada", {}, invalid(f"group_id is missing, {missing_value('group_access')}")),
        ("ada", {"group_id": "x", "group_access": 30}, invalid("group_id is invalid")),
        ("ada", {"group_id": 1, "group_access": 7}, invalid("group_access does not have a valid value")),
        ("ada", {"group_id": 1, "group_access": 30, "expires_at": "soon"}, invalid("expires_at is invalid")),
        ("ada", {"group_id": 9999, "group_access": 30}, resource_not_found("Group")),
    ],
)
def test_sharing_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """A share of a group needs an existing group and a valid level."""
    assert expected == refusal(fakeplat, viewer, "POST", "groups/acme/share", json=body)


def test_sharing_is_for_owners(fakeplat: Fakeplat) -> None:
    """Only owners share a group, and sharing it twice is a conflict."""
    create_shared_group(fakeplat)
    body = {"group_id": group_id(fakeplat, "acme/tools"), "group_access": 10}

    assert 404 == refusal(fakeplat, "mia", "POST", "groups/acme/share", json=body)[0]
    again = {"group_id": group_id(fakeplat, "acme"), "group_access": 10}
    assert 409 == refusal(fakeplat, "ada", "POST", "groups/new/share", json=again)[0]


# members over time


@pytest.mark.fakeplat(clock="virtual")
def test_a_membership_ends(fakeplat: Fakeplat) -> None:
    """A membership of a group gives no access from its `expires_at` on."""
    body = {"user_id": fakeplat.world.user("eve").id, "access_level": 30, "expires_at": "2020-11-22"}
    assert 201 == fakeplat.as_user("ada").post("groups/acme/members", json=body).status
    fakeplat.clock.advance("1d")
    assert 200 == fakeplat.as_user("eve").get("projects/acme%2Fsite").status
    fakeplat.clock.advance("1d")

    assert resource_not_found("Project") == outcome(fakeplat.as_user("eve").get("projects/acme%2Fsite"))
    members = fakeplat.as_user("ada").get("groups/acme/members").json()
    assert "eve" not in names(members, "username")
    assert [] == fakeplat.as_user("eve").get("groups").json()


@pytest.mark.fakeplat(scenario="starter")
def test_members_of_the_former_group_do_not_see_a_transferred_project(fakeplat: Fakeplat) -> None:
    """A project that an administrator moves to another group is hidden from the members of the group that it was in."""
    root, dev, project = fakeplat.as_user("root"), fakeplat.as_user("dev"), fakeplat.world.project("acme/site").id
    group = root.post("groups", json={"name": "Other", "path": "other", "visibility": "private"}).json()["id"]
    assert 200 == dev.get(f"projects/{project}").status
    assert 201 == root.post(f"groups/{group}/projects/{project}").status
    for path in (f"projects/{project}", "projects/acme%2Fsite"):
        assert resource_not_found("Project") == refusal(fakeplat, "dev", "GET", path)
