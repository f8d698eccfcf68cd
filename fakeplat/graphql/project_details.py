"""Settings of projects and groups, and their deletion. Source: docs/platform/graphql.md, docs/platform/projects.md."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import forks
from fakeplat.domain.repository import branches, push_rules
from fakeplat.entities import urls
from fakeplat.graphql.people.groups import GROUP, web_url
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.people import Group, Level, Namespace, User
from fakeplat.model.projects import Container, Project
from fakeplat.model.repository import PushRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors_of

_ACCESS: Final = "<=16.9"
_DEFAULT_CONFIG: Final = ".gitlab-ci.yml"
PROJECT.attributes(
    {
        "allowMergeOnSkippedPipeline: Boolean": "Whether a skipped pipeline counts as successful.",
        "printingMergeRequestLinkEnabled: Boolean": "Whether a push prints the link to a new merge request.",
    }
)
PROJECT.attributes(
    {
        "mergeCommitTemplate: String": "The template of messages of merge commits.",
        "squashCommitTemplate: String": "The template of messages of squash commits.",
    },
    since="<=14.9",
)


@PROJECT.field("mergeRequestsFfOnlyEnabled: Boolean")
def is_fast_forward_only(_ctx: ReadContext, project: Project) -> bool:
    """Whether merging never creates a merge commit."""
    return project.merge_method == "ff"


@PROJECT.field("squashReadOnly: Boolean!", since="<=13.8")
def is_squash_fixed(_ctx: ReadContext, project: Project) -> bool:
    """Whether a merge request cannot choose to be squashed or not."""
    return project.squash_option in ("always", "never")


@PROJECT.field("ciConfigPathOrDefault: String!", since="<=14.9")
def ci_config_path(_ctx: ReadContext, project: Project) -> str:
    """The path of the CI configuration."""
    return project.ci_config_path or _DEFAULT_CONFIG


@PROJECT.field("allowsMultipleMergeRequestAssignees: Boolean!", since="16.8")
@PROJECT.field("allowsMultipleMergeRequestReviewers: Boolean!", since="16.8")
def allows_several(ctx: ReadContext, project: Project) -> bool:
    """Whether merge requests can have several; paid tiers only."""
    return has_feature(ctx.world, "premium", project)


@PROJECT.field("containerRepositoriesCount: Int!", since="<=13.7")
def count_repositories(ctx: ReadContext, project: Project) -> int:
    """Number of image repositories."""
    return len(ctx.world.container_repositories.ids("project", project.id))


@PROJECT.field("editPath: String", since="<=18.5")
def edit_path(ctx: ReadContext, project: Project) -> str | None:
    """The path of the settings, for those who may change them."""
    path = urls.project_url(ctx, project).removeprefix(ctx.origin)
    return f"{path}/edit" if can(ctx, Ability.ADMIN_PROJECT, project) else None


@GROUP.field("editPath: String", since="<=18.5")
def edit_path_of_group(ctx: ReadContext, group: Group) -> str:
    """The path of the settings."""
    return f"{web_url(ctx, group).removeprefix(ctx.origin)}/-/edit"


@GROUP.field("emailsEnabled: Boolean", since="<=18.5")
def emails_enabled(_ctx: ReadContext, group: Group) -> bool:
    """Whether e-mail notifications are enabled."""
    return not group.emails_disabled


@GROUP.field("autoDevopsEnabled: Boolean")
def auto_devops_enabled(ctx: ReadContext, group: Group) -> bool:
    """Whether jobs are made for projects without a configuration: as decided here, above, or for the instance."""
    decided = (above.auto_devops_enabled for above in ancestors_of(ctx.world, group) if isinstance(above, Group))
    decision = next((decision for decision in decided if decision is not None), None)
    return ctx.world.settings.auto_devops_enabled if decision is None else decision


@GROUP.field("epicsEnabled: Boolean")
def epics_enabled(ctx: ReadContext, group: Group) -> bool:
    """Whether there are epics; paid tiers only."""
    return has_feature(ctx.world, "premium", group)


@GROUP.field("archived: Boolean", since="18.3")
def is_archived(_ctx: ReadContext, group: Group) -> bool:
    """Whether it is archived."""
    return group.archived


# Features, branches and forks

Enumeration(
    "ProjectFeatureAccessLevel",
    "Who has access to a feature of a project.",
    {
        "DISABLED": ("disabled", "Nobody."),
        "PRIVATE": ("private", "The members."),
        "ENABLED": ("enabled", "Everybody who sees the project."),
    },
    since=_ACCESS,
)
FEATURE_ACCESS = Type("ProjectFeatureAccess", "The access to a feature of a project.", since=_ACCESS)
FEATURE_ACCESS.attributes(
    {"integerValue: Int": "The level as a number.", "stringValue: ProjectFeatureAccessLevel": "The level."}
)
_NUMBERS: Final = {"disabled": 0, "private": 10, "enabled": 20}


def _access_field(signature: str, attribute: str, description: str) -> None:
    def access(_ctx: ReadContext, project: Project) -> dict[str, int | str]:
        level = str(getattr(project, attribute))
        return {"integer_value": _NUMBERS[level], "string_value": level}

    PROJECT.field(f"{signature}: ProjectFeatureAccess", since=_ACCESS, description=description)(access)


_access_field("forkingAccessLevel", "forking_access_level", "Who can fork the project.")
_access_field("issuesAccessLevel", "issues_access_level", "Who has access to the issues.")
_access_field("mergeRequestsAccessLevel", "merge_requests_access_level", "Who has access to the merge requests.")


@PROJECT.field("mergeRequestTitleRegex: String", since="<=18.5")
def merge_request_title_regex(_ctx: ReadContext, project: Project) -> str | None:
    """The regular expression that titles of merge requests match."""
    return project.merge_request_title_regex or None


@PROJECT.field("mergeRequestTitleRegexDescription: String", since="<=18.5")
def merge_request_title_regex_description(_ctx: ReadContext, project: Project) -> str | None:
    """What the regular expression of titles asks for."""
    return project.merge_request_title_regex_description or None


@PROJECT.field("protectableBranches: [String!]", since="16.9")
def protectable_branches(ctx: ReadContext, project: Project) -> list[str] | None:
    """The branches without a rule of their own; rules with wildcards do not count."""
    if not can(ctx, Ability.DOWNLOAD_CODE, project):
        return None
    ruled = {rule.name for rule in ctx.world.protected_branches.where("project", project.id)}
    return [branch.name for branch in branches.list_branches(ctx.world, project) if branch.name not in ruled]


@PROJECT.field("onlyAllowMergeIfAllStatusChecksPassed: Boolean", since="<=15.8")
def needs_status_checks(ctx: ReadContext, project: Project) -> bool | None:
    """Whether merging requires all status checks to pass; null below the highest tier."""
    is_known = has_feature(ctx.world, "ultimate", project)
    return project.only_allow_merge_if_all_status_checks_passed if is_known else None


PUSH_RULES: Final = Type("PushRules", "What pushes must comply with.", since="<=13.11")


@PROJECT.field("pushRules: PushRules", since="<=13.11")
def push_rules_of(ctx: ReadContext, project: Project) -> PushRule | None:
    """The push rules; null if there are none, as without a paid tier."""
    return push_rules.find_rule(ctx.world, project) if has_feature(ctx.world, "premium", project) else None


@PUSH_RULES.field("rejectUnsignedCommits: Boolean!")
def rejects_unsigned(_ctx: ReadContext, rule: PushRule) -> bool:
    """Whether commits without a signature are rejected."""
    return bool(rule.reject_unsigned_commits)


@PROJECT.field("visibleForks(minimumAccessLevel: AccessLevelEnum): ProjectConnection", since="15.10")
def visible_forks(
    ctx: ReadContext, project: Project, minimum_access_level: Level | None = None
) -> Sequence[Project] | None:
    """The forks that the caller sees, also only those where the caller has at least a role."""
    if not can(ctx, Ability.READ_PROJECT, project):
        return None
    found = [fork for fork in ctx.world.projects.where("forked_from", project.id) if can_see(ctx, fork)]
    if minimum_access_level is None:
        return found
    return [fork for fork in found if level_on(ctx, fork) >= minimum_access_level]


@PROJECT.field("forkTargets(search: String): NamespaceConnection", since="<=15.8")
def fork_targets(ctx: ReadContext, project: Project, search: str | None = None) -> Sequence[Namespace] | None:
    """The namespaces into which the caller can fork the project."""
    user = ctx.viewer
    if user is None or not can(ctx, Ability.DOWNLOAD_CODE, project):
        return None
    own = namespaces.find_user_namespace(ctx.world, user)
    groups = (group for group in ctx.world.namespaces.all() if isinstance(group, Group))
    usable = [group for group in groups if can(ctx, Ability.CREATE_PROJECTS, group)]
    text = (search or "").lower()
    return [
        target
        for target in ([own, *usable] if own is not None else usable)
        if forks.can_fork_into(ctx.world, project, target) and text in f"{target.name} {target.path}".lower()
    ]


@GROUP.field("containerRepositoriesCount: Int!", since="<=13.7")
def count_repositories_of_group(ctx: ReadContext, group: Group) -> int:
    """Number of image repositories of its projects."""
    projects = ctx.world.projects.where("namespace", group.id)
    return sum(len(ctx.world.container_repositories.ids("project", project.id)) for project in projects)


@GROUP.field("mergeRequestsEnabled: Boolean", since="18.3")
def merge_requests_enabled(_ctx: ReadContext, _group: Group) -> bool:
    """Whether there are merge requests."""
    return True


# Deletion with delay


@PROJECT.field("markedForDeletionOn: Time", since="16.10")
@GROUP.field("markedForDeletionOn: Time", since="16.11")
def marked_for_deletion_on(_ctx: ReadContext, container: Container) -> str | None:
    """The day on which the deletion was requested."""
    return container.marked_for_deletion_on


@PROJECT.field("isSelfDeletionScheduled: Boolean!", since="18.3")
@GROUP.field("isSelfDeletionScheduled: Boolean!", since="18.2")
def is_scheduled(_ctx: ReadContext, container: Container) -> bool:
    """Whether the deletion of this one was requested."""
    return container.marked_for_deletion_on is not None


@PROJECT.field("isSelfDeletionInProgress: Boolean!", since="18.3")
@GROUP.field("isSelfDeletionInProgress: Boolean!", since="18.2")
def is_in_progress(_ctx: ReadContext, _container: Container) -> bool:
    """Whether it is being deleted, which takes no time here."""
    return False


@PROJECT.field("markedForDeletion: Boolean!", since="18.1")
@GROUP.field("markedForDeletion: Boolean!", since="18.2")
def is_marked(ctx: ReadContext, container: Container) -> bool:
    """Whether the deletion of this one or of one above it was requested."""
    parent_id = container.namespace_id if isinstance(container, Project) else container.parent_id
    above = ctx.world.namespaces.get(parent_id) if parent_id is not None else None
    return is_scheduled(ctx, container) or (isinstance(above, Group) and is_marked(ctx, above))


@PROJECT.field("permanentDeletionDate: String", since="16.11")
@GROUP.field("permanentDeletionDate: String", since="16.11")
def permanent_deletion_date(ctx: ReadContext, container: Container) -> str:
    """The day of the deletion, if it was requested; otherwise that of a request of today."""
    requested = container.marked_for_deletion_on
    first = date.fromisoformat(requested[:10]) if requested is not None else date.fromisoformat(ctx.today)
    return (first + timedelta(ctx.world.settings.deletion_adjourned_period)).isoformat()


@USER.field("namespace: Namespace", since="<=14.3")
def namespace_of_user(ctx: ReadContext, user: User) -> Namespace | None:
    """The personal namespace."""
    return namespaces.find_user_namespace(ctx.world, user)
