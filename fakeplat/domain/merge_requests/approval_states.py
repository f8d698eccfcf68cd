"""The approval rules in force for a merge request, and whether they are met (paid).

A merge request's own rules replace those of its project, unless the project forbids overriding. Without a rule that
accepts approvals from any user, the larger ``approvals_before_merge`` of the project and the merge request is required.
Those of code owners apply in any case. What is merged keeps the rules and approvals that it had.
Source: docs/platform/external.md ('Approvals').
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from attrs import evolve

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.instance import features
from fakeplat.domain.merge_requests import approval_settings, code_owner_rules, rule_copies
from fakeplat.domain.merge_requests.approval_rules import ALL_MEMBERS, GROUP_RULES, list_rules, sort_rules
from fakeplat.domain.merge_requests.code_owner_rules import CODE_OWNER
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest, RuleType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    APPLICABLE_RULES_OF_MERGED_ARE_SHOWN,
    APPROVALS_LEFT_OVERLAP,
    APPROVALS_REQUIRED_OVERLAP,
    APPROVERS_ARE_ACTIVE,
    UNREACHABLE_RULES_ARE_MET,
)
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors


@frozen
class RuleStatus:
    """The status of a rule for one merge request; ``id`` is None if it stands for ``approvals_before_merge``.

    ``approvers`` holds the ids of the eligible users, None for any user; ``approved_by`` those of them who approved.
    A rule ``lacks_owners`` if owners of code must approve, and there are none.
    """

    id: int | None
    name: str
    rule_type: RuleType
    required: int
    approvers: tuple[int, ...] | None
    approved_by: tuple[int, ...]
    is_met_if_invalid: bool = False
    lacks_owners: bool = False

    @property
    def missing_count(self) -> int:
        """The number of missing approvals."""
        return max(self.required - len(self.approved_by), 0)

    @property
    def is_invalid(self) -> bool:
        """Whether it requires more approvals than it has approvers."""
        return self.approvers is not None and self.required > len(self.approvers)

    @property
    def is_approved(self) -> bool:
        """Whether there are enough approvals. One that requires too many is met anyway, earlier by all approvers."""
        if self.missing_count == 0 or self.approvers is None:
            return self.missing_count == 0
        return self.is_invalid if self.is_met_if_invalid else not self.pending_approvers

    @property
    def pending_approvers(self) -> tuple[int, ...]:
        """The approvers who have not approved."""
        return tuple(id_ for id_ in self.approvers or () if id_ not in self.approved_by)


def evaluate_rules(world: World, merge_request: MergeRequest, target_branch: str | None = None) -> list[RuleStatus]:
    """Return the status of every rule in force for its own or another target branch; empty on free tiers."""
    project = world.projects[merge_request.project_id]
    if not has_feature(world, "premium", project):
        return []
    rules = list_rules_in_force(world, merge_request, target_branch)
    number = max(merge_request.approvals_before_merge or 0, project.approvals_before_merge)
    if not rules and not number:
        return []
    statuses = apply_rules(world, merge_request, rules)
    # Without an any-approver rule the older numeric setting still applies, as a rule of its own.
    if number and all(rule.rule_type != "any_approver" for rule in rules):
        approved = list_counted_approvals(world, merge_request, list_barred_approvers(world, merge_request))
        statuses.append(RuleStatus(None, ALL_MEMBERS, "any_approver", number, None, approved))
    return [status for status in statuses if not is_inapplicable(world, merge_request, status)]


def apply_rules(world: World, merge_request: MergeRequest, rules: Iterable[ApprovalRule]) -> list[RuleStatus]:
    """Return the status that rules have for a merge request."""
    barred = list_barred_approvers(world, merge_request)
    approved = list_counted_approvals(world, merge_request, barred)
    return [_evaluate(world, merge_request, rule, barred, approved) for rule in rules]


def list_counted_approvals(world: World, merge_request: MergeRequest, barred: Collection[int]) -> tuple[int, ...]:
    """Return the ids of those who approved, without those who are barred."""
    approvals = world.approvals.where("merge_request", merge_request.id)
    return _leave_out(barred, (approval.user_id for approval in approvals))


def is_inapplicable(world: World, merge_request: MergeRequest, status: RuleStatus) -> bool:
    """Return whether a rule does not show with what is merged, as it cannot have mattered."""
    if merge_request.state != "merged" or not world.profile.has(APPLICABLE_RULES_OF_MERGED_ARE_SHOWN):
        return False
    return not status.is_approved or status.is_invalid or status.lacks_owners


def count_required(world: World, rules: Sequence[RuleStatus]) -> int:
    """Return how many approvals rules require together."""
    numbers = _split_numbers(rules, lambda rule: rule.required)
    return max(numbers) if world.profile.has(APPROVALS_REQUIRED_OVERLAP) else sum(numbers)


def count_missing(world: World, rules: Sequence[RuleStatus]) -> int:
    """Return how many approvals rules still need together."""
    numbers = _split_numbers(rules, lambda rule: rule.missing_count)
    return max(numbers) if world.profile.has(APPROVALS_LEFT_OVERLAP) else sum(numbers)


def list_left(world: World, rules: Sequence[RuleStatus]) -> list[RuleStatus]:
    """Return the rules that need approvals, later without a rule for anybody that is met together with the others."""
    of_anybody, of_others = _split_numbers(rules, lambda rule: rule.missing_count)
    is_covered = of_anybody <= of_others and world.profile.has(APPROVALS_LEFT_OVERLAP)
    return [rule for rule in rules if not rule.is_approved and not (is_covered and rule.rule_type == "any_approver")]


def _split_numbers(rules: Sequence[RuleStatus], number_of: Callable[[RuleStatus], int]) -> tuple[int, int]:
    """Return the sums of a number of rules: of those for anybody, and of all others."""
    of_anybody = sum(number_of(rule) for rule in rules if rule.rule_type == "any_approver")
    return of_anybody, sum(map(number_of, rules)) - of_anybody


def list_rules_in_force(
    world: World, merge_request: MergeRequest, target_branch: str | None = None
) -> list[ApprovalRule]:
    """Return the merge request's own rules, otherwise the project's rules for the target branch (default: its own)."""
    branch = target_branch or merge_request.target_branch
    project = world.projects[merge_request.project_id]
    of_groups = _list_group_rules(world, project, branch)
    own = list_own_rules(world, merge_request, branch)
    if _is_overridden_by(world, merge_request, own):
        return [*sort_rules(own), *of_groups]
    of_owners = [rule for rule in own if rule.rule_type == CODE_OWNER]
    return [*sort_rules([*list_project_rules(world, project, branch), *of_owners]), *of_groups]


def list_project_rules(world: World, project: Project, branch: str | None) -> list[ApprovalRule]:
    """Return the rules of a project, all of them or those for a target branch."""
    rules = list_rules(world, project)
    return sort_rules(rule for rule in rules if branch is None or covers_branch(world, rule, branch))


def list_own_rules(world: World, merge_request: MergeRequest, branch: str) -> list[ApprovalRule]:
    """Return the rules of a merge request for a target branch, which is that of their sources unless modified.

    Of what is merged, it returns those that were for its branch at the merge.
    """
    if merge_request.state == "merged":
        return [rule for rule in list_rules(world, merge_request) if rule.is_applicable is not False]
    return [
        rule
        for rule in list_rules(world, merge_request)
        if (source := rule_copies.find_source(world, rule)) is None
        or rule_copies.is_modified(world, rule)
        or covers_branch(world, source, branch)
    ]


def _list_group_rules(world: World, project: Project, branch: str) -> list[ApprovalRule]:
    """Return the rules of the groups above a project, which are for protected branches."""
    # Hardly any world has the feature, and the branches are read only if it has.
    if features.find_feature(world, GROUP_RULES) is None or not protection.list_branch_rules(world, project, branch):
        return []
    groups = [group for group in ancestors(world, project.namespace_id) if isinstance(group, Group)]
    enabled = [group for group in groups if has_group_rules(world, group)]
    return [rule for group in enabled for rule in list_rules(world, group)]


def has_group_rules(world: World, group: Group) -> bool:
    """Return whether a group can have rules: its top-level group, too, can be what the feature is on for."""
    return features.is_enabled(world, GROUP_RULES, group)


def is_overridden(world: World, merge_request: MergeRequest, target_branch: str | None = None) -> bool:
    """Return whether the merge request has rules of its own for the branch and its project allows overriding."""
    own = list_own_rules(world, merge_request, target_branch or merge_request.target_branch)
    project = world.projects[merge_request.project_id]
    return _has_user_defined(own) and approval_settings.may_override_approvers(world, project)


def _is_overridden_by(world: World, merge_request: MergeRequest, own: Sequence[ApprovalRule]) -> bool:
    """Return whether own rules take the place of the project's: with what is merged they do in any case."""
    project = world.projects[merge_request.project_id]
    may_override = merge_request.state == "merged" or approval_settings.may_override_approvers(world, project)
    return may_override and _has_user_defined(own)


