"""External identities of users."""

from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import TEXT, Object
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.scim import saml_providers
from fakeplat.model.people import Identity, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Identity, without=("id", "user_id", "saml_provider_id"))


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


def _export(world: World, user: User) -> list[tuple[Identity, EntryData]] | None:
    return [(identity, _serialize(world, identity)) for identity in world.identities.where("user", user.id)] or None


def _serialize(world: World, identity: Identity) -> EntryData:
    data = serialization.non_default_fields(identity, _FIELDS)
    provider = world.saml_providers.get(identity.saml_provider_id) if identity.saml_provider_id else None
    group = world.namespaces[provider.group_id] if provider else None
    return {**data, "group": namespaces.full_path(world, group)} if group else data


SECTION: Final = Section(
    "identities",
    within=("user",),
    rank=FURTHER,
    keys=Object(
        {**_FIELDS, "group": TEXT},
        required=("provider", "extern_uid"),
        descriptions={"group": "The group with single sign-on (scim) that the identity belongs to."},
    ),
    create=_create,
    export=_export,
    name_key="provider",
    value_key="extern_uid",
)
