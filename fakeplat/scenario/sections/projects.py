"""Projects, in groups, under users or by their full paths."""

from collections.abc import Iterator
from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import BOOLEAN, NULLABLE_TEXT, TEXT, Alias, ListOf, MapOf, Number, Object, Shape
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.projects import forks, projects, redirects
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import repositories
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.levels import ancestors
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import PROJECTS, SCENARIO, Section, Told
from fakeplat.scenario.sections import avatars as pictures
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.members import KEY as MEMBERS

_REFERENCES: Final = ("creator_id", "namespace_id", "mirror_user_id", "forked_from_id", "marked_for_deletion_by")
_APPROVERS: Final = ("approver_ids", "approver_group_ids")
_NAMED_APPROVERS: Final = ("approvers", "approver_groups")
_OWN: Final = fields(
    Project,
    without=("id", "avatar", "housekept_until", "pushed_into_being_by", *_REFERENCES, *_APPROVERS),
    languages=MapOf(Number()),
)
_SWITCHES: Final = ("issues_enabled", "merge_requests_enabled", "wiki_enabled", "jobs_enabled", "snippets_enabled")
_CHECKED: Final = (
    "name",
    "visibility",
    "description",
    "build_timeout",
    "tag_list",
    "container_expiration_policy",
    *_SWITCHES,
)
_PUT: Final = [name for name in _OWN if name not in ("path", "name", "tag_list", "container_expiration_policy")]


def _keys() -> dict[str, Shape]:
    return {
        **_OWN,
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
        "avatar": pictures.AVATAR,
        **dict.fromkeys(_SWITCHES, BOOLEAN),
    }


def _make(entry: Entry) -> Project:
    namespace, path = _place(entry)
    found = entry.world.projects.find("place", (namespace.id, path.lower()))
    project = _changed(entry, found) if found else _created(entry, namespace, path)
    changes = {**entry.given(_PUT), **_references(entry), **pictures.avatar_change(entry, ("project", project.id))}
    _expect_approvers(entry)
    for path in entry.said.get("former_paths", ()):
        redirects.insert_redirect(entry.ctx, project, path)
    if "languages" in changes:
        changes["languages"] = tuple(changes["languages"].items())
    if found and "repository" not in entry.parts:
        _move_head(entry, project, changes)
    project = entry.world.projects.change(project, **changes)
    if entry.said.get("import_status") == forks.SCHEDULED and project.forked_from_id is not None:
        forks.schedule_copy(entry.ctx, project)
    if entry.said.get("marked_for_deletion_on"):
        by = entry.user_or_none("marked_for_deletion_by")
        project = projects.mark_for_deletion(entry.ctx, project, entry.said["marked_for_deletion_on"], by)
        project = entry.world.projects.change(project, **entry.given(("archived",)))
    return project


def _move_head(entry: Entry, project: Project, changes: dict[str, Any]) -> None:
    """Another default branch of a repository that is there must be one of its branches."""
    wanted = changes.get("default_branch")
    if wanted is None or repositories.record_of(entry.world, project) is None:
        return
    there = repositories.open_repository(entry.world, project).branches()
    if wanted not in there:
        entry.wrong(f"unknown branch {wanted!r}", "default_branch", nearest_name(wanted, there))
    repositories.make_default(entry.ctx, project, wanted)


def _place(entry: Entry) -> tuple[Namespace, str]:
    if "path_with_namespace" in entry.said:
        if entry.above is not None:
            entry.wrong("only projects at the top are named by their full path; use path", "path_with_namespace")
        namespace = entry.namespace_above("path_with_namespace")
        return namespace, str(entry.said["path_with_namespace"]).rpartition("/")[2]
    owner = entry.owner
    if owner is None:
        entry.wrong("needs path_with_namespace, or a place in a group or user", "path")
    return namespaces.user_namespace(entry.world, owner) if isinstance(owner, User) else owner, entry.said["path"]


def _created(entry: Entry, namespace: Namespace, path: str) -> Project:
    """A new project; where its members are listed, those are all."""
    creator = entry.user_or_none("creator") or default_creator(entry.world, namespace)
    times = dict.fromkeys(("created_at", "updated_at", "last_activity_at"), entry.created_at)
    project = projects.create(entry.ctx, namespace, creator, path=path, **entry.given(_CHECKED), **times)
    own = members.find_member(entry.world, project, creator)
    if own is not None and MEMBERS in entry.parts:
        purge(entry.ctx, own)
    elif own is not None:
        entry.world.members.change(own, created_at=project.created_at)
    return project


