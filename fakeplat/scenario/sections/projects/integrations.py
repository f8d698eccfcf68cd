"""Integrations of projects and groups, except for that of alerts, which has a key of its own."""

from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, TEXT
from fakeplat.domain.alerts import alert_endpoint
from fakeplat.domain.integrations import inheritance
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import Integration
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(Service, without=("slug",))
_INHERITED: Final = "inherited"
_TIMES: Final = ("created_at", "updated_at")


def _create(entry: Entry) -> Service:
    """Create or update an integration; a new one is active unless the entry says otherwise."""
    # Imported late: a world without integrations does not need their declarations.
    from fakeplat.domain.integrations.catalog import INTEGRATIONS

    slug, owner = entry.values["slug"], entry.owner
    integration = INTEGRATIONS.get(slug)
    if integration is None or slug == alert_endpoint.SLUG:
        entry.fail(f"unknown integration {slug!r}", "slug")
    service, changes = _find_or_add(entry, owner, integration)
    changes |= entry.select(_FIELDS)
    changes["properties"] = {**service.properties, **_read_properties(changes.get("properties", {}))}
    if "created_at" in changes or not entry.existed_before:
        changes = {"created_at": entry.created_at, "updated_at": entry.created_at, **changes}
    service = entry.world.services.change(service, **changes)
    inheritance.propagate(entry.ctx, service)
    return service


def _find_or_add(entry: Entry, owner: Routable, integration: Integration) -> tuple[Service, EntryData]:
    """Return the record to change, and what it gets besides the values of the entry."""
    if entry.values.get(_INHERITED):
        return inheritance.use_inherited(entry.ctx, owner, integration), {}
    service = services.find_service(entry.world, owner, integration.slug)
    if service is None:
        return services.add_service(entry.ctx, owner, integration), {"active": True}
    if service.inherit_from_id is None:
        return service, {}
    # It has settings of its own from now on.
    times = (service.created_at, service.updated_at)
    own = Service(service.id, service.source, service.slug, *times, **integration.defaults)
    return entry.world.services.replace(service, own), {"active": True}


def _read_properties(properties: EntryData) -> EntryData:
    """Read properties as the platform reads stored ones: an old switch became a choice of branches."""
    old = properties.get("notify_only_default_branch")
    branches = {} if old is None else {"branches_to_be_notified": "default" if old else "all"}
    return {**branches, **properties}


def _list_services(world: World, owner: Routable) -> list[Service]:
    return [service for service in services.list_services(world, owner) if service.slug != alert_endpoint.SLUG]


def _serialize(_world: World, service: Service) -> EntryData:
    from fakeplat.domain.integrations.catalog import INTEGRATIONS

    usual = Service(service.id, service.source, service.slug, service.created_at, service.created_at, active=True)
    defaults = {name: getattr(usual, name) for name in _FIELDS if name != "created_at"}
    values = serialization.non_default_fields(service, _FIELDS, always=tuple(_FIELDS))
    inherited = {_INHERITED: True} if service.inherit_from_id is not None else {}
    return {
        "slug": service.slug,
        **inherited,
        **serialization.remove_defaults(values, **{**defaults, **INTEGRATIONS[service.slug].defaults}),
    }


SECTION: Final = derive_section(
    "services",
    Service,
    within=("group", "project"),
    keys={"slug": TEXT, _INHERITED: BOOLEAN, **_FIELDS},
    required=("slug",),
    descriptions={
        "slug": "Slug of the integration, such as slack or emails-on-push.",
        _INHERITED: "Whether it has the settings of the nearest group above that has its own. Default: false.",
        "properties": "Its settings, with the names of the API. They are not validated.",
    },
    create=_create,
    rows=_list_services,
    serialize=_serialize,
    name_key="slug",
)
