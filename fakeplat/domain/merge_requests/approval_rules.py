"""Approval rules of projects, merge requests and groups (paid). Source: docs/platform/external.md ('Approvals')."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict, Unpack, cast

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.core.store.references import Subject
from fakeplat.domain.merge_requests import merge_requests, rule_copies
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest, RuleType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import (
    NAMES_OF_RULES_ARE_BOUNDED,
    REPORTS_ARE_NAMED,
    RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY,
    RULES_OF_MERGED_ARE_FIXED,
)
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import member_level, project_level

ALL_MEMBERS: Final = "All Members"
DEFAULT_NAME: Final = "Default"
MOST: Final = 100
REPORT_TYPES: Final = {"Vulnerability-Check": "vulnerability", "License-Check": "license_scanning"}
"""The reports of security scanners that trigger project rules, by the names of these rules."""
COVERAGE: Final = "code_coverage"
COVERAGE_NAME: Final = "Coverage-Check"
LONGEST_NAME: Final = 1024
MERGED: Final = "Merge request already merged"
_DUPLICATE_ANY_APPROVER: Final = "any-approver for the {} already exists"
_SUBJECT_NAMES: Final = {"project": "project", "merge_request": "merge request", "group": "group"}
GROUP_RULES: Final = "approval_group_rules"
"""The feature of the platform that lets groups have rules; it is off unless an administrator switches it on."""
Owner = Project | MergeRequest | Group


def subject_of(owner: Owner) -> Subject:
    """Return the key of the ``subject`` index for the rules of a project or merge request."""
    if isinstance(owner, Group):
        return ("group", owner.id)
    return ("project" if isinstance(owner, Project) else merge_requests.KIND, owner.id)


def list_rules(world: World, owner: Owner) -> Sequence[ApprovalRule]:
    """Return the rules that belong to a project or merge request itself, oldest first."""
    return world.approval_rules.where("subject", subject_of(owner))


def sort_rules(rules: Iterable[ApprovalRule]) -> list[ApprovalRule]:
    """Return rules as the platform shows them: first those for anybody, last those of code owners and about reports."""
    order = ("any_approver", "regular", "code_owner", "report_approver")
    return sorted(rules, key=lambda rule: order.index(rule.rule_type))


def get_rule(world: World, owner: Owner, id_: int) -> ApprovalRule:
    """Return a rule of a project or merge request itself; 404 if it has no such rule."""
    rule = world.approval_rules.get(id_)
    if rule is None or rule.subject != subject_of(owner):
        raise RecordNotFound(reason=lambda: f"{_describe_owner(world, owner)} has no approval rule {id_}")
    return rule


def _describe_owner(world: World, owner: Owner) -> str:
    return f"merge request {owner.iid}" if isinstance(owner, MergeRequest) else describe(world, owner)


# Creating, changing and deleting rules


class RuleParams(TypedDict, total=False):
    """The platform's parameters of rules. ``source_id`` is only for those of merge requests."""

    name: str
    approvals_required: int
    rule_type: RuleType
    report_type: str
    user_ids: Iterable[int]
    group_ids: Iterable[int]
    protected_branch_ids: Iterable[int]
    applies_to_all_protected_branches: bool
    source_id: int


class NewRule(TypedDict):
    """The fields of a new rule."""

    name: str
    approvals_required: int
    created_at: NotRequired[str]
    rule_type: NotRequired[RuleType]
    report_type: NotRequired[str | None]
    user_ids: NotRequired[tuple[int, ...]]
    group_ids: NotRequired[tuple[int, ...]]
    protected_branch_ids: NotRequired[tuple[int, ...]]
    applies_to_all_protected_branches: NotRequired[bool]
    source_id: NotRequired[int | None]
    updated_at: NotRequired[str | None]


def create(ctx: WriteContext, owner: Owner, **params: Unpack[RuleParams]) -> ApprovalRule:
    """Create a rule from name, approvals_required, rule_type, user_ids, group_ids and protected_branch_ids.

    A merge request's rule also takes ``source_id``. Users who are not members and groups that the caller cannot see are
    silently ignored. A project rule without users and groups accepts approvals from any user, in later releases also
    that of a merge request. 400 for invalid values.
    """
    # The default type yields to a type in params; the eligible ids come last, as they replace those that were sent.
    fields: dict[str, Any] = {
        "rule_type": _default_type(ctx, owner, params),
        **params,
        **_filter_eligible(ctx, _container_of(ctx.world, owner), params),
    }
    # Only a valid rule takes an id.
    _validate_rule(ctx.world, owner, ApprovalRule(0, subject_of(owner), created_at=ctx.now_iso, **fields))
    return insert_rule(ctx, owner, **fields)


