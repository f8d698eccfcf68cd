"""Views of triggers. Source: docs/platform/pipelines-jobs.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.ci import triggers
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.ci import Trigger
from fakeplat.policy.context import ReadContext

_SHOWN_OF_TOKEN = 4


class TriggerView(Entity[Trigger]):
    """A trigger. Only its owner sees the whole token, others its first characters."""

    ctx: ReadContext

    id = attr()

    @computed
    def token(self) -> str:
        return (
            self.record.token if triggers.can_administer(self.ctx, self.record) else self.record.token[:_SHOWN_OF_TOKEN]
        )

    description = attr()
    created_at = attr()
    updated_at = attr()
    last_used = attr()
    expires_at = attr(since="<=18.9")

    @computed
    def owner(self) -> UserBasic:
        owner: UserBasic = self.ctx.render(UserBasic, self.ctx.world.users[self.record.owner_id])
        return owner
