"""Permissions by role for records that the starter scenario lacks: boards, badges, members, forks, approval rules.

The rows extend those of `test_role_matrix.py`, in the same form. Sources: the shared specification and its facts; the
platform's policies of projects and groups.
"""

from typing import Any

from tests.api import (
    administration_rows,
    ci_administration_rows,
    delivery_rows,
    group_tier_rows,
    hook_rows,
    integration_rows,
    oauth_rows,
    package_rows,
    pages_topics_rows,
    people_rows,
    registry_cluster_rows,
    release_rows,
    wiki_rows,
)

Row = tuple[str, str, str, Any, str]

SITE, ACME, DOCS = "projects/acme%2Fsite", "groups/acme", "projects/acme%2Fdocs"

LISTED = "401 404 404 200 200 200 200 200 200"
SIGNED_IN = "401 200 200 200 200 200 200 200 200"
ADMIN = "401 403 403 403 403 403 403 403"
IMAGE = {"link_url": "https://x.test", "image_url": "https://x.test/i.svg"}
QUERY = "link_url=https%3A%2F%2Fx.test&image_url=https%3A%2F%2Fx.test%2Fi.svg"
LABEL = {"name": "urgent", "color": "#000000"}
UPLOAD = wiki_rows.UPLOAD
SNIPPET = {"title": "x", "file_name": "x", "content": "x"}
RULE = {"name": "x", "approvals_required": 1}

READ = "401 404 404 403 200 200 200 200 200"
STATUS = {"state": "success"}
DEPLOYMENT = {"environment": "x", "sha": "feature", "ref": "feature", "tag": False, "status": "running"}
BELOW_DEVELOPER = "401 404 404 403 403"
BELOW_MAINTAINER = f"{BELOW_DEVELOPER} 403"

