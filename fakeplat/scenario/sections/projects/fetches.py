"""Numbers of fetches of a project's repository, per day."""

from typing import Final

from fakeplat.core.schema.shapes import COUNT, DATE
from fakeplat.model.projects import ProjectFetches
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "fetches",
    ProjectFetches,
    within=("project",),
    keys={"date": DATE, "count": COUNT},
    required=("date", "count"),
    unique="day",
    name_key="date",
    value_key="count",
)
