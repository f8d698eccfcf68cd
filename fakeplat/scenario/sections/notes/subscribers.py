"""Explicit subscriptions to labels, epics, issues and merge requests."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import BOOLEAN, TEXT, Object
from fakeplat.domain.notes import subscriptions
from fakeplat.model.issues import Subscription
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, EntryData, Section
from fakeplat.scenario.sections import serialization


def _create(entry: Entry) -> Subscription:
    return subscriptions.save_subscription(
        entry.ctx,
        serialization.subject_of(entry.owner),
        entry.user("username"),
        subscribed=entry.values.get("subscribed", True),
    )


def _export(world: World, owner: Any) -> Iterable[tuple[Subscription, EntryData]] | None:
    subscriptions_ = world.subscriptions.where("subject", serialization.subject_of(owner))
    return [(subscription, _serialize(world, subscription)) for subscription in subscriptions_] or None


def _serialize(world: World, subscription: Subscription) -> EntryData:
    return {"username": serialization.username_of(world, subscription.user_id), "subscribed": subscription.subscribed}


SECTION: Final = Section(
    "subscribers",
    within=("label", "epic", "issue", "merge_request"),
    rank=ISSUES,
    keys=Object({"username": TEXT, "subscribed": BOOLEAN}, required=("username",)),
    create=_create,
    export=_export,
    name_key="username",
    value_key="subscribed",
)
