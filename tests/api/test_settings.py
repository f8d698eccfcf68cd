"""Application settings: reading, updating, names, validation. Source: docs/platform/settings.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.documents import get_scenario
from fakeplat.scenario.export import export_world
from fakeplat.scenario.worlds import create_platform
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, invalid_record, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual")
PATH = "application/settings"


def read_settings(fake: Fakeplat) -> dict[str, Any]:
    return dict(fake.as_user("root").get(PATH).json())


def update_settings(fake: Fakeplat, **values: Any) -> dict[str, Any]:
    reply = fake.as_user("root").put(PATH, json=values)
    assert 200 == reply.status, reply.json()
    return dict(reply.json())


# What the platform's defaults are, in every tier; but worlds start with local receivers of webhooks allowed.
DEFAULTS: dict[str, Any] = {
    "id": 1,
    "after_sign_up_text": None,
    "akismet_enabled": False,
    "allow_local_requests_from_system_hooks": True,
    "allow_local_requests_from_web_hooks_and_services": True,
    "allow_local_requests_from_hooks_and_services": True,
    "asset_proxy_enabled": False,
    "authorized_keys_enabled": True,
    "container_expiration_policies_enable_historic_entries": False,
    "container_registry_token_expire_delay": 5,
    "default_artifacts_expire_in": "30 days",
    "default_branch_protection": 2,
    "default_ci_config_path": None,
    "default_group_visibility": "private",
    "default_project_visibility": "private",
    "default_snippet_visibility": "private",
    "default_project_creation": 2,
    "default_projects_limit": 100000,
    "diff_max_patch_bytes": 102400,
    "disabled_oauth_sign_in_sources": [],
    "dns_rebinding_protection_enabled": True,
    "domain_whitelist": None,
    "domain_blacklist": [],
    "domain_blacklist_raw": "",
    "domain_blacklist_enabled": False,
    "dsa_key_restriction": 0,
    "ecdsa_key_restriction": 0,
    "ed25519_key_restriction": 0,
    "rsa_key_restriction": 0,
    "eks_integration_enabled": False,
    "eks_account_id": None,
    "enforce_terms": False,
    "terms": None,
    "email_restrictions_enabled": False,
    "first_day_of_week": 0,
    "gitaly_timeout_default": 55,
    "gitaly_timeout_fast": 10,
    "gitaly_timeout_medium": 30,
    "gitpod_enabled": False,
    "gitpod_url": "https://gitpod.io/",
    "gravatar_enabled": True,
    "help_page_hide_commercial_content": False,
    "hide_third_party_offers": False,
    "housekeeping_enabled": True,
    "housekeeping_bitmaps_enabled": True,
    "housekeeping_full_repack_period": 50,
    "housekeeping_gc_period": 200,
    "housekeeping_incremental_repack_period": 10,
    "html_emails_enabled": True,
    "issues_create_limit": 300,
    "local_markdown_version": 0,
    "max_artifacts_size": 100,
    "max_attachment_size": 10,
    "max_import_size": 50,
    "max_pages_size": 100,
    "minimum_password_length": 8,
    "mirror_available": True,
    "outbound_local_requests_whitelist": [],
    "password_authentication_enabled_for_git": True,
    "password_authentication_enabled_for_web": True,
    "password_authentication_enabled": True,
    "signin_enabled": True,
    "performance_bar_allowed_group_id": None,
    "plantuml_enabled": False,
    "plantuml_url": None,
    "polling_interval_multiplier": 1.0,
    "project_export_enabled": True,
    "push_event_activities_limit": 3,
    "push_event_hooks_limit": 3,
    "raw_blob_request_limit": 300,
    "recaptcha_enabled": False,
    "repository_checks_enabled": True,
    "repository_storages": ["default"],
    "repository_storages_weighted": {"default": 100},
    "require_admin_approval_after_user_signup": False,
    "require_two_factor_authentication": False,
    "restricted_visibility_levels": [],
    "send_user_confirmation_email": False,
    "session_expire_delay": 10080,
    "shared_runners_enabled": True,
    "signup_enabled": True,
    "snippet_size_limit": 52428800,
    "snowplow_enabled": False,
    "sourcegraph_enabled": False,
    "sourcegraph_public_only": True,
    "spam_check_endpoint_enabled": False,
    "terminal_max_session_time": 0,
    "throttle_authenticated_api_enabled": False,
    "throttle_authenticated_api_requests_per_period": 7200,
    "throttle_authenticated_api_period_in_seconds": 3600,
    "throttle_authenticated_web_enabled": False,
    "throttle_unauthenticated_enabled": False,
    "throttle_unauthenticated_requests_per_period": 3600,
    "throttle_unauthenticated_period_in_seconds": 3600,
    "time_tracking_limit_to_hours": False,
    "two_factor_grace_period": 48,
    "unique_ips_limit_enabled": False,
    "unique_ips_limit_per_user": 10,
    "unique_ips_limit_time_window": 3600,
    "usage_ping_enabled": True,
    "user_default_external": False,
    "user_oauth_applications": True,
    "user_show_add_ssh_key_message": True,
    "version_check_enabled": True,
    "web_ide_clientside_preview_enabled": False,
    "wiki_page_max_content_bytes": 52428800,
}
HIDDEN = {
    "asset_proxy_secret_key",
    "eks_secret_access_key",
    "performance_bar_allowed_group_path",
    "performance_bar_enabled",
    "protected_paths",
    "runners_registration_token",
    "npm_max_file_size",
    # newer than 13.5
    "kroki_enabled",
}
PAID: dict[str, Any] = {
    "deletion_adjourned_period": 7,
    "file_template_project_id": None,
    "geo_node_allowed_ips": "0.0.0.0/0, ::/0",
    "geo_status_timeout": 10,
    "elasticsearch_url": "http://localhost:9200",
    "elasticsearch_indexed_file_size_limit_kb": 1024,
    "elasticsearch_project_ids": [],
    "repository_size_limit": 0,
    "shared_runners_minutes": 0,
}


def test_the_defaults_are_the_platforms(fakeplat: Fakeplat) -> None:
    """The settings show the platform's defaults without secrets and paid ones."""
    values = read_settings(fakeplat)

    assert DEFAULTS == {name: values.get(name, "absent") for name in DEFAULTS}
    assert set() == values.keys() & (HIDDEN | PAID.keys())


