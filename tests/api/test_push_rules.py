"""Push rules of projects and groups, also for commits by the API.

Source: ee/spec/requests/api/{project,group}_push_rule_spec.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, Outcome, invalid, invalid_record, outcome, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z")
SITE, ACME = "projects/acme%2Fsite/push_rule", "groups/acme/push_rule"
NOT_FOUND: Outcome = (404, {"message": "404 Not Found"})
NOTHING_SENT = (
    "deny_delete_tag, member_check, prevent_secrets, commit_message_regex, commit_message_negative_regex, "
    "branch_name_regex, author_email_regex, file_name_regex, max_file_size, commit_committer_check, "
    "reject_unsigned_commits are missing, at least one parameter must be provided"
)
DEFAULTS = {
    "created_at": "2020-11-20T09:00:00.000Z",
    "commit_message_regex": None,
    "commit_message_negative_regex": None,
    "branch_name_regex": None,
    "deny_delete_tag": False,
    "member_check": False,
    "prevent_secrets": False,
    "author_email_regex": None,
    "file_name_regex": None,
    "max_file_size": 0,
    "commit_committer_check": None,
    "reject_unsigned_commits": None,
}
COMMIT = {"branch": "feature", "commit_message": "JIRA-1 x", "author_email": "dev@corp.test"}


def create_push_rule(fake: Fakeplat, path: str = SITE, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("root").post(path, json=fields)
    assert 201 == reply.status
    return dict(reply.json())


def create_commit(fake: Fakeplat, *actions: dict[str, Any], **fields: Any) -> Outcome:
    body = {**COMMIT, "actions": [{"action": "create", "file_path": "new", **action} for action in actions or ({},)]}
    return outcome(fake.as_user("root").post("projects/acme%2Fsite/repository/commits", json={**body, **fields}))


@pytest.mark.parametrize(("path", "of_project"), [(SITE, True), (ACME, False)])
def test_a_push_rule_is_created_changed_and_deleted(fakeplat: Fakeplat, path: str, of_project: bool) -> None:
    """A push rule names its project, and an update keeps what is not sent."""
    rule, root = create_push_rule(fakeplat, path, commit_message_regex="JIRA-[0-9]+"), fakeplat.as_user("root")

    project = {"project_id": fakeplat.world.project("acme/site").id} if of_project else {}
    assert {"id": rule["id"], **DEFAULTS, "commit_message_regex": "JIRA-[0-9]+", **project} == rule
    changed = root.put(path, json={"max_file_size": 5, "commit_committer_check": True})
    assert (200, {**rule, "max_file_size": 5, "commit_committer_check": True}) == outcome(changed)
    assert changed.json() == root.get(path).json()
    assert 204 == root.delete(path).status


def test_a_missing_rule_of_a_project_is_null(fakeplat: Fakeplat) -> None:
    """Changing and deleting it is a 404 that names it."""
    assert (200, None) == outcome(fakeplat.as_user("mia").get(SITE))
    missing = resource_not_found("Push Rule")
    assert missing == refusal(fakeplat, "mia", "PUT", SITE, json={"max_file_size": 1})
    assert missing == refusal(fakeplat, "mia", "DELETE", SITE)


def test_a_missing_rule_of_a_group_is_not_found(fakeplat: Fakeplat) -> None:
    """Reading, updating or deleting a missing push rule of a group answers 404."""
    for method in ("GET", "PUT", "DELETE"):
        body = {"json": {"max_file_size": 1}} if method == "PUT" else {}
        assert NOT_FOUND == refusal(fakeplat, "ada", method, ACME, **body)


def test_there_is_one_rule_at_most(fakeplat: Fakeplat) -> None:
    """Projects and groups have texts of their own."""
    create_push_rule(fakeplat, max_file_size=1)
    create_push_rule(fakeplat, ACME, max_file_size=1)

    again = {"json": {"max_file_size": 2}}
    assert (422, {"message": "Project push rule exists"}) == refusal(fakeplat, "mia", "POST", SITE, **again)
    text = "Group push rule exists, try updating"
    assert (422, {"message": text}) == refusal(fakeplat, "ada", "POST", ACME, **again)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid(NOTHING_SENT)),
        ({"max_file_size": -10}, invalid_record(max_file_size=["must be greater than or equal to 0"])),
        ({"max_file_size": "big"}, invalid("max_file_size is invalid")),
        ({"file_name_regex": "(a"}, invalid_record(file_name_regex=["not valid RE2 syntax: missing ): (a"])),
    ],
)
def test_invalid_rules_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Push rules are validated by their parameters first, then by the record."""
    assert expected == refusal(fakeplat, "mia", "POST", SITE, json=body)
    create_push_rule(fakeplat, member_check=False)
    assert expected == refusal(fakeplat, "mia", "PUT", SITE, json=body)


