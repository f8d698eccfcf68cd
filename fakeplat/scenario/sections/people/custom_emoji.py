"""Emoji that users added, under ``custom_emoji`` of a group."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.model.issues import CustomEmoji
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "custom_emoji",
    CustomEmoji,
    within=("group",),
    keys={"name": TEXT, "url": TEXT, "creator": TEXT, "created_at": DATE_TIME, "updated_at": DATE_TIME},
    references={"creator": "creator_id"},
    required=("name", "url", "creator"),
    unique="name",
)
