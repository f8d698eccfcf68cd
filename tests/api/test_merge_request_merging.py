"""Merging, cancelling and rebasing.

Source: docs/platform/merge-requests.md ('PUT .../:iid/merge').
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from fakeplat.domain.repository import repositories
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import HEADS_ARE_CHECKED_FIRST
from fakeplat.policy.context import WriteContext
from tests.api.merge_requests import (
    CONFLICTING,
    MRS,
    NOT_FOUND,
    OPEN,
    SITE,
    commit,
    create_merge_request,
    get_json,
    merge,
    select_fields,
)
from tests.api.planning_records import create_record
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, person, refusal
from tests.api.review_company import DOCS, PUBLIC, REVIEW_COMPANY
from tests.by_release import by_release

NOT_ALLOWED = (405, {"message": "405 Method Not Allowed"})
CONFLICT = (406, {"message": "Branch cannot be merged"})
LOCKED = (409, {"message": "409 Conflict: Resource lock"})
OTHER = "0" * 40


def other_head(sha: str) -> tuple[int, Any]:
    return 409, {"message": f"SHA does not match HEAD of source branch: {sha}"}


def get_branch_commit(fake: Fakeplat, name: str = "master") -> Any:
    return get_json(fake, f"{SITE}/repository/branches/{name}")["commit"]


def update_project(fake: Fakeplat, **given: Any) -> None:
    assert 200 == fake.as_user("ada").put(SITE, json=given).status


# refusals, in their order


def test_the_checks_come_in_the_platforms_order(fakeplat: Fakeplat) -> None:
    """Merging answers 404, 401, 405, 406 and 409 in this order."""
    sha = get_json(fakeplat, CONFLICTING)["sha"]
    wrong = {"sha": OTHER}
    for user, path, expected in (
        ("mia", f"{MRS}/77/merge", NOT_FOUND),
        ("dev", f"{CONFLICTING}/merge", UNAUTHORIZED),
        ("mia", f"{CONFLICTING}/merge", CONFLICT),
        ("mia", f"{OPEN}/merge", other_head(get_json(fakeplat)["sha"])),
    ):
        assert expected == refusal(fakeplat, user, "PUT", path, json=wrong)
    fakeplat.as_user("dev").put(CONFLICTING, json={"title": "WIP: x"})
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "PUT", f"{CONFLICTING}/merge", json=wrong)
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{CONFLICTING}/merge", json=wrong)
    assert sha == get_json(fakeplat, CONFLICTING)["sha"]


@pytest.mark.parametrize("title", ["WIP: x", "wip:x", "[WIP] x", "Draft: x", "[Draft] x", "(Draft) x", "Draft - x"])
def test_drafts_are_not_merged(fakeplat: Fakeplat, title: str) -> None:
    """Merging a draft answers 405 for each form of the title."""
    fakeplat.as_user("dev").put(OPEN, json={"title": title})
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge")


@by_release(HEADS_ARE_CHECKED_FIRST, "expected", {"19.2": NOT_ALLOWED[0], "19.3": 409})
def test_the_head_is_later_checked_first(fakeplat: Fakeplat, expected: int) -> None:
    """Of a draft with another head, later releases say first that the head is another, not that it is a draft."""
    fakeplat.as_user("dev").put(OPEN, json={"title": "Draft: x"})
    assert expected == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge", json={"sha": OTHER})[0]
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge", json={"sha": get_json(fakeplat)["sha"]})


def test_into_an_archived_project_nobody_merges(fakeplat: Fakeplat) -> None:
    """Merging into an archived project answers 401 even to administrators."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{SITE}/repository/branches", json={"branch": "open", "ref": "master"})
    unprotected = f"{MRS}/{create_merge_request(fakeplat, 'feature', target_branch='open')['iid']}"
    assert 201 == ada.post(f"{SITE}/archive").status
    for path, user in product((OPEN, unprotected), ("mia", "ada", "root")):
        assert UNAUTHORIZED == refusal(fakeplat, user, "PUT", f"{path}/merge")
        assert {"can_merge": False} == get_json(fakeplat, path, by=user)["user"]


