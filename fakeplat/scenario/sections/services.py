"""Integrations of projects: each declared one has a key of its own, which holds its map.

So far that is ``alerts``; what a project received stands in it.
"""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, Object
from fakeplat.domain.alerts import alert_endpoint
from fakeplat.domain.projects import services
from fakeplat.model.projects import Project
from fakeplat.model.services import Service
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

KIND: Final = "alerts service"
_PROPERTIES: Final = (alert_endpoint.TOKEN, *alert_endpoint.DEFAULTS)
_TIMES: Final = ("created_at", "updated_at")


def _make(entry: Entry) -> Service:
    """The service, active only where that is said."""
    project = entry.owner
    found = services.find_service(entry.world, project, alert_endpoint.SLUG)
    active = entry.said.get("active", found.active if found else False)
    said = entry.given(_PROPERTIES)
    if active or said:
        configured = services.update(
            entry.ctx, project, alert_endpoint.ALERTS, {**entry.given(alert_endpoint.DEFAULTS), "active": active}
        )
        found = services.change_fields(entry.ctx, configured, properties={**configured.properties, **said})
    found = found or services.add_service(entry.ctx, project, alert_endpoint.ALERTS)
    times = entry.given(_TIMES)
    if "created_at" in times or not entry.was_there:
        times = {"created_at": entry.since, "updated_at": entry.since, **times}
    return entry.world.services.change(found, **times)


def _tell(world: World, project: Project) -> Iterable[tuple[Service, Told]] | None:
    found = services.find_service(world, project, alert_endpoint.SLUG)
    return None if found is None else [(found, _told(found))]


def _told(service: Service) -> Told:
    times = telling.remove_defaults(
        telling.non_default_fields(service, _TIMES, always=_TIMES), updated_at=service.created_at
    )
    return {"active": service.active, **dict(service.properties), **times}


SECTION: Final = Section(
    alert_endpoint.SLUG,
    under=("project",),
    rank=FURTHER,
    keys=Object(
        {
            "active": BOOLEAN,
            alert_endpoint.TOKEN: TEXT,
            **dict.fromkeys(alert_endpoint.DEFAULTS, BOOLEAN),
            **dict.fromkeys(_TIMES, DATE_TIME),
        },
        descriptions={alert_endpoint.TOKEN: "The key that senders show; by chance where it is not said."},
    ),
    make=_make,
    tell=_tell,
    single=True,
    kind=KIND,
)
