"""Projects. Source: docs/platform/projects.md."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from attrs import evolve

from fakeplat.api import missing
from fakeplat.api.access_levels import OWNER_SINCE, PLANNER_SINCE, AccessLevel
from fakeplat.api.people.namespaces import require_readable
from fakeplat.api.projects.project_lists import (
    ListProjects,
    ProjectOrder,
    build_list_options,
    check_order_of_updated,
    list_matching_projects,
    select_list_view,
)
from fakeplat.api.scopes import PROJECT, USER_BY_ID_OR_USERNAME
from fakeplat.core.operations.errors import Forbidden, InvalidRecord, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BY_OFFSET_OR_KEYSET, Paged
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import CommaList, Day, Params, at_least_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain import settings
from fakeplat.domain.people import member_roles, members, namespaces
from fakeplat.domain.projects import builtin_templates, contributions, project_templates, projects, shares, transfers
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import repositories
from fakeplat.entities.people.namespaces import STATISTICS, GroupPublic
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.custom_attributes import CUSTOM_ATTRIBUTES
from fakeplat.entities.projects.projects import (
    ADMINISTERED,
    LICENSE,
    ProjectShareView,
    ProjectSimple,
    ProjectView,
    ProjectWithAccess,
    StarrerView,
    UploadView,
)
from fakeplat.model.people import Group, Namespace, OverrideRole, User, Visibility
from fakeplat.model.projects import ProcessMode, Project, Share, SquashOption, Star, StoredFile
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, can_see_profile, decide, explain_hidden
from fakeplat.policy.behaviours import CUSTOM_TEMPLATES_ARE_NAMED, IMPORTS_BY_URL_ARE_A_SOURCE, PROJECTS_BY_STARS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

MIRRORS_BY_PATTERN: Final = Lifetime(since="<=16.6")
area: Final = Area("Projects", login=Login.WRITES)

Access = Literal["disabled", "private", "enabled"]


def build_admin_options(ctx: ReadContext, _p: Params, project: Project) -> tuple[str, ...]:
    """Return the view options for callers who administer the project."""
    return (ADMINISTERED,) if can(ctx, Ability.ADMIN_PROJECT, project) else ()


@area.operation(
    "GET",
    "projects",
    params=ListProjects,
    view=select_list_view,
    many=True,
    paging=BY_OFFSET_OR_KEYSET,
    options=build_list_options,
)
def list_projects(ctx: ReadContext, p: ListProjects) -> Sequence[Project]:
    """List visible projects."""
    # Anonymous callers own nothing and are members of nothing; the platform answers an empty list, not 401.
    if ctx.viewer is None and (p.owned or p.membership):
        return []
    check_order_of_updated(ctx, p)
    return list_matching_projects(ctx, p, ctx.world.projects.all())


class GetProject(Params):
    """Optional parts of a project."""

    statistics: bool = False
    license: bool = False
    with_custom_attributes: bool = False
    # The filter of lists is accepted here, too, and does not filter a single project.
    custom_attributes: Annotated[dict[str, str] | None, Lifetime(since="<=18.9")] = None


def _single_view(ctx: ReadContext, _p: Params) -> type[ProjectSimple | ProjectWithAccess]:
    return ProjectSimple if ctx.viewer is None else ProjectWithAccess


def _single_options(ctx: ReadContext, p: GetProject, project: Project) -> tuple[str, ...]:
    requested = {
        STATISTICS: p.statistics,
        LICENSE: p.license,
        CUSTOM_ATTRIBUTES: p.with_custom_attributes and ctx.admin,
    }
    return (*(name for name, is_requested in requested.items() if is_requested), *build_admin_options(ctx, p, project))


@area.operation("GET", "", scope=PROJECT, params=GetProject, view=_single_view, options=_single_options)
def get_project(_ctx: ReadContext, project: Project) -> Project:
    """Get a project."""
    return project


class ExpirationPolicy(Params):
    """The cleanup policy of the container registry."""

    cadence: str | None = None
    keep_n: int | None = None
    older_than: str | None = None
    name_regex: str | None = None
    name_regex_delete: str | None = None
    name_regex_keep: str | None = None
    enabled: bool | None = None

    def changes(self) -> dict[str, Any]:
        """Return the changes of a policy; ``name_regex_delete`` is another name of ``name_regex``."""
        return {name.replace("name_regex_delete", "name_regex"): value for name, value in self.given().items()}


class ProjectAttributes(Params):
    """The attributes of a project that can be set at creation and later."""

    description: str | None = None
    build_git_strategy: Literal["fetch", "clone"] | None = None
    build_timeout: int | None = None
    auto_cancel_pending_pipelines: Literal["disabled", "enabled"] | None = None
    build_coverage_regex: Annotated[str | None, Lifetime(until="15.0")] = None
    ci_config_path: str | None = None
    ci_default_git_depth: int | None = None
    service_desk_enabled: bool | None = None
    issues_enabled: bool | None = None
    merge_requests_enabled: bool | None = None
    wiki_enabled: bool | None = None
    jobs_enabled: bool | None = None
    snippets_enabled: bool | None = None
    issues_access_level: Access | None = None
    repository_access_level: Access | None = None
    merge_requests_access_level: Access | None = None
    forking_access_level: Access | None = None
    wiki_access_level: Access | None = None
    builds_access_level: Access | None = None
    snippets_access_level: Access | None = None
    pages_access_level: Literal["disabled", "private", "enabled", "public"] | None = None
    operations_access_level: Annotated[Access | None, Lifetime(until="16.0")] = None
    analytics_access_level: Access | None = None
    container_registry_access_level: Annotated[Access | None, Lifetime(since="<=14.3")] = None
    requirements_access_level: Annotated[Access | None, Lifetime(since="<=14.0")] = None
    security_and_compliance_access_level: Annotated[Access | None, Lifetime(since="<=14.9")] = None
    releases_access_level: Annotated[Access | None, Lifetime(since="<=15.8")] = None
    environments_access_level: Annotated[Access | None, Lifetime(since="<=15.8")] = None
    feature_flags_access_level: Annotated[Access | None, Lifetime(since="<=15.8")] = None
    infrastructure_access_level: Annotated[Access | None, Lifetime(since="<=15.8")] = None
    monitor_access_level: Annotated[Access | None, Lifetime(since="<=15.8")] = None
    model_experiments_access_level: Annotated[Access | None, Lifetime(since="<=16.7")] = None
    model_registry_access_level: Annotated[Access | None, Lifetime(since="16.7")] = None
    package_registry_access_level: Annotated[
        Literal["disabled", "private", "enabled", "public"] | None, Lifetime(since="18.5")
    ] = None
    emails_disabled: bool | None = None
    emails_enabled: Annotated[bool | None, Lifetime(since="<=16.3")] = None
    show_diff_preview_in_email: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    warn_about_potentially_unwanted_characters: Annotated[bool | None, Lifetime(since="<=17.3")] = None
    enforce_auth_checks_on_uploads: Annotated[bool | None, Lifetime(since="<=15.4")] = None
    group_runners_enabled: Annotated[bool | None, Lifetime(since="<=15.10")] = None
    resource_group_default_process_mode: Annotated[ProcessMode | None, Lifetime(since="<=18.5")] = None
    show_default_award_emojis: bool | None = None
    shared_runners_enabled: bool | None = None
    resolve_outdated_diff_discussions: bool | None = None
    remove_source_branch_after_merge: bool | None = None
    container_registry_enabled: bool | None = None
    container_expiration_policy_attributes: ExpirationPolicy | None = None
    lfs_enabled: bool | None = None
    packages_enabled: bool | None = None
    visibility: Visibility | None = None
    public_builds: bool | None = None
    public_jobs: Annotated[bool | None, Lifetime(since="<=17.3")] = None
    request_access_enabled: bool | None = None
    only_allow_merge_if_pipeline_succeeds: bool | None = None
    allow_merge_on_skipped_pipeline: bool | None = None
    only_allow_merge_if_all_discussions_are_resolved: bool | None = None
    tag_list: CommaList[str] | None = None
    topics: Annotated[CommaList[str] | None, Lifetime(since="14.0")] = None
    avatar: Upload | str | None = None
    printing_merge_request_link_enabled: bool | None = None
    merge_method: Literal["ff", "rebase_merge", "merge"] | None = None
    squash_option: Annotated[SquashOption | None, Lifetime(since="<=14.3")] = None
    suggestion_commit_message: str | None = None
    merge_commit_template: Annotated[str | None, Lifetime(since="14.5")] = None
    squash_commit_template: Annotated[str | None, Lifetime(since="14.6")] = None
    issue_branch_template: Annotated[str | None, Lifetime(since="15.6")] = None
    merge_request_title_regex: Annotated[str | None, Lifetime(since="<=18.9")] = None
    merge_request_title_regex_description: Annotated[str | None, Lifetime(since="<=18.9")] = None
    mr_default_target_self: Annotated[bool | None, Lifetime(since="<=15.6")] = None
    autoclose_referenced_issues: bool | None = None
    auto_devops_enabled: bool | None = None
    auto_devops_deploy_strategy: Literal["continuous", "manual", "timed_incremental"] | None = None
    repository_storage: str | None = None
    approvals_before_merge: int | None = None
    external_authorization_classification_label: str | None = None
    mirror: bool | None = None
    mirror_trigger_builds: bool | None = None
    issues_template: str | None = None
    merge_requests_template: str | None = None
    only_allow_merge_if_all_status_checks_passed: Annotated[bool | None, Lifetime(since="15.9")] = None
    prevent_merge_without_jira_issue: Annotated[bool | None, Lifetime(since="<=17.3")] = None
    spp_repository_pipeline_access: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    auto_duo_code_review_enabled: Annotated[bool | None, Lifetime(since="<=18.1")] = None
    duo_remote_flows_enabled: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    duo_sast_fp_detection_enabled: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    duo_sast_vr_workflow_enabled: Annotated[bool | None, Lifetime(since="<=18.9")] = None


class NewProject(ProjectAttributes):
    """The attributes of a project that can be set at creation only."""

    path: str | None = None
    default_branch: str | None = None
    namespace_id: int | None = None
    import_url: str | None = None
    template_name: str | None = None
    template_project_id: int | None = None
    use_custom_template: bool | None = None
    group_with_project_templates_id: int | None = None
    initialize_with_readme: bool = False
    repository_object_format: Annotated[Literal["sha1", "sha256"] | None, Lifetime(since="16.9")] = None

    rules = (mutually_exclusive("import_url", "template_name", "template_project_id"),)


class CreateProject(NewProject):
    """A new project."""

    name: str | None = None

    rules = (at_least_one_of("name", "path"),)


class CreateProjectForUser(NewProject):
    """A new project in another user's namespace."""

    name: str


