"""Issues, in the instance and in external trackers.

Source: docs/platform/issues.md, docs/platform/integrations.md.
"""

from typing import Any

from propcache.api import cached_property

from fakeplat.core.operations.entity import attr, computed, computed_if, constant
from fakeplat.domain.epics import epic_access, epic_issues
from fakeplat.domain.integrations.issue_trackers import ExternalIssue
from fakeplat.domain.issues import issue_links, issues
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.domain.people.namespaces import full_path
from fakeplat.entities import urls
from fakeplat.entities.issues.issuables import FROM_PROJECT, Issuable, IssuableSimple
from fakeplat.entities.planning.labels import IterationView
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.features import has_feature

SINGLE = "single"
FROM_OUTSIDE = "from:elsewhere"


class IssueBasic(IssuableSimple[Issue]):
    """An issue as part of other records. Option: label details."""

    closed_at = attr()

    closed_by = Issuable.closed_by
    labels = Issuable.labels
    milestone = Issuable.milestone
    assignees = Issuable.assignees
    author = Issuable.author

    @computed_if(since="<=15.4")
    def type(self) -> str:
        return self.record.kind.upper()

    assignee = Issuable.assignee
    user_notes_count = Issuable.user_notes_count

    @computed
    def merge_requests_count(self) -> int:
        # Counted for the caller, so the number does not reveal hidden merge requests.
        closing = self.ctx.world.merge_requests.where("closes", self.record.id)
        return sum(noteables.is_visible(self.ctx, merge_request) for merge_request in closing)

    upvotes = Issuable.upvotes
    downvotes = Issuable.downvotes
    start_date = attr(since="<=18.9")
    due_date = attr()
    confidential = attr()
    discussion_locked = attr()

    @computed_if(since="<=14.1")
    def issue_type(self) -> str:
        return self.record.kind

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}/{self._path}/-/issues/{self.record.iid}"

    time_stats = Issuable.time_stats
    task_completion_status = Issuable.task_completion_status
    weight = attr(when=lambda view: has_feature(view.ctx.world, "premium", view.record))

    @computed_if(since="<=14.0", when=lambda view: has_feature(view.ctx.world, "premium", view.record))
    def blocking_issues_count(self) -> int:
        return issue_links.count_blocked(self.ctx.world, self.record)


def _may_have_epics(view: "IssueView") -> bool:
    """Return whether the caller reads epics of the project's group; issues of other projects show none."""
    world = view.ctx.world
    group = world.namespaces[world.projects[view.record.project_id].namespace_id]
    is_paid = has_feature(world, "premium", view.record)
    return is_paid and isinstance(group, Group) and can(view.ctx, Ability.READ_EPIC, group)


class IssueView(IssueBasic):
    """An issue. Options: label details; single (adds ``subscribed``); the scope of the list."""

    @computed
    def has_tasks(self) -> bool:
        return self._tasks[0] > 0

    @computed_if(when=lambda view: view._tasks[0] > 0)
    def task_status(self) -> str:
        count, done = self._tasks
        return f"{done} of {count} {'task' if count == 1 else 'tasks'} completed"

    # The underscore belongs to the name of the field; this is no private method.
    @computed
    def _links(self) -> dict[str, str]:
        project = urls.api_url(self.ctx, f"projects/{self.record.project_id}")
        issue = f"{project}/issues/{self.record.iid}"
        return {"self": issue, "notes": f"{issue}/notes", "award_emoji": f"{issue}/award_emoji", "project": project}

    @computed
    def references(self) -> dict[str, str]:
        short = f"#{self.record.iid}"
        full = f"{self._path}{short}"
        return {"short": short, "relative": self._relative(short, full), "full": full}

    @computed_if(since="<=15.4")
    def severity(self) -> str:
        return self.record.severity.upper()

    @computed_if(when=lambda view: SINGLE in view.options)
    def subscribed(self) -> bool:
        return subscriptions.is_notified(self.ctx.world, self.record, self.ctx.viewer)

    @computed
    def moved_to_id(self) -> int | None:
        moved_to = issues.moved_to(self.ctx.world, self.record)
        return moved_to.id if moved_to else None

    imported = constant(False, bool, since="17.2")
    imported_from = constant("none", str, since="17.2")
    service_desk_reply_to = constant(None, str | None, since="<=14.0")
    health_status = attr(when=lambda view: has_feature(view.ctx.world, "ultimate", view.record))

    @computed_if(when=_may_have_epics)
    def epic_iid(self) -> int | None:
        return self._epic.iid if self._epic else None

    @computed_if(when=_may_have_epics)
    def epic(self) -> dict[str, Any] | None:
        epic = self._epic
        if epic is None:
            return None
        path = full_path(self.ctx.world, epic_access.group_of(self.ctx.world, epic))
        url = f"/groups/{path}/-/epics/{epic.iid}"
        return {"id": epic.id, "iid": epic.iid, "title": epic.title, "url": url, "group_id": epic.group_id}

    @computed_if(since="<=15.2", when=lambda view: has_feature(view.ctx.world, "premium", view.record))
    def iteration(self) -> IterationView | None:
        id_ = self.record.iteration_id
        iteration = self.ctx.world.iterations.get(id_) if id_ is not None else None
        view: IterationView | None = self.ctx.render(IterationView, iteration)
        return view

    @cached_property
    def _epic(self) -> Epic | None:
        return epic_issues.find_visible_epic(self.ctx, self.record)

    def _relative(self, short: str, full: str) -> str:
        # References are relative to where the client looks: its project, its group, or neither.
        if FROM_OUTSIDE in self.options:
            return full
        if FROM_PROJECT in self.options or SINGLE in self.options:
            return short
        return self._within_group(short) or full


class IssueClosedOnMerge(IssueBasic):
    """An issue that a merge closes; one of an external tracker has only a title and a key."""

    def values(self) -> dict[str, Any]:
        """Return the view as a dictionary for JSON."""
        issue: Any = self.record
        if isinstance(issue, ExternalIssue):
            return {"title": issue.title, "id": issue.id}
        return super().values()