def test_without_commits_or_branch_it_is_405(fakeplat: Fakeplat) -> None:
    """Merging answers 405 where there are no commits or no source branch."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "same", "ref": "master"})
    for source in ("same", "nowhere"):
        new_merge_request = create_merge_request(fakeplat, source)
        assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{MRS}/{new_merge_request['iid']}/merge")
        assert "cannot_be_merged" == get_json(fakeplat, f"{MRS}/{new_merge_request['iid']}")["merge_status"]


def test_a_project_may_want_a_pipeline_or_all_discussions_resolved(fakeplat: Fakeplat) -> None:
    """Merging without a required pipeline or resolved discussions answers 405."""
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge", json={"merge_when_pipeline_succeeds": True})
    update_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True)
    assert NOT_ALLOWED == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge")
    update_project(
        fakeplat, only_allow_merge_if_pipeline_succeeds=False, only_allow_merge_if_all_discussions_are_resolved=True
    )
    assert "merged" == merge(fakeplat)["state"]


def test_a_developer_merges_into_a_branch_that_is_not_protected(fakeplat: Fakeplat) -> None:
    """A Developer merges into unprotected branches and where a protection allows it."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "next", "ref": "master"})
    new_merge_request = create_merge_request(fakeplat, "feature", target_branch="next")
    assert "merged" == merge(fakeplat, f"{MRS}/{new_merge_request['iid']}", by="dev")["state"]
    fakeplat.as_user("mia").delete(f"{SITE}/protected_branches/master")
    protection = {"name": "master", "push_access_level": 40, "merge_access_level": 30}
    fakeplat.as_user("mia").post(f"{SITE}/protected_branches", json=protection)
    assert "merged" == merge(fakeplat, by="dev")["state"]


# methods


def test_a_merge_commit_joins_both_branches(fakeplat: Fakeplat) -> None:
    """Merging creates the platform's merge commit by the merging user and updates the state."""
    before, source = get_branch_commit(fakeplat)["id"], get_json(fakeplat)["sha"]
    merged = merge(fakeplat)
    head = get_branch_commit(fakeplat)
    expected = "Merge branch 'feature' into 'master'\n\nSearch by name\n\nCloses #2\n\nSee merge request acme/site!1"
    assert ([before, source], expected, "Mia Example") == select_fields(head, "parent_ids", "message", "committer_name")
    assert ("merged", head["id"], None, "can_be_merged") == select_fields(
        merged, "state", "merge_commit_sha", "squash_commit_sha", "merge_status"
    )
    assert "mia" == merged["merged_by"]["username"]
    assert merged["merged_at"] is not None


@pytest.mark.fakeplat(scenario=REVIEW_COMPANY)
def test_a_merge_commit_names_no_issue_that_its_author_does_not_see(fakeplat: Fakeplat) -> None:
    """A merge commit neither names nor closes issues that are hidden from the author."""
    secret = create_record(fakeplat, f"{DOCS}/issues", title="Secret", confidential=True)
    plain = create_record(fakeplat, f"{DOCS}/issues", title="Plain")
    text = f"Closes #{secret['iid']} and #{plain['iid']}"
    assert 200 == fakeplat.as_user("eve").put(PUBLIC, json={"description": text}).status
    merge(fakeplat, PUBLIC, by="ada")

    head = get_json(fakeplat, f"{DOCS}/repository/branches/master")["commit"]
    assert f"\n\nCloses #{plain['iid']}\n\n" in head["message"]
    assert "opened" == get_json(fakeplat, f"{DOCS}/issues/{secret['iid']}")["state"]
    assert "closed" == get_json(fakeplat, f"{DOCS}/issues/{plain['iid']}")["state"]


def test_a_fast_forward_makes_no_merge_commit(fakeplat: Fakeplat) -> None:
    """The method ff moves the target to the head, and requires a rebase of outdated branches."""
    update_project(fakeplat, merge_method="ff")
    merged = merge(fakeplat)
    text = "Only fast-forward merge is allowed for your project. Please update your source branch"
    assert ("opened", text) == select_fields(merged, "state", "merge_error")
    assert (202, {"rebase_in_progress": True}) == rebase_merge_request(fakeplat)
    fakeplat.settle()
    head = get_json(fakeplat)["sha"]
    merged = merge(fakeplat)
    assert ("merged", None, None) == select_fields(merged, "state", "merge_commit_sha", "merge_error")
    assert head == get_branch_commit(fakeplat)["id"]


