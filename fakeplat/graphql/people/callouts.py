"""Hints of the interface that users dismissed. Source: docs/platform/users.md ('Callouts')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people import callouts
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import Enumeration, EnumValue, Type, mutation
from fakeplat.model.people import Callout, Group, User
from fakeplat.policy.authorization import caller_name, can_see
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "13.10"
_OF_GROUPS: Final = "<=18.5"
_NAME: Final = '"""The name of the hint, in lower case."""\nfeatureName: String!'


@frozen
class NoCallout:
    """What a refused mutation shows of a hint."""

    feature_name: str | None = None
    dismissed_at: str | None = None


def _list_values(features: Mapping[str, Lifetime]) -> Mapping[str, EnumValue]:
    return {name.upper(): (name, f"The hint {name}.", lifetime) for name, lifetime in features.items()}


Enumeration("UserCalloutFeatureNameEnum", "The name of a hint.", _list_values(callouts.FEATURES), since=_SINCE)
CALLOUT: Final = Type("UserCallout", "A hint that a user dismissed.", since=_SINCE)
CALLOUT.attributes(
    {"featureName: UserCalloutFeatureNameEnum": "The name.", "dismissedAt: Time": "When it was dismissed."}
)
Enumeration(
    "UserGroupCalloutFeatureName",
    "The name of a hint for a group.",
    _list_values(callouts.GROUP_FEATURES),
    since=_OF_GROUPS,
)
GROUP_CALLOUT: Final = Type("UserGroupCallout", "A hint that a user dismissed for a group.", since=_OF_GROUPS)
GROUP_CALLOUT.attributes(
    {"featureName: UserGroupCalloutFeatureName!": "The name.", "dismissedAt: Time!": "When it was dismissed."}
)


@GROUP_CALLOUT.field("groupId: GroupID!")
def group_of(ctx: ReadContext, callout: Callout) -> str:
    """The global ID of the group."""
    return global_id(ctx, "Group", callout.group_id or 0)


@USER.field("callouts: UserCalloutConnection", since=_SINCE)
def callouts_of(ctx: ReadContext, user: User) -> Sequence[Callout]:
    """The hints that the user dismissed."""
    known = callouts.FEATURES
    found = callouts.list_callouts(ctx.world, user, groups=False)
    # A scenario may have hints of other releases, for which the enumeration has no name.
    return [each for each in found if ctx.profile.has(known[each.feature_name])]


@USER.field("groupCallouts: UserGroupCalloutConnection", since=_OF_GROUPS)
def group_callouts_of(ctx: ReadContext, user: User) -> Sequence[Callout]:
    """The hints that the user dismissed for single groups."""
    return list(callouts.list_callouts(ctx.world, user, groups=True))


@mutation(
    "userCalloutCreate",
    input_fields=_NAME,
    payload_fields='"""The hint."""\nuserCallout: UserCallout!',
    since=_SINCE,
)
def user_callout_create(ctx: WriteContext, feature_name: str) -> Mapping[str, Any]:
    """Dismiss a hint for the caller."""
    with collect_errors(user_callout=NoCallout()):
        return {"user_callout": callouts.dismiss(ctx, ctx.signed_in_user, feature_name)}


@mutation(
    "userGroupCalloutCreate",
    input_fields=f'{_NAME}\n"""The global ID of the group."""\ngroupId: GroupID!',
    payload_fields='"""The hint."""\nuserGroupCallout: UserGroupCallout!',
    since=_OF_GROUPS,
)
def user_group_callout_create(ctx: WriteContext, feature_name: str, group_id: str) -> Mapping[str, Any]:
    """Dismiss a hint for a group and the caller."""
    group = ctx.world.namespaces.get(parse_id(ctx, group_id, "Group"))
    if not isinstance(group, Group) or not can_see(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no group {group_id}")
    try:
        return {"user_group_callout": callouts.dismiss(ctx, ctx.signed_in_user, feature_name, group)}
    except InvalidRecord as refusal:
        # A payload without the hint, which must not be null, is none.
        raise GraphQLError(refusal.full_messages()[0]) from None
