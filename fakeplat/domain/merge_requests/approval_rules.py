"""Approval rules of projects and merge requests (paid), and their status for a merge request.

A merge request's own rules replace those of its project, unless the project forbids overriding. Without a rule that
accepts approvals from any user, the larger ``approvals_before_merge`` of the project and the merge request is required.
Source: docs/platform/external.md ('Approvals').
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict, Unpack, cast

from attrs import evolve

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject
from fakeplat.domain.instance import features
from fakeplat.domain.merge_requests import approval_settings, merge_requests
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest, RuleType
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import REPORTS_ARE_NAMED, RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors, group_level, project_level

ALL_MEMBERS: Final = "All Members"
DEFAULT_NAME: Final = "Default"
MOST: Final = 100
REPORT_TYPES: Final = {"Vulnerability-Check": "vulnerability", "License-Check": "license_scanning"}
"""The reports of security scanners that trigger project rules, by the names of these rules."""
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
    errors = _validate_rule(ctx.world, owner, fields["name"], fields["rule_type"], fields["approvals_required"])
    is_nameless = ctx.profile.has(REPORTS_ARE_NAMED) and not fields.get("report_type")
    errors.when(is_nameless and fields["rule_type"] == "report_approver", "report_type", BLANK)
    errors.refuse()
    return insert_rule(ctx, owner, **fields)


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
    _validate_rule(world, owner, changed.name, changed.rule_type, changed.approvals_required, rule.id).refuse()
    return world.approval_rules.change(rule, **fields, updated_at=ctx.now_iso)


def set_numbers(ctx: WriteContext, merge_request: MergeRequest, numbers: Mapping[int, int]) -> None:
    """Set how many approvals rules of a merge request need, by their ids; 404 for an id of another rule."""
    for id_, number in numbers.items():
        update(ctx, get_rule(ctx.world, merge_request, id_), approvals_required=number)


def copy_project_rules(ctx: WriteContext, merge_request: MergeRequest, numbers: Mapping[int, int]) -> None:
    """Give a new merge request the project's rules with these ids, with another number of approvals each."""
    project = ctx.world.projects[merge_request.project_id]
    for id_, number in numbers.items():
        source = get_rule(ctx.world, project, id_)
        create(
            ctx,
            merge_request,
            name=source.name,
            approvals_required=number,
            user_ids=source.user_ids,
            group_ids=source.group_ids,
            source_id=source.id,
        )


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
    return group_level(world, container, user_id) > 0


def _unique_ids(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ids))


def _validate_rule(
    world: World, owner: Owner, name: str, kind: RuleType, number: int, rule_id: int = 0
) -> ValidationErrors:
    """Validate the name, type and number of a rule; ``rule_id`` is the rule that is being changed."""
    errors, others = ValidationErrors(), [rule for rule in list_rules(world, owner) if rule.id != rule_id]
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)
    errors.when(any((other.name, other.rule_type) == (name, kind) for other in others), "name", TAKEN)
    errors.when(number < 0, "approvals_required", "must be greater than or equal to 0")
    errors.when(number > MOST, "approvals_required", f"must be less than or equal to {MOST}")
    second = kind == "any_approver" and any(other.rule_type == kind for other in others)
    errors.when(second, "rule_type", _DUPLICATE_ANY_APPROVER.format(_SUBJECT_NAMES[subject_of(owner)[0]]))
    return errors


def delete(ctx: WriteContext, rule: ApprovalRule) -> None:
    """Delete a rule; rules copied from it remain, without a source. 412 if it changed since the caller read it."""
    ctx.check_unmodified_since(rule.updated_at or rule.created_at)
    purge(ctx, rule)


# Evaluation for a merge request


@frozen
class RuleStatus:
    """The status of a rule for one merge request; ``id`` is None if it stands for ``approvals_before_merge``.

    ``approvers`` holds the ids of the eligible users, None for any user; ``approved_by`` those of them who approved.
    """

    id: int | None
    name: str
    rule_type: RuleType
    required: int
    approvers: tuple[int, ...] | None
    approved_by: tuple[int, ...]

    @property
    def missing_count(self) -> int:
        """The number of missing approvals."""
        return max(self.required - len(self.approved_by), 0)

    @property
    def is_approved(self) -> bool:
        """Whether there are enough approvals; a rule that requires more than it has approvers needs all of them."""
        return self.missing_count == 0 or (self.approvers is not None and not self.pending_approvers)

    @property
    def pending_approvers(self) -> tuple[int, ...]:
        """The approvers who have not approved."""
        return tuple(id_ for id_ in self.approvers or () if id_ not in self.approved_by)


def evaluate_rules(world: World, merge_request: MergeRequest, target_branch: str | None = None) -> list[RuleStatus]:
    """Return the status of every rule in force for its own or another target branch; empty on free tiers."""
    project = world.projects[merge_request.project_id]
    if not has_feature(world, "premium", project):
        return []
    approved = tuple(approval.user_id for approval in world.approvals.where("merge_request", merge_request.id))
    statuses = [
        _evaluate(world, rule, merge_request, approved)
        for rule in list_rules_in_force(world, merge_request, target_branch)
    ]
    # Without an any-approver rule the older numeric setting still applies, as a rule of its own.
    number = max(merge_request.approvals_before_merge or 0, project.approvals_before_merge)
    if number and all(rule.rule_type != "any_approver" for rule in statuses):
        statuses.append(RuleStatus(None, ALL_MEMBERS, "any_approver", number, None, approved))
    return statuses


def list_rules_in_force(
    world: World, merge_request: MergeRequest, target_branch: str | None = None
) -> list[ApprovalRule]:
    """Return the merge request's own rules, otherwise the project's rules for the target branch (default: its own)."""
    branch = target_branch or merge_request.target_branch
    project = world.projects[merge_request.project_id]
    of_groups = _list_group_rules(world, project, branch)
    if is_overridden(world, merge_request):
        return [*list_rules(world, merge_request), *of_groups]
    return [*(rule for rule in list_rules(world, project) if _covers_branch(world, rule, branch)), *of_groups]


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


def is_overridden(world: World, merge_request: MergeRequest) -> bool:
    """Return whether the merge request has rules of its own and its project allows overriding."""
    project = world.projects[merge_request.project_id]
    return approval_settings.may_override_approvers(world, project) and bool(list_rules(world, merge_request))


def _covers_branch(world: World, rule: ApprovalRule, branch: str) -> bool:
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


def _evaluate(world: World, rule: ApprovalRule, merge_request: MergeRequest, approved: tuple[int, ...]) -> RuleStatus:
    if rule.rule_type == "any_approver":
        return RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, None, approved)
    barred = list_barred_approvers(world, merge_request)
    approvers = tuple(id_ for id_ in list_approvers(world, rule) if id_ not in barred)
    counted = tuple(id_ for id_ in approved if id_ in approvers)
    return RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, approvers, counted)


def describe_rule(world: World, rule: ApprovalRule) -> RuleStatus:
    """Return a rule as if nobody had approved."""
    approvers = None if rule.rule_type == "any_approver" else list_approvers(world, rule)
    return RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, approvers, ())


def list_approvers(world: World, rule: ApprovalRule) -> tuple[int, ...]:
    """Return the ids of a rule's users and of the direct members of its groups."""
    members = (member.user_id for id_ in rule.group_ids for member in world.members.where("source", ("group", id_)))
    return _unique_ids(id_ for id_ in (*rule.user_ids, *members) if world.users.get(id_))


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