def test_rebase_merge_asks_for_a_rebase_and_makes_a_merge_commit(fakeplat: Fakeplat) -> None:
    """The method `rebase_merge` requires a rebase and then creates a merge commit."""
    update_project(fakeplat, merge_method="rebase_merge")
    assert "opened" == merge(fakeplat)["state"]
    rebase_merge_request(fakeplat)
    fakeplat.settle()
    merged = merge(fakeplat)
    assert ("merged", get_branch_commit(fakeplat)["id"]) == select_fields(merged, "state", "merge_commit_sha")
    assert 2 == len(get_branch_commit(fakeplat)["parent_ids"])


@pytest.mark.parametrize(("method", "parents"), [("merge", 2), ("ff", 1)])
def test_squashing_makes_one_commit_of_all(fakeplat: Fakeplat, method: str, parents: int) -> None:
    """Squashing creates one commit by the author under the title."""
    for name in ("a", "b"):
        commit(fakeplat, "work", name)
    update_project(fakeplat, merge_method=method)
    new_merge_request = create_merge_request(fakeplat, "work", title="Two in one")
    merged = merge(fakeplat, f"{MRS}/{new_merge_request['iid']}", squash=True)
    squashed = get_json(fakeplat, f"{SITE}/repository/commits/{merged['squash_commit_sha']}")
    assert ("Two in one", "Dev Example", "Mia Example") == select_fields(
        squashed, "message", "author_name", "committer_name"
    )
    assert parents == len(get_branch_commit(fakeplat)["parent_ids"])
    files = {entry["path"] for entry in get_json(fakeplat, f"{SITE}/repository/tree?per_page=100")}
    assert {"a", "b"} <= files


def test_messages_can_be_given(fakeplat: Fakeplat) -> None:
    """Messages of the merge commit and the squash commit can be given."""
    merged = merge(fakeplat, squash=True, merge_commit_message="Here it is", squash_commit_message="All of it")
    assert "Here it is" == get_branch_commit(fakeplat)["message"]
    assert "All of it" == get_json(fakeplat, f"{SITE}/repository/commits/{merged['squash_commit_sha']}")["message"]


def test_the_right_sha_lets_it_pass(fakeplat: Fakeplat) -> None:
    """The head as it is shown."""
    assert "merged" == merge(fakeplat, sha=get_json(fakeplat)["sha"])["state"]


# what follows


def test_issues_close_where_the_target_is_the_default_branch(fakeplat: Fakeplat) -> None:
    """Named in description and commits, in the name of who merges."""
    commit(fakeplat, "work", commit_message="Fixes #1, #3 and acme/docs#2")
    new_merge_request = create_merge_request(fakeplat, "work", description="Resolves: #5\n\n`closes #4`")
    assert [5, 1, 3, 2] == [
        issue["iid"] for issue in get_json(fakeplat, f"{MRS}/{new_merge_request['iid']}/closes_issues")
    ]
    merge(fakeplat, f"{MRS}/{new_merge_request['iid']}")
    issues = {issue["iid"]: issue for issue in get_json(fakeplat, f"{SITE}/issues")}
    assert {1, 3, 4, 5} == {iid for iid, issue in issues.items() if issue["state"] == "closed"}
    assert "mia" == issues[1]["closed_by"]["username"]
    assert "closed" == get_json(fakeplat, "projects/acme%2Fdocs/issues/2")["state"]


@pytest.mark.parametrize("switch", [{"autoclose_referenced_issues": False}, {"default_branch": "readme"}])
def test_otherwise_issues_stay_open(fakeplat: Fakeplat, switch: dict[str, Any]) -> None:
    """Issues stay open if closing is disabled or the target is not the default branch."""
    update_project(fakeplat, **switch)
    merge(fakeplat, by="root")
    assert "opened" == get_json(fakeplat, f"{SITE}/issues/2")["state"]


@pytest.mark.parametrize(
    ("created_with", "asked", "gone"),
    [
        ({}, {}, False),
        ({}, {"should_remove_source_branch": True}, True),
        ({"remove_source_branch": True}, {}, True),
        ({"remove_source_branch": True}, {"should_remove_source_branch": False}, False),
    ],
)
def test_the_source_branch_is_deleted_on_request(
    fakeplat: Fakeplat, created_with: dict[str, Any], asked: dict[str, Any], gone: bool
) -> None:
    """The source branch is deleted if requested on creation or merging."""
    sha = commit(fakeplat, "work")
    iid = create_merge_request(fakeplat, "work", **created_with)["iid"]
    merge(fakeplat, f"{MRS}/{iid}", **asked)
    names = [branch["name"] for branch in get_json(fakeplat, f"{SITE}/repository/branches")]
    assert gone == ("work" not in names)
    assert [sha] == [commit["id"] for commit in get_json(fakeplat, f"{MRS}/{iid}/commits")]
    assert sha == get_json(fakeplat, f"{SITE}/repository/commits/{sha}")["id"]


