"""Mutations of iterations and their cadences. Source: docs/platform/iterations.md."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import iteration_cadences, iterations
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id, parse_number_or_id
from fakeplat.graphql.issues.issuable_changes import build_identity_fields
from fakeplat.graphql.lookups import find_namespace, require_issue
from fakeplat.graphql.planning.iterations import CADENCE_KIND
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration, IterationCadence
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.behaviours import CADENCES_ARE_ENABLED, REPORTERS_PLAN_ITERATIONS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Payload = Mapping[str, Any]
_GIVES: Final = '"""The iteration."""\niteration: Iteration'
_GIVES_CADENCE: Final = '"""The cadence."""\niterationCadence: IterationCadence'
_GIVES_GROUP: Final = '"""The group."""\ngroup: Group!'
_ATTRIBUTES: Final = '''
"""The title."""
title: String
"""The description."""
description: String
"""The first day."""
startDate: String
"""The last day."""
dueDate: String
'''
_CADENCE_ATTRIBUTES: Final = '''
"""The title."""
title: String
"""The description, of at most 5000 characters."""
description: String
"""The duration of its iterations in weeks."""
durationInWeeks: Int
"""How many iterations are planned ahead."""
iterationsInAdvance: Int
"""The day from which on it plans its iterations."""
startDate: Time
"""Whether open issues move to the next iteration."""
rollOver: Boolean
'''
_NO_ATTRIBUTES: Final = "The list of iteration attributes is empty"
_PLANNED: Final = "Manual iteration updates are deprecated, only `description` updates will be allowed in the future"


class IterationInput(TypedDict, total=False):
    """The attributes of an iteration."""

    title: str | None
    description: str | None
    start_date: str | None
    due_date: str | None


class CadenceInput(TypedDict, total=False):
    """The attributes of a cadence."""

    title: str | None
    description: str | None
    duration_in_weeks: int | None
    iterations_in_advance: int | None
    start_date: str | None
    roll_over: bool | None
    automatic: bool | None
    active: bool | None


def _may_plan(ctx: ReadContext, group: Group) -> bool:
    ability = Ability.ADMIN_ITERATION if ctx.profile.has(REPORTERS_PLAN_ITERATIONS) else Ability.CREATE_ITERATION
    return has_feature(ctx.world, "premium", group) and can(ctx, ability, group)


def _require_group(ctx: ReadContext, full_path: str) -> Group:
    group = find_namespace(ctx, full_path)
    if not isinstance(group, Group) or not _may_plan(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not plan iterations in {full_path!r}")
    return group


def _require_group_of(ctx: ReadContext, record: Iteration | IterationCadence | None, text: str) -> Group:
    group = ctx.world.namespaces[record.group_id] if record is not None else None
    if not isinstance(group, Group) or not _may_plan(ctx, group):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} may not change it")
    return group


# Iterations


@mutation(
    "iterationCreate",
    input_fields=f'''
"""The full path of the group."""
groupPath: ID!
"""The ID of the cadence."""
iterationsCadenceId: IterationsCadenceID @lifetime(since: "14.1")
{_ATTRIBUTES}''',
    payload_fields=_GIVES,
    since="14.0",
)
def create_iteration(
    ctx: WriteContext,
    group_path: str,
    iterations_cadence_id: str | None = None,
    **attributes: Unpack[IterationInput],
) -> Payload:
    """Create an iteration."""
    group = _require_group(ctx, group_path)
    if not attributes and iterations_cadence_id is None:
        raise GraphQLError(_NO_ATTRIBUTES)
    values = _clean(attributes)
    cadence = _find_cadence(ctx, group, iterations_cadence_id, values.get("start_date"))
    cadence_id = None if cadence is None else cadence.id
    with collect_errors(iteration=None):
        return {"iteration": iterations.create_valid(ctx, group, **values, cadence_id=cadence_id)}


def _clean(attributes: IterationInput) -> dict[str, Any]:
    """Return the attributes as fields of the record; only the date of a time counts."""
    dates = {"start_date", "due_date"}
    return {name: str(value or "")[:10] if name in dates else value for name, value in attributes.items()}


def _find_cadence(ctx: WriteContext, group: Group, text: str | None, start_date: str | None) -> IterationCadence | None:
    if text is None:
        return iteration_cadences.find_or_create_default(ctx, group, start_date)
    id_ = parse_id(ctx, text, CADENCE_KIND)
    cadence = ctx.world.iteration_cadences.get(id_)
    if cadence is None:
        raise MutationFailed([f"Couldn't find {CADENCE_KIND} with 'id'={id_}"], {"iteration": None})
    if cadence.automatic:
        reason = "Iterations cannot be manually added to cadences that use automatic scheduling"
        raise MutationFailed([reason], {"iteration": None})
    if cadence.group_id != group.id:
        reason = "Group is not valid. The iteration group has to match the iteration cadence group."
        raise MutationFailed([reason], {"iteration": None})
    return cadence


@mutation(
    "updateIteration",
    input_fields=f'''
"""The full path of the group."""
groupPath: ID!
"""The ID of the iteration."""
id: ID!
{_ATTRIBUTES}''',
    payload_fields=_GIVES,
)
def update_iteration(ctx: WriteContext, group_path: str, id: str, **attributes: Unpack[IterationInput]) -> Payload:
    """Update an iteration."""
    if not attributes:
        raise GraphQLError(_NO_ATTRIBUTES)
    group = _require_group(ctx, group_path)
    iteration = ctx.world.iterations.get(parse_number_or_id(ctx, id, "Iteration"))
    if iteration is None or iteration.group_id != group.id:
        raise ResourceNotAvailable(f"{group_path} has no iteration {id}")
    cadence = iterations.find_cadence(ctx.world, iteration)
    if cadence is not None and cadence.automatic and attributes.keys() - {"description"}:
        raise GraphQLError(_PLANNED)
    with collect_errors(iteration=None):
        return {"iteration": iterations.update(ctx, iteration, **_clean(attributes))}


@mutation(
    "iterationDelete",
    input_fields='"""The ID of the iteration."""\nid: IterationID!',
    payload_fields=_GIVES_GROUP,
    since="14.3",
)
def delete_iteration(ctx: WriteContext, id: str) -> Payload:
    """Delete an iteration."""
    iteration = ctx.world.iterations.get(parse_id(ctx, id, "Iteration"))
    group = _require_group_of(ctx, iteration, id)
    if iteration is None:
        raise ResourceNotAvailable(f"{id} does not exist")
    cadence = iterations.find_cadence(ctx.world, iteration)
    if cadence is not None and cadence.automatic:
        reason = "Deleting iterations from automatic iteration cadences is not allowed."
        raise MutationFailed([reason], {"group": group})
    with collect_errors(group=group):
        iterations.delete(ctx, iteration)
    return {"group": group}


@mutation(
    "issueSetIteration",
    input_fields=f'''{build_identity_fields("issue")}
"""The ID of the iteration; null removes it."""
iterationId: IterationID''',
    payload_fields='"""The issue."""\nissue: Issue',
)
def set_iteration_of_issue(ctx: WriteContext, project_path: str, iid: str, iteration_id: str | None = None) -> Payload:
    """Set the iteration of an issue."""
    project, issue = require_issue(ctx, project_path, iid)
    noteables.authorize_update(ctx, issue)
    id_ = None if iteration_id is None else parse_id(ctx, iteration_id, "Iteration")
    is_usable = id_ is None or any(one.id == id_ for one in iterations.list_available(ctx.world, project))
    if not is_usable or not has_feature(ctx.world, "premium", project):
        return {"issue": issue}
    with collect_errors(issue=issue):
        return {"issue": issues.update(ctx, project, issue, iteration_id=id_)}


# Cadences


def _check_enabled(ctx: ReadContext, fields: Mapping[str, object]) -> None:
    if not ctx.profile.has(CADENCES_ARE_ENABLED):
        raise MutationFailed(["Operation not allowed"], fields)


@mutation(
    "iterationCadenceCreate",
    input_fields=f'''
"""The full path of the group."""
groupPath: ID!
"""Whether it plans its iterations itself."""
automatic: Boolean!
"""Whether it is active."""
active: Boolean!
{_CADENCE_ATTRIBUTES}''',
    payload_fields=_GIVES_CADENCE,
    since="14.1",
)
def create_cadence(ctx: WriteContext, group_path: str, **attributes: Unpack[CadenceInput]) -> Payload:
    """Create a cadence of iterations."""
    group = _require_group(ctx, group_path)
    _check_enabled(ctx, {"iteration_cadence": None})
    with collect_errors(iteration_cadence=None):
        return {"iteration_cadence": iteration_cadences.create(ctx, group, **_to_fields(attributes))}


def _to_fields(attributes: CadenceInput) -> dict[str, Any]:
    """Return the attributes as fields of the record; only the date of a time counts."""
    fields: dict[str, Any] = dict(attributes)
    if fields.get("start_date") is not None:
        fields["start_date"] = fields["start_date"][:10]
    if "title" in fields:
        fields["title"] = fields["title"] or ""
    # Flags cannot be null in the platform's database.
    return {name: value for name, value in fields.items() if value is not None or name not in _FLAGS}


_FLAGS: Final = ("automatic", "active", "roll_over")


def _require_cadence(ctx: ReadContext, text: str) -> tuple[Group, IterationCadence]:
    cadence = ctx.world.iteration_cadences.get(parse_id(ctx, text, CADENCE_KIND))
    group = _require_group_of(ctx, cadence, text)
    if cadence is None:
        raise ResourceNotAvailable(f"{text} does not exist")
    return group, cadence


@mutation(
    "iterationCadenceUpdate",
    input_fields=f'''
"""The ID of the cadence."""
id: IterationsCadenceID!
"""Whether it plans its iterations itself."""
automatic: Boolean
"""Whether it is active."""
active: Boolean
{_CADENCE_ATTRIBUTES}''',
    payload_fields=_GIVES_CADENCE,
    since="14.1",
)
def update_cadence(ctx: WriteContext, id: str, **attributes: Unpack[CadenceInput]) -> Payload:
    """Update a cadence of iterations."""
    _, cadence = _require_cadence(ctx, id)
    _check_enabled(ctx, {"iteration_cadence": None})
    with collect_errors(iteration_cadence=None):
        return {"iteration_cadence": iteration_cadences.update(ctx, cadence, **_to_fields(attributes))}


@mutation(
    "iterationCadenceDestroy",
    input_fields='"""The ID of the cadence."""\nid: IterationsCadenceID!',
    payload_fields=_GIVES_GROUP,
    since="14.1",
)
def delete_cadence(ctx: WriteContext, id: str) -> Payload:
    """Delete a cadence with its iterations."""
    group, cadence = _require_cadence(ctx, id)
    _check_enabled(ctx, {"group": group})
    iteration_cadences.delete(ctx, cadence)
    return {"group": group}
