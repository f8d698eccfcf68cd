"""Limits of requests in a period."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Annotated

    from fakeplat.core.release import Lifetime
    from fakeplat.model.setting_rules import EXCEEDS, Amount, Length, Lines, Number, Paid, Period, PositiveAmount, Texts


class RateLimitSettings:
    """Limits of requests in a period."""

    ai_action_api_rate_limit: Annotated[PositiveAmount, Lifetime(since="<=17.10"), Paid()] = 160
    autocomplete_users_limit: Annotated[PositiveAmount, Lifetime(since="<=18.5")] = 300
    autocomplete_users_unauthenticated_limit: Annotated[PositiveAmount, Lifetime(since="<=18.5")] = 100
    ci_lint_limit_per_user: Annotated[Amount, Lifetime(since="19.2")] = 0
    code_suggestions_api_rate_limit: Annotated[PositiveAmount, Lifetime(since="<=17.10"), Paid()] = 60
    create_organization_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 10
    dependency_scanning_sbom_scan_api_download_limit: Annotated[Amount, Lifetime(since="<=18.9"), Paid("ultimate")] = (
        6000
    )
    dependency_scanning_sbom_scan_api_upload_limit: Annotated[Amount, Lifetime(since="<=18.9"), Paid("ultimate")] = 400
    downstream_pipeline_trigger_limit_per_project_user_sha: Annotated[Amount, Lifetime(since="16.10")] = 0
    git_push_pipeline_limit: Annotated[PositiveAmount, Lifetime(since="<=18.5")] = 4
    gitlab_shell_operation_limit: Annotated[Amount, Lifetime(since="16.2")] = 600
    group_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 400
    group_archive_unarchive_api_limit: Annotated[Amount, Lifetime(since="<=18.5")] = 60
    group_invited_groups_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 60
    group_projects_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 600
    group_shared_groups_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 60
    groups_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 200
    max_number_of_repository_downloads: Annotated[
        int, Lifetime(since="15.1"), Paid("ultimate"), Number(least=0, most=10_000)
    ] = 0
    max_number_of_repository_downloads_within_time_period: Annotated[
        int, Lifetime(since="15.1"), Paid("ultimate"), Number(least=0, most=864_000)
    ] = 0
    git_rate_limit_users_allowlist: Annotated[
        Texts, Lifetime(since="15.2"), Paid("ultimate"), Length(100, unit="usernames", too_long=EXCEEDS)
    ] = ()
    git_rate_limit_users_alertlist: Annotated[
        tuple[int, ...], Lifetime(since="15.9"), Paid("ultimate"), Length(100, unit="user ids", too_long=EXCEEDS)
    ] = ()
    auto_ban_user_on_excessive_projects_download: Annotated[bool, Lifetime(since="15.4"), Paid("ultimate")] = False
    members_delete_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 60
    notes_create_limit_allowlist: Annotated[
        Texts, Lifetime(since="<=17.10"), Lines(only=True), Length(100, unit="entries")
    ] = ()
    pipeline_limit_per_project_user_sha: Annotated[Amount, Lifetime(since="<=15.3")] = 0
    pipeline_limit_per_user: Annotated[Amount, Lifetime(since="<=18.9")] = 0
    project_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 400
    project_invited_groups_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 60
    project_jobs_api_rate_limit: Annotated[PositiveAmount, Lifetime(since="16.5")] = 600
    project_members_api_limit: Annotated[Amount, Lifetime(since="<=18.9")] = 200
    projects_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 2000
    projects_api_rate_limit_unauthenticated: Annotated[Amount, Lifetime(since="15.10")] = 400
    protected_paths_for_get_request: Annotated[
        Texts, Lifetime(since="<=17.10"), Lines(only=True), Length(100, unit="entries")
    ] = ()
    raw_blob_request_limit_unauthenticated: Annotated[Amount, Lifetime(since="<=19.3")] = 800
    runner_jobs_endpoints_api_limit: Annotated[Amount, Lifetime(since="18.5")] = 200
    runner_jobs_patch_trace_api_limit: Annotated[Amount, Lifetime(since="18.5")] = 200
    runner_jobs_request_api_limit: Annotated[Amount, Lifetime(since="18.5")] = 2000
    search_rate_limit: Annotated[Amount, Lifetime(since="<=14.10")] = 30
    search_rate_limit_allowlist: Annotated[
        Texts, Lifetime(since="<=17.10"), Lines(only=True), Length(100, unit="entries")
    ] = ()
    search_rate_limit_unauthenticated: Annotated[Amount, Lifetime(since="<=14.10")] = 10
    throttle_authenticated_deprecated_api_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_authenticated_deprecated_api_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 3600
    throttle_authenticated_deprecated_api_requests_per_period: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = (
        3600
    )
    throttle_authenticated_files_api_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_authenticated_files_api_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 15
    throttle_authenticated_files_api_requests_per_period: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = 500
    throttle_authenticated_git_http_enabled: Annotated[bool, Lifetime(since="18.1")] = False
    throttle_authenticated_git_http_period_in_seconds: Annotated[Period, Lifetime(since="18.1")] = 3600
    throttle_authenticated_git_http_requests_per_period: Annotated[PositiveAmount, Lifetime(since="18.1")] = 3600
    throttle_authenticated_git_lfs_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_authenticated_git_lfs_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 60
    throttle_authenticated_git_lfs_requests_per_period: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = 1000
    throttle_authenticated_packages_api_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_authenticated_packages_api_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 15
    throttle_authenticated_packages_api_requests_per_period: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = 1000
    throttle_unauthenticated_api_enabled: Annotated[bool, Lifetime(since="14.3")] = False
    throttle_unauthenticated_api_period_in_seconds: Annotated[Period, Lifetime(since="14.3")] = 3600
    throttle_unauthenticated_api_requests_per_period: Annotated[PositiveAmount, Lifetime(since="14.3")] = 3600
    throttle_unauthenticated_deprecated_api_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_unauthenticated_deprecated_api_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 3600
    throttle_unauthenticated_deprecated_api_requests_per_period: Annotated[
        PositiveAmount, Lifetime(since="<=14.10")
    ] = 1800
    throttle_unauthenticated_files_api_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_unauthenticated_files_api_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 15
    throttle_unauthenticated_files_api_requests_per_period: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = 125
    throttle_unauthenticated_git_http_enabled: Annotated[bool, Lifetime(since="17.0")] = False
    throttle_unauthenticated_git_http_period_in_seconds: Annotated[Period, Lifetime(since="17.0")] = 3600
    throttle_unauthenticated_git_http_requests_per_period: Annotated[PositiveAmount, Lifetime(since="17.0")] = 3600
    throttle_unauthenticated_packages_api_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    throttle_unauthenticated_packages_api_period_in_seconds: Annotated[Period, Lifetime(since="<=14.10")] = 15
    throttle_unauthenticated_packages_api_requests_per_period: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = (
        800
    )
    user_contributed_projects_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 100
    user_projects_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 300
    user_starred_projects_api_limit: Annotated[Amount, Lifetime(since="<=17.10")] = 100
    users_api_limit_followers: Annotated[Amount, Lifetime(since="17.10")] = 100
    users_api_limit_following: Annotated[Amount, Lifetime(since="17.10")] = 100
    users_api_limit_gpg_key: Annotated[Amount, Lifetime(since="17.10")] = 120
    users_api_limit_gpg_keys: Annotated[Amount, Lifetime(since="17.10")] = 120
    users_api_limit_ssh_key: Annotated[Amount, Lifetime(since="17.10")] = 120
    users_api_limit_ssh_keys: Annotated[Amount, Lifetime(since="17.10")] = 120
    users_api_limit_status: Annotated[Amount, Lifetime(since="17.10")] = 240
    users_get_by_id_limit: Annotated[Amount, Lifetime(since="<=14.10")] = 300
    users_get_by_id_limit_allowlist: Annotated[
        Texts, Lifetime(since="<=14.10"), Lines(only=True), Length(100, unit="entries")
    ] = ()
    virtual_registries_endpoints_api_limit: Annotated[Amount, Lifetime(since="17.11"), Paid()] = 1000
    web_hook_event_resend_limit: Annotated[Amount, Lifetime(since="19.3")] = 5
    web_hook_test_limit: Annotated[Amount, Lifetime(since="19.3")] = 5