def _has_user_defined(rules: Iterable[ApprovalRule]) -> bool:
    return any(rule.rule_type in ("regular", "any_approver") for rule in rules)


def covers_branch(world: World, rule: ApprovalRule, branch: str) -> bool:
    """Return whether a rule of a project is for merge requests into a branch."""
    project = world.projects[rule.subject[1]]
    if rule.applies_to_all_protected_branches:
        return bool(protection.list_branch_rules(world, project, branch))
    # A rule that names no protected branches applies to every target branch.
    if not rule.protected_branch_ids:
        return True
    return any(
        branch_rule.id in rule.protected_branch_ids
        for branch_rule in protection.list_branch_rules(world, project, branch)
    )


def _evaluate(
    world: World, merge_request: MergeRequest, rule: ApprovalRule, barred: Collection[int], approved: tuple[int, ...]
) -> RuleStatus:
    """Return the status of a rule; ``approved`` are the ids of those who approved and are not barred."""
    if rule.rule_type == "any_approver":
        return RuleStatus(rule.id, ALL_MEMBERS, rule.rule_type, rule.approvals_required, None, approved)
    approvers = _leave_out(barred, list_approvers(world, rule))
    counted = rule.approved_by_ids or tuple(id_ for id_ in approved if id_ in approvers)
    is_lenient = world.profile.has(UNREACHABLE_RULES_ARE_MET)
    status = RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, approvers, counted, is_lenient)
    if rule.rule_type != CODE_OWNER:
        return status
    is_required = code_owner_rules.is_approval_required(world, merge_request, rule)
    if merge_request.state != "merged":
        status = evolve(status, required=max(rule.approvals_required, 1) if is_required and approvers else 0)
    return evolve(status, lacks_owners=is_required and not approvers)


