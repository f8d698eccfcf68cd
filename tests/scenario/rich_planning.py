"""A scenario that uses every key of planning: issue links, resource events, boards, events, badges and so on."""

from typing import Any

RICH_PLANNING: dict[str, Any] = {
    "users": [
        {
            "username": "ada",
            "global_notification_setting": {
                "level": "custom",
                "events": ["new_note"],
                "notification_email": "mail@example.test",
            },
        },
        "dev",
        "gus",
        "eve",
    ],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "members": {"ada": "owner", "dev": "developer", "gus": "guest"},
            "labels": ["urgent"],
            "milestones": ["everywhere"],
            "boards": [{"name": "All", "lists": ["urgent"], "milestone": "#started"}],
            "access_requests": ["eve"],
            "badges": [
                {
                    "name": "state",
                    "link_url": "https://ci.example.test/%{project_path}",
                    "image_url": "https://ci.example.test/%{default_branch}.svg",
                }
            ],
            "notification_settings": {"dev": "watch"},
            "projects": [
                {
                    "path": "site",
                    "visibility": "public",
                    "labels": ["bug", "late"],
                    "milestones": ["v1"],
                    "boards": [
                        {
                            "name": "Work",
                            "lists": ["late", "urgent", "bug"],
                            "milestone": "v1",
                            "assignee": "dev",
                            "labels": ["bug"],
                            "weight": 2,
                            "hide_backlog_list": True,
                            "hide_closed_list": True,
                            "created_at": "2020-05-05T00:00:00Z",
                        },
                        "Empty",
                    ],
                    "access_requests": {"eve": "2020-06-06T00:00:00Z"},
                    "badges": [{"link_url": "http://x.test", "image_url": "http://x.test/i.svg"}],
                    "notification_settings": [{"username": "gus", "level": "custom", "events": ["new_issue"]}],
                    "issues": [
                        {
                            "title": "One",
                            "labels": ["bug"],
                            "user_agent_detail": {
                                "user_agent": "browser/1.0",
                                "ip_address": "192.0.2.1",
                                "antispam_submitted": True,
                            },
                            "resource_label_events": [
                                {"user": "dev", "label": "bug", "action": "add", "created_at": "2020-07-07T00:00:00Z"},
                                {"user": None, "label": None, "action": "remove"},
                            ],
                            "resource_milestone_events": [
                                {"user": "ada", "milestone": "v1", "action": "add", "state": "opened"},
                            ],
                            "resource_state_events": [{"user": "ada", "state": "closed"}],
                            "resource_weight_events": [{"user": "ada", "weight": None}],
                            "notes": [{"author": "gus", "body": "Hm"}],
                        },
                        {"title": "Two", "confidential": True},
                        "Three",
                    ],
                }
            ],
        }
    ],
    "issue_links": [
        {"source": "acme/site#3", "target": "acme/site#1", "link_type": "blocks", "created_at": "2020-08-08T00:00:00Z"},
        {"source": "acme/site#1", "target": "acme/site#2"},
    ],
    "events": [
        {"author": "ada", "action": "created", "project": "acme/site", "created_at": "2020-09-01T00:00:00Z"},
        {"author": "dev", "action": "created", "project": "acme/site", "target_type": "issue", "target": "acme/site#1"},
        {"author": "dev", "action": "closed", "project": "acme/site", "target_type": "milestone", "target": "v1"},
        {"author": "ada", "action": "destroyed", "project": "acme/site", "target_type": "milestone"},
        {"author": "ada", "action": "created", "group": "acme", "target_type": "milestone", "target": "everywhere"},
        {
            "author": "gus",
            "action": "commented",
            "project": "acme/site",
            "target_type": "note",
            "target": "acme/site#1!1",
        },
        {
            "author": "dev",
            "action": "pushed",
            "project": "acme/site",
            "push_data": {"commit_count": 2, "action": "created", "ref_type": "branch", "ref": "new"},
        },
    ],
}