def test_a_protected_source_branch_stays(fakeplat: Fakeplat) -> None:
    """Merging never deletes a protected source branch."""
    fakeplat.as_user("mia").post(f"{SITE}/protected_branches", json={"name": "feature"})
    merge(fakeplat, should_remove_source_branch=True)
    assert 200 == fakeplat.as_user("mia").get(f"{SITE}/repository/branches/feature").status


def test_merging_creates_events(fakeplat: Fakeplat) -> None:
    """Merging creates events and finishes the merger's to-dos."""
    for name in ("mia", "ada"):
        fakeplat.as_user(name).post(f"{OPEN}/todo")
    merge(fakeplat)
    events = get_json(fakeplat, f"{SITE}/events", by="mia")
    assert ("accepted", "MergeRequest", "mia") in [
        select_fields(event, "action_name", "target_type", "author_username") for event in events
    ]
    assert ["merged"] == [event["state"] for event in get_json(fakeplat, f"{OPEN}/resource_state_events")]
    assert ([], 1) == (get_json(fakeplat, "todos", by="mia"), len(get_json(fakeplat, "todos", by="ada")))


# waiting for a pipeline


def test_waiting_can_be_cancelled(fakeplat: Fakeplat) -> None:
    """Cancelling a waiting merge answers 201, or 401 to those who may not."""
    cancel = f"{OPEN}/cancel_merge_when_pipeline_succeeds"
    failure = {"message": "Can't cancel the automatic merge", "status": "error", "http_status": 406}
    reply = fakeplat.as_user("mia").post(cancel)
    assert (201, failure) == (reply.status, reply.json())
    fakeplat.load(
        {
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "merge_requests": [{"iid": 1, "merge_when_pipeline_succeeds": True, "merge_user": "mia"}],
                }
            ]
        }
    )
    assert UNAUTHORIZED == refusal(fakeplat, "rep", "POST", cancel)
    reply = fakeplat.as_user("dev").post(cancel)
    assert (201, {"status": "success"}) == (reply.status, reply.json())
    assert get_json(fakeplat)["merge_when_pipeline_succeeds"] is False


# rebasing


def rebase_merge_request(fake: Fakeplat, path: str = OPEN) -> tuple[int, Any]:
    reply = fake.as_user("dev").put(f"{path}/rebase")
    return reply.status, reply.json()


@pytest.mark.fakeplat(clock="virtual")
def test_a_rebase_is_under_way_and_then_done(fakeplat: Fakeplat) -> None:
    """A rebase answers 202, is shown in progress and then moves the head."""
    before = get_json(fakeplat)["sha"]
    query = f"{OPEN}?include_rebase_in_progress=true"
    assert (202, {"rebase_in_progress": True}) == rebase_merge_request(fakeplat)
    assert (True, before) == select_fields(get_json(fakeplat, query), "rebase_in_progress", "sha")
    assert LOCKED == refusal(fakeplat, "dev", "PUT", f"{OPEN}/rebase")
    fakeplat.settle()
    rebased = get_json(fakeplat, query)
    master = get_branch_commit(fakeplat)["id"]
    assert (False, None) == select_fields(rebased, "rebase_in_progress", "merge_error")
    assert before != rebased["sha"]
    assert master == rebased["diff_refs"]["base_sha"]
    assert rebased["sha"] == get_branch_commit(fakeplat, "feature")["id"]


def test_a_failed_rebase_is_reported_later(fakeplat: Fakeplat) -> None:
    """A failed rebase is reported in `merge_error` later."""
    assert 202 == rebase_merge_request(fakeplat, CONFLICTING)[0]
    rebased = get_json(fakeplat, f"{CONFLICTING}?include_rebase_in_progress=true")
    assert (False, "Rebase failed. Please rebase locally") == select_fields(
        rebased, "rebase_in_progress", "merge_error"
    )


