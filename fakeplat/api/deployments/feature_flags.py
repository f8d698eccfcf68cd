"""Feature flags of projects. Source: docs/platform/feature-flags.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import JsonDocument, Named, Params
from fakeplat.core.release import Lifetime, Required
from fakeplat.domain.deployments import feature_flags
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.feature_flags import FeatureFlagView
from fakeplat.model.deployments import FeatureFlag
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import STRATEGIES_NAME_LISTS
from fakeplat.policy.context import ReadContext, WriteContext

# The platform asks for no login here: anonymous callers do not see private projects, and lack the ability elsewhere.
area: Final = Area("Feature flags", login=Login.NEVER, located_first=True)
PATH: Final = "feature_flags/:feature_flag_name"


class ListFeatureFlags(Paged):
    """Filters of lists of feature flags."""

    scope: Literal["enabled", "disabled"] | None = None


@area.operation(
    "GET",
    "feature_flags",
    scope=PROJECT,
    ability=Ability.READ_FEATURE_FLAG,
    params=ListFeatureFlags,
    view=FeatureFlagView,
    many=True,
)
def list_feature_flags(ctx: ReadContext, project: Project, p: ListFeatureFlags) -> Sequence[FeatureFlag]:
    """List the feature flags of a project by name."""
    active = None if p.scope is None else p.scope == "enabled"
    return feature_flags.list_feature_flags(ctx.world, project, active=active)


@area.operation("GET", PATH, scope=PROJECT, ability=Ability.READ_FEATURE_FLAG, view=FeatureFlagView, refusals=(404,))
def get_feature_flag(ctx: ReadContext, project: Project, feature_flag_name: str) -> FeatureFlag:
    """Get a feature flag of a project."""
    return feature_flags.get_shown_flag(ctx.world, project, feature_flag_name)


class NewLegacyScope(Params):
    """A scope of a new flag of the first version."""

    environment_scope: str
    active: bool
    strategies: JsonDocument


class NewStrategyScope(Params):
    """A scope of a new strategy."""

    environment_scope: str


class NewStrategy(Params):
    """A strategy of a new flag of the second version."""

    name: str
    parameters: Annotated[JsonDocument | None, Required(until=STRATEGIES_NAME_LISTS.since)] = None
    user_list_id: Annotated[int | None, Lifetime(since=STRATEGIES_NAME_LISTS.since)] = None
    scopes: list[NewStrategyScope] | None = None


class CreateFeatureFlag(Params):
    """A new feature flag."""

    name: str
    description: str | None = None
    active: bool | None = None
    version: str | None = None
    scopes: list[NewLegacyScope] | None = None
    strategies: list[NewStrategy] | None = None


@area.operation(
    "POST",
    "feature_flags",
    scope=PROJECT,
    ability=Ability.CREATE_FEATURE_FLAG,
    params=CreateFeatureFlag,
    view=FeatureFlagView,
    refusals=(400,),
)
def create_feature_flag(ctx: WriteContext, project: Project, p: CreateFeatureFlag) -> FeatureFlag:
    """Create a feature flag in a project."""
    return feature_flags.create(ctx, project, **_attributes(p))


class ChangedStrategyScope(Params):
    """A change of a strategy's scope, a new scope, or a removal."""

    id: int | None = None
    environment_scope: str | None = None
    destroy: Annotated[bool | None, Named("_destroy")] = None


class ChangedStrategy(Params):
    """A change of a strategy, a new strategy, or a removal."""

    id: int | None = None
    name: str | None = None
    parameters: JsonDocument | None = None
    user_list_id: Annotated[int | None, Lifetime(since=STRATEGIES_NAME_LISTS.since)] = None
    destroy: Annotated[bool | None, Named("_destroy")] = None
    scopes: list[ChangedStrategyScope] | None = None


class UpdateFeatureFlag(Params):
    """Changes of a feature flag of the second version."""

    name: str | None = None
    description: str | None = None
    active: bool | None = None
    strategies: list[ChangedStrategy] | None = None


@area.operation(
    "PUT",
    PATH,
    scope=PROJECT,
    ability=Ability.UPDATE_FEATURE_FLAG,
    params=UpdateFeatureFlag,
    view=FeatureFlagView,
    refusals=(400, 404, 422),
)
def update_feature_flag(
    ctx: WriteContext, project: Project, feature_flag_name: str, p: UpdateFeatureFlag
) -> FeatureFlag:
    """Update a feature flag of the second version, with its strategies and their scopes."""
    flag = feature_flags.get_shown_flag(ctx.world, project, feature_flag_name)
    return feature_flags.update(ctx, flag, **_attributes(p))


@area.operation(
    "DELETE",
    PATH,
    scope=PROJECT,
    ability=Ability.DESTROY_FEATURE_FLAG,
    view=FeatureFlagView,
    status=200,
    refusals=(404,),
)
def delete_feature_flag(ctx: WriteContext, project: Project, feature_flag_name: str) -> FeatureFlag:
    """Delete a feature flag of a project; the response shows what was deleted."""
    flag = feature_flags.get_feature_flag(ctx.world, project, feature_flag_name)
    purge(ctx, flag)
    return flag


def _attributes(p: Params) -> dict[str, Any]:
    """Return the parameters that were sent, nested ones included, as dictionaries; nulls count as not sent."""
    values = {name: value for name, value in p.given().items() if value is not None or name == "description"}
    return {
        name: [_attributes(item) for item in value] if _is_nested(value) else value for name, value in values.items()
    }


def _is_nested(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, Params) for item in value)
