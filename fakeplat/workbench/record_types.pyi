# The types of the records in a view of a world, for editors and type checkers (tools/generate.py).

from typing import Any, Literal

from fakeplat.workbench.inspection import RecordView

class Instance:
    projects: list[Project]
    groups: list[Group]
    users: list[User]
    variables: list[InstanceVariable]
    def variable(self, name: int | str | None = ..., **fields: Any) -> InstanceVariable: ...
    runners: list[Runner]
    def runner(self, name: int | str | None = ..., **fields: Any) -> Runner: ...
    deploy_keys: list[DeployKey]
    def deploy_key(self, name: int | str | None = ..., **fields: Any) -> DeployKey: ...
    hooks: list[SystemHook]
    def hook(self, name: int | str | None = ..., **fields: Any) -> SystemHook: ...
    applications: list[OAuthApplication]
    def application(self, name: int | str | None = ..., **fields: Any) -> OAuthApplication: ...
    topics: list[Topic]
    def topic(self, name: int | str | None = ..., **fields: Any) -> Topic: ...
    member_roles: list[MemberRole]
    def member_role(self, name: int | str | None = ..., **fields: Any) -> MemberRole: ...
    features: list[Feature]
    def feature(self, name: int | str | None = ..., **fields: Any) -> Feature: ...
    licenses: list[InstanceLicense]
    def license(self, name: int | str | None = ..., **fields: Any) -> InstanceLicense: ...
    broadcast_messages: list[BroadcastMessage]
    def broadcast_message(self, name: int | str | None = ..., **fields: Any) -> BroadcastMessage: ...
    batched_migrations: list[BatchedMigration]
    def batched_migration(self, name: int | str | None = ..., **fields: Any) -> BatchedMigration: ...
    clusters: list[Cluster]
    def cluster(self, name: int | str | None = ..., **fields: Any) -> Cluster: ...
    audit_events: list[AuditEvent]
    def audit_event(self, name: int | str | None = ..., **fields: Any) -> AuditEvent: ...
    settings: list[Settings]
    def setting(self, name: int | str | None = ..., **fields: Any) -> Settings: ...
    appearances: list[Appearance]
    def appearance(self, name: int | str | None = ..., **fields: Any) -> Appearance: ...

class Project(RecordView):
    id: int
    description: str | None
    name: str
    name_with_namespace: str
    path: str
    path_with_namespace: str
    created_at: str
    custom_attributes: list[dict[str, Any]]
    default_branch: str | None
    tag_list: list[str]
    topics: list[str]
    ssh_url_to_repo: str
    http_url_to_repo: str
    web_url: str
    readme_url: str | None
    license_url: str | None
    license: Any
    avatar_url: str | None
    forks_count: int
    star_count: int
    last_activity_at: str
    namespace: dict[str, Any]
    _links: dict[str, Any]
    container_registry_image_prefix: str
    packages_enabled: bool
    repository_object_format: str
    empty_repo: bool
    archived: bool
    visibility: str
    owner: Any
    resolve_outdated_diff_discussions: bool
    container_registry_enabled: bool
    container_expiration_policy: dict[str, Any]
    issues_enabled: bool
    merge_requests_enabled: bool
    wiki_enabled: bool
    jobs_enabled: bool
    snippets_enabled: bool
    service_desk_enabled: bool
    service_desk_address: str | None
    can_create_merge_request_in: bool
    issues_access_level: str
    repository_access_level: str
    merge_requests_access_level: str
    forking_access_level: str
    wiki_access_level: str
    builds_access_level: str
    snippets_access_level: str
    pages_access_level: str
    operations_access_level: str
    analytics_access_level: str
    container_registry_access_level: str
    requirements_access_level: str
    security_and_compliance_access_level: str
    releases_access_level: str
    environments_access_level: str
    feature_flags_access_level: str
    infrastructure_access_level: str
    monitor_access_level: str
    model_experiments_access_level: str
    model_registry_access_level: str
    package_registry_access_level: str
    emails_disabled: bool | None
    emails_enabled: bool
    show_diff_preview_in_email: bool
    shared_runners_enabled: bool
    lfs_enabled: bool
    creator_id: int | None
    mr_default_target_self: bool
    import_url: str | None
    import_type: str | None
    forked_from_project: dict[str, Any]
    import_status: str
    import_error: str | None
    open_issues_count: int
    description_html: str
    updated_at: str
    runners_token: str
    ci_default_git_depth: int | None
    ci_delete_pipelines_in_seconds: int | None
    ci_forward_deployment_enabled: bool
    ci_forward_deployment_rollback_allowed: bool
    ci_job_token_scope_enabled: bool
    ci_separated_caches: bool
    ci_allow_fork_pipelines_to_run_in_parent_project: bool
    ci_id_token_sub_claim_components: list[str]
    ci_pipeline_variables_minimum_override_role: str
    ci_push_repository_for_job_token_allowed: bool
    ci_display_pipeline_variables: bool
    protect_merge_request_pipelines: bool
    ci_restrict_pipeline_cancellation_role: str
    keep_latest_artifact: bool
    restrict_user_defined_variables: bool
    runner_token_expiration_interval: int | None
    group_runners_enabled: bool
    resource_group_default_process_mode: str
    public_jobs: bool
    build_git_strategy: str
    build_timeout: int
    auto_cancel_pending_pipelines: str
    build_coverage_regex: str | None
    ci_config_path: str | None
    shared_with_groups: list[dict[str, Any]]
    only_allow_merge_if_pipeline_succeeds: bool
    allow_merge_on_skipped_pipeline: bool | None
    request_access_enabled: bool
    only_allow_merge_if_all_discussions_are_resolved: bool
    remove_source_branch_after_merge: bool
    printing_merge_request_link_enabled: bool
    merge_method: str
    squash_option: str
    enforce_auth_checks_on_uploads: bool
    suggestion_commit_message: str | None
    merge_commit_template: str | None
    squash_commit_template: str | None
    issue_branch_template: str | None
    merge_request_title_regex: str | None
    merge_request_title_regex_description: str | None
    warn_about_potentially_unwanted_characters: bool
    max_artifacts_size: int | None
    statistics: dict[str, Any]
    auto_devops_enabled: bool
    auto_devops_deploy_strategy: str
    autoclose_referenced_issues: bool
    approvals_before_merge: int
    mirror: bool
    mirror_user_id: int | None
    mirror_trigger_builds: bool
    only_mirror_protected_branches: bool
    mirror_overwrites_diverged_branches: bool
    external_authorization_classification_label: str | None
    repository_storage: str
    marked_for_deletion_at: str | None
    marked_for_deletion_on: str | None
    compliance_frameworks: list[str]
    issues_template: str | None
    merge_requests_template: str | None
    requirements_enabled: bool
    security_and_compliance_enabled: bool
    merge_pipelines_enabled: bool
    merge_trains_enabled: bool
    merge_trains_skip_train_allowed: bool
    only_allow_merge_if_all_status_checks_passed: bool
    allow_pipeline_trigger_approve_deployment: bool
    prevent_merge_without_jira_issue: bool
    pre_receive_secret_detection_enabled: bool
    secret_push_protection_enabled: bool
    web_based_commit_signing_enabled: bool
    spp_repository_pipeline_access: bool
    auto_duo_code_review_enabled: bool
    duo_remote_flows_enabled: bool
    duo_foundational_flows_enabled: bool
    duo_sast_fp_detection_enabled: bool
    duo_sast_vr_workflow_enabled: bool
    permissions: dict[str, Any]
    unleash_instance_id: str
    members: list[Member]
    def member(self, name: int | str | None = ..., **fields: Any) -> Member: ...
    access_requests: list[AccessRequest]
    def access_request(self, name: int | str | None = ..., **fields: Any) -> AccessRequest: ...
    invitations: list[Invitation]
    def invitation(self, name: int | str | None = ..., **fields: Any) -> Invitation: ...
    storage_moves: list[StorageMove]
    def storage_move(self, name: int | str | None = ..., **fields: Any) -> StorageMove: ...
    starrers: list[Star]
    def starrer(self, name: int | str | None = ..., **fields: Any) -> Star: ...
    forks: list[Project]
    def fork(self, name: int | str | None = ..., **fields: Any) -> Project: ...
    issues: list[Issue]
    def issue(self, name: int | str | None = ..., **fields: Any) -> Issue: ...
    merge_requests: list[MergeRequest]
    def merge_request(self, name: int | str | None = ..., **fields: Any) -> MergeRequest: ...
    merge_trains: list[MergeTrain]
    def merge_train(self, name: int | str | None = ..., **fields: Any) -> MergeTrain: ...
    labels: list[Label]
    def label(self, name: int | str | None = ..., **fields: Any) -> Label: ...
    milestones: list[Milestone]
    def milestone(self, name: int | str | None = ..., **fields: Any) -> Milestone: ...
    boards: list[Board]
    def board(self, name: int | str | None = ..., **fields: Any) -> Board: ...
    approval_rules: list[ProjectApprovalRule]
    def approval_rule(self, name: int | str | None = ..., **fields: Any) -> ProjectApprovalRule: ...
    external_status_checks: list[ExternalStatusCheck]
    def external_status_check(self, name: int | str | None = ..., **fields: Any) -> ExternalStatusCheck: ...
    alerts: list[Alert]
    def alert(self, name: int | str | None = ..., **fields: Any) -> Alert: ...
    events: list[Event]
    def event(self, name: int | str | None = ..., **fields: Any) -> Event: ...
    branches: list[Branch]
    def branch(self, name: int | str | None = ..., **fields: Any) -> Branch: ...
    tags: list[Tag]
    def tag(self, name: int | str | None = ..., **fields: Any) -> Tag: ...
    commits: list[Commit]
    def commit(self, name: int | str | None = ..., **fields: Any) -> Commit: ...
    files: list[File]
    def file(self, name: int | str | None = ..., **fields: Any) -> File: ...
    protected_branches: list[ProtectedBranch]
    def protected_branch(self, name: int | str | None = ..., **fields: Any) -> ProtectedBranch: ...
    protected_tags: list[ProtectedTag]
    def protected_tag(self, name: int | str | None = ..., **fields: Any) -> ProtectedTag: ...
    push_rules: list[ProjectPushRule]
    def push_rule(self, name: int | str | None = ..., **fields: Any) -> ProjectPushRule: ...
    error_tracking_settings: list[ErrorTrackingSetting]
    def error_tracking_setting(self, name: int | str | None = ..., **fields: Any) -> ErrorTrackingSetting: ...
    managed_licenses: list[ManagedLicense]
    def managed_license(self, name: int | str | None = ..., **fields: Any) -> ManagedLicense: ...
    error_tracking_client_keys: list[ErrorTrackingClientKey]
    def error_tracking_client_key(self, name: int | str | None = ..., **fields: Any) -> ErrorTrackingClientKey: ...
    remote_mirrors: list[RemoteMirror]
    def remote_mirror(self, name: int | str | None = ..., **fields: Any) -> RemoteMirror: ...
    releases: list[Release]
    def release(self, name: int | str | None = ..., **fields: Any) -> Release: ...
    packages: list[Package]
    def package(self, name: int | str | None = ..., **fields: Any) -> Package: ...
    package_protection_rules: list[PackageProtectionRule]
    def package_protection_rule(self, name: int | str | None = ..., **fields: Any) -> PackageProtectionRule: ...
    container_protection_rules: list[ContainerProtectionRule]
    def container_protection_rule(self, name: int | str | None = ..., **fields: Any) -> ContainerProtectionRule: ...
    container_tag_protection_rules: list[ContainerTagProtectionRule]
    def container_tag_protection_rule(self, name: int | str | None = ..., **fields: Any) -> ContainerTagProtectionRule: ...
    terraform_state_protection_rules: list[TerraformStateProtectionRule]
    def terraform_state_protection_rule(self, name: int | str | None = ..., **fields: Any) -> TerraformStateProtectionRule: ...
    container_repositories: list[ContainerRepository]
    def container_repository(self, name: int | str | None = ..., **fields: Any) -> ContainerRepository: ...
    wikis: list[WikiPage]
    def wiki(self, name: int | str | None = ..., **fields: Any) -> WikiPage: ...
    snippets: list[Snippet]
    def snippet(self, name: int | str | None = ..., **fields: Any) -> Snippet: ...
    pipelines: list[Pipeline]
    def pipeline(self, name: int | str | None = ..., **fields: Any) -> Pipeline: ...
    jobs: list[Job]
    def job(self, name: int | str | None = ..., **fields: Any) -> Job: ...
    variables: list[ProjectVariable]
    def variable(self, name: int | str | None = ..., **fields: Any) -> ProjectVariable: ...
    triggers: list[Trigger]
    def trigger(self, name: int | str | None = ..., **fields: Any) -> Trigger: ...
    pipeline_schedules: list[PipelineSchedule]
    def pipeline_schedule(self, name: int | str | None = ..., **fields: Any) -> PipelineSchedule: ...
    runners: list[Runner]
    def runner(self, name: int | str | None = ..., **fields: Any) -> Runner: ...
    resource_groups: list[ResourceGroup]
    def resource_group(self, name: int | str | None = ..., **fields: Any) -> ResourceGroup: ...
    environments: list[Environment]
    def environment(self, name: int | str | None = ..., **fields: Any) -> Environment: ...
    protected_environments: list[ProtectedEnvironment]
    def protected_environment(self, name: int | str | None = ..., **fields: Any) -> ProtectedEnvironment: ...
    deployments: list[Deployment]
    def deployment(self, name: int | str | None = ..., **fields: Any) -> Deployment: ...
    feature_flags: list[FeatureFlag]
    def feature_flag(self, name: int | str | None = ..., **fields: Any) -> FeatureFlag: ...
    feature_flag_user_lists: list[FeatureFlagUserList]
    def feature_flag_user_list(self, name: int | str | None = ..., **fields: Any) -> FeatureFlagUserList: ...
    freeze_periods: list[FreezePeriod]
    def freeze_period(self, name: int | str | None = ..., **fields: Any) -> FreezePeriod: ...
    cluster_agents: list[ClusterAgent]
    def cluster_agent(self, name: int | str | None = ..., **fields: Any) -> ClusterAgent: ...
    secure_files: list[SecureFile]
    def secure_file(self, name: int | str | None = ..., **fields: Any) -> SecureFile: ...
    clusters: list[ProjectCluster]
    def cluster(self, name: int | str | None = ..., **fields: Any) -> ProjectCluster: ...
    pages_domains: list[PagesDomain]
    def pages_domain(self, name: int | str | None = ..., **fields: Any) -> PagesDomain: ...
    pages_deployments: list[PagesDeployment]
    def pages_deployment(self, name: int | str | None = ..., **fields: Any) -> PagesDeployment: ...
    services: list[Service]
    def service(self, name: int | str | None = ..., **fields: Any) -> Service: ...
    hooks: list[ProjectHook]
    def hook(self, name: int | str | None = ..., **fields: Any) -> ProjectHook: ...
    badges: list[Badge]
    def badge(self, name: int | str | None = ..., **fields: Any) -> Badge: ...
    debian_distributions: list[DebianDistribution]
    def debian_distribution(self, name: int | str | None = ..., **fields: Any) -> DebianDistribution: ...
    deploy_keys: list[DeployKeyProject]
    def deploy_key(self, name: int | str | None = ..., **fields: Any) -> DeployKeyProject: ...
    deploy_tokens: list[DeployToken]
    def deploy_token(self, name: int | str | None = ..., **fields: Any) -> DeployToken: ...
    access_tokens: list[ResourceAccessToken]
    def access_token(self, name: int | str | None = ..., **fields: Any) -> ResourceAccessToken: ...

