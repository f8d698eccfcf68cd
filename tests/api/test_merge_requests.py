"""Single merge requests.

Source: docs/platform/merge-requests.md, docs/decisions/rulings.md (1).
"""

from typing import Any

import pytest

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import (
    BASIC,
    DOCS,
    MRS,
    NOT_FOUND,
    OPEN,
    SINGLE,
    SITE,
    commit,
    create_merge_request,
    get_json,
    merge,
    select_fields,
)
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    person,
    refusal,
    resource_not_found,
)

NOTHING_GIVEN = (
    "assignee_id, assignee_ids, description, labels, add_labels, remove_labels, milestone_id, remove_source_branch, "
    "allow_collaboration, allow_maintainer_to_push, squash, target_branch, title, state_event, discussion_locked "
    "are missing, at least one parameter must be provided"
)
SAME = (422, {"message": ["You can't use same project/branch for source and target"]})
TAKEN = (409, {"message": ["Another open merge request already exists for this source branch: !1"]})
VALID = {"title": "T", "source_branch": "feature", "target_branch": "master"}


@pytest.fixture
def site(fakeplat: Fakeplat) -> Fakeplat:
    return fakeplat


# anonymous


@pytest.mark.parametrize(
    "operation",
    [
        operation
        for operation in OPERATIONS
        if operation.area.prefix
        and "merge_requests" in operation.path
        and "issues/" not in operation.path
        and not operation.tier
        and not operation.lifetime
    ],
    ids=lambda operation: operation.name,
)
def test_anonymous_callers_get_401_everywhere(site: Fakeplat, operation: Any) -> None:
    """Every operation on merge requests of public projects answers 401 anonymously."""
    path = operation.path.replace(":id", "acme%2Fdocs", 1) if "/projects/" in operation.path else operation.path
    parts = ["1" if part.startswith(":") else part for part in path.split("/")]
    assert UNAUTHORIZED == refusal(site, None, operation.method, "/".join(parts), json=VALID)


# reading


def test_a_single_merge_request_shows_all_fields(site: Fakeplat) -> None:
    """A single merge request has the detailed view, lists have the basic one."""
    assert set(get_json(site)) == SINGLE
    assert set(get_json(site, MRS)[0]) == BASIC


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_show_how_many_approvals_are_needed(site: Fakeplat) -> None:
    """Merge requests show `approvals_before_merge` on paid tiers."""
    assert set(get_json(site)) == SINGLE | {"approvals_before_merge"}


def test_extra_fields_are_shown_on_request(site: Fakeplat) -> None:
    """Rendered texts, diverged commits and the rebase state are shown on request."""
    query = "render_html=true&include_diverged_commits_count=true&include_rebase_in_progress=true"
    merge_request = get_json(site, f"{OPEN}?{query}")
    assert set(merge_request) - SINGLE == {
        "title_html",
        "description_html",
        "diverged_commits_count",
        "rebase_in_progress",
    }
    assert ("Search by name", 1, False) == select_fields(
        merge_request, "title_html", "diverged_commits_count", "rebase_in_progress"
    )


def test_a_first_contribution(site: Fakeplat) -> None:
    """A single merge request shows whether it is its author's first contribution."""
    fork, target = "projects/eve%2Fdocs", get_json(site, DOCS)["id"]
    site.as_user("eve").post(f"{DOCS}/fork")
    get_json(site, fork)
    paths = []
    for branch in ("work", "more"):
        commit(site, branch, by="eve", project=fork)
        new_merge_request = create_merge_request(site, branch, by="eve", project=fork, target_project_id=target)
        paths.append(f"{DOCS}/merge_requests/{new_merge_request['iid']}")
    assert [True, True] == [get_json(site, path)["first_contribution"] for path in paths]
    merge(site, paths[0])
    assert [False, False] == [get_json(site, path)["first_contribution"] for path in paths]
    assert not get_json(site)["first_contribution"]
    reply = site.as_user("dev").put(OPEN, json={"title": "x"})
    assert "first_contribution" not in reply.json()


