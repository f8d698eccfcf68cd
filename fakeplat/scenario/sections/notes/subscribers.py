"""Explicit subscriptions to labels, epics, issues and merge requests."""

from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, TEXT
from fakeplat.domain.notes import subscriptions
from fakeplat.model.issues import Subscription
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES
from fakeplat.scenario.sections.serialization import subject_of


def _create(entry: Entry) -> Subscription:
    is_subscribed = entry.values.get("subscribed", True)
    return subscriptions.save_subscription(
        entry.ctx, subject_of(entry.owner), entry.user("username"), subscribed=is_subscribed
    )


SECTION: Final = derive_section(
    "subscribers",
    Subscription,
    within=("label", "epic", "issue", "merge_request"),
    rank=ISSUES,
    keys={"username": TEXT, "subscribed": BOOLEAN},
    references={"username": "user_id"},
    required=("username",),
    create=_create,
    name_key="username",
    value_key="subscribed",
)
