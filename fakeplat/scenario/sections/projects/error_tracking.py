"""The error tracking settings of projects."""

from typing import Final

from fakeplat.domain.projects import error_tracking
from fakeplat.model.projects import ErrorTrackingSetting
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "error_tracking", ErrorTrackingSetting, within=("project",), add=error_tracking.set_setting, single=True
)
