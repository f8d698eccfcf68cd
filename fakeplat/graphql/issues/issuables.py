"""Fields that issues and merge requests share.

Source: docs/platform/graphql.md, docs/platform/issues.md, docs/platform/merge-requests.md.
"""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.issues import issues
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import noteables, notes, participants, subscriptions
from fakeplat.entities.issues.issues import IssueView
from fakeplat.entities.merge_requests.merge_requests import MergeRequestView
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.planning import Label, Milestone
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_INTERFACES: Final = ("CurrentUserTodos", "Noteable", "NoteableInterface", "Todoable")
_VIEWS: Final[dict[type, Any]] = {Issue: IssueView, MergeRequest: MergeRequestView}

ISSUE = Type("Issue", "An issue or an incident.", gid="Issue", has_count=True, implements=_INTERFACES)
MERGE_REQUEST = Type("MergeRequest", "A merge request.", gid="MergeRequest", has_count=True, implements=_INTERFACES)
BOTH: Final = (ISSUE, MERGE_REQUEST)

for _type in BOTH:
    _type.attributes(
        {
            "title: String!": "The title.",
            "description: String": "The description in Markdown.",
            "createdAt: Time!": "Timestamp of creation.",
            "updatedAt: Time!": "Timestamp of the last update.",
            "timeEstimate: Int!": "The time estimate in seconds.",
            "totalTimeSpent: Int!": "The total time spent in seconds.",
        }
    )

TASKS = Type("TaskCompletionStatus", "The completion status of the task list in a description.")
TASKS.attributes({"count: Int!": "Number of tasks.", "completedCount: Int!": "Number of completed tasks."})


@frozen
class Tasks:
    """Task counts of a description."""

    count: int
    completed_count: int


def view(ctx: ReadContext, record: Issuable) -> Any:
    """Return the REST view of an issue or merge request."""
    return _VIEWS[type(record)](record, ctx)


def project_of(ctx: ReadContext, record: Issuable) -> Project:
    """Return the project of an issue or merge request."""
    return ctx.world.projects[record.project_id]


@ISSUE.field("titleHtml: String")
@MERGE_REQUEST.field("titleHtml: String")
def title_html(ctx: ReadContext, record: Issuable) -> str:
    """The title rendered as HTML."""
    return markup.render_line(ctx, record.title, ctx.world.projects[record.project_id])


@ISSUE.field("descriptionHtml: String")
@MERGE_REQUEST.field("descriptionHtml: String")
def description_html(ctx: ReadContext, record: Issuable) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, record.description, ctx.world.projects[record.project_id])


@ISSUE.field("discussionLocked: Boolean!")
@MERGE_REQUEST.field("discussionLocked: Boolean!")
def discussion_locked(_ctx: ReadContext, record: Issuable) -> bool:
    """Whether comments are restricted to members."""
    return bool(record.discussion_locked)


@ISSUE.field("author: User!")
@MERGE_REQUEST.field("author: User", until="<=14.10")
def author(ctx: ReadContext, record: Issuable) -> User | None:
    """The author."""
    return ctx.world.users.get(record.author_id)


@ISSUE.field("assignees: UserConnection")
@MERGE_REQUEST.field("assignees: UserConnection", until="<=14.0")
def assignees(ctx: ReadContext, record: Issuable) -> Sequence[User]:
    """The assignees."""
    return [ctx.world.users[id_] for id_ in record.assignee_ids]


@ISSUE.field("participants: UserConnection")
@MERGE_REQUEST.field("participants: UserConnection", until="<=14.10")
def participants_of(ctx: ReadContext, record: Issuable) -> Sequence[User]:
    """The participants: author, assignees, commenters and mentioned users."""
    return participants.list_participants(ctx, record)


@ISSUE.field("labels: LabelConnection")
@MERGE_REQUEST.field("labels: LabelConnection")
def labels_of(ctx: ReadContext, record: Issuable) -> Sequence[Label]:
    """The labels, sorted by title."""
    return sorted((ctx.world.labels[id_] for id_ in record.label_ids), key=lambda label: (label.title, label.id))


@ISSUE.field("milestone: Milestone")
@MERGE_REQUEST.field("milestone: Milestone")
def milestone(ctx: ReadContext, record: Issuable) -> Milestone | None:
    """The milestone."""
    return ctx.world.milestones.get(record.milestone_id) if record.milestone_id is not None else None


@ISSUE.field("webUrl: String!")
@MERGE_REQUEST.field("webUrl: String")
def web_url(ctx: ReadContext, record: Issuable) -> str:
    """The URL of the page."""
    return str(view(ctx, record).web_url())


@ISSUE.field("reference(full: Boolean = false): String!")
@MERGE_REQUEST.field("reference(full: Boolean = false): String!")
def reference(ctx: ReadContext, record: Issuable, full: bool | None = False) -> str:
    """The reference, as used in texts."""
    # Relative to its own project a reference is just ``#7``.
    return noteables.format_reference(ctx.world, record, None if full else project_of(ctx, record))


@ISSUE.field("upvotes: Int!")
@MERGE_REQUEST.field("upvotes: Int!")
def upvotes(ctx: ReadContext, record: Issuable) -> int:
    """Number of upvotes."""
    return int(view(ctx, record).upvotes())


@ISSUE.field("downvotes: Int!")
@MERGE_REQUEST.field("downvotes: Int!")
def downvotes(ctx: ReadContext, record: Issuable) -> int:
    """Number of downvotes."""
    return int(view(ctx, record).downvotes())


@ISSUE.field("userNotesCount: Int!")
@MERGE_REQUEST.field("userNotesCount: Int")
def user_notes_count(ctx: ReadContext, record: Issuable) -> int:
    """Number of comments."""
    return notes.count_comments(ctx, noteables.subject_of(record))


@ISSUE.field("userDiscussionsCount: Int!", since="13.6")
@MERGE_REQUEST.field("userDiscussionsCount: Int", since="13.6")
def user_discussions_count(ctx: ReadContext, record: Issuable) -> int:
    """Number of discussions of the comments."""
    return len({note.discussion_id for note in ctx.world.notes.where("comments", noteables.subject_of(record))})


@ISSUE.field("subscribed: Boolean!")
@MERGE_REQUEST.field("subscribed: Boolean!")
def is_subscribed(ctx: ReadContext, record: Issuable) -> bool:
    """Whether the caller is subscribed."""
    return subscriptions.is_notified(ctx.world, record, ctx.viewer)


@ISSUE.field("taskCompletionStatus: TaskCompletionStatus!")
@MERGE_REQUEST.field("taskCompletionStatus: TaskCompletionStatus!")
def tasks(_ctx: ReadContext, record: Issuable) -> Tasks:
    """The completion status of the task list in the description."""
    return Tasks(*issues.count_tasks(record.description))
