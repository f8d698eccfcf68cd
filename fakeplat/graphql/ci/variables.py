"""CI variables of projects, groups and the instance. Source: docs/platform/graphql.md, docs/platform/variables.md."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, Literal, cast

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import variables
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning.labels import groups_above
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Interface, Type
from fakeplat.model.ci import CiVariable
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import SETTINGS_PATHS_ARE_FOR_OWNERS
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=15.3"
_LATER: Final = "<=16.2"
_LATEST: Final = "<=18.5"
_MOST_SCOPES: Final = 100
_DESCRIPTION: Final = "The description."
_HIDDEN: Final = "Whether its value is never shown again."
Sort = Literal["key_asc", "key_desc", "created_asc", "created_desc"]
Enumeration(
    "CiVariableSort",
    "The order of variables.",
    {"KEY_ASC": ("key_asc", "By key, from A to Z."), "KEY_DESC": ("key_desc", "By key, from Z to A.")},
    since=_LATER,
)
Enumeration(
    "CiGroupVariablesSort",
    "The order of variables that a project inherits.",
    {
        "CREATED_DESC": ("created_desc", "By creation, the newest first."),
        "CREATED_ASC": ("created_asc", "By creation, the oldest first."),
        "KEY_DESC": ("key_desc", "By key, from Z to A."),
        "KEY_ASC": ("key_asc", "By key, from A to Z."),
    },
    since="<=16.3",
)
INTERFACE: Final = Interface(
    "CiVariable",
    "A variable for jobs.",
    {
        "id: ID!": "The global ID.",
        "key: String": "The name.",
        "value: String": "The value, unless it is hidden.",
        "variableType: CiVariableType": "How it is passed on.",
        "raw: Boolean": "Whether references to other variables stay as they are.",
    },
    since=_SINCE,
)


def _declare(name: str, gid: str, description: str) -> Type:
    type_ = Type(name, description, gid=gid, since=_SINCE, implements=(INTERFACE.name,))
    type_.attributes(
        {
            "key: String": "The name.",
            "variableType: CiVariableType": "How it is passed on.",
            "raw: Boolean": "Whether references to other variables stay as they are.",
            "masked: Boolean": "Whether logs of jobs do not show the value.",
            "protected: Boolean": "Whether only jobs of protected refs get it.",
        }
    )
    type_.field("value: String")(value_of)
    return type_


def value_of(_ctx: ReadContext, variable: CiVariable) -> str | None:
    """The value, unless it is hidden."""
    return None if variable.hidden else variable.value


OF_PROJECT: Final = _declare("CiProjectVariable", "Ci::Variable", "A variable of a project.")
OF_GROUP: Final = _declare("CiGroupVariable", "Ci::GroupVariable", "A variable of a group.")
OF_INSTANCE: Final = _declare("CiInstanceVariable", "Ci::InstanceVariable", "A variable of the instance.")
for _type in (OF_PROJECT, OF_GROUP):
    _type.attributes({"environmentScope: String": "The environments whose jobs get it."})
    _type.attributes({"description: String": _DESCRIPTION}, since=_LATER)
    _type.attributes({"hidden: Boolean": _HIDDEN}, since=_LATEST)
OF_INSTANCE.attributes({"description: String": _DESCRIPTION}, since=_LATEST)


@OF_PROJECT.total("limit: Int!", since="<=18.2")
def limit_of_project(ctx: ReadContext, _rows: Sequence[CiVariable]) -> int:
    """The number of variables that a project may have."""
    return int(ctx.world.settings.project_ci_variables)


@OF_GROUP.total("limit: Int!", since="<=18.2")
def limit_of_group(ctx: ReadContext, _rows: Sequence[CiVariable]) -> int:
    """The number of variables that a group may have."""
    return int(ctx.world.settings.group_ci_variables)


@OF_INSTANCE.field("environmentScope: String")
def scope_in_instance(_ctx: ReadContext, _variable: CiVariable) -> str | None:
    """Always null: jobs of all environments get it."""
    return None


def _order(found: Sequence[CiVariable], sort: Sort | None) -> Sequence[CiVariable]:
    name, _, direction = (sort or "id_asc").rpartition("_")
    key = attrgetter({"created": "created_at"}.get(name, name), "id")
    return sorted(found, key=key, reverse=direction == "desc")


_SORT: Final = f'sort: CiVariableSort @lifetime(since: "{_LATER}")'


@PROJECT.field(f"ciVariables({_SORT}): CiProjectVariableConnection", since=_SINCE)
@GROUP.field(f"ciVariables({_SORT}): CiGroupVariableConnection", since=_SINCE)
def variables_of(ctx: ReadContext, owner: Project | Group, sort: Sort | None = None) -> Sequence[CiVariable] | None:
    """The variables, for those who administer them."""
    readable = can(ctx, Ability.ADMIN_CICD_VARIABLES, owner)
    return _order(variables.list_variables(ctx.world, owner), sort) if readable else None


@QUERY.field(f"ciVariables({_SORT}): CiInstanceVariableConnection", since=_SINCE)
def variables_of_instance(ctx: ReadContext, sort: Sort | None = None) -> Sequence[CiVariable] | None:
    """The variables of the instance, for administrators."""
    return _order(variables.list_variables(ctx.world, None), sort) if ctx.admin else None


# What projects inherit

INHERITED: Final = Type(
    "InheritedCiVariable", "A variable of a group above a project.", gid="Ci::GroupVariable", since=_LATER
)
INHERITED.attributes(
    {
        "key: String": "The name.",
        "variableType: CiVariableType": "How it is passed on.",
        "environmentScope: String": "The environments whose jobs get it.",
        "masked: Boolean": "Whether logs of jobs do not show the value.",
        "protected: Boolean": "Whether only jobs of protected refs get it.",
        "raw: Boolean": "Whether references to other variables stay as they are.",
    }
)
INHERITED.attributes({"description: String": _DESCRIPTION, "hidden: Boolean": _HIDDEN}, since=_LATEST)


@PROJECT.field(
    'inheritedCiVariables(sort: CiGroupVariablesSort = CREATED_DESC @lifetime(since: "<=16.3")): '
    "InheritedCiVariableConnection",
    since=_LATER,
)
def inherited_variables(
    ctx: ReadContext, project: Project, sort: Sort | None = "created_desc"
) -> Sequence[CiVariable] | None:
    """The variables of the groups above, for those who administer the project's."""
    if not can(ctx, Ability.ADMIN_CICD_VARIABLES, project):
        return None
    above = groups_above(ctx.world, project)
    return _order([each for group in above for each in variables.list_variables(ctx.world, group)], sort)


