"""Protected branches and tags, and push rules. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.repository import access_levels, protection
from fakeplat.model.deployments import GroupProtectedEnvironment, ProtectedEnvironment
from fakeplat.model.repository import Access, GroupProtectedBranch, ProtectedBranch, ProtectedTag, PushRule
from fakeplat.policy.behaviours import ACCESS_LEVELS_HAVE_IDS, ACCESS_LEVELS_NAME_DEPLOY_KEYS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

B = TypeVar("B", ProtectedBranch, GroupProtectedBranch)
_DESCRIPTIONS: Final = {0: "No one", 30: "Developers + Maintainers", 40: "Maintainers", 60: "Instance admins"}
_DEFAULT_LEVEL: Final = 40
"""The level shown for a user or group: the default of the platform's database column."""


P = TypeVar("P", ProtectedBranch, GroupProtectedBranch, ProtectedTag, ProtectedEnvironment, GroupProtectedEnvironment)


def _paid(view: Entity[P]) -> bool:
    world, record = view.ctx.world, view.record
    if isinstance(record, GroupProtectedBranch | GroupProtectedEnvironment):
        return has_feature(world, "premium", world.namespaces[record.group_id])
    return has_feature(world, "premium", world.projects[record.project_id])


def _serialize_with_deploy_key(view: Entity[P], permissions: Sequence[Access]) -> list[dict[str, Any]]:
    """Serialize who may push or create, which a deploy key may do too."""
    rows = serialize_levels(view, permissions)
    if not view.ctx.profile.has(ACCESS_LEVELS_NAME_DEPLOY_KEYS):
        return rows
    keys = [each.deploy_key_id for each in protection.without_deleted_grantees(view.ctx.world, permissions)]
    return [{**row, "deploy_key_id": key} for row, key in zip(rows, keys, strict=True)]


def serialize_levels(view: Entity[P], permissions: Iterable[Access]) -> list[dict[str, Any]]:
    """Serialize who may push, merge or create; the ids of users and groups only on paid tiers."""
    return [
        {
            **({"id": id_} if view.ctx.profile.has(ACCESS_LEVELS_HAVE_IDS) else {}),
            "access_level": _DEFAULT_LEVEL if permission.level is None else permission.level,
            **({"user_id": permission.user_id, "group_id": permission.group_id} if _paid(view) else {}),
            "access_level_description": describe_grantee(view.ctx, permission),
        }
        for id_, permission in access_levels.with_ids(view.record, permissions).items()
        if protection.is_grantee_present(view.ctx.world, permission)
    ]


def describe_grantee(ctx: ReadContext, permission: Access) -> str:
    """Return the name of whom an access level is for."""
    if permission.user_id is not None:
        return ctx.world.users[permission.user_id].name
    if permission.group_id is not None:
        return ctx.world.namespaces[permission.group_id].name
    if permission.deploy_key_id is not None:
        return ctx.world.deploy_keys[permission.deploy_key_id].title
    return _DESCRIPTIONS[permission.level or 0]


class _BranchView(Entity[B]):
    """What a project and a group show of a protected branch or wildcard."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed
    def push_access_levels(self) -> list[dict[str, Any]]:
        return _serialize_with_deploy_key(self, self.record.push)

    @computed
    def merge_access_levels(self) -> list[dict[str, Any]]:
        return serialize_levels(self, self.record.merge)

    @computed_if(when=_paid)
    def unprotect_access_levels(self) -> list[dict[str, Any]]:
        return serialize_levels(self, self.record.unprotect)

    allow_force_push = attr(since="13.11")
    code_owner_approval_required = attr(when=_paid)


class ProtectedBranchView(_BranchView[ProtectedBranch]):
    """A protected branch or wildcard."""

    @computed_if(since="17.6", when=_paid)
    def inherited(self) -> bool:
        # The rules of groups have ids of their own, and are no records of the project.
        return self.ctx.world.protected_branches.get(self.record.id) is None


class GroupProtectedBranchView(_BranchView[GroupProtectedBranch]):
    """A protected branch of the projects in a group."""


class ProtectedTagView(Entity[ProtectedTag]):
    """A protected tag or wildcard."""

    ctx: ReadContext

    name = attr()

    @computed
    def create_access_levels(self) -> list[dict[str, Any]]:
        return _serialize_with_deploy_key(self, self.record.create)


class GroupPushRuleView(Entity[PushRule]):
    """The push rule of a group."""

    id = attr()
    created_at = attr()
    commit_message_regex = attr()
    commit_message_negative_regex = attr()
    branch_name_regex = attr()
    deny_delete_tag = attr()
    member_check = attr()
    prevent_secrets = attr()
    author_email_regex = attr()
    file_name_regex = attr()
    max_file_size = attr()
    commit_committer_check = attr()
    reject_unsigned_commits = attr()
    commit_committer_name_check = attr(since="<=16.11")
    reject_non_dco_commits = attr(since="<=17.3")


class ProjectPushRuleView(GroupPushRuleView):
    """The push rule of a project, with the project's id."""

    @computed
    def project_id(self) -> int:
        return self.record.source[1]
