"""A project whose users have all notification levels, and the mails that they get.

Users are named after what they are: see docs/platform/mail.md ('Levels').
"""

from typing import Any

from fakeplat.domain.people.notification_settings import EVENTS
from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.mails import Mail

SITE = "projects/org%2Facme%2Fsite"
VAULT = "projects/org%2Facme%2Fvault"
ISSUE, MERGE_REQUEST = f"{SITE}/issues/1", f"{SITE}/merge_requests/1"
EVERYTHING = [*EVENTS]
_LEVELS: dict[str, Any] = {
    "watcher": {"level": "watch"},
    "watching_subscriber": {"level": "watch"},
    "participating": {"level": "participating"},
    "off": {"level": "disabled"},
    "mention": {"level": "mention"},
    "custom": {"level": "custom", "events": EVERYTHING},
    "custom_off": {"level": "custom", "events": []},
}
_MEMBERS = (
    "actor",
    "author",
    "assignee",
    "lazy",
    "named",
    "subscriber",
    "unsubscriber",
    "unsubscribed_named",
    "group_watcher",
    *_LEVELS,
)
_GUESTS = {"guest_watcher": "watch", "guest_custom": {"level": "custom", "events": EVERYTHING}}
_SUBSCRIBERS = [
    "subscriber",
    "watching_subscriber",
    {"username": "unsubscriber", "subscribed": False},
    {"username": "unsubscribed_named", "subscribed": False},
]
_ISSUABLE = {
    "iid": 1,
    "title": "Broken",
    "author": "author",
    "assignees": ["assignee"],
    "description": "cc @named @off",
    "subscribers": _SUBSCRIBERS,
}
PEOPLE: dict[str, Any] = {
    "users": [
        *({"username": name} for name in ("root_owner", "outsider", *_MEMBERS) if name not in _LEVELS),
        *({"username": name, "global_notification_setting": setting} for name, setting in _LEVELS.items()),
        *({"username": name} for name in ("guest_watcher", "guest_custom", "parent_watcher")),
    ],
    "groups": [
        {
            "path": "org",
            "name": "Org",
            "visibility": "public",
            "members": {"root_owner": "owner", "parent_watcher": "developer"},
            "notification_settings": {"parent_watcher": "watch"},
            "groups": [
                {
                    "path": "acme",
                    "name": "Acme",
                    "visibility": "public",
                    "members": dict.fromkeys(_MEMBERS, "developer") | {"actor": "maintainer"},
                    "notification_settings": {"group_watcher": "watch"},
                    "labels": [{"name": "urgent", "subscribers": ["subscriber", "off"]}],
                    "projects": [
                        {
                            "path": "site",
                            "name": "Site",
                            "visibility": "public",
                            "labels": [{"name": "bug", "subscribers": ["subscriber", "lazy"]}],
                            "milestones": ["v1"],
                            "notification_settings": [
                                {"username": name, **(setting if isinstance(setting, dict) else {"level": setting})}
                                for name, setting in _GUESTS.items()
                            ],
                            "issues": [_ISSUABLE],
                            "repository": {
                                "commits": [
                                    {"branch": "master", "message": "Start", "files": {"README.md": "x"}},
                                    {"branch": "feature", "message": "Add a", "files": {"a.txt": "a"}},
                                ]
                            },
                            "merge_requests": [{**_ISSUABLE, "source_branch": "feature", "target_branch": "master"}],
                        },
                        {"path": "vault", "name": "Vault", "visibility": "private"},
                    ],
                }
            ],
        }
    ],
}
WATCHING = {"watcher", "watching_subscriber", "guest_watcher", "group_watcher", "parent_watcher"}
ASKING = {"custom", "guest_custom"}
STANDARD = {"author", "assignee", "named", "subscriber", *WATCHING, *ASKING}
"""Who is told of most events of an issue or merge request, unless they cause them."""


def take_mails(fake: Fakeplat) -> list[Mail]:
    """Return the mails, and forget them."""
    mails = [*fake.mails]
    fake.mails.clear()
    return mails


def take_recipients(fake: Fakeplat) -> set[str]:
    """Return who got a mail, nobody more than one, and forget them."""
    names = [mail.to.removesuffix("@example.test") for mail in take_mails(fake)]
    assert len(names) == len({*names})
    return {*names}


def take_reasons(fake: Fakeplat) -> dict[str, str]:
    """Return the reasons of the mails, and forget them."""
    return {mail.to.removesuffix("@example.test"): mail.reason for mail in take_mails(fake)}


def send_request(fake: Fakeplat, method: str, url: str, by: str = "actor", /, **body: Any) -> Any:
    """Do something, which must succeed, and return the answer."""
    client = fake.as_user(by)
    reply = client.request(method, url, json=body) if method != "DELETE" else client.delete(url)
    assert reply.status < 300, reply.text
    return reply.json() if reply.text else None


def commit(fake: Fakeplat, branch: str, path: str = "b.txt", *, start: bool = True) -> str:
    """Commit a file to a branch, a new one unless ``start`` is false; return the hash."""
    actions = [{"action": "create", "file_path": path, "content": path.upper()}]
    body = {"branch": branch, "commit_message": f"Add {path}", "actions": actions}
    return str(
        send_request(
            fake, "POST", f"{SITE}/repository/commits", **body, **({"start_branch": "master"} if start else {})
        )["id"]
    )
