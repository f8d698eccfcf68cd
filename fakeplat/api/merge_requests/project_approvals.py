"""Approval settings of projects (paid tiers). Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Mapping
from typing import Annotated

from fakeplat.api.merge_requests.approval_rules import area
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.params.params import CommaList, Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.merge_requests import approval_rules, approval_settings
from fakeplat.domain.projects import projects
from fakeplat.entities.merge_requests.approval_rules import ProjectApprovalsView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import (
    ADMINISTRATORS_EDIT_LOCKED_RULES,
    ARCHIVED_PROJECTS_SHOW_APPROVALS,
    AUDITORS_READ_APPROVALS,
)
from fakeplat.policy.context import ReadContext, WriteContext


@area.operation("GET", "approvals", scope=PROJECT, view=ProjectApprovalsView, tier="premium", refusals=(403,))
def get_project_approvals(ctx: ReadContext, project: Project) -> Project:
    """Get how a project has its merge requests approved."""
    # Nobody changes an archived project, which its Maintainers still read.
    if not can(ctx, Ability.UPDATE_APPROVERS, project) and not _is_read_by_auditor(ctx):
        is_readable = ctx.profile.has(ARCHIVED_PROJECTS_SHOW_APPROVALS)
        authorize(ctx, Ability.ADMIN_PROJECT if is_readable else Ability.UPDATE_APPROVERS, project)
    return project


def _is_read_by_auditor(ctx: ReadContext) -> bool:
    return ctx.viewer is not None and ctx.viewer.auditor and ctx.profile.has(AUDITORS_READ_APPROVALS)


class UpdateProjectApprovals(Params):
    """Changes of a project's approval settings."""

    approvals_before_merge: int | None = None
    reset_approvals_on_push: bool | None = None
    disable_overriding_approvers_per_merge_request: bool | None = None
    merge_requests_author_approval: bool | None = None
    merge_requests_disable_committers_approval: bool | None = None
    require_password_to_approve: bool | None = None
    require_reauthentication_to_approve: Annotated[bool | None, Lifetime(since="17.1")] = None
    selective_code_owner_removals: Annotated[bool | None, Lifetime(since="<=15.8")] = None

    rules = (
        at_least_one_of(
            "approvals_before_merge",
            "reset_approvals_on_push",
            "disable_overriding_approvers_per_merge_request",
            "merge_requests_author_approval",
            "merge_requests_disable_committers_approval",
            "require_password_to_approve",
            "require_reauthentication_to_approve",
            "selective_code_owner_removals",
        ),
    )


@area.operation(
    "POST",
    "approvals",
    scope=PROJECT,
    ability=Ability.UPDATE_APPROVERS,
    params=UpdateProjectApprovals,
    view=ProjectApprovalsView,
    tier="premium",
    refusals=(400,),
)
def update_project_approvals(ctx: WriteContext, project: Project, p: UpdateProjectApprovals) -> Project:
    """Update how a project has its merge requests approved."""
    # A null leaves a setting unchanged, and what the instance locks is ignored.
    locked = _list_locked_fields(ctx)
    changes = {name: value for name, value in p.given().items() if value is not None and name not in locked}
    _refuse_both_removals(project, changes)
    if "require_reauthentication_to_approve" in changes:
        changes["require_password_to_approve"] = changes.pop("require_reauthentication_to_approve")
    return projects.update(ctx, project, **changes)


def _list_locked_fields(ctx: ReadContext) -> list[str]:
    """Return the fields that the instance prevents the caller from changing; later, one is open to administrators."""
    locked = approval_settings.list_locked_fields(ctx.world)
    if not ctx.admin or not ctx.profile.has(ADMINISTRATORS_EDIT_LOCKED_RULES):
        return locked
    return [name for name in locked if name != "disable_overriding_approvers_per_merge_request"]


def _refuse_both_removals(project: Project, changes: Mapping[str, object]) -> None:
    """Refuse to remove all approvals and those of code owners alone: a push does either of these."""
    names = ("selective_code_owner_removals", "reset_approvals_on_push")
    if all(changes.get(name, getattr(project, name)) for name in names):
        selective, all_ = names
        raise InvalidRecord({"base": [f"{selective} can only be enabled when {all_} is disabled"]})


class UpdateProjectApprovers(Params):
    """The approving users and groups; an empty list removes them all."""

    approver_ids: CommaList[int]
    approver_group_ids: CommaList[int]


@area.operation(
    "PUT",
    "approvers",
    scope=PROJECT,
    ability=Ability.UPDATE_APPROVERS,
    params=UpdateProjectApprovers,
    view=ProjectApprovalsView,
    tier="premium",
    until="13.11",
)
def update_project_approvers(ctx: WriteContext, project: Project, p: UpdateProjectApprovers) -> Project:
    """Replace the approvers of a project."""
    users, groups = approval_rules.set_approvers(ctx, project, p.approver_ids, p.approver_group_ids)
    return projects.update(ctx, project, approver_ids=users, approver_group_ids=groups)
