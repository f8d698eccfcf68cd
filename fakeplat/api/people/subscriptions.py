"""Subscriptions of namespaces. Source: docs/platform/namespaces.md ('Subscriptions')."""

from typing import Final

from fakeplat.api import missing
from fakeplat.api.people.namespaces import require_readable
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Day, Params
from fakeplat.domain.people import namespaces, subscriptions
from fakeplat.domain.people.subscriptions import PlanFields, SubscriptionFields
from fakeplat.entities.people.namespaces import SubscriptionView
from fakeplat.model.people import Namespace
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Namespaces", login=Login.ALWAYS)
PATH: Final = "namespaces/:id/gitlab_subscription"


class SubscriptionParams(Params):
    """What was bought, with which plan, and until when."""

    seats: int | None = None
    max_seats_used: int | None = None
    plan_code: str | None = None
    end_date: Day | None = None
    auto_renew: bool | None = None
    trial: bool | None = None
    trial_ends_on: Day | None = None
    trial_starts_on: Day | None = None


class UpdateSubscription(SubscriptionParams):
    """The same, and when it began."""

    start_date: Day | None = None


class CreateSubscription(SubscriptionParams):
    """The same for a new subscription."""

    start_date: Day


def _fields_of(p: UpdateSubscription | CreateSubscription) -> SubscriptionFields:
    """Return what was sent of the subscription itself."""
    fields: SubscriptionFields = {}
    if p.start_date is not None:
        fields["start_date"] = p.start_date
    if p.seats is not None:
        fields["seats"] = p.seats
    if p.auto_renew is not None:
        fields["auto_renew"] = p.auto_renew
    if "end_date" in p.given():
        fields["end_date"] = p.end_date
    if "trial_starts_on" in p.given():
        fields["trial_starts_on"] = p.trial_starts_on
    return fields


def _plan_of(p: SubscriptionParams) -> PlanFields:
    """Return what was sent of the namespace."""
    plan: PlanFields = {}
    if p.plan_code is not None:
        plan["plan"] = p.plan_code
    if p.max_seats_used is not None:
        plan["max_seats_used"] = p.max_seats_used
    if p.trial is not None:
        plan["trial"] = p.trial
    if "trial_ends_on" in p.given():
        plan["trial_ends_on"] = p.trial_ends_on
    return plan


def _get_namespace(ctx: ReadContext, reference: str) -> Namespace:
    namespace = namespaces.find_by_reference(ctx.world, reference)
    if namespace is None:
        raise NotFound("Namespace", reason=missing.namespace(ctx, reference))
    return namespace


@area.operation("GET", PATH, view=SubscriptionView, name="get_group_subscription", refusals=(403, 404))
def get_subscription(ctx: ReadContext, id: str) -> Namespace:
    """Get the subscription of a namespace."""
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
    return subscriptions.create(ctx, _get_namespace(ctx, id), _plan_of(p), **_fields_of(p))


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
    return subscriptions.update(ctx, _get_namespace(ctx, id), _plan_of(p), **_fields_of(p))
