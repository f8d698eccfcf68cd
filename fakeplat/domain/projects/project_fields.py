"""What the creation and the changes of a project accept: fields of the record and further parameters."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from fakeplat.core.json_types import JsonValue
from fakeplat.core.params.body import Upload
from fakeplat.model.people import FeatureLevel, OverrideRole, Visibility
from fakeplat.model.projects import ProcessMode, SquashOption


class ProjectChanges(TypedDict, total=False):
    """Changes of a project; the older switches of features are read as access levels."""

    name: str
    path: str
    default_branch: str | None
    visibility: Visibility
    description: str | None
    issues_access_level: FeatureLevel
    repository_access_level: FeatureLevel
    merge_requests_access_level: FeatureLevel
    forking_access_level: FeatureLevel
    wiki_access_level: FeatureLevel
    builds_access_level: FeatureLevel
    snippets_access_level: FeatureLevel
    pages_access_level: FeatureLevel
    operations_access_level: FeatureLevel
    analytics_access_level: FeatureLevel
    container_registry_access_level: FeatureLevel
    requirements_access_level: FeatureLevel
    security_and_compliance_access_level: FeatureLevel
    releases_access_level: FeatureLevel
    environments_access_level: FeatureLevel
    feature_flags_access_level: FeatureLevel
    infrastructure_access_level: FeatureLevel
    monitor_access_level: FeatureLevel
    model_experiments_access_level: FeatureLevel
    model_registry_access_level: FeatureLevel
    package_registry_access_level: FeatureLevel
    container_registry_enabled: bool
    resolve_outdated_diff_discussions: bool
    shared_runners_enabled: bool
    lfs_enabled: bool
    packages_enabled: bool
    emails_disabled: bool | None
    service_desk_enabled: bool
    request_access_enabled: bool
    public_builds: bool
    only_allow_merge_if_pipeline_succeeds: bool
    allow_merge_on_skipped_pipeline: bool | None
    only_allow_merge_if_all_discussions_are_resolved: bool
    remove_source_branch_after_merge: bool
    printing_merge_request_link_enabled: bool
    merge_method: Literal["ff", "rebase_merge", "merge"]
    autoclose_referenced_issues: bool
    suggestion_commit_message: str | None
    approvals_before_merge: int
    reset_approvals_on_push: bool
    disable_overriding_approvers_per_merge_request: bool
    merge_requests_author_approval: bool
    merge_requests_disable_committers_approval: bool
    require_password_to_approve: bool
    selective_code_owner_removals: bool
    approver_ids: tuple[int, ...]
    approver_group_ids: tuple[int, ...]
    auto_devops_enabled: bool
    auto_devops_deploy_strategy: Literal["continuous", "manual", "timed_incremental"]
    auto_cancel_pending_pipelines: Literal["disabled", "enabled"]
    build_git_strategy: Literal["fetch", "clone"]
    build_timeout: int
    max_artifacts_size: int | None
    repository_size_limit: int | None
    build_coverage_regex: str | None
    ci_config_path: str | None
    ci_default_git_depth: int | None
    ci_forward_deployment_enabled: bool
    external_authorization_classification_label: str | None
    repository_storage: str
    mirror: bool
    mirror_user_id: int | None
    mirror_trigger_builds: bool
    only_mirror_protected_branches: bool
    mirror_overwrites_diverged_branches: bool
    pages_https_only: bool
    pages_unique_domain_enabled: bool
    pages_default_domain_redirect: str | None
    issues_template: str | None
    merge_requests_template: str | None
    squash_option: SquashOption
    merge_commit_template: str | None
    squash_commit_template: str | None
    issue_branch_template: str | None
    merge_request_title_regex: str | None
    merge_request_title_regex_description: str | None
    mr_default_target_self: bool
    show_diff_preview_in_email: bool
    warn_about_potentially_unwanted_characters: bool
    enforce_auth_checks_on_uploads: bool
    group_runners_enabled: bool
    keep_latest_artifact: bool
    restrict_user_defined_variables: bool
    ci_pipeline_variables_minimum_override_role: OverrideRole
    ci_separated_caches: bool
    ci_allow_fork_pipelines_to_run_in_parent_project: bool
    ci_forward_deployment_rollback_allowed: bool
    ci_push_repository_for_job_token_allowed: bool
    ci_id_token_sub_claim_components: Sequence[str]
    ci_delete_pipelines_in_seconds: int | None
    ci_restrict_pipeline_cancellation_role: Literal["developer", "maintainer", "no_one"]
    resource_group_default_process_mode: ProcessMode
    merge_pipelines_enabled: bool
    merge_trains_enabled: bool
    merge_trains_skip_train_allowed: bool
    only_allow_merge_if_all_status_checks_passed: bool
    allow_pipeline_trigger_approve_deployment: bool
    prevent_merge_without_jira_issue: bool
    fallback_approvals_required: int
    mirror_branch_regex: str | None
    web_based_commit_signing_enabled: bool
    spp_repository_pipeline_access: bool
    auto_duo_code_review_enabled: bool
    duo_remote_flows_enabled: bool
    duo_foundational_flows_enabled: bool
    duo_sast_fp_detection_enabled: bool
    duo_sast_vr_workflow_enabled: bool
    emails_enabled: bool
    topics: Sequence[str] | None
    public_jobs: bool
    job_token_scope_enabled: bool
    avatar: Upload | None
    tag_list: Sequence[str] | None
    container_expiration_policy: Mapping[str, JsonValue] | None
    container_expiration_policy_attributes: Mapping[str, JsonValue]
    issues_enabled: bool
    merge_requests_enabled: bool
    wiki_enabled: bool
    jobs_enabled: bool
    snippets_enabled: bool


class NewProject(ProjectChanges, total=False):
    """A new project: its path is derived from the name, and the name from the path."""

    initialize_with_readme: bool
    creator_id: int | None
    created_at: str
    updated_at: str
    last_activity_at: str
    archived: bool
    marked_for_deletion_on: str | None
    marked_for_deletion_by: int | None
    import_url: str | None
    import_status: str
    import_error: str | None
    runners_token: str
    unleash_instance_id: str
    runners: Literal["played", "external"]
    forked_from_id: int | None
    languages: tuple[tuple[str, float], ...]
    housekept_until: int
    pushed_into_being_by: int | None
