"""A small company with one user in each role, and no issues, labels or milestones."""

from typing import Any

COMPANY: dict[str, Any] = {
    "users": [
        *({"username": name} for name in ("ada", "mia", "dev", "rep", "gus", "eve")),
        {"username": "ext", "external": True},
    ],
    "groups": [
        {
            "path": "acme",
            "name": "Acme",
            "visibility": "public",
            "members": {"ada": "owner", "mia": "maintainer", "dev": "developer", "rep": "reporter", "gus": "guest"},
            "projects": [
                {"path": "site", "name": "Site", "visibility": "private"},
                {"path": "docs", "name": "Docs", "visibility": "public"},
            ],
            "groups": [
                {
                    "path": "tools",
                    "name": "Tools",
                    "visibility": "internal",
                    "projects": [{"path": "kit", "name": "Kit", "visibility": "internal"}],
                }
            ],
        }
    ],
    "projects": [{"path_with_namespace": "ada/notes", "name": "Notes", "visibility": "private"}],
}