@pytest.mark.fakeplat(scenario="starter", tier="premium")
def test_a_paid_tier_has_more_settings(fakeplat: Fakeplat) -> None:
    """Paid tiers show and change additional settings."""
    values = read_settings(fakeplat)

    assert PAID == {name: values.get(name, "absent") for name in PAID}
    assert 30 == update_settings(fakeplat, deletion_adjourned_period=30)["deletion_adjourned_period"]


def test_paid_settings_are_ignored_below_their_tier(fakeplat: Fakeplat) -> None:
    """Below their tier paid settings are valid parameters without effect."""
    update_settings(fakeplat, deletion_adjourned_period=30, mirror_max_delay=60)
    settings = fakeplat.bench.platform.view.settings

    assert (7, 300) == (settings.deletion_adjourned_period, settings.mirror_max_delay)


@pytest.mark.fakeplat(scenario="starter", version="latest")
def test_newer_releases_have_more_settings(fakeplat: Fakeplat) -> None:
    """Newer releases have additional settings such as Kroki."""
    update_settings(fakeplat, kroki_enabled=True, kroki_url="http://kroki.test")
    assert "http://kroki.test" == read_settings(fakeplat)["kroki_url"]


LISTS = {"denylist": "blacklist", "denylist_enabled": "blacklist_enabled", "allowlist": "whitelist"}
NEW_NAMES = [f"domain_{name}" for name in (*LISTS, "denylist_raw", "allowlist_raw")]
OLD_NAMES = [f"domain_{name}" for name in (*LISTS.values(), "blacklist_raw", "whitelist_raw")]


