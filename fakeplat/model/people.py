"""Users, namespaces, and how they belong together."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final, Literal

from attrs import field, fields

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject

Visibility = Literal["private", "internal", "public"]
FeatureLevel = Literal["disabled", "private", "enabled", "public"]

OverrideRole = Literal["no_one_allowed", "developer", "maintainer", "owner"]
SharedRunners = Literal["enabled", "disabled_and_overridable", "disabled_with_override", "disabled_and_unoverridable"]

VISIBILITY_RANK: Final = {"private": 0, "internal": 10, "public": 20}


class Level(IntEnum):
    """Access levels of members, ascending."""

    NONE = 0
    MINIMAL = 5
    GUEST = 10
    PLANNER = 15
    REPORTER = 20
    DEVELOPER = 30
    MAINTAINER = 40
    OWNER = 50


LEVEL_NAMES: Final = {level.name.lower(): level for level in Level}


def rank(visibility: str) -> int:
    """Return the rank of a visibility; a greater one is more open."""
    return VISIBILITY_RANK[visibility]


UserKind = Literal[
    "human",
    "ghost",
    "alert_bot",
    "automation_bot",
    "support_bot",
    "visual_review_bot",
    "project_bot",
    "service_account",
]
UserState = Literal["active", "blocked", "ldap_blocked", "deactivated", "blocked_pending_approval", "banned"]
TokenKind = Literal["personal", "impersonation", "project", "group", "oauth", "session", "job"]


Availability = Literal["not_set", "busy"]
GitProtocol = Literal["all", "ssh", "http"]
KeyUsage = Literal["auth", "signing", "auth_and_signing"]
MemberState = Literal["active", "awaiting"]


@frozen
class UserStatus:
    """What a user says of themselves at the moment."""

    emoji: str = "speech_balloon"
    message: str | None = None
    availability: Availability = "not_set"
    clear_status_at: str | None = None


@frozen
class User:
    """An account. ``otp_secret`` is the secret of its one-time codes, in Base32, which ``recovery_codes`` replace.

    ``support_pin`` shows the support who is calling, until it expires. ``feed_token_resets`` is how often the user got
    another feed token.
    The account of an enterprise user is managed by the owners of its group, ``enterprise_group_id``.
    """

    id: int
    username: str
    name: str
    email: str
    created_at: str
    updated_at: str
    state: UserState = "active"
    kind: UserKind = "human"
    admin: bool = False
    external: bool = False
    private_profile: bool = False
    bio: str | None = ""
    location: str | None = None
    public_email: str = ""
    skype: str = ""
    linkedin: str = ""
    twitter: str = ""
    website_url: str = ""
    organization: str | None = None
    job_title: str = ""
    note: str | None = None
    avatar: int | None = None
    password: str = ""
    password_expired: bool = False
    confirmed_at: str | None = None
    unconfirmed_email: str | None = None
    last_sign_in_at: str | None = None
    current_sign_in_at: str | None = None
    last_sign_in_ip: str | None = None
    current_sign_in_ip: str | None = None
    sign_in_count: int = 0
    last_activity_on: str | None = None
    status: UserStatus | None = None
    commit_email: str = ""
    theme_id: int = 1
    color_scheme_id: int = 1
    projects_limit: int = 100_000
    can_create_group: bool = True
    two_factor_enabled: bool = False
    otp_secret: str = ""
    otp_grace_period_started_at: str | None = None
    recovery_codes: tuple[str, ...] = ()
    accepted_terms: bool = False
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    notified_of_own_activity: bool = False
    provisioned_by_group_id: int | None = None
    enterprise_group_id: int | None = None
    enterprise_group_associated_at: str | None = None
    credit_card_validated_at: str | None = None
    support_pin: str = ""
    support_pin_expires_at: str | None = None
    feed_token_resets: int = 0
    policy_advanced_editor: bool = False
    view_diffs_file_by_file: bool = False
    show_whitespace_in_diffs: bool = True
    pass_user_identities_to_ci_jwt: bool = False
    auditor: bool = False
    pronouns: str | None = None
    discord: str = ""
    github: str = ""
    created_by: int | None = None

    @property
    def is_blocked(self) -> bool:
        """Whether an administrator or the LDAP server has blocked the user."""
        return self.state in ("blocked", "ldap_blocked")

    @property
    def is_internal(self) -> bool:
        """Whether this is one of the platform's own users; bots of projects and groups are not."""
        return self.kind not in ("human", "project_bot", "service_account")