_MIRROR_FIELDS: Final = (
    "mirror",
    "mirror_trigger_builds",
    "mirror_user_id",
    "only_mirror_protected_branches",
    "mirror_overwrites_diverged_branches",
    "mirror_branch_regex",
)
_PAID_FIELDS: Final = (
    "approvals_before_merge",
    "external_authorization_classification_label",
    "issues_template",
    "merge_requests_template",
    "only_allow_merge_if_all_status_checks_passed",
    "prevent_merge_without_jira_issue",
    "spp_repository_pipeline_access",
    "auto_duo_code_review_enabled",
    "duo_remote_flows_enabled",
    "duo_sast_fp_detection_enabled",
    "duo_sast_vr_workflow_enabled",
    "allow_pipeline_trigger_approve_deployment",
    "ci_restrict_pipeline_cancellation_role",
    "merge_pipelines_enabled",
    "merge_trains_enabled",
    "merge_trains_skip_train_allowed",
    "fallback_approvals_required",
    "web_based_commit_signing_enabled",
    *_MIRROR_FIELDS,
)
# Validated like other parameters, but nothing in the fake depends on them.
_IGNORED_FIELDS: Final = ("show_default_award_emojis", "repository_object_format")
_ADMIN_FIELDS: Final = ("repository_storage", "max_artifacts_size")


