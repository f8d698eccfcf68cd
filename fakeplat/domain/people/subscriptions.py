"""Subscriptions of namespaces on the hosted offering. Source: docs/platform/namespaces.md ('Subscriptions')."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.people import namespaces, seats
from fakeplat.domain.validation import BLANK, TAKEN
from fakeplat.model.people import Namespace, Subscription
from fakeplat.model.world import World
from fakeplat.policy.behaviours import TRIALS_END_IN_THE_FUTURE
from fakeplat.policy.context import ReadContext, WriteContext

_REQUIRED: Final = ("seats", "start_date")


class SubscriptionFields(TypedDict, total=False):
    """Fields of a subscription. Those of a record are never null, but what is sent may be."""

    start_date: str | None
    end_date: str | None
    seats: int | None
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
    _check_presence(fields)
    return _add(ctx, namespace, plan, fields)


def update(
    ctx: WriteContext, namespace: Namespace, plan: PlanFields, **fields: Unpack[SubscriptionFields]
) -> Namespace:
    """Change the subscription of a namespace; 404 without one, in early releases 400 for a trial that has ended."""
    if namespace.subscription is None:
        raise NotFound("GitlabSubscription", reason="the namespace has no subscription")
    ends_on = plan.get("trial_ends_on")
    if ends_on is not None and ends_on < ctx.today and ctx.profile.has(TRIALS_END_IN_THE_FUTURE):
        raise BadRequest("400 Bad request - Invalid trial expiration date", reason=f"it is {ctx.today} in this world")
    _check_presence(fields)
    return _change(ctx, namespace, namespace.subscription, plan, fields)


def save_nested(
    ctx: WriteContext, namespace: Namespace, plan: PlanFields, **fields: Unpack[SubscriptionFields]
) -> Namespace:
    """Create or change the subscription of a namespace together with the namespace, which names it in refusals."""
    _check_presence(fields, "gitlab_subscription.")
    if namespace.subscription is None:
        return _add(ctx, namespace, plan, {"start_date": ctx.today, **fields})
    return _change(ctx, namespace, namespace.subscription, plan, fields)


def _check_presence(fields: Mapping[str, object], prefix: str = "") -> None:
    blank = {f"{prefix}{name}": [BLANK] for name in _REQUIRED if name in fields and fields[name] is None}
    if blank:
        raise InvalidRecord(blank)


def _add(ctx: WriteContext, namespace: Namespace, plan: PlanFields, fields: SubscriptionFields) -> Namespace:
    values: Any = _with_start_of_trial(plan, fields)
    return _store(ctx, namespace, Subscription(**values), plan)


def _change(
    ctx: WriteContext, namespace: Namespace, before: Subscription, plan: PlanFields, fields: SubscriptionFields
) -> Namespace:
    values: Any = _with_start_of_trial(plan, fields)
    after = evolve(before, **values)
    changed = _store(ctx, namespace, after, plan)
    is_over = _is_new_term(before, after) or (namespace.trial and not changed.trial) or _is_counted_before(changed)
    return seats.restart_count(ctx, changed) if is_over and has_paid_plan(ctx.world, changed) else changed


def _is_new_term(before: Subscription, after: Subscription) -> bool:
    """Return whether a subscription begins again: both dates changed, and it starts when the previous one ended."""
    if before.start_date == after.start_date or before.end_date == after.end_date:
        return False
    return before.end_date is None or after.start_date >= before.end_date


def _is_counted_before(namespace: Namespace) -> bool:
    """Return whether the most seats of a namespace were counted before its subscription began."""
    counted, subscription = namespace.max_seats_used_changed_at, namespace.subscription
    return counted is not None and subscription is not None and counted[:10] < subscription.start_date


def has_paid_plan(world: World, namespace: Namespace) -> bool:
    """Return whether seats of a paid plan were bought for a namespace; a trial is not paid."""
    bought = namespace.subscription
    is_bought = bought is not None and bought.seats > 0 and not namespace.trial
    return is_bought and namespaces.plan_of(world, namespace) not in seats.FREE_PLANS


def is_upgradable(ctx: ReadContext, namespace: Namespace) -> bool:
    """Return whether there is a higher plan than the paid one of a namespace, which has not ended."""
    bought = namespace.subscription
    is_over = bought is not None and bought.end_date is not None and bought.end_date < ctx.today
    is_top = namespaces.plan_of(ctx.world, namespace) in seats.TOP_PLANS
    return not is_over and not is_top and has_paid_plan(ctx.world, namespace)


def count_owed(ctx: ReadContext, namespace: Namespace) -> int:
    """Return how many more seats were used than bought; none without a paid plan."""
    bought = namespace.subscription
    if bought is None or not has_paid_plan(ctx.world, namespace):
        return 0
    return max(seats.max_seats_used(ctx, namespace) - bought.seats, 0)


def _with_start_of_trial(plan: PlanFields, fields: SubscriptionFields) -> SubscriptionFields:
    """Return the fields; a trial starts with the subscription unless another day is given."""
    start = fields.get("start_date")
    if not plan.get("trial") or fields.get("trial_starts_on") is not None or start is None:
        return fields
    return {**fields, "trial_starts_on": start}


def _store(ctx: WriteContext, namespace: Namespace, subscription: Subscription, plan: PlanFields) -> Namespace:
    changed = namespaces.update(ctx, namespace, plan=plan["plan"]) if "plan" in plan else namespace
    others: dict[str, object] = {name: value for name, value in plan.items() if name != "plan"}
    if plan.get("max_seats_used", namespace.max_seats_used) != namespace.max_seats_used:
        others["max_seats_used_changed_at"] = ctx.now_iso
    return ctx.world.namespaces.change(changed, subscription=subscription, updated_at=ctx.now_iso, **others)
