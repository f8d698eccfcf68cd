"""Visibility of issues, possible assignees, and the fields that the caller may set.

Source: docs/platform/issues.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.instance import features
from fakeplat.domain.issuables import issuable_fields
from fakeplat.model.issues import Issue
from fakeplat.model.people import Level, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import YES, Decision, can, decide, is_member, level_on
from fakeplat.policy.behaviours import GUESTS_LINK_ISSUES, GUESTS_SET_METADATA
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_NAMES_BY_ABILITY: Final = {
    Ability.ADMIN_ISSUE: {
        *issuable_fields.ADMIN_PARAMS,
        "due_date",
        "start_date",
        "severity",
        "weight",
        "health_status",
    },
    Ability.SET_ISSUE_TIMES: {"created_at", "updated_at", "iid"},
}
OKRS: Final = ("objective", "key_result")
_NAMES_BY_TIER: Final = {"premium": {"weight"}, "ultimate": {"health_status"}}


def is_visible(ctx: ReadContext, issue: Issue, project: Project) -> bool:
    """Return whether an issue is visible to a caller who can see the project's issues."""
    if not issue.confidential or level_on(ctx, project) >= Level.PLANNER:
        return True
    user = ctx.viewer
    return user is not None and (user.id == issue.author_id or user.id in issue.assignee_ids)


def is_assignable(ctx: ReadContext, project: Project, user: User) -> bool:
    """Return whether issues of a project can be assigned to a user."""
    return can(ctx.as_user(user), Ability.READ_ISSUES, project)


def decide_on_links(ctx: ReadContext, project: Project) -> Decision:
    """Decide whether the caller may link the issues of a project that they can see: Reporters, later Guests too."""
    if ctx.profile.has(GUESTS_LINK_ISSUES) and is_member(ctx, project):
        return decide(ctx, Ability.CREATE_ISSUE, project)
    return decide(ctx, Ability.ADMIN_ISSUE, project)


def permitted_params(
    ctx: WriteContext, project: Project, params: Mapping[str, object], *, is_new: bool = False
) -> dict[str, Any]:
    """Return the parameters that the caller may set; the others are silently ignored, as on the platform."""
    permitted = dict(params)
    is_open = is_new and ctx.profile.has(GUESTS_SET_METADATA) and is_member(ctx, project)
    for ability, names in _NAMES_BY_ABILITY.items():
        # Most changes need no ability of their own.
        if permitted.keys().isdisjoint(names):
            continue
        decision = YES if is_open and ability is Ability.ADMIN_ISSUE else decide(ctx, ability, project)
        if not decision.allowed:
            permitted = ctx.ignore(permitted, names, decision.why)
    for tier, names in _NAMES_BY_TIER.items():
        if not permitted.keys().isdisjoint(names) and not has_feature(ctx.world, tier, project):
            permitted = ctx.ignore(permitted, names, f"it requires the tier {tier}")
    if permitted.get("kind") == "test_case" and not has_feature(ctx.world, "ultimate", project):
        permitted = ctx.ignore(permitted, {"kind"}, "test cases require the tier ultimate")
    if permitted.get("kind") in OKRS and not has_okrs(ctx.world, project):
        permitted = ctx.ignore(permitted, {"kind"}, "objectives require the tier ultimate and the feature okrs_mvc")
    return permitted


def has_okrs(world: World, project: Project) -> bool:
    """Return whether a project has objectives and key results: by a feature that is off by default, and the tier."""
    return has_feature(world, "ultimate", project) and features.is_enabled(world, "okrs_mvc", project)
