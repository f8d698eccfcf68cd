"""Issues and incidents. Source: more on GraphQL and on issues; facts on issues."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from fakeplat.domain import issues, subscriptions
from fakeplat.domain.markdown import html
from fakeplat.entities.issues import IssueView
from fakeplat.graphql.declaring import QUERY, Enumeration, Type
from fakeplat.graphql.ids import id_of
from fakeplat.model.issues import Issue
from fakeplat.model.labels import Label, Milestone
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, sees

_STATES: Final = {"opened": ("opened", "Is to be done."), "closed": ("closed", "Is done, or will not be.")}
_COLUMNS: Final = ("title", "description")

Enumeration("IssueState", "Whether an issue is open.", _STATES)
Enumeration("IssuableState", "Which issues are asked for.", {**_STATES, "all": ("all", "All of them.")})
Enumeration(
    "IssueType",
    "What kind of issue it is.",
    {"ISSUE": ("issue", "An ordinary issue."), "INCIDENT": ("incident", "A disturbance of a service.")},
)
Enumeration(
    "HealthStatus",
    "Whether an issue will be done in time.",
    {
        "onTrack": ("on_track", "All goes well."),
        "needsAttention": ("needs_attention", "Somebody should look at it."),
        "atRisk": ("at_risk", "It will be late."),
    },
)

ISSUE = Type("Issue", "An issue or an incident.", gid="Issue", counts=True)
ISSUE.attributes(
    {
        "iid: ID!": "Its number within the project.",
        "title: String!": "What it is about.",
        "description: String": "The whole story, in Markdown.",
        "state: IssueState!": "Whether it is open.",
        "confidential: Boolean!": "Whether only members with a say see it.",
        "createdAt: Time!": "When it was made.",
        "updatedAt: Time!": "When it was last changed.",
        "closedAt: Time": "When it was closed.",
        "dueDate: Time": "When it is to be done.",
        "relativePosition: Int": "Its place in the order by hand.",
        "timeEstimate: Int!": "How many seconds of work are expected.",
        "totalTimeSpent: Int!": "How many seconds were spent on it.",
    }
)

TASKS = Type("TaskCompletionStatus", "How many tasks a description lists, and how many are done.")
TASKS.attributes({"count: Int!": "How many there are.", "completedCount: Int!": "How many are done."})


@frozen
class Tasks:
    """Tasks of a description."""

    count: int
    completed_count: int


def project_of(cx: Context, issue: Issue) -> Project:
    """The project that an issue belongs to."""
    return cx.world.projects[issue.project_id]


@ISSUE.field("type: IssueType")
def kind(cx: Context, issue: Issue) -> str:
    """What kind of issue it is."""
    del cx
    return issue.kind


@ISSUE.field("titleHtml: String")
def title_html(cx: Context, issue: Issue) -> str:
    """The title as HTML."""
    del cx
    return html(issue.title).removeprefix("<p>").removesuffix("</p>")


@ISSUE.field("descriptionHtml: String")
def description_html(cx: Context, issue: Issue) -> str:
    """The description as HTML."""
    del cx
    return html(issue.description or "")


@ISSUE.field("discussionLocked: Boolean!")
def discussion_locked(cx: Context, issue: Issue) -> bool:
    """Whether only members may comment."""
    del cx
    return bool(issue.discussion_locked)


@ISSUE.field("author: User!")
def author(cx: Context, issue: Issue) -> User:
    """Who made it."""
    return cx.world.users[issue.author_id]


@ISSUE.field("assignees: UserConnection")
def assignees(cx: Context, issue: Issue) -> Sequence[User]:
    """Who is to do it."""
    return [cx.world.users[id_] for id_ in issue.assignee_ids]


@ISSUE.field("participants: UserConnection")
def participants(cx: Context, issue: Issue) -> Sequence[User]:
    """Who has to do with it: author and assignees."""
    return [cx.world.users[id_] for id_ in dict.fromkeys((issue.author_id, *issue.assignee_ids))]


@ISSUE.field("labels: LabelConnection")
def labels_of(cx: Context, issue: Issue) -> Sequence[Label]:
    """Its labels, by title."""
    return sorted((cx.world.labels[id_] for id_ in issue.label_ids), key=lambda label: (label.title, label.id))


@ISSUE.field("milestone: Milestone")
def milestone(cx: Context, issue: Issue) -> Milestone | None:
    """What it is a step to."""
    return cx.world.milestones.get(issue.milestone_id) if issue.milestone_id is not None else None


@ISSUE.field("webUrl: String!")
def web_url(cx: Context, issue: Issue) -> str:
    """Its page."""
    return str(IssueView(issue, cx).web_url())


@ISSUE.field("webPath: String!")
def web_path(cx: Context, issue: Issue) -> str:
    """The path of its page."""
    return web_url(cx, issue).removeprefix(cx.origin)


@ISSUE.field("reference(full: Boolean = false): String!")
def reference(cx: Context, issue: Issue, full: bool | None = False) -> str:
    """How texts refer to it."""
    return str(IssueView(issue, cx).references()["full" if full else "short"])


@ISSUE.field("upvotes: Int!")
def upvotes(cx: Context, issue: Issue) -> int:
    """How many thumbs are up."""
    return int(IssueView(issue, cx).upvotes())


@ISSUE.field("downvotes: Int!")
def downvotes(cx: Context, issue: Issue) -> int:
    """How many thumbs are down."""
    return int(IssueView(issue, cx).downvotes())


@ISSUE.field("userNotesCount: Int!")
def user_notes_count(cx: Context, issue: Issue) -> int:
    """How many comments it has."""
    return sum(not note.system for note in cx.world.notes.where("subject", ("issue", issue.id)))


@ISSUE.field("subscribed: Boolean!")
def is_subscribed(cx: Context, issue: Issue) -> bool:
    """Whether the caller hears of it."""
    return subscriptions.hears_of(cx.world, issue, cx.user)


@ISSUE.field("taskCompletionStatus: TaskCompletionStatus!")
def tasks(cx: Context, issue: Issue) -> Tasks:
    """How many tasks its description lists, and how many are done."""
    del cx
    return Tasks(*issues.tasks(issue.description))


@ISSUE.field("weight: Int")
def weight(cx: Context, issue: Issue) -> int | None:
    """How much work it is; part of a paid tier."""
    return issue.weight if has(cx.world, "premium", issue) else None


@ISSUE.field("healthStatus: HealthStatus")
def health_status(cx: Context, issue: Issue) -> str | None:
    """Whether it will be done in time; part of a paid tier."""
    return issue.health_status if has(cx.world, "ultimate", issue) else None


@QUERY.field("issue(id: IssueID!): Issue", one=True)
def issue(cx: Context, id: str) -> Issue | None:  # its name on the wire
    """The issue with a global id."""
    found = cx.world.issues.get(id_of(cx, id, "Issue"))
    if found is None:
        return None
    project = project_of(cx, found)
    visible = sees(cx, project) and can(cx, May.READ_ISSUES, project) and issues.sees(cx, found, project)
    return found if visible else None
