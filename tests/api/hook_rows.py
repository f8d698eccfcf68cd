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
]
PAID = [
    *_rows("group", f"{ACME}/hooks", OWNERS),
    ("test_group_hook", "POST", f"{ACME}/hooks/{{group_hook}}/test/push_events", None, OWNERS.format(201)),
]


def create_records(root: Any) -> dict[str, Any]:
    """Add a webhook to a project and to the instance; return their ids."""
    return {
        "project_hook": root.post(f"{SITE}/hooks", json=WITH_VARIABLES).json()["id"],
        "system_hook": root.post("hooks", json=WITH_VARIABLES).json()["id"],
    }


def create_paid_records(root: Any) -> dict[str, Any]:
    """Add a webhook to a group; return its id."""
    return {"group_hook": root.post(f"{ACME}/hooks", json=WITH_VARIABLES).json()["id"]}
