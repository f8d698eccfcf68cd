"""All tables of a world. Each kind has its own range of ids, so that code that confuses two kinds fails.

The classes of the records are named, so that their modules are imported only when such a record exists.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.release import Profile
from fakeplat.core.store.references import Reference, cascade, clear, hand_over, keep
from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.core.store.state import Draft, State, View
from fakeplat.core.store.table import TableOf, bits, each, many, ordered, unique
from fakeplat.model.instance import Instance, Setup
from fakeplat.model.settings import SETTINGS_ID

if TYPE_CHECKING:
    from fakeplat.model.activity import AuditEvent, Event
    from fakeplat.model.alerts import (
        Alert,
        AlertIntegration,
        MetricImage,
        ResourceLink,
        TimelineEvent,
        TimelineEventTag,
    )
    from fakeplat.model.ci import (
        Attestation,
        CiInclude,
        CiVariable,
        DependencyListExport,
        Job,
        JobArtifact,
        JobOutcome,
        JobTokenAllowance,
        JobTokenAuthorization,
        Pipeline,
        PipelineCreationRequest,
        PipelineSchedule,
        ProjectSubscription,
        ResourceGroup,
        Runner,
        RunnerController,
        RunnerControllerScope,
        RunnerControllerToken,
        RunnerManager,
        RunnerProject,
        Trigger,
    )
    from fakeplat.model.clusters import (
        AgentActivityEvent,
        AgentUrlConfiguration,
        Cluster,
        ClusterAgent,
        ClusterAgentToken,
    )
    from fakeplat.model.customer_relations import CrmContact, CrmOrganization, IssueContact
    from fakeplat.model.deployments import (
        DashboardAnnotation,
        Deployment,
        DeploymentApproval,
        Environment,
        FeatureFlag,
        FeatureFlagUserList,
        FreezePeriod,
        GroupProtectedEnvironment,
        ProtectedEnvironment,
    )
    from fakeplat.model.epics import Epic, EpicBoard, EpicBoardList, EpicIssue, RelatedEpicLink
    from fakeplat.model.hooks import Hook, Service
    from fakeplat.model.import_export import (
        BulkImport,
        BulkImportEntity,
        Export,
        Import,
        RelationExport,
        RelationImport,
        SourceUser,
    )
    from fakeplat.model.instance import (
        Appearance,
        BatchedMigration,
        BroadcastMessage,
        Feature,
        InstanceLicense,
        Organization,
        PolicySetting,
        SchemaMigration,
    )
    from fakeplat.model.issues import (
        Award,
        CustomEmoji,
        Issue,
        IssueLink,
        Progress,
        Subscription,
        Timelog,
        WorkItemPreference,
    )
    from fakeplat.model.merge_requests import (
        Approval,
        ApprovalRule,
        ApprovalSetting,
        ContextCommit,
        DiffVersion,
        ExternalStatusCheck,
        MergeRequest,
        MergeRequestBlock,
        MergeTrain,
        StatusCheckResponse,
    )
    from fakeplat.model.notes import DraftNote, Note, Suggestion, Todo
    from fakeplat.model.oauth import AuthorizationGrant, DeviceGrant, OAuthApplication
    from fakeplat.model.packages import DebianDistribution, Package, PackageFile, PackageProtectionRule, PackageTag
    from fakeplat.model.pages_domains import PagesDeployment, PagesDomain
    from fakeplat.model.people import (
        AccessRequest,
        Achievement,
        AddOnPurchase,
        Callout,
        Email,
        Follow,
        GpgKey,
        GranularScope,
        Identity,
        Invitation,
        LdapGroupLink,
        MemberRole,
        MinutesPack,
        Namespace,
        NamespaceCommitEmail,
        NotificationSetting,
        SamlGroupLink,
        SamlProvider,
        SavedReply,
        ScimGroupMembership,
        SshCertificate,
        SshKey,
        StorageLimitExclusion,
        Token,
        User,
        UserAchievement,
        UserAgentDetail,
        UserMemberRole,
        UserPreference,
        Visit,
    )
    from fakeplat.model.planning import (
        Board,
        BoardEpicPreference,
        BoardList,
        CustomField,
        CustomFieldValue,
        Iteration,
        IterationCadence,
        IterationEvent,
        Label,
        LabelEvent,
        LabelPriority,
        Milestone,
        MilestoneEvent,
        StateEvent,
        WeightEvent,
    )
    from fakeplat.model.projects import (
        Badge,
        CustomAttribute,
        DashboardStar,
        DeployKey,
        DeployKeyProject,
        DeployToken,
        ErrorTrackingClientKey,
        ErrorTrackingSetting,
        ManagedLicense,
        Member,
        Project,
        ProjectAlias,
        ProjectFetches,
        Redirect,
        RemoteMirror,
        Share,
        Star,
        StorageMove,
        StoredFile,
        Topic,
    )
    from fakeplat.model.registry import (
        BlobUpload,
        ContainerProtectionRule,
        ContainerRepository,
        ContainerTag,
        ContainerTagProtectionRule,
        ImageBlob,
        ImageManifest,
        ProxiedBlob,
        ProxiedManifest,
    )
    from fakeplat.model.releases import Evidence, Release, ReleaseLink
    from fakeplat.model.repository import (
        GroupProtectedBranch,
        LfsLock,
        LfsObject,
        PathLock,
        ProtectedBranch,
        ProtectedTag,
        PushRule,
        Repository,
        TargetBranchRule,
    )
    from fakeplat.model.secure_files import SecureFile
    from fakeplat.model.settings import Settings
    from fakeplat.model.snippets import Snippet
    from fakeplat.model.terraform import TerraformState, TerraformStateProtectionRule, TerraformStateVersion
    from fakeplat.model.wikis import Wiki, WikiPageMeta

ISSUE_ORDERS: Final = ("created_at", "updated_at", "due_date", "relative_position", "weight")


_ISSUE_COLUMNS: Final = (
    "project_id",
    "state",
    "author_id",
    "milestone_id",
    "confidential",
    "weight",
    "kind",
    "iteration_id",
    "health_status",
    "closed_by_id",
    "assignee_ids",
    "label_ids",
)


# The columns are the extract of the index. An update of any other column, such as the title, skips these functions.
def issue_facts(columns: tuple[Any, ...]) -> list[Hashable]:
    """Return the index keys that an issue can be filtered by, from the columns that they depend on."""
    (
        project_id,
        state,
        author_id,
        milestone_id,
        confidential,
        weight,
        kind,
        iteration_id,
        health_status,
        closed_by_id,
    ) = columns[:10]
    assignee_ids, label_ids = columns[10:]
    facts: list[Hashable] = [
        "all",
        ("project", project_id),
        ("state", state),
        ("author", author_id),
        ("milestone", milestone_id),
        ("confidential", confidential),
        ("weight", weight),
        # An issue without assignees or labels has the key None, by which filters such as ``assignee_id=None`` find it.
        *[("assignee", id_) for id_ in assignee_ids or (None,)],
        *[("label", id_) for id_ in label_ids or (None,)],
    ]
    # What few issues have is a key of these only, so that the others cost nothing.
    if kind != "issue":
        facts.append(("kind", kind))
    if iteration_id is not None:
        facts.append(("iteration", iteration_id))
    if health_status is not None:
        facts.append(("health_status", health_status))
    if closed_by_id is not None:
        facts.append(("closed_by", closed_by_id))
    return facts


def issue_groups(issue: Issue) -> tuple[Hashable, ...]:
    """Return the groups in which an issue is sorted: its project, and all issues."""
    return (issue.project_id, "all")


MERGE_REQUEST_ORDERS: Final = ("created_at", "updated_at")


_MERGE_REQUEST_COLUMNS: Final = (
    "project_id",
    "state",
    "author_id",
    "milestone_id",
    "source_branch",
    "target_branch",
    "title",
    "merged_by_id",
    "assignee_ids",
    "reviewers",
    "label_ids",
)


def merge_request_facts(columns: tuple[Any, ...]) -> list[Hashable]:
    """Return the index keys that a merge request can be filtered by, from the columns that they depend on."""
    from fakeplat.model.merge_requests import is_draft

    project_id, state, author_id, milestone_id, source_branch, target_branch, title, merged_by_id = columns[:8]
    assignee_ids, reviewers, label_ids = columns[8:]
    facts: list[Hashable] = [
        "all",
        ("project", project_id),
        ("state", state),
        ("author", author_id),
        ("milestone", milestone_id),
        ("source_branch", source_branch),
        ("target_branch", target_branch),
        ("draft", is_draft(title)),
        *[("assignee", id_) for id_ in assignee_ids or (None,)],
        *[("reviewer", id_) for id_ in [reviewer.user_id for reviewer in reviewers] or (None,)],
        *[("label", id_) for id_ in label_ids or (None,)],
    ]
    if merged_by_id is not None:
        facts.append(("merger", merged_by_id))
    return facts


def merge_request_groups(merge_request: MergeRequest) -> tuple[Hashable, ...]:
    """Return the groups in which a merge request is sorted: its project, and all merge requests."""
    return (merge_request.project_id, "all")


PIPELINE_ORDERS: Final = ("status", "ref", "updated_at")


_PIPELINE_COLUMNS: Final = ("source", "project_id", "status", "ref", "sha", "user_id", "yaml_errors")
_RESOURCE: Final = ("project_id", "resource_group", "status")


def pipeline_facts(pipeline: Pipeline) -> tuple[Hashable, ...]:
    """Return the index keys that the pipelines of a project can be listed by; child pipelines are not listed."""
    if pipeline.source == "parent_pipeline":
        return ()
    project_id = pipeline.project_id
    return (
        (project_id, "all"),
        (project_id, "status", pipeline.status),
        (project_id, "ref", pipeline.ref),
        # The two filters that clients combine most often.
        (project_id, "ref and status", pipeline.ref, pipeline.status),
        (project_id, "sha", pipeline.sha),
        (project_id, "user", pipeline.user_id),
        (project_id, "yaml_errors", pipeline.yaml_errors is not None),
    )


def pipeline_groups(pipeline: Pipeline) -> tuple[Hashable, ...]:
    """Return the groups in which a pipeline is sorted: its project, unless it is a child pipeline."""
    return () if pipeline.source == "parent_pipeline" else (pipeline.project_id,)


def _user_order(pipeline: Pipeline) -> tuple[bool, int]:
    # As in the platform's database, null is greater than all values.
    return pipeline.user_id is None, pipeline.user_id or 0


def job_facts(job: Job) -> tuple[Hashable, ...]:
    """Return the index keys that the jobs of a project can be listed by; bridges and external statuses are not."""
    return ((job.project_id, "all"), (job.project_id, job.status)) if job.kind == "build" else ()


def job_outcomes(job: Job) -> tuple[Hashable, ...]:
    """Return the groups in which a job is sorted by its stage: how it counts for its pipeline, if it does."""
    return () if job.retried else ((job.pipeline_id, job.outcome),)


def awaited_jobs(job: Job) -> tuple[Hashable, ...]:
    """Return the pipeline and the name of each job that a job waits for because it needs it."""
    if not job.needs or job.status != "created" or job.retried:
        return ()
    return tuple((job.pipeline_id, need.name) for need in job.needs)


_TABLE_BY_KIND: Final = {
    "alert": "alerts",
    "appearance": "appearances",
    "epic": "epics",
    "group": "namespaces",
    "issue": "issues",
    "label": "labels",
    "merge_request": "merge_requests",
    "metric_image": "metric_images",
    "milestone": "milestones",
    "note": "notes",
    "pipeline": "pipelines",
    "project": "projects",
    "snippet": "snippets",
    "topic": "topics",
    "user": "users",
}
"""The tables of the kinds in values such as ``("issue", 7)``."""


INSTANCE: Final = "instance"
"""The key of the instance's own records in indexes by owner."""

