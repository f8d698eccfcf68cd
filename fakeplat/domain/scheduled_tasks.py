"""The scheduled tasks of all areas, whose handlers are registered by the modules that schedule them."""

from functools import cache
from importlib import import_module
from typing import Final

from fakeplat.core.store import scheduler
from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.policy.context import WriteContext

MODULES: Final = (
    "alerts.incidents",
    "ci.bridges",
    "ci.dependency_list_exports",
    "ci.job_timeouts",
    "ci.pipeline_creation_requests",
    "ci.pipeline_schedules",
    "ci.playback",
    "ci.project_subscriptions",
    "deployments.environment_stops",
    "import_export.bulk_imports",
    "import_export.exports",
    "import_export.imports",
    "import_export.relation_exports",
    "import_export.relation_imports",
    "mail.daily_jobs",
    "merge_requests.merge_checks",
    "merge_requests.merge_train_runs",
    "merge_requests.rebasing",
    "groups.groups",
    "pages_domains.page_deployments",
    "people.invitations",
    "planning.iteration_cadences",
    "packages.duplicate_cleanups",
    "people.user_statuses",
    "people.members",
    "projects.forks",
    "projects.pull_mirrors",
    "projects.projects",
    "projects.push_mirrors",
    "projects.shares",
    "registry.cleanup_policies",
    "registry.container_repositories",
    "registry.image_manifests",
    "registry.tag_cleanups",
    "releases.evidences",
    "repository.storage_moves",
)


def run_task(ctx: WriteContext, task: ScheduledTask) -> None:
    """Run a task with the handler of its kind."""
    # A world that was restored from a file may have tasks of modules that are not imported yet.
    if not scheduler.has_handler(task.kind):
        import_handlers()
    scheduler.run_task(ctx, task)


@cache
def import_handlers() -> None:
    """Import all modules that register handlers."""
    for module in MODULES:
        import_module(f"{__package__}.{module}")
