"""Remarks on dashboards, under ``dashboard_annotations`` of an environment or a cluster."""

from typing import Final

from fakeplat.domain.deployments import dashboard_annotations
from fakeplat.model.deployments import DashboardAnnotation
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ISSUES

_FIELDS: Final = own_fields(DashboardAnnotation)


def _create(entry: Entry) -> DashboardAnnotation:
    table, subject = entry.world.dashboard_annotations, dashboard_annotations.subject_of(entry.owner)
    return table.add(DashboardAnnotation(id=table.next_id(), subject=subject, **entry.select(_FIELDS)))


SECTION: Final = derive_section(
    "dashboard_annotations",
    DashboardAnnotation,
    within=("environment", "cluster"),
    # After the clusters.
    rank=ISSUES,
    keys=_FIELDS,
    required=("dashboard_path", "starting_at", "description"),
    create=_create,
    rows=dashboard_annotations.list_annotations,
)
