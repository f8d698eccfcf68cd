"""Award emoji on epics, issues, merge requests, snippets and notes."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.notes import awards
from fakeplat.model.issues import Award
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, EntryData, Section
from fakeplat.scenario.sections import serialization

_TIMES: Final = ("created_at", "updated_at")


def _create(entry: Entry) -> Award:
    award = awards.insert_award(
        entry.ctx, serialization.subject_of(entry.owner), entry.user("user"), entry.values["name"]
    )
    times = entry.select(_TIMES)
    if "created_at" in times:
        # An award that is older than the world was not updated at the world's time.
        times.setdefault("updated_at", times["created_at"])
    return entry.world.awards.change(award, **times)


def _export(world: World, owner: Any) -> Iterable[tuple[Award, EntryData]] | None:
    return [
        (award, _serialize(world, award)) for award in world.awards.where("subject", serialization.subject_of(owner))
    ] or None


def _serialize(world: World, award: Award) -> EntryData:
    times = serialization.remove_defaults(serialization.non_default_fields(award, _TIMES), updated_at=award.created_at)
    return {"name": award.name, "user": serialization.username_of(world, award.user_id), **times}


SECTION: Final = Section(
    "award_emoji",
    within=("epic", "issue", "merge_request", "snippet", "note"),
    rank=ISSUES,
    keys=Object(
        {"name": TEXT, "user": TEXT, "created_at": DATE_TIME, "updated_at": DATE_TIME}, required=("name", "user")
    ),
    create=_create,
    export=_export,
)
