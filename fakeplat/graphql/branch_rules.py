"""Branch rules: protected branches with the branches that they match. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import approval_rules, approval_states
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import status_checks
from fakeplat.domain.repository import protection, repositories
from fakeplat.entities import urls
from fakeplat.entities.repository.protected import describe_grantee
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Input, Scalar, Type, mutation
from fakeplat.model.merge_requests import ApprovalRule, ExternalStatusCheck
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import DeployKey, Project
from fakeplat.model.repository import Access, ProtectedBranch
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=15.8"
DOCUMENTED: Final = "<=18.9"
"""The release whose reference has what it stands at; when it came is not known."""
_TAKEN: Final = "Name has already been taken"
_NO_WILDCARD: Final = "Squash option cannot be used with wildcard branch rules. Use an exact branch name."
RULE = Type("BranchRule", "A rule for the branches whose names match.", since=_SINCE)
PROTECTION = Type("BranchProtection", "The protection of branches.", since=_SINCE)
APPROVAL_RULE = Type(
    "ApprovalProjectRule", "A rule of a project that says who must approve.", gid="ApprovalProjectRule", since=_SINCE
)
APPROVAL_RULE.attributes({"name: String!": "The name.", "approvalsRequired: Int!": "Number of required approvals."})
STATUS_CHECK = Type(
    "ExternalStatusCheck",
    "A service outside that judges merge requests.",
    gid="MergeRequests::ExternalStatusCheck",
    since=_SINCE,
)
STATUS_CHECK.attributes({"name: String!": "The name.", "externalUrl: String!": "The URL of the service."})
STATUS_CHECK.attributes({"hmac: Boolean!": "Whether a secret signs the requests to it."}, since=DOCUMENTED)


@frozen
class Rule:
    """The rule of a protected branch, or of one that a group protects."""

    project: Project
    branch: ProtectedBranch
    is_of_group: bool = False

    @property
    def id(self) -> int:
        """The id of the protected branch."""
        return self.branch.id


@PROJECT.field("branchRules: BranchRuleConnection", since=_SINCE)
def branch_rules(ctx: ReadContext, project: Project) -> Sequence[Rule] | None:
    """The rules by name, also those of groups, for those who manage the project."""
    if not can(ctx, Ability.ADMIN_PROJECT, project):
        return None
    own = (Rule(project, branch) for branch in ctx.world.protected_branches.where("project", project.id))
    of_groups = (Rule(project, branch, is_of_group=True) for branch in protection.list_group_rules(ctx.world, project))
    return sorted([*own, *of_groups], key=lambda rule: rule.branch.name)


@RULE.field("name: String!")
def name(_ctx: ReadContext, rule: Rule) -> str:
    """The name or pattern."""
    return rule.branch.name


@RULE.field("isDefault: Boolean!")
def is_default(_ctx: ReadContext, rule: Rule) -> bool:
    """Whether it is that of the default branch."""
    return rule.branch.name == rule.project.default_branch


@RULE.field("isProtected: Boolean!")
def is_protected(_ctx: ReadContext, _rule: Rule) -> bool:
    """Whether it protects branches, as each rule here does."""
    return True


@RULE.field("matchingBranchesCount: Int!")
def count_matching(ctx: ReadContext, rule: Rule) -> int:
    """Number of branches that match."""
    names = repositories.open_repository(ctx.world, rule.project).branches()
    return sum(protection.matches(rule.branch.name, each) for each in names)


@RULE.field("createdAt: Time")
@RULE.field("updatedAt: Time")
def updated_at(_ctx: ReadContext, rule: Rule) -> str | None:
    """Timestamp of the last update."""
    return rule.branch.updated_at or None


@RULE.field("branchProtection: BranchProtection")
def branch_protection(_ctx: ReadContext, rule: Rule) -> Rule:
    """The protection."""
    return rule


@PROTECTION.field("allowForcePush: Boolean!")
def allow_force_push(_ctx: ReadContext, rule: Rule) -> bool:
    """Whether those who may push may overwrite the history."""
    return rule.branch.allow_force_push


@PROTECTION.field("codeOwnerApprovalRequired: Boolean!")
def code_owner_approval_required(ctx: ReadContext, rule: Rule) -> bool:
    """Whether the owners of the changed files must approve."""
    return has_feature(ctx.world, "premium", rule.project) and rule.branch.code_owner_approval_required


@PROTECTION.field("isGroupLevel: Boolean!", since="18.3")
def is_group_level(_ctx: ReadContext, rule: Rule) -> bool:
    """Whether a group protects the branches."""
    return rule.is_of_group


@RULE.field("approvalRules: ApprovalProjectRuleConnection")
def list_approval_rules(ctx: ReadContext, rule: Rule) -> Sequence[ApprovalRule] | None:
    """The approval rules that are limited to the protected branch; paid tiers only."""
    if not has_feature(ctx.world, "premium", rule.project):
        return None
    found = approval_rules.list_rules(ctx.world, rule.project)
    return [each for each in found if rule.branch.id in each.protected_branch_ids]


@RULE.field("externalStatusChecks: ExternalStatusCheckConnection")
def list_status_checks(ctx: ReadContext, rule: Rule) -> Sequence[ExternalStatusCheck] | None:
    """The services that judge merge requests into the protected branch; paid tiers only."""
    if not has_feature(ctx.world, "ultimate", rule.project):
        return None
    found = status_checks.list_checks(ctx.world, rule.project)
    return [each for each in found if rule.branch.id in each.protected_branch_ids]


@APPROVAL_RULE.field("type: ApprovalRuleType!")
def type_of(_ctx: ReadContext, rule: ApprovalRule) -> str:
    """The type."""
    return rule.rule_type


@APPROVAL_RULE.field("eligibleApprovers: UserConnection")
def eligible_approvers(ctx: ReadContext, rule: ApprovalRule) -> Sequence[User]:
    """The users who may approve."""
    return [ctx.world.users[id_] for id_ in approval_states.list_approvers(ctx.world, rule)]


# Who may push and merge

_UNPROTECTING: Final = "<=16.2"
_KEYS: Final = "<=16.3"
_KEY_KIND: Final = "DeployKey"
ACCESS_USER: Final = Type("AccessLevelUser", "A user who has access.", gid="User", since=_SINCE)
ACCESS_GROUP: Final = Type("AccessLevelGroup", "A group whose members have access.", gid="Group", since=_SINCE)
PUSH: Final = Type("PushAccessLevel", "Who may push.", since=_SINCE)
MERGE: Final = Type("MergeAccessLevel", "Who may merge.", since=_SINCE)
UNPROTECT: Final = Type("UnprotectAccessLevel", "Who may end the protection.", since=_UNPROTECTING)
ACCESS_USER.attributes({"name: String!": "The name.", "username: String!": "The username."})
ACCESS_GROUP.attributes({"name: String!": "The name."})
ACCESS_KEY: Final = Type("AccessLevelDeployKey", "A deploy key that has access.", gid=_KEY_KIND, since=_KEYS)
ACCESS_KEY.attributes({"title: String!": "The title.", "expiresAt: Date": "The day from which it is invalid."})


@frozen
class NumberedAccess:
    """An entry of a list of accesses with its place."""

    id: int
    access: Access


@PROTECTION.field("pushAccessLevels: PushAccessLevelConnection")
def push_accesses(ctx: ReadContext, rule: Rule) -> list[NumberedAccess]:
    """Who may push."""
    return _number(ctx, rule.branch.push)


@PROTECTION.field("mergeAccessLevels: MergeAccessLevelConnection")
def merge_accesses(ctx: ReadContext, rule: Rule) -> list[NumberedAccess]:
    """Who may merge."""
    return _number(ctx, rule.branch.merge)


@PROTECTION.field("unprotectAccessLevels: UnprotectAccessLevelConnection", since=_UNPROTECTING)
def unprotect_accesses(ctx: ReadContext, rule: Rule) -> list[NumberedAccess]:
    """Who may end the protection; empty if each Maintainer may."""
    return _number(ctx, rule.branch.unprotect)


def _number(ctx: ReadContext, accesses: Sequence[Access]) -> list[NumberedAccess]:
    present = protection.without_deleted_grantees(ctx.world, accesses)
    return [NumberedAccess(place, access) for place, access in enumerate(present)]


@PUSH.field("accessLevel: Int!")
@MERGE.field("accessLevel: Int!")
@UNPROTECT.field("accessLevel: Int!")
def access_level(_ctx: ReadContext, numbered: NumberedAccess) -> int:
    """The lowest role; that of Maintainers for a user or a group."""
    level = numbered.access.level
    return Level.MAINTAINER if level is None else level


@PUSH.field("accessLevelDescription: String!")
@MERGE.field("accessLevelDescription: String!")
@UNPROTECT.field("accessLevelDescription: String!")
def access_description(ctx: ReadContext, numbered: NumberedAccess) -> str:
    """The name of who has access."""
    return str(describe_grantee(ctx, numbered.access))


@PUSH.field("user: AccessLevelUser")
@MERGE.field("user: AccessLevelUser")
@UNPROTECT.field("user: AccessLevelUser")
def access_user(ctx: ReadContext, numbered: NumberedAccess) -> User | None:
    """The user, if it is one."""
    return ctx.world.users.get(numbered.access.user_id or 0)


@PUSH.field("group: AccessLevelGroup")
@MERGE.field("group: AccessLevelGroup")
@UNPROTECT.field("group: AccessLevelGroup")
def access_group(ctx: ReadContext, numbered: NumberedAccess) -> Group | None:
    """The group, if it is one."""
    found = ctx.world.namespaces.get(numbered.access.group_id or 0)
    return found if isinstance(found, Group) else None


@PUSH.field("deployKey: AccessLevelDeployKey", since=_KEYS)
def access_key(ctx: ReadContext, numbered: NumberedAccess) -> DeployKey | None:
    """The deploy key, if it is one."""
    return ctx.world.deploy_keys.get(numbered.access.deploy_key_id or 0)


@ACCESS_KEY.field("user: AccessLevelUser!")
def user_of_key(ctx: ReadContext, key: DeployKey) -> User | None:
    """Who added it."""
    return ctx.world.users.get(key.user_id or 0)


@ACCESS_USER.field("publicEmail: String", since="<=18.2")
def public_email_of_user(_ctx: ReadContext, user: User) -> str | None:
    """The public e-mail address."""
    return user.public_email or None


@ACCESS_USER.field("avatarUrl: String", since="<=18.2")
def avatar_of_user(ctx: ReadContext, user: User) -> str | None:
    """The URL of the avatar."""
    return urls.user_avatar_url(ctx, user)


@ACCESS_USER.field("webUrl: String!")
def url_of_user(ctx: ReadContext, user: User) -> str:
    """The URL of the profile."""
    return f"{ctx.origin}/{user.username}"


@ACCESS_USER.field("webPath: String!")
def path_of_user(_ctx: ReadContext, user: User) -> str:
    """The path of the profile."""
    return f"/{user.username}"


@ACCESS_GROUP.field("webUrl: String!")
def url_of_group(ctx: ReadContext, group: Group) -> str:
    """The URL of the page."""
    return f"{ctx.origin}/groups/{namespaces.full_path(ctx.world, group)}"


@ACCESS_GROUP.field("avatarUrl: String", since="<=16.2")
def avatar_of_group(ctx: ReadContext, group: Group) -> str | None:
    """The URL of the avatar."""
    return urls.avatar_url(ctx, "group", group.id, group.avatar)


@ACCESS_GROUP.field("parent: AccessLevelGroup", since="<=16.2")
def parent_of_group(ctx: ReadContext, group: Group) -> Group | None:
    """The group above, if the caller sees it."""
    parent = ctx.world.namespaces.get(group.parent_id or 0)
    return parent if isinstance(parent, Group) and can_see(ctx, parent) else None


# Changes

_LATEST: Final = "<=18.5"
_KIND: Final = "Projects::BranchRule"
_GIVES: Final = '"""The rule."""\nbranchRule: BranchRule'
_ID: Final = '"""The global ID of the rule."""\nid: ProjectsBranchRuleID!'
Scalar("ProjectsBranchRuleID", "The global ID of a branch rule.", since="16.7")
_ROLES_AND_PEOPLE: Final = f'''
"""The lowest role."""
accessLevel: Int
"""The global ID of a user."""
userId: UserID @lifetime(since: "{DOCUMENTED}")
"""The global ID of a group."""
groupId: GroupID @lifetime(since: "{DOCUMENTED}")
'''
Scalar("DeployKeyID", "The global ID of a record of the type DeployKey.", since=DOCUMENTED)
Input(
    "PushAccessLevelInput",
    "Who may push.",
    f'''{_ROLES_AND_PEOPLE}
"""The global ID of a deploy key."""
deployKeyId: DeployKeyID @lifetime(since: "{DOCUMENTED}")
''',
    since=_LATEST,
)
Input("MergeAccessLevelInput", "Who may merge.", _ROLES_AND_PEOPLE, since=_LATEST)
Input(
    "BranchProtectionInput",
    "The protection of branches; what is not sent is reset.",
    f'''
"""Who may push."""
pushAccessLevels: [PushAccessLevelInput!] = []
"""Who may merge."""
mergeAccessLevels: [MergeAccessLevelInput!] = []
"""Whether those who may push may overwrite the history."""
allowForcePush: Boolean = false
"""Whether the owners of the changed files must approve."""
codeOwnerApprovalRequired: Boolean = true @lifetime(since: "{DOCUMENTED}")
''',
    since=_LATEST,
)


@RULE.field("id: ProjectsBranchRuleID", since=_LATEST)
def id_of(ctx: ReadContext, rule: Rule) -> str:
    """The global ID."""
    return global_id(ctx, _KIND, rule.id)


def get_rule(ctx: ReadContext, text: str) -> Rule:
    """Return the rule with a global ID, for those who manage protections; 404 if there is none."""
    branch = ctx.world.protected_branches.get(parse_id(ctx, text, _KIND, "ProtectedBranch"))
    if branch is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    project = ctx.world.projects[branch.project_id]
    authorize(ctx, Ability.ADMIN_PROTECTED, project)
    return Rule(project, branch)


def _is_taken(ctx: ReadContext, project: Project, name: str) -> bool:
    return ctx.world.protected_branches.find("name", (project.id, name)) is not None


@mutation(
    "branchRuleCreate",
    input_fields='"""The full path of the project."""\nprojectPath: ID!\n"""The name or pattern."""\nname: String!',
    payload_fields=_GIVES,
    since="16.7",
)
def branch_rule_create(ctx: WriteContext, project_path: str, name: str) -> Mapping[str, Any]:
    """Protect branches for Maintainers."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_PROTECTED, project)
    if _is_taken(ctx, project, name):
        return {"branch_rule": None, "errors": [_TAKEN]}
    accesses = (Access(Level.MAINTAINER),)
    with collect_errors(branch_rule=None):
        return {"branch_rule": Rule(project, protection.protect_branch(ctx, project, name, accesses, accesses))}


