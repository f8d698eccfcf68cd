"""Protected branches and tags. Source: docs/platform/protected-branches-and-tags.md."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.domain import settings
from fakeplat.domain.repository import protection
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GROUP_PROTECTED_BRANCHES, PROTECTED_BRANCHES_ARE_UPDATED
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.api.test_branches import bad_request
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
BRANCHES, TAGS = f"{SITE}/protected_branches", f"{SITE}/protected_tags"
BOTH = pytest.mark.parametrize("path", [BRANCHES, TAGS])
SMALL_F: Outcome = (404, {"message": "404 Not found"})

NO_ONE = {"access_level": 0, "access_level_description": "No one"}
DEVELOPERS = {"access_level": 30, "access_level_description": "Developers + Maintainers"}
MAINTAINERS = {"access_level": 40, "access_level_description": "Maintainers"}


def protect_ref(fake: Fakeplat, path: str = BRANCHES, by: str = "mia", **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(path, json=body)
    assert 201 == reply.status, reply.text
    protection: dict[str, Any] = reply.json()
    return protection


@by_release(GROUP_PROTECTED_BRANCHES, "status", {"17.5": 201, "17.6": 403})
@pytest.mark.fakeplat(
    tier="premium",
    scenario={
        "extends": "starter",
        "groups": [{"full_path": "acme", "group_protected_branches": [{"name": "topic"}]}],
    },
)
def test_branches_are_protected_by_groups(fakeplat: Fakeplat, status: int) -> None:
    """The protected branches of a group are protected in its projects from 17.6 on."""
    body = {"branch": "topic", "start_branch": "feature", "commit_message": "x"}
    actions = [{"action": "create", "file_path": "topic.md", "content": "x"}]
    reply = fakeplat.as_user("dev").post(f"{SITE}/repository/commits", json={**body, "actions": actions})
    assert status == reply.status


def test_the_default_branch_is_protected(fakeplat: Fakeplat) -> None:
    """Maintainers may push and merge."""
    (protection,) = fakeplat.as_user("mia").get(BRANCHES).json()

    assert {"name": "master", "push_access_levels": [MAINTAINERS], "merge_access_levels": [MAINTAINERS]} == {
        name: value for name, value in protection.items() if name != "id"
    }
    assert {"id", "name", "push_access_levels", "merge_access_levels"} == set(protection)
    assert (200, protection) == outcome(fakeplat.as_user("mia").get(f"{BRANCHES}/master"))


@pytest.mark.parametrize(
    ("body", "push", "merge"),
    [
        ({}, MAINTAINERS, MAINTAINERS),
        ({"push_access_level": 0}, NO_ONE, MAINTAINERS),
        ({"push_access_level": 30, "merge_access_level": 0}, DEVELOPERS, NO_ONE),
        ({"merge_access_level": 60}, MAINTAINERS, {"access_level": 60, "access_level_description": "Instance admins"}),
        ({"allowed_to_push": [{"access_level": 30}]}, MAINTAINERS, MAINTAINERS),
    ],
)
def test_a_branch_is_protected(fakeplat: Fakeplat, body: dict[str, Any], push: Any, merge: Any) -> None:
    """A branch is protected for Maintainers by default; lists of users need a paid tier."""
    protection = protect_ref(fakeplat, name="stable-*", **body)

    assert ("stable-*", [push], [merge]) == tuple(
        protection[name] for name in ("name", "push_access_levels", "merge_access_levels")
    )
    assert protection == fakeplat.as_user("mia").get(f"{BRANCHES}/{quote('stable-*', safe='')}").json()


@pytest.mark.parametrize(
    ("body", "create"),
    [({}, MAINTAINERS), ({"create_access_level": 30}, DEVELOPERS), ({"create_access_level": 0}, NO_ONE)],
)
def test_a_tag_is_protected(fakeplat: Fakeplat, body: dict[str, Any], create: Any) -> None:
    """A tag is protected for Maintainers by default."""
    protection = protect_ref(fakeplat, TAGS, name="v*", **body)

    assert {"name": "v*", "create_access_levels": [create]} == protection
    assert (200, protection) == outcome(fakeplat.as_user("mia").get(f"{TAGS}/v*"))
    assert [protection] == fakeplat.as_user("mia").get(TAGS).json()


@BOTH
def test_a_search_finds_parts_of_names(fakeplat: Fakeplat, path: str) -> None:
    """A search of protected branches and tags finds parts of names in any case."""
    for name in ("release/*", "Stable"):
        protect_ref(fakeplat, path, name=name)
    calls = fakeplat.as_user("mia")

    assert ["Stable"] == names(calls.get(f"{path}?search=sta").json(), "name")
    assert ["release/*"] == names(calls.get(f"{path}?search=LEASE").json(), "name")


@BOTH
def test_a_protection_that_changed_since_is_not_deleted(fakeplat: Fakeplat, path: str) -> None:
    """Deleting a protection that changed since the client's time answers 412."""
    protect_ref(fakeplat, path, name="v*")
    since = {"If-Unmodified-Since": "2020-11-20T08:59:59Z"}
    for headers in (LONG_AGO, since):
        assert STALE == refusal(fakeplat, "mia", "DELETE", f"{path}/v*", headers=headers)
    now = {"If-Unmodified-Since": "2020-11-20T09:00:00Z"}
    assert 204 == fakeplat.as_user("mia").delete(f"{path}/v*", headers=now).status


