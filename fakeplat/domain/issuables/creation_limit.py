"""The limit of new issues and epics in a minute (``issues_create_limit``). Source: docs/platform/rate-limits.md."""

from collections.abc import Hashable

from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import EPICS_ARE_LIMITED, ISSUES_ARE_LIMITED_BY_PROJECT
from fakeplat.policy.context import WriteContext


def authorize_issue(ctx: WriteContext, project: Project) -> None:
    """Refuse callers who may not create issues in a project, and with 429 those who created too many."""
    # Before projects were counted separately, refused attempts used up the limit, too.
    if not ctx.profile.has(ISSUES_ARE_LIMITED_BY_PROJECT):
        _count(ctx, ctx.signed_in_user.id)
    authorize(ctx, Ability.CREATE_ISSUE, project)
    count_copy(ctx, project)


def count_copy(ctx: WriteContext, project: Project) -> None:
    """Count an issue that the caller makes in a project; 429 above the limit. Earlier releases count no copies."""
    if ctx.profile.has(ISSUES_ARE_LIMITED_BY_PROJECT):
        _count(ctx, (project.id, ctx.signed_in_user.id))


def count_epic(ctx: WriteContext) -> None:
    """Count an epic that the caller creates; 429 above the limit, which was only for issues at first."""
    if ctx.profile.has(EPICS_ARE_LIMITED):
        _count(ctx, ctx.signed_in_user.id)


def _count(ctx: WriteContext, key: Hashable) -> None:
    ctx.count_action("issues_create", key, ctx.world.settings.issues_create_limit)
