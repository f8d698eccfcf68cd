"""Natural keys: names of records for people, derived from what the API calls them instead of their ids.

A kind of record whose natural key has a special form (``acme/site#3``) has a row here. The key of any other record is
its owner and its own name: ``acme/site: production``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import attrs

from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.domain.ci import jobs
from fakeplat.domain.epics import epic_boards
from fakeplat.domain.outbound_urls import mask_credentials
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.activity import AuditEvent, Event
from fakeplat.model.alerts import Alert, AlertIntegration, MetricImage, ResourceLink, TimelineEvent, TimelineEventTag
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
    PipelineCreationRequest,
    PipelineSchedule,
    ProjectSubscription,
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
    DeploymentApproval,
    Environment,
    FeatureFlag,
    FeatureFlagUserList,
    FreezePeriod,
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
    BatchedMigration,
    BroadcastMessage,
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
    ApprovalSetting,
    ContextCommit,
    DiffVersion,
    MergeRequestBlock,
    MergeTrain,
    StatusCheckResponse,
)
from fakeplat.model.notes import DraftNote, Note, Suggestion, Todo
from fakeplat.model.oauth import AuthorizationGrant, DeviceGrant
from fakeplat.model.packages import DebianDistribution, Package, PackageFile, PackageProtectionRule, PackageTag
from fakeplat.model.pages_domains import PagesDeployment, PagesDomain
from fakeplat.model.people import (
    AccessRequest,
    AddOnPurchase,
    Callout,
    Email,
    Follow,
    GpgKey,
    GranularScope,
    Group,
    Identity,
    Invitation,
    LdapGroupLink,
    MinutesPack,
    NamespaceCommitEmail,
    NotificationSetting,
    SamlProvider,
    SavedReply,
    ScimGroupMembership,
    SshCertificate,
    StorageLimitExclusion,
    Token,
    User,
    UserAchievement,
    UserAgentDetail,
    UserMemberRole,
    UserNamespace,
    UserPreference,
    Visit,
)
from fakeplat.model.planning import (
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
)
from fakeplat.model.registry import (
    ContainerProtectionRule,
    ContainerTag,
    ContainerTagProtectionRule,
    ImageBlob,
    ImageManifest,
    ProxiedBlob,
    ProxiedManifest,
)
from fakeplat.model.releases import Evidence, Release, ReleaseLink
from fakeplat.model.repository import LfsLock, LfsObject, PathLock, PushRule, Repository
from fakeplat.model.secure_files import SecureFile
from fakeplat.model.settings import Settings
from fakeplat.model.snippets import Snippet
from fakeplat.model.terraform import TerraformState, TerraformStateProtectionRule, TerraformStateVersion
from fakeplat.model.wikis import Wiki, WikiPageMeta
from fakeplat.model.world import World

HIDDEN: Final = (
    ScheduledTask,
    Event,
    IterationEvent,
    LabelEvent,
    MilestoneEvent,
    StateEvent,
    UserAgentDetail,
    WeightEvent,
    WikiPageMeta,
)
"""Kinds of records left out of diffs: scheduled tasks, and bookkeeping of changes to other records."""


def is_hidden(record: object) -> bool:
    """Whether a record is left out of diffs because it only documents another change, as system notes do."""
    return isinstance(record, Note) and record.system


_NAME_FIELDS: Final = ("iid", "slug", "name", "title", "key", "id")
_OWNER_FIELDS: Final = ("project", "group", "user")
_TABLES: Final = {
    "group": "namespaces",
    "namespace": "namespaces",
    "settings": "settings_table",
    "container_repository": "container_repositories",
}
_USER_FIELDS: Final = (
    "added_by assignee author closed_by created_by creator erased_by followee follower marked_for_deletion_by "
    "merge_user merged_by mirror_user owner resolved_by user"
).split()
_REFERENCES: Final = {
    **dict.fromkeys(_USER_FIELDS, "users"),
    "project": "projects",
    "downstream_project": "projects",
    "upstream_project": "projects",
    "forked_from": "projects",
    "file_template_project": "projects",
    "namespace": "namespaces",
    "parent": "namespaces",
    "group": "namespaces",
    "milestone": "milestones",
    "label": "labels",
    "moved_to": "issues",
    "duplicated_to": "issues",
    "accessed_project": "projects",
    "origin_project": "projects",
    "parent_issue": "issues",
    "closes": "issues",
    "protected_branch": "protected_branches",
    "issue": "issues",
    "environment": "environments",
    "cluster": "clusters",
    "deploy_key": "deploy_keys",
    "pipeline": "pipelines",
    "package": "packages",
    "job": "jobs",
    **dict.fromkeys(("merge_request", "blocking", "blocked"), "merge_requests"),
    "release": "releases",
    "user_list": "feature_flag_user_lists",
    "runner": "runners",
    "trigger": "triggers",
    "schedule": "pipeline_schedules",
    "source_job": "jobs",
    "application": "oauth_applications",
    "epic": "epics",
    "iteration": "iterations",
    "board": "boards",
    **dict.fromkeys(("auto_canceled_by", "downstream_pipeline", "last_pipeline"), "pipelines"),
}
Key = Callable[[World, Any], str]


class _Sourced(Protocol):
    @property
    def source(self) -> tuple[str, int]:
        """The kind and the id of the project or group."""


class _OfUser(Protocol):
    @property
    def user_id(self) -> int | None:
        """The id of the user."""


class _OfProject(Protocol):
    @property
    def project_id(self) -> int | None:
        """The id of the project."""


def section_of(record: object) -> str:
    """Return the section of a record in diffs: the name of its table, except that groups are in ``groups``."""
    if isinstance(record, Group):
        return "groups"
    return "settings" if isinstance(record, Settings) else World.table_name(record)


def natural_key(world: World, record: object) -> str:
    """Return the natural key of a record: ``acme/site``, ``acme/site#3``, ``ada``."""
    return _KEYS.get(type(record), _default_key)(world, record)


