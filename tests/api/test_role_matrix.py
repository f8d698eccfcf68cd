"""Rights of each role, written by hand from the specification and the facts; one row an operation.

The columns are: nobody, an external user, a user who is no member, guest, reporter, developer, maintainer and owner of
the group acme, and an administrator. The private project acme/site hides itself from the first three.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.harness.fake import Fakeplat
from tests.api import integration_rows, registry_cluster_rows, role_rows
from tests.api.role_rows import Row
from tests.ssh_keys import RSA

pytestmark = pytest.mark.every_release

ROLES = (None, "ext", "eve", "gus", "rep", "dev", "mia", "ada", "root")
SITE, ACME = "projects/acme%2Fsite", "groups/acme"

MEMBERS_READ = "404 404 404 200 200 200 200 200 200"
LISTED = "401 404 404 200 200 200 200 200 200"
PUBLIC = "200 200 200 200 200 200 200 200 200"
SIGNED_IN = "401 200 200 200 200 200 200 200 200"
ADMIN = "401 403 403 403 403 403 403 403"
CODE_READ = "404 404 404 403 200 200 200 200 200"
CODE_WRITTEN = "404 404 404 403 403 201 201 201 201"
# From 16.0 on, administrators need a role of the project for its protected branches.
CODE_PROTECTED = "404 404 404 403 403 403 201 201 403"
FILE = {"branch": "feature", "commit_message": "x"}
COMMIT = {**FILE, "actions": [{"action": "create", "file_path": "new"}]}

DEVELOPERS = "404 404 404 403 403 200 200 200 200"
REPORTERS = "401 404 404 403 200 200 200 200 200"
REPORTERS_KNOW = "401 404 404 404 200 200 200 200 200"
BELOW_DEVELOPER = "401 404 404 403 403"
UNKNOWN_OR_403 = "401 404 404 404 403"
NEW_MERGE_REQUEST = {"title": "x", "source_branch": "feature", "target_branch": "readme"}

PROJECT = [
    # operation, method, path below the project, body, statuses
    ("get_project", "GET", "", None, MEMBERS_READ),
    ("update_project", "PUT", "", {"description": "x"}, "401 404 404 403 403 403 200 200 200"),
    ("update_project (name)", "PUT", "", {"name": "x"}, "401 404 404 403 403 403 403 200 200"),
    ("update_project (visibility)", "PUT", "", {"visibility": "private"}, "401 404 404 403 403 403 403 200 200"),
    ("delete_project", "DELETE", "", None, "401 404 404 403 403 403 403 202 202"),
    ("archive_project", "POST", "/archive", None, "401 404 404 403 403 403 403 201 201"),
    ("unarchive_project", "POST", "/unarchive", None, "401 404 404 403 403 403 403 201 201"),
    ("star_project", "POST", "/star", None, "401 404 404 201 201 201 201 201 201"),
    ("unstar_project", "POST", "/unstar", None, "401 404 404 304 304 304 304 304 304"),
    ("list_project_starrers", "GET", "/starrers", None, MEMBERS_READ),
    ("get_project_languages", "GET", "/languages", None, MEMBERS_READ),
    ("list_project_users", "GET", "/users", None, MEMBERS_READ),
    ("list_project_groups", "GET", "/groups", None, MEMBERS_READ),
    ("start_project_housekeeping", "POST", "/housekeeping", None, "401 404 404 403 403 403 201 201 201"),
    # The images of the project prevent its transfer, which nobody learns who may not transfer it.
    ("transfer_project", "PUT", "/transfer", {"namespace": "acme/tools"}, "401 404 404 403 403 403 403 400 400"),
    (
        "share_project",
        "POST",
        "/share",
        {"group_id": "{tools}", "group_access": 10},
        "401 404 404 403 403 403 201 201 201",
    ),
    ("unshare_project", "DELETE", "/share/{tools}", None, "401 404 404 403 403 403 404 404 404"),
    ("list_project_members", "GET", "/members", None, LISTED),
    ("list_all_project_members", "GET", "/members/all", None, LISTED),
    ("get_inherited_project_member", "GET", "/members/all/{dev}", None, LISTED),
    (
        "create_project_member",
        "POST",
        "/members",
        {"user_id": "{eve}", "access_level": 10},
        "401 404 404 403 403 403 201 201 201",
    ),
    ("update_project_member", "PUT", "/members/{ada}", {"access_level": 40}, "401 404 404 403 403 403 404 404 404"),
    ("list_project_custom_attributes", "GET", "/custom_attributes", None, f"{ADMIN} 200"),
    ("set_project_custom_attribute", "PUT", "/custom_attributes/k", {"value": "v"}, f"{ADMIN} 200"),
    ("list_project_issues", "GET", "/issues", None, MEMBERS_READ),
    ("create_issue", "POST", "/issues", {"title": "x"}, "401 404 404 201 201 201 201 201 201"),
    ("get_issue", "GET", "/issues/1", None, MEMBERS_READ),
    ("update_issue", "PUT", "/issues/2", {"title": "x"}, "401 404 404 403 200 200 200 200 200"),
    ("delete_issue", "DELETE", "/issues/2", None, "401 404 404 403 403 403 403 204 204"),
    ("get_issue_time_stats", "GET", "/issues/1/time_stats", None, MEMBERS_READ),
    ("list_project_merge_requests", "GET", "/merge_requests", None, REPORTERS),
    # The project has one.
    ("create_ci_config", "POST", "/create_ci_config", None, "401 404 404 422 422 422 422 422 422"),
    ("create_merge_request", "POST", "/merge_requests", NEW_MERGE_REQUEST, f"{BELOW_DEVELOPER} 201 201 201 201"),
    ("get_merge_request", "GET", "/merge_requests/1", None, REPORTERS),
    ("update_merge_request", "PUT", "/merge_requests/1", {"title": "x"}, f"{BELOW_DEVELOPER} 200 200 200 200"),
    ("delete_merge_request", "DELETE", "/merge_requests/1", None, f"{UNKNOWN_OR_403} 403 403 204 204"),
    ("accept_merge_request", "PUT", "/merge_requests/1/merge", None, "401 404 404 404 401 401 200 200 401"),
    (
        "cancel_merge_when_pipeline_succeeds",
        "POST",
        "/merge_requests/1/cancel_merge_when_pipeline_succeeds",
        None,
        "401 404 404 404 401 201 201 201 401",
    ),
    ("rebase_merge_request", "PUT", "/merge_requests/1/rebase", None, f"{UNKNOWN_OR_403} 202 202 202 202"),
    ("get_merge_request_merge_ref", "GET", "/merge_requests/1/merge_ref", None, REPORTERS_KNOW),
    ("get_merge_request_changes", "GET", "/merge_requests/1/changes", None, REPORTERS),
    ("list_merge_request_commits", "GET", "/merge_requests/1/commits", None, REPORTERS),
    ("list_merge_request_versions", "GET", "/merge_requests/1/versions", None, REPORTERS),
    ("get_merge_request_version", "GET", "/merge_requests/1/versions/{version}", None, REPORTERS),
    ("list_merge_request_participants", "GET", "/merge_requests/1/participants", None, REPORTERS),
    ("list_issues_closed_on_merge", "GET", "/merge_requests/1/closes_issues", None, REPORTERS),
    ("list_issue_related_merge_requests", "GET", "/issues/2/related_merge_requests", None, MEMBERS_READ),
    ("list_issue_closing_merge_requests", "GET", "/issues/2/closed_by", None, MEMBERS_READ),
    (
        "list_commit_merge_requests",
        "GET",
        "/repository/commits/master/merge_requests",
        None,
        "401 404 404 403 200 200 200 200 200",
    ),
    ("subscribe_merge_request", "POST", "/merge_requests/1/subscribe", None, f"{BELOW_DEVELOPER} 304 304 201 201"),
    ("unsubscribe_merge_request", "POST", "/merge_requests/1/unsubscribe", None, f"{BELOW_DEVELOPER} 201 201 304 304"),
    ("create_merge_request_todo", "POST", "/merge_requests/1/todo", None, "401 404 404 403 201 201 201 201 201"),
    ("get_merge_request_approvals", "GET", "/merge_requests/1/approvals", None, REPORTERS),
    ("approve_merge_request", "POST", "/merge_requests/1/approve", None, f"{BELOW_DEVELOPER} 201 201 201 403"),
    ("unapprove_merge_request", "POST", "/merge_requests/1/unapprove", None, f"{BELOW_DEVELOPER} 304 304 304 403"),
    ("get_merge_request_time_stats", "GET", "/merge_requests/1/time_stats", None, REPORTERS_KNOW),
    (
        "set_merge_request_time_estimate",
        "POST",
        "/merge_requests/1/time_estimate",
        {"duration": "1h"},
        f"{UNKNOWN_OR_403} 200 200 200 200",
    ),
    (
        "reset_merge_request_time_estimate",
        "POST",
        "/merge_requests/1/reset_time_estimate",
        None,
        f"{UNKNOWN_OR_403} 200 200 200 200",
    ),
    (
        "add_merge_request_spent_time",
        "POST",
        "/merge_requests/1/add_spent_time",
        {"duration": "1h"},
        f"{UNKNOWN_OR_403} 201 201 201 201",
    ),
    (
        "reset_merge_request_spent_time",
        "POST",
        "/merge_requests/1/reset_spent_time",
        None,
        f"{UNKNOWN_OR_403} 200 200 200 200",
    ),
    (
        "list_merge_request_resource_state_events",
        "GET",
        "/merge_requests/1/resource_state_events",
        None,
        REPORTERS_KNOW,
    ),
    (
        "list_project_milestone_merge_requests",
        "GET",
        "/milestones/{milestone}/merge_requests",
        None,
        LISTED,
    ),
    ("list_issue_notes", "GET", "/issues/1/notes", None, LISTED),
    ("create_issue_note", "POST", "/issues/1/notes", {"body": "x"}, "401 404 404 201 201 201 201 201 201"),
    ("get_issue_note", "GET", "/issues/1/notes/{note}", None, LISTED),
    ("update_issue_note", "PUT", "/issues/1/notes/{note}", {"body": "x"}, "401 404 404 403 403 403 200 200 200"),
    ("delete_issue_note", "DELETE", "/issues/1/notes/{note}", None, "401 404 404 403 403 403 204 204 204"),
    ("list_issue_discussions", "GET", "/issues/1/discussions", None, LISTED),
    ("create_issue_discussion", "POST", "/issues/1/discussions", {"body": "x"}, "401 404 404 201 201 201 201 201 201"),
    ("get_issue_discussion", "GET", "/issues/1/discussions/{thread}", None, LISTED),
    (
        "create_issue_discussion_note",
        "POST",
        "/issues/1/discussions/{thread}/notes",
        {"body": "x"},
        "401 404 404 201 201 201 201 201 201",
    ),
    ("get_issue_discussion_note", "GET", "/issues/1/discussions/{thread}/notes/{note}", None, LISTED),
    (
        "update_issue_discussion_note",
        "PUT",
        "/issues/1/discussions/{thread}/notes/{note}",
        {"body": "x"},
        "401 404 404 403 403 403 200 200 200",
    ),
    (
        "delete_issue_discussion_note",
        "DELETE",
        "/issues/1/discussions/{thread}/notes/{note}",
        None,
        "401 404 404 403 403 403 204 204 204",
    ),
    ("list_issue_award_emoji", "GET", "/issues/1/award_emoji", None, MEMBERS_READ),
    ("get_issue_award_emoji", "GET", "/issues/1/award_emoji/{award}", None, MEMBERS_READ),
    (
        "create_issue_award_emoji",
        "POST",
        "/issues/1/award_emoji",
        {"name": "rocket"},
        "404 404 404 201 201 201 201 201 201",
    ),
    (
        "delete_issue_award_emoji",
        "DELETE",
        "/issues/1/award_emoji/{award}",
        None,
        "404 404 404 401 401 401 401 401 204",
    ),
    ("list_issue_note_award_emoji", "GET", "/issues/1/notes/{note}/award_emoji", None, MEMBERS_READ),
    ("get_issue_note_award_emoji", "GET", "/issues/1/notes/{note}/award_emoji/{noted}", None, MEMBERS_READ),
    (
        "create_issue_note_award_emoji",
        "POST",
        "/issues/1/notes/{note}/award_emoji",
        {"name": "rocket"},
        "404 404 404 201 201 201 201 201 201",
    ),
    (
        "delete_issue_note_award_emoji",
        "DELETE",
        "/issues/1/notes/{note}/award_emoji/{noted}",
        None,
        "404 404 404 401 401 401 401 401 204",
    ),
    ("create_issue_todo", "POST", "/issues/2/todo", None, "401 404 404 201 201 201 201 201 201"),
    ("get_project_issues_statistics", "GET", "/issues_statistics", None, MEMBERS_READ),
    ("move_issue", "POST", "/issues/1/move", {"to_project_id": "{notes}"}, "401 404 404 400 400 400 400 201 201"),
    (
        "reorder_issue",
        "PUT",
        "/issues/2/reorder",
        {"move_before_id": "{issue}"},
        "401 404 404 403 200 200 200 200 200",
    ),
    ("subscribe_issue", "POST", "/issues/5/subscribe", None, "401 404 404 304 201 201 201 201 201"),
    ("unsubscribe_issue", "POST", "/issues/5/unsubscribe", None, "401 404 404 201 304 304 304 304 304"),
    ("list_issue_participants", "GET", "/issues/1/participants", None, MEMBERS_READ),
    ("get_issue_user_agent_detail", "GET", "/issues/1/user_agent_detail", None, f"{ADMIN} 404"),
    (
        "set_issue_time_estimate",
        "POST",
        "/issues/5/time_estimate",
        {"duration": "1h"},
        "401 404 404 403 200 200 200 200 200",
    ),
    ("reset_issue_time_estimate", "POST", "/issues/5/reset_time_estimate", None, "401 404 404 403 200 200 200 200 200"),
    (
        "add_issue_spent_time",
        "POST",
        "/issues/5/add_spent_time",
        {"duration": "1h"},
        "401 404 404 403 201 201 201 201 201",
    ),
    ("reset_issue_spent_time", "POST", "/issues/5/reset_spent_time", None, "401 404 404 403 200 200 200 200 200"),
    ("list_issue_links", "GET", "/issues/1/links", None, LISTED),
    (
        "create_issue_link",
        "POST",
        "/issues/1/links",
        {"target_project_id": "acme/docs", "target_issue_iid": 1},
        "401 404 404 201 201 201 201 201 201",
    ),
    ("delete_issue_link (none)", "DELETE", "/issues/1/links/1", None, "401 404 404 404 404 404 404 404 404"),
    ("list_issue_resource_label_events", "GET", "/issues/1/resource_label_events", None, LISTED),
    ("list_issue_resource_milestone_events", "GET", "/issues/1/resource_milestone_events", None, LISTED),
    ("list_issue_resource_state_events", "GET", "/issues/1/resource_state_events", None, LISTED),
    ("list_project_boards", "GET", "/boards", None, "401 404 404 200 200 200 200 200 200"),
    ("create_project_board", "POST", "/boards", {"name": "x"}, "401 404 404 403 201 201 201 201 201"),
    ("get_project_board (none)", "GET", "/boards/1", None, "401 404 404 404 404 404 404 404 404"),
    ("update_project_board (none)", "PUT", "/boards/1", {"name": "x"}, "401 404 404 403 404 404 404 404 404"),
    ("delete_project_board (none)", "DELETE", "/boards/1", None, "401 404 404 403 404 404 404 404 404"),
    ("list_project_board_lists (none)", "GET", "/boards/1/lists", None, "401 404 404 404 404 404 404 404 404"),
    (
        "create_project_board_list (none)",
        "POST",
        "/boards/1/lists",
        {"label_id": 1},
        "401 404 404 403 404 404 404 404 404",
    ),
    (
        "update_project_board_list (none)",
        "PUT",
        "/boards/1/lists/1",
        {"position": 1},
        "401 404 404 403 404 404 404 404 404",
    ),
    ("delete_project_board_list (none)", "DELETE", "/boards/1/lists/1", None, "401 404 404 403 404 404 404 404 404"),
    ("list_project_events", "GET", "/events", None, MEMBERS_READ),
    ("search_project", "GET", "/search?scope=issues&search=link", None, LISTED),
    ("list_project_access_requests", "GET", "/access_requests", None, "401 404 404 403 403 403 200 200 200"),
    ("create_project_access_request", "POST", "/access_requests", None, "401 404 404 403 403 403 403 403 403"),
    (
        "approve_project_access_request (none)",
        "PUT",
        "/access_requests/{eve}/approve",
        None,
        "401 404 404 404 404 404 404 404 404",
    ),
    ("list_project_badges", "GET", "/badges", None, MEMBERS_READ),
    (
        "create_project_badge",
        "POST",
        "/badges",
        {"link_url": "https://x.test", "image_url": "https://x.test/i.svg"},
        "401 404 404 403 403 403 201 201 201",
    ),
    ("update_project_badge (none)", "PUT", "/badges/1", {"name": "x"}, "401 404 404 403 403 403 404 404 404"),
    ("delete_project_badge (none)", "DELETE", "/badges/1", None, "401 404 404 403 403 403 404 404 404"),
    ("list_feature_flags", "GET", "/feature_flags", None, DEVELOPERS),
    ("get_feature_flag (none)", "GET", "/feature_flags/x", None, DEVELOPERS.replace("200", "404")),
    ("create_feature_flag", "POST", "/feature_flags", {"name": "fresh"}, DEVELOPERS.replace("200", "201")),
    ("update_feature_flag (none)", "PUT", "/feature_flags/x", {}, DEVELOPERS.replace("200", "404")),
    ("delete_feature_flag (none)", "DELETE", "/feature_flags/x", None, DEVELOPERS.replace("200", "404")),
    ("list_feature_flag_scopes", "GET", "/feature_flag_scopes?environment=x", None, DEVELOPERS),
    ("list_scopes_of_feature_flag (none)", "GET", "/feature_flags/x/scopes", None, DEVELOPERS.replace("200", "404")),
    ("get_feature_flag_scope (none)", "GET", "/feature_flags/x/scopes/y", None, DEVELOPERS.replace("200", "404")),
    (
        "create_feature_flag_scope (none)",
        "POST",
        "/feature_flags/x/scopes",
        {"environment_scope": "y", "active": True, "strategies": []},
        DEVELOPERS.replace("200", "404"),
    ),
    ("update_feature_flag_scope (none)", "PUT", "/feature_flags/x/scopes/y", {}, DEVELOPERS.replace("200", "404")),
    ("delete_feature_flag_scope (none)", "DELETE", "/feature_flags/x/scopes/y", None, DEVELOPERS.replace("200", "404")),
    *(
        (
            f"{action}_feature_flag (off)",
            "POST",
            f"/feature_flags/x/{action}",
            {"environment_scope": "y", "strategy": {}},
            DEVELOPERS.replace("200", "404"),
        )
        for action in ("enable", "disable")
    ),
    ("list_feature_flag_user_lists", "GET", "/feature_flags_user_lists", None, DEVELOPERS),
    (
        "get_feature_flag_user_list (none)",
        "GET",
        "/feature_flags_user_lists/1",
        None,
        DEVELOPERS.replace("200", "404"),
    ),
    (
        "create_feature_flag_user_list",
        "POST",
        "/feature_flags_user_lists",
        {"name": "x", "user_xids": "a"},
        DEVELOPERS.replace("200", "201"),
    ),
    (
        "update_feature_flag_user_list (none)",
        "PUT",
        "/feature_flags_user_lists/1",
        {},
        DEVELOPERS.replace("200", "404"),
    ),
    (
        "delete_feature_flag_user_list (none)",
        "DELETE",
        "/feature_flags_user_lists/1",
        None,
        DEVELOPERS.replace("200", "404"),
    ),
    ("list_project_deploy_keys", "GET", "/deploy_keys", None, "401 404 404 403 403 403 200 200 200"),
    ("get_project_deploy_key (none)", "GET", "/deploy_keys/1", None, "401 404 404 403 403 403 404 404 404"),
    (
        "create_project_deploy_key",
        "POST",
        "/deploy_keys",
        {"title": "x", "key": RSA},
        "401 404 404 403 403 403 201 201 201",
    ),
    (
        "update_project_deploy_key (none)",
        "PUT",
        "/deploy_keys/1",
        {"can_push": True},
        "401 404 404 403 403 403 404 404 404",
    ),
    ("delete_project_deploy_key (none)", "DELETE", "/deploy_keys/1", None, "401 404 404 403 403 403 404 404 404"),
    ("enable_project_deploy_key (none)", "POST", "/deploy_keys/1/enable", None, "401 404 404 403 403 403 404 404 404"),
    ("list_project_deploy_tokens", "GET", "/deploy_tokens", None, "404 404 404 403 403 403 200 200 200"),
    (
        "create_project_deploy_token",
        "POST",
        "/deploy_tokens",
        {"name": "x", "scopes": ["read_repository"]},
        "404 404 404 403 403 403 201 201 201",
    ),
    ("get_project_deploy_token (none)", "GET", "/deploy_tokens/1", None, "404 404 404 403 403 403 404 404 404"),
    ("delete_project_deploy_token (none)", "DELETE", "/deploy_tokens/1", None, "404 404 404 403 403 403 404 404 404"),
    ("list_freeze_periods", "GET", "/freeze_periods", None, REPORTERS),
    ("get_freeze_period (none)", "GET", "/freeze_periods/1", None, "401 404 404 403 404 404 404 404 404"),
    (
        "create_freeze_period",
        "POST",
        "/freeze_periods",
        {"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"},
        "401 404 404 403 403 403 201 201 201",
    ),
    ("update_freeze_period (none)", "PUT", "/freeze_periods/1", {}, "401 404 404 403 403 403 404 404 404"),
    ("delete_freeze_period (none)", "DELETE", "/freeze_periods/1", None, "401 404 404 403 403 403 404 404 404"),
    ("get_project_notification_settings", "GET", "/notification_settings", None, LISTED),
    ("update_project_notification_settings", "PUT", "/notification_settings", {"level": "watch"}, LISTED),
    ("list_project_labels", "GET", "/labels", None, LISTED),
    ("get_project_label", "GET", "/labels/bug", None, LISTED),
    (
        "create_project_label",
        "POST",
        "/labels",
        {"name": "x", "color": "#000000"},
        "401 404 404 403 201 201 201 201 201",
    ),
    ("update_project_label", "PUT", "/labels/bug", {"color": "#000000"}, "401 404 404 403 200 200 200 200 200"),
    (
        "update_project_label_by_parameter",
        "PUT",
        "/labels",
        {"name": "bug", "color": "#000000"},
        "401 404 404 403 200 200 200 200 200",
    ),
    ("delete_project_label", "DELETE", "/labels/bug", None, "401 404 404 403 204 204 204 204 204"),
    ("delete_project_label_by_parameter", "DELETE", "/labels?name=bug", None, "401 404 404 403 204 204 204 204 204"),
    ("subscribe_project_label", "POST", "/labels/bug/subscribe", None, "401 404 404 201 201 201 201 201 201"),
    ("unsubscribe_project_label", "POST", "/labels/bug/unsubscribe", None, "401 404 404 304 304 304 304 304 304"),
    ("promote_label", "PUT", "/labels/bug/promote", None, "401 404 404 403 200 200 200 200 200"),
    ("list_services", "GET", "/services", None, "401 404 404 403 403 403 200 200 200"),
    ("get_service", "GET", "/services/external-wiki", None, "401 404 404 403 403 403 200 200 200"),
    ("update_service", "PUT", "/services/alerts", {"active": True}, "401 404 404 403 403 403 200 200 200"),
    ("delete_service", "DELETE", "/services/external-wiki", None, "401 404 404 403 403 403 204 204 204"),
    ("send_test_alert (off)", "POST", "/services/alerts/test", None, "401 404 404 403 403 404 404 404 404"),
    ("list_branches", "GET", "/repository/branches", None, CODE_READ),
    ("get_branch", "GET", "/repository/branches/feature", None, CODE_READ),
    (
        "create_branch",
        "POST",
        "/repository/branches",
        {"branch": "x", "ref": "master"},
        "404 404 404 403 403 201 201 201 201",
    ),
    ("delete_branch", "DELETE", "/repository/branches/feature", None, "404 404 404 403 403 204 204 204 204"),
    ("delete_branch (default)", "DELETE", "/repository/branches/master", None, "404 404 404 403 403 400 400 400 400"),
    ("delete_merged_branches", "DELETE", "/repository/merged_branches", None, "404 404 404 403 403 202 202 202 202"),
    ("protect_branch", "PUT", "/repository/branches/feature/protect", None, "404 404 404 403 403 403 200 200 200"),
    ("unprotect_branch", "PUT", "/repository/branches/feature/unprotect", None, "404 404 404 403 403 403 200 200 200"),
    ("lint_project_ci_config", "GET", "/ci/lint", None, CODE_READ),
    ("lint_project_ci_content", "POST", "/ci/lint", {"content": "x"}, "404 404 404 403 403 200 200 200 200"),
    ("list_tags", "GET", "/repository/tags", None, CODE_READ),
    ("get_tag", "GET", "/repository/tags/v1.0", None, CODE_READ),
    (
        "create_tag",
        "POST",
        "/repository/tags",
        {"tag_name": "x", "ref": "master"},
        "404 404 404 403 403 201 201 201 201",
    ),
    ("delete_tag", "DELETE", "/repository/tags/v1.0", None, "404 404 404 403 403 204 204 204 204"),
    ("list_protected_branches", "GET", "/protected_branches", None, "404 404 404 403 200 200 200 200 200"),
    ("get_protected_branch", "GET", "/protected_branches/master", None, "404 404 404 403 200 200 200 200 200"),
    ("create_protected_branch", "POST", "/protected_branches", {"name": "x"}, "404 404 404 403 403 403 201 201 201"),
    (
        "update_submodule",
        "PUT",
        "/repository/submodules/six",
        {"branch": "feature", "commit_sha": "a" * 40},
        "401 404 404 403 403 400 400 400 400",
    ),
    ("delete_protected_branch", "DELETE", "/protected_branches/master", None, "404 404 404 403 403 403 204 204 204"),
    ("list_protected_tags", "GET", "/protected_tags", None, "404 404 404 403 403 403 200 200 200"),
    ("get_protected_tag", "GET", "/protected_tags/gone", None, "404 404 404 403 403 403 404 404 404"),
    ("create_protected_tag", "POST", "/protected_tags", {"name": "x"}, "404 404 404 403 403 403 201 201 201"),
    ("delete_protected_tag", "DELETE", "/protected_tags/gone", None, "404 404 404 403 403 403 404 404 404"),
    (
        "update_project (default_branch)",
        "PUT",
        "",
        {"default_branch": "feature"},
        "401 404 404 403 403 403 200 200 200",
    ),
    ("list_project_milestones", "GET", "/milestones", None, LISTED),
    ("create_project_milestone", "POST", "/milestones", {"title": "x"}, "401 404 404 403 201 201 201 201 201"),
    ("get_project_milestone", "GET", "/milestones/{milestone}", None, LISTED),
    (
        "update_project_milestone",
        "PUT",
        "/milestones/{milestone}",
        {"title": "x"},
        REPORTERS,
    ),
    ("delete_project_milestone", "DELETE", "/milestones/{milestone}", None, "401 404 404 403 204 204 204 204 204"),
    ("list_project_milestone_issues", "GET", "/milestones/{milestone}/issues", None, LISTED),
    ("promote_milestone", "POST", "/milestones/{milestone}/promote", None, REPORTERS),
    ("list_repository_tree", "GET", "/repository/tree", None, CODE_READ),
    ("get_repository_blob", "GET", "/repository/blobs/{blob}", None, CODE_READ),
    ("get_repository_blob_raw", "GET", "/repository/blobs/{blob}/raw", None, CODE_READ),
    ("download_repository_archive", "GET", "/repository/archive", None, CODE_READ),
    ("compare_repository_refs", "GET", "/repository/compare?from=master&to=feature", None, CODE_READ),
    ("list_repository_contributors", "GET", "/repository/contributors", None, CODE_READ),
    ("get_repository_merge_base", "GET", "/repository/merge_base?refs=master,feature", None, CODE_READ),
    ("list_commits", "GET", "/repository/commits", None, CODE_READ),
    ("get_commit", "GET", "/repository/commits/master", None, CODE_READ),
    ("list_commit_refs", "GET", "/repository/commits/master/refs", None, CODE_READ),
    ("list_commit_diffs", "GET", "/repository/commits/master/diff", None, CODE_READ),
    ("list_commit_comments", "GET", "/repository/commits/master/comments", None, CODE_READ),
    (
        "create_commit_comment",
        "POST",
        "/repository/commits/master/comments",
        {"note": "x"},
        "404 404 404 403 201 201 201 201 201",
    ),
    (
        "get_repository_tag_signature",
        "GET",
        "/repository/tags/v1.0.0/signature",
        None,
        "404 404 404 403 404 404 404 404 404",
    ),
    ("get_repository_commit_sequence", "GET", "/repository/commits/master/sequence", None, CODE_READ),
    ("get_repository_changelog", "GET", "/repository/changelog?version=1.0.0&from=feature", None, CODE_READ),
    (
        "create_repository_changelog",
        "POST",
        "/repository/changelog",
        {"version": "1.0.0", "from": "feature"},
        "404 404 404 403 403 403 200 200 403",
    ),
    ("create_commit", "POST", "/repository/commits", COMMIT, CODE_WRITTEN),
    ("create_commit (protected)", "POST", "/repository/commits", {**COMMIT, "branch": "master"}, CODE_PROTECTED),
    ("cherry_pick_commit", "POST", "/repository/commits/feature/cherry_pick", {"branch": "master"}, CODE_PROTECTED),
    ("revert_commit", "POST", "/repository/commits/feature/revert", {"branch": "feature"}, CODE_WRITTEN),
    ("get_repository_file", "GET", "/repository/files/README.md?ref=master", None, CODE_READ),
    ("get_repository_file_raw", "GET", "/repository/files/README.md/raw?ref=master", None, CODE_READ),
    ("get_repository_file_blame", "GET", "/repository/files/README.md/blame?ref=master", None, CODE_READ),
    ("create_repository_file", "POST", "/repository/files/new", {**FILE, "content": "x"}, CODE_WRITTEN),
    (
        "create_repository_file (protected)",
        "POST",
        "/repository/files/new",
        {**FILE, "content": "x", "branch": "master"},
        CODE_PROTECTED,
    ),
    (
        "update_repository_file",
        "PUT",
        "/repository/files/README.md",
        {**FILE, "content": "x"},
        "404 404 404 403 403 200 200 200 200",
    ),
    ("delete_repository_file", "DELETE", "/repository/files/README.md", FILE, "404 404 404 403 403 204 204 204 204"),
]
GROUP = [
    ("get_group", "GET", "", None, PUBLIC),
    ("update_group", "PUT", "", {"description": "x"}, "401 403 403 403 403 403 403 200 200"),
    ("delete_group", "DELETE", "", None, "401 403 403 403 403 403 403 202 202"),
    ("list_subgroups", "GET", "/subgroups", None, PUBLIC),
    ("list_descendant_groups", "GET", "/descendant_groups", None, PUBLIC),
    ("list_group_projects", "GET", "/projects", None, PUBLIC),
    ("list_group_shared_projects", "GET", "/projects/shared", None, PUBLIC),
    ("transfer_project_to_group", "POST", "/projects/{notes}", None, f"{ADMIN} 201"),
    (
        "share_group",
        "POST",
        "/share",
        {"group_id": "{tools}", "group_access": 10},
        "401 404 404 404 404 404 404 201 201",
    ),
    ("list_group_members", "GET", "/members", None, SIGNED_IN),
    ("list_all_group_members", "GET", "/members/all", None, SIGNED_IN),
    ("get_group_member", "GET", "/members/{dev}", None, SIGNED_IN),
    (
        "create_group_member",
        "POST",
        "/members",
        {"user_id": "{eve}", "access_level": 10},
        "401 403 403 403 403 403 403 201 201",
    ),
    ("update_group_member", "PUT", "/members/{gus}", {"access_level": 20}, "401 403 403 403 403 403 403 200 200"),
    ("delete_group_member", "DELETE", "/members/{bob}", None, "401 404 404 404 404 404 404 404 404"),
    ("list_group_custom_attributes", "GET", "/custom_attributes", None, f"{ADMIN} 200"),
    ("list_group_issues", "GET", "/issues", None, PUBLIC),
    ("get_group_issues_statistics", "GET", "/issues_statistics", None, PUBLIC),
    ("list_group_boards", "GET", "/boards", None, "401 200 200 200 200 200 200 200 200"),
    ("create_group_board", "POST", "/boards", {"name": "x"}, "401 403 403 403 201 201 201 201 201"),
    ("search_group", "GET", "/search?scope=issues&search=link", None, SIGNED_IN),
    ("list_group_access_requests", "GET", "/access_requests", None, "401 403 403 403 403 403 403 200 200"),
    ("create_group_access_request", "POST", "/access_requests", None, "401 201 201 403 403 403 403 403 403"),
    ("list_group_badges", "GET", "/badges", None, PUBLIC),
    (
        "create_group_badge",
        "POST",
        "/badges",
        {"link_url": "https://x.test", "image_url": "https://x.test/i.svg"},
        "401 403 403 403 403 403 403 201 201",
    ),
    ("list_group_deploy_tokens", "GET", "/deploy_tokens", None, "403 403 403 403 403 403 200 200 200"),
    (
        "create_group_deploy_token",
        "POST",
        "/deploy_tokens",
        {"name": "x", "scopes": ["read_repository"]},
        "403 403 403 403 403 403 403 201 201",
    ),
    ("get_group_deploy_token (none)", "GET", "/deploy_tokens/1", None, "403 403 403 403 403 403 404 404 404"),
    ("delete_group_deploy_token (none)", "DELETE", "/deploy_tokens/1", None, "403 403 403 403 403 403 403 404 404"),
    ("get_group_notification_settings", "GET", "/notification_settings", None, SIGNED_IN),
    ("update_group_notification_settings", "PUT", "/notification_settings", {"level": "watch"}, SIGNED_IN),
    ("list_group_labels", "GET", "/labels", None, SIGNED_IN),
    ("create_group_label", "POST", "/labels", {"name": "x", "color": "#000000"}, "401 403 403 403 201 201 201 201 201"),
    ("list_group_milestones", "GET", "/milestones", None, SIGNED_IN),
    ("create_group_milestone", "POST", "/milestones", {"title": "x"}, "401 403 403 403 201 201 201 201 201"),
]
NEW_USER = {"email": "n@example.test", "name": "N", "username": "newcomer", "password": "long enough"}
ELSEWHERE = [
    ("get_version", "GET", "version", None, SIGNED_IN),
    ("get_current_user", "GET", "user", None, SIGNED_IN),
    ("list_users", "GET", "users", None, "403 200 200 200 200 200 200 200 200"),
    ("get_user", "GET", "users/{dev}", None, "403 200 200 200 200 200 200 200 200"),
    ("create_user", "POST", "users", NEW_USER, f"{ADMIN} 201"),
    ("update_user", "PUT", "users/{eve}", {"note": "x"}, f"{ADMIN} 200"),
    ("delete_user", "DELETE", "users/{bob}", None, f"{ADMIN} 204"),
    ("block_user", "POST", "users/{gus}/block", None, f"{ADMIN} 201"),
    ("unblock_user", "POST", "users/{bob}/unblock", None, f"{ADMIN} 201"),
    ("activate_user", "POST", "users/{eve}/activate", None, f"{ADMIN} 201"),
    ("deactivate_user", "POST", "users/{eve}/deactivate", None, f"{ADMIN} 201"),
    ("delete_user_identity", "DELETE", "users/{eve}/identities/saml", None, f"{ADMIN} 404"),
    ("list_user_custom_attributes", "GET", "users/{eve}/custom_attributes", None, f"{ADMIN} 200"),
    ("list_user_projects", "GET", "users/ada/projects", None, PUBLIC),
    ("list_user_starred_projects", "GET", "users/ada/starred_projects", None, PUBLIC),
    ("list_deploy_keys", "GET", "deploy_keys", None, f"{ADMIN} 200"),
    ("create_deploy_key", "POST", "deploy_keys", {"title": "x", "key": RSA}, f"{ADMIN} 201"),
    ("list_deploy_tokens", "GET", "deploy_tokens", None, f"{ADMIN} 200"),
    ("list_broadcast_messages", "GET", "broadcast_messages", None, PUBLIC),
    ("lint_ci_config", "POST", "ci/lint", {"content": "x"}, PUBLIC),
    ("create_broadcast_message", "POST", "broadcast_messages", {"message": "x"}, f"{ADMIN} 201"),
    ("update_broadcast_message", "PUT", "broadcast_messages/1", {"message": "x"}, f"{ADMIN} 404"),
    ("delete_broadcast_message", "DELETE", "broadcast_messages/1", None, f"{ADMIN} 404"),
    ("list_projects", "GET", "projects", None, PUBLIC),
    ("create_project", "POST", "projects", {"name": "Fresh"}, "401 403 201 201 201 201 201 201 201"),
    (
        "create_project (group)",
        "POST",
        "projects",
        {"name": "F", "namespace_id": "{acme}"},
        "401 400 400 400 400 201 201 201 201",
    ),
    ("create_user_project", "POST", "projects/user/{eve}", {"name": "Fresh"}, f"{ADMIN} 201"),
    ("list_groups", "GET", "groups", None, PUBLIC),
    ("create_group", "POST", "groups", {"name": "G", "path": "fresh"}, "401 403 201 201 201 201 201 201 201"),
    (
        "create_group (below)",
        "POST",
        "groups",
        {"name": "G", "path": "g", "parent_id": "{acme}"},
        "401 403 403 403 403 403 201 201 201",
    ),
    ("list_namespaces", "GET", "namespaces", None, SIGNED_IN),
    ("get_namespace", "GET", "namespaces/acme", None, "401 404 404 200 200 200 200 200 200"),
    ("list_issues", "GET", "issues", None, SIGNED_IN),
    ("list_events", "GET", "events", None, SIGNED_IN),
    ("list_user_events", "GET", "users/ada/events", None, PUBLIC),
    ("search_instance", "GET", "search?scope=issues&search=link", None, SIGNED_IN),
    ("get_notification_settings", "GET", "notification_settings", None, SIGNED_IN),
    ("update_notification_settings", "PUT", "notification_settings", {"level": "watch"}, SIGNED_IN),
    ("list_merge_requests", "GET", "merge_requests", None, SIGNED_IN),
    ("list_merge_requests (all)", "GET", "merge_requests?scope=all", None, SIGNED_IN),
    ("list_group_merge_requests", "GET", "groups/acme/merge_requests", None, SIGNED_IN),
    ("list_issues (all)", "GET", "issues?scope=all", None, PUBLIC),
    ("get_issues_statistics", "GET", "issues_statistics", None, SIGNED_IN),
    ("list_todos", "GET", "todos", None, SIGNED_IN),
    ("mark_todo_as_done", "POST", "todos/{todo}/mark_as_done", None, "401 404 404 404 404 404 404 404 201"),
    ("mark_all_todos_as_done", "POST", "todos/mark_as_done", None, "401 204 204 204 204 204 204 204 204"),
    ("apply_suggestion", "PUT", "suggestions/1/apply", None, "401 404 404 404 404 404 404 404 404"),
    ("apply_suggestions", "PUT", "suggestions/batch_apply", {"ids": [1]}, "401 404 404 404 404 404 404 404 404"),
    ("get_issue_by_id", "GET", "issues/{issue}", None, f"{ADMIN} 200"),
]
TABLE = [
    *((name, method, SITE + path, body, row) for name, method, path, body, row in PROJECT),
    *((name, method, ACME + path, body, row) for name, method, path, body, row in GROUP),
    *ELSEWHERE,
]


class Prepared(NamedTuple):
    """A world with the records that rows name, and their ids. Each row leaves it as it was."""

    world: Fakeplat
    ids: dict[str, Any]


@pytest.fixture(scope="module")
def prepared(fakeplat_factory: Callable[..., Fakeplat]) -> Prepared:
    """The world of most rows."""
    world = fakeplat_factory(version="latest", default_branch="master")
    return Prepared(world, create_records_of_rows(world))


@pytest.fixture(scope="module")
def prepared_with_records(fakeplat_factory: Callable[..., Fakeplat]) -> Prepared:
    """A world with the records that only some rows name."""
    world = fakeplat_factory(version="latest", default_branch="master")
    ids = create_records_of_rows(world)
    return Prepared(world, ids | role_rows.create_records(world.as_user("root"), ids))


@pytest.fixture(scope="module")
def prepared_paid(fakeplat_factory: Callable[..., Fakeplat]) -> Prepared:
    """The same where the tier has approval rules, burndown charts and delayed deletion."""
    world = fakeplat_factory(tier="ultimate", version="latest", default_branch="master")
    ids, root = create_records_of_rows(world), world.as_user("root")
    return Prepared(world, {**ids, **role_rows.create_records(root, ids), **role_rows.create_paid_records(root)})


@pytest.fixture(scope="module")
def prepared_first(fakeplat_factory: Callable[..., Fakeplat]) -> Prepared:
    """The same in the first release, which has what later ones removed."""
    world = fakeplat_factory(tier="ultimate", version="13.5.1")
    ids = create_records_of_rows(world)
    return Prepared(world, ids | role_rows.create_records(world.as_user("root"), ids))


def create_records_of_rows(fakeplat: Any) -> dict[str, Any]:
    """Create what rows name, and return the ids."""
    root = fakeplat.as_user("root")
    role_rows.load_pipeline(fakeplat)
    registry_cluster_rows.load(fakeplat)
    integration_rows.load(fakeplat)
    people = {user["username"]: user["id"] for user in root.get("users?per_page=100").json()}
    issue = root.get(f"{SITE}/issues?per_page=1").json()[0]["id"]
    files = root.get(f"{SITE}/repository/tree").json()
    return {
        **people,
        "acme": root.get(ACME).json()["id"],
        "tools": root.get("groups/acme%2Ftools").json()["id"],
        "notes": root.get("projects/ada%2Fnotes").json()["id"],
        "milestone": root.get(f"{SITE}/milestones").json()[0]["id"],
        "issue": issue,
        "version": root.get(f"{SITE}/merge_requests/1/versions").json()[0]["id"],
        **read_issue(root),
        "pipeline": root.get(f"{SITE}/pipelines").json()[0]["id"],
        "job": root.get(f"{SITE}/jobs").json()[0]["id"],
        "blob": next(file["id"] for file in files if file["type"] == "blob"),
    }


def read_issue(root: Any) -> dict[str, Any]:
    """Return what the administrator created on the first issue."""
    issue_path = f"{SITE}/issues/1"
    thread = root.post(f"{issue_path}/discussions", json={"body": "x"}).json()
    note = thread["notes"][0]["id"]
    return {
        "thread": thread["id"],
        "note": note,
        "award": root.post(f"{issue_path}/award_emoji", json={"name": "tada"}).json()["id"],
        "noted": root.post(f"{issue_path}/notes/{note}/award_emoji", json={"name": "tada"}).json()["id"],
        "todo": root.post(f"{issue_path}/todo").json()["id"],
    }


def fill_in(value: Any, known: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {name: fill_in(inner, known) for name, inner in value.items()}
    if not isinstance(value, str) or "{" not in value:
        return value
    text = value.format(**known)
    return int(text) if value.startswith("{") and text.isdigit() else text


ALL = [*TABLE, *role_rows.FREE]


def for_each(rows: Sequence[Row]) -> pytest.MarkDecorator:
    """Run a test with each row; the operation is its id."""
    return pytest.mark.parametrize("row", rows, ids=[row[0] for row in rows])


def operation_of(name: str) -> str:
    """The operation that a row is about: its name, without what is peculiar to the row."""
    return name.partition(" (")[0]


def list_rows(rows: Sequence[Row], *, ended: bool = False) -> list[Row]:
    """Return the rows of operations that later releases removed, or all others."""
    return [row for row in rows if bool(OPERATIONS[operation_of(row[0])].until) == ended]


@for_each(list_rows(TABLE))
def test_each_role_gets_what_the_facts_say(prepared: Prepared, row: Row) -> None:
    """Each role gets the documented answer of each operation."""
    assert row[-1] == " ".join(list_outcomes(prepared, row))


@for_each(list_rows(role_rows.FREE))
def test_each_role_gets_what_the_facts_say_of_more_records(prepared_with_records: Prepared, row: Row) -> None:
    """Each role gets the documented answer about records beyond the scenario's."""
    assert row[-1] == " ".join(list_outcomes(prepared_with_records, row))