class Group(RecordView):
    id: int
    web_url: str
    name: str
    custom_attributes: list[dict[str, Any]]
    path: str
    description: str | None
    visibility: str
    share_with_group_lock: bool
    require_two_factor_authentication: bool
    two_factor_grace_period: int
    project_creation_level: str
    auto_devops_enabled: bool | None
    subgroup_creation_level: str
    emails_disabled: bool | None
    emails_enabled: bool
    show_diff_preview_in_email: bool
    mentions_disabled: bool | None
    shared_runners_setting: str
    default_branch: str | None
    max_artifacts_size: int | None
    math_rendering_limits_enabled: bool
    lock_math_rendering_limits_enabled: bool
    wiki_access_level: str
    organization_id: int
    duo_features_enabled: bool
    lock_duo_features_enabled: bool
    auto_duo_code_review_enabled: bool
    web_based_commit_signing_enabled: bool
    service_access_tokens_expiration_enforced: bool
    allow_personal_snippets: bool
    lfs_enabled: bool
    default_branch_protection: int
    default_branch_protection_defaults: dict[str, Any]
    archived: bool
    repository_storage: str
    avatar_url: str | None
    request_access_enabled: bool
    full_name: str
    full_path: str
    created_at: str
    parent_id: int | None
    ldap_cn: str | None
    ldap_access: int | None
    file_template_project_id: int | None
    marked_for_deletion_on: str | None
    statistics: dict[str, Any]
    root_storage_statistics: dict[str, Any]
    members: list[Member]
    def member(self, name: int | str | None = ..., **fields: Any) -> Member: ...
    access_requests: list[AccessRequest]
    def access_request(self, name: int | str | None = ..., **fields: Any) -> AccessRequest: ...
    invitations: list[Invitation]
    def invitation(self, name: int | str | None = ..., **fields: Any) -> Invitation: ...
    storage_moves: list[StorageMove]
    def storage_move(self, name: int | str | None = ..., **fields: Any) -> StorageMove: ...
    shared_with_groups: list[Share]
    def shared_with_group(self, name: int | str | None = ..., **fields: Any) -> Share: ...
    projects: list[Project]
    def project(self, name: int | str | None = ..., **fields: Any) -> Project: ...
    subgroups: list[Group]
    def subgroup(self, name: int | str | None = ..., **fields: Any) -> Group: ...
    issues: list[Issue]
    def issue(self, name: int | str | None = ..., **fields: Any) -> Issue: ...
    merge_requests: list[MergeRequest]
    def merge_request(self, name: int | str | None = ..., **fields: Any) -> MergeRequest: ...
    epics: list[Epic]
    def epic(self, name: int | str | None = ..., **fields: Any) -> Epic: ...
    epic_boards: list[EpicBoard]
    def epic_board(self, name: int | str | None = ..., **fields: Any) -> EpicBoard: ...
    iterations: list[Iteration]
    def iteration(self, name: int | str | None = ..., **fields: Any) -> Iteration: ...
    labels: list[Label]
    def label(self, name: int | str | None = ..., **fields: Any) -> Label: ...
    milestones: list[Milestone]
    def milestone(self, name: int | str | None = ..., **fields: Any) -> Milestone: ...
    boards: list[Board]
    def board(self, name: int | str | None = ..., **fields: Any) -> Board: ...
    events: list[Event]
    def event(self, name: int | str | None = ..., **fields: Any) -> Event: ...
    wikis: list[WikiPage]
    def wiki(self, name: int | str | None = ..., **fields: Any) -> WikiPage: ...
    variables: list[GroupVariable]
    def variable(self, name: int | str | None = ..., **fields: Any) -> GroupVariable: ...
    runners: list[Runner]
    def runner(self, name: int | str | None = ..., **fields: Any) -> Runner: ...
    clusters: list[GroupCluster]
    def cluster(self, name: int | str | None = ..., **fields: Any) -> GroupCluster: ...
    hooks: list[GroupHook]
    def hook(self, name: int | str | None = ..., **fields: Any) -> GroupHook: ...
    badges: list[Badge]
    def badge(self, name: int | str | None = ..., **fields: Any) -> Badge: ...
    debian_distributions: list[DebianDistribution]
    def debian_distribution(self, name: int | str | None = ..., **fields: Any) -> DebianDistribution: ...
    deploy_tokens: list[DeployToken]
    def deploy_token(self, name: int | str | None = ..., **fields: Any) -> DeployToken: ...
    access_tokens: list[ResourceAccessToken]
    def access_token(self, name: int | str | None = ..., **fields: Any) -> ResourceAccessToken: ...
    group_protected_environments: list[GroupProtectedEnvironment]
    def group_protected_environment(self, name: int | str | None = ..., **fields: Any) -> GroupProtectedEnvironment: ...
    protected_branches: list[GroupProtectedBranch]
    def protected_branch(self, name: int | str | None = ..., **fields: Any) -> GroupProtectedBranch: ...
    push_rules: list[GroupPushRule]
    def push_rule(self, name: int | str | None = ..., **fields: Any) -> GroupPushRule: ...
    ldap_group_links: list[LdapGroupLink]
    def ldap_group_link(self, name: int | str | None = ..., **fields: Any) -> LdapGroupLink: ...
    ssh_certificates: list[SshCertificate]
    def ssh_certificate(self, name: int | str | None = ..., **fields: Any) -> SshCertificate: ...
    saml_group_links: list[SamlGroupLink]
    def saml_group_link(self, name: int | str | None = ..., **fields: Any) -> SamlGroupLink: ...
    audit_events: list[AuditEvent]
    def audit_event(self, name: int | str | None = ..., **fields: Any) -> AuditEvent: ...

class User(RecordView):
    id: int
    name: str
    username: str
    public_email: str
    custom_attributes: list[dict[str, Any]]
    state: str
    locked: bool
    avatar_url: str | None
    web_url: str
    created_at: str
    bio: str | None
    bio_html: str
    location: str | None
    skype: str
    linkedin: str
    twitter: str
    website_url: str
    organization: str | None
    job_title: str
    pronouns: str | None
    discord: str
    github: str
    local_time: str | None
    bot: bool
    followers: int
    following: int
    is_followed: bool
    email: str
    last_sign_in_at: str | None
    confirmed_at: str | None
    last_activity_on: str | None
    theme_id: int
    color_scheme_id: int
    projects_limit: int
    current_sign_in_at: str | None
    identities: list[dict[str, Any]]
    can_create_group: bool
    work_information: str | None
    commit_email: str
    preferred_language: str
    scim_identities: list[dict[str, Any]]
    using_license_seat: bool
    is_auditor: bool
    provisioned_by_group_id: int | None
    can_create_project: bool
    two_factor_enabled: bool
    external: bool
    private_profile: bool
    shared_runners_minutes_limit: int | None
    extra_shared_runners_minutes_limit: int | None
    is_admin: bool
    note: str | None
    namespace_id: int | None
    created_by: Any
    email_reset_offered_at: str | None
    enterprise_group_id: int | None
    enterprise_group_associated_at: str | None
    current_sign_in_ip: str | None
    last_sign_in_ip: str | None
    highest_role: int
    sign_in_count: int
    plan: str | None
    trial: bool | None
    projects: list[Project]
    def project(self, name: int | str | None = ..., **fields: Any) -> Project: ...
    memberships: list[Membership]
    def membership(self, name: int | str | None = ..., **fields: Any) -> Membership: ...
    snippets: list[Snippet]
    def snippet(self, name: int | str | None = ..., **fields: Any) -> Snippet: ...
    todos: list[Todo]
    def todo(self, name: int | str | None = ..., **fields: Any) -> Todo: ...
    events: list[Event]
    def event(self, name: int | str | None = ..., **fields: Any) -> Event: ...
    emails: list[Email]
    ssh_keys: list[SshKey]
    def ssh_key(self, name: int | str | None = ..., **fields: Any) -> SshKey: ...
    gpg_keys: list[GpgKey]
    def gpg_key(self, name: int | str | None = ..., **fields: Any) -> GpgKey: ...
    personal_access_tokens: list[AccessToken]
    def personal_access_token(self, name: int | str | None = ..., **fields: Any) -> AccessToken: ...
    impersonation_tokens: list[ImpersonationToken]
    def impersonation_token(self, name: int | str | None = ..., **fields: Any) -> ImpersonationToken: ...
    notification_settings: list[NotificationSetting]
    def notification_setting(self, name: int | str | None = ..., **fields: Any) -> NotificationSetting: ...

