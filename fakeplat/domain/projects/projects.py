"""Projects: making, changing, moving, starring, archiving and removing them. Source: docs/platform/projects.md."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Conflict, InvalidRecord, LimitReached, NotModified
from fakeplat.core.params.body import Upload
from fakeplat.core.stamps import DAY, HOUR, moment
from fakeplat.core.store.agenda import Due, work
from fakeplat.domain.alerts import alerts
from fakeplat.domain.checks import (
    BLANK,
    PROJECT_NAME_TEXT,
    PROJECT_PATH_TEXT,
    RESERVED_IN_NAMESPACES,
    TAKEN,
    Faults,
    is_project_name,
    is_project_path,
    regex_fault,
    ruby,
    too_long,
)
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import approval_rules, merge_request_upkeep
from fakeplat.domain.notes import commit_notes
from fakeplat.domain.people import activity, members, namespaces, seats, tokens
from fakeplat.domain.people.path_names import slug
from fakeplat.domain.planning import boards, labels, milestones
from fakeplat.domain.projects import (
    belongings,
    custom_attributes,
    environments,
    files,
    pipelines,
    redirects,
    services,
    shares,
)
from fakeplat.domain.repository import branches, lfs, repositories
from fakeplat.domain.settings import deletion_period
from fakeplat.domain.snippets import snippets
from fakeplat.model.levels import Level, rank
from fakeplat.model.namespaces import Group, Namespace, UserNamespace
from fakeplat.model.projects import Project, Star, StoredFile
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.levels import chain
from fakeplat.policy.rulings import can, demand

_DELETE: Final = "delete_project"
_TEMPLATES: Final = frozenset(
    "rails spring express iosswift dotnetcore android gomicro gatsby hugo jekyll plainhtml gitbook hexo sse_middleman "
    "nfhugo nfjekyll nfplainhtml nfgitbook nfhexo salesforcedx serverless_framework cluster_management".split()
)
_MIRRORING: Final = (
    "mirror",
    "mirror_user_id",
    "mirror_trigger_builds",
    "only_mirror_protected_branches",
    "mirror_overwrites_diverged_branches",
)
_STORAGE: Final = "default"
_SWITCHES: Final = {
    "issues_enabled": "issues_access_level",
    "merge_requests_enabled": "merge_requests_access_level",
    "wiki_enabled": "wiki_access_level",
    "jobs_enabled": "builds_access_level",
    "snippets_enabled": "snippets_access_level",
}
DEFAULT_POLICY: Final = {
    "cadence": "1d",
    "enabled": True,
    "keep_n": 10,
    "older_than": "90d",
    "name_regex": ".*",
    "name_regex_keep": None,
}


def create(cx: Doing, namespace: Namespace, creator: User, **attributes: Any) -> Project:
    """Make a project in a namespace; ``creator`` becomes its Maintainer.

    Takes the platform's parameters of POST /projects and any field of the record. Refuses with 403 above the
    creator's limit, with 400 for anything else that is wrong.
    """
    with_readme = attributes.pop("initialize_with_readme", False)
    _check_template(attributes.pop("template_name", None))
    if attributes.get("mirror"):
        attributes["mirror_user_id"] = cx.someone.id
    (project,) = create_many(cx, namespace, creator, [attributes])
    return _begun(cx, project, creator) if with_readme else project


def _check_template(name: str | None) -> None:
    if name and name not in _TEMPLATES:
        raise InvalidRecord({"template_name": [f"'{name}' is unknown or invalid"]})


def create_many(cx: Doing, namespace: Namespace, creator: User, rows: Sequence[Mapping[str, Any]]) -> list[Project]:
    """Make projects in a namespace, each as `create` does, at once: all of them or none."""
    _check_limit(cx.world, namespace, creator, len(rows))
    ready = [_checked(cx, namespace, _settled(cx, row)) for row in rows]
    avatars = [fields.pop("avatar", None) for fields in ready]
    made = zip(_add_many(cx, namespace, creator, ready), avatars, strict=True)
    return [_completed(cx, project, creator, avatar) for project, avatar in made]


def _begun(cx: Doing, project: Project, creator: User) -> Project:
    """With a README on what is to be the default branch."""
    _check_name(project.default_branch)
    readme = f"# {project.name}\n\n{project.description or ''}"
    branches.begin(cx, project, creator, readme.encode(), "Initial commit")
    return cx.world.projects[project.id]


def _check_name(branch: str | None) -> None:
    from fakeplat.git.errors import BadName
    from fakeplat.git.names import check_branch

    try:
        check_branch("master" if branch is None else branch)
    except BadName:
        raise _no_default_branch(f"git takes no branch {branch!r}") from None


def _no_default_branch(reason: str) -> InvalidRecord:
    return InvalidRecord({"base": ["Could not set the default branch"]}, reason=reason)


def creation_faults(cx: Context, namespace: Namespace, path: str) -> Faults:
    """Return what is wrong with a project of this path and name in a namespace."""
    return _faults(cx, namespace, {"path": path, "name": path}, before=None)


def is_limit_reached(world: World, namespace: Namespace, creator: User) -> bool:
    """Return whether somebody may have no more projects in a namespace."""
    try:
        _check_limit(world, namespace, creator, 1)
    except LimitReached:
        return True
    return False


def _checked(cx: Doing, namespace: Namespace, fields: dict[str, Any]) -> dict[str, Any]:
    faults = _faults(cx, namespace, fields, before=None)
    if fields.get("avatar") is not None:
        files.check_avatar(faults, fields["avatar"])
    faults.refuse()
    return fields


def _completed(cx: Doing, project: Project, creator: User, avatar: Upload | None) -> Project:
    """A project with what stands in other tables."""
    redirects.forget(cx, namespaces.project_path(cx.world, project))
    if cx.user is not None:
        activity.record(cx, creator, "created", project)
    if avatar is not None:
        project = cx.world.projects.change(project, avatar=files.new_avatar(cx, ("project", project.id), avatar))
    if members.get_or_none(cx.world, project, creator) is None and not _owns_above(cx.world, project, creator):
        members.add(cx, project, creator, Level.MAINTAINER)
    cx.emit("project_created", project)
    return project


def _owns_above(world: World, project: Project, creator: User) -> bool:
    above = (world.members.find("pair", (("group", g.id), creator.id)) for g in chain(world, project.namespace_id))
    return any(member and member.access_level > Level.MAINTAINER for member in above)


def _settled(cx: Doing, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The record's fields that the parameters of a new project stand for."""
    given = {name: value for name, value in attributes.items() if value is not None}
    name, path = given.get("name") or given.get("path", ""), given.get("path") or slug(given.get("name", ""))
    given.update(name=name, path=path)
    given.setdefault("visibility", cx.world.settings.default_project_visibility)
    return _fields(given)


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    """Parameters as the record's fields: switches become access levels, lists become tuples."""
    for switch, level in _SWITCHES.items():
        if switch in given:
            given.setdefault(level, "enabled" if given.pop(switch) else "disabled")
            given.pop(switch, None)
    if "tag_list" in given:
        given["tag_list"] = tuple(dict.fromkeys(tag.strip() for tag in given["tag_list"] or () if tag.strip()))
    if "container_expiration_policy_attributes" in given:
        given["container_expiration_policy"] = given.pop("container_expiration_policy_attributes")
    return given


