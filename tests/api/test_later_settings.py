"""Application settings of later releases: defaults, names, validation. Source: doc/api/settings.md and the model."""

import json
from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    APPROVAL_OF_SIGN_UPS,
    ARCHIVING_IS_TOO_EARLY,
    HOUSEKEEPING_HAS_ONE_PERIOD,
    SPAM_CHECKS_SPEAK_GRPC,
    VISIBILITY_DEFAULTS_ARE_RESTRICTED,
)
from tests.api.requests import Outcome, invalid, invalid_record, refusal
from tests.api.test_settings import PATH, read_settings, update_settings
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", version="latest", tier="ultimate")
FREE: Final[dict[str, Any]] = {
    "admin_mode": False,
    "allow_project_creation_for_guest_and_below": True,
    "asciidoc_max_includes": 32,
    "bulk_import_enabled": False,
    "bulk_import_max_download_file_size": 5120,
    "can_create_group": True,
    "ci_max_includes": 150,
    "ci_max_total_yaml_size_bytes": 314_572_800,
    "ci_delete_pipelines_in_seconds_limit_human_readable": "1 year",
    "concurrent_github_import_jobs_limit": 1000,
    "container_registry_cleanup_tags_service_max_list_size": 200,
    "decompress_archive_file_timeout": 210,
    "default_branch_protection_defaults": {
        "allowed_to_push": [{"access_level": 40}],
        "allow_force_push": False,
        "allowed_to_merge": [{"access_level": 40}],
    },
    "default_preferred_language": "en",
    "default_syntax_highlighting_theme": 1,
    "default_dark_syntax_highlighting_theme": 2,
    "delete_inactive_projects": False,
    "inactive_projects_delete_after_months": 2,
    "inactive_projects_send_warning_email_after_months": 1,
    "diagramsnet_enabled": True,
    "diagramsnet_url": "https://embed.diagrams.net",
    "diff_max_files": 1000,
    "diff_max_lines": 50_000,
    "disable_admin_oauth_scopes": False,
    "ecdsa_sk_key_restriction": 0,
    "email_confirmation_setting": "off",
    "external_pipeline_validation_service_timeout": None,
    "gitlab_shell_operation_limit": 600,
    "groups_api_limit": 200,
    "helm_max_packages_count": 1000,
    "housekeeping_optimize_repository_period": 10,
    "kroki_formats": {"blockdiag": False, "bpmn": False, "excalidraw": False},
    "max_decompressed_archive_size": 25_600,
    "max_export_size": 0,
    "max_http_response_size_limit": 100,
    "max_terraform_state_size_bytes": 0,
    "max_yaml_depth": 100,
    "max_yaml_size_bytes": 2_097_152,
    "outbound_local_requests_allowlist_raw": "",
    "project_jobs_api_rate_limit": 600,
    "projects_api_rate_limit_unauthenticated": 400,
    "remember_me_enabled": True,
    "require_admin_approval_after_user_signup": True,
    "require_personal_access_token_expiry": True,
    "search_rate_limit": 30,
    "search_rate_limit_allowlist_raw": "",
    "search_rate_limit_unauthenticated": 10,
    "security_txt_content": None,
    "sidekiq_job_limiter_mode": "compress",
    "sign_in_restrictions": {},
    "silent_mode_enabled": False,
    "throttle_authenticated_git_lfs_requests_per_period": 1000,
    "throttle_unauthenticated_api_period_in_seconds": 3600,
    "throttle_unauthenticated_packages_api_requests_per_period": 800,
    "throttle_unauthenticated_web_enabled": False,
    "throttle_unauthenticated_web_requests_per_period": 3600,
    "top_level_group_creation_enabled": True,
    "user_defaults_to_private_profile": False,
    "users_api_limit_status": 240,
    "users_get_by_id_limit": 300,
    "valid_runner_registrars": ["project", "group"],
    "whats_new_variant": "all_tiers",
    "web_hook_test_limit": 5,
    "web_hook_event_resend_limit": 5,
    "sidekiq_timezone_override": None,
    "require_sha_for_merge": False,
    "raw_blob_request_limit_unauthenticated": 800,
    "plantuml_diagram_proxy_enabled": False,
    "offline_transfer_imports_enabled": False,
    "offline_transfer_exports_enabled": False,
    "oauth_access_token_expires_in": 7200,
    "lock_require_sha_for_merge": False,
    "kroki_diagram_proxy_enabled": False,
    "jira_forge_app_id": None,
    "email_otp_enabled": False,
    "diff_max_versions": 1000,
    "diff_max_commits": 1_000_000,
    "description_and_note_max_size": 1_048_576,
    "ci_partitions_in_seconds_limit_human_readable": "1 month",
    "ci_max_caches_per_job": 4,
    "ci_lint_limit_per_user": 0,
}
PREMIUM: Final[dict[str, Any]] = {
    "delete_unconfirmed_users": False,
    "unconfirmed_users_delete_after_days": 7,
    "disable_personal_access_tokens": False,
    "duo_features_enabled": True,
    "elasticsearch_worker_number_of_shards": 2,
    "git_two_factor_session_expiry": 15,
    "maven_package_requests_forwarding": True,
    "password_number_required": False,
    "service_access_tokens_expiration_enforced": True,
    "zoekt_indexing_timeout": "30m",
}
ULTIMATE: Final[dict[str, Any]] = {
    "auto_ban_user_on_excessive_projects_download": False,
    "dependency_management_settings": {},
    "git_rate_limit_users_alertlist": [],
    "make_profile_private": True,
    "max_ssh_key_lifetime": None,
    "pre_receive_secret_detection_enabled": False,
    "secret_push_protection_available": False,
    "security_approval_policies_limit": 5,
}
HIDDEN: Final = {"globally_allowed_ips", "search_rate_limit_allowlist", "protected_paths_for_get_request"}