class Issue(RecordView):
    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    closed_at: str | None
    closed_by: Any
    labels: Any
    milestone: Any
    assignees: list[dict[str, Any]]
    author: Any
    type: str
    assignee: Any
    user_notes_count: int
    merge_requests_count: int
    upvotes: int
    downvotes: int
    start_date: str | None
    due_date: str | None
    confidential: bool
    discussion_locked: bool | None
    issue_type: str
    web_url: str
    time_stats: dict[str, Any]
    task_completion_status: dict[str, Any]
    weight: int | None
    blocking_issues_count: int
    has_tasks: bool
    task_status: str
    _links: dict[str, Any]
    references: dict[str, Any]
    severity: str
    subscribed: bool
    moved_to_id: int | None
    imported: bool
    imported_from: str
    service_desk_reply_to: str | None
    health_status: str | None
    epic_iid: int | None
    epic: Any
    iteration: Any
    notes: list[Note]
    def note(self, name: int | str | None = ..., **fields: Any) -> Note: ...
    award_emoji: list[Award]
    links: list[IssueLink]
    def link(self, name: int | str | None = ..., **fields: Any) -> IssueLink: ...
    metric_images: list[MetricImage]
    def metric_image(self, name: int | str | None = ..., **fields: Any) -> MetricImage: ...
    resource_label_events: list[LabelEvent]
    def resource_label_event(self, name: int | str | None = ..., **fields: Any) -> LabelEvent: ...
    resource_milestone_events: list[MilestoneEvent]
    def resource_milestone_event(self, name: int | str | None = ..., **fields: Any) -> MilestoneEvent: ...
    resource_state_events: list[StateEvent]
    def resource_state_event(self, name: int | str | None = ..., **fields: Any) -> StateEvent: ...
    resource_iteration_events: list[IterationEvent]
    def resource_iteration_event(self, name: int | str | None = ..., **fields: Any) -> IterationEvent: ...
    resource_weight_events: list[WeightEvent]
    def resource_weight_event(self, name: int | str | None = ..., **fields: Any) -> WeightEvent: ...

class MergeRequest(RecordView):
    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    web_url: str
    imported: bool
    imported_from: str
    merged_by: Any
    merge_user: Any
    merged_at: str | None
    closed_by: Any
    closed_at: str | None
    title_html: str
    description_html: str
    target_branch: str
    source_branch: str
    user_notes_count: int
    upvotes: int
    downvotes: int
    author: Any
    assignees: list[dict[str, Any]]
    assignee: Any
    reviewers: list[dict[str, Any]]
    source_project_id: int | None
    target_project_id: int
    labels: Any
    draft: bool
    work_in_progress: bool
    milestone: Any
    merge_when_pipeline_succeeds: bool
    merge_status: str
    detailed_merge_status: Literal['unchecked', 'checking', 'requested_changes', 'not_approved', 'merge_request_blocked', 'blocked_status', 'jira_association_missing', 'status_checks_must_pass', 'external_status_checks', 'locked_paths', 'not_open', 'merge_time', 'draft_status', 'commits_status', 'broken_status', 'discussions_not_resolved', 'title_regex', 'locked_lfs_files', 'conflict', 'need_rebase', 'ci_still_running', 'ci_must_pass', 'mergeable']
    merge_after: str | None
    sha: str | None
    merge_commit_sha: str | None
    squash_commit_sha: str | None
    discussion_locked: bool | None
    should_remove_source_branch: bool | None
    force_remove_source_branch: bool | None
    prepared_at: str
    allow_collaboration: bool
    allow_maintainer_to_push: bool
    reference: str
    references: dict[str, Any]
    time_stats: dict[str, Any]
    squash: bool
    squash_on_merge: bool
    task_completion_status: dict[str, Any]
    has_conflicts: bool
    blocking_discussions_resolved: bool
    approvals_before_merge: int | None
    changes_count: str | None
    latest_build_started_at: str | None
    latest_build_finished_at: str | None
    first_deployed_to_production_at: str | None
    pipeline: Any
    head_pipeline: Any
    diff_refs: Any
    merge_error: str | None
    user: dict[str, Any]
    diverged_commits_count: int
    rebase_in_progress: bool
    first_contribution: bool
    subscribed: bool
    notes: list[Note]
    def note(self, name: int | str | None = ..., **fields: Any) -> Note: ...
    award_emoji: list[Award]
    commits: list[Commit]
    def commit(self, name: int | str | None = ..., **fields: Any) -> Commit: ...
    changes: list[Diff]
    def change(self, name: int | str | None = ..., **fields: Any) -> Diff: ...
    versions: list[DiffVersion]
    def version(self, name: int | str | None = ..., **fields: Any) -> DiffVersion: ...
    pipelines: list[Pipeline]
    approved_by: list[Approval]
    approval_rules: list[MergeRequestApprovalRule]
    def approval_rule(self, name: int | str | None = ..., **fields: Any) -> MergeRequestApprovalRule: ...
    draft_notes: list[DraftNote]
    def draft_note(self, name: int | str | None = ..., **fields: Any) -> DraftNote: ...
    blocks: list[MergeRequestBlock]
    def block(self, name: int | str | None = ..., **fields: Any) -> MergeRequestBlock: ...
    resource_label_events: list[LabelEvent]
    def resource_label_event(self, name: int | str | None = ..., **fields: Any) -> LabelEvent: ...
    resource_milestone_events: list[MilestoneEvent]
    def resource_milestone_event(self, name: int | str | None = ..., **fields: Any) -> MilestoneEvent: ...
    resource_state_events: list[StateEvent]
    def resource_state_event(self, name: int | str | None = ..., **fields: Any) -> StateEvent: ...

class AccessRequest(RecordView):
    id: int
    name: str
    username: str
    state: str
    locked: bool
    avatar_url: str | None
    web_url: str
    requested_at: str

class AccessToken(RecordView):
    id: int
    name: str
    revoked: bool
    created_at: str
    scopes: list[str]
    user_id: int | None
    description: str | None
    last_used_at: str | None
    active: bool
    granular: bool
    expires_at: str | None

class AgentUrlConfiguration(RecordView):
    id: int
    agent_id: int
    url: str
    public_key: str | None
    client_cert: str | None
    ca_cert: str | None
    tls_host: str | None

class Alert(RecordView):
    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    severity: str
    status: str
    event_count: int
    service: str | None
    monitoring_tool: str | None
    hosts: list[str]
    started_at: str
    ended_at: str | None
    created_at: str
    updated_at: str
    fingerprint: str | None
    environment: str | None
    issue_iid: int | None
    assignees: list[dict[str, Any]]
    runbook: str | None
    details: dict[str, Any]
    payload: dict[str, Any]
    web_url: str
    notes: list[SystemNote]
    def note(self, name: int | str | None = ..., **fields: Any) -> SystemNote: ...
    metric_images: list[MetricImage]
    def metric_image(self, name: int | str | None = ..., **fields: Any) -> MetricImage: ...

class Appearance(RecordView):
    title: str
    pwa_name: str
    pwa_short_name: str
    description: str
    pwa_description: str
    logo: str | None
    pwa_icon: str | None
    header_logo: str | None
    favicon: str | None
    new_project_guidelines: str
    member_guidelines: str
    profile_image_guidelines: str
    header_message: str
    footer_message: str
    message_background_color: str
    message_font_color: str
    email_header_and_footer_enabled: bool

class Approval(RecordView):
    user: Any
    approved_at: str

class AuditEvent(RecordView):
    id: int
    author_id: int
    entity_id: int
    entity_type: str
    details: dict[str, Any]
    created_at: str

class Award(RecordView):
    id: int
    name: str
    user: Any
    created_at: str
    updated_at: str
    awardable_id: int
    awardable_type: str
    url: str | None

class Badge(RecordView):
    name: str | None
    link_url: str
    image_url: str
    rendered_link_url: str
    rendered_image_url: str
    id: int
    kind: str

class BatchedMigration(RecordView):
    id: int
    job_class_name: str
    table_name: str
    status: str
    progress: float
    created_at: str
    estimated_time_remaining: str | None

class Board(RecordView):
    id: int
    name: str
    hide_backlog_list: bool
    hide_closed_list: bool
    project: dict[str, Any]
    group: dict[str, Any]
    lists: list[dict[str, Any]]
    milestone: Any
    assignee: Any
    labels: list[dict[str, Any]]
    weight: int | None

class Branch(RecordView):
    name: str
    commit: dict[str, Any]
    merged: bool
    protected: bool
    developers_can_push: bool
    developers_can_merge: bool
    can_push: bool
    default: bool
    web_url: str

class Bridge(RecordView):
    id: int
    status: str
    stage: str
    name: str
    ref: str
    tag: bool
    coverage: float | None
    allow_failure: bool
    created_at: str
    started_at: str | None
    finished_at: str | None
    erased_at: str | None
    duration: float | None
    queued_duration: float | None
    user: Any
    commit: Any
    pipeline: dict[str, Any]
    failure_reason: str | None
    web_url: str
    project: Any
    downstream_pipeline: Any

class BroadcastMessage(RecordView):
    id: int
    message: str
    starts_at: str
    ends_at: str
    color: str | None
    font: str | None
    target_access_levels: list[int]
    target_path: str | None
    broadcast_type: str
    theme: str
    dismissable: bool | None
    active: bool

class Cluster(RecordView):
    id: int
    name: str
    created_at: str
    domain: str | None
    enabled: bool
    managed: bool
    provider_type: str
    platform_type: str
    environment_scope: str
    cluster_type: str
    namespace_per_environment: bool
    user: Any
    platform_kubernetes: dict[str, Any]
    provider_gcp: dict[str, Any]
    management_project: Any

class ClusterAgent(RecordView):
    id: int
    name: str
    config_project: dict[str, Any]
    created_at: str
    created_by_user_id: int | None
    tokens: list[ClusterAgentToken]
    def token(self, name: int | str | None = ..., **fields: Any) -> ClusterAgentToken: ...
    url_configurations: list[AgentUrlConfiguration]
    def url_configuration(self, name: int | str | None = ..., **fields: Any) -> AgentUrlConfiguration: ...

