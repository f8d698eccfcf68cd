"""Invitations. Source: docs/platform/invitations.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.people import Invitation
from fakeplat.policy.context import ReadContext


class InvitationView(Entity[Invitation]):
    """An invitation in lists."""

    ctx: ReadContext

    access_level = attr()
    created_at = attr()
    expires_at = attr()
    invite_email = attr()
    invite_token = attr()

    @computed
    def user_name(self) -> str | None:
        # Whoever is a user is a member at once.
        return None

    @computed
    def created_by_name(self) -> str | None:
        creator = self.ctx.world.users.get(self.record.created_by) if self.record.created_by is not None else None
        return creator.name if creator else None


class ChangedInvitation(Entity[Invitation]):
    """An invitation that was changed: a member without a user."""

    access_level = attr()
    created_at = attr()
    expires_at = attr()
