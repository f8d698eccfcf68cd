"""Feature flags of projects, and their user lists, which strategies name."""

from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import (
    ANYTHING,
    BOOLEAN,
    DATE_TIME,
    FREE_MAP,
    NULLABLE_TEXT,
    TEXT,
    Integer,
    ListOf,
    Object,
)
from fakeplat.domain.deployments import feature_flag_user_lists, feature_flags
from fakeplat.domain.purging import purge
from fakeplat.model.deployments import FeatureFlag, FeatureFlagUserList, Strategy
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ISSUES, EntryData
from fakeplat.scenario.sections import serialization

_USER_LIST_FIELDS: Final = own_fields(FeatureFlagUserList)


def _create_user_list(entry: Entry) -> FeatureFlagUserList:
    existing = entry.world.feature_flag_user_lists.find("name", (entry.owner.id, entry.values["name"]))
    if existing is not None:
        return feature_flag_user_lists.update(entry.ctx, existing, **entry.select(_USER_LIST_FIELDS))
    times = {"created_at": entry.since, "updated_at": entry.since}
    return feature_flag_user_lists.create(
        entry.ctx, entry.owner, **{**times, "user_xids": "", **entry.select(_USER_LIST_FIELDS)}
    )


USER_LISTS: Final = derive_section(
    "feature_flag_user_lists",
    FeatureFlagUserList,
    within=("project",),
    required=("name",),
    create=_create_user_list,
    defaults=lambda _: {"user_xids": ""},
    name_key="name",
    case_sensitive=True,
)


_SCOPE_FIELDS: Final = ("environment_scope", "active", "strategies", "created_at", "updated_at")
_SCOPE: Final = Object(
    {
        "environment_scope": TEXT,
        "active": BOOLEAN,
        "strategies": ListOf(FREE_MAP),
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    required=("environment_scope",),
)
_STRATEGY: Final = Object(
    {"name": TEXT, "parameters": ANYTHING, "scopes": ListOf(TEXT), "user_list": NULLABLE_TEXT}, required=("name",)
)
_FIELDS: Final = fields(
    FeatureFlag, without=("id", "project_id", "issue_ids"), scopes=ListOf(_SCOPE), strategies=ListOf(_STRATEGY)
)
_PARTS: Final = ("scopes", "strategies")


def _create(entry: Entry) -> FeatureFlag:
    project, values = entry.owner, entry.values
    existing = entry.world.feature_flags.find("name", (project.id, values["name"]))
    if existing is not None:
        purge(entry.ctx, existing)
    times = {"created_at": entry.since, "updated_at": entry.since}
    version = "legacy_flag" if values.get("scopes") else "new_version_flag"
    flag = feature_flags.create(
        entry.ctx,
        project,
        **{
            **times,
            "version": version,
            **entry.select(_FIELDS),
            "scopes": [{**times, **scope} for scope in values.get("scopes", ())],
            "strategies": [_resolve_strategy(entry, strategy) for strategy in values.get("strategies", ())],
        },
    )
    issue_ids = tuple(_get_issue(entry, iid).id for iid in values.get("issues", ()))
    return entry.world.feature_flags.change(flag, issue_ids=issue_ids) if issue_ids else flag


def _get_issue(entry: Entry, iid: int) -> Issue:
    issue = entry.world.issues.find("iid", (entry.owner.id, iid))
    return issue if issue is not None else entry.fail(f"no issue {iid}", "issues")


def _resolve_strategy(entry: Entry, values: EntryData) -> EntryData:
    own = {name: value for name, value in values.items() if name in ("name", "parameters")}
    scopes = [{"environment_scope": scope} for scope in values.get("scopes", ("*",))]
    user_list = values.get("user_list")
    reference = {} if user_list is None else {"user_list_id": _get_user_list(entry, user_list)}
    return {**own, "scopes": scopes, **reference}


def _get_user_list(entry: Entry, name: str) -> int:
    user_list = entry.world.feature_flag_user_lists.find("name", (entry.owner.id, name))
    if user_list is not None:
        return int(user_list.id)
    names = [candidate.name for candidate in feature_flag_user_lists.list_user_lists(entry.world, entry.owner)]
    return entry.fail(f"unknown user list {name!r}", "strategies", nearest_name(name, names))


def _serialize(world: World, flag: FeatureFlag) -> EntryData:
    own = [name for name in _FIELDS if name not in _PARTS]
    data = serialization.non_default_fields(flag, own, always=("version",))
    parts: EntryData = {
        "scopes": [serialization.non_default_fields(scope, _SCOPE_FIELDS) for scope in flag.scopes],
        "strategies": [_serialize_strategy(world, strategy) for strategy in flag.strategies],
    }
    return {
        **serialization.remove_defaults(data, updated_at=flag.created_at),
        **{name: items for name, items in parts.items() if items},
        **({"issues": [world.issues[id_].iid for id_ in flag.issue_ids]} if flag.issue_ids else {}),
    }


def _serialize_strategy(world: World, strategy: Strategy) -> EntryData:
    user_list = world.feature_flag_user_lists.get(strategy.user_list_id or 0)
    data = {
        "name": strategy.name,
        "parameters": strategy.parameters,
        "scopes": [scope.environment_scope for scope in strategy.scopes],
        "user_list": user_list.name if user_list else None,
    }
    return serialization.remove_defaults(data, parameters={}, scopes=["*"], user_list=None)


FLAGS: Final = derive_section(
    "feature_flags",
    FeatureFlag,
    within=("project",),
    # After the lists that strategies name, and the issues.
    rank=ISSUES + 1,
    keys=_FIELDS,
    further_keys={"issues": ListOf(Integer(minimum=1))},
    required=("name",),
    create=_create,
    serialize=_serialize,
    name_key="name",
    case_sensitive=True,
)
