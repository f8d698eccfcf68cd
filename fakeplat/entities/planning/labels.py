"""Labels, milestones, iterations.

Source: docs/platform/labels.md, docs/platform/milestones.md, docs/platform/issues.md.
"""

from typing import Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import subscriptions
from fakeplat.domain.planning import colors, iterations, labels
from fakeplat.entities import urls
from fakeplat.entities.planning import label_counts
from fakeplat.model.planning import Iteration, Label, Milestone
from fakeplat.policy.context import ReadContext

WITH_COUNTS = "with_counts"


_NESTED_SINCE: Final = "<=14.0"


class LabelBasic(Entity[Label]):
    """A label in boards and resource events."""

    ctx: ReadContext

    id = attr()

    @computed
    def name(self) -> str:
        return self.record.title

    color = attr()
    description = attr()

    @computed_if(since=_NESTED_SINCE)
    def description_html(self) -> str:
        return self.render_description()

    @computed_if(since=_NESTED_SINCE)
    def text_color(self) -> str:
        return colors.text_color(self.record.color)

    def render_description(self) -> str:
        """Return the description as HTML."""
        project = markup.project_of_source(self.ctx, self.record.source)
        return markup.render_line(self.ctx, self.record.description, project)


class LabelDetail(LabelBasic):
    """A label in the details of an issue."""

    @computed
    def description_html(self) -> str:
        return self.render_description()

    @computed
    def text_color(self) -> str:
        return colors.text_color(self.record.color)

    archived = attr(since="18.10")


class GroupLabelView(LabelDetail):
    """A label in a group's list."""

    @computed_if(when=lambda view: WITH_COUNTS in view.options)
    def open_issues_count(self) -> int:
        return label_counts.count_issues(self.ctx, self.record, "opened")

    @computed_if(when=lambda view: WITH_COUNTS in view.options)
    def closed_issues_count(self) -> int:
        return label_counts.count_issues(self.ctx, self.record, "closed")

    @computed_if(when=lambda view: WITH_COUNTS in view.options)
    def open_merge_requests_count(self) -> int:
        return label_counts.count_merge_requests(self.ctx, self.record, "opened")

    @computed
    def subscribed(self) -> bool:
        return subscriptions.is_subscribed(self.ctx.world, ("label", self.record.id), self.ctx.viewer)


class ProjectLabelView(GroupLabelView):
    """A label in a project's list; an option contains the id of the project."""

    @computed
    def priority(self) -> int | None:
        # The slice removes ``project:``, which has 8 characters.
        project = next((int(option[8:]) for option in self.options if option.startswith("project:")), None)
        return None if project is None else labels.priority_of(self.ctx.world, project, self.record.id)

    @computed
    def is_project_label(self) -> bool:
        return self.record.source[0] == "project"


class MilestoneView(Entity[Milestone]):
    """A milestone."""

    ctx: ReadContext

    id = attr()
    iid = attr()

    @computed_if(when=lambda view: view.record.source[0] == "project")
    def project_id(self) -> int:
        return self.record.source[1]

    @computed_if(when=lambda view: view.record.source[0] == "group")
    def group_id(self) -> int:
        return self.record.source[1]

    title = attr()
    description = attr()
    state = attr()
    created_at = attr()
    updated_at = attr()
    due_date = attr()
    start_date = attr()

    @computed
    def expired(self) -> bool:
        due = self.record.due_date
        return due is not None and self.ctx.has_passed_date(due)

    @computed
    def web_url(self) -> str:
        kind, id_ = self.record.source
        world = self.ctx.world
        if kind == "project":
            return f"{urls.project_url(self.ctx, world.projects[id_])}/-/milestones/{self.record.iid}"
        return f"{urls.namespace_url(self.ctx, world.namespaces[id_])}/-/milestones/{self.record.iid}"


class IterationView(Entity[Iteration]):
    """An iteration."""

    ctx: ReadContext

    id = attr()
    iid = attr()

    @computed_if(since="<=16.1")
    def sequence(self) -> int | None:
        return iterations.sequence_of(self.ctx.world, self.record)

    group_id = attr()
    title = attr()
    description = attr()

    @computed
    def state(self) -> int:
        return iterations.state_of(self.ctx, self.record)

    created_at = attr()
    updated_at = attr()
    start_date = attr()
    due_date = attr()

    @computed_if(since="<=14.9")
    def web_url(self) -> str:
        group = self.ctx.world.namespaces[self.record.group_id]
        return f"{urls.namespace_url(self.ctx, group)}/-/iterations/{self.record.id}"
