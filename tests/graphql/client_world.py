"""A world with records of each kind that the operations of public clients name, and values for their arguments."""

from collections.abc import Mapping
from typing import Any

from fakeplat.harness.fake import Fakeplat

SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "labels": [{"title": "bug", "color": "#d9534f"}],
    "milestones": [{"title": "v1"}],
    "issues": [
        {
            "title": "Broken link",
            "author": "dev",
            "labels": ["bug"],
            "milestone": "v1",
            "notes": [{"author": "mia", "body": "Hm"}],
        }
    ],
    "snippets": [{"title": "Hint", "author": "dev", "visibility": "internal", "files": {"a.md": "Do it."}}],
    "container_repositories": [{"name": "web", "tags": ["v1"]}],
    "pipelines": [{"ref": "main", "status": "success", "jobs": [{"name": "unit", "status": "success"}]}],
}
SCENARIO: dict[str, Any] = {"extends": "starter", "projects": [SITE]}


def find_values(fake: Fakeplat) -> Mapping[str, Any]:
    """Return values of arguments: paths, numbers and ids of records that exist."""
    site = "projects/acme%2Fsite"
    root = fake.as_user("root")
    issue = next(row for row in root.get(f"{site}/issues").json() if row["title"] == "Broken link")
    merge_request = root.get(f"{site}/merge_requests").json()[0]
    note = root.get(f"{site}/issues/{issue['iid']}/notes").json()[0]
    return {
        "fullPath": "acme/site",
        "Query.group.fullPath": "acme",
        "projectPath": "acme/site",
        "iid": issue["iid"],
        "Project.pipeline.iid": "1",
        "Project.mergeRequest.iid": merge_request["iid"],
        "username": "dev",
        "search": "a",
        "state": "opened",
        "id": f"gid://gitlab/Issue/{issue['id']}",
        "IssueID": f"gid://gitlab/Issue/{issue['id']}",
        "UserID": f"gid://gitlab/User/{fake.world.user('dev').id}",
        "Query.user.id": f"gid://gitlab/User/{fake.world.user('dev').id}",
        "WorkItemID": f"gid://gitlab/WorkItem/{issue['id']}",
        "MergeRequestID": f"gid://gitlab/MergeRequest/{merge_request['id']}",
        "NoteID": f"gid://gitlab/Note/{note['id']}",
        "DiscussionID": f"gid://gitlab/Discussion/{'a' * 40}",
        "AwardableID": f"gid://gitlab/Issue/{issue['id']}",
        "NoteableID": f"gid://gitlab/Issue/{issue['id']}",
        "CiRunnerID": "gid://gitlab/Ci::Runner/1",
        "ContainerRepositoryID": "gid://gitlab/ContainerRepository/1",
        "SnippetID": "gid://gitlab/ProjectSnippet/1",
        "Time": "2020-11-20T08:00:00Z",
        "ids": None,
    }
