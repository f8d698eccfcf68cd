"""What groups allow for the approvals in their projects."""

from typing import Final

from fakeplat.domain.merge_requests import approval_settings
from fakeplat.model.merge_requests import ApprovalSetting
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "approval_setting",
    ApprovalSetting,
    within=("group",),
    add=approval_settings.set_setting,
    single=True,
)