def _collect_settable(ctx: WriteContext, p: Params) -> dict[str, Any]:
    """Return the sent parameters as record fields, without those that the tier or the caller may not set."""
    fields = {name: value for name, value in p.given().items() if name not in _IGNORED_FIELDS}
    if not has_feature(ctx.world, "premium", ctx.container):
        fields = ctx.ignore(fields, _PAID_FIELDS, "it requires the tier premium")
    if not ctx.admin:
        fields = ctx.ignore(fields, _ADMIN_FIELDS, "it is for administrators")
        if not ctx.world.settings.mirror_available:
            fields = ctx.ignore(fields, _MIRROR_FIELDS, "mirror_available is off")
    policy = fields.get("container_expiration_policy_attributes")
    if policy is not None:
        fields["container_expiration_policy_attributes"] = policy.changes()
    if fields.get("avatar") == "":
        fields["avatar"] = None
    return fields


@area.operation(
    "POST",
    "projects",
    params=CreateProject,
    view=ProjectView,
    options=build_admin_options,
    refusals=(403,),
)
def create_project(ctx: WriteContext, p: CreateProject) -> Project:
    """Create a project."""
    fields = _collect_settable(ctx, p)
    target = _get_target(ctx, ctx.signed_in_user, fields.pop("namespace_id", None))
    return _create(ctx, target, ctx.signed_in_user, fields)


