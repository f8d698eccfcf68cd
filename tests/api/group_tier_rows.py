"""Permissions by role for what belongs to groups and to paid tiers, in the form of `role_rows.py`.

Sources: the platform's policies of projects and groups.
"""

from typing import Any

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
BELOW_MAINTAINER_OR_HIDDEN = "404 404 404 403 403 403"
BELOW_MAINTAINER = "401 404 404 403 403 403"
PUBLIC = "200 200 200 200 200 200 200 200 200"
ADMIN = "401 403 403 403 403 403 403 403"
BELOW_REPORTER = "401 403 403 403"
BELOW_MAINTAINER_OF_PUBLIC = "401 403 403 403 403 403"
BELOW_OWNER = "401 403 403 403 403 403 403"
HIDDEN_BELOW_OWNER = "401 404 404 404 404 404 404"
SCOPE, PACKAGE_RULES = f"{SITE}/job_token_scope", f"{SITE}/packages/protection/rules"
LIST, GROUPS = (f"{SITE}/job_token_scope/{name}" for name in ("allowlist", "groups_allowlist"))
EPIC_ISSUE = f"{ACME}/epics/1/issues/{{epic_issue}}"
# There is none with this id.
UNKNOWN_BOARD = "401 404 404 404 404 404 404 404 404"
CHILD_EPIC = f"{ACME}/epics/1/epics/{{child_epic}}"
EPIC_NOTE = f"{ACME}/epics/{{epic}}/notes/{{epic_note}}"
RULE = {"max_file_size": 1}
MANY = [{"access_level": 40}]
OF_GROUP = "403 403 403 403 403 403"