@pytest.mark.parametrize(
    ("names", "others"),
    [
        pytest.param(OLD_NAMES, NEW_NAMES, marks=pytest.mark.fakeplat(scenario="starter", version="13.6"), id="13.6"),
        pytest.param(OLD_NAMES, [], marks=pytest.mark.fakeplat(scenario="starter", version="13.7"), id="13.7"),
        pytest.param(NEW_NAMES, [], marks=pytest.mark.fakeplat(scenario="starter", version="15.3"), id="15.3"),
        pytest.param(NEW_NAMES, OLD_NAMES, marks=pytest.mark.fakeplat(scenario="starter", version="15.4"), id="15.4"),
    ],
)
def test_the_lists_of_domains_are_renamed(fakeplat: Fakeplat, names: list[str], others: list[str]) -> None:
    """From 13.7 on the lists of domains have new names; the old ones are gone in 15.4 at the latest."""
    denied, is_denied, allowed, *_ = names
    settings = update_settings(fakeplat, **{denied: ["bad.test"], is_denied: True, allowed: ["good.test"]})
    ignored = dict(zip(others, (["a.test"], False, ["b.test"]), strict=False))
    assert settings == update_settings(fakeplat, default_projects_limit=settings["default_projects_limit"], **ignored)

    assert [["bad.test"], True, ["good.test"], "bad.test", "good.test"] == [settings[name] for name in names]
    assert [] == [name for name in others if name in settings]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(
            "domain_blacklist",
            "Domain blacklist cannot be empty if Blacklist is enabled.",
            marks=pytest.mark.fakeplat(scenario="starter", version="13.6"),
        ),
        pytest.param(
            "domain_denylist",
            "Domain denylist cannot be empty if denylist is enabled.",
            marks=pytest.mark.fakeplat(scenario="starter", version="13.7"),
        ),
    ],
)
def test_errors_have_the_name_of_the_release(fakeplat: Fakeplat, name: str, text: str) -> None:
    """An error of a renamed setting has the name and the text of the release."""
    sent = {f"{name}_enabled": True, f"{name}_raw": ""}
    assert (400, {"message": {name: [text]}}) == refusal(fakeplat, "root", "PUT", PATH, json=sent)


@pytest.mark.fakeplat(scenario={"extends": "starter", "settings": {"domain_whitelist": ["a.test"]}}, version="17.0")
def test_scenarios_may_use_the_older_name(fakeplat: Fakeplat) -> None:
    """A scenario has a renamed setting under either name, whatever its release."""
    assert ["a.test"] == read_settings(fakeplat)["domain_allowlist"]


@pytest.mark.fakeplat(scenario="starter", version="17.0")
def test_hosts_of_images_have_two_names(fakeplat: Fakeplat) -> None:
    """The hosts whose images no proxy loads are shown and accepted under their old name, too."""
    settings = update_settings(fakeplat, asset_proxy_whitelist=["a.test"])
    assert ["a.test", "127.0.0.1"] == settings["asset_proxy_allowlist"] == settings["asset_proxy_whitelist"]


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize(("user", "expected"), [(None, UNAUTHORIZED), ("dev", FORBIDDEN)])
def test_settings_are_for_administrators(fakeplat: Fakeplat, user: str | None, method: str, expected: Outcome) -> None:
    """Only administrators access settings, which is checked before parameters."""
    assert expected == refusal(fakeplat, user, method, PATH, json={"default_branch_protection": 9})


