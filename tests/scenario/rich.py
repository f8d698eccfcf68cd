"""A scenario that uses every key of users, groups and projects."""

from base64 import b64encode
from typing import Any

PIXEL = b64encode(b"\x89PNG\r\n\x1a\n").decode()
PICTURE = {"filename": "me.png", "content_base64": PIXEL}
VIEWERS = ("root", "ada", "dev", "eve", "ext", "bob", "nobody")

RICH: dict[str, Any] = {
    "seed": 7,
    "clock": {"start": "2020-12-01T10:00:00Z", "tick": 2},
    "settings": {
        "default_projects_limit": 3,
        "default_project_visibility": "internal",
        "deletion_adjourned_period": 3,
        "restricted_visibility_levels": ["public"],
        "minimum_password_length": 20,
        "gravatar_enabled": False,
    },
    "users": [
        {
            "username": "ada",
            "name": "Ada Example",
            "email": "Ada@Example.test",
            "created_at": "2019-01-02T03:04:05.678Z",
            "avatar": PICTURE,
            "bio": "I *am*",
            "location": "Somewhere",
            "public_email": "public@example.test",
            "skype": "s",
            "linkedin": "l",
            "twitter": "t",
            "website_url": "https://ada.example.test",
            "organization": "Acme",
            "job_title": "Boss",
            "note": "watch her",
            "last_sign_in_at": "2020-11-01T00:00:00Z",
            "current_sign_in_at": "2020-11-02T00:00:00Z",
            "last_sign_in_ip": "192.0.2.1",
            "current_sign_in_ip": "192.0.2.2",
            "sign_in_count": 12,
            "last_activity_on": "2020-11-19",
            "theme_id": 4,
            "color_scheme_id": 2,
            "two_factor_enabled": True,
            "shared_runners_minutes_limit": 100,
            "plan": "gold",
            "trial": True,
            "identities": [{"provider": "saml", "extern_uid": "ada-1"}, {"provider": "github", "extern_uid": "77"}],
            "custom_attributes": {"team": "red", "desk": "4"},
            "tokens": [
                {"value": "ada-token"},
                {"kind": "oauth", "value": "ada-oauth", "scopes": ["read_user"], "expires_at": "2020-12-24"},
                {"kind": "session", "value": "ada-session"},
                {"value": "ada-old", "revoked": True, "name": "old", "created_at": "2019-05-05T00:00:00Z"},
            ],
        },
        {"username": "dev", "projects_limit": 0, "can_create_group": False, "password": "short-8c"},
        "eve",
        {"username": "ext", "external": True, "private_profile": True, "confirmed_at": None, "tokens": ["ext-token"]},
        {"username": "bob", "state": "blocked", "bio": None},
        {"username": "late", "state": "deactivated", "is_admin": True},
        {"username": "ghost", "kind": "ghost"},
    ],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "description": None,
            "share_with_group_lock": True,
            "project_creation_level": "noone",
            "avatar": {**PICTURE, "content_type": "image/x-png"},
            "members": [
                {"username": "ada", "access_level": "owner"},
                {"username": "dev", "access_level": 30, "expires_at": "2021-01-31", "notification_level": 5},
            ],
            "shared_with_groups": {"friends": "reporter"},
            "file_template_project": "acme/site",
            "custom_attributes": [{"key": "team", "value": "blue"}],
            "projects": [
                {
                    "path": "site",
                    "name": "The Site",
                    "visibility": "private",
                    "creator": "dev",
                    "created_at": "2020-01-01T00:00:00Z",
                    "last_activity_at": "2020-06-01T00:00:00Z",
                    "members": {"eve": "guest"},
                    "access_tokens": [{"name": "ci", "value": "ci-token", "scopes": ["read_api"]}],
                    "shared_with_groups": [
                        {"group_full_path": "friends", "group_access_level": 20, "expires_at": "2021-02-01"}
                    ],
                    "languages": {"Ruby": 66.66, "C": 33.34},
                    "tag_list": ["b", "a"],
                    "wiki_enabled": False,
                    "public_jobs": False,
                    "ci_default_git_depth": None,
                    "build_timeout": 700,
                    "container_expiration_policy": {"cadence": "7d"},
                    "avatar": PICTURE,
                    "starrers": ["eve", {"username": "ada", "starred_since": "2020-03-03T00:00:00Z"}],
                    "uploads": [
                        {"filename": "a.txt", "content": "hello"},
                        {"filename": "b.bin", "content_base64": "AAE="},
                    ],
                    "custom_attributes": {"team": "red"},
                },
                {
                    "path": "docs",
                    "visibility": "public",
                    "issues_access_level": "private",
                    "mirror": True,
                    "mirror_user": "ada",
                },
            ],
            "groups": [{"path": "tools", "visibility": "internal", "projects": [{"path": "kit", "archived": True}]}],
        },
        {
            "path": "friends",
            "name": "Friends & Co",
            "members": {"ext": "developer", "eve": "owner"},
            "visibility": "internal",
        },
        {"full_path": "acme/tools/deep", "require_two_factor_authentication": True},
    ],
    "projects": [
        {"path_with_namespace": "ada/notes", "visibility": "private"},
        {
            "path_with_namespace": "eve/fork",
            "forked_from_project": "acme/site",
            "marked_for_deletion_at": "2020-11-30",
            "archived": True,
        },
        {"path_with_namespace": "dev/more", "creator": None, "members": {"bot": "reporter"}},
    ],
}
RICH["users"].insert(
    2,
    {
        "username": "bot",
        "bot_of": "dev/more",
        "name": "Robot",
        "tokens": [{"kind": "project", "value": "robot-token", "project": "dev/more"}],
    },
)
