"""Custom roles in scenarios."""

from typing import Final

from fakeplat.domain.people import member_roles
from fakeplat.model.people import MemberRole
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import PEOPLE, SCENARIO

SECTION: Final = derive_section(
    "member_roles",
    MemberRole,
    within=(SCENARIO,),
    rank=PEOPLE,
    required=("base_access_level",),
    add=member_roles.create,
)
