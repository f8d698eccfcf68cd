"""Runners: lists, details, and the projects that they are enabled for. Source: docs/platform/runners.md."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.ci.job_scopes import LATER_STATUSES
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest, InvalidRecord
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BY_DESCENDING_ID, CursorPaged, Paged, Paging
from fakeplat.core.params.params import Check, CommaList, Params, at_least_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import runners
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.jobs import JobWithProject
from fakeplat.entities.ci.runners import WITHOUT_PROJECTS, ResetTokenView, RunnerDetails, RunnerManagerView, RunnerView
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.ci import AnyStatus, Job, Runner, RunnerAccessLevel, RunnerManager, RunnerType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import (
    RUNNER_ASSIGNMENTS_NAME_REASONS,
    RUNNER_JOBS_HAVE_CURSORS,
    RUNNER_UPDATES_LEAVE_OUT_PROJECTS,
)
from fakeplat.policy.context import ReadContext, WriteContext

_MANAGE: Final = "manage_runner"
area: Final = Area("Runners", login=Login.ALWAYS)
single_area: Final = Area("Runners", login=Login.ALWAYS, scopes=(_MANAGE,), write_scopes=(_MANAGE,))
of_container: Final = Area("Runners", login=Login.ALWAYS, located_first=True)

_LATER_STATUSES: Final = Lifetime(since="<=15.0", values=("never_contacted", "stale"))
_LATER_SCOPES: Final = Lifetime(since="<=18.9", values=("never_contacted", "stale"))
Status = Literal["active", "paused", "online", "offline", "never_contacted", "stale"]
Scope = Literal[
    "specific",
    "shared",
    "instance_type",
    "group_type",
    "project_type",
    "active",
    "paused",
    "online",
    "offline",
    "never_contacted",
    "stale",
]


_VERSION: Final = Check(lambda text: None if re.match(r"[\d+.]+", text) else "is invalid")


class FilterRunners(Paged):
    """Filters of all lists of runners."""

    type: RunnerType | None = None
    status: Annotated[Status | None, _LATER_STATUSES] = None
    paused: Annotated[bool | None, Lifetime(since="14.8")] = None
    tag_list: CommaList[str] | None = None
    version_prefix: Annotated[str | None, Lifetime(since="<=17.9"), _VERSION] = None


class ListOwnRunners(FilterRunners):
    """Filters of the list of the caller's runners."""

    scope: Annotated[Status | None, _LATER_SCOPES] = None


class ListRunners(FilterRunners):
    """Filters of lists that may contain runners of the instance."""

    scope: Annotated[Scope | None, _LATER_SCOPES] = None


def _select(ctx: ReadContext, candidates: Sequence[Runner], p: FilterRunners) -> list[Runner]:
    paused = None if p.paused is None else "paused" if p.paused else "active"
    criteria = (getattr(p, "scope", None), p.type, p.status, paused)
    selected = runners.select(ctx, candidates, criteria, p.tag_list)
    prefix = p.version_prefix
    return [runner for runner in selected if (runner.version or "").startswith(prefix)] if prefix else selected


@area.operation("GET", "runners", params=ListOwnRunners, view=RunnerView, many=True)
def list_runners(ctx: ReadContext, p: ListOwnRunners) -> Sequence[Runner]:
    """List the runners of the projects and groups that the caller manages."""
    return _select(ctx, runners.list_owned(ctx), p)


@area.operation("GET", "runners/all", ability=Ability.READ_ALL_RUNNERS, params=ListRunners, view=RunnerView, many=True)
def list_all_runners(ctx: ReadContext, p: ListRunners) -> Sequence[Runner]:
    """List all runners."""
    return _select(ctx, runners.list_all(ctx.world), p)


class GetRunner(Params):
    """Whether the projects of the runner are included."""

    include_projects: Annotated[bool, Lifetime(since="<=18.9")] = True


def _runner_options(_ctx: ReadContext, p: GetRunner, _runner: Runner | None) -> tuple[str, ...]:
    return () if p.include_projects is not False else (WITHOUT_PROJECTS,)


@single_area.operation(
    "GET",
    "runners/:runner_id",
    params=GetRunner,
    view=RunnerDetails,
    options=_runner_options,
    refusals=(403, 404),
)
def get_runner(ctx: ReadContext, runner_id: int) -> Runner:
    """Get a runner."""
    runner = runners.get_runner(ctx.world, runner_id)
    runners.authorize_read(ctx, runner)
    return runner