@for_each(list_rows(role_rows.PAID))
def test_each_role_gets_what_the_facts_say_of_paid_features(prepared_paid: Prepared, row: Row) -> None:
    """Each role gets the documented answer of paid features."""
    assert row[-1] == " ".join(list_outcomes(prepared_paid, row))


@for_each(list_rows([*TABLE, *role_rows.FREE, *role_rows.PAID], ended=True))
def test_each_role_gets_what_the_facts_say_of_removed_operations(prepared_first: Prepared, row: Row) -> None:
    """Each role gets the documented answer of the operations that later releases do not have."""
    assert row[-1] == " ".join(list_outcomes(prepared_first, row))


def is_form(body: Any) -> bool:
    """Whether a body is a form with files, which is sent as it is."""
    return isinstance(body, dict) and body.keys() == {"data", "headers"}


def list_outcomes(prepared: Prepared, row: Row) -> Iterator[str]:
    """Yield the status of each role's request, which is about the operation that the row names, and no other."""
    name, method, path, body, _ = row
    world, ids = prepared
    world.snapshot()
    sent = body if is_form(body) else {"json": fill_in(body, ids)}
    for role in ROLES:
        reply = world.as_user(role).request(method, fill_in(path, ids), **sent)
        assert operation_of(name) == world.requests[-1].operation
        yield str(int(reply.status))
        world.restore()


def test_every_operation_that_asks_for_an_ability_has_a_row() -> None:
    """A new operation says by hand who may use it."""
    tested = {operation_of(row[0]) for row in (*ALL, *role_rows.PAID)}
    assert [] == sorted(
        operation.name for operation in OPERATIONS if operation.ability and operation.name not in tested
    )
