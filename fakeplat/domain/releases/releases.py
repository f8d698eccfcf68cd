"""Releases: list, create, update and delete. Source: docs/platform/releases.md."""

from collections.abc import Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    ForbiddenWithMessage,
    NotFoundWithMessage,
    RecordNotFound,
    Unprocessable,
)
from fakeplat.core.operations.reasons import list_names
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain import signals
from fakeplat.domain.people.namespaces import list_projects_within
from fakeplat.domain.planning import milestones
from fakeplat.domain.purging import purge
from fakeplat.domain.releases import evidences, release_links
from fakeplat.domain.repository import protection, repositories, tags
from fakeplat.domain.repository.tags import ProjectTag
from fakeplat.model.people import Group
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.repository import TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.behaviours import DEVELOPERS_DELETE_RELEASES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature

NO_TAG: Final = "Tag does not exist"
_WRITES: Final = (Ability.UPDATE_RELEASE, Ability.DESTROY_RELEASE)


def list_releases(world: World, project: Project, order_by: str, *, descending: bool) -> list[Release]:
    """Return the releases of a project by ``released_at`` or ``created_at``."""
    rows = world.releases.where("project", project.id)
    return sorted(rows, key=lambda release: (getattr(release, order_by), release.id), reverse=descending)


def list_group_releases(ctx: ReadContext, group: Group, *, descending: bool) -> list[Release]:
    """Return the releases that the caller sees in the projects of a group and its subgroups."""
    projects = list_projects_within(ctx.world, group)
    visible = [project for project in projects if can_see(ctx, project) and can(ctx, Ability.READ_RELEASE, project)]
    rows = [release for project in visible for release in ctx.world.releases.where("project", project.id)]
    return sorted(rows, key=lambda release: (release.released_at, release.id), reverse=descending)


def find(world: World, project: Project, tag_name: str) -> Release | None:
    """Return the release of a tag."""
    return world.releases.find("tag", (project.id, tag_name))


def get(world: World, project: Project, tag_name: str) -> Release:
    """Return the release of a tag, or raise 404."""
    release = find(world, project, tag_name)
    if release is None:
        raise RecordNotFound(reason=_explain_missing(world, project, tag_name))
    return release


def get_permitted(ctx: ReadContext, ability: Ability, project: Project, tag_name: str) -> Release:
    """Return the release of a tag; 403 if there is none or the caller lacks an ability (ruling 26)."""
    release = find(ctx.world, project, tag_name)
    if release is None:
        raise Forbidden(reason=_explain_missing(ctx.world, project, tag_name))
    authorize(ctx, ability, project)
    if ability in _WRITES:
        require_tag(ctx, project, tag_name)
    return release


def require_tag(ctx: ReadContext, project: Project, tag_name: str, message: str = "403 Forbidden") -> None:
    """Raise Forbidden if the caller may not create the tag of a release that is to be changed."""
    if ctx.profile.has(DEVELOPERS_DELETE_RELEASES) and not protection.can_create_tag(ctx, project, tag_name):
        raise ForbiddenWithMessage(
            message, reason=lambda: f"{caller_name(ctx)} may not create the protected tag {tag_name!r}"
        )


def _explain_missing(world: World, project: Project, tag_name: str) -> str:
    return f"{describe(world, project)} has no release of the tag {tag_name!r}"


def find_sha(world: World, release: Release) -> str | None:
    """Return the commit of a release: the one recorded with it, else that of its tag."""
    if release.sha is not None:
        return release.sha
    tag = find_tag(world, world.projects[release.project_id], release.tag_name)
    return tag.commit if tag is not None else None


def find_tag(world: World, project: Project, name: str) -> ProjectTag | None:
    """Return a tag of a project."""
    exists = TAGS + name in repositories.open_repository(world, project).refs
    return tags.get_tag(world, project, name) if exists else None