class ClusterAgentToken(RecordView):
    id: int
    name: str
    description: str | None
    agent_id: int
    status: str
    created_at: str
    created_by_user_id: int | None
    last_used_at: str | None

class Commit(RecordView):
    id: str
    short_id: str
    created_at: str
    parent_ids: list[str]
    title: str
    message: str
    author_name: str
    author_email: str
    authored_date: str
    committer_name: str
    committer_email: str
    committed_date: str
    trailers: dict[str, Any]
    extended_trailers: dict[str, Any]
    web_url: str

class CommitStatus(RecordView):
    id: int
    sha: str
    ref: str
    status: str
    name: str
    target_url: str | None
    description: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    allow_failure: bool
    coverage: float | None
    pipeline_id: int
    author: Any

class ContainerProtectionRule(RecordView):
    id: int
    project_id: int
    repository_path_pattern: str
    minimum_access_level_for_push: str | None
    minimum_access_level_for_delete: str | None

class ContainerRepository(RecordView):
    id: int
    name: str
    path: str
    project_id: int
    location: str
    created_at: str
    cleanup_policy_started_at: str | None
    status: str | None
    tags_count: int
    size: int
    delete_api_path: str
    tags: list[dict[str, Any]]

class ContainerTag(RecordView):
    name: str
    path: str
    location: str
    revision: str | None
    short_revision: str | None
    digest: str
    created_at: str | None
    total_size: int

class ContainerTagProtectionRule(RecordView):
    id: int
    project_id: int
    tag_name_pattern: str
    minimum_access_level_for_push: str | None
    minimum_access_level_for_delete: str | None

class CustomAttribute(RecordView):
    key: str
    value: str

class DebianDistribution(RecordView):
    id: int
    codename: str
    suite: str | None
    origin: str | None
    label: str | None
    version: str | None
    description: str | None
    valid_time_duration_seconds: int | None
    components: list[str]
    architectures: list[str]

class DeployKey(RecordView):
    id: int
    title: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    key: str
    fingerprint: str
    fingerprint_sha256: str
    usage_type: str
    projects_with_write_access: list[dict[str, Any]]
    projects_with_readonly_access: list[dict[str, Any]]

class DeployKeyProject(RecordView):
    id: int
    title: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    key: str
    fingerprint: str
    fingerprint_sha256: str
    usage_type: str
    can_push: bool

class DeployToken(RecordView):
    id: int
    name: str
    username: str
    expires_at: str | None
    scopes: list[Literal['read_repository', 'read_registry', 'write_registry', 'read_package_registry', 'write_package_registry', 'read_virtual_registry', 'write_virtual_registry']]
    revoked: bool
    expired: bool

class Deployment(RecordView):
    id: int
    iid: int
    ref: str
    sha: str
    created_at: str
    updated_at: str
    user: Any
    deployable: Any
    status: str
    environment: dict[str, Any]

class Diff(RecordView):
    old_path: str
    new_path: str
    a_mode: str
    b_mode: str
    new_file: bool
    renamed_file: bool
    deleted_file: bool
    collapsed: bool
    too_large: bool
    generated_file: bool | None
    diff: str

class DiffVersion(RecordView):
    id: int
    head_commit_sha: str | None
    base_commit_sha: str | None
    start_commit_sha: str | None
    created_at: str
    merge_request_id: int
    state: str
    real_size: str
    patch_id_sha: str | None

class DraftNote(RecordView):
    id: int
    author_id: int
    merge_request_id: int
    resolve_discussion: bool
    discussion_id: str | None
    note: str
    commit_id: str | None
    line_code: str | None
    position: dict[str, Any]

class Email(RecordView):
    id: int
    email: str
    confirmed_at: str | None

class Environment(RecordView):
    id: int
    name: str
    slug: str
    external_url: str | None
    created_at: str
    updated_at: str
    auto_stop_at: str | None
    cluster_agent: dict[str, Any]
    kubernetes_namespace: str | None
    flux_resource_path: str | None
    description: str | None
    auto_stop_setting: str
    tier: str
    project: dict[str, Any]
    state: str
    deployments: list[Deployment]
    def deployment(self, name: int | str | None = ..., **fields: Any) -> Deployment: ...

class Epic(RecordView):
    id: int
    work_item_id: int
    iid: int
    color: str
    text_color: str
    group_id: int
    parent_id: int | None
    parent_iid: int | None
    imported: bool
    imported_from: str
    title: str
    description: str | None
    confidential: bool
    author: Any
    start_date: str | None
    start_date_is_fixed: bool
    start_date_fixed: str | None
    start_date_from_inherited_source: str | None
    start_date_from_milestones: str | None
    end_date: str | None
    due_date: str | None
    due_date_is_fixed: bool
    due_date_fixed: str | None
    due_date_from_inherited_source: str | None
    due_date_from_milestones: str | None
    state: str
    web_edit_url: str
    web_url: str
    references: dict[str, Any]
    reference: str
    created_at: str
    updated_at: str
    closed_at: str | None
    labels: Any
    upvotes: int
    downvotes: int
    subscribed: bool
    _links: dict[str, Any]
    notes: list[Note]
    def note(self, name: int | str | None = ..., **fields: Any) -> Note: ...
    award_emoji: list[Award]
    issues: list[Issue]
    def issue(self, name: int | str | None = ..., **fields: Any) -> Issue: ...
    epics: list[Epic]
    def epic(self, name: int | str | None = ..., **fields: Any) -> Epic: ...
    related_epics: list[RelatedEpicLink]
    def related_epic(self, name: int | str | None = ..., **fields: Any) -> RelatedEpicLink: ...
    resource_state_events: list[StateEvent]
    def resource_state_event(self, name: int | str | None = ..., **fields: Any) -> StateEvent: ...
    resource_label_events: list[LabelEvent]
    def resource_label_event(self, name: int | str | None = ..., **fields: Any) -> LabelEvent: ...

class EpicBoard(RecordView):
    id: int
    name: str
    hide_backlog_list: bool
    hide_closed_list: bool
    group: dict[str, Any]
    labels: list[dict[str, Any]]
    lists: list[dict[str, Any]]

class ErrorTrackingClientKey(RecordView):
    id: int
    active: bool
    public_key: str
    sentry_dsn: str

class ErrorTrackingSetting(RecordView):
    active: bool
    project_name: str | None
    sentry_external_url: str | None
    api_url: str | None
    integrated: bool

class Event(RecordView):
    id: int
    project_id: int | None
    action_name: str
    target_id: int | None
    target_iid: int | None
    target_type: str | None
    author_id: int
    imported: bool
    imported_from: str
    target_title: str | None
    created_at: str
    note: Any
    wiki_page: Any
    author: dict[str, Any]
    push_data: dict[str, Any]
    author_username: str

class Evidence(RecordView):
    sha: str
    filepath: str
    collected_at: str

class ExternalStatusCheck(RecordView):
    id: int
    name: str
    project_id: int
    external_url: str
    hmac: bool
    protected_branches: list[dict[str, Any]]

class Feature(RecordView):
    name: str
    state: str
    gates: list[dict[str, Any]]
    definition: Any

class FeatureFlag(RecordView):
    name: str
    description: str | None
    active: bool
    version: str
    created_at: str
    updated_at: str
    scopes: list[dict[str, Any]]
    strategies: list[dict[str, Any]]

class FeatureFlagUserList(RecordView):
    id: int
    iid: int
    name: str
    user_xids: str
    project_id: int
    created_at: str
    updated_at: str
    path: str
    edit_path: str

class File(RecordView):
    file_name: str
    file_path: str
    size: int
    encoding: str
    content_sha256: str
    ref: str | None
    blob_id: str
    commit_id: str
    last_commit_id: str
    execute_filemode: bool
    content: str
    text: str

class FreezePeriod(RecordView):
    id: int
    freeze_start: str
    freeze_end: str
    cron_timezone: str
    created_at: str
    updated_at: str

class GpgKey(RecordView):
    id: int
    key: str
    created_at: str

class GroupCluster(RecordView):
    id: int
    name: str
    created_at: str
    domain: str | None
    enabled: bool
    managed: bool
    provider_type: str
    platform_type: str
    environment_scope: str
    cluster_type: str
    namespace_per_environment: bool
    user: Any
    platform_kubernetes: dict[str, Any]
    provider_gcp: dict[str, Any]
    management_project: Any
    group: Any

class GroupHook(RecordView):
    id: int
    url: str
    name: str | None
    description: str | None
    created_at: str
    push_events: bool
    tag_push_events: bool
    merge_requests_events: bool
    repository_update_events: bool
    enable_ssl_verification: bool
    alert_status: str
    disabled_until: str | None
    branch_filter_strategy: str
    custom_webhook_template: str | None
    organization_id: int
    token_present: bool
    signing_token_present: bool
    url_variables: list[Any]
    custom_headers: list[Any]
    group_id: int | None
    issues_events: bool
    confidential_issues_events: bool
    note_events: bool
    confidential_note_events: bool | None
    pipeline_events: bool
    wiki_page_events: bool
    milestone_events: bool
    vulnerability_events: bool
    job_events: bool
    deployment_events: bool
    releases_events: bool
    subgroup_events: bool
    member_events: bool
    project_events: bool
    feature_flag_events: bool
    resource_access_token_events: bool
    emoji_events: bool
    push_events_branch_filter: str | None

class GroupProtectedBranch(RecordView):
    id: int
    name: str
    push_access_levels: list[dict[str, Any]]
    merge_access_levels: list[dict[str, Any]]
    unprotect_access_levels: list[dict[str, Any]]
    allow_force_push: bool
    code_owner_approval_required: bool

class GroupProtectedEnvironment(RecordView):
    name: str
    deploy_access_levels: list[dict[str, Any]]
    required_approval_count: int
    approval_rules: list[dict[str, Any]]

class GroupPushRule(RecordView):
    id: int
    created_at: str
    commit_message_regex: str | None
    commit_message_negative_regex: str | None
    branch_name_regex: str | None
    deny_delete_tag: bool
    member_check: bool
    prevent_secrets: bool
    author_email_regex: str | None
    file_name_regex: str | None
    max_file_size: int
    commit_committer_check: bool | None
    reject_unsigned_commits: bool | None
    commit_committer_name_check: bool
    reject_non_dco_commits: bool | None

class GroupVariable(RecordView):
    variable_type: str
    key: str
    value: str | None
    protected: bool
    masked: bool
    raw: bool
    hidden: bool
    description: str | None
    environment_scope: str

class ImpersonationToken(RecordView):
    id: int
    name: str
    revoked: bool
    created_at: str
    scopes: list[str]
    user_id: int | None
    description: str | None
    last_used_at: str | None
    active: bool
    granular: bool
    expires_at: str | None
    impersonation: bool

class InstanceLicense(RecordView):
    id: int
    plan: str
    created_at: str
    starts_at: str
    expires_at: str | None
    historical_max: int
    maximum_user_count: int
    licensee: Any
    add_ons: Any
    expired: bool
    overage: int
    user_limit: int

class InstanceVariable(RecordView):
    variable_type: str
    key: str
    value: str | None
    protected: bool
    masked: bool
    raw: bool
    description: str | None

class Invitation(RecordView):
    access_level: int
    created_at: str
    expires_at: str | None
    invite_email: str
    invite_token: str
    user_name: str | None
    created_by_name: str | None

