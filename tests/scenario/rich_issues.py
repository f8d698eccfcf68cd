"""A scenario that uses every key of issues, labels and milestones."""

from typing import Any

VIEWERS = ("root", "ada", "dev", "gus", "nobody")

RICH_ISSUES: dict[str, Any] = {
    "users": ["ada", "dev", "gus", "eve"],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "created_at": "2020-01-01T00:00:00Z",
            "members": {"ada": "owner", "dev": "developer", "gus": "guest"},
            "labels": [
                {"name": "urgent", "color": "red", "description": "Now!", "subscribers": ["dev"]},
                {"name": "Urgent", "created_at": "2020-11-19T00:00:00Z"},
            ],
            "milestones": [
                {"title": "everywhere", "iid": 4, "start_date": "2020-11-01", "due_date": "2020-11-30"},
                {"title": "later", "description": None},
            ],
            "projects": [
                {
                    "path": "site",
                    "visibility": "public",
                    "creator": "dev",
                    "labels": [
                        {"name": "bug", "color": "#f00", "priority": 2, "updated_at": "2020-11-19T10:00:00Z"},
                        {"title": "docs / text", "color": "#00FF00", "subscribers": {"dev": True, "gus": False}},
                        "plain",
                    ],
                    "label_priorities": {"urgent": 0},
                    "milestones": [
                        {
                            "title": "v1",
                            "state": "closed",
                            "description": "*first*",
                            "created_at": "2020-02-02T00:00:00Z",
                        },
                        "v2",
                    ],
                    "issues": [
                        "Only a title",
                        {
                            "title": "Everything",
                            "iid": 7,
                            "description": "- [x] one\n- [ ] two",
                            "author": "gus",
                            "assignees": ["dev", "ada"],
                            "labels": ["bug", "urgent", "unheard of"],
                            "milestone": "everywhere",
                            "confidential": True,
                            "due_date": "2020-11-22",
                            "weight": 3,
                            "health_status": "at_risk",
                            "discussion_locked": True,
                            "created_at": "2020-03-03T00:00:00Z",
                            "updated_at": "2020-03-04T00:00:00Z",
                            "relative_position": -5,
                            "time_estimate": 3600,
                            "total_time_spent": 7260,
                            "type": "incident",
                            "award_emoji": [
                                {"name": "thumbsup", "user": "dev"},
                                {"name": "thumbsup", "user": "ada", "created_at": "2020-03-05T00:00:00Z"},
                                {"name": "tada", "user": "ada"},
                            ],
                            "subscribers": {"ada": False, "eve": True},
                        },
                        {"title": "Done", "state": "closed"},
                        {
                            "title": "Done long ago",
                            "state": "closed",
                            "closed_at": "2020-05-05T00:00:00Z",
                            "closed_by": "ada",
                        },
                        {"title": "Nobody closed it", "state": "closed", "closed_by": None, "closed_at": None},
                        {"title": "Gone", "state": "closed", "moved_to": "acme/tools/kit#1", "relative_position": None},
                    ],
                }
            ],
            "groups": [
                {
                    "path": "tools",
                    "visibility": "public",
                    "labels": [{"name": "tool"}],
                    "projects": [
                        {
                            "path": "kit",
                            "visibility": "public",
                            "milestones": [{"title": "kit 1", "due_date": "2020-11-21"}],
                            "issues": [
                                {
                                    "title": "Arrived",
                                    "due_date": "2020-11-22",
                                    "milestone": "later",
                                    "labels": ["tool"],
                                },
                                {"title": "Older", "created_at": "2019-01-01T00:00:00Z", "weight": 0},
                            ],
                        }
                    ],
                }
            ],
        }
    ],
}
