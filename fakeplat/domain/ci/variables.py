"""CI variables of projects, groups and the instance: their rules, and which of them a job gets.

Source: docs/platform/variables.md.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final, Required, TypedDict, TypeVar, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import Conflict, NotFound
from fakeplat.core.store.references import Subject
from fakeplat.domain import signals
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import source_of
from fakeplat.domain.planning.labels import groups_above
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.ci import CiVariable, VariableType
from fakeplat.model.instance import Instance
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import MASKED_TILDES, VARIABLES_ARE_LIMITED
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

ANY_ENVIRONMENT: Final = "*"
Owner = Routable | None
"""What has variables: a project, a group, or None for the instance."""

_KEY: Final = re.compile(r"[a-zA-Z0-9_]+")
_KEY_TEXT: Final = "can contain only letters, digits and '_'."
_SCOPE: Final = re.compile(r"[a-zA-Z0-9_/${}. *-]+")
_SCOPE_TEXT: Final = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"
_MASKABLE: Final = re.compile(r"[a-zA-Z0-9_+=/@:.-]{8,}")
_MASKABLE_WITH_TILDE: Final = re.compile(r"[a-zA-Z0-9_+=/@:.~-]{8,}")
_MAX_INSTANCE_VALUE: Final = 10_000
_RESOURCES: Final = {Project: "Variable", Group: "GroupVariable", type(None): "InstanceVariable"}
_HIDDEN_STAYS_MASKED: Final = "The visibility setting cannot be changed for masked and hidden variables."
_SEVERAL: Final = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"


def _subject(owner: Owner) -> Subject | None:
    return None if owner is None else source_of(owner)


def list_variables(world: World, owner: Owner) -> Sequence[CiVariable]:
    """Return the variables of a project, a group or the instance, without those of the groups above."""
    return world.ci_variables.where("subject", _subject(owner) or "instance")


def get_variable(world: World, owner: Owner, key: str, environment_scope: str | None = None) -> CiVariable:
    """Return the variable with a key, and a scope if one is given: 404 without one, 409 with several."""
    matching = _list_matching(world, owner, key, environment_scope)
    if len(matching) > 1:
        scopes = ", ".join(variable.environment_scope for variable in matching)
        raise Conflict(_SEVERAL, reason=f"{key} has the environment scopes {scopes}")
    return matching[0]


def get_first_variable(world: World, owner: Owner, key: str) -> CiVariable:
    """Return the oldest variable with a key, whatever its scope: 404 without one."""
    return _list_matching(world, owner, key)[0]


def _list_matching(world: World, owner: Owner, key: str, environment_scope: str | None = None) -> list[CiVariable]:
    """Return the variables with a key, and a scope if one is given: 404 without one."""
    matching = [
        variable
        for variable in list_variables(world, owner)
        if variable.key == key and environment_scope in (None, "", variable.environment_scope)
    ]
    if not matching:
        raise NotFound(_RESOURCES[type(owner)], reason=lambda: f"{_name_of(world, owner)} has no variable {key!r}")
    return matching


def _name_of(world: World, owner: Owner) -> str:
    return "the instance" if owner is None else describe(world, owner)


class VariableFields(TypedDict, total=False):
    """Fields of a variable, apart from its key."""

    value: str
    variable_type: VariableType
    protected: bool
    masked: bool
    environment_scope: str
    raw: bool
    hidden: bool
    description: str | None
    created_at: str
    updated_at: str


class NewVariable(VariableFields, total=False):
    """The fields of a new variable."""

    key: Required[str]


class VariableChanges(VariableFields, total=False):
    """Changes of a variable."""

    key: str


F = TypeVar("F", NewVariable, VariableChanges)


def create(ctx: WriteContext, owner: Owner, **fields: Unpack[NewVariable]) -> CiVariable:
    """Create a variable."""
    errors = ValidationErrors()
    name, limit = _find_limit(ctx.world, owner)
    if 0 < limit <= len(list_variables(ctx.world, owner)):
        errors.add("base", f"Maximum number of {name} ({limit}) exceeded")
    table, now = ctx.world.ci_variables, ctx.now_iso
    values: NewVariable = {"created_at": now, "updated_at": now, **_stripped(fields)}
    variable = CiVariable(id=table.next_id(), subject=_subject(owner), **values)
    _list_errors(ctx.world, variable, errors).refuse()
    table.add(variable)
    signals.post_create.send(ctx, variable)
    return variable


def _find_limit(world: World, owner: Owner) -> tuple[str, int]:
    """Return what an owner's variables are called in refusals, and how many there may be; 0: any number."""
    if owner is None:
        return "ci instance level variables", world.settings.ci_instance_level_variables
    name, limit = (
        ("group ci variables", world.settings.group_ci_variables)
        if isinstance(owner, Group)
        else ("project ci variables", world.settings.project_ci_variables)
    )
    return name, limit if world.profile.has(VARIABLES_ARE_LIMITED) else 0


