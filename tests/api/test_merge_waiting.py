"""Merging with pipelines: immediate, refused and waiting merges.

Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md ('MWPS').
"""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import CONFLICTING, MRS, commit, create_merge_request, get_json, merge, select_fields
from tests.api.pipelines import OPEN, SITE, create_pipelines, load_project, set_statuses, without_ci
from tests.api.requests import UNAUTHORIZED, names, outcome, refusal

MERGED, WAITS, NOT_ALLOWED, CONFLICT = "merged", "waits", 405, 406
OUTCOMES: Final[dict[str | None, tuple[str | int, str | int, str | int]]] = {
    # the head pipeline: no flag and no setting · no flag, a pipeline must succeed · the flag, whatever the setting
    None: (MERGED, NOT_ALLOWED, NOT_ALLOWED),
    "created": (MERGED, NOT_ALLOWED, NOT_ALLOWED),
    "waiting_for_resource": (MERGED, NOT_ALLOWED, WAITS),
    "preparing": (MERGED, NOT_ALLOWED, WAITS),
    "pending": (MERGED, NOT_ALLOWED, WAITS),
    "running": (MERGED, NOT_ALLOWED, WAITS),
    "success": (MERGED, MERGED, MERGED),
    "failed": (MERGED, NOT_ALLOWED, NOT_ALLOWED),
    "canceled": (MERGED, NOT_ALLOWED, NOT_ALLOWED),
    "skipped": (MERGED, NOT_ALLOWED, NOT_ALLOWED),
    "manual": (MERGED, NOT_ALLOWED, NOT_ALLOWED),
    "scheduled": (MERGED, NOT_ALLOWED, NOT_ALLOWED),
}
BODIES = {
    NOT_ALLOWED: (405, {"message": "405 Method Not Allowed"}),
    CONFLICT: (406, {"message": "Branch cannot be merged"}),
}
NEVER = ("closed", "merged", "draft", "unresolved")


def create_in_state(fake: Fakeplat, state: str) -> str:
    """A merge request in a state; its path."""
    if state == "conflicting":
        return CONFLICTING
    if state == "merged":
        merge(fake)
    elif state == "unresolved":
        load_project(fake, only_allow_merge_if_all_discussions_are_resolved=True)
        fake.as_user("rep").post(f"{OPEN}/discussions", json={"body": "Why?"})
    elif state != "opened":
        changes = {"closed": {"state_event": "close"}, "draft": {"title": "Draft: x"}}[state]
        assert 200 == fake.as_user("dev").put(OPEN, json=changes).status
    return OPEN


def expect_outcome(state: str, status: str | None, must: bool, flag: bool) -> str | int:
    """Return the outcome by the order of checks: 405 if it is not mergeable and cannot wait, then 406."""
    plain, strict, waiting = OUTCOMES[status]
    outcome = waiting if flag else strict if must else plain
    if state in NEVER or outcome == NOT_ALLOWED:
        return NOT_ALLOWED
    return CONFLICT if state == "conflicting" else outcome


@pytest.mark.parametrize("clock", [pytest.param(c, marks=pytest.mark.fakeplat(clock=c)) for c in ("virtual", "auto")])
@pytest.mark.parametrize("state", ["opened", "conflicting", *NEVER])
def test_every_state_pipeline_setting_and_flag(fakeplat: Fakeplat, state: str, clock: str) -> None:
    """Merging answers as expected for each state, pipeline, setting and flag."""
    assert clock == fakeplat.clock.kind
    path = create_in_state(fakeplat, state)
    branch = get_json(fakeplat, path)["source_branch"]
    fakeplat.snapshot()
    for status in OUTCOMES:
        for must, flag in ((False, False), (True, False), (False, True), (True, True)):
            fakeplat.restore()
            load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=must)
            if status:
                create_pipelines(fakeplat, {"status": status, "ref": branch})
            case, body = expect_outcome(state, status, must, flag), {"merge_when_pipeline_succeeds": flag}
            case_name = (state, status, must, flag)
            if case in BODIES:
                assert (*case_name, BODIES[case]) == (
                    *case_name,
                    refusal(fakeplat, "mia", "PUT", f"{path}/merge", json=body),
                )
                continue
            merged = merge(fakeplat, path, merge_when_pipeline_succeeds=flag)
            expected = ("merged", False) if case == MERGED else ("opened", True)
            assert (*case_name, *expected) == (
                *case_name,
                *select_fields(merged, "state", "merge_when_pipeline_succeeds"),
            )