@frozen
class Identity:
    """A user's account at an external identity provider; one that is not ``active`` was deprovisioned."""

    id: int
    user_id: int
    provider: str
    extern_uid: str
    updated_at: str
    saml_provider_id: int | None = None
    active: bool = True


@frozen
class Follow:
    """A user who follows another one."""

    id: int
    follower_id: int
    followee_id: int
    created_at: str


@frozen
class Token:
    """A credential of a user. ``expires_at`` is a date (invalid from the start of that day) or a time.

    ``project_id`` is the project of a project or job token, ``group_id`` the group of a group token, ``job_id`` the job
    with which a job token ends. ``application_id`` is the application of an OAuth token, which acts for itself if there
    is no user. In a session that ``skips_two_factor``, a user has put off setting up two factors. ``previous_id`` is
    the token that was rotated into this one; ``last_used_ips`` are the addresses that used it last, the newest last.
    """

    id: int
    user_id: int | None
    kind: TokenKind
    value: str
    created_at: str
    name: str = ""
    scopes: tuple[str, ...] = ()
    expires_at: str | None = None
    revoked: bool = False
    project_id: int | None = None
    group_id: int | None = None
    job_id: int | None = None
    application_id: int | None = None
    refresh_token: str | None = None
    skips_two_factor: bool = False
    description: str | None = None
    previous_id: int | None = None
    last_used_at: str | None = None
    last_used_ips: tuple[str, ...] = ()


GRANULAR: Final = "granular"
"""The only scope of fine-grained tokens, whose permissions are their granular scopes."""
GranularAccess = Literal["personal_projects", "all_memberships", "selected_memberships", "user", "instance"]


@frozen
class GranularScope:
    """Permissions of a fine-grained token, such as ``read_work_item``, and where the token has them.

    ``access`` is the kind of the boundary. Of ``selected_memberships`` it is one project, or one group with everything
    below it.
    """

    id: int
    token_id: int
    access: GranularAccess
    permissions: tuple[str, ...]
    project_id: int | None = None
    group_id: int | None = None


@frozen
class SshKey:
    """An SSH key of a user. ``fingerprint`` is the MD5 one."""

    id: int
    user_id: int
    title: str
    key: str
    fingerprint: str
    fingerprint_sha256: str
    created_at: str
    updated_at: str
    expires_at: str | None = None
    usage_type: KeyUsage = "auth_and_signing"
    last_used_at: str | None = None


@frozen
class SshCertificate:
    """The key of an authority whose certificates let the members of a top-level group use git."""

    id: int
    group_id: int
    title: str
    key: str
    fingerprint: str
    created_at: str


GroupsOrProjects = Literal["groups", "projects"]
PipelineNumber = Literal["id", "iid"]
DashboardKind = Literal["action_based", "role_based"]


@frozen
class UserPreference:
    """How a user wants lists to be shown. Sort orders are names of values of the enumerations of GraphQL."""

    id: int
    user_id: int
    issues_sort: str | None = None
    merge_requests_sort: str | None = None
    projects_sort: str | None = None
    organization_groups_projects_sort: str | None = None
    organization_groups_projects_display: GroupsOrProjects = "groups"
    visibility_pipeline_id_type: PipelineNumber = "id"
    use_work_items_view: bool = False
    merge_request_dashboard_list_type: DashboardKind = "action_based"
    merge_request_dashboard_show_drafts: bool = True
    opens_items_in_side_panel: bool | None = None
    timezone: str | None = None


@frozen
class SavedReply:
    """A text for comments that a user keeps, or the members of a group or of a project share (``subject``)."""

    id: int
    subject: Subject
    name: str
    content: str
    created_at: str
    updated_at: str


@frozen
class Callout:
    """A hint of the interface that a user dismissed, everywhere or for a group."""

    id: int
    user_id: int
    feature_name: str
    dismissed_at: str
    group_id: int | None = None


@frozen
class Visit:
    """That a user looked at the pages of a project or group (``source``)."""

    id: int
    user_id: int
    source: Subject
    visited_at: str


@frozen
class Achievement:
    """What a group awards to users."""

    id: int
    group_id: int
    name: str
    created_at: str
    updated_at: str
    description: str | None = None


@frozen
class UserAchievement:
    """That a user got an achievement. ``priority`` is its place in the profile, in which it may be hidden."""

    id: int
    achievement_id: int
    user_id: int
    awarded_by_user_id: int
    created_at: str
    updated_at: str
    revoked_by_user_id: int | None = None
    revoked_at: str | None = None
    priority: int | None = None
    show_on_profile: bool = True


