"""Image repositories and tags of the container registry. Source: docs/platform/registry.md."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import GROUP, get_project
from fakeplat.core.operations.errors import Forbidden, RecordNotFound
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.paging import NamePaged, Paged, Paging
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Check, Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import namespaces
from fakeplat.domain.registry import container_repositories, protection_rules, tag_cleanups, tag_protection_rules
from fakeplat.domain.registry.tag_cleanups import CleanupCriteria
from fakeplat.domain.validation import explain_regex_error
from fakeplat.entities.registry import (
    SIZE,
    TAGS,
    TAGS_COUNT,
    ContainerRepositoryView,
    ContainerTagBasic,
    ContainerTagView,
)
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerRepository, ContainerTag
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import JOBS_USE_APIS_OF_THEIR_PROJECT, TAGS_ARE_PAGED_BY_NAME
from fakeplat.policy.context import ReadContext, WriteContext

# The right to read is checked before the parameters, the right to delete after the repository was found.
_FOREIGN_JOB: Final = (
    "This project's CI/CD job token cannot be used to authenticate with the container registry of a different project."
)
area: Final = Area("Container registry", login=Login.NEVER, located_first=True)
REPOSITORIES: Final = "registry/repositories"
REPOSITORY: Final = f"{REPOSITORIES}/:repository_id"


class ListRepositories(Paged):
    """What is shown of each repository."""

    tags: bool = False
    tags_count: bool = False


def _get_own_project(ctx: ReadContext, reference: str) -> Project:
    """Return the project as `get_project` does; 403 for a job of another project."""
    token = ctx.token
    if token is not None and token.kind == "job":
        project = namespaces.find_project(ctx.world, reference)
        if project is None or project.id != token.project_id:
            raise Forbidden(_FOREIGN_JOB, reason="the job belongs to another project")
    return get_project(ctx, reference)


OWN_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_own_project, word="project")


def _shown(_ctx: ReadContext, p: "ListRepositories | GetRepository", _result: object) -> tuple[str, ...]:
    return tuple(option for option, asked in ((TAGS, p.tags), (TAGS_COUNT, p.tags_count)) if asked)


def _shown_of_one(ctx: ReadContext, p: "GetRepository", result: object) -> tuple[str, ...]:
    return (*_shown(ctx, p, result), *([SIZE] if p.size else ()))


def _list_pending(world: World, records: Sequence[Project]) -> Iterable[ContainerRepository]:
    """Return the repositories whose deletions a client that lists them may wait for."""
    return container_repositories.list_by_project(world, records[0])


@area.operation(
    "GET",
    REPOSITORIES,
    scope=OWN_PROJECT,
    ability=Ability.READ_CONTAINER_IMAGE,
    params=ListRepositories,
    view=ContainerRepositoryView,
    many=True,
    options=_shown,
    reading=Reading(advances=_list_pending),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def list_project_registry_repositories(ctx: ReadContext, project: Project) -> Sequence[ContainerRepository]:
    """List the image repositories of a project."""
    return container_repositories.list_by_project(ctx.world, project)


@area.operation(
    "GET",
    REPOSITORIES,
    scope=GROUP,
    ability=Ability.READ_CONTAINER_IMAGE,
    params=ListRepositories,
    view=ContainerRepositoryView,
    many=True,
    options=_shown,
    reading=Reading(advances=lambda world, records: container_repositories.list_by_group(world, records[0])),
)
def list_group_registry_repositories(ctx: ReadContext, group: Group) -> Sequence[ContainerRepository]:
    """List the image repositories of the projects in a group and its subgroups."""
    return container_repositories.list_by_group(ctx.world, group)


class GetRepository(Params):
    """What is shown of the repository."""

    tags: bool = False
    tags_count: bool = False
    size: Annotated[bool, Lifetime(since="<=18.9")] = False


def _get_visible_repository(ctx: ReadContext, id_: int) -> ContainerRepository:
    """Return a repository of any project, or 404; 403 for one that the caller may not read."""
    repository = ctx.world.container_repositories.get(id_)
    if repository is None:
        raise RecordNotFound(reason=f"there is no image repository {id_}")
    authorize(ctx, Ability.READ_CONTAINER_IMAGE, ctx.world.projects[repository.project_id])
    return repository


@area.operation(
    "GET",
    "registry/repositories/:id",
    params=GetRepository,
    view=ContainerRepositoryView,
    options=_shown_of_one,
    login=Login.ALWAYS,
    since="13.6",
    refusals=(403, 404),
)
def get_registry_repository(ctx: ReadContext, id: int) -> ContainerRepository:
    """Get an image repository, named by its id."""
    return _get_visible_repository(ctx, id)


@area.operation(
    "DELETE",
    REPOSITORY,
    scope=OWN_PROJECT,
    ability=Ability.READ_CONTAINER_IMAGE,
    status=202,
    refusals=(403, 404),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def delete_registry_repository(ctx: WriteContext, project: Project, repository_id: int) -> int:
    """Delete an image repository and its tags in the background."""
    repository = _get_repository(ctx, project, repository_id, Ability.ADMIN_CONTAINER_IMAGE)
    protection_rules.authorize_deletion(ctx, project, container_repositories.path_of(ctx.world, repository))
    container_repositories.schedule_deletion(ctx, repository)
    return 202


def _get_repository(ctx: ReadContext, project: Project, id_: int, ability: Ability) -> ContainerRepository:
    """Return a repository, or 404; 403 without the ability."""
    repository = container_repositories.get_repository(ctx.world, project, id_)
    authorize(ctx, ability, project)
    return repository


class ListRegistryTags(NamePaged):
    """The tag after which the page begins."""

    pagination: Annotated[str | None, TAGS_ARE_PAGED_BY_NAME] = None
    last: Annotated[str | None, TAGS_ARE_PAGED_BY_NAME] = None
    sort: Annotated[str | None, TAGS_ARE_PAGED_BY_NAME] = None


@area.operation(
    "GET",
    f"{REPOSITORY}/tags",
    scope=OWN_PROJECT,
    ability=Ability.READ_CONTAINER_IMAGE,
    params=ListRegistryTags,
    view=ContainerTagBasic,
    many=True,
    paging=Paging(token=lambda tag: tag.name),
    refusals=(404,),
    reading=Reading(advances=_list_pending),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def list_registry_tags(ctx: ReadContext, project: Project, repository_id: int) -> Sequence[ContainerTag]:
    """List the tags of an image repository."""
    repository = container_repositories.get_repository(ctx.world, project, repository_id)
    return container_repositories.list_tags(ctx.world, repository)


@area.operation(
    "GET",
    f"{REPOSITORY}/tags/:tag_name",
    scope=OWN_PROJECT,
    ability=Ability.READ_CONTAINER_IMAGE,
    view=ContainerTagView,
    refusals=(404,),
    reading=Reading(advances=_list_pending),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def get_registry_tag(ctx: ReadContext, project: Project, repository_id: int, tag_name: str) -> ContainerTag:
    """Get a tag of an image repository, with the image that it names."""
    repository = container_repositories.get_repository(ctx.world, project, repository_id)
    return container_repositories.get_tag(ctx.world, repository, tag_name)


@area.operation(
    "DELETE",
    f"{REPOSITORY}/tags/:tag_name",
    scope=OWN_PROJECT,
    ability=Ability.READ_CONTAINER_IMAGE,
    status=200,
    refusals=(403, 404),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def delete_registry_tag(ctx: WriteContext, project: Project, repository_id: int, tag_name: str) -> int:
    """Delete a tag; other tags of the same image stay."""
    repository = _get_repository(ctx, project, repository_id, Ability.DESTROY_CONTAINER_IMAGE)
    tag = container_repositories.get_tag(ctx.world, repository, tag_name)
    tag_protection_rules.authorize_deletion(ctx, project, tag)
    container_repositories.delete_tag(ctx, tag)
    return 200


def _check_regexp(pattern: str) -> str | None:
    error = explain_regex_error(pattern)
    return f"is an invalid regexp: {error}" if error else None


_REGEXP: Final = Check(_check_regexp)


class DeleteTags(Params):
    """Which tags to delete."""

    name_regex_delete: Annotated[str | None, _REGEXP] = None
    name_regex: Annotated[str | None, _REGEXP] = None
    name_regex_keep: Annotated[str | None, _REGEXP] = None
    keep_n: int | None = None
    older_than: str | None = None

    rules = (at_least_one_of("name_regex", "name_regex_delete"),)


@area.operation(
    "DELETE",
    f"{REPOSITORY}/tags",
    scope=OWN_PROJECT,
    ability=Ability.READ_CONTAINER_IMAGE,
    params=DeleteTags,
    status=202,
    refusals=(400, 403, 404),
    job_token=JOBS_USE_APIS_OF_THEIR_PROJECT,
)
def delete_registry_tags(ctx: WriteContext, project: Project, repository_id: int, p: DeleteTags) -> int:
    """Delete tags of an image repository in the background, at most once an hour.

    The tag ``latest`` is never deleted.
    """
    repository = _get_repository(ctx, project, repository_id, Ability.ADMIN_CONTAINER_IMAGE)
    # Empty text is an expression, too, so the other name counts only if this one is null or missing.
    name_regex = p.name_regex if p.name_regex_delete is None else p.name_regex_delete
    criteria = CleanupCriteria(name_regex, p.name_regex_keep, p.keep_n, p.older_than)
    tag_cleanups.request_cleanup(ctx, repository, criteria)
    return 202
