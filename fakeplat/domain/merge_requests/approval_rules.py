"""Who must approve merge requests (paid): rules of projects and of single merge requests, and what is left of them.

A merge request's own rules stand in the place of its project's, unless the project forbids that. Where no rule counts
everybody's approvals, the numbers ``approvals_before_merge`` of both do: the larger of them is asked for.
Source: docs/platform/external.md ('Approvals').
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import asdict, evolve

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import diff_versions, merge_requests
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.approval_rules import ApprovalRule, RuleType
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import project_level

ALL_MEMBERS: Final = "All Members"
DEFAULT: Final = "Default"
MOST: Final = 100
_REPORTS: Final = ("Vulnerability-Check", "License-Check")
"""Rules of a project with these names are asked for by the reports of scanners."""
_SECOND: Final = "any-approver for the {} already exists"
_WORDS: Final = {"project": "project", "merge_request": "merge request"}
Subject = tuple[str, int]


def subject_of(owner: Project | MergeRequest) -> Subject:
    """Under what the rules of a project or merge request are kept."""
    return ("project" if isinstance(owner, Project) else merge_requests.KIND, owner.id)


def list_rules(world: World, owner: Project | MergeRequest) -> Sequence[ApprovalRule]:
    """The rules of a project or merge request itself, the oldest first."""
    return world.approval_rules.where("subject", subject_of(owner))


def find(world: World, owner: Project | MergeRequest, id_: int) -> ApprovalRule:
    """Return a rule of a project or merge request itself, or refuse with 404."""
    rule = world.approval_rules.get(id_)
    if rule is None or rule.subject != subject_of(owner):
        raise RecordNotFound(reason=lambda: f"{_described(world, owner)} has no approval rule {id_}")
    return rule


def _described(world: World, owner: Project | MergeRequest) -> str:
    return describe(world, owner) if isinstance(owner, Project) else f"merge request {owner.iid}"


# making and removing


def create(ctx: WriteContext, owner: Project | MergeRequest, **given: Any) -> ApprovalRule:
    """Make a rule from name, approvals_required, rule_type, user_ids, group_ids and protected_branch_ids.

    Of a merge request also ``source_id``. Users who are no members and groups that the caller does not see are left
    out silently. A project's rule for which nobody is given counts everybody's approvals. 400 for what cannot be.
    """
    project = _project_of(ctx.world, owner)
    fields = {"rule_type": _usual_type(owner, given), **given, **_eligible(ctx, project, given)}
    _faults(ctx.world, owner, fields).refuse()
    return insert_rule(ctx, owner, **fields)


def _project_of(world: World, owner: Project | MergeRequest) -> Project:
    return owner if isinstance(owner, Project) else world.projects[owner.project_id]


def _usual_type(owner: Project | MergeRequest, given: Mapping[str, Any]) -> RuleType:
    """Return the type of a new rule where none is given."""
    if isinstance(owner, MergeRequest):
        return "regular"
    if given["name"] in _REPORTS:
        return "report_approver"
    return "regular" if given.get("user_ids") or given.get("group_ids") else "any_approver"


def update(ctx: WriteContext, rule: ApprovalRule, *, remove_hidden_groups: bool = False, **given: Any) -> ApprovalRule:
    """Change name, approvals_required, user_ids, group_ids and protected_branch_ids of a rule.

    Groups that the caller does not see stay, unless they are to be removed. 400 for what cannot be.
    """
    world, owner = ctx.world, owner_of(ctx.world, rule)
    eligible = _eligible(ctx, _project_of(world, owner), given)
    fields = {**given, **{name: ids for name, ids in eligible.items() if name in given}}
    if "group_ids" in fields and not remove_hidden_groups:
        fields["group_ids"] = _unique((*fields["group_ids"], *_hidden_groups(ctx, rule)))
    changed = evolve(rule, **fields, updated_at=ctx.now_iso)
    _faults(world, owner, asdict(changed, recurse=False), rule.id).refuse()
    return world.approval_rules.change(rule, **fields, updated_at=ctx.now_iso)


def owner_of(world: World, rule: ApprovalRule) -> Project | MergeRequest:
    """Return the project or merge request that a rule belongs to."""
    kind, id_ = rule.subject
    return world.projects[id_] if kind == "project" else world.merge_requests[id_]


def _hidden_groups(ctx: WriteContext, rule: ApprovalRule) -> Iterator[int]:
    for id_ in rule.group_ids:
        group = ctx.world.namespaces.get(id_)
        if isinstance(group, Group) and not can_see(ctx, group):
            yield id_


def set_approvers(
    ctx: WriteContext, owner: Project | MergeRequest, user_ids: Iterable[int], group_ids: Iterable[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Set the approvers of a project or merge request as the API before rules does, and return those that exist.

    The first regular rule names them; it is created as "Default" where there is none. Without approvers all regular
    rules are deleted.
    """
    world = ctx.world
    users = _unique(id_ for id_ in user_ids if world.users.get(id_))
    groups = _unique(id_ for id_ in group_ids if isinstance(world.namespaces.get(id_), Group))
    regular = [rule for rule in list_rules(world, owner) if rule.rule_type == "regular"]
    if not users and not groups:
        purge(ctx, *regular)
    elif regular:
        world.approval_rules.change(regular[0], user_ids=users, group_ids=groups, updated_at=ctx.now_iso)
    else:
        required = _required_number(world, owner)
        insert_rule(ctx, owner, name=DEFAULT, approvals_required=required, user_ids=users, group_ids=groups)
    return users, groups