def _create(ctx: WriteContext, namespace: Namespace, creator: User, fields: dict[str, Any]) -> Project:
    """Create a project, from a custom template on demand, where the tier has them."""
    group_id, is_custom = fields.pop("group_with_project_templates_id", None), fields.pop("use_custom_template", False)
    template_id = fields.pop("template_project_id", None)
    _check_import_source(ctx, fields.get("import_url"))
    sent = _collect_creation_fields(ctx, fields)
    if template_id is None and not sent.get("template_name"):
        _refuse_nameless_template(ctx, is_custom=is_custom)
        return projects.create(ctx, namespace, creator, **sent)
    if is_custom and ctx.instance.has("premium"):
        named = project_templates.CustomTemplate(sent.pop("template_name", None), template_id, group_id)
        template = project_templates.get_template(ctx, namespace, named)
        given = {name: value for name, value in sent.items() if name in fields}
        return project_templates.create_from_template(ctx, namespace, creator, template, **given)
    # The ids of projects name custom templates only.
    if template_id is not None:
        raise InvalidRecord({"template_name": ["'' is unknown or invalid"]}, reason="use_custom_template is not set")
    builtin = builtin_templates.get_template(ctx, sent.pop("template_name"))
    return builtin_templates.create_from_builtin(ctx, namespace, creator, builtin, **sent)


def _refuse_nameless_template(ctx: ReadContext, *, is_custom: bool | None) -> None:
    """Refuse a custom template without its name and its id."""
    if is_custom and ctx.instance.has("premium") and ctx.profile.has(CUSTOM_TEMPLATES_ARE_NAMED):
        text = "must be used with template_name or template_project_id"
        raise InvalidRecord({"use_custom_template": [text]})


def _check_import_source(ctx: ReadContext, import_url: str | None) -> None:
    is_source = ctx.profile.has(IMPORTS_BY_URL_ARE_A_SOURCE)
    if import_url and is_source and "git" not in ctx.world.settings.import_sources:
        raise Forbidden(reason="the setting import_sources does not contain git")


def _collect_creation_fields(ctx: ReadContext, fields: dict[str, Any]) -> dict[str, Any]:
    """Add defaults. A new project ignores the removal of an avatar, and a default branch without a README on it."""
    ignored = [] if isinstance(fields.get("avatar"), Upload) else ["avatar"]
    has_branch = fields.get("initialize_with_readme") and fields.get("default_branch")
    ignored += [] if has_branch else ["default_branch"]
    sent = {name: value for name, value in fields.items() if name not in ignored and value is not None}
    return {**settings.new_project_fields(ctx.world.settings), **sent}


def _get_target(ctx: ReadContext, user: User, namespace_id: int | None) -> Namespace:
    if namespace_id is None:
        if not members.may_create_own(ctx.world, user):
            why = "allow_project_creation_for_guest_and_below is off, and the caller is a guest at most"
            raise InvalidRecord({"namespace": ["is not valid"]}, reason=why)
        return namespaces.user_namespace(ctx.world, user)
    namespace = ctx.world.namespaces.get(namespace_id)
    ruling = None if namespace is None else decide(ctx, Ability.CREATE_PROJECTS, namespace)
    if namespace is None or ruling is None or not ruling.allowed:
        # The response does not tell an unknown namespace from a forbidden one; only the reason does.
        reason = missing.namespace(ctx, str(namespace_id)) if ruling is None else ruling.why
        raise InvalidRecord({"namespace": ["is not valid"]}, reason=reason)
    return namespace