def _add_many(cx: Doing, namespace: Namespace, creator: User, rows: Sequence[Mapping[str, Any]]) -> list[Project]:
    if not rows:
        return []
    table = cx.world.projects
    usual = {"namespace_id": namespace.id, "creator_id": creator.id}
    numbered = zip(count(table.next_id()), rows, strict=False)
    made = [Project(**{**usual, "id": id_, **_complete(cx, fields)}) for id_, fields in numbered]
    table.add_many(made)
    return made


def _complete(cx: Doing, fields: Mapping[str, Any]) -> dict[str, Any]:
    now = cx.instant
    settled = {"created_at": now, "updated_at": now, "last_activity_at": now, "default_branch": None, **fields}
    settled["container_expiration_policy"] = {**DEFAULT_POLICY, **(fields.get("container_expiration_policy") or {})}
    settled.setdefault("runners_token", cx.chance("runners token", 10))
    return settled


def _check_limit(world: World, namespace: Namespace, creator: User, more: int) -> None:
    if (
        isinstance(namespace, UserNamespace)
        and len(world.projects.ids("namespace", namespace.id)) + more > creator.projects_limit
    ):
        reason = f"{creator.username} has a projects_limit of {creator.projects_limit}"
        raise LimitReached(_limit_text(creator.projects_limit), reason=reason)