class UpdateRunner(Params):
    """Changes of a runner."""

    description: str | None = None
    active: bool = True
    paused: Annotated[bool, Lifetime(since="14.8")] = False
    maintenance_note: Annotated[str | None, Lifetime(since="14.10")] = None
    tag_list: CommaList[str] = []  # noqa: RUF012  # a default of a parameter, never changed
    run_untagged: bool = True
    locked: bool = False
    access_level: RunnerAccessLevel = "not_protected"
    maximum_timeout: int | None = None

    rules = (
        at_least_one_of(
            "description",
            "active",
            "paused",
            "tag_list",
            "run_untagged",
            "locked",
            "access_level",
            "maximum_timeout",
            "maintenance_note",
        ),
        mutually_exclusive("active", "paused"),
    )


def _updated_runner_options(ctx: ReadContext, _p: UpdateRunner, _runner: Runner | None) -> tuple[str, ...]:
    return (WITHOUT_PROJECTS,) if ctx.profile.has(RUNNER_UPDATES_LEAVE_OUT_PROJECTS) else ()


@single_area.operation(
    "PUT",
    "runners/:runner_id",
    params=UpdateRunner,
    view=RunnerDetails,
    options=_updated_runner_options,
    refusals=(400, 403, 404),
)
def update_runner(ctx: WriteContext, runner_id: int, p: UpdateRunner) -> Runner:
    """Update a runner."""
    runner = runners.get_runner(ctx.world, runner_id)
    runners.authorize_management(ctx, runner)
    return runners.update(ctx, runner, **runner_fields(p.given()))


