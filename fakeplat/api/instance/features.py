"""Features of the platform itself. Source: docs/platform/version-and-metadata.md."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, mutually_exclusive
from fakeplat.domain.instance import features
from fakeplat.entities.instance.administration import FeatureView
from fakeplat.model.instance import FULL, Feature
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The administrator is checked before the parameters.
area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)


@area.operation("GET", "features", ability=Ability.ADMIN_FEATURES, view=FeatureView, many=True, paging=None)
def list_features(ctx: ReadContext) -> Sequence[Feature]:
    """List the features that were switched."""
    return list(ctx.world.features.all())


_TARGETS: Final = ("feature_group", "user", "group", "project")


class SetFeature(Params):
    """The value of a gate: a truth value, or a percentage, and for whom."""

    value: str
    key: str | None = None
    feature_group: str | None = None
    user: str | None = None
    group: str | None = None
    project: str | None = None
    force: bool | None = None

    rules = tuple(mutually_exclusive("key", target) for target in _TARGETS)


@area.operation(
    "POST", "features/:name", ability=Ability.ADMIN_FEATURES, params=SetFeature, view=FeatureView, refusals=(400,)
)
def set_feature(ctx: WriteContext, name: str, p: SetFeature) -> Feature:
    """Set a feature on or off, for everybody, a percentage, or some actors."""
    if p.value in ("true", "false", "0"):
        targets = {target: sent for target in _TARGETS if (sent := getattr(p, target))}
        return features.switch(ctx, name, on=p.value == "true", targets=targets)
    gate = "percentage_of_actors" if p.key == "percentage_of_actors" else "percentage_of_time"
    return features.set_percentage(ctx, name, gate, _parse_percentage(p.value))


def _parse_percentage(text: str) -> int:
    """Return the number at the start of a text, 0 if there is none."""
    digits = re.match(r"[0-9]{1,9}", text.strip())
    percentage = int(digits.group()) if digits else 0
    if percentage > FULL:
        raise InvalidParams("value is invalid", reason=f"{text} is no percentage")
    return percentage


@area.operation("DELETE", "features/:name", ability=Ability.ADMIN_FEATURES)
def delete_feature(ctx: WriteContext, name: str) -> None:
    """Delete the gates of a feature."""
    features.delete(ctx, name)
