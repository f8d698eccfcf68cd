"""Fields that the views of issues and merge requests share.

Source: docs/platform/issues.md, docs/platform/merge-requests.md.
"""

from typing import Final, Generic, TypeVar

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, Options, attr, computed
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people.namespaces import full_path
from fakeplat.domain.planning import labels
from fakeplat.entities import urls
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.planning.labels import LabelDetail, MilestoneView
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

LABEL_DETAILS: Final = "with_labels_details"
FROM_PROJECT: Final = "from:project"
FROM_GROUP: Final = "from:group:"
R = TypeVar("R", bound=Issue | MergeRequest)


class Issuable(Generic[R]):
    """The shared fields. Their order differs, so each view places them: ``labels = Issuable.labels``."""

    record: R
    ctx: ReadContext
    options: Options

    @computed
    def closed_by(self) -> UserBasic | None:
        return self._user(self.record.closed_by_id)

    @computed
    def labels(self) -> list[str | LabelDetail]:
        world = self.ctx.world
        if LABEL_DETAILS not in self.options:
            return [*labels.sorted_titles(world, self.record.label_ids)]
        details = sorted((world.labels[id_] for id_ in self.record.label_ids), key=lambda label: label.title)
        return [self.ctx.render(LabelDetail, label) for label in details]

    @computed
    def milestone(self) -> MilestoneView | None:
        id_ = self.record.milestone_id
        milestone: MilestoneView | None = self.ctx.render(
            MilestoneView, self.ctx.world.milestones.get(id_) if id_ is not None else None
        )
        return milestone

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
        return time_stats(self.ctx.world, self.record)

    @computed
    def task_completion_status(self) -> dict[str, int]:
        count, done = self._tasks
        return {"count": count, "completed_count": done}

    @cached_property
    def project(self) -> Project:
        return self.ctx.world.projects[self.record.project_id]

    @cached_property
    def _path(self) -> str:
        return urls.project_path(self.ctx, self.project)

    @cached_property
    def _tasks(self) -> tuple[int, int]:
        return issues.count_tasks(self.record.description)

    # Read once for both counts of votes.
    @cached_property
    def _awards(self) -> list[str]:
        return [award.name for award in self.ctx.world.awards.where("subject", noteables.subject_of(self.record))]

    def _user(self, id_: int | None) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return user

    def _within_group(self, short: str) -> str | None:
        """Return the reference relative to the issuable's own group (``site#1``); None outside lists of that group."""
        # A list of another group, even of an ancestor, shows full references.
        group_path = next(
            (option.removeprefix(FROM_GROUP) for option in self.options if option.startswith(FROM_GROUP)), ""
        )
        namespace = self.ctx.world.namespaces[self.project.namespace_id]
        return (
            f"{self.project.path}{short}" if group_path and full_path(self.ctx.world, namespace) == group_path else None
        )


class IssuableSimple(Entity[R], Issuable[R]):
    """The first fields of an issue or of a merge request."""

    ctx: ReadContext

    id = attr()
    iid = attr()
    project_id = attr()
    title = attr()
    description = attr()
    state = attr()
    created_at = attr()
    updated_at = attr()


def time_stats(world: World, record: Issue | MergeRequest) -> dict[str, int | str | None]:
    """Return estimated and spent time, in seconds and as text."""
    return {
        "time_estimate": record.time_estimate,
        "total_time_spent": record.total_time_spent,
        "human_time_estimate": issues.format_duration(world, record.time_estimate),
        "human_total_time_spent": issues.format_duration(world, record.total_time_spent),
    }