@mutation(
    "branchRuleUpdate",
    input_fields=f'''
{_ID}
"""The name or pattern."""
name: String!
"""The protection."""
branchProtection: BranchProtectionInput @lifetime(since: "{_LATEST}")
''',
    payload_fields=_GIVES,
    since="16.7",
)
def branch_rule_update(
    ctx: WriteContext, id: str, name: str, branch_protection: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Change the name and the protection of a rule."""
    rule = get_rule(ctx, id)
    protection.check_can_change(ctx, rule.project, rule.branch)
    if name != rule.branch.name and _is_taken(ctx, rule.project, name):
        return {"branch_rule": None, "errors": [_TAKEN]}
    if "*" in name and rule.branch.squash_option is not None:
        return {"branch_rule": None, "errors": [_NO_WILDCARD]}
    with collect_errors(branch_rule=None):
        changes = _read_changes(ctx, rule.branch, branch_protection) if branch_protection is not None else {}
        changed = protection.update_branch(ctx, rule.branch, changes)
        return {"branch_rule": Rule(rule.project, ctx.world.protected_branches.change(changed, name=name))}


def _read_changes(ctx: ReadContext, branch: ProtectedBranch, sent: Mapping[str, Any]) -> protection.BranchChanges:
    """Return the changes that an input asks for; a null is as good as nothing."""
    push, merge = sent.get("push_access_levels"), sent.get("merge_access_levels")
    wanted: dict[protection.ListName, list[Access]] = {
        "push": [_read_access(ctx, row) for row in push or ()],
        "merge": [_read_access(ctx, row) for row in merge or ()],
    }
    changes = protection.replace_accesses(branch, wanted)
    changes["allow_force_push"] = bool(sent.get("allow_force_push"))
    if "code_owner_approval_required" in sent:
        changes["code_owner_approval_required"] = sent["code_owner_approval_required"] is not False
    return changes


def _read_access(ctx: ReadContext, row: Mapping[str, Any]) -> Access:
    """Return whom an input is for; Maintainers if it says nothing."""
    ids = {
        name: parse_id(ctx, row[name], kind)
        for name, kind in (("user_id", "User"), ("group_id", "Group"), ("deploy_key_id", _KEY_KIND))
        if row.get(name) is not None
    }
    level = row.get("access_level")
    return Access(Level.MAINTAINER if level is None and not ids else level, **ids)


@mutation("branchRuleDelete", input_fields=_ID, payload_fields=_GIVES, since="16.9")
def branch_rule_delete(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a rule, so that nothing protects the branches."""
    rule = get_rule(ctx, id)
    protection.unprotect_branch(ctx, rule.project, rule.branch.name)
    return {"branch_rule": None}