ALL_TASKS: Final = "all"
"""The only group in which scheduled tasks are sorted by their time."""


def _tables_of(*names: str) -> dict[str, str]:
    return {name: _TABLE_BY_KIND[name] for name in names}


_COMMITS: Final = {"commit": "projects"}
_CONTAINERS: Final = _tables_of("project", "group")
_OWNERS: Final = _tables_of("project", "group", "user")
_WIKI_PAGES: Final = {"wiki": "wiki_page_metas"}
_ISSUABLES: Final = _tables_of("issue", "merge_request")
_LABELED: Final = _tables_of("issue", "merge_request", "epic")
_SCHEDULED: Final = (
    "alerts",
    "container_repositories",
    "environments",
    "exports",
    "imports",
    "issues",
    "jobs",
    "members",
    "merge_requests",
    "namespaces",
    "pipeline_creation_requests",
    "pipeline_schedules",
    "pipelines",
    "projects",
    "relation_exports",
    "relation_imports",
    "dependency_list_exports",
    "bulk_imports",
    "releases",
    "shares",
    "ssh_keys",
    "tokens",
)
_AUDITED: Final = "audit events outlive what they are about"
_IMAGE: Final = "an image is deleted only with the appearance, or replaced by another one"
_EXTERNAL_ID: Final = "it is not the id of a record"
_RENDERED_AS_NULL: Final = "it is rendered as null once the record is deleted"
_LEFT_OUT: Final = "deleted records are left out when it is rendered"


def _access_references(*fields: str) -> Iterator[Reference]:
    """Yield the references of fields with access grants, which name users and groups."""
    for field in fields:
        yield clear(field, "users", inner="user_id")
        yield clear(field, "namespaces", inner="group_id")