@pytest.mark.parametrize("allowed", [True, False])
def test_a_skipped_pipeline_may_be_enough(fakeplat: Fakeplat, allowed: bool) -> None:
    """A skipped pipeline is enough if the project says so, but not for a waiting merge."""
    create_pipelines(fakeplat, {"status": "skipped"})
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True, allow_merge_on_skipped_pipeline=allowed)
    body = {"merge_when_pipeline_succeeds": True}
    assert BODIES[405] == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge", json=body)
    if allowed:
        assert "merged" == merge(fakeplat)["state"]
    else:
        assert BODIES[405] == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge")


def test_only_the_newest_commits_pipeline_counts(fakeplat: Fakeplat) -> None:
    """An older commit's success is none."""
    create_pipelines(fakeplat, {"status": "success"})
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True)
    commit(fakeplat, "feature")
    assert BODIES[405] == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge")


def test_the_order_of_the_rest(fakeplat: Fakeplat) -> None:
    """A waiting merge checks 401 before and 409 after 405."""
    create_pipelines(fakeplat, {"status": "failed"})
    load_project(fakeplat, only_allow_merge_if_pipeline_succeeds=True)
    body: dict[str, Any] = {"sha": "0" * 40, "merge_when_pipeline_succeeds": True}
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "PUT", f"{OPEN}/merge", json=body)
    assert BODIES[405] == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge", json=body)
    set_statuses(fakeplat, "running")
    text = f"SHA does not match HEAD of source branch: {get_json(fakeplat)['sha']}"
    assert (409, {"message": text}) == refusal(fakeplat, "mia", "PUT", f"{OPEN}/merge", json=body)


# what waits


@pytest.fixture
def waiting(fakeplat: Fakeplat) -> Fakeplat:
    """mia wants !1 merged when its pipeline, which runs, succeeds."""
    create_pipelines(fakeplat, {"status": "running"})
    answer = merge(fakeplat, merge_when_pipeline_succeeds=True, squash_commit_message="All", squash=True)
    assert ("opened", True) == select_fields(answer, "state", "merge_when_pipeline_succeeds")
    return fakeplat


def list_notes(fake: Fakeplat) -> list[str]:
    return names(get_json(fake, f"{OPEN}/notes?sort=asc"), "body")


def list_todos(fake: Fakeplat, by: str, query: str = "") -> list[str]:
    return names(get_json(fake, f"todos{query}", by=by), "action_name")


@pytest.mark.parametrize("clock", [pytest.param(c, marks=pytest.mark.fakeplat(clock=c)) for c in ("virtual", "auto")])
def test_it_is_merged_when_the_pipeline_succeeds(waiting: Fakeplat, clock: str) -> None:
    """A waiting merge is done as requested, by its user, when the pipeline succeeds."""
    assert clock == waiting.clock.kind
    sha = get_json(waiting)["sha"]
    assert [f"enabled an automatic merge when the pipeline for {sha} succeeds"] == list_notes(waiting)
    set_statuses(waiting, "success")
    merged = get_json(waiting)

    assert ("merged", False, "success") == (
        *select_fields(merged, "state", "merge_when_pipeline_succeeds"),
        merged["head_pipeline"]["status"],
    )
    assert "mia" == merged["merged_by"]["username"]
    assert "All" == get_json(waiting, f"{SITE}/repository/commits/{merged['squash_commit_sha']}")["title"]
    assert merged["merge_commit_sha"] == get_json(waiting, f"{SITE}/repository/branches/master")["commit"]["id"]


def test_after_a_failure_it_waits_on(waiting: Fakeplat) -> None:
    """Author and merger are asked to look; tried again, they are not; a success merges after all."""
    set_statuses(waiting, "failed")
    assert (["build_failed"], ["build_failed"], []) == tuple(
        list_todos(waiting, name) for name in ("dev", "mia", "ada")
    )
    assert ("opened", True) == select_fields(get_json(waiting), "state", "merge_when_pipeline_succeeds")
    set_statuses(waiting, "running")
    assert ([], ["build_failed"]) == (list_todos(waiting, "dev"), list_todos(waiting, "dev", "?state=done"))
    set_statuses(waiting, "success")
    assert "merged" == get_json(waiting)["state"]


def test_a_failure_creates_a_todo_for_the_author(fakeplat: Fakeplat) -> None:
    """A failed pipeline creates one to-do for the author unless a merge waits."""
    create_pipelines(fakeplat, {"status": "running"})
    set_statuses(fakeplat, "failed")
    create_pipelines(fakeplat, {"status": "running"})
    set_statuses(fakeplat, "failed", "success")
    assert (["build_failed"], []) == (list_todos(fakeplat, "dev"), list_todos(fakeplat, "mia"))
    assert "opened" == get_json(fakeplat)["state"]


