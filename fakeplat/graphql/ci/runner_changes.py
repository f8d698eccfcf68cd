"""Mutations of runners. Source: docs/platform/graphql.md, docs/platform/runners.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.api.ci.runners import runner_fields
from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.ci import runners
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.graphql.ci.runners import may_update
from fakeplat.graphql.errors import MutationResult, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.ci import Runner, RunnerType
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.context import WriteContext

_FIELDS: Final = '''
"""The description."""
description: String
"""A note of its managers."""
maintenanceNote: String @lifetime(since: "<=15.3")
"""The longest time of a job in seconds."""
maximumTimeout: Int
"""Of which refs it runs jobs."""
accessLevel: CiRunnerAccessLevel
"""Whether it takes no jobs."""
paused: Boolean @lifetime(since: "<=14.9")
"""Whether it cannot be enabled for other projects."""
locked: Boolean
"""Whether it runs jobs without tags."""
runUntagged: Boolean
"""The tags."""
tagList: [String!]
'''
_MOST: Final = 50
_GIVES: Final = '"""The runner."""\nrunner: CiRunner'
_WHICH: Final = '"""The global ID of the runner."""\nid: CiRunnerID!'


def _get_runner(ctx: WriteContext, text: str) -> Runner:
    """Return the runner with a global id, which the caller manages."""
    runner = ctx.world.runners.get(parse_id(ctx, text, "Ci::Runner"))
    if runner is None or not may_update(ctx, runner):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} does not manage it")
    return runner


@mutation(
    "runnerCreate",
    input_fields=f'''
"""For whom it runs jobs."""
runnerType: CiRunnerType!
"""The global ID of the group."""
groupId: GroupID
"""The global ID of the project."""
projectId: ProjectID
{_FIELDS.replace(' @lifetime(since: "<=15.3")', "").replace(' @lifetime(since: "<=14.9")', "")}''',
    payload_fields=_GIVES,
    since="15.10",
)
def runner_create(
    ctx: WriteContext,
    runner_type: RunnerType,
    group_id: str | None = None,
    project_id: str | None = None,
    description: str | None = None,
    maintenance_note: str | None = None,
    maximum_timeout: int | None = None,
    access_level: str | None = None,
    paused: bool | None = None,
    locked: bool | None = None,
    run_untagged: bool | None = None,
    tag_list: Sequence[str] | None = None,
) -> Mapping[str, Any]:
    """Create a runner, which then authenticates with its token."""
    given = {
        "description": description,
        "maintenance_note": maintenance_note,
        "maximum_timeout": maximum_timeout,
        "access_level": access_level,
        "paused": paused,
        "locked": locked,
        "run_untagged": run_untagged,
    }
    fields = runner_fields({**_sent(given), "tag_list": tag_list or []})
    fields["creator_id"] = ctx.signed_in_user.id
    with collect_errors(runner=None):
        if runner_type == "group_type":
            return {"runner": _create_in_group(ctx, group_id, fields)}
        if runner_type == "project_type":
            return {"runner": _create_in_project(ctx, project_id, fields)}
        authorize(ctx, Ability.CREATE_INSTANCE_RUNNER)
        return {"runner": runners.create(ctx, runner_type, token_prefix=runners.CREATED_TOKEN_PREFIX, **fields)}


def _sent(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _create_in_group(ctx: WriteContext, text: str | None, fields: dict[str, Any]) -> Runner:
    if text is None:
        raise GraphQLError("`group_id` is missing")
    group = ctx.world.namespaces.get(parse_id(ctx, text, "Group"))
    if not isinstance(group, Group) or not can_see(ctx, group):
        raise ResourceNotAvailable(f"{text} is no group that the caller can see")
    authorize(ctx, Ability.ADMIN_GROUP, group)
    return runners.create(ctx, "group_type", group_id=group.id, token_prefix=runners.CREATED_TOKEN_PREFIX, **fields)


def _create_in_project(ctx: WriteContext, text: str | None, fields: dict[str, Any]) -> Runner:
    if text is None:
        raise GraphQLError("`project_id` is missing")
    project = ctx.world.projects.get(parse_id(ctx, text, "Project"))
    if project is None or not can_see(ctx, project):
        raise ResourceNotAvailable(f"{text} is no project that the caller can see")
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    return runners.create(ctx, "project_type", projects=[project], token_prefix=runners.CREATED_TOKEN_PREFIX, **fields)


class RunnerChanges(TypedDict, total=False):
    """What a mutation changes of a runner."""

    description: str | None
    maintenance_note: str | None
    maximum_timeout: int | None
    access_level: str | None
    paused: bool | None
    locked: bool | None
    run_untagged: bool | None
    tag_list: list[str] | None


@mutation(
    "runnerUpdate",
    input_fields=f'''{_WHICH}
{_FIELDS}
"""Whether it takes jobs."""
active: Boolean
"""The global IDs of the projects that it is enabled for, besides the first one."""
associatedProjects: [ProjectID!] @lifetime(since: "<=15.8")
''',
    payload_fields=_GIVES,
    since="<=14.1",
)
def runner_update(
    ctx: WriteContext,
    id: str,
    active: bool | None = None,
    associated_projects: Sequence[str] | None = None,
    **changes: Unpack[RunnerChanges],
) -> Mapping[str, Any]:
    """Change a runner."""
    runner = _get_runner(ctx, id)
    if active is not None:
        changes["paused"] = not active
    if associated_projects is not None and (errors := _associate(ctx, runner, associated_projects)):
        return {"runner": None, "errors": errors}
    with collect_errors(runner=None):
        return {"runner": runners.update(ctx, runner, **runner_fields(_sent(changes)))}


def _associate(ctx: WriteContext, runner: Runner, texts: Sequence[str]) -> list[str]:
    """Enable a runner for exactly some projects; return why that is refused. Unknown projects are ignored."""
    if runner.runner_type != "project_type":
        raise GraphQLError(f"associatedProjects must not be specified for '{runner.runner_type}' scope")
    if not _may_assign(ctx, runner):
        return [_MAY_NOT_ASSIGN]
    named = (ctx.world.projects.get(parse_id(ctx, text, "Project")) for text in texts)
    projects = [project for project in named if project is not None]
    added = [project for project in projects if project not in runners.list_projects(ctx.world, runner)]
    if not all(can(ctx, Ability.ADMIN_PROJECT, project) for project in added):
        return [_MAY_NOT_ADD]
    runners.set_projects(ctx, runner, projects)
    return []


@mutation("runnerDelete", input_fields=_WHICH, payload_fields="", since="<=14.1")
def runner_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a runner."""
    runner = _get_runner(ctx, id)
    runners.authorize_deletion(ctx, runner)
    purge(ctx, runner)
    return {}


