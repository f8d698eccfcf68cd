"""Changes of groups. Source: docs/platform/graphql.md ('Members and groups')."""

from collections.abc import Mapping
from typing import Any, Final, Unpack

from fakeplat.core.release import Lifetime
from fakeplat.domain.groups import groups
from fakeplat.domain.groups.groups import GroupChanges
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.lookups import require_group
from fakeplat.graphql.people.groups import BOTH, GROUP
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.model.people import Group, SharedRunners
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=14.3"
_LATER: Final = "<=18.5"
_OVERRIDABLE: Final = "<=15.8"
Enumeration(
    "SharedRunnersSetting",
    "Whether runners of the instance take the jobs of a group.",
    {
        "ENABLED": ("enabled", "They do."),
        "DISABLED_WITH_OVERRIDE": (
            "disabled_with_override",
            "They do not, unless a subgroup or project says so.",
            Lifetime(until=_LATER),
        ),
        "DISABLED_AND_OVERRIDABLE": (
            "disabled_and_overridable",
            "They do not, unless a subgroup or project says so.",
            Lifetime(since=_OVERRIDABLE),
        ),
        "DISABLED_AND_UNOVERRIDABLE": ("disabled_and_unoverridable", "They do not."),
    },
    since=_SINCE,
)


def shared_runners_setting(_ctx: ReadContext, namespace: object) -> SharedRunners:
    """Whether runners of the instance take the jobs; they do for those of users."""
    return namespace.shared_runners_setting if isinstance(namespace, Group) else "enabled"


for _type in BOTH:
    _type.field("sharedRunnersSetting: SharedRunnersSetting", since=_SINCE)(shared_runners_setting)
GROUP.attributes(
    {
        "mathRenderingLimitsEnabled: Boolean": "Whether the rendering of formulas is limited.",
        "lockMathRenderingLimitsEnabled: Boolean": "Whether subgroups cannot change that limit.",
    },
    since=_LATER,
)


@mutation(
    "groupUpdate",
    input_fields=f'''
"""The full path of the group."""
fullPath: ID!
"""Whether runners of the instance take the jobs."""
sharedRunnersSetting: SharedRunnersSetting! @lifetime(until: "{_LATER}")
"""Whether runners of the instance take the jobs."""
sharedRunnersSetting: SharedRunnersSetting @lifetime(since: "{_LATER}")
"""The name."""
name: String @lifetime(since: "{_LATER}")
"""The last segment of the full path."""
path: String @lifetime(since: "{_LATER}")
"""The visibility."""
visibility: VisibilityLevelsEnum @lifetime(since: "{_LATER}")
"""Whether the rendering of formulas is limited."""
mathRenderingLimitsEnabled: Boolean @lifetime(since: "{_LATER}")
"""Whether subgroups cannot change that limit."""
lockMathRenderingLimitsEnabled: Boolean @lifetime(since: "{_LATER}")
''',
    payload_fields='"""The group."""\ngroup: Group',
    since=_SINCE,
)
def group_update(ctx: WriteContext, full_path: str, **changes: Unpack[GroupChanges]) -> Mapping[str, Any]:
    """Change a group."""
    group = require_group(ctx, full_path)
    authorize(ctx, Ability.ADMIN_GROUP, group)
    given: Any = {name: value for name, value in changes.items() if value is not None}
    with collect_errors(group=None):
        return {"group": groups.update(ctx, group, **given)}
