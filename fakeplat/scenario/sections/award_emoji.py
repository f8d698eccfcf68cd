"""Emoji that people gave to issues, merge requests and notes."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.notes import awards
from fakeplat.model.issues import Award
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import serialization as telling

_TIMES: Final = ("created_at", "updated_at")


def _make(entry: Entry) -> Award:
    award = awards.insert_award(entry.ctx, telling.subject_of(entry.owner), entry.user("user"), entry.said["name"])
    times = entry.given(_TIMES)
    if "created_at" in times:
        times.setdefault("updated_at", times["created_at"])
    return entry.world.awards.change(award, **times)


def _tell(world: World, owner: Any) -> Iterable[tuple[Award, Told]] | None:
    return [(award, _told(world, award)) for award in world.awards.where("subject", telling.subject_of(owner))] or None


def _told(world: World, award: Award) -> Told:
    times = telling.remove_defaults(telling.non_default_fields(award, _TIMES), updated_at=award.created_at)
    return {"name": award.name, "user": telling.username_of(world, award.user_id), **times}


SECTION: Final = Section(
    "award_emoji",
    under=("issue", "merge_request", "snippet", "note"),
    rank=ISSUES,
    keys=Object(
        {"name": TEXT, "user": TEXT, "created_at": DATE_TIME, "updated_at": DATE_TIME}, required=("name", "user")
    ),
    make=_make,
    tell=_tell,
)
