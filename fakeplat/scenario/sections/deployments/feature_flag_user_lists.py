"""User lists of feature flags."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.deployments import feature_flag_user_lists as user_lists
from fakeplat.model.deployments import FeatureFlagUserList
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(FeatureFlagUserList, without=("id", "project_id"))


def _create(entry: Entry) -> FeatureFlagUserList:
    existing = entry.world.feature_flag_user_lists.find("name", (entry.owner.id, entry.values["name"]))
    if existing is not None:
        return user_lists.update(entry.ctx, existing, **entry.select(_FIELDS))
    times = {"created_at": entry.since, "updated_at": entry.since}
    return user_lists.create(entry.ctx, entry.owner, **{**times, "user_xids": "", **entry.select(_FIELDS)})


def _export(world: World, project: Project) -> Iterable[tuple[FeatureFlagUserList, EntryData]] | None:
    return [(user_list, _serialize(user_list)) for user_list in user_lists.list_user_lists(world, project)] or None


def _serialize(user_list: FeatureFlagUserList) -> EntryData:
    data = serialization.non_default_fields(user_list, _FIELDS)
    return serialization.remove_defaults(data, user_xids="", updated_at=user_list.created_at)


SECTION: Final = Section(
    "feature_flag_user_lists",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("name",)),
    create=_create,
    export=_export,
    name_key="name",
    case_sensitive=True,
)
