"""Approval rules of projects and of merge requests."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import BOOLEAN, COUNT, DATE_TIME, TEXT, Choice, ListOf, Object
from fakeplat.domain.merge_requests import approval_rules, rule_copies
from fakeplat.domain.merge_requests.code_owner_rules import CODE_OWNER
from fakeplat.domain.people.namespaces import full_path
from fakeplat.model.merge_requests import ApprovalRule
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = ("name", "approvals_required", "rule_type", "report_type", "section", "is_applicable")


def _create(entry: Entry) -> ApprovalRule:
    owner, values = entry.owner, entry.values
    defaults = {"approvals_required": 0, "created_at": entry.created_at}
    fields = {**entry.select(_FIELDS), **_resolve_approvers(entry), **_resolve_branches(entry, owner)}
    if "rule_type" not in values and not values.get("users") and not values.get("groups"):
        # A rule that names nobody is satisfied by anyone's approval.
        fields["rule_type"] = "any_approver"
    # Rules of the project may be created later than those of its merge requests.
    if "source_rule" in values:
        entry.defer(lambda: _set_source_rule(entry))
    existing = next(
        (rule for rule in approval_rules.list_rules(entry.world, owner) if rule.name == values["name"]), None
    )
    if existing is not None:
        return entry.world.approval_rules.change(existing, **fields)
    return approval_rules.insert_rule(entry.ctx, owner, **{**defaults, **fields})


def _resolve_approvers(entry: Entry) -> dict[str, tuple[int, ...]]:
    references = {}
    if "users" in entry.values:
        references["user_ids"] = tuple(entry.get_user(name, "users").id for name in entry.values["users"])
    if "approved_by" in entry.values:
        references["approved_by_ids"] = tuple(
            entry.get_user(name, "approved_by").id for name in entry.values["approved_by"]
        )
    if "groups" in entry.values:
        references["group_ids"] = tuple(entry.get_group(path, "groups").id for path in entry.values["groups"])
    if "roles" in entry.values:
        references["role_levels"] = tuple(int(Level[role.upper()]) for role in entry.values["roles"])
    return references


def _resolve_branches(entry: Entry, owner: approval_rules.Owner) -> dict[str, tuple[int, ...]]:
    if "protected_branches" not in entry.values:
        return {}
    if not isinstance(owner, Project):
        entry.fail("only project rules can be limited to branches", "protected_branches")
    return {"protected_branch_ids": tuple(_get_branch_id(entry, name) for name in entry.values["protected_branches"])}


def _get_branch_id(entry: Entry, name: str) -> int:
    branch = entry.world.protected_branches.find("name", (entry.owner.id, name))
    if branch is None:
        names = [protected.name for protected in entry.world.protected_branches.where("project", entry.owner.id)]
        entry.fail(f"unknown protected branch {name!r}", "protected_branches", nearest_name(name, names))
    return branch.id


def _set_source_rule(entry: Entry) -> None:
    """Set the project's rule from which the rule was created, once all rules exist."""
    rule, world = entry.record(), entry.world
    if rule.subject[0] != "merge_request":
        entry.fail("only merge request rules can have a source rule", "source_rule")
    rules = approval_rules.list_rules(world, world.projects[world.merge_requests[rule.subject[1]].project_id])
    name = entry.values["source_rule"]
    source = next((candidate for candidate in rules if candidate.name == name), None)
    if source is None:
        entry.fail(
            f"unknown approval rule {name!r}",
            "source_rule",
            nearest_name(name, [candidate.name for candidate in rules]),
        )
    world.approval_rules.change(rule, source_id=source.id)


def _export(world: World, owner: approval_rules.Owner) -> Iterable[tuple[ApprovalRule, EntryData]] | None:
    rules = approval_rules.list_rules(world, owner)
    # The rules of code owners follow from the file, until the merge.
    kept = (rule for rule in rules if rule.rule_type != CODE_OWNER or rule.is_applicable is not None)
    return [(rule, _serialize(world, rule)) for rule in kept] or None


def _serialize(world: World, rule: ApprovalRule) -> EntryData:
    users = [name for id_ in rule.user_ids if (name := serialization.username_of(world, id_))]
    groups = [full_path(world, group) for id_ in rule.group_ids if (group := world.namespaces.get(id_))]
    branches = [branch.name for id_ in rule.protected_branch_ids if (branch := world.protected_branches.get(id_))]
    source = rule_copies.find_source(world, rule)
    references = {
        "users": users,
        "groups": groups,
        "approved_by": [name for id_ in rule.approved_by_ids if (name := serialization.username_of(world, id_))],
        "roles": [Level(level).name.lower() for level in rule.role_levels],
        "protected_branches": branches,
        "source_rule": source.name if source else None,
    }
    data = {name: value for name in (*_FIELDS, "created_at") if (value := getattr(rule, name)) is not None}
    return {**data, **{name: value for name, value in references.items() if value}}


SECTION: Final = Section(
    "approval_rules",
    within=("project", "merge_request", "group"),
    rank=ALERTS,
    keys=Object(
        {
            "name": TEXT,
            "approvals_required": COUNT,
            "rule_type": Choice("regular", "any_approver", "code_owner", "report_approver"),
            "report_type": TEXT,
            "section": TEXT,
            "roles": ListOf(Choice("developer", "maintainer", "owner")),
            "is_applicable": BOOLEAN,
            "approved_by": ListOf(TEXT),
            "users": ListOf(TEXT),
            "groups": ListOf(TEXT),
            "protected_branches": ListOf(TEXT),
            "source_rule": TEXT,
            "created_at": DATE_TIME,
        },
        required=("name",),
        descriptions={
            "users": "Usernames of eligible approvers.",
            "section": "The section of the file of code owners, with merged merge requests.",
            "roles": "Roles of members who own the code, with merged merge requests.",
            "is_applicable": "Whether the rule counted when its merge request was merged.",
            "approved_by": "Usernames of those who had approved by the rule when its merge request was merged.",
            "report_type": "The report that asks for approvals, in rules of the type report_approver.",
            "groups": "Full paths of groups of eligible approvers.",
            "protected_branches": "Names of protected branches, only in project rules. Default: all branches.",
            "source_rule": "Name of the project's rule from which a merge request's rule was created.",
        },
    ),
    create=_create,
    export=_export,
    name_key="name",
    case_sensitive=True,
    record=ApprovalRule,
)