class IssueLink(RecordView):
    id: int
    source_issue: dict[str, Any]
    target_issue: dict[str, Any]
    link_type: str

class Iteration(RecordView):
    id: int
    iid: int
    sequence: int | None
    group_id: int
    title: str | None
    description: str | None
    state: int
    created_at: str
    updated_at: str
    start_date: str
    due_date: str
    web_url: str

class IterationEvent(RecordView):
    id: int
    user: Any
    created_at: str
    resource_type: str
    resource_id: int
    resource_work_item_id: int
    iteration: Any
    action: str

class Job(RecordView):
    id: int
    status: str
    stage: str
    name: str
    ref: str
    tag: bool
    coverage: float | None
    allow_failure: bool
    created_at: str
    started_at: str | None
    finished_at: str | None
    erased_at: str | None
    duration: float | None
    queued_duration: float | None
    user: Any
    commit: Any
    pipeline: dict[str, Any]
    failure_reason: str | None
    web_url: str
    project: Any
    artifacts_file: Any | None
    artifacts: list[Any]
    runner: Any
    runner_manager: Any
    artifacts_expire_at: str | None
    archived: bool
    tag_list: list[str]

class Label(RecordView):
    id: int
    name: str
    color: str
    description: str | None
    description_html: str
    text_color: str
    archived: bool
    open_issues_count: int
    closed_issues_count: int
    open_merge_requests_count: int
    subscribed: bool

class LabelEvent(RecordView):
    id: int
    user: Any
    created_at: str
    resource_type: str
    resource_id: int
    resource_work_item_id: int
    label: Any
    action: str

class LdapGroupLink(RecordView):
    cn: str | None
    group_access: int
    provider: str
    filter: str | None
    member_role_id: int | None

class ManagedLicense(RecordView):
    id: int
    name: str
    approval_status: str

class Member(RecordView):
    id: int
    name: str
    username: str
    state: str
    locked: bool
    avatar_url: str | None
    web_url: str
    access_level: int
    created_at: str
    expires_at: str | None
    created_by: Any
    membership_state: str
    email: str
    group_saml_identity: Any
    group_scim_identity: Any
    is_using_seat: bool
    override: bool
    member_role: Any

class MemberRole(RecordView):
    id: int
    name: str
    description: str | None
    base_access_level: int | None
    group_id: int | None
    admin_cicd_variables: bool
    admin_compliance_framework: bool
    admin_group_member: bool
    admin_integrations: bool
    admin_merge_request: bool
    admin_protected_branch: bool
    admin_protected_environments: bool
    admin_push_rules: bool
    admin_runners: bool
    admin_security_attributes: bool
    admin_security_testing: bool
    admin_terraform_state: bool
    admin_vulnerability: bool
    admin_web_hook: bool
    apply_security_scan_profiles: bool
    archive_project: bool
    manage_deploy_tokens: bool
    manage_group_access_tokens: bool
    manage_merge_request_settings: bool
    manage_project_access_tokens: bool
    manage_protected_tags: bool
    manage_security_policy_link: bool
    read_admin_cicd: bool
    read_admin_groups: bool
    read_admin_monitoring: bool
    read_admin_projects: bool
    read_admin_subscription: bool
    read_admin_users: bool
    read_code: bool
    read_compliance_dashboard: bool
    read_crm_contact: bool
    read_dependency: bool
    read_runners: bool
    read_security_attribute: bool
    read_security_scan_profiles: bool
    read_vulnerability: bool
    remove_group: bool
    remove_project: bool

class Membership(RecordView):
    source_id: int
    source_name: str
    source_type: str
    access_level: int

class MergeRequestApprovalRule(RecordView):
    id: int
    name: str
    rule_type: str
    eligible_approvers: list[dict[str, Any]]
    approvals_required: int
    users: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    contains_hidden_groups: bool
    report_type: str | None
    section: str | None
    source_rule: Any
    overridden: bool

class MergeRequestBlock(RecordView):
    id: int
    blocking_merge_request: dict[str, Any]
    blocked_merge_request: dict[str, Any]
    project_id: int

class MergeTrain(RecordView):
    id: int
    merge_request: Any
    user: Any
    pipeline: Any
    created_at: str
    updated_at: str
    target_branch: str
    status: str
    merged_at: str | None
    duration: int | None

class MetricImage(RecordView):
    id: int
    created_at: str
    filename: str
    file_path: str
    url: str | None
    url_text: str | None

class Milestone(RecordView):
    id: int
    iid: int
    project_id: int
    group_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    due_date: str | None
    start_date: str | None
    expired: bool
    web_url: str

class MilestoneEvent(RecordView):
    id: int
    user: Any
    created_at: str
    resource_type: str
    resource_id: int
    resource_work_item_id: int
    milestone: Any
    action: str
    state: str

class Note(RecordView):
    id: int
    type: str | None
    body: str
    attachment: str | None
    author: Any
    created_at: str
    updated_at: str
    system: bool
    noteable_id: int | None
    noteable_type: str
    noteable_work_item_id: int
    commit_id: str | None
    position: Any
    resolvable: bool
    resolved: bool
    resolved_by: Any
    resolved_at: str | None
    suggestions: list[dict[str, Any]]
    project_id: int | None
    imported: bool
    imported_from: str
    confidential: bool
    internal: bool
    noteable_iid: int | None
    commands_changes: dict[str, Any]
    award_emoji: list[Award]

class NotificationSetting(RecordView):
    level: str
    events: dict[str, Any]

class OAuthApplication(RecordView):
    id: int
    application_id: str
    application_name: str
    callback_url: str
    confidential: bool

class Package(RecordView):
    id: int
    name: str
    conan_package_name: str
    version: str | None
    package_type: str
    status: str
    _links: dict[str, Any]
    created_at: str
    last_downloaded_at: str | None
    creator_id: int | None
    tags: list[dict[str, Any]]
    pipeline: dict[str, Any]
    pipelines: list[dict[str, Any]]
    build_info: dict[str, Any]
    versions: list[dict[str, Any]]
    files: list[PackageFile]
    def file(self, name: int | str | None = ..., **fields: Any) -> PackageFile: ...

class PackageFile(RecordView):
    id: int
    package_id: int
    created_at: str
    file_name: str
    size: int
    file_md5: str | None
    file_sha1: str | None
    file_sha256: str | None
    pipelines: list[dict[str, Any]]

class PackageProtectionRule(RecordView):
    id: int
    project_id: int
    package_name_pattern: str
    package_type: str
    minimum_access_level_for_delete: str | None
    minimum_access_level_for_push: str | None

class PackageTag(RecordView):
    id: int
    package_id: int
    name: str
    created_at: str
    updated_at: str

class PagesDeployment(RecordView):
    created_at: str
    url: str
    path_prefix: str | None
    root_directory: str | None

class PagesDomain(RecordView):
    domain: str
    url: str
    verified: bool
    verification_code: str
    enabled_until: str | None
    auto_ssl_enabled: bool
    certificate: Any | None

class Pipeline(RecordView):
    id: int
    iid: int
    project_id: int
    sha: str
    ref: str
    status: str
    source: str
    created_at: str
    updated_at: str
    web_url: str
    before_sha: str
    tag: bool
    yaml_errors: str | None
    user: Any
    started_at: str | None
    finished_at: str | None
    committed_at: str | None
    duration: int | None
    queued_duration: float | None
    coverage: str | None
    detailed_status: dict[str, Any]
    archived: bool
    name: str | None
    jobs: list[Job]
    def job(self, name: int | str | None = ..., **fields: Any) -> Job: ...
    bridges: list[Bridge]
    def bridge(self, name: int | str | None = ..., **fields: Any) -> Bridge: ...
    statuses: list[CommitStatus]
    variables: list[PipelineVariable]
    def variable(self, name: int | str | None = ..., **fields: Any) -> PipelineVariable: ...

class PipelineSchedule(RecordView):
    id: int
    description: str
    ref: str
    cron: str
    cron_timezone: str
    next_run_at: str | None
    active: bool
    created_at: str
    updated_at: str
    owner: Any
    inputs: list[dict[str, Any]]
    last_pipeline: Any
    variables: list[dict[str, Any]]

class PipelineVariable(RecordView):
    variable_type: str
    key: str
    value: str
    raw: bool

class ProjectApprovalRule(RecordView):
    id: int
    name: str
    rule_type: str
    eligible_approvers: list[dict[str, Any]]
    approvals_required: int
    users: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    contains_hidden_groups: bool
    report_type: str | None
    protected_branches: list[dict[str, Any]]
    applies_to_all_protected_branches: bool

class ProjectCluster(RecordView):
    id: int
    name: str
    created_at: str
    domain: str | None
    enabled: bool
    managed: bool
    provider_type: str
    platform_type: str
    environment_scope: str
    cluster_type: str
    namespace_per_environment: bool
    user: Any
    platform_kubernetes: dict[str, Any]
    provider_gcp: dict[str, Any]
    management_project: Any
    project: Any

class ProjectHook(RecordView):
    id: int
    url: str
    name: str | None
    description: str | None
    created_at: str
    push_events: bool
    tag_push_events: bool
    merge_requests_events: bool
    repository_update_events: bool
    enable_ssl_verification: bool
    alert_status: str
    disabled_until: str | None
    branch_filter_strategy: str
    custom_webhook_template: str | None
    organization_id: int
    token_present: bool
    signing_token_present: bool
    url_variables: list[Any]
    custom_headers: list[Any]
    project_id: int | None
    issues_events: bool
    confidential_issues_events: bool
    note_events: bool
    confidential_note_events: bool | None
    pipeline_events: bool
    wiki_page_events: bool
    milestone_events: bool
    vulnerability_events: bool
    deployment_events: bool
    job_events: bool
    releases_events: bool
    feature_flag_events: bool
    resource_access_token_events: bool
    resource_deploy_token_events: bool
    emoji_events: bool
    push_events_branch_filter: str | None

class ProjectPushRule(RecordView):
    id: int
    created_at: str
    commit_message_regex: str | None
    commit_message_negative_regex: str | None
    branch_name_regex: str | None
    deny_delete_tag: bool
    member_check: bool
    prevent_secrets: bool
    author_email_regex: str | None
    file_name_regex: str | None
    max_file_size: int
    commit_committer_check: bool | None
    reject_unsigned_commits: bool | None
    commit_committer_name_check: bool
    reject_non_dco_commits: bool | None
    project_id: int

class ProjectVariable(RecordView):
    variable_type: str
    key: str
    value: str | None
    protected: bool
    masked: bool
    raw: bool
    hidden: bool
    description: str | None
    environment_scope: str

class ProtectedBranch(RecordView):
    id: int
    name: str
    push_access_levels: list[dict[str, Any]]
    merge_access_levels: list[dict[str, Any]]
    unprotect_access_levels: list[dict[str, Any]]
    allow_force_push: bool
    code_owner_approval_required: bool
    inherited: bool

class ProtectedEnvironment(RecordView):
    name: str
    deploy_access_levels: list[dict[str, Any]]
    required_approval_count: int
    approval_rules: list[dict[str, Any]]

class ProtectedTag(RecordView):
    name: str
    create_access_levels: list[dict[str, Any]]

class RelatedEpicLink(RecordView):
    id: int
    source_epic: dict[str, Any]
    target_epic: dict[str, Any]
    link_type: str
    created_at: str
    updated_at: str

