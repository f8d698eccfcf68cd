"""Projects: in groups, in users or by their full paths."""

from collections.abc import Iterator
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import (
    BOOLEAN,
    NULLABLE_TEXT,
    TEXT,
    Alias,
    ListOf,
    MapOf,
    Nullable,
    Number,
    Object,
    Shape,
)
from fakeplat.domain import redirects
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.projects import forks, projects
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import cleanup_policies
from fakeplat.domain.repository import repositories
from fakeplat.model.dependency_proxy import DependencyProxySetting
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.levels import ancestors
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PROJECTS, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars
from fakeplat.scenario.sections.people.members import KEY as MEMBERS

_REFERENCES: Final = ("creator_id", "namespace_id", "mirror_user_id", "forked_from_id", "marked_for_deletion_by")
_APPROVERS: Final = ("approver_ids", "approver_group_ids")
_APPROVER_KEYS: Final = ("approvers", "approver_groups")
_PROXY: Final = {
    "enabled": "Whether packages are pulled through the project.",
    "maven_external_registry_url": "Registry of Maven packages outside: that of a project on this host.",
    "maven_external_registry_username": "Name for that registry, which is sent nowhere.",
    "maven_external_registry_password": "Password for that registry, which is sent nowhere.",
    "npm_external_registry_url": "Registry of npm packages outside: that of a project on this host.",
    "npm_external_registry_basic_auth": "Credentials for that registry, which are sent nowhere.",
    "npm_external_registry_auth_token": "Token for that registry, which is sent nowhere.",
}
_FIELDS: Final = fields(
    Project,
    without=("id", "avatar", "housekept_until", "pushed_into_being_by", "jobs_cache_index", *_REFERENCES, *_APPROVERS),
    languages=MapOf(Number()),
    dependency_proxy_packages=Nullable(Object(fields(DependencyProxySetting), descriptions=_PROXY)),
)
_SWITCHES: Final = (
    "issues_enabled",
    "merge_requests_enabled",
    "wiki_enabled",
    "jobs_enabled",
    "snippets_enabled",
    "container_registry_enabled",
)
_CHECKED: Final = (
    "name",
    "visibility",
    "description",
    "build_timeout",
    "tag_list",
    "container_expiration_policy",
    *_SWITCHES,
)
_COPIED_FIELDS: Final = [
    name for name in _FIELDS if name not in ("path", "name", "tag_list", "container_expiration_policy")
]


def _keys() -> dict[str, Shape]:
    return {
        **_FIELDS,
        "path_with_namespace": TEXT,
        "creator": NULLABLE_TEXT,
        "mirror_user": NULLABLE_TEXT,
        "forked_from_project": NULLABLE_TEXT,
        "marked_for_deletion_by": NULLABLE_TEXT,
        "approvers": ListOf(TEXT),
        "approver_groups": ListOf(TEXT),
        "former_paths": ListOf(TEXT),
        "marked_for_deletion_at": Alias("marked_for_deletion_on"),
        "public_jobs": Alias("public_builds"),
        "topics": Alias("tag_list"),
        "avatar": avatars.AVATAR,
        **dict.fromkeys(_SWITCHES, BOOLEAN),
    }


def _create(entry: Entry) -> Project:
    namespace, path = _resolve_namespace(entry)
    existing = entry.world.projects.find("place", (namespace.id, path.lower()))
    project = _update_existing(entry, existing) if existing else _create_new(entry, namespace, path)
    changes = {
        **entry.select(_COPIED_FIELDS),
        **_resolve_references(entry),
        **avatars.avatar_change(entry, ("project", project.id)),
    }
    _defer_approvers(entry)
    for path in entry.values.get("former_paths", ()):
        redirects.insert_redirect(entry.ctx, project, path)
    if "languages" in changes:
        changes["languages"] = tuple(changes["languages"].items())
    # A repository in the entry sets the default branch itself, after its branches exist.
    if existing and "repository" not in entry.subsections:
        _change_default_branch(entry, project, changes)
    project = entry.world.projects.change(project, **changes)
    if "packages_cleanup_keep" in changes:
        _schedule_cleanup(entry, project)
    if entry.values.get("import_status") == forks.SCHEDULED and project.forked_from_id is not None:
        forks.schedule_copy(entry.ctx, project)
    if entry.values.get("marked_for_deletion_on"):
        deleted_by = entry.user_or_none("marked_for_deletion_by")
        project = projects.mark_for_deletion(entry.ctx, project, entry.values["marked_for_deletion_on"], deleted_by)
        # Marking a project archives it; the value of the entry takes precedence.
        project = entry.world.projects.change(project, **entry.select(("archived",)))
    return project