def _check_report(errors: ValidationErrors, owner: Owner, rule: ApprovalRule) -> None:
    """Add errors unless a rule about a report names it, and rules about coverage have the name that is theirs alone."""
    errors.when(rule.rule_type == "report_approver" and not rule.report_type, "report_type", BLANK)
    if isinstance(owner, Project):
        is_named, is_about = rule.name == COVERAGE_NAME, rule.report_type == COVERAGE
        errors.when(is_about and not is_named, "report_type", f"{COVERAGE} only supports {COVERAGE_NAME} name")
        errors.when(is_named and not is_about, "name", f"{COVERAGE_NAME} is reserved for {COVERAGE} report type")


def _container_of(world: World, owner: Owner) -> Project | Group:
    return world.projects[owner.project_id] if isinstance(owner, MergeRequest) else owner


def _default_type(ctx: WriteContext, owner: Owner, params: RuleParams) -> RuleType:
    """Return the default type of a new rule."""
    is_of_merge_request = isinstance(owner, MergeRequest)
    if is_of_merge_request and not ctx.profile.has(RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY):
        return "regular"
    if not is_of_merge_request and params["name"] in REPORT_TYPES and not ctx.profile.has(REPORTS_ARE_NAMED):
        return "report_approver"
    return "regular" if params.get("user_ids") or params.get("group_ids") else "any_approver"


def update(
    ctx: WriteContext, rule: ApprovalRule, *, remove_hidden_groups: bool = False, **params: Unpack[RuleParams]
) -> ApprovalRule:
    """Change name, approvals_required, user_ids, group_ids and protected_branch_ids of a rule.

    Groups that the caller cannot see are kept unless ``remove_hidden_groups``. 400 for invalid values.
    """
    world, owner = ctx.world, owner_of(ctx.world, rule)
    eligible = _filter_eligible(ctx, _container_of(world, owner), params)
    # Eligible has all three lists, but one that was not sent must stay as it is.
    fields: dict[str, Any] = {**params, **{name: ids for name, ids in eligible.items() if name in params}}
    if "group_ids" in fields and not remove_hidden_groups:
        fields["group_ids"] = _unique_ids((*fields["group_ids"], *_hidden_groups(ctx, rule)))
    changed = evolve(rule, **fields, updated_at=ctx.now_iso)
    # Validate the rule as it would become, so that no invalid record ever enters the table.
    _validate_rule(world, owner, changed)
    updated = world.approval_rules.change(rule, **fields, updated_at=ctx.now_iso)
    rule_copies.follow_source(ctx, updated)
    return updated


def set_numbers(ctx: WriteContext, merge_request: MergeRequest, numbers: Mapping[int, int]) -> None:
    """Set how many approvals rules of a merge request need, by their ids; 404 for an id of another rule."""
    for id_, number in numbers.items():
        update(ctx, get_rule(ctx.world, merge_request, id_), approvals_required=number)


def copy_project_rules(ctx: WriteContext, merge_request: MergeRequest, numbers: Mapping[int, int]) -> None:
    """Give a new merge request the project's rules with these ids, with another number of approvals each."""
    project = ctx.world.projects[merge_request.project_id]
    inherited = {rule.source_id: rule for rule in list_rules(ctx.world, merge_request)}
    for id_, number in numbers.items():
        source = get_rule(ctx.world, project, id_)
        if id_ in inherited:
            update(ctx, inherited[id_], approvals_required=number)
            continue
        create(ctx, merge_request, approvals_required=number, **rule_copies.copy_fields(source))


def owner_of(world: World, rule: ApprovalRule) -> Owner:
    """Return the project or merge request that a rule belongs to."""
    kind, id_ = rule.subject
    if kind == "group":
        return cast(Group, world.namespaces[id_])
    return world.projects[id_] if kind == "project" else world.merge_requests[id_]


def _hidden_groups(ctx: WriteContext, rule: ApprovalRule) -> Iterator[int]:
    for id_ in rule.group_ids:
        group = ctx.world.namespaces.get(id_)
        if isinstance(group, Group) and not can_see(ctx, group):
            yield id_


