"""The fields of responses. Source: docs/platform/users.md and the pages of the other resources."""

from collections.abc import Mapping
from typing import Any

USER = {"id", "name", "username", "state", "avatar_url", "web_url"}

PROFILE = {
    "created_at",
    "bio",
    "bio_html",
    "location",
    "skype",
    "linkedin",
    "twitter",
    "website_url",
    "organization",
    "job_title",
}
USER_PUBLIC = USER | PROFILE | {"public_email", "work_information"}

ACCOUNT = {
    "email",
    "last_sign_in_at",
    "confirmed_at",
    "theme_id",
    "last_activity_on",
    "color_scheme_id",
    "projects_limit",
    "current_sign_in_at",
    "identities",
    "can_create_group",
    "can_create_project",
    "two_factor_enabled",
    "external",
    "private_profile",
}
USER_ADMIN = USER | PROFILE | ACCOUNT | {"is_admin", "note", "current_sign_in_ip", "last_sign_in_ip"}
USER_ADMIN_DETAIL = USER_ADMIN | {"public_email", "sign_in_count", "highest_role"}
USER_SELF = USER | PROFILE | ACCOUNT | {"public_email"}
MINUTES = {"shared_runners_minutes_limit", "extra_shared_runners_minutes_limit"}

NAMESPACE = {"id", "name", "path", "kind", "full_path", "parent_id", "avatar_url", "web_url"}

PROJECT_SIMPLE = {
    "id",
    "description",
    "default_branch",
    "ssh_url_to_repo",
    "http_url_to_repo",
    "web_url",
    "readme_url",
    "tag_list",
    "name",
    "name_with_namespace",
    "path",
    "path_with_namespace",
    "created_at",
    "last_activity_at",
    "forks_count",
    "avatar_url",
    "star_count",
    "namespace",
}
OF_CODE = {"default_branch", "ci_config_path"}
"""What a project shows only to those who may read its code."""

PROJECT_FULL = PROJECT_SIMPLE | {
    "visibility",
    "issues_enabled",
    "open_issues_count",
    "merge_requests_enabled",
    "jobs_enabled",
    "wiki_enabled",
    "snippets_enabled",
    "can_create_merge_request_in",
    "resolve_outdated_diff_discussions",
    "container_registry_enabled",
    "creator_id",
    "import_status",
    "archived",
    "shared_runners_enabled",
    "ci_default_git_depth",
    "ci_forward_deployment_enabled",
    "public_jobs",
    "shared_with_groups",
    "only_allow_merge_if_pipeline_succeeds",
    "allow_merge_on_skipped_pipeline",
    "only_allow_merge_if_all_discussions_are_resolved",
    "remove_source_branch_after_merge",
    "request_access_enabled",
    "merge_method",
    "autoclose_referenced_issues",
    "suggestion_commit_message",
    "marked_for_deletion_at",
    "marked_for_deletion_on",
    "_links",
    "empty_repo",
    "container_expiration_policy",
    "lfs_enabled",
    "build_timeout",
    "auto_cancel_pending_pipelines",
    "build_coverage_regex",
    "ci_config_path",
    "emails_disabled",
    "printing_merge_request_link_enabled",
    "issues_access_level",
    "repository_access_level",
    "merge_requests_access_level",
    "forking_access_level",
    "wiki_access_level",
    "builds_access_level",
    "snippets_access_level",
    "pages_access_level",
    "operations_access_level",
    "analytics_access_level",
}
ADMINISTERED = {"runners_token", "import_error", "build_git_strategy"}
PLATFORM_FULL = (
    PROJECT_FULL
    | {
        "auto_devops_enabled",
        "auto_devops_deploy_strategy",
        "packages_enabled",
        "service_desk_enabled",
        "service_desk_address",
    }
) - {"marked_for_deletion_at", "marked_for_deletion_on"}
"""The same on the free tier of the platform (ruling 32)."""

PROJECT_PAID = {
    "approvals_before_merge",
    "auto_devops_enabled",
    "auto_devops_deploy_strategy",
    "mirror",
    "external_authorization_classification_label",
    "packages_enabled",
    "service_desk_enabled",
    "service_desk_address",
    "compliance_frameworks",
    "issues_template",
    "merge_requests_template",
}

MEMBER = USER | {"access_level", "expires_at"}

TEXT, NUMBER, FLAG, LIST, OBJECT, NULL = str, int, bool, list, dict, type(None)


def list_mistyped_fields(record: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """The fields whose value has none of its types; a truth value is no number."""
    return {name: record[name] for name, allowed in types.items() if type(record[name]) not in allowed}
