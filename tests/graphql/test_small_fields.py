"""Permissions on merge requests, and fields of commits, differences, keys and accesses.

Source: app/graphql/types/permission_types/merge_request.rb, app/presenters/merge_request_presenter.rb of 18.9.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import MRS, OPEN, SITE, get_json, merge
from tests.graphql.queries import query_project

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", tier="premium", clock="virtual")
NAMES = ("pushToSourceBranch", "removeSourceBranch", "cherryPickOnCurrentMergeRequest")


def list_permissions(fake: Fakeplat, by: str, iid: int = 1) -> list[bool]:
    """Return what a user may do with a merge request."""
    selection = f'mergeRequest(iid: "{iid}") {{ userPermissions {{ {" ".join(NAMES)} }} }}'
    permissions = query_project(fake, by, selection)["mergeRequest"]["userPermissions"]
    return [permissions[name] for name in NAMES]


def test_permissions_on_an_open_merge_request(fakeplat: Fakeplat) -> None:
    """Developers push to the source branch and delete it; reporters do not, and nothing is merged yet."""
    assert [[True, True, False], [False, False, False]] == [list_permissions(fakeplat, by) for by in ("dev", "rep")]


def test_a_protected_source_branch_stays(fakeplat: Fakeplat) -> None:
    """A protected branch is not deleted, whoever may push to it."""
    branch = get_json(fakeplat)["source_branch"]
    fakeplat.as_user("root").post(f"{SITE}/protected_branches", json={"name": branch})
    assert [[True, False, False], [False, False, False]] == [list_permissions(fakeplat, by) for by in ("mia", "dev")]


def test_what_was_merged_can_be_picked(fakeplat: Fakeplat) -> None:
    """After the merge developers bring it elsewhere; without a fork of their own, reporters do not."""
    merge(fakeplat, should_remove_source_branch=True)
    assert [[False, False, True], [False, False, False]] == [list_permissions(fakeplat, by) for by in ("dev", "rep")]


def test_a_fork_lets_others_pick(fakeplat: Fakeplat) -> None:
    """Who has forked the project brings what was merged to a branch of the fork."""
    fakeplat.as_user("rep").post(f"{SITE}/fork")
    fakeplat.settle()
    merge(fakeplat)
    assert list_permissions(fakeplat, "rep")[-1]


def show_commit(fake: Fakeplat, selection: str) -> Any:
    return query_project(fake, "mia", f"repository {{ commit {{ {selection} }} }}")["repository"]["commit"]


def test_texts_and_parents_of_commits(fakeplat: Fakeplat) -> None:
    """Messages are rendered, and the first parent and the modes of files are shown."""
    before = show_commit(fakeplat, "sha")["sha"]
    actions = [{"action": "create", "file_path": "mode.txt", "content": "x"}]
    given = {"branch": "master", "commit_message": "Fix #1 now\n\nIt was `broken`.", "actions": actions}
    fakeplat.as_user("mia").post(f"{SITE}/repository/commits", json=given)
    shown = show_commit(
        fakeplat, "titleHtml fullTitleHtml descriptionHtml parentSha diffs { newPath aMode bMode newFile }"
    )

    assert before == shown["parentSha"]
    assert shown["titleHtml"] == shown["fullTitleHtml"]
    assert "/issues/1" in shown["titleHtml"]
    # Messages are no Markdown: only what refers to something is rendered.
    assert "It was `broken`." == shown["descriptionHtml"]
    assert [{"newPath": "mode.txt", "aMode": "0", "bMode": "100644", "newFile": "true"}] == shown["diffs"]


def test_who_asks_for_changes(fakeplat: Fakeplat) -> None:
    """Reviewers who requested changes are listed; free tiers have no such list."""
    reviewer = fakeplat.world.user("mia").id
    fakeplat.as_user("dev").put(OPEN, json={"reviewer_ids": [reviewer]})
    fakeplat.as_user("mia").post(f"{OPEN}/notes", json={"body": "/request_changes"})
    selection = 'mergeRequest(iid: "1") { changeRequesters { nodes { username } } }'
    shown = query_project(fakeplat, "dev", selection)["mergeRequest"]["changeRequesters"]

    assert [{"username": "mia"}] == shown["nodes"]
    assert get_json(fakeplat, f"{MRS}/1")["detailed_merge_status"] == "requested_changes"


@pytest.mark.fakeplat(tier="free")
def test_requests_for_changes_are_paid(fakeplat: Fakeplat) -> None:
    """On free tiers nobody is listed."""
    selection = 'mergeRequest(iid: "1") { changeRequesters { nodes { username } } }'
    assert query_project(fakeplat, "dev", selection)["mergeRequest"]["changeRequesters"] is None


def test_groups_with_access_show_their_parents(fakeplat: Fakeplat) -> None:
    """A group that may push shows the group above it."""
    fakeplat.load({"groups": [{"path": "outer", "visibility": "public", "groups": [{"path": "inner"}]}]})
    group = fakeplat.world.group("outer/inner").id
    root = fakeplat.as_user("root")
    root.post(f"{SITE}/share", json={"group_id": group, "group_access": 30})
    root.post(f"{SITE}/protected_branches", json={"name": "release", "allowed_to_push": [{"group_id": group}]})
    selection = """branchRules { nodes { name branchProtection { pushAccessLevels { nodes {
        group { name avatarUrl parent { name parent { name } } } } } } } }"""
    rules = query_project(fakeplat, "root", selection)["branchRules"]["nodes"]
    (rule,) = (each for each in rules if each["name"] == "release")
    (access,) = rule["branchProtection"]["pushAccessLevels"]["nodes"]

    assert {"name": "inner", "avatarUrl": None, "parent": {"name": "outer", "parent": None}} == access["group"]
