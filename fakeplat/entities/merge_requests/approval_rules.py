"""Views of approval rules and of a project's approval settings. Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approval_rules, approval_settings, approval_states, rule_copies
from fakeplat.domain.repository import protection
from fakeplat.entities.people.namespaces import GroupView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.repository.protected import ProtectedBranchView
from fakeplat.model.merge_requests import ApprovalRule
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Project
from fakeplat.model.repository import ProtectedBranch
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import (
    APPROVERS_OF_PROJECTS_ARE_EMPTY,
    HIDDEN_GROUPS_HIDE_APPROVERS,
    MEMBERS_SEE_HIDDEN_APPROVERS,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import project_level


class _RuleView(Entity[ApprovalRule]):
    """An approval rule. Groups hidden from the caller are left out; ``contains_hidden_groups`` says so."""

    ctx: ReadContext

    id = attr()
    name = attr()
    rule_type = attr()

    @computed
    def eligible_approvers(self) -> list[UserBasic]:
        return render_users(self.ctx, self._visible_approvers())

    # Fields are serialized in the order of their declarations, so methods stand between attributes.
    approvals_required = attr()

    @computed
    def users(self) -> list[UserBasic]:
        return render_users(self.ctx, self.record.user_ids)

    @computed
    def groups(self) -> list[GroupView]:
        return [self.ctx.render(GroupView, group) for group in self._groups if can_see(self.ctx, group)]

    @computed
    def contains_hidden_groups(self) -> bool:
        return contains_hidden_groups(self.ctx, self.record.id)

    @computed_if(since="17.2")
    def report_type(self) -> str | None:
        is_of_report = self.record.rule_type == "report_approver"
        given = self.record.report_type or approval_rules.REPORT_TYPES.get(self.record.name)
        return given if is_of_report else None

    @property
    def _groups(self) -> list[Group]:
        return rule_groups(self.ctx, self.record)

    def _visible_approvers(self) -> tuple[int, ...]:
        return self._approvers() if are_approvers_shown(self.ctx, self.record.id) else ()

    def _approvers(self) -> tuple[int, ...]:
        return approval_states.list_approvers(self.ctx.world, self.record)


class ProjectApprovalRuleView(_RuleView):
    """An approval rule of a project."""

    @computed
    def protected_branches(self) -> list[ProtectedBranchView]:
        return [self.ctx.render(ProtectedBranchView, branch) for branch in self._list_branches()]

    applies_to_all_protected_branches = attr(since="15.3")

    def _list_branches(self) -> list[ProtectedBranch]:
        table = self.ctx.world.protected_branches
        if self.record.applies_to_all_protected_branches:
            return list(table.where("project", self.record.subject[1]))
        branches = (table.get(id_) for id_ in self.record.protected_branch_ids)
        return [branch for branch in branches if branch is not None]


class GroupApprovalRuleView(_RuleView):
    """An approval rule of a group, which is for all protected branches of its projects."""

    @computed
    def protected_branches(self) -> list[ProtectedBranchView]:
        group = self.ctx.world.namespaces[self.record.subject[1]]
        projects = self.ctx.world.projects.where("namespace", group.id)
        rules = (rule for project in projects for rule in protection.list_all_rules(self.ctx.world, project))
        # A branch that a group protects is one for all of its projects.
        branches = {rule.id: rule for rule in rules}
        return [self.ctx.render(ProtectedBranchView, branch) for branch in branches.values()]

    applies_to_all_protected_branches = constant(True, bool)


class ApprovalSettingRuleView(ProjectApprovalRuleView):
    """An approval rule of a project as the private operations of approval settings show it."""

    @computed
    def approvers(self) -> list[UserBasic]:
        return render_users(self.ctx, self._visible_approvers())


@frozen
class ProjectRules:
    """The approval rules of a project, all of them or those for a target branch."""

    project: Project
    target_branch: str | None


class ApprovalRulesView(Entity[ProjectRules]):
    """The approval rules of a project, and the largest number of approvals that one of them requires."""

    ctx: ReadContext
    cached_by_id = False

    @computed
    def rules(self) -> list[ApprovalSettingRuleView]:
        rows = approval_states.list_project_rules(self.ctx.world, self.record.project, self.record.target_branch)
        return [self.ctx.render(ApprovalSettingRuleView, rule) for rule in rows]

    @computed
    def fallback_approvals_required(self) -> int:
        rows = approval_rules.list_rules(self.ctx.world, self.record.project)
        numbers = [rule.approvals_required for rule in rows if rule.rule_type != "report_approver"]
        return max(numbers, default=self.record.project.approvals_before_merge)


class MergeRequestApprovalRuleView(_RuleView):
    """An approval rule of a merge request."""

    section = attr(since="<=16.2")

    @computed
    def source_rule(self) -> dict[str, int] | None:
        return render_source_rule(self.ctx, self.record)

    @computed_if(since="<=16.2")
    def overridden(self) -> bool:
        return rule_copies.differs_from_source(self.ctx.world, self.record)

    def _approvers(self) -> tuple[int, ...]:
        # Settings of the project may bar the author and the committers.
        barred = approval_states.list_barred_approvers(
            self.ctx.world, self.ctx.world.merge_requests[self.record.subject[1]]
        )
        return tuple(id_ for id_ in super()._approvers() if id_ not in barred)


class ProjectApprovalsView(Entity[Project]):
    """The approval settings of a project."""

    ctx: ReadContext

    @computed
    def approvers(self) -> list[dict[str, UserBasic]]:
        if self.ctx.profile.has(APPROVERS_OF_PROJECTS_ARE_EMPTY):
            return []
        return [{"user": user} for user in render_users(self.ctx, self.record.approver_ids)]

    @computed
    def approver_groups(self) -> list[dict[str, GroupView]]:
        if self.ctx.profile.has(APPROVERS_OF_PROJECTS_ARE_EMPTY):
            return []
        groups = find_groups(self.ctx, self.record.approver_group_ids)
        return [{"group": self.ctx.render(GroupView, group)} for group in groups if can_see(self.ctx, group)]

    approvals_before_merge = attr()
    reset_approvals_on_push = attr()

    @computed
    def disable_overriding_approvers_per_merge_request(self) -> bool:
        return not approval_settings.may_override_approvers(self.ctx.world, self.record)

    @computed
    def merge_requests_author_approval(self) -> bool:
        return approval_settings.may_authors_approve(self.ctx.world, self.record)

    @computed
    def merge_requests_disable_committers_approval(self) -> bool:
        return not approval_settings.may_committers_approve(self.ctx.world, self.record)

    require_password_to_approve = attr()
    require_reauthentication_to_approve = attr("require_password_to_approve", since="17.1")
    selective_code_owner_removals = attr(since="<=15.7")


def rule_groups(ctx: ReadContext, rule: ApprovalRule) -> list[Group]:
    """Return the existing groups of a rule."""
    return find_groups(ctx, rule.group_ids)


def contains_hidden_groups(ctx: ReadContext, rule_id: int | None) -> bool:
    """Return whether a rule names groups that the caller does not see; one without an id names none."""
    rule = ctx.world.approval_rules.get(rule_id or 0)
    return rule is not None and not all(can_see(ctx, group) for group in rule_groups(ctx, rule))


def are_approvers_shown(ctx: ReadContext, rule_id: int | None) -> bool:
    """Return whether the caller sees the approvers of a rule, who may come from hidden groups."""
    if not ctx.profile.has(HIDDEN_GROUPS_HIDE_APPROVERS) or not contains_hidden_groups(ctx, rule_id):
        return True
    if rule_id is None or ctx.viewer is None or not ctx.profile.has(MEMBERS_SEE_HIDDEN_APPROVERS):
        return False
    owner = approval_rules.owner_of(ctx.world, ctx.world.approval_rules[rule_id])
    if isinstance(owner, Group):
        return False
    project = owner if isinstance(owner, Project) else ctx.world.projects[owner.project_id]
    return project_level(ctx.world, project, ctx.viewer.id) > Level.MINIMAL


def find_groups(ctx: ReadContext, ids: tuple[int, ...]) -> list[Group]:
    """Return the groups with the given ids that exist."""
    namespaces = (ctx.world.namespaces.get(id_) for id_ in ids)
    return [group for group in namespaces if isinstance(group, Group)]


def render_source_rule(ctx: ReadContext, rule: ApprovalRule) -> dict[str, int] | None:
    """Return the view of the project rule that a merge request rule was copied from."""
    source = rule_copies.find_source(ctx.world, rule)
    return {"approvals_required": source.approvals_required} if source else None


def render_users(ctx: ReadContext, ids: Iterable[int]) -> list[UserBasic]:
    """Return the views of the users with the given ids that exist."""
    users = (ctx.world.users.get(id_) for id_ in ids)
    return [ctx.render(UserBasic, user) for user in users if user is not None]