class World(View):
    """The records of one isolated platform, read-only."""

    # The single record of application settings is a table, too, so that changes of it invalidate cached answers.
    settings_table: TableOf[Settings] = TableOf("settings.Settings", first_id=SETTINGS_ID)
    scheduled_tasks = TableOf(
        ScheduledTask,
        many("subject", "subject"),
        ordered("due", lambda _: (ALL_TASKS,), "at", of=()),
        ordered("due_once", lambda task: () if task.recurring else (ALL_TASKS,), "at", of=("recurring",)),
        cascade("subject", {name: name for name in _SCHEDULED}),
        first_id=1,
    )
    users: TableOf[User] = TableOf(
        "people.User",
        clear("created_by", "users"),
        unique("username", lambda u: u.username.lower()),
        unique("email", lambda u: u.email.lower()),
        many("provisioned_by_group", "provisioned_by_group_id"),
        many("enterprise_group", "enterprise_group_id"),
        clear("provisioned_by_group_id", "namespaces", index="provisioned_by_group"),
        clear("enterprise_group_id", "namespaces", index="enterprise_group"),
        keep("theme_id", _EXTERNAL_ID),
        keep("color_scheme_id", _EXTERNAL_ID),
        first_id=1,
    )
    identities: TableOf[Identity] = TableOf(
        "people.Identity",
        many("user", "user_id"),
        # Each group with single sign-on is a provider of its own, although all have the same name.
        unique("extern", ("provider", "extern_uid", "saml_provider_id")),
        many("extern_uid", ("provider", "extern_uid")),
        many("saml_provider", "saml_provider_id"),
        cascade("user_id", "users"),
        cascade("saml_provider_id", "saml_providers", index="saml_provider"),
        first_id=700_001,
    )
    follows: TableOf[Follow] = TableOf(
        "people.Follow",
        unique("pair", ("follower_id", "followee_id")),
        many("follower", "follower_id"),
        many("followee", "followee_id"),
        cascade("follower_id", "users"),
        cascade("followee_id", "users"),
        first_id=750_001,
    )
    tokens: TableOf[Token] = TableOf(
        "people.Token",
        # Values are unique among the credentials that are sent in the same place, so one lookup covers all their kinds.
        unique("value", lambda t: (lookup_kind(t.kind), t.value)),
        many("user", "user_id"),
        many("project", "project_id"),
        many("group", "group_id"),
        many("job", "job_id"),
        unique("refresh_token", "refresh_token"),
        many("application", "application_id"),
        many("previous", "previous_id"),
        cascade("user_id", "users"),
        cascade("project_id", "projects"),
        cascade("group_id", "namespaces"),
        cascade("job_id", "jobs", index="job"),
        cascade("application_id", "oauth_applications", index="application"),
        clear("previous_id", "tokens", index="previous"),
        first_id=900_001,
    )
    granular_scopes: TableOf[GranularScope] = TableOf(
        "people.GranularScope",
        many("token", "token_id"),
        many("project", "project_id"),
        many("group", "group_id"),
        cascade("token_id", "tokens"),
        cascade("project_id", "projects"),
        cascade("group_id", "namespaces"),
        first_id=905_001,
    )
    oauth_applications: TableOf[OAuthApplication] = TableOf(
        "oauth.OAuthApplication",
        unique("uid", "uid"),
        many("owner", "owner_id"),
        cascade("owner_id", "users"),
        first_id=22_000_001,
    )
    authorization_grants: TableOf[AuthorizationGrant] = TableOf(
        "oauth.AuthorizationGrant",
        unique("code", "code"),
        many("application", "application_id"),
        many("user", "user_id"),
        cascade("application_id", "oauth_applications"),
        cascade("user_id", "users"),
        first_id=22_100_001,
    )
    device_grants: TableOf[DeviceGrant] = TableOf(
        "oauth.DeviceGrant",
        unique("device_code", "device_code"),
        unique("user_code", "user_code"),
        many("application", "application_id"),
        many("user", "user_id"),
        cascade("application_id", "oauth_applications"),
        cascade("user_id", "users"),
        first_id=22_300_001,
    )
    saml_providers: TableOf[SamlProvider] = TableOf(
        "people.SamlProvider",
        unique("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=22_200_001,
    )
    ssh_keys: TableOf[SshKey] = TableOf(
        "people.SshKey",
        unique("fingerprint", "fingerprint"),
        many("user", "user_id"),
        cascade("user_id", "users"),
        first_id=21_000_001,
    )
    gpg_keys: TableOf[GpgKey] = TableOf(
        "people.GpgKey",
        unique("fingerprint", "fingerprint"),
        # A signature names the key or the subkey that made it.
        each("keyid", lambda key: (key.primary_keyid, *(subkey.keyid for subkey in key.subkeys))),
        many("user", "user_id"),
        cascade("user_id", "users"),
        first_id=21_100_001,
    )
    emails: TableOf[Email] = TableOf(
        "people.Email",
        unique("email", "email"),
        many("user", "user_id"),
        cascade("user_id", "users"),
        first_id=21_300_001,
    )
    namespace_commit_emails: TableOf[NamespaceCommitEmail] = TableOf(
        "people.NamespaceCommitEmail",
        unique("pair", ("user_id", "namespace_id")),
        many("user", "user_id"),
        many("namespace", "namespace_id"),
        many("email", "email_id"),
        cascade("user_id", "users"),
        cascade("namespace_id", "namespaces"),
        cascade("email_id", "emails"),
        first_id=29_993_001,
    )
    namespaces: TableOf[Namespace] = TableOf(
        "people.Namespace",
        # User namespaces and groups share the top level, so a group cannot take the name of a user, or the reverse.
        unique("place", lambda n: (n.parent_id, n.path.lower())),
        many("parent", "parent_id"),
        many("owner", lambda n: getattr(n, "owner_id", None)),
        many("archived", lambda n: getattr(n, "archived", False) or None),
        many("file_templates", lambda n: getattr(n, "file_template_project_id", None)),
        cascade("parent_id", "namespaces"),
        cascade("owner_id", "users"),
        clear("file_template_project_id", "projects", index="file_templates"),
        first_id=201,
    )
    projects: TableOf[Project] = TableOf(
        "projects.Project",
        unique("place", lambda p: (p.namespace_id, p.path.lower()), of=("namespace_id", "path")),
        unique("name", ("namespace_id", "name")),
        many("namespace", "namespace_id"),
        many("creator", "creator_id"),
        many("visibility", "visibility"),
        many("forked_from", "forked_from_id"),
        many("mirror_user", "mirror_user_id"),
        each("topic", lambda p: [name.lower() for name in p.tag_list], of=("tag_list",)),
        cascade("namespace_id", "namespaces"),
        clear("creator_id", "users", index="creator"),
        clear("mirror_user_id", "users", index="mirror_user"),
        clear("forked_from_id", "projects", index="forked_from"),
        clear("marked_for_deletion_by", "users"),
        keep("approver_ids", _LEFT_OUT, to="users"),
        keep("approver_group_ids", _LEFT_OUT, to="namespaces"),
        keep("pushed_into_being_by", "it is only compared with the caller's id", to="users"),
        first_id=5_001,
    )
    members: TableOf[Member] = TableOf(
        "projects.Member",
        unique("pair", ("source", "user_id")),
        many("source", "source"),
        many("user", "user_id"),
        many("member_role", "member_role_id"),
        cascade("source", _CONTAINERS),
        cascade("user_id", "users"),
        clear("created_by", "users"),
        clear("member_role_id", "member_roles", index="member_role"),
        first_id=40_001,
    )
    shares: TableOf[Share] = TableOf(
        "projects.Share",
        unique("pair", ("source", "group_id")),
        many("source", "source"),
        many("group", "group_id"),
        cascade("source", _CONTAINERS),
        cascade("group_id", "namespaces"),
        clear("member_role_id", "member_roles"),
        first_id=60_001,
    )
    stars: TableOf[Star] = TableOf(
        "projects.Star",
        unique("pair", ("user_id", "project_id")),
        many("user", "user_id"),
        many("project", "project_id"),
        cascade("user_id", "users"),
        cascade("project_id", "projects"),
        first_id=80_001,
    )
    dashboard_stars: TableOf[DashboardStar] = TableOf(
        "projects.DashboardStar",
        unique("place", ("project_id", "user_id", "dashboard_path")),
        many("own", ("project_id", "user_id")),
        many("user", "user_id"),
        many("project", "project_id"),
        cascade("user_id", "users"),
        cascade("project_id", "projects"),
        first_id=85_001,
    )
    custom_attributes: TableOf[CustomAttribute] = TableOf(
        "projects.CustomAttribute",
        unique("key", ("subject", "key")),
        many("subject", "subject"),
        # Finds the subjects that have an attribute with a value, for filters such as ``custom_attributes[team]=core``.
        each("pair", lambda c: [(c.subject[0], c.key, c.value)]),
        cascade("subject", _OWNERS),
        first_id=100_001,
    )
    files: TableOf[StoredFile] = TableOf(
        "projects.StoredFile",
        unique("place", ("owner", "secret", "filename")),
        many("owner", "owner"),
        cascade("owner", {**_OWNERS, **_tables_of("appearance", "metric_image", "topic")}),
        clear("uploaded_by", "users"),
        first_id=120_001,
    )

    project_aliases: TableOf[ProjectAlias] = TableOf(
        "projects.ProjectAlias",
        unique("name", "name"),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=29_690_001,
    )
    redirects: TableOf[Redirect] = TableOf(
        "projects.Redirect",
        unique("path", lambda redirect: redirect.path.lower()),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=5_050_001,
    )
    repositories: TableOf[Repository] = TableOf(
        "repository.Repository",
        unique("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=5_100_001,
    )
    protected_branches: TableOf[ProtectedBranch] = TableOf(
        "repository.ProtectedBranch",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        *_access_references("push", "merge", "unprotect"),
        first_id=5_200_001,
    )
    target_branch_rules: TableOf[TargetBranchRule] = TableOf(
        "repository.TargetBranchRule",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=29_991_001,
    )
    protected_tags: TableOf[ProtectedTag] = TableOf(
        "repository.ProtectedTag",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        *_access_references("create"),
        first_id=5_400_001,
    )
    lfs_objects: TableOf[LfsObject] = TableOf(
        "repository.LfsObject",
        unique("place", ("project_id", "oid")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=5_600_001,
    )
    path_locks: TableOf[PathLock] = TableOf(
        "repository.PathLock",
        unique("place", ("project_id", "path")),
        many("project", "project_id"),
        many("user", "user_id"),
        cascade("project_id", "projects"),
        cascade("user_id", "users"),
        first_id=5_680_001,
    )
    lfs_locks: TableOf[LfsLock] = TableOf(
        "repository.LfsLock",
        unique("place", ("project_id", "path")),
        many("project", "project_id"),
        many("user", "user_id"),
        cascade("project_id", "projects"),
        cascade("user_id", "users"),
        first_id=5_650_001,
    )
    labels: TableOf[Label] = TableOf(
        "planning.Label",
        unique("place", ("source", "title")),
        many("source", "source"),
        many("title", "title"),
        cascade("source", _CONTAINERS),
        first_id=3_001,
    )
    label_priorities: TableOf[LabelPriority] = TableOf(
        "planning.LabelPriority",
        unique("pair", ("project_id", "label_id")),
        many("project", "project_id"),
        many("label", "label_id"),
        cascade("project_id", "projects"),
        cascade("label_id", "labels"),
        first_id=3_500_001,
    )
    milestones: TableOf[Milestone] = TableOf(
        "planning.Milestone",
        unique("iid", ("source", "iid")),
        many("source", "source"),
        many("title", "title"),
        cascade("source", _CONTAINERS),
        first_id=4_001,
    )
    issues: TableOf[Issue] = TableOf(
        "issues.Issue",
        unique("iid", ("project_id", "iid")),
        many("author", "author_id"),
        many("moved_to", "moved_to_id"),
        many("duplicated_to", "duplicated_to_id"),
        many("promoted_to_epic", "promoted_to_epic_id"),
        many("parent", "parent_issue_id"),
        # Bit sets of issues per key, so that a list with several filters is an intersection of integers.
        bits("facts", issue_facts, _ISSUE_COLUMNS),
        # One sorted index per ``order_by``, so that a page of a long list is read without sorting the list.
        *(ordered(column, issue_groups, column, of=("project_id",)) for column in ISSUE_ORDERS),
        cascade("project_id", "projects", index="facts", prefix="project"),
        hand_over("author_id", "users"),
        clear("assignee_ids", "users", index="facts", prefix="assignee"),
        clear("label_ids", "labels", index="facts", prefix="label"),
        clear("milestone_id", "milestones", index="facts", prefix="milestone"),
        clear("moved_to_id", "issues", index="moved_to"),
        clear("duplicated_to_id", "issues", index="duplicated_to"),
        clear("promoted_to_epic_id", "epics", index="promoted_to_epic"),
        clear("updated_by_id", "users"),
        clear("last_edited_by_id", "users"),
        clear("parent_issue_id", "issues", index="parent"),
        clear("closed_by_id", "users", index="facts", prefix="closed_by"),
        clear("iteration_id", "iterations", index="facts", prefix="iteration"),
        first_id=10_001,
    )
    merge_requests: TableOf[MergeRequest] = TableOf(
        "merge_requests.MergeRequest",
        unique("iid", ("project_id", "iid")),
        many("author", "author_id"),
        # A key of None leaves a record out of an index. A push looks only for open merge requests of its branch.
        many(
            "open_from",
            lambda m: (m.source_project_id, m.source_branch) if m.is_open else None,
            of=("source_project_id", "source_branch", "state"),
        ),
        many(
            "open_to",
            lambda m: (m.project_id, m.target_branch) if m.is_open else None,
            of=("project_id", "target_branch", "state"),
        ),
        many(
            "checked",
            lambda m: (m.project_id, m.target_branch) if m.is_open and m.is_checked else None,
            of=("project_id", "target_branch", "state", "merge_status"),
        ),
        many("source_project", "source_project_id"),
        many("merge_user", "merge_user_id"),
        each("closes", "closes_ids"),
        bits("facts", merge_request_facts, _MERGE_REQUEST_COLUMNS),
        *(ordered(column, merge_request_groups, column, of=("project_id",)) for column in MERGE_REQUEST_ORDERS),
        cascade("project_id", "projects", index="facts", prefix="project"),
        hand_over("author_id", "users"),
        clear("source_project_id", "projects", index="source_project"),
        clear("assignee_ids", "users", index="facts", prefix="assignee"),
        clear("reviewers", "users", index="facts", prefix="reviewer", inner="user_id"),
        clear("label_ids", "labels", index="facts", prefix="label"),
        clear("milestone_id", "milestones", index="facts", prefix="milestone"),
        # Without the user in whose name it would merge, the automatic merge is off.
        clear("merge_user_id", "users", index="merge_user", also={"merge_when_pipeline_succeeds": False}),
        clear("closes_ids", "issues", index="closes"),
        # What users added is closed, too, so the same index finds it.
        clear("added_closes_ids", "issues", index="closes"),
        clear("closed_by_id", "users"),
        clear("change_requester_ids", "users"),
        clear("merged_by_id", "users", index="facts", prefix="merger"),
        first_id=30_001,
    )
    diff_versions: TableOf[DiffVersion] = TableOf(
        "merge_requests.DiffVersion",
        many("merge_request", "merge_request_id"),
        many("head", lambda v: v.refs.head if v.refs else None),
        each("declared", lambda v: {v.project_id, v.source_project_id} - {None} if v.declared else ()),
        cascade("merge_request_id", "merge_requests"),
        keep("project_id", "it is the project of the merge request", to="projects"),
        keep("source_project_id", "it records where the version came from", to="projects"),
        first_id=8_000_001,
    )
    approvals: TableOf[Approval] = TableOf(
        "merge_requests.Approval",
        unique("pair", ("merge_request_id", "user_id")),
        many("merge_request", "merge_request_id"),
        many("user", "user_id"),
        cascade("merge_request_id", "merge_requests"),
        cascade("user_id", "users"),
        first_id=8_500_001,
    )
    approval_rules: TableOf[ApprovalRule] = TableOf(
        "merge_requests.ApprovalRule",
        many("subject", "subject"),
        many("source", "source_id"),
        # Approval rules outlive the protected branches that they were limited to.
        each("protected_branch", "protected_branch_ids"),
        cascade("subject", {"project": "projects", "merge_request": "merge_requests", "group": "namespaces"}),
        clear("user_ids", "users"),
        clear("approved_by_ids", "users"),
        clear("group_ids", "namespaces"),
        clear("protected_branch_ids", "protected_branches", index="protected_branch"),
        clear("source_id", "approval_rules", index="source"),
        first_id=8_700_001,
    )
    pipelines: TableOf[Pipeline] = TableOf(
        "ci.Pipeline",
        unique("iid", ("project_id", "iid")),
        many("project", "project_id"),
        many("commit", ("project_id", "sha")),
        many("ref", ("project_id", "ref")),
        many("merge_request", "merge_request_id"),
        many("user", "user_id"),
        # Whether anything is still going on, without reading the finished ones.
        many("unfinished", lambda p: None if p.is_completed else p.project_id, of=("status", "project_id")),
        many(
            "unfinished_of_ref",
            lambda p: None if p.is_completed else (p.project_id, p.ref),
            of=("status", "project_id", "ref"),
        ),
        many("auto_canceled_by", "auto_canceled_by_id"),
        many("source_job", "source_job_id"),
        many("trigger", "trigger_id"),
        many("schedule", "schedule_id"),
        each("facts", pipeline_facts, of=_PIPELINE_COLUMNS),
        *(ordered(f"by_{column}", pipeline_groups, column, of=("source", "project_id")) for column in PIPELINE_ORDERS),
        ordered("by_user_id", pipeline_groups, _user_order, of=("source", "project_id", "user_id")),
        cascade("project_id", "projects"),
        cascade("merge_request_id", "merge_requests"),
        clear("user_id", "users", index="user"),
        clear("source_job_id", "jobs", index="source_job"),
        clear("auto_canceled_by_id", "pipelines", index="auto_canceled_by"),
        clear("trigger_id", "triggers", index="trigger"),
        clear("schedule_id", "pipeline_schedules", index="schedule"),
        first_id=9_000_001,
    )
    pipeline_creation_requests: TableOf[PipelineCreationRequest] = TableOf(
        "ci.PipelineCreationRequest",
        unique("uuid", "uuid"),
        many("project", "project_id"),
        many("user", "user_id"),
        many("pipeline", "pipeline_id"),
        cascade("project_id", "projects"),
        cascade("user_id", "users"),
        cascade("pipeline_id", "pipelines"),
        first_id=9_372_001,
    )
    jobs: TableOf[Job] = TableOf(
        "ci.Job",
        many("pipeline", "pipeline_id"),
        # The jobs that count for the status of a pipeline.
        many("latest", lambda j: None if j.retried else j.pipeline_id, of=("retried", "pipeline_id")),
        ordered("outcomes", job_outcomes, "stage_index", of=("retried", "pipeline_id", "status", "allow_failure")),
        many("name", ("pipeline_id", "name")),
        each("waiting_for", awaited_jobs, of=("needs", "status", "retried", "pipeline_id")),
        many("project", "project_id"),
        many("user", "user_id"),
        many("runner", "runner_id"),
        many("runner_manager", "runner_manager_id"),
        many("pending", lambda j: j.kind if j.status == "pending" else None, of=("status", "kind")),
        many("downstream", "downstream_pipeline_id"),
        each("facts", job_facts, of=("kind", "project_id", "status")),
        many("holds_resource", lambda j: (j.project_id, j.resource_group) if j.holds_resource else None, of=_RESOURCE),
        many(
            "waits_for_resource",
            lambda j: (j.project_id, j.resource_group) if j.waits_for_resource else None,
            of=_RESOURCE,
        ),
        many(
            "upcoming_for_resource", lambda j: (j.project_id, j.resource_group) if j.is_upcoming else None, of=_RESOURCE
        ),
        cascade("pipeline_id", "pipelines"),
        cascade("project_id", "projects"),
        clear("user_id", "users", index="user"),
        clear("erased_by_id", "users"),
        clear("downstream_pipeline_id", "pipelines", index="downstream"),
        clear("runner_id", "runners", index="runner"),
        clear("runner_manager_id", "runner_managers", index="runner_manager"),
        first_id=9_700_001,
    )
    job_artifacts: TableOf[JobArtifact] = TableOf(
        "ci.JobArtifact",
        unique("type", ("job_id", "file_type")),
        many("job", "job_id"),
        many("project", "project_id"),
        cascade("job_id", "jobs"),
        cascade("project_id", "projects"),
        first_id=9_600_001,
    )
    packages: TableOf[Package] = TableOf(
        "packages.Package",
        many("project", "project_id"),
        many("name", ("package_type", "name")),
        many("path", lambda p: None if p.path is None else (p.project_id, p.path)),
        many("pipeline", "pipeline_id"),
        many("creator", "creator_id"),
        many("distribution", "distribution_id"),
        cascade("project_id", "projects"),
        clear("pipeline_id", "pipelines", index="pipeline"),
        clear("creator_id", "users", index="creator"),
        clear("distribution_id", "debian_distributions", index="distribution"),
        first_id=9_640_001,
    )
    debian_distributions: TableOf[DebianDistribution] = TableOf(
        "packages.DebianDistribution",
        many("source", "source"),
        cascade("source", _CONTAINERS),
        clear("creator_id", "users"),
        first_id=9_635_001,
    )
    package_files: TableOf[PackageFile] = TableOf(
        "packages.PackageFile",
        many("package", "package_id"),
        many("name", ("package_id", "file_name")),
        many("pipeline", "pipeline_id"),
        cascade("package_id", "packages"),
        clear("pipeline_id", "pipelines", index="pipeline"),
        first_id=9_650_001,
    )
    package_tags: TableOf[PackageTag] = TableOf(
        "packages.PackageTag",
        many("package", "package_id"),
        cascade("package_id", "packages"),
        first_id=9_645_001,
    )
    job_outcomes: TableOf[JobOutcome] = TableOf(
        "ci.JobOutcome",
        first_id=9_290_001,
    )
    ci_variables: TableOf[CiVariable] = TableOf(
        "ci.CiVariable",
        unique("place", ("subject", "key", "environment_scope")),
        many("subject", lambda v: v.subject or "instance"),
        cascade("subject", _CONTAINERS),
        first_id=9_300_001,
    )
    triggers: TableOf[Trigger] = TableOf(
        "ci.Trigger",
        unique("token", "token"),
        many("project", "project_id"),
        many("owner", "owner_id"),
        cascade("project_id", "projects"),
        cascade("owner_id", "users"),
        first_id=9_320_001,
    )
    pipeline_schedules: TableOf[PipelineSchedule] = TableOf(
        "ci.PipelineSchedule",
        many("project", "project_id"),
        many("owner", "owner_id"),
        many("last_pipeline", "last_pipeline_id"),
        cascade("project_id", "projects"),
        clear("owner_id", "users", index="owner"),
        clear("last_pipeline_id", "pipelines", index="last_pipeline"),
        first_id=9_340_001,
    )
    runners: TableOf[Runner] = TableOf(
        "ci.Runner",
        unique("token", "token"),
        many("type", "runner_type"),
        many("group", "group_id"),
        many("creator", "creator_id"),
        cascade("group_id", "namespaces"),
        clear("creator_id", "users", index="creator"),
        first_id=9_360_001,
    )
    runner_managers: TableOf[RunnerManager] = TableOf(
        "ci.RunnerManager",
        unique("pair", ("runner_id", "system_id")),
        many("runner", "runner_id"),
        cascade("runner_id", "runners"),
        first_id=9_365_001,
    )
    attestations: TableOf[Attestation] = TableOf(
        "ci.Attestation",
        unique("iid", ("project_id", "iid")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        clear("job_id", "jobs"),
        first_id=9_371_001,
    )
    dependency_list_exports: TableOf[DependencyListExport] = TableOf(
        "ci.DependencyListExport",
        many("source", "source"),
        many("user", "user_id"),
        cascade("source", _tables_of("project", "group", "pipeline")),
        cascade("user_id", "users"),
        first_id=9_369_001,
    )
    runner_controllers: TableOf[RunnerController] = TableOf(
        "ci.RunnerController",
        first_id=9_366_001,
    )
    runner_controller_tokens: TableOf[RunnerControllerToken] = TableOf(
        "ci.RunnerControllerToken",
        unique("token", "token"),
        many("runner_controller", "runner_controller_id"),
        cascade("runner_controller_id", "runner_controllers"),
        first_id=9_367_001,
    )
    runner_controller_scopes: TableOf[RunnerControllerScope] = TableOf(
        "ci.RunnerControllerScope",
        unique("pair", ("runner_controller_id", "runner_id")),
        many("runner_controller", "runner_controller_id"),
        many("runner", "runner_id"),
        cascade("runner_controller_id", "runner_controllers"),
        cascade("runner_id", "runners"),
        first_id=9_368_001,
    )
    runner_projects: TableOf[RunnerProject] = TableOf(
        "ci.RunnerProject",
        unique("pair", ("runner_id", "project_id")),
        many("runner", "runner_id"),
        many("project", "project_id"),
        cascade("runner_id", "runners"),
        cascade("project_id", "projects"),
        first_id=9_370_001,
    )
    awards: TableOf[Award] = TableOf(
        "issues.Award",
        unique("own", ("subject", "user_id", "name")),
        many("subject", "subject"),
        many("user", "user_id"),
        cascade("subject", _tables_of("epic", "issue", "merge_request", "snippet", "note")),
        cascade("user_id", "users"),
        first_id=2_000_001,
    )
    custom_emoji: TableOf[CustomEmoji] = TableOf(
        "issues.CustomEmoji",
        unique("name", ("group_id", "name")),
        many("group", "group_id"),
        many("creator", "creator_id"),
        cascade("group_id", "namespaces"),
        cascade("creator_id", "users"),
        first_id=29_650_001,
    )
    visits: TableOf[Visit] = TableOf(
        "people.Visit",
        many("user", "user_id"),
        many("source", "source"),
        cascade("user_id", "users"),
        cascade("source", _CONTAINERS),
        first_id=29_653_001,
    )
    achievements: TableOf[Achievement] = TableOf(
        "people.Achievement",
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=29_651_001,
    )
    user_achievements: TableOf[UserAchievement] = TableOf(
        "people.UserAchievement",
        many("achievement", "achievement_id"),
        many("user", "user_id"),
        many("awarded_by_user", "awarded_by_user_id"),
        many("revoked_by_user", "revoked_by_user_id"),
        cascade("achievement_id", "achievements"),
        cascade("user_id", "users"),
        hand_over("awarded_by_user_id", "users"),
        clear("revoked_by_user_id", "users"),
        first_id=29_652_001,
    )
    callouts: TableOf[Callout] = TableOf(
        "people.Callout",
        unique("name", ("user_id", "group_id", "feature_name")),
        many("user", "user_id"),
        many("group", "group_id"),
        cascade("user_id", "users"),
        cascade("group_id", "namespaces"),
        first_id=29_730_001,
    )
    saved_replies: TableOf[SavedReply] = TableOf(
        "people.SavedReply",
        unique("name", ("subject", "name")),
        many("subject", "subject"),
        cascade("subject", _OWNERS),
        first_id=29_660_001,
    )
    user_preferences: TableOf[UserPreference] = TableOf(
        "people.UserPreference",
        unique("user", "user_id"),
        cascade("user_id", "users"),
        first_id=29_661_001,
    )
    custom_fields: TableOf[CustomField] = TableOf(
        "planning.CustomField",
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        clear("created_by_id", "users"),
        clear("updated_by_id", "users"),
        first_id=29_950_001,
    )
    custom_field_values: TableOf[CustomFieldValue] = TableOf(
        "planning.CustomFieldValue",
        unique("own", ("field_id", "subject")),
        many("field", "field_id"),
        many("subject", "subject"),
        cascade("field_id", "custom_fields"),
        cascade("subject", _tables_of("epic", "issue")),
        first_id=29_960_001,
    )
    timelogs: TableOf[Timelog] = TableOf(
        "issues.Timelog",
        many("subject", "subject"),
        many("user", "user_id"),
        cascade("subject", _ISSUABLES),
        hand_over("user_id", "users"),
        clear("note_id", "notes"),
        first_id=29_640_001,
    )
    subscriptions: TableOf[Subscription] = TableOf(
        "issues.Subscription",
        unique("own", ("subject", "user_id")),
        many("subject", "subject"),
        many("user", "user_id"),
        cascade("subject", _tables_of("epic", "issue", "merge_request", "label") | _WIKI_PAGES),
        cascade("user_id", "users"),
        first_id=2_500_001,
    )
    suggestions: TableOf[Suggestion] = TableOf(
        "notes.Suggestion",
        many("note", "note_id"),
        cascade("note_id", "notes"),
        first_id=6_250_001,
    )
    notes: TableOf[Note] = TableOf(
        "notes.Note",
        many("subject", "subject"),
        # A commit is no record: a note on one has three parts in its subject and is found by the project's id.
        many("commits_of", lambda n: n.subject[1] if len(n.subject) == 3 else None),
        many("author", "author_id"),
        many("comments", lambda n: None if n.system else n.subject, of=("system", "subject")),
        # Tells whether a user has commented on a record, which subscribes them to it.
        many("spoken", lambda n: None if n.system else (n.subject, n.author_id), of=("system", "subject", "author_id")),
        many("waiting", lambda n: n.subject if n.is_waiting else None, of=("subject", "type", "system", "resolved_at")),
        many("telling", lambda n: (n.subject, n.source) if n.source else None, of=("subject", "source")),
        many("discussion", lambda n: n.discussion_id or None, of=("discussion_id",)),
        cascade("subject", {**_tables_of("issue", "merge_request", "snippet", "alert", "epic"), **_WIKI_PAGES}),
        cascade("subject", _COMMITS, index="commits_of", prefix=""),
        hand_over("author_id", "users"),
        clear("resolved_by_id", "users"),
        keep(
            "source",
            "a note that mentions a deleted record is visible to nobody",
            to=_tables_of("epic", "issue", "merge_request", "snippet"),
        ),
        first_id=4_000_001,
    )
    draft_notes: TableOf[DraftNote] = TableOf(
        "notes.DraftNote",
        many("merge_request", "merge_request_id"),
        many("author", "author_id"),
        many("own", ("merge_request_id", "author_id")),
        cascade("merge_request_id", "merge_requests"),
        cascade("author_id", "users"),
        first_id=4_200_001,
    )
    todos: TableOf[Todo] = TableOf(
        "notes.Todo",
        many("user", "user_id"),
        many("author", "author_id"),
        many("subject", "subject"),
        many("commits_of", lambda t: t.subject[1] if len(t.subject) == 3 else None),
        many("note", "note_id"),
        many("pending", lambda t: (t.user_id, t.subject) if t.state == "pending" else None),
        cascade("user_id", "users"),
        cascade("author_id", "users"),
        cascade("subject", {**_tables_of("epic", "issue", "merge_request"), **_WIKI_PAGES, **_CONTAINERS}),
        cascade("subject", _COMMITS, index="commits_of", prefix=""),
        cascade("note_id", "notes"),
        keep("project_id", "it is the project of the subject", to="projects"),
        keep("group_id", "it is the group of the subject", to="namespaces"),
        first_id=4_500_001,
    )
    services: TableOf[Service] = TableOf(
        "hooks.Service",
        unique("place", ("source", "slug")),
        many("source", "source"),
        many("inherit_from", "inherit_from_id"),
        cascade("source", _CONTAINERS),
        clear("inherit_from_id", "services", index="inherit_from"),
        first_id=150_001,
    )
    snippets: TableOf[Snippet] = TableOf(
        "snippets.Snippet",
        many("project", "project_id"),
        many("author", "author_id"),
        # Project snippets have no key here, so public personal snippets are found without reading those of projects.
        many("personal", lambda s: s.visibility if s.project_id is None else None),
        cascade("project_id", "projects"),
        cascade("author_id", "users"),
        first_id=155_001,
    )
    environments: TableOf[Environment] = TableOf(
        "deployments.Environment",
        unique("place", ("project_id", "name")),
        unique("slug", ("project_id", "slug")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        clear("cluster_agent_id", "cluster_agents"),
        first_id=160_001,
    )
    deployments: TableOf[Deployment] = TableOf(
        "deployments.Deployment",
        unique("iid", ("project_id", "iid")),
        many("project", "project_id"),
        many("environment", "environment_id"),
        many("job", "job_id"),
        many("user", "user_id"),
        each("merge_request", "merge_request_ids"),
        cascade("project_id", "projects"),
        cascade("environment_id", "environments"),
        clear("job_id", "jobs", index="job"),
        clear("user_id", "users", index="user"),
        clear("merge_request_ids", "merge_requests", index="merge_request"),
        first_id=9_380_001,
    )
    resource_groups: TableOf[ResourceGroup] = TableOf(
        "ci.ResourceGroup",
        unique("key", ("project_id", "key")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_470_001,
    )
    alerts: TableOf[Alert] = TableOf(
        "alerts.Alert",
        unique("iid", ("project_id", "iid")),
        # The invariant of grouping: at most one unresolved alert per fingerprint.
        unique("open", "open_key"),
        many("project", "project_id"),
        many("issue", "issue_id"),
        cascade("project_id", "projects"),
        clear("issue_id", "issues", index="issue"),
        clear("assignee_ids", "users"),
        clear("environment_id", "environments"),
        first_id=170_001,
    )
    alert_integrations: TableOf[AlertIntegration] = TableOf(
        "alerts.AlertIntegration",
        unique("endpoint", ("project_id", "endpoint_identifier")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=171_001,
    )
    dashboard_annotations: TableOf[DashboardAnnotation] = TableOf(
        "deployments.DashboardAnnotation",
        many("subject", "subject"),
        cascade("subject", {"environment": "environments", "cluster": "clusters"}),
        first_id=86_001,
    )
    metric_images: TableOf[MetricImage] = TableOf(
        "alerts.MetricImage",
        many("subject", "subject"),
        many("file", "file_id"),
        cascade("subject", _tables_of("issue", "alert")),
        cascade("file_id", "files", index="file"),
        first_id=29_600_001,
    )
    timeline_event_tags: TableOf[TimelineEventTag] = TableOf(
        "alerts.TimelineEventTag",
        unique("name", lambda tag: (tag.project_id, tag.name.lower())),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=29_670_001,
    )
    timeline_events: TableOf[TimelineEvent] = TableOf(
        "alerts.TimelineEvent",
        many("incident", "incident_id"),
        many("author", "author_id"),
        cascade("incident_id", "issues", index="incident"),
        hand_over("author_id", "users"),
        clear("updated_by_id", "users"),
        clear("promoted_from_note_id", "notes"),
        clear("tag_ids", "timeline_event_tags"),
        first_id=29_680_001,
    )
    resource_links: TableOf[ResourceLink] = TableOf(
        "alerts.ResourceLink",
        many("incident", "incident_id"),
        cascade("incident_id", "issues", index="incident"),
        first_id=29_810_001,
    )
    work_item_preferences: TableOf[WorkItemPreference] = TableOf(
        "issues.WorkItemPreference",
        unique("own", ("user_id", "source", "type_id")),
        many("user", "user_id"),
        many("source", "source"),
        cascade("user_id", "users"),
        cascade("source", _CONTAINERS),
        keep("type_id", "the types of work items are fixed"),
        first_id=29_840_001,
    )
    work_item_progresses: TableOf[Progress] = TableOf(
        "issues.Progress",
        unique("issue", "issue_id"),
        cascade("issue_id", "issues", index="issue"),
        first_id=29_830_001,
    )
    issue_links: TableOf[IssueLink] = TableOf(
        "issues.IssueLink",
        # Two issues have one link at most, whichever is the source.
        unique("pair", lambda link: frozenset((link.source_id, link.target_id))),
        each("issue", ("source_id", "target_id")),
        cascade("source_id", "issues", index="issue"),
        cascade("target_id", "issues", index="issue"),
        first_id=6_000_001,
    )
    user_agent_details: TableOf[UserAgentDetail] = TableOf(
        "people.UserAgentDetail",
        unique("subject", "subject"),
        cascade("subject", _tables_of("issue", "snippet")),
        first_id=6_100_001,
    )
    label_events: TableOf[LabelEvent] = TableOf(
        "planning.LabelEvent",
        many("subject", "subject"),
        many("label", "label_id"),
        cascade("subject", _LABELED),
        keep("user_id", _RENDERED_AS_NULL, to="users"),
        keep("label_id", _RENDERED_AS_NULL, to="labels", index="label"),
        first_id=6_200_001,
    )
    milestone_events: TableOf[MilestoneEvent] = TableOf(
        "planning.MilestoneEvent",
        many("subject", "subject"),
        many("milestone", "milestone_id"),
        cascade("subject", _ISSUABLES),
        keep("user_id", _RENDERED_AS_NULL, to="users"),
        cascade("milestone_id", "milestones"),
        first_id=6_300_001,
    )
    state_events: TableOf[StateEvent] = TableOf(
        "planning.StateEvent",
        many("subject", "subject"),
        cascade("subject", _LABELED),
        keep("user_id", _RENDERED_AS_NULL, to="users"),
        clear("source_merge_request_id", "merge_requests"),
        first_id=6_400_001,
    )
    weight_events: TableOf[WeightEvent] = TableOf(
        "planning.WeightEvent",
        many("subject", "subject"),
        cascade("subject", _ISSUABLES),
        keep("user_id", _RENDERED_AS_NULL, to="users"),
        first_id=6_500_001,
    )
    iteration_events: TableOf[IterationEvent] = TableOf(
        "planning.IterationEvent",
        many("subject", "subject"),
        many("iteration", "iteration_id"),
        cascade("subject", _ISSUABLES),
        keep("user_id", _RENDERED_AS_NULL, to="users"),
        keep("iteration_id", _RENDERED_AS_NULL, to="iterations", index="iteration"),
        first_id=6_550_001,
    )
    error_tracking_client_keys: TableOf[ErrorTrackingClientKey] = TableOf(
        "projects.ErrorTrackingClientKey",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_486_001,
    )
    managed_licenses: TableOf[ManagedLicense] = TableOf(
        "projects.ManagedLicense",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_487_001,
    )
    error_tracking_settings: TableOf[ErrorTrackingSetting] = TableOf(
        "projects.ErrorTrackingSetting",
        unique("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=6_560_001,
    )
    merge_trains: TableOf[MergeTrain] = TableOf(
        "merge_requests.MergeTrain",
        unique("merge_request", "merge_request_id"),
        many("user", "user_id"),
        cascade("merge_request_id", "merge_requests"),
        cascade("user_id", "users"),
        clear("pipeline_id", "pipelines"),
        first_id=6_570_001,
    )
    events: TableOf[Event] = TableOf(
        "activity.Event",
        many("author", "author_id"),
        many("project", "project_id"),
        many("group", "group_id"),
        many("target", ("kind", "target_id")),
        cascade("author_id", "users"),
        cascade("project_id", "projects"),
        cascade("group_id", "namespaces"),
        cascade("target_id", _tables_of("issue", "merge_request", "note", "epic"), index="target", kind_field="kind"),
        keep(
            "target_id",
            "it outlives the page and ends with the project",
            to=_WIKI_PAGES,
            index="target",
            kind_field="kind",
        ),
        # Events of a deleted milestone stay, without a target; those of the other kinds disappear with their records.
        clear("target_id", _tables_of("milestone"), index="target", kind_field="kind"),
        first_id=6_600_001,
    )
    boards: TableOf[Board] = TableOf(
        "planning.Board",
        many("source", "source"),
        cascade("source", _CONTAINERS),
        clear("milestone_id", "milestones"),
        clear("assignee_id", "users"),
        clear("label_ids", "labels"),
        first_id=6_800_001,
    )
    board_lists: TableOf[BoardList] = TableOf(
        "planning.BoardList",
        unique("thing", ("board_id", "kind", "thing_id")),
        many("board", "board_id"),
        many("of", ("kind", "thing_id")),
        cascade("board_id", "boards"),
        cascade(
            "thing_id",
            {"label": "labels", "milestone": "milestones", "assignee": "users", "iteration": "iterations"},
            index="of",
            kind_field="kind",
        ),
        first_id=6_900_001,
    )
    board_epic_preferences: TableOf[BoardEpicPreference] = TableOf(
        "planning.BoardEpicPreference",
        unique("own", ("user_id", "board_id", "epic_id")),
        many("user", "user_id"),
        many("board", "board_id"),
        many("epic", "epic_id"),
        cascade("user_id", "users"),
        cascade("board_id", "boards"),
        cascade("epic_id", "epics"),
        first_id=29_820_001,
    )
    access_requests: TableOf[AccessRequest] = TableOf(
        "people.AccessRequest",
        unique("pair", ("source", "user_id")),
        many("source", "source"),
        many("user", "user_id"),
        cascade("source", _CONTAINERS),
        cascade("user_id", "users"),
        first_id=7_000_001,
    )
    invitations: TableOf[Invitation] = TableOf(
        "people.Invitation",
        unique("pair", ("source", "invite_email")),
        many("source", "source"),
        many("email", "invite_email"),
        cascade("source", _CONTAINERS),
        clear("created_by", "users"),
        clear("member_role_id", "member_roles"),
        first_id=7_050_001,
    )
    storage_moves: TableOf[StorageMove] = TableOf(
        "projects.StorageMove",
        many("source", "source"),
        cascade("source", _tables_of("project", "group", "snippet")),
        first_id=7_060_001,
    )
    badges: TableOf[Badge] = TableOf(
        "projects.Badge",
        many("source", "source"),
        cascade("source", _CONTAINERS),
        first_id=7_100_001,
    )
    notification_settings: TableOf[NotificationSetting] = TableOf(
        "people.NotificationSetting",
        unique("own", ("source", "user_id")),
        many("source", "source"),
        many("user", "user_id"),
        cascade("source", _CONTAINERS),
        cascade("user_id", "users"),
        first_id=7_200_001,
    )
    broadcast_messages: TableOf[BroadcastMessage] = TableOf(
        "instance.BroadcastMessage",
        first_id=9_100_001,
    )
    batched_migrations: TableOf[BatchedMigration] = TableOf(
        "instance.BatchedMigration",
        first_id=9_110_001,
    )
    schema_migrations: TableOf[SchemaMigration] = TableOf(
        "instance.SchemaMigration",
        unique("version", ("database", "version")),
        first_id=9_120_001,
    )
    member_roles: TableOf[MemberRole] = TableOf(
        "people.MemberRole",
        unique("name", ("group_id", "name")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=29_000_001,
    )
    user_member_roles: TableOf[UserMemberRole] = TableOf(
        "people.UserMemberRole",
        unique("user", "user_id"),
        many("member_role", "member_role_id"),
        cascade("user_id", "users"),
        cascade("member_role_id", "member_roles"),
        first_id=29_050_001,
    )
    instance_licenses: TableOf[InstanceLicense] = TableOf(
        "instance.InstanceLicense",
        first_id=29_500_001,
    )
    appearances: TableOf[Appearance] = TableOf(
        "instance.Appearance",
        keep("logo", _IMAGE, to="files"),
        keep("header_logo", _IMAGE, to="files"),
        keep("favicon", _IMAGE, to="files"),
        first_id=20_000_001,
    )
    features: TableOf[Feature] = TableOf(
        "instance.Feature",
        unique("name", "name"),
        clear("user_ids", "users"),
        clear("group_ids", "namespaces"),
        clear("project_ids", "projects"),
        clear("namespace_ids", "namespaces"),
        clear("runner_ids", "runners"),
        clear("opted_out_user_ids", "users"),
        clear("opted_out_group_ids", "namespaces"),
        clear("opted_out_project_ids", "projects"),
        clear("opted_out_namespace_ids", "namespaces"),
        clear("opted_out_runner_ids", "runners"),
        first_id=20_100_001,
    )
    policy_settings: TableOf[PolicySetting] = TableOf(
        "instance.PolicySetting",
        clear("csp_namespace_id", "namespaces"),
        first_id=20_200_001,
    )
    organizations: TableOf[Organization] = TableOf(
        "instance.Organization",
        clear("promoted_ids", "users"),
        clear("demoted_ids", "users"),
        first_id=1,
    )
    container_repositories: TableOf[ContainerRepository] = TableOf(
        "registry.ContainerRepository",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_660_001,
    )
    container_tags: TableOf[ContainerTag] = TableOf(
        "registry.ContainerTag",
        unique("name", ("repository_id", "name")),
        many("repository", "repository_id"),
        cascade("repository_id", "container_repositories"),
        first_id=9_670_001,
    )
    image_blobs: TableOf[ImageBlob] = TableOf(
        "registry.ImageBlob",
        unique("digest", ("repository_id", "digest")),
        many("repository", "repository_id"),
        cascade("repository_id", "container_repositories"),
        first_id=9_671_001,
    )
    image_manifests: TableOf[ImageManifest] = TableOf(
        "registry.ImageManifest",
        unique("digest", ("repository_id", "digest")),
        many("repository", "repository_id"),
        many("subject", lambda manifest: manifest.subject and (manifest.repository_id, manifest.subject)),
        cascade("repository_id", "container_repositories"),
        first_id=9_672_001,
    )
    proxied_manifests: TableOf[ProxiedManifest] = TableOf(
        "registry.ProxiedManifest",
        unique("name", ("group_id", "file_name")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=9_674_001,
    )
    proxied_blobs: TableOf[ProxiedBlob] = TableOf(
        "registry.ProxiedBlob",
        unique("name", ("group_id", "file_name")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=9_675_001,
    )
    blob_uploads: TableOf[BlobUpload] = TableOf(
        "registry.BlobUpload",
        unique("uuid", "uuid"),
        many("repository", "repository_id"),
        cascade("repository_id", "container_repositories"),
        first_id=9_673_001,
    )
    clusters: TableOf[Cluster] = TableOf(
        "clusters.Cluster",
        many("source", lambda cluster: cluster.source or INSTANCE),
        many("management_project", "management_project_id"),
        cascade("source", _CONTAINERS),
        clear("user_id", "users"),
        clear("management_project_id", "projects", index="management_project"),
        first_id=9_680_001,
    )
    feature_flags: TableOf[FeatureFlag] = TableOf(
        "deployments.FeatureFlag",
        unique("iid", ("project_id", "iid")),
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        each("user_list", lambda flag: {strategy.user_list_id for strategy in flag.strategies} - {None}),
        each("issue", lambda flag: set(flag.issue_ids)),
        cascade("project_id", "projects"),
        clear("issue_ids", "issues", index="issue"),
        keep(
            "strategies",
            "a list that a strategy uses is only deleted with the project",
            to="feature_flag_user_lists",
            inner="user_list_id",
        ),
        first_id=9_400_001,
    )
    feature_flag_user_lists: TableOf[FeatureFlagUserList] = TableOf(
        "deployments.FeatureFlagUserList",
        unique("iid", ("project_id", "iid")),
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_430_001,
    )
    deploy_keys: TableOf[DeployKey] = TableOf(
        "projects.DeployKey",
        unique("fingerprint", "fingerprint"),
        many("key", "key"),
        many("user", "user_id"),
        clear("user_id", "users", index="user"),
        first_id=9_440_001,
    )
    deploy_key_projects: TableOf[DeployKeyProject] = TableOf(
        "projects.DeployKeyProject",
        unique("pair", ("deploy_key_id", "project_id")),
        many("deploy_key", "deploy_key_id"),
        many("project", "project_id"),
        cascade("deploy_key_id", "deploy_keys"),
        cascade("project_id", "projects"),
        first_id=9_450_001,
    )
    deploy_tokens: TableOf[DeployToken] = TableOf(
        "projects.DeployToken",
        unique("value", "value"),
        many("source", "source"),
        cascade("source", _CONTAINERS),
        first_id=9_460_001,
    )
    freeze_periods: TableOf[FreezePeriod] = TableOf(
        "deployments.FreezePeriod",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_480_001,
    )
    terraform_states: TableOf[TerraformState] = TableOf(
        "terraform.TerraformState",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        clear("locked_by_id", "users"),
        keep("lock_id", _EXTERNAL_ID),
        first_id=9_481_001,
    )
    terraform_state_versions: TableOf[TerraformStateVersion] = TableOf(
        "terraform.TerraformStateVersion",
        unique("serial", ("state_id", "serial")),
        many("state", "state_id"),
        many("job", "job_id"),
        cascade("state_id", "terraform_states"),
        clear("creator_id", "users"),
        clear("job_id", "jobs", index="job"),
        first_id=9_482_001,
    )
    terraform_state_protection_rules: TableOf[TerraformStateProtectionRule] = TableOf(
        "terraform.TerraformStateProtectionRule",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_483_001,
    )
    cluster_agents: TableOf[ClusterAgent] = TableOf(
        "clusters.ClusterAgent",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        clear("creator_id", "users"),
        first_id=9_484_001,
    )
    cluster_agent_tokens: TableOf[ClusterAgentToken] = TableOf(
        "clusters.ClusterAgentToken",
        many("agent", "agent_id"),
        cascade("agent_id", "cluster_agents"),
        clear("creator_id", "users"),
        first_id=9_485_001,
    )
    agent_activity_events: TableOf[AgentActivityEvent] = TableOf(
        "clusters.AgentActivityEvent",
        many("agent", "agent_id"),
        cascade("agent_id", "cluster_agents"),
        clear("user_id", "users"),
        clear("token_id", "cluster_agent_tokens"),
        first_id=9_487_001,
    )
    agent_url_configurations: TableOf[AgentUrlConfiguration] = TableOf(
        "clusters.AgentUrlConfiguration",
        many("agent", "agent_id"),
        cascade("agent_id", "cluster_agents"),
        clear("creator_id", "users"),
        first_id=9_486_001,
    )
    secure_files: TableOf[SecureFile] = TableOf(
        "secure_files.SecureFile",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=9_483_001,
    )
    releases: TableOf[Release] = TableOf(
        "releases.Release",
        unique("tag", ("project_id", "tag_name")),
        many("project", "project_id"),
        many("author", "author_id"),
        each("milestone", "milestone_ids"),
        cascade("project_id", "projects"),
        clear("author_id", "users", index="author"),
        clear("milestone_ids", "milestones", index="milestone"),
        first_id=9_610_001,
    )
    release_links: TableOf[ReleaseLink] = TableOf(
        "releases.ReleaseLink",
        many("release", "release_id"),
        cascade("release_id", "releases"),
        first_id=9_620_001,
    )
    evidences: TableOf[Evidence] = TableOf(
        "releases.Evidence",
        many("release", "release_id"),
        cascade("release_id", "releases"),
        first_id=9_630_001,
    )
    push_rules: TableOf[PushRule] = TableOf(
        "repository.PushRule",
        unique("source", "source"),
        cascade("source", _CONTAINERS),
        first_id=23_000_001,
    )
    audit_events: TableOf[AuditEvent] = TableOf(
        "activity.AuditEvent",
        many("entity", ("entity_type", "entity_id")),
        keep("author_id", _AUDITED, to="users"),
        keep("entity_id", _AUDITED),
        first_id=23_010_001,
    )
    epics: TableOf[Epic] = TableOf(
        "epics.Epic",
        unique("iid", ("group_id", "iid")),
        many("group", "group_id"),
        many("parent", "parent_id"),
        many("author", "author_id"),
        each("label", "label_ids"),
        cascade("group_id", "namespaces"),
        cascade("parent_id", "epics", index="parent"),
        hand_over("author_id", "users"),
        clear("closed_by_id", "users"),
        clear("label_ids", "labels", index="label"),
        clear("last_edited_by_id", "users"),
        first_id=23_030_001,
    )
    epic_issues: TableOf[EpicIssue] = TableOf(
        "epics.EpicIssue",
        unique("issue", "issue_id"),
        many("epic", "epic_id"),
        cascade("epic_id", "epics"),
        cascade("issue_id", "issues"),
        first_id=23_040_001,
    )
    related_epic_links: TableOf[RelatedEpicLink] = TableOf(
        "epics.RelatedEpicLink",
        unique("pair", lambda link: frozenset((link.source_id, link.target_id))),
        each("epic", ("source_id", "target_id")),
        cascade("source_id", "epics", index="epic"),
        cascade("target_id", "epics", index="epic"),
        first_id=29_610_001,
    )
    epic_boards: TableOf[EpicBoard] = TableOf(
        "epics.EpicBoard",
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        clear("label_ids", "labels"),
        clear("epic_ids", "epics"),
        first_id=29_620_001,
    )
    epic_board_lists: TableOf[EpicBoardList] = TableOf(
        "epics.EpicBoardList",
        many("board", "board_id"),
        many("label", "label_id"),
        cascade("board_id", "epic_boards"),
        cascade("label_id", "labels"),
        clear("collapsed_by_ids", "users"),
        first_id=29_630_001,
    )
    crm_organizations: TableOf[CrmOrganization] = TableOf(
        "customer_relations.CrmOrganization",
        unique("name", lambda o: (o.group_id, o.name.lower()), of=("group_id", "name")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=29_700_001,
    )
    crm_contacts: TableOf[CrmContact] = TableOf(
        "customer_relations.CrmContact",
        unique("email", lambda c: (c.group_id, c.email.lower()) if c.email else None, of=("group_id", "email")),
        many("group", "group_id"),
        many("organization", "organization_id"),
        cascade("group_id", "namespaces"),
        clear("organization_id", "crm_organizations"),
        first_id=29_710_001,
    )
    issue_contacts: TableOf[IssueContact] = TableOf(
        "customer_relations.IssueContact",
        unique("pair", ("issue_id", "contact_id")),
        many("issue", "issue_id"),
        many("contact", "contact_id"),
        cascade("issue_id", "issues"),
        cascade("contact_id", "crm_contacts"),
        first_id=29_720_001,
    )
    iteration_cadences: TableOf[IterationCadence] = TableOf(
        "planning.IterationCadence",
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=29_800_001,
    )
    iterations: TableOf[Iteration] = TableOf(
        "planning.Iteration",
        unique("iid", ("group_id", "iid")),
        many("group", "group_id"),
        many("cadence", "cadence_id"),
        cascade("group_id", "namespaces"),
        cascade("cadence_id", "iteration_cadences"),
        first_id=23_050_001,
    )
    ldap_group_links: TableOf[LdapGroupLink] = TableOf(
        "people.LdapGroupLink",
        unique("place", ("group_id", "provider", "cn", "filter")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        clear("member_role_id", "member_roles"),
        first_id=23_060_001,
    )
    ssh_certificates: TableOf[SshCertificate] = TableOf(
        "people.SshCertificate",
        unique("fingerprint", "fingerprint"),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=23_065_001,
    )
    saml_group_links: TableOf[SamlGroupLink] = TableOf(
        "people.SamlGroupLink",
        unique("name", ("group_id", "name", "provider")),
        many("group", "group_id"),
        many("scim_group_uid", "scim_group_uid"),
        cascade("group_id", "namespaces"),
        clear("member_role_id", "member_roles"),
        first_id=23_070_001,
    )
    minutes_packs: TableOf[MinutesPack] = TableOf(
        "people.MinutesPack",
        unique("purchase", ("namespace_id", "purchase_xid")),
        many("namespace", "namespace_id"),
        cascade("namespace_id", "namespaces"),
        first_id=23_076_001,
    )
    add_on_purchases: TableOf[AddOnPurchase] = TableOf(
        "people.AddOnPurchase",
        unique("name", ("namespace_id", "name")),
        many("namespace", "namespace_id"),
        cascade("namespace_id", "namespaces"),
        first_id=23_077_001,
    )
    storage_limit_exclusions: TableOf[StorageLimitExclusion] = TableOf(
        "people.StorageLimitExclusion",
        unique("namespace", "namespace_id"),
        cascade("namespace_id", "namespaces"),
        first_id=23_078_001,
    )
    scim_group_memberships: TableOf[ScimGroupMembership] = TableOf(
        "people.ScimGroupMembership",
        unique("pair", ("scim_group_uid", "user_id")),
        many("scim_group_uid", "scim_group_uid"),
        many("user", "user_id"),
        cascade("user_id", "users"),
        first_id=23_075_001,
    )
    project_subscriptions: TableOf[ProjectSubscription] = TableOf(
        "ci.ProjectSubscription",
        unique("pair", ("downstream_project_id", "upstream_project_id")),
        many("downstream", "downstream_project_id"),
        many("upstream", "upstream_project_id"),
        cascade("downstream_project_id", "projects", index="downstream"),
        cascade("upstream_project_id", "projects", index="upstream"),
        clear("author_id", "users"),
        first_id=29_992_001,
    )
    job_token_allowances: TableOf[JobTokenAllowance] = TableOf(
        "ci.JobTokenAllowance",
        unique("pair", ("project_id", "target")),
        many("project", "project_id"),
        many("target", "target"),
        cascade("project_id", "projects"),
        cascade("target", _CONTAINERS, index="target"),
        clear("added_by_id", "users"),
        first_id=23_080_001,
    )
    job_token_authorizations: TableOf[JobTokenAuthorization] = TableOf(
        "ci.JobTokenAuthorization",
        unique("pair", ("accessed_project_id", "origin_project_id")),
        many("accessed_project", "accessed_project_id"),
        many("origin_project", "origin_project_id"),
        cascade("accessed_project_id", "projects"),
        cascade("origin_project_id", "projects"),
        first_id=23_085_001,
    )
    package_protection_rules: TableOf[PackageProtectionRule] = TableOf(
        "packages.PackageProtectionRule",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=23_090_001,
    )
    container_protection_rules: TableOf[ContainerProtectionRule] = TableOf(
        "registry.ContainerProtectionRule",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=23_095_001,
    )
    container_tag_protection_rules: TableOf[ContainerTagProtectionRule] = TableOf(
        "registry.ContainerTagProtectionRule",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=23_097_001,
    )
    external_status_checks: TableOf[ExternalStatusCheck] = TableOf(
        "merge_requests.ExternalStatusCheck",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        clear("protected_branch_ids", "protected_branches"),
        first_id=23_100_001,
    )
    status_check_responses: TableOf[StatusCheckResponse] = TableOf(
        "merge_requests.StatusCheckResponse",
        many("merge_request", "merge_request_id"),
        many("external_status_check", "external_status_check_id"),
        cascade("merge_request_id", "merge_requests"),
        cascade("external_status_check_id", "external_status_checks"),
        first_id=23_105_001,
    )
    merge_request_blocks: TableOf[MergeRequestBlock] = TableOf(
        "merge_requests.MergeRequestBlock",
        unique("pair", ("blocking_id", "blocked_id")),
        many("blocking", "blocking_id"),
        many("blocked", "blocked_id"),
        cascade("blocking_id", "merge_requests"),
        cascade("blocked_id", "merge_requests"),
        first_id=23_106_001,
    )
    approval_settings: TableOf[ApprovalSetting] = TableOf(
        "merge_requests.ApprovalSetting",
        unique("group", "group_id"),
        cascade("group_id", "namespaces"),
        first_id=23_107_001,
    )
    context_commits: TableOf[ContextCommit] = TableOf(
        "merge_requests.ContextCommit",
        unique("pair", ("merge_request_id", "sha")),
        many("merge_request", "merge_request_id"),
        cascade("merge_request_id", "merge_requests"),
        first_id=23_110_001,
    )
    group_protected_branches: TableOf[GroupProtectedBranch] = TableOf(
        "repository.GroupProtectedBranch",
        unique("name", ("group_id", "name")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        *_access_references("push", "merge", "unprotect"),
        first_id=23_120_001,
    )
    protected_environments: TableOf[ProtectedEnvironment] = TableOf(
        "deployments.ProtectedEnvironment",
        unique("name", ("project_id", "name")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        *_access_references("deploy", "approval_rules"),
        first_id=23_020_001,
    )
    group_protected_environments: TableOf[GroupProtectedEnvironment] = TableOf(
        "deployments.GroupProtectedEnvironment",
        unique("name", ("group_id", "name")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        *_access_references("deploy", "approval_rules"),
        first_id=23_025_001,
    )
    deployment_approvals: TableOf[DeploymentApproval] = TableOf(
        "deployments.DeploymentApproval",
        unique("approver", ("deployment_id", "user_id")),
        many("deployment", "deployment_id"),
        many("user", "user_id"),
        cascade("deployment_id", "deployments"),
        cascade("user_id", "users"),
        first_id=23_026_001,
    )
    pages_domains: TableOf[PagesDomain] = TableOf(
        "pages_domains.PagesDomain",
        unique("domain", lambda domain: domain.domain.lower()),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=25_000_001,
    )
    pages_deployments: TableOf[PagesDeployment] = TableOf(
        "pages_domains.PagesDeployment",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        clear("job_id", "jobs"),
        first_id=25_005_001,
    )
    remote_mirrors: TableOf[RemoteMirror] = TableOf(
        "projects.RemoteMirror",
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=25_010_001,
    )
    topics: TableOf[Topic] = TableOf(
        "projects.Topic",
        unique("name", lambda topic: topic.name.lower()),
        first_id=25_020_001,
    )
    wikis: TableOf[Wiki] = TableOf(
        "wikis.Wiki",
        unique("source", "source"),
        cascade("source", _CONTAINERS),
        first_id=24_000_001,
    )
    project_fetches: TableOf[ProjectFetches] = TableOf(
        "projects.ProjectFetches",
        unique("day", ("project_id", "date")),
        many("project", "project_id"),
        cascade("project_id", "projects"),
        first_id=24_200_001,
    )
    exports: TableOf[Export] = TableOf(
        "import_export.Export",
        unique("owner", ("source", "user_id")),
        many("source", "source"),
        many("user", "user_id"),
        cascade("source", _CONTAINERS),
        cascade("user_id", "users"),
        first_id=24_300_001,
    )
    relation_exports: TableOf[RelationExport] = TableOf(
        "import_export.RelationExport",
        unique("relation", ("source", "user_id", "relation")),
        many("source", "source"),
        many("user", "user_id"),
        cascade("source", _CONTAINERS),
        cascade("user_id", "users"),
        first_id=24_500_001,
    )
    bulk_imports: TableOf[BulkImport] = TableOf(
        "import_export.BulkImport",
        many("user", "user_id"),
        cascade("user_id", "users"),
        clear("source_user_id", "users"),
        first_id=24_700_001,
    )
    source_users: TableOf[SourceUser] = TableOf(
        "import_export.SourceUser",
        unique("identifier", ("group_id", "source_hostname", "import_type", "source_user_identifier")),
        many("group", "group_id"),
        cascade("group_id", "namespaces"),
        clear("placeholder_user_id", "users"),
        clear("reassign_to_user_id", "users"),
        clear("reassigned_by_user_id", "users"),
        first_id=24_900_001,
    )
    bulk_import_entities: TableOf[BulkImportEntity] = TableOf(
        "import_export.BulkImportEntity",
        many("bulk_import", "bulk_import_id"),
        cascade("bulk_import_id", "bulk_imports"),
        clear("parent_id", "bulk_import_entities"),
        clear("namespace_id", "namespaces"),
        clear("project_id", "projects"),
        first_id=24_800_001,
    )
    imports: TableOf[Import] = TableOf(
        "import_export.Import",
        unique("source", "source"),
        many("user", "user_id"),
        cascade("source", _CONTAINERS),
        cascade("user_id", "users"),
        clear("replaces_id", "projects"),
        first_id=24_400_001,
    )
    relation_imports: TableOf[RelationImport] = TableOf(
        "import_export.RelationImport",
        many("project", "project_id"),
        many("user", "user_id"),
        cascade("project_id", "projects"),
        cascade("user_id", "users"),
        first_id=24_600_001,
    )
    wiki_page_metas: TableOf[WikiPageMeta] = TableOf(
        "wikis.WikiPageMeta",
        many("slug", ("source", "slug")),
        many("project", "project_id"),
        many("group", "group_id"),
        cascade("project_id", "projects"),
        cascade("group_id", "namespaces"),
        first_id=24_100_001,
    )
    ci_includes: TableOf[CiInclude] = TableOf(
        "ci.CiInclude",
        unique("location", "location"),
        first_id=9_310_001,
    )

    hooks: TableOf[Hook] = TableOf(
        "hooks.Hook",
        many("source", lambda hook: hook.source or hook.kind),
        cascade("source", _CONTAINERS),
        first_id=27_000_001,
    )

    def __init__(self, state: State) -> None:
        super().__init__(state)
        # Read dozens of times per request, hence no properties.
        self.setup: Setup = state.setup
        self.instance: Instance = self.setup.instance
        self.profile: Profile = self.instance.profile

    @staticmethod
    def table_name(record: object) -> str:
        """Return the name of the table for records of this type."""
        kind: type = type(record)
        return _name_of_table(kind)

    @property
    def settings(self) -> Settings:
        """The application settings."""
        return self.settings_table[SETTINGS_ID]


@cache
def _name_of_table(kind: type) -> str:
    return next(table.name for table in World.tables if table.holds(kind))


class WorldDraft(World, Draft):
    """A world that can be changed."""


def lookup_kind(kind: str) -> str:
    """Return the kind under which a credential is looked up; sessions and job tokens are sent in ways of their own."""
    return kind if kind in ("session", "job") else "token"