def select(values: dict[str, Any], *expected: dict[str, Any]) -> dict[str, Any]:
    return {name: values.get(name, "absent") for part in expected for name in part}


@pytest.mark.parametrize(
    ("shown", "absent"),
    [
        pytest.param([FREE], [PREMIUM, ULTIMATE], id="free", marks=pytest.mark.fakeplat(tier="free")),
        pytest.param([FREE, PREMIUM], [ULTIMATE], id="premium", marks=pytest.mark.fakeplat(tier="premium")),
        pytest.param([FREE, PREMIUM, ULTIMATE], [], id="ultimate"),
    ],
)
def test_the_defaults_of_later_settings(
    fakeplat: Fakeplat, shown: list[dict[str, Any]], absent: list[dict[str, Any]]
) -> None:
    """Settings of later releases begin with the platform's defaults; those of paid tiers are absent below them."""
    values = read_settings(fakeplat)

    assert {name: value for part in shown for name, value in part.items()} == select(values, *shown)
    assert set() == values.keys() & {*HIDDEN, *(name for part in absent for name in part)}


CHANGES: Final[dict[str, Any]] = {
    "kroki_formats": {"bpmn": True},
    "email_confirmation_setting": "hard",
    "allowed_integrations": ["jira", "slack"],
    "diff_max_files": 2000,
    "git_rate_limit_users_allowlist": ["ada"],
    "git_rate_limit_users_alertlist": [2],
    "dependency_management_settings": {"security_update_scheduler_max_concurrency": 10},
    "max_login_attempts": 5,
    "sentry_enabled": True,
    "sentry_dsn": "https://key@sentry.example.test/1",
    "sentry_environment": "test",
    "valid_runner_registrars": ["group"],
    "resource_usage_limits": {"rules": []},
    "foundational_agents_statuses": [{"reference": "planner", "enabled": False}],
    "default_project_creation": 4,
}