@pytest.mark.parametrize(
    ("user", "path", "expected"), [("dev", SITE, FORBIDDEN), ("mia", ACME, NOT_FOUND)], ids=["project", "group"]
)
def test_permissions_are_checked_before_parameters(fakeplat: Fakeplat, user: str, path: str, expected: Outcome) -> None:
    """Permissions come before parameters; the rules of groups are hidden from all but their owners."""
    for method in ("GET", "POST", "PUT", "DELETE"):
        assert expected == refusal(fakeplat, user, method, path)


@pytest.mark.fakeplat(tier="free")
def test_push_rules_are_paid(fakeplat: Fakeplat) -> None:
    """Without the tier push rules are not found."""
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", SITE)
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", ACME)


def test_new_projects_and_subgroups_get_a_copy_of_the_groups_rule(fakeplat: Fakeplat) -> None:
    """The copy belongs to them: later changes of the group's rule do not reach it."""
    rule, root = create_push_rule(fakeplat, ACME, branch_name_regex="^x"), fakeplat.as_user("root")
    acme = fakeplat.world.group("acme").id
    project = root.post("projects", json={"name": "fresh", "namespace_id": acme}).json()["id"]
    group = root.post("groups", json={"name": "Sub", "path": "sub", "parent_id": acme}).json()["id"]
    root.put(ACME, json={"branch_name_regex": "^y"})
    nested = root.post("projects", json={"name": "nested", "namespace_id": group}).json()["id"]

    rules = [root.get(f"{path}/push_rule").json() for path in (f"projects/{project}", f"groups/{group}")]
    assert ["^x", "^x"] == [copy["branch_name_regex"] for copy in rules]
    assert rule["id"] not in {copy["id"] for copy in rules}
    assert "^x" == root.get(f"projects/{nested}/push_rule").json()["branch_name_regex"]
    assert root.get(SITE).json() is None


REFUSED = [
    ({"commit_message_regex": "^ISSUE"}, "Commit message does not follow the pattern '^ISSUE'"),
    ({"commit_message_negative_regex": "JIRA"}, "Commit message contains the forbidden pattern 'JIRA'"),
    (
        {"author_email_regex": "@corp.test$"},
        "Committer's email 'root@example.test' does not follow the pattern '@corp.test$'",
    ),
    (
        {"author_email_regex": "@example.test$"},
        "Author's email 'dev@corp.test' does not follow the pattern '@example.test$'",
    ),
    ({"member_check": True}, "Author 'dev@corp.test' is not a member of team"),
    ({"file_name_regex": "^ne"}, "File name new was prohibited by the denylist pattern ^ne."),
]


@pytest.mark.parametrize(("rule", "text"), REFUSED)
def test_commits_of_the_api_comply_with_the_rule(fakeplat: Fakeplat, rule: dict[str, Any], text: str) -> None:
    """Commits by the API that break a push rule answer 400 with git's text."""
    create_push_rule(fakeplat, **rule)

    path = "projects/acme%2Fsite/repository/branches/feature"
    before = fakeplat.as_user("root").get(path).json()
    assert (400, {"message": text}) == create_commit(fakeplat)
    assert before == fakeplat.as_user("root").get(path).json()


@pytest.mark.parametrize(
    "rule",
    [
        {"commit_message_regex": "^second line$", "commit_message_negative_regex": "^line"},
        {"author_email_regex": "@(corp|example)"},
        # Signatures cannot be made here, and the default branch has its name already.
        {"reject_unsigned_commits": True, "commit_committer_check": True},
        {"branch_name_regex": "feature"},
        {"file_name_regex": "^other$", "prevent_secrets": True, "max_file_size": 1},
    ],
)
def test_complying_commits_are_accepted(fakeplat: Fakeplat, rule: dict[str, Any]) -> None:
    """Expressions are searched in the text, those of messages line by line."""
    create_push_rule(fakeplat, **rule)

    assert 201 == create_commit(fakeplat, commit_message="JIRA-1 x\nsecond line")[0]


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("aws/credentials", r"aws\/credentials$"),
        ("deep/id_rsa", "id_rsa$"),
        ("ssh/personal_dsa", r"(ssh|config)\/(personal|server)_(rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)"),
        ("server.pem", r"\.(pem|key)$"),
        (".bash_history", "[._]history$"),
    ],
)
def test_files_that_look_like_secrets_are_prevented(fakeplat: Fakeplat, path: str, pattern: str) -> None:
    """With `prevent_secrets` files with names of secrets are refused."""
    create_push_rule(fakeplat, prevent_secrets=True)

    text = f"File name {path} was prohibited by the denylist pattern {pattern}."
    assert (400, {"message": text}) == create_commit(fakeplat, {"file_path": path})
    assert 201 == create_commit(fakeplat, {"file_path": "keys.txt"})[0]


