"""What the pages show, diffs, Markdown, and connected services."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Any, Literal

    from fakeplat.core.release import Lifetime
    from fakeplat.model.setting_rules import (
        KROKI_FORMATS,
        MARKETPLACE,
        NO_RATE,
        Amount,
        Composite,
        Keys,
        Length,
        Lines,
        Matches,
        Needed,
        Number,
        Paid,
        PositiveAmount,
        Requires,
        Texts,
        WebUrl,
    )


class InterfaceSettings:
    """What the pages show, diffs, Markdown, and connected services."""

    allow_all_integrations: Annotated[bool, Lifetime(since="17.6"), Paid("ultimate")] = True
    allowed_integrations: Annotated[Texts, Lifetime(since="17.6"), Paid("ultimate")] = ()
    asciidoc_max_includes: Annotated[int, Lifetime(since="<=17.3"), Number(least=0, most=64)] = 32
    background_operations_max_jobs: Annotated[PositiveAmount, Lifetime(since="<=18.9")] = 10
    cube_api_base_url: Annotated[
        str | None,
        Lifetime(since="<=17.11"),
        Paid("ultimate"),
        Length(512),
        WebUrl(),
        Needed("product_analytics_enabled"),
    ] = None
    cube_api_key: Annotated[
        str | None, Lifetime(since="<=17.11"), Paid("ultimate"), Length(255), Needed("product_analytics_enabled")
    ] = None
    diagramsnet_enabled: Annotated[bool, Lifetime(since="<=17.4"), Requires(("diagramsnet_url",))] = True
    diagramsnet_url: Annotated[str | None, Lifetime(since="<=17.4"), Needed("diagramsnet_enabled"), WebUrl()] = (
        "https://embed.diagrams.net"
    )
    diff_max_commits: Annotated[PositiveAmount, Lifetime(since="<=19.3")] = 1_000_000
    diff_max_files: Annotated[int, Lifetime(since="<=14.10"), Number(least=1000, most=3000)] = 1000
    diff_max_lines: Annotated[int, Lifetime(since="<=14.10"), Number(least=50_000, most=100_000)] = 50_000
    diff_max_versions: Annotated[PositiveAmount, Lifetime(since="<=19.3")] = 1000
    enabled_expanded_logging: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    error_tracking_api_url: Annotated[
        str | None, Lifetime(since="<=17.10"), Length(255), WebUrl(), Needed("error_tracking_enabled")
    ] = None
    error_tracking_enabled: Annotated[bool, Lifetime(since="<=17.10")] = False
    fetch_observability_alerts_from_cloud: Annotated[bool, Lifetime(since="<=17.11"), Paid("ultimate")] = True
    floc_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    gitlab_dedicated_instance: Annotated[bool, Lifetime(since="<=16.0")] = False
    gitlab_product_usage_data_enabled: Annotated[bool, Lifetime(since="<=18.5")] = True
    iframe_rendering_allowlist: Annotated[Texts, Lifetime(since="18.6"), Lines()] = ()
    iframe_rendering_enabled: Annotated[bool, Lifetime(since="18.6")] = False
    jira_connect_additional_audience_url: Annotated[str | None, Lifetime(since="<=17.10"), Length(255), WebUrl()] = None
    jira_connect_application_key: Annotated[str | None, Lifetime(since="<=16.0"), Length(255)] = None
    jira_connect_proxy_url: Annotated[str | None, Lifetime(since="<=16.0"), Length(255), WebUrl()] = None
    jira_connect_public_key_storage_enabled: Annotated[bool, Lifetime(since="<=17.4")] = False
    jira_forge_app_id: Annotated[str | None, Lifetime(since="<=19.3"), Length(255)] = None
    kroki_diagram_proxy_enabled: Annotated[bool, Lifetime(since="<=19.3")] = False
    kroki_formats: Annotated[Mapping[str, Any], Lifetime(since="<=14.10"), Keys(KROKI_FORMATS)] = {
        "blockdiag": False,
        "bpmn": False,
        "excalidraw": False,
    }
    mailgun_events_enabled: Annotated[bool, Lifetime(since="<=14.10"), Requires(("mailgun_signing_key",))] = False
    mailgun_signing_key: Annotated[
        str | None, Lifetime(since="<=14.10"), Needed("mailgun_events_enabled"), Length(255)
    ] = None
    math_rendering_limits_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    namespace_aggregation_schedule_lease_duration_in_seconds: Annotated[PositiveAmount, Lifetime(since="<=17.10")] = 300
    observability_backend_ssl_verification_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    plantuml_diagram_proxy_enabled: Annotated[bool, Lifetime(since="<=19.3")] = False
    product_analytics_configurator_connection_string: Annotated[
        str | None,
        Lifetime(since="<=17.11"),
        Paid("ultimate"),
        Length(512),
        WebUrl(),
        Needed("product_analytics_enabled"),
    ] = None
    product_analytics_data_collector_host: Annotated[
        str | None,
        Lifetime(since="<=17.11"),
        Paid("ultimate"),
        Length(255),
        WebUrl(),
        Needed("product_analytics_enabled"),
    ] = None
    product_analytics_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid("ultimate")] = False
    reindexing_minimum_index_size: Annotated[Amount, Lifetime(since="<=18.5")] = 1_073_741_824
    reindexing_minimum_relative_bloat_size: Annotated[float, Lifetime(since="<=18.5"), Number(least=0, most=1)] = 0.2
    resource_usage_limits: Annotated[Mapping[str, Any], Lifetime(since="<=17.9")] = {}
    sentry_clientside_dsn: Annotated[str | None, Lifetime(since="<=14.10"), Length(255), WebUrl()] = None
    sentry_clientside_traces_sample_rate: Annotated[
        float, Lifetime(since="<=17.10"), Number(least=0, most=1, text=NO_RATE)
    ] = 0.0
    sentry_dsn: Annotated[str | None, Lifetime(since="<=14.10"), Length(255), WebUrl(), Needed("sentry_enabled")] = None
    sentry_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    sentry_environment: Annotated[str | None, Lifetime(since="<=14.10"), Length(255), Needed("sentry_enabled")] = None
    sidekiq_job_limiter_compression_threshold_bytes: Annotated[Amount, Lifetime(since="<=14.10")] = 100_000
    sidekiq_job_limiter_limit_bytes: Annotated[Amount, Lifetime(since="<=14.10")] = 0
    sidekiq_job_limiter_mode: Annotated[Literal["track", "compress"], Lifetime(since="<=14.10")] = "compress"
    sidekiq_timezone_override: Annotated[str | None, Lifetime(since="19.2"), Length(255)] = None
    slack_app_signing_secret: Annotated[str | None, Lifetime(since="<=15.3"), Paid(), Needed("slack_app_enabled")] = (
        None
    )
    snowplow_database_collector_hostname: Annotated[
        str | None, Lifetime(since="<=17.4"), Length(255), Matches("hostname")
    ] = None
    use_clickhouse_for_analytics: Annotated[bool, Lifetime(since="<=17.4")] = False
    vscode_extension_marketplace: Annotated[Mapping[str, Any], Lifetime(since="<=18.5"), Composite(MARKETPLACE)] = {}
    vscode_extension_marketplace_enabled: Annotated[bool, Lifetime(since="<=18.5")] = False
    vscode_extension_marketplace_extension_host_domain: Annotated[str, Lifetime(since="<=18.9")] = (
        "cdn.web-ide.gitlab-static.net"
    )
    wiki_asciidoc_allow_uri_includes: Annotated[bool, Lifetime(since="<=17.10")] = False
