"""Projects, their members and files, and what belongs to a project as a whole."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject
from fakeplat.model.people import FeatureLevel, Group, Namespace, Visibility

FEATURES: Final = (
    "issues",
    "repository",
    "merge_requests",
    "forking",
    "wiki",
    "builds",
    "snippets",
    "pages",
    "operations",
    "analytics",
)


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
    container_registry_enabled: bool = True
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
    container_expiration_policy: Mapping[str, Any] | None = None
    runners_token: str = ""
    unleash_instance_id: str = ""
    runners: Literal["played", "external"] = "played"
    forked_from_id: int | None = None
    languages: tuple[tuple[str, float], ...] = ()
    housekept_until: int = 0
    job_token_scope_enabled: bool = True
    pushed_into_being_by: int | None = None

    @property
    def container_registry_access_level(self) -> FeatureLevel:
        """The access level of the container registry, which is only on or off."""
        return "enabled" if self.container_registry_enabled else "disabled"


Container = Project | Group
"""What has members, labels, milestones, boards, wikis and tokens."""
Routable = Project | Namespace
"""What has a full path: projects, groups, and the namespaces of users."""


@frozen
class Member:
    """A user's membership of a project or group. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    user_id: int
    access_level: int
    created_at: str
    created_by: int | None = None
    expires_at: str | None = None
    notification_level: int = 3
    member_role_id: int | None = None


@frozen
class Share:
    """A share of a project or group with a group, whose members get at most the level ``group_access``."""

    id: int
    source: tuple[str, int]
    group_id: int
    group_access: int
    created_at: str
    expires_at: str | None = None


@frozen
class Star:
    """A user's star for a project."""

    id: int
    user_id: int
    project_id: int
    created_at: str


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
    "read_repository", "read_registry", "write_registry", "read_package_registry", "write_package_registry"
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


UpdateStatus = Literal["none", "to_retry", "started", "finished", "failed"]


@frozen
class RemoteMirror:
    """A push mirror of a project. Nothing is ever sent to its URL, so its status changes only in scenarios."""

    id: int
    project_id: int
    url: str
    enabled: bool = False
    only_protected_branches: bool = False
    keep_divergent_refs: bool | None = None
    update_status: UpdateStatus = "none"
    last_update_at: str | None = None
    last_update_started_at: str | None = None
    last_successful_update_at: str | None = None
    last_error: str | None = None


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
