"""Permissions by role for states of Terraform, agents and secure files, in the form of `role_rows.py`.

Sources: docs/platform/terraform-states.md, docs/platform/secure-files.md; the platform's policies of projects.
"""

from typing import Any

from tests.api import wiki_rows
from tests.api.requests import form

SITE = "projects/acme%2Fsite"
STATE = "/terraform/state/production"
STATE_RULES = "/terraform/state_protection_rules"
NEW_STATE_RULE = {"state_name": "x", "minimum_access_level_for_write": "owner"}
LOCK = {"ID": "1-2", "Operation": "Apply", "Info": "", "Who": "dev", "Version": "1.9", "Created": "x", "Path": ""}

READ = "401 404 404 403 403 200 200 200 200"
REVIEW_APPS = "401 404 404 403 401 400 400 400 400"
RULES = "/packages/protection/rules"
IMAGE_RULES = "/registry/protection/repository/rules"
IMAGE_RULE = f"{IMAGE_RULES}/{{image_rule}}"
TAG_RULES = "/registry/protection/tag/rules"
TAG_RULE = f"{TAG_RULES}/{{tag_rule}}"
NEW_TAG_RULE = {
    "tag_name_pattern": "x",
    "minimum_access_level_for_push": "owner",
    "minimum_access_level_for_delete": "owner",
}
NEW_RULE = {"package_name_pattern": "x", "package_type": "npm", "minimum_access_level_for_push": "owner"}
NEW_IMAGE_RULE = {"repository_path_pattern": "acme/site/x", "minimum_access_level_for_push": "owner"}
UPDATE = "401 404 404 403 403 200 200 200 200"
STALE = "401 404 404 403 403 403 200 200 200"
AGENTS = "401 404 404 404 404 200 200 200 200"
ADMIN = "401 404 404 403 403 403"