def test_a_protection_that_the_old_way_changed_is_younger(fakeplat: Fakeplat) -> None:
    """A protection changed by the old operation is newer for If-Unmodified-Since."""
    known = {"If-Unmodified-Since": "2020-11-20T09:00:00Z"}
    fakeplat.clock.advance("1h")
    path = f"{SITE}/repository/branches/master/protect"
    assert 200 == fakeplat.as_user("mia").put(path, json={"developers_can_push": True}).status
    assert STALE == refusal(fakeplat, "mia", "DELETE", f"{BRANCHES}/master", headers=known)


@BOTH
def test_a_protection_is_deleted(fakeplat: Fakeplat, path: str) -> None:
    """A deleted protection is not found any more."""
    protect_ref(fakeplat, path, name="v*")

    assert 204 == fakeplat.as_user("mia").delete(f"{path}/v*").status
    assert SMALL_F == outcome(fakeplat.as_user("mia").get(f"{path}/v*"))


REFUSED: list[tuple[str | None, str, str, dict[str, Any], Outcome]] = [
    ("mia", "POST", BRANCHES, {}, invalid("name is missing")),
    ("mia", "POST", BRANCHES, {"name": "master"}, bad_request("Protected branch 'master' already exists", 409)),
    ("mia", "POST", BRANCHES, {"name": " "}, (422, {"message": ["Name can't be blank"]})),
    *(
        ("mia", "POST", BRANCHES, {"name": "x", level: value}, invalid(f"{level} does not have a valid value"))
        for level in ("push_access_level", "merge_access_level")
        for value in (10, 20, 50, -1)
    ),
    (
        "mia",
        "POST",
        BRANCHES,
        {"name": "x", "unprotect_access_level": 0},
        invalid("unprotect_access_level does not have a valid value"),
    ),
    ("mia", "GET", f"{BRANCHES}/gone", {}, SMALL_F),
    ("mia", "DELETE", f"{BRANCHES}/gone", {}, SMALL_F),
    ("mia", "POST", TAGS, {}, invalid("name is missing")),
    ("mia", "POST", TAGS, {"name": "safe"}, (422, {"message": ["Name has already been taken"]})),
    ("mia", "POST", TAGS, {"name": ""}, (422, {"message": ["Name can't be blank"]})),
    (
        "mia",
        "POST",
        TAGS,
        {"name": "x", "create_access_level": 20},
        invalid("create_access_level does not have a valid value"),
    ),
    ("mia", "GET", f"{TAGS}/gone", {}, SMALL_F),
    ("mia", "DELETE", f"{TAGS}/gone", {}, SMALL_F),
    *(
        (who, method, target, {}, expected)
        for who, expected in (("dev", FORBIDDEN), ("gus", FORBIDDEN), ("eve", resource_not_found("Project")))
        for method, target in (
            ("GET", BRANCHES),
            ("GET", f"{BRANCHES}/master"),
            ("POST", BRANCHES),
            ("DELETE", f"{BRANCHES}/master"),
            ("GET", TAGS),
            ("GET", f"{TAGS}/safe"),
            ("POST", TAGS),
            ("DELETE", f"{TAGS}/safe"),
        )
    ),
    (None, "POST", BRANCHES, {"name": "x"}, resource_not_found("Project")),
    (None, "GET", BRANCHES, {}, resource_not_found("Project")),
    (None, "GET", "projects/acme%2Fdocs/protected_branches", {}, FORBIDDEN),
    (None, "GET", "projects/acme%2Fdocs/protected_tags", {}, FORBIDDEN),
]


