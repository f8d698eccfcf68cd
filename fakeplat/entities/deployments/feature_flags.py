"""Feature flags, their user lists, and what their clients are told. Source: docs/platform/feature-flags.md."""

from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, nested
from fakeplat.domain.deployments.legacy_scopes import EffectiveScope
from fakeplat.domain.deployments.unleash import UnleashFeature
from fakeplat.domain.people.namespaces import project_path
from fakeplat.model.deployments import FeatureFlag, FeatureFlagUserList, LegacyScope, Strategy, StrategyScope
from fakeplat.policy.context import ReadContext

_LATEST_SINCE: Final = "<=18.9"


class LegacyScopeView(Entity[LegacyScope]):
    """A scope of a flag of the first version."""

    # Scopes and strategies are parts of their flag's record: they change while their ids stay the same.
    cached_by_id = False

    id = attr()
    active = attr()
    environment_scope = attr()
    strategies = attr()
    created_at = attr()
    updated_at = attr()


class EffectiveScopeView(Entity[EffectiveScope]):
    """A scope that decides about a flag in an environment."""

    cached_by_id = False

    id = nested("scope.id", int)
    active = nested("scope.active", bool)
    environment_scope = nested("scope.environment_scope", str)
    strategies = nested("scope.strategies", list[dict[str, Any]])
    created_at = nested("scope.created_at", str)
    updated_at = nested("scope.updated_at", str)
    name = attr()


class StrategyScopeView(Entity[StrategyScope]):
    """A scope of a strategy."""

    cached_by_id = False

    id = attr()
    environment_scope = attr()


class UserListBasic(Entity[FeatureFlagUserList]):
    """A user list as part of a strategy."""

    id = attr()
    iid = attr()
    name = attr()
    user_xids = attr()


class StrategyView(Entity[Strategy]):
    """A strategy of a flag of the second version."""

    ctx: ReadContext
    cached_by_id = False

    id = attr()
    name = attr()
    parameters = attr()

    @computed
    def scopes(self) -> list[StrategyScopeView]:
        return [self.ctx.render(StrategyScopeView, scope) for scope in self.record.scopes]

    @computed_if(since=_LATEST_SINCE)
    def user_list(self) -> UserListBasic | None:
        id_ = self.record.user_list_id
        user_list = None if id_ is None else self.ctx.world.feature_flag_user_lists.get(id_)
        view: UserListBasic | None = self.ctx.render(UserListBasic, user_list)
        return view


class FeatureFlagView(Entity[FeatureFlag]):
    """A feature flag."""

    ctx: ReadContext

    name = attr()
    description = attr()
    active = attr()
    version = attr()
    created_at = attr()
    updated_at = attr()

    @computed
    def scopes(self) -> list[LegacyScopeView]:
        return [self.ctx.render(LegacyScopeView, scope) for scope in self.record.scopes]

    @computed
    def strategies(self) -> list[StrategyView]:
        return [self.ctx.render(StrategyView, strategy) for strategy in self.record.strategies]


class UserListView(UserListBasic):
    """A list of users that feature flags are on for."""

    ctx: ReadContext

    project_id = attr()
    created_at = attr()
    updated_at = attr()

    @computed_if(since=_LATEST_SINCE)
    def path(self) -> str:
        project = self.ctx.world.projects[self.record.project_id]
        return f"/{project_path(self.ctx.world, project)}/-/feature_flags_user_lists/{self.record.iid}"

    @computed_if(since=_LATEST_SINCE)
    def edit_path(self) -> str:
        return f"{self.path()}/edit"


class UnleashFeatureView(Entity[UnleashFeature]):
    """A feature flag in one environment; a missing description is left out."""

    cached_by_id = False

    name = attr()
    description = attr(when=lambda view: view.record.description is not None)
    enabled = attr()
    strategies = attr()
