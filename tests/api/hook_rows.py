"""Permissions by role for webhooks, in the form of `role_rows.py`. Source: docs/platform/webhooks.md."""

from typing import Any

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
HOOK = {"url": "https://receiver.example.com/hook"}
KNOWN = [{"key": "known", "value": "x"}]
WITH_VARIABLES = {**HOOK, "url_variables": KNOWN, "custom_headers": KNOWN}
MAINTAINERS = "401 404 404 403 403 403 {0} {0} {0}"
OWNERS = "401 403 403 403 403 403 403 {0} {0}"
ADMIN = "401 403 403 403 403 403 403 403 {0}"


def _rows(kind: str, path: str, statuses: str) -> list[tuple[str, str, str, Any, str]]:
    hook_path = f"{path}/{{{kind}_hook}}"
    verb, name = ("update", "hook") if kind == "system" else ("set", f"{kind}_hook")
    return [
        (f"list_{kind}_hooks", "GET", path, None, statuses.format(200)),
        (f"create_{kind}_hook", "POST", path, HOOK, statuses.format(201)),
        (f"delete_{kind}_hook", "DELETE", hook_path, None, statuses.format(204)),
        *(
            [
                (f"get_{kind}_hook", "GET", hook_path, None, statuses.format(200)),
                (f"update_{kind}_hook", "PUT", hook_path, HOOK, statuses.format(200)),
            ]
            if kind != "system"
            else [
                ("test_system_hook", "GET", hook_path, None, statuses.format(200)),
                ("trigger_system_hook", "POST", hook_path, None, statuses.format(201)),
                ("update_system_hook", "PUT", hook_path, HOOK, statuses.format(200)),
            ]
        ),
        *(
            row
            for part, words in (("url_variables", "url_variable"), ("custom_headers", "custom_header"))
            for row in (
                (f"{verb}_{name}_{words}", "PUT", f"{hook_path}/{part}/key", {"value": "x"}, statuses.format(204)),
                (f"delete_{name}_{words}", "DELETE", f"{hook_path}/{part}/known", None, statuses.format(204)),
            )
        ),
    ]


ROWS = [
    *_rows("project", f"{SITE}/hooks", MAINTAINERS),
    *_rows("system", "hooks", ADMIN),
    ("test_project_hook", "POST", f"{SITE}/hooks/{{project_hook}}/test/push_events", None, MAINTAINERS.format(201)),
    ("list_hook_events", "GET", f"{SITE}/hooks/{{project_hook}}/events", None, MAINTAINERS.format(200)),
    (
        "resend_hook_event",
        "POST",
        f"{SITE}/hooks/{{logging_hook}}/events/{{hook_event}}/resend",
        None,
        MAINTAINERS.format(201),
    ),
]
PAID = [
    *_rows("group", f"{ACME}/hooks", OWNERS),
    ("test_group_hook", "POST", f"{ACME}/hooks/{{group_hook}}/test/push_events", None, OWNERS.format(201)),
    ("list_group_hook_events", "GET", f"{ACME}/hooks/{{group_hook}}/events", None, OWNERS.format(200)),
    (
        "resend_group_hook_event",
        "POST",
        f"{ACME}/hooks/{{logging_group_hook}}/events/{{group_hook_event}}/resend",
        None,
        OWNERS.format(201),
    ),
]


def create_records(root: Any) -> dict[str, Any]:
    """Add webhooks to a project and to the instance; return their ids, and that of a request."""
    hook = root.post(f"{SITE}/hooks", json=HOOK).json()["id"]
    return {
        "logging_hook": hook,
        "hook_event": _create_event(root, f"{SITE}/hooks/{hook}"),
        "project_hook": root.post(f"{SITE}/hooks", json=WITH_VARIABLES).json()["id"],
        "system_hook": root.post("hooks", json=WITH_VARIABLES).json()["id"],
    }


def create_paid_records(root: Any) -> dict[str, Any]:
    """Add webhooks to a group; return their ids, and that of a request."""
    hook = root.post(f"{ACME}/hooks", json=HOOK).json()["id"]
    return {
        "logging_group_hook": hook,
        "group_hook_event": _create_event(root, f"{ACME}/hooks/{hook}"),
        "group_hook": root.post(f"{ACME}/hooks", json=WITH_VARIABLES).json()["id"],
    }


def _create_event(root: Any, hook: str) -> Any:
    """Send a sample to a webhook; return the id of the request in its log."""
    root.post(f"{hook}/test/push_events")
    reply = root.get(f"{hook}/events")
    return reply.json()[0]["id"] if reply.status == 200 else None  # Earlier releases have no such log.