def _group_of(ctx: ReadContext, variable: CiVariable) -> Group:
    return cast(Group, ctx.world.namespaces[variable.subject[1] if variable.subject is not None else 0])


@INHERITED.field("groupName: String")
def group_name(ctx: ReadContext, variable: CiVariable) -> str:
    """The name of the group."""
    return _group_of(ctx, variable).name


@INHERITED.field("groupCiCdSettingsPath: String")
def settings_path(ctx: ReadContext, variable: CiVariable) -> str | None:
    """The path of the group's settings; in later releases, for those who administer the variables."""
    group = _group_of(ctx, variable)
    if ctx.profile.has(SETTINGS_PATHS_ARE_FOR_OWNERS) and not can(ctx, Ability.ADMIN_CICD_VARIABLES, group):
        return None
    return f"/groups/{namespaces.full_path(ctx.world, group)}/-/settings/ci_cd"


SCOPE: Final = Type("CiGroupEnvironmentScope", "The environments whose jobs get variables of a group.", since=_LATER)
SCOPE.attributes({"name: String": "The name or pattern of the environments."})


@frozen
class EnvironmentScope:
    """The environment scope of variables."""

    name: str

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name


@GROUP.field("environmentScopes(name: String, search: String): CiGroupEnvironmentScopeConnection", since=_LATER)
def environment_scopes(
    ctx: ReadContext, group: Group, name: str | None = None, search: str | None = None
) -> Sequence[EnvironmentScope] | None:
    """The environment scopes of the group's variables, for those who administer the group."""
    if not can(ctx, Ability.ADMIN_GROUP, group):
        return None
    scopes = sorted({each.environment_scope for each in variables.list_variables(ctx.world, group)})
    found = [scope for scope in scopes if name in (None, "", scope) and (search or "").lower() in scope.lower()]
    return [EnvironmentScope(scope) for scope in found[:_MOST_SCOPES]]
