"""Freeze periods of projects."""

from typing import Final

from fakeplat.domain.deployments import freeze_periods
from fakeplat.model.deployments import FreezePeriod
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "freeze_periods",
    FreezePeriod,
    within=("project",),
    required=("freeze_start", "freeze_end"),
    add=freeze_periods.create,
    rows=freeze_periods.list_freeze_periods,
)
