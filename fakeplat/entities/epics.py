"""Views of epics and of the issues in them."""

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.epics import epic_access, epic_issues
from fakeplat.domain.notes import awards, subscriptions
from fakeplat.domain.people.namespaces import full_path
from fakeplat.domain.planning import colors
from fakeplat.entities import urls
from fakeplat.entities.issues.issuables import Issuable
from fakeplat.entities.issues.issues import FROM_OUTSIDE, IssueBasic, IssueView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.epics import Epic, EpicIssue
from fakeplat.policy.context import ReadContext

SUBSCRIBED = "subscribed"
REFERENCE = "reference"
FROM_GROUP = "from:group:"


def _is_administered(view: "EpicView") -> bool:
    return epic_access.can_administer(view.ctx, view.record)


class EpicView(Entity[Epic]):
    """An epic. Options: label details; the group from which it is seen; subscribed; reference."""

    ctx: ReadContext

    id = attr()
    work_item_id = attr("id", since="<=18.9")
    iid = attr()
    color = attr(since="<=14.9")

    @computed_if(since="<=14.9")
    def text_color(self) -> str:
        return colors.text_color(self.record.color)

    group_id = attr()
    parent_id = attr()

    @computed_if(since="<=14.9")
    def parent_iid(self) -> int | None:
        return self._parent.iid if self._parent else None

    imported = constant(False, bool, since="<=18.9")
    imported_from = constant("none", str, since="<=18.9")
    title = attr()
    description = attr()
    confidential = attr()

    @computed
    def author(self) -> UserBasic | None:
        author: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.author_id))
        return author

    @computed
    def start_date(self) -> str | None:
        epic = self.record
        return epic.start_date_fixed if epic.start_date_is_fixed else self._inherited_start

    start_date_is_fixed = attr(when=_is_administered)
    start_date_fixed = attr(when=_is_administered)

    @computed_if(when=_is_administered)
    def start_date_from_inherited_source(self) -> str | None:
        return self._inherited_start

    @computed_if(when=_is_administered)
    def start_date_from_milestones(self) -> str | None:
        return self._inherited_start

    @computed
    def end_date(self) -> str | None:
        return self._due_date

    @computed
    def due_date(self) -> str | None:
        return self._due_date

    due_date_is_fixed = attr(when=_is_administered)
    due_date_fixed = attr(when=_is_administered)

    @computed_if(when=_is_administered)
    def due_date_from_inherited_source(self) -> str | None:
        return self._inherited_due

    @computed_if(when=_is_administered)
    def due_date_from_milestones(self) -> str | None:
        return self._inherited_due

    state = attr()

    @computed_if(when=_is_administered)
    def web_edit_url(self) -> str:
        return self._page

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}{self._page}"

    @computed
    def references(self) -> dict[str, str]:
        short = f"&{self.record.iid}"
        full = f"{self._group_path}{short}"
        relative = short if f"{FROM_GROUP}{self.record.group_id}" in self.options else full
        return {"short": short, "relative": relative, "full": full}

    @computed_if(when=lambda view: REFERENCE in view.options)
    def reference(self) -> str:
        return f"{self._group_path}&{self.record.iid}"

    created_at = attr()
    updated_at = attr()
    closed_at = attr()

    labels = Issuable.labels

    @computed
    def upvotes(self) -> int:
        return awards.count_awards(self.ctx.world, (epic_access.KIND, self.record.id), "thumbsup")

    @computed
    def downvotes(self) -> int:
        return awards.count_awards(self.ctx.world, (epic_access.KIND, self.record.id), "thumbsdown")

    @computed_if(when=lambda view: SUBSCRIBED in view.options)
    def subscribed(self) -> bool:
        return subscriptions.is_notified(self.ctx.world, self.record, self.ctx.viewer)

    # The underscore belongs to the name of the field; this is no private method.
    @computed_if(since="<=14.9")
    def _links(self) -> dict[str, str | None]:
        group = urls.api_url(self.ctx, f"groups/{self.record.group_id}")
        epic, parent = f"{group}/epics/{self.record.iid}", self._parent
        above = urls.api_url(self.ctx, f"groups/{parent.group_id}/epics/{parent.iid}") if parent else None
        return {"self": epic, "epic_issues": f"{epic}/issues", "group": group, "parent": above}

    @cached_property
    def _parent(self) -> Epic | None:
        return self.ctx.world.epics.get(self.record.parent_id) if self.record.parent_id is not None else None

    @cached_property
    def _group_path(self) -> str:
        return full_path(self.ctx.world, epic_access.group_of(self.ctx.world, self.record))

    @property
    def _page(self) -> str:
        return f"/groups/{self._group_path}/-/epics/{self.record.iid}"

    @cached_property
    def _inherited_start(self) -> str | None:
        return epic_issues.start_date_of_milestones(self.ctx.world, self.record)

    @cached_property
    def _inherited_due(self) -> str | None:
        return epic_issues.due_date_of_milestones(self.ctx.world, self.record)

    @property
    def _due_date(self) -> str | None:
        return self.record.due_date_fixed if self.record.due_date_is_fixed else self._inherited_due


class LinkedEpicView(Entity[Epic]):
    """An epic just created below another one."""

    ctx: ReadContext

    id = attr()
    iid = attr()
    title = attr()
    group_id = attr()
    parent_id = attr()

    @computed
    def has_children(self) -> bool:
        return bool(self.ctx.world.epics.where("parent", self.record.id))

    @computed
    def has_issues(self) -> bool:
        return bool(self.ctx.world.epic_issues.where("epic", self.record.id))

    @computed
    def reference(self) -> str:
        return f"&{self.record.iid}"

    @computed
    def url(self) -> str:
        return self._page_of(self.record)

    @computed
    def relation_url(self) -> str:
        parent = self.ctx.world.epics[self.record.parent_id or 0]
        return f"{self._page_of(parent)}/links/{self.record.id}"

    def _page_of(self, epic: Epic) -> str:
        path = full_path(self.ctx.world, epic_access.group_of(self.ctx.world, epic))
        return f"{self.ctx.origin}/groups/{path}/-/epics/{epic.iid}"


class EpicIssueView(Entity[EpicIssue]):
    """An issue in the list of an epic's issues: the issue, with its place in the epic."""

    ctx: ReadContext

    def values(self) -> dict[str, object]:
        """Return the fields of the issue, then those of its place."""
        issue = self.ctx.world.issues[self.record.issue_id]
        place = {"epic_issue_id": self.record.id, "relative_position": self.record.relative_position}
        return {**IssueView(issue, self.ctx, (FROM_OUTSIDE,)).values(), **place}


class EpicIssueLinkView(Entity[EpicIssue]):
    """The link of an issue to an epic."""

    ctx: ReadContext

    id = attr()
    relative_position = attr()

    @computed
    def epic(self) -> EpicView:
        epic: EpicView = self.ctx.render(EpicView, self.ctx.world.epics[self.record.epic_id], REFERENCE)
        return epic

    @computed
    def issue(self) -> IssueBasic:
        issue: IssueBasic = self.ctx.render(IssueBasic, self.ctx.world.issues[self.record.issue_id])
        return issue
