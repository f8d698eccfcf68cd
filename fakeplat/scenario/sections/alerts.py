"""The alerts that projects received, under ``alerts`` of the project."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, INTEGER, NULLABLE_TEXT, TEXT, Integer, ListOf, Nullable
from fakeplat.domain.alerts import alerts
from fakeplat.domain.deployments import environments
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.purging import purge
from fakeplat.model.alerts import Alert
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.notes import notes
from fakeplat.scenario.sections.projects.services import KIND

_FIELDS: Final = own_fields(
    Alert,
    iid=Integer(minimum=1),
    event_count=Integer(minimum=1),
    ended_at=Nullable(DATE_TIME),
)
_DESCRIPTIONS: Final = {
    "environment": "Name of an environment of the project.",
    "issue": "Number (iid) of the issue that was created for the alert.",
    "assignees": "Usernames. The API assigns at most one user.",
    "fingerprint": "Identifies repeated alerts (40 hex digits); repeats are counted on the unresolved alert.",
    "payload": "Body of the request that created the alert.",
}


def _create(entry: Entry) -> Alert:
    project = entry.world.projects[entry.owner.source[1]]
    fields_ = {**entry.select(_FIELDS), **_resolve_references(entry, project)}
    # Without a number nothing is found, since several alerts may have the same title.
    existing = entry.world.alerts.find("iid", (project.id, fields_.get("iid")))
    if existing is not None:
        return entry.world.alerts.change(existing, **fields_)
    if "title" not in fields_:
        entry.fail("needs 'title'")
    alert = alerts.create(entry.ctx, project, **{"created_at": entry.created_at, **fields_})
    # Creating an alert adds system notes; a list of notes replaces them.
    if notes.KEY in entry.subsections:
        purge(entry.ctx, *entry.world.notes.where("subject", (ALERT, alert.id)))
    return alert


def _resolve_references(entry: Entry, project: Project) -> EntryData:
    values, references = entry.values, EntryData()
    if values.get("environment") is not None:
        environment = environments.find_by_name(entry.world, project, values["environment"])
        references["environment_id"] = (environment or entry.fail("unknown environment", "environment")).id
    if values.get("issue") is not None:
        issue = entry.world.issues.find("iid", (project.id, values["issue"]))
        references["issue_id"] = (issue or entry.fail("unknown issue", "issue")).id
    if "assignees" in values:
        references["assignee_ids"] = tuple(entry.get_user(name, "assignees").id for name in values["assignees"])
    return references


def _list_alerts(world: World, service: Service) -> Sequence[Alert]:
    return world.alerts.where("project", service.source[1])


def _serialize_references(world: World, alert: Alert) -> EntryData:
    environment = world.environments.get(alert.environment_id) if alert.environment_id else None
    issue = world.issues.get(alert.issue_id) if alert.issue_id else None
    return {
        "environment": environment.name if environment else None,
        "issue": issue.iid if issue else None,
        "assignees": [serialization.username_of(world, id_) for id_ in alert.assignee_ids],
    }


SECTION: Final = derive_section(
    "received",
    Alert,
    within=(KIND,),
    rank=ALERTS,
    keys=_FIELDS,
    further_keys={"environment": NULLABLE_TEXT, "issue": Nullable(INTEGER), "assignees": ListOf(TEXT)},
    descriptions=_DESCRIPTIONS,
    create=_create,
    rows=_list_alerts,
    defaults=lambda alert: {"started_at": alert.created_at, "payload": {}},
    parts=_serialize_references,
    name_key="title",
    identity_key="iid",
    case_sensitive=True,
    kind=ALERT,
)
