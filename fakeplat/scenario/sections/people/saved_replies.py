"""Texts for comments, under ``saved_replies`` of a user, group or project."""

from typing import Final

from fakeplat.model.people import SavedReply
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "saved_replies",
    SavedReply,
    within=("user", "group", "project"),
    required=("name", "content"),
    unique="name",
)
