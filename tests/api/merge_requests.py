"""Helpers for tests of merge requests: paths, fields, and functions to create and read them."""

from typing import Any

from fakeplat.harness.fake import Fakeplat

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
MRS = f"{SITE}/merge_requests"
OPEN, CONFLICTING = f"{MRS}/1", f"{MRS}/2"
NOT_FOUND = (404, {"message": "404 Not found"})
BASIC = {
    "id",
    "iid",
    "project_id",
    "title",
    "description",
    "state",
    "created_at",
    "updated_at",
    "merged_by",
    "merged_at",
    "closed_by",
    "closed_at",
    "target_branch",
    "source_branch",
    "user_notes_count",
    "upvotes",
    "downvotes",
    "author",
    "assignees",
    "assignee",
    "source_project_id",
    "target_project_id",
    "labels",
    "work_in_progress",
    "milestone",
    "merge_when_pipeline_succeeds",
    "merge_status",
    "sha",
    "merge_commit_sha",
    "squash_commit_sha",
    "discussion_locked",
    "should_remove_source_branch",
    "force_remove_source_branch",
    "reference",
    "references",
    "web_url",
    "time_stats",
    "squash",
    "task_completion_status",
    "has_conflicts",
    "blocking_discussions_resolved",
}
DETAIL = BASIC | {
    "subscribed",
    "changes_count",
    "latest_build_started_at",
    "latest_build_finished_at",
    "first_deployed_to_production_at",
    "pipeline",
    "head_pipeline",
    "diff_refs",
    "merge_error",
    "user",
}
SINGLE = DETAIL | {"first_contribution"}


def commit(
    fake: Fakeplat, branch: str, path: str = "new.txt", *, by: str = "dev", project: str = SITE, **attributes: Any
) -> str:
    """Commit one new file to a branch (a new branch starts at master); return the hash."""
    existing = {row["name"] for row in fake.as_user(by).get(f"{project}/repository/branches?per_page=100").json()}
    start = {} if branch in existing or not existing else {"start_branch": "master"}
    text = attributes.pop("content", path)
    message = attributes.pop("commit_message", f"Add {path}")
    actions = [{"action": attributes.pop("action", "create"), "file_path": path, "content": text}]
    body = {"branch": branch, "commit_message": message, "actions": actions, **start, **attributes}
    reply = fake.as_user(by).post(f"{project}/repository/commits", json=body)
    assert 201 == reply.status, reply
    return str(reply.json()["id"])


def create_merge_request(
    fake: Fakeplat, source: str, *, by: str = "dev", project: str = SITE, **attributes: Any
) -> Any:
    """Create a merge request for a branch and start its mergeability check."""
    body = {"title": "T", "source_branch": source, "target_branch": "master", **attributes}
    reply = fake.as_user(by).post(f"{project}/merge_requests", json=body)
    assert 201 == reply.status, reply
    merge_request = reply.json()
    fake.as_user("root").get(f"projects/{merge_request['project_id']}/merge_requests/{merge_request['iid']}")
    return merge_request


def get_json(fake: Fakeplat, path: str = OPEN, *, by: str = "root") -> Any:
    """Return the response to a GET."""
    reply = fake.as_user(by).get(path)
    assert 200 == reply.status, reply
    return reply.json()


def select_fields(row: Any, *names: str) -> tuple[Any, ...]:
    """Return some fields of a row."""
    return tuple(row[name] for name in names)


def merge(fake: Fakeplat, path: str = OPEN, *, by: str = "mia", **attributes: Any) -> Any:
    """Merge a merge request."""
    reply = fake.as_user(by).put(f"{path}/merge", json=attributes)
    assert 200 == reply.status, reply
    return reply.json()
