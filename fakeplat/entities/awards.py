"""What awarded emoji show. Source: docs/platform/award-emoji.md."""

from typing import Final

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.entities.users import UserBasic
from fakeplat.model.issues import Award
from fakeplat.policy.context import ReadContext

_NOTE: Final = "Note"


class AwardView(Entity[Award]):
    """An emoji that somebody gave to something."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed
    def user(self) -> UserBasic | None:
        found: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return found

    created_at = attr()
    updated_at = attr()

    @computed
    def awardable_id(self) -> int:
        return self.record.subject[1]

    @computed
    def awardable_type(self) -> str:
        kind = self.record.subject[0]
        return _NOTE if kind == NOTE else noteables.NOTEABLES[kind].type
