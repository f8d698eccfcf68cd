"""Views of award emoji. Source: docs/platform/award-emoji.md."""

from typing import Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.notes import awards, noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.issues import Award
from fakeplat.policy.context import ReadContext

_NOTE_TYPE: Final = "Note"


class AwardView(Entity[Award]):
    """An emoji awarded by a user."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed
    def user(self) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.user_id))
        return user

    created_at = attr()
    updated_at = attr()

    @computed
    def awardable_id(self) -> int:
        return self.record.subject[1]

    @computed
    def awardable_type(self) -> str:
        kind = self.record.subject[0]
        # Notes are not noteable themselves, so the table has no type for them.
        return _NOTE_TYPE if kind == NOTE else noteables.NOTEABLES[kind].type

    @computed_if(since="<=18.9")
    def url(self) -> str | None:
        return awards.find_url(self.ctx.world, self.record)
