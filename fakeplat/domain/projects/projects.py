"""Projects: create, edit, star, archive and delete. Source: docs/platform/projects.md."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final, Unpack

from fakeplat.core.operations.errors import BadRequest, Conflict, InvalidRecord, LimitReached, NotModified
from fakeplat.core.params.body import Upload
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, MINUTE, from_iso
from fakeplat.domain import events, redirects, signals, uploads
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.people.path_names import slugify
from fakeplat.domain.projects import topics
from fakeplat.domain.projects.project_fields import NewProject, ProjectChanges
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import cleanup_policies, container_repositories
from fakeplat.domain.repository import branches, push_rules, repositories
from fakeplat.domain.settings import check_visibility, deletion_period
from fakeplat.domain.validation import (
    BLANK,
    PROJECT_NAME_TEXT,
    PROJECT_PATH_TEXT,
    RESERVED_IN_NAMESPACES,
    TAKEN,
    ValidationErrors,
    check_slug,
    explain_regex_error,
    is_project_name,
    is_project_path,
    too_long,
)
from fakeplat.model.people import Group, Level, Namespace, User, UserNamespace, rank
from fakeplat.model.projects import Project, Star, StoredFile
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import (
    DEFAULT_GIT_DEPTH,
    DELETION_IS_DELAYED_FOR_ALL,
    FEATURE_FLAG_CLIENT_PREFIX,
    HOUSEKEEPING_PAUSE,
    MARKED_PROJECTS_ARE_REFUSED,
    PAGES_HAVE_UNIQUE_DOMAINS,
    PROJECTS_HAVE_OWNERS,
    TAKEN_NAMES_ARE_TAKEN_TWICE,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

_DELETE: Final = "delete_project"
_MIRROR_FIELDS: Final = (
    "mirror",
    "mirror_user_id",
    "mirror_trigger_builds",
    "only_mirror_protected_branches",
    "mirror_overwrites_diverged_branches",
)
_DEFAULT_STORAGE: Final = "default"
_LONGEST_TEMPLATES: Final = {"issue_branch_template": 255}
_FOR_FORKS: Final = "This setting is allowed for forked projects only"
_FEATURE_SWITCHES: Final = {
    "issues_enabled": "issues_access_level",
    "merge_requests_enabled": "merge_requests_access_level",
    "wiki_enabled": "wiki_access_level",
    "jobs_enabled": "builds_access_level",
    "snippets_enabled": "snippets_access_level",
    "container_registry_enabled": "container_registry_access_level",
}
_RENAMED: Final = {"topics": "tag_list", "public_jobs": "public_builds"}


def create(ctx: WriteContext, namespace: Namespace, creator: User, **attributes: Unpack[NewProject]) -> Project:
    """Create a project in a namespace; ``creator`` becomes its Maintainer.

    Accepts the parameters of POST /projects and any field of the record. Raises 403 above the creator's project
    limit and 400 for any other invalid value.
    """
    with_readme = attributes.pop("initialize_with_readme", False)
    # A mirror is updated in the name of a user: the one who creates the project.
    if attributes.get("mirror"):
        attributes["mirror_user_id"] = ctx.signed_in_user.id
    (project,) = create_many(ctx, namespace, creator, [attributes])
    return _commit_readme(ctx, project, creator) if with_readme else project


def create_many(ctx: WriteContext, namespace: Namespace, creator: User, rows: Sequence[NewProject]) -> list[Project]:
    """Create several projects in a namespace, each as `create` does; all of them or none."""
    _check_limit(ctx.world, namespace, creator, len(rows))
    root = namespaces.root_of(ctx.world, namespace)
    role = root.pipeline_variables_default_role if isinstance(root, Group) else "developer"
    rows = [{"ci_pipeline_variables_minimum_override_role": role, **row} for row in rows]
    # Everything is validated before the first insert, so that a refusal leaves the world unchanged.
    validated = [_validate(ctx, namespace, _fields_for_creation(ctx, row)) for row in rows]
    # An avatar is stored as a file that belongs to the project, so it needs the project's id first.
    avatars = [fields.pop("avatar", None) for fields in validated]
    created = zip(_insert_projects(ctx, namespace, creator, validated), avatars, strict=True)
    return [_add_related_records(ctx, project, creator, avatar) for project, avatar in created]


def _commit_readme(ctx: WriteContext, project: Project, creator: User) -> Project:
    """Commit a README to the default branch of a new project."""
    # Without a first commit no branch is created, so its name is checked only here.
    _check_branch_name(project.default_branch)
    readme = f"# {project.name}\n\n{project.description or ''}"
    branches.create_first_branch(ctx, project, creator, readme.encode(), "Initial commit")
    return ctx.world.projects[project.id]


def _check_branch_name(branch: str | None) -> None:
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch

    try:
        check_branch("master" if branch is None else branch)
    except BadName:
        raise _default_branch_refusal(f"{branch!r} is not a valid branch name in git") from None


def _default_branch_refusal(reason: str) -> InvalidRecord:
    return InvalidRecord({"base": ["Could not set the default branch"]}, reason=reason)


def list_creation_errors(ctx: ReadContext, namespace: Namespace, path: str) -> ValidationErrors:
    """Return the validation errors for a new project with this path and name in a namespace."""
    return _list_errors(ctx, namespace, {"path": path, "name": path}, before=None)


def is_limit_reached(world: World, namespace: Namespace, creator: User) -> bool:
    """Return whether a user has reached the project limit in a namespace."""
    try:
        _check_limit(world, namespace, creator, 1)
    except LimitReached:
        return True
    return False


def _validate(ctx: WriteContext, namespace: Namespace, fields: dict[str, Any]) -> dict[str, Any]:
    errors = _list_errors(ctx, namespace, fields, before=None)
    if fields.get("avatar") is not None:
        uploads.check_avatar(errors, fields["avatar"], ctx.profile)
    errors.refuse()
    return fields


def _add_related_records(ctx: WriteContext, project: Project, creator: User, avatar: Upload | None) -> Project:
    """Create the records in other tables that belong to a new project."""
    # The new project takes the path over from the former owner of it.
    redirects.delete_redirects(ctx, namespaces.project_path(ctx.world, project))
    topics.add_missing(ctx, project.tag_list)
    # Projects of a scenario have no acting user, and are not activity of anybody.
    if ctx.user is not None:
        events.record_event(ctx, creator, "created", project)
    if avatar is not None:
        project = ctx.world.projects.change(project, avatar=uploads.new_avatar(ctx, ("project", project.id), avatar))
    # Others are told of the project before its member.
    signals.post_create.send(ctx, project)
    # A direct membership below an inherited one is invalid, so an inherited owner gets none.
    if members.find_member(ctx.world, project, creator) is None and not _is_inherited_owner(
        ctx.world, project, creator
    ):
        members.add_member(ctx, project, creator, _level_of_creator(ctx.world, project))
    push_rules.inherit(ctx, project)
    if ctx.world.services.all_ids():
        # Imported late: most worlds have no integrations.
        from fakeplat.domain.integrations import inheritance

        inheritance.inherit(ctx, project)
    return project


def _level_of_creator(world: World, project: Project) -> Level:
    is_personal = isinstance(world.namespaces[project.namespace_id], UserNamespace)
    return Level.OWNER if is_personal and world.profile.has(PROJECTS_HAVE_OWNERS) else Level.MAINTAINER


def _is_inherited_owner(world: World, project: Project, creator: User) -> bool:
    memberships = (
        world.members.find("pair", (("group", g.id), creator.id)) for g in ancestors(world, project.namespace_id)
    )
    return any(member and member.access_level > Level.MAINTAINER for member in memberships)


def _fields_for_creation(ctx: WriteContext, attributes: NewProject) -> dict[str, Any]:
    """Convert the parameters of a new project to fields of the record."""
    params: dict[str, Any] = {name: value for name, value in attributes.items() if value is not None}
    # Each of the two defaults to the other: the path to a slug of the name, the name to the path as it is.
    name, path = params.get("name") or params.get("path", ""), params.get("path") or slugify(params.get("name", ""))
    params.update(name=name, path=path)
    params.setdefault("visibility", ctx.world.settings.default_project_visibility)
    return _fields_from_params(params)


def _fields_from_params(attributes: Mapping[str, object]) -> dict[str, Any]:
    """Convert parameters to fields of the record: feature switches to access levels, lists to tuples."""
    params: dict[str, Any] = {**attributes}
    for switch, level in _FEATURE_SWITCHES.items():
        if switch in params:
            # An explicit access level takes precedence over the older switch.
            params.setdefault(level, "enabled" if params.pop(switch) else "disabled")
            params.pop(switch, None)
    _replace_other_names(params)
    if "ci_id_token_sub_claim_components" in params:
        params["ci_id_token_sub_claim_components"] = tuple(params["ci_id_token_sub_claim_components"])
    if "tag_list" in params:
        params["tag_list"] = tuple(dict.fromkeys(tag.strip() for tag in params["tag_list"] or () if tag.strip()))
    if "container_expiration_policy_attributes" in params:
        params["container_expiration_policy"] = params.pop("container_expiration_policy_attributes")
    return params


def _replace_other_names(params: dict[str, Any]) -> None:
    """Replace parameters that set a field of another name."""
    for name, field in _RENAMED.items():
        if name in params:
            params[field] = params.pop(name)
    if "emails_enabled" in params:
        params["emails_disabled"] = not params.pop("emails_enabled")
    if "restrict_user_defined_variables" in params:
        role = "maintainer" if params.pop("restrict_user_defined_variables") else "developer"
        params.setdefault("ci_pipeline_variables_minimum_override_role", role)
    if "package_registry_access_level" in params:
        params["packages_enabled"] = params["package_registry_access_level"] != "disabled"
    elif "packages_enabled" in params:
        params["package_registry_access_level"] = "enabled" if params["packages_enabled"] else "disabled"


def _insert_projects(
    ctx: WriteContext, namespace: Namespace, creator: User, rows: Sequence[Mapping[str, Any]]
) -> list[Project]:
    if not rows:
        return []
    table = ctx.world.projects
    defaults = {"namespace_id": namespace.id, "creator_id": creator.id}
    numbered = zip(count(table.next_id()), rows, strict=False)
    projects = [Project(**{**defaults, "id": id_, **_with_defaults(ctx, fields)}) for id_, fields in numbered]
    table.add_many(projects)
    return projects


def _with_defaults(ctx: WriteContext, fields: Mapping[str, Any]) -> dict[str, Any]:
    now = ctx.now_iso
    values = {"created_at": now, "updated_at": now, "last_activity_at": now, "default_branch": None, **fields}
    values["container_expiration_policy"] = {
        **cleanup_policies.DEFAULT_POLICY,
        **(fields.get("container_expiration_policy") or {}),
    }
    values.setdefault("runners_token", ctx.random_hex("runners token", 10))
    values.setdefault("unleash_instance_id", _draw_unleash_id(ctx))
    values.setdefault("ci_default_git_depth", ctx.profile.choose(DEFAULT_GIT_DEPTH))
    has_domain = (
        ctx.profile.choose(PAGES_HAVE_UNIQUE_DOMAINS) and ctx.world.settings.pages_unique_domain_default_enabled
    )
    values.setdefault("pages_unique_domain_enabled", has_domain)
    return values


def _draw_unleash_id(ctx: WriteContext) -> str:
    return f"{ctx.profile.choose(FEATURE_FLAG_CLIENT_PREFIX)}{ctx.random_hex('unleash instance id', 10)}"


def _check_limit(world: World, namespace: Namespace, creator: User, additional: int) -> None:
    if (
        # The limit counts personal projects only; groups have none.
        isinstance(namespace, UserNamespace)
        and len(world.projects.ids("namespace", namespace.id)) + additional > creator.projects_limit
    ):
        reason = f"{creator.username} has a projects_limit of {creator.projects_limit}"
        raise LimitReached(_limit_text(creator.projects_limit), reason=reason)


def _limit_text(limit: int) -> str:
    if limit == 0:
        return "Personal project creation is not allowed. Please contact your administrator with questions"
    return f"Your project limit is {limit} projects! Please contact your administrator to increase it"


def _list_errors(
    ctx: ReadContext, namespace: Namespace, fields: Mapping[str, Any], before: Project | None
) -> ValidationErrors:
    errors, world = ValidationErrors(), ctx.world
    if "name" in fields and (before is None or before.name != fields["name"]):
        _check_name_field(errors, world, namespace, fields["name"])
    # Paths are unique regardless of case, so a change of case alone is not a conflict with itself.
    if "path" in fields and (before is None or before.path.lower() != fields["path"].lower()):
        _check_path_field(errors, world, namespace, fields["path"])
    # A project has a namespace of its own, whose name is validated, too.
    if TAKEN in errors.texts("name") and ctx.profile.has(TAKEN_NAMES_ARE_TAKEN_TWICE):
        errors.add("project_namespace.name", TAKEN)
    if "visibility" in fields and (before is None or before.visibility != fields["visibility"]):
        _check_visibility(errors, ctx, namespace, fields["visibility"])
        _check_fork_visibility(errors, ctx.world, before, fields["visibility"])
    too_long(errors, "description", fields.get("description"), 2000)
    _check_storage(errors, ctx.world, fields.get("repository_storage"))
    _check_registry(errors, world, fields, before)
    timeout = fields.get("build_timeout")
    if timeout is not None and timeout < 600:
        errors.add("build_timeout", "needs to be between 10 minutes and 1 month")
    if fields.get("mr_default_target_self") and (before is None or before.forked_from_id is None):
        # That of a new fork is set with its parent.
        is_fork = fields.get("forked_from_id") is not None
        errors.when(not is_fork, "project_setting.mr_default_target_self", _FOR_FORKS)
    for name in ("merge_request_title_regex", "mirror_branch_regex"):
        error = explain_regex_error(fields.get(name) or "")
        errors.when(error, name, f"not valid RE2 syntax: {error}")
    for template in ("merge_commit_template", "squash_commit_template", "issue_branch_template"):
        too_long(errors, template, fields.get(template), _LONGEST_TEMPLATES.get(template, 500))
    return errors


def _check_storage(errors: ValidationErrors, world: World, storage: str | None) -> None:
    """Accept the default storage, and every storage that a project uses already."""
    if storage in (None, _DEFAULT_STORAGE) or any(
        project.repository_storage == storage for project in world.projects.all()
    ):
        return
    errors.add("repository_storage_moves", "is invalid")


def _check_registry(errors: ValidationErrors, world: World, fields: Mapping[str, Any], before: Project | None) -> None:
    if "container_expiration_policy" in fields:
        old = cleanup_policies.DEFAULT_POLICY if before is None else cleanup_policies.policy_of(before)
        cleanup_policies.check_policy(errors, {**old, **(fields["container_expiration_policy"] or {})})
    # Images are named after the path of their project.
    if before is not None and fields.get("path", before.path) != before.path:
        _check_no_images(world, before)


def _check_no_images(world: World, project: Project) -> None:
    if container_repositories.has_tags(world, project):
        raise BadRequest("Cannot rename project because it contains container registry tags!")


def _choose_mirror_user(ctx: WriteContext, project: Project, user_id: int | None) -> int:
    """Return the user who mirrors a project: the caller, unless an administrator names another user."""
    if user_id is None or user_id == project.mirror_user_id:
        return ctx.signed_in_user.id
    if not ctx.admin or ctx.world.users.get(user_id) is None:
        raise InvalidRecord({"mirror_user_id": ["is invalid"]})
    return user_id


def _check_name_field(errors: ValidationErrors, world: World, namespace: Namespace, name: str) -> None:
    errors.when(world.projects.find("name", (namespace.id, name)), "name", TAKEN)
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)
    errors.when(not is_project_name(name), "name", PROJECT_NAME_TEXT)


def _check_path_field(errors: ValidationErrors, world: World, namespace: Namespace, path: str) -> None:
    # Subgroups and projects of a group share one set of paths.
    sibling = isinstance(namespace, Group) and world.namespaces.find("place", (namespace.id, path.lower()))
    errors.when(world.projects.find("place", (namespace.id, path.lower())) or sibling, "path", TAKEN)
    errors.when(not path, "path", BLANK)
    too_long(errors, "path", path)
    errors.when(not is_project_path(path), "path", PROJECT_PATH_TEXT)
    check_slug(errors, world.profile, "path", path)
    errors.when(path.lower() in RESERVED_IN_NAMESPACES, "path", f"{path} is a reserved name")


def _check_visibility(errors: ValidationErrors, ctx: ReadContext, namespace: Namespace, visibility: str) -> None:
    check_visibility(errors, ctx, visibility)
    if isinstance(namespace, Group) and rank(visibility) > rank(namespace.visibility):
        errors.add("visibility_level", f"{visibility} is not allowed in a {namespace.visibility} group.")


def _check_fork_visibility(errors: ValidationErrors, world: World, project: Project | None, visibility: str) -> None:
    """Check that a fork is not more visible than its parent."""
    parent = world.projects.get(project.forked_from_id) if project and project.forked_from_id is not None else None
    if parent is not None and rank(visibility) > rank(parent.visibility):
        errors.add(
            "visibility_level", f"{visibility} is not allowed since the fork source project has lower visibility."
        )


def clear_caches(ctx: WriteContext, project: Project) -> None:
    """Let the runners of a project use other keys for its caches."""
    ctx.world.projects.change(project, jobs_cache_index=(project.jobs_cache_index or 0) + 1)


def update(ctx: WriteContext, project: Project, **attributes: Unpack[ProjectChanges]) -> Project:
    """Edit a project."""
    fields = _fields_from_params(attributes)
    if any(name in fields for name in _MIRROR_FIELDS):
        fields["mirror_user_id"] = _choose_mirror_user(ctx, project, fields.get("mirror_user_id"))
    avatar = fields.pop("avatar", _ABSENT)
    # Not changed with the other fields: HEAD of the repository has to follow it (`make_default`).
    default_branch = fields.pop("default_branch", None) or project.default_branch
    _check_default_branch(ctx, project, default_branch)
    errors = _list_errors(ctx, ctx.world.namespaces[project.namespace_id], fields, before=project)
    if isinstance(avatar, Upload):
        uploads.check_avatar(errors, avatar, ctx.profile)
    errors.refuse()
    if avatar is not _ABSENT:
        fields["avatar"] = _replace_avatar(ctx, project, avatar)
    if "container_expiration_policy" in fields:
        # Nested attributes change only the keys that were sent, as in Rails.
        changes = fields["container_expiration_policy"] or {}
        fields["container_expiration_policy"] = cleanup_policies.change_policy(ctx, project, changes)
    with redirects.redirect_old_paths(ctx, [project]):
        changed = ctx.world.projects.change(project, **fields)
    if changed.container_expiration_policy != project.container_expiration_policy:
        cleanup_policies.schedule_run(ctx, changed)
    if default_branch != project.default_branch:
        changed = repositories.make_default(ctx, changed, str(default_branch))
    if changed is not project:
        topics.add_missing(ctx, changed.tag_list)
        changed = ctx.world.projects.change(changed, updated_at=ctx.now_iso)
        signals.post_change.send(ctx, project, changed)
    return changed


# Tells an avatar that was not sent from null and the empty text, which remove it.
_ABSENT: Final = object()


def _check_default_branch(ctx: WriteContext, project: Project, branch: str | None) -> None:
    if branch == project.default_branch:
        return
    existing = repositories.open_repository(ctx.world, project).branches()
    if branch not in existing:
        raise _default_branch_refusal(
            f"there is no branch {branch!r}; existing branches: {', '.join(existing) or 'none'}"
        )


def _replace_avatar(ctx: WriteContext, project: Project, avatar: object) -> int | None:
    owner = ("project", project.id)
    if isinstance(avatar, Upload):
        return uploads.new_avatar(ctx, owner, avatar)
    uploads.delete_avatar(ctx, owner)
    return None


def set_archived(ctx: WriteContext, project: Project, archived: bool) -> Project:
    """Archive or unarchive a project; repeating it has no effect."""
    if project.archived == archived:
        return project
    changed = ctx.world.projects.change(project, archived=archived, updated_at=ctx.now_iso)
    signals.post_change.send(ctx, project, changed)
    return changed


def star(ctx: WriteContext, project: Project, user: User) -> Project:
    """Star a project; 304 if the user has starred it already."""
    stars = ctx.world.stars
    if stars.find("pair", (user.id, project.id)):
        raise NotModified(reason=f"{user.username} has already starred project {project.id}")
    stars.add(Star(stars.next_id(), user.id, project.id, ctx.now_iso))
    return project


def unstar(ctx: WriteContext, project: Project, user: User) -> Project:
    """Remove a user's star from a project; 304 if there is none."""
    star = ctx.world.stars.find("pair", (user.id, project.id))
    if star is None:
        raise NotModified(reason=f"{user.username} has not starred project {project.id}")
    purge(ctx, star)
    return project


