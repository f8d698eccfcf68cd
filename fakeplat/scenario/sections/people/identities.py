"""External identities of users."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.scim import saml_providers
from fakeplat.model.people import Identity
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData

_FIELDS: Final = own_fields(Identity)


def _create(entry: Entry) -> Identity:
    values, provider_id = entry.values, _find_provider(entry)
    identity = users.add_identity(entry.ctx, entry.owner, values["provider"], values["extern_uid"], provider_id)
    return entry.world.identities.change(identity, **entry.select(_FIELDS))


def _find_provider(entry: Entry) -> int | None:
    if "group" not in entry.values:
        return None
    provider = saml_providers.find_by_group(entry.world, entry.group("group"))
    if provider is None:
        entry.fail("has no key scim", "group")
    return provider.id


def _serialize_group(world: World, identity: Identity) -> EntryData:
    provider = world.saml_providers.get(identity.saml_provider_id) if identity.saml_provider_id else None
    return {"group": namespaces.full_path(world, world.namespaces[provider.group_id])} if provider else {}


SECTION: Final = derive_section(
    "identities",
    Identity,
    within=("user",),
    further_keys={"group": TEXT},
    required=("provider", "extern_uid"),
    descriptions={"group": "The group with single sign-on (scim) that the identity belongs to."},
    create=_create,
    parts=_serialize_group,
    name_key="provider",
    value_key="extern_uid",
)
