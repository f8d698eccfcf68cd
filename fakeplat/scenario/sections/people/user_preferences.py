"""How a user wants lists to be shown, under ``preferences`` of a user."""

from typing import Final

from fakeplat.model.people import UserPreference
from fakeplat.scenario.record_sections import derive_section

SECTION: Final = derive_section("preferences", UserPreference, within=("user",), single=True)
