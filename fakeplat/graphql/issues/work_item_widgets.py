"""Widgets: the parts of work items, of which each type has its own. Source: docs/platform/work-items.md."""

from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

from fakeplat.core.release import ALWAYS, Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issuables.timelogs import list_logs
from fakeplat.domain.issues import issue_access, issues, objectives, work_items, work_statuses
from fakeplat.domain.issues.work_items import EPIC, OBJECTIVE, LinkedItem, WorkItem
from fakeplat.domain.issues.work_statuses import Status
from fakeplat.domain.notes import awards, discussions, noteables, notes, participants, subscriptions, todos
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.planning import colors, custom_fields
from fakeplat.entities.epics import EpicView
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.issues.issuables import ISSUE, Tasks
from fakeplat.graphql.issues.work_items import WORK_ITEM, description_html
from fakeplat.graphql.notes.notes import is_shown
from fakeplat.graphql.planning.custom_fields import CUSTOM_FIELD, FieldValue
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Award, Issue, Timelog
from fakeplat.model.notes import Note, Todo
from fakeplat.model.people import User
from fakeplat.model.planning import Iteration, Label, Milestone
from fakeplat.model.projects import Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

F = TypeVar("F", bound=Callable[..., Any])
_OKRS: Final = issue_access.OKRS
_ISSUES: Final = ("issue", "incident", "test_case", "requirement", "task", *_OKRS)
_PLANNED: Final = ("issue", "incident", "task")
_ALL: Final = (*_ISSUES, EPIC)