@frozen
class GpgSubkey:
    """A subkey of a GPG key. Key ids and fingerprints are in upper case."""

    id: int
    keyid: str
    fingerprint: str


@frozen
class GpgKey:
    """A GPG key of a user, with its armor. ``emails`` and ``names`` are those of its user ids, in their order."""

    id: int
    user_id: int
    key: str
    primary_keyid: str
    fingerprint: str
    created_at: str
    subkeys: tuple[GpgSubkey, ...] = ()
    names: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()


@frozen
class Email:
    """A further e-mail address of a user, in lower case. It counts once it is confirmed."""

    id: int
    user_id: int
    email: str
    created_at: str
    updated_at: str
    confirmed_at: str | None = None


@frozen
class NamespaceCommitEmail:
    """The e-mail address that a user has in commits to the projects of a top-level group or of a user."""

    id: int
    user_id: int
    namespace_id: int
    email_id: int
    created_at: str
    updated_at: str


@frozen
class Subscription:
    """What was bought for a namespace on the hosted offering, apart from its plan."""

    start_date: str
    end_date: str | None = None
    seats: int = 0
    auto_renew: bool = False
    trial_starts_on: str | None = None


@frozen
class Namespace:
    """The common fields of both kinds. ``plan``, ``subscription`` and seats are used on the hosted offering."""

    id: int
    name: str
    path: str
    created_at: str
    updated_at: str
    parent_id: int | None = None
    plan: str | None = None
    trial: bool = False
    trial_ends_on: str | None = None
    max_seats_used: int = 0
    max_seats_used_changed_at: str | None = None
    seats_in_use: int = 0
    seats_day: str | None = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    subscription: Subscription | None = None
    additional_purchased_storage_size: int = 0
    additional_purchased_storage_ends_on: str | None = None


@frozen
class UserNamespace(Namespace):
    """The namespace of a user."""

    owner_id: int = 0


@frozen
class Group(Namespace):
    """A group of projects and subgroups. One that is ``archived`` is read-only, with everything below it."""

    description: str | None = ""
    visibility: Visibility = "private"
    share_with_group_lock: bool = False
    membership_lock: bool = False
    require_two_factor_authentication: bool = False
    two_factor_grace_period: int = 48
    project_creation_level: Literal["noone", "maintainer", "developer", "administrator", "owner"] = "developer"
    auto_devops_enabled: bool | None = None
    subgroup_creation_level: Literal["owner", "maintainer"] = "maintainer"
    emails_disabled: bool | None = None
    mentions_disabled: bool | None = None
    lfs_enabled: bool = True
    default_branch_protection: int = 2
    request_access_enabled: bool = True
    avatar: int | None = None
    file_template_project_id: int | None = None
    prevent_forking_outside_group: bool = False
    marked_for_deletion_on: str | None = None
    runners_token: str = ""
    max_artifacts_size: int | None = None
    repository_size_limit: int | None = None
    shared_runners_setting: SharedRunners = "enabled"
    allow_stale_runner_pruning: bool = False
    pipeline_variables_default_role: OverrideRole = "developer"
    wiki_access_level: Literal["disabled", "private", "enabled"] = "enabled"
    default_branch: str | None = None
    math_rendering_limits_enabled: bool = True
    lock_math_rendering_limits_enabled: bool = False
    show_diff_preview_in_email: bool = True
    allow_personal_snippets: bool = True
    only_allow_merge_if_pipeline_succeeds: bool = False
    allow_merge_on_skipped_pipeline: bool = False
    only_allow_merge_if_all_discussions_are_resolved: bool = False
    ip_restriction_ranges: str | None = None
    allowed_email_domains_list: str | None = None
    duo_features_enabled: bool = True
    lock_duo_features_enabled: bool = False
    auto_duo_code_review_enabled: bool = False
    web_based_commit_signing_enabled: bool = False
    service_access_tokens_expiration_enforced: bool = True
    unique_project_download_limit: int = 0
    unique_project_download_limit_interval_in_seconds: int = 0
    unique_project_download_limit_allowlist: tuple[str, ...] = ()
    unique_project_download_limit_alertlist: tuple[int, ...] = ()
    auto_ban_user_on_excessive_projects_download: bool = False
    archived: bool = False
    default_branch_protection_defaults: Mapping[str, Any] = field(factory=dict)
    enabled_git_access_protocol: GitProtocol = "all"
    prevent_sharing_groups_outside_hierarchy: bool = False
    require_sha_for_merge: bool | None = None
    lock_require_sha_for_merge: bool = False
    package_settings: Mapping[str, Any] = field(factory=dict)
    crm_enabled: bool | None = None
    dependency_proxy_enabled: bool = True
    dependency_proxy_purged_at: str | None = None
    image_ttl_enabled: bool = False
    image_ttl: int = 90
    image_ttl_changed_at: str | None = None