@area.operation(
    "POST",
    "projects/user/:user_id",
    params=CreateProjectForUser,
    view=ProjectView,
    ability=Ability.ADMIN_USERS,
    options=build_admin_options,
)
def create_user_project(ctx: WriteContext, user_id: int, p: CreateProjectForUser) -> Project:
    """Create a project in a user's namespace. Administrators only."""
    user = ctx.world.users.get(user_id)
    if user is None:
        raise NotFound("User", reason=missing.user(ctx, str(user_id)))
    fields = _collect_settable(ctx, p)
    # The user in the path determines the namespace.
    fields.pop("namespace_id", None)
    return _create(ctx, namespaces.user_namespace(ctx.world, user), user, fields)


class UpdateProject(ProjectAttributes):
    """Changes of a project. An empty ``avatar`` removes it."""

    name: str | None = None
    default_branch: str | None = None
    path: str | None = None
    ci_forward_deployment_enabled: bool | None = None
    ci_forward_deployment_rollback_allowed: Annotated[bool | None, Lifetime(since="<=16.9")] = None
    ci_allow_fork_pipelines_to_run_in_parent_project: Annotated[bool | None, Lifetime(since="15.3")] = None
    ci_separated_caches: Annotated[bool | None, Lifetime(since="<=15.4")] = None
    ci_pipeline_variables_minimum_override_role: Annotated[OverrideRole | None, Lifetime(since="17.1")] = None
    ci_push_repository_for_job_token_allowed: Annotated[bool | None, Lifetime(since="17.2")] = None
    ci_display_pipeline_variables: Annotated[bool | None, Lifetime(since="18.10")] = None
    protect_merge_request_pipelines: Annotated[bool | None, Lifetime(since="18.10")] = None
    ci_id_token_sub_claim_components: Annotated[CommaList[str] | None, Lifetime(since="17.10")] = None
    ci_delete_pipelines_in_seconds: Annotated[int | None, Lifetime(since="<=17.11")] = None
    ci_restrict_pipeline_cancellation_role: Annotated[
        Literal["developer", "maintainer", "no_one"] | None, Lifetime(since="16.8")
    ] = None
    keep_latest_artifact: Annotated[bool | None, Lifetime(since="<=14.4")] = None
    restrict_user_defined_variables: Annotated[bool | None, Lifetime(since="<=14.0")] = None
    max_artifacts_size: Annotated[int | None, Lifetime(since="<=17.11")] = None
    allow_pipeline_trigger_approve_deployment: Annotated[bool | None, Lifetime(since="<=17.0")] = None
    merge_pipelines_enabled: Annotated[bool | None, Lifetime(since="<=14.8")] = None
    merge_trains_enabled: Annotated[bool | None, Lifetime(since="<=14.8")] = None
    merge_trains_skip_train_allowed: Annotated[bool | None, Lifetime(since="<=18.1")] = None
    fallback_approvals_required: Annotated[int | None, Lifetime(since="<=18.9")] = None
    web_based_commit_signing_enabled: Annotated[bool | None, Lifetime(since="18.2")] = None
    import_url: str | None = None
    mirror_user_id: int | None = None
    only_mirror_protected_branches: bool | None = None
    mirror_overwrites_diverged_branches: bool | None = None
    mirror_branch_regex: Annotated[str | None, MIRRORS_BY_PATTERN] = None


# They count as a change too, but the platform's message does not list them.
_UNLISTED: Final = [name for name in UpdateProject.__annotations__ if name not in ("name", "default_branch", "path")]
UpdateProject.rules = (
    at_least_one_of(*ProjectAttributes.__annotations__, "name", "default_branch", "path").unless_any_sent(*_UNLISTED),
    evolve(mutually_exclusive("only_mirror_protected_branches", "mirror_branch_regex"), lifetime=MIRRORS_BY_PATTERN),
)