def _limit_text(limit: int) -> str:
    if limit == 0:
        return "Personal project creation is not allowed. Please contact your administrator with questions"
    return f"Your project limit is {limit} projects! Please contact your administrator to increase it"


def _faults(cx: Context, namespace: Namespace, fields: Mapping[str, Any], before: Project | None) -> Faults:
    faults, world = Faults(), cx.world
    if "name" in fields and (before is None or before.name != fields["name"]):
        _name_faults(faults, world, namespace, fields["name"])
    if "path" in fields and (before is None or before.path.lower() != fields["path"].lower()):
        _path_faults(faults, world, namespace, fields["path"])
    if "visibility" in fields and (before is None or before.visibility != fields["visibility"]):
        _visibility_faults(faults, cx, namespace, fields["visibility"])
        _fork_faults(faults, cx.world, before, fields["visibility"])
    too_long(faults, "description", fields.get("description"), 2000)
    _storage_faults(faults, cx.world, fields.get("repository_storage"))
    _policy_faults(faults, fields.get("container_expiration_policy") or {})
    timeout = fields.get("build_timeout")
    if timeout is not None and timeout < 600:
        faults.add("build_timeout", "needs to be between 10 minutes and 1 month")
    return faults


def _storage_faults(faults: Faults, world: World, storage: str | None) -> None:
    """An instance has its usual storage, and those where some project lies."""
    if storage in (None, _STORAGE) or any(project.repository_storage == storage for project in world.projects.all()):
        return
    faults.add("repository_storage_moves", "is invalid")


def _policy_faults(faults: Faults, policy: Mapping[str, Any]) -> None:
    for name in ("name_regex", "name_regex_keep"):
        fault = regex_fault(str(policy.get(name) or ""))
        faults.when(fault, f"container_expiration_policy.{name}", f"not valid RE2 syntax: {fault}")


def _mirror_user(cx: Doing, project: Project, wanted: int | None) -> int:
    """Whoever changes how a project is mirrored mirrors it from now on; administrators name anybody."""
    if wanted is None or wanted == project.mirror_user_id:
        return cx.someone.id
    if not cx.admin or cx.world.users.get(wanted) is None:
        raise InvalidRecord({"mirror_user_id": ["is invalid"]})
    return wanted


def _name_faults(faults: Faults, world: World, namespace: Namespace, name: str) -> None:
    faults.when(world.projects.find("name", (namespace.id, name)), "name", TAKEN)
    faults.when(not name.strip(), "name", BLANK)
    too_long(faults, "name", name)
    faults.when(not is_project_name(name), "name", PROJECT_NAME_TEXT)


def _path_faults(faults: Faults, world: World, namespace: Namespace, path: str) -> None:
    sibling = isinstance(namespace, Group) and world.namespaces.find("place", (namespace.id, path.lower()))
    faults.when(world.projects.find("place", (namespace.id, path.lower())) or sibling, "path", TAKEN)
    faults.when(not path, "path", BLANK)
    too_long(faults, "path", path)
    faults.when(not is_project_path(path), "path", PROJECT_PATH_TEXT)
    faults.when(path.lower() in RESERVED_IN_NAMESPACES, "path", f"{path} is a reserved name")


def _visibility_faults(faults: Faults, cx: Context, namespace: Namespace, visibility: str) -> None:
    if visibility in cx.world.settings.restricted_visibility_levels and not cx.admin:
        by = cx.instance.product_name
        faults.add("visibility_level", f"{visibility} has been restricted by your {by} administrator")
    if isinstance(namespace, Group) and rank(visibility) > rank(namespace.visibility):
        faults.add("visibility_level", f"{visibility} is not allowed in a {namespace.visibility} group.")


def _fork_faults(faults: Faults, world: World, project: Project | None, visibility: str) -> None:
    """A fork is never more visible than its parent."""
    parent = world.projects.get(project.forked_from_id) if project and project.forked_from_id is not None else None
    if parent is not None and rank(visibility) > rank(parent.visibility):
        faults.add(
            "visibility_level", f"{visibility} is not allowed since the fork source project has lower visibility."
        )