def _leave_out(barred: Collection[int], ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(id_ for id_ in ids if id_ not in barred)


def describe_rule(world: World, rule: ApprovalRule) -> RuleStatus:
    """Return a rule as if nobody had approved."""
    approvers = None if rule.rule_type == "any_approver" else list_approvers(world, rule)
    return RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, approvers, ())


def list_approvers(world: World, rule: ApprovalRule) -> tuple[int, ...]:
    """Return the ids of a rule's users, of the direct members of its groups and of those with one of its roles."""
    members = (member.user_id for id_ in rule.group_ids for member in world.members.where("source", ("group", id_)))
    with_roles = code_owner_rules.list_members_with_roles(world, rule)
    users = (user for id_ in (*rule.user_ids, *members, *with_roles) if (user := world.users.get(id_)) is not None)
    with_inactive = not world.profile.has(APPROVERS_ARE_ACTIVE)
    return tuple(dict.fromkeys(user.id for user in users if with_inactive or user.state == "active"))


def list_barred_approvers(world: World, merge_request: MergeRequest) -> set[int]:
    """Return the ids of users whom the project settings exclude from approving: the author, the committers."""
    project = world.projects[merge_request.project_id]
    barred = set() if approval_settings.may_authors_approve(world, project) else {merge_request.author_id}
    return (
        barred
        if approval_settings.may_committers_approve(world, project)
        else barred | _list_committers(world, merge_request)
    )


def _list_committers(world: World, merge_request: MergeRequest) -> set[int]:
    refs = diff_versions.latest_refs(world, merge_request)
    # A commit names its committer only by e-mail address; whoever has no account cannot approve anyway.
    emails = {entry.commit.committer.email.lower() for entry in diff_versions.list_commits(world, merge_request, refs)}
    return {user.id for email in emails if (user := world.users.find("email", email)) is not None}


def list_unmet_rules(world: World, merge_request: MergeRequest) -> list[RuleStatus]:
    """Return the rules that still block the merge."""
    return [rule for rule in evaluate_rules(world, merge_request) if not rule.is_approved]


def list_invalid(rules: Iterable[RuleStatus]) -> list[RuleStatus]:
    """Return the rules that require more approvals than they have approvers, or those of owners that there are not."""
    return [rule for rule in rules if rule.is_invalid or rule.lacks_owners]


def map_named_users(world: World) -> dict[int, set[int]]:
    """Map merge request ids to the users whom their rules name; merge requests without any rule are left out."""
    merge_request_ids: set[int] = set()
    # Starting from the rules is cheaper than from all merge requests; a rule of a project concerns all of its own.
    for kind, id_ in {rule.subject for rule in world.approval_rules.all()}:
        if kind == "group":
            merge_request_ids.update(_list_ids_below(world, id_))
            continue
        in_project = world.merge_requests.bits("facts", ("project", id_))
        merge_request_ids.update(iterate_bits(in_project) if kind == "project" else [id_])
    return {id_: _list_named_users(world, world.merge_requests[id_]) for id_ in merge_request_ids}


def _list_ids_below(world: World, group_id: int) -> Iterator[int]:
    """Yield the ids of the merge requests in the projects of a group and its subgroups."""
    for project in world.projects.all():
        if any(group.id == group_id for group in ancestors(world, project.namespace_id)):
            yield from iterate_bits(world.merge_requests.bits("facts", ("project", project.id)))


def _list_named_users(world: World, merge_request: MergeRequest) -> set[int]:
    return {id_ for rule in list_rules_in_force(world, merge_request) for id_ in rule.user_ids}
