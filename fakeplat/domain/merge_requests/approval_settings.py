"""How approvals work: what projects allow, unless their top-level group or the instance prevents it (paid).

Source: docs/platform/settings.md, docs/platform/merge-requests.md.
"""

from typing import Any, Final, Literal, TypedDict, Unpack

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.namespaces import root_of
from fakeplat.model.merge_requests import ApprovalSetting
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

Name = Literal[
    "allow_author_approval",
    "allow_committer_approval",
    "allow_overrides_to_approver_list_per_merge_request",
    "retain_approvals_on_push",
    "selective_code_owner_removals",
    "require_password_to_approve",
]
NAMES: Final[tuple[Name, ...]] = (
    "allow_author_approval",
    "allow_committer_approval",
    "allow_overrides_to_approver_list_per_merge_request",
    "retain_approvals_on_push",
    "selective_code_owner_removals",
    "require_password_to_approve",
)
REQUIRED: Final[Name] = "require_password_to_approve"
"""The setting that demands something; the others allow something."""
UNLOCKED: Final[Name] = "selective_code_owner_removals"
"""The setting that nobody above a project decides."""
_OF_INSTANCE: Final[dict[Name, str]] = {
    "allow_author_approval": "prevent_merge_requests_author_approval",
    "allow_committer_approval": "prevent_merge_requests_committers_approval",
    "allow_overrides_to_approver_list_per_merge_request": "disable_overriding_approvers_per_merge_request",
}
_OF_PROJECT: Final[dict[Name, tuple[str, bool]]] = {
    "allow_author_approval": ("merge_requests_author_approval", True),
    "allow_committer_approval": ("merge_requests_disable_committers_approval", False),
    "allow_overrides_to_approver_list_per_merge_request": ("disable_overriding_approvers_per_merge_request", False),
    "retain_approvals_on_push": ("reset_approvals_on_push", False),
    "selective_code_owner_removals": ("selective_code_owner_removals", True),
    "require_password_to_approve": ("require_password_to_approve", True),
}
"""The setting of a project, and whether it means the same or the opposite."""


class ApprovalChanges(TypedDict, total=False):
    """Changes of the settings, by their names."""

    allow_author_approval: bool
    allow_committer_approval: bool
    allow_overrides_to_approver_list_per_merge_request: bool
    retain_approvals_on_push: bool
    selective_code_owner_removals: bool
    require_password_to_approve: bool


@frozen
class Resolved:
    """The value of a setting that counts, and who decides it if not the project or group itself."""

    value: bool
    decided_by: Literal["instance", "group"] | None = None


def resolve(world: World, container: Container, name: Name) -> Resolved:
    """Return the value of a setting in a project or group."""
    strict = name == REQUIRED
    if _is_prevented(world, name):
        return Resolved(strict, "instance")
    if isinstance(container, Group):
        own = find_setting(world, container)
        chosen = getattr(own, name) if own is not None else None
        return Resolved(name not in (REQUIRED, UNLOCKED) if chosen is None else chosen)
    group = root_of(world, world.namespaces[container.namespace_id])
    above = find_setting(world, group) if isinstance(group, Group) else None
    if name != UNLOCKED and above is not None and getattr(above, name) is strict:
        return Resolved(strict, "group")
    field, is_same = _OF_PROJECT[name]
    return Resolved(bool(getattr(container, field)) is is_same)


def _is_prevented(world: World, name: Name) -> bool:
    return name in _OF_INSTANCE and bool(getattr(world.settings, _OF_INSTANCE[name])) and has_feature(world, "premium")


def list_locked_fields(world: World) -> list[str]:
    """Return the fields of projects that the instance prevents from being changed."""
    return [_OF_PROJECT[name][0] for name in _OF_INSTANCE if _is_prevented(world, name)]


def find_setting(world: World, group: Group) -> ApprovalSetting | None:
    """Return what a group has decided; None if it has not."""
    return world.approval_settings.find("group", group.id)


def set_setting(ctx: WriteContext, group: Group, **changes: Unpack[ApprovalChanges]) -> ApprovalSetting:
    """Change what a group decides."""
    table, existing = ctx.world.approval_settings, find_setting(ctx.world, group)
    if existing is not None:
        return table.change(existing, **changes)
    return table.add(ApprovalSetting(table.next_id(), group.id, **changes))


def to_project_fields(changes: ApprovalChanges) -> dict[str, Any]:
    """Return changes as those of the fields of a project."""
    fields: dict[str, Any] = {}
    for name in NAMES:
        if name in changes:
            field, is_same = _OF_PROJECT[name]
            fields[field] = changes[name] is is_same
    return fields


def may_override_approvers(world: World, project: Project) -> bool:
    """Return whether merge requests may have other approvers than their project."""
    return resolve(world, project, "allow_overrides_to_approver_list_per_merge_request").value


def may_authors_approve(world: World, project: Project) -> bool:
    """Return whether authors may approve their own merge requests."""
    return resolve(world, project, "allow_author_approval").value


def may_committers_approve(world: World, project: Project) -> bool:
    """Return whether committers may approve their own commits."""
    return resolve(world, project, "allow_committer_approval").value


def resets_on_push(world: World, project: Project) -> bool:
    """Return whether a push removes the approvals of a merge request."""
    return not resolve(world, project, "retain_approvals_on_push").value


def requires_password(world: World, project: Project) -> bool:
    """Return whether approvers must give their password."""
    return resolve(world, project, REQUIRED).value