def update(cx: Doing, project: Project, **attributes: Any) -> Project:
    """Edit a project."""
    fields = _fields(attributes)
    if any(name in fields for name in _MIRRORING):
        fields["mirror_user_id"] = _mirror_user(cx, project, fields.get("mirror_user_id"))
    avatar = fields.pop("avatar", _ABSENT)
    default_branch = fields.pop("default_branch", None) or project.default_branch
    _check_default_branch(cx, project, default_branch)
    faults = _faults(cx, cx.world.namespaces[project.namespace_id], fields, before=project)
    if isinstance(avatar, Upload):
        files.check_avatar(faults, avatar)
    faults.refuse()
    if avatar is not _ABSENT:
        fields["avatar"] = _changed_avatar(cx, project, avatar)
    if "container_expiration_policy" in fields:
        old = project.container_expiration_policy or DEFAULT_POLICY
        fields["container_expiration_policy"] = {**old, **(fields["container_expiration_policy"] or {})}
    with redirects.kept(cx, [project]):
        changed = cx.world.projects.change(project, **fields)
    if default_branch != project.default_branch:
        changed = repositories.make_default(cx, changed, str(default_branch))
    if changed is not project:
        changed = cx.world.projects.change(changed, updated_at=cx.instant)
        cx.emit("project_updated", changed)
    return changed


_ABSENT: Final = object()


def _check_default_branch(cx: Doing, project: Project, wanted: str | None) -> None:
    if wanted == project.default_branch:
        return
    there = repositories.opened(cx.world, project).branches()
    if wanted not in there:
        raise _no_default_branch(f"there is no branch {wanted!r}; there are: {', '.join(there) or 'none'}")


def _changed_avatar(cx: Doing, project: Project, avatar: object) -> int | None:
    owner = ("project", project.id)
    if isinstance(avatar, Upload):
        return files.new_avatar(cx, owner, avatar)
    files.drop(cx, owner, files.AVATAR)
    return None


def set_archived(cx: Doing, project: Project, archived: bool) -> Project:
    """Archive or unarchive; repeating it is harmless."""
    if project.archived == archived:
        return project
    return cx.world.projects.change(project, archived=archived, updated_at=cx.instant)


def star(cx: Doing, project: Project, user: User) -> Project:
    """Star a project; a second time changes nothing."""
    stars = cx.world.stars
    if stars.find("pair", (user.id, project.id)):
        raise NotModified(reason=f"{user.username} has starred project {project.id} already")
    stars.add(Star(stars.next_id(), user.id, project.id, cx.instant))
    return project


def unstar(cx: Doing, project: Project, user: User) -> Project:
    """Take a star back; where there is none, nothing changes."""
    found = cx.world.stars.find("pair", (user.id, project.id))
    if found is None:
        raise NotModified(reason=f"{user.username} has not starred project {project.id}")
    cx.world.stars.remove(found)
    return project


def attach(cx: Doing, project: Project, upload: Upload) -> StoredFile | None:
    """Keep a file for a project; nothing comes of one that is over the limit."""
    if len(upload.data) > cx.world.settings.max_attachment_size * 1024 * 1024:
        return None
    return files.store(cx, ("project", project.id), upload, cx.chance("upload"))


def delays_deletion(cx: Context, project: Project) -> bool:
    """Whether a project is kept for some days before it goes: a paid tier, a group's project, a period set."""
    in_group = isinstance(cx.world.namespaces[project.namespace_id], Group)
    return has(cx.world, "premium", project) and in_group and cx.world.settings.deletion_adjourned_period > 0


def delete(cx: Doing, project: Project) -> None:
    """Delete a project: at once, or after the period in which it can be restored."""
    if not delays_deletion(cx, project):
        remove(cx, project)
        return
    if project.marked_for_deletion_on is not None:
        return
    by = cx.user.id if cx.user else None
    cx.world.projects.change(project, marked_for_deletion_on=cx.today, marked_for_deletion_by=by, archived=True)
    _delete_at(cx, project, cx.now() + deletion_period(cx))


