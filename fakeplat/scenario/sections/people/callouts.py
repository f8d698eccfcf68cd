"""Hints that users dismissed, under ``callouts`` of a user."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, NULLABLE_TEXT, Choice
from fakeplat.domain.people.callouts import FEATURES, GROUP_FEATURES
from fakeplat.model.people import Callout
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> Callout:
    table, name = entry.world.callouts, entry.values["feature_name"]
    group = entry.get_group(entry.values["group"], "group") if entry.values.get("group") is not None else None
    known = FEATURES if group is None else GROUP_FEATURES
    if name not in known:
        entry.fail(f"{name} is no hint {'of the interface' if group is None else 'for a group'}", "feature_name")
    group_id = group.id if group is not None else None
    dismissed_at = entry.values.get("dismissed_at", entry.ctx.now_iso)
    existing = table.find("name", (entry.owner.id, group_id, name))
    if existing is not None:
        return table.change(existing, dismissed_at=dismissed_at)
    return table.add(Callout(table.next_id(), entry.owner.id, name, dismissed_at, group_id))


SECTION: Final = derive_section(
    "callouts",
    Callout,
    within=("user",),
    keys={
        "feature_name": Choice(*dict.fromkeys((*FEATURES, *GROUP_FEATURES))),
        "dismissed_at": DATE_TIME,
        "group": NULLABLE_TEXT,
    },
    references={"group": "group_id"},
    required=("feature_name",),
    create=_create,
    always=("dismissed_at",),
)
