"""Badges of groups and projects."""

from typing import Final

from fakeplat.domain.projects import badges
from fakeplat.model.projects import Badge
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section(
    "badges", Badge, within=("group", "project"), required=("link_url", "image_url"), add=badges.create
)
