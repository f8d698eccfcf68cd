"""Rules that protect image repositories: who may push and delete images. Source: docs/platform/registry.md."""

import re
from collections.abc import Mapping
from typing import Final

from fakeplat.core.operations.errors import Forbidden, RecordNotFound
from fakeplat.domain.packages.protection_rules import matches, refuse_invalid
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerProtectionRule
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.minimum_levels import Action, is_below

_PATH_PATTERN: Final = re.compile(r"[a-z0-9*]+(?:(?:[._/]|__|-{1,10})[a-z0-9*]+)*")
_NO_PATH: Final = "should be a valid container repository path with optional wildcard characters."


def is_protected(ctx: ReadContext, project: Project, path: str, action: Action) -> bool:
    """Return whether a rule keeps the caller from pushing to or deleting an image repository."""
    return any(
        matches(rule.repository_path_pattern, path)
        and is_below(ctx, project, getattr(rule, f"minimum_access_level_for_{action}"))
        for rule in ctx.world.container_protection_rules.where("project", project.id)
    )


def has_rule(world: World, project: Project, path: str, action: Action) -> bool:
    """Return whether a rule protects an image repository from anybody at all."""
    return any(
        matches(rule.repository_path_pattern, path) and getattr(rule, f"minimum_access_level_for_{action}")
        for rule in world.container_protection_rules.where("project", project.id)
    )


def authorize_deletion(ctx: ReadContext, project: Project, path: str) -> None:
    """Raise Forbidden if an image repository is protected from being deleted by the caller."""
    if is_protected(ctx, project, path, "delete"):
        raise Forbidden(reason=f"a rule protects the image repository {path}")


def get_rule(world: World, project: Project, id_: int) -> ContainerProtectionRule:
    """Return the rule of a project with an id, or refuse with 404."""
    rule = world.container_protection_rules.get(id_)
    if rule is None or rule.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no rule {id_} for images")
    return rule


def create(ctx: WriteContext, project: Project, fields: Mapping[str, str | None]) -> ContainerProtectionRule:
    """Create a rule from its attributes, or refuse with 422."""
    table = ctx.world.container_protection_rules
    times = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso}
    values: dict[str, object] = {"id": table.next_id(), "project_id": project.id, **times, **fields}
    return table.add(_check(ctx.world, ContainerProtectionRule(**values)))  # type: ignore[arg-type]


def update(
    ctx: WriteContext, rule: ContainerProtectionRule, fields: Mapping[str, str | None]
) -> ContainerProtectionRule:
    """Change attributes of a rule, or refuse with 422."""
    values: dict[str, str | None] = {"updated_at": ctx.now_iso, **fields}
    return _check(ctx.world, ctx.world.container_protection_rules.change(rule, **values))


def _check(world: World, rule: ContainerProtectionRule) -> ContainerProtectionRule:
    errors, pattern = ValidationErrors(), rule.repository_path_pattern
    others = world.container_protection_rules.where("project", rule.project_id)
    path = namespaces.project_path(world, world.projects[rule.project_id]).lower()
    errors.when(not pattern.strip(), "repository_path_pattern", BLANK)
    is_path = _PATH_PATTERN.fullmatch(pattern) is not None
    too_long(errors, "repository_path_pattern", pattern)
    is_taken = any(other.id != rule.id and other.repository_path_pattern == pattern for other in others)
    errors.when(is_taken, "repository_path_pattern", TAKEN)
    errors.when(not is_path, "repository_path_pattern", _NO_PATH)
    is_own = pattern.lower().startswith(path)
    errors.when(not is_own, "repository_path_pattern", "should start with the project's full path")
    refuse_invalid(errors, rule)
    return rule
