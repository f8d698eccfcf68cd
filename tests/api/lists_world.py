"""Two namespaces with projects that differ in every field that lists can filter by."""

from typing import Any

WORLD: dict[str, Any] = {
    "users": [{"username": name} for name in ("ann", "ben", "eve")],
    "groups": [
        {
            "path": "red",
            "name": "Red",
            "visibility": "public",
            "members": {"ann": "owner", "ben": "reporter"},
            "projects": [
                {
                    "path": "alpha",
                    "name": "Alpha",
                    "visibility": "private",
                    "description": "The First Thing",
                    "created_at": "2020-01-05T00:00:00Z",
                    "updated_at": "2020-08-01T00:00:00Z",
                    "last_activity_at": "2020-03-01T00:00:00Z",
                    "languages": {"Ruby": 75.25, "Shell": 24.75},
                    "custom_attributes": {"team": "x", "room": "1"},
                    "starrers": ["ben"],
                },
                {
                    "path": "beta",
                    "name": "Zeta",
                    "visibility": "internal",
                    "created_at": "2020-01-04T00:00:00Z",
                    "updated_at": "2020-07-01T00:00:00Z",
                    "last_activity_at": "2020-04-01T00:00:00Z",
                    "issues_enabled": False,
                    "custom_attributes": {"team": "x", "room": "2"},
                    "members": {"ben": "maintainer"},
                },
                {
                    "path": "gamma",
                    "name": "Gamma",
                    "visibility": "public",
                    "archived": True,
                    "created_at": "2020-01-04T00:00:00Z",
                    "updated_at": "2020-09-01T00:00:00Z",
                    "last_activity_at": "2020-05-01T00:00:00Z",
                    "merge_requests_access_level": "private",
                },
            ],
        }
    ],
    "projects": [
        {
            "path_with_namespace": "ben/open",
            "name": "Open",
            "visibility": "public",
            "created_at": "2020-01-06T00:00:00Z",
            "updated_at": "2020-06-01T00:00:00Z",
            "last_activity_at": "2020-06-01T00:00:00Z",
            "repository_storage": "second",
            "starrers": ["ben", "eve"],
        },
    ],
}
ALPHA, BETA, GAMMA, OPEN = "red/alpha", "red/beta", "red/gamma", "ben/open"