GUEST = [
    *(
        (method, path, resource_not_found("Merge Request"))
        for method, path in (("GET", ""), ("GET", "/commits"), ("GET", "/changes"))
    ),
    *(("GET", path, resource_not_found("Merge Request")) for path in ("/participants", "/approvals")),
    *(("GET", path, FORBIDDEN) for path in ("/pipelines", "/closes_issues", "/versions", "/versions/1")),
    *(("POST", path, FORBIDDEN) for path in ("/pipelines", "/subscribe", "/unsubscribe", "/todo", "/approve")),
    ("POST", "/unapprove", FORBIDDEN),
    ("PUT", "", FORBIDDEN),
    ("GET", "/merge_ref", NOT_FOUND),
    ("PUT", "/merge", NOT_FOUND),
    ("PUT", "/rebase", NOT_FOUND),
    ("DELETE", "", NOT_FOUND),
    ("POST", "/cancel_merge_when_pipeline_succeeds", NOT_FOUND),
    ("GET", "/time_stats", NOT_FOUND),
]


@pytest.mark.parametrize(("method", "path", "expected"), GUEST)
def test_guests_of_a_private_project_are_refused_in_three_ways(
    site: Fakeplat, method: str, path: str, expected: Outcome
) -> None:
    """Guests of a private project get a 403 or one of two 404, by operation."""
    assert expected == refusal(site, "gus", method, f"{OPEN}{path}", json={"title": "x"})


def test_unknown_ones_and_hidden_ones_are_404(site: Fakeplat) -> None:
    """Unknown merge requests and hidden ones answer 404 with different texts."""
    assert NOT_FOUND == refusal(site, "dev", "GET", f"{MRS}/77")
    for iid in (1, 77):
        assert resource_not_found("Merge Request") == refusal(site, "gus", "GET", f"{MRS}/{iid}")
    assert invalid("merge_request_iid is invalid") == refusal(site, "dev", "GET", f"{MRS}/x")


def test_where_it_is_seen_from_decides_its_reference(site: Fakeplat) -> None:
    """References of merge requests are relative to the project or group of the request."""
    full, own = "acme/site!1", {"short": "!1", "relative": "!1", "full": "acme/site!1"}
    assert ("!1", own) == select_fields(get_json(site), "reference", "references")
    for path, relative in (
        ("merge_requests?scope=all&sort=asc", full),
        ("groups/acme/merge_requests?sort=asc", "site!1"),
    ):
        row = get_json(site, path)[0]
        assert (full, {"short": "!1", "relative": relative, "full": full}) == select_fields(
            row, "reference", "references"
        )


# making


def test_a_new_merge_request_shows_its_branches(site: Fakeplat) -> None:
    """A new merge request has its branches' head and diff and is unchecked."""
    sha = commit(site, "work")
    label = {"labels": "bug,fresh"}
    new_merge_request = create_merge_request(
        site, "work", title="Draft: Work", description="- [x] a\n- [ ] b\n\nCloses #1", **label
    )
    master = get_json(site, f"{SITE}/repository/branches/master")["commit"]["id"]
    assert ("opened", "unchecked", sha, "1", True) == select_fields(
        new_merge_request, "state", "merge_status", "sha", "changes_count", "work_in_progress"
    )
    assert {"base_sha": master, "start_sha": master, "head_sha": sha} == new_merge_request["diff_refs"]
    assert (["bug", "fresh"], {"count": 2, "completed_count": 1}) == select_fields(
        new_merge_request, "labels", "task_completion_status"
    )
    assert [1] == [issue["iid"] for issue in get_json(site, f"{MRS}/{new_merge_request['iid']}/closes_issues")]
    assert 1 == get_json(site, f"{SITE}/issues/1")["merge_requests_count"]