@pytest.mark.parametrize(("who", "method", "path", "body", "expected"), REFUSED)
def test_invalid_protections_are_refused(
    fakeplat: Fakeplat, who: str | None, method: str, path: str, body: dict[str, Any], expected: Outcome
) -> None:
    """Invalid protections are refused with the platform's texts; below Maintainer it is 403 first."""
    protect_ref(fakeplat, TAGS, name="safe")
    assert expected == refusal(fakeplat, who, method, path, **({"json": body} if method == "POST" else {}))


@pytest.mark.parametrize(
    ("level", "ability"),
    [
        (0, {"dev": False, "mia": False, "ada": False, "root": False}),
        (30, {"dev": True, "mia": True, "ada": True, "root": True}),
        (40, {"dev": False, "mia": True, "ada": True, "root": True}),
        (60, {"dev": False, "mia": False, "ada": False, "root": True}),
    ],
)
def test_users_admitted_by_a_level(fakeplat: Fakeplat, level: int, ability: dict[str, bool]) -> None:
    """Level 0 admits nobody, and 60 only administrators."""
    protect_ref(fakeplat, name="feat*", push_access_level=level)
    may_push = {
        who: fakeplat.as_user(who).get(f"{SITE}/repository/branches/feature").json()["can_push"] for who in ability
    }
    assert ability == may_push


def test_one_of_several_protections_is_enough(fakeplat: Fakeplat) -> None:
    """A pattern and the exact name."""
    protect_ref(fakeplat, name="feature", push_access_level=0)
    protect_ref(fakeplat, name="f*", push_access_level=30)
    assert fakeplat.as_user("dev").get(f"{SITE}/repository/branches/feature").json()["can_push"]


@pytest.mark.parametrize("name", ["fe?ture", "fe[a]ture", "FEATURE", "eat*"])
def test_only_the_star_is_special(fakeplat: Fakeplat, name: str) -> None:
    """In a protected name only the star is a wildcard, and the whole name must match."""
    protect_ref(fakeplat, name=name)
    assert not fakeplat.as_user("dev").get(f"{SITE}/repository/branches/feature").json()["protected"]


@pytest.mark.fakeplat(tier="premium")
def test_users_and_groups_may_be_admitted(fakeplat: Fakeplat) -> None:
    """On a paid tier users and groups are admitted beside the default level."""
    dev, acme = fakeplat.world.user("dev").id, fakeplat.world.group("acme").id
    protection = protect_ref(
        fakeplat,
        name="feat*",
        allowed_to_push=[{"user_id": dev}],
        allowed_to_merge=[{"group_id": acme}, {"access_level": 40}],
        unprotect_access_level=40,
        code_owner_approval_required=True,
    )
    nobody = {"user_id": None, "group_id": None}
    user = {"access_level": 40, "user_id": dev, "group_id": None, "access_level_description": "Dev Example"}
    group = {"access_level": 40, "user_id": None, "group_id": acme, "access_level_description": "Acme"}

    assert [user] == protection["push_access_levels"]
    assert [group, {**MAINTAINERS, **nobody}] == protection["merge_access_levels"]
    assert [{**MAINTAINERS, **nobody}] == protection["unprotect_access_levels"]
    assert protection["code_owner_approval_required"]
    assert fakeplat.as_user("dev").get(f"{SITE}/repository/branches/feature").json()["can_push"]
    assert not fakeplat.as_user("mia").get(f"{SITE}/repository/branches/feature").json()["can_push"]


