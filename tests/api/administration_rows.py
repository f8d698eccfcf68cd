"""Permissions by role for the administration of the instance, in the form of `role_rows.py`.

Sources: docs/platform/settings.md, docs/platform/version-and-metadata.md.
"""

from typing import Any

ADMIN = "401 403 403 403 403 403 403 403"
INDEXED = "elasticsearch_indexed_namespaces"
ADD_ON = "namespaces/acme/subscription_add_on_purchase/code_suggestions"
PACK = {"number_of_minutes": 1, "expires_at": "2021-11-20", "purchase_xid": "A-1"}
BOUGHT = {"quantity": 1, "started_on": "2020-11-20", "expires_on": "2021-11-20", "purchase_xid": "A-2"}
SHARDS = "admin/zoekt/shards"
EXCLUSION = "namespaces/acme/storage/limit_exclusion"
MIGRATIONS = "admin/batched_background_migrations"
POLICIES = "admin/security/compliance_policy_settings"
ROWS: list[tuple[str, str, str, Any, str]] = [
    ("get_application_settings", "GET", "application/settings", None, f"{ADMIN} 200"),
    ("update_application_settings", "PUT", "application/settings", {"first_day_of_week": 1}, f"{ADMIN} 200"),
    ("get_plan_limits", "GET", "application/plan_limits", None, f"{ADMIN} 200"),
    ("update_plan_limits", "PUT", "application/plan_limits", {"plan_name": "default"}, f"{ADMIN} 200"),
    ("get_application_appearance", "GET", "application/appearance", None, f"{ADMIN} 200"),
    ("update_application_appearance", "PUT", "application/appearance", {"title": "x"}, f"{ADMIN} 200"),
    ("get_application_statistics", "GET", "application/statistics", None, f"{ADMIN} 200"),
    ("list_features", "GET", "features", None, f"{ADMIN} 200"),
    ("set_feature", "POST", "features/new", {"value": "true"}, f"{ADMIN} 201"),
    ("delete_feature", "DELETE", "features/new", None, f"{ADMIN} 204"),
    ("list_feature_definitions", "GET", "features/definitions", None, f"{ADMIN} 200"),
    ("list_usage_data_queries", "GET", "usage_data/queries", None, f"{ADMIN} 404"),
    ("list_usage_data_non_sql_metrics", "GET", "usage_data/non_sql_metrics", None, f"{ADMIN} 404"),
    ("get_usage_data_service_ping", "GET", "usage_data/service_ping", None, f"{ADMIN} 200"),
    ("get_sidekiq_queue_metrics", "GET", "sidekiq/queue_metrics", None, f"{ADMIN} 200"),
    ("get_sidekiq_process_metrics", "GET", "sidekiq/process_metrics", None, f"{ADMIN} 200"),
    ("get_sidekiq_job_stats", "GET", "sidekiq/job_stats", None, f"{ADMIN} 200"),
    ("get_sidekiq_compound_metrics", "GET", "sidekiq/compound_metrics", None, f"{ADMIN} 200"),
]
PAID: list[tuple[str, str, str, Any, str]] = [
    ("get_license", "GET", "license", None, f"{ADMIN} 200"),
    ("create_license", "POST", "license", {"license": "x"}, f"{ADMIN} 400"),
    ("delete_license", "DELETE", "license/1", None, f"{ADMIN} 404"),
    ("get_license_by_id", "GET", "license/1", None, f"{ADMIN} 404"),
    ("refresh_license_billable_users", "PUT", "license/1/refresh_billable_users", None, f"{ADMIN} 404"),
    ("get_license_usage_export", "GET", "license/usage_export", None, f"{ADMIN} 200"),
    ("list_geo_nodes", "GET", "geo_nodes", None, f"{ADMIN} 200"),
    ("start_advanced_search_rollout", "PUT", f"{INDEXED}/rollout", {"plan": "gold", "percentage": 0}, f"{ADMIN} 200"),
    ("start_advanced_search_rollback", "PUT", f"{INDEXED}/rollback", {"plan": "gold", "percentage": 0}, f"{ADMIN} 200"),
    ("list_admin_search_migrations", "GET", "admin/search/migrations", None, f"{ADMIN} 400"),
    ("get_admin_search_migration", "GET", "admin/search/migrations/1", None, f"{ADMIN} 400"),
    ("list_admin_zoekt_shards", "GET", SHARDS, None, f"{ADMIN} 200"),
    ("list_admin_zoekt_shard_indexed_namespaces", "GET", f"{SHARDS}/1/indexed_namespaces", None, f"{ADMIN} 404"),
    ("update_admin_zoekt_shard_indexed_namespace", "PUT", f"{SHARDS}/1/indexed_namespaces/1", {}, f"{ADMIN} 400"),
    ("delete_admin_zoekt_shard_indexed_namespace", "DELETE", f"{SHARDS}/1/indexed_namespaces/1", None, f"{ADMIN} 404"),
    ("update_admin_zoekt_project_index", "PUT", "admin/zoekt/projects/1/index", None, f"{ADMIN} 400"),
    ("create_namespace_minute", "POST", "namespaces/acme/minutes", {"packs": [PACK]}, f"{ADMIN} 201"),
    ("update_namespace_minute_move", "PATCH", "namespaces/acme/minutes/move/dev", None, f"{ADMIN} 202"),
    ("get_namespace_subscription_add_on_purchase", "GET", ADD_ON, None, f"{ADMIN} 404"),
    ("create_namespace_subscription_add_on_purchase", "POST", ADD_ON, BOUGHT, f"{ADMIN} 201"),
    ("update_namespace_subscription_add_on_purchase", "PUT", ADD_ON, BOUGHT, f"{ADMIN} 400"),
    ("list_namespace_storage_limit_exclusions", "GET", "namespaces/storage/limit_exclusions", None, f"{ADMIN} 403"),
    ("create_namespace_storage_limit_exclusion", "POST", EXCLUSION, {"reason": "x"}, f"{ADMIN} 403"),
    ("delete_namespace_storage_limit_exclusion", "DELETE", EXCLUSION, None, f"{ADMIN} 403"),
    ("list_admin_batched_background_migrations", "GET", MIGRATIONS, None, f"{ADMIN} 200"),
    ("get_admin_batched_background_migration", "GET", f"{MIGRATIONS}/1", None, f"{ADMIN} 404"),
    ("resume_admin_batched_background_migration", "PUT", f"{MIGRATIONS}/1/resume", None, f"{ADMIN} 404"),
    ("pause_admin_batched_background_migration", "PUT", f"{MIGRATIONS}/1/pause", None, f"{ADMIN} 404"),
    ("mark_admin_migration", "POST", "admin/migrations/1/mark", None, f"{ADMIN} 404"),
    ("list_project_aliases", "GET", "project_aliases", None, f"{ADMIN} 200"),
    ("create_project_alias", "POST", "project_aliases", {"project_id": "acme/site", "name": "x"}, f"{ADMIN} 201"),
    ("get_project_alias", "GET", "project_aliases/x", None, f"{ADMIN} 404"),
    ("delete_project_alias", "DELETE", "project_aliases/x", None, f"{ADMIN} 404"),
    ("get_compliance_policy_settings", "GET", POLICIES, None, f"{ADMIN} 200"),
    ("update_compliance_policy_settings", "PUT", POLICIES, {"csp_namespace_id": None}, f"{ADMIN} 200"),
    ("list_runner_controllers", "GET", "runner_controllers", None, f"{ADMIN} 200"),
    ("create_runner_controller", "POST", "runner_controllers", {}, f"{ADMIN} 201"),
    ("get_runner_controller", "GET", "runner_controllers/1", None, f"{ADMIN} 404"),
    ("update_runner_controller", "PUT", "runner_controllers/1", {}, f"{ADMIN} 404"),
    ("delete_runner_controller", "DELETE", "runner_controllers/1", None, f"{ADMIN} 404"),
    ("list_runner_controller_tokens", "GET", "runner_controllers/1/tokens", None, f"{ADMIN} 404"),
    ("create_runner_controller_token", "POST", "runner_controllers/1/tokens", None, f"{ADMIN} 404"),
    ("get_runner_controller_token", "GET", "runner_controllers/1/tokens/1", None, f"{ADMIN} 404"),
    ("delete_runner_controller_token", "DELETE", "runner_controllers/1/tokens/1", None, f"{ADMIN} 404"),
    ("rotate_runner_controller_token", "POST", "runner_controllers/1/tokens/1/rotate", None, f"{ADMIN} 404"),
    ("list_runner_controller_scopes", "GET", "runner_controllers/1/scopes", None, f"{ADMIN} 404"),
    ("create_runner_controller_instance_scope", "POST", "runner_controllers/1/scopes/instance", None, f"{ADMIN} 404"),
    ("delete_runner_controller_instance_scope", "DELETE", "runner_controllers/1/scopes/instance", None, f"{ADMIN} 404"),
    ("create_runner_controller_runner_scope", "POST", "runner_controllers/1/scopes/runners/1", None, f"{ADMIN} 404"),
    ("delete_runner_controller_runner_scope", "DELETE", "runner_controllers/1/scopes/runners/1", None, f"{ADMIN} 404"),
]
