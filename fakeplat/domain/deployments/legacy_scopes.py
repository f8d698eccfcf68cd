"""The scopes of feature flags of the first version, one at a time. Source: docs/platform/feature-flags.md."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, NotFoundWithMessage, RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain import signals
from fakeplat.domain.deployments import feature_flags
from fakeplat.domain.deployments.environment_scopes import EVERYWHERE, matches, specificity
from fakeplat.domain.deployments.feature_flags import Change
from fakeplat.model.deployments import FeatureFlag, LegacyScope
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

FEATURE: Final = "feature_flag_api"
"""The feature of the platform with which flags are enabled and disabled by name; off by default."""


@frozen
class EffectiveScope:
    """The scope that decides about a flag in an environment."""

    name: str
    scope: LegacyScope


def list_effective(world: World, project: Project, environment: str) -> Sequence[EffectiveScope]:
    """Return the scopes that decide in an environment, those of the newest flag first."""
    flags = sorted(world.feature_flags.where("project", project.id), key=attrgetter("id"), reverse=True)
    rows = ((flag, find_effective(flag, environment)) for flag in flags)
    return [
        EffectiveScope(flag.name, evolve(scope, active=flag.active and scope.active)) for flag, scope in rows if scope
    ]


def find_effective(flag: FeatureFlag, environment: str) -> LegacyScope | None:
    """Return the most specific scope that matches an environment; None without any."""
    matching = [scope for scope in flag.scopes if matches(scope.environment_scope, environment)]
    return max(matching, key=lambda scope: specificity(scope.environment_scope, environment), default=None)


def find_scope(flag: FeatureFlag, environment_scope: str) -> LegacyScope | None:
    """Return the scope of a flag with exactly this name; None without it."""
    return next((scope for scope in flag.scopes if scope.environment_scope == environment_scope), None)


def get_scope(flag: FeatureFlag, environment_scope: str) -> LegacyScope:
    """Return the scope of a flag with exactly this name, or refuse with 404."""
    scope = find_scope(flag, environment_scope)
    if scope is None:
        raise RecordNotFound(reason=f"the flag {flag.name!r} has no scope {environment_scope!r}")
    return scope


def add_scope(ctx: WriteContext, flag: FeatureFlag, values: Change) -> FeatureFlag:
    """Add a scope to a flag."""
    return _store(ctx, flag, (*flag.scopes, feature_flags.build_scope(ctx, values)))


def update_scope(ctx: WriteContext, flag: FeatureFlag, scope: LegacyScope, changes: Change) -> FeatureFlag:
    """Change a scope of a flag."""
    if not changes:
        return flag
    changed = feature_flags.change_scope(ctx, scope, changes)
    return _store(ctx, flag, tuple(changed if each.id == scope.id else each for each in flag.scopes))


def delete_scope(ctx: WriteContext, flag: FeatureFlag, scope: LegacyScope) -> FeatureFlag:
    """Delete a scope of a flag; 400 for the one of all environments."""
    if scope.environment_scope == EVERYWHERE:
        raise BadRequest("default scope cannot be destroyed")
    return _store(ctx, flag, tuple(each for each in flag.scopes if each.id != scope.id))


def _store(ctx: WriteContext, flag: FeatureFlag, scopes: tuple[LegacyScope, ...]) -> FeatureFlag:
    feature_flags.validate(ctx, evolve(flag, scopes=scopes))
    stored = ctx.world.feature_flags.change(flag, scopes=scopes)
    signals.post_change.send(ctx, flag, stored)
    return stored


def enable(ctx: WriteContext, project: Project, name: str, environment_scope: str, strategy: Any) -> FeatureFlag:
    """Add a strategy to the scope of a flag, which is created if it does not exist, and switch the scope on."""
    flag = ctx.world.feature_flags.find("name", (project.id, name))
    added = {"environment_scope": environment_scope, "active": True, "strategies": [strategy]}
    if flag is None:
        first = [] if environment_scope == EVERYWHERE else [{"environment_scope": EVERYWHERE, "active": False}]
        return feature_flags.create(ctx, project, name=name, scopes=[*first, added])
    scope = find_scope(flag, environment_scope)
    if scope is None:
        return add_scope(ctx, flag, added)
    others = [each for each in scope.strategies if each != strategy]
    return update_scope(ctx, flag, scope, {"active": True, "strategies": [*others, strategy]})


def disable(ctx: WriteContext, project: Project, name: str, environment_scope: str, strategy: Any) -> FeatureFlag:
    """Remove a strategy from the scope of a flag; a scope without strategies is deleted."""
    flag = ctx.world.feature_flags.find("name", (project.id, name))
    if flag is None:
        raise NotFoundWithMessage("Feature Flag not found")
    scope = find_scope(flag, environment_scope)
    if scope is None:
        raise NotFoundWithMessage("Feature Flag Scope not found")
    remaining = [each for each in scope.strategies if each != strategy]
    if len(remaining) == len(scope.strategies):
        raise NotFoundWithMessage("Strategy not found")
    if not remaining:
        return delete_scope(ctx, flag, scope)
    return update_scope(ctx, flag, scope, {"strategies": remaining})