CHANGES: dict[str, Any] = {
    "default_ci_config_path": "debian/salsa-ci.yml",
    "default_projects_limit": 3,
    "default_project_creation": 2,
    "password_authentication_enabled_for_web": False,
    "plantuml_enabled": True,
    "plantuml_url": "http://plantuml.example.com",
    "sourcegraph_enabled": True,
    "sourcegraph_url": "https://sourcegraph.com",
    "sourcegraph_public_only": False,
    "default_snippet_visibility": "internal",
    "default_artifacts_expire_in": "2 days",
    "help_page_text": "custom help text",
    "help_page_hide_commercial_content": True,
    "help_page_support_url": "http://example.com/help",
    "project_export_enabled": False,
    "rsa_key_restriction": -1,
    "dsa_key_restriction": 2048,
    "ecdsa_key_restriction": 384,
    "ed25519_key_restriction": 256,
    "enforce_terms": True,
    "terms": "Hello world!",
    "diff_max_patch_bytes": 150_000,
    "default_branch_protection": 1,
    "local_markdown_version": 3,
    "allow_local_requests_from_web_hooks_and_services": False,
    "allow_local_requests_from_system_hooks": False,
    "push_event_hooks_limit": 2,
    "push_event_activities_limit": 2,
    "snippet_size_limit": 5,
    "spam_check_endpoint_enabled": True,
    "spam_check_endpoint_url": "https://example.com/spam_check",
    "wiki_page_max_content_bytes": 12345,
    "repository_storages_weighted": {"default": 75},
    "polling_interval_multiplier": 0.5,
    "housekeeping_enabled": False,
}


def test_an_update_answers_with_all_settings(fakeplat: Fakeplat) -> None:
    """An update answers with all settings and keeps what is not sent."""
    fakeplat.load({"users": [{"username": "root", "accepted_terms": True}]})
    before = read_settings(fakeplat)
    changes = CHANGES | {"signin_enabled": False, "password_authentication_enabled": False}
    changes |= {"diagram_enabled": True, "diagram_url": "http://plantuml.example.com"}
    changes |= {"allow_local_requests_from_hooks_and_services": False}

    assert {**before, **changes} == update_settings(fakeplat, **CHANGES)
    assert {**before, **changes} == read_settings(fakeplat)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        # older names
        ({"signin_enabled": False}, {"password_authentication_enabled_for_web": False}),
        ({"password_authentication_enabled": False}, {"password_authentication_enabled_for_web": False}),
        (
            {"allow_local_requests_from_hooks_and_services": False},
            {"allow_local_requests_from_web_hooks_and_services": False},
        ),
        ({"admin_notification_email": "test@example.com"}, {"abuse_notification_email": "test@example.com"}),
        ({"hashed_storage_enabled": False}, {"hashed_storage_enabled": True}),
        # two names
        ({"avatarservice_enabled": False}, {"gravatar_enabled": False, "avatarservice_enabled": False}),
        ({"akismet_enabled": True, "antispam_api_key": "k"}, {"antispam_enabled": True, "akismet_api_key": "k"}),
        ({"gravatar_enabled": True, "avatarservice_enabled": False}, {"gravatar_enabled": False}),
        # lists
        ({"import_sources": "github,bitbucket"}, {"import_sources": ["github", "bitbucket"]}),
        ({"restricted_visibility_levels": "public"}, {"restricted_visibility_levels": ["public"]}),
        ({"restricted_visibility_levels": [20, 0]}, {"restricted_visibility_levels": ["public", "private"]}),
        ({"disabled_oauth_sign_in_sources": "unknown,github"}, {"disabled_oauth_sign_in_sources": ["github"]}),
        (
            {"domain_blacklist_enabled": True, "domain_blacklist": "domain3.com, *.domain4.com"},
            {
                "domain_blacklist": ["domain3.com", "*.domain4.com"],
                "domain_blacklist_raw": "domain3.com\n*.domain4.com",
            },
        ),
        ({"domain_whitelist_raw": "a.com\n b.com;c.com a.com"}, {"domain_whitelist": ["a.com", "b.com", "c.com"]}),
        ({"outbound_local_requests_whitelist_raw": "10.0.0.1"}, {"outbound_local_requests_whitelist": ["10.0.0.1"]}),
        ({"protected_paths_raw": "/a\n/b"}, {"protected_paths_raw": "/a\n/b"}),
        # the instance itself is never proxied, and rendered texts are out of date
        (
            {"asset_proxy_whitelist": "example.com, *.example.com"},
            {"asset_proxy_whitelist": ["example.com", "*.example.com", "127.0.0.1"], "local_markdown_version": 1},
        ),
        # other forms
        ({"archive_builds_in_human_readable": "45 days"}, {"archive_builds_in_human_readable": "1mo 15d"}),
        ({"archive_builds_in_human_readable": ""}, {"archive_builds_in_human_readable": None}),
        ({"enabled_git_access_protocol": "nil"}, {"enabled_git_access_protocol": None}),
        ({"enabled_git_access_protocol": "ssh"}, {"enabled_git_access_protocol": "ssh"}),
        ({"default_projects_limit": "7"}, {"default_projects_limit": 7}),
        ({"commit_email_hostname": "noreply.test"}, {"commit_email_hostname": "noreply.test"}),
        ({"commit_email_hostname": None}, {"commit_email_hostname": "users.noreply.127.0.0.1"}),
        ({"performance_bar_enabled": False}, {"performance_bar_allowed_group_id": None}),
    ],
)
def test_settings_in_other_forms(fakeplat: Fakeplat, sent: dict[str, Any], expected: dict[str, Any]) -> None:
    """Settings are accepted under older names, as lists and in words."""
    settings = update_settings(fakeplat, **sent)
    assert expected == {name: settings[name] for name in expected}