PROJECT: list[Row] = [
    ("list_environments", "GET", "/environments", None, READ),
    ("get_environment", "GET", "/environments/{environment}", None, READ),
    ("create_environment", "POST", "/environments", {"name": "y"}, f"{BELOW_DEVELOPER} 201 201 201 201"),
    ("update_environment", "PUT", "/environments/{environment}", {"name": "y"}, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("stop_environment", "POST", "/environments/{environment}/stop", None, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("delete_environment", "DELETE", "/environments/{stopped}", None, f"{BELOW_DEVELOPER} 204 204 204 204"),
    ("list_deployments", "GET", "/deployments", None, READ),
    ("get_deployment", "GET", "/deployments/{deployment}", None, READ),
    ("create_deployment", "POST", "/deployments", DEPLOYMENT, f"{BELOW_DEVELOPER} 201 201 201 201"),
    (
        "update_deployment",
        "PUT",
        "/deployments/{deployment}",
        {"status": "success"},
        f"{BELOW_DEVELOPER} 200 200 200 200",
    ),
    ("list_deployment_merge_requests", "GET", "/deployments/{deployment}/merge_requests", None, READ),
    ("list_commit_statuses", "GET", "/repository/commits/feature/statuses", None, READ),
    ("create_commit_status", "POST", "/statuses/feature", STATUS, f"{BELOW_DEVELOPER} 201 201 201 201"),
    ("create_commit_status (protected)", "POST", "/statuses/master", STATUS, f"{BELOW_DEVELOPER} 403 201 201 403"),
    ("list_resource_groups", "GET", "/resource_groups", None, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("get_resource_group (none)", "GET", "/resource_groups/x", None, f"{BELOW_DEVELOPER} 404 404 404 404"),
    ("update_resource_group (none)", "PUT", "/resource_groups/x", None, f"{BELOW_DEVELOPER} 404 404 404 404"),
    (
        "get_resource_group_current_job (none)",
        "GET",
        "/resource_groups/x/current_job",
        None,
        f"{BELOW_DEVELOPER} 404 404 404 404",
    ),
    (
        "list_resource_group_upcoming_jobs (none)",
        "GET",
        "/resource_groups/x/upcoming_jobs",
        None,
        f"{BELOW_DEVELOPER} 404 404 404 404",
    ),
    ("get_project_board", "GET", "/boards/{board}", None, LISTED),
    ("update_project_board", "PUT", "/boards/{board}", {"name": "x"}, "401 404 404 403 200 200 200 200 200"),
    ("delete_project_board", "DELETE", "/boards/{board}", None, "401 404 404 403 204 204 204 204 204"),
    ("list_project_board_lists", "GET", "/boards/{board}/lists", None, LISTED),
    ("get_project_board_list", "GET", "/boards/{board}/lists/{list}", None, LISTED),
    (
        "create_project_board_list",
        "POST",
        "/boards/{board}/lists",
        {"label_id": "{urgent}"},
        "401 404 404 403 201 201 201 201 201",
    ),
    (
        "update_project_board_list",
        "PUT",
        "/boards/{board}/lists/{list}",
        {"position": 0},
        "401 404 404 403 200 200 200 200 200",
    ),
    (
        "delete_project_board_list",
        "DELETE",
        "/boards/{board}/lists/{list}",
        None,
        "401 404 404 403 204 204 204 204 204",
    ),
    ("render_project_badge", "GET", f"/badges/render?{QUERY}", None, "401 404 404 403 403 403 200 200 200"),
    ("promote_project_label_by_name", "PUT", "/labels/promote", {"name": "bug"}, "401 404 404 403 200 200 200 200 200"),
    ("update_project_badge", "PUT", "/badges/{badge}", {"name": "x"}, "401 404 404 403 403 403 200 200 200"),
    ("delete_project_badge", "DELETE", "/badges/{badge}", None, "401 404 404 403 403 403 204 204 204"),
    ("get_project_member", "GET", "/members/{bob}", None, LISTED),
    ("get_project_custom_attribute", "GET", "/custom_attributes/team", None, f"{ADMIN} 200"),
    ("delete_project_custom_attribute", "DELETE", "/custom_attributes/team", None, f"{ADMIN} 204"),
    ("delete_project_fork_relation", "DELETE", "/fork", None, "401 404 404 403 403 403 403 204 204"),
    ("fork_project", "POST", "/fork", None, "401 404 404 404 201 201 201 201 201"),
    ("delete_project_member", "DELETE", "/members/{bob}", None, "401 404 404 403 403 403 204 204 204"),
    ("upload_project_file", "POST", "/uploads", UPLOAD, "401 404 404 201 201 201 201 201 201"),
    ("list_project_snippets", "GET", "/snippets", None, "404 404 404 200 200 200 200 200 200"),
    (
        "get_project_snippet_user_agent_detail",
        "GET",
        "/snippets/{project_snippet}/user_agent_detail",
        None,
        f"{ADMIN} 404",
    ),
]
MERGE_REQUEST: list[Row] = [
    ("create_merge_request_note", "POST", "/notes", {"body": "x"}, "401 404 404 404 201 201 201 201 201"),
    ("update_merge_request_note", "PUT", "/notes/{remark}", {"body": "x"}, "401 404 404 404 403 403 200 200 200"),
    ("delete_merge_request_note", "DELETE", "/notes/{remark}", None, "401 404 404 404 403 403 204 204 204"),
    ("create_merge_request_discussion", "POST", "/discussions", {"body": "x"}, "401 404 404 404 201 201 201 201 201"),
    (
        "resolve_merge_request_discussion",
        "PUT",
        "/discussions/{discussion}",
        {"resolved": True},
        "401 404 404 404 403 200 200 200 200",
    ),
    (
        "create_merge_request_award_emoji",
        "POST",
        "/award_emoji",
        {"name": "rocket"},
        "404 404 404 404 201 201 201 201 201",
    ),
    ("list_merge_request_reviewers", "GET", "/reviewers", None, READ),
    ("list_merge_request_related_issues", "GET", "/related_issues", None, "401 404 404 403 200 200 200 200 200"),
    ("list_merge_request_draft_notes", "GET", "/draft_notes", None, "401 404 404 404 200 200 200 200 200"),
    ("get_merge_request_draft_note", "GET", "/draft_notes/1", None, "401 404 404 404 404 404 404 404 404"),
    (
        "create_merge_request_draft_note",
        "POST",
        "/draft_notes",
        {"note": "x"},
        "401 404 404 404 201 201 201 201 201",
    ),
    ("list_merge_request_pipelines", "GET", "/pipelines", None, "401 404 404 403 200 200 200 200 200"),
    ("create_merge_request_pipeline", "POST", "/pipelines", None, "401 404 404 403 403 405 405 405 405"),
]
_READ = "404 404 404 200 200 200 200 200 200"
_READ_AFTER_LOGIN = "401 404 404 200 200 200 200 200 200"
_JOB_CHANGED = "401 404 404 403 403 201 201 201 201"
PIPELINES: list[Row] = [
    ("list_pipelines", "GET", "/pipelines", None, _READ),
    ("create_pipeline", "POST", "/pipeline", {"ref": "feature"}, "401 404 404 403 403 201 201 201 201"),
    ("get_pipeline", "GET", "/pipelines/{pipeline}", None, _READ),
    ("delete_pipeline", "DELETE", "/pipelines/{pipeline}", None, "401 404 404 403 403 403 403 204 204"),
    ("retry_pipeline", "POST", "/pipelines/{pipeline}/retry", None, _JOB_CHANGED),
    ("cancel_pipeline", "POST", "/pipelines/{pipeline}/cancel", None, "401 404 404 403 403 200 200 200 200"),
    ("list_pipeline_jobs", "GET", "/pipelines/{pipeline}/jobs", None, _READ),
    ("list_pipeline_bridges", "GET", "/pipelines/{pipeline}/bridges", None, _READ),
    ("list_pipeline_variables", "GET", "/pipelines/{pipeline}/variables", None, "404 404 404 403 403 403 200 200 200"),
    ("get_pipeline_test_report", "GET", "/pipelines/{pipeline}/test_report", None, _READ),
    ("list_jobs", "GET", "/jobs", None, _READ_AFTER_LOGIN),
    ("get_job", "GET", "/jobs/{job}", None, _READ_AFTER_LOGIN),
    ("get_job_trace", "GET", "/jobs/{job}/trace", None, _READ_AFTER_LOGIN),
    ("cancel_job", "POST", "/jobs/{job}/cancel", None, _JOB_CHANGED),
    ("retry_job", "POST", "/jobs/{job}/retry", None, _JOB_CHANGED),
    ("erase_job", "POST", "/jobs/{job}/erase", None, "401 404 404 403 403 403 201 201 201"),
    ("play_job", "POST", "/jobs/{job}/play", None, "401 404 404 403 403 200 200 200 200"),
    ("download_job_artifacts", "GET", "/jobs/{job}/artifacts", None, _READ),
    ("keep_job_artifacts", "POST", "/jobs/{job}/artifacts/keep", None, "401 404 404 403 403 200 200 200 200"),
    ("delete_job_artifacts", "DELETE", "/jobs/{job}/artifacts", None, "401 404 404 403 403 403 204 204 204"),
]
SNIPPETS: list[Row] = [
    ("create_project_snippet", "POST", "", SNIPPET, "404 404 404 403 201 201 201 201 201"),
    ("get_project_snippet", "GET", "/{project_snippet}", None, "404 404 404 200 200 200 200 200 200"),
    ("update_project_snippet", "PUT", "/{project_snippet}", {"title": "y"}, "404 404 404 403 403 403 200 200 200"),
    ("delete_project_snippet", "DELETE", "/{project_snippet}", None, "404 404 404 403 403 403 204 204 204"),
]
GROUP: list[Row] = [
    ("get_group_board", "GET", "/boards/{group_board}", None, SIGNED_IN),
    ("update_group_board", "PUT", "/boards/{group_board}", {"name": "x"}, "401 403 403 403 200 200 200 200 200"),
    ("list_group_board_lists", "GET", "/boards/{group_board}/lists", None, SIGNED_IN),
    ("get_group_board_list", "GET", "/boards/{group_board}/lists/{group_list}", None, SIGNED_IN),
    (
        "create_group_board_list",
        "POST",
        "/boards/{group_board}/lists",
        {"label_id": "{later}"},
        "401 403 403 403 201 201 201 201 201",
    ),
    (
        "update_group_board_list",
        "PUT",
        "/boards/{group_board}/lists/{group_list}",
        {"position": 0},
        "401 403 403 403 200 200 200 200 200",
    ),
    (
        "delete_group_board_list",
        "DELETE",
        "/boards/{group_board}/lists/{group_list}",
        None,
        "401 403 403 403 204 204 204 204 204",
    ),
    ("render_group_badge", "GET", f"/badges/render?{QUERY}", None, "401 403 403 403 403 403 403 200 200"),
    ("update_group_badge", "PUT", "/badges/{group_badge}", {"name": "x"}, "401 403 403 403 403 403 403 200 200"),
    ("delete_group_badge", "DELETE", "/badges/{group_badge}", None, "401 403 403 403 403 403 403 204 204"),
    ("get_group_custom_attribute", "GET", "/custom_attributes/team", None, f"{ADMIN} 200"),
    ("set_group_custom_attribute", "PUT", "/custom_attributes/team", {"value": "x"}, f"{ADMIN} 200"),
    ("delete_group_custom_attribute", "DELETE", "/custom_attributes/team", None, f"{ADMIN} 204"),
    ("unshare_group", "DELETE", "/share/{friends}", None, "401 204 204 204 204 204 204 204 204"),
    ("get_group_label", "GET", "/labels/urgent", None, SIGNED_IN),
    ("update_group_label", "PUT", "/labels/urgent", {"color": "#000000"}, "401 403 403 403 200 200 200 200 200"),
    ("update_group_label_by_parameter", "PUT", "/labels", LABEL, "401 403 403 403 200 200 200 200 200"),
    ("delete_group_label", "DELETE", "/labels/urgent", None, "401 403 403 403 204 204 204 204 204"),
    ("delete_group_label_by_parameter", "DELETE", "/labels?name=urgent", None, "401 403 403 403 204 204 204 204 204"),
    ("subscribe_group_label", "POST", "/labels/urgent/subscribe", None, "401 201 201 201 201 201 201 201 201"),
    ("unsubscribe_group_label", "POST", "/labels/urgent/unsubscribe", None, "401 304 304 304 304 304 304 304 304"),
    ("get_inherited_group_member", "GET", "/members/all/{dev}", None, SIGNED_IN),
    ("get_group_milestone", "GET", "/milestones/{winter}", None, SIGNED_IN),
    ("update_group_milestone", "PUT", "/milestones/{winter}", {"title": "x"}, "401 403 403 403 200 200 200 200 200"),
    ("delete_group_milestone", "DELETE", "/milestones/{winter}", None, "401 403 403 403 204 204 204 204 204"),
    ("list_group_milestone_issues", "GET", "/milestones/{winter}/issues", None, SIGNED_IN),
    ("list_group_milestone_merge_requests", "GET", "/milestones/{winter}/merge_requests", None, SIGNED_IN),
]
ELSEWHERE: list[Row] = [
    ("get_user_custom_attribute", "GET", "users/{eve}/custom_attributes/team", None, f"{ADMIN} 200"),
    ("set_user_custom_attribute", "PUT", "users/{eve}/custom_attributes/team", {"value": "x"}, f"{ADMIN} 200"),
    ("delete_user_custom_attribute", "DELETE", "users/{eve}/custom_attributes/team", None, f"{ADMIN} 204"),
    ("create_project_fork_relation", "POST", f"{DOCS}/fork/{{kit}}", None, "401 403 403 403 403 403 403 201 201"),
    ("get_snippet_user_agent_detail", "GET", "snippets/{snippet}/user_agent_detail", None, f"{ADMIN} 404"),
]
PAID: list[Row] = [
    ("list_managed_licenses", "GET", f"{SITE}/managed_licenses", None, "404 404 404 403 200 200 200 200 200"),
    ("get_managed_license (none)", "GET", f"{SITE}/managed_licenses/x", None, "401 404 404 403 404 404 404 404 404"),
    (
        "create_managed_license",
        "POST",
        f"{SITE}/managed_licenses",
        {"name": "x", "approval_status": "approved"},
        f"{BELOW_MAINTAINER} 201 201 201",
    ),
    ("update_managed_license (none)", "PATCH", f"{SITE}/managed_licenses/x", {}, f"{BELOW_MAINTAINER} 404 404 404"),
    ("delete_managed_license (none)", "DELETE", f"{SITE}/managed_licenses/x", None, f"{BELOW_MAINTAINER} 404 404 404"),
    ("list_dependencies", "GET", f"{SITE}/dependencies", None, "401 404 404 403 200 200 200 200 200"),
    (
        "create_dependency_list_export",
        "POST",
        f"{SITE}/dependency_list_exports",
        None,
        "401 404 404 403 403 201 201 201 201",
    ),
    (
        "create_group_dependency_list_export",
        "POST",
        f"{ACME}/dependency_list_exports",
        None,
        "401 403 403 403 403 201 201 201 201",
    ),
    (
        "get_merge_request_approval_setting",
        "GET",
        f"{SITE}/merge_request_approval_setting",
        None,
        "401 404 404 403 403 403 200 200 200",
    ),
    (
        "update_merge_request_approval_setting",
        "PUT",
        f"{SITE}/merge_request_approval_setting",
        {"allow_author_approval": True},
        "401 404 404 403 403 403 200 200 200",
    ),
    (
        "get_group_merge_request_approval_setting",
        "GET",
        f"{ACME}/merge_request_approval_setting",
        None,
        "401 403 403 403 403 403 403 200 200",
    ),
    (
        "update_group_merge_request_approval_setting",
        "PUT",
        f"{ACME}/merge_request_approval_setting",
        {"allow_author_approval": True},
        "401 403 403 403 403 403 403 200 200",
    ),
    ("list_approval_settings", "GET", f"{SITE}/approval_settings", None, "401 404 404 200 200 200 200 200 200"),
    (
        "create_approval_setting_rule",
        "POST",
        f"{SITE}/approval_settings/rules",
        {**RULE, "name": "y", "rule_type": "regular"},
        f"{BELOW_MAINTAINER} 201 201 201",
    ),
    (
        "update_approval_setting_rule",
        "PUT",
        f"{SITE}/approval_settings/rules/{{rule}}",
        RULE,
        f"{BELOW_MAINTAINER} 200 200 200",
    ),
    (
        "delete_approval_setting_rule",
        "DELETE",
        f"{SITE}/approval_settings/rules/{{rule}}",
        None,
        f"{BELOW_MAINTAINER} 204 204 204",
    ),
    ("list_group_approval_rules", "GET", f"{ACME}/approval_rules", None, "401 403 403 403 403 403 403 200 200"),
    ("create_group_approval_rule", "POST", f"{ACME}/approval_rules", RULE, "401 403 403 403 403 403 403 201 201"),
    ("update_group_approval_rule", "PUT", f"{ACME}/approval_rules/1", RULE, "401 403 403 403 403 403 403 404 404"),
    (
        "get_project_approval_rule",
        "GET",
        f"{SITE}/approval_rules/{{rule}}",
        None,
        "401 404 404 200 200 200 200 200 200",
    ),
    ("get_merge_train", "GET", f"{SITE}/merge_trains/main", None, "404 404 404 403 200 200 200 200 200"),
    (
        "get_merge_train_status",
        "GET",
        f"{SITE}/merge_trains/merge_requests/1",
        None,
        "404 404 404 403 404 404 404 404 404",
    ),
    (
        "create_merge_train_car",
        "POST",
        f"{SITE}/merge_trains/merge_requests/1",
        None,
        "404 404 404 403 401 401 400 400 401",
    ),
    ("list_member_roles", "GET", "member_roles", None, "401 403 403 403 403 403 403 403 200"),
    (
        "create_member_role",
        "POST",
        "member_roles",
        {"base_access_level": 10, "read_code": True},
        "401 403 403 403 403 403 403 403 201",
    ),
    ("delete_member_role", "DELETE", "member_roles/1", None, "401 403 403 403 403 403 403 403 404"),
    (
        "update_project_approvals",
        "POST",
        f"{SITE}/approvals",
        {"reset_approvals_on_push": True},
        "401 404 404 403 403 403 201 201 201",
    ),
    (
        "update_project_approvers",
        "PUT",
        f"{SITE}/approvers",
        {"approver_ids": "", "approver_group_ids": ""},
        "401 404 404 403 403 403 200 200 200",
    ),
    (
        "update_project_approval_rule",
        "PUT",
        f"{SITE}/approval_rules/{{rule}}",
        RULE,
        "401 404 404 403 403 403 200 200 200",
    ),
    (
        "update_protected_branch",
        "PATCH",
        f"{SITE}/protected_branches/master",
        {"code_owner_approval_required": True},
        "404 404 404 403 403 403 200 200 200",
    ),
    ("update_namespace", "PUT", "namespaces/acme", {"shared_runners_minutes_limit": 5}, f"{ADMIN} 200"),
    ("restore_group", "POST", "groups/acme%2Ftools/restore", None, "401 404 403 403 403 403 403 201 201"),
    ("get_project_approvals", "GET", f"{SITE}/approvals", None, "401 404 404 403 403 403 200 200 200"),
    ("list_project_approval_rules", "GET", f"{SITE}/approval_rules", None, LISTED),
    (
        "create_project_approval_rule",
        "POST",
        f"{SITE}/approval_rules",
        {**RULE, "user_ids": "{dev},{mia}"},
        "401 404 404 403 403 403 201 201 201",
    ),
    (
        "delete_project_approval_rule",
        "DELETE",
        f"{SITE}/approval_rules/{{rule}}",
        None,
        "401 404 404 403 403 403 204 204 204",
    ),
    (
        "list_project_milestone_burndown_events",
        "GET",
        f"{SITE}/milestones/{{milestone}}/burndown_events",
        None,
        LISTED,
    ),
    (
        "list_group_milestone_burndown_events",
        "GET",
        f"{ACME}/milestones/{{winter}}/burndown_events",
        None,
        SIGNED_IN,
    ),
    ("delete_group_board", "DELETE", f"{ACME}/boards/{{group_board}}", None, "401 403 403 403 204 204 204 204 204"),
    *hook_rows.PAID,
    *administration_rows.PAID,
    *release_rows.PAID,
    *people_rows.PAID,
    *group_tier_rows.PAID,
    *wiki_rows.PAID,
    ("restore_project", "POST", f"{DOCS}/restore", None, "401 403 403 403 403 403 403 201 201"),
]
FREE: list[Row] = [
    *((name, method, SITE + path, body, statuses) for name, method, path, body, statuses in (*PROJECT, *PIPELINES)),
    *(
        (name, method, f"{SITE}/merge_requests/1{path}", body, statuses)
        for name, method, path, body, statuses in MERGE_REQUEST
    ),
    *((name, method, f"{SITE}/snippets{path}", body, statuses) for name, method, path, body, statuses in SNIPPETS),
    *((name, method, ACME + path, body, statuses) for name, method, path, body, statuses in GROUP),
    *administration_rows.ROWS,
    *ci_administration_rows.ROWS,
    *delivery_rows.ROWS,
    *hook_rows.ROWS,
    *integration_rows.ROWS,
    *oauth_rows.ROWS,
    *package_rows.ROWS,
    *pages_topics_rows.ROWS,
    *registry_cluster_rows.ROWS,
    *release_rows.ROWS,
    *people_rows.ROWS,
    *wiki_rows.ROWS,
    *ELSEWHERE,
]


def load_pipeline(fake: Any) -> None:
    """Load a pipeline with a finished manual job, for a commit that no branch has any more."""
    job = {"name": "deploy", "status": "success", "when": "manual", "log": "x"}
    pipeline = {"ref": "feature", "sha": "a" * 40, "jobs": [{**job, "artifact_files": [{"files": {"a.txt": "a"}}]}]}
    fake.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": [pipeline]}]})


def create_records(root: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    set_belongings(root, known)
    return {
        **create_boards(root),
        **create_thread(root),
        **ci_administration_rows.create_records(root, known),
        **delivery_rows.create_records(root),
        **hook_rows.create_records(root),
        **package_rows.create_records(root),
        **pages_topics_rows.create_records(root),
        **registry_cluster_rows.find_records(root),
        **release_rows.create_records(root),
        **people_rows.create_records(root, known),
        **wiki_rows.create_records(root),
        **create_environments(root),
        "badge": create_record_id(root, f"{SITE}/badges", IMAGE),
        "group_badge": create_record_id(root, f"{ACME}/badges", IMAGE),
        "winter": root.get(f"{ACME}/milestones").json()[0]["id"],
        "friends": known["tools"],
        "kit": root.get("projects/acme%2Ftools%2Fkit").json()["id"],
        "snippet": create_record_id(root, "snippets", SNIPPET),
        "project_snippet": create_record_id(root, f"{SITE}/snippets", SNIPPET),
    }


def create_boards(root: Any) -> dict[str, Any]:
    """Create a board with a list in a project and in its group."""
    labels = {label["name"]: label["id"] for label in root.get(f"{SITE}/labels").json()}
    board, group_board = (create_record_id(root, f"{container}/boards", {"name": "x"}) for container in (SITE, ACME))
    later, never = (create_record_id(root, f"{ACME}/labels", {**LABEL, "name": name}) for name in ("later", "never"))
    lists, group_lists = f"{SITE}/boards/{board}/lists", f"{ACME}/boards/{group_board}/lists"
    create_record_id(root, lists, {"label_id": later})
    create_record_id(root, group_lists, {"label_id": never})
    return {
        "urgent": labels["urgent"],
        "later": later,
        "board": board,
        "list": create_record_id(root, lists, {"label_id": labels["bug"]}),
        "group_board": group_board,
        "group_list": create_record_id(root, group_lists, {"label_id": labels["urgent"]}),
    }


def create_thread(root: Any) -> dict[str, Any]:
    """Create a discussion of a merge request."""
    thread = root.post(f"{SITE}/merge_requests/1/discussions", json={"body": "x"}).json()
    return {"discussion": thread["id"], "remark": thread["notes"][0]["id"]}


def create_environments(root: Any) -> dict[str, Any]:
    """Create an environment with a deployment, and a stopped one."""
    stopped = create_record_id(root, f"{SITE}/environments", {"name": "stopped"})
    root.post(f"{SITE}/environments/{stopped}/stop")
    return {
        "environment": create_record_id(root, f"{SITE}/environments", {"name": "x"}),
        "deployment": create_record_id(root, f"{SITE}/deployments", DEPLOYMENT),
        "stopped": stopped,
    }


def set_belongings(root: Any, known: dict[str, Any]) -> None:
    """Give the project and its group a direct member, a share, a source and custom attributes."""
    docs = root.get(DOCS).json()["id"]
    root.post(f"{SITE}/members", json={"user_id": known["bob"], "access_level": 10})
    root.post(f"{SITE}/fork/{docs}")
    root.post(f"{ACME}/share", json={"group_id": known["tools"], "group_access": 10})
    for owner in (SITE, ACME, f"users/{known['eve']}"):
        root.put(f"{owner}/custom_attributes/team", json={"value": "red"})


def create_paid_records(root: Any) -> dict[str, Any]:
    """Create what only paid tiers have, and delete a project whose deletion is delayed; return the ids."""
    for doomed in (DOCS, "groups/acme%2Ftools"):
        root.delete(doomed)
    records = {
        **group_tier_rows.create_records(root),
        **hook_rows.create_paid_records(root),
        **people_rows.create_paid_records(root),
    }
    root.post("features/approval_group_rules", json={"value": True})
    return {"rule": create_record_id(root, f"{SITE}/approval_rules", RULE), **records}


def create_record_id(root: Any, path: str, body: dict[str, Any]) -> Any:
    """Create a record; return its id."""
    return root.post(path, json=body).json()["id"]