def test_later_settings_are_changed(fakeplat: Fakeplat) -> None:
    """An update stores texts, numbers, lists and objects, and keeps all other settings."""
    before = read_settings(fakeplat)
    assert {**before, **CHANGES} == update_settings(fakeplat, **CHANGES)
    assert {**before, **CHANGES} == read_settings(fakeplat)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"throttle_unauthenticated_web_enabled": True}, {"throttle_unauthenticated_enabled": True}),
        ({"throttle_unauthenticated_period_in_seconds": 9}, {"throttle_unauthenticated_web_period_in_seconds": 9}),
        ({"housekeeping_optimize_repository_period": 7}, {"housekeeping_incremental_repack_period": 7}),
        ({"outbound_local_requests_allowlist_raw": "a\nb"}, {"outbound_local_requests_whitelist": ["a", "b"]}),
        ({"search_rate_limit_allowlist_raw": "ada, dev"}, {"search_rate_limit_allowlist_raw": "ada\ndev"}),
        ({"pre_receive_secret_detection_enabled": True}, {"secret_push_protection_available": True}),
        ({"enabled_git_access_protocol": "all"}, {"enabled_git_access_protocol": None}),
        (
            {"sign_in_restrictions": {"session_expire_from_init": True}},
            {"session_expire_from_init": True, "sign_in_restrictions": {"session_expire_from_init": True}},
        ),
        ({"session_expire_from_init": True}, {"sign_in_restrictions": {"session_expire_from_init": True}}),
        (
            {"vscode_extension_marketplace": {"enabled": True, "preset": "open_vsx"}},
            {
                "vscode_extension_marketplace_enabled": True,
                "vscode_extension_marketplace": {"enabled": True, "preset": "open_vsx"},
            },
        ),
        (
            {"default_branch_protection": 1},
            {
                "default_branch_protection_defaults": {
                    "allowed_to_push": [{"access_level": 30}],
                    "allow_force_push": False,
                    "allowed_to_merge": [{"access_level": 40}],
                }
            },
        ),
    ],
    ids="-".join,
)
def test_settings_have_several_forms(fakeplat: Fakeplat, sent: dict[str, Any], expected: dict[str, Any]) -> None:
    """A setting with two names, or one that is part of an object, is shown in each form."""
    assert expected == select(update_settings(fakeplat, **sent), expected)


REFUSALS: Final[list[tuple[dict[str, Any], Outcome]]] = [
    ({"email_confirmation_setting": "later"}, invalid("email_confirmation_setting does not have a valid value")),
    ({"whats_new_variant": "none"}, invalid("whats_new_variant does not have a valid value")),
    ({"enabled_git_access_protocol": "nil"}, invalid("enabled_git_access_protocol does not have a valid value")),
    ({"mailgun_events_enabled": True}, invalid("mailgun_signing_key is missing")),
    ({"diagramsnet_enabled": True}, invalid("diagramsnet_url is missing")),
    (
        {"slack_app_enabled": True, "slack_app_id": "i", "slack_app_secret": "s", "slack_app_verification_token": "t"},
        invalid("slack_app_signing_secret is missing"),
    ),
    (
        {"housekeeping_enabled": True},
        invalid(
            "housekeeping_incremental_repack_period, housekeeping_optimize_repository_period are missing, "
            "exactly one parameter must be provided"
        ),
    ),
    (
        {"housekeeping_enabled": True, "housekeeping_gc_period": 200, "housekeeping_optimize_repository_period": 5},
        invalid(
            "housekeeping_full_repack_period, housekeeping_gc_period, housekeeping_incremental_repack_period "
            "provide all or none of parameters"
        ),
    ),
    ({"asciidoc_max_includes": 65}, invalid_record(asciidoc_max_includes=["must be less than or equal to 64"])),
    ({"diff_max_files": 999}, invalid_record(diff_max_files=["must be greater than or equal to 1000"])),
    ({"diff_max_lines": 100_001}, invalid_record(diff_max_lines=["must be less than or equal to 100000"])),
    ({"groups_api_limit": -1}, invalid_record(groups_api_limit=["must be greater than or equal to 0"])),
    ({"project_jobs_api_rate_limit": 0}, invalid_record(project_jobs_api_rate_limit=["must be greater than 0"])),
    (
        {"oauth_access_token_expires_in": 299},
        invalid_record(oauth_access_token_expires_in=["must be greater than or equal to 300"]),
    ),
    (
        {"dependency_management_settings": {"security_update_scheduler_max_concurrency": "many"}},
        invalid_record(dependency_management_settings=["must be a valid json schema"]),
    ),
    ({"kroki_formats": {"mermaid": True}}, invalid_record(kroki_formats=["must be a valid json schema"])),
    (
        {"git_two_factor_session_expiry": 10_081},
        invalid_record(git_two_factor_session_expiry=["must be less than or equal to 10080"]),
    ),
    (
        {"inactive_projects_send_warning_email_after_months": 2},
        invalid_record(inactive_projects_send_warning_email_after_months=["must be less than 2"]),
    ),
    (
        {"deactivate_dormant_users": True, "deactivate_dormant_users_period": 30},
        invalid_record(deactivate_dormant_users_period=["'30' days of inactivity must be greater than or equal to 90"]),
    ),
    (
        {"delete_unconfirmed_users": True},
        invalid_record(delete_unconfirmed_users=["must be false when email confirmation setting is off"]),
    ),
    (
        {"email_confirmation_setting": "soft", "unconfirmed_users_delete_after_days": 3},
        invalid_record(unconfirmed_users_delete_after_days=["must be greater than 3"]),
    ),
    (
        {"default_syntax_highlighting_theme": 7},
        invalid_record(default_syntax_highlighting_theme=["must be a valid syntax highlighting theme ID"]),
    ),
    (
        {"sentry_clientside_traces_sample_rate": 2},
        invalid_record(sentry_clientside_traces_sample_rate=["must be a value between 0 and 1"]),
    ),
    (
        {"valid_runner_registrars": ["me"]},
        invalid_record(valid_runner_registrars=['["me"] is not included in the list']),
    ),
    (
        {"personal_access_token_prefix": "a b"},
        invalid_record(
            personal_access_token_prefix=[
                "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'"
            ]
        ),
    ),
    ({"instance_token_prefix": "a_b"}, invalid_record(instance_token_prefix=["is invalid"])),
    (
        {"git_rate_limit_users_allowlist": [f"user-{number}" for number in range(101)]},
        invalid_record(git_rate_limit_users_allowlist=["exceeds maximum length (100 usernames)"]),
    ),
    (
        {"protected_paths_for_get_request_raw": " ".join(f"/{number}" for number in range(101))},
        invalid_record(protected_paths_for_get_request=["is too long (maximum is 100 entries)"]),
    ),
    (
        {"security_txt_content": "x" * 2049},
        invalid_record(security_txt_content=["is too long (maximum is 2048 characters)"]),
    ),
    (
        {"product_analytics_enabled": True},
        invalid_record(
            cube_api_base_url=["can't be blank"],
            cube_api_key=["can't be blank"],
            product_analytics_configurator_connection_string=["can't be blank"],
            product_analytics_data_collector_host=["can't be blank"],
        ),
    ),
    (
        {"default_branch_protection_defaults": {"allowed_to_push": [{"access_level": 20}]}},
        invalid("default_branch_protection_defaults[allowed_to_push][0][access_level] does not have a valid value"),
    ),
    (
        {"default_branch_protection_defaults": {"allowed_to_merge": [{}]}},
        invalid("default_branch_protection_defaults[allowed_to_merge][0][access_level] is missing"),
    ),
]


