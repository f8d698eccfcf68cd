"""A company with merge requests whose diffs contain all kinds of lines, and functions to discuss them.

``app.txt`` has 40 numbered lines. The branch ``feature`` deletes line 3, changes lines 10 and 30, and inserts two lines
after line 15. So its new line 9 is ``ten``, 15 and 16 are new, and from old line 16 on the new number is one higher;
old lines 19 to 26 and those from 34 on are not in the diff. ``fresh.txt`` and ``logo.png`` are added, ``gone.txt`` is
deleted; ``before.txt`` is renamed to ``after.txt``, and its line 1 changed to ``one``. In the public project ``docs``
the author of the merge request is eve, who is not a member.
"""

from collections.abc import Mapping
from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import create_record

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
MR, PUBLIC = f"{SITE}/merge_requests/1", f"{DOCS}/merge_requests/1"
OLD = [str(number) for number in range(1, 41)]
NEW = [*OLD[:2], *OLD[3:9], "ten", *OLD[10:15], "new a", "new b", *OLD[15:29], "thirty", *OLD[30:]]
PICTURE = {"content": "iVBORw0KGgoAAA==", "encoding": "base64"}
_TEXT = "\n".join([*OLD, ""])
_FILES = {"app.txt": _TEXT, "other.txt": "other\n", "gone.txt": "gone\n", "before.txt": _TEXT}
_CHANGES = {"app.txt": "\n".join([*NEW, ""]), "fresh.txt": "a\nb\n", "gone.txt": None, "logo.png": PICTURE}
_RENAMED = {"before.txt": None, "after.txt": "\n".join(["one", *OLD[1:], ""])}
REPOSITORY = {
    "commits": [
        {"message": "First", "author": "ada", "files": _FILES, "tags": ["begin"]},
        {"message": "Change", "author": "dev", "branch": "feature", "start": "master", "files": _CHANGES | _RENAMED},
    ]
}


def _project(path: str, visibility: str, author: str) -> dict[str, Any]:
    merge_request = {"title": "Change", "author": author, "source_branch": "feature", "target_branch": "master"}
    return {"path": path, "visibility": visibility, "repository": REPOSITORY, "merge_requests": [merge_request]}


REVIEW_COMPANY: dict[str, Any] = {
    **COMPANY,
    "groups": [
        {**COMPANY["groups"][0], "projects": [_project("site", "private", "dev"), _project("docs", "public", "eve")]},
        *COMPANY["groups"][1:],
    ],
}
TEN = {"old_path": "app.txt", "new_path": "app.txt", "new_line": 9}
"""The changed line 10, which is new line 9."""


def get_diff_refs(fake: Fakeplat, target: str = MR) -> dict[str, str]:
    """Return the commits of a merge request's diff."""
    diff_refs: dict[str, str] = fake.as_user("root").get(target).json()["diff_refs"]
    return diff_refs


def position(fake: Fakeplat, where: Mapping[str, Any] = TEN, target: str = MR) -> dict[str, Any]:
    """Return a complete position in the current diff."""
    return {"position_type": "text", **get_diff_refs(fake, target), **where}


def create_discussion(
    fake: Fakeplat, body: str = "Why?", by: str = "rep", target: str = MR, **attributes: Any
) -> dict[str, Any]:
    """Create a discussion."""
    discussion: dict[str, Any] = create_record(fake, f"{target}/discussions", by, body=body, **attributes)
    return discussion


def create_line_discussion(fake: Fakeplat, body: str = "Why?", by: str = "rep", target: str = MR) -> dict[str, Any]:
    """Create a discussion on the changed line."""
    return create_discussion(fake, body, by, target, position=position(fake, target=target))


def reply(fake: Fakeplat, discussion: Mapping[str, Any], body: str, by: str = "dev", target: str = MR) -> Any:
    """Reply to a discussion."""
    return create_record(fake, f"{target}/discussions/{discussion['id']}/notes", by, body=body)


def update_record(fake: Fakeplat, path: str, by: str = "dev", **changes: Any) -> Any:
    """Change a record with a PUT; return it."""
    answer = fake.as_user(by).put(path, json=changes)
    assert 200 == answer.status, answer.text
    return answer.json()


def resolve_discussion(fake: Fakeplat, discussion: Mapping[str, Any], by: str = "dev", *, resolved: bool = True) -> Any:
    """Resolve a discussion, or reopen it."""
    return update_record(fake, f"{MR}/discussions/{discussion['id']}", by, resolved=resolved)


def list_system_notes(fake: Fakeplat, target: str = MR) -> list[str]:
    """Return the texts of the system notes of a merge request, oldest first."""
    rows = fake.as_user("root").get(f"{target}/notes?activity_filter=only_activity&per_page=100").json()
    return [row["body"] for row in sorted(rows, key=lambda row: int(row["id"]))]


def commit_lines(fake: Fakeplat, lines: list[str], branch: str = "feature", by: str = "dev") -> str:
    """Commit new content of app.txt to a branch; return the hash."""
    action = {"action": "update", "file_path": "app.txt", "content": "\n".join([*lines, ""])}
    body = {"branch": branch, "commit_message": "Edit", "actions": [action]}
    return str(create_record(fake, f"{SITE}/repository/commits", by, **body)["id"])