@frozen
class WidgetKind:
    """A kind of widget: the types of work items that have it, the tier, and the releases.

    ``later``: the types that got it after the others, with the release.
    """

    kinds: Collection[str]
    since: str
    tier: str = ""
    later: tuple[tuple[str, str], ...] = ()
    until: str = ""

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the widget."""
        return Lifetime(self.since, self.until)

    def belongs_to(self, profile: Profile, kind: str) -> bool:
        """Return whether work items of a type have the widget in a release."""
        since = dict(self.later).get(kind)
        if since is not None:
            return profile.has(Lifetime(since=since))
        return kind in self.kinds and profile.has(self.lifetime)


WIDGETS: Final = {
    "DESCRIPTION": WidgetKind(_ALL, "<=15.3"),
    "ASSIGNEES": WidgetKind(_ISSUES, "<=15.3"),
    "LABELS": WidgetKind(_ALL, "<=15.3"),
    "HIERARCHY": WidgetKind((*_PLANNED, *_OKRS, EPIC), "<=15.3"),
    "START_AND_DUE_DATE": WidgetKind((*_PLANNED, "key_result", EPIC), "<=15.3"),
    "MILESTONE": WidgetKind((*_PLANNED, OBJECTIVE), "<=15.8"),
    "NOTES": WidgetKind(_ALL, "<=15.8"),
    "WEIGHT": WidgetKind(("issue", "task"), "<=15.8", "premium", ((EPIC, "17.2"),)),
    "HEALTH_STATUS": WidgetKind(("issue", *_OKRS), "<=15.8", "ultimate"),
    "ITERATION": WidgetKind(("issue", "task"), "<=15.8", "premium"),
    "PROGRESS": WidgetKind(_OKRS, "<=15.8", "ultimate"),
    "NOTIFICATIONS": WidgetKind(_ALL, "<=16.2"),
    "CURRENT_USER_TODOS": WidgetKind(_ALL, "<=16.2"),
    "AWARD_EMOJI": WidgetKind(_ALL, "<=16.2"),
    "LINKED_ITEMS": WidgetKind((*_PLANNED, *_OKRS, EPIC), "16.3"),
    "COLOR": WidgetKind((EPIC,), "<=16.9", "premium"),
    "PARTICIPANTS": WidgetKind(_ALL, "<=18.5"),
    "TIME_TRACKING": WidgetKind(_PLANNED, "<=18.5"),
    "STATUS": WidgetKind(work_statuses.TYPES, "18.2", "premium"),
    "ROLLEDUP_DATES": WidgetKind((EPIC,), "<=16.9", "premium", until="<=18.9"),
    "DEVELOPMENT": WidgetKind(("issue", "incident", "task"), "<=17.6"),
    "CUSTOM_FIELDS": WidgetKind(_ALL, "17.9", "premium"),
    "LINKED_RESOURCES": WidgetKind(_PLANNED, "<=18.5"),
    "CRM_CONTACTS": WidgetKind(_PLANNED, "<=18.5"),
}


_FIRST: Final = "<=15.3"
"""The release of the first widgets."""


def _lifetime_of_value(declared: WidgetKind) -> Lifetime:
    return ALWAYS if declared.since == _FIRST else declared.lifetime


def _type_name(kind: str) -> str:
    return "WorkItemWidget" + "".join("And" if part == "AND" else part.title() for part in kind.split("_"))


@frozen
class Widget:
    """A widget of a work item."""

    item: WorkItem
    kind: str

    # The library asks for the name of the type under this name, since the field returns an interface.
    @property
    def __typename(self) -> str:
        return _type_name(self.kind)


Enumeration(
    "WorkItemWidgetType",
    "The type of a widget.",
    {
        kind: (kind, f"{kind.replace('_', ' ').capitalize()} of the work item.", _lifetime_of_value(declared))
        for kind, declared in WIDGETS.items()
    },
    since=_FIRST,
)
Interface(
    "WorkItemWidget",
    "A part of a work item.",
    {"type: WorkItemWidgetType": "The type of the widget."},
    since=_FIRST,
)
_TYPES: Final = {
    kind: Type(
        _type_name(kind),
        f"{kind.replace('_', ' ').capitalize()} of a work item.",
        implements=("WorkItemWidget",),
        since=declared.since,
        until=declared.until,
    )
    for kind, declared in WIDGETS.items()
}


def _kind_of(_ctx: ReadContext, widget: Widget) -> str:
    """The type of the widget."""
    return widget.kind


for _declared in _TYPES.values():
    _declared.field("type: WorkItemWidgetType")(_kind_of)


def widget_field(kind: str, signature: str, *, since: str = "") -> Callable[[F], F]:
    """Declare a field of a widget, computed from the work item."""

    def declare(function: F) -> F:
        @wraps(function)
        def of_widget(ctx: ReadContext, widget: Widget, **arguments: Any) -> Any:
            return function(ctx, widget.item, **arguments)

        _TYPES[kind].field(signature, since=since)(of_widget)
        return function

    return declare


@WORK_ITEM.field(
    'widgets(onlyTypes: [WorkItemWidgetType!] @lifetime(since: "<=18.5"), '
    'exceptTypes: [WorkItemWidgetType!] @lifetime(since: "<=18.5")): [WorkItemWidget!]',
    since=_FIRST,
)
def widgets(
    ctx: ReadContext,
    item: WorkItem,
    only_types: Sequence[str] | None = None,
    except_types: Sequence[str] | None = None,
) -> list[Widget]:
    """The widgets that the type of the work item has."""
    container = noteables.container_of(ctx.world, item)
    return [
        Widget(item, kind)
        for kind in list_available_kinds(ctx, container, work_items.type_of(item).kind)
        if (only_types is None or kind in only_types) and kind not in (except_types or ())
    ]


def list_available_kinds(ctx: ReadContext, container: Routable, kind: str) -> list[str]:
    """Return the kinds of widgets that work items of a type have in a project or group."""
    return [
        name
        for name, declared in WIDGETS.items()
        if declared.belongs_to(ctx.profile, kind)
        and (not declared.tier or has_feature(ctx.world, declared.tier, container))
    ]


FEATURES: Final = Type("WorkItemFeatures", "The widgets of a work item, each under its name.", since="<=18.8")


@WORK_ITEM.field("features: WorkItemFeatures", since="<=18.8")
def features(_ctx: ReadContext, item: WorkItem) -> WorkItem:
    """The widgets, each under its name; null for those that the work item does not have."""
    return item


def _declare_feature(kind: str) -> None:
    first, *others = kind.lower().split("_")

    def feature(ctx: ReadContext, item: WorkItem) -> Widget | None:
        """The widget, if the work item has it."""
        return next(iter(widgets(ctx, item, only_types=(kind,))), None)

    FEATURES.field(f"{first}{''.join(map(str.title, others))}: {_type_name(kind)}", until=WIDGETS[kind].until)(feature)


for _kind in WIDGETS:
    _declare_feature(_kind)


@widget_field("DESCRIPTION", "description: String")
def description(_ctx: ReadContext, item: WorkItem) -> str | None:
    """The description in Markdown."""
    return item.description


widget_field("DESCRIPTION", "descriptionHtml: String")(description_html)


@widget_field("DESCRIPTION", "taskCompletionStatus: TaskCompletionStatus!", since="<=18.5")
def task_completion_status(_ctx: ReadContext, item: WorkItem) -> Tasks:
    """The completion status of the task list."""
    return Tasks(*issues.count_tasks(item.description))


@widget_field("ASSIGNEES", "assignees: UserConnection")
def assignees(ctx: ReadContext, item: Issue) -> Sequence[User]:
    """The assignees."""
    return [ctx.world.users[id_] for id_ in item.assignee_ids]


@widget_field("ASSIGNEES", "allowsMultipleAssignees: Boolean")
def allows_multiple_assignees(ctx: ReadContext, item: Issue) -> bool:
    """Whether there can be several assignees."""
    return has_feature(ctx.world, "premium", item)


@widget_field("ASSIGNEES", "canInviteMembers: Boolean!")
def can_invite_members(ctx: ReadContext, item: Issue) -> bool:
    """Whether the caller may invite members."""
    return can(ctx, Ability.ADMIN_MEMBERS, ctx.world.projects[item.project_id])


@widget_field("LABELS", "labels: LabelConnection")
def labels(ctx: ReadContext, item: WorkItem) -> Sequence[Label]:
    """The labels, sorted by title."""
    return sorted((ctx.world.labels[id_] for id_ in item.label_ids), key=lambda label: (label.title, label.id))


@widget_field("LABELS", "allowsScopedLabels: Boolean")
def allows_scoped_labels(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether scoped labels exclude each other."""
    return has_feature(ctx.world, "premium", noteables.container_of(ctx.world, item))