# Projects of runners, and several runners at once

_LATEST: Final = "18.1"
_NOT_OF_PROJECTS: Final = "Runner is not a project runner"
_NOT_ASSIGNED: Final = "Runner does not exist or is not assigned to this project"
_MAY_NOT_REMOVE: Final = "User not allowed to unassign runner"
_MAY_NOT_ASSIGN: Final = "user not allowed to assign runner"
_MAY_NOT_ADD: Final = "user is not authorized to add runners to project"
_PAIR: Final = '''
"""The global ID of the runner."""
runnerId: CiRunnerID!
"""The full path of the project."""
projectPath: ID!
'''


@mutation("runnerAssignToProject", input_fields=_PAIR, payload_fields="", since=_LATEST)
def runner_assign(ctx: WriteContext, runner_id: str, project_path: str) -> Mapping[str, Any]:
    """Enable a runner of projects for a further project."""
    project = namespaces.find_project_by_path(ctx.world, project_path)
    if project is None:
        raise ResourceNotAvailable(lambda: f"there is no project {project_path}")
    runner = _get_runner(ctx, runner_id)
    if not _may_assign(ctx, runner):
        raise ResourceNotAvailable(f"runner {runner.id} is locked, or the caller does not manage it")
    if runner.runner_type != "project_type":
        raise GraphQLError(_NOT_OF_PROJECTS)
    if not can(ctx, Ability.ADMIN_PROJECT, project):
        return {"errors": [_MAY_NOT_ADD]}
    with collect_errors():
        runners.enable(ctx, runner, project)
    return {}


def _may_assign(ctx: WriteContext, runner: Runner) -> bool:
    return ctx.admin or (may_update(ctx, runner) and not runner.locked)


@mutation("runnerUnassignFromProject", input_fields=_PAIR, payload_fields="", since=_LATEST)
def runner_unassign(ctx: WriteContext, runner_id: str, project_path: str) -> Mapping[str, Any]:
    """Disable a runner for a project, which is not the first one that it was enabled for."""
    project, number = require_project(ctx, project_path), parse_id(ctx, runner_id, "Ci::Runner")
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    if ctx.world.runner_projects.find("pair", (number, project.id)) is None:
        raise GraphQLError(_NOT_ASSIGNED)
    if not _may_assign(ctx, ctx.world.runners[number]):
        return {"errors": [_MAY_NOT_REMOVE]}
    try:
        runners.disable(ctx, project, number)
    except Forbidden as refusal:
        return {"errors": [refusal.text]}
    return {}


