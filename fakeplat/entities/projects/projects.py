"""Projects, their topics and error tracking settings.

Source: docs/platform/projects.md, docs/platform/error-tracking.md.
"""

from typing import Any, ClassVar

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.core.timestamps import to_iso
from fakeplat.domain import statistics
from fakeplat.domain.issues import issues
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import error_tracking, shares, topics
from fakeplat.domain.registry import cleanup_policies
from fakeplat.domain.repository import repositories
from fakeplat.domain.uploads import is_image
from fakeplat.entities import urls
from fakeplat.entities.people.namespaces import STATISTICS, NamespaceBasic, SharedWith
from fakeplat.entities.people.users import UserBasic, UserSafe
from fakeplat.entities.projects.custom_attributes import WithCustomAttributes
from fakeplat.model.people import Group, UserNamespace
from fakeplat.model.projects import (
    ErrorTrackingClientKey,
    ErrorTrackingSetting,
    ManagedLicense,
    Project,
    ProjectAlias,
    Share,
    Star,
    StoredFile,
    Topic,
)
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, is_feature_open
from fakeplat.policy.behaviours import (
    CI_SETTINGS_NEED_MAINTAINER,
    DELETION_IS_DELAYED_FOR_ALL,
    EMAILS_ARE_ENABLED,
    PROJECTS_LINK_AGENTS,
    UPLOADS_HAVE_PATHS_BY_ID,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

ADMINISTERED = "administered"
LICENSE = "license"


def _paid(view: Entity[Project]) -> bool:
    return has_feature(view.ctx.world, "premium", view.record)


# Ruling 32 decides about fields where the specification and the platform differ.
def _as_specified(view: Entity[Project]) -> bool:
    return Ruling.FIELDS_ARE_AS_SPECIFIED.holds(view.ctx.world)


def _as_specified_or_paid(view: Entity[Project]) -> bool:
    return _as_specified(view) or _paid(view) or view.ctx.profile.has(DELETION_IS_DELAYED_FOR_ALL)


def _paid_or_as_implemented(view: Entity[Project]) -> bool:
    return _paid(view) or not _as_specified(view)


def _can(view: Entity[Project], ability: Ability) -> bool:
    return can(view.ctx, ability, view.record)


def _can_read_code(view: Entity[Project]) -> bool:
    return can(view.ctx, Ability.DOWNLOAD_CODE, view.record)


def _with_license(view: Entity[Project]) -> bool:
    return LICENSE in view.options


def _ultimate(view: Entity[Project]) -> bool:
    return has_feature(view.ctx.world, "ultimate", view.record)


def _administered(view: Entity[Project]) -> bool:
    return ADMINISTERED in view.options


def _may_administer(view: Entity[Project]) -> bool:
    return can(view.ctx, Ability.ADMIN_PROJECT, view.record)


def _shows_ci_settings(view: "ProjectView") -> bool:
    return not view.ctx.profile.has(CI_SETTINGS_NEED_MAINTAINER) or view.is_administered


def _shows_auto_devops(view: "ProjectView") -> bool:
    return _paid_or_as_implemented(view) and _shows_ci_settings(view)


def _shows_runners_token(view: "ProjectView") -> bool:
    return view.is_administered if view.ctx.profile.has(CI_SETTINGS_NEED_MAINTAINER) else _administered(view)


def _find_license_url(view: Entity[Project]) -> str | None:
    path = repositories.license_path(view.ctx.world, view.record)
    return None if path is None else urls.blob_url(view.ctx, view.record, view.record.default_branch or "", path)


def _find_license(view: Entity[Project]) -> dict[str, str | None] | None:
    license_ = repositories.license_of(view.ctx.world, view.record)
    if license_ is None:
        return None
    # The platform links the site by http.
    page = f"http://choosealicense.com/licenses/{license_.key}/"
    return {
        "key": license_.key,
        "name": license_.name,
        "nickname": license_.nickname,
        "html_url": page,
        "source_url": license_.source_url,
    }


class ProjectIdentity(Entity[Project]):
    """A project as part of other records."""

    ctx: ReadContext

    id = attr()
    description = attr()
    name = attr()

    @computed
    def name_with_namespace(self) -> str:
        namespace = self.ctx.world.namespaces[self.record.namespace_id]
        return f"{namespaces.full_name(self.ctx.world, namespace)} / {self.record.name}"

    path = attr()

    @computed
    def path_with_namespace(self) -> str:
        return urls.project_path(self.ctx, self.record)

    created_at = attr()


class ProjectSimple(WithCustomAttributes[Project], ProjectIdentity):
    """A project for anonymous callers, and for requests with ``simple``."""

    subject_kind: ClassVar[str] = "project"

    default_branch = attr(when=_can_read_code)
    tag_list = attr()
    topics = attr("tag_list", since="14.0")

    @computed
    def ssh_url_to_repo(self) -> str:
        return urls.ssh_url(self.ctx, self.record)

    @computed
    def http_url_to_repo(self) -> str:
        return urls.http_url(self.ctx, self.record)

    @computed
    def web_url(self) -> str:
        return urls.project_url(self.ctx, self.record)

    @computed
    def readme_url(self) -> str | None:
        path = repositories.find_readme_path(self.ctx.world, self.record)
        return None if path is None else urls.blob_url(self.ctx, self.record, self.record.default_branch or "", path)

    license_url = computed_if(since="<=13.11", when=_with_license)(_find_license_url)
    license = computed_if(since="<=13.11", when=_with_license)(_find_license)

    @computed
    def avatar_url(self) -> str | None:
        return urls.avatar_url(self.ctx, "project", self.record.id, self.record.avatar)

    @computed
    def forks_count(self) -> int:
        return len(self.ctx.world.projects.ids("forked_from", self.record.id))

    @computed
    def star_count(self) -> int:
        return len(self.ctx.world.stars.ids("project", self.record.id))

    last_activity_at = attr()

    @computed
    def namespace(self) -> NamespaceBasic:
        namespace: NamespaceBasic = self.ctx.render(NamespaceBasic, self.ctx.world.namespaces[self.record.namespace_id])
        return namespace


class ProjectShareView(Entity[Share]):
    """A share of a project with a group."""

    id = attr()

    @computed
    def project_id(self) -> int:
        return self.record.source[1]

    group_id = attr()
    group_access = attr()
    expires_at = attr()
    member_role_id = attr(since="<=18.9", when=lambda view: view.record.member_role_id is not None)


class ProjectOwner(UserBasic):
    """The owner of a user's project."""

    created_at = attr(when=_as_specified)


# The older ``…_enabled`` fields derive from the access levels and therefore depend on the viewer.
def _enabled(name: str) -> Any:
    @computed
    def is_enabled(self: Entity[Project]) -> bool:
        return is_feature_open(self.ctx, self.record, name)

    return is_enabled


class ProjectView(ProjectSimple):
    """A project for signed-in callers."""

    @computed
    def _links(self) -> dict[str, str]:
        base = urls.api_url(self.ctx, f"projects/{self.record.id}")
        parts = {"issues": "issues", "merge_requests": "merge_requests"}
        open_parts = [part for part in parts if is_feature_open(self.ctx, self.record, part)]
        always = {"repo_branches": "repository/branches", "labels": "labels", "events": "events", "members": "members"}
        if self.ctx.profile.has(PROJECTS_LINK_AGENTS):
            always["cluster_agents"] = "cluster_agents"
        links = {"self": base} | {part: f"{base}/{part}" for part in open_parts}
        return links | {name: f"{base}/{path}" for name, path in always.items()}

    @computed_if(since="<=13.12")
    def container_registry_image_prefix(self) -> str:
        return urls.image_location(self.ctx, namespaces.project_path(self.ctx.world, self.record).lower())

    packages_enabled = attr(when=_paid_or_as_implemented)
    repository_object_format = constant("sha1", str, since="16.9")

    @computed
    def empty_repo(self) -> bool:
        return repositories.is_empty(self.ctx.world, self.record)

    archived = attr()
    visibility = attr()

    @computed_if(when=lambda view: isinstance(view.ctx.world.namespaces[view.record.namespace_id], UserNamespace))
    def owner(self) -> ProjectOwner | None:
        namespace = self.ctx.world.namespaces[self.record.namespace_id]
        owner: ProjectOwner | None = self.ctx.render(ProjectOwner, namespaces.owner_of(self.ctx.world, namespace))
        return owner

    resolve_outdated_diff_discussions = attr()
    container_registry_enabled = _enabled("container_registry")

    @computed
    def container_expiration_policy(self) -> dict[str, Any]:
        next_run = cleanup_policies.get_next_run(self.ctx, self.record)
        return {**cleanup_policies.policy_of(self.record), "next_run_at": to_iso(next_run)}

    issues_enabled = _enabled("issues")
    merge_requests_enabled = _enabled("merge_requests")
    wiki_enabled = _enabled("wiki")
    jobs_enabled = _enabled("builds")
    snippets_enabled = _enabled("snippets")
    service_desk_enabled = attr(when=_paid_or_as_implemented)
    service_desk_address = constant(None, str | None, when=_paid_or_as_implemented)

    @computed
    def can_create_merge_request_in(self) -> bool:
        return can(self.ctx, Ability.CREATE_MERGE_REQUEST_IN, self.record)

    issues_access_level = attr()
    repository_access_level = attr()
    merge_requests_access_level = attr()
    forking_access_level = attr()
    wiki_access_level = attr()
    builds_access_level = attr()
    snippets_access_level = attr()
    pages_access_level = attr()
    operations_access_level = attr(until="16.0")
    analytics_access_level = attr()
    container_registry_access_level = attr(since="<=14.3")
    requirements_access_level = attr(since="<=14.0", when=_paid)
    security_and_compliance_access_level = attr(since="<=14.9")
    releases_access_level = attr(since="<=15.8")
    environments_access_level = attr(since="<=15.8")
    feature_flags_access_level = attr(since="<=15.8")
    infrastructure_access_level = attr(since="<=15.8")
    monitor_access_level = attr(since="<=15.8")
    model_experiments_access_level = attr(since="<=16.7")
    model_registry_access_level = attr(since="16.7")
    package_registry_access_level = attr(since="18.5")

    @computed
    def emails_disabled(self) -> bool | None:
        is_boolean = self.ctx.profile.has(EMAILS_ARE_ENABLED)
        return bool(self.record.emails_disabled) if is_boolean else self.record.emails_disabled

    @computed_if(since="<=16.3")
    def emails_enabled(self) -> bool:
        return not self.record.emails_disabled

    show_diff_preview_in_email = attr(since="<=18.9")
    shared_runners_enabled = attr()
    lfs_enabled = attr()
    creator_id = attr()
    mr_default_target_self = attr(since="<=15.6", when=lambda view: view.record.forked_from_id is not None)
    import_url = attr(since="<=15.9", when=_may_administer)
    import_type = constant(None, str | None, since="<=15.9", when=_may_administer)

    @computed_if(when=lambda view: view.parent is not None)
    def forked_from_project(self) -> ProjectSimple:
        parent: ProjectSimple = self.ctx.render(ProjectSimple, self.parent)
        return parent

    import_status = attr()
    import_error = attr(when=_administered)

    @computed_if(when=lambda view: is_feature_open(view.ctx, view.record, "issues"))
    def open_issues_count(self) -> int:
        return issues.open_count(self.ctx.world, self.record)

    @computed_if(since="<=17.11")
    def description_html(self) -> str:
        return markup.render_html(self.ctx, self.record.description, self.record)

    updated_at = attr(since="<=17.5")
    runners_token = attr(when=_shows_runners_token)
    ci_default_git_depth = attr(when=_shows_ci_settings)
    ci_delete_pipelines_in_seconds = attr(since="<=17.11", when=_shows_ci_settings)
    ci_forward_deployment_enabled = attr(when=_shows_ci_settings)
    ci_forward_deployment_rollback_allowed = attr(since="<=16.9", when=_shows_ci_settings)
    ci_job_token_scope_enabled = attr("job_token_scope_enabled", since="<=14.4", when=_shows_ci_settings)
    ci_separated_caches = attr(since="<=15.4", when=_shows_ci_settings)
    ci_allow_fork_pipelines_to_run_in_parent_project = attr(since="15.3", when=_shows_ci_settings)
    ci_id_token_sub_claim_components = attr(since="17.10", when=_shows_ci_settings)
    ci_pipeline_variables_minimum_override_role = attr(since="17.1", when=_shows_ci_settings)
    ci_push_repository_for_job_token_allowed = attr(since="17.2", when=_shows_ci_settings)
    ci_display_pipeline_variables = attr(since="18.10", when=_shows_ci_settings)
    protect_merge_request_pipelines = attr(since="18.10", when=_shows_ci_settings)
    ci_restrict_pipeline_cancellation_role = attr(since="16.8", when=_paid)
    keep_latest_artifact = attr(since="<=14.4", when=_shows_ci_settings)

    @computed_if(since="<=13.12", when=_shows_ci_settings)
    def restrict_user_defined_variables(self) -> bool:
        return self.record.ci_pipeline_variables_minimum_override_role != "developer"

    runner_token_expiration_interval = constant(None, int | None, since="<=15.4", when=_shows_ci_settings)
    group_runners_enabled = attr(since="<=15.10", when=_shows_ci_settings)
    resource_group_default_process_mode = attr(since="<=18.5")
    public_jobs = attr("public_builds")
    build_git_strategy = attr(when=_shows_runners_token)
    build_timeout = attr(when=_shows_ci_settings)
    auto_cancel_pending_pipelines = attr(when=_shows_ci_settings)
    build_coverage_regex = attr(until="15.0")
    ci_config_path = attr(when=_can_read_code)

    @computed
    def shared_with_groups(self) -> list[SharedWith]:
        return [self.ctx.render(SharedWith, share) for share in shares.list_visible_shares(self.ctx, self.record)]

    only_allow_merge_if_pipeline_succeeds = attr()
    allow_merge_on_skipped_pipeline = attr()
    request_access_enabled = attr()
    only_allow_merge_if_all_discussions_are_resolved = attr()
    remove_source_branch_after_merge = attr()
    printing_merge_request_link_enabled = attr()
    merge_method = attr()
    squash_option = attr(since="<=14.3")
    enforce_auth_checks_on_uploads = attr(since="<=15.4")
    suggestion_commit_message = attr()
    merge_commit_template = attr(since="14.5")
    squash_commit_template = attr(since="14.6")
    issue_branch_template = attr(since="15.6")
    merge_request_title_regex = attr(since="<=18.9")
    merge_request_title_regex_description = attr(since="<=18.9")
    warn_about_potentially_unwanted_characters = attr(since="<=17.3")
    max_artifacts_size = attr(since="<=17.11")

    @computed_if(when=lambda view: STATISTICS in view.options and can(view.ctx, Ability.READ_STATISTICS, view.record))
    def statistics(self) -> dict[str, int]:
        sizes = statistics.project_statistics(self.ctx, self.record)
        return statistics.with_later_parts(self.ctx, sizes, "uploads_size", "container_registry_size")

    license_url = computed_if(when=_with_license)(_find_license_url)
    license = computed_if(when=_with_license)(_find_license)

    auto_devops_enabled = attr(when=_shows_auto_devops)
    auto_devops_deploy_strategy = attr(when=_shows_auto_devops)
    autoclose_referenced_issues = attr()
    approvals_before_merge = attr(when=_paid)
    mirror = attr(when=_paid)
    # The details of a mirror are shown only while mirroring is on.
    mirror_user_id = attr(when=lambda view: _paid(view) and view.record.mirror)
    mirror_trigger_builds = attr(when=lambda view: _paid(view) and view.record.mirror)
    only_mirror_protected_branches = attr(when=lambda view: _paid(view) and view.record.mirror)
    mirror_overwrites_diverged_branches = attr(when=lambda view: _paid(view) and view.record.mirror)
    external_authorization_classification_label = attr(when=_paid)
    repository_storage = attr(when=lambda view: _paid_or_as_implemented(view) and view.ctx.admin)
    # The older name of the same date; the platform shows both.
    marked_for_deletion_at = attr("marked_for_deletion_on", when=_as_specified_or_paid)
    marked_for_deletion_on = attr(when=_as_specified_or_paid)
    compliance_frameworks = constant([], list[str], when=_paid)
    issues_template = attr(when=lambda view: _paid(view) and _can(view, Ability.READ_ISSUES))
    merge_requests_template = attr(when=lambda view: _paid(view) and _can(view, Ability.READ_MERGE_REQUESTS))

    @computed_if(since="<=15.4", when=_paid)
    def requirements_enabled(self) -> bool:
        return is_feature_open(self.ctx, self.record, "requirements")

    @computed_if(since="<=15.4", when=_paid)
    def security_and_compliance_enabled(self) -> bool:
        return is_feature_open(self.ctx, self.record, "security_and_compliance")

    merge_pipelines_enabled = attr(since="<=14.8", when=_paid)
    merge_trains_enabled = attr(since="<=14.8", when=_paid)
    merge_trains_skip_train_allowed = attr(since="<=18.1", when=_paid)
    only_allow_merge_if_all_status_checks_passed = attr(since="15.9", when=_ultimate)
    allow_pipeline_trigger_approve_deployment = attr(since="<=17.0", when=_paid)
    prevent_merge_without_jira_issue = attr(since="<=17.3", when=_ultimate)
    pre_receive_secret_detection_enabled = attr("secret_push_protection_enabled", since="<=17.3", when=_ultimate)
    secret_push_protection_enabled = attr(since="<=18.0", when=_ultimate)
    web_based_commit_signing_enabled = attr(since="18.2", when=_paid)
    spp_repository_pipeline_access = attr(since="<=18.9", when=_paid)
    auto_duo_code_review_enabled = attr(since="<=18.1", when=_paid)
    duo_remote_flows_enabled = attr(since="<=18.9", when=_paid)
    duo_foundational_flows_enabled = attr(since="<=18.9", when=_paid)
    duo_sast_fp_detection_enabled = attr(since="<=18.9", when=_paid)
    duo_sast_vr_workflow_enabled = attr(since="<=18.9", when=_paid)

    @cached_property
    def is_administered(self) -> bool:
        """Whether the viewer administers the project."""
        return can(self.ctx, Ability.ADMIN_PROJECT, self.record)

    @property
    def parent(self) -> Project | None:
        """The project that this one was forked from, if the viewer can see it."""
        parent_id = self.record.forked_from_id
        parent = self.ctx.world.projects.get(parent_id) if parent_id is not None else None
        return parent if parent is not None and can_see(self.ctx, parent) else None


class ProjectWithAccess(ProjectView):
    """A project with the viewer's access levels."""

    @computed
    def permissions(self) -> dict[str, Any]:
        return {"project_access": self._access(("project", self.record.id)), "group_access": self._highest()}

    def _access(self, source: tuple[str, int]) -> dict[str, int] | None:
        user = self.ctx.viewer
        member = self.ctx.world.members.find("pair", (source, user.id)) if user else None
        if member is None:
            return None
        return {"access_level": member.access_level, "notification_level": member.notification_level}

    def _highest(self) -> dict[str, int] | None:
        # Memberships of all ancestor groups apply; the highest level counts.
        namespaces_above = ancestors(self.ctx.world, self.record.namespace_id)
        levels = [
            self._access(("group", container.id)) for container in namespaces_above if isinstance(container, Group)
        ]
        return max((access for access in levels if access), key=lambda access: access["access_level"], default=None)


class StarrerView(Entity[Star]):
    """A user who starred a project."""

    ctx: ReadContext

    starred_since = attr("created_at")

    @computed
    def user(self) -> UserBasic:
        user: UserBasic = self.ctx.render(UserBasic, self.ctx.world.users[self.record.user_id])
        return user


class UploadView(Entity[StoredFile]):
    """The URL of an uploaded file, and the Markdown to embed it."""

    ctx: ReadContext

    id = attr(since="17.3")

    @computed
    def alt(self) -> str:
        name = self.record.filename
        # Images are described by their name without its ending; a name like ``.png`` is kept whole.
        return name.rpartition(".")[0] or name if self._image else name

    @computed
    def url(self) -> str:
        return f"/uploads/{self.record.secret}/{self.record.filename}"

    @computed
    def full_path(self) -> str:
        if self.ctx.profile.has(UPLOADS_HAVE_PATHS_BY_ID):
            return f"/-/project/{self.record.owner[1]}{self.url()}"
        project = self.ctx.world.projects[self.record.owner[1]]
        return f"/{urls.project_path(self.ctx, project)}{self.url()}"

    @computed
    def markdown(self) -> str:
        return f"{'!' if self._image else ''}[{self.alt()}]({self.url()})"

    @property
    def _image(self) -> bool:
        return is_image(self.record.filename)


class StoredUploadView(Entity[StoredFile]):
    """An uploaded file in lists."""

    ctx: ReadContext

    id = attr()

    @computed
    def size(self) -> int:
        return len(self.record.data)

    filename = attr()
    created_at = attr()

    @computed
    def uploaded_by(self) -> UserSafe | None:
        user = self.ctx.world.users.get(self.record.uploaded_by) if self.record.uploaded_by is not None else None
        name: UserSafe | None = self.ctx.render(UserSafe, user) if user is not None else None
        return name


class InspectedProject(ProjectWithAccess):
    """A project with what tests need and no operation shows."""

    unleash_instance_id = attr()


class TopicView(Entity[Topic]):
    """A topic, with the number of its projects."""

    ctx: ReadContext

    id = attr()
    name = attr()
    title = attr(since="15.0")
    description = attr()
    organization_id = constant(1, int, since="<=18.9")

    @computed
    def total_projects_count(self) -> int:
        return topics.count_projects(self.ctx.world, self.record)

    @computed
    def avatar_url(self) -> str | None:
        return urls.avatar_url(self.ctx, "projects/topic", self.record.id, self.record.avatar)


class ErrorTrackingView(Entity[ErrorTrackingSetting]):
    """The error tracking settings of a project."""

    active = attr()
    project_name = attr()

    @computed
    def sentry_external_url(self) -> str | None:
        return error_tracking.external_url(self.record)

    api_url = attr()
    integrated = attr(since="14.2")


class ProjectAliasView(Entity[ProjectAlias]):
    """A name without a namespace, by which git finds a project."""

    id = attr()
    project_id = attr()
    name = attr()


class ErrorTrackingClientKeyView(Entity[ErrorTrackingClientKey]):
    """A key with which clients send errors, and the address that they need."""

    ctx: ReadContext

    id = attr()
    active = attr()
    public_key = attr()

    @computed
    def sentry_dsn(self) -> str:
        scheme, _, host = self.ctx.origin.partition("://")
        path = f"api/v4/error_tracking/collector/{self.record.project_id}"
        return f"{scheme}://{self.record.public_key}@{host}/{path}"


class ManagedLicenseView(Entity[ManagedLicense]):
    """A software license that a project allows or denies."""

    id = attr()
    name = attr()
    approval_status = attr()
