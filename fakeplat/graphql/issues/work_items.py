"""Work items: types, items and lists. Source: docs/platform/work-items.md."""

from collections.abc import Sequence
from typing import Final

from graphql import GraphQLError

from fakeplat.domain.epics import epic_access
from fakeplat.domain.issues import work_items
from fakeplat.domain.issues.work_items import WorkItem, WorkItemType
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import noteables, references
from fakeplat.domain.people import namespaces, user_agents
from fakeplat.entities.epics import EpicView
from fakeplat.entities.issues.issues import IssueView
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.people import Namespace, User
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

Scalar("WorkItemID", "The global ID of a work item.", since="14.8")
Scalar("WorkItemsTypeID", "The global ID of a type of work items.", since="14.8")
Scalar("WorkItemsRelatedWorkItemLinkID", "The global ID of a link between work items.", since="16.3")
Scalar("Date", "A date in ISO 8601 format.", str, str, since="<=14.0")
Enumeration(
    "WorkItemState",
    "The state of a work item.",
    {"OPEN": ("opened", "It is open."), "CLOSED": ("closed", "It is closed.")},
    since="14.8",
)
KINDS: Final = ("WorkItem", "Issue")
_MOST_REFERENCES: Final = 10
_TOO_MANY_REFERENCES: Final = (
    "Number of references exceeds the limit. "
    f"Please provide no more than {_MOST_REFERENCES} references at the same time."
)
"""The kinds of global ids that name a work item."""

WORK_ITEM_TYPE = Type("WorkItemType", "A type of work items.", gid="WorkItems::Type", since="14.8")
WORK_ITEM_TYPE.attributes({"name: String!": "The name."})


@WORK_ITEM_TYPE.field("iconName: String")
def icon_name(_ctx: ReadContext, kind: WorkItemType) -> str:
    """The name of the icon."""
    return f"issue-type-{kind.kind.replace('_', '-')}"


WORK_ITEM = Type(
    "WorkItem",
    "A work item: an issue, a task, an epic or another type.",
    gid="WorkItem",
    since="14.8",
    connection_since="15.1",
    has_count=True,
    count_since="<=18.5",
)
WORK_ITEM.attributes({"title: String!": "The title.", "description: String": "The description in Markdown."})
WORK_ITEM.attributes({"confidential: Boolean!": "Whether it is confidential."}, since="<=15.3")
WORK_ITEM.attributes(
    {
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
        "closedAt: Time": "Timestamp of closing.",
    },
    since="<=15.8",
)


@WORK_ITEM.field("iid: ID!")
def iid(_ctx: ReadContext, item: WorkItem) -> str:
    """The number within the project or group."""
    return str(item.iid)


@WORK_ITEM.field("state: WorkItemState!")
def state(_ctx: ReadContext, item: WorkItem) -> str:
    """The state."""
    return item.state


@WORK_ITEM.field("titleHtml: String")
def title_html(ctx: ReadContext, item: WorkItem) -> str:
    """The title rendered as HTML."""
    return markup.render_line(ctx, item.title, find_project(ctx, item))


@WORK_ITEM.field("descriptionHtml: String")
def description_html(ctx: ReadContext, item: WorkItem) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, item.description, find_project(ctx, item))


@WORK_ITEM.field("workItemType: WorkItemType!")
def work_item_type(_ctx: ReadContext, item: WorkItem) -> WorkItemType:
    """The type."""
    return work_items.type_of(item)


@WORK_ITEM.field("lockVersion: Int!", since="<=14.10")
def lock_version(_ctx: ReadContext, _item: WorkItem) -> int:
    """The number of changes that must not be lost; none is counted."""
    return 0


@WORK_ITEM.field("author: User", since="15.9")
def author(ctx: ReadContext, item: WorkItem) -> User | None:
    """The author."""
    return ctx.world.users.get(item.author_id)


