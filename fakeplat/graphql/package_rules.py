"""Rules that protect packages. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, cast

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.packages import protection_rules
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type, mutation
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import MODULES_AND_CRATES_ARE_PROTECTED
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "16.5"
_DELETION: Final = "17.10"
_LATEST: Final = Lifetime(since="<=18.5")
_LIFETIMES: Final = {
    "CARGO": MODULES_AND_CRATES_ARE_PROTECTED,
    "NPM": ALWAYS,
    "TERRAFORM_MODULE": MODULES_AND_CRATES_ARE_PROTECTED,
}
_KIND: Final = "Packages::Protection::Rule"
Scalar("PackagesProtectionRuleID", "The global ID of a rule that protects packages.", since=_SINCE)
Enumeration(
    "PackagesProtectionRuleAccessLevel",
    "The lowest role that may push.",
    {
        "MAINTAINER": ("maintainer", "Maintainers."),
        "OWNER": ("owner", "Owners."),
        "ADMIN": ("admin", "Administrators."),
    },
    since="<=18.5",
)
Enumeration(
    "PackagesProtectionRuleAccessLevelForDelete",
    "The lowest role that may delete.",
    {"OWNER": ("owner", "Owners."), "ADMIN": ("admin", "Administrators.")},
    since=_DELETION,
)
Enumeration(
    "PackagesProtectionRulePackageType",
    "The type of the packages.",
    {
        name: (name.lower(), f"Packages of the type {name.lower()}.", _LIFETIMES.get(name, _LATEST))
        for name in ("CARGO", "CONAN", "GENERIC", "HELM", "MAVEN", "NPM", "NUGET", "PYPI", "TERRAFORM_MODULE")
    },
    since=_SINCE,
)
RULE: Final = Type("PackagesProtectionRule", "A rule that protects packages.", since=_SINCE)
RULE.attributes(
    {
        "packageNamePattern: String!": "The names of the packages, with `*`.",
        "packageType: PackagesProtectionRulePackageType!": "The type of the packages.",
    }
)
RULE.attributes(
    {"minimumAccessLevelForPush: PackagesProtectionRuleAccessLevel": "The lowest role that may push."}, since="<=18.5"
)
RULE.attributes(
    {"minimumAccessLevelForDelete: PackagesProtectionRuleAccessLevelForDelete": "The lowest role that may delete."},
    since=_DELETION,
)


@RULE.field("id: PackagesProtectionRuleID!")
def id_of(ctx: ReadContext, rule: PackageProtectionRule) -> str:
    """The global ID."""
    return global_id(ctx, _KIND, rule.id)


@PROJECT.field("packagesProtectionRules: PackagesProtectionRuleConnection", since="16.6")
def rules_of(ctx: ReadContext, project: Project) -> Sequence[PackageProtectionRule]:
    """The rules, for those who administer the project."""
    readable = can(ctx, Ability.ADMIN_PROJECT, project)
    return ctx.world.package_protection_rules.where("project", project.id) if readable else ()


class RuleFields(TypedDict, total=False):
    """Attributes of a rule."""

    package_name_pattern: str | None
    package_type: str | None
    minimum_access_level_for_push: str | None
    minimum_access_level_for_delete: str | None


_LEVELS: Final = f'''
"""The lowest role that may push."""
minimumAccessLevelForPush: PackagesProtectionRuleAccessLevel @lifetime(since: "<=18.5")
"""The lowest role that may delete."""
minimumAccessLevelForDelete: PackagesProtectionRuleAccessLevelForDelete @lifetime(since: "{_DELETION}")
'''
_GIVES: Final = '"""The rule."""\npackageProtectionRule: PackagesProtectionRule'
_ID: Final = '"""The global ID of the rule."""\nid: PackagesProtectionRuleID!'


def _read(fields: RuleFields) -> Mapping[str, str | None]:
    return cast(Mapping[str, str | None], fields)


def _get_rule(ctx: ReadContext, text: str) -> PackageProtectionRule:
    rule = ctx.world.package_protection_rules.get(parse_id(ctx, text, _KIND))
    if rule is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    authorize(ctx, Ability.ADMIN_PROJECT, ctx.world.projects[rule.project_id])
    return rule


@mutation(
    "createPackagesProtectionRule",
    input_fields=f'''
"""The full path of the project."""
projectPath: ID!
"""The names of the packages, with `*`."""
packageNamePattern: String!
"""The type of the packages."""
packageType: PackagesProtectionRulePackageType!
{_LEVELS}
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def create_rule(ctx: WriteContext, project_path: str, **fields: Unpack[RuleFields]) -> Mapping[str, Any]:
    """Protect packages of a project."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    with collect_errors(package_protection_rule=None):
        return {"package_protection_rule": protection_rules.create(ctx, project, _read(fields))}


@mutation(
    "updatePackagesProtectionRule",
    input_fields=f'''
{_ID}
"""The names of the packages, with `*`."""
packageNamePattern: String
"""The type of the packages."""
packageType: PackagesProtectionRulePackageType
{_LEVELS}
''',
    payload_fields=_GIVES,
    since="16.6",
)
def update_rule(ctx: WriteContext, id: str, **fields: Unpack[RuleFields]) -> Mapping[str, Any]:
    """Change a rule that protects packages."""
    rule = _get_rule(ctx, id)
    required = ("package_name_pattern", "package_type")
    given = {name: value for name, value in _read(fields).items() if value is not None or name not in required}
    with collect_errors(package_protection_rule=None):
        return {"package_protection_rule": protection_rules.update(ctx, rule, given)}


@mutation("deletePackagesProtectionRule", input_fields=_ID, payload_fields=_GIVES, since="16.6")
def delete_rule(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a rule that protects packages."""
    rule = _get_rule(ctx, id)
    purge(ctx, rule)
    return {"package_protection_rule": rule}
