"""User lists of feature flags."""

from typing import Final

from fakeplat.domain.deployments import feature_flag_user_lists as user_lists
from fakeplat.model.deployments import FeatureFlagUserList
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields

_FIELDS: Final = own_fields(FeatureFlagUserList)


def _create(entry: Entry) -> FeatureFlagUserList:
    existing = entry.world.feature_flag_user_lists.find("name", (entry.owner.id, entry.values["name"]))
    if existing is not None:
        return user_lists.update(entry.ctx, existing, entry.select(_FIELDS))
    times = {"created_at": entry.since, "updated_at": entry.since}
    return user_lists.create(entry.ctx, entry.owner, **{**times, "user_xids": "", **entry.select(_FIELDS)})


SECTION: Final = derive_section(
    "feature_flag_user_lists",
    FeatureFlagUserList,
    within=("project",),
    required=("name",),
    create=_create,
    defaults=lambda _: {"user_xids": ""},
    name_key="name",
    case_sensitive=True,
)
