"""The feature flags of a project as its applications see them. Source: docs/platform/feature-flags.md ('Unleash')."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from fakeplat.core.operations.errors import Unauthorized
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.deployments import legacy_scopes
from fakeplat.domain.deployments.environment_scopes import matches
from fakeplat.domain.deployments.feature_flag_strategies import USER_LIST
from fakeplat.domain.people import namespaces
from fakeplat.model.deployments import FeatureFlag, Strategy
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import LEGACY_FEATURE_FLAGS, UNLEASH_PROJECTS_ARE_IDS
from fakeplat.policy.descriptions import describe


@frozen
class UnleashFeature:
    """A feature flag in one environment."""

    name: str
    description: str | None
    enabled: bool
    strategies: tuple[Mapping[str, Any], ...]


def get_project(world: World, reference: str, instance_id: str | None) -> Project:
    """Return the project whose applications have an instance id, or refuse with 401."""
    is_path = not reference.isdecimal()
    if is_path and world.profile.has(UNLEASH_PROJECTS_ARE_IDS):
        raise Unauthorized(reason=f"{reference!r} is no id, which is how this release finds the project")
    project = namespaces.find_project(world, reference)
    if project is None:
        raise Unauthorized(reason=f"no project is {reference!r}")
    if not instance_id or instance_id != project.unleash_instance_id:
        raise Unauthorized(
            reason=lambda: f"the instance id is not the one of {describe(world, project)} (unleash_instance_id)"
        )
    return project


def list_features(world: World, project: Project, environment: str | None) -> Sequence[UnleashFeature]:
    """Return the flags that apply in an environment, those of the first version first; none without an environment."""
    if not environment:
        return []
    flags = sorted(world.feature_flags.where("project", project.id), key=attrgetter("id"))
    legacy = _list_legacy_features(flags[::-1], environment) if world.profile.has(LEGACY_FEATURE_FLAGS) else ()
    return [*legacy, *_list_new_features(world, flags, environment)]


def _list_legacy_features(flags: Sequence[FeatureFlag], environment: str) -> Iterator[UnleashFeature]:
    for flag in flags:
        scope = legacy_scopes.find_effective(flag, environment)
        if scope is not None:
            is_on = flag.active and scope.active
            yield UnleashFeature(flag.name, flag.description, is_on, tuple(map(_pick_parts, scope.strategies)))


def _list_new_features(world: World, flags: Sequence[FeatureFlag], environment: str) -> Iterator[UnleashFeature]:
    for flag in flags:
        matching = [strategy for strategy in flag.strategies if _applies(strategy, environment)]
        if matching:
            strategies = tuple(_render_strategy(world, strategy) for strategy in matching)
            yield UnleashFeature(flag.name, flag.description, flag.active, strategies)


def _applies(strategy: Strategy, environment: str) -> bool:
    return any(matches(scope.environment_scope, environment) for scope in strategy.scopes)


def _pick_parts(strategy: Mapping[str, object]) -> Mapping[str, Any]:
    return {"name": strategy.get("name"), "parameters": strategy.get("parameters")}


def _render_strategy(world: World, strategy: Strategy) -> Mapping[str, Any]:
    if strategy.name != USER_LIST:
        return {"name": strategy.name, "parameters": strategy.parameters}
    # Applications know no lists of the platform, so they get the users.
    user_list = world.feature_flag_user_lists[strategy.user_list_id or 0]
    return {"name": "userWithId", "parameters": {"userIds": user_list.user_xids}}
