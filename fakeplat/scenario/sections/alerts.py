"""Alerts that projects received; each stands under its project's key ``alerts``."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_TIME, INTEGER, NULLABLE_TEXT, TEXT, Integer, ListOf, Nullable, Object
from fakeplat.domain.alerts import alerts
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.projects import environments
from fakeplat.domain.purging import purge
from fakeplat.model.alerts import Alert
from fakeplat.model.projects import Project
from fakeplat.model.services import Service
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, Section, Told
from fakeplat.scenario.sections import notes
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.services import KIND

_OWN: Final = fields(
    Alert,
    without=("id", "project_id", "environment_id", "issue_id", "assignee_ids"),
    iid=Integer(minimum=1),
    event_count=Integer(minimum=1),
    ended_at=Nullable(DATE_TIME),
)
_ABOUT: Final = {
    "environment": "The name of an environment of the project.",
    "issue": "The number (iid) of the issue that was made for it.",
    "assignees": "The usernames of who it is assigned to; the API assigns one at most.",
    "fingerprint": "What tells it from others, as 40 hex digits; an unresolved alert with the same takes repeats.",
    "payload": "The body that made it.",
}


def _make(entry: Entry) -> Alert:
    project = entry.world.projects[entry.owner.project_id]
    given = {**entry.given(_OWN), **_references(entry, project)}
    found = entry.world.alerts.find("iid", (project.id, given.get("iid")))
    if found is not None:
        return entry.world.alerts.change(found, **given)
    if "title" not in given:
        entry.wrong("needs 'title'")
    alert = alerts.create(entry.ctx, project, **{"created_at": entry.created_at, **given})
    if notes.KEY in entry.parts:
        purge(entry.ctx, *entry.world.notes.where("subject", (ALERT, alert.id)))
    return alert


def _references(entry: Entry, project: Project) -> dict[str, Any]:
    said, found = entry.said, dict[str, Any]()
    if said.get("environment") is not None:
        environment = environments.find_by_name(entry.world, project, said["environment"])
        found["environment_id"] = (environment or entry.wrong("unknown environment", "environment")).id
    if said.get("issue") is not None:
        issue = entry.world.issues.find("iid", (project.id, said["issue"]))
        found["issue_id"] = (issue or entry.wrong("unknown issue", "issue")).id
    if "assignees" in said:
        found["assignee_ids"] = tuple(entry.named_user(name, "assignees").id for name in said["assignees"])
    return found


def _tell(world: World, service: Service) -> Iterable[tuple[Alert, Told]] | None:
    return [(alert, _told(world, alert)) for alert in world.alerts.where("project", service.project_id)] or None


def _told(world: World, alert: Alert) -> Told:
    found = telling.remove_defaults(
        telling.non_default_fields(alert, _OWN), started_at=alert.created_at, updated_at=alert.created_at, payload={}
    )
    environment = world.environments.get(alert.environment_id) if alert.environment_id else None
    issue = world.issues.get(alert.issue_id) if alert.issue_id else None
    return {
        **found,
        **({"environment": environment.name} if environment else {}),
        **({"issue": issue.iid} if issue else {}),
        **(
            {"assignees": [telling.username_of(world, id_) for id_ in alert.assignee_ids]} if alert.assignee_ids else {}
        ),
    }


SECTION: Final = Section(
    "received",
    under=(KIND,),
    rank=ALERTS,
    keys=Object(
        {**_OWN, "environment": NULLABLE_TEXT, "issue": Nullable(INTEGER), "assignees": ListOf(TEXT)},
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    named="title",
    whole="iid",
    cased=True,
    kind=ALERT,
)