def natural_key_at(world: World, kind: str, id_: int | None) -> str:
    """Return the natural key of the record of a kind (or table) with an id; kind and id if it does not exist."""
    table = getattr(world, _TABLES.get(kind, kind if kind.endswith("s") else f"{kind}s"), None)
    record = table.get(id_) if table is not None else None
    return f"{kind} {id_}" if record is None else natural_key(world, record)


def field_names(before: Any, after: Any) -> list[str]:
    """Return the names of the fields in which two versions of a record can differ."""
    if isinstance(before, Settings):
        return sorted(before.changed.keys() | after.changed.keys())
    return [field.name for field in attrs.fields(type(before))]


def field_label(name: str) -> str:
    """Return the name of a field for display: ``closed_by`` for ``closed_by_id``, ``labels`` for ``label_ids``."""
    return f"{name.removesuffix('_ids').removesuffix('s')}s" if name.endswith("_ids") else name.removesuffix("_id")


def readable_value(world: World, name: str, value: Any) -> Any:
    """Return the value of a field for display, with natural keys for ids and sizes for bytes."""
    # Polymorphic references are pairs of a kind and an id.
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int):
        return natural_key_at(world, *value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, Mapping):
        return dict(value)
    # Parts of a record that are records themselves: access levels, strategies of feature flags.
    if attrs.has(type(value)):
        names = field_names(value, value)
        return {field_label(part): readable_value(world, part, getattr(value, part)) for part in names}
    base_name = name.removesuffix("_ids").removesuffix("_id")
    if isinstance(value, tuple):
        return [readable_value(world, base_name, item) for item in value]
    is_reference = base_name in _REFERENCES and isinstance(value, int)
    return natural_key_at(world, _REFERENCES[base_name], value) if is_reference else value


def _default_key(world: World, record: object) -> str:
    own_name = next(getattr(record, name) for name in _NAME_FIELDS if hasattr(record, name))
    owner = _owner_key(world, record)
    if owner is None:
        # A name is enough; a number says nothing without the kind.
        return str(own_name) if isinstance(own_name, str) else f"{World.table_name(record)} {own_name}"
    return f"{owner}: {own_name}"


