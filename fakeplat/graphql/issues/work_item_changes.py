"""Mutations of work items. Source: docs/platform/work-items.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, cast

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest, NotFound, payload_text
from fakeplat.core.release import Lifetime
from fakeplat.domain import emoji, time_tracking
from fakeplat.domain.customer_relations import crm_access, issue_contacts
from fakeplat.domain.epics import epics
from fakeplat.domain.issuables import creation_limit
from fakeplat.domain.issuables.issuable_records import StateEvent
from fakeplat.domain.issues import issue_access, issues, objectives, work_items, work_statuses
from fakeplat.domain.issues.work_items import EPIC, WorkItem, WorkItemType
from fakeplat.domain.merge_requests import issue_from_threads
from fakeplat.domain.notes import awards, noteables, resolution, subscriptions, todos
from fakeplat.domain.planning import custom_fields, iterations
from fakeplat.domain.purging import purge
from fakeplat.graphql.customer_relations.contacts import KIND as CONTACT
from fakeplat.graphql.customer_relations.issue_contacts import plan as plan_contacts
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import LABEL_KINDS, parse_id
from fakeplat.graphql.issues.work_item_links import change_hierarchy
from fakeplat.graphql.issues.work_item_widgets import list_available_kinds
from fakeplat.graphql.issues.work_items import load_item, reload, require_item
from fakeplat.graphql.lookups import find_namespace, find_visible_project, require_noteable
from fakeplat.graphql.planning.custom_fields import CUSTOM_FIELD, CUSTOM_FIELD_OPTION
from fakeplat.graphql.schema_builder import Enumeration, Input, Scalar, mutation
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue, Kind
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Payload = Mapping[str, Any]
_STATUSES: Final = "18.2"
_PLACES: Final = "<=16.2"
_NO_ESTIMATE: Final = "Time estimate must be formatted correctly. For example: 1h 30m."
_ONE_PATH: Final = "Please provide either projectPath or namespacePath argument, but not both."
_NO_STATUS: Final = "System defined status not provided or references non-existent system defined status"
_OTHER_TYPE: Final = "System defined status not allowed for this work item type"
_GIVES: Final = '"""The work item."""\nworkItem: WorkItem'
_WHICH: Final = '"""The global ID of the work item."""\nid: WorkItemID!'
_MESSAGE: Final = f'{_GIVES}\n"""A text about what was done."""\nmessage: String'

Scalar("WorkItemsStatusesStatusID", "The global ID of a status of work items.", since="18.0")
Enumeration(
    "WorkItemStateEvent",
    "A change of a work item's state.",
    {"CLOSE": ("close", "Close it."), "REOPEN": ("reopen", "Reopen it.")},
    since="<=14.9",
)
Enumeration(
    "WorkItemAwardEmojiUpdateAction",
    "What happens to a reaction.",
    {
        "ADD": ("add", "Award it."),
        "REMOVE": ("remove", "Remove it."),
        "TOGGLE": ("toggle", "Award or remove it.", Lifetime(since="<=16.9")),
    },
    since="<=16.2",
)
Enumeration(
    "WorkItemTodoUpdateAction",
    "What happens to the caller's to-dos.",
    {"ADD": ("add", "Create one."), "MARK_AS_DONE": ("mark_as_done", "Mark one or all as done.")},
    since="<=16.2",
)


class WorkItemInput(TypedDict, total=False):
    """The input of both mutations that set attributes."""

    confidential: bool | None
    description_widget: Mapping[str, Any] | None
    assignees_widget: Mapping[str, Any] | None
    milestone_widget: Mapping[str, Any] | None
    labels_widget: Mapping[str, Any] | None
    start_and_due_date_widget: Mapping[str, Any] | None
    hierarchy_widget: Mapping[str, Any] | None
    weight_widget: Mapping[str, Any] | None
    health_status_widget: Mapping[str, Any] | None
    iteration_widget: Mapping[str, Any] | None
    color_widget: Mapping[str, Any] | None
    custom_fields_widget: Sequence[Mapping[str, Any]] | None
    status_widget: Mapping[str, Any] | None
    crm_contacts_widget: Mapping[str, Any] | None


class NewWorkItem(WorkItemInput, total=False):
    """The input of workItemCreate."""

    description: str | None
    linked_items_widget: Mapping[str, Any] | None
    created_at: str | None
    discussions_to_resolve: Mapping[str, Any] | None


class WorkItemChanges(WorkItemInput, total=False):
    """The input of workItemUpdate."""

    title: str | None
    state_event: StateEvent | None
    notes_widget: Mapping[str, Any] | None
    notifications_widget: Mapping[str, Any] | None
    award_emoji_widget: Mapping[str, Any] | None
    current_user_todos_widget: Mapping[str, Any] | None
    time_tracking_widget: Mapping[str, Any] | None
    progress_widget: Mapping[str, int] | None


def _input(name: str, words: str, fields: str, since: str) -> None:
    Input(f"WorkItemWidget{name}Input", f"The {words} of a work item.", fields, since=since)


_input("Description", "description", '"""The text in Markdown."""\ndescription: String!', "<=15.3")
_input("Assignees", "assignees", '"""The IDs of the users."""\nassigneeIds: [UserID!]!', "<=15.3")
_input(
    "StartAndDueDateUpdate",
    "dates",
    '"""The first day."""\nstartDate: Date\n"""The last day."""\ndueDate: Date',
    "<=15.3",
)
_input("HierarchyCreate", "parent", '"""The ID of the parent."""\nparentId: WorkItemID', "<=15.3")
_input(
    "HierarchyUpdate",
    "parent or the children",
    '"""The ID of the parent; null removes it."""\nparentId: WorkItemID\n'
    '"""The IDs of children to add."""\nchildrenIds: [WorkItemID!]\n'
    f'"""The ID of the work item next to it."""\nadjacentWorkItemId: WorkItemID @lifetime(since: "{_PLACES}")\n'
    f'"""On which side of that."""\nrelativePosition: RelativePositionType @lifetime(since: "{_PLACES}")',
    "<=15.3",
)
_input(
    "LabelsUpdate",
    "labels",
    '"""The IDs of labels to add."""\naddLabelIds: [LabelID!]\n'
    '"""The IDs of labels to remove."""\nremoveLabelIds: [LabelID!]',
    "<=15.8",
)
_input("LabelsCreate", "labels", '"""The IDs of the labels."""\nlabelIds: [LabelID!]!', "<=18.5")
_input("Milestone", "milestone", '"""The ID of the milestone; null removes it."""\nmilestoneId: MilestoneID', "<=15.8")
_input("Weight", "weight", '"""The weight; null removes it."""\nweight: Int', "<=15.8")
_input("HealthStatus", "health status", '"""The status; null removes it."""\nhealthStatus: HealthStatus', "<=15.8")
_input("Iteration", "iteration", '"""The ID of the iteration; null removes it."""\niterationId: IterationID', "<=15.8")
_input("Notes", "comments", '"""Whether they are restricted to members."""\ndiscussionLocked: Boolean!', "<=16.9")
_input("NotificationsUpdate", "notifications", '"""Whether the caller gets them."""\nsubscribed: Boolean!', "<=16.2")
_input(
    "AwardEmojiUpdate",
    "reactions",
    '"""What happens."""\naction: WorkItemAwardEmojiUpdateAction!\n"""The name of the emoji."""\nname: String!',
    "<=16.2",
)
_input(
    "CurrentUserTodos",
    "to-dos",
    '"""What happens."""\naction: WorkItemTodoUpdateAction!\n"""The ID of a to-do."""\ntodoId: TodoID',
    "<=16.2",
)
_input(
    "TimeTrackingTimelog",
    "spent time",
    '"""The time, such as 1h 30m."""\ntimeSpent: String!\n"""When it was spent."""\nspentAt: Time\n'
    '"""How it was spent."""\nsummary: String',
    "<=18.5",
)
_input(
    "TimeTracking",
    "time tracking",
    '"""The estimate, such as 3h 30m."""\ntimeEstimate: String\n'
    '"""Time to log."""\ntimelog: WorkItemWidgetTimeTrackingTimelogInput',
    "<=18.5",
)
_input("Status", "status", '"""The ID of the status."""\nstatus: WorkItemsStatusesStatusID', _STATUSES)
_input(
    "LinkedItemsCreate",
    "linked items",
    '"""The type of the links."""\nlinkType: WorkItemRelatedLinkType\n'
    '"""The IDs of the work items."""\nworkItemsIds: [WorkItemID!]!',
    "<=18.5",
)
_input(
    "Progress",
    "progress",
    '"""The percents."""\nprogress: Int! @lifetime(until: "<=16.3")\n'
    '"""The value of today."""\ncurrentValue: Int! @lifetime(since: "<=16.3")\n'
    '"""The value at the start."""\nstartValue: Int @lifetime(since: "<=16.9")\n'
    '"""The value to reach."""\nendValue: Int @lifetime(since: "<=16.9")',
    "<=15.8",
)
_input("Color", "color", '"""The color."""\ncolor: String!', "<=16.9")

Input(
    "WorkItemWidgetCustomFieldValueInputType",
    "The value of a custom field.",
    '''
"""The ID of the field."""
customFieldId: IssuablesCustomFieldID!
"""The IDs of the selected options."""
selectedOptionIds: [IssuablesCustomFieldSelectOptionID!]
"""A number."""
numberValue: Float
"""A text."""
textValue: String
''',
    since="17.10",
)

_input(
    "CrmContactsCreate",
    "contacts",
    '"""The IDs of the contacts."""\ncontactIds: [CustomerRelationsContactID!]!',
    "<=18.5",
)
_input(
    "CrmContactsUpdate",
    "contacts",
    '"""The IDs of contacts."""\ncontactIds: [CustomerRelationsContactID!]!\n'
    '"""How they change the present ones."""\noperationMode: MutationOperationMode = REPLACE',
    "<=18.5",
)
Input(
    "WorkItemResolveDiscussionsInput",
    "The threads that a new work item resolves.",
    '''
"""The ID of a thread; by default all."""
discussionId: String
"""The global ID of the merge request."""
noteableId: NoteableID!
''',
    since="<=18.5",
)

_WIDGETS_OF_BOTH: Final = '''
"""Whether it is confidential."""
confidential: Boolean @lifetime(since: "<=15.3")
"""The milestone."""
milestoneWidget: WorkItemWidgetMilestoneInput @lifetime(since: "<=15.8")
"""The weight; paid tiers only."""
weightWidget: WorkItemWidgetWeightInput @lifetime(since: "<=15.8")
"""The health status; paid tiers only."""
healthStatusWidget: WorkItemWidgetHealthStatusInput @lifetime(since: "<=15.8")
"""The iteration; paid tiers only."""
iterationWidget: WorkItemWidgetIterationInput @lifetime(since: "<=15.8")
"""The color of an epic."""
colorWidget: WorkItemWidgetColorInput @lifetime(since: "<=16.9")
"""The values of custom fields; paid tiers only."""
customFieldsWidget: [WorkItemWidgetCustomFieldValueInputType!] @lifetime(since: "17.10")
"""The status; paid tiers only."""
statusWidget: WorkItemWidgetStatusInput @lifetime(since: "18.2")
'''


def check_widgets(ctx: ReadContext, item: WorkItem, attributes: Mapping[str, Any]) -> None:
    """Refuse changes of widgets that the type of a work item does not have."""
    _refuse_widgets(ctx, noteables.container_of(ctx.world, item), work_items.type_of(item), attributes)


def _refuse_widgets(ctx: ReadContext, container: Container, kind: WorkItemType, attributes: Mapping[str, Any]) -> None:
    # Statuses have a message of their own.
    named = [f":{name}" for name in attributes if name.endswith("_widget") and name != "status_widget"]
    available = {f":{name.lower()}_widget" for name in list_available_kinds(ctx, container, kind.kind)}
    unknown = [name for name in named if name not in available]
    if unknown:
        raise GraphQLError(f"Following widget keys are not supported by {kind.name} type: [{', '.join(unknown)}]")


def _require_type(ctx: ReadContext, text: str) -> WorkItemType:
    kind = work_items.find_type(parse_id(ctx, text, "WorkItems::Type"))
    if kind is None:
        raise GraphQLError(f"Work Item type with id {text.rpartition('/')[2]} was not found")
    return kind


@mutation(
    "workItemCreate",
    input_fields=f'''
"""The title."""
title: String!
"""The description in Markdown."""
description: String
"""The full path of the project."""
projectPath: ID! @lifetime(until: "<=16.2")
"""The full path of the project; namespacePath replaces it."""
projectPath: ID @lifetime(since: "<=16.2")
"""The full path of the project or group."""
namespacePath: ID @lifetime(since: "<=16.2")
"""The ID of the type."""
workItemTypeId: WorkItemsTypeID!
"""The parent."""
hierarchyWidget: WorkItemWidgetHierarchyCreateInput @lifetime(since: "<=15.3")
"""The description."""
descriptionWidget: WorkItemWidgetDescriptionInput @lifetime(since: "<=18.5")
"""The assignees."""
assigneesWidget: WorkItemWidgetAssigneesInput @lifetime(since: "<=18.5")
"""The labels."""
labelsWidget: WorkItemWidgetLabelsCreateInput @lifetime(since: "<=18.5")
"""The dates."""
startAndDueDateWidget: WorkItemWidgetStartAndDueDateUpdateInput @lifetime(since: "<=18.5")
"""The work items to link it with."""
linkedItemsWidget: WorkItemWidgetLinkedItemsCreateInput @lifetime(since: "<=18.5")
"""The contacts."""
crmContactsWidget: WorkItemWidgetCrmContactsCreateInput @lifetime(since: "<=18.5")
"""Timestamp of creation; only for owners."""
createdAt: Time @lifetime(since: "<=18.5")
"""The threads that it resolves."""
discussionsToResolve: WorkItemResolveDiscussionsInput @lifetime(since: "<=18.5")
{_WIDGETS_OF_BOTH}
''',
    payload_fields=_GIVES,
    since="<=14.9",
)
def create_work_item(
    ctx: WriteContext,
    title: str,
    work_item_type_id: str,
    project_path: str | None = None,
    namespace_path: str | None = None,
    **attributes: Unpack[NewWorkItem],
) -> Payload:
    """Create a work item."""
    if (namespace_path is None) is (project_path is None):
        raise GraphQLError(_ONE_PATH)
    container = _require_container(ctx, namespace_path or project_path or "")
    kind = _require_type(ctx, work_item_type_id)
    _refuse_widgets(ctx, container, kind, attributes)
    if not work_items.is_available(ctx, container, kind):
        raise MutationFailed([f"Work item type {kind.name} is not available here"], {"work_item": None})
    params = {"title": title, **_to_parameters(ctx, attributes)}
    parent = _find_parent(ctx, attributes)
    threads = _read_threads(ctx, container, attributes.get("discussions_to_resolve"))
    with collect_errors(work_item=None):
        item = _create(ctx, container, kind, params, threads)
        if parent is not None:
            work_items.set_parent(ctx, item, parent)
        _set_custom_fields(ctx, item, attributes)
        _set_status(ctx, reload(ctx, item), attributes.get("status_widget"))
        _set_contacts(ctx, reload(ctx, item), attributes.get("crm_contacts_widget"))
        linked = attributes.get("linked_items_widget") or {"work_items_ids": ()}
        for text in linked["work_items_ids"]:
            work_items.link(ctx, item, require_item(ctx, text), linked.get("link_type") or "relates_to")
    return {"work_item": reload(ctx, item)}


def _require_container(ctx: ReadContext, full_path: str) -> Project | Group:
    container = find_visible_project(ctx, full_path) or find_namespace(ctx, full_path)
    if not isinstance(container, Project | Group) or not can_see(ctx, container):
        raise ResourceNotAvailable(lambda: f"{full_path!r} is no project or group that {caller_name(ctx)} sees")
    return container


Threads = tuple[int | None, str | None]
_NO_THREADS: Final[Threads] = (None, None)
_ONLY_MERGE_REQUESTS: Final = "Only Merge Requests are allowed as a noteable to resolve discussions of at the moment."
_ONLY_PROJECTS: Final = "Only project level work items can be created to resolve noteable discussions"


def _read_threads(ctx: ReadContext, container: Project | Group, given: Mapping[str, Any] | None) -> Threads:
    """Return the number of a merge request and the ID of a thread, whose threads the caller may resolve."""
    if given is None:
        return _NO_THREADS
    merge_request = require_noteable(ctx, given["noteable_id"])
    if not isinstance(merge_request, MergeRequest):
        raise GraphQLError(_ONLY_MERGE_REQUESTS)
    thread_id = given.get("discussion_id")
    if not isinstance(container, Project):
        raise GraphQLError(_ONLY_PROJECTS)
    found = issue_from_threads.find_threads(ctx, container, merge_request.iid, thread_id)
    is_own = merge_request.project_id == container.id
    if not is_own or found is None or not found.threads or not resolution.can_resolve(ctx, merge_request).allowed:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} resolves no threads of {given['noteable_id']}")
    return merge_request.iid, thread_id


def _create(
    ctx: WriteContext, container: Project | Group, kind: WorkItemType, params: dict[str, Any], threads: Threads
) -> WorkItem:
    user = ctx.signed_in_user
    if isinstance(container, Project) and kind.kind != EPIC:
        creation_limit.authorize_issue(ctx, container)
        _keep_usable_iteration(ctx, container, params)
        return issue_from_threads.create_issue(ctx, container, user, *threads, **{**params, "kind": kind.kind})
    if isinstance(container, Group) and kind.kind == EPIC:
        authorize(ctx, Ability.ADMIN_EPIC, container)
        times = {"created_at": params["created_at"]} if "created_at" in params else {}
        allowed = times if times and epics.can_set_times(ctx, container) else {}
        return epics.create(ctx, container, user, **_to_epic_parameters(params), **allowed)
    raise ResourceNotAvailable(lambda: f"a {kind.name} cannot be created here")


@mutation(
    "workItemUpdate",
    input_fields=f'''{_WHICH}
"""The title."""
title: String
"""Whether to close or reopen it."""
stateEvent: WorkItemStateEvent
"""The description."""
descriptionWidget: WorkItemWidgetDescriptionInput @lifetime(since: "<=15.3")
"""The parent, or the children."""
hierarchyWidget: WorkItemWidgetHierarchyUpdateInput @lifetime(since: "<=15.3")
"""The dates."""
startAndDueDateWidget: WorkItemWidgetStartAndDueDateUpdateInput @lifetime(since: "<=15.3")
"""The assignees."""
assigneesWidget: WorkItemWidgetAssigneesInput @lifetime(since: "<=15.3")
"""The labels."""
labelsWidget: WorkItemWidgetLabelsUpdateInput @lifetime(since: "<=15.8")
"""The comments."""
notesWidget: WorkItemWidgetNotesInput @lifetime(since: "<=16.9")
"""The notifications of the caller."""
notificationsWidget: WorkItemWidgetNotificationsUpdateInput @lifetime(since: "<=16.2")
"""The reactions of the caller."""
awardEmojiWidget: WorkItemWidgetAwardEmojiUpdateInput @lifetime(since: "<=16.2")
"""The to-dos of the caller."""
currentUserTodosWidget: WorkItemWidgetCurrentUserTodosInput @lifetime(since: "<=16.2")
"""The estimate."""
timeTrackingWidget: WorkItemWidgetTimeTrackingInput @lifetime(since: "<=18.5")
"""The progress of an objective or a key result; paid tiers only."""
progressWidget: WorkItemWidgetProgressInput @lifetime(since: "<=15.8")
"""The contacts."""
crmContactsWidget: WorkItemWidgetCrmContactsUpdateInput @lifetime(since: "<=18.5")
{_WIDGETS_OF_BOTH}
''',
    payload_fields=_GIVES,
    since="<=14.9",
)
def update_work_item(ctx: WriteContext, id: str, **attributes: Unpack[WorkItemChanges]) -> Payload:
    """Update a work item."""
    item = require_item(ctx, id)
    check_widgets(ctx, item, attributes)
    # Reactions, to-dos and notifications are those of the caller, who need not be able to change the work item.
    if attributes.keys() - _OWN_WIDGETS.keys():
        noteables.authorize_update(ctx, item)
    with collect_errors(work_item=None):
        apply_changes(ctx, item, attributes)
    return {"work_item": reload(ctx, item)}


def apply_changes(ctx: WriteContext, item: WorkItem, attributes: Mapping[str, Any]) -> None:
    """Change a work item that the caller may update: its attributes, and what its widgets show."""
    _change(ctx, item, _to_parameters(ctx, attributes))
    _set_status(ctx, reload(ctx, item), attributes.get("status_widget"))
    change_hierarchy(ctx, item, attributes.get("hierarchy_widget"))
    _set_custom_fields(ctx, reload(ctx, item), attributes)
    _set_contacts(ctx, reload(ctx, item), attributes.get("crm_contacts_widget"))
    _set_progress(ctx, reload(ctx, item), attributes.get("progress_widget"))
    _log_time(ctx, reload(ctx, item), (attributes.get("time_tracking_widget") or {}).get("timelog"))
    if attributes.get("subscription_event"):
        _subscribe(ctx, item, {"subscribed": attributes["subscription_event"] == "subscribe"})
    for name, change in _OWN_WIDGETS.items():
        if attributes.get(name) is not None:
            change(ctx, reload(ctx, item), attributes[name])


def _change(ctx: WriteContext, item: WorkItem, params: dict[str, Any]) -> None:
    estimate = params.pop("time_estimate", None)
    if isinstance(item, Epic):
        if params:
            epics.update(ctx, item, **_to_epic_parameters(params))
        return
    project = ctx.world.projects[item.project_id]
    _keep_usable_iteration(ctx, project, params)
    changed = issues.update(ctx, project, item, **params) if params else item
    if estimate is not None:
        seconds = time_tracking.parse_seconds(estimate)
        if seconds is None:
            raise MutationFailed([_NO_ESTIMATE], {"work_item": None})
        time_tracking.set_estimate(ctx, changed, seconds)


def _keep_usable_iteration(ctx: ReadContext, project: Project, params: dict[str, Any]) -> None:
    """Leave out an iteration that the project cannot use."""
    id_ = params.get("iteration_id")
    is_usable = id_ is None or any(one.id == id_ for one in iterations.list_available(ctx.world, project))
    if not is_usable or not has_feature(ctx.world, "premium", project):
        params.pop("iteration_id", None)


_VALUES: Final = ("selected_option_ids", "number_value", "text_value")


def _set_custom_fields(ctx: WriteContext, item: WorkItem, attributes: Mapping[str, Any]) -> None:
    given = attributes.get("custom_fields_widget") or ()
    if any(sum(name in each for name in _VALUES) > 1 for each in given):
        names = "selectedOptionIds, numberValue, textValue"
        raise GraphQLError(f"Only one of [{names}] arguments is allowed at the same time.")
    custom_fields.set_values(ctx, item, [_read_custom_field(ctx, each) for each in given])


def _read_custom_field(ctx: ReadContext, given: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
    chosen = [parse_id(ctx, text, CUSTOM_FIELD_OPTION) for text in given.get("selected_option_ids") or ()]
    return parse_id(ctx, given["custom_field_id"], CUSTOM_FIELD), {**given, "selected_option_ids": chosen}


def _log_time(ctx: WriteContext, item: WorkItem, log: Mapping[str, Any] | None) -> None:
    if log is None or isinstance(item, Epic):
        return
    seconds = time_tracking.parse_seconds(log["time_spent"])
    if seconds is None:
        raise MutationFailed([time_tracking.MISFORMATTED], {"work_item": None})
    time_tracking.create_log(ctx, item, seconds, log.get("spent_at") or ctx.now_iso, log.get("summary") or "")


def _set_contacts(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any] | None) -> None:
    if widget is None or isinstance(item, Epic):
        return
    ids = [parse_id(ctx, text, CONTACT) for text in widget["contact_ids"]]
    if sorted(ids) == sorted(contact.id for contact in issue_contacts.list_of(ctx.world, item)):
        return
    namespace = ctx.world.namespaces[ctx.world.projects[item.project_id].namespace_id]
    if not isinstance(namespace, Group):
        raise BadRequest("Work item not supported")
    if not crm_access.is_enabled(ctx.world, namespace):
        raise BadRequest("Feature disabled")
    errors = issue_contacts.change(ctx, item, plan_contacts(ctx.world, item, ids, widget.get("operation_mode")))
    if errors:
        raise BadRequest(errors[0])


def _set_progress(ctx: WriteContext, item: WorkItem, values: Mapping[str, int] | None) -> None:
    if values is None or isinstance(item, Epic) or not noteables.can_administer(ctx, item):
        return
    if "progress" in values:
        objectives.set_percents(ctx, item, values["progress"])
    else:
        objectives.set_values(ctx, item, values["current_value"], values.get("start_value"), values.get("end_value"))


def _set_status(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any] | None) -> None:
    if not widget or widget.get("status") is None or isinstance(item, Epic):
        return
    status = work_statuses.find_status(parse_id(ctx, widget["status"], work_statuses.GID))
    if status is None:
        raise MutationFailed([_NO_STATUS], {"work_item": None})
    if item.kind not in work_statuses.TYPES:
        raise MutationFailed([_OTHER_TYPE], {"work_item": None})
    work_statuses.set_status(ctx, item, status)


def _find_parent(ctx: ReadContext, attributes: Mapping[str, Any]) -> WorkItem | None:
    parent_id = (attributes.get("hierarchy_widget") or {}).get("parent_id")
    return None if parent_id is None else load_item(ctx, "parentId", parent_id)


def _subscribe(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any]) -> None:
    is_subscribed = subscriptions.is_notified(ctx.world, item, ctx.user)
    if is_subscribed != widget["subscribed"]:
        subject = noteables.subject_of(item)
        subscriptions.subscribe(ctx, subject, ctx.signed_in_user, subscribed=widget["subscribed"], now=is_subscribed)


def _react(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any]) -> None:
    name = emoji.canonical_name(widget["name"]) or widget["name"]
    own = ctx.world.awards.find("own", (noteables.subject_of(item), ctx.signed_in_user.id, name))
    if own is not None and widget["action"] in ("remove", "toggle"):
        awards.delete_award(ctx, own)
        return
    if widget["action"] == "remove":
        raise MutationFailed([f"User has not awarded emoji of type {name} on the awardable"], {"work_item": None})
    try:
        awards.add_award(ctx, item, None, name)
    except NotFound as refusal:
        text = payload_text(refusal.payload).removeprefix("404 Award Emoji ").removesuffix(" Not Found")
        raise MutationFailed([text], {"work_item": None}) from refusal


def _change_todos(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any]) -> None:
    subject, user = noteables.subject_of(item), ctx.signed_in_user
    pending = todos.list_pending(ctx.world, user, subject)
    if widget["action"] == "add":
        if not pending:
            todos.mark_for_later(ctx, item)
        return
    chosen = widget.get("todo_id")
    for todo in pending:
        if chosen is None or todo.id == parse_id(ctx, chosen, "Todo"):
            todos.mark_done(ctx, todo)


_OWN_WIDGETS: Final[Mapping[str, Callable[[WriteContext, WorkItem, Mapping[str, Any]], None]]] = {
    "notifications_widget": _subscribe,
    "award_emoji_widget": _react,
    "current_user_todos_widget": _change_todos,
}


def _to_parameters(ctx: ReadContext, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the domain functions for attributes and widgets."""
    params: dict[str, Any] = {
        name: attributes[name]
        for name in ("title", "description", "confidential", "state_event", "created_at")
        if attributes.get(name) is not None
    }
    for widget, names in _PLAIN_WIDGETS.items():
        values = attributes.get(widget) or {}
        params |= {name: values[name] for name in names if name in values}
    if "assignees_widget" in attributes:
        ids = (attributes["assignees_widget"] or {}).get("assignee_ids") or ()
        params["assignee_ids"] = [parse_id(ctx, text, "User") for text in ids]
    milestone = attributes.get("milestone_widget") or {}
    if "milestone_id" in milestone:
        text = milestone["milestone_id"]
        params["milestone_id"] = None if text is None else parse_id(ctx, text, "Milestone")
    iteration = attributes.get("iteration_widget") or {}
    if "iteration_id" in iteration:
        text = iteration["iteration_id"]
        params["iteration_id"] = None if text is None else parse_id(ctx, text, "Iteration")
    labels = attributes.get("labels_widget") or {}
    for name, parameter in _LABELS.items():
        if labels.get(name) is not None:
            params[parameter] = _label_titles(ctx, labels[name])
    return params


