"""CI/CD, runners, environments, packages and the container registry."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Annotated

    from fakeplat.core.release import Lifetime
    from fakeplat.model.setting_rules import (
        Amount,
        Lines,
        Matches,
        Members,
        Needed,
        Number,
        Paid,
        PositiveAmount,
        Texts,
        Url,
    )


class CiSettings:
    """CI/CD, runners, environments, packages and the container registry."""

    allow_runner_registration_token: Annotated[bool, Lifetime(since="<=16.0")] = True
    ci_cd_catalog_projects_allowlist: Annotated[Texts, Lifetime(since="<=18.9"), Paid(), Lines()] = ()
    ci_delete_pipelines_in_seconds_limit_human_readable: Annotated[
        str, Lifetime(since="<=18.5"), Matches("duration")
    ] = "1 year"
    ci_job_live_trace_enabled: Annotated[bool, Lifetime(since="<=18.1")] = False
    ci_max_caches_per_job: Annotated[PositiveAmount, Lifetime(since="<=19.3")] = 4
    ci_max_includes: Annotated[Amount, Lifetime(since="<=17.3")] = 150
    ci_max_total_yaml_size_bytes: Annotated[Amount, Lifetime(since="<=17.3")] = 314_572_800
    ci_partitions_in_seconds_limit_human_readable: Annotated[str, Lifetime(since="<=19.3"), Matches("duration")] = (
        "1 month"
    )
    ci_partitions_size_limit: Annotated[PositiveAmount, Lifetime(since="<=18.1", until="18.11")] = 107_374_182_400
    container_registry_cleanup_tags_service_max_list_size: Annotated[Amount, Lifetime(since="<=14.10")] = 200
    container_registry_expiration_policies_caching: Annotated[bool, Lifetime(since="<=14.10")] = True
    container_registry_import_created_before: Annotated[str, Lifetime(since="<=14.10", until="<=17.1"), Needed()] = (
        "2022-01-23T00:00:00.000Z"
    )
    container_registry_import_max_retries: Annotated[Amount, Lifetime(since="<=14.10", until="<=17.1")] = 3
    container_registry_import_max_step_duration: Annotated[Amount, Lifetime(since="<=14.10", until="<=17.1")] = 300
    container_registry_import_max_tags_count: Annotated[Amount, Lifetime(since="<=14.10", until="<=17.1")] = 100
    container_registry_import_start_max_retries: Annotated[Amount, Lifetime(since="<=14.10", until="<=17.1")] = 50
    container_registry_import_target_plan: Annotated[str, Lifetime(since="<=14.10", until="<=17.1"), Needed()] = "free"
    container_registry_import_timeout: Annotated[Amount, Lifetime(since="<=15.10", until="<=17.1")] = 600
    container_registry_pre_import_tags_rate: Annotated[
        float, Lifetime(since="<=15.10", until="<=17.1"), Number(least=0)
    ] = 0.5
    container_registry_pre_import_timeout: Annotated[Amount, Lifetime(since="<=15.10", until="<=17.1")] = 1800
    enable_artifact_external_redirect_warning_page: Annotated[bool, Lifetime(since="<=17.4")] = True
    enforce_ci_inbound_job_token_scope_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    external_pipeline_validation_service_timeout: Annotated[int | None, Lifetime(since="<=14.10"), Number(above=0)] = (
        None
    )
    external_pipeline_validation_service_token: Annotated[str | None, Lifetime(since="<=14.10")] = None
    external_pipeline_validation_service_url: Annotated[Url, Lifetime(since="<=14.10")] = None
    gitlab_environment_toolkit_instance: Annotated[bool, Lifetime(since="<=17.4")] = False
    group_runner_token_expiration_interval: Annotated[int | None, Lifetime(since="<=14.10")] = None
    group_secrets_limit: Annotated[Amount, Lifetime(since="18.9"), Paid()] = 500
    helm_max_packages_count: Annotated[PositiveAmount, Lifetime(since="<=18.5")] = 1000
    maven_package_requests_forwarding: Annotated[bool, Lifetime(since="<=16.0"), Paid()] = True
    max_artifacts_content_include_size: Annotated[PositiveAmount, Lifetime(since="<=17.10")] = 5_242_880
    max_pages_custom_domains_per_project: Annotated[Amount, Lifetime(since="<=17.10")] = 0
    max_terraform_state_size_bytes: Annotated[Amount, Lifetime(since="<=16.0")] = 0
    max_yaml_depth: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = 100
    max_yaml_size_bytes: Annotated[PositiveAmount, Lifetime(since="<=14.10")] = 2_097_152
    nuget_skip_metadata_url_validation: Annotated[bool, Lifetime(since="17.0")] = False
    organization_cluster_agent_authorization_enabled: Annotated[bool, Lifetime(since="<=18.5")] = False
    package_metadata_purl_types: Annotated[tuple[int, ...], Lifetime(since="<=17.4"), Paid("ultimate")] = ()
    package_registry_allow_anyone_to_pull_option: Annotated[bool, Lifetime(since="<=17.4")] = True
    package_registry_cleanup_policies_worker_capacity: Annotated[Amount, Lifetime(since="<=15.3")] = 2
    pages_extra_deployments_default_expiry_seconds: Annotated[Amount, Lifetime(since="<=17.10")] = 86_400
    pages_unique_domain_default_enabled: Annotated[bool, Lifetime(since="<=18.5")] = True
    project_runner_token_expiration_interval: Annotated[int | None, Lifetime(since="<=14.10")] = None
    project_secrets_limit: Annotated[Amount, Lifetime(since="18.9"), Paid()] = 100
    pypi_package_requests_forwarding: Annotated[bool, Lifetime(since="<=14.10"), Paid()] = True
    receptive_cluster_agents_enabled: Annotated[bool, Lifetime(since="17.4"), Paid("ultimate")] = False
    runner_token_expiration_interval: Annotated[int | None, Lifetime(since="<=14.10")] = None
    show_migrate_from_jenkins_banner: Annotated[bool, Lifetime(since="<=17.10")] = True
    suggest_pipeline_enabled: Annotated[bool, Lifetime(since="<=14.10")] = True
    terraform_state_encryption_enabled: Annotated[bool, Lifetime(since="<=18.9")] = True
    update_runner_versions_enabled: Annotated[bool, Lifetime(since="<=17.4")] = True
    valid_runner_registrars: Annotated[
        Texts, Lifetime(since="<=17.4"), Members(("project", "group"), "{all} is not included in the list")
    ] = ("project", "group")