def _owner_key(world: World, record: object) -> str | None:
    """Return the natural key of what a record belongs to; None if that is the instance."""
    for name in ("subject", "source"):
        # The source of some records is a word: what a pipeline was created by.
        if hasattr(record, name) and not isinstance(getattr(record, name), str):
            owner = getattr(record, name)
            return None if owner is None else natural_key_at(world, *owner)
    owners = ((kind, getattr(record, f"{kind}_id", None)) for kind in _OWNER_FIELDS)
    return next((natural_key_at(world, kind, id_) for kind, id_ in owners if id_ is not None), None)


def _owned(name: Callable[..., object]) -> Key:
    """Return the key of records that have no name in the usual fields, as ``owner: name``."""

    def key(world: World, record: object) -> str:
        owner, own_name = _owner_key(world, record), str(name(record))
        return own_name if owner is None else f"{owner}: {own_name}"

    return key


def _owner_only(world: World, record: object) -> str:
    """Return the key of a record of which an owner has one."""
    return _owner_key(world, record) or "instance"


def _linked(owner: str, target: str) -> Key:
    """Return the key of a record that links two others, whose ids are in the fields ``owner_id`` and ``target_id``."""

    def key(world: World, record: object) -> str:
        first, second = (
            natural_key_at(world, _REFERENCES.get(kind, kind), getattr(record, f"{kind}_id"))
            for kind in (owner, target)
        )
        return f"{first}: {second}"

    return key


def _source_key(world: World, record: _Sourced) -> str:
    return natural_key_at(world, *record.source)


def _token_key(world: World, token: Token) -> str:
    name = natural_key_at(world, "job", token.job_id) if token.job_id is not None else token.name or token.id
    return f"{_user_key(world, token)}: {token.kind} {name}"


def _granular_scope_key(world: World, scope: GranularScope) -> str:
    siblings = world.granular_scopes.where("token", scope.token_id)
    number = sum(sibling.id <= scope.id for sibling in siblings)
    return f"{natural_key_at(world, 'token', scope.token_id)} scope {number}"


def _version_key(world: World, version: DiffVersion) -> str:
    siblings = world.diff_versions.where("merge_request", version.merge_request_id)
    number = sum(sibling.id <= version.id for sibling in siblings)
    return f"{natural_key_at(world, 'merge_request', version.merge_request_id)} version {number}"


def _suggestion_key(world: World, suggestion: Suggestion) -> str:
    number = sum(sibling.id <= suggestion.id for sibling in world.suggestions.where("note", suggestion.note_id))
    return f"{natural_key_at(world, 'note', suggestion.note_id)}: suggestion {number}"


def _issue_link_key(world: World, link: IssueLink) -> str:
    source, target = (natural_key_at(world, "issue", id_) for id_ in (link.source_id, link.target_id))
    return f"{source} {link.link_type} {target}"


def _related_epic_link_key(world: World, link: RelatedEpicLink) -> str:
    source, target = (natural_key_at(world, "epic", id_) for id_ in (link.source_id, link.target_id))
    return f"{source} {link.link_type} {target}"


def _board_list_key(world: World, board_list: BoardList) -> str:
    thing = natural_key_at(world, _REFERENCES.get(board_list.kind, board_list.kind), board_list.thing_id)
    return f"{natural_key_at(world, 'board', board_list.board_id)}: {thing}"


def _noteable_key(world: World, kind: str, id_: int, sha: str = "") -> str:
    return f"{natural_key_at(world, 'project', id_)}@{sha[:8]}" if sha else natural_key_at(world, kind, id_)


def _snippet_key(world: World, snippet: Snippet) -> str:
    # A snippet without a project belongs to its author.
    owner = ("user", snippet.author_id) if snippet.project_id is None else ("project", snippet.project_id)
    return f"{natural_key_at(world, *owner)}${snippet.title}"


def _user_key(world: World, record: _OfUser) -> str:
    return natural_key_at(world, "user", record.user_id)


def _project_key(world: World, record: _OfProject) -> str:
    return natural_key_at(world, "project", record.project_id)


def _job_key(world: World, job: Job) -> str:
    number = jobs.count_retries(world, job) + 1
    name = job.name if number == 1 else f"{job.name} (try {number})"
    return f"{natural_key_at(world, 'pipeline', job.pipeline_id)} {name}"