def _required_number(world: World, owner: Project | MergeRequest) -> int:
    number = owner.approvals_before_merge
    return min(_project_of(world, owner).approvals_before_merge if number is None else number, MOST)


def insert_rule(ctx: WriteContext, owner: Project | MergeRequest, **fields: Any) -> ApprovalRule:
    """Make a rule from fields of the record; nobody's rights are asked."""
    table = ctx.world.approval_rules
    return table.add(ApprovalRule(table.next_id(), subject_of(owner), **{"created_at": ctx.now_iso, **fields}))


def _eligible(ctx: WriteContext, project: Project, given: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    world = ctx.world
    users = (id_ for id_ in given.get("user_ids") or () if world.users.get(id_) and project_level(world, project, id_))
    spaces = ((id_, world.namespaces.get(id_)) for id_ in given.get("group_ids") or ())
    own = {branch.id for branch in world.protected_branches.where("project", project.id)}
    return {
        "user_ids": _unique(users),
        "group_ids": _unique(id_ for id_, space in spaces if isinstance(space, Group) and can_see(ctx, space)),
        "protected_branch_ids": _unique(id_ for id_ in given.get("protected_branch_ids") or () if id_ in own),
    }


def _unique(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(ids))


def _faults(world: World, owner: Project | MergeRequest, fields: Mapping[str, Any], own: int = 0) -> ValidationErrors:
    faults, others = ValidationErrors(), [rule for rule in list_rules(world, owner) if rule.id != own]
    kind, name, number = fields.get("rule_type", "regular"), fields["name"], fields["approvals_required"]
    faults.when(not name.strip(), "name", BLANK)
    too_long(faults, "name", name)
    faults.when(any((one.name, one.rule_type) == (name, kind) for one in others), "name", TAKEN)
    faults.when(number < 0, "approvals_required", "must be greater than or equal to 0")
    faults.when(number > MOST, "approvals_required", f"must be less than or equal to {MOST}")
    second = kind == "any_approver" and any(one.rule_type == kind for one in others)
    faults.when(second, "rule_type", _SECOND.format(_WORDS[subject_of(owner)[0]]))
    return faults


def delete(ctx: WriteContext, rule: ApprovalRule) -> None:
    """Remove a rule; what was made from it stays, without a source. 412 where the caller knows an older state."""
    ctx.check_unmodified_since(rule.updated_at or rule.created_at)
    purge(ctx, rule)


# what they come to


@frozen
class RuleStatus:
    """A rule as it stands for one merge request. ``id`` is None where only a number asks for approvals.

    ``approvers`` are those who count (ids), None for everybody; ``approved_by`` those of them who approved.
    """

    id: int | None
    name: str
    rule_type: RuleType
    required: int
    approvers: tuple[int, ...] | None
    approved_by: tuple[int, ...]

    @property
    def left(self) -> int:
        """How many approvals are still missing."""
        return max(self.required - len(self.approved_by), 0)

    @property
    def is_approved(self) -> bool:
        """Whether enough approved; where a rule asks for more than it has approvers, all of them are enough."""
        return self.left == 0 or (self.approvers is not None and not self.undecided)

    @property
    def undecided(self) -> tuple[int, ...]:
        """The approvers who have not approved."""
        return tuple(id_ for id_ in self.approvers or () if id_ not in self.approved_by)


def applied_rules(world: World, merge_request: MergeRequest, target_branch: str | None = None) -> list[RuleStatus]:
    """Return the rules in force for a merge request (into its own or another target branch); none on free tiers."""
    project = world.projects[merge_request.project_id]
    if not has_feature(world, "premium", project):
        return []
    approved = tuple(one.user_id for one in world.approvals.where("merge_request", merge_request.id))
    found = [
        _applied(world, rule, merge_request, approved) for rule in rules_in_force(world, merge_request, target_branch)
    ]
    number = max(merge_request.approvals_before_merge or 0, project.approvals_before_merge)
    if number and all(rule.rule_type != "any_approver" for rule in found):
        found.append(RuleStatus(None, ALL_MEMBERS, "any_approver", number, None, approved))
    return found


def rules_in_force(world: World, merge_request: MergeRequest, target_branch: str | None = None) -> list[ApprovalRule]:
    """Return the merge request's own rules, else those of its project that are for a target branch (its own)."""
    branch = target_branch or merge_request.target_branch
    if is_overridden(world, merge_request):
        return list(list_rules(world, merge_request))
    return [
        rule for rule in list_rules(world, world.projects[merge_request.project_id]) if _is_for(world, rule, branch)
    ]


def is_overridden(world: World, merge_request: MergeRequest) -> bool:
    """Return whether the merge request has rules of its own, and its project lets it."""
    project = world.projects[merge_request.project_id]
    return not project.disable_overriding_approvers_per_merge_request and bool(list_rules(world, merge_request))


def _is_for(world: World, rule: ApprovalRule, branch: str) -> bool:
    if not rule.protected_branch_ids:
        return True
    project = world.projects[rule.subject[1]]
    return any(one.id in rule.protected_branch_ids for one in protection.list_branch_rules(world, project, branch))


def _applied(world: World, rule: ApprovalRule, merge_request: MergeRequest, approved: tuple[int, ...]) -> RuleStatus:
    if rule.rule_type == "any_approver":
        return RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, None, approved)
    barred = list_barred_approvers(world, merge_request)
    approvers = tuple(id_ for id_ in approvers_of(world, rule) if id_ not in barred)
    counted = tuple(id_ for id_ in approved if id_ in approvers)
    return RuleStatus(rule.id, rule.name, rule.rule_type, rule.approvals_required, approvers, counted)