@area.operation(
    "PUT",
    "",
    scope=PROJECT,
    params=UpdateProject,
    view=ProjectView,
    ability=Ability.ADMIN_PROJECT,
    options=build_admin_options,
    refusals=(400, 403),
)
def update_project(ctx: WriteContext, project: Project, p: UpdateProject) -> Project:
    """Update a project."""
    changes = _collect_settable(ctx, p)
    # Some attributes need more than the right to edit, for example ``visibility`` that of an owner (403).
    projects.authorize_changes(ctx, project, changes)
    # Null clears these attributes; for all others it means unchanged.
    nullable = (
        "description",
        "build_coverage_regex",
        "ci_config_path",
        "suggestion_commit_message",
        "avatar",
        "tag_list",
        "topics",
        "merge_commit_template",
        "squash_commit_template",
        "issue_branch_template",
        "merge_request_title_regex",
        "merge_request_title_regex_description",
        "ci_delete_pipelines_in_seconds",
        "max_artifacts_size",
        "mirror_branch_regex",
    )
    return projects.update(ctx, project, **{k: v for k, v in changes.items() if v is not None or k in nullable})


class DeleteProject(Params):
    """Whether a project that is marked for deletion is deleted at once; its full path confirms that."""

    permanently_remove: Annotated[bool | None, Lifetime(since="15.11")] = None
    full_path: Annotated[str | None, Lifetime(since="15.11")] = None


@area.operation(
    "DELETE",
    "",
    scope=PROJECT,
    ability=Ability.REMOVE_PROJECT,
    params=DeleteProject,
    status=202,
    refusals=(400, 412),
)
def delete_project(ctx: WriteContext, project: Project, p: DeleteProject) -> dict[str, str]:
    """Delete a project, or mark it for deletion where that is delayed."""
    _check_deletion_protection(ctx, project)
    if p.permanently_remove:
        projects.delete_permanently(ctx, project, p.full_path or "")
    else:
        projects.delete(ctx, project)
    return {"message": "202 Accepted"}


def _check_deletion_protection(ctx: ReadContext, project: Project) -> None:
    is_protected = ctx.world.settings.default_project_deletion_protection and has_feature(ctx.world, "premium", project)
    if is_protected and not ctx.admin:
        raise Forbidden(reason="default_project_deletion_protection is on: only administrators delete projects")


@area.operation(
    "POST",
    "restore",
    scope=PROJECT,
    ability=Ability.REMOVE_PROJECT,
    view=ProjectView,
    tier="premium",
    free_since="18.0",
    refusals=(400,),
)
def restore_project(ctx: WriteContext, project: Project) -> Project:
    """Restore a project that is marked for deletion."""
    return projects.restore(ctx, project)


@area.operation("POST", "archive", scope=PROJECT, ability=Ability.ARCHIVE_PROJECT, view=ProjectView)
def archive_project(ctx: WriteContext, project: Project) -> Project:
    """Archive a project."""
    return projects.set_archived(ctx, project, True)


@area.operation("POST", "unarchive", scope=PROJECT, ability=Ability.ARCHIVE_PROJECT, view=ProjectView)
def unarchive_project(ctx: WriteContext, project: Project) -> Project:
    """Unarchive a project."""
    return projects.set_archived(ctx, project, False)


@area.operation("POST", "star", scope=PROJECT, ability=Ability.STAR_PROJECT, view=ProjectView, refusals=(304,))
def star_project(ctx: WriteContext, project: Project) -> Project:
    """Star a project."""
    return projects.star(ctx, project, ctx.signed_in_user)


@area.operation("POST", "unstar", scope=PROJECT, ability=Ability.STAR_PROJECT, view=ProjectView, refusals=(304,))
def unstar_project(ctx: WriteContext, project: Project) -> Project:
    """Unstar a project."""
    return projects.unstar(ctx, project, ctx.signed_in_user)


class ListStarrers(Paged):
    """Filters of the list of starrers."""

    search: str | None = None


@area.operation("GET", "starrers", scope=PROJECT, params=ListStarrers, view=StarrerView, many=True)
def list_project_starrers(ctx: ReadContext, project: Project, p: ListStarrers) -> Sequence[Star]:
    """List the users who starred a project."""
    return [star for star in ctx.world.stars.where("project", project.id) if _is_starrer_visible(ctx, star, p.search)]


def _is_starrer_visible(ctx: ReadContext, star: Star, search: str | None) -> bool:
    starrer = ctx.world.users[star.user_id]
    return can_see_profile(ctx, starrer) and (not search or _has_name(starrer, search))


