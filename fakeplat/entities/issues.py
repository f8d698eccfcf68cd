"""What issues show.

Source: docs/platform/specification.md ('Issue', 'Time stats'), docs/platform/issues.md ('Entity order').
"""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, constant, shown, shown_when
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, subscriptions
from fakeplat.entities import urls
from fakeplat.entities.planned import FROM_PROJECT, Planned
from fakeplat.model.issues import Issue
from fakeplat.policy.context import Context
from fakeplat.policy.features import has

Text = str | None
SINGLE = "single"
ELSEWHERE = "from:elsewhere"


class IssueBasic(Entity[Issue], Planned):
    """An issue as others' answers name it. Option: label details."""

    cx: Context

    id = attr(int)
    iid = attr(int)
    project_id = attr(int)
    title = attr(str)
    description = attr(Text)
    state = attr(str)
    created_at = attr(str)
    updated_at = attr(str)
    closed_at = attr(Text)

    closed_by = Planned.closed_by
    labels = Planned.labels
    milestone = Planned.milestone
    assignees = Planned.assignees
    author = Planned.author
    assignee = Planned.assignee
    user_notes_count = Planned.user_notes_count

    @shown
    def merge_requests_count(self) -> int:
        closing = self.cx.world.merge_requests.where("closes", self.record.id)
        return sum(noteables.visible(self.cx, merge_request) for merge_request in closing)

    upvotes = Planned.upvotes
    downvotes = Planned.downvotes
    due_date = attr(Text)
    confidential = attr(bool)
    discussion_locked = attr(bool | None)

    @shown
    def web_url(self) -> str:
        return f"{self.cx.origin}/{self._path}/-/issues/{self.record.iid}"

    time_stats = Planned.time_stats
    task_completion_status = Planned.task_completion_status
    weight = attr(int | None, when=lambda view: has(view.cx.world, "premium", view.record))


class IssueView(IssueBasic):
    """An issue. Options: label details; single (says whether the caller is subscribed); from where it is seen."""

    @shown
    def has_tasks(self) -> bool:
        return self._tasks[0] > 0

    @shown_when(lambda view: view._tasks[0] > 0)
    def task_status(self) -> str:
        count, done = self._tasks
        return f"{done} of {count} {'task' if count == 1 else 'tasks'} completed"

    @shown
    def _links(self) -> dict[str, str]:
        project = urls.api(self.cx, f"projects/{self.record.project_id}")
        own = f"{project}/issues/{self.record.iid}"
        return {"self": own, "notes": f"{own}/notes", "award_emoji": f"{own}/award_emoji", "project": project}

    @shown
    def references(self) -> dict[str, str]:
        short = f"#{self.record.iid}"
        full = f"{self._path}{short}"
        return {"short": short, "relative": self._relative(short, full), "full": full}

    @shown_when(lambda view: SINGLE in view.options)
    def subscribed(self) -> bool:
        return subscriptions.hears_of(self.cx.world, self.record, self.cx.user)

    @shown
    def moved_to_id(self) -> int | None:
        heir = issues.heir(self.cx.world, self.record)
        return heir.id if heir else None

    health_status = attr(Text, when=lambda view: has(view.cx.world, "ultimate", view.record))
    epic_iid = constant(None, int | None, when=lambda view: has(view.cx.world, "premium", view.record))
    epic = constant(None, dict[str, Any] | None, when=lambda view: has(view.cx.world, "premium", view.record))

    def _relative(self, short: str, full: str) -> str:
        if ELSEWHERE in self.options:
            return full
        if FROM_PROJECT in self.options or SINGLE in self.options:
            return short
        return self._within_group(short) or full
