"""Alerts: what monitoring tools reported of a project."""

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

Severity = Literal["critical", "high", "medium", "low", "info", "unknown"]
Status = Literal["triggered", "acknowledged", "resolved", "ignored"]


@frozen
class Alert:
    """An alert. ``payload`` is the body that made it.

    ``fingerprint`` (SHA1, hex) tells what is the same (None: nothing is), ``event_count`` how often the same was
    reported until it was resolved.
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
        """What no other unresolved alert of the project may share; None where nothing is shared."""
        return (self.project_id, self.fingerprint) if self.fingerprint and self.status != "resolved" else None