def mark_for_deletion(cx: Doing, project: Project, on: str, by: User | None = None) -> Project:
    """Have a project deleted that was marked on a day, once the period after that day has passed."""
    _delete_at(cx, project, moment(on) + DAY + deletion_period(cx))
    return cx.world.projects.change(
        project, marked_for_deletion_on=on, marked_for_deletion_by=by.id if by else None, archived=True
    )


def _delete_at(cx: Doing, project: Project, at: int) -> None:
    subject = ("projects", project.id)
    cx.cancel(subject, _DELETE)
    cx.later(_DELETE, subject, at)


def restore(cx: Doing, project: Project) -> Project:
    """Take a deletion back that has not happened yet."""
    if project.marked_for_deletion_on is None:
        raise BadRequest("Project has not been marked for deletion")
    cx.cancel(("projects", project.id), _DELETE)
    return cx.world.projects.change(
        project, marked_for_deletion_on=None, marked_for_deletion_by=None, archived=False, updated_at=cx.instant
    )


@work(_DELETE)
def _delete_now(cx: Doing, due: Due) -> None:
    project = cx.world.projects.get(due.subject[1])
    if project is not None:
        remove(cx, project)


def remove(cx: Doing, project: Project) -> None:
    """Remove a project with all that is in it."""
    world = cx.world
    cx.cancel(("projects", project.id))
    redirects.drop(cx, project)
    repositories.drop(cx, project)
    lfs.drop(cx, project)
    commit_notes.drop(cx, project)
    merge_request_upkeep.drop(cx, project)
    pipelines.drop(cx, project)
    approval_rules.drop(cx, project)
    alerts.drop(cx, project)
    services.drop(cx, project)
    environments.drop(cx, project)
    snippets.drop(cx, project)
    issues.drop(cx, project)
    labels.drop(cx, project)
    milestones.drop(cx, project)
    belongings.drop(cx, project)
    members.drop(cx, project)
    shares.drop(cx, project)
    tokens.drop(cx, project)
    for group in list(world.namespaces.where("file_templates", project.id)):
        world.namespaces.change(group, file_template_project_id=None)
    for fork in list(world.projects.where("forked_from", project.id)):
        world.projects.change(fork, forked_from_id=None)
    for star_ in list(world.stars.where("project", project.id)):
        world.stars.remove(star_)
    custom_attributes.drop(cx, ("project", project.id))
    files.drop(cx, ("project", project.id))
    world.projects.remove(project)
    cx.emit("project_deleted", project)


def transfer(cx: Doing, project: Project, target: Namespace) -> Project:
    """Move a project to another namespace."""
    world = cx.world
    if target.id == project.namespace_id or not can(cx, May.CREATE_PROJECTS, target):
        raise _untransferable("Transfer failed, please contact an admin.")
    same_path = world.projects.find("place", (target.id, project.path.lower()))
    if same_path or world.projects.find("name", (target.id, project.name)):
        raise _untransferable("Project with same name or path in target namespace already exists")
    visibility = project.visibility
    if isinstance(target, Group) and rank(visibility) > rank(target.visibility):
        visibility = target.visibility
    for place in (project, target):
        seats.note(cx, place)
    with redirects.kept(cx, [project]):
        moved = world.projects.change(project, namespace_id=target.id, visibility=visibility, updated_at=cx.instant)
    issues.settle_in(cx, moved)
    merge_request_upkeep.settle_in(cx, moved)
    labels.settle_priorities(cx, moved)
    boards.settle_in(cx, moved)
    cx.emit("project_transferred", moved)
    return moved


def _untransferable(text: str) -> BadRequest:
    return BadRequest(f"Failed to transfer project {ruby({'new_namespace': [text]})}")


def keep_house(cx: Doing, project: Project) -> Project:
    """Tidy the repository; once an hour is enough."""
    if cx.now() < project.housekept_until:
        raise Conflict("Somebody already triggered housekeeping for this project in the past 60 minutes")
    return cx.world.projects.change(project, housekept_until=cx.now() + HOUR)


def check_changes(cx: Context, project: Project, given: Mapping[str, Any]) -> None:
    """Refuse changes that ask for more than administering a project."""
    if given.get("name"):
        demand(cx, May.RENAME_PROJECT, project)
    if given.get("visibility"):
        demand(cx, May.CHANGE_VISIBILITY, project)
