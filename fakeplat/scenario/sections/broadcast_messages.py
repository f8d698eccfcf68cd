"""Broadcast messages in scenarios."""

from typing import Final

from fakeplat.domain.instance import broadcast_messages
from fakeplat.model.instance import BroadcastMessage
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import SCENARIO

SECTION: Final = derive_section(
    "broadcast_messages",
    BroadcastMessage,
    within=(SCENARIO,),
    required=("message",),
    add=broadcast_messages.create,
)
