"""Who sees an issue, who may be assigned to it, and which of its fields the caller may set.

Source: docs/platform/issues.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.model.issues import Issue
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_ADMINISTERED: Final = (
    "assignee_ids",
    "assignee_id",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "due_date",
    "discussion_locked",
    "weight",
    "health_status",
)


def is_visible(ctx: ReadContext, issue: Issue, project: Project) -> bool:
    """Whether an issue exists for the caller, who sees the project's issues."""
    if not issue.confidential or level_on(ctx, project) >= Level.REPORTER:
        return True
    user = ctx.viewer
    return user is not None and (user.id == issue.author_id or user.id in issue.assignee_ids)


def is_assignable(ctx: ReadContext, project: Project, user: User) -> bool:
    """Whether issues of a project can be assigned to somebody."""
    return can(ctx.as_user(user), Ability.READ_ISSUES, project)


def permitted_params(ctx: ReadContext, project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """What of the given parameters the caller may set; the rest is dropped as the platform does it."""
    dropped: set[str] = set()
    if not can(ctx, Ability.ADMIN_ISSUE, project):
        dropped.update(_ADMINISTERED)
    if not can(ctx, Ability.SET_ISSUE_TIMES, project):
        dropped.update(("created_at", "updated_at", "iid"))
    if not has_feature(ctx.world, "premium", project):
        dropped.update(("weight", "epic_id", "epic_iid"))
    if not has_feature(ctx.world, "ultimate", project):
        dropped.add("health_status")
    return {name: value for name, value in given.items() if name not in dropped}
