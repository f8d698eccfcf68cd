"""Deploy tokens of projects and groups."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_OR_DATE_TIME, Choice, ListOf, Nullable
from fakeplat.domain.people.members import source_of
from fakeplat.domain.projects import deploy_tokens
from fakeplat.model.projects import DeployToken
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData

_FIELDS: Final = own_fields(
    DeployToken, scopes=ListOf(Choice(*deploy_tokens.SCOPES)), expires_at=Nullable(DATE_OR_DATE_TIME)
)


def _create(entry: Entry) -> DeployToken:
    value = entry.values.get("value")
    existing = entry.world.deploy_tokens.find("value", value) if value else None
    # A value that belongs elsewhere is not changed; creating the token again reports the conflict.
    if existing is not None and existing.source == source_of(entry.owner):
        return entry.world.deploy_tokens.change(existing, **entry.select(_FIELDS))
    defaults = {"created_at": entry.created_at, "scopes": ("read_repository",)}
    return deploy_tokens.create(entry.ctx, entry.owner, **{**defaults, **entry.select(_FIELDS)})


def _defaults(token: DeployToken) -> EntryData:
    # The default username contains the id, which is another one when the export is loaded.
    username = {"username": token.username} if deploy_tokens.is_default_username(token) else {}
    return {"scopes": ["read_repository"], **username}


SECTION: Final = derive_section(
    "deploy_tokens",
    DeployToken,
    within=("group", "project"),
    keys=_FIELDS,
    required=("name",),
    create=_create,
    defaults=_defaults,
)