def test_large_files_are_prevented(fakeplat: Fakeplat) -> None:
    """The limit itself is allowed."""
    create_push_rule(fakeplat, max_file_size=1)

    limit = 1024 * 1024
    text = 'File "new" is larger than the allowed size of 1 MB'
    assert (400, {"message": text}) == create_commit(fakeplat, {"content": "x" * (limit + 1)})
    assert 201 == create_commit(fakeplat, {"content": "x" * limit})[0]


def test_new_branches_are_named_by_the_rule(fakeplat: Fakeplat) -> None:
    """Branches that exist stay, and can be deleted."""
    create_push_rule(fakeplat, branch_name_regex="^(feature|hotfix)/")
    branches, root = "projects/acme%2Fsite/repository/branches", fakeplat.as_user("root")

    text = "Branch name does not follow the pattern '^(feature|hotfix)/'"
    assert (400, {"message": text}) == refusal(fakeplat, "root", "POST", f"{branches}?branch=x&ref=master")
    assert 201 == root.post(f"{branches}?branch=hotfix/x&ref=master").status
    assert 204 == root.delete(f"{branches}/feature").status
    assert (400, {"message": text}) == create_commit(fakeplat, branch="y", start_branch="master")


def test_reverts_and_cherry_picks_comply_too(fakeplat: Fakeplat) -> None:
    """Messages of reverts and cherry-picks must comply with push rules."""
    create_push_rule(fakeplat, commit_message_regex="^JIRA")
    commits = "projects/acme%2Fsite/repository/commits"

    text = "Commit message does not follow the pattern '^JIRA'"
    for name in ("revert", "cherry_pick"):
        path = f"{commits}/feature/{name}?branch={'feature' if name == 'revert' else 'master'}"
        assert (400, {"message": text}) == refusal(fakeplat, "root", "POST", path)


def test_a_merge_complies_too(fakeplat: Fakeplat) -> None:
    """The merge request stays open, and says why."""
    create_push_rule(fakeplat, commit_message_regex="^JIRA")
    path, root = "projects/acme%2Fsite/merge_requests", fakeplat.as_user("root")
    merge_request = root.post(path, json={"source_branch": "feature", "target_branch": "readme", "title": "x"}).json()

    merge = f"{path}/{merge_request['iid']}/merge"
    refused = root.put(merge).json()
    text = "Commit message does not follow the pattern '^JIRA'"
    assert ("opened", text) == (refused["state"], refused["merge_error"])
    assert "merged" == root.put(merge, json={"merge_commit_message": "JIRA-2 x"}).json()["state"]


@pytest.mark.fakeplat(tier="free")
def test_rules_of_a_scenario_do_nothing_on_a_lower_tier(fakeplat: Fakeplat) -> None:
    """The tier decides when a commit is made, not when the rule is."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "push_rule": {"commit_message_regex": "^no"}}]})

    assert 201 == create_commit(fakeplat)[0]


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_later_rules_of_committers_and_sign_offs(fakeplat: Fakeplat) -> None:
    """Later rules ask for the name of the account as the committer's, and for a sign-off in the message."""
    rule = create_push_rule(fakeplat, commit_committer_name_check=True, reject_non_dco_commits=True)
    signed = "Text\n\nSigned-off-by: Dev <dev@corp.test>"

    assert (True, True) == (rule["commit_committer_name_check"], rule["reject_non_dco_commits"])
    assert (400, {"message": "Commit message must contain a DCO signoff"}) == create_commit(fakeplat)
    assert 201 == create_commit(fakeplat, commit_message=signed)[0]
    changed = fakeplat.as_user("root").put(SITE, json={"reject_non_dco_commits": False}).json()
    assert (True, None) == (changed["commit_committer_name_check"], changed["reject_non_dco_commits"])
    assert 201 == create_commit(fakeplat, {"file_path": "other"})[0]
