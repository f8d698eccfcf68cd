"""Rules by which the merge requests of projects, and single ones, are approved."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import COUNT, DATE_TIME, TEXT, Choice, ListOf, Object
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.domain.people.namespaces import full_path
from fakeplat.model.approval_rules import ApprovalRule
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, Section, Told
from fakeplat.scenario.sections import serialization as telling

_OWN: Final = ("name", "approvals_required", "rule_type")


def _make(entry: Entry) -> ApprovalRule:
    owner, said = entry.owner, entry.said
    usual = {"approvals_required": 0, "created_at": entry.created_at}
    fields = {**entry.given(_OWN), **_people(entry), **_branches(entry, owner)}
    if "rule_type" not in said and not said.get("users") and not said.get("groups"):
        fields["rule_type"] = "any_approver"
    if "source_rule" in said:
        entry.afterwards(lambda: _name_source(entry))
    found = next((one for one in approval_rules.list_rules(entry.world, owner) if one.name == said["name"]), None)
    if found is not None:
        return entry.world.approval_rules.change(found, **fields)
    return approval_rules.insert_rule(entry.ctx, owner, **{**usual, **fields})


def _people(entry: Entry) -> dict[str, tuple[int, ...]]:
    found = {}
    if "users" in entry.said:
        found["user_ids"] = tuple(entry.named_user(name, "users").id for name in entry.said["users"])
    if "groups" in entry.said:
        found["group_ids"] = tuple(entry.named_group(path, "groups").id for path in entry.said["groups"])
    return found


def _branches(entry: Entry, owner: Project | MergeRequest) -> dict[str, tuple[int, ...]]:
    if "protected_branches" not in entry.said:
        return {}
    if isinstance(owner, MergeRequest):
        entry.wrong("only rules of projects are for some branches", "protected_branches")
    return {"protected_branch_ids": tuple(_branch_id(entry, name) for name in entry.said["protected_branches"])}


def _branch_id(entry: Entry, name: str) -> int:
    found = entry.world.protected_branches.find("name", (entry.owner.id, name))
    if found is None:
        known = [one.name for one in entry.world.protected_branches.where("project", entry.owner.id)]
        entry.wrong(f"unknown protected branch {name!r}", "protected_branches", nearest_name(name, known))
    return found.id


def _name_source(entry: Entry) -> None:
    """Say which rule of the project it was made from, once all of them are there."""
    rule, world = entry.record(), entry.world
    if rule.subject[0] == "project":
        entry.wrong("only rules of merge requests are made from others", "source_rule")
    rules = approval_rules.list_rules(world, world.projects[world.merge_requests[rule.subject[1]].project_id])
    name = entry.said["source_rule"]
    found = next((one for one in rules if one.name == name), None)
    if found is None:
        entry.wrong(f"unknown approval rule {name!r}", "source_rule", nearest_name(name, [one.name for one in rules]))
    world.approval_rules.change(rule, source_id=found.id)


def _tell(world: World, owner: Project | MergeRequest) -> Iterable[tuple[ApprovalRule, Told]] | None:
    return [(one, _told(world, one)) for one in approval_rules.list_rules(world, owner)] or None


def _told(world: World, rule: ApprovalRule) -> Told:
    users = [name for id_ in rule.user_ids if (name := telling.username_of(world, id_))]
    groups = [full_path(world, group) for id_ in rule.group_ids if (group := world.namespaces.get(id_))]
    branches = [one.name for id_ in rule.protected_branch_ids if (one := world.protected_branches.get(id_))]
    source = world.approval_rules.get(rule.source_id) if rule.source_id is not None else None
    found = {
        "users": users,
        "groups": groups,
        "protected_branches": branches,
        "source_rule": source.name if source else None,
    }
    own = {name: getattr(rule, name) for name in (*_OWN, "created_at")}
    return {**own, **{name: value for name, value in found.items() if value}}


SECTION: Final = Section(
    "approval_rules",
    under=("project", "merge_request"),
    rank=ALERTS,
    keys=Object(
        {
            "name": TEXT,
            "approvals_required": COUNT,
            "rule_type": Choice("regular", "any_approver", "report_approver"),
            "users": ListOf(TEXT),
            "groups": ListOf(TEXT),
            "protected_branches": ListOf(TEXT),
            "source_rule": TEXT,
            "created_at": DATE_TIME,
        },
        required=("name",),
        descriptions={
            "users": "Usernames.",
            "groups": "Full paths.",
            "protected_branches": "Of a project's rule: names; otherwise it is for all branches.",
            "source_rule": "Of a merge request's rule: the name of the project's rule that it was made from.",
        },
    ),
    make=_make,
    tell=_tell,
    named="name",
    cased=True,
)
