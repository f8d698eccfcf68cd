"""Helpers for tests of CI configuration: commits over REST."""

from typing import Any
from urllib.parse import quote

from fakeplat.harness.fake import Fakeplat


def commit_ci(fake: Fakeplat, content: str, *, message: str = "Configure CI", **rest: Any) -> str:
    """Commit the configuration of acme/site and return the hash of the commit."""
    return commit_file(fake, ".gitlab-ci.yml", content, update=True, message=message, **rest)


def commit_file(
    fake: Fakeplat,
    path: str,
    content: str,
    *,
    project: str = "acme/site",
    branch: str = "master",
    start: str | None = None,
    by: str = "ada",
    update: bool = False,
    message: str = "Change a file",
) -> str:
    """Commit a file and return the hash of the commit."""
    action = {"action": "update" if update else "create", "file_path": path, "content": content}
    body = {"branch": branch, "commit_message": message, "actions": [action]}
    if start is not None:
        body["start_branch"] = start
    reply = fake.as_user(by).post(f"/projects/{quote(project, safe='')}/repository/commits", json=body)
    assert 201 == reply.status, reply.json()
    return str(reply.json()["id"])
