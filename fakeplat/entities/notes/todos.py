"""Views of to-dos. Source: docs/platform/todos.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.epics import EpicView
from fakeplat.entities.issues.issuables import FROM_PROJECT
from fakeplat.entities.issues.issues import SINGLE, IssueView
from fakeplat.entities.merge_requests.merge_requests import MergeRequestView
from fakeplat.entities.people.namespaces import NamespaceBasic
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.projects import ProjectIdentity, ProjectView
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.entities.wikis import WikiPageMetaView
from fakeplat.model.notes import Todo
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

VIEWS: Final[Mapping[str, tuple[type[Entity[Any]], tuple[str, ...]]]] = {
    "issue": (IssueView, (SINGLE,)),
    "merge_request": (MergeRequestView, (FROM_PROJECT,)),
    "commit": (CommitBasic, ()),
    "epic": (EpicView, ()),
    "wiki": (WikiPageMetaView, ()),
    "project": (ProjectView, ()),
    "group": (NamespaceBasic, ()),
}
"""The view and its options for each kind of target."""


class TodoView(Entity[Todo]):
    """A to-do with its target."""

    ctx: ReadContext

    id = attr()

    @computed_if(when=lambda view: view.record.project_id is not None)
    def project(self) -> ProjectIdentity | None:
        project: ProjectIdentity | None = self.ctx.render(
            ProjectIdentity, self.ctx.world.projects.get(self.record.project_id or 0)
        )
        return project

    @computed_if(when=lambda view: view.record.group_id is not None)
    def group(self) -> NamespaceBasic:
        group: NamespaceBasic = self.ctx.render(NamespaceBasic, self.ctx.world.namespaces[self.record.group_id or 0])
        return group

    @computed
    def author(self) -> UserBasic | None:
        author: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.author_id))
        return author

    action_name = attr("action")

    @computed
    def target_type(self) -> str:
        kind = self.record.subject[0]
        return todos.CONTAINERS[kind] if kind in todos.CONTAINERS else noteables.NOTEABLES[kind].type

    @computed
    def target(self) -> dict[str, Any] | None:
        view, options = VIEWS[self.record.subject[0]]
        # The platform shows projects as to nobody in particular here.
        ctx = self.ctx.as_anonymous() if isinstance(self._target, Project) else self.ctx
        target: dict[str, Any] | None = ctx.render(view, self._target, *options)
        return target

    @computed
    def target_url(self) -> str:
        if isinstance(self._target, Project | Group):
            kind = self.record.subject[0]
            return f"{urls.container_url(self.ctx, self._target)}/-/{kind}_members?tab=access_requests"
        page = noteables.NOTEABLES[self.record.subject[0]].page
        anchor = f"#note_{self.record.note_id}" if self.record.note_id is not None else ""
        # Issues, merge requests and epics are addressed by iid, commits by hash, pages by slug.
        number = noteables.noteable_of(self._target).number_of(self._target)
        container = noteables.container_of(self.ctx.world, self._target)
        url = (
            urls.namespace_url(self.ctx, container)
            if isinstance(container, Group)
            else urls.project_url(self.ctx, container)
        )
        return f"{url}/-/{page}/{number}{anchor}"

    @computed
    def body(self) -> str:
        if isinstance(self._target, Project):
            return urls.project_path(self.ctx, self._target)
        if isinstance(self._target, Group):
            return namespaces.full_path(self.ctx.world, self._target)
        # A mention shows the text of its note, any other to-do the title of its target.
        note = self.ctx.world.notes.get(self.record.note_id) if self.record.note_id is not None else None
        return str(note.body if note else noteables.noteable_of(self._target).title(self._target))

    state = attr()
    created_at = attr()
    updated_at = attr(since="<=18.9")

    @property
    def _target(self) -> Any:
        return todos.find_target(self.ctx.world, self.record)