def attach_file(ctx: WriteContext, project: Project, upload: Upload) -> StoredFile | None:
    """Store a file for a project; return None if it is over the size limit."""
    if len(upload.data) > ctx.world.settings.max_attachment_size * 1024 * 1024:
        return None
    return uploads.store_file(ctx, ("project", project.id), upload, ctx.random_hex("upload"))


def delays_deletion(ctx: ReadContext, project: Project) -> bool:
    """Return whether deletion is delayed: at first for projects of groups on a paid tier, with a delay configured."""
    if ctx.profile.has(DELETION_IS_DELAYED_FOR_ALL):
        return True
    in_group = isinstance(ctx.world.namespaces[project.namespace_id], Group)
    return has_feature(ctx.world, "premium", project) and in_group and ctx.world.settings.deletion_adjourned_period > 0


def delete(ctx: WriteContext, project: Project) -> None:
    """Delete a project: at once, or after the period in which it can be restored."""
    if not delays_deletion(ctx, project):
        purge(ctx, project)
        return
    # Earlier, deleting it again is accepted and keeps the first date.
    if project.marked_for_deletion_on is not None:
        if ctx.profile.has(MARKED_PROJECTS_ARE_REFUSED):
            raise BadRequest("Project has been already marked for deletion")
        return
    by = ctx.user.id if ctx.user else None
    marked = ctx.world.projects.change(
        project, marked_for_deletion_on=ctx.today, marked_for_deletion_by=by, archived=True
    )
    signals.post_change.send(ctx, project, marked)
    _schedule_deletion(ctx, project, ctx.now() + deletion_period(ctx))


