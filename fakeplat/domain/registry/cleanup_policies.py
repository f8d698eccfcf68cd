"""Cleanup policies of projects, which delete tags regularly. Source: docs/platform/registry.md.

A policy runs at the first look of the platform for due policies after its ``next_run_at``, at 50 minutes past each
hour. Where there is nothing to clean up, no task is scheduled, and the time of the next run is computed.
"""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, HOUR, MINUTE, from_iso, to_iso
from fakeplat.domain.registry import container_repositories, tag_cleanups
from fakeplat.domain.validation import BLANK, ValidationErrors, explain_regex_error
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext

PolicyValue = str | int | bool | None

DEFAULT_POLICY: Final[Mapping[str, PolicyValue]] = {
    "cadence": "1d",
    "enabled": True,
    "keep_n": 10,
    "older_than": "90d",
    "name_regex": ".*",
    "name_regex_keep": None,
}
_RUN: Final = "run_cleanup_policy"
_NEXT_RUN: Final = "next_run_at"
_WORKER_MINUTE: Final = 50 * MINUTE
_NOT_INCLUDED: Final = "is not included in the list"
_CADENCES: Final[Mapping[object, int]] = {
    "1d": DAY,
    "7d": 7 * DAY,
    "14d": 14 * DAY,
    "1month": 30 * DAY,
    "3month": 90 * DAY,
}
_CHOICES: Final[Mapping[str, tuple[object, ...]]] = {
    "enabled": (True, False),
    "cadence": tuple(_CADENCES),
    "older_than": (None, "7d", "14d", "30d", "90d"),
    "keep_n": (None, 1, 5, 10, 25, 50, 100),
}


def policy_of(project: Project) -> Mapping[str, PolicyValue]:
    """Return the cleanup policy of a project, without the time of its next run."""
    stored = project.container_expiration_policy or {}
    return {name: stored.get(name, default) for name, default in DEFAULT_POLICY.items()}


def check_policy(errors: ValidationErrors, policy: Mapping[str, PolicyValue]) -> None:
    """Add the errors of a complete policy."""
    field = "container_expiration_policy.{}".format
    errors.when(policy["cadence"] in (None, ""), field("cadence"), BLANK)
    for name, choices in _CHOICES.items():
        errors.when(policy[name] not in choices, field(name), _NOT_INCLUDED)
    for name in ("name_regex", "name_regex_keep") if policy["enabled"] else ():
        error = explain_regex_error(str(policy[name] or ""))
        errors.when(error, field(name), f"not valid RE2 syntax: {error}")


def change_policy(ctx: WriteContext, project: Project, changes: Mapping[str, PolicyValue]) -> Mapping[str, PolicyValue]:
    """Return the policy of a project with changes, which start a new period."""
    old = policy_of(project)
    new = {**old, **changes}
    if new == old:
        return project.container_expiration_policy or old
    return {_NEXT_RUN: to_iso(ctx.now() + _cadence(new)), **new}


def _cadence(policy: Mapping[str, PolicyValue]) -> int:
    return _CADENCES.get(policy["cadence"], 0)


def get_next_run(ctx: ReadContext, project: Project) -> int:
    """Return the time (ms) at which a policy is due; that of a disabled one does not change any more."""
    policy = policy_of(project)
    stored = (project.container_expiration_policy or {}).get(_NEXT_RUN)
    cadence = _cadence(policy)
    due = from_iso(str(stored)) if stored else from_iso(project.created_at) + cadence
    first = _next_look(due)
    if not policy["enabled"] or not cadence or not ctx.has_passed(first):
        return due
    # From its first run on a policy runs after each cadence, which is a number of whole days.
    next_run = first + ((ctx.now() - first) // cadence + 1) * cadence
    ctx.has_passed(next_run)
    return next_run


def _next_look(time: int) -> int:
    """Return the first time at or after a time at which the platform looks for due policies."""
    return time + (_WORKER_MINUTE - time) % HOUR


def schedule_run(ctx: WriteContext, project: Project) -> None:
    """Schedule the next run of a project's policy, if there is anything to clean up."""
    ctx.cancel_tasks(_subject(project), _RUN)
    if policy_of(project)["enabled"] and container_repositories.list_by_project(ctx.world, project):
        at = _next_look(get_next_run(ctx, project))
        ctx.schedule(_RUN, _subject(project), at, recurring=True)


def _subject(project: Project) -> Subject:
    return ("projects", project.id)


@task_handler(_RUN)
def _run_when_due(ctx: WriteContext, task: ScheduledTask) -> None:
    project = ctx.world.projects[task.subject[1]]
    policy, errors = policy_of(project), ValidationErrors()
    check_policy(errors, policy)
    if errors:
        _store(ctx, project, {**(project.container_expiration_policy or {}), "enabled": False})
        return
    project = _store(ctx, project, {**policy, _NEXT_RUN: to_iso(ctx.now() + _cadence(policy))})
    for repository in list(container_repositories.list_by_project(ctx.world, project)):
        tag_cleanups.start_policy_cleanup(ctx, repository, policy)
    schedule_run(ctx, project)


def _store(ctx: WriteContext, project: Project, policy: Mapping[str, PolicyValue]) -> Project:
    return ctx.world.projects.change(project, container_expiration_policy=policy)