@pytest.mark.parametrize("name", ["performance_bar_allowed_group_path", "performance_bar_allowed_group_id"])
def test_the_group_of_the_performance_bar_is_given_by_path(fakeplat: Fakeplat, name: str) -> None:
    """The performance bar's group is set by path, shown as id and removed by a flag."""
    group = fakeplat.world.group("acme").id
    assert group == update_settings(fakeplat, **{name: "acme"})["performance_bar_allowed_group_id"]
    assert None is update_settings(fakeplat, performance_bar_enabled=False)["performance_bar_allowed_group_id"]


def test_the_terms_cannot_be_removed(fakeplat: Fakeplat) -> None:
    """An empty text does not remove the terms, and spaces around them are stripped."""
    update_settings(fakeplat, terms=" Be nice. ")
    assert "Be nice." == update_settings(fakeplat, terms="")["terms"]


HOUSEKEEPING = ("bitmaps_enabled", "full_repack_period", "incremental_repack_period")


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"akismet_enabled": True}, "akismet_api_key is missing"),
        ({"antispam_enabled": True}, "antispam_api_key is missing"),
        (
            {"eks_integration_enabled": True},
            "eks_account_id is missing, eks_access_key_id is missing, eks_secret_access_key is missing",
        ),
        ({"gitpod_enabled": True}, "gitpod_url is missing"),
        (
            {"housekeeping_enabled": True, "housekeeping_gc_period": 500},
            ", ".join(f"housekeeping_{name} is missing" for name in HOUSEKEEPING),
        ),
        ({"plantuml_enabled": True}, "plantuml_url is missing"),
        ({"recaptcha_enabled": True}, "recaptcha_site_key is missing, recaptcha_private_key is missing"),
        (
            {"login_recaptcha_protection_enabled": "1"},
            "recaptcha_site_key is missing, recaptcha_private_key is missing",
        ),
        ({"require_two_factor_authentication": True}, "two_factor_grace_period is missing"),
        ({"shared_runners_enabled": True}, "shared_runners_text is missing"),
        ({"sourcegraph_enabled": True}, "sourcegraph_url is missing"),
        ({"spam_check_endpoint_enabled": True}, "spam_check_endpoint_url is missing"),
        ({"snowplow_enabled": True}, "snowplow_collector_hostname is missing"),
        (
            {"password_authentication_enabled": True, "signin_enabled": True},
            "password_authentication_enabled, signin_enabled are mutually exclusive",
        ),
        ({"default_branch_protection": 3}, "default_branch_protection does not have a valid value"),
        ({"default_project_creation": 9}, "default_project_creation does not have a valid value"),
        ({"default_group_visibility": "secret"}, "default_group_visibility does not have a valid value"),
        ({"enabled_git_access_protocol": "ftp"}, "enabled_git_access_protocol does not have a valid value"),
        ({"import_sources": "github,cvs"}, "import_sources does not have a valid value"),
        ({"rsa_key_restriction": 512}, "rsa_key_restriction does not have a valid value"),
        ({"dsa_key_restriction": 4096}, "dsa_key_restriction does not have a valid value"),
        ({"ecdsa_key_restriction": 1024}, "ecdsa_key_restriction does not have a valid value"),
        ({"ed25519_key_restriction": 512}, "ed25519_key_restriction does not have a valid value"),
        ({"max_attachment_size": "big"}, "max_attachment_size is invalid"),
        ({"signup_enabled": "maybe"}, "signup_enabled is invalid"),
    ],
)
def test_invalid_parameters_are_refused(fakeplat: Fakeplat, sent: dict[str, Any], text: str) -> None:
    """Parameters that a flag requires must be in the same request."""
    assert invalid(text) == refusal(fakeplat, "root", "PUT", PATH, json=sent)