def delete_permanently(ctx: WriteContext, project: Project, full_path: str) -> None:
    """Delete a project that is marked for deletion; 400 for any other one, and unless the path is given."""
    # Where nothing is delayed, the request is an ordinary one.
    if delays_deletion(ctx, project):
        if project.marked_for_deletion_on is None:
            raise BadRequest("Project must be marked for deletion first.")
        if full_path != namespaces.project_path(ctx.world, project):
            text = "`full_path` is incorrect. You must enter the complete path for the project."
            raise BadRequest(text, reason=f"full_path is {full_path!r}")
    purge(ctx, project)


def mark_for_deletion(ctx: WriteContext, project: Project, on: str, by: User | None = None) -> Project:
    """Schedule the deletion of a project that was marked on a date, after the restore period."""
    # A date has no time of day, so the period is counted from its end.
    _schedule_deletion(ctx, project, from_iso(on) + DAY + deletion_period(ctx))
    return ctx.world.projects.change(
        project, marked_for_deletion_on=on, marked_for_deletion_by=by.id if by else None, archived=True
    )


def _schedule_deletion(ctx: WriteContext, project: Project, at: int) -> None:
    subject = ("projects", project.id)
    # A project has at most one task of this kind, or the earlier one would delete it too soon.
    ctx.cancel_tasks(subject, _DELETE)
    ctx.schedule(_DELETE, subject, at)


