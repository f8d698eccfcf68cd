"""Search and AI features."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Any, Literal

    from fakeplat.core.release import Lifetime
    from fakeplat.model.setting_rules import SECRET, Amount, Length, Number, Paid, PositiveAmount


class SearchSettings:
    """Search and AI features."""

    anonymous_searches_allowed: Annotated[bool, Lifetime(since="<=18.5")] = True
    default_search_scope: Annotated[str, Lifetime(since="<=18.9")] = "system default"
    elastic_migration_worker_enabled: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = True
    elasticsearch_analyzers_kuromoji_enabled: Annotated[bool, Lifetime(since="<=14.10"), Paid()] = False
    elasticsearch_analyzers_kuromoji_search: Annotated[bool, Lifetime(since="<=14.10"), Paid()] = False
    elasticsearch_analyzers_smartcn_enabled: Annotated[bool, Lifetime(since="<=14.10"), Paid()] = False
    elasticsearch_analyzers_smartcn_search: Annotated[bool, Lifetime(since="<=14.10"), Paid()] = False
    elasticsearch_aws_role_arn: Annotated[str | None, Lifetime(since="<=18.5"), Paid(), Length(2048)] = None
    elasticsearch_client_adapter: Annotated[str, Lifetime(since="18.5"), Paid()] = "typhoeus"
    elasticsearch_code_scope: Annotated[str, Lifetime(since="<=18.9"), Paid()] = "project"
    elasticsearch_indexing_timeout_minutes: Annotated[PositiveAmount, Lifetime(since="<=18.9"), Paid()] = 30
    elasticsearch_max_code_indexing_concurrency: Annotated[Amount, Lifetime(since="<=17.4"), Paid()] = 30
    elasticsearch_password: Annotated[str | None, Lifetime(since="<=14.10"), Paid(), Length(255)] = None
    elasticsearch_requeue_workers: Annotated[bool, Lifetime(since="<=17.4"), Paid()] = False
    elasticsearch_retry_on_failure: Annotated[Amount, Lifetime(since="<=17.9"), Paid()] = 0
    elasticsearch_username: Annotated[str | None, Lifetime(since="<=14.10"), Paid(), Length(255)] = None
    elasticsearch_worker_number_of_shards: Annotated[
        int, Lifetime(since="<=17.4"), Paid(), Number(above=0, most=16)
    ] = 2
    global_search_block_anonymous_searches_enabled: Annotated[bool, Lifetime(since="<=18.5")] = False
    global_search_code_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = True
    global_search_commits_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = True
    global_search_epics_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = True
    global_search_issues_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    global_search_limited_indexing_enabled: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = False
    global_search_merge_requests_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    global_search_snippet_titles_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    global_search_users_enabled: Annotated[bool, Lifetime(since="<=17.10")] = True
    global_search_wiki_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = True
    global_search_work_items_enabled: Annotated[bool, Lifetime(since="18.11")] = True
    search_max_docs_denominator: Annotated[PositiveAmount, Lifetime(since="<=17.11"), Paid()] = 5_000_000
    search_max_shard_size_gb: Annotated[PositiveAmount, Lifetime(since="<=17.11"), Paid()] = 50
    search_min_docs_before_rollover: Annotated[PositiveAmount, Lifetime(since="<=17.11"), Paid()] = 100_000
    zoekt_auto_index_root_namespace: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    zoekt_cache_response: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    zoekt_cpu_to_tasks_ratio: Annotated[float, Lifetime(since="<=17.11"), Paid(), Number(above=0)] = 1.0
    zoekt_default_number_of_replicas: Annotated[PositiveAmount, Lifetime(since="<=18.9"), Paid()] = 1
    zoekt_indexed_file_size_limit: Annotated[str, Lifetime(since="<=18.9"), Paid()] = "1MB"
    zoekt_indexing_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    zoekt_indexing_parallelism: Annotated[PositiveAmount, Lifetime(since="<=18.9"), Paid()] = 1
    zoekt_indexing_paused: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    zoekt_indexing_timeout: Annotated[str, Lifetime(since="<=18.9"), Paid()] = "30m"
    zoekt_lost_node_threshold: Annotated[str, Lifetime(since="<=18.9"), Paid()] = "12h"
    zoekt_maximum_files: Annotated[PositiveAmount, Lifetime(since="<=18.9"), Paid()] = 500_000
    zoekt_rollout_batch_size: Annotated[PositiveAmount, Lifetime(since="<=18.9"), Paid()] = 32
    zoekt_rollout_retry_interval: Annotated[str, Lifetime(since="<=18.9"), Paid()] = "1d"
    zoekt_search_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    zoekt_trigram_max: Annotated[PositiveAmount, Lifetime(since="<=18.9"), Paid()] = 20_000
    # AI.
    auto_duo_code_review_enabled: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = False
    disabled_direct_code_suggestions: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    display_gitlab_credits_user_data: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = False
    duo_agent_platform_enabled: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    duo_availability: Annotated[Literal["default_on", "default_off", "never_on"], Lifetime(since="<=17.11"), Paid()] = (
        "default_on"
    )
    duo_chat_expiration_column: Annotated[
        Literal["last_updated_at", "created_at"], Lifetime(since="<=18.5"), Paid()
    ] = "last_updated_at"
    duo_chat_expiration_days: Annotated[int, Lifetime(since="<=18.5"), Paid(), Number(least=1, most=30)] = 30
    duo_features_enabled: Annotated[bool, Lifetime(since="16.10"), Paid()] = True
    lock_duo_features_enabled: Annotated[bool, Lifetime(since="16.10"), Paid()] = False
    duo_foundational_flows_availability: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    duo_foundational_flows_enabled: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    duo_namespace_access_rules: Annotated[tuple[Mapping[str, Any], ...], Lifetime(since="<=18.9"), Paid()] = ()
    duo_remote_flows_availability: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = True
    duo_remote_flows_enabled: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = True
    lock_duo_remote_flows_enabled: Annotated[bool, Lifetime(since="<=18.9"), Paid(), SECRET] = False
    duo_sast_fp_detection_availability: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    duo_sast_fp_detection_enabled: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    duo_workflow_oauth_application_id: Annotated[int | None, Lifetime(since="<=17.11"), Paid()] = None
    enable_language_server_restrictions: Annotated[bool, Lifetime(since="<=18.5")] = False
    minimum_language_server_version: Annotated[str, Lifetime(since="<=18.5")] = "0.1.0"
    foundational_agents_default_enabled: Annotated[bool, Lifetime(since="<=18.9"), Paid()] = True
    foundational_agents_statuses: Annotated[tuple[Mapping[str, Any], ...], Lifetime(since="<=18.9"), Paid()] = ()
    instance_level_ai_beta_features_enabled: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    mcp_server_enabled: Annotated[bool, Lifetime(since="19.2")] = True
    model_prompt_cache_enabled: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = True
    lock_model_prompt_cache_enabled: Annotated[bool, Lifetime(since="<=18.5"), Paid()] = False