@pytest.mark.fakeplat(tier="premium")
def test_strangers_are_not_admitted(fakeplat: Fakeplat) -> None:
    """Users and groups without access to the project answer 422."""
    body = {
        "name": "x",
        "allowed_to_push": [{"user_id": fakeplat.world.user("eve").id}],
        "allowed_to_merge": [{"group_id": fakeplat.world.group("acme/tools").id}],
    }
    texts = [
        "Push access levels user is not a member of the project",
        "Merge access levels group does not have access to the project",
    ]
    assert (422, {"message": texts}) == refusal(fakeplat, "mia", "POST", BRANCHES, json=body)


@pytest.mark.fakeplat(tier="premium")
def test_a_protection_may_name_who_unprotects(fakeplat: Fakeplat) -> None:
    """Only listed users unprotect a branch that names them."""
    protect_ref(fakeplat, name="x", allowed_to_unprotect=[{"user_id": fakeplat.world.user("ada").id}])

    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", f"{BRANCHES}/x")
    assert 204 == fakeplat.as_user("ada").delete(f"{BRANCHES}/x").status


@pytest.mark.fakeplat(tier="premium")
def test_maintainers_unprotect_by_default(fakeplat: Fakeplat) -> None:
    """Without listed users the level to unprotect is 40."""
    nobody = {"user_id": None, "group_id": None}
    assert [{**MAINTAINERS, **nobody}] == protect_ref(fakeplat, name="x")["unprotect_access_levels"]
    assert 204 == fakeplat.as_user("mia").delete(f"{BRANCHES}/x").status


@pytest.mark.fakeplat(tier="premium")
def test_code_owners_are_required_by_an_update(fakeplat: Fakeplat) -> None:
    """PATCH says whether code owners must approve; without a word they need not. 404 for what is not protected."""
    protect_ref(fakeplat, name="x")
    reply = fakeplat.as_user("mia").patch(f"{BRANCHES}/x", json={"code_owner_approval_required": True})
    assert (200, "x", True) == (reply.status, reply.json()["name"], reply.json()["code_owner_approval_required"])
    assert not fakeplat.as_user("mia").patch(f"{BRANCHES}/x").json()["code_owner_approval_required"]
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "mia", "PATCH", f"{BRANCHES}/y")
    for user in ("gus", "rep", "dev"):
        assert FORBIDDEN == refusal(fakeplat, user, "PATCH", f"{BRANCHES}/x")
    for outsider in (None, "eve"):
        assert resource_not_found("Project") == refusal(fakeplat, outsider, "PATCH", f"{BRANCHES}/x")


def test_the_free_tier_requires_no_code_owners(fakeplat: Fakeplat) -> None:
    """On the free tier requiring code owners answers 403 with its own message."""
    protect_ref(fakeplat, name="x")
    disabled = (403, {"message": "Feature 'Code Owner Approval Required' is not enabled"})
    assert disabled == refusal(fakeplat, "mia", "PATCH", f"{BRANCHES}/x", json={"code_owner_approval_required": True})
    assert FORBIDDEN == refusal(fakeplat, "dev", "PATCH", f"{BRANCHES}/x")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [(0, []), (1, [(30, 40)]), (2, [(40, 40)]), (3, [(40, 30)])],
)
def test_how_a_first_branch_is_protected(fakeplat: Fakeplat, setting: int, expected: list[tuple[int, int]]) -> None:
    """The first branch of a project is protected as the setting says."""
    with fakeplat.bench.platform.acting() as ctx:
        settings.change(ctx, {"default_branch_protection": setting})
    ada = fakeplat.as_user("ada")
    project = ada.post("projects", json={"name": "Fresh", "initialize_with_readme": True}).json()
    protections = ada.get(f"projects/{project['id']}/protected_branches").json()

    assert expected == [
        (protection["push_access_levels"][0]["access_level"], protection["merge_access_levels"][0]["access_level"])
        for protection in protections
    ]