def test_some_setting_must_be_sent(fakeplat: Fakeplat) -> None:
    """The text names them all."""
    status, body = refusal(fakeplat, "root", "PUT", PATH, json={"unknown": 1})
    names = body["error"].removesuffix(" are missing, at least one parameter must be provided").split(", ")

    assert (400, True) == (status, len(names) > 200)
    assert {"abuse_notification_email", "domain_blacklist_raw", "signin_enabled"} <= set(names)


NOT_NEGATIVE = ["must be greater than or equal to 0"]
POSITIVE = ["must be greater than 0"]
THROTTLES = ("authenticated_api", "authenticated_web", "unauthenticated", "protected_paths")
MISSING_NUMBER = ["can't be blank", "is not a number"]
BLANK = ["can't be blank"]
BLOCKED = ["is blocked: Only allowed schemes are http, https"]


@pytest.mark.parametrize(
    ("sent", "errors"),
    [
        ({"session_expire_delay": -1}, {"session_expire_delay": NOT_NEGATIVE}),
        ({"session_expire_delay": None}, {"session_expire_delay": MISSING_NUMBER}),
        ({"terminal_max_session_time": -1}, {"terminal_max_session_time": NOT_NEGATIVE}),
        ({"max_attachment_size": 0}, {"max_attachment_size": POSITIVE}),
        ({"max_artifacts_size": ""}, {"max_artifacts_size": MISSING_NUMBER}),
        ({"max_import_size": -1}, {"max_import_size": NOT_NEGATIVE}),
        ({"container_registry_token_expire_delay": 0}, {"container_registry_token_expire_delay": POSITIVE}),
        ({"minimum_password_length": 4}, {"minimum_password_length": ["must be greater than or equal to 8"]}),
        ({"minimum_password_length": 200}, {"minimum_password_length": ["must be less than or equal to 128"]}),
        (
            {"housekeeping_full_repack_period": 5},
            {"housekeeping_full_repack_period": ["must be greater than or equal to 10"]},
        ),
        ({"housekeeping_gc_period": 20}, {"housekeeping_gc_period": ["must be greater than or equal to 50"]}),
        (
            {"gitaly_timeout_fast": 56},
            {
                "gitaly_timeout_medium": ["must be greater than or equal to 56"],
                "gitaly_timeout_fast": ["must be less than or equal to 55"],
            },
        ),
        ({"gitaly_timeout_medium": 60}, {"gitaly_timeout_medium": ["must be less than or equal to 55"]}),
        ({"diff_max_patch_bytes": 1}, {"diff_max_patch_bytes": ["must be greater than or equal to 102400"]}),
        ({"diff_max_patch_bytes": 600_000}, {"diff_max_patch_bytes": ["must be less than or equal to 512000"]}),
        (
            {"domain_blacklist_enabled": True, "domain_blacklist": []},
            {"domain_blacklist": ["Domain blacklist cannot be empty if Blacklist is enabled."]},
        ),
        ({"enforce_terms": True}, {"terms": ["You need to set terms to be enforced"]}),
        ({"home_page_url": "ftp://x"}, {"home_page_url": BLOCKED}),
        ({"after_sign_out_path": "elsewhere"}, {"after_sign_out_path": BLOCKED}),
        ({"help_page_support_url": "mailto:x@y"}, {"help_page_support_url": BLOCKED}),
        (
            {"external_authorization_service_enabled": True},
            {"external_authorization_service_default_label": BLANK},
        ),
        (
            {"external_authorization_service_timeout": 11},
            {"external_authorization_service_timeout": ["must be less than or equal to 10"]},
        ),
        ({"external_authorization_service_timeout": 0}, {"external_authorization_service_timeout": POSITIVE}),
        ({"external_auth_client_cert": "-----BEGIN"}, {"external_auth_client_key": BLANK}),
        ({"default_artifacts_expire_in": "soon"}, {"default_artifacts_expire_in": ["is not a correct duration"]}),
        ({"default_artifacts_expire_in": ""}, {"default_artifacts_expire_in": BLANK}),
        (
            {"archive_builds_in_human_readable": "10 minutes"},
            {"archive_builds_in_seconds": ["must be greater than or equal to 86400"]},
        ),
        (
            {"archive_builds_in_human_readable": "a while"},
            {"archive_builds_in_human_readable": ["is not a correct duration"]},
        ),
        (
            {"restricted_visibility_levels": ["secret"]},
            {"restricted_visibility_levels": ["'secret' is not a valid visibility level"]},
        ),
        ({"repository_storages": ["default", "fast"]}, {"repository_storages": ["can't include: fast"]}),
        ({"repository_storages_weighted": {"fast": 1}}, {"repository_storages_weighted": ["can't include: fast"]}),
        (
            {"repository_storages_weighted": {"default": 101}},
            {"repository_storages_weighted_default": ["value must be between 0 and 100"]},
        ),
        (
            dict.fromkeys([f"{kind}_key_restriction" for kind in ("rsa", "dsa", "ecdsa", "ed25519")], -1),
            {"allowed_key_types": BLANK},
        ),
        ({"snippet_size_limit": 0}, {"snippet_size_limit": POSITIVE}),
        (
            {"wiki_page_max_content_bytes": 1023},
            {"wiki_page_max_content_bytes": ["must be greater than or equal to 1024"]},
        ),
        ({"issues_create_limit": -1}, {"issues_create_limit": NOT_NEGATIVE}),
        ({"raw_blob_request_limit": -1}, {"raw_blob_request_limit": NOT_NEGATIVE}),
        ({"polling_interval_multiplier": -1}, {"polling_interval_multiplier": NOT_NEGATIVE}),
        ({"asset_proxy_enabled": True}, {"asset_proxy_secret_key": BLANK, "asset_proxy_url": BLANK}),
        ({"local_markdown_version": 65536}, {"local_markdown_version": ["must be less than 65536"]}),
        ({"commit_email_hostname": "a@b"}, {"commit_email_hostname": ["is invalid"]}),
        (
            {"default_ci_config_path": "/ci.yml"},
            {"default_ci_config_path": ["cannot include leading slash or directory traversal."]},
        ),
        ({"snowplow_enabled": True, "snowplow_collector_hostname": None}, {"snowplow_collector_hostname": BLANK}),
        (
            {
                "eks_integration_enabled": True,
                "eks_account_id": "1",
                "eks_access_key_id": "short",
                "eks_secret_access_key": "s",
            },
            {
                "eks_account_id": ["must be a 12-digit number"],
                "eks_access_key_id": ["is too short (minimum is 16 characters)"],
            },
        ),
        ({"abuse_notification_email": "nobody"}, {"abuse_notification_email": ["is invalid"]}),
        ({"performance_bar_allowed_group_path": "ghosts"}, {"performance_bar_allowed_group_id": ["not found"]}),
        ({"signup_enabled": None}, {"signup_enabled": BLANK}),
        *(
            ({f"throttle_{who}_{name}": value}, {f"throttle_{who}_{name}": POSITIVE})
            for who in THROTTLES
            for name in ("requests_per_period", "period_in_seconds")
            for value in (0, -1)
        ),
        *(
            (
                {f"throttle_{who}_period_in_seconds": 2**31},
                {f"throttle_{who}_period_in_seconds": ["must be less than or equal to 2147483647"]},
            )
            for who in THROTTLES
        ),
    ],
)
def test_invalid_settings_are_refused(fakeplat: Fakeplat, sent: dict[str, Any], errors: dict[str, list[str]]) -> None:
    """Invalid settings are refused with all errors and change nothing."""
    assert invalid_record(**errors) == refusal(fakeplat, "root", "PUT", PATH, json=sent)


