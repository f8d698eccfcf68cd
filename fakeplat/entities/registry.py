"""Views of image repositories and tags. Source: docs/platform/registry.md."""

from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.registry import container_repositories
from fakeplat.entities import urls
from fakeplat.model.registry import (
    ContainerProtectionRule,
    ContainerRepository,
    ContainerTag,
    ContainerTagProtectionRule,
)
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

TAGS: Final = "tags"
TAGS_COUNT: Final = "tags_count"
SIZE: Final = "size"


class ContainerTagBasic(Entity[ContainerTag]):
    """A tag in lists."""

    ctx: ReadContext

    name = attr()

    @computed
    def path(self) -> str:
        world = self.ctx.world
        repository = world.container_repositories[self.record.repository_id]
        return f"{container_repositories.path_of(world, repository)}:{self.record.name}"

    @computed
    def location(self) -> str:
        return urls.image_location(self.ctx, self.path())


class ContainerTagView(ContainerTagBasic):
    """A single tag, with its image."""

    revision = attr()

    @computed
    def short_revision(self) -> str | None:
        return self.record.revision and self.record.revision[:9]

    digest = attr()
    created_at = attr()
    total_size = attr()


def _shows(option: str) -> Any:
    return lambda view: option in view.options


class ContainerRepositoryView(Entity[ContainerRepository]):
    """An image repository."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed
    def path(self) -> str:
        return container_repositories.path_of(self.ctx.world, self.record)

    project_id = attr()

    @computed
    def location(self) -> str:
        return urls.image_location(self.ctx, self.path())

    created_at = attr()
    cleanup_policy_started_at = attr()
    status = attr(since="<=17.0")

    @computed_if(when=_shows(TAGS_COUNT))
    def tags_count(self) -> int:
        return container_repositories.count_tags(self.ctx.world, self.record)

    @computed_if(since="<=18.9", when=_shows(SIZE))
    def size(self) -> int:
        return container_repositories.measure_size(self.ctx.world, self.record)

    @computed_if(since="<=18.9", when=lambda view: view.may_delete)
    def delete_api_path(self) -> str:
        return f"{self.ctx.origin}/api/v4/projects/{self.record.project_id}/registry/repositories/{self.record.id}"

    @property
    def may_delete(self) -> bool:
        """Whether the viewer may delete the repository."""
        return can(self.ctx, Ability.DESTROY_CONTAINER_IMAGE, self.ctx.world.projects[self.record.project_id])

    @computed_if(when=_shows(TAGS))
    def tags(self) -> list[ContainerTagBasic]:
        tags = container_repositories.list_tags(self.ctx.world, self.record)
        return [self.ctx.render(ContainerTagBasic, tag) for tag in tags]


class ContainerProtectionRuleView(Entity[ContainerProtectionRule]):
    """A rule that protects image repositories."""

    id = attr()
    project_id = attr()
    repository_path_pattern = attr()
    minimum_access_level_for_push = attr()
    minimum_access_level_for_delete = attr()


class ContainerTagProtectionRuleView(Entity[ContainerTagProtectionRule]):
    """A rule that protects tags of images."""

    id = attr()
    project_id = attr()
    tag_name_pattern = attr()
    minimum_access_level_for_push = attr()
    minimum_access_level_for_delete = attr()
