"""Settings of projects and groups, and their deletion. Source: docs/platform/graphql.md, docs/platform/projects.md."""

from datetime import date, timedelta
from typing import Final

from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.graphql.people.groups import GROUP, web_url
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

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


@GROUP.field("epicsEnabled: Boolean")
def epics_enabled(ctx: ReadContext, group: Group) -> bool:
    """Whether there are epics; paid tiers only."""
    return has_feature(ctx.world, "premium", group)


@GROUP.field("archived: Boolean", since="18.3")
def is_archived(_ctx: ReadContext, group: Group) -> bool:
    """Whether it is archived."""
    return group.archived


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
    return namespaces.user_namespace(ctx.world, user) if namespaces.has_user_namespace(ctx.world, user) else None
