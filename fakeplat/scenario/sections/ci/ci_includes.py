"""Files in scenarios that CI configurations include from outside the instance."""

from typing import Final

from fakeplat.domain.ci import ci_files
from fakeplat.model.ci import CiInclude
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import SCENARIO

SECTION: Final = derive_section(
    "ci_includes",
    CiInclude,
    within=(SCENARIO,),
    required=("location", "content"),
    add=ci_files.set_content,
    name_key="location",
    value_key="content",
    case_sensitive=True,
)