PROJECT: list[tuple[str, str, str, Any, str]] = [
    ("get_terraform_state", "GET", STATE, None, READ),
    ("create_terraform_state", "POST", STATE, {"serial": 9}, f"{ADMIN} 200 200 200"),
    ("delete_terraform_state", "DELETE", STATE, None, f"{ADMIN} 200 200 200"),
    ("lock_terraform_state", "POST", f"{STATE}/lock", LOCK, f"{ADMIN} 200 200 200"),
    ("unlock_terraform_state", "DELETE", f"{STATE}/lock", None, f"{ADMIN} 200 200 200"),
    ("get_terraform_state_version", "GET", f"{STATE}/versions/1", None, READ),
    ("delete_terraform_state_version", "DELETE", f"{STATE}/versions/1", None, f"{ADMIN} 204 204 204"),
    ("list_terraform_state_protection_rules", "GET", STATE_RULES, None, READ),
    ("create_terraform_state_protection_rule", "POST", STATE_RULES, NEW_STATE_RULE, f"{ADMIN} 201 201 201"),
    ("update_terraform_state_protection_rule", "PATCH", f"{STATE_RULES}/{{state_rule}}", {}, f"{ADMIN} 200 200 200"),
    ("delete_terraform_state_protection_rule", "DELETE", f"{STATE_RULES}/{{state_rule}}", None, f"{ADMIN} 204 204 204"),
    ("list_cluster_agents", "GET", "/cluster_agents", None, AGENTS),
    ("get_cluster_agent", "GET", "/cluster_agents/{agent}", None, AGENTS),
    ("create_cluster_agent", "POST", "/cluster_agents", {"name": "x"}, f"{ADMIN} 201 201 201"),
    ("delete_cluster_agent", "DELETE", "/cluster_agents/{agent}", None, f"{ADMIN} 204 204 204"),
    ("list_cluster_agent_tokens", "GET", "/cluster_agents/{agent}/tokens", None, AGENTS),
    ("get_cluster_agent_token", "GET", "/cluster_agents/{agent}/tokens/{agent_token}", None, AGENTS),
    (
        "create_cluster_agent_token",
        "POST",
        "/cluster_agents/{agent}/tokens",
        {"name": "x"},
        f"{ADMIN} 201 201 201",
    ),
    (
        "delete_cluster_agent_token",
        "DELETE",
        "/cluster_agents/{agent}/tokens/{agent_token}",
        None,
        f"{ADMIN} 204 204 204",
    ),
    ("stop_stale_environments", "POST", "/environments/stop_stale", {"before": "2019-01-01T00:00:00Z"}, STALE),
    (
        "delete_environment_review_apps",
        "DELETE",
        "/environments/review_apps",
        None,
        "401 404 404 403 401 400 400 400 400",
    ),
    # It runs.
    ("delete_deployment", "DELETE", "/deployments/{deployment}", None, f"{ADMIN} 400 400 400"),
    (
        "update_pipeline_metadata",
        "PUT",
        "/pipelines/{pipeline}/metadata",
        {"name": "x"},
        UPDATE,
    ),
    ("list_error_tracking_client_keys", "GET", "/error_tracking/client_keys", None, f"{ADMIN} 200 200 200"),
    ("create_error_tracking_client_key", "POST", "/error_tracking/client_keys", None, f"{ADMIN} 201 201 201"),
    (
        "delete_error_tracking_client_key",
        "DELETE",
        "/error_tracking/client_keys/{client_key}",
        None,
        f"{ADMIN} 200 200 200",
    ),
    (
        "create_error_tracking_settings",
        "PUT",
        "/error_tracking/settings",
        {"active": True, "integrated": True},
        f"{ADMIN} 200 200 200",
    ),
    ("list_registry_protection_repository_rules", "GET", IMAGE_RULES, None, f"{ADMIN} 200 200 200"),
    ("create_registry_protection_repository_rule", "POST", IMAGE_RULES, NEW_IMAGE_RULE, f"{ADMIN} 201 201 201"),
    (
        "update_registry_protection_repository_rule",
        "PATCH",
        IMAGE_RULE,
        {},
        f"{ADMIN} 200 200 200",
    ),
    (
        "delete_registry_protection_repository_rule",
        "DELETE",
        IMAGE_RULE,
        None,
        f"{ADMIN} 204 204 204",
    ),
    ("list_registry_protection_tag_rules", "GET", TAG_RULES, None, f"{ADMIN} 200 200 200"),
    ("create_registry_protection_tag_rule", "POST", TAG_RULES, NEW_TAG_RULE, f"{ADMIN} 201 201 201"),
    ("update_registry_protection_tag_rule", "PATCH", TAG_RULE, {}, f"{ADMIN} 200 200 200"),
    ("delete_registry_protection_tag_rule", "DELETE", TAG_RULE, None, f"{ADMIN} 204 204 204"),
    ("create_package_protection_rule", "POST", RULES, NEW_RULE, f"{ADMIN} 201 201 201"),
    ("update_package_protection_rule", "PATCH", f"{RULES}/{{package_rule}}", {}, f"{ADMIN} 200 200 200"),
    ("delete_package_protection_rule", "DELETE", f"{RULES}/{{package_rule}}", None, f"{ADMIN} 204 204 204"),
    ("list_secure_files", "GET", "/secure_files", None, READ),
    ("create_secure_file", "POST", "/secure_files?name=x", wiki_rows.UPLOAD, f"{ADMIN} 201 201 201"),
    ("get_secure_file", "GET", "/secure_files/{secure_file}", None, READ),
    ("download_secure_file", "GET", "/secure_files/{secure_file}/download", None, READ),
    ("delete_secure_file", "DELETE", "/secure_files/{secure_file}", None, f"{ADMIN} 204 204 204"),
]
ROWS = [(name, method, SITE + path, body, statuses) for name, method, path, body, statuses in PROJECT]


def create_records(root: Any) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    root.post(SITE + STATE, json={"serial": 1})
    root.post("features/protected_terraform_states", json={"value": True})
    state_rule = root.post(SITE + STATE_RULES, json={**NEW_STATE_RULE, "state_name": "y"}).json()
    sent = form(name="y", file=("a.jks", "application/octet-stream", b"a"))
    agent = root.post(f"{SITE}/cluster_agents", json={"name": "edge"}).json().get("id")
    token = root.post(f"{SITE}/cluster_agents/{agent}/tokens", json={"name": "first"}).json().get("id")
    secure_file = root.post(f"{SITE}/secure_files", **sent).json().get("id")
    package_rule = root.post(SITE + RULES, json={**NEW_RULE, "package_name_pattern": "y"}).json().get("id")
    image_rule = root.post(SITE + IMAGE_RULES, json={**NEW_IMAGE_RULE, "repository_path_pattern": "acme/site/y"}).json()
    tag_rule = root.post(SITE + TAG_RULES, json={**NEW_TAG_RULE, "tag_name_pattern": "y"}).json()
    return {
        "secure_file": secure_file,
        "agent": agent,
        "agent_token": token,
        "client_key": root.post(f"{SITE}/error_tracking/client_keys").json().get("id"),
        "package_rule": package_rule,
        "image_rule": image_rule.get("id"),
        "tag_rule": tag_rule.get("id"),
        "state_rule": state_rule.get("id"),
    }
