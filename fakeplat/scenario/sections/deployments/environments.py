"""Environments of projects, protected environments, and freeze periods."""

from typing import Final

from fakeplat.core.schema.shapes import COUNT, DATE_TIME, INTEGER, TEXT, ListOf, Object, Shape
from fakeplat.domain.clusters import agents
from fakeplat.domain.deployments import environments, freeze_periods, protected_environments
from fakeplat.domain.repository import protection
from fakeplat.model.deployments import (
    DeploymentRule,
    Environment,
    FreezePeriod,
    GroupProtectedEnvironment,
    ProtectedEnvironment,
)
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections.repository.protected import (
    ACCESS_LEVELS,
    parse_access_levels,
    serialize_access_levels,
)

_FIELDS: Final = own_fields(Environment)


def _create(entry: Entry) -> Environment:
    fields_ = {**entry.select(_FIELDS), **_read_agent(entry)}
    existing = environments.find_by_name(entry.world, entry.owner, entry.values["name"])
    if existing is not None:
        return environments.update(entry.ctx, existing, **fields_)
    return environments.create(entry.ctx, entry.owner, **{"created_at": entry.since, **fields_})


def _read_agent(entry: Entry) -> EntryData:
    if "cluster_agent" not in entry.values:
        return {}
    agent = agents.find_agent(entry.world, entry.owner, entry.values["cluster_agent"])
    return {"cluster_agent_id": agent.id if agent else entry.fail("unknown agent", "cluster_agent")}


def _serialize_agent(world: World, environment: Environment) -> EntryData:
    agent = world.cluster_agents.get(environment.cluster_agent_id or 0)
    return {"cluster_agent": agent.name if agent else None}


def _defaults(environment: Environment) -> EntryData:
    name = environment.name
    return {"slug": environments.generate_slug(name), "tier": environments.guess_tier(name)}


ENVIRONMENTS: Final = derive_section(
    "environments",
    Environment,
    within=("project",),
    further_keys={"cluster_agent": TEXT},
    required=("name",),
    descriptions={"cluster_agent": "Name of an agent of the project, through which its dashboard is reached."},
    create=_create,
    defaults=_defaults,
    parts=_serialize_agent,
    name_key="name",
    case_sensitive=True,
    kind="environment",
)


_LEVELS: Final = "deploy_access_levels"
_RULES: Final = "approval_rules"
_RULE: Final = Object(
    {
        "user": TEXT,
        "group": TEXT,
        "access_level": INTEGER,
        "required_approvals": COUNT,
        "group_inheritance_type": INTEGER,
    },
    one_of=("user", "group", "access_level"),
    descriptions={
        "access_level": "30 developers and maintainers, 40 maintainers, 60 administrators.",
        "required_approvals": "How many of them have to approve. Default: 1.",
        "group_inheritance_type": "1 if members of the groups above count, too.",
    },
)
_PROTECTION: Final[dict[str, Shape]] = {
    "name": TEXT,
    _LEVELS: ACCESS_LEVELS,
    "required_approval_count": COUNT,
    _RULES: ListOf(_RULE),
    "updated_at": DATE_TIME,
}


def _create_protected(entry: Entry) -> ProtectedEnvironment:
    table, project, name = entry.world.protected_environments, entry.owner, entry.values["name"]
    existing, fields = table.find("name", (project.id, name)), _read_protection(entry)
    if existing is not None:
        return table.change(existing, **fields)
    return table.add(ProtectedEnvironment(id=table.next_id(), project_id=project.id, name=name, **fields))


def _create_protected_of_group(entry: Entry) -> GroupProtectedEnvironment:
    table, group, name = entry.world.group_protected_environments, entry.owner, entry.values["name"]
    existing, fields = table.find("name", (group.id, name)), _read_protection(entry)
    if existing is not None:
        return table.change(existing, **fields)
    return table.add(GroupProtectedEnvironment(id=table.next_id(), group_id=group.id, name=name, **fields))


def _read_protection(entry: Entry) -> EntryData:
    return {
        "deploy": parse_access_levels(entry, _LEVELS),
        "updated_at": entry.values.get("updated_at", entry.since),
        "required_approval_count": entry.values.get("required_approval_count", 0),
        _RULES: tuple(_read_rule(entry, rule) for rule in entry.values.get(_RULES, ())),
    }


def _read_rule(entry: Entry, rule: EntryData) -> DeploymentRule:
    count = rule.get("required_approvals", 1)
    if "user" in rule:
        return DeploymentRule(user_id=entry.get_user(rule["user"], _RULES).id, required_approvals=count)
    if "group" in rule:
        group_id, inherits = entry.get_group(rule["group"], _RULES).id, rule.get("group_inheritance_type", 0)
        return DeploymentRule(group_id=group_id, required_approvals=count, group_inheritance_type=inherits)
    return DeploymentRule(rule["access_level"], required_approvals=count)


def _serialize_protected(world: World, environment: ProtectedEnvironment | GroupProtectedEnvironment) -> EntryData:
    present = [rule for rule in environment.approval_rules if protection.is_grantee_present(world, rule)]
    rules = [_serialize_rule(world, rule) for rule in present]
    count = environment.required_approval_count
    return {
        "name": environment.name,
        _LEVELS: serialize_access_levels(world, environment.deploy),
        **({"required_approval_count": count} if count else {}),
        **({_RULES: rules} if rules else {}),
        "updated_at": environment.updated_at,
    }


def _serialize_rule(world: World, rule: DeploymentRule) -> EntryData:
    (access,) = serialize_access_levels(world, [rule])
    grantee = access if isinstance(access, dict) else {"access_level": access}
    return {**grantee, "required_approvals": rule.required_approvals}


PROTECTED: Final = derive_section(
    "protected_environments",
    ProtectedEnvironment,
    within=("project",),
    keys=_PROTECTION,
    required=("name",),
    create=_create_protected,
    rows=protected_environments.list_protected,
    serialize=_serialize_protected,
    name_key="name",
    case_sensitive=True,
)
GROUP_PROTECTED: Final = derive_section(
    "group_protected_environments",
    GroupProtectedEnvironment,
    within=("group",),
    keys=_PROTECTION,
    required=("name",),
    create=_create_protected_of_group,
    rows=protected_environments.list_protected_of_group,
    serialize=_serialize_protected,
    name_key="name",
    case_sensitive=True,
)


FREEZE_PERIODS: Final = derive_section(
    "freeze_periods",
    FreezePeriod,
    within=("project",),
    required=("freeze_start", "freeze_end"),
    add=freeze_periods.create,
    rows=freeze_periods.list_freeze_periods,
)
