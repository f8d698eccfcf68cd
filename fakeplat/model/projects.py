"""Projects, their members and files, and what belongs to a project as a whole."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject
from fakeplat.model.people import FeatureLevel, Group, KeyUsage, MemberState, Namespace, OverrideRole, Visibility

FEATURES: Final[Mapping[str, Lifetime]] = {
    "issues": ALWAYS,
    "repository": ALWAYS,
    "merge_requests": ALWAYS,
    "forking": ALWAYS,
    "wiki": ALWAYS,
    "builds": ALWAYS,
    "snippets": ALWAYS,
    "pages": ALWAYS,
    "operations": Lifetime(until="16.0"),
    "analytics": ALWAYS,
    "container_registry": Lifetime("<=14.3"),
    "requirements": Lifetime("<=14.0"),
    "security_and_compliance": Lifetime("<=14.9"),
    "releases": Lifetime("<=15.8"),
    "environments": Lifetime("<=15.8"),
    "feature_flags": Lifetime("<=15.8"),
    "infrastructure": Lifetime("<=15.8"),
    "monitor": Lifetime("<=15.8"),
    "model_experiments": Lifetime("<=16.7"),
    "model_registry": Lifetime("16.7"),
    "package_registry": Lifetime("18.5"),
}
"""The features whose access levels can be set, each with the releases that have its level."""
SquashOption = Literal["never", "always", "default_on", "default_off"]
LicenseStatus = Literal["approved", "blacklisted"]
ProcessMode = Literal["unordered", "oldest_first", "newest_first", "newest_ready_first"]


KeptFiles = Literal["all", "1", "10", "20", "30", "40", "50"]
"""How many files of one name a package keeps."""


@frozen
class Project:
    """A project. A feature's access level is disabled, private (members) or enabled; pages also public.

    ``runners``: jobs are played on the world's clock, or wait for a real runner.
    """

    id: int
    namespace_id: int
    name: str
    path: str
    creator_id: int | None
    created_at: str
    updated_at: str
    last_activity_at: str
    visibility: Visibility = "private"
    description: str | None = None
    default_branch: str | None = None
    tag_list: tuple[str, ...] = ()
    avatar: int | None = None
    archived: bool = False
    marked_for_deletion_on: str | None = None
    marked_for_deletion_by: int | None = None
    issues_access_level: FeatureLevel = "enabled"
    repository_access_level: FeatureLevel = "enabled"
    merge_requests_access_level: FeatureLevel = "enabled"
    forking_access_level: FeatureLevel = "enabled"
    wiki_access_level: FeatureLevel = "enabled"
    builds_access_level: FeatureLevel = "enabled"
    snippets_access_level: FeatureLevel = "enabled"
    pages_access_level: FeatureLevel = "private"
    operations_access_level: FeatureLevel = "enabled"
    analytics_access_level: FeatureLevel = "enabled"
    container_registry_access_level: FeatureLevel = "enabled"
    requirements_access_level: FeatureLevel = "enabled"
    security_and_compliance_access_level: FeatureLevel = "private"
    releases_access_level: FeatureLevel = "enabled"
    environments_access_level: FeatureLevel = "enabled"
    feature_flags_access_level: FeatureLevel = "enabled"
    infrastructure_access_level: FeatureLevel = "enabled"
    monitor_access_level: FeatureLevel = "enabled"
    model_experiments_access_level: FeatureLevel = "enabled"
    model_registry_access_level: FeatureLevel = "enabled"
    package_registry_access_level: FeatureLevel = "enabled"
    resolve_outdated_diff_discussions: bool = False
    shared_runners_enabled: bool = True
    lfs_enabled: bool = True
    packages_enabled: bool = True
    emails_disabled: bool | None = None
    service_desk_enabled: bool = False
    request_access_enabled: bool = True
    public_builds: bool = True
    only_allow_merge_if_pipeline_succeeds: bool = False
    allow_merge_on_skipped_pipeline: bool | None = None
    only_allow_merge_if_all_discussions_are_resolved: bool = False
    remove_source_branch_after_merge: bool = True
    printing_merge_request_link_enabled: bool = True
    merge_method: Literal["ff", "rebase_merge", "merge"] = "merge"
    autoclose_referenced_issues: bool = True
    suggestion_commit_message: str | None = None
    approvals_before_merge: int = 0
    reset_approvals_on_push: bool = True
    disable_overriding_approvers_per_merge_request: bool = False
    merge_requests_author_approval: bool = False
    merge_requests_disable_committers_approval: bool = False
    require_password_to_approve: bool = False
    selective_code_owner_removals: bool = False
    approver_ids: tuple[int, ...] = ()
    approver_group_ids: tuple[int, ...] = ()
    auto_devops_enabled: bool = True
    auto_devops_deploy_strategy: Literal["continuous", "manual", "timed_incremental"] = "continuous"
    auto_cancel_pending_pipelines: Literal["disabled", "enabled"] = "enabled"
    build_git_strategy: Literal["fetch", "clone"] = "fetch"
    build_timeout: int = 3600
    max_artifacts_size: int | None = None
    repository_size_limit: int | None = None
    build_coverage_regex: str | None = None
    ci_config_path: str | None = None
    ci_default_git_depth: int | None = 50
    ci_forward_deployment_enabled: bool = True
    external_authorization_classification_label: str | None = None
    repository_storage: str = "default"
    mirror: bool = False
    mirror_user_id: int | None = None
    mirror_trigger_builds: bool = False
    only_mirror_protected_branches: bool = False
    mirror_overwrites_diverged_branches: bool = False
    pages_https_only: bool = False
    pages_unique_domain_enabled: bool = False
    pages_default_domain_redirect: str | None = None
    import_url: str | None = None
    import_status: str = "none"
    import_error: str | None = None
    issues_template: str | None = None
    merge_requests_template: str | None = None
    squash_option: SquashOption = "default_off"
    merge_commit_template: str | None = None
    squash_commit_template: str | None = None
    issue_branch_template: str | None = None
    merge_request_title_regex: str | None = None
    merge_request_title_regex_description: str | None = None
    mr_default_target_self: bool = False
    show_diff_preview_in_email: bool = True
    warn_about_potentially_unwanted_characters: bool = True
    enforce_auth_checks_on_uploads: bool = True
    group_runners_enabled: bool = True
    keep_latest_artifact: bool = True
    ci_pipeline_variables_minimum_override_role: OverrideRole = "developer"
    ci_separated_caches: bool = True
    catalog_resource_at: str | None = None
    ci_allow_fork_pipelines_to_run_in_parent_project: bool = True
    ci_forward_deployment_rollback_allowed: bool = True
    ci_push_repository_for_job_token_allowed: bool = False
    ci_display_pipeline_variables: bool = False
    protect_merge_request_pipelines: bool = True
    ci_id_token_sub_claim_components: tuple[str, ...] = ("project_path", "ref_type", "ref")
    ci_delete_pipelines_in_seconds: int | None = None
    ci_restrict_pipeline_cancellation_role: Literal["developer", "maintainer", "no_one"] = "developer"
    resource_group_default_process_mode: ProcessMode = "unordered"
    merge_pipelines_enabled: bool = False
    merge_trains_enabled: bool = False
    merge_trains_skip_train_allowed: bool = False
    only_allow_merge_if_all_status_checks_passed: bool = False
    allow_pipeline_trigger_approve_deployment: bool = False
    prevent_merge_without_jira_issue: bool = False
    fallback_approvals_required: int = 0
    mirror_branch_regex: str | None = None
    web_based_commit_signing_enabled: bool = False
    spp_repository_pipeline_access: bool = False
    secret_push_protection_enabled: bool = False
    auto_duo_code_review_enabled: bool = False
    duo_remote_flows_enabled: bool = False
    duo_foundational_flows_enabled: bool = False
    duo_sast_fp_detection_enabled: bool = False
    duo_sast_vr_workflow_enabled: bool = False
    container_expiration_policy: Mapping[str, Any] | None = None
    dependency_proxy_packages: Mapping[str, Any] | None = None
    packages_cleanup_keep: KeptFiles = "all"
    packages_cleanup_next_run_at: str | None = None
    runners_token: str = ""
    unleash_instance_id: str = ""
    runners: Literal["played", "external"] = "played"
    forked_from_id: int | None = None
    languages: tuple[tuple[str, float], ...] = ()
    housekept_until: int = 0
    job_token_scope_enabled: bool = True
    jobs_cache_index: int | None = None
    pushed_into_being_by: int | None = None
    has_gem_indexes: bool = False

    @property
    def container_registry_enabled(self) -> bool:
        """Whether there is a container registry, for whomever."""
        return self.container_registry_access_level != "disabled"


Container = Project | Group
"""What has members, labels, milestones, boards, wikis and tokens."""
Routable = Project | Namespace
"""What has a full path: projects, groups, and the namespaces of users."""


@frozen
class Member:
    """A user's membership of a project or group. ``source`` is ("project" or "group", id).

    One that awaits approval grants nothing. That of an ``ldap`` group cannot be changed unless ``override`` is set.
    """

    id: int
    source: tuple[str, int]
    user_id: int
    access_level: int
    created_at: str
    created_by: int | None = None
    expires_at: str | None = None
    notification_level: int = 3
    member_role_id: int | None = None
    state: MemberState = "active"
    ldap: bool = False
    override: bool = False


@frozen
class Share:
    """A share of a project or group with a group, whose members get at most the level ``group_access``."""

    id: int
    source: tuple[str, int]
    group_id: int
    group_access: int
    created_at: str
    expires_at: str | None = None
    member_role_id: int | None = None


@frozen
class Star:
    """A user's star for a project."""

    id: int
    user_id: int
    project_id: int
    created_at: str


