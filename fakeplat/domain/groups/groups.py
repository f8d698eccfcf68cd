"""Groups: create, edit and delete. Source: docs/platform/groups.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final, Literal, NotRequired, Required, TypedDict, Unpack, cast

from fakeplat.core.operations.errors import BadRequest, Unprocessable, inspect_errors
from fakeplat.core.params.body import Upload
from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, from_iso
from fakeplat.domain import redirects, signals, uploads
from fakeplat.domain.groups import download_limits
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import container_repositories
from fakeplat.domain.repository import push_rules
from fakeplat.domain.settings import check_visibility, deletion_period
from fakeplat.domain.validation import (
    BLANK,
    GROUP_NAME_TEXT,
    PATH_TEXT,
    RESERVED,
    TAKEN,
    ValidationErrors,
    check_slug,
    is_group_name,
    is_path,
    too_long,
)
from fakeplat.model.people import GitProtocol, Group, Level, Namespace, OverrideRole, SharedRunners, Visibility, rank
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DELETION_IS_DELAYED_FOR_ALL
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

_DELETE: Final = "delete_group"


class GroupFields(TypedDict, total=False):
    """Fields of a group, apart from its name and path."""

    avatar: Upload | str | None
    created_at: str
    updated_at: str
    plan: str | None
    trial: bool
    trial_ends_on: str | None
    shared_runners_minutes_limit: int | None
    extra_shared_runners_minutes_limit: int | None
    description: str | None
    visibility: Visibility
    share_with_group_lock: bool
    membership_lock: bool
    require_two_factor_authentication: bool
    two_factor_grace_period: int
    project_creation_level: Literal["noone", "maintainer", "developer", "administrator", "owner"]
    auto_devops_enabled: bool | None
    subgroup_creation_level: Literal["owner", "maintainer"]
    emails_disabled: bool | None
    mentions_disabled: bool | None
    lfs_enabled: bool
    default_branch_protection: int
    request_access_enabled: bool
    file_template_project_id: int | None
    prevent_forking_outside_group: bool
    marked_for_deletion_on: str | None
    runners_token: str
    max_artifacts_size: int | None
    repository_size_limit: int | None
    emails_enabled: bool
    shared_runners_setting: SharedRunners
    allow_stale_runner_pruning: bool
    pipeline_variables_default_role: OverrideRole
    wiki_access_level: Literal["disabled", "private", "enabled"]
    default_branch: str | None
    math_rendering_limits_enabled: bool
    lock_math_rendering_limits_enabled: bool
    show_diff_preview_in_email: bool
    allow_personal_snippets: bool
    only_allow_merge_if_pipeline_succeeds: bool
    allow_merge_on_skipped_pipeline: bool
    only_allow_merge_if_all_discussions_are_resolved: bool
    ip_restriction_ranges: str | None
    allowed_email_domains_list: str | None
    duo_features_enabled: bool
    lock_duo_features_enabled: bool
    auto_duo_code_review_enabled: bool
    web_based_commit_signing_enabled: bool
    service_access_tokens_expiration_enforced: bool
    unique_project_download_limit: int
    unique_project_download_limit_interval_in_seconds: int
    unique_project_download_limit_allowlist: tuple[str, ...]
    unique_project_download_limit_alertlist: tuple[int, ...]
    auto_ban_user_on_excessive_projects_download: bool
    default_branch_protection_defaults: Mapping[str, Any]
    enabled_git_access_protocol: GitProtocol
    prevent_sharing_groups_outside_hierarchy: bool
    require_sha_for_merge: bool | None
    lock_require_sha_for_merge: bool


class GroupChanges(GroupFields, total=False):
    """Changes of a group; an empty avatar removes the one that is there."""

    name: str
    path: str


class NewGroup(GroupFields):
    """A new group; its name is by default its path."""

    path: Required[str]
    name: NotRequired[str | None]


def create(
    ctx: WriteContext,
    *,
    path: str,
    name: str | None = None,
    parent: Group | None = None,
    any_name: bool = False,
    **fields: Unpack[GroupFields],
) -> Group:
    """Create a group owned by the caller. ``any_name`` skips validation of the name, for groups created before it."""
    (group,) = create_many(ctx, parent, [{"path": path, "name": name, **fields}], any_name=any_name)
    return group


def create_many(
    ctx: WriteContext, parent: Group | None, rows: Sequence[NewGroup], *, any_name: bool = True
) -> list[Group]:
    """Create several groups in a parent group or at the top level, each as `create` does; all of them or none."""
    # Everything is validated before the first insert, so that a refusal leaves the world unchanged.
    validated = [_validate(ctx, parent, row, any_name=any_name) for row in rows]
    avatars = [fields.pop("avatar", None) for fields in validated]
    return [
        _add_related_records(ctx, group, avatar)
        for group, avatar in zip(_insert_groups(ctx, parent, validated), avatars, strict=True)
    ]


def _validate(ctx: WriteContext, parent: Group | None, row: NewGroup, *, any_name: bool) -> dict[str, Any]:
    visibility = row.get("visibility") or ctx.world.settings.default_group_visibility
    name = row.get("name")
    if name is None:
        name = row["path"]
    fields = _replace_other_names({**row, "name": name, "visibility": visibility})
    # A level that nobody may use is refused before anything else is looked at.
    errors = _list_restrictions(ctx, visibility) or _list_errors(ctx, row["path"], name, parent, visibility)
    # A name that was derived from the path may break the rule for names: the path has rules of its own.
    errors.when(not any_name and row.get("name") is not None and not is_group_name(name), "name", GROUP_NAME_TEXT)
    if errors:
        raise BadRequest(f"Failed to save group {inspect_errors({field: errors.texts(field) for field in errors})}")
    return fields


def _replace_other_names(fields: dict[str, Any]) -> dict[str, Any]:
    """Replace a parameter that is the opposite of a field."""
    if "emails_enabled" in fields:
        fields["emails_disabled"] = not fields.pop("emails_enabled")
    return fields


def _add_related_records(ctx: WriteContext, group: Group, avatar: object) -> Group:
    """Create the records in other tables that belong to a new group."""
    redirects.delete_redirects(ctx, namespaces.full_path(ctx.world, group))
    if isinstance(avatar, Upload):
        group = cast(Group, ctx.world.namespaces.change(group, avatar=_replace_avatar(ctx, group, avatar)))
    signals.post_create.send(ctx, group)
    # The groups of a scenario have no creator; it lists their owners as members.
    if ctx.user is not None:
        members.add_member(ctx, group, ctx.user, Level.OWNER)
    push_rules.inherit(ctx, group)
    if ctx.world.services.all_ids():
        # Imported late: most worlds have no integrations.
        from fakeplat.domain.integrations import inheritance

        inheritance.inherit(ctx, group)
    return group


def _insert_groups(ctx: WriteContext, parent: Group | None, rows: Sequence[Mapping[str, Any]]) -> list[Group]:
    if not rows:
        return []
    table, now = ctx.world.namespaces, ctx.now_iso
    defaults = {"created_at": now, "updated_at": now, "parent_id": parent.id if parent else None}
    if parent is not None:
        defaults["membership_lock"] = parent.membership_lock
    groups = [
        Group(**{**defaults, "id": id_, "runners_token": ctx.random_hex("runners token", 10), **fields})
        for id_, fields in zip(count(table.next_id()), rows, strict=False)
    ]
    table.add_many(groups)
    return groups


def _list_restrictions(ctx: WriteContext, visibility: str) -> ValidationErrors:
    errors = ValidationErrors()
    check_visibility(errors, ctx, visibility)
    return errors


def _list_errors(ctx: WriteContext, path: str, name: str, parent: Group | None, visibility: str) -> ValidationErrors:
    errors = ValidationErrors()
    _check_path(errors, ctx, path, parent)
    _check_name(errors, name)
    _check_parent_visibility(errors, parent, visibility)
    return errors


def _check_path(errors: ValidationErrors, ctx: WriteContext, path: str, parent: Group | None) -> None:
    sibling = ctx.world.namespaces.find("place", (parent.id if parent else None, path.lower()))
    # Subgroups and projects of a group share one set of paths, and so do top-level groups and users.
    errors.when(sibling or (parent and ctx.world.projects.find("place", (parent.id, path.lower()))), "path", TAKEN)
    errors.when(not is_path(path), "path", PATH_TEXT)
    check_slug(errors, ctx.profile, "path", path)
    # Reserved are the pages at the top of the site; below a group they do not exist.
    errors.when(parent is None and path.lower() in RESERVED, "path", f"{path} is a reserved name")


def _check_name(errors: ValidationErrors, name: str) -> None:
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)


def _check_parent_visibility(errors: ValidationErrors, parent: Group | None, visibility: str) -> None:
    if parent is not None and rank(visibility) > rank(parent.visibility):
        text = f"{visibility} is not allowed since the parent group has a {parent.visibility} visibility."
        errors.add("visibility_level", text)


_ABSENT: Final = object()


def update(ctx: WriteContext, group: Group, *, any_name: bool = False, **changes: Unpack[GroupChanges]) -> Group:
    """Edit a group."""
    fields = _replace_other_names({**changes})
    avatar, table = fields.pop("avatar", _ABSENT), ctx.world.namespaces
    if fields.get("visibility", group.visibility) != group.visibility:
        _list_restrictions(ctx, fields["visibility"]).refuse()
    errors = _list_update_errors(ctx, group, fields, avatar)
    name = fields.get("name", group.name)
    errors.when(name != group.name and not any_name and not is_group_name(name), "name", GROUP_NAME_TEXT)
    errors.refuse()
    if avatar is not _ABSENT:
        fields["avatar"] = _replace_avatar(ctx, group, avatar)
    # Only a new path moves the projects below, which may be many.
    with redirects.redirect_old_paths(
        ctx, namespaces.list_projects_within(ctx.world, group) if "path" in fields else ()
    ):
        changed = table.change(group, **fields)
    if changed is not group:
        changed = table.change(changed, updated_at=ctx.now_iso)
        if fields.get("shared_runners_setting", "enabled") != "enabled":
            _disable_shared_runners(ctx, group)
        signals.post_change.send(ctx, group, changed)
    return cast(Group, changed)


def _disable_shared_runners(ctx: WriteContext, group: Group) -> None:
    """Take the runners of the instance from the projects in a group."""
    for project in list(namespaces.list_projects_within(ctx.world, group)):
        ctx.world.projects.change(project, shared_runners_enabled=False)


def _list_update_errors(ctx: WriteContext, group: Group, fields: dict[str, Any], avatar: object) -> ValidationErrors:
    errors = ValidationErrors()
    parent = cast(Group | None, ctx.world.namespaces.get(group.parent_id) if group.parent_id else None)
    path = fields.get("path", group.path)
    if path.lower() != group.path.lower():
        _check_path(errors, ctx, path, parent)
    if path != group.path:
        _check_images(errors, ctx.world, group)
    if "name" in fields:
        _check_name(errors, fields["name"])
    too_long(errors, "description", fields.get("description"), 500)
    if "visibility" in fields:
        _check_parent_visibility(errors, parent, fields["visibility"])
        _check_content_visibility(errors, ctx, group, fields["visibility"])
    if isinstance(avatar, Upload):
        uploads.check_avatar(errors, avatar, ctx.profile)
    download_limits.check(errors, ctx.world, fields)
    return errors


def _check_images(errors: ValidationErrors, world: World, group: Group) -> None:
    """Check that no project in a group has images, which are named after the path."""
    projects = namespaces.list_projects_within(world, group)
    project = next((project for project in projects if container_repositories.has_tags(world, project)), None)
    if project is not None:
        text = (
            f"Namespace {group.name} ({group.id}) cannot be moved because at least one project "
            f"(e.g. {project.name} ({project.id})) has tags in container registry"
        )
        errors.add("base", text)


def _check_content_visibility(errors: ValidationErrors, ctx: WriteContext, group: Group, visibility: str) -> None:
    contents: dict[str, Iterable[Project | Group]] = {
        # Only its own projects: those of subgroups are limited by their subgroups, which are checked next.
        "this group contains projects with higher visibility": ctx.world.projects.where("namespace", group.id),
        "there are sub-groups with higher visibility": namespaces.list_descendants(ctx.world, group),
    }
    for text, records in contents.items():
        if any(rank(record.visibility) > rank(visibility) for record in records):
            errors.add("visibility_level", f"{visibility} is not allowed since {text}.")


def _replace_avatar(ctx: WriteContext, group: Group, avatar: object) -> int | None:
    if isinstance(avatar, Upload):
        return uploads.new_avatar(ctx, ("group", group.id), avatar)
    uploads.delete_avatar(ctx, ("group", group.id))
    return None


def delete(ctx: WriteContext, group: Group) -> None:
    """Delete a group: at once, or after the period in which it can be restored."""
    if not _delays_deletion(ctx, group):
        purge(ctx, group)
        return
    if group.marked_for_deletion_on is not None:
        raise BadRequest("Group has been already marked for deletion")
    if _is_below(ctx.world, group, lambda above: above.marked_for_deletion_on is not None):
        # It goes with the group above.
        return
    marked = ctx.world.namespaces.change(group, marked_for_deletion_on=ctx.today)
    signals.post_change.send(ctx, group, marked)
    _schedule_deletion(ctx, group, ctx.now() + deletion_period(ctx))


def delete_permanently(ctx: WriteContext, group: Group, full_path: str) -> None:
    """Delete a subgroup that is marked for deletion; 400 for any other group, and unless the path is given."""
    # Where nothing is delayed, the request is an ordinary one.
    if _delays_deletion(ctx, group):
        if group.parent_id is None:
            raise BadRequest("`permanently_remove` option is only available for subgroups.")
        if group.marked_for_deletion_on is None:
            raise BadRequest("Group must be marked for deletion first.")
        if full_path != namespaces.full_path(ctx.world, group):
            text = "`full_path` is incorrect. You must enter the complete path for the subgroup."
            raise BadRequest(text, reason=f"full_path is {full_path!r}")
    purge(ctx, group)


def _delays_deletion(ctx: ReadContext, group: Group) -> bool:
    if ctx.profile.has(DELETION_IS_DELAYED_FOR_ALL):
        return True
    return has_feature(ctx.world, "premium", group) and ctx.world.settings.deletion_adjourned_period > 0


def mark_for_deletion(ctx: WriteContext, group: Group, on: str) -> Group:
    """Schedule the deletion of a group that was marked on a date, after the restore period."""
    # A date has no time of day, so the period is counted from its end.
    _schedule_deletion(ctx, group, from_iso(on) + DAY + deletion_period(ctx))
    return cast(Group, ctx.world.namespaces.change(group, marked_for_deletion_on=on))


def _schedule_deletion(ctx: WriteContext, group: Group, at: int) -> None:
    ctx.cancel_tasks(_task_subject(group), _DELETE)
    ctx.schedule(_DELETE, _task_subject(group), at)


def restore(ctx: WriteContext, group: Group) -> Group:
    """Cancel a scheduled deletion."""
    if group.marked_for_deletion_on is None:
        raise BadRequest("Group has not been marked for deletion")
    ctx.cancel_tasks(_task_subject(group), _DELETE)
    restored = cast(Group, ctx.world.namespaces.change(group, marked_for_deletion_on=None))
    signals.post_change.send(ctx, group, restored)
    return restored


def archive(ctx: WriteContext, group: Group) -> Group:
    """Make a group with everything below it read-only; 422 if it is archived, itself or by a group above."""
    if group.archived:
        raise Unprocessable("Group is already archived!", reason=describe(ctx.world, group))
    if _is_below(ctx.world, group, lambda above: above.archived):
        text = "Cannot archive group since one of the ancestor groups is already archived!"
        raise Unprocessable(text, reason=describe(ctx.world, group))
    marked = group.marked_for_deletion_on is not None
    if marked or _is_below(ctx.world, group, lambda above: above.marked_for_deletion_on is not None):
        text = "Cannot archive group since it is scheduled for deletion."
        raise Unprocessable(text, reason=describe(ctx.world, group))
    return _set_archived(ctx, group, archived=True)


def unarchive(ctx: WriteContext, group: Group) -> Group:
    """Make a group writable again; 422 if it is not archived, or if a group above it is."""
    if _is_below(ctx.world, group, lambda above: above.archived):
        text = "Cannot unarchive group since one of the ancestor groups is archived!"
        raise Unprocessable(text, reason=describe(ctx.world, group))
    if not group.archived:
        raise Unprocessable("Group is already unarchived!", reason=describe(ctx.world, group))
    return _set_archived(ctx, group, archived=False)


def _is_below(world: World, group: Group, has: Callable[[Group], bool]) -> bool:
    above = ancestors(world, group.parent_id)
    return any(isinstance(container, Group) and has(container) for container in above)


def _set_archived(ctx: WriteContext, group: Group, *, archived: bool) -> Group:
    changed = cast(Group, ctx.world.namespaces.change(group, archived=archived, updated_at=ctx.now_iso))
    signals.post_change.send(ctx, group, changed)
    return changed


def _task_subject(group: Namespace) -> Subject:
    return ("namespaces", group.id)


@task_handler(_DELETE)
def _delete_due(ctx: WriteContext, due: ScheduledTask) -> None:
    group = ctx.world.namespaces.get(due.subject[1])
    if group is not None:
        purge(ctx, group)
