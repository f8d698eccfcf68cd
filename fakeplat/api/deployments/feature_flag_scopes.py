"""Scopes of feature flags of the first version. Source: docs/platform/feature-flags.md."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote_plus

from fakeplat.api.deployments.feature_flags import PATH as FLAG
from fakeplat.api.deployments.feature_flags import NewLegacyScope
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import JsonDocument, Params
from fakeplat.domain.deployments import feature_flags, legacy_scopes
from fakeplat.domain.deployments.legacy_scopes import EffectiveScope
from fakeplat.domain.instance import features
from fakeplat.entities.deployments.feature_flags import EffectiveScopeView, FeatureFlagView, LegacyScopeView
from fakeplat.model.deployments import FeatureFlag, LegacyScope
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import LEGACY_FEATURE_FLAGS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Feature flags", login=Login.NEVER, located_first=True)
UNTIL: Final = LEGACY_FEATURE_FLAGS.until
SCOPE: Final = f"{FLAG}/scopes/:environment_scope"


class ListEffectiveScopes(Params):
    """The environment in which the scopes decide."""

    environment: str


@area.operation(
    "GET",
    "feature_flag_scopes",
    scope=PROJECT,
    ability=Ability.READ_FEATURE_FLAG,
    params=ListEffectiveScopes,
    view=EffectiveScopeView,
    many=True,
    paging=None,
    until=UNTIL,
)
def list_feature_flag_scopes(ctx: ReadContext, project: Project, p: ListEffectiveScopes) -> Sequence[EffectiveScope]:
    """List the scopes that decide about the feature flags of a project in an environment."""
    return legacy_scopes.list_effective(ctx.world, project, p.environment)


@area.operation(
    "GET",
    f"{FLAG}/scopes",
    scope=PROJECT,
    ability=Ability.READ_FEATURE_FLAG,
    params=Paged,
    view=LegacyScopeView,
    many=True,
    refusals=(404,),
    until=UNTIL,
)
def list_scopes_of_feature_flag(ctx: ReadContext, project: Project, feature_flag_name: str) -> Sequence[LegacyScope]:
    """List the scopes of a feature flag."""
    return feature_flags.get_feature_flag(ctx.world, project, feature_flag_name).scopes


@area.operation(
    "POST",
    f"{FLAG}/scopes",
    scope=PROJECT,
    ability=Ability.UPDATE_FEATURE_FLAG,
    params=NewLegacyScope,
    view=LegacyScopeView,
    refusals=(400, 404),
    until=UNTIL,
)
def create_feature_flag_scope(
    ctx: WriteContext, project: Project, feature_flag_name: str, p: NewLegacyScope
) -> LegacyScope:
    """Create a scope of a feature flag."""
    flag = feature_flags.get_feature_flag(ctx.world, project, feature_flag_name)
    return legacy_scopes.add_scope(ctx, flag, p.given()).scopes[-1]


def _get_scope(
    ctx: ReadContext, project: Project, feature_flag_name: str, environment_scope: str
) -> tuple[FeatureFlag, LegacyScope]:
    flag = feature_flags.get_feature_flag(ctx.world, project, feature_flag_name)
    # The platform decodes the name once more than the path.
    return flag, legacy_scopes.get_scope(flag, unquote_plus(environment_scope))


@area.operation(
    "GET",
    SCOPE,
    scope=PROJECT,
    ability=Ability.READ_FEATURE_FLAG,
    view=LegacyScopeView,
    refusals=(404,),
    until=UNTIL,
)
def get_feature_flag_scope(
    ctx: ReadContext, project: Project, feature_flag_name: str, environment_scope: str
) -> LegacyScope:
    """Get a scope of a feature flag."""
    return _get_scope(ctx, project, feature_flag_name, environment_scope)[1]


class UpdateLegacyScope(Params):
    """Changes of a scope."""

    active: bool | None = None
    strategies: JsonDocument | None = None


@area.operation(
    "PUT",
    SCOPE,
    scope=PROJECT,
    ability=Ability.UPDATE_FEATURE_FLAG,
    params=UpdateLegacyScope,
    view=LegacyScopeView,
    refusals=(400, 404),
    until=UNTIL,
)
def update_feature_flag_scope(
    ctx: WriteContext, project: Project, feature_flag_name: str, environment_scope: str, p: UpdateLegacyScope
) -> LegacyScope:
    """Update a scope of a feature flag."""
    flag, scope = _get_scope(ctx, project, feature_flag_name, environment_scope)
    changes = {name: value for name, value in p.given().items() if value is not None}
    changed = legacy_scopes.update_scope(ctx, flag, scope, changes)
    return legacy_scopes.get_scope(changed, scope.environment_scope)


@area.operation(
    "DELETE",
    SCOPE,
    scope=PROJECT,
    ability=Ability.UPDATE_FEATURE_FLAG,
    refusals=(400, 404),
    until=UNTIL,
)
def delete_feature_flag_scope(
    ctx: WriteContext, project: Project, feature_flag_name: str, environment_scope: str
) -> None:
    """Delete a scope of a feature flag."""
    legacy_scopes.delete_scope(ctx, *_get_scope(ctx, project, feature_flag_name, environment_scope))


class SwitchStrategy(Params):
    """A strategy of a scope."""

    environment_scope: str
    strategy: JsonDocument


def _check_feature(ctx: ReadContext, project: Project) -> None:
    features.check_enabled(ctx.world, legacy_scopes.FEATURE, project)


@area.operation(
    "POST",
    f"{FLAG}/enable",
    scope=PROJECT,
    ability=Ability.READ_FEATURE_FLAG,
    params=SwitchStrategy,
    view=FeatureFlagView,
    status=200,
    refusals=(400, 404),
    until=UNTIL,
)
def enable_feature_flag(ctx: WriteContext, project: Project, feature_flag_name: str, p: SwitchStrategy) -> Any:
    """Enable a strategy of a feature flag in an environment."""
    _check_feature(ctx, project)
    return legacy_scopes.enable(ctx, project, feature_flag_name, p.environment_scope, p.strategy)


@area.operation(
    "POST",
    f"{FLAG}/disable",
    scope=PROJECT,
    ability=Ability.READ_FEATURE_FLAG,
    params=SwitchStrategy,
    view=FeatureFlagView,
    status=200,
    refusals=(400, 404),
    until=UNTIL,
)
def disable_feature_flag(ctx: WriteContext, project: Project, feature_flag_name: str, p: SwitchStrategy) -> Any:
    """Disable a strategy of a feature flag in an environment."""
    _check_feature(ctx, project)
    return legacy_scopes.disable(ctx, project, feature_flag_name, p.environment_scope, p.strategy)