def default_creator(world: World, namespace: Namespace) -> User:
    """Who owns the namespace: a user, a group's first owner, or an administrator."""
    for place in ancestors(world, namespace.id):
        owner = namespaces.owner_of(world, place)
        ids = [owner.id] if owner else namespaces.owner_ids(world, place)
        if ids:
            return world.users[ids[0]]
    return next(user for user in world.users.all() if user.admin)


def _changed(entry: Entry, project: Project) -> Project:
    if entry.said.get("marked_for_deletion_on", "") is None and project.marked_for_deletion_on:
        project = projects.restore(entry.ctx, project)
    return projects.update(entry.ctx, project, **entry.given(_CHECKED))


def _references(entry: Entry) -> dict[str, int | None]:
    said, found = entry.said, {}
    if "creator" in said:
        found["creator_id"] = _id(entry.user_or_none("creator"))
    if "mirror_user" in said:
        found["mirror_user_id"] = _id(entry.user_or_none("mirror_user"))
    if "forked_from_project" in said:
        found["forked_from_id"] = _id(entry.project_or_none("forked_from_project"))
    return found


def _expect_approvers(entry: Entry) -> None:
    """Name its approvers as the API before rules does, once all users and groups are there."""
    said: dict[str, list[str]] = {name: entry.said[name] for name in _NAMED_APPROVERS if name in entry.said}
    if said:
        entry.afterwards(lambda: _name_approvers(entry, said))


def _name_approvers(entry: Entry, said: dict[str, list[str]]) -> None:
    changes = {}
    if "approvers" in said:
        changes["approver_ids"] = tuple(entry.named_user(name, "approvers").id for name in said["approvers"])
    if "approver_groups" in said:
        groups = said["approver_groups"]
        changes["approver_group_ids"] = tuple(entry.named_group(path, "approver_groups").id for path in groups)
    entry.world.projects.change(entry.record(), **changes)


def _id(record: User | Project | None) -> int | None:
    return record.id if record else None


def _tell(world: World, owner: Any) -> Iterator[tuple[Project, Told]] | None:
    """All of them at the top, so that they are made in this order again."""
    return None if owner is not None else ((project, _told(world, project)) for project in world.projects.all())


def _told(world: World, project: Project) -> Told:
    always = ("archived",) if project.marked_for_deletion_on else ()
    found = telling.non_default_fields(project, _OWN, always=("visibility", "container_expiration_policy", *always))
    del found["path"]
    if "languages" in found:
        found["languages"] = dict(project.languages)
    by = telling.username_of(world, project.marked_for_deletion_by)
    parent = world.projects.get(project.forked_from_id) if project.forked_from_id else None
    mirror_user = telling.username_of(world, project.mirror_user_id)
    expected = dict.fromkeys(("updated_at", "last_activity_at"), project.created_at)
    return {
        "path_with_namespace": namespaces.project_path(world, project),
        "creator": telling.username_of(world, project.creator_id),
        **telling.remove_defaults(found, **expected, container_expiration_policy=dict(projects.DEFAULT_POLICY)),
        **({"marked_for_deletion_by": by} if by else {}),
        **({"forked_from_project": namespaces.project_path(world, parent)} if parent else {}),
        **({"mirror_user": mirror_user} if mirror_user else {}),
        **_told_approvers(world, project),
        **({"former_paths": former} if (former := redirects.list_old_paths(world, project)) else {}),
        **pictures.serialize_avatar(world, project.avatar),
    }


def _told_approvers(world: World, project: Project) -> Told:
    users = [name for id_ in project.approver_ids if (name := telling.username_of(world, id_))]
    spaces = (world.namespaces.get(id_) for id_ in project.approver_group_ids)
    groups = [namespaces.full_path(world, space) for space in spaces if space]
    return {name: value for name, value in (("approvers", users), ("approver_groups", groups)) if value}


SECTION: Final = Section(
    "projects",
    under=(SCENARIO, "group", "user"),
    rank=PROJECTS,
    keys=Object(
        _keys(),
        one_of=("path", "path_with_namespace"),
        descriptions={
            "creator": "A username; otherwise the first owner of the nearest group above, or the administrator.",
            "mirror_user": "A username.",
            "forked_from_project": "A full path.",
            "marked_for_deletion_by": "A username.",
            "approvers": "Usernames, as PUT approvers names them; approval_rules says what they come to.",
            "approver_groups": "Full paths of groups, likewise.",
            "former_paths": "Full paths that it had before, at which git still finds it.",
        },
    ),
    make=_make,
    tell=_tell,
    named="path",
    whole="path_with_namespace",
    kind="project",
    find=namespaces.find_project_by_path,
)
