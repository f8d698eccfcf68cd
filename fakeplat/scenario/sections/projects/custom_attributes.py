"""Custom attributes of users, groups and projects."""

from typing import Final

from fakeplat.domain.projects import custom_attributes
from fakeplat.model.projects import CustomAttribute
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.sections.serialization import subject_of


def _create(entry: Entry) -> CustomAttribute:
    key, value = entry.values["key"], entry.values["value"]
    return custom_attributes.set_attribute(entry.ctx, subject_of(entry.owner), key, value)


SECTION: Final = derive_section(
    "custom_attributes",
    CustomAttribute,
    within=("user", "group", "project"),
    required=("key", "value"),
    create=_create,
    name_key="key",
    value_key="value",
)