def _schedule_cleanup(entry: Entry, project: Project) -> None:
    from fakeplat.domain.packages import duplicate_cleanups

    duplicate_cleanups.schedule_run(entry.ctx, project)


def _change_default_branch(entry: Entry, project: Project, changes: EntryData) -> None:
    """Change the default branch of an existing repository; it must be one of its branches."""
    branch = changes.get("default_branch")
    if branch is None or repositories.record_of(entry.world, project) is None:
        return
    branches = repositories.open_repository(entry.world, project).branches()
    if branch not in branches:
        entry.fail(f"unknown branch {branch!r}", "default_branch", nearest_name(branch, branches))
    repositories.make_default(entry.ctx, project, branch)


def _resolve_namespace(entry: Entry) -> tuple[Namespace, str]:
    if "path_with_namespace" in entry.values:
        if entry.parent is not None:
            entry.fail("is only allowed at the top level; use path in groups and users", "path_with_namespace")
        namespace = entry.parent_namespace("path_with_namespace")
        return namespace, str(entry.values["path_with_namespace"]).rpartition("/")[2]
    owner = entry.owner
    if owner is None:
        entry.fail("needs path_with_namespace, or must be listed in a group or user", "path")
    return namespaces.user_namespace(entry.world, owner) if isinstance(owner, User) else owner, entry.values["path"]


def _create_new(entry: Entry, namespace: Namespace, path: str) -> Project:
    """Create a project. If the entry lists members, the creator is not a member unless listed."""
    creator = entry.user_or_none("creator") or default_creator(entry.world, namespace)
    times: EntryData = dict.fromkeys(("created_at", "updated_at", "last_activity_at"), entry.created_at)
    project = projects.create(entry.ctx, namespace, creator, path=path, **entry.select(_CHECKED), **times)
    membership = members.find_member(entry.world, project, creator)
    if membership is not None and MEMBERS in entry.subsections:
        purge(entry.ctx, membership)
    elif membership is not None:
        entry.world.members.change(membership, created_at=project.created_at)
    return project


def default_creator(world: World, namespace: Namespace) -> User:
    """Return the owner of a namespace: a user, the first owner of the closest group, or an administrator."""
    for namespace_id in ancestors(world, namespace.id):
        owner = namespaces.owner_of(world, namespace_id)
        ids = [owner.id] if owner else namespaces.owner_ids(world, namespace_id)
        if ids:
            return world.users[ids[0]]
    # Every world has the administrator root, so there is always one.
    return next(user for user in world.users.all() if user.admin)


def _update_existing(entry: Entry, project: Project) -> Project:
    if entry.values.get("marked_for_deletion_on", "") is None and project.marked_for_deletion_on:
        project = projects.restore(entry.ctx, project)
    return projects.update(entry.ctx, project, **entry.select(_CHECKED))


def _resolve_references(entry: Entry) -> dict[str, int | None]:
    values, references = entry.values, {}
    if "creator" in values:
        references["creator_id"] = _id_or_none(entry.user_or_none("creator"))
    if "mirror_user" in values:
        references["mirror_user_id"] = _id_or_none(entry.user_or_none("mirror_user"))
    if "forked_from_project" in values:
        references["forked_from_id"] = _id_or_none(entry.project_or_none("forked_from_project"))
    return references


