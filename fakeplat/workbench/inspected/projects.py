"""What belongs to projects, their repositories, releases and packages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.people.members import source_of
from fakeplat.model.ci import Job, Runner
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group, Token
from fakeplat.model.projects import ErrorTrackingSetting, Project
from fakeplat.model.repository import PushRule
from fakeplat.model.world import World
from fakeplat.workbench.inspected.declaration import Part, Parts, own_rows, rows

if TYPE_CHECKING:
    from fakeplat.domain.repository.commits import ProjectCommit
    from fakeplat.domain.repository.repository_files import RepositoryFile
    from fakeplat.domain.wikis.pages import WikiPage


def _issues_of(world: World, project: Project) -> Sequence[Issue]:
    return [world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id)))]


def _jobs_of(world: World, project: Project) -> Sequence[Job]:
    return [job for job in world.jobs.where("project", project.id) if job.kind == "build"]


def _runners_of(world: World, project: Project) -> Sequence[Runner]:
    return [world.runners[link.runner_id] for link in world.runner_projects.where("project", project.id)]


def _commits_of(world: World, project: Project) -> "Sequence[ProjectCommit]":
    from fakeplat.domain.repository import repositories
    from fakeplat.domain.repository.commits import ProjectCommit

    git = repositories.open_repository(world, project)
    return [] if git.head not in git.refs else [ProjectCommit(project, commit) for commit in git.log()]


def _files_of(world: World, project: Project) -> "Sequence[RepositoryFile]":
    from fakeplat.domain.repository import repositories, repository_files

    git = repositories.open_repository(world, project)
    if git.head not in git.refs:
        return []
    return [repository_files.get_file(world, project, path, "HEAD") for path in git.file_paths("HEAD")]


def access_tokens_of(world: World, container: Project | Group) -> Sequence[Token]:
    """Return the access tokens of a project or group."""
    kind = "project" if isinstance(container, Project) else "group"
    return [token for token in world.tokens.where(kind, container.id) if token.kind == kind]


def push_rules_of(world: World, container: Project | Group) -> Sequence[PushRule]:
    """Return the push rule of a project or group, if it has one."""
    rule = world.push_rules.find("source", source_of(container))
    return [] if rule is None else [rule]


def _error_tracking_of(world: World, project: Project) -> Sequence[ErrorTrackingSetting]:
    setting = world.error_tracking_settings.find("project", project.id)
    return [] if setting is None else [setting]


def wiki_pages_of(world: World, container: Project | Group) -> "Sequence[WikiPage]":
    """Return the pages of a wiki."""
    from fakeplat.domain.wikis import pages, wikis

    return pages.list_pages(wikis.open_repository(world, container))


PROJECT_PARTS: Final[Parts] = {
    "members": Part("people.members.list_direct", "people.members.MemberView"),
    "access_requests": Part(own_rows("access_requests"), "people.members.AccessRequestView"),
    "invitations": Part(own_rows("invitations"), "people.invitations.InvitationView"),
    "storage_moves": Part(own_rows("storage_moves"), "repository.storage_moves.StorageMoveView"),
    "starrers": Part(rows("stars", "project"), "projects.projects.StarrerView"),
    "forks": Part(rows("projects", "forked_from"), "projects.projects.InspectedProject"),
    "custom_attributes": Part(
        rows("custom_attributes", "subject", "project"), "projects.custom_attributes.CustomAttributeView"
    ),
    "issues": Part(_issues_of, "issues.issues.IssueView"),
    "merge_requests": Part(
        "merge_requests.merge_requests.list_project_merge_requests", "merge_requests.merge_requests.MergeRequestView"
    ),
    "merge_trains": Part("merge_requests.merge_trains.list_merge_trains", "merge_requests.merge_trains.MergeTrainView"),
    "labels": Part("planning.labels.list_own", "planning.labels.GroupLabelView"),
    "milestones": Part("planning.milestones.list_own", "planning.labels.MilestoneView"),
    "boards": Part("planning.boards.list_boards", "planning.boards.BoardView"),
    "approval_rules": Part(
        "merge_requests.approval_rules.list_rules", "merge_requests.approval_rules.ProjectApprovalRuleView"
    ),
    "external_status_checks": Part(
        rows("external_status_checks", "project"), "projects.status_checks.ExternalStatusCheckView"
    ),
    "alerts": Part("alerts.alerts.list_project_alerts", "alerts.AlertView"),
    "events": Part(rows("events", "project"), "people.events.EventView"),
    "branches": Part("repository.branches.list_branches", "repository.branches.BranchView"),
    "tags": Part("repository.tags.list_tags", "repository.tags.TagView"),
    "commits": Part(_commits_of, "repository.commits.CommitBasic"),
    "files": Part(_files_of, "repository.repository_files.FileWithText"),
    "protected_branches": Part(rows("protected_branches", "project"), "repository.protected.ProtectedBranchView"),
    "protected_tags": Part(rows("protected_tags", "project"), "repository.protected.ProtectedTagView"),
    "push_rules": Part(push_rules_of, "repository.protected.ProjectPushRuleView"),
    "error_tracking_settings": Part(_error_tracking_of, "projects.projects.ErrorTrackingView"),
    "managed_licenses": Part(rows("managed_licenses", "project"), "projects.projects.ManagedLicenseView"),
    "error_tracking_client_keys": Part(
        rows("error_tracking_client_keys", "project"), "projects.projects.ErrorTrackingClientKeyView"
    ),
    "remote_mirrors": Part(rows("remote_mirrors", "project"), "projects.mirrors.RemoteMirrorView"),
    "releases": Part(rows("releases", "project"), "releases.ReleaseView"),
    "packages": Part(rows("packages", "project"), "packages.PackageDetail"),
    "package_protection_rules": Part(
        rows("package_protection_rules", "project"), "projects.status_checks.PackageProtectionRuleView"
    ),
    "container_protection_rules": Part(
        rows("container_protection_rules", "project"), "registry.ContainerProtectionRuleView"
    ),
    "container_tag_protection_rules": Part(
        rows("container_tag_protection_rules", "project"), "registry.ContainerTagProtectionRuleView"
    ),
    "terraform_state_protection_rules": Part(
        rows("terraform_state_protection_rules", "project"),
        "deployments.state_protection_rules.StateProtectionRuleView",
    ),
    "container_repositories": Part(rows("container_repositories", "project"), "registry.ContainerRepositoryView"),
    "wikis": Part(wiki_pages_of, "wikis.WikiPageView"),
    "snippets": Part(rows("snippets", "project"), "snippets.SnippetView"),
    "pipelines": Part(rows("pipelines", "project"), "ci.pipelines.NamedPipelineView"),
    "jobs": Part(_jobs_of, "ci.jobs.JobView"),
    "variables": Part("ci.variables.list_variables", "ci.variables.ProjectVariableView"),
    "triggers": Part("ci.triggers.list_triggers", "ci.triggers.TriggerView"),
    "pipeline_schedules": Part("ci.pipeline_schedules.list_schedules", "ci.pipeline_schedules.PipelineScheduleView"),
    "runners": Part(_runners_of, "ci.runners.RunnerDetails"),
    "resource_groups": Part(rows("resource_groups", "project"), "ci.jobs.ResourceGroupView"),
    "environments": Part(rows("environments", "project"), "deployments.deployments.EnvironmentView"),
    "protected_environments": Part(
        rows("protected_environments", "project"), "deployments.environments.ProtectedEnvironmentView"
    ),
    "deployments": Part(rows("deployments", "project"), "deployments.deployments.DeploymentView"),
    "feature_flags": Part("deployments.feature_flags.list_feature_flags", "deployments.feature_flags.FeatureFlagView"),
    "feature_flag_user_lists": Part(
        "deployments.feature_flag_user_lists.list_user_lists", "deployments.feature_flags.UserListView"
    ),
    "freeze_periods": Part(
        "deployments.freeze_periods.list_freeze_periods", "deployments.environments.FreezePeriodView"
    ),
    "cluster_agents": Part(rows("cluster_agents", "project"), "cluster_agents.ClusterAgentView"),
    "secure_files": Part(rows("secure_files", "project"), "ci.secure_files.SecureFileView"),
    "clusters": Part(own_rows("clusters"), "clusters.ProjectClusterView"),
    "pages_domains": Part(rows("pages_domains", "project"), "pages_domains.PagesDomainView"),
    "pages_deployments": Part(rows("pages_deployments", "project"), "pages_domains.PagesDeploymentView"),
    "services": Part("projects.services.list_active", "projects.services.ServiceView"),
    "hooks": Part(own_rows("hooks"), "hooks.ProjectHookView"),
    "badges": Part(own_rows("badges"), "projects.badges.BadgeView"),
    "debian_distributions": Part(own_rows("debian_distributions"), "packages.DebianDistributionView"),
    "deploy_keys": Part("projects.deploy_keys.list_in_project", "projects.deploy_keys.DeployKeyInProject"),
    "deploy_tokens": Part("projects.deploy_tokens.list_deploy_tokens", "projects.deploy_tokens.DeployTokenView"),
    "access_tokens": Part(access_tokens_of, "people.access_tokens.ResourceAccessTokenView"),
}

RELEASE_PARTS: Final[Parts] = {
    "links": Part("releases.release_links.list_links", "releases.ReleaseLinkView"),
    "evidences": Part(rows("evidences", "release"), "releases.EvidenceView"),
}
PACKAGE_PARTS: Final[Parts] = {
    "files": Part(rows("package_files", "package"), "packages.PackageFileView"),
    "tags": Part(rows("package_tags", "package"), "packages.PackageTagView"),
}
CONTAINER_REPOSITORY_PARTS: Final[Parts] = {
    "tags": Part(rows("container_tags", "repository"), "registry.ContainerTagView")
}
ENVIRONMENT_PARTS: Final[Parts] = {
    "deployments": Part(rows("deployments", "environment"), "deployments.deployments.DeploymentView")
}
CLUSTER_AGENT_PARTS: Final[Parts] = {
    "tokens": Part(rows("cluster_agent_tokens", "agent"), "cluster_agents.AgentTokenView"),
    "url_configurations": Part(rows("agent_url_configurations", "agent"), "cluster_agents.AgentUrlConfigurationView"),
}
