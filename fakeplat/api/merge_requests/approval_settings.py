"""Approval settings of projects and groups, as they are after those above (paid tiers).

Source: docs/platform/merge-requests.md ('Approval settings').
"""

from typing import Annotated, ClassVar, Final

from fakeplat.api.merge_requests.approval_rules import area
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.params.params import NotBlank, Params, Rule, at_least_one_of
from fakeplat.domain.merge_requests import approval_settings
from fakeplat.domain.merge_requests.approval_settings import ApprovalChanges
from fakeplat.domain.projects import projects
from fakeplat.entities.merge_requests.approval_settings import ApprovalSettingView
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

SINCE: Final = "14.5"


class UpdateApprovalSetting(Params):
    """Changes of approval settings."""

    allow_author_approval: Annotated[bool | None, NotBlank] = None
    allow_committer_approval: Annotated[bool | None, NotBlank] = None
    allow_overrides_to_approver_list_per_merge_request: Annotated[bool | None, NotBlank] = None
    retain_approvals_on_push: Annotated[bool | None, NotBlank] = None
    selective_code_owner_removals: Annotated[bool | None, NotBlank] = None
    require_password_to_approve: Annotated[bool | None, NotBlank] = None
    require_reauthentication_to_approve: Annotated[bool | None, NotBlank] = None

    rules: ClassVar[tuple[Rule, ...]] = (
        at_least_one_of(
            "allow_author_approval",
            "allow_committer_approval",
            "allow_overrides_to_approver_list_per_merge_request",
            "retain_approvals_on_push",
            "selective_code_owner_removals",
            "require_password_to_approve",
            "require_reauthentication_to_approve",
        ),
    )


def _collect_changes(p: UpdateApprovalSetting) -> ApprovalChanges:
    sent = p.given()
    # The later name of the same setting.
    if "require_reauthentication_to_approve" in sent:
        sent["require_password_to_approve"] = sent.pop("require_reauthentication_to_approve")
    changes: ApprovalChanges = {}
    for name in approval_settings.NAMES:
        if sent.get(name) is not None:
            changes[name] = sent[name]
    return changes


@area.operation(
    "GET",
    "merge_request_approval_setting",
    name="get_merge_request_approval_setting",
    scope=PROJECT,
    ability=Ability.UPDATE_APPROVERS,
    view=ApprovalSettingView,
    tier="premium",
    since=SINCE,
)
def get_project_setting(_ctx: ReadContext, project: Project) -> Project:
    """Get the approval settings of a project, and who decides them."""
    return project


@area.operation(
    "PUT",
    "merge_request_approval_setting",
    name="update_merge_request_approval_setting",
    scope=PROJECT,
    ability=Ability.UPDATE_APPROVERS,
    params=UpdateApprovalSetting,
    view=ApprovalSettingView,
    tier="premium",
    since=SINCE,
    refusals=(400,),
)
def update_project_setting(ctx: WriteContext, project: Project, p: UpdateApprovalSetting) -> Project:
    """Update the approval settings of a project."""
    changes = _collect_changes(p)
    is_selective = changes.get("selective_code_owner_removals", project.selective_code_owner_removals)
    if is_selective and not changes.get("retain_approvals_on_push", not project.reset_approvals_on_push):
        raise BadRequest("selective_code_owner_removals can only be enabled when retain_approvals_on_push is enabled")
    return projects.update(ctx, project, **approval_settings.to_project_fields(changes))


@area.operation(
    "GET",
    "merge_request_approval_setting",
    name="get_group_merge_request_approval_setting",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    view=ApprovalSettingView,
    tier="premium",
    since=SINCE,
)
def get_group_setting(_ctx: ReadContext, group: Group) -> Group:
    """Get the approval settings of a group, and whether the instance decides them."""
    return group


@area.operation(
    "PUT",
    "merge_request_approval_setting",
    name="update_group_merge_request_approval_setting",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=UpdateApprovalSetting,
    view=ApprovalSettingView,
    tier="premium",
    since=SINCE,
    refusals=(400,),
)
def update_group_setting(ctx: WriteContext, group: Group, p: UpdateApprovalSetting) -> Group:
    """Update the approval settings of a group, which count for all of its projects."""
    approval_settings.set_setting(ctx, group, **_collect_changes(p))
    return group
