"""Deploy tokens of projects and groups."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_OR_DATE_TIME, Choice, ListOf, Nullable, Object
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import deploy_tokens
from fakeplat.model.projects import DeployToken
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(
    DeployToken,
    without=("id", "source"),
    scopes=ListOf(Choice(*deploy_tokens.SCOPES)),
    expires_at=Nullable(DATE_OR_DATE_TIME),
)


def _create(entry: Entry) -> DeployToken:
    value = entry.values.get("value")
    existing = entry.world.deploy_tokens.find("value", value) if value else None
    # A value that belongs elsewhere is not changed; creating the token again reports the conflict.
    if existing is not None and existing.source == source_of(entry.owner):
        return entry.world.deploy_tokens.change(existing, **entry.select(_FIELDS))
    defaults = {"created_at": entry.created_at, "scopes": ("read_repository",)}
    return deploy_tokens.create(entry.ctx, entry.owner, **{**defaults, **entry.select(_FIELDS)})


def _export(world: World, container: Any) -> Iterable[tuple[DeployToken, EntryData]] | None:
    return [(token, _serialize(token)) for token in deploy_tokens.list_deploy_tokens(world, container)] or None


def _serialize(token: DeployToken) -> EntryData:
    # The default username contains the id, which is another one when the export is loaded.
    names = [name for name in _FIELDS if name != "username" or not deploy_tokens.is_default_username(token)]
    data = serialization.non_default_fields(token, names)
    return serialization.remove_defaults(data, scopes=["read_repository"])


SECTION: Final = Section(
    "deploy_tokens",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("name",)),
    create=_create,
    export=_export,
)
