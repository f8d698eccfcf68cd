"""The small company with merge requests in review: notes and a discussion."""

from typing import Any, Final

from tests.graphql.queries import WORLD

DISCUSSION: Final = "d" * 40
_NOTES: Final[list[dict[str, Any]]] = [
    {"author": "rep", "body": "Hm"},
    {"author": "rep", "body": "Why?", "type": "DiscussionNote", "discussion": DISCUSSION},
    {"author": "dev", "body": "So.", "type": "DiscussionNote", "discussion": DISCUSSION},
]
_COMMITS: Final[list[dict[str, Any]]] = [
    {"message": "First", "author": "ada", "files": {"a.txt": "a\n"}},
    {"message": "Second", "author": "dev", "branch": "topic", "files": {"a.txt": "a\nb\n"}},
    {"message": "Third", "author": "dev", "branch": "other", "start": "master", "files": {"c.txt": "c\n"}},
]
_REVIEW: Final[dict[str, Any]] = {
    "repository": {"commits": _COMMITS},
    "merge_requests": [
        {
            "title": "Topic",
            "source_branch": "topic",
            "author": "dev",
            "assignees": ["mia"],
            "labels": ["bug"],
            "milestone": "v1",
            "merge_status": "can_be_merged",
            "notes": _NOTES,
        }
    ],
}


def _with_review(group: dict[str, Any]) -> dict[str, Any]:
    projects = [{**project, **_REVIEW} if project["path"] == "site" else project for project in group["projects"]]
    return {**group, "projects": projects}


REVIEWED: Final[dict[str, Any]] = {**WORLD, "groups": [_with_review(group) for group in WORLD["groups"]]}
