"""Award emoji on epics, issues, merge requests, snippets and notes."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.notes import awards
from fakeplat.model.issues import Award
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES
from fakeplat.scenario.sections.serialization import subject_of


def _create(entry: Entry) -> Award:
    award = awards.insert_award(entry.ctx, subject_of(entry.owner), entry.user("user"), entry.values["name"])
    times = entry.select(("created_at", "updated_at"))
    if "created_at" in times:
        # An award that is older than the world was not updated at the world's time.
        times.setdefault("updated_at", times["created_at"])
    return entry.world.awards.change(award, **times)


SECTION: Final = derive_section(
    "award_emoji",
    Award,
    within=("epic", "issue", "merge_request", "snippet", "note"),
    rank=ISSUES,
    keys={"name": TEXT, "user": TEXT, "created_at": DATE_TIME, "updated_at": DATE_TIME},
    references={"user": "user_id"},
    required=("name", "user"),
    create=_create,
)