def test_deleting_a_project_deletes_its_protections(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes its protected branches and tags and its repository."""
    protect_ref(fakeplat, TAGS, name="v*")
    fakeplat.as_user("ada").delete(SITE)
    world = fakeplat.bench.platform.view
    gone = {
        row.project_id
        for table in (world.repositories, world.protected_branches, world.protected_tags)
        for row in table.all()
        if world.projects.get(row.project_id) is None
    }

    assert set() == gone


@pytest.mark.fakeplat(version="13.11.0")
def test_a_protected_branch_shows_whether_pushes_may_be_forced(fakeplat: Fakeplat) -> None:
    """From 13.11 on a protected branch shows `allow_force_push`, false by default."""
    assert protect_ref(fakeplat, name="a", allow_force_push=True)["allow_force_push"] is True
    assert protect_ref(fakeplat, name="b")["allow_force_push"] is False


def test_forced_pushes_to_protected_branches_are_allowed_later(fakeplat: Fakeplat) -> None:
    """In release 13.5 `allow_force_push` is ignored."""
    assert "allow_force_push" not in protect_ref(fakeplat, name="a", allow_force_push=True)
    (rule,) = [rule for rule in fakeplat.bench.platform.view.protected_branches.all() if rule.name == "a"]
    assert not rule.allow_force_push


@by_release(PROTECTED_BRANCHES_ARE_UPDATED, "status", {"15.5": 403, "15.6": 200})
def test_all_tiers_update_protected_branches(fakeplat: Fakeplat, status: int) -> None:
    """From 15.6 on, also the free tier says with PATCH whether members may force a push."""
    protect_ref(fakeplat, name="v*")
    body = {"allow_force_push": True, "code_owner_approval_required": True}
    assert status == fakeplat.as_user("mia").patch(f"{BRANCHES}/v*", json=body).status

    branch = fakeplat.as_user("mia").get(f"{BRANCHES}/v*").json()
    assert (status == 200, False) == (branch["allow_force_push"], "code_owner_approval_required" in branch)


@pytest.mark.fakeplat(tier="premium")
@by_release(PROTECTED_BRANCHES_ARE_UPDATED, "is_kept", {"15.5": False, "15.6": True})
def test_what_an_update_does_not_name_stays(fakeplat: Fakeplat, is_kept: bool) -> None:
    """Until 15.6 an update without a word about code owners means that they need not approve."""
    protect_ref(fakeplat, name="v*", code_owner_approval_required=True)
    branch = fakeplat.as_user("mia").patch(f"{BRANCHES}/v*", json={"allow_force_push": True}).json()
    assert [is_kept, is_kept] == [branch["allow_force_push"], branch["code_owner_approval_required"]]


@pytest.mark.fakeplat(version="latest", tier="premium", scenario="starter")
def test_updates_of_protected_branches(fakeplat: Fakeplat) -> None:
    """Who may not unprotect a branch may not change its protection either; a blank value is refused."""
    path, mia = f"{BRANCHES}/v*", fakeplat.as_user("mia")
    branch = protect_ref(fakeplat, name="v*")

    assert branch == mia.patch(path).json()
    assert mia.patch(path, json={"code_owner_approval_required": True}).json()["code_owner_approval_required"]
    assert not mia.patch(path, json={"code_owner_approval_required": False}).json()["code_owner_approval_required"]
    assert invalid("allow_force_push is empty") == refusal(
        fakeplat, "mia", "PATCH", path, json={"allow_force_push": ""}
    )
    assert SMALL_F == refusal(fakeplat, "mia", "PATCH", f"{BRANCHES}/y", json={"allow_force_push": True})
    assert FORBIDDEN == refusal(fakeplat, "dev", "PATCH", path, json={"allow_force_push": True})
    protect_ref(fakeplat, name="locked", by="root", unprotect_access_level=60)
    refused = f"{BRANCHES}/locked"
    assert FORBIDDEN == refusal(fakeplat, "mia", "PATCH", refused, json={"allow_force_push": True})
    assert not mia.get(refused).json()["allow_force_push"]


@pytest.mark.fakeplat(version="latest", tier="premium", scenario="starter")
def test_a_forced_push_follows_an_update(fakeplat: Fakeplat) -> None:
    """An update of a protected branch decides about the next forced push."""
    world = fakeplat.bench.platform.view
    project = world.projects[fakeplat.world.project("acme/site").id]
    protect_ref(fakeplat, name="topic")
    allowed = [protection.can_force_push(world, project, "topic")]
    fakeplat.as_user("mia").patch(f"{BRANCHES}/topic", json={"allow_force_push": True})

    assert [False, True] == [*allowed, protection.can_force_push(fakeplat.bench.platform.view, project, "topic")]


@pytest.mark.fakeplat(version="latest", tier="premium", scenario="starter")
@pytest.mark.parametrize(("word", "label"), [("merge", "Merge"), ("unprotect", "Unprotect")])
def test_an_entry_without_a_name_is_for_maintainers(fakeplat: Fakeplat, word: str, label: str) -> None:
    """Deploy keys only push, so an entry with nothing else is one of Maintainers, which a change cannot add again."""
    entries: dict[str, Any] = {f"allowed_to_{word}": [{"deploy_key_id": 1}]}
    level: dict[str, Any] = {f"{word}_access_level": 30}
    created = protect_ref(fakeplat, name="x*", **entries)
    text = f"{label} access levels access level has already been taken"

    assert [40] == names(created[f"{word}_access_levels"], "access_level")
    assert (422, {"message": [text]}) == refusal(fakeplat, "mia", "PATCH", f"{BRANCHES}/x*", json=entries)
    protect_ref(fakeplat, name="y*", **level)
    changed = fakeplat.as_user("mia").patch(f"{BRANCHES}/y*", json=entries).json()
    assert [30, 40] == names(changed[f"{word}_access_levels"], "access_level")
    removal = {f"allowed_to_{word}": [{"_destroy": True}]}
    assert changed == fakeplat.as_user("mia").patch(f"{BRANCHES}/y*", json=removal).json()


@pytest.mark.fakeplat(version="latest", tier="premium", scenario="starter")
@pytest.mark.parametrize("path", [BRANCHES, "groups/acme/protected_branches"])
def test_entries_of_the_wrong_form(fakeplat: Fakeplat, path: str) -> None:
    """Entries that are no objects are invalid, each list on its own."""
    lists = ["allowed_to_push", "allowed_to_merge", "allowed_to_unprotect"]
    expected = invalid(", ".join(f"{name} is invalid" for name in lists))
    assert expected == refusal(fakeplat, "ada", "POST", path, json={"name": "x", **{name: [""] for name in lists}})


GROUP_BRANCHES = "groups/acme/protected_branches"
NO_GROUP_BRANCH = resource_not_found("ProtectedBranch")


@pytest.mark.fakeplat(version="latest", tier="premium", scenario="starter")
def test_protected_branches_of_a_group_are_updated_and_removed(fakeplat: Fakeplat) -> None:
    """An owner changes a protected branch of a group; its removal answers with what it was."""
    ada = fakeplat.as_user("ada")
    branch = protect_ref(fakeplat, GROUP_BRANCHES, "ada", name="v*", code_owner_approval_required=True)
    forced = {**branch, "allow_force_push": True}

    assert branch["code_owner_approval_required"]
    assert (200, forced) == outcome(ada.patch(f"{GROUP_BRANCHES}/v*", json={"allow_force_push": True}))
    changed = {**forced, "code_owner_approval_required": False}
    assert changed == ada.patch(f"{GROUP_BRANCHES}/v*", json={"code_owner_approval_required": False}).json()
    assert (200, changed) == outcome(ada.delete(f"{GROUP_BRANCHES}/v*"))
    assert [] == ada.get(GROUP_BRANCHES).json()


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
@pytest.mark.fakeplat(version="latest", tier="premium", scenario="starter")
def test_protected_branches_of_a_group_are_for_owners(fakeplat: Fakeplat, method: str) -> None:
    """Maintainers reach no protected branch of a group, and nobody one that does not exist."""
    branch = protect_ref(fakeplat, GROUP_BRANCHES, "ada", name="v*")

    assert FORBIDDEN == refusal(fakeplat, "mia", method, f"{GROUP_BRANCHES}/v*")
    assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{GROUP_BRANCHES}/v*")
    assert NO_GROUP_BRANCH == refusal(fakeplat, "ada", method, f"{GROUP_BRANCHES}/other")
    assert [branch] == fakeplat.as_user("ada").get(GROUP_BRANCHES).json()


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFcykDaUT7x4oXyUCfgqJhfAXRbhtsLl4fi4142zrPCI"
OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFcykDaUT7x4oXyUCfgqJhfAXRbhtsLl4fi4142zrPCJ"
with_keys = pytest.mark.fakeplat(
    version="latest",
    default_branch="main",
    scenario={
        "extends": "starter",
        "deploy_keys": [
            {"title": "Robot", "key": KEY, "user": "dev", "projects": {"acme/site": True}},
            {"title": "Reader", "key": OTHER, "user": "eve", "projects": {"acme/site": False}},
        ],
        "projects": [
            {
                "path_with_namespace": "acme/site",
                "protected_tags": [{"name": "w*", "create_access_levels": ["no one", {"deploy_key": KEY}]}],
            }
        ],
    },
)


def key_ids(fake: Fakeplat) -> dict[str, int]:
    return {key["title"]: key["id"] for key in fake.as_user("root").get("deploy_keys").json()}


@with_keys
@pytest.mark.parametrize(("path", "kind"), [(TAGS, "create"), (BRANCHES, "push")])
def test_deploy_keys_have_access(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """In all tiers, a deploy key alone may create tags or push to branches; its title describes the access."""
    key = key_ids(fakeplat)["Robot"]
    body: dict[str, Any] = {"name": "x*", f"allowed_to_{kind}": [{"deploy_key_id": key}, {"user_id": 1}]}
    shown = protect_ref(fakeplat, path, **body)

    (access,) = shown[f"{kind}_access_levels"]
    assert {"access_level": 40, "access_level_description": "Robot", "deploy_key_id": key} == {
        name: access[name] for name in ("access_level", "access_level_description", "deploy_key_id")
    }


@with_keys
@pytest.mark.parametrize(
    "texts",
    [
        ["Maintainers", "Robot"],
        pytest.param(["Robot", "Developers + Maintainers"], marks=pytest.mark.fakeplat(tier="premium")),
    ],
    ids=["free", "premium"],
)
def test_changes_of_protections_add_deploy_keys(fakeplat: Fakeplat, texts: list[str]) -> None:
    """PATCH adds a deploy key in all tiers; paid ones also change and delete entries by id."""
    created = protect_ref(fakeplat, BRANCHES, name="x*")
    entry = {"id": created["push_access_levels"][0]["id"], "_destroy": True}
    key = {"deploy_key_id": key_ids(fakeplat)["Robot"]}
    body = {"allowed_to_push": [entry, key, {"access_level": 30}]}
    changed = fakeplat.as_user("mia").patch(f"{BRANCHES}/x*", json=body).json()
    assert texts == [level["access_level_description"] for level in changed["push_access_levels"]]


@with_keys
def test_owners_of_deploy_keys_have_their_access(fakeplat: Fakeplat) -> None:
    """Whoever owns the deploy key creates the tag, and nobody else."""
    bodies = {user: {"tag_name": f"w-{user}", "ref": "main"} for user in ("dev", "mia")}
    statuses = {
        user: fakeplat.as_user(user).post(f"{SITE}/repository/tags", json=body).status for user, body in bodies.items()
    }
    assert {"dev": 201, "mia": 400} == statuses


@with_keys
@pytest.mark.parametrize("path", [TAGS, BRANCHES])
def test_deploy_keys_that_cannot_write_are_refused(fakeplat: Fakeplat, path: str) -> None:
    """The key must be able to write to the project, and its owner be a member."""
    kind, word = ("create", "Create") if path == TAGS else ("push", "Push")

    def refused(id_: int) -> Outcome:
        body = {"name": "x*", f"allowed_to_{kind}": [{"deploy_key_id": id_}]}
        return refusal(fakeplat, "mia", "POST", path, json=body)

    start = f"{word} access levels deploy key"
    texts = [f"{start} owner is not a project member", f"{start} is not enabled for this project"]
    assert (422, {"message": texts}) == refused(key_ids(fakeplat)["Reader"])
    assert (422, {"message": [f"{start} can't be blank"]}) == refused(999)


@with_keys
def test_scenarios_have_the_access_of_deploy_keys(fakeplat: Fakeplat) -> None:
    """The access of a deploy key is exported with the text of the key."""
    (site,) = [row for row in fakeplat.export()["projects"] if row["path_with_namespace"] == "acme/site"]
    (tag,) = [row for row in site["protected_tags"] if row["name"] == "w*"]
    assert [0, {"deploy_key": KEY}] == tag["create_access_levels"]
