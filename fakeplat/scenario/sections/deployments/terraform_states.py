"""States of Terraform of projects in scenarios."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, INTEGER, NULLABLE_TEXT, TEXT, ListOf, Object
from fakeplat.domain.deployments import terraform_states
from fakeplat.model.terraform import TerraformState, TerraformStateProtectionRule, TerraformStateVersion
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import DEPLOYMENTS, EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = {**own_fields(TerraformState), "lock_id": NULLABLE_TEXT}
_VERSION: Final = Object(
    {
        "serial": INTEGER,
        "content": TEXT,
        "content_base64": BASE64,
        "creator": NULLABLE_TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    one_of=("content", "content_base64"),
    descriptions={
        "serial": "By default that in the content.",
        "content": "The file of the state.",
        "creator": "Username of who held the lock.",
    },
)


def _create(entry: Entry) -> TerraformState:
    values, holder = entry.select(_FIELDS), entry.user_or_none("locked_by")
    values = {"created_at": entry.created_at, "locked_by_id": holder.id if holder else None, **values}
    existing = terraform_states.find_state(entry.world, entry.owner, values["name"])
    if existing is not None:
        state = entry.world.terraform_states.change(existing, **values)
    else:
        state = terraform_states.create(entry.ctx, entry.owner, values.pop("name"), **values)
    for version in entry.values.get("versions", ()):
        _add_version(entry, state, version)
    return entry.world.terraform_states.change(state, updated_at=values.get("updated_at", state.updated_at))


def _add_version(entry: Entry, state: TerraformState, values: EntryData) -> None:
    content = values["content"].encode() if "content" in values else bytes(values["content_base64"])
    creator = entry.get_user(values["creator"], "creator") if values.get("creator") else None
    given = {name: values[name] for name in ("created_at", "updated_at") if name in values}
    terraform_states.add_version(
        entry.ctx,
        state,
        serial=values["serial"] if "serial" in values else terraform_states.read_serial(content),
        content=content,
        creator_id=creator.id if creator else None,
        **{"created_at": state.created_at, **given},
    )


def _serialize_versions(world: World, state: TerraformState) -> EntryData:
    versions = terraform_states.list_versions(world, state)
    return {"versions": [_serialize_version(world, state, version) for version in versions]}


def _serialize_version(world: World, state: TerraformState, version: TerraformStateVersion) -> EntryData:
    times = {"created_at": version.created_at, "updated_at": version.updated_at}
    creator = serialization.username_of(world, version.creator_id)
    return {
        "serial": version.serial,
        "content_base64": b64encode(version.content).decode(),
        **({"creator": creator} if creator else {}),
        **serialization.remove_defaults(times, created_at=state.created_at, updated_at=version.created_at),
    }


SECTION: Final = derive_section(
    "terraform_states",
    TerraformState,
    within=("project",),
    rank=DEPLOYMENTS,
    keys=_FIELDS,
    further_keys={"locked_by": NULLABLE_TEXT, "versions": ListOf(_VERSION)},
    references={"locked_by": "locked_by_id"},
    required=("name",),
    descriptions={
        "lock_id": "What the client that holds the lock calls it.",
        "locked_by": "Username of who holds the lock.",
        "versions": "The versions of the state.",
    },
    create=_create,
    parts=_serialize_versions,
)
RULES: Final = derive_section(
    "terraform_state_protection_rules",
    TerraformStateProtectionRule,
    within=("project",),
    rank=DEPLOYMENTS,
    required=("state_name", "minimum_access_level_for_write"),
)
