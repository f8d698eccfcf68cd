"""Deletion, imports, security and compliance."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Any, Literal

    from fakeplat.core.release import Lifetime
    from fakeplat.model.setting_rules import (
        DEPENDENCY_MANAGEMENT,
        Amount,
        Keys,
        Legacy,
        Length,
        Number,
        Paid,
        PositiveAmount,
    )


class PolicySettings:
    """Deletion, imports, security and compliance."""

    allow_application_default_credentials_for_offline_transfer: Annotated[bool, Lifetime(since="19.3")] = False
    allow_bypass_placeholder_confirmation: Annotated[bool, Lifetime(since="18.0")] = False
    allow_contribution_mapping_to_admins: Annotated[bool, Lifetime(since="<=17.10")] = False
    allow_deploy_tokens_and_keys_with_external_authn: Annotated[bool, Lifetime(since="<=17.10")] = False
    allow_immediate_namespaces_deletion: Annotated[bool, Lifetime(since="<=18.9")] = True
    allow_possible_spam: Annotated[bool, Lifetime(since="<=17.10")] = False
    allow_s3_compatible_storage_for_offline_transfer: Annotated[bool, Lifetime(since="18.9")] = False
    bulk_import_concurrent_pipeline_batch_limit: Annotated[PositiveAmount, Lifetime(since="<=17.3")] = 25
    bulk_import_enabled: Annotated[bool, Lifetime(since="15.8")] = False
    bulk_import_max_download_file_size: Annotated[Amount, Lifetime(since="16.3")] = 5120
    concurrent_bitbucket_import_jobs_limit: Annotated[PositiveAmount, Lifetime(since="16.11")] = 100
    concurrent_bitbucket_server_import_jobs_limit: Annotated[PositiveAmount, Lifetime(since="16.11")] = 100
    concurrent_github_import_jobs_limit: Annotated[PositiveAmount, Lifetime(since="16.11")] = 1000
    concurrent_relation_batch_export_limit: Annotated[PositiveAmount, Lifetime(since="17.6")] = 8
    decompress_archive_file_timeout: Annotated[Amount, Lifetime(since="16.4")] = 210
    default_branch_protection_defaults: Annotated[Mapping[str, Any], Lifetime(since="17.0")] = {}
    delete_inactive_projects: Annotated[bool, Lifetime(since="<=15.3")] = False
    inactive_projects_delete_after_months: Annotated[PositiveAmount, Lifetime(since="15.0")] = 2
    inactive_projects_min_size_mb: Annotated[Amount, Lifetime(since="15.0")] = 0
    inactive_projects_send_warning_email_after_months: Annotated[
        int, Lifetime(since="<=15.3"), Number(above=0, below="inactive_projects_delete_after_months")
    ] = 1
    deny_all_requests_except_allowed: Annotated[bool, Lifetime(since="<=17.10")] = False
    dependency_management_settings: Annotated[
        Mapping[str, Any], Lifetime(since="19.1"), Paid("ultimate"), Keys(DEPENDENCY_MANAGEMENT)
    ] = {}
    description_and_note_max_size: Annotated[PositiveAmount, Lifetime(since="<=19.3")] = 1_048_576
    ecdsa_sk_key_restriction: Annotated[Literal[0, 256, -1], Lifetime(since="<=14.10")] = 0
    ed25519_sk_key_restriction: Annotated[Literal[0, 256, -1], Lifetime(since="<=14.10")] = 0
    enforce_pipl_compliance: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = False
    max_decompressed_archive_size: Annotated[Amount, Lifetime(since="<=17.4")] = 25_600
    max_export_size: Annotated[Amount, Lifetime(since="<=15.3")] = 0
    max_github_response_json_value_count: Annotated[Amount, Lifetime(since="<=18.5")] = 250_000
    max_github_response_size_limit: Annotated[Amount, Lifetime(since="<=18.5")] = 8
    max_http_decompressed_size: Annotated[Amount, Lifetime(since="<=18.5")] = 100
    max_http_response_csv_structural_chars: Annotated[Amount, Lifetime(since="18.4")] = 1_000_000
    max_http_response_json_depth: Annotated[Amount, Lifetime(since="<=18.9")] = 32
    max_http_response_json_structural_chars: Annotated[Amount, Lifetime(since="18.4")] = 1_000_000
    max_http_response_size_limit: Annotated[Amount, Lifetime(since="18.4")] = 100
    max_http_response_xml_structural_chars: Annotated[Amount, Lifetime(since="18.4")] = 1_000_000
    max_import_remote_file_size: Annotated[Amount, Lifetime(since="16.3")] = 10_240
    offline_transfer_exports_enabled: Annotated[bool, Lifetime(since="19.3")] = False
    offline_transfer_imports_enabled: Annotated[bool, Lifetime(since="19.3")] = False
    pipeline_execution_policies_per_configuration_limit: Annotated[
        int, Lifetime(since="<=18.5"), Paid("ultimate"), Number(least=0, most=20)
    ] = 5
    relation_export_batch_size: Annotated[PositiveAmount, Lifetime(since="18.2")] = 50
    require_sha_for_merge: Annotated[bool, Lifetime(since="19.2")] = False
    lock_require_sha_for_merge: Annotated[bool, Lifetime(since="19.2")] = False
    scan_execution_policies_action_limit: Annotated[
        int, Lifetime(since="<=17.11"), Paid("ultimate"), Number(least=0, most=20)
    ] = 0
    scan_execution_policies_per_configuration_limit: Annotated[
        int, Lifetime(since="<=18.5"), Paid("ultimate"), Number(least=0, most=20)
    ] = 5
    scan_execution_policies_schedule_limit: Annotated[
        int, Lifetime(since="<=18.5"), Paid("ultimate"), Number(least=0, most=20)
    ] = 0
    secret_detection_revocation_token_types_url: Annotated[str | None, Lifetime(since="<=14.10"), Paid("ultimate")] = (
        None
    )
    secret_detection_service_auth_token: Annotated[str | None, Lifetime(since="<=17.11"), Paid("ultimate")] = None
    secret_detection_service_url: Annotated[str, Lifetime(since="<=17.11"), Paid("ultimate"), Length(255)] = ""
    secret_push_protection_available: Annotated[
        bool, Lifetime(since="<=17.11"), Paid("ultimate"), Legacy(("pre_receive_secret_detection_enabled",))
    ] = False
    security_approval_policies_limit: Annotated[
        int, Lifetime(since="<=17.4"), Paid("ultimate"), Number(least=5, most=20)
    ] = 5
    security_policy_global_group_approvers_enabled: Annotated[bool, Lifetime(since="<=17.4"), Paid("ultimate")] = True
    security_txt_content: Annotated[str | None, Lifetime(since="16.7"), Length(2048)] = None
    silent_admin_exports_enabled: Annotated[bool, Lifetime(since="17.0")] = False
    silent_mode_enabled: Annotated[bool, Lifetime(since="<=17.4")] = False
    spam_check_api_key: Annotated[str | None, Lifetime(since="<=14.10"), Length(2000)] = None
    vulnerability_management_policies_per_configuration_limit: Annotated[
        int, Lifetime(since="<=18.5"), Paid("ultimate"), Number(least=0, most=20)
    ] = 5
