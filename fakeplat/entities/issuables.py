"""What issues and merge requests show alike: who plans them how.

Source: docs/platform/issues.md, docs/platform/merge-requests.md.
"""

from functools import cached_property
from typing import Any, Final

from fakeplat.core.operations.entity import computed
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people.namespaces import full_path
from fakeplat.domain.planning import labels
from fakeplat.entities import urls
from fakeplat.entities.labels import LabelDetail, MilestoneView
from fakeplat.entities.users import UserBasic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

LABEL_DETAILS: Final = "with_labels_details"
FROM_PROJECT: Final = "from:project"
FROM_GROUP: Final = "from:group:"


class Issuable:
    """Fields for views of both, which stand at different places: a view says ``labels = Planned.labels`` at its own."""

    record: Any
    ctx: ReadContext
    options: Any

    @computed
    def closed_by(self) -> UserBasic | None:
        return self._user(self.record.closed_by_id)

    @computed
    def labels(self) -> list[str | LabelDetail]:
        world = self.ctx.world
        if LABEL_DETAILS not in self.options:
            return [*labels.sorted_titles(world, self.record.label_ids)]
        found = sorted((world.labels[id_] for id_ in self.record.label_ids), key=lambda label: label.title)
        return [self.ctx.render(LabelDetail, label) for label in found]

    @computed
    def milestone(self) -> MilestoneView | None:
        id_ = self.record.milestone_id
        found: MilestoneView | None = self.ctx.render(
            MilestoneView, self.ctx.world.milestones.get(id_) if id_ is not None else None
        )
        return found

    @computed
    def author(self) -> UserBasic | None:
        return self._user(self.record.author_id)

    @computed
    def assignees(self) -> list[UserBasic]:
        return [self.ctx.render(UserBasic, self.ctx.world.users[id_]) for id_ in self.record.assignee_ids]

    @computed
    def assignee(self) -> UserBasic | None:
        return self._user(self.record.assignee_ids[0] if self.record.assignee_ids else None)

    @computed
    def user_notes_count(self) -> int:
        return notes.count_comments(self.ctx, noteables.subject_of(self.record))

    @computed
    def upvotes(self) -> int:
        return self._awards.count("thumbsup")

    @computed
    def downvotes(self) -> int:
        return self._awards.count("thumbsdown")

    @computed
    def time_stats(self) -> dict[str, int | str | None]:
        return time_stats(self.record)

    @computed
    def task_completion_status(self) -> dict[str, int]:
        count, done = self._tasks
        return {"count": count, "completed_count": done}

    @cached_property
    def _project(self) -> Project:
        return self.ctx.world.projects[self.record.project_id]

    @cached_property
    def _path(self) -> str:
        return urls.project_path(self.ctx, self._project)

    @cached_property
    def _tasks(self) -> tuple[int, int]:
        return issues.count_tasks(self.record.description)

    @cached_property
    def _awards(self) -> list[str]:
        return [award.name for award in self.ctx.world.awards.where("subject", noteables.subject_of(self.record))]

    def _user(self, id_: int | None) -> UserBasic | None:
        found: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return found

    def _within_group(self, short: str) -> str | None:
        """Its reference as a list of its own group writes it: ``site#1``; None in other places."""
        within = next((option.removeprefix(FROM_GROUP) for option in self.options if option.startswith(FROM_GROUP)), "")
        own = self.ctx.world.namespaces[self._project.namespace_id]
        return f"{self._project.path}{short}" if within and full_path(self.ctx.world, own) == within else None


def time_stats(record: Issue | MergeRequest) -> dict[str, int | str | None]:
    """Estimated and spent time, in seconds and in words."""
    return {
        "time_estimate": record.time_estimate,
        "total_time_spent": record.total_time_spent,
        "human_time_estimate": issues.format_duration(record.time_estimate),
        "human_total_time_spent": issues.format_duration(record.total_time_spent),
    }