def runner_fields(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record for parameters of the same names: each tag is kept once."""
    fields = dict(values)
    if "tag_list" in fields:
        fields["tag_list"] = tuple(dict.fromkeys(fields["tag_list"]))
    if "paused" in fields:
        fields["active"] = not fields.pop("paused")
    if "maintainer_note" in fields:
        fields["maintenance_note"] = fields.pop("maintainer_note")
    return fields


@single_area.operation(
    "POST",
    "runners/:id/reset_authentication_token",
    view=ResetTokenView,
    refusals=(403, 404),
    since="<=14.7",
)
def reset_runner_authentication_token_by_id(ctx: WriteContext, id: int) -> Runner:
    """Replace the token with which a runner authenticates."""
    runner = runners.get_runner(ctx.world, id)
    runners.authorize_management(ctx, runner)
    return runners.reset_token(ctx, runner)


@single_area.operation(
    "GET", "runners/:id/projects", params=Paged, view=ProjectSimple, many=True, refusals=(403, 404), since="<=18.9"
)
def list_runner_projects(ctx: ReadContext, id: int) -> Sequence[Project]:
    """List the projects that a runner is enabled for and that the caller sees."""
    runner = runners.get_runner(ctx.world, id)
    runners.authorize_read(ctx, runner)
    return [project for project in runners.list_projects(ctx.world, runner) if can_see(ctx, project)][::-1]


@single_area.operation(
    "GET", "runners/:id/managers", view=RunnerManagerView, many=True, paging=None, refusals=(403, 404), since="<=17.9"
)
def list_runner_managers(ctx: ReadContext, id: int) -> Sequence[RunnerManager]:
    """List the machines that run jobs with the token of a runner."""
    runner = runners.get_runner(ctx.world, id)
    runners.authorize_read(ctx, runner)
    return runners.list_managers(ctx.world, runner)


@area.operation("POST", "runners/reset_registration_token", ability=Ability.CREATE_INSTANCE_RUNNER, since="14.3")
def reset_runners_token(ctx: WriteContext) -> dict[str, str | None]:
    """Replace the token that registers runners of the instance. Administrators only."""
    return _token_result(runners.reset_registration_token(ctx, None))


@of_container.operation(
    "POST", "runners/reset_registration_token", scope=PROJECT, ability=Ability.ADMIN_PROJECT, since="14.3"
)
def reset_project_runners_token(ctx: WriteContext, project: Project) -> dict[str, str | None]:
    """Replace the token that registers runners of a project."""
    return _token_result(runners.reset_registration_token(ctx, project))


@of_container.operation(
    "POST", "runners/reset_registration_token", scope=GROUP, ability=Ability.ADMIN_GROUP, since="14.3"
)
def reset_group_runners_token(ctx: WriteContext, group: Group) -> dict[str, str | None]:
    """Replace the token that registers runners of a group."""
    return _token_result(runners.reset_registration_token(ctx, group))


def _token_result(token: str) -> dict[str, str | None]:
    return {"token": token, "token_expires_at": None}


@single_area.operation("DELETE", "runners/:runner_id", refusals=(403, 404, 412))
def delete_runner(ctx: WriteContext, runner_id: int) -> None:
    """Delete a runner."""
    runner = runners.get_runner(ctx.world, runner_id)
    runners.authorize_deletion(ctx, runner)
    ctx.check_unmodified_since(runner.updated_at)
    purge(ctx, runner)


class ListRunnerJobs(CursorPaged):
    """The status and the order of the jobs of a runner."""

    status: Annotated[AnyStatus | None, LATER_STATUSES] = None
    pagination: Annotated[str | None, RUNNER_JOBS_HAVE_CURSORS] = None
    cursor: Annotated[str | None, RUNNER_JOBS_HAVE_CURSORS] = None
    system_id: Annotated[str | None, Lifetime(since="<=17.9")] = None
    order_by: Literal["id"] | None = None
    sort: Literal["asc", "desc"] = "desc"


def _is_counted(p: ListRunnerJobs) -> bool:
    # Only releases that have machines know the parameter.
    return not p.system_id


@single_area.operation(
    "GET",
    "runners/:id/jobs",
    params=ListRunnerJobs,
    view=JobWithProject,
    many=True,
    paging=Paging(cursors=BY_DESCENDING_ID, counted=_is_counted),
    refusals=(403, 404),
)
def list_runner_jobs(ctx: ReadContext, id: int, p: ListRunnerJobs) -> Sequence[Job]:
    """List the jobs that a runner took."""
    runner = runners.get_runner(ctx.world, id)
    runners.authorize_management(ctx, runner)
    jobs = runners.list_jobs(ctx.world, runner, p.status, descending=_is_descending(ctx, p))
    if not p.system_id:
        return jobs
    manager = ctx.world.runner_managers.find("pair", (runner.id, p.system_id))
    return [job for job in jobs if manager is not None and job.runner_manager_id == manager.id]


def _is_descending(ctx: ReadContext, p: ListRunnerJobs) -> bool:
    if p.pagination == "keyset":
        return True
    return p.sort == "desc" and not (p.order_by is None and ctx.profile.has(RUNNER_JOBS_HAVE_CURSORS))


@of_container.operation(
    "GET",
    "runners",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=ListRunners,
    view=RunnerView,
    many=True,
)
def list_project_runners(ctx: ReadContext, project: Project, p: ListRunners) -> Sequence[Runner]:
    """List the runners that a project can use."""
    return _select(ctx, runners.list_available_to_project(ctx.world, project), p)


class EnableRunner(Params):
    """The runner to enable."""

    runner_id: int


@of_container.operation(
    "POST",
    "runners",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=EnableRunner,
    view=RunnerView,
    refusals=(400, 403, 404),
)
def enable_project_runner(ctx: WriteContext, project: Project, p: EnableRunner) -> Runner:
    """Enable a runner for a project."""
    runner = runners.get_runner(ctx.world, p.runner_id)
    runners.authorize_enabling(ctx, runner)
    try:
        return runners.enable(ctx, runner, project)
    except InvalidRecord as refusal:
        if not ctx.profile.has(RUNNER_ASSIGNMENTS_NAME_REASONS):
            raise
        raise BadRequest(f"{' '.join(refusal.full_messages())} - runner_error", reason=refusal.why) from None


@of_container.operation(
    "DELETE", "runners/:runner_id", scope=PROJECT, ability=Ability.ADMIN_PROJECT, refusals=(403, 404, 412)
)
def disable_project_runner(ctx: WriteContext, project: Project, runner_id: int) -> None:
    """Disable a runner for a project."""
    runners.authorize_disabling(ctx, project, runner_id)
    runners.disable(ctx, project, runner_id)


@of_container.operation(
    "GET",
    "runners",
    scope=GROUP,
    ability=Ability.READ_GROUP_RUNNERS,
    params=FilterRunners,
    view=RunnerView,
    many=True,
)
def list_group_runners(ctx: ReadContext, group: Group, p: FilterRunners) -> Sequence[Runner]:
    """List the runners of a group and of the groups above it, and those of the instance."""
    return _select(ctx, runners.list_available_to_group(ctx, group), p)