def approvers_of(world: World, rule: ApprovalRule) -> tuple[int, ...]:
    """The users whom a rule names, and the direct members of its groups."""
    members = (one.user_id for id_ in rule.group_ids for one in world.members.where("source", ("group", id_)))
    return _unique(id_ for id_ in (*rule.user_ids, *members) if world.users.get(id_))


def list_barred_approvers(world: World, merge_request: MergeRequest) -> set[int]:
    """Who may not approve, as the project says it: the author, those who committed."""
    project = world.projects[merge_request.project_id]
    barred = set() if project.merge_requests_author_approval else {merge_request.author_id}
    return barred | _committers(world, merge_request) if project.merge_requests_disable_committers_approval else barred


def _committers(world: World, merge_request: MergeRequest) -> set[int]:
    refs = diff_versions.latest_refs(world, merge_request)
    emails = {one.commit.committer.email.lower() for one in diff_versions.list_commits(world, merge_request, refs)}
    return {user.id for email in emails if (user := world.users.find("email", email)) is not None}


def list_unmet_rules(world: World, merge_request: MergeRequest) -> list[RuleStatus]:
    """The rules that keep a merge request from being merged."""
    return [rule for rule in applied_rules(world, merge_request) if not rule.is_approved]


def explicit_users(world: World) -> dict[int, set[int]]:
    """The users whom the rules of merge requests name, by merge request; those that no rule is for are left out."""
    found: set[int] = set()
    for kind, id_ in {rule.subject for rule in world.approval_rules.all()}:
        every = world.merge_requests.bits("facts", ("project", id_))
        found.update(iterate_bits(every) if kind == "project" else [id_])
    return {id_: _named(world, world.merge_requests[id_]) for id_ in found}


def _named(world: World, merge_request: MergeRequest) -> set[int]:
    return {id_ for rule in rules_in_force(world, merge_request) for id_ in rule.user_ids}
