"""Subscriptions of namespaces on the hosted offering. Source: docs/platform/namespaces.md ('Subscriptions')."""

from typing import TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import TAKEN
from fakeplat.model.people import Namespace, Subscription
from fakeplat.policy.context import WriteContext


class SubscriptionFields(TypedDict, total=False):
    """Fields of a subscription."""

    start_date: str
    end_date: str | None
    seats: int
    auto_renew: bool
    trial_starts_on: str | None


class PlanFields(TypedDict, total=False):
    """What a subscription changes of its namespace."""

    plan: str
    max_seats_used: int
    trial: bool
    trial_ends_on: str | None


def create(
    ctx: WriteContext, namespace: Namespace, plan: PlanFields, **fields: Unpack[SubscriptionFields]
) -> Namespace:
    """Give a namespace a subscription; 400 if it has one."""
    if namespace.subscription is not None:
        raise InvalidRecord({"namespace_id": [TAKEN]}, reason="the namespace has a subscription")
    return _store(ctx, namespace, Subscription(**_with_start_of_trial(plan, fields)), plan)


def update(
    ctx: WriteContext, namespace: Namespace, plan: PlanFields, **fields: Unpack[SubscriptionFields]
) -> Namespace:
    """Change the subscription of a namespace; 404 without one, 400 for a trial that has ended."""
    if namespace.subscription is None:
        raise NotFound("GitlabSubscription", reason="the namespace has no subscription")
    ends_on = plan.get("trial_ends_on")
    if ends_on is not None and ends_on < ctx.today:
        raise BadRequest("400 Bad request - Invalid trial expiration date", reason=f"it is {ctx.today} in this world")
    return _store(ctx, namespace, evolve(namespace.subscription, **_with_start_of_trial(plan, fields)), plan)


def _with_start_of_trial(plan: PlanFields, fields: SubscriptionFields) -> SubscriptionFields:
    """Return the fields; a trial starts with the subscription unless another day is given."""
    start = fields.get("start_date")
    if not plan.get("trial") or fields.get("trial_starts_on") is not None or start is None:
        return fields
    return {**fields, "trial_starts_on": start}


def _store(ctx: WriteContext, namespace: Namespace, subscription: Subscription, plan: PlanFields) -> Namespace:
    changed = namespaces.update(ctx, namespace, plan=plan["plan"]) if "plan" in plan else namespace
    others = {name: value for name, value in plan.items() if name != "plan"}
    return ctx.world.namespaces.change(changed, subscription=subscription, updated_at=ctx.now_iso, **others)