@frozen
class DashboardStar:
    """A user's star for a dashboard of a project's metrics, which is named by its path."""

    id: int
    project_id: int
    user_id: int
    dashboard_path: str


@frozen
class CustomAttribute:
    """An administrator's note on a user, group or project. ``subject`` is (kind, id)."""

    id: int
    subject: Subject
    key: str
    value: str


@frozen
class StoredFile:
    """An uploaded file. ``owner`` is (kind, id); ``secret`` is the random part of its URL."""

    id: int
    owner: tuple[str, int]
    secret: str
    filename: str
    content_type: str
    data: bytes
    created_at: str = ""
    uploaded_by: int | None = None


@frozen
class Topic:
    """A topic. Projects have it by its name; ``avatar`` is a file."""

    id: int
    name: str
    title: str
    description: str | None = None
    avatar: int | None = None


@frozen
class Badge:
    """An image with a link; both URLs may contain placeholders. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    link_url: str
    image_url: str
    created_at: str
    updated_at: str
    name: str | None = None


@frozen
class ProjectAlias:
    """A name without a namespace, by which git finds a project."""

    id: int
    project_id: int
    name: str


@frozen
class Redirect:
    """A former full path, which git can still use for the project unless another project has it now."""

    id: int
    project_id: int
    path: str


@frozen
class DeployKey:
    """An SSH key for one or several projects. A public key can be enabled in every project.

    ``user_id`` is the user who added the key; ``fingerprint`` is the MD5 one.
    """

    id: int
    title: str
    key: str
    fingerprint: str
    fingerprint_sha256: str
    created_at: str
    updated_at: str
    user_id: int | None = None
    public: bool = False
    expires_at: str | None = None
    last_used_at: str | None = None
    usage_type: KeyUsage = "auth_and_signing"


@frozen
class DeployKeyProject:
    """A deploy key in a project, and whether the key can push there."""

    id: int
    deploy_key_id: int
    project_id: int
    created_at: str
    updated_at: str
    can_push: bool = False


DeployTokenScope = Literal[
    "read_repository",
    "read_registry",
    "write_registry",
    "read_package_registry",
    "write_package_registry",
    "read_virtual_registry",
    "write_virtual_registry",
]


@frozen
class DeployToken:
    """A name and password for git and the registries. ``source`` is ("project" or "group", id).

    The token of a group is valid for all projects in the group and its subgroups.
    """

    id: int
    source: tuple[str, int]
    name: str
    username: str
    value: str
    created_at: str
    scopes: tuple[DeployTokenScope, ...] = ()
    expires_at: str | None = None
    revoked: bool = False


MirrorAuthentication = Literal["password", "ssh_public_key"]
UpdateStatus = Literal["none", "to_retry", "started", "finished", "failed"]


@frozen
class RemoteMirror:
    """A push mirror of a project. Nothing is ever sent to its URL; an update only changes its status.

    ``host_keys`` are lines of a file of known hosts.
    """

    id: int
    project_id: int
    url: str
    enabled: bool = False
    only_protected_branches: bool = False
    keep_divergent_refs: bool | None = None
    auth_method: MirrorAuthentication = "password"
    update_status: UpdateStatus = "none"
    last_update_at: str | None = None
    last_update_started_at: str | None = None
    last_successful_update_at: str | None = None
    last_error: str | None = None
    mirror_branch_regex: str | None = None
    host_keys: tuple[str, ...] = ()


MoveState = Literal["initial", "scheduled", "started", "finished", "failed", "replicated", "cleanup failed"]


@frozen
class StorageMove:
    """A move of a repository to another storage. ``source`` is ("project", "group" or "snippet", id)."""

    id: int
    source: tuple[str, int]
    source_storage_name: str
    destination_storage_name: str
    created_at: str
    state: MoveState = "scheduled"
    error_message: str | None = None


@frozen
class ProjectFetches:
    """How often a project's repository was fetched over HTTP on a day."""

    id: int
    project_id: int
    date: str
    count: int


@frozen
class ErrorTrackingSetting:
    """The settings of a project. ``api_url`` is the address of its project on the error tracking server."""

    id: int
    project_id: int
    active: bool = True
    project_name: str | None = None
    api_url: str | None = None
    integrated: bool = False


@frozen
class ErrorTrackingClientKey:
    """A key with which clients send errors to the platform itself."""

    id: int
    project_id: int
    public_key: str
    active: bool = True


@frozen
class ManagedLicense:
    """A software license that a project allows or denies."""

    id: int
    project_id: int
    name: str
    approval_status: LicenseStatus
