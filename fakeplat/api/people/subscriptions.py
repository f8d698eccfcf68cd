"""Subscriptions of namespaces. Source: docs/platform/namespaces.md ('Subscriptions')."""

from typing import Final

from fakeplat.api.people.namespaces import require_namespace, require_readable
from fakeplat.api.people.subscription_params import CreateSubscription, UpdateSubscription, read_fields, read_plan
from fakeplat.core.operations.operation import Area, Login
from fakeplat.domain.people import namespaces, subscriptions
from fakeplat.entities.people.namespaces import SubscriptionView
from fakeplat.model.people import Namespace
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Namespaces", login=Login.ALWAYS)
PATH: Final = "namespaces/:id/gitlab_subscription"


@area.operation("GET", PATH, view=SubscriptionView, name="get_group_subscription", refusals=(403, 404))
def get_subscription(ctx: ReadContext, id: str) -> Namespace:
    """Get the subscription of a namespace."""
    if can(ctx, Ability.READ_ALL_BILLS):
        return require_namespace(ctx, id)
    namespace = require_readable(ctx, namespaces.find_by_reference(ctx.world, id), id)
    authorize(ctx, Ability.ADMIN_NAMESPACE, namespace)
    return namespace


@area.operation(
    "POST",
    PATH,
    name="create_group_subscription",
    ability=Ability.UPDATE_NAMESPACE,
    params=CreateSubscription,
    view=SubscriptionView,
    refusals=(400, 404),
)
def create_subscription(ctx: WriteContext, id: str, p: CreateSubscription) -> Namespace:
    """Create the subscription of a namespace. Administrators only."""
    return subscriptions.create(ctx, require_namespace(ctx, id), read_plan(p), **read_fields(p))


@area.operation(
    "PUT",
    PATH,
    name="update_group_subscription",
    ability=Ability.UPDATE_NAMESPACE,
    params=UpdateSubscription,
    view=SubscriptionView,
    refusals=(400, 404),
)
def update_subscription(ctx: WriteContext, id: str, p: UpdateSubscription) -> Namespace:
    """Update the subscription of a namespace. Administrators only."""
    return subscriptions.update(ctx, require_namespace(ctx, id), read_plan(p), **read_fields(p))
