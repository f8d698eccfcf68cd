"""The single sign-on of groups, with the token of its SCIM endpoint. Source: docs/contract.md."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import TEXT, Object
from fakeplat.domain.scim import saml_providers
from fakeplat.model.people import SamlProvider
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import MEMBERSHIPS, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.members import LEVEL

_FIELDS: Final = fields(SamlProvider, without=("id", "group_id", "scim_token"), default_membership_role=LEVEL)


def _create(entry: Entry) -> SamlProvider:
    return saml_providers.configure(entry.ctx, entry.owner, scim_token=entry.values["token"], **entry.select(_FIELDS))


def _export(world: World, group: Any) -> Iterable[tuple[SamlProvider, EntryData]] | None:
    provider = saml_providers.find_by_group(world, group)
    if provider is None:
        return None
    data = serialization.non_default_fields(provider, _FIELDS)
    return [(provider, {"token": provider.scim_token, **data})]


SECTION: Final = Section(
    "scim",
    within=("group",),
    rank=MEMBERSHIPS,
    keys=Object({"token": TEXT, **_FIELDS}, required=("token",)),
    create=_create,
    export=_export,
    single=True,
)