@WORK_ITEM.field("project: Project", since="15.3")
def find_project(ctx: ReadContext, item: WorkItem) -> Project | None:
    """The project; null for what belongs to a group."""
    return ctx.world.projects[item.project_id] if isinstance(item, Issue) else None


@WORK_ITEM.field("namespace: Namespace", since="15.10")
def namespace(ctx: ReadContext, item: WorkItem) -> Container:
    """The namespace: that of the project, or the group."""
    return noteables.container_of(ctx.world, item)


@WORK_ITEM.field("reference(full: Boolean = false): String!", since="<=16.2")
def reference(ctx: ReadContext, item: WorkItem, full: bool | None = False) -> str:
    """The reference, as used in texts."""
    return noteables.format_reference(ctx.world, item, None if full else noteables.container_of(ctx.world, item))


@WORK_ITEM.field("webUrl: String", since="<=15.8")
def web_url(ctx: ReadContext, item: WorkItem) -> str:
    """The URL of the page."""
    if isinstance(item, Epic):
        return str(EpicView(item, ctx).web_url())
    url = str(IssueView(item, ctx).web_url())
    return url if item.kind in ("issue", "incident") else url.replace("/-/issues/", "/-/work_items/")


@WORK_ITEM.field("archived: Boolean!", since="16.5")
def archived(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the project is archived."""
    project = find_project(ctx, item)
    return project is not None and project.archived


@WORK_ITEM.field("name: String!", since="<=18.5")
def name(_ctx: ReadContext, item: WorkItem) -> str:
    """The title, as the name of a target of to-dos."""
    return item.title


@WORK_ITEM.field("imported: Boolean!", since="<=18.5")
@WORK_ITEM.field("hidden: Boolean", since="<=18.5")
def is_never(_ctx: ReadContext, _item: WorkItem) -> bool:
    """Never the case here."""
    return False


@WORK_ITEM.field("createNoteEmail: String", since="<=16.2")
def create_note_email(_ctx: ReadContext, _item: WorkItem) -> str | None:
    """The e-mail address for comments; null, because the instance does not receive mails."""
    return None


@WORK_ITEM.field("userDiscussionsCount: Int!", since="<=18.5")
def user_discussions_count(ctx: ReadContext, item: WorkItem) -> int:
    """Number of discussions of the comments."""
    return len({note.discussion_id for note in ctx.world.notes.where("comments", noteables.subject_of(item))})


PERMISSIONS = Type("WorkItemPermissions", "What the caller may do with a work item.", since="<=15.0")


@WORK_ITEM.field("userPermissions: WorkItemPermissions!", since="<=15.0")
def user_permissions(_ctx: ReadContext, item: WorkItem) -> WorkItem:
    """What the caller may do."""
    return item


@PERMISSIONS.field("readWorkItem: Boolean!")
def may_read(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may see it."""
    return noteables.is_visible(ctx, item)


@PERMISSIONS.field("updateWorkItem: Boolean!")
def may_update(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may change it."""
    return noteables.can_update(ctx, item).allowed


@PERMISSIONS.field("deleteWorkItem: Boolean!")
def may_delete(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may delete it."""
    if isinstance(item, Epic):
        return epic_access.decide_on(ctx, item, Ability.DESTROY_EPIC).allowed
    return can(ctx, Ability.DESTROY_ISSUE, ctx.world.projects[item.project_id])


@PERMISSIONS.field("adminWorkItem: Boolean!", since="<=16.2")
@PERMISSIONS.field("setWorkItemMetadata: Boolean!", since="<=16.2")
@PERMISSIONS.field("adminParentLink: Boolean!", since="<=16.2")
@PERMISSIONS.field("adminWorkItemLink: Boolean!", since="<=16.9")
def may_administer(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may set labels, dates and relations."""
    return noteables.can_administer(ctx, item)


@PERMISSIONS.field("createNote: Boolean!", since="<=16.2")
def may_comment(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller may comment."""
    return noteables.can_comment(ctx, item, Ability.CREATE_NOTE).allowed


@PERMISSIONS.field("reportSpam: Boolean!", since="<=18.5")
def may_report_spam(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the caller, an administrator, may report it as spam."""
    return user_agents.can_report_spam(ctx, noteables.subject_of(item))


# Single work items and lists


@QUERY.field("workItem(id: WorkItemID!): WorkItem", single=True, since="<=14.10")
def find_work_item(ctx: ReadContext, id: str) -> WorkItem | None:  # the argument's name on the wire
    """The work item with a global ID."""
    return work_items.find_item(ctx, parse_id(ctx, id, *KINDS))


@QUERY.field("workItemsByReference(refs: [String!]!, contextNamespacePath: ID): WorkItemConnection", since="16.7")
def find_work_items_by_reference(
    ctx: ReadContext, refs: Sequence[str], context_namespace_path: str | None = None
) -> Sequence[WorkItem]:
    """The work items that references name, as they are read in a project or group; the newest first."""
    if len(refs) > _MOST_REFERENCES:
        raise GraphQLError(_TOO_MANY_REFERENCES)
    if not refs:
        return ()
    container = _require_container(ctx, context_namespace_path or "")
    ids = references.find_work_items(ctx, container, " ".join(refs))
    found = (work_items.find_item(ctx, id_) for id_ in sorted(ids, reverse=True))
    return [item for item in found if item is not None]


def _require_container(ctx: ReadContext, path: str) -> Project | Namespace:
    container = namespaces.find_project_by_path(ctx.world, path) or find_namespace(ctx, path)
    if container is None or not can_see(ctx, container):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no project or group {path!r}")
    return container


@NAMESPACE.field("workItem(iid: String!): WorkItem", since="16.10")
@GROUP.field("workItem(iid: String!): WorkItem", since="16.4")
def find_work_item_by_iid(ctx: ReadContext, container: Namespace | Project, iid: str) -> WorkItem | None:
    """The work item with a number in the namespace."""
    if not iid.isdecimal():
        return None
    key = (container.id, int(iid))
    found: WorkItem | None = (
        ctx.world.issues.find("iid", key) if isinstance(container, Project) else ctx.world.epics.find("iid", key)
    )
    return found if found is not None and noteables.is_visible(ctx, found) else None


@PROJECT.field('workItemTypes(name: IssueType @lifetime(since: "<=18.5")): WorkItemTypeConnection', since="<=14.10")
@GROUP.field('workItemTypes(name: IssueType @lifetime(since: "<=18.5")): WorkItemTypeConnection', since="<=14.10")
@NAMESPACE.field("workItemTypes(name: IssueType): WorkItemTypeConnection", since="17.2")
def work_item_types(
    ctx: ReadContext, container: Namespace | Project, name: str | None = None
) -> Sequence[WorkItemType]:
    """The types that work items of the namespace can have."""
    kinds = (kind for kind in work_items.TYPES if name in (None, kind.kind))
    return [kind for kind in kinds if work_items.is_available(ctx, container, kind)]


def require_item(ctx: ReadContext, text: str) -> WorkItem:
    """Return a work item that the caller sees."""
    item = work_items.find_item(ctx, parse_id(ctx, text, "WorkItem", "Issue"))
    if item is None:
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    return item


def load_item(ctx: ReadContext, argument: str, text: str) -> WorkItem:
    """Return the work item that an argument names; the library's error if there is none that the caller sees."""
    item = work_items.find_item(ctx, parse_id(ctx, text, "WorkItem", "Issue"))
    if item is None:
        raise GraphQLError(f'No object found for `{argument}: "{text}"`')
    return item


def reload(ctx: WriteContext, item: WorkItem) -> WorkItem:
    """Return a work item as it is now."""
    return ctx.world.issues[item.id] if isinstance(item, Issue) else ctx.world.epics[item.id]
