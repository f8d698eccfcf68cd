"""The integrations that came after 13.5, and what later releases added to the others.

Source: docs/platform/integrations.md ('Later integrations').
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from fakeplat.domain.integrations import rules
from fakeplat.domain.integrations.declarations import (
    BRANCHES,
    BROKEN,
    CHAT_CHANNELS,
    CHAT_EVENTS,
    CHAT_FILTERS,
    LABELS,
    NEW_CHAT,
    build_properties,
    declare,
    declare_chat,
    declare_simple,
    declare_tracker,
)
from fakeplat.domain.integrations.rules import all_of, present, public_urls
from fakeplat.domain.projects.services import Property
from fakeplat.policy.context import WriteContext

_MESSENGER_FILTERS: Final = (Property(BROKEN, bool), Property(BRANCHES))
_DATADOG_SITE: Final = "datadoghq.com"
_NO_EVENTS: Final[tuple[str, ...]] = ()


def _keep_credentials_of_address(
    _ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]
) -> dict[str, Any]:
    """Drop the stored credentials of Harbor that were meant for another address."""
    merged: dict[str, Any] = {**before, **sent}
    if merged.get("url") != before.get("url"):
        merged |= {name: None for name in ("username", "password") if name not in sent}
    return merged


def _protect(name: str, _ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, Any]:
    """Keep the variables of stores for protected branches and tags, unless told otherwise."""
    return {name: True, **before, **sent}


def _strip_texts(_ctx: WriteContext, before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, Any]:
    """Strip what Datadog shows of spaces."""
    stripped = {
        name: value.strip() if isinstance(value, str) and name.startswith("datadog_") else value
        for name, value in sent.items()
    }
    return {**before, **stripped}


declare(
    "apple-app-store",
    "Apple App Store Connect",
    build_properties(
        "app_store_issuer_id app_store_key_id app_store_private_key_file_name app_store_private_key",
        app_store_protected_refs=bool,
    ),
    "app_store_issuer_id app_store_key_id app_store_private_key_file_name app_store_protected_refs",
    secrets=("app_store_private_key",),
    merge_properties=partial(_protect, "app_store_protected_refs"),
    explain_error=all_of(
        present("app_store_issuer_id", "app_store_key_id", "app_store_private_key_file_name", "app_store_private_key"),
        rules.matches("app_store_issuer_id", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        rules.matches("app_store_key_id", "(?=.*[A-Z])(?=.*[0-9])[A-Z0-9]+"),
        rules.check_private_key,
    ),
    flags=_NO_EVENTS,
    is_for_projects_only=True,
    since="15.10",
)
declare_tracker("clickup", "ClickUp", "project_url issues_url", "project_url issues_url", since="16.1")
declare(
    "datadog",
    "Datadog",
    (
        *build_properties("api_key", "datadog_site api_url"),
        Property("archive_trace_events", bool, since="15.3"),
        *build_properties("", "datadog_service datadog_env"),
        Property("datadog_tags", since="14.8"),
    ),
    "datadog_site api_url archive_trace_events datadog_service datadog_env datadog_tags",
    flags=("pipeline_events", "job_events"),
    secrets=("api_key",),
    defaults={"properties": {"datadog_site": _DATADOG_SITE}},
    merge_properties=_strip_texts,
    explain_error=all_of(
        present("api_key"),
        rules.matches("api_key", r"\w+"),
        rules.matches("datadog_site", r"\w+([-.]\w+)*\.[a-zA-Z]{2,5}(:[0-9]{1,5})?"),
        rules.optional_public_url("api_url"),
        rules.one_of_both("datadog_site", "api_url"),
        rules.check_tags,
    ),
    since="14.1",
)
declare_simple(
    "diffblue-cover",
    "Diffblue Cover",
    "diffblue_license_key diffblue_access_token_name diffblue_access_token_secret",
    "diffblue_access_token_name",
    flags=_NO_EVENTS,
    since="<=17.0",
)
declare_simple("git-guardian", "GitGuardian", "token", "", flags=_NO_EVENTS, since="16.9", tier="premium")
declare(
    "gitlab-slack-application",
    "GitLab for Slack app",
    (
        *build_properties("", "channel"),
        *_MESSENGER_FILTERS,
        *LABELS,
        *build_properties("", CHAT_CHANNELS),
    ),
    f"channel {BROKEN} {BRANCHES} labels_to_be_notified labels_to_be_notified_behavior {CHAT_CHANNELS}",
    flags=(*CHAT_EVENTS, "deployment_events", "alert_events", "incident_events", "vulnerability_events"),
    defaults={
        **dict.fromkeys((*CHAT_EVENTS, "commit_events", "job_events", "alert_events"), False),
        "properties": NEW_CHAT,
    },
    is_installed_elsewhere=True,
    needs_setting="slack_app_enabled",
    since="<=16.10",
)
declare(
    "google-cloud-platform-artifact-registry",
    "Google Artifact Management",
    build_properties("artifact_registry_project_id artifact_registry_location artifact_registry_repositories"),
    "artifact_registry_project_id artifact_registry_repositories artifact_registry_location",
    explain_error=present(
        "artifact_registry_project_id", "artifact_registry_location", "artifact_registry_repositories"
    ),
    is_hosted_only=True,
    since="16.9",
)
declare(
    "google-cloud-platform-workload-identity-federation",
    "Google Cloud IAM",
    (
        *build_properties("workload_identity_federation_project_id"),
        Property("workload_identity_federation_project_number", int, required=True),
        *build_properties("workload_identity_pool_id workload_identity_pool_provider_id"),
    ),
    "workload_identity_federation_project_id workload_identity_federation_project_number workload_identity_pool_id "
    "workload_identity_pool_provider_id",
    explain_error=present(
        "workload_identity_federation_project_id",
        "workload_identity_federation_project_number",
        "workload_identity_pool_id",
        "workload_identity_pool_provider_id",
    ),
    is_hosted_only=True,
    since="16.10",
)
declare(
    "google-play",
    "Google Play",
    build_properties("package_name service_account_key_file_name service_account_key", google_play_protected_refs=bool),
    "package_name service_account_key_file_name google_play_protected_refs",
    secrets=("service_account_key",),
    merge_properties=partial(_protect, "google_play_protected_refs"),
    explain_error=all_of(
        present("package_name", "service_account_key_file_name", "service_account_key"),
        rules.matches("package_name", r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+"),
        rules.check_service_account,
    ),
    flags=_NO_EVENTS,
    is_for_projects_only=True,
    since="15.11",
)
declare(
    "harbor",
    "Harbor",
    build_properties("url project_name username password"),
    "url project_name username",
    secrets=("password",),
    merge_properties=_keep_credentials_of_address,
    explain_error=all_of(
        present("url", "project_name", "username"),
        public_urls("url"),
        rules.matches("password", r"[a-zA-Z0-9_+=/@:.~-]{8,}"),
    ),
    since="14.9",
)
JIRA_CLOUD_APP: Final = declare(
    "jira-cloud-app",
    "GitLab for Jira Cloud app",
    (
        *build_properties("", "jira_cloud_app_service_ids"),
        Property("jira_cloud_app_enable_deployment_gating", bool),
        *build_properties("", "jira_cloud_app_deployment_gating_environments"),
    ),
    "jira_cloud_app_service_ids jira_cloud_app_enable_deployment_gating jira_cloud_app_deployment_gating_environments",
    explain_error=rules.check_service_ids,
    is_installed_elsewhere=True,
    needs_setting="jira_connect_application_key",
    since="<=18.9",
)
declare_simple(
    "linear",
    "Linear",
    "workspace_url",
    "workspace_url",
    needs=all_of(
        present("workspace_url"),
        rules.matches(
            "workspace_url",
            "https://linear\\.app/[a-z0-9-]{3,32}/?",
            "URL must point to a workspace URL like https://linear.app/example",
        ),
    ),
    since="18.3",
)
_MESSENGER_FIELDS: Final = f"{BROKEN} {BRANCHES}"
declare(
    "matrix",
    "Matrix notifications",
    (*build_properties("token room", "hostname"), *_MESSENGER_FILTERS),
    f"hostname room {_MESSENGER_FIELDS}",
    flags=(*CHAT_EVENTS, "incident_events"),
    secrets=("token",),
    defaults={"properties": NEW_CHAT},
    explain_error=all_of(present("token", "room"), rules.optional_public_url("hostname")),
    since="17.3",
)
declare("mock-monitoring", "MockMonitoring", (), "", since="<=18.9")
declare_tracker("phorge", "Phorge", "project_url issues_url", "project_url issues_url", since="16.11")
declare_chat("pumble", "Pumble", own=CHAT_FILTERS, is_strict=True, since="15.3")
declare(
    "squash-tm",
    "Squash TM",
    build_properties("url", "token"),
    "url",
    flags=("issues_events", "confidential_issues_events"),
    secrets=("token",),
    explain_error=all_of(present("url"), public_urls("url"), rules.at_most("token", 255)),
    since="15.10",
)
declare(
    "telegram",
    "Telegram",
    (
        *build_properties("token room"),
        Property("hostname", since="17.1"),
        Property("thread", int, since="16.11"),
        Property(BROKEN, bool),
        Property(BRANCHES, since="16.5"),
    ),
    f"hostname room thread {_MESSENGER_FIELDS}",
    flags=(*CHAT_EVENTS, "incident_events"),
    secrets=("token",),
    defaults={"properties": NEW_CHAT},
    explain_error=all_of(present("token", "room"), rules.optional_public_url("hostname")),
    since="16.1",
)
declare(
    "zentao",
    "ZenTao",
    build_properties("url api_token zentao_product_xid", "api_url"),
    "url api_url zentao_product_xid",
    secrets=("api_token",),
    explain_error=all_of(present("url", "api_token", "zentao_product_xid"), public_urls("url")),
    is_retired=True,
    since="<=18.9",
)
