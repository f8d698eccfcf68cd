"""Alerts that monitoring tools report to projects, and images of metrics."""

from collections.abc import Mapping
from typing import Any, Final, Literal, Required, TypedDict, get_args

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init
from fakeplat.core.store.references import Subject

Severity = Literal["critical", "high", "medium", "low", "info", "unknown"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""The severities, the worst first."""
Status = Literal["triggered", "acknowledged", "resolved", "ignored"]
OPEN: Final[tuple[Status, ...]] = ("triggered", "acknowledged")
"""The statuses of alerts that are not over."""


class NewAlert(TypedDict, total=False):
    """The fields of a new alert."""

    title: Required[str]
    iid: int | None
    started_at: str
    created_at: str
    updated_at: str
    description: str | None
    severity: Severity
    status: Status
    ended_at: str | None
    event_count: int
    service: str | None
    monitoring_tool: str | None
    hosts: tuple[str, ...]
    fingerprint: str | None
    environment_id: int | None
    issue_id: int | None
    assignee_ids: tuple[int, ...]
    payload: Mapping[str, Any]


IntegrationKind = Literal["http", "prometheus"]
PathSegment = int | str
FieldType = Literal["array", "datetime", "string"]


@frozen
class PayloadMapping:
    """Where the payloads of an endpoint have the value of a field of alerts: keys of objects and places in arrays."""

    field_name: str
    path: tuple[PathSegment, ...]
    type: FieldType
    label: str | None = None


@frozen
class AlertIntegration:
    """An endpoint of a project for alerts. ``endpoint_identifier`` is the end of its address."""

    id: int
    project_id: int
    kind: IntegrationKind
    name: str
    token: str
    endpoint_identifier: str
    active: bool = False
    api_url: str | None = None
    payload_example: Any = None
    payload_mappings: tuple[PayloadMapping, ...] = ()


@fast_init
@frozen
class Alert:
    """An alert. ``payload`` is the body of the request that created it.

    Reports with the same ``fingerprint`` (SHA1, hex) belong to one alert until it is resolved; ``event_count`` is their
    number. Without a fingerprint, each report is an alert of its own.
    """

    id: int
    iid: int
    project_id: int
    title: str
    started_at: str
    created_at: str
    updated_at: str
    description: str | None = None
    severity: Severity = "critical"
    status: Status = "triggered"
    ended_at: str | None = None
    event_count: int = 1
    service: str | None = None
    monitoring_tool: str | None = None
    hosts: tuple[str, ...] = ()
    fingerprint: str | None = None
    environment_id: int | None = None
    issue_id: int | None = None
    assignee_ids: tuple[int, ...] = ()
    payload: Mapping[str, Any] = field(factory=dict)

    @property
    def open_key(self) -> tuple[int, str] | None:
        """A key that is unique among the project's unresolved alerts; None for alerts that need not be unique."""
        return (self.project_id, self.fingerprint) if self.fingerprint and self.status != "resolved" else None


@frozen
class MetricImage:
    """A picture of metrics that belongs to an incident or an alert. ``subject`` is (kind, id)."""

    id: int
    subject: Subject
    file_id: int
    created_at: str
    updated_at: str
    url: str | None = None
    url_text: str | None = None


@frozen
class TimelineEventTag:
    """A word of a project for events of incidents."""

    id: int
    project_id: int
    name: str
    created_at: str


@frozen
class TimelineEvent:
    """Something that happened during an incident. ``editable``: a user told of it, in Markdown."""

    id: int
    incident_id: int
    author_id: int
    note: str
    occurred_at: str
    created_at: str
    updated_at: str
    action: str = "comment"
    editable: bool = True
    updated_by_id: int | None = None
    promoted_from_note_id: int | None = None
    tag_ids: tuple[int, ...] = ()


ResourceLinkType = Literal["general", "zoom", "slack", "pagerduty"]


@frozen
class ResourceLink:
    """A link of an incident to something elsewhere, such as a meeting or a chat."""

    id: int
    incident_id: int
    link: str
    link_text: str
    created_at: str
    updated_at: str
    link_type: ResourceLinkType = "general"
