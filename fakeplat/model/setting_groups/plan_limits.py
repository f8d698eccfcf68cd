"""The limits of the plan of the instance, which have an operation of their own. 0: unlimited."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Any

    from fakeplat.model.setting_rules import LOCAL


class PlanLimits:
    """The limits of the plan of the instance; sizes of files are in bytes, that of the log of a job in MB."""

    ci_instance_level_variables: Annotated[int, LOCAL] = 25
    ci_pipeline_size: Annotated[int, LOCAL] = 0
    ci_active_jobs: Annotated[int, LOCAL] = 0
    ci_active_pipelines: Annotated[int, LOCAL] = 0
    ci_project_subscriptions: Annotated[int, LOCAL] = 2
    ci_pipeline_schedules: Annotated[int, LOCAL] = 10
    ci_needs_size_limit: Annotated[int, LOCAL] = 50
    ci_jobs_trace_size_limit: Annotated[int, LOCAL] = 100
    ci_registered_group_runners: Annotated[int, LOCAL] = 1000
    ci_registered_project_runners: Annotated[int, LOCAL] = 1000
    conan_max_file_size: Annotated[int, LOCAL] = 3_221_225_472
    dotenv_size: Annotated[int, LOCAL] = 5120
    dotenv_variables: Annotated[int, LOCAL] = 20
    enforcement_limit: Annotated[int, LOCAL] = 0
    generic_packages_max_file_size: Annotated[int, LOCAL] = 5_368_709_120
    group_ci_variables: Annotated[int, LOCAL] = 30_000
    helm_max_file_size: Annotated[int, LOCAL] = 5_242_880
    maven_max_file_size: Annotated[int, LOCAL] = 3_221_225_472
    notification_limit: Annotated[int, LOCAL] = 0
    npm_max_file_size: Annotated[int, LOCAL] = 524_288_000
    nuget_max_file_size: Annotated[int, LOCAL] = 524_288_000
    pipeline_hierarchy_size: Annotated[int, LOCAL] = 1000
    project_ci_variables: Annotated[int, LOCAL] = 8000
    pypi_max_file_size: Annotated[int, LOCAL] = 3_221_225_472
    storage_size_limit: Annotated[int, LOCAL] = 0
    terraform_module_max_file_size: Annotated[int, LOCAL] = 1_073_741_824
    web_hook_calls: Annotated[int, LOCAL] = 0
    web_hook_calls_low: Annotated[int, LOCAL] = 0
    web_hook_calls_mid: Annotated[int, LOCAL] = 0
    limits_history: Annotated[Mapping[str, Any], LOCAL] = {}
