"""Rules that protect packages; `list_package_protection_rules` lists them. Source: docs/platform/packages.md."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.packages import protection_rules
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.status_checks import PackageProtectionRuleView
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import MODULES_AND_CRATES_ARE_PROTECTED
from fakeplat.policy.context import WriteContext

area: Final = Area("Packages", login=Login.ALWAYS)
RULES: Final = "packages/protection/rules"
RULE: Final = f"{RULES}/:package_protection_rule_id"
ProtectedType = Literal["cargo", "conan", "generic", "helm", "maven", "npm", "nuget", "pypi", "terraform_module"]
_LATER_TYPES: Final = Lifetime(since=MODULES_AND_CRATES_ARE_PROTECTED.since, values=("cargo", "terraform_module"))
_DELETION: Final = Lifetime(since="17.11")


class CreatePackageProtectionRule(Params):
    """Who may push and delete the packages with certain names."""

    package_name_pattern: str
    package_type: Annotated[ProtectedType, _LATER_TYPES]
    minimum_access_level_for_push: Literal["maintainer", "owner", "admin"] | None = None
    minimum_access_level_for_delete: Annotated[Literal["owner", "admin"] | None, _DELETION] = None

    rules = (at_least_one_of("minimum_access_level_for_push", "minimum_access_level_for_delete"),)


@area.operation(
    "POST",
    RULES,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=CreatePackageProtectionRule,
    view=PackageProtectionRuleView,
    refusals=(400, 422),
    since="17.6",
)
def create_package_protection_rule(
    ctx: WriteContext, project: Project, p: CreatePackageProtectionRule
) -> PackageProtectionRule:
    """Create a rule that protects packages of a project."""
    return protection_rules.create(ctx, project, p.given())


class UpdatePackageProtectionRule(Params):
    """Changes of a rule. A level that is null is none."""

    package_name_pattern: str | None = None
    package_type: Annotated[ProtectedType | None, _LATER_TYPES] = None
    minimum_access_level_for_push: Literal["maintainer", "owner", "admin"] | None = None
    minimum_access_level_for_delete: Annotated[Literal["owner", "admin"] | None, _DELETION] = None


def read_changes(sent: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the attributes of a rule that were sent; a level that is null or empty is none."""
    levels = {name: value or None for name, value in sent.items() if name.startswith("minimum")}
    return {name: value for name, value in sent.items() if value is not None} | levels


@area.operation(
    "PATCH",
    RULE,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdatePackageProtectionRule,
    view=PackageProtectionRuleView,
    refusals=(404, 422),
    since="17.6",
)
def update_package_protection_rule(
    ctx: WriteContext, project: Project, package_protection_rule_id: int, p: UpdatePackageProtectionRule
) -> PackageProtectionRule:
    """Update a rule that protects packages of a project."""
    rule = protection_rules.get_rule(ctx.world, project, package_protection_rule_id)
    return protection_rules.update(ctx, rule, read_changes(p.given()))


@area.operation("DELETE", RULE, scope=PROJECT, ability=Ability.ADMIN_PROJECT, refusals=(404, 412), since="17.6")
def delete_package_protection_rule(ctx: WriteContext, project: Project, package_protection_rule_id: int) -> None:
    """Delete a rule that protects packages of a project."""
    rule = protection_rules.get_rule(ctx.world, project, package_protection_rule_id)
    ctx.check_unmodified_since(rule.updated_at)
    purge(ctx, rule)
