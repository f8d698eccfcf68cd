"""What belongs to the instance."""

from collections.abc import Sequence
from typing import Final

from fakeplat.model.clusters import Cluster
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.workbench.inspected.declaration import Part, Parts, all_rows


def _groups(world: World, _: object) -> Sequence[Group]:
    return [namespace for namespace in world.namespaces.all() if isinstance(namespace, Group)]


def _clusters(world: World, _: object) -> Sequence[Cluster]:
    return [cluster for cluster in world.clusters.all() if cluster.source is None]


INSTANCE_PARTS: Final[Parts] = {
    "projects": Part(all_rows("projects"), "projects.projects.InspectedProject"),
    "groups": Part(_groups, "people.namespaces.GroupView"),
    "users": Part(all_rows("users"), "people.users.UserAdminDetail"),
    "variables": Part("ci.variables.list_variables", "ci.variables.InstanceVariableView"),
    "runners": Part(all_rows("runners"), "ci.runners.RunnerDetails"),
    "deploy_keys": Part(all_rows("deploy_keys"), "projects.deploy_keys.DeployKeyWithProjects"),
    "hooks": Part("hooks.hooks.list_hooks", "hooks.SystemHookView"),
    "applications": Part(all_rows("oauth_applications"), "oauth.OAuthApplicationView"),
    "topics": Part(all_rows("topics"), "projects.projects.TopicView"),
    "member_roles": Part(all_rows("member_roles"), "people.member_roles.MemberRoleView"),
    "features": Part(all_rows("features"), "instance.administration.FeatureView"),
    "licenses": Part(all_rows("instance_licenses"), "instance.licenses.InstanceLicenseView"),
    "broadcast_messages": Part(all_rows("broadcast_messages"), "instance.administration.BroadcastMessageView"),
    "batched_migrations": Part(all_rows("batched_migrations"), "instance.administration.BatchedMigrationView"),
    "clusters": Part(_clusters, "clusters.ClusterView"),
    "audit_events": Part(all_rows("audit_events"), "instance.administration.AuditEventView"),
    "settings": Part(all_rows("settings_table"), "instance.settings.SettingsView"),
    "appearances": Part(all_rows("appearances"), "instance.administration.AppearanceView"),
}