def _defer_approvers(entry: Entry) -> None:
    """Set the approvers of the API before approval rules, once all users and groups exist."""
    approvers: dict[str, list[str]] = {name: entry.values[name] for name in _APPROVER_KEYS if name in entry.values}
    if approvers:
        entry.defer(lambda: _set_approvers(entry, approvers))


def _set_approvers(entry: Entry, approvers: dict[str, list[str]]) -> None:
    changes = {}
    if "approvers" in approvers:
        changes["approver_ids"] = tuple(entry.get_user(name, "approvers").id for name in approvers["approvers"])
    if "approver_groups" in approvers:
        groups = approvers["approver_groups"]
        changes["approver_group_ids"] = tuple(entry.get_group(path, "approver_groups").id for path in groups)
    entry.world.projects.change(entry.record(), **changes)


def _id_or_none(record: User | Project | None) -> int | None:
    return record.id if record else None


def _export(world: World, owner: Group | User | None) -> Iterator[tuple[Project, EntryData]] | None:
    """Export all projects at the top level, so that they are loaded in the order of their creation."""
    return None if owner is not None else ((project, _serialize(world, project)) for project in world.projects.all())


def _serialize(world: World, project: Project) -> EntryData:
    # Loading archives a project that is marked for deletion, so an entry for one that is not archived must say so.
    always = ("archived",) if project.marked_for_deletion_on else ()
    data = serialization.non_default_fields(
        project, _FIELDS, always=("visibility", "container_expiration_policy", *always)
    )
    # The full path includes it.
    del data["path"]
    if "languages" in data:
        data["languages"] = dict(project.languages)
    deleted_by = serialization.username_of(world, project.marked_for_deletion_by)
    fork_source = world.projects.get(project.forked_from_id) if project.forked_from_id else None
    mirror_user = serialization.username_of(world, project.mirror_user_id)
    default_times = dict.fromkeys(("updated_at", "last_activity_at"), project.created_at)
    return {
        "path_with_namespace": namespaces.project_path(world, project),
        "creator": serialization.username_of(world, project.creator_id),
        **serialization.remove_defaults(
            data, **default_times, container_expiration_policy=dict(cleanup_policies.DEFAULT_POLICY)
        ),
        **({"marked_for_deletion_by": deleted_by} if deleted_by else {}),
        **({"forked_from_project": namespaces.project_path(world, fork_source)} if fork_source else {}),
        **({"mirror_user": mirror_user} if mirror_user else {}),
        **_serialize_approvers(world, project),
        **({"former_paths": former_paths} if (former_paths := redirects.list_old_paths(world, project)) else {}),
        **avatars.serialize_avatar(world, project.avatar),
    }


def _serialize_approvers(world: World, project: Project) -> EntryData:
    users = [name for id_ in project.approver_ids if (name := serialization.username_of(world, id_))]
    namespaces_ = (world.namespaces.get(id_) for id_ in project.approver_group_ids)
    groups = [namespaces.full_path(world, namespace) for namespace in namespaces_ if namespace]
    return {name: value for name, value in (("approvers", users), ("approver_groups", groups)) if value}


SECTION: Final = Section(
    "projects",
    within=(SCENARIO, "group", "user"),
    rank=PROJECTS,
    keys=Object(
        _keys(),
        one_of=("path", "path_with_namespace"),
        descriptions={
            "creator": "Username. Default: the first owner of the closest group, or the administrator.",
            "mirror_user": "Username.",
            "forked_from_project": "Full path of the project from which it was forked.",
            "marked_for_deletion_by": "Username.",
            "approvers": "Usernames, as in PUT approvers; the effective rules are in approval_rules.",
            "approver_groups": "Full paths of groups, as in PUT approvers.",
            "former_paths": "Earlier full paths; git requests to them still reach the project.",
        },
    ),
    create=_create,
    export=_export,
    name_key="path",
    identity_key="path_with_namespace",
    kind="project",
    find=namespaces.find_project_by_path,
    record=Project,
)
