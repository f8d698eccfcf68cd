"""Image repositories of the container registry and their tags. Source: docs/platform/registry.md."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final, TypedDict, Unpack

import orjson

from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerRepository, ContainerTag, RepositoryStatus
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_DELETE: Final = "delete_container_repository"
DELAY: Final = SECOND
"""The time (ms) after which deletions that a user has requested are done."""

# Lower-case parts, separated by a dot, one or two underscores, or hyphens; up to three of them below the project.
_PART: Final = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_NAME: Final = re.compile(rf"(?:{_PART}(?:/{_PART}){{0,2}})?")
TAG_NAME: Final = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


def list_by_project(world: World, project: Project) -> Sequence[ContainerRepository]:
    """Return the image repositories of a project."""
    return world.container_repositories.where("project", project.id)


def list_by_group(world: World, group: Namespace) -> list[ContainerRepository]:
    """Return the image repositories of the projects in a group and its subgroups, where the registry is enabled."""
    projects = (
        project for project in namespaces.list_projects_within(world, group) if project.container_registry_enabled
    )
    found = (repository for project in projects for repository in list_by_project(world, project))
    return sorted(found, key=lambda repository: repository.id)


def get_repository(world: World, project: Project, id_: int) -> ContainerRepository:
    """Return the image repository of a project with an id, or refuse with 404."""
    repository = world.container_repositories.get(id_)
    if repository is None or repository.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no image repository {id_}")
    return repository


def list_tags(world: World, repository: ContainerRepository) -> list[ContainerTag]:
    """Return the tags of an image repository, by name."""
    return sorted(world.container_tags.where("repository", repository.id), key=lambda tag: tag.name)


def count_tags(world: World, repository: ContainerRepository) -> int:
    """Return the number of tags of an image repository."""
    return len(world.container_tags.ids("repository", repository.id))


def measure_size(world: World, repository: ContainerRepository) -> int:
    """Return the bytes of all images of a repository; what several of them share counts once."""
    parts: dict[str, int] = {}
    for tag in list_tags(world, repository):
        manifest = world.image_manifests.find("digest", (repository.id, tag.digest))
        layers = orjson.loads(manifest.content).get("layers", ()) if manifest else ()
        # Only of images that were pushed the layers are known.
        parts.update({layer["digest"]: layer["size"] for layer in layers} or {tag.digest: tag.total_size})
    return sum(parts.values())


def get_tag(world: World, repository: ContainerRepository, name: str) -> ContainerTag:
    """Return the tag of an image repository with a name, or refuse with 404."""
    tag = world.container_tags.find("name", (repository.id, name))
    if tag is None:
        raise NotFound("Tag", reason=f"image repository {repository.id} has no tag {name!r}")
    return tag


def path_of(world: World, repository: ContainerRepository) -> str:
    """Return the path of an image repository: that of the project in lower case, and its name."""
    project_path = namespaces.project_path(world, world.projects[repository.project_id]).lower()
    return f"{project_path}/{repository.name}" if repository.name else project_path


def has_tags(world: World, project: Project) -> bool:
    """Return whether there are any images in the registry of a project."""
    return any(count_tags(world, repository) for repository in list_by_project(world, project))


def is_repository_name(name: str) -> bool:
    """Return whether a text can be the name of an image repository."""
    return bool(_NAME.fullmatch(name))


class RepositoryFields(TypedDict, total=False):
    """Further fields of a new image repository."""

    created_at: str
    updated_at: str
    status: RepositoryStatus | None
    cleanup_policy_started_at: str | None


def create(ctx: WriteContext, project: Project, name: str, **fields: Unpack[RepositoryFields]) -> ContainerRepository:
    """Create an image repository in a project."""
    errors, table = ValidationErrors(), ctx.world.container_repositories
    errors.when(not is_repository_name(name), "name", "is invalid")
    errors.when(table.find("name", (project.id, name)), "name", TAKEN)
    errors.refuse()
    values: RepositoryFields = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso, **fields}
    return table.add(ContainerRepository(table.next_id(), project.id, name, **values))


def add_tags(ctx: WriteContext, repository: ContainerRepository, rows: Iterable[dict[str, Any]]) -> None:
    """Add tags to an image repository, or move those whose names exist already to other images."""
    images = {tag.digest: tag for tag in ctx.world.container_tags.where("repository", repository.id)}
    for row in rows:
        tag = _add_tag(ctx, repository, row, images.get(row.get("digest", "")))
        images[tag.digest] = tag


def _add_tag(
    ctx: WriteContext, repository: ContainerRepository, row: dict[str, Any], same: ContainerTag | None
) -> ContainerTag:
    errors, table = ValidationErrors(), ctx.world.container_tags
    errors.when(not TAG_NAME.fullmatch(row["name"]), "tags", f"{row['name']} is not a valid name of a tag")
    errors.when("digest" in row and not _DIGEST.fullmatch(row["digest"]), "tags", "digest is not a SHA-256")
    errors.refuse()
    existing = table.find("name", (repository.id, row["name"]))
    shared = _image_of(same) if same is not None else {}
    if existing is not None:
        return table.change(existing, **{**shared, **row})
    image = shared or _new_image(ctx, repository, row["name"])
    return table.add(ContainerTag(table.next_id(), repository.id, **{**image, **row}))


def _image_of(tag: ContainerTag) -> dict[str, Any]:
    """Return what all tags of an image share."""
    return {"revision": tag.revision, "created_at": tag.created_at, "total_size": tag.total_size}


def _new_image(ctx: WriteContext, repository: ContainerRepository, tag_name: str) -> dict[str, Any]:
    """Return an invented image, which depends only on the first name that it gets."""
    name = f"{path_of(ctx.world, repository)}:{tag_name}"
    return {
        "digest": f"sha256:{sha256(f'manifest of {name}'.encode()).hexdigest()}",
        "revision": sha256(f"configuration of {name}".encode()).hexdigest(),
        "created_at": repository.created_at,
    }


def delete_tag(ctx: WriteContext, tag: ContainerTag) -> None:
    """Delete a tag; other tags of the same image stay."""
    purge(ctx, tag)


def schedule_deletion(ctx: WriteContext, repository: ContainerRepository) -> ContainerRepository:
    """Delete an image repository in the background; it is listed until then."""
    subject = subject_of(repository)
    ctx.cancel_tasks(subject, _DELETE)
    user_id = ctx.user.id if ctx.user else None
    ctx.schedule(_DELETE, subject, ctx.now() + DELAY, in_progress=True, user_id=user_id)
    return ctx.world.container_repositories.change(repository, status="delete_scheduled", updated_at=ctx.now_iso)


def subject_of(repository: ContainerRepository) -> Subject:
    """Return the key of a repository's scheduled tasks."""
    return ("container_repositories", repository.id)


@task_handler(_DELETE)
def _delete_when_due(ctx: WriteContext, task: ScheduledTask) -> None:
    repository = ctx.world.container_repositories[task.subject[1]]
    if is_allowed(ctx, task, Ability.ADMIN_CONTAINER_IMAGE, repository):
        purge(ctx, repository)


def is_allowed(ctx: WriteContext, task: ScheduledTask, ability: Ability, repository: ContainerRepository) -> bool:
    """Return whether the user who requested a task, if any, has an ability when it is due."""
    user_id = task.args.get("user_id")
    if user_id is None:
        return True
    user = ctx.world.users.get(user_id)
    return user is not None and can(ctx.as_user(user), ability, ctx.world.projects[repository.project_id])
