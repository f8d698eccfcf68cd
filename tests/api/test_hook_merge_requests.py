"""Webhooks about merge requests. Source: docs/platform/webhooks.md, recorded payloads."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.deliveries import (
    ADA,
    BUG,
    NOW,
    PROJECT,
    REPOSITORY,
    SITE,
    Deliveries,
    change,
    commit,
    create,
    receive,
)

ONE = f"{SITE}/merge_requests/1"


def create_merge_request(fake: Fakeplat, **more: Any) -> Any:
    fields = {"source_branch": "topic", "target_branch": "master", "title": "Draft: Topic", **more}
    return create(fake, f"{SITE}/merge_requests", **fields)


def test_a_new_merge_request(fakeplat: Fakeplat) -> None:
    """The event of a new merge request has the whole payload."""
    create(fakeplat, f"{SITE}/repository/branches", branch="topic", ref="master")
    sha = commit(fakeplat, "topic")
    sent = receive(fakeplat)
    created = create_merge_request(fakeplat, labels="bug", assignee_ids=[2], remove_source_branch=True)
    payload = sent.payloads("merge_request_hooks")[0]
    pipeline = payload["object_attributes"]["head_pipeline_id"]

    attributes = {
        "assignee_id": 2,
        "author_id": 2,
        "created_at": NOW,
        "description": None,
        "head_pipeline_id": pipeline,
        "id": created["id"],
        "iid": created["iid"],
        "last_edited_at": None,
        "last_edited_by_id": None,
        "merge_commit_sha": None,
        "merge_error": None,
        "merge_params": {"force_remove_source_branch": "1"},
        "merge_status": "unchecked",
        "merge_user_id": None,
        "merge_when_pipeline_succeeds": False,
        "milestone_id": None,
        "source_branch": "topic",
        "source_project_id": 5001,
        "state_id": 1,
        "target_branch": "master",
        "target_project_id": 5001,
        "time_estimate": 0,
        "title": "Draft: Topic",
        "updated_at": NOW,
        "updated_by_id": None,
        "url": f"http://localhost/acme/site/-/merge_requests/{created['iid']}",
        "source": PROJECT,
        "target": PROJECT,
        "last_commit": {
            "id": sha,
            "message": "Add new.txt",
            "title": "Add new.txt",
            "timestamp": "2020-11-20T09:00:00+00:00",
            "url": f"http://localhost/acme/site/-/commit/{sha}",
            "author": {"name": "Ada Example", "email": "ada@example.test"},
        },
        "work_in_progress": True,
        "total_time_spent": 0,
        "human_total_time_spent": None,
        "human_time_estimate": None,
        "assignee_ids": [2],
        "state": "opened",
        "action": "open",
    }
    changes = payload.pop("changes")
    assert {
        "object_kind": "merge_request",
        "event_type": "merge_request",
        "user": ADA,
        "project": PROJECT,
        "object_attributes": attributes,
        "labels": [BUG],
        "repository": REPOSITORY,
        "assignees": [ADA],
    } == payload
    assert list(attributes) == list(payload["object_attributes"])
    assert {"previous": None, "current": "topic"} == changes["source_branch"]
    assert not {"state_id", "time_estimate", "labels", "assignees", "merge_status"} & {*changes}


def test_life_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """Each change of a merge request sends an event with its action."""
    sent = receive(fakeplat)
    change(fakeplat, ONE, title="Renamed")
    create(fakeplat, f"{ONE}/approve")
    create(fakeplat, f"{ONE}/unapprove")
    change(fakeplat, ONE, state_event="close")
    change(fakeplat, ONE, state_event="reopen", title="Open again")
    payloads = sent.payloads("merge_request_hooks")

    assert ["update", "approved", "unapproved", "close", "reopen", "update"] == [
        payload["object_attributes"]["action"] for payload in payloads
    ]
    assert {"previous": "Search by name", "current": "Renamed"} == payloads[0]["changes"]["title"]
    assert [1, 1, 1, 2, 1, 1] == [payload["object_attributes"]["state_id"] for payload in payloads]
    assert {"previous": 1, "current": 2} == payloads[3]["changes"]["state_id"]


def test_a_merge(fakeplat: Fakeplat) -> None:
    """Merging sends the push, the closed issue and the merge."""
    change(fakeplat, ONE, title="Search by its name")
    sent = receive(fakeplat)
    merged = change(fakeplat, f"{ONE}/merge", should_remove_source_branch=True)
    payloads = {payload["object_kind"]: payload for payload in sent.payloads() if payload["object_kind"] != "build"}
    assert {"push", "issue", "merge_request", "pipeline"} == {*payloads}
    merge = payloads["merge_request"]

    assert {
        "state_id": {"previous": 4, "current": 3},
        "updated_at": {"previous": NOW, "current": NOW},
    } == merge["changes"]
    attributes = merge["object_attributes"]
    assert ("merge", "merged", merged["merge_commit_sha"]) == tuple(
        attributes[name] for name in ("action", "state", "merge_commit_sha")
    )
    assert ("close", "ada") == (payloads["issue"]["object_attributes"]["action"], payloads["issue"]["user"]["username"])
    # The push that removed the source branch came last.
    assert ("refs/heads/feature", "0" * 40) == (payloads["push"]["ref"], payloads["push"]["after"])


def test_a_push_to_the_source_branch(fakeplat: Fakeplat) -> None:
    """A push to the source sends an update with the former head."""
    old = fakeplat.as_user("ada").get(ONE).json()["sha"]
    sent = receive(fakeplat)
    new = commit(fakeplat, "feature")
    requests = [request for request in sent.requests if request.trigger in ("push_hooks", "merge_request_hooks")]
    assert ["push_hooks", "merge_request_hooks"] == [request.trigger for request in requests]
    (payload,) = sent.payloads("merge_request_hooks")

    attributes = payload["object_attributes"]
    assert ("update", old, new, {}) == (
        attributes["action"],
        attributes["oldrev"],
        attributes["last_commit"]["id"],
        payload["changes"],
    )
    assert "oldrev" == list(attributes)[-1]
    commit(fakeplat, "master", "other.txt")
    assert "merge_request_hooks" not in sent.triggers()


def test_a_merge_by_push(fakeplat: Fakeplat) -> None:
    """Pushing the commits to the target sends the merge event."""
    sent = receive(fakeplat)
    create(fakeplat, f"{SITE}/repository/branches", branch="land", ref="feature")
    landing = create_merge_request(fakeplat, source_branch="land", title="Land")
    sent.take()
    change(fakeplat, f"{SITE}/merge_requests/{landing['iid']}/merge")
    actions = [
        (payload["object_attributes"]["iid"], payload["object_attributes"]["action"])
        for payload in sent.payloads("merge_request_hooks")
    ]

    assert [(1, "merge"), (landing["iid"], "merge")] == actions


@pytest.mark.fakeplat(tier="premium")
def test_approvals_with_rules(fakeplat: Fakeplat) -> None:
    """The one that completes the rules is the approval, the others come near it."""
    create(fakeplat, f"{SITE}/approval_rules", name="Two", approvals_required=2)
    sent = receive(fakeplat)
    create(fakeplat, f"{ONE}/approve", "ada")
    create(fakeplat, f"{ONE}/approve", "mia")
    create(fakeplat, f"{ONE}/unapprove", "mia")
    create(fakeplat, f"{ONE}/unapprove", "ada")

    assert ["approval", "approved", "unapproved", "unapproval"] == [
        payload["object_attributes"]["action"] for payload in sent.payloads("merge_request_hooks")
    ]


def test_system_hooks_receive_merge_requests(fakeplat: Fakeplat) -> None:
    """System hooks receive merge request events with the payload of project hooks."""
    fakeplat.load({"system_hooks": [{"url": "https://x.test", "merge_requests_events": True}]})
    sent = Deliveries(fakeplat)
    change(fakeplat, ONE, title="x")
    (request,) = sent.requests

    assert ("system_hooks", "System Hook") == (request.trigger, request.headers["X-Gitlab-Event"])
    assert "merge_request" == sent.payloads()[0]["object_kind"]


def test_a_note_on_a_diff(fakeplat: Fakeplat) -> None:
    """The event of a diff note has a position, and its merge request no action."""
    sent = receive(fakeplat)
    refs = fakeplat.as_user("ada").get(ONE).json()["diff_refs"]
    position = {**refs, "position_type": "text", "new_path": "app/search.py", "old_path": "app/search.py"}
    create(fakeplat, f"{ONE}/discussions", body="Hm", position={**position, "new_line": 1})
    (payload,) = sent.payloads()
    attributes = payload["object_attributes"]

    assert ("DiffNote", "MergeRequest", 1) == (
        attributes["type"],
        attributes["noteable_type"],
        attributes["position"]["new_line"],
    )
    assert attributes["position"] == attributes["original_position"]
    assert attributes["line_code"]
    assert "action" not in payload["merge_request"]
    assert ("Search by name", PROJECT) == (payload["merge_request"]["title"], payload["merge_request"]["source"])