def test_merge_options_can_be_given_on_creation(site: Fakeplat) -> None:
    """remove_source_branch is shown as force_remove_source_branch; collaboration is for forks."""
    commit(site, "work")
    new_merge_request = create_merge_request(
        site, "work", remove_source_branch=True, squash=True, allow_collaboration=True
    )
    assert (True, True) == select_fields(new_merge_request, "force_remove_source_branch", "squash")
    assert "allow_collaboration" not in new_merge_request


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("title is missing, source_branch is missing, target_branch is missing")),
        ({**VALID, "assignee_id": "x"}, invalid("assignee_id is invalid")),
        (VALID, TAKEN),
        ({**VALID, "source_branch": "master"}, SAME),
        ({**VALID, "source_branch": "master", "title": " "}, SAME),
        ({**VALID, "title": " "}, TAKEN),
        ({**VALID, "title": " ", "source_branch": "v1.0"}, invalid_record(title=["can't be blank"])),
        (
            {**VALID, "title": "x" * 256, "source_branch": "v"},
            invalid_record(title=["is too long (maximum is 255 characters)"]),
        ),
        ({**VALID, "target_branch": " "}, invalid_record(target_branch=["can't be blank"])),
        ({**VALID, "target_project_id": 999_999}, NOT_FOUND),
    ],
)
def test_invalid_merge_requests_are_refused(site: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Creating a merge request checks parameters, then answers 422 or 409, then the title."""
    assert expected == refusal(site, "dev", "POST", MRS, json=body)


def test_a_project_that_is_no_relative_is_no_target(site: Fakeplat) -> None:
    """A target outside of the fork network answers 422."""
    docs = get_json(site, DOCS)["id"]
    body = {**VALID, "target_project_id": docs}
    expected = (422, {"message": ["Source project is not a fork of the target project"]})
    assert expected == refusal(site, "dev", "POST", MRS, json=body)
    notes = get_json(site, "projects/ada%2Fnotes")["id"]
    assert FORBIDDEN == refusal(site, "dev", "POST", MRS, json={**VALID, "target_project_id": notes})
    site.as_user("ada").put(DOCS, json={"merge_requests_access_level": "disabled"})
    assert FORBIDDEN == refusal(site, "dev", "POST", MRS, json=body)


def test_without_a_source_branch_there_is_nothing_to_merge(site: Fakeplat) -> None:
    """A merge request without a source branch is created and cannot be merged."""
    new_merge_request = create_merge_request(site, "nowhere")
    assert (None, None, None) == select_fields(new_merge_request, "sha", "diff_refs", "changes_count")
    assert "cannot_be_merged" == get_json(site, f"{MRS}/{new_merge_request['iid']}")["merge_status"]
    assert [] == get_json(site, f"{MRS}/{new_merge_request['iid']}/commits")


def test_only_the_first_assignee_is_kept_on_the_free_tier(site: Fakeplat) -> None:
    """On the free tier the first assignee who may read merge requests is kept."""
    commit(site, "work")
    ids = [person(site, name) for name in ("eve", "mia", "ada")]
    assert ["mia"] == [
        assignee["username"] for assignee in create_merge_request(site, "work", assignee_ids=ids)["assignees"]
    ]


def test_iids_are_never_used_again(site: Fakeplat) -> None:
    """The number of one that was deleted stays free."""
    site.as_user("ada").delete(f"{MRS}/2")
    assert 3 == create_merge_request(site, "readme")["iid"]


# changing


def test_everything_can_be_changed(site: Fakeplat) -> None:
    """Each attribute of a merge request is changed by one request."""
    milestone = get_json(site, f"{SITE}/milestones?search=v1.1")[0]["id"]
    body = {
        "title": "WIP: New",
        "description": "text",
        "assignee_id": person(site, "ada"),
        "labels": ["docs", "bug"],
        "milestone_id": milestone,
        "squash": True,
        "remove_source_branch": True,
        "discussion_locked": True,
    }
    changed = site.as_user("dev").put(OPEN, json=body).json()
    assert ("WIP: New", "text", ["bug", "docs"], True, True, True, True) == select_fields(
        changed,
        "title",
        "description",
        "labels",
        "squash",
        "force_remove_source_branch",
        "discussion_locked",
        "work_in_progress",
    )
    assert ("ada", milestone) == (changed["assignee"]["username"], changed["milestone"]["id"])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"labels": ""}, []),
        ({"labels": []}, []),
        ({"labels": [""]}, []),
        ({"add_labels": "urgent,bug"}, ["bug", "feature", "urgent"]),
        ({"remove_labels": "feature"}, []),
        ({"add_labels": ["bug"], "remove_labels": ["feature", "none"]}, ["bug"]),
    ],
)
def test_labels_are_set_added_and_taken(site: Fakeplat, body: dict[str, Any], expected: list[str]) -> None:
    """Labels of a merge request are set, added and removed, and sorted by title."""
    assert expected == site.as_user("dev").put(OPEN, json=body).json()["labels"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid(NOTHING_GIVEN)),
        ({"approvals_before_merge": 2}, invalid(NOTHING_GIVEN)),
        ({"title": " "}, invalid("title is empty")),
        ({"target_branch": ""}, invalid("target_branch is empty")),
        ({"state_event": "merge"}, invalid("state_event does not have a valid value")),
        ({"title": "x" * 256, "labels": "bug"}, invalid_record(title=["is too long (maximum is 255 characters)"])),
        ({"target_branch": "feature"}, SAME),
    ],
)
def test_bad_changes_change_nothing(site: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Invalid changes of a merge request are refused and change nothing."""
    assert expected == refusal(site, "dev", "PUT", OPEN, json=body)


def test_reporters_change_only_their_own(site: Fakeplat) -> None:
    """A Reporter is 403, unless assigned."""
    assert FORBIDDEN == refusal(site, "rep", "PUT", OPEN, json={"title": "x"})
    site.as_user("dev").put(OPEN, json={"assignee_id": person(site, "rep")})
    assert 200 == site.as_user("rep").put(OPEN, json={"title": "x", "labels": "bug"}).status
    assert ("x", ["feature"]) == select_fields(get_json(site), "title", "labels")


def test_another_target_is_another_difference(site: Fakeplat) -> None:
    """Changing the target adds a version and resets the status."""
    before = get_json(site, f"{OPEN}/versions")
    site.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "next", "ref": "v1.0"})
    changed = site.as_user("dev").put(OPEN, json={"target_branch": "next"}).json()
    assert ("next", "unchecked") == select_fields(changed, "target_branch", "merge_status")
    assert len(before) + 1 == len(get_json(site, f"{OPEN}/versions"))
    assert [] == get_json(site, f"{OPEN}/closes_issues")
    twin = create_merge_request(site, "feature")["iid"]
    refused = (409, {"message": ["Another open merge request already exists for this source branch: !1"]})
    assert refused == refusal(site, "dev", "PUT", f"{MRS}/{twin}", json={"target_branch": "next"})


