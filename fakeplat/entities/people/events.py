"""Views of activity events. Source: docs/platform/hooks-and-events.md ('Events')."""

from typing import Any, Final

from attrs import asdict, evolve

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.event_targets import TARGETS, name_action, target_of
from fakeplat.domain.wikis import pages, wikis
from fakeplat.domain.wikis.page_events import KIND as WIKI_PAGE
from fakeplat.entities.notes.notes import NoteView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.wikis import WikiPageBasic
from fakeplat.model.activity import Event
from fakeplat.policy.context import ReadContext

NOTE: Final = "note"


class EventView(Entity[Event]):
    """An action of a user."""

    ctx: ReadContext

    id = attr()
    project_id = attr()

    @computed
    def action_name(self) -> str:
        return name_action(self.record)

    target_id = attr()

    @computed
    def target_iid(self) -> int | None:
        target = self._target
        return None if target is None else TARGETS[str(self.record.kind)].iid(target)

    @computed
    def target_type(self) -> str | None:
        return TARGETS[self.record.kind].wire(self._target) if self.record.kind else None

    author_id = attr()
    imported = constant(False, bool, since="17.2")
    imported_from = constant("none", str, since="17.2")

    @computed
    def target_title(self) -> str | None:
        target = self._target
        return None if target is None else TARGETS[str(self.record.kind)].title(self.ctx.world, target)

    created_at = attr()

    @computed_if(when=lambda view: view.record.kind == NOTE and view.record.target_id is not None)
    def note(self) -> NoteView | None:
        note: NoteView | None = self.ctx.render(NoteView, self._target)
        return note

    @computed_if(when=lambda view: view.record.kind == WIKI_PAGE and view.record.target_id is not None)
    def wiki_page(self) -> WikiPageBasic | None:
        meta = self._target
        if meta is None:
            return None
        git = wikis.open_repository(self.ctx.world, self.ctx.world.projects[meta.project_id])
        page = pages.find_page(git, meta.slug)
        view: WikiPageBasic | None = self.ctx.render(WikiPageBasic, page and evolve(page, meta_id=meta.id))
        return view

    @computed
    def author(self) -> UserBasic:
        author: UserBasic = self.ctx.render(UserBasic, self.ctx.world.users[self.record.author_id])
        return author

    @computed_if(when=lambda view: view.record.push is not None)
    def push_data(self) -> dict[str, int | str | None]:
        return asdict(self.record.push) if self.record.push else {}

    @computed
    def author_username(self) -> str:
        return self.ctx.world.users[self.record.author_id].username

    @property
    def _target(self) -> Any:
        return target_of(self.ctx.world, self.record)
