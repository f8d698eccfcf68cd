"""Tasks in descriptions that become work items. Source: docs/platform/work-items.md ('Tasks of descriptions')."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from graphql import GraphQLError

from fakeplat.domain.issuables import creation_limit
from fakeplat.domain.issues import task_conversion, work_items
from fakeplat.domain.issues.work_items import EPIC
from fakeplat.domain.notes import noteables
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.work_items import reload, require_item
from fakeplat.graphql.schema_builder import Input, mutation
from fakeplat.model.issues import Issue
from fakeplat.policy.context import WriteContext

_SINCE: Final = "<=14.10"
Input(
    "WorkItemConvertTaskInput",
    "A task in a description.",
    '''
"""The first line of the task."""
lineNumberStart: Int!
"""The last line of the task."""
lineNumberEnd: Int!
"""The lockVersion of the work item."""
lockVersion: Int!
"""The title of the new work item."""
title: String!
"""The type of the new work item."""
workItemTypeId: WorkItemsTypeID!
''',
    since=_SINCE,
)


class TaskArguments(TypedDict):
    """A task in a description."""

    line_number_start: int
    line_number_end: int
    lock_version: int
    title: str
    work_item_type_id: str


@mutation(
    "workItemCreateFromTask",
    input_fields='"""The global ID of the work item."""\nid: WorkItemID!\n'
    '"""The task."""\nworkItemData: WorkItemConvertTaskInput!',
    payload_fields='"""The work item with the task."""\nworkItem: WorkItem\n'
    '"""The new work item."""\nnewWorkItem: WorkItem',
    since=_SINCE,
)
def create_from_task(ctx: WriteContext, id: str, work_item_data: TaskArguments) -> Mapping[str, Any]:
    """Create a work item from a task in the description of another one."""
    item = require_item(ctx, id)
    noteables.authorize_update(ctx, item)
    if not isinstance(item, Issue):
        raise ResourceNotAvailable("epics have no tasks that become work items")
    project = ctx.world.projects[item.project_id]
    type_id = parse_id(ctx, work_item_data["work_item_type_id"], "WorkItems::Type")
    kind = work_items.find_type(type_id)
    if kind is None:
        raise GraphQLError(f"Work Item type with id {type_id} was not found")
    if kind.kind == EPIC:
        raise ResourceNotAvailable("epics are created in groups only")
    creation_limit.authorize_issue(ctx, project)
    lines = (work_item_data["line_number_start"], work_item_data["line_number_end"])
    with collect_errors(work_item=None, new_work_item=None):
        created = task_conversion.convert(
            ctx, project, item, kind, work_item_data["title"], lines, work_item_data["lock_version"]
        )
    return {"work_item": reload(ctx, item), "new_work_item": created}