class Release(RecordView):
    name: str
    tag_name: str
    description: str | None
    description_html: str
    created_at: str
    released_at: str
    author: Any
    commit: Any
    upcoming_release: bool
    milestones: list[dict[str, Any]]
    commit_path: str
    tag_path: str
    assets: Any
    evidences: list[dict[str, Any]]
    _links: dict[str, Any]
    links: list[ReleaseLink]
    def link(self, name: int | str | None = ..., **fields: Any) -> ReleaseLink: ...

class ReleaseLink(RecordView):
    id: int
    name: str
    url: str
    direct_asset_url: str
    external: bool
    link_type: str

class RemoteMirror(RecordView):
    id: int
    enabled: bool
    url: str
    update_status: str
    last_update_at: str | None
    last_update_started_at: str | None
    last_successful_update_at: str | None
    last_error: str | None
    only_protected_branches: bool
    keep_divergent_refs: bool | None
    auth_method: str
    mirror_branch_regex: str | None
    host_keys: list[dict[str, Any]]

class ResourceAccessToken(RecordView):
    id: int
    name: str
    revoked: bool
    created_at: str
    scopes: list[str]
    user_id: int | None
    description: str | None
    last_used_at: str | None
    active: bool
    granular: bool
    expires_at: str | None
    access_level: int
    resource_type: str
    resource_id: int

class ResourceGroup(RecordView):
    id: int
    key: str
    process_mode: str
    created_at: str
    updated_at: str

class Runner(RecordView):
    id: int
    description: str | None
    ip_address: str | None
    active: bool
    paused: bool
    is_shared: bool
    runner_type: str
    created_at: str
    created_by: Any
    job_execution_status: str
    name: str | None
    online: bool | None
    status: str
    tag_list: list[str]
    run_untagged: bool
    locked: bool
    maximum_timeout: int | None
    access_level: str
    maintenance_note: str | None
    version: str | None
    revision: str | None
    platform: str | None
    architecture: str | None
    contacted_at: str | None
    projects: list[dict[str, Any]]
    groups: list[dict[str, Any]]

class SamlGroupLink(RecordView):
    name: str
    access_level: int
    member_role_id: int | None
    provider: str | None

class SecureFile(RecordView):
    id: int
    name: str
    checksum: str
    checksum_algorithm: str
    created_at: str
    expires_at: str | None
    metadata: Any | None
    file_extension: str | None

class Service(RecordView):
    id: int | None
    title: str
    slug: str
    created_at: str | None
    updated_at: str | None
    active: bool
    commit_events: bool
    push_events: bool
    issues_events: bool
    incident_events: bool
    alert_events: bool
    confidential_issues_events: bool
    merge_requests_events: bool
    tag_push_events: bool
    deployment_events: bool
    note_events: bool
    confidential_note_events: bool
    pipeline_events: bool
    wiki_page_events: bool
    job_events: bool
    comment_on_event_enabled: bool
    vulnerability_events: bool
    inherited: bool
    properties: dict[str, Any]

