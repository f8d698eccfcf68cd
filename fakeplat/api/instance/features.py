"""Features of the platform itself. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import DEFINITIONS, FeatureDefinition
from fakeplat.domain.people import namespaces
from fakeplat.entities.instance.administration import FeatureDefinitionView, FeatureView
from fakeplat.model.instance import Feature
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import is_member
from fakeplat.policy.context import ReadContext, WriteContext

# The administrator is checked before the parameters.
area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)


@area.operation("GET", "features", ability=Ability.ADMIN_FEATURES, view=FeatureView, many=True, paging=None)
def list_features(ctx: ReadContext) -> Sequence[Feature]:
    """List the features that were switched."""
    return list(ctx.world.features.all())


@area.operation(
    "GET",
    "features/definitions",
    ability=Ability.ADMIN_FEATURES,
    view=FeatureDefinitionView,
    many=True,
    paging=None,
    since="14.0",
)
def list_feature_definitions(_ctx: ReadContext) -> Sequence[FeatureDefinition]:
    """List the features that the platform defines, whether or not they were switched."""
    return list(DEFINITIONS.values())


_TARGETS: Final = (
    "feature_group",
    "user",
    "group",
    "namespace",
    "project",
    "organization",
    "repository",
    "runner",
)


class SetFeature(Params):
    """The value of a gate: a truth value, a percentage, ``opt_out`` or ``remove_opt_out``, and for whom."""

    value: str
    key: str | None = None
    feature_group: str | None = None
    user: str | None = None
    group: str | None = None
    namespace: Annotated[str | None, Lifetime(since="15.0")] = None
    project: str | None = None
    organization: Annotated[str | None, Lifetime(since="<=19.3")] = None
    repository: Annotated[str | None, Lifetime(since="<=18.1")] = None
    runner: Annotated[str | None, Lifetime(since="<=18.9")] = None
    force: bool | None = None

    rules = tuple(mutually_exclusive("key", target) for target in _TARGETS)


@area.operation(
    "POST", "features/:name", ability=Ability.ADMIN_FEATURES, params=SetFeature, view=FeatureView, refusals=(400,)
)
def set_feature(ctx: WriteContext, name: str, p: SetFeature) -> Feature:
    """Set a feature on or off, for everybody, a percentage, or some actors."""
    targets = {target: sent for target in _TARGETS if (sent := getattr(p, target)) is not None}
    return features.switch(ctx, name, p.value, p.key, targets)


@area.operation("DELETE", "features/:name", ability=Ability.ADMIN_FEATURES)
def delete_feature(ctx: WriteContext, name: str) -> None:
    """Delete the gates of a feature."""
    features.delete(ctx, name)


experiments: Final = Area("Features", login=Login.ALWAYS)
_TEAM: Final = "gitlab-com"


@experiments.operation("GET", "experiments", refusals=(403,))
def list_experiments(ctx: ReadContext) -> list[dict[str, object]]:
    """List the experiments, of which there are none; only for those who make the hosted offering."""
    team = namespaces.find_group(ctx.world, _TEAM) if ctx.instance.hosted else None
    if team is None or not is_member(ctx, team):
        raise Forbidden(reason="the caller is no member of the group gitlab-com of the hosted offering")
    return []
