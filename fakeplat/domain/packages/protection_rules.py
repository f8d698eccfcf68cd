"""Rules that protect packages and images: who may push and delete what matches a pattern.

Source: docs/platform/packages.md.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

from fakeplat.core.operations.errors import Forbidden, ForbiddenWithMessage, RecordNotFound, Unprocessable
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.packages import Package, PackageProtectionRule, PackageType
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerProtectionRule
from fakeplat.model.world import World
from fakeplat.policy.behaviours import PACKAGES_ARE_PROTECTED, PROTECTED_PACKAGES_ARE_NAMED_ALONE
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.minimum_levels import Action, is_below

_DELETION_PROTECTED: Final = "Package is deletion protected."
_NO_LEVEL: Final = "A rule must have at least a minimum access role for push or delete."


def matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern with ``*``, in any case."""
    return fnmatchcase(name.lower(), pattern.lower().replace("[", "[[]").replace("?", "[?]"))


def is_protected(ctx: ReadContext, project: Project, package_type: PackageType, name: str, action: Action) -> bool:
    """Return whether a rule keeps the caller from pushing or deleting a package."""
    if not ctx.profile.has(PACKAGES_ARE_PROTECTED):
        return False
    return any(
        rule.package_type == package_type
        and matches(rule.package_name_pattern, name)
        and is_below(ctx, project, getattr(rule, f"minimum_access_level_for_{action}"))
        for rule in ctx.world.package_protection_rules.where("project", project.id)
    )


def authorize_push(ctx: ReadContext, project: Project, package_type: PackageType, name: str) -> None:
    """Raise Forbidden if a package is protected from being pushed by the caller."""
    if is_protected(ctx, project, package_type, name, "push"):
        raise Forbidden("Package protected.", reason=f"a rule protects {package_type} packages named {name}")


def authorize_deletion(ctx: ReadContext, project: Project, package: Package) -> None:
    """Raise Forbidden if a package is protected from being deleted by the caller."""
    if is_deletion_protected(ctx, project, package):
        raise Forbidden(_DELETION_PROTECTED, reason=f"a rule protects the package {package.name}")


def authorize_deletion_of_package(ctx: ReadContext, project: Project, package: Package) -> None:
    """Raise Forbidden if a rule keeps the caller from deleting a whole package, in later releases without a status."""
    if ctx.profile.has(PROTECTED_PACKAGES_ARE_NAMED_ALONE) and is_deletion_protected(ctx, project, package):
        raise ForbiddenWithMessage(_DELETION_PROTECTED, reason=f"a rule protects the package {package.name}")
    authorize_deletion(ctx, project, package)


def is_deletion_protected(ctx: ReadContext, project: Project, package: Package) -> bool:
    """Return whether a rule keeps the caller from deleting a package."""
    return is_protected(ctx, project, package.package_type, package.name, "delete")


def has_rule(world: World, package: Package) -> bool:
    """Return whether some rule is about a package."""
    rules = world.package_protection_rules.where("project", package.project_id)
    return any(
        rule.package_type == package.package_type and matches(rule.package_name_pattern, package.name) for rule in rules
    )


def get_rule(world: World, project: Project, id_: int) -> PackageProtectionRule:
    """Return the rule of a project with an id, or refuse with 404."""
    rule = world.package_protection_rules.get(id_)
    if rule is None or rule.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no rule {id_} for packages")
    return rule


def create(ctx: WriteContext, project: Project, fields: Mapping[str, str | None]) -> PackageProtectionRule:
    """Create a rule from its attributes, or refuse with 422."""
    table = ctx.world.package_protection_rules
    times = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso}
    values: dict[str, object] = {"id": table.next_id(), "project_id": project.id, **times, **fields}
    return table.add(_check(ctx.world, PackageProtectionRule(**values)))  # type: ignore[arg-type]


def update(ctx: WriteContext, rule: PackageProtectionRule, fields: Mapping[str, str | None]) -> PackageProtectionRule:
    """Change attributes of a rule, or refuse with 422."""
    values: dict[str, str | None] = {"updated_at": ctx.now_iso, **fields}
    return _check(ctx.world, ctx.world.package_protection_rules.change(rule, **values))


def _check(world: World, rule: PackageProtectionRule) -> PackageProtectionRule:
    others = world.package_protection_rules.where("project", rule.project_id)
    errors = ValidationErrors()
    errors.when(not rule.package_name_pattern.strip(), "package_name_pattern", BLANK)
    too_long(errors, "package_name_pattern", rule.package_name_pattern)
    is_taken = any(
        other.id != rule.id
        and (other.package_type, other.package_name_pattern) == (rule.package_type, rule.package_name_pattern)
        for other in others
    )
    errors.when(is_taken, "package_name_pattern", TAKEN)
    refuse_invalid(errors, rule)
    return rule


def refuse_invalid(errors: ValidationErrors, rule: PackageProtectionRule | ContainerProtectionRule) -> None:
    """Raise 422 if a rule has errors, or protects from nothing."""
    protects = rule.minimum_access_level_for_push or rule.minimum_access_level_for_delete
    messages = [*errors.full_messages(), *([] if protects else [_NO_LEVEL])]
    if messages:
        raise Unprocessable({"error": messages})
