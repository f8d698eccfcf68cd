"""Who wants to hear of a label or an issue, or does not."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.domain import subscriptions
from fakeplat.model.issues import Subscription
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import telling
from fakeplat.scenario.shapes import FLAG, TEXT, Keys


def _subject(owner: Any) -> tuple[str, int]:
    return (type(owner).__name__.lower(), owner.id)


def _make(entry: Entry) -> Subscription:
    return subscriptions.put(
        entry.cx, _subject(entry.owner), entry.user("username"), wanted=entry.said.get("subscribed", True)
    )


def _tell(world: World, owner: Any) -> Iterable[tuple[Subscription, Told]] | None:
    return [(said, _told(world, said)) for said in world.subscriptions.where("subject", _subject(owner))] or None


def _told(world: World, said: Subscription) -> Told:
    return {"username": telling.username(world, said.user_id), "subscribed": said.subscribed}


SECTION: Final = Section(
    "subscribers",
    under=("label", "issue"),
    rank=ISSUES,
    keys=Keys({"username": TEXT, "subscribed": FLAG}, needs=("username",)),
    make=_make,
    tell=_tell,
    named="username",
    value="subscribed",
)
