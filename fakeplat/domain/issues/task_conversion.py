"""Tasks in descriptions that become work items. Source: docs/platform/work-items.md ('Tasks of descriptions')."""

import re
from typing import Final, cast

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.issues import issues, work_items
from fakeplat.domain.issues.work_items import WorkItemType
from fakeplat.model.issues import Issue, Kind
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext

_STALE: Final = "Stale work item. Check lock version"
# ``> - [ ] Mend``: maybe a quotation, the marks of lists, a box and a text.
_TASK: Final = re.compile(r"^(?:>\s{0,4})*((?:\s*(?:[-+*]|\d+[.)]))+)\s+(\[[xX\s]\])\s.+")


def convert(
    ctx: WriteContext, project: Project, issue: Issue, kind: WorkItemType, title: str, lines: tuple[int, int], lock: int
) -> Issue:
    """Create a work item below an issue from the task in some lines of its description, which then refers to it.

    ``kind`` is not that of epics. 400 if there is no task in the first line. ``lock`` is the version of the issue that
    the caller knows; none is counted, so it is 0.
    """
    created = issues.create(
        ctx,
        project,
        ctx.signed_in_user,
        title=title.strip(),
        kind=cast("Kind", kind.kind),
        confidential=issue.confidential,
    )
    work_items.set_parent(ctx, created, issue)
    description = _replace_task(issue.description or "", lines, f"#{created.iid}+", lock)
    issues.update(ctx, project, issue, description=description)
    return ctx.world.issues[created.id]


def _replace_task(description: str, lines: tuple[int, int], reference: str, lock: int) -> str:
    first, last = lines
    _refuse_if(lock != 0, _STALE)
    _refuse_if(first < 1, "line_number_start must be greater than 0")
    _refuse_if(last < first, "line_number_end must be greater or equal to line_number_start")
    _refuse_if(not description.strip(), "Work item description can't be blank")
    source = description.rstrip("\n").split("\n")
    task = _TASK.match(source[first - 1]) if first <= len(source) else None
    if task is None:
        raise BadRequest(f"Unable to detect a task on line {first}", reason="the line has no task")
    source[first - 1 : last] = [f"{task[1]} {task[2]} {reference}{source[first - 1][task.end() :]}"]
    return "\n".join(source)


def _refuse_if(condition: bool, text: str) -> None:
    if condition:
        raise BadRequest(text, reason="the task cannot become a work item")
