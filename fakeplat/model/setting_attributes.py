"""The declarations of the application settings. Source: docs/platform/settings.md.

One line declares a setting: its name, the type of its values, what else is true of it (`setting_rules`), and its
default. The record's attribute, the parameter, the shown field, the scenario key and the validation follow from it.
The order is the platform's, which errors and responses have.
"""

# Annotations stay texts until a request or a scenario needs them: evaluating them would slow down every start.
from __future__ import annotations

from typing import TYPE_CHECKING

from fakeplat.model.setting_groups.accounts import AccountSettings
from fakeplat.model.setting_groups.ci import CiSettings
from fakeplat.model.setting_groups.interface import InterfaceSettings
from fakeplat.model.setting_groups.plan_limits import PlanLimits
from fakeplat.model.setting_groups.policies import PolicySettings
from fakeplat.model.setting_groups.rate_limits import RateLimitSettings
from fakeplat.model.setting_groups.search import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Literal

    from fakeplat.core.release import ByRelease, Lifetime, RenamedFrom
    from fakeplat.model.ci import FileType
    from fakeplat.model.people import Visibility
    from fakeplat.model.setting_rules import (
        LOCAL,
        SECRET,
        Amount,
        Identifies,
        Legacy,
        Length,
        Lines,
        Matches,
        Members,
        Needed,
        Number,
        Paid,
        Period,
        PositiveAmount,
        Requires,
        Texts,
        Url,
        WebUrl,
    )


