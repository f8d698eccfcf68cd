"""Users of other instances, under ``source_users`` of a top-level group."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT
from fakeplat.model.import_export import SourceUser
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import GENERATED

_USERS: Final = ("placeholder_user", "reassign_to_user", "reassigned_by_user")
SECTION: Final = derive_section(
    "source_users",
    SourceUser,
    within=("group",),
    rank=GENERATED,
    keys=own_fields(SourceUser),
    further_keys=dict.fromkeys(_USERS, NULLABLE_TEXT),
    references={name: f"{name}_id" for name in _USERS},
    required=("source_hostname", "source_user_identifier"),
    descriptions={
        "placeholder_user": "Username of the user who stands for this one.",
        "reassign_to_user": "Username of who is to get the contributions.",
        "reassigned_by_user": "Username of who proposed that.",
    },
)