class Settings(RecordView):
    id: int
    anonymous_searches_allowed: bool
    default_search_scope: str
    elastic_migration_worker_enabled: bool
    elasticsearch_analyzers_kuromoji_enabled: bool
    elasticsearch_analyzers_kuromoji_search: bool
    elasticsearch_analyzers_smartcn_enabled: bool
    elasticsearch_analyzers_smartcn_search: bool
    elasticsearch_aws_role_arn: str | None
    elasticsearch_client_adapter: str
    elasticsearch_code_scope: str
    elasticsearch_indexing_timeout_minutes: int
    elasticsearch_max_code_indexing_concurrency: int
    elasticsearch_password: str | None
    elasticsearch_requeue_workers: bool
    elasticsearch_retry_on_failure: int
    elasticsearch_username: str | None
    elasticsearch_worker_number_of_shards: int
    global_search_block_anonymous_searches_enabled: bool
    global_search_code_enabled: bool
    global_search_commits_enabled: bool
    global_search_epics_enabled: bool
    global_search_issues_enabled: bool
    global_search_limited_indexing_enabled: bool
    global_search_merge_requests_enabled: bool
    global_search_snippet_titles_enabled: bool
    global_search_users_enabled: bool
    global_search_wiki_enabled: bool
    global_search_work_items_enabled: bool
    search_max_docs_denominator: int
    search_max_shard_size_gb: int
    search_min_docs_before_rollover: int
    zoekt_auto_index_root_namespace: bool
    zoekt_cache_response: bool
    zoekt_cpu_to_tasks_ratio: float
    zoekt_default_number_of_replicas: int
    zoekt_indexed_file_size_limit: str
    zoekt_indexing_enabled: bool
    zoekt_indexing_parallelism: int
    zoekt_indexing_paused: bool
    zoekt_indexing_timeout: str
    zoekt_lost_node_threshold: str
    zoekt_maximum_files: int
    zoekt_rollout_batch_size: int
    zoekt_rollout_retry_interval: str
    zoekt_search_enabled: bool
    zoekt_trigram_max: int
    auto_duo_code_review_enabled: bool
    disabled_direct_code_suggestions: bool
    display_gitlab_credits_user_data: bool
    duo_agent_platform_enabled: bool
    duo_availability: str
    duo_chat_expiration_column: str
    duo_chat_expiration_days: int
    duo_features_enabled: bool
    lock_duo_features_enabled: bool
    duo_foundational_flows_availability: bool
    duo_foundational_flows_enabled: bool
    duo_namespace_access_rules: list[Any]
    duo_remote_flows_availability: bool
    duo_remote_flows_enabled: bool
    duo_sast_fp_detection_availability: bool
    duo_sast_fp_detection_enabled: bool
    duo_workflow_oauth_application_id: int | None
    enable_language_server_restrictions: bool
    minimum_language_server_version: str
    foundational_agents_default_enabled: bool
    foundational_agents_statuses: list[Any]
    instance_level_ai_beta_features_enabled: bool
    mcp_server_enabled: bool
    model_prompt_cache_enabled: bool
    lock_model_prompt_cache_enabled: bool
    allow_all_integrations: bool
    allowed_integrations: list[str]
    asciidoc_max_includes: int
    background_operations_max_jobs: int
    cube_api_base_url: str | None
    cube_api_key: str | None
    diagramsnet_enabled: bool
    diagramsnet_url: str | None
    diff_max_commits: int
    diff_max_files: int
    diff_max_lines: int
    diff_max_versions: int
    enabled_expanded_logging: bool
    error_tracking_api_url: str | None
    error_tracking_enabled: bool
    fetch_observability_alerts_from_cloud: bool
    floc_enabled: bool
    gitlab_dedicated_instance: bool
    gitlab_product_usage_data_enabled: bool
    iframe_rendering_allowlist: list[str]
    iframe_rendering_allowlist_raw: str | None
    iframe_rendering_enabled: bool
    jira_connect_additional_audience_url: str | None
    jira_connect_application_key: str | None
    jira_connect_proxy_url: str | None
    jira_connect_public_key_storage_enabled: bool
    jira_forge_app_id: str | None
    kroki_diagram_proxy_enabled: bool
    kroki_formats: Any
    mailgun_events_enabled: bool
    mailgun_signing_key: str | None
    math_rendering_limits_enabled: bool
    namespace_aggregation_schedule_lease_duration_in_seconds: int
    observability_backend_ssl_verification_enabled: bool
    plantuml_diagram_proxy_enabled: bool
    product_analytics_configurator_connection_string: str | None
    product_analytics_data_collector_host: str | None
    product_analytics_enabled: bool
    reindexing_minimum_index_size: int
    reindexing_minimum_relative_bloat_size: float
    resource_usage_limits: Any
    sentry_clientside_dsn: str | None
    sentry_clientside_traces_sample_rate: float
    sentry_dsn: str | None
    sentry_enabled: bool
    sentry_environment: str | None
    sidekiq_job_limiter_compression_threshold_bytes: int
    sidekiq_job_limiter_limit_bytes: int
    sidekiq_job_limiter_mode: str
    sidekiq_timezone_override: str | None
    slack_app_signing_secret: str | None
    snowplow_database_collector_hostname: str | None
    use_clickhouse_for_analytics: bool
    vscode_extension_marketplace: Any
    vscode_extension_marketplace_enabled: bool
    vscode_extension_marketplace_extension_host_domain: str
    wiki_asciidoc_allow_uri_includes: bool
    allow_application_default_credentials_for_offline_transfer: bool
    allow_bypass_placeholder_confirmation: bool
    allow_contribution_mapping_to_admins: bool
    allow_deploy_tokens_and_keys_with_external_authn: bool
    allow_immediate_namespaces_deletion: bool
    allow_possible_spam: bool
    allow_s3_compatible_storage_for_offline_transfer: bool
    bulk_import_concurrent_pipeline_batch_limit: int
    bulk_import_enabled: bool
    bulk_import_max_download_file_size: int
    concurrent_bitbucket_import_jobs_limit: int
    concurrent_bitbucket_server_import_jobs_limit: int
    concurrent_github_import_jobs_limit: int
    concurrent_relation_batch_export_limit: int
    decompress_archive_file_timeout: int
    default_branch_protection_defaults: Any
    delete_inactive_projects: bool
    inactive_projects_delete_after_months: int
    inactive_projects_min_size_mb: int
    inactive_projects_send_warning_email_after_months: int
    deny_all_requests_except_allowed: bool
    dependency_management_settings: Any
    description_and_note_max_size: int
    ecdsa_sk_key_restriction: int
    ed25519_sk_key_restriction: int
    enforce_pipl_compliance: bool
    max_decompressed_archive_size: int
    max_export_size: int
    max_github_response_json_value_count: int
    max_github_response_size_limit: int
    max_http_decompressed_size: int
    max_http_response_csv_structural_chars: int
    max_http_response_json_depth: int
    max_http_response_json_structural_chars: int
    max_http_response_size_limit: int
    max_http_response_xml_structural_chars: int
    max_import_remote_file_size: int
    offline_transfer_exports_enabled: bool
    offline_transfer_imports_enabled: bool
    pipeline_execution_policies_per_configuration_limit: int
    relation_export_batch_size: int
    require_sha_for_merge: bool
    lock_require_sha_for_merge: bool
    scan_execution_policies_action_limit: int
    scan_execution_policies_per_configuration_limit: int
    scan_execution_policies_schedule_limit: int
    secret_detection_revocation_token_types_url: str | None
    secret_detection_service_auth_token: str | None
    secret_detection_service_url: str
    secret_push_protection_available: bool
    pre_receive_secret_detection_enabled: bool
    security_approval_policies_limit: int
    security_policy_global_group_approvers_enabled: bool
    security_txt_content: str | None
    silent_admin_exports_enabled: bool
    silent_mode_enabled: bool
    spam_check_api_key: str | None
    vulnerability_management_policies_per_configuration_limit: int
    allow_runner_registration_token: bool
    ci_cd_catalog_projects_allowlist: list[str]
    ci_cd_catalog_projects_allowlist_raw: str | None
    ci_delete_pipelines_in_seconds_limit_human_readable: str
    ci_job_live_trace_enabled: bool
    ci_max_caches_per_job: int
    ci_max_includes: int
    ci_max_total_yaml_size_bytes: int
    ci_partitions_in_seconds_limit_human_readable: str
    ci_partitions_size_limit: int
    container_registry_cleanup_tags_service_max_list_size: int
    container_registry_expiration_policies_caching: bool
    container_registry_import_created_before: str
    container_registry_import_max_retries: int
    container_registry_import_max_step_duration: int
    container_registry_import_max_tags_count: int
    container_registry_import_start_max_retries: int
    container_registry_import_target_plan: str
    container_registry_import_timeout: int
    container_registry_pre_import_tags_rate: float
    container_registry_pre_import_timeout: int
    enable_artifact_external_redirect_warning_page: bool
    enforce_ci_inbound_job_token_scope_enabled: bool
    external_pipeline_validation_service_timeout: int | None
    external_pipeline_validation_service_token: str | None
    external_pipeline_validation_service_url: str | None
    gitlab_environment_toolkit_instance: bool
    group_runner_token_expiration_interval: int | None
    group_secrets_limit: int
    helm_max_packages_count: int
    maven_package_requests_forwarding: bool
    max_artifacts_content_include_size: int
    max_pages_custom_domains_per_project: int
    max_terraform_state_size_bytes: int
    max_yaml_depth: int
    max_yaml_size_bytes: int
    nuget_skip_metadata_url_validation: bool
    organization_cluster_agent_authorization_enabled: bool
    package_metadata_purl_types: list[int]
    package_registry_allow_anyone_to_pull_option: bool
    package_registry_cleanup_policies_worker_capacity: int
    pages_extra_deployments_default_expiry_seconds: int
    pages_unique_domain_default_enabled: bool
    project_runner_token_expiration_interval: int | None
    project_secrets_limit: int
    pypi_package_requests_forwarding: bool
    receptive_cluster_agents_enabled: bool
    runner_token_expiration_interval: int | None
    show_migrate_from_jenkins_banner: bool
    suggest_pipeline_enabled: bool
    terraform_state_encryption_enabled: bool
    update_runner_versions_enabled: bool
    valid_runner_registrars: list[str]
    ai_action_api_rate_limit: int
    autocomplete_users_limit: int
    autocomplete_users_unauthenticated_limit: int
    ci_lint_limit_per_user: int
    code_suggestions_api_rate_limit: int
    create_organization_api_limit: int
    dependency_scanning_sbom_scan_api_download_limit: int
    dependency_scanning_sbom_scan_api_upload_limit: int
    downstream_pipeline_trigger_limit_per_project_user_sha: int
    git_push_pipeline_limit: int
    gitlab_shell_operation_limit: int
    group_api_limit: int
    group_archive_unarchive_api_limit: int
    group_invited_groups_api_limit: int
    group_projects_api_limit: int
    group_shared_groups_api_limit: int
    groups_api_limit: int
    max_number_of_repository_downloads: int
    max_number_of_repository_downloads_within_time_period: int
    git_rate_limit_users_allowlist: list[str]
    git_rate_limit_users_alertlist: list[int]
    auto_ban_user_on_excessive_projects_download: bool
    members_delete_limit: int
    notes_create_limit_allowlist_raw: str | None
    pipeline_limit_per_project_user_sha: int
    pipeline_limit_per_user: int
    project_api_limit: int
    project_invited_groups_api_limit: int
    project_jobs_api_rate_limit: int
    project_members_api_limit: int
    projects_api_limit: int
    projects_api_rate_limit_unauthenticated: int
    protected_paths_for_get_request_raw: str | None
    raw_blob_request_limit_unauthenticated: int
    runner_jobs_endpoints_api_limit: int
    runner_jobs_patch_trace_api_limit: int
    runner_jobs_request_api_limit: int
    search_rate_limit: int
    search_rate_limit_allowlist_raw: str | None
    search_rate_limit_unauthenticated: int
    throttle_authenticated_deprecated_api_enabled: bool
    throttle_authenticated_deprecated_api_period_in_seconds: int
    throttle_authenticated_deprecated_api_requests_per_period: int
    throttle_authenticated_files_api_enabled: bool
    throttle_authenticated_files_api_period_in_seconds: int
    throttle_authenticated_files_api_requests_per_period: int
    throttle_authenticated_git_http_enabled: bool
    throttle_authenticated_git_http_period_in_seconds: int
    throttle_authenticated_git_http_requests_per_period: int
    throttle_authenticated_git_lfs_enabled: bool
    throttle_authenticated_git_lfs_period_in_seconds: int
    throttle_authenticated_git_lfs_requests_per_period: int
    throttle_authenticated_packages_api_enabled: bool
    throttle_authenticated_packages_api_period_in_seconds: int
    throttle_authenticated_packages_api_requests_per_period: int
    throttle_unauthenticated_api_enabled: bool
    throttle_unauthenticated_api_period_in_seconds: int
    throttle_unauthenticated_api_requests_per_period: int
    throttle_unauthenticated_deprecated_api_enabled: bool
    throttle_unauthenticated_deprecated_api_period_in_seconds: int
    throttle_unauthenticated_deprecated_api_requests_per_period: int
    throttle_unauthenticated_files_api_enabled: bool
    throttle_unauthenticated_files_api_period_in_seconds: int
    throttle_unauthenticated_files_api_requests_per_period: int
    throttle_unauthenticated_git_http_enabled: bool
    throttle_unauthenticated_git_http_period_in_seconds: int
    throttle_unauthenticated_git_http_requests_per_period: int
    throttle_unauthenticated_packages_api_enabled: bool
    throttle_unauthenticated_packages_api_period_in_seconds: int
    throttle_unauthenticated_packages_api_requests_per_period: int
    user_contributed_projects_api_limit: int
    user_projects_api_limit: int
    user_starred_projects_api_limit: int
    users_api_limit_followers: int
    users_api_limit_following: int
    users_api_limit_gpg_key: int
    users_api_limit_gpg_keys: int
    users_api_limit_ssh_key: int
    users_api_limit_ssh_keys: int
    users_api_limit_status: int
    users_get_by_id_limit: int
    users_get_by_id_limit_allowlist_raw: str | None
    virtual_registries_endpoints_api_limit: int
    web_hook_event_resend_limit: int
    web_hook_test_limit: int
    admin_mode: bool
    allow_account_deletion: bool
    allow_project_creation_for_guest_and_below: bool
    allow_top_level_group_owners_to_create_service_accounts: bool
    authn_data_retention_cleanup_enabled: bool
    can_create_group: bool
    can_create_organization: bool
    deactivate_dormant_users: bool
    deactivate_dormant_users_period: int | None
    deactivation_email_additional_text: str | None
    default_preferred_language: str
    default_syntax_highlighting_theme: int
    default_dark_syntax_highlighting_theme: int
    delay_user_account_self_deletion: bool
    delete_unconfirmed_users: bool
    unconfirmed_users_delete_after_days: int
    disable_admin_oauth_scopes: bool
    disable_password_authentication_for_users_with_sso_identities: bool
    disable_personal_access_tokens: bool
    email_confirmation_setting: str
    email_otp_enabled: bool
    enable_member_promotion_management: bool
    enforce_email_subaddress_restrictions: bool
    failed_login_attempts_unlock_period_in_minutes: int | None
    git_two_factor_session_expiry: int
    inactive_resource_access_tokens_delete_after_days: int
    instance_token_prefix: str
    invisible_captcha_enabled: bool
    invitation_flow_enforcement: bool
    lock_memberships_to_saml: bool
    make_profile_private: bool
    max_login_attempts: int | None
    max_ssh_key_lifetime: int | None
    oauth_access_token_expires_in: int | None
    password_lowercase_required: bool
    password_number_required: bool
    password_symbol_required: bool
    password_uppercase_required: bool
    remember_me_enabled: bool
    require_admin_two_factor_authentication: bool
    require_email_verification_on_account_locked: bool
    require_personal_access_token_expiry: bool
    resource_access_token_notify_inherited: bool
    lock_resource_access_token_notify_inherited: bool
    root_moved_permanently_redirection: bool
    ropc_without_client_credentials: bool
    service_access_tokens_expiration_enforced: bool
    session_expire_from_init: bool
    sign_in_restrictions: Any
    top_level_group_creation_enabled: bool
    user_deactivation_emails_enabled: bool
    user_defaults_to_private_profile: bool
    usage_ping_features_enabled: bool
    usage_ping_generation_enabled: bool
    include_optional_metrics_in_service_ping: bool
    whats_new_variant: str
    abuse_notification_email: str | None
    admin_notification_email: str | None
    after_sign_out_path: str | None
    after_sign_up_text: str | None
    antispam_api_key: str | None
    antispam_enabled: bool
    allow_local_requests_from_web_hooks_and_services: bool
    allow_local_requests_from_hooks_and_services: bool
    allow_local_requests_from_system_hooks: bool
    dns_rebinding_protection_enabled: bool
    archive_builds_in_human_readable: str | None
    asset_proxy_enabled: bool
    asset_proxy_url: str | None
    asset_proxy_allowlist: list[str]
    asset_proxy_whitelist: list[str]
    static_objects_external_storage_auth_token: str | None
    static_objects_external_storage_url: str | None
    authorized_keys_enabled: bool
    auto_devops_enabled: bool
    auto_devops_domain: str | None
    container_expiration_policies_enable_historic_entries: bool
    container_registry_token_expire_delay: int
    default_artifacts_expire_in: str
    default_branch_name: str | None
    default_branch_protection: int
    default_ci_config_path: str | None
    default_group_visibility: str
    default_project_creation: int
    default_project_visibility: str
    default_projects_limit: int
    default_snippet_visibility: str
    disabled_oauth_sign_in_sources: list[str]
    domain_denylist: list[str]
    domain_blacklist: list[str]
    domain_denylist_raw: str | None
    domain_blacklist_raw: str | None
    domain_denylist_enabled: bool
    domain_blacklist_enabled: bool
    domain_allowlist: list[str] | None
    domain_whitelist: list[str] | None
    domain_allowlist_raw: str | None
    domain_whitelist_raw: str | None
    outbound_local_requests_whitelist: list[str]
    outbound_local_requests_whitelist_raw: str | None
    outbound_local_requests_allowlist_raw: str | None
    dsa_key_restriction: int
    ecdsa_key_restriction: int
    ed25519_key_restriction: int
    managedk8s_integration_enabled: bool
    managedk8s_account_id: str | None
    managedk8s_access_key_id: str | None
    email_author_in_body: bool
    enabled_git_access_protocol: str | None
    enforce_terms: bool
    first_day_of_week: int
    force_pages_access_control: bool
    gitaly_timeout_default: int
    gitaly_timeout_medium: int
    gitaly_timeout_fast: int
    gitpod_enabled: bool
    gitpod_url: str | None
    grafana_enabled: bool
    grafana_url: str | None
    avatarservice_enabled: bool
    hashed_storage_enabled: bool
    help_page_hide_commercial_content: bool
    help_page_support_url: str | None
    help_page_documentation_base_url: str | None
    help_page_text: str | None
    hide_third_party_offers: bool
    home_page_url: str | None
    housekeeping_bitmaps_enabled: bool
    housekeeping_enabled: bool
    housekeeping_full_repack_period: int
    housekeeping_gc_period: int
    housekeeping_incremental_repack_period: int
    housekeeping_optimize_repository_period: int
    html_emails_enabled: bool
    import_sources: list[Literal['github', 'bitbucket', 'bitbucket_server', 'gitlab', 'google_code', 'fogbugz', 'git', 'gitlab_project', 'gitea', 'manifest', 'phabricator']]
    max_artifacts_size: int
    max_attachment_size: int
    max_import_size: int
    max_pages_size: int
    metrics_method_call_threshold: int
    minimum_password_length: int
    mirror_available: bool
    notify_on_unknown_sign_in: bool
    pages_domain_verification_enabled: bool
    password_authentication_enabled_for_web: bool
    password_authentication_enabled: bool
    signin_enabled: bool
    password_authentication_enabled_for_git: bool
    performance_bar_allowed_group_id: int | None
    diagram_enabled: bool
    diagram_url: str | None
    polling_interval_multiplier: float
    project_export_enabled: bool
    prometheus_metrics_enabled: bool
    recaptcha_enabled: bool
    recaptcha_private_key: str | None
    recaptcha_site_key: str | None
    login_recaptcha_protection_enabled: bool
    receive_max_input_size: int | None
    repository_checks_enabled: bool
    repository_storages: list[str]
    repository_storages_weighted: Any
    require_admin_approval_after_user_signup: bool
    require_two_factor_authentication: bool
    restricted_visibility_levels: list[str]
    rsa_key_restriction: int
    send_user_confirmation_email: bool
    session_expire_delay: int
    shared_runners_enabled: bool
    shared_runners_text: str | None
    sign_in_text: str | None
    signup_enabled: bool
    sourcegraph_enabled: bool
    sourcegraph_url: str | None
    sourcegraph_public_only: bool
    spam_check_endpoint_enabled: bool
    spam_check_endpoint_url: str | None
    terminal_max_session_time: int
    terms: str | None
    throttle_authenticated_api_enabled: bool
    throttle_authenticated_api_period_in_seconds: int
    throttle_authenticated_api_requests_per_period: int
    throttle_authenticated_web_enabled: bool
    throttle_authenticated_web_period_in_seconds: int
    throttle_authenticated_web_requests_per_period: int
    throttle_unauthenticated_enabled: bool
    throttle_unauthenticated_web_enabled: bool
    throttle_unauthenticated_period_in_seconds: int
    throttle_unauthenticated_web_period_in_seconds: int
    throttle_unauthenticated_requests_per_period: int
    throttle_unauthenticated_web_requests_per_period: int
    throttle_protected_paths_enabled: bool
    throttle_protected_paths_period_in_seconds: int
    throttle_protected_paths_requests_per_period: int
    protected_paths_raw: str | None
    time_tracking_limit_to_hours: bool
    two_factor_grace_period: int
    unique_ips_limit_enabled: bool
    unique_ips_limit_per_user: int
    unique_ips_limit_time_window: int
    usage_ping_enabled: bool
    user_default_external: bool
    user_show_add_ssh_key_message: bool
    user_default_internal_regex: str | None
    user_oauth_applications: bool
    version_check_enabled: bool
    web_ide_clientside_preview_enabled: bool
    diff_max_patch_bytes: int
    commit_email_hostname: str | None
    protected_ci_variables: bool
    local_markdown_version: int
    snowplow_collector_hostname: str | None
    snowplow_cookie_domain: str | None
    snowplow_enabled: bool
    snowplow_app_id: str | None
    push_event_hooks_limit: int
    push_event_activities_limit: int
    custom_http_clone_url_root: str | None
    snippet_size_limit: int
    email_restrictions_enabled: bool
    email_restrictions: str | None
    issues_create_limit: int
    raw_blob_request_limit: int
    project_import_limit: int
    project_export_limit: int
    project_download_export_limit: int
    group_import_limit: int
    group_export_limit: int
    group_download_export_limit: int
    wiki_page_max_content_bytes: int
    container_registry_delete_tags_service_timeout: int
    container_registry_expiration_policies_worker_capacity: int
    kroki_enabled: bool
    kroki_url: str | None
    personal_access_token_prefix: str | None
    disable_feed_token: bool
    notes_create_limit: int
    rate_limiting_response_text: str | None
    keep_latest_artifact: bool
    npm_package_requests_forwarding: bool
    automatic_purchased_storage_allocation: bool
    enforce_namespace_storage_limit: bool
    allow_group_owners_to_manage_ldap: bool
    check_namespace_plan: bool
    searchindex_aws_access_key: str | None
    searchindex_aws_region: str | None
    searchindex_aws: bool
    searchindex_indexed_field_length_limit: int
    searchindex_indexed_file_size_limit_kb: int
    searchindex_indexing: bool
    searchindex_limit_indexing: bool
    searchindex_max_bulk_concurrency: int
    searchindex_max_bulk_size_mb: int
    searchindex_namespace_ids: list[int]
    elasticsearch_pause_indexing: bool
    searchindex_project_ids: list[int]
    elasticsearch_replicas: int
    searchindex_search: bool
    elasticsearch_shards: int
    searchindex_url: str | None
    elasticsearch_client_request_timeout: int
    enforce_pat_expiration: bool
    geo_node_allowed_ips: str
    geo_status_timeout: int
    help_text: str | None
    lock_memberships_to_ldap: bool
    max_personal_access_token_lifetime: int | None
    pseudonymizer_enabled: bool
    repository_size_limit: int
    seat_link_enabled: bool
    secret_detection_token_revocation_enabled: bool
    secret_detection_token_revocation_url: str | None
    shared_runners_minutes: int
    slack_app_enabled: bool
    slack_app_id: str | None
    slack_app_secret: str | None
    slack_app_verification_token: str | None
    throttle_incident_management_notification_enabled: bool
    throttle_incident_management_notification_per_period: int
    throttle_incident_management_notification_period_in_seconds: int
    mirror_max_capacity: int
    mirror_max_delay: int
    mirror_capacity_threshold: int
    email_additional_text: str | None
    file_template_project_id: int | None
    custom_project_templates_group_id: int | None
    group_owners_can_manage_default_branch_protection: bool
    default_project_deletion_protection: bool
    deletion_adjourned_period: int
    updating_name_disabled_for_users: bool
    disable_overriding_approvers_per_merge_request: bool
    prevent_merge_requests_author_approval: bool
    prevent_merge_requests_committers_approval: bool
    maintenance_mode: bool
    maintenance_mode_message: str | None
    external_auth_client_cert: str | None
    external_auth_client_key: str | None
    external_auth_client_key_pass: str | None
    external_authorization_service_default_label: str | None
    external_authorization_service_enabled: bool
    external_authorization_service_timeout: float
    external_authorization_service_url: str | None

