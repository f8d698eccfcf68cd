"""Parameters of subscriptions, alone and within a namespace. Source: docs/platform/namespaces.md ('Subscriptions')."""

from typing import Annotated

from fakeplat.core.params.params import Day, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people.subscriptions import PlanFields, SubscriptionFields


class SubscriptionParams(Params):
    """What was bought, with which plan, and until when. Nothing shows how a trial was extended."""

    seats: int | None = None
    max_seats_used: int | None = None
    plan_code: str | None = None
    end_date: Day | None = None
    auto_renew: bool | None = None
    trial: bool | None = None
    trial_ends_on: Day | None = None
    trial_starts_on: Day | None = None
    trial_extension_type: Annotated[int | None, Lifetime(since="<=14.10")] = None


class UpdateSubscription(SubscriptionParams):
    """The same, and when it began."""

    start_date: Day | None = None


class CreateSubscription(SubscriptionParams):
    """The same for a new subscription."""

    start_date: Day | None


def read_fields(p: UpdateSubscription | CreateSubscription) -> SubscriptionFields:
    """Return what was sent of the subscription itself; a null clears a value, or is refused later."""
    sent = p.given()
    fields: SubscriptionFields = {}
    if "start_date" in sent:
        fields["start_date"] = p.start_date
    if "seats" in sent:
        fields["seats"] = p.seats
    if p.auto_renew is not None:
        fields["auto_renew"] = p.auto_renew
    if "end_date" in sent:
        fields["end_date"] = p.end_date
    if "trial_starts_on" in sent:
        fields["trial_starts_on"] = p.trial_starts_on
    return fields


def read_plan(p: SubscriptionParams) -> PlanFields:
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