@pytest.mark.parametrize(("sent", "expected"), REFUSALS, ids=["-".join(sent) for sent, _ in REFUSALS])
def test_invalid_values_of_later_settings(fakeplat: Fakeplat, sent: dict[str, Any], expected: Outcome) -> None:
    """An invalid value is refused with the platform's message and changes nothing."""
    before = read_settings(fakeplat)

    assert expected == refusal(fakeplat, "root", "PUT", PATH, json=sent)
    assert before == read_settings(fakeplat)


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        pytest.param(None, "absent", id="17.11", marks=pytest.mark.fakeplat(version="17.11", tier="free")),
        pytest.param(20, 20, id="18.0", marks=pytest.mark.fakeplat(version="18.0", tier="free")),
    ],
)
def test_the_period_of_deletion_is_for_every_tier(fakeplat: Fakeplat, period: int | None, expected: object) -> None:
    """Since every tier delays deletions, it has the setting of their delay."""
    update_settings(fakeplat, deletion_adjourned_period=20)
    assert expected == read_settings(fakeplat).get("deletion_adjourned_period", "absent")
    assert (period or 7) == fakeplat.bench.platform.view.settings.deletion_adjourned_period


@pytest.mark.parametrize("version", ["13.5", "15.7"])
def test_housekeeping_needs_three_periods_before_15_8(fakeplat_factory: Any, version: str) -> None:
    """Before there was one period, housekeeping had to be enabled with all of its settings."""
    fake = fakeplat_factory(scenario="starter", version=version)
    missing = [
        "housekeeping_bitmaps_enabled is missing",
        "housekeeping_full_repack_period is missing",
        "housekeeping_gc_period is missing",
        "housekeeping_incremental_repack_period is missing",
    ]
    assert invalid(", ".join(missing)) == refusal(fake, "root", "PUT", PATH, json={"housekeeping_enabled": True})


@by_release(APPROVAL_OF_SIGN_UPS, "approved", {"13.5": False, "13.6": True})
def test_new_instances_approve_users_who_sign_up(fakeplat: Fakeplat, approved: bool) -> None:
    """A new instance of a later release lets administrators approve who signs up."""
    assert approved == read_settings(fakeplat)["require_admin_approval_after_user_signup"]