# states: every event from every state


def in_state(site: Fakeplat, state: str) -> None:
    """Bring the open one there."""
    if state == "closed":
        site.as_user("dev").put(OPEN, json={"state_event": "close"})
    elif state == "merged":
        merge(site)
    elif state == "locked":
        with site.bench.platform.acting() as ctx:
            record = next(row for row in ctx.world.merge_requests.all() if row.iid == 1)
            ctx.world.merge_requests.change(record, state="locked")
    assert state == get_json(site)["state"]


@pytest.mark.parametrize(
    ("state", "event", "status", "then"),
    [
        ("opened", "close", 200, "closed"),
        ("opened", "reopen", 200, "opened"),
        ("opened", "merge", 200, "merged"),
        ("closed", "close", 200, "closed"),
        ("closed", "reopen", 200, "opened"),
        ("closed", "merge", 405, "closed"),
        ("merged", "close", 200, "merged"),
        ("merged", "reopen", 200, "merged"),
        ("merged", "merge", 405, "merged"),
        ("locked", "close", 200, "locked"),
        ("locked", "reopen", 200, "locked"),
        ("locked", "merge", 405, "locked"),
        ("opened", "rebase", 202, "opened"),
        ("closed", "rebase", 409, "closed"),
        ("merged", "rebase", 409, "merged"),
        ("locked", "rebase", 409, "locked"),
    ],
)
@pytest.mark.parametrize("clock", ["auto", "virtual"])
def test_every_event_from_every_state(
    site: Fakeplat, clock: str, state: str, event: str, status: int, then: str
) -> None:
    """Each state event changes, keeps or refuses each state as the platform does."""
    in_state(site, state)
    if event in ("close", "reopen"):
        reply = site.as_user("mia").put(OPEN, json={"state_event": event})
    else:
        reply = site.as_user("mia").put(f"{OPEN}/{event}")
    assert status == reply.status
    if clock == "virtual":
        site.settle()
    assert then == get_json(site)["state"]