@mutation(
    "runnerBulkPause",
    input_fields='''
"""The global IDs of the runners."""
ids: [CiRunnerID!]!
"""Whether they take no jobs."""
paused: Boolean!
''',
    payload_fields='"""Number of changed runners."""\nupdatedCount: Int\n'
    '"""The changed runners."""\nupdatedRunners: [CiRunner!]',
    since="17.11",
)
def runner_bulk_pause(ctx: WriteContext, ids: Sequence[str], paused: bool) -> Mapping[str, Any]:
    """Let runners take no jobs, or take jobs again; those that the caller does not manage are named as errors."""
    found = _list_named(ctx, ids)
    if not found:
        return {"updated_count": 0, "updated_runners": []}
    managed = [runner for runner in found[:_MOST] if may_update(ctx, runner)]
    changed = [runners.update(ctx, runner, active=not paused) for runner in managed]
    errors = _list_errors(found, managed, "pause", "update / pause")
    return {"updated_count": len(changed), "updated_runners": changed, "errors": errors}


def _list_named(ctx: WriteContext, ids: Sequence[str]) -> list[Runner]:
    numbers = sorted({parse_id(ctx, text, "Ci::Runner") for text in ids})
    return [runner for runner in map(ctx.world.runners.get, numbers) if runner is not None]


def _list_errors(found: Sequence[Runner], managed: Sequence[Runner], verb: str, permission: str) -> MutationResult:
    """Return what kept a mutation from changing runners; it changes the others nevertheless."""
    errors = MutationResult()
    if len(found) > _MOST:
        errors.append(f"Can only {verb} up to {_MOST} runners per call. Ignored the remaining runner(s).")
    others = ", ".join(f"#{runner.id}" for runner in found[:_MOST] if runner not in managed)
    if not managed:
        errors.append(f"User does not have permission to {permission} any of the runners")
    elif others:
        errors.append(f"User does not have permission to {permission} runner(s) {others}")
    return errors


@mutation(
    "bulkRunnerDelete",
    input_fields='"""The global IDs of the runners."""\nids: [CiRunnerID!]',
    payload_fields='"""Number of deleted runners."""\ndeletedCount: Int\n'
    '"""The global IDs of the deleted runners."""\ndeletedIds: [CiRunnerID!]',
    since="15.3",
)
def bulk_runner_delete(ctx: WriteContext, ids: Sequence[str] | None = None) -> Mapping[str, Any]:
    """Delete runners; those that the caller may not delete are named as errors."""
    if ids is None:
        return {}
    found = _list_named(ctx, ids)
    managed = [runner for runner in found[:_MOST] if _may_delete(ctx, runner)]
    for runner in managed:
        purge(ctx, runner)
    return {
        "deleted_count": len(managed),
        "deleted_ids": [global_id(ctx, "Ci::Runner", each.id) for each in managed],
        "errors": _list_errors(found, managed, "delete", "delete"),
    }


def _may_delete(ctx: WriteContext, runner: Runner) -> bool:
    return ctx.admin or (may_update(ctx, runner) and len(runners.list_projects(ctx.world, runner)) <= 1)


@mutation(
    "runnersRegistrationTokenReset",
    input_fields='"""For whom runners are registered."""\ntype: CiRunnerType!\n'
    '"""The global ID of the project or group."""\nid: ID',
    payload_fields='"""The new token."""\ntoken: String',
    since="<=14.1",
)
def registration_token_reset(
    ctx: WriteContext,
    type: RunnerType,  # the argument's name on the wire
    id: str | None = None,
) -> Mapping[str, Any]:
    """Replace the token by which runners are registered."""
    if type == "instance_type":
        if id is not None:
            raise GraphQLError("id must not be specified for 'instance_type' scope")
        authorize(ctx, Ability.CREATE_INSTANCE_RUNNER)
        return {"token": runners.reset_registration_token(ctx, None)}
    if id is None:
        raise GraphQLError("id must be specified")
    if type == "group_type":
        group = ctx.world.namespaces.get(parse_id(ctx, id, "Group"))
        if not isinstance(group, Group):
            raise ResourceNotAvailable(f"{id} is no group")
        authorize(ctx, Ability.ADMIN_GROUP, group)
        return {"token": runners.reset_registration_token(ctx, group)}
    project = ctx.world.projects.get(parse_id(ctx, id, "Project"))
    if project is None:
        raise ResourceNotAvailable(f"{id} is no project")
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    return {"token": runners.reset_registration_token(ctx, project)}