@frozen
class PackageSettings:
    """What a group decides for the packages of its projects.

    Duplicates are further files of a package that exists; the expressions are of names and versions that may have them.
    Requests for unknown packages are forwarded as the instance does, unless the group or one above it decides.
    """

    maven_duplicates_allowed: bool = True
    maven_duplicate_exception_regex: str = ""
    generic_duplicates_allowed: bool = True
    generic_duplicate_exception_regex: str = ""
    nuget_duplicates_allowed: bool = True
    nuget_duplicate_exception_regex: str = ""
    terraform_module_duplicates_allowed: bool = False
    terraform_module_duplicate_exception_regex: str = ""
    maven_package_requests_forwarding: bool | None = None
    lock_maven_package_requests_forwarding: bool = False
    npm_package_requests_forwarding: bool | None = None
    lock_npm_package_requests_forwarding: bool = False
    pypi_package_requests_forwarding: bool | None = None
    lock_pypi_package_requests_forwarding: bool = False
    nuget_symbol_server_enabled: bool = False


BaseLevel = Literal[10, 15, 20, 30, 40, 50]


@frozen
class MemberRole:
    """A role of the instance or of a top-level group, which adds permissions to those of its ``base_access_level``.

    A role without a level is one of administrators.
    """

    id: int
    name: str
    base_access_level: BaseLevel | None
    created_at: str
    group_id: int | None = None
    description: str | None = None
    admin_cicd_variables: bool = False
    admin_compliance_framework: bool = False
    admin_group_member: bool = False
    admin_integrations: bool = False
    admin_merge_request: bool = False
    admin_protected_branch: bool = False
    admin_protected_environments: bool = False
    admin_push_rules: bool = False
    admin_runners: bool = False
    admin_security_attributes: bool = False
    admin_security_testing: bool = False
    admin_terraform_state: bool = False
    admin_vulnerability: bool = False
    admin_web_hook: bool = False
    apply_security_scan_profiles: bool = False
    archive_project: bool = False
    manage_deploy_tokens: bool = False
    manage_group_access_tokens: bool = False
    manage_merge_request_settings: bool = False
    manage_project_access_tokens: bool = False
    manage_protected_tags: bool = False
    manage_security_policy_link: bool = False
    read_admin_cicd: bool = False
    read_admin_groups: bool = False
    read_admin_monitoring: bool = False
    read_admin_projects: bool = False
    read_admin_subscription: bool = False
    read_admin_users: bool = False
    read_code: bool = False
    read_compliance_dashboard: bool = False
    read_crm_contact: bool = False
    read_dependency: bool = False
    read_runners: bool = False
    read_security_attribute: bool = False
    read_security_scan_profiles: bool = False
    read_vulnerability: bool = False
    remove_group: bool = False
    remove_project: bool = False