def set_approvers(
    ctx: WriteContext, owner: Project | MergeRequest, user_ids: Iterable[int], group_ids: Iterable[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Set the approvers as the API that preceded approval rules does, and return those that exist.

    The approvers go into the first regular rule, which is created with the name "Default" if necessary. Without
    approvers all regular rules are deleted.
    """
    world = ctx.world
    users = _unique_ids(id_ for id_ in user_ids if world.users.get(id_))
    groups = _unique_ids(id_ for id_ in group_ids if isinstance(world.namespaces.get(id_), Group))
    regular = [rule for rule in list_rules(world, owner) if rule.rule_type == "regular"]
    if not users and not groups:
        purge(ctx, *regular)
    elif regular:
        world.approval_rules.change(regular[0], user_ids=users, group_ids=groups, updated_at=ctx.now_iso)
    else:
        required = _required_number(world, owner)
        insert_rule(ctx, owner, name=DEFAULT_NAME, approvals_required=required, user_ids=users, group_ids=groups)
    return users, groups


def _required_number(world: World, owner: Project | MergeRequest) -> int:
    number = owner.approvals_before_merge
    project = owner if isinstance(owner, Project) else world.projects[owner.project_id]
    return min(project.approvals_before_merge if number is None else number, MOST)


def insert_rule(ctx: WriteContext, owner: Owner, **fields: Unpack[NewRule]) -> ApprovalRule:
    """Insert a rule from fields of the record, without permission checks."""
    table = ctx.world.approval_rules
    fields.setdefault("created_at", ctx.now_iso)
    return table.add(ApprovalRule(table.next_id(), subject_of(owner), **fields))


def _filter_eligible(ctx: WriteContext, container: Project | Group, params: RuleParams) -> dict[str, tuple[int, ...]]:
    world = ctx.world
    users = (id_ for id_ in params.get("user_ids") or () if world.users.get(id_) and _is_member(world, container, id_))
    spaces = ((id_, world.namespaces.get(id_)) for id_ in params.get("group_ids") or ())
    is_project = isinstance(container, Project)
    branches = world.protected_branches.where("project", container.id) if is_project else ()
    project_branches = {branch.id for branch in branches}
    return {
        "user_ids": _unique_ids(users),
        "group_ids": _unique_ids(id_ for id_, space in spaces if isinstance(space, Group) and can_see(ctx, space)),
        "protected_branch_ids": _unique_ids(
            id_ for id_ in params.get("protected_branch_ids") or () if id_ in project_branches
        ),
    }


def _is_member(world: World, container: Project | Group, user_id: int) -> bool:
    if isinstance(container, Project):
        return project_level(world, container, user_id) > 0
    # Whoever belongs to a group above it does not count.
    return member_level(world, ("group", container.id), user_id) > 0


def _unique_ids(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ids))


def _validate_rule(world: World, owner: Owner, rule: ApprovalRule) -> None:
    """Raise InvalidRecord unless a rule is valid as it would become."""
    kind, number = rule.rule_type, rule.approvals_required
    errors, others = ValidationErrors(), [other for other in list_rules(world, owner) if other.id != rule.id]
    errors.when(not rule.name.strip(), "name", BLANK)
    if world.profile.has(NAMES_OF_RULES_ARE_BOUNDED):
        too_long(errors, "name", rule.name, LONGEST_NAME)
    if isinstance(owner, MergeRequest) and world.profile.has(RULES_OF_MERGED_ARE_FIXED):
        errors.when(owner.state == "merged", "merge_request", "must not be merged")
    errors.when(any((other.name, other.rule_type) == (rule.name, kind) for other in others), "name", TAKEN)
    errors.when(number < 0, "approvals_required", "must be greater than or equal to 0")
    errors.when(number > MOST, "approvals_required", f"must be less than or equal to {MOST}")
    second = kind == "any_approver" and any(other.rule_type == kind for other in others)
    errors.when(second, "rule_type", _DUPLICATE_ANY_APPROVER.format(_SUBJECT_NAMES[subject_of(owner)[0]]))
    if world.profile.has(REPORTS_ARE_NAMED):
        _check_report(errors, owner, rule)
    errors.refuse()


def delete(ctx: WriteContext, rule: ApprovalRule) -> None:
    """Delete a rule with its copies in open merge requests. 412 if it changed since the caller read it."""
    ctx.check_unmodified_since(rule.updated_at or rule.created_at)
    owner = owner_of(ctx.world, rule)
    if isinstance(owner, MergeRequest) and owner.state == "merged" and ctx.profile.has(RULES_OF_MERGED_ARE_FIXED):
        raise BadRequest(MERGED)
    rule_copies.delete_copies(ctx, rule)
    purge(ctx, rule)


def set_number_for_anybody(ctx: WriteContext, merge_request: MergeRequest, number: int) -> None:
    """Set how many approvals of any users a merge request needs, in its rule for anybody or a new one."""
    own = next((rule for rule in list_rules(ctx.world, merge_request) if rule.rule_type == "any_approver"), None)
    if own is None:
        create(ctx, merge_request, name=ALL_MEMBERS, approvals_required=number)
    else:
        update(ctx, own, approvals_required=number)