_PLAIN_WIDGETS: Final[Mapping[str, Sequence[str]]] = {
    "description_widget": ("description",),
    "start_and_due_date_widget": ("start_date", "due_date"),
    "weight_widget": ("weight",),
    "health_status_widget": ("health_status",),
    "notes_widget": ("discussion_locked",),
    "color_widget": ("color",),
    "time_tracking_widget": ("time_estimate",),
}
_LABELS: Final = {"label_ids": "labels", "add_label_ids": "add_labels", "remove_label_ids": "remove_labels"}
_EPIC_PARAMETERS: Final = (
    *("title", "description", "confidential", "state_event", "labels", "add_labels", "remove_labels", "color"),
)


def _label_titles(ctx: ReadContext, ids: Iterable[str]) -> list[str]:
    found = (ctx.world.labels.get(parse_id(ctx, text, *LABEL_KINDS)) for text in ids)
    return [label.title for label in found if label is not None]


def _to_epic_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an epic, whose dates are fixed ones once they are set."""
    fields = {name: value for name, value in params.items() if name in _EPIC_PARAMETERS}
    for name in ("start_date", "due_date"):
        if name in params:
            fields |= {f"{name}_fixed": params[name], f"{name}_is_fixed": params[name] is not None}
    return fields


@mutation(
    "workItemDelete",
    input_fields=_WHICH,
    payload_fields='"""The project."""\nproject: Project\n'
    '"""The project or group."""\nnamespace: Namespace @lifetime(since: "16.9")',
    since="<=14.9",
)
def delete_work_item(ctx: WriteContext, id: str) -> Payload:
    """Delete a work item."""
    item = require_item(ctx, id)
    work_items.authorize_deletion(ctx, item)
    container = noteables.container_of(ctx.world, item)
    purge(ctx, item)
    return {"project": container if isinstance(container, Project) else None, "namespace": container}


@mutation(
    "workItemConvert",
    input_fields=f'{_WHICH}\n"""The ID of the new type."""\nworkItemTypeId: WorkItemsTypeID!',
    payload_fields=_GIVES,
    since="15.11",
)
def convert_work_item(ctx: WriteContext, id: str, work_item_type_id: str) -> Payload:
    """Change the type of a work item."""
    item, kind = require_item(ctx, id), _require_type(ctx, work_item_type_id)
    noteables.authorize_update(ctx, item)
    container = noteables.container_of(ctx.world, item)
    if not isinstance(item, Issue) or kind.kind == EPIC or not work_items.is_available(ctx, container, kind):
        text = f"You are not allowed to change the Work Item type to {kind.name}."
        raise MutationFailed([text], {"work_item": item})
    with collect_errors(work_item=item):
        changed = issues.update(ctx, ctx.world.projects[item.project_id], item, kind=cast(Kind, kind.kind))
        if changed.kind not in issue_access.OKRS:
            objectives.remove_progress(ctx, changed)
    return {"work_item": changed}


@mutation(
    "workItemSubscribe",
    input_fields=f'{_WHICH}\n"""Whether the caller is subscribed."""\nsubscribed: Boolean!',
    payload_fields=_GIVES,
    since="16.3",
)
def subscribe_work_item(ctx: WriteContext, id: str, subscribed: bool) -> Payload:
    """Subscribe to a work item, or unsubscribe from it."""
    item = require_item(ctx, id)
    _subscribe(ctx, item, {"subscribed": subscribed})
    return {"work_item": reload(ctx, item)}
