"""Integrations of projects, except for that of alerts, which has a key of its own."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.alerts import alert_endpoint
from fakeplat.domain.projects import services
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_FIELDS: Final = own_fields(Service, without=("slug",))
_TIMES: Final = ("created_at", "updated_at")


def _create(entry: Entry) -> Service:
    """Create or update an integration; a new one is active unless the entry says otherwise."""
    # Imported late: a world without integrations does not need their declarations.
    from fakeplat.domain.integrations.catalog import INTEGRATIONS

    slug, project = entry.values["slug"], entry.owner
    integration = INTEGRATIONS.get(slug)
    if integration is None or slug == alert_endpoint.SLUG:
        entry.fail(f"unknown integration {slug!r}", "slug")
    service = services.find_service(entry.world, project, slug)
    changes: EntryData = {"active": True} if service is None else {}
    service = service or services.add_service(entry.ctx, project, integration)
    changes |= entry.select(_FIELDS)
    changes["properties"] = {**service.properties, **_read_properties(changes.get("properties", {}))}
    if "created_at" in changes or not entry.existed_before:
        changes = {"created_at": entry.created_at, "updated_at": entry.created_at, **changes}
    return entry.world.services.change(service, **changes)


def _read_properties(properties: EntryData) -> EntryData:
    """Read properties as the platform reads stored ones: an old switch became a choice of branches."""
    old = properties.get("notify_only_default_branch")
    branches = {} if old is None else {"branches_to_be_notified": "default" if old else "all"}
    return {**branches, **properties}


def _list_services(world: World, project: Project) -> list[Service]:
    return [service for service in world.services.where("project", project.id) if service.slug != alert_endpoint.SLUG]


def _serialize(_world: World, service: Service) -> EntryData:
    from fakeplat.domain.integrations.catalog import INTEGRATIONS

    usual = Service(service.id, service.project_id, service.slug, service.created_at, service.created_at, active=True)
    defaults = {name: getattr(usual, name) for name in _FIELDS if name != "created_at"}
    values = serialization.non_default_fields(service, _FIELDS, always=tuple(_FIELDS))
    return {
        "slug": service.slug,
        **serialization.remove_defaults(values, **{**defaults, **INTEGRATIONS[service.slug].defaults}),
    }


SECTION: Final = derive_section(
    "services",
    Service,
    within=("project",),
    keys={"slug": TEXT, **_FIELDS},
    required=("slug",),
    descriptions={
        "slug": "Slug of the integration, such as slack or emails-on-push.",
        "properties": "Its settings, with the names of the API. They are not validated.",
    },
    create=_create,
    rows=_list_services,
    serialize=_serialize,
    name_key="slug",
)