class Share(RecordView):
    group_id: int
    group_name: str
    group_full_path: str
    group_access_level: int
    expires_at: str | None
    member_role_id: int | None

class Snippet(RecordView):
    id: int
    title: str
    description: str | None
    visibility: str
    author: dict[str, Any]
    expires_at: str | None
    updated_at: str
    created_at: str
    project_id: int | None
    web_url: str
    raw_url: str
    ssh_url_to_repo: str
    http_url_to_repo: str
    file_name: str
    files: list[dict[str, Any]]
    imported: bool
    imported_from: str
    repository_storage: str
    notes: list[Note]
    def note(self, name: int | str | None = ..., **fields: Any) -> Note: ...
    award_emoji: list[Award]

class SshCertificate(RecordView):
    id: int
    title: str
    key: str
    created_at: str

class SshKey(RecordView):
    id: int
    title: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    usage_type: str
    key: str

class Star(RecordView):
    starred_since: str
    user: dict[str, Any]

class StateEvent(RecordView):
    id: int
    user: Any
    created_at: str
    resource_type: str
    resource_id: int
    resource_work_item_id: int
    source_commit: str | None
    source_merge_request_id: int | None
    state: str

class StorageMove(RecordView):
    id: int
    created_at: str
    state: str
    source_storage_name: str
    destination_storage_name: str
    error_message: str | None

class Suggestion(RecordView):
    id: int
    from_line: int
    to_line: int
    appliable: bool
    applied: bool
    from_content: str
    to_content: str

class SystemHook(RecordView):
    id: int
    url: str
    name: str | None
    description: str | None
    created_at: str
    push_events: bool
    tag_push_events: bool
    merge_requests_events: bool
    repository_update_events: bool
    enable_ssl_verification: bool
    alert_status: str
    disabled_until: str | None
    branch_filter_strategy: str
    custom_webhook_template: str | None
    organization_id: int
    token_present: bool
    signing_token_present: bool
    url_variables: list[Any]
    custom_headers: list[Any]
    push_events_branch_filter: str | None

class SystemNote(RecordView):
    id: int
    body: str
    system: bool
    created_at: str
    updated_at: str
    author: Any
    award_emoji: list[Award]
    suggestions: list[Suggestion]
    def suggestion(self, name: int | str | None = ..., **fields: Any) -> Suggestion: ...

class Tag(RecordView):
    name: str
    message: str | None
    target: str
    commit: Any
    release: Any
    protected: bool
    created_at: str | None

class TerraformStateProtectionRule(RecordView):
    id: int
    project_id: int
    state_name: str
    minimum_access_level_for_write: str
    allowed_from: str

class Todo(RecordView):
    id: int
    project: Any
    group: dict[str, Any]
    author: Any
    action_name: str
    target_type: str
    target: Any
    target_url: str
    body: str
    state: str
    created_at: str
    updated_at: str

class Topic(RecordView):
    id: int
    name: str
    title: str
    description: str | None
    organization_id: int
    total_projects_count: int
    avatar_url: str | None

class Trigger(RecordView):
    id: int
    token: str
    description: str | None
    created_at: str
    updated_at: str
    last_used: str | None
    expires_at: str | None
    owner: dict[str, Any]

class UserBasic(RecordView):
    id: int
    name: str
    username: str
    public_email: str
    custom_attributes: list[dict[str, Any]]
    state: str
    locked: bool
    avatar_url: str | None
    web_url: str
    projects: list[Project]
    def project(self, name: int | str | None = ..., **fields: Any) -> Project: ...
    memberships: list[Membership]
    def membership(self, name: int | str | None = ..., **fields: Any) -> Membership: ...
    snippets: list[Snippet]
    def snippet(self, name: int | str | None = ..., **fields: Any) -> Snippet: ...
    todos: list[Todo]
    def todo(self, name: int | str | None = ..., **fields: Any) -> Todo: ...
    events: list[Event]
    def event(self, name: int | str | None = ..., **fields: Any) -> Event: ...
    followers: list[UserBasic]
    def follower(self, name: int | str | None = ..., **fields: Any) -> UserBasic: ...
    emails: list[Email]
    def email(self, name: int | str | None = ..., **fields: Any) -> Email: ...
    ssh_keys: list[SshKey]
    def ssh_key(self, name: int | str | None = ..., **fields: Any) -> SshKey: ...
    gpg_keys: list[GpgKey]
    def gpg_key(self, name: int | str | None = ..., **fields: Any) -> GpgKey: ...
    personal_access_tokens: list[AccessToken]
    def personal_access_token(self, name: int | str | None = ..., **fields: Any) -> AccessToken: ...
    impersonation_tokens: list[ImpersonationToken]
    def impersonation_token(self, name: int | str | None = ..., **fields: Any) -> ImpersonationToken: ...
    notification_settings: list[NotificationSetting]
    def notification_setting(self, name: int | str | None = ..., **fields: Any) -> NotificationSetting: ...

class WeightEvent(RecordView):
    id: int
    user: Any
    created_at: str
    issue_id: int
    weight: int | None

class WikiPage(RecordView):
    format: str
    slug: str
    title: str
    wiki_page_meta_id: int | None
    content: str
    encoding: str
    front_matter: dict[str, Any]

