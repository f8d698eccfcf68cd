"""What labels and milestones show.

Source: docs/platform/labels.md, docs/platform/milestones.md, docs/platform/issues.md.
"""

from fakeplat.core.operations.entity import Entity, attr, shown, shown_when
from fakeplat.domain.notes import subscriptions
from fakeplat.domain.notes.markdown import html
from fakeplat.domain.planning import colours, label_counts, labels
from fakeplat.entities import urls
from fakeplat.model.labels import Label, Milestone
from fakeplat.policy.context import Context

Text = str | None
WITH_COUNTS = "with_counts"


class LabelBasic(Entity[Label]):
    """A label as boards and histories name it."""

    cx: Context

    id = attr(int)

    @shown
    def name(self) -> str:
        return self.record.title

    color = attr(str)
    description = attr(Text)


class LabelDetail(LabelBasic):
    """A label as issues show it in detail."""

    @shown
    def description_html(self) -> str:
        return html(self.record.description or "")

    @shown
    def text_color(self) -> str:
        return colours.text_colour(self.record.color)


class GroupLabelView(LabelDetail):
    """A label in a group's list."""

    @shown_when(lambda view: WITH_COUNTS in view.options)
    def open_issues_count(self) -> int:
        return label_counts.issues(self.cx, self.record, "opened")

    @shown_when(lambda view: WITH_COUNTS in view.options)
    def closed_issues_count(self) -> int:
        return label_counts.issues(self.cx, self.record, "closed")

    @shown_when(lambda view: WITH_COUNTS in view.options)
    def open_merge_requests_count(self) -> int:
        return label_counts.merge_requests(self.cx, self.record, "opened")

    @shown
    def subscribed(self) -> bool:
        return subscriptions.subscribed(self.cx.world, ("label", self.record.id), self.cx.user)


class ProjectLabelView(GroupLabelView):
    """A label in a project's list; the first option after the counts is the project's id."""

    @shown
    def priority(self) -> int | None:
        project = next((int(option[8:]) for option in self.options if option.startswith("project:")), None)
        return None if project is None else labels.priority_of(self.cx.world, project, self.record.id)

    @shown
    def is_project_label(self) -> bool:
        return self.record.source[0] == "project"


class MilestoneView(Entity[Milestone]):
    """A milestone."""

    cx: Context

    id = attr(int)
    iid = attr(int)

    @shown_when(lambda view: view.record.source[0] == "project")
    def project_id(self) -> int:
        return self.record.source[1]

    @shown_when(lambda view: view.record.source[0] == "group")
    def group_id(self) -> int:
        return self.record.source[1]

    title = attr(str)
    description = attr(Text)
    state = attr(str)
    created_at = attr(str)
    updated_at = attr(str)
    due_date = attr(Text)
    start_date = attr(Text)

    @shown
    def expired(self) -> bool:
        due = self.record.due_date
        return due is not None and self.cx.passed_day(due)

    @shown
    def web_url(self) -> str:
        kind, id_ = self.record.source
        world = self.cx.world
        if kind == "project":
            return f"{urls.project_page(self.cx, world.projects[id_])}/-/milestones/{self.record.iid}"
        return f"{urls.namespace_page(self.cx, world.namespaces[id_])}/-/milestones/{self.record.iid}"