def test_closing_records_user_and_time(site: Fakeplat) -> None:
    """Reopening takes it back; both leave state events."""
    closed = site.as_user("mia").put(OPEN, json={"state_event": "close"}).json()
    assert ("closed", "mia") == (closed["state"], closed["closed_by"]["username"])
    assert closed["closed_at"] is not None
    reopened = site.as_user("dev").put(OPEN, json={"state_event": "reopen"}).json()
    assert ("opened", None, None) == select_fields(reopened, "state", "closed_by", "closed_at")
    events = get_json(site, f"{OPEN}/resource_state_events")
    assert [("closed", "mia"), ("reopened", "dev")] == [(event["state"], event["user"]["username"]) for event in events]


def test_reopening_is_refused_where_it_would_be_the_second_or_has_no_source(site: Fakeplat) -> None:
    """Reopening answers 409 if another one is open or the source is gone."""
    site.as_user("dev").put(OPEN, json={"state_event": "close"})
    create_merge_request(site, "feature")
    body = {"state_event": "reopen"}
    refused = (409, {"message": ["Another open merge request already exists for this source branch: !3"]})
    assert refused == refusal(site, "dev", "PUT", OPEN, json=body)
    site.as_user("dev").put(f"{MRS}/3", json={"state_event": "close"})
    site.as_user("dev").delete(f"{SITE}/repository/branches/feature")
    gone = (409, {"message": ["Source branch feature does not exist"]})
    assert gone == refusal(site, "dev", "PUT", OPEN, json=body)


# removing


def test_owners_delete_it_with_all_that_hangs_on_it(site: Fakeplat) -> None:
    """Maintainers may not; a stale one is 412."""
    assert FORBIDDEN == refusal(site, "mia", "DELETE", OPEN)
    for headers in (LONG_AGO, {"If-Unmodified-Since": "2020-01-01T00:00:00.000Z"}):
        assert STALE == refusal(site, "ada", "DELETE", OPEN, headers=headers)
    site.as_user("mia").post(f"{OPEN}/todo")
    assert 204 == site.as_user("ada").delete(OPEN).status
    assert NOT_FOUND == refusal(site, "ada", "GET", OPEN)
    assert [] == get_json(site, "todos", by="mia")
    assert 0 == get_json(site, f"{SITE}/issues/2")["merge_requests_count"]


def test_deleted_records_leave_no_reference(site: Fakeplat) -> None:
    """Merge requests answer after their labels, milestone or project were deleted."""
    milestone = get_json(site)["milestone"]["id"]
    site.as_user("ada").delete(f"{SITE}/labels/feature")
    site.as_user("ada").delete(f"{SITE}/milestones/{milestone}")
    assert ([], None) == select_fields(get_json(site), "labels", "milestone")
    site.as_user("root").delete(f"users/{person(site, 'mia')}")
    assert [] == get_json(site)["assignees"]
    site.as_user("ada").delete(SITE)
    assert [] == get_json(site, "merge_requests?scope=all")