_LATER_PERMISSIONS: Final = {
    "admin_cicd_variables": Lifetime(since="16.10"),
    "admin_compliance_framework": Lifetime(since="17.0"),
    "admin_group_member": Lifetime(since="16.5"),
    "admin_integrations": Lifetime(since="17.1"),
    "admin_merge_request": Lifetime(since="16.4"),
    "admin_protected_branch": Lifetime(since="17.4"),
    "admin_protected_environments": Lifetime(since="17.9"),
    "admin_push_rules": Lifetime(since="16.11"),
    "admin_runners": Lifetime(since="17.1"),
    "admin_security_attributes": Lifetime(since="18.2"),
    "admin_security_testing": Lifetime(since="17.9"),
    "admin_terraform_state": Lifetime(since="16.8"),
    "admin_vulnerability": Lifetime(since="16.1"),
    "admin_web_hook": Lifetime(since="17.0"),
    "apply_security_scan_profiles": Lifetime(since="18.9"),
    "archive_project": Lifetime(since="16.6"),
    "manage_deploy_tokens": Lifetime(since="17.0"),
    "manage_group_access_tokens": Lifetime(since="16.8"),
    "manage_merge_request_settings": Lifetime(since="17.0"),
    "manage_project_access_tokens": Lifetime(since="16.5"),
    "manage_protected_tags": Lifetime(since="17.9"),
    "manage_security_policy_link": Lifetime(since="16.11"),
    "read_admin_cicd": Lifetime(since="17.9"),
    "read_admin_groups": Lifetime(since="18.3"),
    "read_admin_monitoring": Lifetime(since="17.9"),
    "read_admin_projects": Lifetime(since="18.3"),
    "read_admin_subscription": Lifetime(since="17.9"),
    "read_admin_users": Lifetime(since="17.9"),
    "read_compliance_dashboard": Lifetime(since="17.7"),
    "read_crm_contact": Lifetime(since="17.1"),
    "read_dependency": Lifetime(since="16.3"),
    "read_runners": Lifetime(since="17.2"),
    "read_security_attribute": Lifetime(since="18.6"),
    "read_security_scan_profiles": Lifetime(since="18.7"),
    "read_vulnerability": Lifetime(since="16.1"),
    "remove_group": Lifetime(since="16.10"),
    "remove_project": Lifetime(since="16.8"),
}
ROLE_PERMISSIONS: Final[Mapping[str, Lifetime]] = {
    column.name: _LATER_PERMISSIONS.get(column.name, ALWAYS) for column in fields(MemberRole) if column.type is bool
}
"""The permissions that a custom role can add, and the releases that have them. Parameters and views follow."""
ADMIN_PERMISSIONS: Final[Mapping[str, Lifetime]] = {
    name: lifetime for name, lifetime in ROLE_PERMISSIONS.items() if name.startswith("read_admin_")
}
"""Those of the custom roles of administrators."""


@frozen
class UserMemberRole:
    """That a user has a custom role of administrators."""

    id: int
    user_id: int
    member_role_id: int


@frozen
class AccessRequest:
    """A user's request for access to a project or group. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    user_id: int
    requested_at: str


@frozen
class Invitation:
    """A membership offered to an e-mail address that belongs to nobody yet. ``source`` is as in an access request."""

    id: int
    source: tuple[str, int]
    invite_email: str
    access_level: int
    created_at: str
    invite_token: str = ""
    created_by: int | None = None
    expires_at: str | None = None
    member_role_id: int | None = None


@frozen
class MinutesPack:
    """Minutes of jobs that were bought for a namespace. What jobs may take follows from the namespace's own fields."""

    id: int
    namespace_id: int
    number_of_minutes: int
    expires_at: str
    purchase_xid: str


@frozen
class AddOnPurchase:
    """Seats of an add-on that were bought for a namespace."""

    id: int
    namespace_id: int
    name: str
    quantity: int
    started_on: str
    expires_on: str
    purchase_xid: str
    trial: bool = False


@frozen
class StorageLimitExclusion:
    """Why the storage of a top-level namespace is not limited on the hosted offering."""

    id: int
    namespace_id: int
    reason: str


@frozen
class LdapGroupLink:
    """A link to an LDAP group, by its name (``cn``) or a filter of users. No LDAP server is ever asked."""

    id: int
    group_id: int
    group_access: int
    provider: str
    cn: str | None = None
    filter: str | None = None
    member_role_id: int | None = None


@frozen
class SamlGroupLink:
    """A link to a SAML group, whose members would get an access level when they sign in with a provider.

    ``scim_group_uid`` is the id that the identity provider of the instance has for the group.
    """

    id: int
    group_id: int
    name: str
    access_level: int
    member_role_id: int | None = None
    provider: str | None = None
    scim_group_uid: str | None = None


@frozen
class ScimGroupMembership:
    """What says that the identity provider of the instance has a user in a group, to which SAML links lead."""

    id: int
    scim_group_uid: str
    user_id: int


@frozen
class SamlProvider:
    """The single sign-on of a group. ``scim_token`` is the bearer token of its SCIM endpoint."""

    id: int
    group_id: int
    scim_token: str
    enabled: bool = True
    default_membership_role: int = Level.GUEST


NotificationLevel = Literal["disabled", "participating", "watch", "global", "mention", "custom"]


@frozen
class NotificationSetting:
    """Settings of a user. ``source`` is ("project" or "group", id), or None for the global settings.

    ``events`` are only used at the level ``custom``.
    """

    id: int
    user_id: int
    source: tuple[str, int] | None
    level: NotificationLevel
    notification_email: str | None = None
    events: tuple[str, ...] = ()


@frozen
class UserAgentDetail:
    """The user agent and IP address of the request that created a record. ``subject`` is (kind, id)."""

    id: int
    subject: Subject
    user_agent: str
    ip_address: str
    antispam_submitted: bool = False