def restore(ctx: WriteContext, project: Project) -> Project:
    """Cancel a scheduled deletion."""
    if project.marked_for_deletion_on is None:
        raise BadRequest("Project has not been marked for deletion")
    ctx.cancel_tasks(("projects", project.id), _DELETE)
    restored = ctx.world.projects.change(
        project, marked_for_deletion_on=None, marked_for_deletion_by=None, archived=False, updated_at=ctx.now_iso
    )
    signals.post_change.send(ctx, project, restored)
    return restored


@task_handler(_DELETE)
def _delete_due(ctx: WriteContext, due: ScheduledTask) -> None:
    project = ctx.world.projects.get(due.subject[1])
    if project is not None:
        purge(ctx, project)


def run_housekeeping(ctx: WriteContext, project: Project) -> Project:
    """Record a housekeeping run; 409 if the last one was too recent."""
    resource, minutes = ctx.profile.choose(HOUSEKEEPING_PAUSE)
    if ctx.now() < project.housekept_until:
        raise Conflict(f"Somebody already triggered housekeeping for this {resource} in the past {minutes} minutes")
    return ctx.world.projects.change(project, housekept_until=ctx.now() + minutes * MINUTE)


def authorize_changes(ctx: ReadContext, project: Project, changes: Mapping[str, object]) -> None:
    """Check the abilities that changes require beyond administering a project."""
    if changes.get("name"):
        authorize(ctx, Ability.RENAME_PROJECT, project)
    if changes.get("visibility"):
        authorize(ctx, Ability.CHANGE_VISIBILITY, project)
    if "ci_delete_pipelines_in_seconds" in changes:
        authorize(ctx, Ability.DESTROY_PIPELINE, project)
    _check_override_role(ctx, project, changes)


def _check_override_role(ctx: ReadContext, project: Project, changes: Mapping[str, object]) -> None:
    """Refuse changes of who may give variables to pipelines, if only owners may and the caller is none."""
    names = ("restrict_user_defined_variables", "ci_pipeline_variables_minimum_override_role")
    is_restricted, new_role = map(changes.get, names)
    role = project.ci_pipeline_variables_minimum_override_role
    if is_restricted in (None, role != "developer") and new_role in (None, role):
        return
    if can(ctx, Ability.MANAGE_OWNERS, project):
        return
    if new_role == "owner" != role:
        raise BadRequest(f"Changing the {names[1]} to the owner role is not allowed")
    if role == "owner":
        raise BadRequest(f"Changing the {' or '.join(names)} is not allowed")