@pytest.mark.parametrize("state", ["opened", "closed"])
@pytest.mark.parametrize("is_own", [False, True], ids=["branch", "own"])
def test_only_open_merge_requests_ask_their_author_to_look(fakeplat: Fakeplat, state: str, *, is_own: bool) -> None:
    """A failed pipeline of the branch, or of the merge request itself, creates a to-do if the request is open."""
    own = {"merge_request": "acme/site!1", "ref": "refs/merge-requests/1/head", "sha": get_json(fakeplat)["sha"]}
    create_pipelines(fakeplat, {"status": "running", **(own if is_own else {})})
    create_in_state(fakeplat, state)
    set_statuses(fakeplat, "failed")
    assert ["build_failed"] * (state == "opened") == list_todos(fakeplat, "dev")


@pytest.mark.parametrize(
    "hurdle",
    [
        {"title": "Draft: not yet"},
        {"state_event": "close"},
    ],
    ids=str,
)
def test_what_became_unmergeable_is_not_merged(waiting: Fakeplat, hurdle: dict[str, Any]) -> None:
    """A draft waits on; what was closed waits no more."""
    waiting.as_user("dev").put(OPEN, json=hurdle)
    set_statuses(waiting, "success")
    merge_request = get_json(waiting)
    assert ("state_event" not in hurdle) == merge_request["merge_when_pipeline_succeeds"]
    assert merge_request["merged_at"] is None


def test_a_conflict_that_came_keeps_it_open(waiting: Fakeplat) -> None:
    """The merger is told that it cannot be merged."""
    (name,) = {change["new_path"] for change in get_json(waiting, f"{OPEN}/changes")["changes"]}
    exists = 200 == waiting.as_user("mia").get(f"{SITE}/repository/files/{name.replace('/', '%2F')}?ref=master").status
    commit(waiting, "master", name, by="mia", action="update" if exists else "create", content="Quite another thing\n")
    set_statuses(waiting, "success")

    assert ("opened", "cannot_be_merged") == select_fields(get_json(waiting), "state", "merge_status")
    assert "unmergeable" in list_todos(waiting, "mia")


def test_a_lost_right_prevents_merging(waiting: Fakeplat) -> None:
    """A waiting merge fails and says so if its user lost the right to merge."""
    waiting.as_user("ada").put(f"{SITE}/members/{waiting.world.user('mia').id}", json={"access_level": 10})
    waiting.load({"groups": [{"path": "acme", "members": {"mia": "guest"}}]})
    set_statuses(waiting, "success")
    merge_request = get_json(waiting)
    assert ("opened", "You are not allowed to merge this merge request") == select_fields(
        merge_request, "state", "merge_error"
    )


@pytest.mark.parametrize("change", ["push", "target", "cancel"])
def test_waiting_ends(waiting: Fakeplat, change: str) -> None:
    """A push, another target or a cancellation ends waiting with a note."""
    if change == "push":
        commit(waiting, "feature")
        text = "aborted the automatic merge because source branch was updated"
    elif change == "target":
        waiting.as_user("dev").put(OPEN, json={"target_branch": "readme"})
        text = "aborted the automatic merge because target branch was changed"
    else:
        reply = waiting.as_user("dev").post(f"{OPEN}/cancel_merge_when_pipeline_succeeds")
        assert (201, {"status": "success"}) == outcome(reply)
        text = "canceled the automatic merge"

    assert text in list_notes(waiting)
    set_statuses(waiting, "success")
    assert ("opened", False) == select_fields(get_json(waiting), "state", "merge_when_pipeline_succeeds")


def test_a_pipeline_made_for_it_counts(fakeplat: Fakeplat) -> None:
    """A pipeline of the merge request precedes one of its branch."""
    sha = get_json(fakeplat)["sha"]
    create_pipelines(
        fakeplat,
        {"status": "running", "merge_request": "acme/site!1", "ref": "refs/merge-requests/1/head", "sha": sha},
    )
    merge(fakeplat, merge_when_pipeline_succeeds=True)
    set_statuses(fakeplat, "success")
    assert "merged" == get_json(fakeplat)["state"]


def test_a_fork_is_waited_for(fakeplat: Fakeplat) -> None:
    """The pipelines of its branch are those of the fork."""
    fakeplat.as_user("dev").post(f"{SITE}/fork", json={})
    fakeplat.settle()
    without_ci(fakeplat, "dev/site")
    fork = "projects/dev%2Fsite"
    commit(fakeplat, "work", project=fork)
    target = fakeplat.world.project("acme/site").id
    new_merge_request = create_merge_request(fakeplat, "work", project=fork, target_project_id=target)
    path = f"{MRS}/{new_merge_request['iid']}"
    create_pipelines(fakeplat, {"status": "running", "ref": "work"}, project="dev/site")
    merge(fakeplat, path, merge_when_pipeline_succeeds=True)
    set_statuses(fakeplat, "success")
    assert ("merged", 1) == (get_json(fakeplat, path)["state"], len(get_json(fakeplat, f"{path}/pipelines")))