@pytest.mark.fakeplat(clock="virtual")
def test_nobody_rebases_for_a_user_who_is_gone(fakeplat: Fakeplat) -> None:
    """A rebase whose user was deleted fails, and the branch stays as it is."""
    before = get_branch_commit(fakeplat, "feature")
    assert 202 == rebase_merge_request(fakeplat)[0]
    assert 204 == fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('dev').id}").status
    fakeplat.settle()

    assert before == get_branch_commit(fakeplat, "feature")
    rebased = fakeplat.as_user("root").get(f"{OPEN}?include_rebase_in_progress=true").json()
    assert (False, "Rebase failed. Please rebase locally") == select_fields(
        rebased, "rebase_in_progress", "merge_error"
    )


def test_rebasing_requires_the_right_to_push(fakeplat: Fakeplat) -> None:
    """A rebase requires the right to push to an existing source branch."""
    cannot = (403, {"message": "403 Forbidden - Cannot push to source branch"})
    assert cannot == refusal(fakeplat, "rep", "PUT", f"{OPEN}/rebase")
    fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/feature")
    missing = (403, {"message": "403 Forbidden - Source branch does not exist"})
    assert missing == refusal(fakeplat, "dev", "PUT", f"{OPEN}/rebase")


# approvals


def test_the_free_tier_lets_authors_approve(fakeplat: Fakeplat) -> None:
    """On the free tier authors approve once, and the answer shows who approved."""
    assert {
        "user_has_approved": False,
        "user_can_approve": True,
        "approved": False,
        "approved_by": [],
    } == get_json(fakeplat, f"{OPEN}/approvals", by="dev")
    reply = fakeplat.as_user("dev").post(f"{OPEN}/approve", json={"sha": get_json(fakeplat)["sha"]})
    assert (201, True, ["dev"]) == (
        reply.status,
        reply.json()["user_has_approved"],
        [approval["user"]["username"] for approval in reply.json()["approved_by"]],
    )
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", f"{OPEN}/approve")


def test_approving_is_refused_for_another_head_and_to_reporters(fakeplat: Fakeplat) -> None:
    """Approving another head answers 409, and below Developer 403."""
    sha = get_json(fakeplat)["sha"]
    assert other_head(sha) == refusal(fakeplat, "dev", "POST", f"{OPEN}/approve", json={"sha": OTHER})
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/approve")
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "dev", "POST", f"{OPEN}/unapprove")
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{OPEN}/unapprove")


def test_an_approval_can_be_taken_back(fakeplat: Fakeplat) -> None:
    """An approval can be revoked and given again."""
    for _ in range(2):
        fakeplat.as_user("mia").post(f"{OPEN}/approve")
        reply = fakeplat.as_user("mia").post(f"{OPEN}/unapprove")
        assert (201, []) == (reply.status, reply.json()["approved_by"])


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_count_what_is_needed(fakeplat: Fakeplat) -> None:
    """Authors do not approve; a push takes approvals back."""
    update_project(fakeplat, approvals_before_merge=2)
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", f"{OPEN}/approve")
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    approvals = get_json(fakeplat, f"{OPEN}/approvals")
    assert (2, 1, False) == select_fields(approvals, "approvals_required", "approvals_left", "approved")
    mine, ada = f"approved_by_ids[]={person(fakeplat, 'mia')}", f"approved_by_ids[]={person(fakeplat, 'ada')}"
    assert ([1], []) == tuple([row["iid"] for row in get_json(fakeplat, f"{MRS}?{query}")] for query in (mine, ada))
    assert [2] == [row["iid"] for row in get_json(fakeplat, f"{MRS}?approved_by_ids=None")]
    assert [1] == [row["iid"] for row in get_json(fakeplat, f"{MRS}?approved_by_ids=Any")]
    commit(fakeplat, "feature")
    assert [] == get_json(fakeplat, f"{OPEN}/approvals")["approved_by"]


def test_a_source_branch_that_moves_during_the_merge_stays(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits that come into the source branch while it is merged are not lost with the branch."""
    later = commit(fakeplat, "later", start_branch="feature")
    move_refs = repositories.move_refs

    def move_with_source(ctx: WriteContext, project: Project, moves: Mapping[str, str | None], *rest: Any) -> None:
        move_refs(ctx, project, moves, *rest)
        if "refs/heads/master" in moves:
            move_refs(ctx, project, {"refs/heads/feature": later}, *rest)

    monkeypatch.setattr(repositories, "move_refs", move_with_source)
    merge(fakeplat, should_remove_source_branch=True)
    branch = fakeplat.as_user("mia").get(f"{SITE}/repository/branches/feature")
    assert (200, later) == (branch.status, branch.json()["commit"]["id"])
