"""The integration of projects that receives alerts; its key also contains the received ones."""

from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT
from fakeplat.domain.alerts import alert_endpoint
from fakeplat.domain.projects import services
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

KIND: Final = "alerts service"
_PROPERTIES: Final = (alert_endpoint.TOKEN, *alert_endpoint.DEFAULTS)
_TIMES: Final = ("created_at", "updated_at")
_FLAG: Final = "alert_events"


def _create(entry: Entry) -> Service:
    """Create or update the integration; a new one is active only if the entry says so."""
    project = entry.owner
    service = services.find_service(entry.world, project, alert_endpoint.SLUG)
    active = entry.values.get("active", service.active if service else False)
    properties = entry.select(_PROPERTIES)
    # Configuring the integration creates its token, which an inactive one without settings does not have.
    if active or properties:
        configured = services.update(
            entry.ctx, project, alert_endpoint.ALERTS, {**entry.select(alert_endpoint.DEFAULTS), "active": active}
        )
        service = services.change_fields(entry.ctx, configured, properties={**configured.properties, **properties})
    service = service or services.add_service(entry.ctx, project, alert_endpoint.ALERTS)
    times = entry.select((*_TIMES, _FLAG))
    if "created_at" in times or not entry.existed_before:
        times = {"created_at": entry.since, "updated_at": entry.since, **times}
    return entry.world.services.change(service, **times)


def _list_services(world: World, project: Project) -> list[Service]:
    service = services.find_service(world, project, alert_endpoint.SLUG)
    return [] if service is None else [service]


def _serialize(_world: World, service: Service) -> EntryData:
    times = serialization.remove_defaults(
        serialization.non_default_fields(service, _TIMES, always=_TIMES), updated_at=service.created_at
    )
    flags = serialization.non_default_fields(service, (_FLAG,))
    return {"active": service.active, **dict(service.properties), **flags, **times}


SECTION: Final = derive_section(
    alert_endpoint.SLUG,
    Service,
    within=("project",),
    keys={
        "active": BOOLEAN,
        _FLAG: BOOLEAN,
        alert_endpoint.TOKEN: TEXT,
        **dict.fromkeys(alert_endpoint.DEFAULTS, BOOLEAN),
        **dict.fromkeys(_TIMES, DATE_TIME),
    },
    descriptions={alert_endpoint.TOKEN: "The authorization key of senders. Default: random."},
    create=_create,
    rows=_list_services,
    serialize=_serialize,
    single=True,
    kind=KIND,
)