@widget_field("HIERARCHY", "parent: WorkItem")
def parent(ctx: ReadContext, item: WorkItem) -> WorkItem | None:
    """The work item above."""
    return work_items.find_parent(ctx, item)


@widget_field("HIERARCHY", "children: WorkItemConnection")
def children(ctx: ReadContext, item: WorkItem) -> Sequence[WorkItem]:
    """The work items right below."""
    return work_items.list_children(ctx, item)


@widget_field("HIERARCHY", "ancestors: WorkItemConnection", since="<=16.9")
def ancestors(ctx: ReadContext, item: WorkItem) -> Sequence[WorkItem]:
    """The work items above, the highest first."""
    above: list[WorkItem] = []
    current = work_items.find_parent(ctx, item)
    while current is not None and current not in above:
        above.insert(0, current)
        current = work_items.find_parent(ctx, current)
    return above


@widget_field("HIERARCHY", "hasChildren: Boolean!", since="<=15.8")
def has_children(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether there are work items below."""
    return bool(work_items.list_children(ctx, item))


@widget_field("HIERARCHY", "hasParent: Boolean!", since="<=18.5")
def has_parent(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether there is a work item above."""
    return work_items.find_parent(ctx, item) is not None


@widget_field("START_AND_DUE_DATE", "startDate: Date")
def start_date(ctx: ReadContext, item: WorkItem) -> str | None:
    """The first day."""
    return item.start_date if isinstance(item, Issue) else EpicView(item, ctx).start_date()


@widget_field("START_AND_DUE_DATE", "dueDate: Date")
def due_date(ctx: ReadContext, item: WorkItem) -> str | None:
    """The last day."""
    return item.due_date if isinstance(item, Issue) else EpicView(item, ctx).due_date()


@widget_field("START_AND_DUE_DATE", "rollUp: Boolean!", since="<=18.5")
def roll_up(_ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the dates are those of the work items below."""
    return isinstance(item, Epic) and not (item.start_date_is_fixed or item.due_date_is_fixed)


@widget_field("START_AND_DUE_DATE", "isFixed: Boolean!", since="<=18.9")
def is_fixed(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the dates are its own ones, not those of the work items below."""
    return not roll_up(ctx, item)


@widget_field("ROLLEDUP_DATES", "startDate: Date")
def rolled_up_start_date(ctx: ReadContext, item: Epic) -> str | None:
    """The first day."""
    return start_date(ctx, item)


@widget_field("ROLLEDUP_DATES", "dueDate: Date")
def rolled_up_due_date(ctx: ReadContext, item: Epic) -> str | None:
    """The last day."""
    return due_date(ctx, item)


@widget_field("ROLLEDUP_DATES", "startDateFixed: Date")
def fixed_start_date(_ctx: ReadContext, item: Epic) -> str | None:
    """The first day that was set."""
    return item.start_date_fixed


@widget_field("ROLLEDUP_DATES", "dueDateFixed: Date")
def fixed_due_date(_ctx: ReadContext, item: Epic) -> str | None:
    """The last day that was set."""
    return item.due_date_fixed


@widget_field("ROLLEDUP_DATES", "startDateIsFixed: Boolean")
def has_fixed_start_date(_ctx: ReadContext, item: Epic) -> bool:
    """Whether the first day is the one that was set."""
    return item.start_date_is_fixed


@widget_field("ROLLEDUP_DATES", "dueDateIsFixed: Boolean")
def has_fixed_due_date(_ctx: ReadContext, item: Epic) -> bool:
    """Whether the last day is the one that was set."""
    return item.due_date_is_fixed


@widget_field("MILESTONE", "milestone: Milestone")
def milestone(ctx: ReadContext, item: Issue) -> Milestone | None:
    """The milestone."""
    return ctx.world.milestones.get(item.milestone_id) if item.milestone_id is not None else None


@widget_field("WEIGHT", "weight: Int")
def weight(_ctx: ReadContext, item: WorkItem) -> int | None:
    """The weight; null for epics, which have that of what is below them."""
    return item.weight if isinstance(item, Issue) else None


@widget_field("WEIGHT", "rolledUpWeight: Int", since="17.2")
def rolled_up_weight(ctx: ReadContext, item: WorkItem) -> int | None:
    """The weight of what is below."""
    return work_items.roll_up_weights(ctx.world, item).total


@widget_field("WEIGHT", "rolledUpCompletedWeight: Int", since="17.3")
def rolled_up_completed_weight(ctx: ReadContext, item: WorkItem) -> int | None:
    """The weight of what is below and closed."""
    return work_items.roll_up_weights(ctx.world, item).completed


@widget_field("ITERATION", "iteration: Iteration")
def iteration(ctx: ReadContext, item: Issue) -> Iteration | None:
    """The iteration."""
    return ctx.world.iterations.get(item.iteration_id) if item.iteration_id is not None else None


def _progress_field(signature: str, attribute: str, description: str, since: str = "") -> None:
    def value(ctx: ReadContext, item: Issue) -> int | str | None:
        progress = objectives.find_progress(ctx.world, item)
        return getattr(progress, attribute) if progress is not None else None

    value.__doc__ = description
    widget_field("PROGRESS", signature, since=since)(value)


_progress_field("progress: Int", "progress", "The progress in percent.")
_progress_field("updatedAt: Time", "updated_at", "Timestamp of the last update of the progress.", "<=16.3")
_progress_field("currentValue: Int", "current_value", "The value of today.", "<=16.9")
_progress_field("startValue: Int", "start_value", "The value at the start.", "<=16.9")
_progress_field("endValue: Int", "end_value", "The value to reach.", "<=16.9")


@widget_field("HEALTH_STATUS", "healthStatus: HealthStatus")
def health_status(_ctx: ReadContext, item: Issue) -> str | None:
    """The health status."""
    return item.health_status


@widget_field("COLOR", "color: String")
def color(_ctx: ReadContext, item: Epic) -> str:
    """The color."""
    return item.color


@widget_field("COLOR", "textColor: String")
def text_color(_ctx: ReadContext, item: Epic) -> str:
    """The color of a legible text."""
    return colors.text_color(item.color)


@widget_field("NOTES", "discussionLocked: Boolean", since="<=16.9")
def discussion_locked(_ctx: ReadContext, item: WorkItem) -> bool:
    """Whether comments are restricted to members."""
    return isinstance(item, Issue) and bool(item.discussion_locked)


Enumeration(
    "WorkItemDiscussionsSort",
    "The order of discussions.",
    {"CREATED_ASC": (False, "Oldest first."), "CREATED_DESC": (True, "Newest first.")},
    since="<=18.5",
)


@widget_field(
    "NOTES",
    "discussions(filter: NotesFilterType = ALL_NOTES, "
    'sort: WorkItemDiscussionsSort = CREATED_ASC @lifetime(since: "<=18.5")): DiscussionConnection',
)
def discussions_of(
    ctx: ReadContext, item: WorkItem, filter: str | None = None, sort: bool | None = None
) -> Sequence[Discussion]:
    """The discussions."""
    found = [
        discussion for discussion in discussions.list_discussions(ctx, item) if is_shown(discussion.notes[0], filter)
    ]
    return found[::-1] if sort else found


@widget_field("NOTES", "notes(filter: NotesFilterType): NoteConnection!", since="<=18.5")
def notes_of(ctx: ReadContext, item: WorkItem, filter: str | None = None) -> Sequence[Note]:
    """The comments and system notes."""
    return [note for note in notes.list_visible_notes(ctx, item) if is_shown(note, filter)]


@widget_field("NOTIFICATIONS", "subscribed: Boolean!")
def subscribed(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller is subscribed."""
    return subscriptions.is_notified(ctx.world, item, ctx.viewer)


@widget_field("CURRENT_USER_TODOS", "currentUserTodos(state: TodoStateEnum): TodoConnection!")
def current_user_todos(ctx: ReadContext, item: WorkItem, state: str | None = None) -> Sequence[Todo]:
    """The caller's to-dos about it, newest first."""
    user = ctx.viewer
    if user is None:
        return ()
    about_item = ctx.world.todos.where("subject", noteables.subject_of(item)).in_reverse()
    own = [todo for todo in about_item if todo.user_id == user.id and state in (None, todo.state)]
    return [todo for todo in own if todos.is_visible(ctx, todo)]


@widget_field("AWARD_EMOJI", "awardEmoji: AwardEmojiConnection")
def award_emoji(ctx: ReadContext, item: WorkItem) -> Sequence[Award]:
    """The reactions, oldest first."""
    return awards.list_awards(ctx, noteables.subject_of(item))


@widget_field("AWARD_EMOJI", "upvotes: Int!")
def upvotes(ctx: ReadContext, item: WorkItem) -> int:
    """Number of upvotes."""
    return awards.count_awards(ctx.world, noteables.subject_of(item), "thumbsup")


@widget_field("AWARD_EMOJI", "downvotes: Int!")
def downvotes(ctx: ReadContext, item: WorkItem) -> int:
    """Number of downvotes."""
    return awards.count_awards(ctx.world, noteables.subject_of(item), "thumbsdown")


LINKED_ITEM = Type("LinkedWorkItemType", "A linked work item, and its link.", since="16.3")


@widget_field("LINKED_ITEMS", "linkedItems(filter: WorkItemRelatedLinkType): LinkedWorkItemTypeConnection")
def linked_items(ctx: ReadContext, item: WorkItem, filter: str | None = None) -> Sequence[LinkedItem]:
    """The linked work items, by link."""
    return [linked for linked in work_items.list_linked(ctx, item) if filter in (None, linked.link_type)]


def _count_open(ctx: ReadContext, item: WorkItem, link_type: str) -> int | None:
    if not has_feature(ctx.world, "premium", noteables.container_of(ctx.world, item)):
        return None
    return sum(linked.item.state == "opened" for linked in linked_items(ctx, item, link_type))


@widget_field("LINKED_ITEMS", "blockedByCount: Int", since="<=16.8")
def blocked_by_count(ctx: ReadContext, item: WorkItem) -> int | None:
    """Number of open work items that block it; null without a licence."""
    return _count_open(ctx, item, "is_blocked_by")


@widget_field("LINKED_ITEMS", "blockingCount: Int", since="<=16.8")
def blocking_count(ctx: ReadContext, item: WorkItem) -> int | None:
    """Number of open work items that it blocks; null without a licence."""
    return _count_open(ctx, item, "blocks")


@widget_field("LINKED_ITEMS", "blocked: Boolean", since="<=16.8")
def blocked(ctx: ReadContext, item: WorkItem) -> bool | None:
    """Whether an open work item blocks it; null without a licence."""
    count = _count_open(ctx, item, "is_blocked_by")
    return None if count is None else count > 0


@ISSUE.field("linkedWorkItems(filter: WorkItemRelatedLinkType): LinkedWorkItemTypeConnection", since="17.8")
def linked_work_items(ctx: ReadContext, issue: Issue, filter: str | None = None) -> Sequence[LinkedItem]:
    """The linked work items, by link."""
    return linked_items(ctx, issue, filter)


@LINKED_ITEM.field("workItem: WorkItem")
def linked_work_item(_ctx: ReadContext, linked: LinkedItem) -> WorkItem:
    """The work item at the other end."""
    return linked.item


@LINKED_ITEM.field("workItemState: WorkItemState!", since="<=18.5")
def linked_state(_ctx: ReadContext, linked: LinkedItem) -> str:
    """The state of the work item at the other end."""
    return linked.item.state


@LINKED_ITEM.field("linkId: WorkItemsRelatedWorkItemLinkID!")
def link_id(ctx: ReadContext, linked: LinkedItem) -> str:
    """The global ID of the link."""
    return global_id(ctx, "WorkItems::RelatedWorkItemLink", linked.link.id)


@LINKED_ITEM.field("linkType: String!")
def link_type(_ctx: ReadContext, linked: LinkedItem) -> str:
    """The type of the link, as seen from the work item that has the widget."""
    return linked.link_type


@LINKED_ITEM.field("linkCreatedAt: Time!")
def link_created_at(_ctx: ReadContext, linked: LinkedItem) -> str:
    """Timestamp of the creation of the link."""
    return linked.link.created_at


@LINKED_ITEM.field("linkUpdatedAt: Time!")
def link_updated_at(_ctx: ReadContext, linked: LinkedItem) -> str:
    """Timestamp of the last update of the link."""
    return linked.link.updated_at


@widget_field("PARTICIPANTS", "participants: UserConnection")
def participants_of(ctx: ReadContext, item: WorkItem) -> Sequence[User]:
    """The participants: author, assignees, commenters and mentioned users."""
    return participants.list_participants(ctx, item)


@widget_field("TIME_TRACKING", "timeEstimate: Int")
def time_estimate(_ctx: ReadContext, item: Issue) -> int:
    """The time estimate in seconds."""
    return item.time_estimate


@widget_field("TIME_TRACKING", "totalTimeSpent: Int")
def total_time_spent(_ctx: ReadContext, item: Issue) -> int:
    """The total time spent in seconds."""
    return item.total_time_spent


@widget_field("TIME_TRACKING", "timelogs: WorkItemTimelogConnection")
def timelogs(ctx: ReadContext, item: Issue) -> Sequence[Timelog]:
    """The logs of the time spent, oldest first."""
    return list_logs(ctx.world, item)


_TIMES: Final = "WorkItemWidgetTimeTrackingHumanReadableAttributes"
_HUMAN: Final = Type(_TIMES, "Times for people.", since="<=18.5")


@widget_field("TIME_TRACKING", f"humanReadableAttributes: {_TIMES}")
def human_readable(_ctx: ReadContext, item: Issue) -> Issue:
    """The times for people."""
    return item


@_HUMAN.field("timeEstimate: String")
def human_estimate(ctx: ReadContext, item: Issue) -> str | None:
    """The time estimate."""
    return issues.format_duration(ctx.world, item.time_estimate)


@_HUMAN.field("totalTimeSpent: String")
def human_time_spent(ctx: ReadContext, item: Issue) -> str | None:
    """The total time spent."""
    return issues.format_duration(ctx.world, item.total_time_spent)


Enumeration(
    "WorkItemRelatedLinkType",
    "The type of a link between work items.",
    {
        "RELATED": ("relates_to", "They are related."),
        "BLOCKS": ("blocks", "One blocks the other."),
        "BLOCKED_BY": ("is_blocked_by", "One is blocked by the other."),
    },
    since="16.3",
)


Enumeration(
    "WorkItemStatusCategoryEnum",
    "The category of a status.",
    {
        "TRIAGE": ("triage", "It is not decided yet."),
        "TO_DO": ("to_do", "Nobody works on it yet."),
        "IN_PROGRESS": ("in_progress", "Somebody works on it."),
        "DONE": ("done", "It is done."),
        "CANCELED": ("canceled", "It will not be done."),
    },
    since="18.2",
)
STATUS: Final = Type(
    "WorkItemStatus", "A status of work items.", gid="WorkItems::Statuses::SystemDefined::Status", since="18.2"
)
STATUS.attributes(
    {
        "name: String": "The name.",
        "description: String": "The description.",
        "color: String": "The color.",
        "iconName: String": "The name of the icon.",
        "position: Int": "The place among the statuses of the category.",
        "category: WorkItemStatusCategoryEnum": "The category.",
    }
)


@widget_field("STATUS", "status: WorkItemStatus")
def status(_ctx: ReadContext, item: Issue) -> Status:
    """The status."""
    return work_statuses.status_of(item)


@widget_field(
    "CUSTOM_FIELDS",
    "customFieldValues(customFieldIds: [IssuablesCustomFieldID!]): [WorkItemCustomFieldValue!]",
)
def custom_field_values(
    ctx: ReadContext, item: WorkItem, custom_field_ids: Sequence[str] | None = None
) -> list[FieldValue]:
    """The values of the custom fields of the type, also of those that have none."""
    wanted = {parse_id(ctx, text, CUSTOM_FIELD) for text in custom_field_ids or ()}
    return [
        FieldValue(field, custom_fields.find_value(ctx.world, field, item))
        for field in custom_fields.list_active(ctx, item)
        if not wanted or field.id in wanted
    ]
