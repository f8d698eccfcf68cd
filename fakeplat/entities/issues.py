"""What issues show. Source: shared specification, 'Issue', 'Time stats'; facts on issues ('Entity order')."""

from typing import Any

from fakeplat.core.entity import Entity, attr, constant, shown, shown_when
from fakeplat.domain import issues, labels, notes, subscriptions
from fakeplat.domain.namespaces import full_path
from fakeplat.entities import urls
from fakeplat.entities.labels import LabelDetail, MilestoneView
from fakeplat.entities.users import UserBasic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context
from fakeplat.policy.features import has

Text = str | None
LABEL_DETAILS = "with_labels_details"
SINGLE = "single"
FROM_PROJECT = "from:project"
ELSEWHERE = "from:elsewhere"
FROM_GROUP = "from:group:"


class IssueBasic(Entity[Issue]):
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

    @shown
    def closed_by(self) -> UserBasic | None:
        return self._user(self.record.closed_by_id)

    @shown
    def labels(self) -> list[str]:
        world = self.cx.world
        if LABEL_DETAILS not in self.options:
            return labels.titles(world, self.record.label_ids)
        found = sorted((world.labels[id_] for id_ in self.record.label_ids), key=lambda label: label.title)
        return [self.cx.show(LabelDetail, label) for label in found]

    @shown
    def milestone(self) -> MilestoneView | None:
        id_ = self.record.milestone_id
        found: MilestoneView | None = self.cx.show(
            MilestoneView, self.cx.world.milestones.get(id_) if id_ is not None else None
        )
        return found

    @shown
    def assignees(self) -> list[UserBasic]:
        return [self.cx.show(UserBasic, self.cx.world.users[id_]) for id_ in self.record.assignee_ids]

    @shown
    def author(self) -> UserBasic | None:
        return self._user(self.record.author_id)

    @shown
    def assignee(self) -> UserBasic | None:
        return self._user(self.record.assignee_ids[0] if self.record.assignee_ids else None)

    @shown
    def user_notes_count(self) -> int:
        return notes.comments(self.cx, ("issue", self.record.id))

    @shown
    def merge_requests_count(self) -> int:
        return len(self.cx.world.merge_requests.ids("closes", self.record.id))

    @shown
    def upvotes(self) -> int:
        return self._votes("thumbsup")

    @shown
    def downvotes(self) -> int:
        return self._votes("thumbsdown")

    due_date = attr(Text)
    confidential = attr(bool)
    discussion_locked = attr(bool | None)

    @shown
    def web_url(self) -> str:
        return f"{urls.project_page(self.cx, self._project)}/-/issues/{self.record.iid}"

    @shown
    def time_stats(self) -> dict[str, int | Text]:
        return time_stats(self.record)

    @shown
    def task_completion_status(self) -> dict[str, int]:
        count, done = issues.tasks(self.record.description)
        return {"count": count, "completed_count": done}

    weight = attr(int | None, when=lambda view: has(view.cx.world, "premium", view.record))

    @property
    def _project(self) -> Project:
        return self.cx.world.projects[self.record.project_id]

    def _user(self, id_: int | None) -> UserBasic | None:
        found: UserBasic | None = self.cx.show(UserBasic, self.cx.world.users.get(id_) if id_ is not None else None)
        return found

    def _votes(self, name: str) -> int:
        given = self.cx.world.awards.where("subject", ("issue", self.record.id))
        return sum(award.name == name for award in given)


class IssueView(IssueBasic):
    """An issue. Options: label details; single (says whether the caller is subscribed); from where it is seen."""

    @shown
    def has_tasks(self) -> bool:
        return issues.tasks(self.record.description)[0] > 0

    @shown_when(lambda view: issues.tasks(view.record.description)[0] > 0)
    def task_status(self) -> str:
        count, done = issues.tasks(self.record.description)
        return f"{done} of {count} {'task' if count == 1 else 'tasks'} completed"

    @shown
    def _links(self) -> dict[str, str]:
        project = urls.api(self.cx, f"projects/{self.record.project_id}")
        own = f"{project}/issues/{self.record.iid}"
        return {"self": own, "notes": f"{own}/notes", "award_emoji": f"{own}/award_emoji", "project": project}

    @shown
    def references(self) -> dict[str, str]:
        short = f"#{self.record.iid}"
        full = f"{urls.project_path(self.cx, self._project)}{short}"
        return {"short": short, "relative": self._relative(short, full), "full": full}

    @shown_when(lambda view: SINGLE in view.options)
    def subscribed(self) -> bool:
        return subscriptions.hears_of(self.cx.world, self.record, self.cx.user)

    moved_to_id = attr(int | None)
    health_status = attr(Text, when=lambda view: has(view.cx.world, "ultimate", view.record))
    epic_iid = constant(None, int | None, when=lambda view: has(view.cx.world, "premium", view.record))
    epic = constant(None, dict[str, Any] | None, when=lambda view: has(view.cx.world, "premium", view.record))

    def _relative(self, short: str, full: str) -> str:
        if ELSEWHERE in self.options:
            return full
        if FROM_PROJECT in self.options or SINGLE in self.options:
            return short
        within = next((option.removeprefix(FROM_GROUP) for option in self.options if option.startswith(FROM_GROUP)), "")
        if not within:
            return full
        own = self.cx.world.namespaces[self._project.namespace_id]
        return f"{self._project.path}{short}" if full_path(self.cx.world, own) == within else full


def time_stats(issue: Issue | MergeRequest) -> dict[str, int | Text]:
    """Estimated and spent time, in seconds and in words."""
    return {
        "time_estimate": issue.time_estimate,
        "total_time_spent": issue.total_time_spent,
        "human_time_estimate": issues.duration(issue.time_estimate),
        "human_total_time_spent": issues.duration(issue.total_time_spent),
    }