@by_release(
    ARCHIVING_IS_TOO_EARLY,
    "text",
    {"17.9": "must be greater than or equal to 86400", "17.10": "must be at least 1 day"},
)
def test_jobs_are_archived_after_a_day_at_least(fakeplat: Fakeplat, text: str) -> None:
    """The refusal of a shorter time has the words of the release."""
    expected = invalid_record(archive_builds_in_seconds=[text])
    assert expected == refusal(fakeplat, "root", "PUT", PATH, json={"archive_builds_in_human_readable": "1 hour"})


@by_release(VISIBILITY_DEFAULTS_ARE_RESTRICTED, "status", {"16.3": 200, "16.4": 400})
def test_restricted_levels_are_no_defaults(fakeplat: Fakeplat, status: int) -> None:
    """A visibility that is restricted cannot be that of new projects and groups."""
    reply = fakeplat.as_user("root").put(PATH, json={"restricted_visibility_levels": ["private"]})
    text = "cannot be set to a restricted visibility level"

    assert status == reply.status
    if status == 400:
        expected = {"default_project_visibility": [text], "default_group_visibility": [text]}
        assert {"message": expected} == reply.json()


@by_release(HOUSEKEEPING_HAS_ONE_PERIOD, "periods", {"15.7": (400, 500, 300), "15.8": (300, 300, 300)})
def test_housekeeping_has_one_period(fakeplat: Fakeplat, periods: tuple[int, int, int]) -> None:
    """All periods of housekeeping are later that of the optimization, which may be any number."""
    names = ("housekeeping_full_repack_period", "housekeeping_gc_period", "housekeeping_incremental_repack_period")
    sent = dict(zip(names, (400, 500, 300), strict=True))
    shown = update_settings(fakeplat, housekeeping_enabled=True, housekeeping_bitmaps_enabled=True, **sent)

    assert periods == tuple(shown[name] for name in names)
    if periods == (300, 300, 300):
        shown = update_settings(fakeplat, housekeeping_optimize_repository_period=1000)
        assert {1000} == {shown[name] for name in (*names, "housekeeping_optimize_repository_period")}


@by_release(SPAM_CHECKS_SPEAK_GRPC, "schemes", {"14.7": ("https", "grpc"), "14.8": ("grpc", "https")})
def test_services_that_check_for_spam_speak_grpc(fakeplat: Fakeplat, schemes: tuple[str, str]) -> None:
    """The URL of a service that checks for spam is one of HTTP, later of gRPC."""
    accepted, refused = (f"{scheme}://spam.example.com" for scheme in schemes)
    allowed = "http, https" if schemes[0] == "https" else "tls, grpc"

    assert accepted == update_settings(fakeplat, spam_check_endpoint_url=accepted)["spam_check_endpoint_url"]
    expected = invalid_record(spam_check_endpoint_url=[f"is blocked: Only allowed schemes are {allowed}"])
    assert expected == refusal(fakeplat, "root", "PUT", PATH, json={"spam_check_endpoint_url": refused})


@pytest.mark.parametrize("value", [None, ""])
def test_the_slack_app_needs_its_credentials(fakeplat: Fakeplat, value: str | None) -> None:
    """The application for Slack is not enabled without its id, its secrets and its token."""
    names = ("slack_app_id", "slack_app_secret", "slack_app_signing_secret", "slack_app_verification_token")
    expected = invalid_record(**{name: ["can't be blank"] for name in names})
    body = {"slack_app_enabled": True, **dict.fromkeys(names, value)}
    assert expected == refusal(fakeplat, "root", "PUT", PATH, json=body)
    assert not update_settings(fakeplat, **{**body, "slack_app_enabled": False})["slack_app_enabled"]


def test_limits_of_resources_may_be_json_text(fakeplat: Fakeplat) -> None:
    """The limits of resources are an object, which may also be sent as JSON text."""
    limits = {"rules": [{"name": "test", "scopes": ["worker_name"], "metadata": {}}]}
    for sent in (limits, json.dumps(limits)):
        update_settings(fakeplat, resource_usage_limits={})
        assert limits == update_settings(fakeplat, resource_usage_limits=sent)["resource_usage_limits"]
    expected = invalid("resource_usage_limits is invalid")
    assert expected == refusal(fakeplat, "root", "PUT", PATH, json={"resource_usage_limits": "rules"})
