"""What belongs to users and groups."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from fakeplat.model.activity import AuditEvent
from fakeplat.model.people import Group, Token, User
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.workbench.inspected.declaration import Listing, Part, Parts, own_rows, rows
from fakeplat.workbench.inspected.projects import PROJECT_PARTS, access_tokens_of, push_rules_of, wiki_pages_of


def _projects_of_user(world: World, user: User) -> Sequence[Project]:
    namespaces_of_user = world.namespaces.where("owner", user.id)
    return [project for namespace in namespaces_of_user for project in world.projects.where("namespace", namespace.id)]


def _personal_snippets_of(world: World, user: User) -> Sequence[Snippet]:
    return [snippet for snippet in world.snippets.where("author", user.id) if snippet.project_id is None]


def _tokens_of(kind: str) -> Listing:
    def find(world: World, user: User) -> Sequence[Token]:
        return [token for token in world.tokens.where("user", user.id) if token.kind == kind]

    return find


def _audit_events_of(world: World, group: Group) -> Sequence[AuditEvent]:
    events = world.audit_events.all()
    return [event for event in events if (event.entity_type, event.entity_id) == ("Group", group.id)]


def _list_below(part: str) -> Listing:
    """Return a function that lists what belongs to the projects of a group and of its subgroups."""
    find = PROJECT_PARTS[part].find

    def list_below(world: World, group: Group) -> Sequence[Any]:
        from fakeplat.domain.packages import packages

        return [*chain.from_iterable(find(world, project) for project in packages.list_projects(world, group))]

    return list_below


USER_PARTS: Final[Parts] = {
    "projects": Part(_projects_of_user, "projects.projects.InspectedProject"),
    "memberships": Part(rows("members", "user"), "people.accounts.MembershipView"),
    "snippets": Part(_personal_snippets_of, "snippets.SnippetView"),
    "todos": Part(rows("todos", "user"), "notes.todos.TodoView"),
    "events": Part(rows("events", "author"), "people.events.EventView"),
    "followers": Part("people.follows.list_followers", "people.users.UserBasic"),
    "emails": Part(rows("emails", "user"), "people.accounts.EmailView"),
    "ssh_keys": Part(rows("ssh_keys", "user"), "people.accounts.SshKeyView"),
    "gpg_keys": Part(rows("gpg_keys", "user"), "people.accounts.GpgKeyView"),
    "personal_access_tokens": Part(_tokens_of("personal"), "people.access_tokens.AccessTokenView"),
    "impersonation_tokens": Part(_tokens_of("impersonation"), "people.access_tokens.ImpersonationTokenView"),
    "notification_settings": Part(rows("notification_settings", "user"), "people.users.NotificationSettingView"),
    "custom_attributes": Part(
        rows("custom_attributes", "subject", "user"), "projects.custom_attributes.CustomAttributeView"
    ),
}
GROUP_PARTS: Final[Parts] = {
    "members": Part("people.members.list_direct", "people.members.MemberView"),
    "access_requests": Part(own_rows("access_requests"), "people.members.AccessRequestView"),
    "invitations": Part(own_rows("invitations"), "people.invitations.InvitationView"),
    "storage_moves": Part(own_rows("storage_moves"), "repository.storage_moves.StorageMoveView"),
    "shared_with_groups": Part(own_rows("shares"), "people.namespaces.SharedWith"),
    "projects": Part(rows("projects", "namespace"), "projects.projects.InspectedProject"),
    "subgroups": Part(rows("namespaces", "parent"), "people.namespaces.GroupView"),
    "custom_attributes": Part(
        rows("custom_attributes", "subject", "group"), "projects.custom_attributes.CustomAttributeView"
    ),
    "issues": Part(_list_below("issues"), "issues.issues.IssueView"),
    "merge_requests": Part(_list_below("merge_requests"), "merge_requests.merge_requests.MergeRequestView"),
    "epics": Part(rows("epics", "group"), "epics.EpicView"),
    "epic_boards": Part(rows("epic_boards", "group"), "epic_relations.EpicBoardView"),
    "iterations": Part(rows("iterations", "group"), "planning.labels.IterationView"),
    "labels": Part("planning.labels.list_own", "planning.labels.GroupLabelView"),
    "milestones": Part("planning.milestones.list_own", "planning.labels.MilestoneView"),
    "boards": Part("planning.boards.list_boards", "planning.boards.BoardView"),
    "events": Part(rows("events", "group"), "people.events.EventView"),
    "wikis": Part(wiki_pages_of, "wikis.WikiPageView"),
    "variables": Part("ci.variables.list_variables", "ci.variables.GroupVariableView"),
    "runners": Part(rows("runners", "group"), "ci.runners.RunnerDetails"),
    "clusters": Part(own_rows("clusters"), "clusters.GroupClusterView"),
    "hooks": Part(own_rows("hooks"), "hooks.GroupHookView"),
    "badges": Part(own_rows("badges"), "projects.badges.BadgeView"),
    "debian_distributions": Part(own_rows("debian_distributions"), "packages.DebianDistributionView"),
    "deploy_tokens": Part("projects.deploy_tokens.list_deploy_tokens", "projects.deploy_tokens.DeployTokenView"),
    "access_tokens": Part(access_tokens_of, "people.access_tokens.ResourceAccessTokenView"),
    "group_protected_environments": Part(
        rows("group_protected_environments", "group"), "deployments.environments.GroupProtectedEnvironmentView"
    ),
    "protected_branches": Part(
        rows("group_protected_branches", "group"), "repository.protected.GroupProtectedBranchView"
    ),
    "push_rules": Part(push_rules_of, "repository.protected.GroupPushRuleView"),
    "ldap_group_links": Part(rows("ldap_group_links", "group"), "people.groups.LdapGroupLinkView"),
    "ssh_certificates": Part(rows("ssh_certificates", "group"), "people.accounts.SshCertificateView"),
    "saml_group_links": Part(rows("saml_group_links", "group"), "people.groups.SamlGroupLinkView"),
    "audit_events": Part(_audit_events_of, "instance.administration.AuditEventView"),
}