def _variable_key(world: World, variable: CiVariable) -> str:
    scope = "" if variable.environment_scope == "*" else f" ({variable.environment_scope})"
    owner = "" if variable.subject is None else f"{natural_key_at(world, *variable.subject)}: "
    return f"{owner}{variable.key}{scope}"


_KEYS: Final[Mapping[type, Key]] = {
    Settings: lambda _, settings: "settings",
    User: lambda _, user: str(user.username),
    Identity: lambda world, record: f"{_user_key(world, record)}: {record.provider} {record.extern_uid}",
    Token: _token_key,
    GranularScope: _granular_scope_key,
    AuthorizationGrant: _linked("user", "application"),
    DeviceGrant: lambda world, grant: (
        f"{natural_key_at(world, 'oauth_applications', grant.application_id)}: {grant.device_code[:8]}"
    ),
    SamlProvider: _owner_only,
    ScimGroupMembership: _owned(lambda membership: membership.scim_group_uid),
    MinutesPack: lambda world, pack: f"{natural_key_at(world, 'namespace', pack.namespace_id)}: {pack.purchase_xid}",
    AddOnPurchase: lambda world, add_on: f"{natural_key_at(world, 'namespace', add_on.namespace_id)}: {add_on.name}",
    StorageLimitExclusion: lambda world, record: natural_key_at(world, "namespace", record.namespace_id),
    Email: _owned(lambda record: record.email),
    GpgKey: _owned(lambda record: record.primary_keyid),
    Redirect: _owned(lambda record: record.path),
    ProjectAlias: lambda _, alias: alias.name,
    LfsObject: _owned(lambda record: record.oid[:8]),
    LfsLock: _owned(lambda lock: lock.path),
    PathLock: _owned(lambda lock: lock.path),
    MergeTrain: lambda world, train: natural_key_at(world, "merge_request", train.merge_request_id),
    ErrorTrackingSetting: _project_key,
    DiffVersion: _version_key,
    Approval: _linked("merge_request", "user"),
    ApprovalSetting: _owner_only,
    MergeRequestBlock: _linked("blocking", "blocked"),
    StatusCheckResponse: lambda world, record: (
        f"{natural_key_at(world, 'external_status_check', record.external_status_check_id)} of {record.sha[:8]}"
    ),
    ContextCommit: lambda world, record: (
        f"{natural_key_at(world, 'merge_request', record.merge_request_id)}: {record.sha[:8]}"
    ),
    Suggestion: _suggestion_key,
    IssueLink: _issue_link_key,
    DashboardAnnotation: lambda world, annotation: (
        f"{natural_key_at(world, *annotation.subject)}: {annotation.starting_at}"
    ),
    MetricImage: lambda world, image: f"{natural_key_at(world, *image.subject)}: {world.files[image.file_id].filename}",
    BoardList: _board_list_key,
    BoardEpicPreference: lambda world, record: (
        f"{_user_key(world, record)}: {natural_key_at(world, 'board', record.board_id)}"
        f" {natural_key_at(world, 'epic', record.epic_id)}"
    ),
    AccessRequest: lambda world, record: f"{_source_key(world, record)}: {_user_key(world, record)}",
    Invitation: lambda world, record: f"{_source_key(world, record)}: {record.invite_email}",
    StorageMove: lambda world, record: (
        f"{_source_key(world, record)}: {record.destination_storage_name} at {record.created_at}"
    ),
    Badge: _owned(lambda badge: badge.name or badge.link_url),
    NotificationSetting: lambda world, record: (
        f"{_user_key(world, record)}: {_source_key(world, record) if record.source else 'global'}"
    ),
    BroadcastMessage: lambda _, record: str(record.message),
    BatchedMigration: lambda _, record: str(record.job_class_name),
    SchemaMigration: lambda _, record: f"{record.database}: {record.version}",
    PolicySetting: lambda _, _setting: "security policies",
    Organization: lambda _, organization: organization.path,
    InstanceLicense: lambda _, license_: ", ".join(license_.licensee.values()),
    PushRule: _owner_only,
    Cluster: _owned(lambda cluster: cluster.name),
    AuditEvent: lambda world, event: (
        f"{natural_key_at(world, event.entity_type.lower(), event.entity_id)}:"
        f" {', '.join(f'{key} {value}' for key, value in [*event.details.items()][:1])}"
    ),
    Epic: lambda world, epic: f"{natural_key_at(world, 'group', epic.group_id)}&{epic.iid}",
    EpicIssue: _linked("epic", "issue"),
    EpicBoard: lambda world, board: f"{natural_key_at(world, 'group', board.group_id)}: {board.name}",
    EpicBoardList: lambda world, column: (
        f"{natural_key_at(world, 'epic_board', column.board_id)}: {epic_boards.title_of(world, column)}"
    ),
    RelatedEpicLink: _related_epic_link_key,
    Iteration: lambda world, record: f"{natural_key_at(world, 'group', record.group_id)}: {record.title or record.iid}",
    IterationCadence: _owned(lambda cadence: cadence.title),
    LdapGroupLink: _owned(lambda link: link.cn or link.filter),
    TimelineEventTag: _owned(lambda tag: tag.name),
    TimelineEvent: lambda world, event: (
        f"{natural_key_at(world, 'issue', event.incident_id)}: {event.occurred_at} {event.note[:20]}"
    ),
    WorkItemPreference: lambda world, record: (
        f"{_user_key(world, record)}: {natural_key_at(world, *record.source)} {record.type_id or ''}"
    ),
    Progress: lambda world, record: natural_key_at(world, "issue", record.issue_id),
    ResourceLink: lambda world, record: f"{natural_key_at(world, 'issue', record.incident_id)}: {record.link}",
    CrmContact: _owned(lambda contact: f"{contact.first_name} {contact.last_name}"),
    CrmOrganization: _owned(lambda organization: organization.name),
    IssueContact: lambda world, link: (
        f"{natural_key_at(world, 'issue', link.issue_id)}: {natural_key_at(world, 'crm_contact', link.contact_id)}"
    ),
    CustomEmoji: _owned(lambda emoji: emoji.name),
    CustomField: _owned(lambda field: field.name),
    CustomFieldValue: lambda world, value: (
        f"{natural_key_at(world, *value.subject)}: {world.custom_fields[value.field_id].name}"
    ),
    Callout: lambda world, callout: f"{_user_key(world, callout)}: {callout.feature_name}",
    UserAchievement: lambda world, award: (
        f"{_user_key(world, award)}: {natural_key_at(world, 'achievement', award.achievement_id)} {award.created_at}"
    ),
    UserMemberRole: _linked("user", "member_role"),
    NamespaceCommitEmail: _linked("user", "namespace"),
    ProjectSubscription: _linked("downstream_project", "upstream_project"),
    Visit: lambda world, visit: f"{_user_key(world, visit)}: {natural_key_at(world, *visit.source)} {visit.visited_at}",
    SavedReply: _owned(lambda reply: reply.name),
    UserPreference: _owned(lambda _preferences: "preferences"),
    SshCertificate: _owned(lambda certificate: certificate.title),
    JobTokenAllowance: lambda world, record: f"{_project_key(world, record)}: {natural_key_at(world, *record.target)}",
    JobTokenAuthorization: lambda world, record: (
        f"{natural_key_at(world, 'project', record.accessed_project_id)}: "
        f"{natural_key_at(world, 'project', record.origin_project_id)}"
    ),
    DebianDistribution: _owned(lambda distribution: distribution.codename),
    PackageProtectionRule: _owned(lambda rule: rule.package_name_pattern),
    ManagedLicense: _owned(lambda license_: license_.name),
    ErrorTrackingClientKey: _owned(lambda key: key.public_key),
    ContainerProtectionRule: _owned(lambda rule: rule.repository_path_pattern),
    ContainerTagProtectionRule: _owned(lambda rule: rule.tag_name_pattern),
    ContainerTag: lambda world, tag: f"{natural_key_at(world, 'container_repository', tag.repository_id)}: {tag.name}",
    ImageBlob: lambda world, blob: (
        f"{natural_key_at(world, 'container_repository', blob.repository_id)}: {blob.digest}"
    ),
    ProxiedBlob: _owned(lambda blob: blob.file_name),
    ProxiedManifest: _owned(lambda manifest: manifest.file_name),
    ImageManifest: lambda world, record: (
        f"{natural_key_at(world, 'container_repository', record.repository_id)}: {record.digest}"
    ),
    PagesDomain: _owned(lambda domain: domain.domain),
    PagesDeployment: _owned(lambda deployment: f"{deployment.path_prefix or ''}/"),
    RemoteMirror: _owned(lambda mirror: mask_credentials(mirror.url)),
    Wiki: _owner_only,
    ProjectFetches: _owned(lambda record: record.date),
    Export: _owner_only,
    Import: _owner_only,
    BulkImport: lambda world, import_: f"{import_.source_url} for {_user_key(world, import_)}",
    BulkImportEntity: lambda _, entity: (
        f"{entity.source_full_path} to {entity.destination_namespace}/{entity.destination_slug}"
    ),
    Attestation: lambda world, record: f"{_project_key(world, record)}: {record.subject_digest}",
    DependencyListExport: lambda world, export: (
        f"{natural_key_at(world, *export.source)}: {export.export_type} for {_user_key(world, export)}"
    ),
    PipelineCreationRequest: _owned(lambda request: request.uuid),
    RelationExport: _owned(lambda export: export.relation),
    SourceUser: lambda _, user: f"{user.source_user_identifier} of {user.source_hostname}",
    RelationImport: lambda world, import_: (
        f"{_project_key(world, import_)}: {import_.relation} for {_user_key(world, import_)}"
    ),
    Hook: _owned(lambda hook: mask_credentials(hook.url)),
    DeployKeyProject: lambda world, link: (
        f"{natural_key_at(world, 'project', link.project_id)}: {world.deploy_keys[link.deploy_key_id].title}"
    ),
    DeployToken: lambda world, token: f"{_source_key(world, token)}: {token.name}",
    UserNamespace: full_path,
    Group: full_path,
    Project: project_path,
    Member: lambda world, member: f"{_source_key(world, member)}: {_user_key(world, member)}",
    Share: lambda world, share: f"{_source_key(world, share)}: {natural_key_at(world, 'group', share.group_id)}",
    Follow: _linked("follower", "followee"),
    Star: lambda world, star: f"{natural_key_at(world, 'project', star.project_id)}: {_user_key(world, star)}",
    DashboardStar: lambda world, star: (
        f"{natural_key_at(world, 'project', star.project_id)}: {_user_key(world, star)}: {star.dashboard_path}"
    ),
    CustomAttribute: lambda world, record: f"{natural_key_at(world, *record.subject)}: {record.key}",
    StoredFile: lambda world, file: f"{natural_key_at(world, *file.owner)}: {file.secret}/{file.filename}",
    Label: lambda world, label: f"{_source_key(world, label)}~{label.title}",
    LabelPriority: lambda world, record: (
        f"{natural_key_at(world, 'project', record.project_id)}: {natural_key_at(world, 'label', record.label_id)}"
    ),
    Package: lambda world, package: (
        f"{natural_key_at(world, 'project', package.project_id)}: {package.name} {package.version or ''}".rstrip()
    ),
    PackageFile: lambda world, file: f"{natural_key_at(world, 'package', file.package_id)}: {file.file_name}",
    PackageTag: lambda world, tag: f"{natural_key_at(world, 'package', tag.package_id)}: {tag.name}",
    Milestone: lambda world, milestone: f"{_source_key(world, milestone)}%{milestone.title}",
    Issue: lambda world, issue: f"{natural_key_at(world, 'project', issue.project_id)}#{issue.iid}",
    Timelog: lambda world, log: (
        f"{natural_key_at(world, *log.subject)}: {log.time_spent} seconds by {_user_key(world, log)}"
    ),
    Award: lambda world, award: f"{natural_key_at(world, *award.subject)}: {award.name} by {_user_key(world, award)}",
    Subscription: lambda world, record: f"{natural_key_at(world, *record.subject)}: {_user_key(world, record)}",
    Todo: lambda world, todo: f"{_user_key(world, todo)}: {todo.action} {natural_key_at(world, *todo.subject)}",
    DraftNote: lambda world, draft: (
        f"{natural_key_at(world, 'merge_request', draft.merge_request_id)}: draft by"
        f" {natural_key_at(world, 'user', draft.author_id)}: {draft.note}"
    ),
    Note: lambda world, note: f"{_noteable_key(world, *note.subject)}: {note.body}",
    Service: _owned(lambda service: service.slug),
    Snippet: _snippet_key,
    Repository: lambda world, record: natural_key_at(world, "project", record.project_id),
    Environment: lambda world, record: f"{_project_key(world, record)}: {record.name}",
    Job: _job_key,
    JobArtifact: lambda world, file: f"{natural_key_at(world, 'job', file.job_id)}: {file.file_type}",
    JobOutcome: lambda _, outcome: f"{outcome.project} {outcome.ref} {outcome.job}",
    CiVariable: _variable_key,
    CiInclude: lambda _, include: str(include.location),
    Trigger: lambda world, trigger: f"{_project_key(world, trigger)}: {trigger.description or trigger.id}",
    PipelineSchedule: lambda world, record: f"{_project_key(world, record)}: {record.description}",
    Runner: lambda _, runner: str(runner.description or f"runner {runner.id}"),
    RunnerManager: lambda world, manager: f"{natural_key_at(world, 'runner', manager.runner_id)}: {manager.system_id}",
    RunnerController: lambda _, controller: str(controller.description or f"runner controller {controller.id}"),
    RunnerControllerToken: lambda world, token: (
        f"{natural_key_at(world, 'runner_controller', token.runner_controller_id)}: {token.description or token.id}"
    ),
    RunnerControllerScope: lambda world, scope: (
        f"{natural_key_at(world, 'runner_controller', scope.runner_controller_id)}: "
        f"{'all runners' if scope.runner_id is None else natural_key_at(world, 'runner', scope.runner_id)}"
    ),
    RunnerProject: lambda world, link: (
        f"{_project_key(world, link)}: {natural_key_at(world, 'runner', link.runner_id)}"
    ),
    FeatureFlag: lambda world, flag: f"{_project_key(world, flag)}: {flag.name}",
    FeatureFlagUserList: lambda world, record: f"{_project_key(world, record)}: {record.name}",
    DeploymentApproval: lambda world, approval: (
        f"{natural_key_at(world, 'deployment', approval.deployment_id)}: {approval.status}"
        f" by {_user_key(world, approval)}"
    ),
    FreezePeriod: lambda world, period: f"{_project_key(world, period)}: {period.freeze_start} - {period.freeze_end}",
    TerraformState: lambda world, state: f"{_project_key(world, state)}: {state.name}",
    TerraformStateProtectionRule: _owned(lambda rule: rule.state_name),
    TerraformStateVersion: lambda world, version: (
        f"{natural_key_at(world, 'terraform_state', version.state_id)}: {version.serial}"
    ),
    ClusterAgent: lambda world, agent: f"{_project_key(world, agent)}: {agent.name}",
    AgentUrlConfiguration: lambda world, record: (
        f"{natural_key_at(world, 'cluster_agent', record.agent_id)}: {record.url}"
    ),
    AgentActivityEvent: lambda world, event: f"{natural_key_at(world, 'cluster_agent', event.agent_id)}: {event.kind}",
    ClusterAgentToken: lambda world, token: f"{natural_key_at(world, 'cluster_agent', token.agent_id)}: {token.name}",
    SecureFile: lambda world, file: f"{_project_key(world, file)}: {file.name}",
    DeployKey: lambda _, key: str(key.title),
    Release: lambda world, release: f"{natural_key_at(world, 'project', release.project_id)}: {release.tag_name}",
    ReleaseLink: lambda world, link: f"{natural_key_at(world, 'release', link.release_id)}: {link.name}",
    Evidence: lambda world, evidence: f"{natural_key_at(world, 'release', evidence.release_id)}: {evidence.sha[:8]}",
    AlertIntegration: _owned(lambda integration: integration.name),
    Alert: lambda world, alert: f"{natural_key_at(world, 'project', alert.project_id)}^alert#{alert.iid}",
}
