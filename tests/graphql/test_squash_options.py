"""How merges into protected branches squash, by GraphQL. Source: the platform's specs of squash_options."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.company import COMPANY
from tests.graphql.queries import list_messages, query_data, query_project, query_refused, write_mutation

ACME: dict[str, Any] = COMPANY["groups"][0]
SITE: dict[str, Any] = {
    **ACME["projects"][0],
    "protected_branches": [{"name": "main"}, {"name": "v*"}],
    "repository": {"commits": [{"message": "Begin", "files": {"a.txt": "a"}}], "head": "main"},
}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [{**ACME, "projects": [SITE]}]}, version="latest", tier="premium"
)
UPDATE = write_mutation("branchRuleSquashOptionUpdate", "squashOption { option helpText }")
DELETE = write_mutation("branchRuleSquashOptionDelete", "")
RENAME = write_mutation("branchRuleUpdate", "branchRule { name }")


def rule_id(fake: Fakeplat, name: str = "main") -> str:
    """Return the global ID of the rule of a branch."""
    nodes = query_project(fake, "mia", "branchRules { nodes { id name } }")["branchRules"]["nodes"]
    return str(next(node["id"] for node in nodes if node["name"] == name))


def update(fake: Fakeplat, option: str, name: str = "main") -> Any:
    """Set how merges into a branch squash."""
    sent = {"branchRuleId": rule_id(fake, name), "squashOption": option}
    return query_data(fake, "mia", UPDATE, input=sent)["branchRuleSquashOptionUpdate"]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("NEVER", ("Do not allow", "Squashing is never performed and the checkbox is hidden.")),
        ("ALLOWED", ("Allow", "Checkbox is visible and unselected by default.")),
        ("ENCOURAGED", ("Encourage", "Checkbox is visible and selected by default.")),
        (
            "ALWAYS",
            ("Require", "Squashing is always performed. Checkbox is visible and selected, and users cannot change it."),
        ),
    ],
)
def test_it_is_set_and_left_to_the_project_again(fakeplat: Fakeplat, option: str, expected: tuple[str, str]) -> None:
    """Maintainers set how merges into a branch squash, and delete that."""
    shown = "branchRules { nodes { name squashOption { option } } }"
    assert {"squashOption": {"option": expected[0], "helpText": expected[1]}, "errors": []} == update(fakeplat, option)
    nodes = query_project(fakeplat, "mia", shown)["branchRules"]["nodes"]
    assert [("main", {"option": expected[0]}), ("v*", None)] == [(n["name"], n["squashOption"]) for n in nodes]

    deleted = query_data(fakeplat, "mia", DELETE, input={"branchRuleId": rule_id(fakeplat)})
    again = query_data(fakeplat, "mia", DELETE, input={"branchRuleId": rule_id(fakeplat)})
    assert [[], ["Not authorized"]] == [each["branchRuleSquashOptionDelete"]["errors"] for each in (deleted, again)]
    nodes = query_project(fakeplat, "mia", shown)["branchRules"]["nodes"]
    assert [None, None] == [node["squashOption"] for node in nodes]


def test_rules_of_several_branches_have_none(fakeplat: Fakeplat) -> None:
    """A rule with a pattern has no such option, and one with an option gets no pattern."""
    wildcard = "cannot be used with wildcard branch rules. Use an exact branch name."
    expected = {"squashOption": None, "errors": [f"Squash option protected branch {wildcard}"]}
    assert expected == update(fakeplat, "ALWAYS", "v*")
    update(fakeplat, "ALWAYS")
    renamed = query_data(fakeplat, "mia", RENAME, input={"id": rule_id(fakeplat), "name": "m*"})["branchRuleUpdate"]
    assert {"branchRule": None, "errors": [f"Squash option {wildcard}"]} == renamed


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_have_none(fakeplat: Fakeplat) -> None:
    """On the free tier the rule of a branch says nothing about squashing."""
    assert {"squashOption": None, "errors": ["Updating BranchRule not supported"]} == update(fakeplat, "ALWAYS")
    errors = query_refused(fakeplat, "mia", DELETE, input={"branchRuleId": rule_id(fakeplat)})
    assert ["Squash options feature disabled"] == list_messages(errors)


@pytest.mark.parametrize(("option", "is_squashed"), [("always", True), ("never", False), ("default_off", False)])
def test_merges_into_the_branch_follow_it(fakeplat: Fakeplat, option: str, is_squashed: bool) -> None:
    """The option of the target branch decides about a merge, in place of the project's."""
    project = "projects/acme%2Fsite"
    fakeplat.as_user("ada").put(project, json={"squash_option": "never" if is_squashed else "always"})
    branch = {"name": "main", "squash_option": option}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "protected_branches": [branch]}]})
    mia = fakeplat.as_user("mia")
    for number in (1, 2):
        commit = {"branch": "topic", "start_branch": "main", "content": "x", "commit_message": f"Commit {number}"}
        if number == 2:
            del commit["start_branch"]
        assert 201 == mia.post(f"{project}/repository/files/new{number}.txt", json=commit).status
    body = {"source_branch": "topic", "target_branch": "main", "title": "Topic", "squash": False}
    created = mia.post(f"{project}/merge_requests", json=body).json()
    shown = f"mergeRequest(iid: {str(created['iid'])!r}) {{ squashReadOnly squashOnMerge }}".replace("'", '"')
    assert {"squashReadOnly": option != "default_off", "squashOnMerge": is_squashed} == query_project(
        fakeplat, "mia", shown
    )["mergeRequest"]
    reply = mia.put(f"{project}/merge_requests/{created['iid']}/merge")
    assert 200 == reply.status, reply
    merged = reply.json()
    assert ("merged", is_squashed) == (merged["state"], merged["squash_commit_sha"] is not None)
    projects = export_world(fakeplat.bench.platform)["projects"]
    exported = next(each["protected_branches"] for each in projects if each["path_with_namespace"] == "acme/site")
    assert [option] == [each["squash_option"] for each in exported if each["name"] == "main"]
