"""Who wants to hear of a label, an issue or a merge request, or does not."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import BOOLEAN, TEXT, Object
from fakeplat.domain.notes import subscriptions
from fakeplat.model.issues import Subscription
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import serialization as telling


def _make(entry: Entry) -> Subscription:
    return subscriptions.save_subscription(
        entry.ctx, telling.subject_of(entry.owner), entry.user("username"), wanted=entry.said.get("subscribed", True)
    )


def _tell(world: World, owner: Any) -> Iterable[tuple[Subscription, Told]] | None:
    found = world.subscriptions.where("subject", telling.subject_of(owner))
    return [(said, _told(world, said)) for said in found] or None


def _told(world: World, said: Subscription) -> Told:
    return {"username": telling.username_of(world, said.user_id), "subscribed": said.subscribed}


SECTION: Final = Section(
    "subscribers",
    under=("label", "issue", "merge_request"),
    rank=ISSUES,
    keys=Object({"username": TEXT, "subscribed": BOOLEAN}, required=("username",)),
    make=_make,
    tell=_tell,
    named="username",
    value="subscribed",
)