def _has_name(user: User, search: str) -> bool:
    text = search.lower()
    # E-mail addresses match as a whole only, so a search does not reveal them piece by piece.
    return text in user.name.lower() or text in user.username.lower() or text == user.email.lower()


@area.operation("GET", "languages", scope=PROJECT)
def get_project_languages(ctx: ReadContext, project: Project) -> dict[str, float]:
    """Get the languages of a project in percent."""
    return repositories.languages(ctx.world, project)


class UploadFile(Params):
    """The file to upload."""

    file: Upload


@area.operation("POST", "uploads", scope=PROJECT, params=UploadFile, view=UploadView, ability=Ability.UPLOAD_FILE)
def upload_project_file(ctx: WriteContext, project: Project, p: UploadFile) -> StoredFile | None:
    """Upload a file, to be linked in descriptions and comments."""
    # A file over the size limit is not refused: as on the platform, the response is 201 with ``null``.
    return projects.attach_file(ctx, project, p.file)


class TransferProject(Params):
    """The target namespace."""

    namespace: str


@area.operation(
    "PUT",
    "transfer",
    scope=PROJECT,
    params=TransferProject,
    view=ProjectView,
    ability=Ability.CHANGE_NAMESPACE,
    refusals=(400, 404),
)
def transfer_project(ctx: WriteContext, project: Project, p: TransferProject) -> Project:
    """Transfer a project to another namespace."""
    return transfers.transfer(
        ctx, project, require_readable(ctx, namespaces.find_by_reference(ctx.world, p.namespace), p.namespace)
    )


class ShareProject(Params):
    """The group to share with, its access level and the expiry date."""

    group_id: int
    group_access: Annotated[AccessLevel, PLANNER_SINCE, OWNER_SINCE]
    expires_at: Day | None = None
    member_role_id: Annotated[int | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "POST",
    "share",
    scope=PROJECT,
    params=ShareProject,
    view=ProjectShareView,
    ability=Ability.ADMIN_PROJECT,
    refusals=(400, 404, 409),
)
def share_project(ctx: WriteContext, project: Project, p: ShareProject) -> Share:
    """Share a project with a group."""
    group = ctx.world.namespaces.get(p.group_id)
    # Users' namespaces are in the same table, but a project cannot be shared with one.
    if not isinstance(group, Group) or not can_see(ctx, group):
        reason = (
            partial(explain_hidden, ctx, group) if isinstance(group, Group) else missing.group(ctx, str(p.group_id))
        )
        raise NotFound(reason=reason)
    members.authorize_owners(ctx, project, p.group_access)
    role_id = member_roles.find_assignable(ctx.world, project, p.member_role_id)
    return shares.share_with_group(ctx, project, group, p.group_access, p.expires_at, role_id)


@area.operation("DELETE", "share/:group_id", scope=PROJECT, ability=Ability.ADMIN_PROJECT, refusals=(403, 404, 412))
def unshare_project(ctx: WriteContext, project: Project, group_id: int) -> None:
    """Stop sharing a project with a group."""
    share = shares.get_share(ctx.world, project, group_id)
    members.authorize_owners(ctx, project, share.group_access)
    ctx.check_unmodified_since(share.created_at)
    purge(ctx, share)


class StartHousekeeping(Params):
    """What is done, which has no visible effect."""

    task: Annotated[Literal["eager", "prune"], Lifetime(since="<=16.0")] = "eager"


@area.operation(
    "POST", "housekeeping", scope=PROJECT, ability=Ability.ADMIN_PROJECT, params=StartHousekeeping, refusals=(409,)
)
def start_project_housekeeping(ctx: WriteContext, project: Project) -> None:
    """Start housekeeping of a project's repository."""
    projects.run_housekeeping(ctx, project)


class ListProjectUsers(Paged):
    """Filters of the list of a project's users."""

    search: str | None = None
    skip_users: CommaList[int] | None = None