def is_upcoming(ctx: ReadContext, release: Release) -> bool:
    """Return whether the second in which a release is due has not come yet."""
    return not ctx.has_passed(from_iso(release.released_at) // SECOND * SECOND)


class ReleaseFields(TypedDict, total=False):
    """Further fields of a new release; a null stands for the default."""

    name: str | None
    description: str | None
    released_at: str | None
    updated_at: str
    author_id: int | None


def create(
    ctx: WriteContext,
    project: Project,
    tag_name: str,
    *,
    ref: str | None = None,
    tag_message: str | None = None,
    titles: Sequence[str] = (),
    milestone_ids: Sequence[int] = (),
    links: Sequence[release_links.NewLink] = (),
    **fields: Unpack[ReleaseFields],
) -> Release:
    """Create the release of a tag, and the tag at ``ref`` if there is none. Milestones have titles or ids."""
    if find(ctx.world, project, tag_name) is not None:
        raise Conflict("Release already exists", reason=f"{describe(ctx.world, project)} has a release {tag_name!r}")
    found_ids = (*_get_milestones(ctx.world, project, titles), *_get_by_ids(ctx.world, project, milestone_ids))
    tag = find_tag(ctx.world, project, tag_name) or _create_tag(ctx, project, tag_name, ref, tag_message)
    sentences = release_links.find_sentences(links)
    if sentences:
        raise BadRequest(f"Validation failed: {', '.join(sentences)}")
    release = insert(ctx, project, tag_name, sha=tag.commit, milestone_ids=found_ids, **fields)
    for link in links:
        release_links.insert(ctx, release, **link)
    evidences.schedule(ctx, release)
    signals.release_created.send(ctx, release)
    return release


def insert(
    ctx: WriteContext,
    project: Project,
    tag_name: str,
    *,
    created_at: str | None = None,
    sha: str | None = None,
    milestone_ids: tuple[int, ...] = (),
    **fields: Unpack[ReleaseFields],
) -> Release:
    """Add a release, by default of the caller and released now, without any check."""
    table, now = ctx.world.releases, ctx.now_iso
    created_at = created_at or now
    defaults: dict[str, Any] = {
        "name": tag_name,
        "updated_at": created_at,
        "released_at": created_at,
        "author_id": ctx.user.id if ctx.user else None,
        "sha": sha,
        "milestone_ids": milestone_ids,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return table.add(Release(table.next_id(), project.id, tag_name, created_at=created_at, **{**defaults, **given}))


def _create_tag(ctx: WriteContext, project: Project, name: str, ref: str | None, message: str | None) -> ProjectTag:
    if ref is None:
        raise Unprocessable("Ref is not specified", reason=f"there is no tag {name!r}, and no ref to create it at")
    try:
        return tags.create(ctx, project, name, ref, message)
    except BadRequest as refusal:
        if refusal.payload != {"message": protection.CANNOT_CREATE_TAG}:
            raise
        raise ForbiddenWithMessage(protection.CANNOT_CREATE_TAG, reason=refusal.why) from None


def _get_milestones(world: World, project: Project, titles: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of milestones by title, or raise 400; those of groups above are a paid feature."""
    available: dict[str, Milestone] = {}
    for milestone in milestones.list_available(world, project, parents=has_feature(world, "premium", project)):
        # The project's own come first.
        available.setdefault(milestone.title, milestone)
    unknown = [title for title in titles if title not in available]
    if unknown:
        reason = f"the milestones are: {list_names([*available])}"
        raise BadRequest(f"Milestone(s) not found: {', '.join(unknown)}", reason=reason)
    return tuple(dict.fromkeys(available[title].id for title in titles))


def _get_by_ids(world: World, project: Project, ids: Sequence[int]) -> tuple[int, ...]:
    """Return the ids of milestones that the project can use, or raise 400."""
    rows = milestones.list_available(world, project, parents=has_feature(world, "premium", project)) if ids else ()
    available = {milestone.id for milestone in rows}
    unknown = [str(id_) for id_ in ids if id_ not in available]
    if unknown:
        raise BadRequest(f"Milestone id(s) not found: {', '.join(unknown)}", reason=f"there are {sorted(available)}")
    return tuple(dict.fromkeys(ids))


def list_milestones(world: World, release: Release) -> list[Milestone]:
    """Return the milestones of a release by due date, those without one last, then by title."""
    rows = [world.milestones[id_] for id_ in release.milestone_ids]
    return sorted(rows, key=lambda milestone: (milestone.due_date is None, milestone.due_date or "", milestone.title))


class ReleaseChanges(TypedDict, total=False):
    """Changes of a release; the milestones of ``titles`` replace all others."""

    name: str | None
    description: str | None
    released_at: str | None
    titles: Sequence[str]
    milestone_ids: Sequence[int]


def update(ctx: WriteContext, project: Project, release: Release, **fields: Unpack[ReleaseChanges]) -> Release:
    """Change a release: name, description, released_at, and ``titles`` of milestones, which replace all others."""
    _require_tag(ctx.world, project, release)
    if not fields:
        raise BadRequest("params is empty", reason="none of name, description, milestones and released_at was sent")
    values: dict[str, Any] = {**fields}
    titles = values.pop("titles", None)
    if titles is not None:
        values["milestone_ids"] = _get_milestones(ctx.world, project, titles)
    elif "milestone_ids" in values:
        values["milestone_ids"] = _get_by_ids(ctx.world, project, values["milestone_ids"])
    # Releases always have a name, which is that of the tag by default, and a time.
    if "name" in values and values["name"] is None:
        values["name"] = release.tag_name
    if values.get("released_at", "") is None:
        del values["released_at"]
    changed = ctx.world.releases.change(release, **values, updated_at=ctx.now_iso)
    if changed.released_at != release.released_at:
        evidences.schedule(ctx, changed)
    signals.release_updated.send(ctx, release, changed)
    return changed


def delete(ctx: WriteContext, project: Project, release: Release) -> None:
    """Delete a release with its links and evidence; its tag stays."""
    _require_tag(ctx.world, project, release)
    signals.release_deleted.send(ctx, release)
    purge(ctx, release)


def _require_tag(world: World, project: Project, release: Release) -> None:
    if find_tag(world, project, release.tag_name) is None:
        raise NotFoundWithMessage(NO_TAG, reason=f"the tag {release.tag_name!r} was deleted")