class SettingAttributes(
    AccountSettings, RateLimitSettings, CiSettings, PolicySettings, InterfaceSettings, SearchSettings, PlanLimits
):
    """Every application setting with its default.

    Sizes of attachments, artifacts, imports, pages and pushes are in MB, those of snippets, wiki pages, patches and
    packages in bytes. Periods are in seconds, unless a name says otherwise; the delay of sessions is in minutes, the
    period before deletion in days. Durations in words: ``default_artifacts_expire_in`` (``0``: never).
    """

    abuse_notification_email: Annotated[str | None, Legacy(("admin_notification_email",)), Matches("email")] = None
    after_sign_out_path: Url = None
    after_sign_up_text: str | None = None
    akismet_api_key: Annotated[str | None, Needed("akismet_enabled")] = None
    akismet_enabled: Annotated[bool, Requires(("akismet_api_key",))] = False
    allow_local_requests_from_web_hooks_and_services: Annotated[
        bool, Legacy(("allow_local_requests_from_hooks_and_services",))
    ] = True  # The platform's default is False, which would refuse the URLs of all receivers that tests run.
    allow_local_requests_from_system_hooks: bool = True
    dns_rebinding_protection_enabled: bool = True
    archive_builds_in_human_readable: Annotated[str | None, Matches("duration")] = None
    asset_proxy_enabled: bool = False
    asset_proxy_secret_key: Annotated[str | None, SECRET, Needed("asset_proxy_enabled")] = None
    asset_proxy_url: Annotated[str | None, Needed("asset_proxy_enabled"), WebUrl()] = None
    asset_proxy_allowlist: Annotated[Texts, RenamedFrom("asset_proxy_whitelist", since="<=13.12")] = ()
    static_objects_external_storage_auth_token: Annotated[str | None, Needed("static_objects_external_storage_url")] = (
        None
    )
    static_objects_external_storage_url: Url = None
    authorized_keys_enabled: bool = True
    auto_devops_enabled: bool = True
    auto_devops_domain: Annotated[str | None, Matches("hostname")] = None
    container_expiration_policies_enable_historic_entries: bool = False
    container_registry_token_expire_delay: PositiveAmount = 5
    default_artifacts_expire_in: Annotated[str, Needed(), Matches("duration")] = "30 days"
    default_branch_name: str | None = None
    default_branch_protection: Annotated[
        Literal[0, 1, 2, 3, 4], Lifetime(since="<=14.10", values=(3,)), Lifetime(since="<=17.0", values=(4,))
    ] = 2
    default_ci_config_path: Annotated[str | None, Matches("ci_path"), Length(255)] = None
    default_group_visibility: Visibility = "private"
    default_project_creation: Annotated[Literal[0, 1, 2, 3, 4], Lifetime(since="<=17.9", values=(3, 4))] = 2
    default_project_visibility: Visibility = "private"
    default_projects_limit: int = 100_000
    default_snippet_visibility: Visibility = "private"
    disabled_oauth_sign_in_sources: Texts = ()
    domain_denylist: Annotated[
        Texts,
        Lines(),
        RenamedFrom("domain_blacklist", since="13.7", until="<=15.4"),
        Needed(
            "domain_denylist_enabled",
            ByRelease(
                {
                    "13.5": "Domain blacklist cannot be empty if Blacklist is enabled.",
                    "13.7": "Domain denylist cannot be empty if denylist is enabled.",
                }
            ),
        ),
    ] = ()
    domain_denylist_enabled: Annotated[bool, RenamedFrom("domain_blacklist_enabled", since="13.7", until="<=15.4")] = (
        False
    )
    domain_allowlist: Annotated[
        Texts | None, Lines(), RenamedFrom("domain_whitelist", since="13.7", until="<=15.4")
    ] = None
    outbound_local_requests_whitelist: Annotated[
        Texts, Lines(also="outbound_local_requests_allowlist_raw", since="<=14.10"), Length(1000, unit="entries")
    ] = ()
    dsa_key_restriction: Literal[0, 1024, 2048, 3072, -1] = 0
    ecdsa_key_restriction: Literal[0, 256, 384, 521, -1] = 0
    ed25519_key_restriction: Literal[0, 256, -1] = 0
    eks_integration_enabled: Annotated[
        bool, Requires(("eks_account_id", "eks_access_key_id", "eks_secret_access_key"))
    ] = False
    eks_account_id: Annotated[str | None, Matches("aws_account"), Needed("eks_integration_enabled")] = None
    eks_access_key_id: Annotated[str | None, Length(128, least=16), Needed("eks_integration_enabled")] = None
    eks_secret_access_key: Annotated[str | None, SECRET, Needed("eks_integration_enabled")] = None
    email_author_in_body: bool = False
    enabled_git_access_protocol: Annotated[
        Literal["ssh", "http", "nil", "all"] | None,
        Lifetime(since="16.9", values=("all",)),
        Lifetime(until="<=17.0", values=("nil",)),
    ] = None
    enforce_terms: bool = False
    first_day_of_week: Literal[0, 1, 6] = 0
    force_pages_access_control: bool = False
    gitaly_timeout_default: Annotated[int, Number(least=0, most=57)] = 55
    gitaly_timeout_medium: Annotated[int, Number(least="gitaly_timeout_fast", most="gitaly_timeout_default")] = 30
    gitaly_timeout_fast: Annotated[int, Number(least=0, most="gitaly_timeout_default")] = 10
    gitpod_enabled: Annotated[bool, Requires(("gitpod_url",))] = False
    gitpod_url: Annotated[str | None, Needed("gitpod_enabled"), WebUrl()] = "https://gitpod.io/"
    grafana_enabled: bool = False
    grafana_url: str | None = "/-/grafana"
    gravatar_enabled: bool = True
    hashed_storage_enabled: bool = True
    help_page_hide_commercial_content: bool = False
    help_page_support_url: Url = None
    help_page_documentation_base_url: Annotated[str | None, Lifetime(since="13.6"), Length(255), WebUrl()] = None
    help_page_text: str | None = None
    hide_third_party_offers: bool = False
    home_page_url: Url = None
    housekeeping_bitmaps_enabled: bool = True
    housekeeping_enabled: Annotated[
        bool,
        Requires(
            (
                "housekeeping_bitmaps_enabled",
                "housekeeping_full_repack_period",
                "housekeeping_gc_period",
                "housekeeping_incremental_repack_period",
            ),
            Lifetime(until="15.8"),
        ),
    ] = True
    housekeeping_full_repack_period: Annotated[int, Number(least="housekeeping_incremental_repack_period")] = 50
    housekeeping_gc_period: Annotated[int, Number(least="housekeeping_full_repack_period")] = 200
    housekeeping_incremental_repack_period: Annotated[
        PositiveAmount, Legacy(("housekeeping_optimize_repository_period",), since="15.8")
    ] = 10
    html_emails_enabled: bool = True
    import_sources: Annotated[
        tuple[
            Literal[
                "github",
                "bitbucket",
                "bitbucket_server",
                "gitlab",
                "google_code",
                "fogbugz",
                "git",
                "gitlab_project",
                "gitea",
                "manifest",
                "phabricator",
            ],
            ...,
        ],
        Needed(),
    ] = (
        "github",
        "bitbucket",
        "bitbucket_server",
        "gitlab",
        "google_code",
        "fogbugz",
        "git",
        "gitlab_project",
        "gitea",
        "manifest",
        "phabricator",
    )
    max_artifacts_size: PositiveAmount = 100
    max_attachment_size: PositiveAmount = 10
    max_import_size: Amount = 50
    max_pages_size: Annotated[int, Number(least=0, below=1_048_576)] = 100
    metrics_method_call_threshold: int = 10
    minimum_password_length: Annotated[int, Number(least=8, most=128)] = 8
    mirror_available: bool = True
    notify_on_unknown_sign_in: bool = True
    pages_domain_verification_enabled: bool = True
    password_authentication_enabled_for_web: Annotated[
        bool, Legacy(("password_authentication_enabled", "signin_enabled"))
    ] = True
    password_authentication_enabled_for_git: bool = True
    performance_bar_allowed_group_id: Annotated[int | None, Identifies("namespaces")] = None
    plantuml_enabled: Annotated[bool, Requires(("plantuml_url",))] = False
    plantuml_url: Annotated[str | None, Needed("plantuml_enabled")] = None
    polling_interval_multiplier: Annotated[float, Number(least=0)] = 1.0
    project_export_enabled: bool = True
    prometheus_metrics_enabled: bool = True
    recaptcha_enabled: Annotated[bool, Requires(("recaptcha_site_key", "recaptcha_private_key"))] = False
    recaptcha_private_key: Annotated[
        str | None, Needed("recaptcha_enabled"), Needed("login_recaptcha_protection_enabled")
    ] = None
    recaptcha_site_key: Annotated[
        str | None, Needed("recaptcha_enabled"), Needed("login_recaptcha_protection_enabled")
    ] = None
    login_recaptcha_protection_enabled: Annotated[bool, Requires(("recaptcha_site_key", "recaptcha_private_key"))] = (
        False
    )
    receive_max_input_size: int | None = None
    repository_checks_enabled: bool = True
    repository_storages: Annotated[Texts, Needed(), Members(("default",), "can't include: {}")] = ("default",)
    repository_storages_weighted: Mapping[str, int] = {"default": 100}  # read-only
    require_admin_approval_after_user_signup: bool = False
    require_two_factor_authentication: Annotated[bool, Requires(("two_factor_grace_period",))] = False
    restricted_visibility_levels: Annotated[
        Texts, Members(("private", "internal", "public"), "'{}' is not a valid visibility level")
    ] = ()
    rsa_key_restriction: Literal[0, 1024, 2048, 3072, 4096, -1] = 0
    send_user_confirmation_email: Annotated[bool, Lifetime(until="<=15.8")] = False
    session_expire_delay: Amount = 10_080
    shared_runners_enabled: Annotated[bool, Requires(("shared_runners_text",))] = True
    shared_runners_text: str | None = None
    sign_in_text: Annotated[str | None, Lifetime(until="<=17.10")] = None
    signup_enabled: bool = True
    sourcegraph_enabled: Annotated[bool, Requires(("sourcegraph_url",))] = False
    sourcegraph_url: Annotated[str | None, Needed("sourcegraph_enabled")] = None
    sourcegraph_public_only: bool = True
    spam_check_endpoint_enabled: Annotated[bool, Requires(("spam_check_endpoint_url",))] = False
    spam_check_endpoint_url: Annotated[str | None, Needed("spam_check_endpoint_enabled")] = None
    terminal_max_session_time: Amount = 0
    terms: Annotated[str | None, Needed("enforce_terms", "You need to set terms to be enforced")] = None
    throttle_authenticated_api_enabled: bool = False
    throttle_authenticated_api_period_in_seconds: Period = 3600
    throttle_authenticated_api_requests_per_period: PositiveAmount = 7200
    throttle_authenticated_web_enabled: bool = False
    throttle_authenticated_web_period_in_seconds: Period = 3600
    throttle_authenticated_web_requests_per_period: PositiveAmount = 7200
    throttle_unauthenticated_enabled: Annotated[
        bool, Legacy(("throttle_unauthenticated_web_enabled",), since="14.3")
    ] = False
    throttle_unauthenticated_period_in_seconds: Annotated[
        Period, Legacy(("throttle_unauthenticated_web_period_in_seconds",), since="14.3")
    ] = 3600
    throttle_unauthenticated_requests_per_period: Annotated[
        PositiveAmount, Legacy(("throttle_unauthenticated_web_requests_per_period",), since="14.3")
    ] = 3600
    throttle_protected_paths_enabled: bool = False
    throttle_protected_paths_period_in_seconds: Period = 60
    throttle_protected_paths_requests_per_period: PositiveAmount = 10
    protected_paths: Annotated[Texts, Lines(only=True), Length(100, unit="entries")] = (
        "/users/password",
        "/users/sign_in",
        "/api/v3/session.json",
        "/api/v3/session",
        "/api/v4/session.json",
        "/api/v4/session",
        "/users",
        "/users/confirmation",
        "/unsubscribes/",
        "/import/github/personal_access_token",
        "/admin/session",
    )
    time_tracking_limit_to_hours: bool = False
    two_factor_grace_period: Amount = 48
    unique_ips_limit_enabled: bool = False
    unique_ips_limit_per_user: Annotated[int, Number(least=1)] = 10
    unique_ips_limit_time_window: Amount = 3600
    usage_ping_enabled: bool = True
    user_default_external: bool = False
    user_show_add_ssh_key_message: bool = True
    user_default_internal_regex: Annotated[str | None, Matches("regexp")] = None
    user_oauth_applications: bool = True
    version_check_enabled: bool = True
    web_ide_clientside_preview_enabled: Annotated[bool, Lifetime(until="<=15.11")] = False
    diff_max_patch_bytes: Annotated[int, Number(least=102_400, most=512_000)] = 102_400
    commit_email_hostname: Annotated[str | None, Matches("host_without_at")] = None
    protected_ci_variables: bool = True
    local_markdown_version: Annotated[int, Number(least=0, below=65_536)] = 0
    snowplow_collector_hostname: Annotated[str | None, Needed("snowplow_enabled"), Matches("hostname")] = None
    snowplow_cookie_domain: str | None = None
    snowplow_enabled: Annotated[bool, Requires(("snowplow_collector_hostname",))] = False
    snowplow_app_id: str | None = None
    push_event_hooks_limit: Amount = 3
    push_event_activities_limit: Amount = 3
    custom_http_clone_url_root: str | None = None
    snippet_size_limit: PositiveAmount = 52_428_800
    email_restrictions_enabled: bool = False
    email_restrictions: Annotated[str | None, Matches("regexp")] = None
    issues_create_limit: Amount = 300
    raw_blob_request_limit: Amount = 300
    project_import_limit: int = 6
    project_export_limit: int = 6
    project_download_export_limit: int = 1
    group_import_limit: int = 6
    group_export_limit: int = 6
    group_download_export_limit: int = 1
    wiki_page_max_content_bytes: Annotated[int, Number(least=1024)] = 52_428_800
    container_registry_delete_tags_service_timeout: Amount = 250
    container_registry_expiration_policies_worker_capacity: Annotated[int, Lifetime(since="13.6"), Number(least=0)] = 0
    kroki_enabled: Annotated[bool, Lifetime(since="13.7"), Requires(("kroki_url",))] = False
    kroki_url: Annotated[str | None, Lifetime(since="13.7"), Needed("kroki_enabled"), WebUrl()] = None
    personal_access_token_prefix: Annotated[str | None, Lifetime(since="13.7"), Matches("token_prefix"), Length(20)] = (
        None
    )
    disable_feed_token: Annotated[bool, Lifetime(since="13.7")] = False
    notes_create_limit: Annotated[int, Lifetime(since="13.8"), Number(least=0)] = 300
    rate_limiting_response_text: Annotated[str | None, Lifetime(since="13.9"), Length(255)] = None
    keep_latest_artifact: Annotated[bool, Lifetime(since="13.9")] = True
    npm_package_requests_forwarding: bool = True
    automatic_purchased_storage_allocation: bool = False
    enforce_namespace_storage_limit: bool = False
    # Of paid tiers.
    allow_group_owners_to_manage_ldap: Annotated[bool, Paid()] = True
    check_namespace_plan: Annotated[bool, Paid()] = False
    elasticsearch_aws_access_key: Annotated[str | None, Paid()] = None
    elasticsearch_aws_region: Annotated[str | None, Paid()] = "us-east-1"
    elasticsearch_aws_secret_access_key: Annotated[str | None, Paid(), SECRET] = None
    elasticsearch_aws: Annotated[bool, Paid()] = False
    elasticsearch_indexed_field_length_limit: Annotated[int, Paid(), Number(least=0)] = 0
    elasticsearch_indexed_file_size_limit_kb: Annotated[int, Paid(), Number(above=0)] = 1024
    elasticsearch_indexing: Annotated[bool, Paid()] = False
    elasticsearch_limit_indexing: Annotated[bool, Paid()] = False
    elasticsearch_max_bulk_concurrency: Annotated[int, Paid(), Number(above=0)] = 10
    elasticsearch_max_bulk_size_mb: Annotated[int, Paid(), Number(above=0)] = 10
    elasticsearch_namespace_ids: Annotated[tuple[int, ...], Paid(), Identifies("namespaces")] = ()
    elasticsearch_pause_indexing: Annotated[bool, Paid()] = False
    elasticsearch_project_ids: Annotated[tuple[int, ...], Paid(), Identifies("projects")] = ()
    elasticsearch_replicas: Annotated[int, Paid(), Number(least=0)] = 1
    elasticsearch_search: Annotated[bool, Paid()] = False
    elasticsearch_shards: Annotated[int, Paid(), Number(above=0)] = 5
    elasticsearch_url: Annotated[
        str | None, Paid(), Needed("elasticsearch_indexing", "can't be blank when indexing is enabled")
    ] = "http://localhost:9200"
    elasticsearch_client_request_timeout: Annotated[int, Paid(), Number(least=0)] = 0
    enforce_pat_expiration: Annotated[bool, Paid("ultimate"), Lifetime(until="15.0")] = True
    geo_node_allowed_ips: Annotated[str, Paid(), Needed(), Length(255), Matches("ip_ranges")] = "0.0.0.0/0, ::/0"
    geo_status_timeout: Annotated[int, Paid()] = 10
    help_text: Annotated[str | None, Paid(), Lifetime(until="<=17.11")] = None
    lock_memberships_to_ldap: Annotated[bool, Paid()] = False
    max_personal_access_token_lifetime: Annotated[int | None, Paid("ultimate"), Number(above=0, most=365)] = None
    pseudonymizer_enabled: Annotated[bool, Paid("ultimate"), Lifetime(until="15.0")] = False
    repository_size_limit: Annotated[int, Paid(), Number(least=0)] = 0
    seat_link_enabled: Annotated[bool, Paid(), Lifetime(until="<=14.2")] = True
    secret_detection_token_revocation_enabled: Annotated[
        bool, Paid("ultimate"), Requires(("secret_detection_token_revocation_url",))
    ] = False
    secret_detection_token_revocation_url: Annotated[str | None, Paid("ultimate")] = None
    secret_detection_token_revocation_token: Annotated[str | None, Paid("ultimate"), SECRET] = None
    shared_runners_minutes: Annotated[int, Paid(), Number(least=0)] = 0
    slack_app_enabled: Annotated[
        bool,
        Paid(),
        Requires(("slack_app_id", "slack_app_secret", "slack_app_signing_secret", "slack_app_verification_token")),
    ] = False
    slack_app_id: Annotated[str | None, Paid(), Needed("slack_app_enabled")] = None
    slack_app_secret: Annotated[str | None, Paid(), Needed("slack_app_enabled")] = None
    slack_app_verification_token: Annotated[str | None, Paid(), Needed("slack_app_enabled")] = None
    throttle_incident_management_notification_enabled: Annotated[bool, Paid()] = False
    throttle_incident_management_notification_per_period: Annotated[int, Paid()] = 3600
    throttle_incident_management_notification_period_in_seconds: Annotated[int, Paid()] = 3600
    mirror_max_capacity: Annotated[int, Paid(), Number(above=0)] = 100
    mirror_max_delay: Annotated[int, Paid(), Number(above=10)] = 300
    mirror_capacity_threshold: Annotated[int, Paid(), Number(above=0, most="mirror_max_capacity")] = 50
    email_additional_text: Annotated[str | None, Paid(), Length(10_000)] = None
    file_template_project_id: Annotated[int | None, Paid(), Identifies("projects")] = None
    custom_project_templates_group_id: Annotated[int | None, Paid(), Identifies("namespaces")] = None
    group_owners_can_manage_default_branch_protection: Annotated[bool, Paid()] = True
    default_project_deletion_protection: Annotated[bool, Paid()] = False
    deletion_adjourned_period: Annotated[int, Paid(until="18.0"), Number(least=0, most=90)] = 7
    updating_name_disabled_for_users: Annotated[bool, Paid()] = False
    disable_overriding_approvers_per_merge_request: Annotated[bool, Paid()] = False
    prevent_merge_requests_author_approval: Annotated[bool, Paid()] = False
    prevent_merge_requests_committers_approval: Annotated[bool, Paid()] = False
    maintenance_mode: Annotated[bool, Paid(), Lifetime(since="13.6")] = False
    maintenance_mode_message: Annotated[str | None, Paid(), Lifetime(since="13.6"), Length(255)] = None
    # An external service that authorizes access to projects.
    external_auth_client_cert: str | None = None
    external_auth_client_key: Annotated[str | None, Needed("external_auth_client_cert")] = None
    external_auth_client_key_pass: str | None = None
    external_authorization_service_default_label: Annotated[
        str | None, Needed("external_authorization_service_enabled")
    ] = None
    external_authorization_service_enabled: bool = False
    external_authorization_service_timeout: Annotated[float, Number(above=0, most=10)] = 0.5
    external_authorization_service_url: Url = None
    # Limits of the plan on the platform, in MB, 0 for none, and the token with which runners register.
    ci_max_artifact_size: Annotated[Mapping[FileType, int], LOCAL] = {}
    runners_registration_token: Annotated[str, LOCAL] = ""
