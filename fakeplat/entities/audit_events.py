"""Views of audit events."""

from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.audit_events import AuditEvent

_CHANGED: Final = ("from", "to")


class AuditEventView(Entity[AuditEvent]):
    """An audit event."""

    id = attr()
    author_id = attr()
    entity_id = attr()
    entity_type = attr()

    @computed
    def details(self) -> dict[str, Any]:
        details = dict(self.record.details)
        # What changed is always shown as text.
        return {**details, **{name: _as_text(details[name]) for name in _CHANGED if name in details}}

    created_at = attr()


def _as_text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
