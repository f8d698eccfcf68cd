"""Rules of projects: job tokens of other projects, protected packages, external status checks."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import BOOLEAN, NULLABLE_TEXT, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.domain.projects import status_checks
from fakeplat.model.ci import JobTokenAllowance
from fakeplat.model.merge_requests import ExternalStatusCheck
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_LEVEL: Final = Nullable(Choice("maintainer", "owner", "admin"))
_PACKAGE_FIELDS: Final = fields(
    PackageProtectionRule,
    without=("id", "project_id"),
    minimum_access_level_for_delete=_LEVEL,
    minimum_access_level_for_push=_LEVEL,
)
_BRANCHES: Final = "protected_branches"


def _create_allowance(entry: Entry) -> JobTokenAllowance:
    table = entry.world.job_token_allowances
    target = entry.project("project") if entry.values.get("project") else entry.group("group")
    existing = table.find("pair", (entry.owner.id, source_of(target)))
    return existing or table.add(JobTokenAllowance(table.next_id(), entry.owner.id, source_of(target)))


def _export_allowances(world: World, project: Project) -> Iterable[tuple[JobTokenAllowance, EntryData]] | None:
    allowances = world.job_token_allowances.where("project", project.id)
    return [(allowance, _serialize_target(world, allowance)) for allowance in allowances] or None


def _serialize_target(world: World, allowance: JobTokenAllowance) -> EntryData:
    target = container_of(world, allowance.target)
    if isinstance(target, Group):
        return {"group": namespaces.full_path(world, target)}
    return {"project": namespaces.project_path(world, world.projects[target.id])}


JOB_TOKENS: Final = Section(
    "job_token_allowlist",
    within=("project",),
    rank=FURTHER,
    keys=Object(
        {"project": NULLABLE_TEXT, "group": NULLABLE_TEXT},
        one_of=("project", "group"),
        descriptions={
            "project": "Full path of a project whose jobs have access.",
            "group": "Full path of a group whose jobs have access.",
        },
    ),
    create=_create_allowance,
    export=_export_allowances,
)


def _create_package_rule(entry: Entry) -> PackageProtectionRule:
    table = entry.world.package_protection_rules
    return table.add(
        PackageProtectionRule(id=table.next_id(), project_id=entry.owner.id, **entry.select(_PACKAGE_FIELDS))
    )


def _export_package_rules(world: World, project: Project) -> Iterable[tuple[PackageProtectionRule, EntryData]] | None:
    rules = world.package_protection_rules.where("project", project.id)
    return [(rule, serialization.non_default_fields(rule, _PACKAGE_FIELDS)) for rule in rules] or None


PACKAGES: Final = Section(
    "package_protection_rules",
    within=("project",),
    rank=FURTHER,
    keys=Object(_PACKAGE_FIELDS, required=("package_name_pattern", "package_type")),
    create=_create_package_rule,
    export=_export_package_rules,
)


def _create_check(entry: Entry) -> ExternalStatusCheck:
    values = entry.values
    check = status_checks.create(
        entry.ctx, entry.owner, values["name"], values["external_url"], hmac=values.get("hmac", False)
    )
    entry.defer(lambda: _set_branches(entry))
    return check


def _set_branches(entry: Entry) -> None:
    """Set the protected branches of a status check, once they exist."""
    check, table = entry.record(), entry.world.protected_branches
    branches = (
        table.find("name", (check.project_id, name)) or entry.fail(f"unknown protected branch {name!r}", _BRANCHES)
        for name in entry.values.get(_BRANCHES, ())
    )
    ids = tuple(branch.id for branch in branches)
    entry.world.external_status_checks.change(check, protected_branch_ids=ids)


def _export_checks(world: World, project: Project) -> Iterable[tuple[ExternalStatusCheck, EntryData]] | None:
    return [(check, _serialize_check(world, check)) for check in status_checks.list_checks(world, project)] or None


def _serialize_check(world: World, check: ExternalStatusCheck) -> EntryData:
    names = [world.protected_branches[id_].name for id_ in check.protected_branch_ids]
    data = serialization.non_default_fields(check, ("name", "external_url", "hmac"))
    return {**data, _BRANCHES: names} if names else data


STATUS_CHECKS: Final = Section(
    "external_status_checks",
    within=("project",),
    rank=FURTHER,
    keys=Object(
        {"name": TEXT, "external_url": TEXT, "hmac": BOOLEAN, _BRANCHES: ListOf(TEXT)},
        required=("name", "external_url"),
        descriptions={_BRANCHES: "Names of protected branches of the project."},
    ),
    create=_create_check,
    export=_export_checks,
)