PAID = [
    ("get_push_rule", "GET", f"{SITE}/push_rule", None, f"{BELOW_MAINTAINER} 200 200 200"),
    # It has one already.
    ("create_push_rule", "POST", f"{SITE}/push_rule", RULE, f"{BELOW_MAINTAINER} 422 422 422"),
    ("update_push_rule", "PUT", f"{SITE}/push_rule", RULE, f"{BELOW_MAINTAINER} 200 200 200"),
    ("delete_push_rule", "DELETE", f"{SITE}/push_rule", None, f"{BELOW_MAINTAINER} 204 204 204"),
    (
        "list_protected_environments",
        "GET",
        f"{SITE}/protected_environments",
        None,
        f"{BELOW_MAINTAINER_OR_HIDDEN} 200 200 200",
    ),
    (
        "get_protected_environment",
        "GET",
        f"{SITE}/protected_environments/production",
        None,
        f"{BELOW_MAINTAINER_OR_HIDDEN} 200 200 200",
    ),
    (
        "protect_environment",
        "POST",
        f"{SITE}/protected_environments",
        {"name": "staging", "deploy_access_levels": [{"access_level": 40}]},
        f"{BELOW_MAINTAINER_OR_HIDDEN} 201 201 201",
    ),
    (
        "unprotect_environment",
        "DELETE",
        f"{SITE}/protected_environments/production",
        None,
        f"{BELOW_MAINTAINER_OR_HIDDEN} 204 204 204",
    ),
    (
        "update_protected_environment",
        "PUT",
        f"{SITE}/protected_environments/production",
        {"required_approval_count": 0},
        f"{BELOW_MAINTAINER_OR_HIDDEN} 200 200 200",
    ),
    *(
        (f"{verb}_group_protected_environment{ending}", method, f"{ACME}/protected_environments{path}", body, statuses)
        for verb, ending, method, path, body, statuses in (
            ("list", "s", "GET", "", None, f"{OF_GROUP} 403 200 200"),
            ("get", "", "GET", "/production", None, f"{OF_GROUP} 403 200 200"),
            ("create", "", "POST", "", {"name": "staging", "deploy_access_levels": MANY}, f"{OF_GROUP} 403 201 201"),
            ("update", "", "PUT", "/production", {"required_approval_count": 0}, f"{OF_GROUP} 403 200 200"),
            ("delete", "", "DELETE", "/production", None, f"{OF_GROUP} 403 204 204"),
        )
    ),
    # The deployment is not blocked.
    (
        "create_deployment_approval",
        "POST",
        f"{SITE}/deployments/{{deployment}}/approval",
        {"status": "approved"},
        "401 404 404 403 400 400 400 400 400",
    ),
    ("get_job_token_scope", "GET", SCOPE, None, f"{BELOW_MAINTAINER} 200 200 200"),
    (
        "update_job_token_scope",
        "PATCH",
        f"{SITE}/job_token_scope",
        {"enabled": False},
        f"{BELOW_MAINTAINER} 204 204 204",
    ),
    ("list_job_token_scope_projects", "GET", LIST, None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("list_job_token_scope_groups", "GET", GROUPS, None, f"{BELOW_MAINTAINER} 200 200 200"),
    # The project itself is always on its list.
    ("add_job_token_scope_project", "POST", LIST, {"target_project_id": "{site}"}, f"{BELOW_MAINTAINER} 400 400 400"),
    ("add_job_token_scope_group", "POST", GROUPS, {"target_group_id": "{tools}"}, f"{BELOW_MAINTAINER} 201 201 201"),
    ("delete_job_token_scope_project", "DELETE", f"{LIST}/{{site}}", None, f"{BELOW_MAINTAINER} 400 400 400"),
    ("delete_job_token_scope_group", "DELETE", f"{GROUPS}/{{acme}}", None, f"{BELOW_MAINTAINER} 204 204 204"),
    (
        "list_package_protection_rules",
        "GET",
        f"{SITE}/packages/protection/rules",
        None,
        f"{BELOW_MAINTAINER} 200 200 200",
    ),
    # It is off.
    ("get_pull_mirror", "GET", f"{SITE}/mirror/pull", None, f"{BELOW_MAINTAINER} 400 400 400"),
    ("update_pull_mirror", "PUT", f"{SITE}/mirror/pull", {"enabled": False}, f"{BELOW_MAINTAINER} 200 200 200"),
    ("list_group_protected_branches", "GET", f"{ACME}/protected_branches", None, f"{BELOW_OWNER} 200 200"),
    ("get_group_protected_branch", "GET", f"{ACME}/protected_branches/v*", None, f"{BELOW_OWNER} 200 200"),
    ("create_group_protected_branch", "POST", f"{ACME}/protected_branches", {"name": "x"}, f"{BELOW_OWNER} 201 201"),
    (
        "update_group_protected_branch",
        "PATCH",
        f"{ACME}/protected_branches/v*",
        {"allow_force_push": True},
        f"{BELOW_OWNER} 200 200",
    ),
    ("delete_group_protected_branch", "DELETE", f"{ACME}/protected_branches/v*", None, f"{BELOW_OWNER} 200 200"),
    (
        "list_project_iterations",
        "GET",
        f"{SITE}/iterations",
        None,
        "404 404 404 200 200 200 200 200 200",
    ),
    ("list_merge_trains", "GET", f"{SITE}/merge_trains", None, "404 404 404 403 200 200 200 200 200"),
    # It is no mirror.
    ("start_pull_mirror", "POST", f"{SITE}/mirror/pull", None, f"{BELOW_MAINTAINER} 400 400 400"),
    ("list_group_iterations", "GET", f"{ACME}/iterations", None, PUBLIC),
    # A link would keep everybody from the members of the group, which other rows need.
    ("list_group_ldap_links (none)", "GET", f"{ACME}/ldap_group_links", None, f"{BELOW_OWNER} 404 404"),
    (
        "create_group_ldap_link",
        "POST",
        f"{ACME}/ldap_group_links",
        {"cn": "new", "group_access": 30, "provider": "ldapmain"},
        f"{BELOW_OWNER} 201 201",
    ),
    (
        "create_group_saml_link",
        "POST",
        f"{ACME}/saml_group_links",
        {"saml_group_name": "new", "access_level": 30},
        f"{BELOW_OWNER} 201 201",
    ),
    ("delete_group_ldap_link (none)", "DELETE", f"{ACME}/ldap_group_links/old", None, f"{BELOW_OWNER} 404 404"),
    (
        "delete_group_ldap_provider_link (none)",
        "DELETE",
        f"{ACME}/ldap_group_links/ldapmain/old",
        None,
        f"{BELOW_OWNER} 404 404",
    ),
    ("start_group_ldap_sync", "POST", f"{ACME}/ldap_sync", None, f"{BELOW_OWNER} 202 202"),
    # It is at the top level already.
    ("transfer_group", "POST", f"{ACME}/transfer", None, f"{BELOW_OWNER} 400 400"),
    ("list_epics", "GET", f"{ACME}/epics", None, PUBLIC),
    ("create_epic", "POST", f"{ACME}/epics", {"title": "x"}, "401 403 403 403 201 201 201 201 201"),
    ("delete_epic", "DELETE", f"{ACME}/epics/1", None, f"{BELOW_OWNER} 204 204"),
    ("list_child_epics", "GET", f"{ACME}/epics/1/epics", None, "401 200 200 200 200 200 200 200 200"),
    ("create_child_epic", "POST", f"{ACME}/epics/1/epics", {"title": "x"}, "401 403 403 403 201 201 201 201 201"),
    ("add_child_epic", "POST", f"{ACME}/epics/1/epics/{{epic}}", None, "401 403 403 201 201 201 201 201 201"),
    ("reorder_child_epic", "PUT", CHILD_EPIC, None, "401 403 403 200 200 200 200 200 200"),
    ("delete_child_epic", "DELETE", CHILD_EPIC, None, "401 403 403 200 200 200 200 200 200"),
    ("create_epic_todo", "POST", f"{ACME}/epics/1/todo", None, "401 201 201 201 201 201 201 201 201"),
    ("get_epic_note", "GET", EPIC_NOTE, None, "401 200 200 200 200 200 200 200 200"),
    ("update_epic_note", "PUT", EPIC_NOTE, {"body": "x"}, f"{BELOW_MAINTAINER_OF_PUBLIC} 200 200 200"),
    ("delete_epic_note", "DELETE", EPIC_NOTE, None, f"{BELOW_MAINTAINER_OF_PUBLIC} 204 204 204"),
    ("reorder_epic_issue", "PUT", EPIC_ISSUE, None, "401 403 403 200 200 200 200 200 200"),
    ("list_group_related_epic_links", "GET", f"{ACME}/related_epic_links", None, PUBLIC),
    ("list_group_epic_boards", "GET", f"{ACME}/epic_boards", None, "401 200 200 200 200 200 200 200 200"),
    ("get_group_epic_board", "GET", f"{ACME}/epic_boards/1", None, UNKNOWN_BOARD),
    ("list_group_epic_board_lists", "GET", f"{ACME}/epic_boards/1/lists", None, UNKNOWN_BOARD),
    ("get_group_epic_board_list", "GET", f"{ACME}/epic_boards/1/lists/1", None, UNKNOWN_BOARD),
    ("delete_epic_issue", "DELETE", EPIC_ISSUE, None, "401 403 403 200 200 200 200 200 200"),
    ("list_audit_events", "GET", "audit_events", None, f"{ADMIN} 200"),
    ("list_licenses", "GET", "licenses", None, f"{ADMIN} 200"),
    # There is none with this id.
    ("get_audit_event", "GET", "audit_events/1", None, f"{ADMIN} 404"),
    ("list_project_audit_events", "GET", f"{SITE}/audit_events", None, "404 404 404 403 403 200 200 200 200"),
    ("list_group_audit_events", "GET", f"{ACME}/audit_events", None, "403 403 403 403 403 200 200 200 200"),
    # There is none with this id.
    ("get_project_audit_event", "GET", f"{SITE}/audit_events/1", None, "404 404 404 403 403 404 404 404 404"),
    ("get_group_audit_event", "GET", f"{ACME}/audit_events/1", None, "403 403 403 403 403 404 404 404 404"),
    ("get_group_push_rule", "GET", f"{ACME}/push_rule", None, "401 404 404 404 404 404 200 200 200"),
    ("create_group_push_rule", "POST", f"{ACME}/push_rule", RULE, "401 404 404 404 404 404 422 422 422"),
    ("update_group_push_rule", "PUT", f"{ACME}/push_rule", RULE, "401 404 404 404 404 404 200 200 200"),
    ("delete_group_push_rule", "DELETE", f"{ACME}/push_rule", None, "401 404 404 404 404 404 204 204 204"),
]


def create_records(root: Any) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    for path in (SITE, ACME):
        root.post(f"{path}/push_rule", json=RULE)
    body = {"name": "production", "deploy_access_levels": [{"access_level": 40}]}
    root.post(f"{SITE}/protected_environments", json=body)
    root.post(f"{ACME}/protected_environments", json=body)
    root.post(f"{ACME}/protected_branches", json={"name": "v*"})
    root.post(GROUPS, json={"target_group_id": root.get(ACME).json()["id"]})
    return {"site": root.get(SITE).json()["id"], **_create_epics(root)}


def _create_epics(root: Any) -> dict[str, Any]:
    """Create two epics, the first with an issue and an epic below it."""
    _, epic = (root.post(f"{ACME}/epics", json={"title": title}).json()["id"] for title in ("One", "Two"))
    issue = root.get(f"{SITE}/issues").json()[0]["id"]
    note = root.post(f"{ACME}/epics/{epic}/notes", json={"body": "Hm"}).json()["id"]
    child = root.post(f"{ACME}/epics/1/epics", json={"title": "Three"}).json()["id"]
    link = root.post(f"{ACME}/epics/1/issues/{issue}").json()["id"]
    return {"epic": epic, "child_epic": child, "epic_note": note, "epic_issue": link}