@area.operation("GET", "users", scope=PROJECT, params=ListProjectUsers, view=UserBasic, many=True)
def list_project_users(ctx: ReadContext, project: Project, p: ListProjectUsers) -> Sequence[User]:
    """List the members of a project, inherited ones included, as users."""
    ids = {member.user_id for member in members.list_effective(ctx, project)} - set(p.skip_users or ())
    users = [ctx.world.users[id_] for id_ in sorted(ids)]
    return [user for user in users if not p.search or _has_name(user, p.search)]


class ListProjectGroups(Paged):
    """Filters of the list of a project's groups."""

    search: str | None = None
    with_shared: bool = False
    shared_min_access_level: Annotated[AccessLevel | None, PLANNER_SINCE] = None
    shared_visible_only: Annotated[bool, Lifetime(since="<=13.12")] = False
    skip_groups: CommaList[int] | None = None


@area.operation("GET", "groups", scope=PROJECT, params=ListProjectGroups, view=GroupPublic, many=True, since="13.9")
def list_project_groups(ctx: ReadContext, project: Project, p: ListProjectGroups) -> Sequence[Group]:
    """List the ancestor groups of a project, optionally with those it is shared with, whatever their visibility."""
    # Keyed by id, because a project may also be shared with one of its ancestors.
    candidates = {
        container.id: container
        for container in ancestors(ctx.world, project.namespace_id)
        if isinstance(container, Group)
    }
    if p.with_shared:
        shared = _find_shared_groups(ctx.world, project, p.shared_min_access_level or 0)
        candidates |= {id_: group for id_, group in shared.items() if not p.shared_visible_only or can_see(ctx, group)}
    text = (p.search or "").lower()
    unskipped = [group for group in candidates.values() if group.id not in (p.skip_groups or ())]
    matching = [group for group in unskipped if text in group.name.lower() or text in group.path.lower()]
    return sorted(matching, key=lambda group: group.id, reverse=True)


def _find_shared_groups(world: World, project: Project, min_access_level: int) -> dict[int, Group]:
    groups = [
        world.namespaces[share.group_id]
        for share in shares.list_shares(world, project)
        if share.group_access >= min_access_level
    ]
    return {group.id: group for group in groups if isinstance(group, Group)}


@area.operation(
    "GET",
    "projects",
    scope=USER_BY_ID_OR_USERNAME,
    params=ListProjects,
    view=select_list_view,
    many=True,
    paging=BY_OFFSET_OR_KEYSET,
    options=build_list_options,
)
def list_user_projects(ctx: ReadContext, user: User, p: ListProjects) -> Sequence[Project]:
    """List the projects in a user's namespace."""
    namespace = namespaces.find_user_namespace(ctx.world, user)
    if namespace is None:
        return []
    return list_matching_projects(ctx, p, ctx.world.projects.where("namespace", namespace.id))


class ListContributedProjects(ListProjects):
    """The operation is younger than these parameters."""

    topic: CommaList[str] | None = None
    topic_id: int | None = None
    order_by: Annotated[ProjectOrder, Lifetime(since=PROJECTS_BY_STARS.since, values=("star_count",))] = "created_at"


@area.operation(
    "GET",
    "contributed_projects",
    scope=USER_BY_ID_OR_USERNAME,
    params=ListContributedProjects,
    view=select_list_view,
    many=True,
    options=build_list_options,
    since="<=16.5",
)
def list_user_contributed_projects(ctx: ReadContext, user: User, p: ListContributedProjects) -> Sequence[Project]:
    """List the projects in which a user pushed, or worked on issues and merge requests, within a year."""
    if not can_see_profile(ctx, user):
        return []
    return list_matching_projects(ctx, p, contributions.list_projects(ctx, user))


@area.operation(
    "GET",
    "starred_projects",
    scope=USER_BY_ID_OR_USERNAME,
    params=ListProjects,
    view=select_list_view,
    many=True,
    paging=BY_OFFSET_OR_KEYSET,
    options=build_list_options,
)
def list_user_starred_projects(ctx: ReadContext, user: User, p: ListProjects) -> Sequence[Project]:
    """List the projects that a user starred."""
    if not can_see_profile(ctx, user):
        return []
    stars = ctx.world.stars.where("user", user.id)
    projects = [ctx.world.projects[star.project_id] for star in stars]
    # Stars are in the order of starring; the list expects projects in the order of ids.
    return list_matching_projects(ctx, p, sorted(projects, key=lambda project: project.id))
