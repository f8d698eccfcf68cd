"""Approval rules of merge requests that come from the file of code owners on the target branch (paid).

They follow the changed files and the target branch until the merge. Source: docs/platform/merge-requests.md ('Code
owners').
"""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final, TypedDict

from fakeplat.domain.people.namespaces import full_path
from fakeplat.domain.people.users import find_by_any_email, list_confirmed_emails
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import code_owners, protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import ApprovalRule, MergeRequest
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import INVITED_GROUPS_OF_ANCESTORS_OWN_CODE
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors, project_level

if TYPE_CHECKING:
    from fakeplat.domain.repository.code_owners import Entry

CODE_OWNER: Final = "code_owner"


class _Owned(TypedDict):
    """What the file says about a rule."""

    user_ids: tuple[int, ...]
    group_ids: tuple[int, ...]
    role_levels: tuple[int, ...]
    approvals_required: int


def synchronize(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Give a merge request that is not merged the rules of the owners of what it changes, and take others away."""
    project = ctx.world.projects[merge_request.project_id]
    if merge_request.state == "merged" or not has_feature(ctx.world, "premium", project):
        return
    table = ctx.world.approval_rules
    subject = ("merge_request", merge_request.id)
    own = (rule for rule in table.where("subject", subject) if rule.rule_type == CODE_OWNER)
    former = {(rule.name, rule.section): rule for rule in own}
    for entry in _list_entries(ctx.world, merge_request):
        owned = _resolve_owners(ctx.world, merge_request, entry)
        rule = former.pop((entry.pattern, entry.section.name), None)
        if rule is None:
            new = ApprovalRule(
                id=table.next_id(),
                subject=subject,
                name=entry.pattern,
                created_at=ctx.now_iso,
                rule_type=CODE_OWNER,
                section=entry.section.name,
                **owned,
            )
            table.add(new)
        elif any(getattr(rule, name) != value for name, value in owned.items()):
            table.change(rule, updated_at=ctx.now_iso, **owned)
    purge(ctx, *former.values())


def follow_push(ctx: WriteContext, merge_request: MergeRequest, _before: str, _user: User | None) -> None:
    """Follow a push to the source branch."""
    synchronize(ctx, merge_request)


def follow_retargeting(ctx: WriteContext, before: MergeRequest, after: MergeRequest) -> None:
    """Follow a change of the target branch."""
    if before.target_branch != after.target_branch:
        synchronize(ctx, after)


def _list_entries(world: World, merge_request: MergeRequest) -> "list[Entry]":
    project = world.projects[merge_request.project_id]
    if merge_request.source_project_id is None:
        return []
    target = diff_versions.target_head_sha(world, merge_request)
    if target is None:
        return []
    owners = code_owners.read_owners(world, project, target)
    if not any(owners.sections.values()):
        return []
    return owners.list_entries(sorted(diff_versions.list_changed_paths(world, merge_request)))


def _resolve_owners(world: World, merge_request: MergeRequest, entry: "Entry") -> _Owned:
    project = world.projects[merge_request.project_id]
    return {
        "user_ids": tuple(sorted({user.id for user in _list_users(world, project, entry)})),
        "group_ids": tuple(sorted({group.id for group in _list_groups(world, project, entry.names)})),
        "role_levels": entry.list_roles(world.profile),
        "approvals_required": entry.section.approvals,
    }


def _list_users(world: World, project: Project, entry: "Entry") -> Iterator[User]:
    """Yield the members of a project whom an entry names, by username or a confirmed e-mail address."""
    by_name = (world.users.find("username", name) for name in entry.names)
    by_email = (_find_by_confirmed_email(world, email) for email in entry.emails)
    for user in (*by_name, *by_email):
        if user is not None and project_level(world, project, user.id) > Level.NONE:
            yield user


def _find_by_confirmed_email(world: World, address: str) -> User | None:
    user = find_by_any_email(world, address)
    return user if user is not None and address in list_confirmed_emails(world, user) else None


def _list_groups(world: World, project: Project, names: Collection[str]) -> list[Group]:
    """Return the groups with these full paths that are above a project or invited to it, later also from above it."""
    if not names:
        return []
    above = [group for group in ancestors(world, project.namespace_id) if isinstance(group, Group)]
    candidates = [*(group.id for group in above), *_list_invited_ids(world, project, above)]
    groups = (world.namespaces[id_] for id_ in candidates)
    return [each for each in groups if isinstance(each, Group) and full_path(world, each).lower() in names]


def _list_invited_ids(world: World, project: Project, above: Collection[Group]) -> Iterator[int]:
    for share in world.shares.where("source", ("project", project.id)):
        yield share.group_id
    if world.profile.has(INVITED_GROUPS_OF_ANCESTORS_OWN_CODE):
        for group in above:
            for share in world.shares.where("source", ("group", group.id)):
                if share.group_access >= Level.DEVELOPER:
                    yield share.group_id


def is_approval_required(world: World, merge_request: MergeRequest, rule: ApprovalRule) -> bool:
    """Return whether the target branch requires the approval of code owners, in a section that is not optional."""
    project = world.projects[merge_request.project_id]
    protecting = protection.list_branch_rules(world, project, merge_request.target_branch)
    if not any(branch.code_owner_approval_required for branch in protecting):
        return False
    target = diff_versions.target_head_sha(world, merge_request)
    if target is None:
        return True
    return not code_owners.read_owners(world, project, target).is_optional(rule.section or "")


def list_members_with_roles(world: World, rule: ApprovalRule) -> list[int]:
    """Return the ids of the direct members of the project whose roles own the code; none for other rules."""
    if not rule.role_levels:
        return []
    members = world.members.where("source", ("project", world.merge_requests[rule.subject[1]].project_id))
    return [member.user_id for member in members if member.access_level in rule.role_levels]
