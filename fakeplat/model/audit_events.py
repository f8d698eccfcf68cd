"""Audit events: who changed what that matters for security."""

from collections.abc import Mapping
from typing import Any, Literal

from fakeplat.core.store.frozen import frozen

EntityType = Literal["Project", "User", "Group", "Gitlab::Audit::InstanceScope"]


@frozen
class AuditEvent:
    """An audit event, which outlives its author and the project, user or group that it is about."""

    id: int
    author_id: int
    entity_type: EntityType
    entity_id: int
    details: Mapping[str, Any]
    created_at: str
