"""Approval rules of code owners, and rules as they were at the merge (paid).

Source: the platform's documentation of code owners, and the specs of its finalization of approval rules.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    APPLICABLE_RULES_OF_MERGED_ARE_SHOWN,
    CODE_OWNERS_ARE_EXCLUDED,
    INVITED_GROUPS_OF_ANCESTORS_OWN_CODE,
    PROHIBITED_CHANGES_OF_RULES_ARE_FORBIDDEN,
    ROLES_OWN_CODE,
)
from fakeplat.scenario.export import export_world
from tests.api.requests import names, outcome, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
SHOP = "projects/corp%2Fshop"
MR = f"{SHOP}/merge_requests/1"
STATE, OWN = f"{MR}/approval_state", f"{MR}/approval_rules"
NAMES = ("ada", "mia", "dev", "rep", "pam", "eve")
OWNERS = """# Who owns what
*.py @dev
/docs/ @corp/writers

[Backend][2] @mia
*.py
^[Style]
*.css @rep
"""


def load_shop(
    fake: Fakeplat, owners: str = OWNERS, *, required: bool = True, files: Any = None, **project: Any
) -> None:
    """Load a project whose code has owners, with a merge request that changes files."""
    members = {"mia": "maintainer", "dev": "developer", "rep": "reporter", "ada": "owner"}
    fake.load(
        {
            "users": [{"username": name, "email": f"{name}@corp.example"} for name in NAMES],
            "groups": [
                {
                    "path": "corp",
                    "visibility": "public",
                    "members": {"ada": "owner"},
                    "groups": [{"path": "writers", "visibility": "public", "members": {"pam": "developer"}}],
                    "projects": [
                        {
                            "path": "shop",
                            "visibility": "public",
                            "members": members,
                            "shared_with_groups": {"corp/writers": "developer"},
                            "repository": {
                                "commits": [
                                    {"message": "Begin", "files": {"CODEOWNERS": owners, "README.md": "Hi"}},
                                    {
                                        "message": "Change",
                                        "branch": "topic",
                                        "start": "main",
                                        "files": files or {"app.py": "1", "docs/a.md": "2", "look.css": "3"},
                                    },
                                ],
                                "head": "main",
                            },
                            "protected_branches": [{"name": "main", "code_owner_approval_required": required}],
                            "merge_requests": [{"iid": 1, "title": "Topic", "source_branch": "topic", "author": "ada"}],
                            **project,
                        }
                    ],
                }
            ],
        }
    )


def list_rules(fake: Fakeplat, path: str = STATE) -> list[Any]:
    """Return the rules in force, or those of another path."""
    answer = fake.as_user("mia").get(path)
    assert 200 == answer.status, answer
    rules: list[Any] = answer.json()["rules"] if path == STATE else answer.json()
    return rules


def export_project(fake: Fakeplat) -> Any:
    """Return the project as an exported scenario has it."""
    projects = export_world(fake.bench.platform)["projects"]
    return next(project for project in projects if project["path_with_namespace"] == "corp/shop")


def summarize(rule: Any) -> tuple[Any, ...]:
    """Return what a rule of code owners is, who may approve, and how many must."""
    approvers = sorted(names(rule["eligible_approvers"], "username"))
    return rule["section"], rule["name"], approvers, rule["approvals_required"]


def approve(fake: Fakeplat, *people: str) -> None:
    """Approve the merge request as some people."""
    for name in people:
        assert 201 == fake.as_user(name).post(f"{MR}/approve").status, name


def test_the_owners_of_changed_files_must_approve(fakeplat: Fakeplat) -> None:
    """Each entry of the file that a changed path matches last in its section is a rule; optional sections need none."""
    load_shop(fakeplat)
    rules = list_rules(fakeplat)

    assert [
        ("codeowners", "*.py", ["dev"], 1),
        ("Backend", "*.py", ["mia"], 2),
        ("codeowners", "/docs/", ["pam"], 1),
        ("Style", "*.css", ["rep"], 0),
    ] == [summarize(rule) for rule in rules]
    assert {("code_owner", True)} == {(rule["rule_type"], rule["code_owner"]) for rule in rules}
    assert [False, True, False, True] == [rule["approved"] for rule in rules]
    settings = fakeplat.as_user("mia").get(f"{MR}/approval_settings").json()["rules"]
    assert [(rule["id"], ["dev"]) for rule in rules[:1]] == [
        (rule["id"], names(rule["approvers"], "username")) for rule in settings[:1]
    ]
    approvals = fakeplat.as_user("mia").get(f"{MR}/approvals").json()
    assert (4, 4, False) == tuple(approvals[name] for name in ("approvals_required", "approvals_left", "approved"))


def test_it_is_merged_once_they_approved(fakeplat: Fakeplat) -> None:
    """Merging is refused until the owners of all changed files have approved."""
    load_shop(fakeplat)
    approve(fakeplat, "dev")
    assert "not_approved" == fakeplat.as_user("mia").get(MR).json()["detailed_merge_status"]
    assert (405, {"message": "405 Method Not Allowed"}) == refusal(fakeplat, "mia", "PUT", f"{MR}/merge")
    approve(fakeplat, "pam")
    assert 200 == fakeplat.as_user("mia").put(f"{MR}/merge").status


@pytest.mark.parametrize("options", [{"required": False}, {"protected_branches": []}])
def test_other_branches_need_no_approval(fakeplat: Fakeplat, options: Any) -> None:
    """The owners are asked without obligation, unless the protected branch requires their approval."""
    load_shop(fakeplat, **options)
    assert {0} == {rule["approvals_required"] for rule in list_rules(fakeplat)}
    assert 200 == fakeplat.as_user("mia").put(f"{MR}/merge").status


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_have_no_code_owners(fakeplat: Fakeplat) -> None:
    """On the free tier the file has no effect."""
    load_shop(fakeplat)
    assert 200 == fakeplat.as_user("mia").put(f"{MR}/merge").status
    assert 0 == len(fakeplat.bench.platform.view.approval_rules)


def test_they_follow_pushes(fakeplat: Fakeplat) -> None:
    """Rules come and go with the changed files, and with the file on the target branch once it is checked again."""
    load_shop(fakeplat, "*.py @dev\n*.md @mia\n", files={"app.py": "1"})
    (first,) = list_rules(fakeplat)
    commit = {"branch": "topic", "content": "x", "commit_message": "Add"}
    assert 201 == fakeplat.as_user("mia").post(f"{SHOP}/repository/files/new.md", json=commit).status
    assert ["*.py", "*.md"] == names(list_rules(fakeplat), "name")
    assert first["id"] == list_rules(fakeplat)[0]["id"]

    change = {"branch": "main", "content": "*.py @rep\n", "commit_message": "Change owners"}
    assert 200 == fakeplat.as_user("mia").put(f"{SHOP}/repository/files/CODEOWNERS", json=change).status
    fakeplat.as_user("mia").get(MR)
    fakeplat.settle()
    (rule,) = list_rules(fakeplat)
    assert (first["id"], ["rep"]) == (rule["id"], names(rule["eligible_approvers"], "username"))


def test_a_new_merge_request_has_them(fakeplat: Fakeplat) -> None:
    """A merge request that is created has the rules at once, those of its new target branch after a change of it."""
    load_shop(fakeplat, "*.py @dev\n", merge_requests=[])
    body = {"source_branch": "topic", "target_branch": "main", "title": "New"}
    created = fakeplat.as_user("mia").post(f"{SHOP}/merge_requests", json=body).json()
    state = f"{SHOP}/merge_requests/{created['iid']}/approval_state"
    rules = fakeplat.as_user("mia").get(state).json()["rules"]
    assert ["*.py"] == names(rules, "name")
    fakeplat.as_user("mia").post(f"{SHOP}/repository/branches", json={"branch": "old", "ref": "main"})
    fakeplat.as_user("mia").delete(f"{SHOP}/repository/files/CODEOWNERS", json={"branch": "old", "commit_message": "x"})
    fakeplat.as_user("mia").put(f"{SHOP}/merge_requests/{created['iid']}", json={"target_branch": "old"})
    assert [] == fakeplat.as_user("mia").get(state).json()["rules"]


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        ("*.py @eve Dev@corp.example\n", ["dev"]),
        ("*.py @@maintainers @@developer\n", ["dev", "mia"]),
        ("*.py @CORP/Writers\n", ["pam"]),
        ("\\#x @mia\n* @rep\n", ["rep"]),
        ("app.py @dev\n*.py\n", []),
        ("[X] @dev @rep\n*.py @mia\n[x]\napp.py\n", []),
        ("[X] @dev @rep\napp.py\n", ["dev", "rep"]),
    ],
)
def test_who_owns_a_path(fakeplat: Fakeplat, owners: str, expected: list[str]) -> None:
    """Owners are members by name, confirmed address or role, or groups; sections have default owners."""
    load_shop(fakeplat, owners, files={"app.py": "1"})
    (rule,) = list_rules(fakeplat)
    assert expected == sorted(names(rule["eligible_approvers"], "username"))


def test_paths_are_excluded(fakeplat: Fakeplat) -> None:
    """A pattern with an exclamation mark takes paths out of its section."""
    load_shop(fakeplat, "*.py @dev\n!app.py\n[More]\n*.py @mia\n[Broken\n", files={"app.py": "1"})
    assert [("More", "*.py", ["mia"], 1)] == [summarize(rule) for rule in list_rules(fakeplat)]


@by_release(ROLES_OWN_CODE, "owners", {"17.7": [], "17.8": ["dev"]})
def test_roles_own_code(fakeplat: Fakeplat, owners: list[str]) -> None:
    """In earlier releases roles own nothing."""
    load_shop(fakeplat, "*.py @@developers\n", files={"app.py": "1"})
    assert [("codeowners", "*.py", owners, len(owners))] == [summarize(rule) for rule in list_rules(fakeplat)]


@by_release(CODE_OWNERS_ARE_EXCLUDED, "patterns", {"17.9": ["*.py"], "17.10": []})
def test_exclusions(fakeplat: Fakeplat, patterns: list[str]) -> None:
    """In earlier releases an exclamation mark is part of the pattern."""
    load_shop(fakeplat, "*.py @dev\n!app.py @mia\n", files={"app.py": "1"})
    assert patterns == names(list_rules(fakeplat), "name")


@by_release(INVITED_GROUPS_OF_ANCESTORS_OWN_CODE, "owners", {"18.7": [], "18.8": ["rep"]})
def test_invited_groups_of_groups_own_code(fakeplat: Fakeplat, owners: list[str]) -> None:
    """Groups with which a group above the project is shared own code in later releases."""
    reviewers = {"path": "reviewers", "visibility": "public", "members": {"rep": "developer"}}
    users = [{"username": "rep", "email": "rep@corp.example"}]
    shared = {"path": "corp", "visibility": "public", "shared_with_groups": {"reviewers": "developer"}}
    fakeplat.load({"users": users, "groups": [reviewers, shared]})
    load_shop(fakeplat, "*.py @reviewers\n", files={"app.py": "1"})
    (rule,) = list_rules(fakeplat)
    assert owners == names(rule["eligible_approvers"], "username")


@by_release(PROHIBITED_CHANGES_OF_RULES_ARE_FORBIDDEN, "status", {"18.8": 400, "18.9": 403})
def test_earlier_releases_refuse_changes_as_bad(fakeplat: Fakeplat, status: int) -> None:
    """A change of a rule of code owners is a bad request in earlier releases."""
    load_shop(fakeplat)
    rule = list_rules(fakeplat, OWN)[0]
    assert (status, {"message": ["Prohibited"]}) == refusal(fakeplat, "mia", "DELETE", f"{OWN}/{rule['id']}")


@by_release(APPLICABLE_RULES_OF_MERGED_ARE_SHOWN, "rules", {"18.8": ["Look"], "18.9": []})
def test_unmet_rules_of_merged_ones(fakeplat: Fakeplat, rules: list[str]) -> None:
    """A rule that was not met at the merge does not show with what is merged in later releases."""
    rule = {"name": "Look", "approvals_required": 1, "users": ["dev"]}
    merged = {"iid": 1, "title": "Old", "source_branch": "topic", "state": "merged", "approval_rules": [rule]}
    load_shop(fakeplat, "x @mia\n", merge_requests=[merged])
    assert rules == names(list_rules(fakeplat), "name")


@pytest.mark.parametrize(("method", "body"), [("PUT", {"approvals_required": 5}), ("DELETE", None)])
def test_nobody_changes_them(fakeplat: Fakeplat, method: str, body: Any) -> None:
    """Rules of code owners are shown with the others of the merge request, but nobody changes or deletes them."""
    load_shop(fakeplat)
    rules = list_rules(fakeplat, OWN)
    assert [0, 2, 0, 0] == [rule["approvals_required"] for rule in rules]
    assert rules[0] == fakeplat.as_user("mia").get(f"{OWN}/{rules[0]['id']}").json()
    forbidden = refusal(fakeplat, "mia", method, f"{OWN}/{rules[0]['id']}", json=body)
    assert (403, {"message": ["Prohibited"]}) == forbidden


def test_they_are_not_exported(fakeplat: Fakeplat) -> None:
    """An exported scenario has no rules of code owners, which a loaded world has again."""
    load_shop(fakeplat)
    before = [summarize(rule) for rule in list_rules(fakeplat)]
    project = export_project(fakeplat)
    assert "approval_rules" not in project["merge_requests"][0]
    assert 4 == len(before)


# rules at the merge

RULES = [{"name": "Look", "approvals_required": 1, "users": ["dev"]}, {"name": "Idle", "users": ["rep"]}]


def merge(fake: Fakeplat) -> None:
    """Merge the merge request."""
    reply = fake.as_user("mia").put(f"{MR}/merge")
    assert 200 == reply.status, reply


def test_rules_of_the_project_are_kept(fakeplat: Fakeplat) -> None:
    """What is merged keeps the rules of the project that applied, whatever becomes of them."""
    load_shop(fakeplat, "x @mia\n", approval_rules=RULES)
    approve(fakeplat, "dev")
    merge(fakeplat)
    kept = list_rules(fakeplat)
    for rule in fakeplat.as_user("ada").get(f"{SHOP}/approval_rules").json():
        assert 204 == fakeplat.as_user("ada").delete(f"{SHOP}/approval_rules/{rule['id']}").status

    assert kept == list_rules(fakeplat)
    assert [("Look", ["dev"], True), ("Idle", [], True)] == [
        (rule["name"], names(rule["approved_by"], "username"), rule["approved"]) for rule in kept
    ]
    assert True is fakeplat.as_user("mia").get(STATE).json()["approval_rules_overwritten"]
    assert ["Look", "Idle"] == names(list_rules(fakeplat, OWN), "name")


def test_own_rules_are_kept_with_the_members_of_their_groups(fakeplat: Fakeplat) -> None:
    """An own rule names the members that its groups had at the merge; whoever approved then has approved."""
    load_shop(fakeplat, "x @mia\n")
    group = fakeplat.world.group("corp/writers")
    body = {"name": "Write", "approvals_required": 1, "group_ids": [group.id]}
    assert 201 == fakeplat.as_user("mia").post(OWN, json=body).status
    approve(fakeplat, "pam")
    merge(fakeplat)
    pam = fakeplat.world.user("pam").id
    assert 204 == fakeplat.as_user("ada").delete(f"groups/{group.id}/members/{pam}").status

    (rule,) = list_rules(fakeplat)
    assert (["pam"], ["pam"], True) == (
        names(rule["users"], "username"),
        names(rule["approved_by"], "username"),
        rule["approved"],
    )


def test_rules_of_code_owners_are_kept(fakeplat: Fakeplat) -> None:
    """Rules of code owners keep how many approvals the branch required, also when it does not any more."""
    load_shop(fakeplat, "*.py @dev\n", files={"app.py": "1"})
    approve(fakeplat, "dev")
    merge(fakeplat)
    before = list_rules(fakeplat)
    fakeplat.as_user("ada").delete(f"{SHOP}/protected_branches/main")

    assert [("codeowners", "*.py", ["dev"], 1)] == [summarize(rule) for rule in before]
    assert before == list_rules(fakeplat)
    project = export_project(fakeplat)
    (rule,) = project["merge_requests"][0]["approval_rules"]
    assert ("code_owner", "codeowners", True, ["dev"]) == tuple(
        rule[key] for key in ("rule_type", "section", "is_applicable", "approved_by")
    )


def test_rules_for_other_branches_did_not_count(fakeplat: Fakeplat) -> None:
    """Rules for other branches are kept, too, but are not in force."""
    branches = [{"name": "main"}, {"name": "next"}]
    rules = [{"name": "Next", "users": ["dev"], "protected_branches": ["next"]}]
    load_shop(fakeplat, "x @mia\n", protected_branches=branches, approval_rules=rules)
    merge(fakeplat)
    assert [] == list_rules(fakeplat)
    assert ["Next"] == names(list_rules(fakeplat, OWN), "name")


# ids in paths


def test_ids_that_are_no_numbers(fakeplat: Fakeplat) -> None:
    """A text as the id of a rule is unknown where the platform does not validate it, and invalid elsewhere."""
    load_shop(fakeplat)
    not_found = (404, {"message": "404 Not found"})
    invalid = (400, {"error": "approval_rule_id is invalid"})
    assert not_found == refusal(fakeplat, "mia", "GET", f"{SHOP}/approval_rules/x")
    assert invalid == refusal(fakeplat, "mia", "PUT", f"{SHOP}/approval_rules/x")
    assert invalid == refusal(fakeplat, "mia", "DELETE", f"{SHOP}/approval_rules/x")
    for method in ("GET", "PUT", "DELETE"):
        assert invalid == refusal(fakeplat, "mia", method, f"{OWN}/x")
    fakeplat.as_user("root").post("features/approval_group_rules", json={"value": True})
    unknown = (404, {"message": "404 Approval Rule Not Found"})
    assert unknown == refusal(fakeplat, "ada", "PUT", "groups/corp/approval_rules/x")


def test_rules_of_groups_show_the_protected_branches(fakeplat: Fakeplat) -> None:
    """A rule of a group shows the protected branches of the projects that are directly in it."""
    load_shop(fakeplat)
    fakeplat.as_user("root").post("features/approval_group_rules", json={"value": True})
    reply = fakeplat.as_user("ada").post("groups/corp/approval_rules", json={"name": "A", "approvals_required": 1})
    branches = fakeplat.as_user("ada").get(f"{SHOP}/protected_branches").json()
    assert (201, branches) == (outcome(reply)[0], reply.json()["protected_branches"])
    assert ["main"] == names(branches, "name")
