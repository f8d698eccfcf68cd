"""The view of the limits of the instance's plan. Source: docs/platform/settings.md ('Limits of plans')."""

from typing import Final

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.settings import Settings

JOBS: Final = "<=16.0"
"""The release with limits of jobs and pipelines."""
LATER_PACKAGES: Final = "<=14.10"
"""The release with limits of Helm charts and Terraform modules."""
VARIABLES: Final = "<=17.9"
"""The release with limits of variables and storage."""

HISTORY: Final = "<=18.0"
"""The release that shows who changed the limits of storage."""
WEBHOOKS: Final = "<=19.3"
"""The release with limits of the requests of webhooks."""


class PlanLimitsView(Entity[Settings]):
    """The limits of a plan."""

    ci_instance_level_variables = attr(since=VARIABLES)
    ci_pipeline_size = attr(since=JOBS)
    ci_active_jobs = attr(since=JOBS)
    ci_active_pipelines = attr(since=JOBS, until=VARIABLES)
    ci_project_subscriptions = attr(since=JOBS)
    ci_pipeline_schedules = attr(since=JOBS)
    ci_needs_size_limit = attr(since=JOBS)
    ci_registered_group_runners = attr(since=JOBS)
    ci_registered_project_runners = attr(since=JOBS)
    conan_max_file_size = attr()
    dotenv_variables = attr(since=VARIABLES)
    dotenv_size = attr(since=VARIABLES)
    enforcement_limit = attr(since=VARIABLES)
    generic_packages_max_file_size = attr()
    helm_max_file_size = attr(since=LATER_PACKAGES)
    limits_history = attr(since=HISTORY)
    maven_max_file_size = attr()
    notification_limit = attr(since=VARIABLES)
    npm_max_file_size = attr()
    nuget_max_file_size = attr()
    pipeline_hierarchy_size = attr(since=JOBS)
    pypi_max_file_size = attr()
    terraform_module_max_file_size = attr(since=LATER_PACKAGES)
    storage_size_limit = attr(since=JOBS)
    web_hook_calls = attr(since=WEBHOOKS)
    web_hook_calls_low = attr(since=WEBHOOKS)
    web_hook_calls_mid = attr(since=WEBHOOKS)