def update(ctx: WriteContext, variable: CiVariable, **fields: Unpack[VariableChanges]) -> CiVariable:
    """Change fields of a variable, other than its key."""
    changed = evolve(variable, **_stripped(fields))
    errors = ValidationErrors()
    errors.when(variable.hidden and not changed.masked, "base", _HIDDEN_STAYS_MASKED)
    # Found before the table would refuse the same key twice.
    _list_errors(ctx.world, changed, errors).refuse()
    if changed == variable:
        return variable
    updated = ctx.world.ci_variables.change(variable, **{"updated_at": ctx.now_iso, **_stripped(fields)})
    signals.post_change.send(ctx, variable, updated)
    return updated


def _stripped(fields: F) -> F:
    stripped = fields.copy()
    if "key" in stripped:
        stripped["key"] = stripped["key"].strip()
    if "environment_scope" in stripped:
        stripped["environment_scope"] = stripped["environment_scope"].strip()
    return stripped


def _list_errors(world: World, variable: CiVariable, errors: ValidationErrors) -> ValidationErrors:
    find_key_errors(variable.key, errors)
    errors.when(_is_taken(world, variable), "key", f"({variable.key}) has already been taken")
    errors.when(variable.masked and not is_maskable(world.instance, variable.value), "value", "is invalid")
    if variable.subject is None:
        text = f"The value of the provided variable exceeds the {_MAX_INSTANCE_VALUE} character limit"
        errors.when(len(variable.value) > _MAX_INSTANCE_VALUE, "value", text)
    scope = variable.environment_scope
    errors.when(not scope, "environment_scope", BLANK)
    errors.when(not _SCOPE.fullmatch(scope), "environment_scope", _SCOPE_TEXT)
    too_long(errors, "environment_scope", scope)
    too_long(errors, "description", variable.description or "")
    return errors


def find_key_errors(key: str, errors: ValidationErrors, *, field: str = "key") -> None:
    """Add what is wrong with the key of a variable of any kind."""
    errors.when(not key, field, BLANK)
    too_long(errors, field, key)
    errors.when(not _KEY.fullmatch(key), field, _KEY_TEXT)


def _is_taken(world: World, variable: CiVariable) -> bool:
    same_place = (variable.subject, variable.key, variable.environment_scope)
    other = world.ci_variables.find("place", same_place)
    return other is not None and other.id != variable.id


def is_maskable(instance: Instance, value: str) -> bool:
    """Return whether a value can be masked in logs: one line of at least 8 characters of a small alphabet."""
    pattern = _MASKABLE_WITH_TILDE if instance.profile.has(MASKED_TILDES) else _MASKABLE
    return bool(pattern.fullmatch(value))


def collect(world: World, project: Project, *, ref_is_protected: bool, environment: str | None) -> dict[str, str]:
    """Return the values that a job of a project gets, by key: see `list_effective`."""
    effective = list_effective(world, project, ref_is_protected=ref_is_protected, environment=environment)
    return {variable.key: variable.value for variable in effective}


def list_effective(
    world: World, project: Project, *, ref_is_protected: bool, environment: str | None
) -> list[CiVariable]:
    """Return the variables that a job of a project gets: one for each key, in the order of their owners.

    Those of the instance are replaced by those of the groups, from the outermost inwards, and these by the project's.
    Among those of one owner the most specific environment scope wins. Protected ones are for protected refs only.
    """
    owners: list[Owner] = [None, *[*groups_above(world, project)][::-1], project]
    by_key = {
        variable.key: variable
        for owner in owners
        for variable in sorted(list_variables(world, owner), key=_specificity)
        if (ref_is_protected or not variable.protected) and _covers(variable, environment)
    }
    return list(by_key.values())


def _covers(variable: CiVariable, environment: str | None) -> bool:
    scope = variable.environment_scope
    if environment is None:
        return scope == ANY_ENVIRONMENT
    # Of the signs that have a meaning in a pattern, a scope can contain only the asterisk.
    return fnmatchcase(environment, scope)


def _specificity(variable: CiVariable) -> tuple[bool, int]:
    """Return the sort key of precedence: names are more specific than patterns, long patterns than short ones."""
    scope = variable.environment_scope
    return ("*" not in scope, len(scope))


def forbid_where_unused(ctx: WriteContext, group: Group) -> None:
    """Let nobody set variables of pipelines and jobs in the projects below a group where nobody ever did."""
    world = ctx.world
    for project in namespaces.list_projects_within(world, group):
        is_allowed = project.ci_pipeline_variables_minimum_override_role != "no_one_allowed"
        if is_allowed and not _was_given_variables(world, project):
            world.projects.change(project, ci_pipeline_variables_minimum_override_role="no_one_allowed")


def _was_given_variables(world: World, project: Project) -> bool:
    pipelines, jobs = world.pipelines.where("project", project.id), world.jobs.where("project", project.id)
    return any(pipeline.variables for pipeline in pipelines) or any(job.given_variables for job in jobs)
