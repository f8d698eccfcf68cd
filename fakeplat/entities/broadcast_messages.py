"""Views of broadcast messages. Source: docs/platform/version-and-metadata.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.core.timestamps import from_iso
from fakeplat.model.broadcast_messages import BroadcastMessage
from fakeplat.policy.context import ReadContext


class BroadcastMessageView(Entity[BroadcastMessage]):
    """A broadcast message, which everybody sees."""

    ctx: ReadContext

    id = attr()
    message = attr()
    starts_at = attr()
    ends_at = attr()
    color = attr()
    font = attr()
    target_path = attr()
    broadcast_type = attr()
    dismissable = attr()

    @computed
    def active(self) -> bool:
        started = self.ctx.has_passed(from_iso(self.record.starts_at))
        # The end is inclusive: the message is over one millisecond later.
        ended = self.ctx.has_passed(from_iso(self.record.ends_at) + 1)
        return started and not ended