@pytest.mark.fakeplat(scenario="starter", tier="ultimate")
@pytest.mark.parametrize(
    ("sent", "errors"),
    [
        ({"deletion_adjourned_period": 91}, {"deletion_adjourned_period": ["must be less than or equal to 90"]}),
        ({"deletion_adjourned_period": -1}, {"deletion_adjourned_period": NOT_NEGATIVE}),
        ({"geo_node_allowed_ips": ""}, {"geo_node_allowed_ips": BLANK}),
        ({"mirror_capacity_threshold": 101}, {"mirror_capacity_threshold": ["must be less than or equal to 100"]}),
        (
            {"max_personal_access_token_lifetime": 366},
            {"max_personal_access_token_lifetime": ["must be less than or equal to 365"]},
        ),
        (
            {"elasticsearch_indexing": True, "elasticsearch_url": ""},
            {"elasticsearch_url": ["can't be blank when indexing is enabled"]},
        ),
    ],
)
def test_invalid_paid_settings_are_refused(
    fakeplat: Fakeplat, sent: dict[str, Any], errors: dict[str, list[str]]
) -> None:
    """Invalid values of paid settings are refused like those of others."""
    assert invalid_record(**errors) == refusal(fakeplat, "root", "PUT", PATH, json=sent)


def test_a_scenario_may_have_values_that_an_administrator_could_not_set(fakeplat: Fakeplat) -> None:
    """Updates of other settings are possible nonetheless."""
    fakeplat.load({"settings": {"minimum_password_length": 1}})
    assert 5 == update_settings(fakeplat, default_projects_limit=5)["default_projects_limit"]


def test_settings_that_name_records_survive_an_export(fakeplat: Fakeplat) -> None:
    """Settings that name records are exported by path, or empty after deletion."""
    update_settings(fakeplat, performance_bar_allowed_group_path="acme", first_day_of_week=1, domain_whitelist="a.com")
    exported = export_world(fakeplat.bench.platform)["settings"]

    expected = {"performance_bar_allowed_group": "acme", "first_day_of_week": 1, "domain_allowlist": ["a.com"]}
    assert expected == exported

    reloaded = create_platform(get_scenario(export_world(fakeplat.bench.platform))).view.settings
    assert fakeplat.bench.platform.view.settings.first_day_of_week == reloaded.first_day_of_week
    assert None is not reloaded.performance_bar_allowed_group_id

    fakeplat.as_user("root").delete("groups/acme")
    assert None is read_settings(fakeplat)["performance_bar_allowed_group_id"]


def test_changes_of_settings_are_reported_by_name(fakeplat: Fakeplat) -> None:
    """Changed settings are reported by name with both values."""
    with fakeplat.changes() as changes:
        update_settings(fakeplat, first_day_of_week=6)
    assert {"settings": {"settings": {"first_day_of_week": (0, 6)}}} == changes.changed
