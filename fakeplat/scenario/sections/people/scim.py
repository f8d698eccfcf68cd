"""The single sign-on of groups, with the token of its SCIM endpoint. Source: docs/contract.md."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.scim import saml_providers
from fakeplat.model.people import SamlProvider
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import MEMBERSHIPS, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.members import LEVEL

_FIELDS: Final = own_fields(SamlProvider, without=("scim_token",), default_membership_role=LEVEL)


def _create(entry: Entry) -> SamlProvider:
    return saml_providers.configure(entry.ctx, entry.owner, scim_token=entry.values["token"], **entry.select(_FIELDS))


def _serialize(_world: World, provider: SamlProvider) -> EntryData:
    return {"token": provider.scim_token, **serialization.non_default_fields(provider, _FIELDS)}


SECTION: Final = derive_section(
    "scim",
    SamlProvider,
    within=("group",),
    rank=MEMBERSHIPS,
    keys={"token": TEXT, **_FIELDS},
    required=("token",),
    create=_create,
    serialize=_serialize,
    single=True,
)
